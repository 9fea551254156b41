"""How the time of encoding is divided among the stages; no test depends on how long anything takes."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, cast

import pytest
import tokenizers as hf
from tokenizers.models import BPE
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses import stage_times
from tokenarium.analyses.stage_times import (
    ADDED,
    DECODER,
    LENGTH,
    MODEL,
    NORMALIZER,
    PRE_TOKENIZER,
    STAGE_TIMES,
    STAGES,
    TRIES,
    WHOLE,
    StageTimes,
)
from tokenarium.commands.cli import app
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.padded_text import padded


def test_the_model_has_the_rest_of_the_time() -> None:
    times = StageTimes(5_000_000, {WHOLE: 10.0, NORMALIZER: 2.0, PRE_TOKENIZER: 3.0, DECODER: 2.5})
    assert [times.share(stage) for stage in STAGES] == [0.0, 0.2, 0.3, 0.5]
    assert (times.speed(WHOLE), times.speed(DECODER)) == (0.5, 2.0)


def test_stages_that_are_slower_alone_leave_nothing_to_the_model() -> None:
    times = StageTimes(1, {WHOLE: 3.0, NORMALIZER: 1.0, PRE_TOKENIZER: 3.0, DECODER: 1.0})
    assert [times.share(stage) for stage in STAGES] == [0.0, 0.25, 0.75, 0.0]
    assert StageTimes(1, {WHOLE: 0.0}).share(MODEL) == 0.0


@pytest.mark.parametrize(
    ("name", "stages"),
    [
        ("tokenarium-8k", {PRE_TOKENIZER}),
        ("unigram-8k", {NORMALIZER}),
        ("wordpiece-8k", {NORMALIZER, PRE_TOKENIZER}),
    ],
)
def test_only_the_stages_of_a_tokenizer_are_timed(name: str, stages: set[str]) -> None:
    answer = STAGE_TIMES.run({"t": tc.open(shipped_path(name))}, "A text, é.\n")
    times = answer.result.found["t"]
    assert times.seconds.keys() == stages | {WHOLE, DECODER}
    assert sum(map(times.share, STAGES)) == pytest.approx(1)
    assert answer.rows[0]["Added tokens"] == 0


def test_added_tokens_that_are_always_found_are_timed(tmp_path: Path) -> None:
    made = hf.Tokenizer(BPE({"a": 0, "b": 1}, []))
    made.add_tokens(["ab"])
    made.save(str(tmp_path / "tokenizer.json"))
    answer = STAGE_TIMES.run({"t": tc.open(tmp_path / "tokenizer.json")}, "aabb")
    assert ADDED in answer.result.found["t"].seconds


class Clocked:
    """A tokenizer each of whose stages takes another time, on a clock that only they move."""

    takes = MappingProxyType(
        {ADDED: 1.0, NORMALIZER: 2.0, PRE_TOKENIZER: 4.0, WHOLE: 16.0, DECODER: 32.0}
    )

    def __init__(self) -> None:
        self.now = 0.0
        self.normalizer = self.splitter = self.added_tokens = self
        self.always, self.reads_origin = True, False

    def clock(self) -> float:
        return self.now

    def _take(self, stage: str) -> None:
        self.now += self.takes[stage]

    def regions(self, *_: object) -> None:
        self._take(ADDED)

    def normalize_text(self, text: str) -> bytes:
        self._take(NORMALIZER)
        return padded(text)

    def split(self, _: object) -> None:
        self._take(PRE_TOKENIZER)

    def encode_ids(self, _: str) -> list[int]:
        self._take(WHOLE)
        return []

    def decode(self, _: list[int]) -> None:
        self._take(DECODER)


def result_of(work: Generator[object, None, StageTimes]) -> StageTimes:
    """Does some work to its end, and returns its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return cast("StageTimes", end.value)


def test_each_stage_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Clocked()
    monkeypatch.setattr(stage_times, "perf_counter", tokenizer.clock)
    subject: Any = SimpleNamespace(tokenizer=tokenizer, full_name="clocked")
    inputs: Any = SimpleNamespace(text="A text.")
    times = result_of(STAGE_TIMES.work_on(subject, inputs))
    assert times.seconds == dict(Clocked.takes)
    assert [times.share(stage) for stage in STAGES] == [1 / 16, 2 / 16, 4 / 16, 9 / 16]


def test_the_shortest_of_several_runs_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that is read twice for each run: each run takes less than the one before."""
    reads = 0
    now = 0.0

    def clock() -> float:
        nonlocal reads, now
        run, ends = divmod(reads, 2)
        reads += 1
        now += (TRIES - run % TRIES) if ends else 0.0
        return now

    monkeypatch.setattr(stage_times, "perf_counter", clock)
    answer = STAGE_TIMES.run({"t": tc.open(shipped_path("tokenarium-8k"))}, "A text.")
    assert set(answer.result.found["t"].seconds.values()) == {1.0}
    assert reads == 2 * TRIES * 3


def test_a_short_text_is_repeated_and_a_long_one_is_not_read_on() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    for text in ("x", "word " * LENGTH):
        assert STAGE_TIMES.run({"t": tokenizer}, text).result.found["t"].bytes == LENGTH


def test_the_work_is_in_slices() -> None:
    inputs = STAGE_TIMES.run({"t": tc.open(shipped_path("wordpiece-8k"))}, "A text.").inputs
    assert len(list(STAGE_TIMES.work(inputs, STAGE_TIMES.begin(inputs)))) > 4 * TRIES


def test_the_command_writes_json() -> None:
    line = ["stage-times", str(shipped_path("unigram-8k")), "A text."]
    found = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    (row,) = found["tokenizers"]
    assert row["pre_tokenizer"] == 0
    assert row["normalizer"] + row["model"] == pytest.approx(1)
    assert row["bytes"] >= LENGTH
    assert found["machine"] in CliRunner().invoke(app, line).stdout.replace("\n", " ")
