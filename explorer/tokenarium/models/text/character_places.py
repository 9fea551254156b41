"""Where the characters of a text are, in UTF-8 bytes and in UTF-16 units, with a few bytes of memory for each 64 of the
text: how many there are before some places is kept, and those between them are found when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from tokenarium.models.text.chunked_column import ChunkedColumn

IntArray = npt.NDArray[np.int32]

STEP: Final = 64
"""Bytes: in each such block of a text, the place of its first character is kept."""

WHOLE: Final = 1 << 16
"""Bytes of a text of which a table of all characters is kept."""

NEAR: Final = 64
"""Kept places between which positions are looked up in one table: some lines of a text."""

FEW: Final = 8
"""Positions that are looked up in such tables, however far they are from one another."""

GROUP: Final = 1 << 14
"""Kept places after which another table begins where there are many positions: about a megabyte."""


class _CharacterTable:
    """Characters one after the other, in some bytes of a text.

    ``begin``, ``first``, ``unit``: the byte, the character and the UTF-16 unit of the beginning. ``is_wide``: whether there
    may be characters of two units. The end counts as the beginning of a character.
    """

    def __init__(
        self, data: npt.NDArray[np.uint8], begin: int, first: int, unit: int, is_wide: bool
    ) -> None:
        self._data, self._begin, self._first, self._unit = data, begin, first, unit
        self._is_wide = is_wide
        # As signed numbers the bytes inside characters, 0x80 … 0xBF, are the ones below -64.
        self._is_start = data.view(np.int8) >= -64

    def chars_at_bytes(self, at: IntArray) -> IntArray:
        """The characters that bytes belong to."""
        size = len(self._data)
        inside = at - np.int32(self._begin)
        found: IntArray = self._counts[np.minimum(inside + np.int32(1), np.int32(size))]
        found += inside >= size
        found += np.int32(self._first - 1)
        return found

    def units_at_bytes(self, at: IntArray) -> IntArray:
        """The units at which the characters start that bytes belong to."""
        chars = self.chars_at_bytes(at)
        if not self._is_wide:
            return chars
        pairs = np.append(np.int32(-4), np.flatnonzero(self._data >= 0xF0).astype(np.int32))
        inside = at - np.int32(self._begin)
        before = pairs.searchsorted(inside, "right").astype(np.int32) - np.int32(1)
        before -= inside - pairs[before] < 4  # the last one is that of the byte itself
        return chars + before + np.int32(self._unit - self._first)

    def bytes_at_chars(self, at: IntArray) -> IntArray:
        """The bytes at which characters start."""
        starts: IntArray = self._starts[at - np.int32(self._first)]
        return starts + np.int32(self._begin)

    def chars_at_units(self, at: IntArray) -> IntArray:
        """The characters that units belong to."""
        found = self._units.searchsorted(at, "right").astype(np.int32)
        return found + np.int32(self._first - 1)

    def units_at_chars(self, at: IntArray) -> IntArray:
        """The units at which characters start."""
        units: IntArray = self._units[at - np.int32(self._first)]
        return units

    @cached_property
    def _counts(self) -> IntArray:
        """How many characters start before each byte."""
        counts = np.zeros(len(self._data) + 1, np.int32)
        np.cumsum(self._is_start, dtype=np.int32, out=counts[1:])
        return counts

    @cached_property
    def _starts(self) -> IntArray:
        starts = np.flatnonzero(self._is_start).astype(np.int32)
        return np.append(starts, np.int32(len(self._data)))

    @cached_property
    def _units(self) -> IntArray:
        units = np.ones(len(self._starts), np.int32)
        units[1:] += self._data[self._starts[:-1]] >= 0xF0
        units[0] = self._unit
        return np.cumsum(units, dtype=np.int32, out=units)


class CharacterPlaces:
    """Maps between bytes, characters and UTF-16 units of ``data``, for whole arrays of positions; see `find_places`.

    ``anchors``: the bytes, the characters and the units of the places that are kept, which rise; the first one is 0.
    The last two are the same column where no character has two units. ``counts``: the characters and units of the text.
    """

    def __init__(
        self,
        data: ChunkedColumn,
        anchors: tuple[ChunkedColumn, ChunkedColumn, ChunkedColumn],
        counts: tuple[int, int],
    ) -> None:
        self._data = data
        self._bytes, self._chars, self._units = anchors
        self._char_count, self.unit_count = counts
        self._tables: dict[int, _CharacterTable] = {}

    def chars_at_bytes(self, at: IntArray) -> IntArray:
        """Returns the characters that bytes belong to."""
        return self._looked_up(self._bytes, at, _CharacterTable.chars_at_bytes)

    def units_at_bytes(self, at: IntArray) -> IntArray:
        """Returns the UTF-16 units at which the characters start that bytes belong to."""
        return self._looked_up(self._bytes, at, _CharacterTable.units_at_bytes)

    def bytes_at_chars(self, at: IntArray) -> IntArray:
        """Returns the bytes at which characters start."""
        return self._looked_up(self._chars, at, _CharacterTable.bytes_at_chars)

    def chars_at_units(self, at: IntArray) -> IntArray:
        """Returns the characters that UTF-16 units belong to."""
        return self._looked_up(self._units, at, _CharacterTable.chars_at_units)

    def units_at_chars(self, at: IntArray) -> IntArray:
        """Returns the UTF-16 units at which characters start."""
        return self._looked_up(self._chars, at, _CharacterTable.units_at_chars)

    def replaced(
        self,
        data: ChunkedColumn,
        places: tuple[int, int],
        characters: tuple[int, int],
        piece: bytes,
    ) -> CharacterPlaces:
        """Returns the places in ``data``, the text with a piece instead of its bytes from one place to another.

        ``characters`` are the numbers of those at the two places.
        """
        column = ChunkedColumn([(np.frombuffer(piece, np.uint8), 0)], np.uint8)
        inner = places_of(column)
        units = self.units_at_chars(np.array(characters, np.int32)).tolist()
        head, tail = self._bytes.row_of(places[0]), self._bytes.row_of(places[1], "right")

        def spliced(
            old: ChunkedColumn, made: ChunkedColumn, span: tuple[int, int], size: int
        ) -> ChunkedColumn:
            # The end of the piece is kept, too: so no two places are further from each other than they were.
            rows = np.append(made[:], np.int32(size))
            return old.spliced(head, tail, rows, span[0], size - (span[1] - span[0]))

        chars = spliced(self._chars, inner._chars, characters, inner._char_count)
        wide = self._units is not self._chars or inner._units is not inner._chars
        return CharacterPlaces(
            data,
            (
                spliced(self._bytes, inner._bytes, places, len(piece)),
                chars,
                spliced(self._units, inner._units, (units[0], units[1]), inner.unit_count)
                if wide
                else chars,
            ),
            (
                self._char_count + inner._char_count - (characters[1] - characters[0]),
                self.unit_count + inner.unit_count - (units[1] - units[0]),
            ),
        )

    def _looked_up(
        self,
        column: ChunkedColumn,
        at: IntArray,
        answer: Callable[[_CharacterTable, IntArray], IntArray],
    ) -> IntArray:
        """What tables answer to positions, which ``column`` has for the places that are kept."""
        if len(self._data) <= WHOLE:
            return answer(self._whole, at)
        flat = at.reshape(-1)
        if not len(flat):
            return at
        if (
            len(flat) <= FEW
        ):  # as where a key was pressed: neighbours are asked for one after the other
            rows = np.array([max(column.row_of(one, "right") - 1, 0) for one in flat.tolist()])
            low, high = int(rows.min()) // NEAR, int(rows.max()) // NEAR
            if low == high:
                return answer(self._near(low), at)
        else:
            rows = np.maximum(column.rows_of(flat, "right") - 1, 0)
            low, high = int(rows.min()), int(rows.max())
            if high - low <= NEAR:
                return answer(self._table(low, high + 1), at)
        size = NEAR if len(flat) <= FEW else GROUP
        groups = rows // size
        found = np.empty(flat.shape, np.int32)
        for group in sorted(set(groups.tolist())):
            some = groups == group
            if size == NEAR:
                found[some] = answer(self._near(group), flat[some])
                continue
            low, high = int(rows[some].min()), int(rows[some].max())
            found[some] = answer(self._table(low, high + 1), flat[some])
        return found.reshape(at.shape)

    def _near(self, group: int) -> _CharacterTable:
        """The table of `NEAR` places, of which the last few are kept."""
        table = self._tables.get(group)
        if table is None:
            if len(self._tables) == FEW:
                self._tables.clear()
            last = min(NEAR * (group + 1), len(self._bytes))
            table = self._tables[group] = self._table(NEAR * group, last)
        return table

    @cached_property
    def _whole(self) -> _CharacterTable:
        return self._table(0, len(self._bytes))

    def _table(self, first: int, last: int) -> _CharacterTable:
        """The characters from one of the places that are kept to another, or to the end of the text."""
        if not len(self._bytes):
            return _CharacterTable(self._data[:], 0, 0, 0, False)
        begin = self._bytes[first]
        end = self._bytes[last] if last < len(self._bytes) else len(self._data)
        is_wide = self._units is not self._chars
        return _CharacterTable(
            self._data[begin:end], begin, self._chars[first], self._units[first], is_wide
        )


def find_places(data: ChunkedColumn, stretch: int) -> Generator[float, None, CharacterPlaces]:
    """Finds the places of characters in UTF-8 in slices of ``stretch`` bytes; yields how much is done, up to 1."""
    size = len(data)
    anchors: list[list[npt.NDArray[np.int32]]] = [[], [], []]
    chars = units = 0
    stretch = max(stretch // STEP, 1) * STEP
    for at in range(0, size, stretch):
        some = data[at : at + stretch]
        blocks = -(-len(some) // STEP)
        starts = np.zeros((blocks, STEP), np.bool_)
        starts.reshape(-1)[: len(some)] = some.view(np.int8) >= -64
        # A character has four bytes at most; the last block may have the end of one alone.
        first = starts[:, :4].argmax(axis=1).astype(np.int32)
        kept = blocks if starts[-1, first[-1]] else blocks - 1
        first += np.arange(at, at + blocks * STEP, STEP, dtype=np.int32)
        counts = np.count_nonzero(starts, axis=1)
        before = (np.cumsum(counts) - counts).astype(np.int32) + np.int32(chars)
        chars += int(counts.sum())
        anchors[0].append(first[:kept])
        anchors[1].append(before[:kept])
        pairs = some >= 0xF0
        if pairs.any() or units:
            starts.reshape(-1)[: len(some)] = pairs
            counts = np.count_nonzero(starts, axis=1)
            before = before + (np.cumsum(counts) - counts).astype(np.int32) + np.int32(units)
            units += int(counts.sum())
        anchors[2].append(before[:kept])
        yield at / size
    none = np.empty(0, np.int32)
    columns = [ChunkedColumn([(np.concatenate([none, *rows]), 0)]) for rows in anchors]
    return CharacterPlaces(
        data,
        (columns[0], columns[1], columns[2] if units else columns[1]),
        (chars, chars + units),
    )


def places_of(data: ChunkedColumn) -> CharacterPlaces:
    """Returns the places of characters in UTF-8."""
    steps = find_places(data, max(len(data), 1))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            places: CharacterPlaces = end.value
            return places
