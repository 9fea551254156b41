"""BPE of Hugging Face tokenizers if it is not byte-level: unknown characters are replaced before anything merges.

The first and the last character of a word may have different pieces from those between them
(``continuing_subword_prefix``, ``end_of_word_suffix``). A character that has no piece becomes the bytes of its UTF-8
if all of them have one (``byte_fallback``), else the unknown token; if there is none it is dropped, and
its neighbours may merge.

Source: huggingface/tokenizers, ``tokenizers/src/models/bpe/model.rs`` (``merge_word``).
"""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_cut import CharacterCut
from tokenarium_core.models.bpe.character_symbols import CharacterSymbols, CharacterTable
from tokenarium_core.models.bpe.merge_table import NO_SYMBOL, CharacterMerges, MergeTable
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.tokenizer_cache import CacheReader
from tokenarium_core.trace import BYTE_FALLBACK, SYMBOL, Trace
from tokenarium_core.trace import UNKNOWN as UNKNOWN_EVENT
from tokenarium_core.unicode.utf8 import character_sizes, code_point_at, is_text
from tokenarium_core.vocabulary import BYTE, NORMAL, SPACE_MARK, Vocabulary


@final
class HfSymbols(CharacterSymbols):
    """Symbols that are ids from the beginning; see `hf_bpe.hf_bpe` for the options.

    ``separating``: characters that are left out keep their neighbours from merging, as in llama.cpp. ``splits``: symbols
    that are split again after the last merge, as in `CharacterMerges`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: i64,
        fuse: bool,
        prefix: str,
        suffix: str,
        byte_fallback: bool,
        ignore_merges: bool,
        separating: bool = False,
    ) -> None:
        super().__init__(vocabulary)
        self.unknown: i64 = unknown
        self.byte_fallback = byte_fallback
        self._separating = separating
        self.splits: dict[int, tuple[int, int]] = {}
        self._fuse = fuse
        self._byte_ids = vec[i32]([-1] * 256)
        self._all_bytes = False
        self._some_bytes = False
        if byte_fallback:
            if prefix or suffix:
                raise FormatError(
                    "Byte fallback together with a prefix or suffix of entries is not supported: the bytes of the"
                    " text could not be recovered. Turn one of them off (byte_fallback, continuing_subword_prefix,"
                    " end_of_word_suffix)."
                )
            self._find_bytes()
        self.ends_matter = bool(prefix or suffix)
        self._inner = CharacterTable(-1)
        self._first = self._inner
        self._last = self._inner
        self._only = self._inner
        if self.ends_matter:
            self._read_spelled(prefix, suffix)
        else:
            self._read_plain()
        self.ignores_merges = ignore_merges
        self._cuttable = False
        self._odd: dict[bytes, int] = {}
        self._longest_odd: i64 = 0
        if ignore_merges:
            self._find_odd()
        self.drops = unknown < 0 and not self._all_bytes

    @property
    def fuses(self) -> bool:
        """Whether unknown characters in a row become one token."""
        return self._fuse and not self._all_bytes

    def may_cut(self, table: MergeTable) -> bool:
        """Returns, and records, whether a word may be split between characters that no merge joins.

        Not if the ends of a word matter, or all of it, or if neighbours of left-out characters meet; and not if merges
        join tokens that do not stand for their own text.
        """
        self._cuttable = self._may_cut(table)
        return self._cuttable

    def _may_cut(self, table: MergeTable) -> bool:
        if self.ends_matter or self.ignores_merges or self.drops:
            return False
        if self._some_bytes and not self._all_bytes:
            return False
        kinds = self.vocabulary.kinds
        unknown = self.unknown
        for rank in range(len(table)):
            if i64(table.results[rank]) < 0:
                continue
            left: i64 = i64(table.lefts[rank])
            right: i64 = i64(table.rights[rank])
            if left == unknown or right == unknown or i64(table.results[rank]) == unknown:
                return False
            if i64(kinds[left]) == BYTE or i64(kinds[right]) == BYTE:
                return False
            if i64(kinds[i64(table.results[rank])]) == BYTE:  # made of the characters <0x41>
                return False
        if unknown >= 0:
            start: i64 = i64(self.vocabulary.offsets[unknown])
            if start < i64(self.vocabulary.offsets[unknown + 1]):
                return self._inner.get(code_point_at(self.vocabulary.arena, start)) != unknown
        return True

    def known(self, data: bytes, at: i64, stop: i64) -> bool:
        """Returns whether no unknown token can begin at this byte."""
        return not self._fuse or self._all_bytes or self._inner.get(code_point_at(data, at)) >= 0

    def joins(self, ids: vec[i32], index: i64) -> bool:
        """Returns whether the id before ``index`` is the unknown one, and fused with those that follow."""
        return self._fuse and self.unknown >= 0 and i64(ids[index - 1]) == self.unknown

    def misfits(self, ids: vec[i32], first: i64, last: i64) -> bool:
        """Returns whether some ids may stand for other bytes: unknown tokens, or any if all of a word matters."""
        if not self._cuttable:
            return True
        if self.unknown >= 0 and not self._all_bytes:
            for index in range(first, last):
                if i64(ids[index]) == self.unknown:
                    return True
        return False

    def find_whole(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of the piece that equals the whole word, if merges are then ignored; else -1."""
        if not self.ignores_merges:
            return -1
        token = self.vocabulary.find_in(data, start, stop)
        if token >= 0 and i64(self.vocabulary.kinds[token]) == NORMAL:
            return token
        if self._odd and stop - start <= self._longest_odd:
            return self._odd.get(data[start:stop], -1)
        return -1

    def split(self, data: bytes, start: i64, stop: i64, whole: bool, trace: Trace | None) -> i64:
        """Creates one symbol for each character, or for its replacement."""
        self.reserve(stop - start)
        ends_matter = self.ends_matter
        table = self._inner
        sizes = character_sizes
        fuse = self._fuse
        count: i64 = 0
        waiting: i64 = 0  # bytes of an unknown token that is still to be written
        position = start  # a symbol's place follows from the sizes before it, as in the source
        at = start
        while at < stop:
            byte: i64 = data[at]
            size: i64 = i64(sizes[byte])
            if ends_matter:
                if at == start:
                    table = self._only if at + size >= stop else self._first
                else:
                    table = self._last if at + size >= stop else self._inner
            symbol = table.get(code_point_at(data, at))
            if symbol >= 0:
                if waiting:
                    count = self._add(count, self.unknown, position, waiting)
                    position += waiting
                    waiting = 0
                count = self._add(count, symbol, position, size)
                position += size
            elif self._some_bytes and self._falls_back(data, at, at + size):
                for index in range(at, at + size):
                    byte = data[index]
                    token: i64 = i64(self._byte_ids[byte])
                    count = self._add(count, token, position, 1)
                    position += 1
            elif self.unknown >= 0:
                if waiting and not fuse:
                    count = self._add(count, self.unknown, position, waiting)
                    position += waiting
                    waiting = 0
                waiting += size
            else:
                if self._separating:
                    count = self._add(count, NO_SYMBOL, position, size)
                position += size
            at += size
        if waiting:
            count = self._add(count, self.unknown, position, waiting)
        if trace is not None:
            self._tell(count, stop, trace)
        return count

    def write(
        self,
        data: bytes,
        symbols: vec[i64],
        starts: vec[i32],
        stops: vec[i32],
        left: i64,
        seen: dict[int, tuple[int, int]],
        after_unknown: bool,
        out: vec[i32],
        count: i64,
        spans: vec[i32],
        trace: Trace | None,
    ) -> i64:
        """Writes the symbols, which are ids; an unknown one that continues the one before it is left out, and separators."""
        located = len(spans) > 0
        for index in range(left):
            if index == 0 and after_unknown and symbols[0] == self.unknown:
                continue
            if symbols[index] == NO_SYMBOL:
                continue
            if len(self.splits) > 0 and symbols[index] in self.splits:
                first: i64 = i64(starts[index])
                last: i64 = i64(stops[index])
                parts = self.parts_of(symbols[index], first, last, self.splits, seen, trace)
                for part, begin, end in parts:
                    out[count] = i32(part)
                    if located:
                        spans[2 * count] = i32(begin)
                        spans[2 * count + 1] = i32(end)
                    count += 1
                continue
            out[count] = i32(symbols[index])
            if located:
                spans[2 * count] = starts[index]
                spans[2 * count + 1] = stops[index]
            count += 1
        return count

    def _add(self, count: i64, symbol: i64, position: i64, size: i64) -> i64:
        self.symbols[count] = symbol
        self.starts[count] = i32(position)
        self.stops[count] = i32(position + size)
        return count + 1

    def _tell(self, count: i64, stop: i64, trace: Trace) -> None:
        """Adds what a word starts as to a trace; a symbol includes what is left out after it."""
        for index in range(count):
            start: i64 = i64(self.starts[index])
            behind: i64 = i64(self.starts[index + 1]) if index + 1 < count else stop
            symbol = self.symbols[index]
            if symbol == NO_SYMBOL:
                continue
            kind: i64 = SYMBOL
            if symbol == self.unknown:
                kind = UNKNOWN_EVENT
            elif self._some_bytes and i64(self.vocabulary.kinds[symbol]) == BYTE:
                kind = BYTE_FALLBACK
            trace.add(kind, start, behind, -1, symbol, -1)

    def _falls_back(self, data: bytes, start: i64, stop: i64) -> bool:
        """Returns whether all bytes of a character have pieces."""
        if not self._all_bytes:
            for at in range(start, stop):
                byte: i64 = data[at]
                if i64(self._byte_ids[byte]) < 0:
                    return False
        return True

    def _find_bytes(self) -> None:
        vocabulary = self.vocabulary
        count: i64 = 0
        for token in range(vocabulary.count):
            if i64(vocabulary.kinds[token]) == BYTE:
                byte: i64 = vocabulary.arena[i64(vocabulary.offsets[token])]
                if i64(self._byte_ids[byte]) < 0:
                    count += 1
                self._byte_ids[byte] = i32(token)
        self._some_bytes = count > 0
        self._all_bytes = count == 256

    def _read_plain(self) -> None:
        """Finds the pieces of one character."""
        vocabulary = self.vocabulary
        arena = vocabulary.arena
        sizes = character_sizes
        for token in range(vocabulary.count):
            start: i64 = i64(vocabulary.offsets[token])
            stop: i64 = i64(vocabulary.offsets[token + 1])
            if start == stop or i64(vocabulary.kinds[token]) == BYTE:
                continue
            byte: i64 = arena[start]
            if start + i64(sizes[byte]) != stop or not is_text(arena, start, stop):
                continue
            if not vocabulary.outside or token not in vocabulary.outside:
                self._inner.set(code_point_at(arena, start), token)

    def _read_spelled(self, prefix: str, suffix: str) -> None:
        """Finds the pieces of one character by position: within the word, first, last, and the whole word."""
        self._first = CharacterTable(-1)
        self._last = CharacterTable(-1)
        self._only = CharacterTable(-1)
        for token in range(self.vocabulary.count):
            if token in self.vocabulary.outside:
                continue
            spelled = self._spelled(token)
            _note(self._only, spelled, "", suffix, token)
            _note(self._first, spelled, "", "", token)
            _note(self._inner, spelled, prefix, "", token)
            _note(self._last, spelled, prefix, suffix, token)

    def _find_odd(self) -> None:
        """Records the pieces whose spelling differs from their bytes: a whole word may be spelled like them too."""
        vocabulary = self.vocabulary
        for token in range(vocabulary.count):
            kind: i64 = i64(vocabulary.kinds[token])
            if kind != NORMAL and token not in vocabulary.outside:
                spelled = self._spelled(token).encode()
                if spelled:
                    self._odd[spelled] = token
                    if len(spelled) > self._longest_odd:
                        self._longest_odd = len(spelled)

    def _spelled(self, token: i64) -> str:
        """Returns a piece as spelled in its file, but with spaces for ``▁`` if these stand for spaces."""
        spelled = self.vocabulary.surface(token)
        return spelled.replace("▁", " ") if self.vocabulary.spelling == SPACE_MARK else spelled


