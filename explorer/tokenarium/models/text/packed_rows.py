"""Rows of a column in few bits: places that never fall in about one bit for each byte of the text, ids in three bytes.

They are read as arrays are: a row, a part without a copy, and all of them by `numpy.asarray`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, final, overload

import numpy as np
import numpy.typing as npt

BLOCK: Final = 64
"""Bytes of bits: for each such block it is kept how many are set before it."""

WINDOW: Final = 8
"""Blocks that are unpacked together where few rows are asked for: some lines of a text."""

KEPT_WINDOWS: Final = 4
"""Of these, so many are kept unpacked."""

_ONES: Final = np.array([number.bit_count() for number in range(256)], np.uint8)

IntArray = npt.NDArray[np.int32]


class _Packed:
    """What both kinds have in common: a part of rows, from ``first`` to ``last``."""

    __slots__ = ("first", "last")
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    @overload
    def __getitem__(self, rows: int) -> int: ...
    @overload
    def __getitem__(self, rows: slice) -> Self: ...
    def __getitem__(self, rows: int | slice) -> int | Self:
        if isinstance(rows, slice):
            first, last, _ = rows.indices(len(self))
            return self._part(self.first + first, self.first + max(first, last))
        row = self.first + rows if rows >= 0 else self.last + rows
        if not self.first <= row < self.last:
            raise IndexError(f"row {rows} of {len(self)}")
        return int(self._values(row, row + 1)[0])

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> IntArray:
        return self._values(self.first, self.last).astype(dtype or np.int32, copy=False)

    def _part(self, first: int, last: int) -> Self:
        raise NotImplementedError

    def _values(self, first: int, last: int) -> IntArray:
        raise NotImplementedError


@final
class _Bits:
    """The bits of `RisingRows`, which its parts share, and the numbers of the blocks that were asked for last."""

    __slots__ = ("_windows", "bits", "origin", "ranks")

    def __init__(self, bits: npt.NDArray[np.uint8], ranks: IntArray, origin: int) -> None:
        self.bits, self.ranks, self.origin = bits, ranks, origin
        self._windows: dict[int, IntArray] = {}

    def values(self, first: int, last: int) -> IntArray:
        """Returns the numbers of some rows."""
        ranks = self.ranks
        begin = int(ranks.searchsorted(np.int32(first), "right")) - 1
        if last == first + 1 or last <= ranks[begin + 1]:
            end = begin + 1
        else:
            end = int(ranks.searchsorted(np.int32(last), "left"))
        window = begin // WINDOW
        if end <= WINDOW * (window + 1):
            before = int(ranks[WINDOW * window])
            return self.window(window)[first - before : last - before]
        before = int(ranks[begin])
        return self.of_blocks(begin, end)[first - before : last - before]

    def window(self, number: int) -> IntArray:
        """Returns the numbers of all rows in `WINDOW` blocks; neighbours are asked for one after the other."""
        found = self._windows.get(number)
        if found is None:
            if len(self._windows) == KEPT_WINDOWS:
                self._windows.clear()
            end = min(WINDOW * (number + 1), len(self.ranks) - 1)
            found = self._windows[number] = self.of_blocks(WINDOW * number, end)
            found.flags.writeable = False
        return found

    def of_blocks(self, begin: int, end: int) -> IntArray:
        """Returns the numbers of all rows in some blocks."""
        bits = np.unpackbits(self.bits[begin * BLOCK : end * BLOCK], bitorder="little")
        places = np.flatnonzero(bits.view(np.bool_)).astype(np.int32)
        zeros = self.origin + 8 * BLOCK * begin - int(self.ranks[begin])
        places -= np.arange(-zeros, len(places) - zeros, dtype=np.int32)
        return places

    def row_of(self, least: int) -> int:
        """Returns the first row with a number that is not less."""
        wanted, ranks = least - self.origin, self.ranks
        low, high = 0, len(ranks) - 1
        while low < high:  # for the first block after which there are as many zeros
            block = (low + high) // 2
            if 8 * BLOCK * (block + 1) - int(ranks[block + 1]) < wanted:
                low = block + 1
            else:
                high = block
        if low == len(ranks) - 1:
            return int(ranks[low])
        window = low // WINDOW
        found = self.window(window).searchsorted(np.int32(least), "left")
        return int(ranks[WINDOW * window]) + int(found)


@final
class RisingRows(_Packed):
    """Numbers that never fall: for each row a bit that is set, after a zero for each step from the number before it.

    >>> rows = RisingRows.of(np.array([7, 7, 9, 20], np.int32))
    >>> np.asarray(rows[1:]).tolist(), rows[3], rows.row_of(8)
    ([7, 9, 20], 20, 2)
    """

    __slots__ = ("_bits",)

    def __init__(self, bits: _Bits, first: int, last: int) -> None:
        self._bits, self.first, self.last = bits, first, last

    @classmethod
    def of(cls, rows: IntArray) -> RisingRows:
        """Returns the same rows, of which there are some, and which never fall."""
        origin, size = int(rows[0]), int(rows[-1]) - int(rows[0]) + len(rows)
        places = np.arange(-origin, len(rows) - origin, dtype=np.int32)
        places += rows
        whole = 8 * BLOCK
        flags = np.zeros((size + whole - 1) // whole * whole, np.bool_)
        flags[places] = True
        bits = np.packbits(flags, bitorder="little")
        counts = _ONES[bits].reshape(-1, BLOCK).sum(axis=1, dtype=np.int32)
        ranks = np.zeros(len(counts) + 1, np.int32)
        np.cumsum(counts, out=ranks[1:])
        return cls(_Bits(bits, ranks, origin), 0, len(rows))

    @classmethod
    def of_arrays(
        cls, arrays: list[npt.NDArray[Any]], origin: int, first: int, last: int
    ) -> RisingRows:
        """Returns the rows from ``first`` to ``last`` in arrays that are those of others."""
        return cls(_Bits(arrays[1], arrays[0], origin), first, last)

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The memory: how many bits are set before each block, and the bits."""
        return self._bits.ranks, self._bits.bits

    @property
    def origin(self) -> int:
        """What is added to each number."""
        return self._bits.origin

    def _part(self, first: int, last: int) -> RisingRows:
        return RisingRows(self._bits, first, last)

    def _values(self, first: int, last: int) -> IntArray:
        return self._bits.values(first, last) if first < last else np.empty(0, np.int32)

    def row_of(self, value: float, side: Literal["left", "right"] = "left") -> int:
        """Returns what `numpy.searchsorted` gives."""
        row = self._bits.row_of(math.ceil(value) if side == "left" else math.floor(value) + 1)
        return min(max(row, self.first), self.last) - self.first


