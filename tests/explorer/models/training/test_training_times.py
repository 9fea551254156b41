"""Training time against size: a curve for each algorithm on each corpus, and the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenarium.models.machine import machine_name
from tokenarium.models.training.store import Trained
from tokenarium.models.training.training_times import (
    NOT_NOTED,
    machines,
    time_chart,
    timed,
    times_sentence,
)


def run(algorithm: str, corpus: str, entries: int, **figures: Any) -> Trained:
    return Trained("a name", algorithm, {}, {}, corpus, ".json", entries, "1", figures=figures)


RUNS: Sequence[Trained] = [
    run("bpe", "a", 4000, seconds=2.5, bytes=1_200_000, machine="One"),
    run("bpe", "a", 1000, seconds=1.0, bytes=1_200_000, machine="One"),
    run("unigram", "a", 1000, seconds=9.0, bytes=1_200_000, machine="One"),
    run("bpe", "b", 1000),
]


def test_each_algorithm_has_a_curve_by_size() -> None:
    chart = time_chart(timed(RUNS))
    assert [curve.title for curve in chart.curves] == [
        "Byte-level BPE · 1.20 MB",
        "Unigram · 1.20 MB",
    ]
    assert [list(curve.points) for curve in chart.curves] == [
        [(1000.0, 1.0), (4000.0, 2.5)],
        [(1000.0, 9.0)],
    ]
    assert chart.x.logarithmic
    assert chart.y.label == "Training time (seconds)"


def test_the_machine_is_named_and_several_have_curves_of_their_own() -> None:
    assert machines(timed(RUNS)) == ["One"]
    assert times_sentence(timed(RUNS)).startswith("3 trainings on One.")
    more = [*RUNS, run("bpe", "a", 2000, seconds=4.0, bytes=1_200_000)]
    assert machines(timed(more)) == ["One", NOT_NOTED]
    titles = [curve.title for curve in time_chart(timed(more)).curves]
    assert f"Byte-level BPE · 1.20 MB · {NOT_NOTED}" in titles


def test_without_times_there_is_nothing() -> None:
    assert time_chart(timed(RUNS[3:])).empty
    assert times_sentence([]) == ""


def test_this_machine_has_a_name() -> None:
    assert "processor" in machine_name()
