"""The pages Race and Trained of the workspace Train: three ways of BPE at different cost, and what was trained and kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTreeWidgetItem
from pytestqt.qtbot import QtBot
from training_pages import enlarge, train, training_page
from windows import shown_in

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.text.lost_text import lost_share
from tokenarium.models.text.piece import percent
from tokenarium.models.tokenizers.library import LibraryGroup
from tokenarium.models.training import encoding_race, strategy_race
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.strategy_race import STRATEGIES, Lap, Race, RaceRequest, race
from tokenarium.models.training.training_queue import outcome
from tokenarium.views.train import KeptPage, RacePage, TrainView
from tokenarium.views.train_times import TimesPage
from tokenarium.views.train_training import TrainingPage
from tokenarium.widgets.training.trained_list import ALGORITHM, HELD_OUT, LEAST_NAME, NAME
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


def test_each_strategy_makes_the_same_merges_with_less_work() -> None:
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


def test_a_slow_strategy_runs_no_longer_lap(monkeypatch: pytest.MonkeyPatch) -> None:
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
    page = of_kind(window.workspace.page, RacePage)
    assert [page.work.isVisible(), page.time.isVisible()] == [True, False]  # one message
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
    assert page.time.isVisible()
    assert page.sentence.text()
    page.begin()
    qtbot.mouseClick(page.stop_button, Qt.MouseButton.LeftButton)
    assert not page.racing.running


def test_the_race_of_encoding_is_run_and_drawn(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding_race, "LENGTHS", (10, 50, 100))
    monkeypatch.setattr(encoding_race, "LONGEST", 100)
    window.actions_by_id["race_encoding"].trigger()
    assert isinstance(window.workspace, TrainView)
    page = of_kind(window.workspace.page, RacePage)
    assert page.encodes
    assert not page.vocab_size.isVisible()
    page.corpus.setCurrentIndex(1)
    page.begin()
    assert "no text" in page.problem.text()
    window.session.set_text(sample_text("prose-en"))
    page.begin()
    assert page.bar.isVisible()
    qtbot.waitUntil(lambda: not page.bar.isVisible())
    assert [curve.title for curve in page.work.chart.curves][:3] == [
        "Queue",
        "Scanning",
        "Scanning each word",
    ]
    assert "as one word" in page.sentence.text()
    page.right.setCurrentIndex(1)
    assert page.time.heading.text() == "Each merge"
    assert page.time.chart.x.title == "Merges"
    page.choose(0)
    assert page.time.heading.text() == "Time"
    assert page.vocab_size.isVisible()
    assert page.sentence.isHidden()
    page.choose(1)
    page.begin()
    qtbot.mouseClick(page.stop_button, Qt.MouseButton.LeftButton)
    assert page.start.isVisible()
    for item in window.session.chosen():
        window.session.edits.turn_on(item.key, False)
    qtbot.waitUntil(lambda: page.encoding is None)
    page.begin()
    assert "No tokenizer" in page.problem.text()


def test_the_parts_of_trainings_are_timed_and_drawn(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_id["race_parts"].trigger()
    assert isinstance(window.workspace, TrainView)
    page = of_kind(window.workspace.page, RacePage)
    assert page.vocab_size.isVisible()
    assert not page.right.isVisible()
    page.corpus.setCurrentIndex(1)
    page.begin()
    assert "no text" in page.problem.text()
    page.vocab_size.setText("100")
    page.begin()
    assert "at least 257" in page.problem.text()
    window.session.set_text(sample_text("prose-en"))
    page.vocab_size.setText("280")
    page.begin()
    assert page.bar.isVisible()
    qtbot.waitUntil(page.bar.isHidden)
    assert (page.work.heading.text(), page.time.heading.text()) == ("All text", "Changes")
    for plot in (page.work, page.time):
        assert [len(curve.points) for curve in plot.chart.curves] == [25] * 4  # 24 merges
    assert "for 24 merges" in page.sentence.text()
    page.choose(0)
    assert (page.work.heading.text(), page.time.heading.text()) == ("Work", "Time")
    assert page.sentence.isHidden()
    page.choose(2)
    assert "for 24 merges" in page.sentence.text()
    page.vocab_size.setText("1200")
    page.begin()
    qtbot.mouseClick(page.stop_button, Qt.MouseButton.LeftButton)
    assert page.start.isVisible()
    assert not window.session.jobs.running()


@pytest.fixture
def page(window: MainWindow) -> TrainingPage:
    return training_page(window)


def kept_page(window: MainWindow) -> KeptPage:
    window.actions_by_id["train_kept"].trigger()
    assert isinstance(window.workspace, TrainView)
    return of_kind(window.workspace.page, KeptPage)


def test_the_store_is_shown_found_named_and_annotated(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    for name, size in (("First", 600), ("Second", 601)):
        page.form.fill("bpe", size, {})
        page.form.controls["name"].show(name)
        train(page, qtbot)
    kept = kept_page(window)
    table = kept.list.table
    assert {table.topLevelItem(row).text(0) for row in range(2)} == {"First", "Second"}
    qtbot.keyClicks(kept.list.search, "first")
    assert table.topLevelItemCount() == 1
    assert "characters)" in kept.list.about.text()
    table.topLevelItem(0).setText(0, "Third")
    kept.list.search.clear()
    names = {one.name for one in page.trainings.store.all()}
    assert names == {"Third", "Second"}
    assert {entry.name for entry in window.session.library.group(LibraryGroup.TRAINED)} == names
    table.topLevelItem(0).setText(5, "a note")
    assert "a note" in {one.note for one in page.trainings.store.all()}
    window.session.edits.undo_stack.undo()
    window.session.edits.undo_stack.undo()
    assert {one.name for one in page.trainings.store.all()} == {"First", "Second"}
    assert not any(one.note for one in page.trainings.store.all())
    table.topLevelItem(0).setText(0, " ")
    assert "needs a name" in window.messages.label.text()
    assert {table.topLevelItem(row).text(0) for row in range(2)} == {"First", "Second"}


@pytest.mark.parametrize(("width", "algorithm"), [(560, False), (1440, True)])
def test_names_have_room(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, width: int, algorithm: bool
) -> None:
    window.resize(width, 600)
    train(page, qtbot)
    table = kept_page(window).list.table
    QApplication.processEvents()
    assert table.columnWidth(NAME) >= LEAST_NAME
    assert table.horizontalScrollBar().maximum() == 0
    assert table.isColumnHidden(ALGORITHM) is not algorithm


def test_what_unknown_tokens_make_look_good_says_so(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    enlarge(page)
    train(page, qtbot)
    result = there(page.trainings.runs[0].result)
    assert result.trained.figures["held_out_unknown"] == 0.0
    shown = kept_page(window).list
    for unknown, sign, words in (
        (0.001, "", "on unseen text."),
        (0.42, "? ", "it loses 42.0% of the text"),
    ):
        figures = {**result.trained.figures, "held_out_unknown": unknown}
        trained = replace(result.trained, figures=figures)
        shown.show_trained([trained])
        cell = shown.table.item(0).text(HELD_OUT)
        assert cell == f"{sign}{figures['held_out_bytes'] / figures['held_out_tokens']:.2f}"
        assert words in outcome(replace(result, trained=trained), None)


def test_a_deletion_is_undone(window: MainWindow, page: TrainingPage, qtbot: QtBot) -> None:
    train(page, qtbot)
    kept = kept_page(window)
    [before] = page.trainings.store.all()
    qtbot.mouseClick(kept.list.delete, Qt.MouseButton.LeftButton)
    assert page.trainings.store.all() == []
    assert window.session.library.group(LibraryGroup.TRAINED) == ()
    assert kept.empty.isVisible()
    window.session.edits.undo_stack.undo()
    assert page.trainings.store.all() == [before]
    [entry] = window.session.library.group(LibraryGroup.TRAINED)
    qtbot.waitUntil(lambda: entry.tokenizer is not None)
    assert kept.list.isVisible()
    window.session.edits.remove(entry.key)
    assert page.trainings.store.all() == [before]  # out of the library is not out of the store
    qtbot.mouseClick(kept.list.open, Qt.MouseButton.LeftButton)
    assert len(window.session.library.group(LibraryGroup.TRAINED)) == 1


def test_what_came_before_a_deletion_is_undone_after_it(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    train(page, qtbot)
    edits = window.session.edits
    [entry] = window.session.library.group(LibraryGroup.TRAINED)
    edits.turn_on(entry.key, False)
    kept = kept_page(window)
    qtbot.mouseClick(kept.list.delete, Qt.MouseButton.LeftButton)
    steps = len(edits.undo_stack)

    def state() -> list[tuple[str, bool]]:
        return [(one.key, one.on) for one in window.session.library.group(LibraryGroup.TRAINED)]

    seen = [state()]
    for _ in range(steps):
        edits.undo_stack.undo()
        seen.append(state())
    assert seen == [[], [(entry.key, False)], [(entry.key, True)], []]
    for place in reversed(range(steps)):
        edits.undo_stack.redo()
        assert state() == seen[place]


def test_settings_are_taken_up_again(window: MainWindow, page: TrainingPage, qtbot: QtBot) -> None:
    page.form.fill("bpe", 612, {"min_frequency": 5})
    train(page, qtbot)
    page.form.fill("unigram", 900, {})
    kept = kept_page(window)
    qtbot.mouseClick(kept.list.again, Qt.MouseButton.LeftButton)
    assert page.isVisible()
    draft = page.form.draft
    assert (draft.algorithm.name, draft.vocab_size) == ("bpe", "612")
    assert draft.values()["min_frequency"] == 5


def test_several_sizes_are_timed_with_one_click(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text(sample_text("prose-en"))
    window.actions_by_id["train_times"].trigger()
    page = shown_in(window, TimesPage)
    page.corpus.setCurrentIndex(1)
    page.sizes.setText("none")
    page.measure()
    assert not page.timing.running
    assert page.problem.isVisible()
    page.sizes.setText("280 300")
    page.start.click()
    assert page.stop_button.isVisible()
    assert page.bar.isVisible()
    qtbot.waitUntil(lambda: not page.timing.running)
    assert [one.entries for one in page.timing.timed] == [280, 300]
    assert page.start.isVisible()
    assert "2 trainings on" in page.sentence.text()
    page.start.click()
    page.stop_button.click()
    qtbot.waitUntil(lambda: not page.timing.running)
    assert not page.bar.isVisible()


def test_a_run_that_loses_text_is_the_best_of_none(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    """WordPiece drops blanks and all but what its alphabet has, and so needs the fewest tokens."""
    text = "aa  bb\n\n  cc   дд  東京  " * 40
    for algorithm, options in (("bpe", {}), ("wordpiece", {"limit_alphabet": 3}), ("bpe", {})):
        size = 60 if algorithm == "wordpiece" else 260 + len(page.trainings.runs)
        page.form.fill(algorithm, size, options, [CorpusSource("text", text)])
        run = train(page, qtbot)
        assert run.result is not None, run.status
    first, lossy, second = page.trainings.runs
    assert lossy.result is not None
    tokenizer = tc.open(lossy.result.path)
    assert lossy.lost == lost_share(tokenizer, [text]) > 0.3
    assert (first.lost, second.lost) == (0, 0)
    values = [run.curve(held=False)[-1][1] for run in page.trainings.runs]
    assert values[1] > values[2] > values[0]
    figures = [f"{values[0]:.2f}", f"? {values[1]:.2f}", f"{values[2]:.2f}"]

    def rows() -> list[QTreeWidgetItem]:
        return [page.table.topLevelItem(place) for place in range(page.table.topLevelItemCount())]

    qtbot.waitUntil(
        lambda: [row.text(4) for row in rows()] == figures
    )  # drawn after the state is set
    shown = rows()
    assert [item.font(4).bold() for item in shown] == [False, False, True]
    assert f"loses {percent(lossy.lost)} of the text" in shown[1].toolTip(4)
    assert shown[1].foreground(4).color() == window.appearance.theme.dim
    assert f" · loses {percent(lossy.lost)} of the text · ? " in lossy.figures_line
    assert f"it loses {percent(lossy.lost)} of the text" in lossy.status
    page.chart.text_chosen.emit(1)
    labels = [curve.label for curve in page.chart.chart.drawing.curves]
    assert [f"? {values[1]:.2f}, loses" in label for label in labels].count(True) == 1
    kept = kept_page(window).list.table
    cells = {kept.item(row).text(HELD_OUT) for row in range(3)}
    assert cells == {"", "?"}
