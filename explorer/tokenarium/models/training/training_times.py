"""How long trainings took by the size of the vocabulary, as a chart, with the machine that they ran on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve
from tokenarium.models.training.store import Trained
from tokenarium.models.training.training_algorithms import algorithm_title
from tokenarium.models.training.training_queue import SIZE_AXIS

TIME_AXIS = Axis("Training time", "seconds", True)

NOT_NOTED = "a machine that was not noted"


@dataclass(frozen=True, slots=True)
class TimedTraining:
    """One training: what was trained on what, how many entries came out, and how long it took on which machine."""

    algorithm: str
    corpus: str
    size: int
    entries: int
    seconds: float
    machine: str


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
    return Chart(Axis(SIZE_AXIS.title, SIZE_AXIS.unit, True), TIME_AXIS, curves)


def times_sentence(trainings: Sequence[TimedTraining]) -> str:
    """Returns on which machine they ran, and how the slowest compares with the fastest."""
    if not trainings:
        return ""
    where = " and ".join(machines(trainings))
    count = "One training" if len(trainings) == 1 else f"{len(trainings):,} trainings"
    return f"{count} on {where}. Times of different machines, or of a busy one, do not compare."
