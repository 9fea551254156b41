"""The workspace Train in the window: trainings end to end."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from narrowed import assert_contains, of_kind, there
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from training_pages import GOING, TEXTS, enlarge, press_train, train, training_page
from windows import shown_in

import tokenarium_core as tc
from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.models.merges.size_scale import TRANSITION
from tokenarium.models.tokenizers.library import LibraryGroup
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import Filters
from tokenarium.models.training.size_budget import parsed_budget
from tokenarium.models.training.store import Trained
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS
from tokenarium.models.training.training_queue import RunState, duration, scripts_chart
from tokenarium.models.training.training_request import CountingPlace
from tokenarium.models.typed_numbers import parsed_count
from tokenarium.resources.glossary import explanation
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.views.figure_decks import TrainDeck
from tokenarium.views.train import TrainView
from tokenarium.views.train_sizes import TrainSizesPage
from tokenarium.views.train_training import TrainingPage
from tokenarium.widgets.players.watch_speed import AS_FAST_AS_IT_CAN
from tokenarium.widgets.training.source_list import SHARE_COLUMN
from tokenarium.widgets.training.train_form import TERMS
from tokenarium_core.training.algorithms import ALGORITHMS


@pytest.fixture
def page(window: MainWindow) -> TrainingPage:
    return training_page(window)


def long(page: TrainingPage, tmp_path: Path, size: int = 300_000) -> None:
    """Fills the form with a training that takes a while."""
    path = tmp_path / "long.txt"
    letters = str.maketrans("0123456789", "ghijklmnop")
    path.write_text("".join(f" {n * n:x}" for n in range(600_000)).translate(letters), "utf-8")
    page.form.fill("bpe", size, {"min_frequency": 1}, [CorpusSource("file", str(path))])


def test_what_is_trained_is_in_the_library_at_once(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    window.session.set_text("the same for all")
    assert page.empty_board.isVisible()
    page.form.controls["name"].show("Mine")
    run = train(page, qtbot)
    assert run.state is RunState.FINISHED
    [entry] = window.session.library.group(LibraryGroup.TRAINED)
    assert (entry.name, entry.on) == ("Mine", True)
    qtbot.waitUntil(lambda: window.session.encoded(entry.key) is not None)
    assert entry.tokenizer is not None
    assert len(entry.tokenizer.vocabulary) == 600
    assert entry.tokenizer.name == "Mine"
    view = page.view
    assert view.run is run
    assert "600 entries" in view.status.text()
    qtbot.waitUntil(lambda: not view.drawing)
    assert view.compression.chart.curves[0].points[-1][0] == 600
    assert dict(view.scripts.chart.bars)["Cyrillic"] > 10
    assert view.export.isVisible()
    assert not view.bar.isVisible()
    assert [file.documents for file in run.files] == [1, 1, 1]
    window.actions_by_id["undo"].setEnabled(True)
    window.actions_by_id["undo"].trigger()
    assert window.session.library.group(LibraryGroup.TRAINED) == ()
    window.actions_by_id["redo"].setEnabled(True)
    window.actions_by_id["redo"].trigger()
    assert len(window.session.library.group(LibraryGroup.TRAINED)) == 1


def test_several_are_trained_one_after_the_other(page: TrainingPage, qtbot: QtBot) -> None:
    enlarge(page)
    page.form.choose("bpe", "superbpe", "unigram")
    assert page.form.train.text() == "Train three"
    press_train(page, qtbot)
    runs = list(page.trainings.runs)
    assert [run.request.algorithm for run in runs] == ["bpe", "superbpe", "unigram"]
    assert [run.state for run in runs] == [RunState.TRAINING, RunState.WAITING, RunState.WAITING]
    assert len({run.identity for run in runs}) == 3
    assert page.view.run is runs[0]
    press_train(page, qtbot)
    for row in (5, 4, 3):
        page.runs.choose(row)
        qtbot.keyClick(page.runs, Qt.Key.Key_Delete)
    assert page.trainings.runs == runs
    qtbot.waitUntil(lambda: all(run.state is RunState.FINISHED for run in runs))
    held = [run.result.held for run in runs if run.result is not None]
    assert held[0]
    assert held[0] == held[1] == held[2]  # the same unseen text
    page.runs.choose(2)
    qtbot.waitUntil(lambda: not page.view.drawing)
    assert "no merges" in page.view.compression.note.text()
    assert not page.view.scripts.chart.empty


def test_the_board_shows_curves_text_and_figures_of_all_runs(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    text = "The library stands at the end of the harbour, so close to the water."
    window.session.set_text(text)
    enlarge(page)
    page.form.choose("bpe", "superbpe", "unigram")
    press_train(page, qtbot)
    runs = page.trainings.runs
    qtbot.waitUntil(lambda: all(run.state is RunState.FINISHED for run in runs))
    drawing = page.chart.chart.drawing
    qtbot.waitUntil(
        lambda: len(drawing.curves) == 3 and bool(drawing.references) and len(page.text.rows) == 3
    )
    assert [int(curve.sizes[-1]) for curve in drawing.curves] == [run.entries for run in runs]
    assert [len(curve.sizes) > 9 for curve in drawing.curves] == [True, True, False]
    for run, curve in zip(runs, drawing.curves, strict=True):
        assert run.result is not None
        figures = run.result.trained.figures
        value = figures["held_out_bytes"] / figures["held_out_tokens"]
        assert curve.values[-1] == pytest.approx(value)
        assert f"{value:.2f} bytes per token on unseen text" in run.status
        assert f"{value:.2f}" in curve.label
    assert [curve.mark for curve in drawing.curves] == [
        (0, TRANSITION),
        (540, TRANSITION),
        (0, TRANSITION),
    ]
    [shipped] = [item for item in window.session.chosen() if item.key.startswith("shipped")]
    assert drawing.references[0].name.startswith(shipped.name)
    key = [str(run.number) for run in runs]
    counts = []
    for size in (257, 400, 540, 560, 600):
        page.go_to_size(size)
        rows = page.text.rows
        counts.append([len(rows[one].parts) if one in rows else 0 for one in key])
        says = f"not known at this size: {runs[2].name} (only 600)"
        assert (page.about.text() == says) is (size < 600)
        assert f"{size:,} entries" in page.text_title.text()
        assert drawing.size_shown == size
    bpe, superbpe, unigram = zip(*counts, strict=True)
    assert list(bpe) == sorted(bpe, reverse=True)
    assert bpe[:3] == superbpe[:3]  # the same merges before the transition
    assert unigram[:4] == (0, 0, 0, 0)  # its vocabularies do not nest
    assert unigram[4] > 0
    assert bpe[-1] == len(tc.open(there(runs[0].result).path).encode_ids(text))
    window.session.set_text("other words")
    qtbot.waitUntil(lambda: page.text.rows[key[0]].parts.ends[-1] == len("other words"))
    page.pages.setCurrentIndex(1)
    table = page.lines()
    assert [row[0] for row in table[1:]] == [run.name for run in runs]
    assert all("–" not in row for row in table[1:3])
    page.chart.text_chosen.emit(1)
    assert len(drawing.curves) == 2  # of Unigram nothing is known of its training text
    assert "training text" in page.chart.measured.text()
    assert page.chart.table().count("\n") > 20


def test_nothing_is_held_out_of_a_small_corpus_and_it_says_so(
    page: TrainingPage, qtbot: QtBot
) -> None:
    run = train(page, qtbot)
    assert run.holds_out is False
    qtbot.waitUntil(lambda: "Nothing is held out" in page.chart.measured.text())
    assert len(page.chart.chart.drawing.curves) == 1
    assert run.entries == 600
    assert "a corpus of less than 1 MB would miss it" in run.status


def test_a_training_is_watched_merge_by_merge(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    window.session.set_text("The library at the end of the harbour")
    page.pace.set_rate(0)
    page.pace.changed.emit(0.0)
    press_train(page, qtbot)
    [run] = page.trainings.runs
    qtbot.waitUntil(lambda: run.least > 0)
    assert page.next.isVisible()
    for number in range(1, 4):
        qtbot.mouseClick(page.next, Qt.MouseButton.LeftButton)
        assert run.entries == 256 + number
        qtbot.waitUntil(lambda: page.sentence.text().startswith(f"Merge {run.entries - 256} "))
        assert f"{run.entries:,} of 600 entries" in run.figures_line
    qtbot.waitUntil(lambda: len(page.text.rows[str(run.number)].parts) > 0)
    qtbot.mouseClick(page.view.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: run.state is RunState.STOPPED)
    assert there(run.result).trained.pieces == 259  # exactly what was shown
    page.pace.set_rate(AS_FAST_AS_IT_CAN)
    page.pace.changed.emit(AS_FAST_AS_IT_CAN)
    assert train(page, qtbot).entries == 600


def test_what_must_fail_says_so_before_it_begins(page: TrainingPage, qtbot: QtBot) -> None:
    rare = "".join(chr(0x4E00 + number) for number in range(300))
    source = CorpusSource("text", "some plain words of a text " * 1200 + rare)
    page.form.fill("unigram", 300, {}, [source])
    page.form.choose("bpe", "unigram")
    qtbot.waitUntil(page.form.obstacle.isVisible)
    assert "Unigram: 300 entries are too few" in page.form.obstacle.sentence.text()
    assert not page.form.train.isEnabled()
    use, fall_back = page.form.obstacle.buttons
    needed = int(use.text().removeprefix("Use "))
    assert 300 < needed < 330
    assert fall_back.text() == "Turn on byte fallback"
    qtbot.mouseClick(fall_back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.trainings.estimating.busy)
    assert not page.form.obstacle.isVisible()
    drafts = {draft.algorithm.name: draft for draft in page.form.drafts}
    assert drafts["unigram"].values()["byte_fallback"] is True
    press_train(page, qtbot)
    runs = page.trainings.runs
    qtbot.waitUntil(lambda: all(run.state is RunState.FINISHED for run in runs))
    assert len(runs) == 2
    page.form.fill("unigram", 300, {})
    qtbot.waitUntil(page.form.obstacle.isVisible)
    qtbot.mouseClick(page.form.obstacle.buttons[0], Qt.MouseButton.LeftButton)
    assert page.form.controls["vocab_size"].value == str(needed)
    page.train()  # while the corpus is checked
    assert len(page.trainings.runs) == 2
    qtbot.waitUntil(lambda: len(page.trainings.runs) == 3)
    qtbot.waitUntil(lambda: runs[2].state is RunState.FINISHED)


def test_stop_keeps_a_usable_result(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, tmp_path: Path
) -> None:
    long(page, tmp_path)
    qtbot.mouseClick(page.form.train, Qt.MouseButton.LeftButton)
    run = page.trainings.runs[-1]
    qtbot.waitUntil(
        lambda: (
            run.progress is not None and run.progress.piece_count > 256 and bool(run.progress.last)
        ),
    )
    window.actions_by_id.refresh()
    assert window.actions_by_id["stop_training"].isEnabled()
    assert page.view.last.sentence
    qtbot.mouseClick(page.view.stop, Qt.MouseButton.LeftButton)
    assert run.state is RunState.STOPPING
    qtbot.waitUntil(lambda: run.state is RunState.STOPPED)
    assert 256 < len(tc.open(there(run.result).path).vocabulary) < 300_000
    assert len(window.session.library.group(LibraryGroup.TRAINED)) == 1


def test_other_trainers_say_that_they_cannot_stop(page: TrainingPage, qtbot: QtBot) -> None:
    assert not page.form.algorithm_note.isVisible()
    page.form.fill("sentencepiece:unigram", 4000, {}, [CorpusSource("library")])
    assert page.form.algorithm_note.isVisible()
    assert "cancelled, but not stopped" in page.form.algorithm_note.text()
    page.trainings.add(page.form.draft.request(page.trainings.folder))
    run = page.trainings.runs[-1]
    view = page.view
    qtbot.waitUntil(lambda: run.progress is not None)
    assert view.stop.isVisible()
    assert not view.stop.isEnabled()
    assert "can only be cancelled" in view.stop.toolTip()
    assert "not stopped with a result" in view.status.text()
    assert page.trainings.running is run
    qtbot.mouseClick(view.cancel, Qt.MouseButton.LeftButton)
    assert run.state is RunState.CANCELLED
    assert not view.stop.isVisible()
    page.form.fill("bpe", 600, {}, TEXTS)
    assert not page.form.algorithm_note.isVisible()
    run = train(page, qtbot)
    assert run.state is RunState.FINISHED
    assert "stopped" not in view.status.text()


def test_what_happened_meanwhile_is_shown(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    qtbot.mouseClick(page.form.train, Qt.MouseButton.LeftButton)
    run = page.trainings.runs[-1]
    window.show_workspace("tokens")
    qtbot.waitUntil(lambda: run.state not in GOING)
    window.show_workspace("train")
    assert "600 entries" in page.view.status.text()
    qtbot.waitUntil(lambda: not page.view.drawing)
    chart = page.view.compression.chart
    assert chart == run.compression()
    assert not page.view.bar.isVisible()
    points = chart.curves[0].points
    assert chart.x.limits == (points[0][0], points[-1][0])
    assert chart.y.limits is not None
    heights = [height for curve in chart.curves for _, height in curve.points]
    least, most = chart.y.limits
    assert least <= min(heights) <= max(heights) <= most
    assert max(heights) - min(heights) > 0.5 * (most - least)
    assert (chart.x.label, chart.y.label) == (
        "Vocabulary size (entries)",
        "Compression (bytes/token)",
    )


def test_cancel_keeps_nothing(page: TrainingPage, qtbot: QtBot, tmp_path: Path) -> None:
    long(page, tmp_path)
    qtbot.mouseClick(page.form.train, Qt.MouseButton.LeftButton)
    run = page.trainings.runs[-1]
    qtbot.mouseClick(page.view.cancel, Qt.MouseButton.LeftButton)
    assert run.state is RunState.CANCELLED
    assert "cancelled" in page.view.status.text()
    assert page.trainings.store.all() == []
    qtbot.waitUntil(lambda: not page.view.drawing)
    assert page.view.compression.isHidden()
    assert page.view.scripts.note.text() == "No tokenizer was made."


def test_a_killed_worker_is_reported_and_the_next_begins(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, tmp_path: Path
) -> None:
    long(page, tmp_path)
    page.train()
    page.form.fill("bpe", 600, {}, TEXTS)
    page.train()
    first, second = page.trainings.runs
    qtbot.waitUntil(lambda: first.progress is not None)
    worker = there(page.trainings.worker)
    assert worker._process is not None
    os.kill(there(worker._process.pid), signal.SIGKILL)
    qtbot.waitUntil(lambda: first.state is RunState.FAILED)
    assert "lack of memory" in first.problem
    qtbot.waitUntil(lambda: second.state is RunState.FINISHED)
    page.runs.choose(0)
    assert "SIGKILL" in page.view.status.text()
    assert len(window.session.library.group(LibraryGroup.TRAINED)) == 1


def test_files_that_are_dropped_are_trained_on(
    page: TrainingPage, qtbot: QtBot, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.bin"
    good.write_text("some text of some words\n" * 50)
    bad.write_bytes(b"\0\1\2" * 100)
    page.form.sources.set_sources([])
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    drop = QDropEvent(
        QPointF(QPoint(5, 5)),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    page.form.sources.dropEvent(drop)
    page.form.controls["vocab_size"].show("270")
    page.form.check()
    run = train(page, qtbot)
    shown = {Path(file.path).name: file for file in run.files}
    assert shown["good.txt"].documents == 1
    assert shown["bad.bin"].note
    assert page.view.files.model.skipped >= 1
    assert "skipped" in page.view.tabs.tabText(1)


def test_sizes_cost_and_bring(window: MainWindow, page: TrainingPage, qtbot: QtBot) -> None:
    enlarge(page)
    run = train(page, qtbot)
    qtbot.mouseClick(page.view.sizes, Qt.MouseButton.LeftButton)
    assert isinstance(window.workspace, TrainView)
    sizes = of_kind(window.workspace.page, TrainSizesPage)
    assert run.result is not None
    assert sizes.chosen == run.result.trained
    curves = {curve.title: curve.points for curve in sizes.compression.chart.curves}
    assert set(curves) == {"Training text", "Held-out text"}
    figures = run.result.trained.figures
    held = figures["held_out_bytes"] / figures["held_out_tokens"]
    assert curves["Held-out text"][-1] == (600, pytest.approx(held))
    sizes.controls["width"].show("1,000")
    sizes.controls["budget"].show("0.8M")
    assert [mark.at for mark in sizes.compression.chart.marks] == [400]
    assert_contains(sizes.sentence.text(), "allows 400 entries", "bytes per token of held-out text")
    assert sizes.compression.chart.y.unit == "bytes/token"
    assert sizes.parameters.chart.curves[0].points[-1] == (600, 1.2)
    for budget, words in (("9G", "more than there are"), ("10k", "fewer than the smallest")):
        sizes.controls["budget"].show(budget)
        assert words in sizes.sentence.text()
        assert not sizes.compression.chart.marks
    sizes.controls["budget"].show("0.8M")
    table = rows_of(sizes)
    assert table[0][:4] == [run.result.trained.name, "600", "600", "1.20"]
    sizes_below = [row[:2] for row in table if row[0].startswith("at ")]
    assert sizes_below == [["at 512", "512"], ["at 400 (the budget)", "400"]]
    assert float(table[0][8]) == pytest.approx(held, abs=0.01)
    assert table[0][5:8] == ["4.8", "2.4", "1.2"]  # fp32, bf16, int8
    sizes.controls["tied"].show(True)
    assert rows_of(sizes)[0][3] == "0.60"
    assert "Each entry costs 1,000 parameters" in sizes.sentence.text()
    assert "more than there are" in sizes.sentence.text()  # 0.8M are 800 entries
    assert sizes.parameters.chart.curves[0].title == "V·d"
    assert rows_of(sizes)[0][4] == "–"
    sizes.controls["model"].show("6M")
    assert rows_of(sizes)[0][4] == "10.0%"
    assert "10.0% of the model's 6,000,000" in sizes.sentence.text()
    sizes.controls["budget"].show("5%")
    assert "The budget allows 300 entries" in sizes.sentence.text()
    sizes.controls["model"].show("")
    assert "“5%” is a share of the model's parameters" in sizes.problem.text()


@pytest.mark.parametrize("field", ["width", "budget", "model"])
def test_what_is_faulty_leaves_nothing_old_beside_it(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, field: str
) -> None:
    train(page, qtbot)
    window.train_commands.show_page("sizes")
    sizes = shown_in(window, TrainSizesPage)
    edit = sizes.controls[field].widget
    before = edit.text()
    shown = sizes.sentence.text()
    edit.setText("2x")
    assert "“2x” is not a number" in sizes.problem.text()
    assert "Each entry" not in sizes.sentence.text()
    assert rows_of(sizes) == []
    assert sizes.compression.chart.empty
    assert sizes.parameters.chart.empty
    assert sizes.charts.isHidden()
    edit.setText(before)
    assert sizes.sentence.text() == shown
    assert not sizes.compression.chart.empty
    assert not sizes.charts.isHidden()


def test_sizes_of_what_is_only_loaded(window: MainWindow, qtbot: QtBot) -> None:
    window.train_commands.show_page("sizes")
    sizes = shown_in(window, TrainSizesPage)
    [entry] = window.session.chosen()
    size = len(there(entry.tokenizer).vocabulary)
    assert sizes.tokenizer.currentText() == f"{entry.name} ({size:,})"
    assert sizes.chosen is None
    assert rows_of(sizes) == [
        [
            entry.name,
            *(f"{size:,}", f"{size:,}"),
            *(f"{2 * size * 768 / 1e6:,.2f}", "–"),
            *rows_of(sizes)[0][5:],
        ]
    ]
    sizes.multiple.setCurrentIndex(sizes.multiple.findData(1024))
    assert rows_of(sizes)[0][1:4] == ["8,000", "8,192", f"{2 * 8192 * 768 / 1e6:,.2f}"]
    assert "with 192 unused rows" in sizes.sentence.text()
    sizes.multiple.setCurrentIndex(0)
    assert "fewer than it has" in sizes.sentence.text()
    assert sizes.charts.isHidden()  # what smaller sizes bring is not known
    window.session.edits.turn_on(entry.key, False)
    assert sizes.empty.isVisible()
    window.session.edits.turn_on(entry.key, True)
    qtbot.waitUntil(lambda: not sizes.empty.isVisible())


def rows_of(sizes: TrainSizesPage) -> list[list[str]]:
    items = map(sizes.table.topLevelItem, range(sizes.table.topLevelItemCount()))
    columns = range(sizes.table.columnCount())
    return [[item.text(column) for column in columns] for item in items if item is not None]


@pytest.mark.parametrize(
    ("text", "number"),
    [("4,096", 4096), ("1.5B", 1_500_000_000), ("120 M", 120_000_000), ("64k", 64_000)],
)
def test_large_numbers_are_typed_short(text: str, number: int) -> None:
    assert parsed_count(text) == number
    for wrong in ("", "x", "0", "-3", "nan", "inf", "1e99"):
        with pytest.raises(tc.TokenariumError):
            parsed_count(wrong)


def test_trained_ones_are_there_next_time(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, store: Settings, qapp: object
) -> None:
    page.form.controls["name"].show("Mine")
    train(page, qtbot)
    window.close()
    assert len(store.get(settings.TRAINED)) == 1
    again = make_window(qapp, store)  # type: ignore[arg-type]
    qtbot.addWidget(again)
    [entry] = again.session.library.group(LibraryGroup.TRAINED)
    assert (entry.name, entry.on) == ("Mine", True)
    qtbot.waitUntil(lambda: entry.tokenizer is not None)
    again.close()


@pytest.mark.parametrize("answer", ["Continue training", "Discard", "Stop and keep"])
def test_a_window_that_closes_during_a_training_asks(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, tmp_path: Path, answer: str
) -> None:
    long(page, tmp_path)
    page.train()
    page.train()
    first, second = page.trainings.runs
    qtbot.waitUntil(lambda: first.entries > 256)
    assert not window.close()
    box = there(window.closing.box)
    assert "1 more is waiting" in box.text()
    assert not window.close()
    assert window.closing.box is box
    [button] = [one for one in box.buttons() if one.text() == answer]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    if answer == "Continue training":
        assert window.isVisible()
        assert first.state is RunState.TRAINING
        assert window.closing.box is None
        page.trainings.stop_all()
    qtbot.waitUntil(lambda: not window.isVisible() or answer == "Continue training")
    assert page.trainings.worker is None
    kept = answer == "Stop and keep"
    assert first.state is (RunState.STOPPED if kept else RunState.CANCELLED)
    assert second.state is (RunState.CANCELLED if answer == "Continue training" else RunState.HELD)
    assert len(page.trainings.store.all()) == kept


def test_a_window_asks_no_more_once_the_training_has_ended(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    page.train()
    (run,) = page.trainings.runs
    assert not window.close()
    assert there(window.closing.box).isVisible()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert run.state is RunState.FINISHED
    assert window.closing.box is None
    assert len(page.trainings.store.all()) == 1


def test_a_window_that_closes_before_a_training_begins_asks(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.form.choose("unigram")
    monkeypatch.setattr(type(page.trainings.estimating), "busy", True)
    page.train()
    assert not page.trainings.runs
    assert not window.close()
    box = there(window.closing.box)
    assert box.text() == "The training will begin once its corpus has been checked."
    buttons = {one.text(): one for one in box.buttons()}
    enabled = {name for name, one in buttons.items() if one.isEnabled()}
    assert enabled == {"Discard", "Continue training"}
    buttons["Continue training"].click()
    assert window.isVisible()
    assert page.trainings.waits_for_check
    assert not window.close()
    next(one for one in there(window.closing.box).buttons() if one.text() == "Discard").click()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert not page.trainings.runs


def test_what_waits_is_on_the_list_next_time(page: TrainingPage, qtbot: QtBot) -> None:
    trainings = page.trainings
    page.train()
    page.form.controls["name"].show("The second")
    page.train()
    first, second = trainings.runs
    assert (first.state, second.state) == (RunState.TRAINING, RunState.WAITING)
    kept = trainings.kept_runs()
    assert [one.identity for one in kept] == ["", ""]
    trainings.put_back(kept)
    assert trainings.runs == [first, second]  # they are there
    trainings.hold()
    trainings.cancel(first)
    assert [one.name for one in trainings.kept_runs()] == ["The second"]
    qtbot.waitUntil(lambda: trainings.worker is None)
    assert trainings.unfinished == []
    for run in (first, second):
        trainings.cancel(run)
        trainings.forget(run)
    trainings.put_back(kept)
    assert [run.state for run in trainings.runs] == [RunState.HELD, RunState.HELD]
    assert [run.name for run in trainings.runs][1] == "The second"
    assert trainings.worker is None  # nothing begins by itself
    page.runs.choose(1)
    assert page.view.begin.isVisible()
    assert page.view.cancel.isVisible()
    qtbot.mouseClick(page.view.begin, Qt.MouseButton.LeftButton)
    run = trainings.runs[1]
    qtbot.waitUntil(lambda: run.state is RunState.FINISHED)
    assert not page.view.begin.isVisible()
    assert trainings.runs[0].state is RunState.HELD
    page.runs.delete_pressed.emit(trainings.runs[0])
    assert trainings.runs == [run]


def test_the_memory_is_estimated_before(page: TrainingPage, qtbot: QtBot) -> None:
    assert page.trainings.estimating.busy
    qtbot.waitUntil(lambda: not page.trainings.estimating.busy)
    assert "Takes about" in page.form.estimate.text()
    page.form.controls["vocab_size"].show("12")
    page.form.check()
    assert not page.form.estimate.isVisible()


def test_the_shares_are_shown_before(page: TrainingPage, qtbot: QtBot) -> None:
    texts = [CorpusSource("text", "a" * 3000, 3), CorpusSource("text", "b" * 1000, 1)]
    form = page.form

    def shares() -> list[str]:
        rows = form.sources.list
        return [rows.item(row).text(SHARE_COLUMN) for row in range(rows.topLevelItemCount())]

    form.fill("bpe", 600, {}, texts)
    assert form.sources.list.isColumnHidden(SHARE_COLUMN)
    qtbot.waitUntil(lambda: not page.trainings.estimating.busy)
    assert not form.sources.list.isColumnHidden(SHARE_COLUMN)
    assert shares() == ["75%", "25%"]
    form.sources.set_sources([CorpusSource("text", text.value) for text in texts])
    form.controls["temperature"].show("1000")
    form.check()
    assert page.trainings.estimating.busy
    qtbot.waitUntil(lambda: not page.trainings.estimating.busy)
    assert shares() == ["50%", "50%"]
    assert "the least text for its share" in form.estimate.text()
    form.sources.set_sources(texts[:1])
    assert form.sources.list.isColumnHidden(SHARE_COLUMN)


def test_every_page_fits_a_small_screen(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    train(page, qtbot)
    for action in ("train_sizes", "train_kept", "train_training"):
        window.actions_by_id[action].trigger()
    window.resize(1400, 900)
    window.resize(800, 600)
    assert (window.width(), window.height()) == (800, 600)


@pytest.mark.parametrize("algorithm", list(TRAINING_ALGORITHMS))
def test_nothing_of_the_form_is_cut_in_a_small_window(
    window: MainWindow, page: TrainingPage, tmp_path: Path, algorithm: str
) -> None:
    window.resize(800, 600)
    page.form.sources.set_sources([CorpusSource("folder", str(tmp_path))])
    page.form.choose(algorithm)
    for fold in (page.form.corpus, page.form.more):
        fold.setChecked(True)
    QApplication.processEvents()
    assert page.form.area.horizontalScrollBar().maximum() == 0
    assert page.area.horizontalScrollBar().maximum() == 0
    chip = page.form.chips[algorithm]
    assert chip.width() >= chip.sizeHint().width()


def test_each_algorithm_says_what_it_does(page: TrainingPage) -> None:
    assert set(TERMS) == set(ALGORITHMS)
    for name, term in TERMS.items():
        assert page.form.chips[name].toolTip() == explanation(term)
        assert page.form.chips[name].accessibleDescription() == explanation(term)


@pytest.mark.parametrize(("width", "beside"), [(800, False), (1280, True), (1440, True)])
def test_the_board_has_one_column_where_it_is_narrow(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, width: int, beside: bool
) -> None:
    window.resize(width, 900)
    train(page, qtbot)
    chart, form = page.chart_card, page.form
    qtbot.waitUntil(
        lambda: (
            (chart.mapTo(page, chart.pos()).x() > form.width()) is beside and chart.width() > 300
        )
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "less than a second"), (5, "5 s"), (600, "10 min"), (9000, "2.5 h")],
)
def test_times_are_said_as_they_are_known(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_many_scripts_are_drawn_together() -> None:
    chart = scripts_chart({f"script {number}": 100 - number for number in range(20)})
    assert len(chart.bars) == 8
    assert chart.bars[-1] == ("all others", sum(100 - number for number in range(7, 20)))


def test_tab_goes_down_the_form(page: TrainingPage) -> None:
    for algorithm in ("unigram", "bpe"):  # the fields of another one are made again
        page.form.fill(algorithm, 600, {})
        page.form.more.setChecked(True)
        QApplication.processEvents()
        fields = [field.control for field in page.form.fields.values()]
        expected = [
            page.form.controls["name"].widget,
            *fields,
            page.form.controls["hold_out"].widget,
            page.form.controls["seed"].widget,
            page.form.train,
        ]
        page.form.controls["name"].widget.setFocus()
        reached = [page.form.controls["name"].widget]
        for _ in range(60):
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
            focus = QApplication.focusWidget()
            if focus in expected:
                reached.append(focus)
            if focus is page.form.train:
                break
        assert reached == expected


@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
def test_the_settings_of_an_earlier_version_go_into_the_form(
    page: TrainingPage, algorithm: str
) -> None:
    settings = {"vocab_size": 700, "hold_out": True, "gone": 3}
    settings |= (
        {"min_frequency": 5, "way": "words"} if algorithm == "bpe" else {"byte_fallback": True}
    )
    page.trainings.settings_chosen.emit(
        Trained("old", algorithm, settings, {}, "ab" * 32, ".json", 700, "0.1")
    )
    assert page.form.problems == {}
    request = page.form.draft.request(page.trainings.folder)
    assert (request.algorithm, request.vocab_size) == (algorithm, 700)
    for name in ("min_frequency", "byte_fallback"):
        assert request.options.get(name) == settings.get(name)
    assert request.options.get("strategy") == settings.get("way")
    assert request.settings.get("way") == settings.get("way")  # so that its identity is the same


@pytest.mark.parametrize("size", [(800, 600), (853, 480), (640, 480)])
def test_nothing_of_the_form_is_squeezed_in_a_narrow_window(
    window: MainWindow, page: TrainingPage, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    qtbot.waitUntil(lambda: page.form.height() >= page.form.minimumSizeHint().height())
    fields = page.form.area.mapTo(page.form, page.form.area.rect().bottomLeft())
    button = page.form.train.mapTo(page.form, page.form.train.rect().topLeft())
    assert fields.y() < button.y()


def test_the_board_is_presented_without_its_form(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    window.session.set_text("the same for all")
    run = train(page, qtbot)
    qtbot.waitUntil(lambda: page.cuts_of(run) is not None and bool(page.chart.chart.drawing.curves))
    window.presenting.present()
    shown = there(window.presenting.shown)
    deck = of_kind(shown.deck, TrainDeck)
    assert [one.name for one in deck.chart.drawing.curves] == [
        one.name for one in page.chart.chart.drawing.curves
    ]
    page.go_to_size(300)
    assert "300 entries" in deck.sentence
    assert list(deck.view.rows) == [str(run.number)]
    assert len(deck.view.parts) == len(page.text.parts)
    shown.close()


def test_the_form_asks_where_and_what_is_counted(page: TrainingPage, tmp_path: Path) -> None:
    form = page.form
    assert form.draft.request(tmp_path).place.here
    form.controls["unique"].show(True)
    form.controls["least"].show("1,000")
    form.controls["strict"].show(True)
    form.place.kind.setCurrentIndex(1)
    form.place.workers.setValue(3)
    form.check()
    request = form.draft.request(tmp_path)
    assert request.filters == Filters(unique=True, min_characters=1000)
    assert request.strict
    assert request.place == CountingPlace(3)
    assert not form.problems
    form.controls["least"].show("short")
    form.check()
    assert "number of characters" in form.filter_problem.text()
    assert form.corpus.isChecked()
    form.controls["least"].show("")
    form.place.kind.setCurrentIndex(2)
    form.check()
    assert "Type the address" in form.place.fault.text()
    form.place.address.setText("10.0.0.1:8786")
    form.check()
    assert not form.problems
    form.controls["target"].show("1 MB")
    form.check()
    assert "Shares of sources" in form.place.fault.text()
    assert "“Counting”" in form.reason.text()
    form.controls["target"].show("")
    form.choose("tokenizers:bpe")
    form.check()
    assert "reads the texts itself" in form.problems["place"]
    kept = {one.name: one.read() for one in page.keeps()}
    assert kept["scheduler"] == "10.0.0.1:8786"
    assert kept["place"] == "Dask cluster"


def test_a_training_that_waits_for_its_scheduler_can_be_cancelled(
    page: TrainingPage, qtbot: QtBot
) -> None:
    page.form.place.kind.setCurrentIndex(2)
    page.form.place.address.setText("tcp://127.0.0.1:1")
    press_train(page, qtbot)
    run = page.trainings.runs[-1]
    qtbot.waitUntil(lambda: run.progress is not None)
    page.trainings.cancel(run)
    assert run.state is RunState.STOPPING
    qtbot.waitUntil(lambda: run.over)
    assert run.state is RunState.CANCELLED


@pytest.mark.slow
def test_workers_count_the_same_and_end_with_the_training(
    page: TrainingPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    here = train(page, qtbot)
    page.form.place.kind.setCurrentIndex(1)
    page.form.place.workers.setValue(2)
    press_train(page, qtbot)
    run = page.trainings.runs[-1]
    workers: list[int] = []
    page.trainings.progressed.connect(lambda run: workers.append(run.progress.workers))
    qtbot.waitUntil(lambda: run.over, timeout=60_000)
    assert run.state is RunState.FINISHED, run.problem
    assert set(workers) <= {0, 1}, "a corpus of one group needs no second process"
    assert here.result is not None
    assert there(run.result).path.read_bytes() == here.result.path.read_bytes()
    assert run.files


def test_a_budget_may_be_a_share_of_the_model() -> None:
    assert parsed_budget("2%", 120_000_000) == 2_400_000
    assert parsed_budget(" 0.5 % ", 1000) == 5
    assert parsed_budget("100%", 7) == 7
    assert parsed_budget("64k", 0) == 64_000
    for wrong, model in (("2%", 0), ("x%", 100), ("0%", 100), ("101%", 100), ("nan%", 9), ("%", 9)):
        with pytest.raises(tc.TokenariumError):
            parsed_budget(wrong, model)