def _note(table: CharacterTable, spelled: str, prefix: str, suffix: str, token: i64) -> None:
    """Gives a character its symbol if a piece is spelled as it is between the prefix and the suffix."""
    at = len(prefix)
    if (
        len(spelled) == at + 1 + len(suffix)
        and spelled.startswith(prefix)
        and spelled.endswith(suffix)
    ):
        table.set(ord(spelled[at]), token)


def separated(model: CharacterBpe) -> CharacterBpe:
    """Returns a model in which characters that are left out keep their neighbours from merging; or else the same one."""
    source = model.source
    if not isinstance(source, HfSymbols) or not source.drops or source.ends_matter:
        return model
    symbols = HfSymbols(
        source.vocabulary,
        -1,
        False,
        "",
        "",
        source.byte_fallback,
        source.ignores_merges,
        separating=True,
    )
    return CharacterBpe(source.vocabulary, model.merges, symbols, None)


def hf_bpe(
    vocabulary: Vocabulary,
    merges: CharacterMerges,
    unknown: i64 = -1,
    fuse_unknown: bool = False,
    prefix: str = "",
    suffix: str = "",
    byte_fallback: bool = False,
    ignore_merges: bool = False,
    cached: CacheReader | None = None,
) -> CharacterBpe:
    """Returns the BPE model of Hugging Face tokenizers, for vocabularies that are not on bytes.

    ``merges`` as `merges_of_list` makes them; ``unknown`` is the id of ``unk_token``, -1 if there is none: unknown
    characters are then left out. ``prefix`` is ``continuing_subword_prefix``, ``suffix`` ``end_of_word_suffix``.
    The vocabulary must spell its pieces as the file does (`Vocabulary.surface`); byte pieces are of the kind BYTE
    where ``byte_fallback`` is on. ``cached``: the earlier output of `CharacterBpe.dump`.

    Raises FormatError if byte fallback comes with a prefix or suffix.
    """
    source = HfSymbols(
        vocabulary, unknown, fuse_unknown, prefix, suffix, byte_fallback, ignore_merges
    )
    cut: CharacterCut | None = None
    cuttable = source.may_cut(merges.table) if cached is None else cached.number() == 1
    source._cuttable = cuttable
    if cuttable:
        cut = CharacterCut(vocabulary, merges.table, [0], PrefixMatcher([], []), cached)
    return CharacterBpe(vocabulary, merges, source, cut, cached)
