"""What a screen reader hears and finds: messages, counts, and a name for all that takes keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from narrowed import there
from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QLabel,
    QWidget,
)
from pytestqt.qtbot import QtBot
from windows import off_screen, on_screen

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.widgets import announcing
from tokenarium.widgets.announcing import Announcer, announce
from tokenarium.widgets.segmented import Segmented


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """The sentences that were said, and whether at once; an alert is an empty one."""
    said: list[tuple[str, bool]] = []

    def note(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            urgent = event.politeness() is QAccessible.AnnouncementPoliteness.Assertive
            said.append((event.message(), urgent))
        elif event.type() == QAccessible.Event.Alert:
            said.append(("", True))

    monkeypatch.setattr(announcing.QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(announcing.QAccessible, "updateAccessibility", note)
    monkeypatch.setattr(announcing, "SETTLES_MS", 10)
    return said


def test_a_problem_is_an_alert_and_a_note_is_not(
    heard: list[tuple[str, bool]], qtbot: QtBot
) -> None:
    label = off_screen(qtbot, QLabel())
    announce(label, "The file is too large.", urgent=True)
    announce(label, "Saved.")
    announce(label, "")
    assert heard == [("", True), ("The file is too large.", True), ("Saved.", False)]


def test_what_changes_fast_is_said_once(heard: list[tuple[str, bool]], qtbot: QtBot) -> None:
    label = on_screen(qtbot, QLabel())
    announcer = Announcer(label, label.text)
    for count in range(20):
        label.setText(f"{count} tokens")
        announcer.start()
    qtbot.waitUntil(lambda: heard == [("19 tokens", False)])
    announcer.start()
    qtbot.wait(40)
    assert len(heard) == 1  # nothing else to say


def test_the_window_says_messages_and_counts(
    heard: list[tuple[str, bool]], window: MainWindow, qtbot: QtBot
) -> None:
    window.session.problem.emit("The file is broken.")
    assert ("The file is broken.", True) in heard
    window.messages.tell("Copied.")
    assert ("Copied.", False) in heard
    window.session.set_text("Some words to count.")
    qtbot.waitUntil(lambda: any("tokens" in said for said, _ in heard))


def _takes_keys(app: QApplication) -> Iterator[QWidget]:
    for widget in app.allWidgets():
        parent = widget.parentWidget()
        inner = isinstance(parent, QAbstractSpinBox) or (
            isinstance(parent, QAbstractScrollArea) and widget is parent.viewport()
        )  # the widget around it takes the focus
        if widget.isVisible() and widget.focusPolicy() != Qt.FocusPolicy.NoFocus and not inner:
            yield widget


@pytest.mark.slow
@pytest.mark.parametrize("workspace", [kind.name.id for kind in WORKSPACES])
def test_all_that_takes_keys_has_a_name(
    workspace: str, window: MainWindow, qapp: QApplication, qtbot: QtBot
) -> None:
    window.session.set_text("Some words, and नमस्ते 👍.")
    window.show_workspace(workspace)
    pages = [
        one
        for one in window.findChildren(Segmented)
        if one.isVisible() and one.accessibleName() == "Pages"
    ]
    for place in range(pages[0].count() if pages else 1):
        if pages:
            pages[0].setCurrentIndex(place)
        qtbot.wait(1)
        for widget in _takes_keys(qapp):
            found = QAccessible.queryAccessibleInterface(widget)
            assert found is not None, widget
            name = found.text(QAccessible.Text.Name).strip()
            assert len(name) > 1, (workspace, place, widget)


def test_tokens_are_children_with_a_text_an_id_and_a_span(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("one two\n\n  three 👍")
    view = window.workspace.view  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: len(view.parts) > 3)
    found = there(QAccessible.queryAccessibleInterface(view))
    assert found.role() == QAccessible.Role.List
    names = [found.child(place).text(QAccessible.Text.Name) for place in range(found.childCount())]
    assert all(name.strip() for name in names)
    abouts = [
        found.child(place).text(QAccessible.Text.Description) for place in range(found.childCount())
    ]
    assert abouts[0].startswith("id ")
    assert "bytes 0 to" in abouts[0]
    assert len(names) == len(view.parts)
