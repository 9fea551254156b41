"""The training strategies of BPE in plain Python, so that their parts can be timed apart: split, count, pick, replace.

The trainers of the core do several parts in one walk. These programs are those of textbooks, and make the same merges.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve
from tokenarium.models.text.piece import percent
from tokenarium.models.training.strategy_race import PATTERN, STRATEGIES, TITLES
from tokenarium_core import TokenariumError
from tokenarium_core.formats import cutting
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.progress import Progress
from tokenarium_core.training import INCREMENTAL, NAIVE

SPLIT: Final = "split"
COUNT: Final = "count"
PICK: Final = "pick"
REPLACE: Final = "replace"
PARTS: Final = (SPLIT, COUNT, PICK, REPLACE)
PART_TITLES: Final = {
    SPLIT: "Split into words",
    COUNT: "Count the pairs",
    PICK: "Pick the most frequent",
    REPLACE: "Replace it",
}
COLOURS: Final = {SPLIT: 3, COUNT: 1, PICK: 0, REPLACE: 5}

LONGEST: Final = 20_000
"""Characters of the text: Python counts about a million pairs in a second."""

MOST_MERGES: Final = 1_000
LEAST: Final = 2
"""How often a pair has to occur to be merged."""

BYTES: Final = 256
Pair = tuple[int, int]


@dataclass(slots=True)
class PartTimes:
    """The seconds that each part of a strategy took up to each merge, the first entry before any, and the merges."""

    strategy: str
    seconds: dict[str, list[float]] = field(default_factory=lambda: {part: [] for part in PARTS})
    merges: list[Pair] = field(default_factory=list)

    @property
    def total(self) -> float:
        """The seconds of all parts."""
        return sum(times[-1] for times in self.seconds.values() if times)

    def share(self, part: str) -> float:
        """Returns the share of a part in all of the time."""
        return self.seconds[part][-1] / (self.total or 1.0) if self.seconds[part] else 0.0


class PartsRace:
    """Trains on the beginning of a text with each strategy in turn; ``times`` are those so far, by strategy.

    Raises TokenariumError without a text.
    """

    def __init__(self, text: str, vocab_size: int) -> None:
        if not text:
            raise TokenariumError(
                "There is no text to race on: type one above, or choose another source."
            )
        self._text = text[:LONGEST]
        self._wanted = min(max(vocab_size - BYTES, 1), MOST_MERGES)
        self.times = {strategy: PartTimes(strategy) for strategy in STRATEGIES}
        self._running = self._run()

    def step(self, budget_ms: float, /) -> Progress:
        """Trains on for about ``budget_ms`` milliseconds, and at least one merge."""
        until = time.perf_counter() + budget_ms / 1000
        finished = False
        while not finished:
            finished = next(self._running, True)
            if time.perf_counter() >= until:
                break
        done = sum(len(times.merges) for times in self.times.values())
        return Progress("racing", done, self._wanted * len(STRATEGIES), finished)

    def _run(self) -> Iterator[bool]:
        """Makes all merges; gives False after each."""
        for times in self.times.values():
            training = _PlainTraining(self._text, times.strategy)
            while len(times.merges) < self._wanted:
                if not training.advance(times):
                    break
                yield False
            yield False

    def chart(self, strategy: str) -> Chart:
        """Returns the seconds of each part of a strategy by the merges made."""
        times = self.times[strategy]
        curves = [
            ChartCurve(PART_TITLES[part], list(enumerate(times.seconds[part])), COLOURS[part])
            for part in PARTS
            if times.seconds[part]
        ]
        return Chart(Axis("Merges"), Axis("Time", "seconds"), curves)

    def rows(self) -> list[dict[str, object]]:
        """Returns the seconds of each part of each strategy."""
        return [
            {
                "strategy": times.strategy,
                "merges": len(times.merges),
                **{part: times.seconds[part][-1] if times.seconds[part] else 0.0 for part in PARTS},
            }
            for times in self.times.values()
        ]

    def sentence(self) -> str:
        """Returns the share of each part in the time of each strategy that has ended, or ""."""
        said = [
            f"{TITLES[times.strategy]}: {_seconds(times.total)}, of which "
            + ", ".join(f"{part} {percent(times.share(part))}" for part in PARTS)
            for times in self.times.values()
            if times.merges
        ]
        if not said:
            return ""
        count = min(len(times.merges) for times in self.times.values() if times.merges)
        return f"In plain Python, on {len(self._text):,} characters and for {count:,} merges. {'; '.join(said)}."


class _PlainTraining:
    """One training: the words with how often each occurs, and the counts of the pairs."""

    def __init__(self, text: str, strategy: str) -> None:
        self._text, self._strategy = text, strategy
        self._words: list[list[int]] = []
        self._counts: list[int] = []
        self._pairs: Counter[Pair] = Counter()
        self._places: defaultdict[Pair, set[int]] = defaultdict(set)
        self._spent = dict.fromkeys(PARTS, 0.0)
        self._began = False

    def advance(self, times: PartTimes) -> bool:
        """Makes the next merge, and notes the time; returns whether there was a pair to merge."""
        if not self._began:
            self._time(SPLIT, self._split)
            self._time(COUNT, self._count)
            self._note(times)
            self._began = True
        elif self._strategy != INCREMENTAL:
            self._time(COUNT, self._count)
        began = time.perf_counter()
        pair = max(self._pairs, key=lambda one: (self._pairs[one], -one[0], -one[1]), default=None)
        self._spent[PICK] += time.perf_counter() - began
        if pair is None or self._pairs[pair] < LEAST:
            return False
        token = BYTES + len(times.merges)
        if self._strategy == INCREMENTAL:
            self._replace_counted(pair, token)
        else:
            began = time.perf_counter()
            self._words = [joined(word, pair, token) for word in self._words]
            self._spent[REPLACE] += time.perf_counter() - began
        times.merges.append(pair)
        self._note(times)
        return True

    def _time(self, part: str, work: Callable[[], None]) -> None:
        began = time.perf_counter()
        work()
        self._spent[part] += time.perf_counter() - began

    def _note(self, times: PartTimes) -> None:
        for part in PARTS:
            times.seconds[part].append(self._spent[part])

    def _split(self) -> None:
        """Splits the text into words; all but the simplest strategy keep each word once, with its count."""
        data = padded(self._text)
        data, start, found = data[: len(data) - PADDING], 0, []
        for end in cut(cutting(PATTERN), self._text).ends:
            found.append(data[start:end])
            start = end
        if self._strategy == NAIVE:
            counted = [(word, 1) for word in found]
        else:
            counted = list(Counter(found).items())
        self._words = [list(word) for word, _ in counted]
        self._counts = [count for _, count in counted]

    def _count(self) -> None:
        """Counts all pairs, and for the strategy that follows changes notes the words that have them."""
        pairs: Counter[Pair] = Counter()
        for number, (word, count) in enumerate(zip(self._words, self._counts, strict=True)):
            for pair in pairwise(word):
                pairs[pair] += count
                if self._strategy == INCREMENTAL:
                    self._places[pair].add(number)
        self._pairs = pairs

    def _replace_counted(self, pair: Pair, token: int) -> None:
        """Replaces a pair in the words that have it, and changes the counts of their pairs."""
        pairs, places, spent = self._pairs, self._places, self._spent
        for number in sorted(places.pop(pair, ())):
            word, count = self._words[number], self._counts[number]
            began = time.perf_counter()
            made = joined(word, pair, token)
            replaced = time.perf_counter()
            for old in pairwise(word):
                pairs[old] -= count
            for new in pairwise(made):
                pairs[new] += count
                places[new].add(number)
            self._words[number] = made
            spent[REPLACE] += replaced - began
            spent[COUNT] += time.perf_counter() - replaced
        began = time.perf_counter()
        pairs.pop(pair, None)
        spent[COUNT] += time.perf_counter() - began


def joined(word: list[int], pair: Pair, token: int) -> list[int]:
    """Returns a word with a pair replaced by a token, from left to right.

    >>> joined([1, 1, 1, 2], (1, 1), 256)
    [256, 1, 2]
    """
    left, right = pair
    made, at, last = [], 0, len(word) - 1
    while at <= last:
        if at < last and word[at] == left and word[at + 1] == right:
            made.append(token)
            at += 2
        else:
            made.append(word[at])
            at += 1
    return made


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
