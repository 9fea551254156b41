"""Notes with an arrow: their place, and how they close."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.widgets.popup import ARROW, Popover

LONG = "How unequally token counts of the same content are distributed over\nlanguages. " * 3


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 700, 500)


@pytest.mark.parametrize("about", [(10, 10), (680, 10), (10, 480), (680, 480), (340, 250)])
def test_a_note_is_inside_its_window_and_beside_its_subject(
    about: tuple[int, int], window: QWidget
) -> None:
    rect = QRect(*about, 14, 16)
    note = Popover(LONG, window)
    note.open_at(window, rect)
    spot = QRect(window.mapToGlobal(rect.topLeft()), rect.size())
    assert note.geometry().right() <= window.geometry().right()
    assert not note.geometry().intersects(spot)
    assert note.geometry().adjusted(0, -2, 0, 2).intersects(spot)
    assert note.label.geometry().bottom() <= note.height() - 10
    assert note.label.geometry().top() >= 10
    assert "over languages" in note.label.text()  # in lines of its own width
    note.close()


def test_lines_of_a_list_stay_lines(host: QWidget) -> None:
    note = Popover("Two kinds:\n• one\n• another", host)
    assert note.label.text() == "Two kinds:\n• one\n• another"
    note.close()


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_A])
def test_any_key_closes_it(key: Qt.Key, host: QWidget, qtbot: QtBot) -> None:
    note = Popover("A note.", host)
    note.open_at(host, QRect(20, 20, 14, 14))
    assert note.isVisible()
    assert note.accessibleName() == "A note."
    with qtbot.waitSignal(note.destroyed):
        qtbot.keyClick(note, key)


def test_the_corners_are_free_and_the_arrow_is_there(host: QWidget) -> None:
    note = Popover("A note.", host)
    note.open_at(host, QRect(60, 60, 14, 14))
    image = note.grab().toImage()
    assert image.pixelColor(0, ARROW + 1).alpha() == 0
    row = [image.pixelColor(x, ARROW // 2).alpha() for x in range(image.width())]
    assert max(row) == 255
    assert row[0] == row[-1] == 0
    note.close()
