"""Counts of a corpus in the explorer: what their file is about, and keeping what was trained from it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.scripts.vocabulary_scripts import script_of_piece
from tokenarium_core.plain_files import open_file

_MAGIC: Final = b"TOKCOUNT"
_LENGTHS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)
MOST_SCRIPTS: Final = 200_000
"""The most frequent words whose scripts are looked at: those of millions would take a minute."""


def is_counts(path: str | Path) -> bool:
    """Returns whether a file has counts of a corpus, by its first bytes."""
    try:
        with open_file(path) as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except (OSError, ValueError):
        return False


def merged_counts(paths: Sequence[str]) -> tc.WordCounts:
    """Returns the counts of one file, or of several, merged in memory."""
    counts = tc.WordCounts.load(paths[0])
    for path in paths[1:]:
        counts.merge(tc.WordCounts.load(path))
    return counts


def fingerprint_of(paths: Sequence[str]) -> str:
    """Returns a hash of files of counts, in any order, in hexadecimal: it takes the place of that of the documents."""
    digests = []
    for path in paths:
        with open_file(path) as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256(" ".join(sorted(digests)).encode()).hexdigest()


def about_counts(paths: Sequence[str], counts: tc.WordCounts) -> dict[str, Any]:
    """Returns the description of files of counts for the store, as `about_corpus` does of texts."""
    return {
        "sources": [Path(path).name for path in paths],
        "weights": [None] * len(paths),
        "seed": 0,
        "size": 0,
        "temperature": 1.0,
        "repeat": False,
        "shares": [],
        "held_out": "",
        "documents": counts.texts,
        "characters": 0,
        "notes": [],
    }


@dataclass(frozen=True, slots=True)
class Group:
    """Some words: what they have in common, how many different ones there are, and how often they occur."""

    name: str
    different: int
    occurrences: int


class CountedFacts:
    """What counts say of a corpus: its most frequent words, their lengths, their scripts, and how their number grows.

    ``looked_at`` is how many words, the most frequent ones, have been looked at for the scripts.
    """

    def __init__(self, counts: tc.WordCounts) -> None:
        self.words = counts.listed()
        self.counts: npt.NDArray[np.int64] = array_of(self.words.counts)
        self.sizes: npt.NDArray[np.int64] = np.diff(array_of(self.words.ends), prepend=0)
        self.total = int(self.counts.sum())
        self.looked_at = min(len(self.counts), MOST_SCRIPTS)

    def most_frequent(self, most: int) -> list[tuple[bytes, int]]:
        """Returns the most frequent words, with how often each occurs."""
        found = min(most, len(self.counts)) if most else len(self.counts)
        return [(self.words.piece(place), int(self.counts[place])) for place in range(found)]

    def lengths(self) -> list[Group]:
        """Returns the words by their lengths in bytes; groups without words are left out."""
        groups: list[Group] = []
        before = 0
        for length in (*_LENGTHS, 0):
            chosen = (
                self.sizes > before
                if length == 0
                else (self.sizes > before) & (self.sizes <= length)
            )
            name = (
                f"over {before}"
                if length == 0
                else str(length)
                if length == before + 1
                else f"{before + 1}–{length}"
            )
            if chosen.any():
                groups.append(Group(name, int(chosen.sum()), int(self.counts[chosen].sum())))
            before = length
        return groups

    def scripts(self) -> list[Group]:
        """Returns the most frequent words by their scripts, the script that occurs most often first."""
        different: Counter[str] = Counter()
        occurrences: Counter[str] = Counter()
        for place in range(self.looked_at):
            script = script_of_piece(self.words.piece(place))
            different[script] += 1
            occurrences[script] += int(self.counts[place])
        return [Group(name, different[name], count) for name, count in occurrences.most_common()]

    def growth(self) -> list[tuple[int, float]]:
        """Returns how many different words a part of the corpus has: pairs of words and different ones, by doubling.

        It is the mean over all samples of single words of that size (rarefaction: Hurlbert 1971, as a binomial
        sample): 1 − (1 − share) ** count, summed over the words. The order of texts is no part of it, so a corpus
        whose topics change grows a little less at first.
        """
        if not self.total:
            return []
        values, numbers = np.unique(self.counts, return_counts=True)
        points = []
        for step in range(10, -1, -1):
            share = 0.5**step
            seen = values > 0 if share == 1.0 else -np.expm1(values * np.log1p(-share))
            if self.total * share >= 1:
                points.append((round(self.total * share), float((numbers * seen).sum())))
        return points

    def exponent(self) -> float | None:
        """Returns the exponent of Heaps' law at the end: different words grow as words to this power; None of few
        words.
        """
        points = self.growth()
        if len(points) < 2 or self.total < 1000:
            return None
        return float(np.log2(points[-1][1] / points[-2][1]))
