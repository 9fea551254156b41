"""Back and forward through the places that were visited."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from windows import shown_in

from tokenarium.app import history
from tokenarium.app.window import MainWindow
from tokenarium.session.requests import ShowEntry
from tokenarium.views.scripts import ScriptsView, SharesPage
from tokenarium.views.vocabulary import VocabularyView
from tokenarium.views.workspace import PagedWorkspace

Where = tuple[str, str, tuple[int, int] | None]


def where(window: MainWindow) -> Where:
    shown = window.workspace
    page = shown.page.id if isinstance(shown, PagedWorkspace) else ""
    return shown.name.id, page, window.session.selection


@pytest.fixture
def walked(window: MainWindow, qtbot: QtBot) -> list[Where]:
    """Four places, the last of which is shown."""
    window.session.set_text("one two three")
    places = []
    for action, selection in (
        ("tokens", (0, 3)),
        ("compare_overlap", (4, 7)),
        ("compare_overview", (8, 13)),
        ("scripts", (0, 0)),
    ):
        window.actions_by_id[action].trigger()
        window.session.select(*selection)
        qtbot.wait(1)
        places.append(where(window))
    return places


def test_back_and_forward_bring_the_page_and_the_selection(
    window: MainWindow, walked: list[Where]
) -> None:
    for place in reversed(walked[:-1]):
        window.history.go(-1)
        assert where(window) == place
    window.history.go(-1)
    assert where(window) == walked[0]
    for place in walked[1:]:
        window.history.go(1)
        assert where(window) == place
    window.history.go(1)
    assert where(window) == walked[-1]


def test_what_was_ahead_is_forgotten_by_a_new_jump(
    window: MainWindow, walked: list[Where], qtbot: QtBot
) -> None:
    window.history.go(-1)
    window.history.go(-1)
    assert window.history.can_go(1)
    window.actions_by_id["bytes"].trigger()
    qtbot.wait(1)
    assert not window.history.can_go(1)
    window.history.go(-1)
    assert where(window) == walked[1]


def test_the_actions_follow(window: MainWindow, qtbot: QtBot) -> None:
    actions = window.actions_by_id
    qtbot.waitUntil(lambda: window.at_rest)
    assert not actions["back"].isEnabled()
    actions["merges"].trigger()
    qtbot.waitUntil(actions["back"].isEnabled)
    actions["back"].trigger()
    assert window.workspace.name.id == "tokens"
    qtbot.waitUntil(lambda: actions["forward"].isEnabled() and not actions["back"].isEnabled())


def test_selections_of_another_text_are_forgotten(window: MainWindow, walked: list[Where]) -> None:
    window.session.set_text("?")
    window.history.go(-1)
    assert where(window) == (*walked[-2][:2], None)


def test_a_jump_that_takes_another_tokenizer_brings_the_first_one_back(
    window: MainWindow, bytes_only: str, qtbot: QtBot
) -> None:
    session = window.session
    session.set_text("one two three")
    first = session.chosen()[0].key
    session.set_current(first)
    qtbot.wait(1)
    session.requests.ask(ShowEntry(5, bytes_only))
    assert session.current is not None
    assert session.current.key == bytes_only
    qtbot.wait(1)
    window.history.go(-1)
    assert window.workspace.name.id == "tokens"
    assert session.current.key == first


def test_a_jump_to_a_page_of_another_workspace_is_one_step(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("one two three")
    window.actions_by_id["vocabulary_diagnostics"].trigger()
    qtbot.wait(1)
    window.actions_by_id["tokens"].trigger()
    qtbot.wait(1)
    window.session.requests.ask(ShowEntry(5))  # to the page Entries, over the page Diagnostics
    qtbot.wait(1)
    window.history.go(-1)
    assert window.workspace.name.id == "tokens"


def test_few_places_are_kept(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST", 3)
    for space in ("merges", "bytes", "tokens", "scripts"):
        window.actions_by_id[space].trigger()
        window.history.note()
    for _ in range(9):
        window.history.go(-1)
    assert window.workspace.name.id == "bytes"


def test_back_comes_back_from_the_entries_of_a_script(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("one two three")
    window.actions_by_id["script_text"].trigger()
    page = shown_in(window, SharesPage)
    canvas = page.plot.canvas
    qtbot.waitUntil(lambda: not page.plot.chart.empty)
    place = QPoint(canvas.width() // 2, 12)
    qtbot.wait(1)
    qtbot.waitUntil(lambda: canvas.group_at(place) == 0)
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=place)
    shown_in(window, VocabularyView)
    qtbot.wait(1)
    window.history.go(-1)
    assert shown_in(window, ScriptsView).page is page
    assert canvas.chosen == 0
