"""A race of the training strategies of BPE: each makes the same merges, on more and more of one text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve
from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.training.corpus import Corpus, whole_lines
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium_core import TokenariumError
from tokenarium_core.formats import cutting
from tokenarium_core.training import INCREMENTAL, NAIVE, WORDS, BpeTrainer

STRATEGIES: Final = (NAIVE, WORDS, INCREMENTAL)
TITLES: Final = {
    NAIVE: "All text",
    WORDS: "Words",
    INCREMENTAL: "Changes",
}
"""What each strategy looks at for a merge."""

COLOURS: Final = {NAIVE: 1, WORDS: 0, INCREMENTAL: 5}
FIRST: Final = 4_000
"""Characters of the first lap; each lap has twice as many as the one before."""

LAPS: Final = 12
PATIENCE_S: Final = 4.0
"""A strategy that took longer for a lap runs no other."""

PATTERN: Final = "cl100k"
STEP_MS: Final = 30


@dataclass(frozen=True, slots=True)
class Lap:
    """What one strategy took for some text: seconds, and the places that it looked at to find the merges."""

    strategy: str
    bytes: int
    seconds: float
    visited: int
    merges: int


@dataclass(frozen=True, slots=True)
class RaceRequest:
    """The text of a race, and the vocabulary size to reach."""

    sources: Sequence[CorpusSource]
    vocab_size: int


@dataclass(slots=True)
class Race:
    """The laps so far."""

    laps: list[Lap] = field(default_factory=list)

    def chart(self, seconds: bool) -> Chart:
        """Returns the cost of each strategy by the length of the text, in seconds or in places looked at."""
        y = Axis("Time", "seconds", True) if seconds else Axis("Work", "positions looked at", True)
        curves = []
        for strategy in STRATEGIES:
            points = [
                (lap.bytes / 1000, lap.seconds if seconds else float(lap.visited))
                for lap in self.laps
                if lap.strategy == strategy
            ]
            if points:
                curves.append(ChartCurve(TITLES[strategy], points, COLOURS[strategy]))
        return Chart(Axis("Corpus", "KB", True), y, curves)

    def sentence(self) -> str:
        """Returns a sentence on the costs for the longest text that all strategies ran."""
        common = set.intersection(
            *(
                {lap.bytes for lap in self.laps if lap.strategy == strategy}
                for strategy in STRATEGIES
            )
        )
        if not common:
            return ""
        longest = max(common)
        laps = [
            next(lap for lap in self.laps if lap.strategy == strategy and lap.bytes == longest)
            for strategy in STRATEGIES
        ]
        each = [f"{TITLES[lap.strategy]}: {lap.visited:,} places in {_time(lap)}" for lap in laps]
        return f"On {longest / 1000:,.0f} KB, for the same {laps[0].merges:,} merges. {'; '.join(each)}."


def _time(lap: Lap) -> str:
    return f"{lap.seconds:.1f} s" if lap.seconds >= 1 else f"{1000 * lap.seconds:.1f} ms"


def race(report: ProgressReporter, request: RaceRequest) -> None:
    """Runs the strategies in turn on texts of doubling length, and reports each `Lap`; ends early where asked to stop."""
    text = race_text(request.sources, FIRST << (LAPS - 1))
    if not text:
        raise TokenariumError("There is no text to race on: choose another source.")
    out: set[str] = set()
    for number in range(LAPS):
        length = FIRST << number
        for strategy in STRATEGIES:
            if strategy in out:
                continue
            lap = _lap(report, strategy, text[:length], request.vocab_size)
            if lap is None:
                return
            report(lap)
            if report.asked_to_stop:
                return
            if lap.seconds > PATIENCE_S:
                out.add(strategy)
        if length >= len(text):
            return


def _lap(report: ProgressReporter, strategy: str, text: str, vocab_size: int) -> Lap | None:
    """Returns the lap of a strategy; None if it should stop."""
    began = time.perf_counter()
    trainer = BpeTrainer(cutting(PATTERN), vocab_size, [text], strategy=strategy)
    while not trainer.step(STEP_MS).finished:
        if report.asked_to_stop:
            return None
    seconds = time.perf_counter() - began
    return Lap(
        strategy, int(trainer.byte_count), seconds, int(trainer.visited), len(trainer.token_counts)
    )


def race_text(sources: Sequence[CorpusSource], most: int) -> str:
    """Returns the first ``most`` characters of a corpus, or its lines that end there."""
    parts: list[str] = []
    length = 0
    for text in islice(Corpus(sources), 10_000):
        parts.append(text)
        length += len(text)
        if length >= most:
            break
    return whole_lines("\n".join(parts), most)
