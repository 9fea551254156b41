"""The race of the three ways of BPE: the same merges at different cost."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.training import strategy_race
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.strategy_race import STRATEGIES, Lap, Race, RaceRequest, race
from tokenarium.views.train import TrainView
from tokenarium.views.train_race import RacePage
from tokenarium_core.errors import TokenariumError


class Hearer:
    """Keeps the laps."""

    def __init__(self, enough: int = 1000) -> None:
        self.laps: list[Lap] = []
        self._enough = enough

    def __call__(self, what: object) -> None:
        assert isinstance(what, Lap)
        self.laps.append(what)

    @property
    def asked_to_stop(self) -> bool:
        return len(self.laps) >= self._enough


def request(text: str, size: int = 300) -> RaceRequest:
    return RaceRequest([CorpusSource("text", text)], size)


def test_each_way_makes_the_same_merges_with_less_work() -> None:
    hearer = Hearer()
    race(hearer, request(sample_text("prose-en") * 8))
    laps = Race(hearer.laps)
    assert len(hearer.laps) % 3 == 0
    for naive, words, incremental in zip(*[iter(hearer.laps)] * 3, strict=True):
        assert naive.merges == words.merges == incremental.merges == 44
        assert naive.visited > words.visited > incremental.visited > 0
    chart = laps.chart(seconds=False)
    assert len(chart.curves) == 3
    assert all(len(curve.points) == len(hearer.laps) // 3 for curve in chart.curves)
    assert "44 merges" in laps.sentence()
    assert Race().sentence() == ""


def test_a_slow_way_runs_no_longer_lap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy_race, "PATIENCE_S", -1.0)
    hearer = Hearer()
    race(hearer, request("some words " * 5000))
    assert [lap.strategy for lap in hearer.laps] == list(STRATEGIES)


def test_a_race_stops_and_needs_a_text() -> None:
    hearer = Hearer(0)
    race(hearer, request("some words of " * 50_000, 5000))
    assert len(hearer.laps) < 4
    with pytest.raises(TokenariumError, match="no text"):
        race(hearer, request(""))


def test_it_is_run_and_drawn(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_id["train_race"].trigger()
    assert isinstance(window.workspace, TrainView)
    page = window.workspace.page
    assert isinstance(page, RacePage)
    page.vocab_size.setText("20")
    qtbot.mouseClick(page.start, Qt.MouseButton.LeftButton)
    assert "at least" in page.problem.text()
    page.vocab_size.setText("x")
    page.begin()
    assert "whole number" in page.problem.text()
    page.vocab_size.setText("280")
    page.corpus.setCurrentIndex(1)
    page.begin()
    qtbot.waitUntil(lambda: not page.racing.running)
    assert "no text" in page.problem.text()
    window.session.set_text(sample_text("prose-en") * 4)
    page.begin()
    assert page.bar.isVisible()
    qtbot.waitUntil(lambda: not page.racing.running)
    assert len(page.work.chart.curves) == 3
    assert page.sentence.text()
    page.begin()
    qtbot.mouseClick(page.stop, Qt.MouseButton.LeftButton)
    assert not page.racing.running
