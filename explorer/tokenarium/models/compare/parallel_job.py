"""Counts parallel lines with several tokenizers in slices, one tokenizer a slice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import tokenarium_core as tc
from tokenarium.models.compare.comparing import LanguageCounts, line_counts


class ParallelJob:
    """``counts`` has what each tokenizer makes of all lines and languages, by its key."""

    def __init__(
        self, texts: Sequence[Sequence[str]], tokenizers: Mapping[str, tc.Tokenizer]
    ) -> None:
        self.counts: dict[str, LanguageCounts] = {}
        self._texts = texts
        self._left = list(tokenizers.items())
        self._total = len(self._left)

    def step(self, budget_ms: float, /) -> tc.Progress:
        """Counts with the next tokenizer, however long that takes: give few lines."""
        if self._left:
            key, tokenizer = self._left.pop(0)
            self.counts[key] = line_counts(tokenizer, self._texts)
        done = self._total - len(self._left)
        return tc.Progress("Comparing languages", done, self._total, not self._left)
