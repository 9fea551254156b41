"""Packed columns that grow, and the ids of a text, gathered into a list or a buffer."""

from __future__ import annotations

import copyreg
from typing import Any, Final, TypeAlias, cast, final

from librt.strings import read_i32_le, read_i64_le
from librt.vecs import extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import ArgumentError

Int32s: TypeAlias = "vec[i32]"  # quoted, since i32 is int once it runs
"""A packed column of int32, a buffer that numpy reads without a copy: ``np.asarray(column)``, ``list(column)``."""

Int64s: TypeAlias = "vec[i64]"
"""The same of int64."""

MOST_ROWS: Final = 1 << 31
"""The most rows of a column: its indices are 32-bit numbers."""

_FEW: Final = 4096  # ids in all lists before their objects are kept


def check_rows(count: i64) -> None:
    """Raises ArgumentError for more rows than a column can have: memory is allocated without a further check."""
    if count < 0 or count > MOST_ROWS:
        raise ArgumentError(f"A column has 0 to {MOST_ROWS:,} rows, not {count:,}.")


def grown(old: vec[i32], used: i64, needed: i64) -> vec[i32]:
    """Returns a larger array that begins with ``old[:used]`` and has room for ``needed``."""
    room: i64 = len(old) * 2
    return resized(old, used, max(needed, room))


def resized(old: vec[i32], used: i64, size: i64) -> vec[i32]:
    """Returns an array of ``size`` that begins with ``old[:used]``, the rest zeros."""
    larger = vec[i32]([0] * size)
    k: i64 = 0
    while k < used:
        larger[k] = old[k]
        k += 1
    return larger


def doubled(old: vec[i32]) -> vec[i32]:
    """Returns an array twice as long that begins with all of ``old``."""
    return grown(old, len(old), 0)


@final
class GatheredIds:
    """Collects the ids of a text: `begin`, any number of `add`, `finish_list` or `finish_buffer`.

    Most of the time and memory for a new list would go into its integer objects. So each id has one
    object, created when it first occurs, that all lists share. There are up to ``size`` of them. The objects of
    frequent ids are thus consecutive in memory; those of all ids, made at once, cost pages of memory that
    most texts never need.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._numbers: list[object] = []
        self._made = vec[u8]()  # 1 for the ids that have an object
        self._few: i64 = _FEW
        self._buffer = vec[i32]()

    def begin(self) -> None:
        """Starts a text."""
        if len(self._buffer):  # of a text that was not finished
            self._buffer = vec[i32]()

    def add(self, ids: vec[i32], count: i64, done: i64, size: i64) -> None:
        """Adds ``ids[:count]``; ``done`` of ``size`` bytes are then encoded."""
        if len(self._buffer) == 0:
            # Room for as many for the rest, and some more: so it is seldom copied to a larger place.
            room: i64 = count * size // done * 17 // 16 if done > 0 else count
            self._buffer = vec[i32](capacity=room)
        self._buffer = extend(self._buffer, ids[:count])

    def finish_buffer(self, ids: vec[i32], count: i64) -> vec[i32]:
        """Returns all ids as a buffer; the last ones are ``ids[:count]``."""
        column = ids[:count]
        if len(self._buffer):
            column = extend(self._buffer, column)
            self._buffer = vec[i32]()
        return column

    def finish_list(self, ids: vec[i32], count: i64) -> list[int]:
        """Returns all ids as a list; the last ones are ``ids[:count]``."""
        column = self.finish_buffer(ids, count)
        self._few -= len(column)
        if self._few >= 0:
            return [i64(token) for token in column]
        self._make_room()
        numbers = self._numbers
        made = self._made
        for item in column:
            token = i64(item)
            if made[token] == 0:
                numbers[token] = token
                made[token] = 1
        return cast("list[int]", [numbers[i64(item)] for item in column])

    def lists(self, ids: bytes, lengths: bytes) -> list[list[int]]:
        """Returns lists of ids: all ids one after another as int32, and how many each list has as int64."""
        self._make_room()
        numbers = self._numbers
        made = self._made
        lists: list[list[int]] = []
        at: i64 = 0
        for k in range(len(lengths) // 8):
            count = read_i64_le(lengths, 8 * k)
            one: list[object] = [None] * count
            for place in range(count):
                token = i64(read_i32_le(ids, at))
                if made[token] == 0:
                    numbers[token] = token
                    made[token] = 1
                one[place] = numbers[token]
                at += 4
            lists.append(cast("list[int]", one))
        return lists

    def _make_room(self) -> None:
        if not self._numbers:
            self._numbers = [None] * self._size
            self._made = vec[u8]([0] * self._size)


# Columns are pickled as their bytes, so that all objects that have some can be: an `Encoding`, a `Vocabulary`.


def column_of(code: str, content: bytes) -> Any:
    """Returns the column of some bytes in the machine's order, whose rows have this code of the module struct."""
    rows: Any = memoryview(content).cast(code)  # type: ignore[call-overload]
    if code == "i":
        return vec[i32](rows)
    if code == "q":
        return vec[i64](rows)
    return vec[float](rows) if code == "d" else vec[u8](rows)


def _pickled_i32s(column: vec[i32]) -> tuple[Any, tuple[str, bytes]]:
    return column_of, ("i", bytes(memoryview(column)))


def _pickled_i64s(column: vec[i64]) -> tuple[Any, tuple[str, bytes]]:
    return column_of, ("q", bytes(memoryview(column)))


def _pickled_floats(column: vec[float]) -> tuple[Any, tuple[str, bytes]]:
    return column_of, ("d", bytes(memoryview(column)))


def _pickled_u8s(column: vec[u8]) -> tuple[Any, tuple[str, bytes]]:
    return column_of, ("B", bytes(memoryview(column)))


copyreg.pickle(type(vec[i32]()), _pickled_i32s)
copyreg.pickle(type(vec[i64]()), _pickled_i64s)
copyreg.pickle(type(vec[float]()), _pickled_floats)
copyreg.pickle(type(vec[u8]()), _pickled_u8s)
