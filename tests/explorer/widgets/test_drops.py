"""Drops: what another program drags is copied, whatever it proposes, since it deletes what was moved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.widgets.drops import CopiedDrops

MOVE = Qt.DropAction.MoveAction
BOTH = Qt.DropAction.CopyAction | MOVE
HELD = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
"""Shift proposes a move."""

TAKERS: list[Callable[[MainWindow], QWidget]] = [
    lambda window: window,
    lambda window: window.text.field,
    lambda window: window.library,
    lambda window: window.library.tree,
]


def _events(mime: QMimeData, place: QPoint) -> list[QDropEvent]:
    return [
        QDragEnterEvent(place, BOTH, mime, *HELD),
        QDragMoveEvent(place, BOTH, mime, *HELD),
        QDropEvent(QPointF(place), BOTH, mime, *HELD),
    ]


@pytest.mark.parametrize("taker", range(len(TAKERS)))
def test_files_are_copied(
    window: MainWindow, tmp_path: Path, qapp: QApplication, taker: int
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("dropped")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    enter, _, drop = _events(mime, QPoint(5, 5))
    for event in (enter, drop):
        assert event.proposedAction() == MOVE
        assert qapp.sendEvent(TAKERS[taker](window), event)
        assert event.isAccepted()
        assert event.dropAction() == Qt.DropAction.CopyAction


@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit])
def test_a_text_of_another_program_is_copied_into_any_field(
    qtbot: QtBot, qapp: QApplication, kind: type[QLineEdit | QPlainTextEdit]
) -> None:
    window, field = QWidget(), kind()
    qtbot.addWidget(window)
    QVBoxLayout(window).addWidget(field)
    copied = CopiedDrops(window)
    window.show()
    qtbot.waitExposed(window)
    native = window.windowHandle()
    qapp.focusWindowChanged.emit(native)
    mime = QMimeData()
    mime.setText("dragged")
    for event in _events(mime, field.geometry().center()):
        assert event.proposedAction() == MOVE
        qapp.sendEvent(native, event)
        assert event.isAccepted()
        assert event.dropAction() == Qt.DropAction.CopyAction
    shown = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
    assert shown == "dragged"
    copied.deleteLater()
