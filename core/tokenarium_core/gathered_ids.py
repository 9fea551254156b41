"""The ids of a text as they come, in bites that stay in the processor's cache: for a list, or for a buffer."""

from __future__ import annotations

from typing import Final, cast, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64

_FEW: Final = 4096  # ids in all lists before their objects are kept


@final
class GatheredIds:
    """Puts the ids of a text together: `begin`, any number of `add`, `finish_list` or `finish_buffer`.

    Most of the time and of the memory of a new list would go into its integer objects. So each id has one
    object, made when it first comes up, that all lists share. There are up to ``size`` of them.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._numbers: list[object] = []
        self._few: i64 = _FEW
        self._for_buffer = False
        self._list: list[object] = []
        self._buffer = vec[i32]()

    def begin(self, for_buffer: bool) -> None:
        """Begins a text."""
        self._for_buffer = for_buffer
        if self._list or len(self._buffer):  # of a text that was broken off
            self._list = []
            self._buffer = vec[i32]()

    def add(self, ids: vec[i32], count: i64, done: i64, size: i64) -> None:
        """Adds ``ids[:count]``, with which ``done`` bytes of ``size`` are encoded."""
        if not self._for_buffer:
            self._list += self._listed(ids, count)
            return
        if len(self._buffer) == 0 and done > 0:
            # As many for the rest, and some: so it is seldom copied to a larger place.
            self._buffer = vec[i32](capacity=count * size // done * 17 // 16)
        self._buffer = extend(self._buffer, ids[:count])

    def finish_list(self, ids: vec[i32], count: i64) -> list[int]:
        """Returns all ids as a list; the last ones are ``ids[:count]``."""
        found = self._listed(ids, count)
        if self._list:
            self._list += found
            found = self._list
            self._list = []
        return cast("list[int]", found)

    def finish_buffer(self, ids: vec[i32], count: i64) -> vec[i32]:
        """Returns all ids as a buffer; the last ones are ``ids[:count]``."""
        found = ids[:count]
        if len(self._buffer):
            found = extend(self._buffer, found)
            self._buffer = vec[i32]()
        return found

    def _listed(self, ids: vec[i32], count: i64) -> list[object]:
        """Returns ``ids[:count]`` as integer objects."""
        part = ids[:count]
        numbers = self._numbers
        if len(numbers):
            return [_shared(numbers, i64(token)) for token in part]
        self._few -= count
        if self._few < 0:
            self._numbers = [None] * self._size
        return [i64(token) for token in part]


def _shared(numbers: list[object], token: i64) -> object:
    """Returns the object of an id, and keeps it."""
    if token >= len(numbers):
        return token
    number = numbers[token]
    if number is None:
        number = token
        numbers[token] = number
    return number
