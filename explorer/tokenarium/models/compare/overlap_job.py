"""Finds in slices what vocabularies have in common: first the pieces of each, then each pair."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import combinations

import tokenarium_core as tc
from tokenarium.models.compare.vocabulary_overlap import add_pieces

CHUNK = 4096
"""Ids that are looked at between two looks at the clock."""

Pieces = dict[bytes, int]


class OverlapJob:
    """``pieces`` has each vocabulary's pieces by its key (as `text_pieces`), ``shared`` the counts of the pairs.

    Give the ``pieces`` that are known already, so that they are not looked for again.
    """

    def __init__(self, tokenizers: Mapping[str, tc.Tokenizer], known: Mapping[str, Pieces]) -> None:
        self.pieces: dict[str, Pieces] = {key: known.get(key, {}) for key in tokenizers}
        self.shared: dict[tuple[str, str], int] = {}
        self._unread = [(key, one) for key, one in tokenizers.items() if key not in known]
        self._next = 0  # the id to read next, of the first that is unread
        self._pairs = list(combinations(tokenizers, 2))
        self._total = len(self._unread) + len(self._pairs)

    def step(self, budget_ms: float, /) -> tc.Progress:
        """Goes on for about so long; a pair of vocabularies takes its time."""
        until = time.monotonic() + budget_ms / 1000
        while self._unread and time.monotonic() < until:
            key, tokenizer = self._unread[0]
            size = len(tokenizer.vocabulary)
            last = min(self._next + CHUNK, size)
            add_pieces(self.pieces[key], tokenizer, self._next, last)
            self._next = last
            if last == size:
                self._unread.pop(0)
                self._next = 0
        if not self._unread and self._pairs and time.monotonic() < until:
            one, other = self._pairs.pop(0)
            self.shared[one, other] = len(self.pieces[one].keys() & self.pieces[other].keys())
        left = len(self._unread) + len(self._pairs)
        return tc.Progress("Comparing vocabularies", self._total - left, self._total, not left)