@final
class WideRows(_Packed):
    """Numbers below 2 ** 24, such as ids of large vocabularies: the two lower bytes of each, and the upper one."""

    __slots__ = ("lower", "upper")

    def __init__(
        self, lower: npt.NDArray[np.uint16], upper: npt.NDArray[np.uint8], first: int, last: int
    ) -> None:
        self.lower, self.upper = lower, upper
        self.first, self.last = first, last

    @classmethod
    def of(cls, rows: IntArray) -> WideRows:
        """Returns the same rows."""
        return cls(rows.astype(np.uint16), (rows >> 16).astype(np.uint8), 0, len(rows))

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The memory."""
        return self.lower, self.upper

    def _part(self, first: int, last: int) -> WideRows:
        return WideRows(self.lower, self.upper, first, last)

    def _values(self, first: int, last: int) -> IntArray:
        upper = self.upper[first:last].astype(np.int32) << 16
        return upper | self.lower[first:last]


Rows = npt.NDArray[Any] | RisingRows | WideRows
"""Rows of a column, packed or not."""


def packed_ids(rows: IntArray) -> Rows:
    """Returns the same numbers, which are not negative, in as few bytes as all of them need.

    >>> [
    ...     type(packed_ids(np.array(rows, np.int32))).__name__
    ...     for rows in ([], [65_535], [65_536], [1 << 24])
    ... ]
    ['ndarray', 'ndarray', 'WideRows', 'ndarray']
    """
    largest = int(rows.max(initial=0))
    if largest < 1 << 16:
        return rows.astype(np.uint16)
    return WideRows.of(rows) if largest < 1 << 24 else rows


def packed_rising(rows: IntArray) -> Rows:
    """Returns the same numbers in bits, if they never fall and that needs less than half the memory."""
    count = len(rows)
    if not count or int(rows[-1]) - int(rows[0]) + 8 * BLOCK > 15 * count:
        return rows
    return RisingRows.of(rows) if (rows[1:] >= rows[:-1]).all() else rows


def memory_of(rows: Rows) -> dict[int, int]:
    """Returns how many bytes each array has that some rows are in, by its identity: packed parts share theirs."""
    arrays = (rows,) if isinstance(rows, np.ndarray) else rows.arrays
    return {id(array): array.nbytes for array in arrays}


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows are made of the arrays that are sent: see `taken_apart`.

    ``kind``: "", "rising" or "wide". ``arrays``: the type and the length of each.
    """

    kind: Literal["", "rising", "wide"]
    origin: int
    first: int
    last: int
    arrays: tuple[tuple[str, int], ...]

    def of(self, arrays: list[npt.NDArray[Any]]) -> Rows:
        """Returns the rows that are in some arrays, without a copy."""
        if self.kind == "rising":
            return RisingRows.of_arrays(arrays, self.origin, self.first, self.last)
        if self.kind == "wide":
            return WideRows(arrays[0], arrays[1], self.first, self.last)
        return arrays[0]


def taken_apart(rows: Rows) -> tuple[Layout, tuple[npt.NDArray[Any], ...]]:
    """Returns how rows are made of arrays, and those."""
    if isinstance(rows, np.ndarray):
        return Layout("", 0, 0, len(rows), ((rows.dtype.str, len(rows)),)), (rows,)
    kind: Literal["rising", "wide"] = "rising" if isinstance(rows, RisingRows) else "wide"
    origin = rows.origin if isinstance(rows, RisingRows) else 0
    shapes = tuple((array.dtype.str, len(array)) for array in rows.arrays)
    return Layout(kind, origin, rows.first, rows.last, shapes), rows.arrays
