"""How the time of encoding is divided among the stages; no test depends on how long anything takes."""

from __future__ import annotations

import json
from pathlib import Path

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
