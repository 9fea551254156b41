"""Counts texts in several languages; what large ones gave with a tokenizer before comes from the measure cache."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

import tokenarium_core as tc
from tokenarium.models.compare.comparing import (
    ComparedTokenizer,
    LanguageCounts,
    ParallelCounts,
    counts_of_lines,
)
from tokenarium.models.compare.measure_cache import (
    key_of,
    load_arrays,
    measure_folder,
    store_arrays,
    tally_arrays,
    tally_of_arrays,
    tokenizer_key,
)
from tokenarium.models.compare.parallel_texts import ParallelText
from tokenarium.models.compare.tally import Measured, Tally, line_tally, measured
from tokenarium.models.progress_reporter import stage

if TYPE_CHECKING:  # it loads Qt, which the command line does not need
    from tokenarium.models.progress_reporter import ProgressReporter

_LEAST: Final = 200_000
"""Characters of all texts together: fewer are counted as quickly."""

_OF_A_TALLY: Final = 4  # arrays, see `tally_arrays`


class LanguageTexts:
    """Texts in several languages, line by line or as a whole; measured only when a tokenizer counts them."""

    def __init__(self, texts: Sequence[ParallelText], by_line: bool) -> None:
        self._texts = [text.lines if by_line else (text.text,) for text in texts]
        self._measured: list[Measured] = []
        size = sum(len(line) for line in chain.from_iterable(self._texts))
        self._key = ""
        if size >= _LEAST and measure_folder() is not None:
            self._key = key_of("texts", sha256=[_sha256(lines) for lines in self._texts])

    def counts(self, tokenizer: tc.Tokenizer) -> LanguageCounts:
        """Returns the counts of a tokenizer."""
        key = key_of("lines", tokenizer=tokenizer_key(tokenizer), texts=self._key) if self._key else ""  # fmt: skip
        tallies = self._kept(key, len(tokenizer.vocabulary)) if key else None
        if tallies is None:
            if not self._measured:
                self._measured = [measured(*lines) for lines in self._texts]
            tallies = [line_tally(tokenizer, text) for text in self._measured]
            if key:
                arrays = chain.from_iterable(tally_arrays(one) for one, _ in tallies)
                tokens = (np.array(tokens, np.int64) for _, tokens in tallies)
                store_arrays(key, [*tokens, *arrays])
        return counts_of_lines(tallies)

    def _kept(self, key: str, entries: int) -> list[tuple[Tally, list[int]]] | None:
        """Returns what is stored: for each text its tally, and how many tokens each line has."""
        arrays, texts = load_arrays(key), len(self._texts)
        if arrays is None or len(arrays) != texts * (1 + _OF_A_TALLY):
            return None
        tokens, rest = arrays[:texts], arrays[texts:]
        if any(one.shape != (len(lines),) for one, lines in zip(tokens, self._texts, strict=True)):
            return None
        found = list[tuple[Tally, list[int]]]()
        for at, one in enumerate(tokens):
            of_text = rest[_OF_A_TALLY * at : _OF_A_TALLY * (at + 1)]
            tally = tally_of_arrays(of_text, entries)
            if tally is None:
                return None
            found.append((tally, one.tolist()))
        return found


def count_parallel(
    report: ProgressReporter,
    candidates: Sequence[ComparedTokenizer],
    texts: Sequence[ParallelText],
    by_line: bool,
) -> ParallelCounts:
    """Returns the counts of each text, and of each line if they are aligned (``by_line``), for each candidate."""
    parts = LanguageTexts(texts, by_line)
    counts: dict[str, LanguageCounts] = {}
    for number, candidate in enumerate(candidates):
        counts[candidate.key] = parts.counts(candidate.open())
        if report.asked_to_stop:
            break
        report(stage("Counting", (number + 1) / len(candidates)))
    return ParallelCounts(tuple(text.title for text in texts), counts)


def _sha256(lines: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        utf8 = line.encode("utf-8", "surrogatepass")
        digest.update(len(utf8).to_bytes(8, "little"))
        digest.update(utf8)
    return digest.hexdigest()
