"""A race of the ways in which BPE can be trained: each makes the same merges, on more and more of one text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

from tokenarium.models.charts.chart import Axis, Chart, Curve
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.written_request import read_request
from tokenarium_core.errors import TokenariumError
from tokenarium_core.pretokenizers.by_name import cutting
from tokenarium_core.training.bpe_trainer import INCREMENTAL, NAIVE, WORDS, BpeTrainer

WAYS: Final = (NAIVE, WORDS, INCREMENTAL)
TITLES: Final = {
    NAIVE: "All text",
    WORDS: "Words",
    INCREMENTAL: "Changes",
}
"""What is looked at for each merge."""

COLOURS: Final = {NAIVE: 1, WORDS: 0, INCREMENTAL: 5}
FIRST: Final = 4_000
"""Characters of the first lap; each lap has twice as many as the one before."""

LAPS: Final = 12
PATIENCE_S: Final = 4.0
"""A way that took longer for a lap runs no other."""

PATTERN: Final = "cl100k"
STEP_MS: Final = 30


class Tell(Protocol):
    """What hears of the laps; see `worker.Teller`."""

    def __call__(self, what: object) -> None: ...

    @property
    def asked_to_stop(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Lap:
    """What one way took for so much text: seconds, and the places that it looked at to find the merges."""

    way: str
    bytes: int
    seconds: float
    visited: int
    merges: int


@dataclass(frozen=True, slots=True)
class RaceRequest:
    """On what is raced, and up to what size of the vocabulary."""

    sources: Sequence[CorpusSource]
    vocab_size: int


@dataclass(slots=True)
class Race:
    """The laps so far."""

    laps: list[Lap] = field(default_factory=list)

    def chart(self, seconds: bool) -> Chart:
        """Returns the cost of each way by the length of the text: in seconds, or in places looked at."""
        y = Axis("Time", "seconds", True) if seconds else Axis("Work", "places looked at", True)
        curves = []
        for way in WAYS:
            points = [
                (lap.bytes / 1000, lap.seconds if seconds else float(lap.visited))
                for lap in self.laps
                if lap.way == way
            ]
            if points:
                curves.append(Curve(TITLES[way], points, COLOURS[way]))
        return Chart(Axis("Corpus", "KB", True), y, curves)

    def sentence(self) -> str:
        """Returns how far apart they are on the longest text that all of them ran."""
        common = set.intersection(
            *({lap.bytes for lap in self.laps if lap.way == way} for way in WAYS)
        )
        if not common:
            return ""
        longest = max(common)
        laps = [
            next(lap for lap in self.laps if lap.way == way and lap.bytes == longest)
            for way in WAYS
        ]
        told = [f"{TITLES[lap.way]}: {lap.visited:,} places in {_time(lap)}" for lap in laps]
        return f"On {longest / 1000:,.0f} KB, for the same {laps[0].merges:,} merges. {'; '.join(told)}."


def _time(lap: Lap) -> str:
    return f"{lap.seconds:.1f} s" if lap.seconds >= 1 else f"{1000 * lap.seconds:.1f} ms"


def race_written(tell: Tell, path: Path) -> None:
    """Runs the race that `write_request` wrote; see `race`."""
    request = read_request(path)
    assert isinstance(request, RaceRequest)
    race(tell, request)


def race(tell: Tell, request: RaceRequest) -> None:
    """Runs the ways in turn on texts of doubling length, and tells each `Lap`; ends early where asked to stop."""
    text = _text(request.sources, FIRST << (LAPS - 1))
    if not text:
        raise TokenariumError("There is no text to race on: choose another source.")
    out: set[str] = set()
    for number in range(LAPS):
        length = FIRST << number
        for way in WAYS:
            if way in out:
                continue
            lap = _lap(tell, way, text[:length], request.vocab_size)
            if lap is None:
                return
            tell(lap)
            if tell.asked_to_stop:
                return
            if lap.seconds > PATIENCE_S:
                out.add(way)
        if length >= len(text):
            return


def _lap(tell: Tell, way: str, text: str, vocab_size: int) -> Lap | None:
    """Returns what a way takes; None where it should stop."""
    began = time.perf_counter()
    trainer = BpeTrainer(cutting(PATTERN), vocab_size, [text], way=way)
    while not trainer.step(STEP_MS).finished:
        if tell.asked_to_stop:
            return None
    seconds = time.perf_counter() - began
    return Lap(
        way, int(trainer.byte_count), seconds, int(trainer.visited), len(trainer.token_counts)
    )


def _text(sources: Sequence[CorpusSource], most: int) -> str:
    parts: list[str] = []
    length = 0
    for text in islice(Corpus(sources), 10_000):
        parts.append(text)
        length += len(text)
        if length >= most:
            break
    return "\n".join(parts)[:most]
