"""A column of numbers in chunks, so that an edit of a long text copies none of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Final, Literal, overload

import numpy as np
import numpy.typing as npt

from tokenarium.models.text.packed_rows import RisingRows, Rows, memory_of

Chunk = tuple[Rows, int]
"""Some rows, perhaps in fewer bits than the type of the column has, and the number that is to be added to each."""

FEW: Final = 64
"""Chunks that no column is too short for: more are joined where they are small."""

SMALL: Final = 1 << 15
"""Rows that two neighbouring chunks have at least, once they are joined."""


class ChunkedColumn:
    """Arrays one after the other, each with a number that is added to its rows; none of them ever changes.

    Rows are looked up as in an array: ``column[row]``, ``column[first:last]`` (a copy, unless it is in one chunk), and
    `numpy.asarray` for all of them.

    >>> column = ChunkedColumn([(np.array([0, 3, 5, 9]), 0)]).spliced(1, 2, np.array([1, 2]), 0, 10)
    >>> column[:].tolist(), column[-1], len(column)
    ([0, 1, 2, 15, 19], 19, 5)
    """

    __slots__ = ("_added", "_arrays", "_stops", "dtype")

    def __init__(self, chunks: Iterable[Chunk], dtype: npt.DTypeLike = np.int32) -> None:
        filled = [chunk for chunk in chunks if len(chunk[0])]
        if (
            len(filled) > FEW
            and len(filled) > FEW + 2 * sum(len(rows) for rows, _ in filled) // SMALL
        ):
            filled = _joined(filled, np.dtype(dtype))
        self._arrays = [rows for rows, _ in filled]
        self._added = [added for _, added in filled]
        self._stops = list(accumulate(map(len, self._arrays)))
        self.dtype = np.dtype(dtype)

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0

    @overload
    def __getitem__(self, rows: int) -> int: ...
    @overload
    def __getitem__(self, rows: slice) -> npt.NDArray[Any]: ...
    def __getitem__(self, rows: int | slice) -> int | npt.NDArray[Any]:
        if isinstance(rows, slice):
            first, last, step = rows.indices(len(self))
            return _one_array(self._between(first, last), self.dtype)[::step]
        row = rows + len(self) if rows < 0 else rows
        chunk = bisect_right(self._stops, row)
        begin = self._stops[chunk - 1] if chunk else 0
        return int(self._arrays[chunk][row - begin]) + self._added[chunk]

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return self[:].astype(dtype or self.dtype, copy=bool(copy))

    def tolist(self) -> list[int]:
        """Returns all rows as numbers of Python's."""
        rows: list[int] = self[:].tolist()
        return rows

    @classmethod
    def of(
        cls, rows: npt.ArrayLike | ChunkedColumn, dtype: npt.DTypeLike = np.int32
    ) -> ChunkedColumn:
        """Returns a column with these rows: without a copy, where they have this type."""
        if isinstance(rows, ChunkedColumn):
            return rows
        return cls([(np.asarray(rows, dtype), 0)], dtype)

    @classmethod
    def chain(cls, columns: Sequence[ChunkedColumn]) -> ChunkedColumn:
        """Returns the rows of some columns of one type one after the other, without a copy."""
        chunks = [chunk for column in columns for chunk in column._between(0, len(column))]
        return cls(chunks, columns[0].dtype)

    def moved(self, by: int) -> ChunkedColumn:
        """Returns the rows with a number added to each, without a copy."""
        return self.spliced(0, 0, np.empty(0, self.dtype), 0, by)

    def part(self, first: int, last: int) -> ChunkedColumn:
        """Returns some of the rows, without a copy."""
        return ChunkedColumn(self._between(first, last), self.dtype)

    def spliced(
        self, head: int, tail: int, rows: npt.NDArray[Any], offset: int, further: int
    ) -> ChunkedColumn:
        """Returns the column with other rows in place of those from ``head`` to ``tail``.

        ``offset`` is added to the new rows, and ``further`` to those that follow them.
        """
        after = [(old, added + further) for old, added in self._between(tail, len(self))]
        return ChunkedColumn([*self._between(0, head), (rows, offset), *after], self.dtype)

    def around(self, before: Sequence[int], after: Sequence[int]) -> ChunkedColumn:
        """Returns the column with a few rows before and after it."""
        ends = [(np.array(rows, self.dtype), 0) for rows in (before, after)]
        return ChunkedColumn([ends[0], *self._between(0, len(self)), ends[1]], self.dtype)

    def row_of(self, value: float, side: Literal["left", "right"] = "left") -> int:
        """Returns what `numpy.searchsorted` gives for a column that never falls."""
        arrays, added = self._arrays, self._added
        low, high = 0, len(arrays)
        while low < high:  # for the first chunk that ends with, or after, the value
            chunk = (low + high) // 2
            last = int(arrays[chunk][-1]) + added[chunk]
            if last < value or (side == "right" and last == value):
                low = chunk + 1
            else:
                high = chunk
        if low == len(arrays):
            return len(self)
        begin = self._stops[low - 1] if low else 0
        return begin + _row_in_array(arrays[low], value - added[low], side)

    def rows_of(
        self, values: npt.NDArray[Any], side: Literal["left", "right"] = "left"
    ) -> npt.NDArray[np.int32]:
        """Returns `row_of` of each value."""
        if not self._arrays:
            return np.zeros(values.shape, np.int32)
        if len(self._arrays) == 1:
            moved = (values - self._added[0]).astype(self.dtype)
            return np.searchsorted(_array(self._arrays[0]), moved, side).astype(np.int32)
        lasts = np.array(
            [int(rows[-1]) + added for rows, added in self._between(0, len(self))], self.dtype
        )
        chunks = np.minimum(np.searchsorted(lasts, values, side), len(lasts) - 1)
        found = np.empty(values.shape, np.int32)
        for chunk in _occurring(chunks):
            some = chunks == chunk
            moved = (values[some] - self._added[chunk]).astype(self.dtype)
            begin = self._stops[chunk] - len(self._arrays[chunk])
            found[some] = np.searchsorted(_array(self._arrays[chunk]), moved, side) + begin
        return found

    def take(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns the values in some rows, which are not negative."""
        if len(self._arrays) == 1:
            only: npt.NDArray[Any] = _array(self._arrays[0])[rows] + self.dtype.type(self._added[0])
            return only.astype(self.dtype, copy=False)
        chunks = np.searchsorted(self._stops, rows, "right")
        taken = np.empty(rows.shape, self.dtype)
        for chunk in _occurring(chunks):
            some = chunks == chunk
            begin = self._stops[chunk] - len(self._arrays[chunk])
            taken[some] = _array(self._arrays[chunk])[rows[some] - begin]
            taken[some] += self.dtype.type(self._added[chunk])
        return taken

    def _between(self, first: int, last: int) -> list[Chunk]:
        """The chunks of some rows."""
        if first >= last:
            return []
        chunks: list[Chunk] = []
        for at in range(bisect_right(self._stops, first), len(self._stops)):
            begin = self._stops[at - 1] if at else 0
            if begin >= last:
                break
            chunks.append((self._arrays[at][max(first - begin, 0) : last - begin], self._added[at]))
        return chunks


def _occurring(chunks: npt.NDArray[np.intp]) -> list[int]:
    """Returns the numbers that occur, sorted; `numpy.unique` needs ten times as long for a few."""
    found: list[int] = np.flatnonzero(np.bincount(chunks.ravel())).tolist()
    return found


def memory_of_columns(columns: Iterable[ChunkedColumn]) -> int:
    """Returns how many bytes of memory some columns need; what several have in common counts once."""
    arrays: dict[int, int] = {}
    for column in columns:
        for rows in column._arrays:
            arrays |= memory_of(rows)
    return sum(arrays.values())


def _array(rows: Rows) -> npt.NDArray[Any]:
    return rows if isinstance(rows, np.ndarray) else np.asarray(rows)


def _row_in_array(rows: Rows, value: float, side: Literal["left", "right"]) -> int:
    if isinstance(rows, RisingRows):
        return rows.row_of(value, side)
    return bisect_left(rows, value) if side == "left" else bisect_right(rows, value)


def _joined(chunks: list[Chunk], dtype: np.dtype[Any]) -> list[Chunk]:
    """Returns the same rows in fewer chunks: no two neighbours have less than `SMALL` rows."""
    groups: list[list[Chunk]] = []
    rows = SMALL
    for chunk in chunks:
        if rows + len(chunk[0]) >= SMALL:
            groups.append([])
            rows = 0
        groups[-1].append(chunk)
        rows += len(chunk[0])
    return [group[0] if len(group) == 1 else (_one_array(group, dtype), 0) for group in groups]


def _one_array(chunks: list[Chunk], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    moved = [
        array + dtype.type(added) if added else array.astype(dtype, copy=False)
        for array, added in ((_array(rows), added) for rows, added in chunks)
    ]
    if len(moved) == 1:
        return moved[0].astype(dtype, copy=False)
    return np.concatenate(moved, dtype=dtype) if moved else np.empty(0, dtype)
