"""The ids of a text as they come, in bites that stay in the processor's cache: for a list, or for a buffer."""

from __future__ import annotations

from typing import Final, cast, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64

_FEW: Final = 4096  # ids in all lists before their objects are kept
_MANY: Final = 65536  # ids of one list for which the objects of the first ids are made at once: they are the frequent ones


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
        self._made = False
        self._for_buffer = False
        self._list: list[object] = []
        self._filled: i64 = 0  # items of the list that are ids
        self._buffer = vec[i32]()

    def begin(self, for_buffer: bool) -> None:
        """Begins a text."""
        self._for_buffer = for_buffer
        if self._filled or len(self._buffer):  # of a text that was broken off
            self._list = []
            self._filled = 0
            self._buffer = vec[i32]()

    def add(self, ids: vec[i32], count: i64, done: i64, size: i64) -> None:
        """Adds ``ids[:count]``, with which ``done`` bytes of ``size`` are encoded."""
        so_far: i64 = count + (len(self._buffer) if self._for_buffer else self._filled)
        # Room for as many for the rest, and some: so it is seldom copied to a larger place.
        room: i64 = so_far * size // done * 17 // 16 if done > 0 else so_far
        if not self._for_buffer:
            self._fill(ids, count, room)
            return
        if len(self._buffer) == 0:
            self._buffer = vec[i32](capacity=room)
        self._buffer = extend(self._buffer, ids[:count])

    def finish_list(self, ids: vec[i32], count: i64) -> list[int]:
        """Returns all ids as a list; the last ones are ``ids[:count]``."""
        if self._filled == 0:
            return cast("list[int]", self._listed(ids, count))
        self._fill(ids, count, 0)
        found = self._list
        del found[self._filled :]
        self._list = []
        self._filled = 0
        return cast("list[int]", found)

    def finish_buffer(self, ids: vec[i32], count: i64) -> vec[i32]:
        """Returns all ids as a buffer; the last ones are ``ids[:count]``."""
        found = ids[:count]
        if len(self._buffer):
            found = extend(self._buffer, found)
            self._buffer = vec[i32]()
        return found

    def _fill(self, ids: vec[i32], count: i64, room: i64) -> None:
        """Writes ``ids[:count]`` into the list; where that is full, it becomes ``room`` items long, or more."""
        numbers = self._shared_numbers(count)
        found = self._list
        at = self._filled
        if at + count > len(found):
            more: list[object] = [None] * (max(room, at + count) - len(found))
            if found:
                found += more
            else:
                self._list = found = more
        for index in range(count):
            token = i64(ids[index])
            number = numbers[token] if token < len(numbers) else token
            if number is None:
                number = token
                numbers[token] = number
            found[at] = number
            at += 1
        self._filled = at

    def _listed(self, ids: vec[i32], count: i64) -> list[object]:
        """Returns ``ids[:count]`` as integer objects."""
        part = ids[:count]
        self._few -= count
        if self._few >= 0:
            return [i64(token) for token in part]
        numbers = self._shared_numbers(count)
        return [_shared(numbers, i64(token)) for token in part]

    def _shared_numbers(self, count: i64) -> list[object]:
        """Returns the objects by id, for ``count`` ids in a row; None where there was no need of it yet."""
        if not self._numbers:
            self._numbers = [None] * self._size
        if count >= _MANY and not self._made:
            self._made = True
            # One behind the other in memory, too: quicker than each when it first comes up.
            numbers = self._numbers
            for token in range(min(self._size, _MANY)):
                if numbers[token] is None:
                    numbers[token] = token
        return self._numbers


def _shared(numbers: list[object], token: i64) -> object:
    """Returns the object of an id, and keeps it."""
    if token >= len(numbers):
        return token
    number = numbers[token]
    if number is None:
        number = token
        numbers[token] = number
    return number
