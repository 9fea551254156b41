"""Counts lines in several languages with several tokenizers in slices."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

import tokenarium_core as tc
from tokenarium.models.compare.comparing import LanguageCounts, line_counts
from tokenarium.models.compare.tally import Measured, measured


class ParallelJob:
    """``counts`` has what each tokenizer makes of all lines and languages, by its key, once it is done with all."""

    def __init__(
        self, texts: Sequence[Sequence[str]], tokenizers: Mapping[str, tc.Tokenizer]
    ) -> None:
        self.counts: dict[str, LanguageCounts] = {}
        self._texts = texts
        self._measured: list[Measured] = []
        self._left = list(tokenizers.items())
        self._languages: list[LanguageCounts] = []  # of the first that is left
        self._total = len(self._left)

    def step(self, budget_ms: float, /) -> tc.Progress:
        """Goes on for about so long; a language takes its time: give few lines."""
        until = time.monotonic() + budget_ms / 1000
        while len(self._measured) < len(self._texts) and time.monotonic() < until:
            self._measured.append(measured(*self._texts[len(self._measured)]))
        ready = len(self._measured) == len(self._texts)
        while ready and self._left and time.monotonic() < until:
            key, tokenizer = self._left[0]
            text = self._measured[len(self._languages)]
            self._languages.append(line_counts(tokenizer, [text]))
            if len(self._languages) == len(self._texts):
                self.counts[key] = _beside(self._languages)
                self._left.pop(0)
                self._languages = []
        done = self._total - len(self._left)
        return tc.Progress("Comparing languages", done, self._total, not self._left)


def _beside(languages: Sequence[LanguageCounts]) -> LanguageCounts:
    """Returns the counts of single languages as those of all."""
    return LanguageCounts(
        np.concatenate([one.tokens for one in languages], axis=1),
        np.concatenate([one.unknown for one in languages]),
        tuple(figures for one in languages for figures in one.figures),
    )
