"""SentencePiece's BPE models, from a vocabulary or a cache: unknown characters stay until everything is merged.

A character that is not a piece may still become part of one. A symbol that is finally not a piece becomes the bytes of
its UTF-8, or the unknown token, which consecutive unknowns share. A piece that must not be used is merged all the same,
and split again at the end.

Sources: google/sentencepiece, ``src/bpe_model.cc`` (``SampleEncode``) and ``src/sentencepiece_processor.cc``
(``PopulateSentencePieceText``).
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_cut import CharacterCut
from tokenarium_core.models.bpe.character_symbols import CharacterSymbols, shown
from tokenarium_core.models.bpe.merge_table import (
    CharacterMerges,
    load_merges,
)
from tokenarium_core.models.bpe.piece_merges import PieceSymbols, merges_of_pieces
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.trace import BYTE_FALLBACK, PIECE, SYMBOL, UNKNOWN, Trace
from tokenarium_core.unicode.utf8 import character_sizes, code_point_at
from tokenarium_core.vocabulary import (
    BYTE,
    SPACE_MARK,
    USER_DEFINED,
    Vocabulary,
    dump_vocabulary,
    load_vocabulary,
)
from tokenarium_core.vocabulary import UNKNOWN as UNKNOWN_PIECE

_NESTED: Final = 64  # nested user-defined pieces of which SentencePiece finds the longest


@final
class SentencePieceSymbols(CharacterSymbols):
    """Symbols as `PieceSymbols` numbers them; user-defined pieces are matched first and never merge.

    ``unknown`` is the id of the unknown piece; ``byte_ids`` are the ids of the 256 byte pieces, and empty
    where unknown characters do not fall back to bytes.
    """

    def __init__(
        self, pieces: PieceSymbols, merges: CharacterMerges, matcher: PrefixMatcher
    ) -> None:
        super().__init__(pieces.vocabulary)
        self.pieces = pieces
        self.merges = merges
        self.matcher = matcher
        self.unknown: i64 = -1
        self.byte_ids = vec[i32]()
        self._find_ids()
        self._taken_apart: bool = len(merges.splits) > 0
        if not self._taken_apart:
            self.plain = vec[i64]([pieces.table.get(byte) for byte in range(128)])

    def adds_up(self) -> bool:
        """Returns whether no unknown token can come from a text."""
        return len(self.byte_ids) > 0

    def known(self, data: bytes, at: i64, stop: i64) -> bool:
        """Returns whether no unknown token can begin at this byte."""
        return (
            len(self.byte_ids) > 0
            or self.pieces.table.get(code_point_at(data, at)) < self.pieces.alone
            or self.matcher.match(data, at, stop) >= 0
        )

    def joins(self, ids: vec[i32], index: i64) -> bool:
        """Returns whether the id before ``index`` is the unknown one."""
        return len(self.byte_ids) == 0 and i64(ids[index - 1]) == self.unknown

    def misfits(self, ids: vec[i32], first: i64, last: i64) -> bool:
        """Returns whether there is an unknown token among the ids."""
        if len(self.byte_ids) == 0:
            for index in range(first, last):
                if i64(ids[index]) == self.unknown:
                    return True
        return False

    def split(self, data: bytes, start: i64, stop: i64, whole: bool, trace: Trace | None) -> i64:
        """Makes one symbol of each user-defined piece (if ``whole``) and each character."""
        self.reserve(stop - start)
        symbols = self.symbols
        starts = self.starts
        stops = self.stops
        table = self.pieces.table
        sizes = character_sizes
        matcher = self.matcher
        search = whole and matcher.count > 0
        count: i64 = 0
        at = start
        while at < stop:
            starts[count] = i32(at)
            piece: i64 = matcher.match(data, at, stop) if search else -1
            if piece >= 0:
                symbols[count] = piece
                if trace is not None:
                    trace.add(PIECE, at, at + matcher.length, -1, piece, -1, self._score(piece))
                at += matcher.length
            else:
                byte: i64 = data[at]
                symbol: i64 = table.get(byte) if byte < 0x80 else table.get(code_point_at(data, at))
                symbols[count] = symbol
                size = i64(sizes[byte])
                if trace is not None:
                    trace.add(SYMBOL, at, at + size, -1, shown(symbol, self.vocabulary.count), -1)
                at += size
            stops[count] = i32(at)
            count += 1
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
        """Writes the ids: pieces unchanged, unused ones split, the others as bytes or unknown."""
        alone = self.pieces.alone
        located = len(spans) > 0
        fallback = len(self.byte_ids) > 0
        unknown_start: i64 = -1
        unknown_stop: i64 = 0
        for index in range(left):
            symbol = symbols[index]
            start: i64 = i64(starts[index])
            stop: i64 = i64(stops[index])
            if symbol < alone and not (self._taken_apart and symbol in self.merges.splits):
                if unknown_start >= 0:
                    self._close_unknown(unknown_start, unknown_stop, count, spans, trace)
                    unknown_start = -1
                after_unknown = False
                out[count] = i32(symbol)
                if located:
                    spans[2 * count] = i32(start)
                    spans[2 * count + 1] = i32(stop)
                count += 1
                continue
            splits = self.merges.splits
            for part, first, last in self.parts_of(symbol, start, stop, splits, seen, trace):
                if part < alone:
                    if unknown_start >= 0:
                        self._close_unknown(unknown_start, unknown_stop, count, spans, trace)
                        unknown_start = -1
                    after_unknown = False
                    out[count] = i32(part)
                    if located:
                        spans[2 * count] = i32(first)
                        spans[2 * count + 1] = i32(last)
                    count += 1
                elif fallback:
                    count = self._write_bytes(data, first, last, out, count, spans, trace)
                else:
                    if not after_unknown:
                        out[count] = i32(self.unknown)
                        count += 1
                        unknown_start = first
                        after_unknown = True
                    unknown_stop = last
        if unknown_start >= 0:
            self._close_unknown(unknown_start, unknown_stop, count, spans, trace)
        return count

    def _close_unknown(
        self, start: i64, stop: i64, count: i64, spans: vec[i32], trace: Trace | None
    ) -> None:
        """Writes the place of the unknown token before index ``count``."""
        if len(spans):
            spans[2 * count - 2] = i32(start)
            spans[2 * count - 1] = i32(stop)
        if trace is not None:
            trace.add(UNKNOWN, start, stop, -1, self.unknown, -1, self._score(self.unknown))

    def _write_bytes(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
        spans: vec[i32],
        trace: Trace | None,
    ) -> i64:
        for at in range(start, stop):
            byte: i64 = data[at]
            token = i64(self.byte_ids[byte])
            out[count] = i32(token)
            if len(spans):
                spans[2 * count] = i32(at)
                spans[2 * count + 1] = i32(at + 1)
            if trace is not None:
                trace.add(BYTE_FALLBACK, at, at + 1, -1, token, -1, self._score(token))
            count += 1
        return count

    def size_of(self, symbol: i64) -> i64:
        """Returns how many bytes of text a symbol has that merges."""
        alone = self.pieces.alone
        if symbol > alone:
            return len(chr(self.pieces.codes[symbol - alone]).encode())
        return super().size_of(symbol)

    def _score(self, token: i64) -> float:
        scores = self.vocabulary.scores
        return scores[token] if len(scores) else 0.0

    def _find_ids(self) -> None:
        vocabulary = self.vocabulary
        byte_ids = vec[i32]([-1] * 256)
        found: i64 = 0
        for token in range(vocabulary.count):
            kind: i64 = i64(vocabulary.kinds[token])
            if kind == UNKNOWN_PIECE:
                self.unknown = token
            elif kind == BYTE:
                byte: i64 = vocabulary.arena[i64(vocabulary.offsets[token])]
                if i64(byte_ids[byte]) < 0:
                    found += 1
                byte_ids[byte] = i32(token)
        if found == 256:
            self.byte_ids = byte_ids
            if (
                vocabulary.spelling == SPACE_MARK
                and self.pieces.table.get(0x20) >= self.pieces.alone
                and self.matcher.match(b" \0", 0, 1) < 0
            ):
                raise FormatError(
                    "The vocabulary has no piece for the space (▁), which would become the three bytes of that sign:"
                    " more tokens than a text has bytes are not supported."
                )
        elif found > 0:
            raise FormatError(
                f"The vocabulary has byte pieces for {found} of the 256 bytes: byte fallback needs all or none."
            )
        elif self.unknown < 0:
            raise FormatError(
                "The vocabulary has no unknown piece, and no byte pieces to fall back to."
            )


def sentencepiece_bpe(vocabulary: Vocabulary) -> CharacterBpe:
    """Returns the BPE model of a SentencePiece vocabulary, in which spaces stand for ``▁``.

    The pieces define everything: kinds, scores (as 32-bit floats), byte pieces (all 256: unknown characters fall back
    to bytes; none: they become the unknown piece). Normal, user-defined and unused pieces must be findable by their
    bytes.

    Raises FormatError if the vocabulary has no scores, neither unknown nor byte pieces, or some byte pieces only.
    """
    if len(vocabulary.scores) < vocabulary.count:
        raise FormatError(
            f"The vocabulary has {len(vocabulary.scores):,} scores for {vocabulary.count:,} pieces: each needs one."
        )
    symbols = PieceSymbols(vocabulary)
    return _sentencepiece_bpe(symbols, merges_of_pieces(symbols))


def dump_sentencepiece_bpe(model: CharacterBpe, out: CacheWriter) -> bool:
    """Writes a model of `sentencepiece_bpe`; false for one with pieces that are split again."""
    source = model.source
    merges = model.merges
    if not isinstance(source, SentencePieceSymbols) or merges.splits or merges.ambiguous:
        return False
    dump_vocabulary(model.vocabulary, out, searched=False)
    source.pieces.dump(out)
    merges.table.dump(out)
    out.i32s(merges.priorities)
    out.number(merges.first_tied)
    model.dump(out)
    return True


def load_sentencepiece_bpe(cached: CacheReader) -> CharacterBpe:
    """Returns the model that `dump_sentencepiece_bpe` wrote."""
    vocabulary = load_vocabulary(cached)
    symbols = PieceSymbols(vocabulary, cached)
    table = load_merges(cached)
    priorities = cached.i32s()
    merges = CharacterMerges(table, priorities, cached.number())
    return _sentencepiece_bpe(symbols, merges, cached)


def _sentencepiece_bpe(
    symbols: PieceSymbols, merges: CharacterMerges, cached: CacheReader | None = None
) -> CharacterBpe:
    vocabulary = symbols.vocabulary
    pieces: list[bytes] = []
    ids: list[int] = []
    for token in range(vocabulary.count):
        if i64(vocabulary.kinds[token]) == USER_DEFINED:
            pieces.append(vocabulary.piece(token))
            ids.append(token)
    matcher = PrefixMatcher(pieces, ids, _NESTED)
    source = SentencePieceSymbols(symbols, merges, matcher)
    cut: CharacterCut | None = None
    if not merges.ambiguous if cached is None else cached.number() == 1:
        cut = CharacterCut(vocabulary, merges.table, symbols.codes, matcher, cached)
    return CharacterBpe(vocabulary, merges, source, cut, cached)
