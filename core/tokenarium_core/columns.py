"""Packed columns that grow, and the ids of a text, gathered into a list or a buffer."""

from __future__ import annotations

from typing import Final, cast, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import ArgumentError

MOST_ROWS: Final = 1 << 31
"""The most rows of a column: places in it are 32-bit numbers."""

_FEW: Final = 4096  # ids in all lists before their objects are kept
_MANY: Final = (
    65536  # ids of one list before the objects of all ids are made, so that none has to be checked
)


def check_rows(count: i64) -> None:
    """Raises ArgumentError for more rows than a column can have: the memory is then requested without a check."""
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
    """Puts the ids of a text together: `begin`, any number of `add`, `finish_list` or `finish_buffer`.

    Most of the time and memory of a new list would go into its integer objects. So each id has one
    object, made when it first comes up, that all lists share. There are up to ``size`` of them.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._numbers: list[object] = []
        self._few: i64 = _FEW
        self._made = False
        self._buffer = vec[i32]()

    def begin(self) -> None:
        """Begins a text."""
        if len(self._buffer):  # of a text that was not finished
            self._buffer = vec[i32]()

    def add(self, ids: vec[i32], count: i64, done: i64, size: i64) -> None:
        """Adds ``ids[:count]``, with which ``done`` bytes of ``size`` are encoded."""
        if len(self._buffer) == 0:
            # Room for as many for the rest, and some more: so it is seldom copied to a larger place.
            room: i64 = count * size // done * 17 // 16 if done > 0 else count
            self._buffer = vec[i32](capacity=room)
        self._buffer = extend(self._buffer, ids[:count])

    def finish_buffer(self, ids: vec[i32], count: i64) -> vec[i32]:
        """Returns all ids as a buffer; the last ones are ``ids[:count]``."""
        found = ids[:count]
        if len(self._buffer):
            found = extend(self._buffer, found)
            self._buffer = vec[i32]()
        return found

    def finish_list(self, ids: vec[i32], count: i64) -> list[int]:
        """Returns all ids as a list; the last ones are ``ids[:count]``."""
        found = self.finish_buffer(ids, count)
        self._few -= len(found)
        if self._few >= 0:
            return [i64(token) for token in found]
        numbers = self._numbers
        if not numbers:
            numbers = [None] * self._size
            self._numbers = numbers
        if len(found) >= _MANY and not self._made:
            self._make_all()
        if self._made:
            return cast("list[int]", [numbers[i64(token)] for token in found])
        return cast("list[int]", [_shared(numbers, i64(token)) for token in found])

    def _make_all(self) -> None:
        """Makes the objects that do not exist yet, one after the other in memory too."""
        self._made = True
        numbers = self._numbers
        for token in range(self._size):
            if numbers[token] is None:
                numbers[token] = token


def _shared(numbers: list[object], token: i64) -> object:
    """Returns the object of an id, and keeps it."""
    number = numbers[token]
    if number is None:
        number = token
        numbers[token] = number
    return number
