"""Places that wait, the lowest rank first and the leftmost among equals: a binary heap in one packed column."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.columns import check_rows

PLACE_MASK: Final = 0xFFFFFFFF
"""The place in an entry; the rank is what is above its 32 bits."""


@final
class PlaceHeap:
    """Entries ``rank << 32 | place``, of which the smallest comes first. There is room for ``room`` at first."""

    def __init__(self, room: i64) -> None:
        check_rows(room)
        self._entries = vec[i64]([0] * (room + 2))
        self.count: i64 = 0

    def fill(self, rank: i64, place: i64) -> None:
        """Adds an entry out of order, for which there is room; `arrange` follows."""
        self._entries[self.count] = rank << 32 | place
        self.count += 1

    def arrange(self) -> None:
        """Puts what was filled in into order."""
        at: i64 = self.count // 2 - 1
        while at >= 0:
            self._sink(at)
            at -= 1

    def push(self, rank: i64, place: i64) -> None:
        """Adds an entry."""
        at = self.count
        if at == len(self._entries):
            larger = vec[i64]([0] * (at * 2))
            for index in range(at):
                larger[index] = self._entries[index]
            self._entries = larger
        entries = self._entries
        entry: i64 = rank << 32 | place
        self.count = at + 1
        while at > 0:
            parent = (at - 1) // 2
            if entries[parent] <= entry:
                break
            entries[at] = entries[parent]
            at = parent
        entries[at] = entry

    def pop(self) -> i64:
        """Returns the smallest entry and takes it out; there is one."""
        entries = self._entries
        entry = entries[0]
        self.count -= 1
        entries[0] = entries[self.count]
        self._sink(0)
        return entry

    def _sink(self, at: i64) -> None:
        """Moves the entry at ``at`` down until its children are not smaller."""
        entries = self._entries
        count = self.count
        if at >= count:
            return
        entry = entries[at]
        while True:
            child = at * 2 + 1
            if child >= count:
                break
            if child + 1 < count and entries[child + 1] < entries[child]:
                child += 1
            if entries[child] >= entry:
                break
            entries[at] = entries[child]
            at = child
        entries[at] = entry
