"""The window on a real display: typed into, clicked, and looked at pixel by pixel."""

from __future__ import annotations

import os

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.views.pretokens import PretokensView
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.library.library_panel import marker_rect

SHIPPED = "shipped:tokenarium-8k"


@pytest.mark.window
@pytest.mark.skipif(
    os.environ.get("QT_QPA_PLATFORM") == "offscreen", reason="needs a display to open a window on"
)
def test_a_person_types_ticks_and_switches(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.windowHandle().isExposed())
    theme, session = window.appearance.theme, window.session
    item = session.library.item(SHIPPED)
    assert item is not None
    session.edits.turn_on(SHIPPED, False)
    qtbot.keyClicks(window.text.field, "Every patch of colour is a token, 1234.")
    assert isinstance(window.workspace, TokensView)
    assert window.workspace.empty.isVisible()

    tree = window.library.tree
    tick = marker_rect(tree.visualRect(session.library.index_of(item))).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=tick)
    assert item.on
    view = window.workspace.view
    qtbot.waitUntil(lambda: len(_seen(view.viewport(), theme.tokens)) >= 4)

    # By mouse: where no window manager runs, no window is active, and keys of actions go nowhere.
    qtbot.mouseClick(window.rail.buttons[1], Qt.MouseButton.LeftButton)
    assert isinstance(window.workspace, PretokensView)
    cut = window.workspace.view.viewport()
    shades = (*theme.rule("word"), *theme.rule("digits"), *theme.rule("punctuation"))
    qtbot.waitUntil(lambda: len(_seen(cut, shades)) >= 4)


def _seen(widget: QWidget, colours: tuple[QColor, ...]) -> set[str]:
    """The colours on the screen where a widget is, whatever the widget thinks it painted."""
    corner = widget.mapToGlobal(widget.rect().topLeft())
    grabbed = widget.screen().grabWindow(0, corner.x(), corner.y(), widget.width(), widget.height())
    image = grabbed.toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 2)
    }
    return pixels & {colour.name() for colour in colours}
