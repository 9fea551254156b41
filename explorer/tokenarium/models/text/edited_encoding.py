"""The encoding of a text after an edit, made of the one before it: only what is around the edit is encoded again.

That is exact where a text can be divided: at such a place there is a cut that a few characters beside it decide, and
what follows is cut as if nothing came before. From the last such place before the edit to one after it the text is
encoded; the tokens outside stay, those after it at other offsets. A tokenizer that cuts nothing merges its text as one
word: that is divided between two characters that no piece joins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import regex

import tokenarium_core as tc
from tokenarium.models.text.chunked_column import ChunkedColumn
from tokenarium.models.text.chunked_encoding import ChunkedEncoding, NormalizedColumns, of_unchanged
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.models import CharacterBpe
from tokenarium_core.normalizers import (
    MARK,
    BertNormalizer,
    Normalizer,
    NormalizerSequence,
    Prepend,
    SentencePieceNormalizer,
    SpaceMark,
)
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.pretokenizers.pretokenizer import WholeText

BLOCKS: Final = (1 << 11, 1 << 14, 1 << 17)
"""Bytes on each side of an edit in which a place to divide the text is looked for, one size after the other."""

CONTEXT: Final = 64
"""Bytes after the last place that are encoded too, and left out: what decides that there is a cut."""

_PLACES: Final = {
    # Before a number, and between a letter and two signs: its pattern has no other way on there.
    "superbpe": r"[^\p{N}](?=\p{N})|\p{L}(?=[^\s\p{L}\p{N}]{2})",
    # Between words: what is done to characters before the cuts leaves these as they are, but for case.
    "BertPreTokenizer": r"[A-Za-z0-9] (?=[A-Za-z0-9])",
}
"""Where pre-tokenizers that do not divide texts always split."""

_FIRST = {name: regex.compile(places) for name, places in _PLACES.items()}
_LAST = {name: regex.compile(f"(?r){places}") for name, places in _PLACES.items()}


def is_taken_over(tokenizer: tc.Tokenizer | None) -> bool:
    """Whether the encodings of a tokenizer are taken over after an edit, where special tokens are plain text."""
    if tokenizer is None:
        return False
    cutter = tokenizer.pre_tokenizer
    if tokenizer.splitter is not None or tokenizer.model.joins:
        return False  # words are joined, so that what follows a cut depends on what comes before
    if is_one_word(tokenizer):
        return True
    if tokenizer.added_tokens.always:
        return False
    if tokenizer.normalizer is None:
        return bool(cutter.divides) or cutter.name == "superbpe"
    return isinstance(tokenizer.normalizer, BertNormalizer) and cutter.name == "BertPreTokenizer"


def is_one_word(tokenizer: tc.Tokenizer) -> bool:
    """Whether a tokenizer merges its text as one word, which can be divided between two characters."""
    model = tokenizer.model
    return (
        isinstance(model, CharacterBpe)
        and model.cut is not None
        and isinstance(tokenizer.pre_tokenizer, WholeText)
        and _is_plain(tokenizer.normalizer)
        and not _AddedForms.of(tokenizer.added_tokens).reach_out
    )


def _is_plain(normalizer: Normalizer | None) -> bool:
    """Whether a normalizer leaves a text without a ``▁`` as it is, but for its beginning and its end."""
    if isinstance(normalizer, NormalizerSequence):
        return all(map(_is_plain, normalizer.normalizers))
    if isinstance(normalizer, SentencePieceNormalizer):
        return normalizer.local
    return normalizer is None or isinstance(normalizer, (Prepend, SpaceMark))


@dataclass(frozen=True, slots=True)
class _AddedForms:
    """What is searched for before a text is merged.

    ``together``: all forms one after the other; ``longest``: the bytes of the longest. ``reach_out``: whether one takes
    the white space around it, or is empty.
    """

    together: bytes
    longest: int
    reach_out: bool

    @classmethod
    @lru_cache(maxsize=8)
    def of(cls, added: AddedTokens) -> _AddedForms:
        """Returns those of added tokens, of which none matters where a text without permission has none."""
        tokens = added.tokens if added.always else []
        return cls(
            b"\0".join(token.form for token in tokens),
            max((len(token.form) for token in tokens), default=0),
            any(token.lstrip or token.rstrip or not token.form for token in tokens),
        )


def edited_encoding(
    tokenizer: tc.Tokenizer, old: TextMap, before: ChunkedEncoding, new: TextMap
) -> ChunkedEncoding | None:
    """Returns the encoding of a text from that of a similar one, equal to what ``tokenizer.encode`` gives.

    ``before`` is the whole encoding of ``old`` with special tokens as plain text. None if that is not possible, or
    not worth it: no place was found at which the text can be divided, as in one that is a single word.
    """
    if not is_taken_over(tokenizer) or old.has_halves or new.has_halves:
        return None
    edit, old_stop, new_stop = changed_bytes(old, new)
    start = _place_before(tokenizer, new, edit)
    stop = place_after(tokenizer, new, new_stop)
    moved = new_stop - old_stop
    if start < 0 or stop < 0 or stop - start == new.byte_count:
        return None
    begin, end = read_around(tokenizer, new, start, stop)
    middle = ChunkedEncoding.of(tokenizer.encode_job(new.utf8_of(begin, end) + ZEROS).whole())
    continues = start > 0 and is_one_word(tokenizer)
    size = new.byte_count
    head = place_in(before, start, start == old.byte_count, continues)
    first = place_in(middle, start - begin, start == size, continues)
    last = place_in(middle, stop - begin, stop == size)
    tail = place_in(before, stop - moved, stop == size)
    places = (head, tail, first, last)
    if not all(place.parts and (place.is_cut or is_one_word(tokenizer)) for place in places):
        return None
    # Where only one has an added token that ends there, something may be put before what follows it.
    if last.is_cut != tail.is_cut:
        return None
    splice = _Splice(head, first, last, tail, begin, moved, continues)
    return _joined(before, middle, new, splice)


def read_around(tokenizer: tc.Tokenizer, text: TextMap, start: int, stop: int) -> tuple[int, int]:
    """Returns the bytes to encode for those between two places: what decides that there is a cut is encoded too.

    Nothing comes before the first, unless what begins a text is put before it.
    """
    context = CONTEXT + _AddedForms.of(tokenizer.added_tokens).longest
    begin = text.characters(max(start - context, 0), start)[0] if is_one_word(tokenizer) else start
    return begin, text.characters(0, min(stop + context, text.byte_count))[1]


def changed_bytes(old: TextMap, new: TextMap) -> tuple[int, int, int]:
    """Returns the first byte that differs, and the ends of what was replaced in the old text and in the new one.

    All three are between characters.

    >>> changed_bytes(TextMap("one two"), TextMap("one to two"))
    (5, 5, 8)
    """
    edit = new.edit_since(old)
    if edit is not None:
        return *edit, edit[1] + new.byte_count - old.byte_count
    a, b = old.bytes, new.bytes
    shorter = min(len(a), len(b))
    first = _equal(a[:shorter], b[:shorter])
    while first and first < shorter and _inside(b[first]):
        first -= 1
    if first < len(a) and _inside(a[first]):  # the new text ends in the middle of an old character
        while _inside(a[first]):
            first -= 1
    rest = shorter - first
    same = _equal(a[len(a) - rest :][::-1], b[len(b) - rest :][::-1])
    while same and _inside(b[len(b) - same]):
        same -= 1
    return first, len(a) - same, len(b) - same


def _equal(a: npt.NDArray[np.uint8], b: npt.NDArray[np.uint8]) -> int:
    """Returns how many bytes at the beginning are equal."""
    step = 1 << 16
    for at in range(0, len(a), step):
        if not np.array_equal(a[at : at + step], b[at : at + step]):
            return at + int(np.argmax(a[at : at + step] != b[at : at + step]))
    return len(a)


def _inside(byte: np.uint8) -> bool:
    """Whether a byte continues a character."""
    return int(byte) & 0xC0 == 0x80


def _place_before(tokenizer: tc.Tokenizer, text: TextMap, stop: int) -> int:
    """Returns the last place up to ``stop`` where the text can be divided; 0 for its beginning, -1 for too far away."""
    for size in BLOCKS:
        begin = max(0, stop - size)
        while begin and text.data[begin] & 0xC0 == 0x80:
            begin -= 1
        offset = _divided(tokenizer, text.utf8_of(begin, stop), _LAST)
        if offset:
            return begin + offset
        if not begin:
            return 0
    return -1


def place_after(tokenizer: tc.Tokenizer, text: TextMap, start: int) -> int:
    """Returns a place after ``start`` where the text can be divided, or its end; -1 for too far away."""
    size = text.byte_count
    for block in BLOCKS:
        end = min(size, start + block)
        if end == size:
            return size
        while text.data[end] & 0xC0 == 0x80:
            end -= 1
        offset = _divided(tokenizer, text.utf8_of(start, end), _FIRST)
        if offset:
            return start + offset
    return -1


def _divided(
    tokenizer: tc.Tokenizer, block: bytes, places: Mapping[str, regex.Pattern[str]]
) -> int:
    """Returns a place inside a block of whole characters where the text can be divided, or 0."""
    if is_one_word(tokenizer):
        # Around a mark, which may become a space, bytes are at other places in the normalized text.
        if places is _FIRST:
            return _unjoined(tokenizer, block.partition(MARK)[0])
        behind = block.rfind(MARK) + len(MARK) if MARK in block else 0
        place = _unjoined(tokenizer, block[behind:])
        return behind + place if place else 0
    if tokenizer.pre_tokenizer.divides:
        return int(tokenizer.pre_tokenizer.divide(block + ZEROS, len(block)))
    text = block.decode("utf-8", "replace")
    match = places[tokenizer.pre_tokenizer.name].search(text)
    return len(text[: match.end()].encode()) if match is not None else 0


def _unjoined(tokenizer: tc.Tokenizer, block: bytes) -> int:
    """Returns the last place inside a block between two characters that nothing joins, or 0.

    These are no merge and no added token, and the character after it is known: unknown ones may be fused.
    """
    model = tokenizer.model
    assert isinstance(model, CharacterBpe)
    assert model.cut is not None
    added = _AddedForms.of(tokenizer.added_tokens).together
    data, place = block + ZEROS, len(block)
    while place:
        place = int(model.cut.divide(data, place))
        if (
            place
            and data[place - 1 : place + 1] not in added
            and model.source.known(data, place, len(block))
        ):
            return place
    return 0


@dataclass(frozen=True, slots=True)
class Division:
    """A place in an encoding where its text can be divided, as rows of its columns.

    ``token``, ``word``: the first of those that follow; a word that continues there is one. ``byte``: of the
    normalized text. ``is_cut``: whether a word ends there; ``parts``: whether no token crosses it.
    """

    token: int
    word: int
    byte: int
    is_cut: bool
    parts: bool


def place_in(
    encoding: ChunkedEncoding, offset: int, is_end: bool, continues: bool = False
) -> Division:
    """Returns a place in an encoding; ``offset`` is a byte of what was encoded. ``is_end``: the text ends there.

    ``continues``: a word that ends there counts as one that follows, since only the new encoding knows whether it ends.
    """
    normalized, starts, ends = encoding.normalized, encoding.starts, encoding.cut_ends
    if is_end:  # all of it, also what was put behind the text
        size = offset if normalized is None else len(normalized.data)
        return Division(len(starts), len(ends), size, True, True)
    byte = offset if normalized is None else normalized.starts.row_of(offset)
    token, word = starts.row_of(offset), ends.row_of(byte, "left" if continues else "right")
    is_cut = offset == 0 or (word > 0 and ends[word - 1] == byte)
    return Division(token, word, byte, is_cut, token == 0 or encoding.ends[token - 1] <= offset)


@dataclass(frozen=True, slots=True)
class _Splice:
    """Rows of a new encoding that are put into an old one: ``first`` to ``last`` for those from ``head`` to ``tail``.

    ``begin``: the byte of the text that the new encoding begins with; ``moved``: how far what follows is moved.
    ``continues``: the first word of the new rows begins before them.
    """

    head: Division
    first: Division
    last: Division
    tail: Division
    begin: int
    moved: int
    continues: bool

    def tokens(
        self,
        old: ChunkedColumn,
        made: ChunkedColumn,
        offset: int = 0,
        further: int = 0,
        each: int = 1,
    ) -> ChunkedColumn:
        """Returns a column with ``each`` rows a token: ``offset`` is added to new rows, ``further`` to those behind."""
        rows = made[each * self.first.token : each * self.last.token]
        return old.spliced(each * self.head.token, each * self.tail.token, rows, offset, further)

    def words(
        self, old: ChunkedColumn, made: ChunkedColumn, offset: int = 0, further: int = 0
    ) -> ChunkedColumn:
        """Returns a column with a row for each pre-token."""
        rows = made[self.first.word : self.last.word]
        return old.spliced(self.head.word, self.tail.word, rows, offset, further)

    def bytes(
        self, old: ChunkedColumn, made: ChunkedColumn, offset: int = 0, further: int = 0
    ) -> ChunkedColumn:
        """Returns a column with a row for each byte of the normalized text."""
        rows = made[self.first.byte : self.last.byte]
        return old.spliced(self.head.byte, self.tail.byte, rows, offset, further)

    def cut_spans(self, old: ChunkedColumn, made: ChunkedColumn) -> ChunkedColumn:
        """Returns the column of pre-tokens in the original text, of which some may reach over the places."""
        rows = made[2 * self.first.word : 2 * self.last.word] + np.int32(self.begin)
        after = old[2 * self.tail.word : 2 * self.tail.word + 2] + np.int32(self.moved)
        if len(after):  # the one behind begins where it does in the new encoding
            after[0] = made[2 * self.last.word] + self.begin
        if self.continues:  # the first one where it did before
            (rows if len(rows) else after)[:1] = old[2 * self.head.word]
        rows = np.concatenate((rows, after))
        tail = 2 * self.tail.word + len(after)
        return old.spliced(2 * self.head.word, tail, rows, 0, self.moved)


def _joined(
    before: ChunkedEncoding, middle: ChunkedEncoding, new: TextMap, splice: _Splice
) -> ChunkedEncoding:
    """Returns the tokens of an old encoding with those of a new one in place of some."""
    begin, moved = splice.begin, splice.moved
    # In the normalized texts: where the rows begin that are put in, and how far those behind are moved.
    shift = splice.head.byte - splice.first.byte
    further = shift + splice.last.byte - splice.tail.byte
    normalized = None
    if before.normalized is not None or middle.normalized is not None:
        old, made = _columns(before), _columns(middle)
        normalized = NormalizedColumns(
            splice.bytes(old.data, made.data),
            splice.bytes(old.starts, made.starts, begin, moved),
            splice.bytes(old.stops, made.stops, begin, moved),
            splice.tokens(old.places, made.places, shift, further, 2),
            splice.cut_spans(old.cut_spans, made.cut_spans),
        )
    return ChunkedEncoding(
        splice.tokens(before.ids, middle.ids),
        splice.tokens(before.starts, middle.starts, begin, moved),
        splice.tokens(before.ends, middle.ends, begin, moved),
        splice.words(before.cut_ends, middle.cut_ends, shift, further),
        splice.words(before.cut_rules, middle.cut_rules),
        middle.rule_names,
        normalized,
        new,
        before.vocabulary,
        object(),
    )


def _columns(encoding: ChunkedEncoding) -> NormalizedColumns:
    """Returns the columns of a text that may be the original itself."""
    return encoding.normalized or of_unchanged(encoding)
