"""How long trainings took by the size of the vocabulary, as a chart, with the machine that they ran on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve, decade_limits
from tokenarium.models.machine import machine_name
from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.store import Trained
from tokenarium.models.training.strategy_race import race_text
from tokenarium.models.training.training_algorithms import algorithm_title
from tokenarium.models.typed_numbers import parsed_size
from tokenarium_core import TokenariumError
from tokenarium_core.progress import Progress
from tokenarium_core.training import Value, make_trainer

TIME_AXIS = Axis("Training time", "seconds", True)
SIZES_AXIS = Axis("Vocabulary size", "entries", True)

NOT_NOTED = "an unknown machine"

USUAL_SIZES = "1000 2000 4000 8000"
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+")
MOST_SIZES = 20
MOST_CHARACTERS = 4_000_000
"""Characters of the corpus that several sizes are trained on, one after the other."""

TRIES = 3
SHORT_S = 0.5
"""Seconds of a training that is run several times."""

STEP_MS = 30
REPORT_S = 0.1


@dataclass(frozen=True, slots=True)
class TimedTraining:
    """One training: what was trained on what, how many entries came out, and how long it took on which machine."""

    algorithm: str
    corpus: str
    size: int
    entries: int
    seconds: float
    machine: str


@dataclass(frozen=True, slots=True)
class TimesRequest:
    """A training of several sizes on the beginning of one corpus, each from the start."""

    sources: Sequence[CorpusSource]
    algorithm: str
    sizes: Sequence[int]
    options: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TimesProgress:
    """Which of how many sizes is being trained, and how much of it is done."""

    number: int
    count: int
    size: int
    fraction: float


def parsed_sizes(text: str) -> list[int]:
    """Returns the sizes that a user typed, the smallest first, each once; TokenariumError with what is wrong.

    >>> parsed_sizes("8,192 1000,2000")
    [1000, 2000, 8192]
    """
    parts = text.replace(";", " ").split()
    one_number = [part if _THOUSANDS.fullmatch(part) else part.replace(",", " ") for part in parts]
    found = sorted({parsed_size(part) for part in " ".join(one_number).split()})
    if not found or len(found) > MOST_SIZES:
        raise TokenariumError(
            f"Give one to {MOST_SIZES} sizes, separated by spaces: {USUAL_SIZES}."
        )
    return found


def time_training(
    text: str,
    algorithm: str,
    size: int,
    options: Mapping[str, Value] | None = None,
    look: Callable[[Progress], bool] | None = None,
) -> TimedTraining | None:
    """Trains a tokenizer and returns how long that took; None if ``look``, which gets the progress, ends it.

    Of a short training the shortest of several tries counts: the first of all also reads tables from the disk.
    """
    seconds = inf
    for _ in range(TRIES):
        began = time.perf_counter()
        trainer = make_trainer(algorithm, [text], vocab_size=size, **dict[str, Any](options or {}))
        while not (progress := trainer.step(STEP_MS)).finished:
            if look is not None and not look(progress):
                return None
        seconds = min(seconds, time.perf_counter() - began)
        if seconds > SHORT_S:
            break
    entries = len(trainer.tokenizer("").vocabulary)
    count = len(text.encode("utf-8", "surrogatepass"))
    return TimedTraining(algorithm, f"{count} bytes", count, entries, seconds, machine_name())


def time_trainings(report: ProgressReporter, request: TimesRequest) -> None:
    """Trains each size in turn, and reports a `TimedTraining` for each, and `TimesProgress` between; ends early if
    asked.
    """
    text = race_text(request.sources, MOST_CHARACTERS)
    if not text:
        raise TokenariumError("There is no text to train on: choose another source.")
    count = len(request.sizes)
    for number, size in enumerate(request.sizes):
        if report.asked_to_stop:
            return
        reported = [0.0]

        def look(progress: Progress, at: list[float] = reported, place: int = number) -> bool:
            if time.monotonic() - at[0] >= REPORT_S:
                at[0] = time.monotonic()
                report(TimesProgress(place, count, request.sizes[place], progress.fraction))
            return not report.asked_to_stop

        found = time_training(text, request.algorithm, size, request.options, look)
        if found is None:
            return
        report(found)


def timed(kept: Sequence[Trained]) -> list[TimedTraining]:
    """Returns the trainings whose time is known, the smallest vocabulary first."""
    found = []
    for one in kept:
        seconds = one.figures.get("seconds")
        if not isinstance(seconds, int | float) or seconds <= 0:
            continue
        size = one.figures.get("bytes")
        found.append(
            TimedTraining(
                one.algorithm,
                one.fingerprint,
                size if isinstance(size, int) else 0,
                one.pieces,
                float(seconds),
                str(one.figures.get("machine") or NOT_NOTED),
            )
        )
    return sorted(found, key=lambda one: (one.entries, one.seconds))


def machines(trainings: Sequence[TimedTraining]) -> list[str]:
    """Returns the machines, each once."""
    return sorted({one.machine for one in trainings})


def time_chart(trainings: Sequence[TimedTraining]) -> Chart:
    """Returns seconds by entries: a curve for each algorithm on each corpus, and on each machine if there are several."""
    groups: dict[tuple[str, str, str], list[TimedTraining]] = {}
    for one in trainings:
        groups.setdefault((one.algorithm, one.corpus, one.machine), []).append(one)
    several = len(machines(trainings)) > 1
    # Some algorithms count the bytes of words alone.
    sizes = {one.corpus: 0 for one in trainings}
    for one in trainings:
        sizes[one.corpus] = max(sizes[one.corpus], one.size)
    curves = []
    for place, ((algorithm, corpus, machine), ones) in enumerate(sorted(groups.items())):
        parts = [algorithm_title(algorithm), f"{sizes[corpus] / 1_000_000:,.2f} MB"]
        if several:
            parts.append(machine)
        points = [(float(one.entries), one.seconds) for one in ones]
        curves.append(ChartCurve(" · ".join(parts), points, place))
    seconds = [one.seconds for one in trainings if one.seconds > 0]
    axis = replace(TIME_AXIS, limits=decade_limits(seconds)) if seconds else TIME_AXIS
    return Chart(SIZES_AXIS, axis, curves)


def times_sentence(trainings: Sequence[TimedTraining]) -> str:
    """Returns on which machine they ran, and how the slowest compares with the fastest."""
    if not trainings:
        return ""
    where = " and ".join(machines(trainings))
    count = "One training" if len(trainings) == 1 else f"{len(trainings):,} trainings"
    return f"{count} on {where}. Times from different machines, or from a busy one, are not comparable."
