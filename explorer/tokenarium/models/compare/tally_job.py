"""Counts a text with several tokenizers in slices, one tokenizer a slice."""

from __future__ import annotations

from collections.abc import Mapping

import tokenarium_core as tc
from tokenarium.models.compare.tally import Measured, Tally, measured, tally


class TallyJob:
    """``tallies`` has the counts of each tokenizer by its key, ``problems`` a sentence for each that fails."""

    def __init__(self, text: str, tokenizers: Mapping[str, tc.Tokenizer]) -> None:
        self.tallies: dict[str, Tally] = {}
        self.problems: dict[str, str] = {}
        self._text = text
        self._measured: Measured | None = None
        self._left = list(tokenizers.items())
        self._total = len(self._left)

    def step(self, budget_ms: float, /) -> tc.Progress:
        """Counts with the next tokenizer, however long that takes: give a short text."""
        if self._measured is None:
            self._measured = measured(self._text)
        if self._left:
            key, tokenizer = self._left.pop(0)
            try:
                self.tallies[key] = tally(tokenizer, self._measured)
            except tc.TokenariumError as error:
                self.problems[key] = str(error)
        done = self._total - len(self._left)
        return tc.Progress("Comparing", done, self._total, not self._left)
