"""What is worked out of a vocabulary ahead, in slices: its characters, its order by text, which entries are unreachable."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns
from tokenarium_core.explaining.vocabulary_entries import unreached_pieces
from tokenarium_core.progress import Progress

SLICE = 256
"""Entries that are looked at between two looks at the clock: up to two milliseconds."""


class Preparation:
    """Prepares what regular expressions, sorting and the flag "unreachable" need."""

    def __init__(self, columns: VocabularyColumns) -> None:
        self._columns = columns
        self._done = 0
        self._unreached: list[int] = []
        self._work = self._pieces_of_work()
        self.finished = False

    def step(self, budget_ms: float) -> Progress:
        """Works on, for about so long."""
        until = time.perf_counter() + budget_ms / 1000
        while not self.finished and time.perf_counter() < until:
            self.finished = next(self._work, None) is None
        return Progress(
            "Looking for unreachable entries", self._done, self._columns.count, self.finished
        )

    def _pieces_of_work(self) -> Iterator[bool]:
        columns = self._columns
        _ = columns.owners
        yield True
        while columns.spelled.prepare():
            yield True
        _ = columns.lowered
        yield True
        for descending in (False, True):
            order = columns.text_order(descending)
            while not order.finished:
                order.step()
                yield True
        for column in ("script", "length", "characters", "kind", "value", "flags", "space"):
            columns.order(column)
            yield True
        while self._done < columns.count:
            last = min(self._done + SLICE, columns.count)
            self._unreached += unreached_pieces(columns.tokenizer.model, self._done, last)
            self._done = last
            yield True
        columns.mark_unreachable(self._unreached)
        columns.reach_is_known = True
