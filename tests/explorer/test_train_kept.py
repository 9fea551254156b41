"""What was trained and kept, in the workspace Train: found, named, annotated, deleted, and trained again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from training_pages import enlarge, train, training_page

from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.library import LibraryGroup
from tokenarium.models.training.training_queue import outcome
from tokenarium.views.train import KeptPage, TrainView
from tokenarium.views.train_training import TrainingPage
from tokenarium.widgets.training.trained_list import ALGORITHM, HELD_OUT, LEAST_NAME, NAME


@pytest.fixture
def page(window: MainWindow) -> TrainingPage:
    return training_page(window)


def kept_page(window: MainWindow) -> KeptPage:
    window.actions_by_id["train_kept"].trigger()
    assert isinstance(window.workspace, TrainView)
    page = window.workspace.page
    assert isinstance(page, KeptPage)
    return page


def test_the_store_is_shown_found_named_and_annotated(
    window: MainWindow, page: TrainingPage, qtbot: QtBot
) -> None:
    for name, size in (("First", 600), ("Second", 601)):
        page.form.fill("bpe", size, {})
        page.form.name.setText(name)
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


@pytest.mark.parametrize(("width", "algorithm"), [(800, False), (1440, True)])
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
    result = page.trainings.runs[0].result
    assert result is not None
    assert result.trained.figures["held_out_unknown"] == 0.0
    shown = kept_page(window).list
    for unknown, sign, words in ((0.001, "", "trained on."), (0.42, "? ", "42.0% of that became")):
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
    steps = edits.undo_stack.count()

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
    assert (draft.method.name, draft.size) == ("bpe", "612")
    assert draft.values()["min_frequency"] == 5
