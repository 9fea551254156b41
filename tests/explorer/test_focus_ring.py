"""The ring where the keyboard is: seen around flat buttons and tabs in both schemes, and not after a click."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.style.appearance import Scheme
from tokenarium.widgets.keyboard import RING
from tokenarium.widgets.panel import FlatButton
from tokenarium.widgets.tab_row import SwitchBar


def has_ring(widget: QWidget, left: int) -> bool:
    """Whether the left side of a ring stands at an x in the middle of a widget's height."""
    image = widget.grab().toImage()
    colour = image.pixelColor(left + RING // 2, widget.height() // 2)
    return colour == widget.palette().highlight().color()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_keyboard_is_seen_where_it_is(window: MainWindow, qtbot: QtBot, scheme: Scheme) -> None:
    window.display_commands.set_colour_scheme(scheme)
    QApplication.processEvents()
    button = window.text.controls[0]
    assert isinstance(button, FlatButton)
    window.library.tree.setFocus()
    qtbot.mouseClick(button.parentWidget(), Qt.MouseButton.LeftButton, pos=QPoint(1, 1))
    assert not has_ring(button, 0)
    qtbot.keyClick(window.library.tree, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button
    assert has_ring(button, 0)
    switch = window.findChildren(SwitchBar)[0].buttons[0]
    switch.setFocus()
    qtbot.keyClick(switch, Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is window.tabs
    assert not has_ring(button, 0)
    assert has_ring(window.tabs, window.tabs.tabRect(0).left())


def test_all_buttons_of_the_head_lines_have_a_ring(window: MainWindow) -> None:
    buttons = [*window.library.controls, *window.text.controls]
    assert len([b for b in buttons if isinstance(b, QToolButton)]) > 4
    assert all(isinstance(b, FlatButton) for b in buttons if isinstance(b, QToolButton))
