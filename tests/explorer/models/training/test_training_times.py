"""Training time against size: a curve for each algorithm on each corpus, and the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tokenarium.app.start import sample_text
from tokenarium.models.machine import machine_name
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.store import Trained
from tokenarium.models.training.training_times import (
    NOT_NOTED,
    TimedTraining,
    TimesProgress,
    TimesRequest,
    machines,
    parsed_sizes,
    time_chart,
    time_trainings,
    timed,
    times_sentence,
)
from tokenarium_core import TokenariumError


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


def test_sizes_as_one_types_them() -> None:
    assert parsed_sizes("8,192 1000,2000; 2000") == [1000, 2000, 8192]
    for wrong in ("", "many", " ".join(map(str, range(300, 330)))):
        with pytest.raises(TokenariumError):
            parsed_sizes(wrong)


class Listener:
    """Keeps what is reported, and asks for an end after some of it."""

    def __init__(self, enough: int = 100) -> None:
        self.found: list[TimedTraining] = []
        self.progress: list[TimesProgress] = []
        self._enough = enough

    def __call__(self, part: object) -> None:
        (self.found if isinstance(part, TimedTraining) else self.progress).append(part)  # type: ignore[arg-type]

    @property
    def asked_to_stop(self) -> bool:
        return len(self.found) >= self._enough


def test_several_sizes_are_trained_one_after_the_other() -> None:
    listener = Listener()
    source = CorpusSource("text", sample_text("prose-en"))
    time_trainings(listener, TimesRequest([source], "bpe", [280, 300]))  # type: ignore[arg-type]
    assert [one.entries for one in listener.found] == [280, 300]
    assert all(one.seconds > 0 and one.machine == machine_name() for one in listener.found)
    (curve,) = time_chart(listener.found).curves
    assert [x for x, _ in curve.points] == [280.0, 300.0]
    stopped = Listener(1)
    time_trainings(stopped, TimesRequest([source], "bpe", [280, 300]))  # type: ignore[arg-type]
    assert len(stopped.found) == 1
    with pytest.raises(TokenariumError, match="no text"):
        time_trainings(listener, TimesRequest([CorpusSource("text", "")], "bpe", [280]))  # type: ignore[arg-type]
