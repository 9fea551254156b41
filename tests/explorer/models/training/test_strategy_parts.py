"""The strategies in plain Python make the merges of the trainers, and their parts are timed apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenarium.models.programs import run
from tokenarium.models.training import strategy_parts
from tokenarium.models.training.strategy_parts import (
    BYTES,
    COUNT,
    LONGEST,
    MOST_MERGES,
    PARTS,
    PICK,
    REPLACE,
    SPLIT,
    PartsRace,
)
from tokenarium.models.training.strategy_race import PATTERN, STRATEGIES
from tokenarium_core import TokenariumError
from tokenarium_core.formats import cutting
from tokenarium_core.training import INCREMENTAL, NAIVE, WORDS, BpeTrainer

TEXT = "low lower lowest slow slower slowest, aaaa aaaaa naïve 東京東京 the then there " * 3


def merges_of(text: str, vocab_size: int) -> list[tuple[int, int]]:
    trainer: Any = run(BpeTrainer(cutting(PATTERN), vocab_size, [text]))
    return list(zip(trainer.left, trainer.right, strict=True))


@pytest.mark.parametrize("vocab_size", [BYTES + 1, 300, 2000])
def test_all_strategies_make_the_merges_of_the_trainer(vocab_size: int) -> None:
    race: PartsRace = run(PartsRace(TEXT, vocab_size))
    expected = merges_of(TEXT, vocab_size)
    assert expected
    assert {name: times.merges for name, times in race.times.items()} == dict.fromkeys(STRATEGIES, expected)  # fmt: skip


@pytest.mark.slow
@given(st.text("aab c'1é", min_size=1, max_size=60))
@settings(deadline=None, max_examples=60)
def test_so_they_do_on_any_text(text: str) -> None:
    race: PartsRace = run(PartsRace(text, 290))
    for times in race.times.values():
        assert times.merges == merges_of(text, 290)


def test_each_part_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that passes only inside of one part: only that part has taken time."""
    now = [0.0]
    monkeypatch.setattr(strategy_parts.time, "perf_counter", lambda: now[0])

    def slow(name: str, work: Callable[..., Any]) -> None:
        def passing(*given: Any) -> Any:
            now[0] += 1
            return work(*given)

        patch.setattr(strategy_parts, name, passing)

    for name, part, strategies in (
        ("cut", SPLIT, STRATEGIES),
        ("joined", REPLACE, STRATEGIES),
        ("pairwise", COUNT, STRATEGIES),
    ):
        with pytest.MonkeyPatch.context() as patch:
            slow(name, getattr(strategy_parts, name))
            race = PartsRace(TEXT, 270)
            while not race.step(-1).finished:
                pass
        for strategy in strategies:
            assert race.times[strategy].share(part) == 1, (name, strategy)
            assert race.times[strategy].total > 0


def test_only_the_changes_are_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [0]
    pairwise = strategy_parts.pairwise

    def counted(word: Any) -> Any:
        calls[0] += 1
        return pairwise(word)

    monkeypatch.setattr(strategy_parts, "pairwise", counted)
    walked = {}
    for strategy in STRATEGIES:
        monkeypatch.setattr(strategy_parts, "STRATEGIES", (strategy,))
        calls[0] = 0
        run(PartsRace(TEXT, 280))
        walked[strategy] = calls[0]
    assert walked[NAIVE] > 2 * walked[WORDS]
    assert walked[WORDS] > 2 * walked[INCREMENTAL]


def test_the_charts_the_rows_and_the_sentence() -> None:
    race = PartsRace(TEXT, 266)
    assert race.sentence() == ""
    assert race.chart(NAIVE).empty
    run(race)
    chart = race.chart(INCREMENTAL)
    assert len(chart.curves) == len(PARTS)
    assert all(len(curve.points) == 11 for curve in chart.curves)  # before any, and 10 merges
    for curve in chart.curves:
        heights = [y for _, y in curve.points]
        assert heights == sorted(heights)
    assert [row["strategy"] for row in race.rows()] == list(STRATEGIES)
    assert all(set(PARTS) < row.keys() for row in race.rows())
    said = race.sentence()
    assert "for 10 merges" in said
    assert all(said.count(f"{part} ") == 3 for part in (SPLIT, COUNT, PICK, REPLACE))


def test_the_text_and_the_merges_are_bounded() -> None:
    race = PartsRace("ab " * LONGEST, 1 << 30)
    assert f"{LONGEST:,} characters" in run(race).sentence()
    assert race.step(1).total == MOST_MERGES * len(STRATEGIES)
    with pytest.raises(TokenariumError, match="no text"):
        PartsRace("", 300)


def test_a_step_makes_one_merge_at_least_and_not_all() -> None:
    race = PartsRace(TEXT, 300)
    assert not race.step(0).finished
    assert len(race.times[NAIVE].merges) == 1
