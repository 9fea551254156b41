"""Maps between the bytes, code points, UTF-16 units and graphemes of one text.

Tokenizers count UTF-8 bytes, Qt counts UTF-16 units, Python counts code points, and readers count
graphemes. A ``TextMap`` turns any of them into another, for one position or for a whole array.

    >>> m = TextMap("a😀b")
    >>> m.byte_to_utf16([0, 1, 2, 5, 6]).tolist()  # byte 2 is inside the emoji
    [0, 1, 1, 3, 4]
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from tokenarium.models.text.character_places import CharacterPlaces, find_places, places_of
from tokenarium.models.text.chunked_column import ChunkedColumn
from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium_core.padded_text import ZEROS, padded

IntArray = npt.NDArray[np.int32]
Bytes = bytes  # the name means an array inside `TextMap`

_HALF = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
"""Half of a surrogate pair, as ``surrogatepass`` writes it; nothing else has these bytes."""

_HALVES = re.compile("[\\ud800-\\udbff][\\udc00-\\udfff]")

STRETCH = 1 << 20
"""Bytes or characters that are processed at once: a millisecond or two."""


CARRIED = 1 << 16
"""Characters: the tables of a shorter text are made again after an edit."""

MOST_EDITS = 32
"""Edits that a map remembers, for what is still made of an earlier one."""


@dataclass(frozen=True, slots=True)
class _Edit:
    """Which bytes of a version of a text were replaced, and how many more there are in their place."""

    version: object
    start: int
    stop: int
    growth: int


class TextMap:
    """Maps between the byte, UTF-16 and code point positions of ``text``.

    Byte offsets run from 0 to ``byte_count`` inclusive, the others likewise. Tables are built
    in vectorised passes at their first use, or earlier by `prepare`; pure ASCII needs none. A lone
    surrogate, which UTF-8 cannot write, counts three bytes.
    """

    def __init__(self, text: str, utf8: Bytes | None = None) -> None:
        """``utf8`` are the bytes of the text if they are known."""
        self.has_halves = False
        """Whether there are halves of surrogate pairs, of which tokenizers join those that belong together."""
        if utf8 is None:
            try:
                utf8 = text.encode()
            except UnicodeEncodeError:
                utf8 = text.encode("utf-8", "surrogatepass")
                self.has_halves = True
        self.text, self.utf8 = text, utf8
        self._describe(ChunkedColumn.of(np.frombuffer(utf8, np.uint8), np.uint8), len(text))

    def _describe(self, data: ChunkedColumn, char_count: int) -> None:
        self.data = data
        """The bytes of the text, of which an edit copies none; `utf8` joins them."""
        self.char_count = char_count
        self.byte_count = len(data)
        self.parent: weakref.ref[TextMap] | None = None  # what an edit made this of
        self._version = object()
        self._edits: tuple[_Edit, ...] = ()  # those that led here, the last one at the end

    @classmethod
    def of_pieces(cls, pieces: list[Bytes], char_count: int) -> TextMap:
        """Returns the map of a text in pieces of UTF-8, as it is read from a file."""
        made = cls.__new__(cls)
        made.has_halves = False
        chunks = [(np.frombuffer(piece, np.uint8), 0) for piece in pieces]
        made._describe(ChunkedColumn(chunks, np.uint8), char_count)
        return made

    @cached_property
    def text(self) -> str:
        """The text. After an edit of a long one it is decoded at the first use: `part` needs less."""
        return self.utf8.decode()

    @cached_property
    def utf8(self) -> Bytes:
        """The bytes of the text, joined at the first use after an edit of a long one: `utf8_of` needs less."""
        return self.data[:].tobytes()

    def is_map_of(self, text: str) -> bool:
        """Whether the map was made of this very string."""
        return self.__dict__.get("text") is text

    def has_text_of(self, other: TextMap) -> bool:
        """Whether the texts are equal."""
        if self is other or self.byte_count != other.byte_count:
            return self is other
        parts = range(0, self.byte_count, STRETCH)
        return all(
            np.array_equal(self.data[at : at + STRETCH], other.data[at : at + STRETCH])
            for at in parts
        )

    def edited(self, text: str) -> TextMap:
        """Returns the map of another text, of which only a part differs; see `replaced`."""
        if self.char_count < CARRIED or self.has_halves:
            return TextMap(text)
        first, last, end = _edit(self.text, text)
        made = self.replaced(first, last, text[first:end])
        made.text = text
        return made

    def replaced(self, first: int, last: int, characters: str) -> TextMap:
        """Returns the map of the text with other characters in place of those from ``first`` to ``last``.

        The tables of a large text are shared, not made again. ``occurring`` then keeps bytes that the edit removed.
        """
        plain = self.char_count < CARRIED or self.has_halves
        try:
            piece = TextMap(characters, characters.encode())
        except UnicodeEncodeError:
            plain = True
        if plain:
            return TextMap(self.part(0, first) + characters + self.part(last, self.char_count))
        start, stop = self.char_to_byte([first, last]).tolist()
        grown = piece.byte_count - (stop - start)
        inside = np.frombuffer(piece.utf8, np.uint8)
        made = TextMap.__new__(TextMap)
        made.has_halves = False
        made._describe(
            self.data.spliced(start, stop, inside, 0, 0),
            self.char_count + len(characters) - (last - first),
        )
        made.parent = weakref.ref(self)
        made._edits = (*self._edits[1 - MOST_EDITS :], _Edit(self._version, start, stop, grown))
        made.occurring = self.occurring | piece.occurring
        feeds = self.part(first, last).count("\n")
        made.line_feeds = self.line_feeds - feeds + piece.line_feeds
        if not self.is_ascii and not made.is_ascii:
            made._places = self._places.replaced(
                made.data, (start, stop), (first, last), piece.utf8
            )
        return made

    def edit_since(self, older: TextMap) -> tuple[int, int] | None:
        """Returns which bytes of ``older``, first and one past the last, were replaced, if edits of it led here."""
        first = last = grown = 0
        found = False
        for edit in self._edits:
            if edit.version is older._version:
                first, last, found = edit.start, edit.stop, True
                grown = edit.growth
            elif found:
                first = min(first, edit.start)
                last = max(last + grown, edit.stop) - grown
                grown += edit.growth
        return (first, last) if found else None

    def part(self, first: int, last: int) -> str:
        """Returns the characters from ``first`` to ``last``."""
        if "text" in self.__dict__:
            return self.text[first:last]
        first, last = min(first, self.char_count), min(last, self.char_count)
        start, stop = self.char_to_byte([first, max(first, last)]).tolist()
        return self.string(start, stop)

    def string(self, start: int, end: int) -> str:
        """Returns the characters from byte ``start`` to byte ``end``, both between characters."""
        return self.utf8_of(start, end).decode("utf-8", "surrogatepass")

    def utf8_of(self, start: int, end: int) -> Bytes:
        """Returns the bytes from ``start`` to ``end``."""
        return self.data[start:end].tobytes()

    @cached_property
    def line_feeds(self) -> int:
        """How many line feeds the text has."""
        return self.text.count("\n")

    @cached_property
    def bytes(self) -> npt.NDArray[np.uint8]:
        """The UTF-8 bytes as an array (read only)."""
        return np.frombuffer(self.utf8, dtype=np.uint8)

    @cached_property
    def read_utf8(self) -> Bytes:
        """``utf8`` as tokenizers read it: with U+FFFD, which has as many bytes, for each half of a surrogate pair."""
        if not self.has_halves:
            return self.utf8
        return _HALF.sub("\N{REPLACEMENT CHARACTER}".encode(), self.utf8)

    def halves(self, start: int, end: int) -> int:
        """How many halves of surrogate pairs are in the bytes ``start`` … ``end``."""
        return len(_HALF.findall(self.utf8, start, end)) if self.has_halves else 0

    @cached_property
    def padded(self) -> Bytes:
        """The text in the form for tokenizers: see `tokenarium_core.padded_text.padded`."""
        return self._pad()

    def _pad(self) -> Bytes:
        return padded(self.text) if self.has_halves else self.utf8 + ZEROS

    def prepare(self) -> Iterator[float]:
        """Builds all tables in slices; yields after each how much is done, up to 1."""
        counts = np.zeros(256, dtype=np.int64)
        for done in self._count_bytes(counts):
            yield 0.2 * done
        self.occurring, self.line_feeds = counts > 0, int(counts[0x0A])
        if not self.is_ascii:
            finding = find_places(self.data, STRETCH)
            while "_places" not in self.__dict__:
                try:
                    yield 0.2 + 0.8 * next(finding)
                except StopIteration as end:
                    self._places = end.value
        yield 1.0

    @property
    def is_ascii(self) -> bool:
        """Whether byte, UTF-16 and code point positions are all the same."""
        return self.byte_count == self.char_count

    @property
    def utf16_count(self) -> int:
        """The number of UTF-16 units."""
        return self._places.unit_count if self._wide else self.char_count

    @cached_property
    def occurring(self) -> npt.NDArray[np.bool_]:
        """For each byte value, whether the text has it."""
        counts = np.zeros(256, dtype=np.int64)
        _finish(self._count_bytes(counts))
        return counts > 0

    def _count_bytes(self, counts: npt.NDArray[np.int64]) -> Iterator[float]:
        for at in range(0, self.byte_count, STRETCH):
            counts += np.bincount(self.data[at : at + STRETCH], minlength=256)
            yield at / self.byte_count

    @cached_property
    def _places(self) -> CharacterPlaces:
        """Where the characters are; texts of ASCII alone need none."""
        return places_of(self.data)

    @property
    def _wide(self) -> bool:
        """Whether any character takes two UTF-16 units."""
        return not self.is_ascii and bool(self.occurring[0xF0:].any())

    def byte_to_char(self, offsets: npt.ArrayLike) -> IntArray:
        """The code points at byte ``offsets``; a byte inside a character gives that character."""
        at = np.asarray(offsets, dtype=np.int32)
        return at if self.is_ascii else self._places.chars_at_bytes(at)

    def char_to_byte(self, positions: npt.ArrayLike) -> IntArray:
        """The byte offsets at which code points start."""
        at = np.asarray(positions, dtype=np.int32)
        return at if self.is_ascii else self._places.bytes_at_chars(at)

    def byte_to_utf16(self, offsets: npt.ArrayLike) -> IntArray:
        """The UTF-16 positions of byte ``offsets``; inside a character, the start of it."""
        if not self._wide:
            return self.byte_to_char(offsets)
        return self._places.units_at_bytes(np.asarray(offsets, dtype=np.int32))

    def utf16_to_byte(self, positions: npt.ArrayLike) -> IntArray:
        """The byte offsets of UTF-16 positions; between two surrogates, the start of the pair."""
        return self.char_to_byte(self.utf16_to_char(positions))

    def utf16_to_char(self, positions: npt.ArrayLike) -> IntArray:
        """The code points at UTF-16 positions; between two surrogates, that of the pair."""
        at = np.asarray(positions, dtype=np.int32)
        return self._places.chars_at_units(at) if self._wide else at

    def char_to_utf16(self, positions: npt.ArrayLike) -> IntArray:
        """The UTF-16 positions of code points."""
        at = np.asarray(positions, dtype=np.int32)
        return self._places.units_at_chars(at) if self._wide else at

    def inside_character(self, offsets: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether each byte offset is inside a character, where no text can be cut."""
        at = np.asarray(offsets, dtype=np.int32)
        if self.is_ascii:
            return np.zeros(at.shape, dtype=np.bool_)
        inner = (self.data.take(np.minimum(at, self.byte_count - 1)) & 0xC0) == 0x80
        return np.asarray(inner & (at < self.byte_count), dtype=np.bool_)

    def characters(self, start: int, end: int) -> tuple[int, int]:
        """The byte span of the whole characters that the bytes from ``start`` to ``end`` touch."""
        if start < end:
            while start > 0 and self.data[start] & 0xC0 == 0x80:
                start -= 1
            while end < self.byte_count and self.data[end] & 0xC0 == 0x80:
                end += 1
        return start, end

    def slice(self, start: int, end: int) -> str:
        """The text from byte ``start`` to byte ``end``; cut characters become U+FFFD."""
        return self.utf8_of(start, end).decode("utf-8", "replace")

    def grapheme_edges(self, start: int, end: int) -> IntArray:
        """The byte offsets at which graphemes begin and end, from ``start`` to ``end`` inclusive.

        ``start`` and ``end`` count as edges: give the span of a line. This steps through the span one
        grapheme at a time, so don't ask for a megabyte.
        """
        piece = self.string(start, end)
        inner = self if (start, end) == (0, self.byte_count) else TextMap(piece)
        return inner.char_to_byte([0, *grapheme_ends(piece)]) + np.int32(start)


