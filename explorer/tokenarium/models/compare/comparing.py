"""Compares tokenizers on files or parallel texts, as a process of its own runs it, with partial results on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.compare.parallel_texts import ParallelText
from tokenarium.models.compare.tally import Tally, empty, measured, tally
from tokenarium.models.folders import cache_folder
from tokenarium.models.text.unknown_text import TOO_MUCH, unknown_share
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import Source
from tokenarium.models.training.keeping import reading_notes
from tokenarium.models.training.training_run import Tell

NEWS_MS = 250
"""How often partial results are told: they are copied from one process to the other."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tokenizer to compare: its key in the library, its name, and how it is opened."""

    key: str
    name: str
    source: str
    pattern: str = ""

    def open(self) -> tc.Tokenizer:
        """Returns the tokenizer; TokenariumError where it cannot be opened."""
        return tc.open(self.source, pattern=self.pattern or None, cache=cache_folder())


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted so far: a tally for each candidate by its key, and the share of the bytes that is done."""

    tallies: dict[str, Tally]
    fraction: float
    notes: tuple[str, ...] = ()  # what of the files was not read, as sentences


def count_files(tell: Tell, candidates: Sequence[Candidate], sources: Sequence[Source]) -> Counted:
    """Returns the counts of all candidates over the documents of some sources.

    It tells a `Counted` on the way, and returns early what it has where it is asked to stop.
    """
    tokenizers = {candidate.key: candidate.open() for candidate in candidates}
    tallies = {key: empty(tokenizer) for key, tokenizer in tokenizers.items()}
    corpus = Corpus(sources)
    told = time.monotonic()
    for text in corpus:
        document = measured(text)
        for key, tokenizer in tokenizers.items():
            tallies[key] = tallies[key] + tally(tokenizer, document)
        if tell.asked_to_stop:
            break
        if time.monotonic() - told > NEWS_MS / 1000:
            told = time.monotonic()
            tell(Counted(dict(tallies), corpus.done / max(corpus.total, 1)))
    return Counted(tallies, corpus.done / max(corpus.total, 1), tuple(reading_notes(corpus)))


@dataclass(frozen=True, slots=True)
class ParallelCounts:
    """Tokens of parallel texts: for each candidate by its key ``counts[line, language]``.

    Where the texts are not aligned line by line there is one line, the whole.
    """

    languages: tuple[str, ...]
    counts: dict[str, LanguageCounts]


@dataclass(frozen=True, slots=True, eq=False)
class LanguageCounts:
    """What one tokenizer makes of parallel texts: ``tokens[line, language]``, and ``unknown[language]``, which share
    of each became unknown tokens."""

    tokens: npt.NDArray[np.int64]
    unknown: npt.NDArray[np.float64]

    @property
    def doubtful(self) -> npt.NDArray[np.bool_]:
        """Of each language whether so much of it became unknown tokens that their number is no cost."""
        return self.unknown >= TOO_MUCH

    def of(self, places: Sequence[int]) -> LanguageCounts:
        """Returns the counts of some of the languages, in this order."""
        return LanguageCounts(self.tokens[:, places], self.unknown[places])


def line_counts(tokenizer: tc.Tokenizer, texts: Sequence[Sequence[str]]) -> LanguageCounts:
    """Returns how many tokens each line takes (lines × texts); all texts have as many lines."""
    tokens = [[len(tokenizer.encode_ids(line)) for line in lines] for lines in texts]
    unknown = [unknown_share(tokenizer, lines) for lines in texts]
    return LanguageCounts(np.array(tokens, np.int64).T, np.array(unknown, np.float64))


def count_parallel(
    tell: Tell, candidates: Sequence[Candidate], texts: Sequence[ParallelText], by_line: bool
) -> ParallelCounts:
    """Returns how many tokens each line of each text takes; ``by_line``: the texts are aligned."""
    parts = [text.lines if by_line else (text.text,) for text in texts]
    counts: dict[str, LanguageCounts] = {}
    for number, candidate in enumerate(candidates):
        counts[candidate.key] = line_counts(candidate.open(), parts)
        if tell.asked_to_stop:
            break
        tell((number + 1) / len(candidates))
    return ParallelCounts(tuple(text.title for text in texts), counts)
