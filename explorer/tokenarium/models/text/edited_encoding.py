"""The encoding of a text after an edit, made of the one before it: only what is around the edit is encoded again.

That is exact where a text can be divided: at such a place there is a cut that a few characters beside it decide, and
what follows is cut as if nothing came before. From the last such place before the edit to one after it the text is
encoded; the tokens outside stay, those after it at other offsets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import regex

import tokenarium_core as tc
from tokenarium.models.text.chunked_column import ChunkedColumn
from tokenarium.models.text.chunked_encoding import ChunkedEncoding, NormalizedColumns, of_unchanged
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.normalizers import BertNormalizer
from tokenarium_core.padded_text import ZEROS

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
    if (
        tokenizer.splitter is not None
        or tokenizer.added_tokens.always
        or tokenizer.model.joins  # words, so that what follows a cut depends on what comes before
    ):
        return False
    if tokenizer.normalizer is None:
        return bool(cutter.divides) or cutter.name == "superbpe"
    return isinstance(tokenizer.normalizer, BertNormalizer) and cutter.name == "BertPreTokenizer"


def edited_encoding(
    tokenizer: tc.Tokenizer, old: TextMap, before: ChunkedEncoding, new: TextMap
) -> ChunkedEncoding | None:
    """Returns the encoding of a text from that of a similar one, equal to what ``tokenizer.encode`` gives.

    ``before`` is the whole encoding of ``old`` with special tokens as plain text. None if that is not possible, or
    not worth it: no place was found at which the text can be divided, as in one that is a single word.
    """
    if not is_taken_over(tokenizer) or old.has_halves or new.has_halves:
        return None
    first, old_stop, new_stop = changed_bytes(old, new)
    start = _place_before(tokenizer, new, first)
    stop = place_after(tokenizer, new, new_stop)
    moved = new_stop - old_stop
    if start < 0 or stop < 0 or stop - start == new.byte_count:
        return None
    ends = before.cut_ends
    for offset in (start, stop - moved):
        at = _normalized(before, offset)
        row = ends.row_of(at)
        if 0 < offset < old.byte_count and at not in ends[row : row + 1]:
            return None
    end = min(stop + CONTEXT, new.byte_count)
    while end < new.byte_count and new.data[end] & 0xC0 == 0x80:
        end += 1
    middle = tokenizer.encode_job(new.utf8_of(start, end) + ZEROS)
    while not middle.finished:
        middle.step(1e9)
    return _joined(before, ChunkedEncoding.of(middle.encoding), new, start, stop, moved)


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
    if tokenizer.pre_tokenizer.divides:
        return int(tokenizer.pre_tokenizer.divide(block + ZEROS, len(block)))
    text = block.decode("utf-8", "replace")
    match = places[tokenizer.pre_tokenizer.name].search(text)
    return len(text[: match.end()].encode()) if match is not None else 0


def _normalized(encoding: ChunkedEncoding, place: int) -> int:
    """Returns where a place of the original is in the text; there characters were not changed, but for case."""
    columns = encoding.normalized
    return columns.starts.row_of(place) if columns is not None else place


def _joined(
    before: ChunkedEncoding,
    middle: ChunkedEncoding,
    new: TextMap,
    start: int,
    stop: int,
    moved: int,
) -> ChunkedEncoding:
    """Returns the tokens before ``start``, those of the middle up to ``stop``, and those after it, ``moved`` bytes on."""
    # In the normalized texts: where the middle begins and ends in the old one, and its length in its own.
    first, last = _normalized(before, start), _normalized(before, stop - moved)
    length = _normalized(middle, stop - start)
    further = first + length - last
    begins, ends = before.starts, before.cut_ends
    head, tail = begins.row_of(start), begins.row_of(stop - moved)
    tokens = _Splice(head, tail, middle.starts.row_of(stop - start))
    head, tail = ends.row_of(first, "right"), ends.row_of(last, "right")
    words = _Splice(head, tail, middle.cut_ends.row_of(length, "right"))
    normalized = None
    if before.normalized is not None or middle.normalized is not None:
        old, made = _columns(before), _columns(middle)
        text = _Splice(first, last, length)
        normalized = NormalizedColumns(
            text.join(old.data, made.data),
            text.join(old.starts, made.starts, start, moved),
            text.join(old.stops, made.stops, start, moved),
            tokens.doubled.join(old.places, made.places, first, further),
            words.doubled.join(old.cut_spans, made.cut_spans, start, moved),
        )
    return ChunkedEncoding(
        tokens.join(before.ids, middle.ids),
        tokens.join(before.starts, middle.starts, start, moved),
        tokens.join(before.ends, middle.ends, start, moved),
        words.join(before.cut_ends, middle.cut_ends, first, further),
        words.join(before.cut_rules, middle.cut_rules),
        middle.rule_names,
        normalized,
        new,
        before.vocabulary,
        object(),
    )


@dataclass(frozen=True, slots=True)
class _Splice:
    """Rows that are put in place of others: the first ``count`` of new ones, for those from ``head`` to ``tail``."""

    head: int
    tail: int
    count: int

    @property
    def doubled(self) -> _Splice:
        """The same for columns with two numbers a row."""
        return _Splice(2 * self.head, 2 * self.tail, 2 * self.count)

    def join(
        self, old: ChunkedColumn, made: ChunkedColumn, offset: int = 0, further: int = 0
    ) -> ChunkedColumn:
        """Returns a column; ``offset`` is added to what is put in, ``further`` to what follows it."""
        return old.spliced(self.head, self.tail, made[: self.count], offset, further)


def _columns(encoding: ChunkedEncoding) -> NormalizedColumns:
    """Returns the columns of a text that may be the original itself."""
    return encoding.normalized or of_unchanged(encoding)
