"""The pieces that vocabularies have in common, by their bytes, found in slices."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import combinations

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import CONTROL, UNKNOWN, UNUSED

CHUNK = 4096
"""Ids between two looks at the clock."""

Pieces = dict[bytes, int]
"""The ids of all pieces that stand for bytes of a text, by these bytes; of several the smallest.

Special tokens, unknown and unused entries stand for none. Whether a piece begins or continues a word (``##ing``)
is not in its bytes.
"""


class OverlapJob:
    """``pieces`` has each vocabulary's pieces by its key, ``shared`` the count of each pair.

    Known ``pieces`` can be given, so that they are not looked for again.
    """

    def __init__(self, tokenizers: Mapping[str, tc.Tokenizer], known: Mapping[str, Pieces]) -> None:
        self.pieces: dict[str, Pieces] = {key: known.get(key, {}) for key in tokenizers}
        self.shared: dict[tuple[str, str], int] = {}
        self._unread = [
            (key, tokenizer) for key, tokenizer in tokenizers.items() if key not in known
        ]
        self._next = 0  # the id to read next, of the first unread vocabulary
        self._pairs = list(combinations(tokenizers, 2))
        self._total = len(self._unread) + len(self._pairs)

    def step(self, budget_ms: float, /) -> Progress:
        """Works for about ``budget_ms``, but at least one pair of vocabularies."""
        until = time.monotonic() + budget_ms / 1000
        while self._unread and time.monotonic() < until:
            key, tokenizer = self._unread[0]
            size = len(tokenizer.vocabulary)
            last = min(self._next + CHUNK, size)
            _add_pieces(self.pieces[key], tokenizer, self._next, last)
            self._next = last
            if last == size:
                self._unread.pop(0)
                self._next = 0
        if not self._unread and self._pairs and time.monotonic() < until:
            one, other = self._pairs.pop(0)
            self.shared[one, other] = len(self.pieces[one].keys() & self.pieces[other].keys())
        left = len(self._unread) + len(self._pairs)
        return Progress("Comparing vocabularies", self._total - left, self._total, not left)


def _add_pieces(found: Pieces, tokenizer: tc.Tokenizer, first: int, last: int) -> None:
    """Adds the pieces with the ids from ``first`` up to ``last``; of equal ones the smallest id is kept."""
    vocabulary = tokenizer.vocabulary
    arena = vocabulary.arena
    offsets = array_of(vocabulary.offsets)[first : last + 1].tolist()
    kinds = array_of(vocabulary.kinds)[first:last].tolist()
    for index, kind in enumerate(kinds):
        if kind not in (CONTROL, UNKNOWN, UNUSED):
            found.setdefault(arena[offsets[index] : offsets[index + 1]], first + index)


Shared = Mapping[tuple[str, str], int]


def shared_entries(pieces: Mapping[str, Pieces], shared: Shared, one: str, other: str) -> int:
    """Returns how many entries two vocabularies share; for a vocabulary with itself, its size."""
    if one == other:
        return len(pieces[one])
    return shared.get((one, other), shared.get((other, one), 0))