def joined_halves(text: str) -> str:
    """Returns a text in which the halves of a surrogate pair are one character, as tokenizers join them; single ones are left.

    >>> joined_halves("\\ud83d\\ude00"), joined_halves("\\ude00")
    ('😀', '\\ude00')
    """
    if text.isascii() or not _HALVES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def half_at(data: bytes) -> int:
    """Returns where the first half of a surrogate pair begins, or -1."""
    match = _HALF.search(data) if b"\xed" in data else None
    return -1 if match is None else match.start()


def _edit(old: str, new: str) -> tuple[int, int, int]:
    """Where two texts differ: the first character, and one past the last in the old and in the new text."""
    size = min(len(old), len(new))
    first = 0
    for reach in (1 << 16, 1 << 10, 1 << 4, 1):
        while first + reach <= size and old[first : first + reach] == new[first : first + reach]:
            first += reach
    last, end = len(old), len(new)
    for reach in (1 << 16, 1 << 10, 1 << 4, 1):
        while (
            min(last, end) - reach >= first and old[last - reach : last] == new[end - reach : end]
        ):
            last, end = last - reach, end - reach
    return first, last, end


def row_of(column: IntArray, offset: int, side: Literal["left", "right"] = "left") -> int:
    """Returns `numpy.searchsorted` of one offset. Given a number of Python's, numpy would copy the whole column to int64.

    >>> row_of(np.array([1, 4, 4], dtype=np.int32), 4, "right")
    3
    """
    return int(np.searchsorted(column, np.int32(offset), side))


def _finish(steps: Iterator[float]) -> None:
    for _ in steps:
        pass


def next_region(places: IntArray, span: tuple[int, int] | None, step: int) -> int:
    """Returns the row of the place after a span (1) or before it (-1), wrapping at the ends of the text.

    ``places`` (n × 2 byte offsets) are sorted and not empty. Without a span, it is the first or the last.

    >>> next_region(np.array([[0, 2], [5, 6]]), (0, 2), 1)
    1
    """
    start = span[0] if span is not None else -1
    if step > 0:
        index = row_of(places[:, 0], start, "right")
    else:
        index = row_of(places[:, 0], start) - 1
    return index % len(places)
