"""Moving between the panes by keys: the ring of the focus is seen wherever it goes, and a click shows none."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from narrowed import there
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from windows import come_to_rest

from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.widgets.keyboard import RingOver
from tokenarium.widgets.segmented import Segmented

RING_PIXELS = 100
"""The ring of the smallest control has more."""


def pixels(window: MainWindow) -> npt.NDArray[np.int32]:
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    shape = image.height(), image.width(), 4
    return np.frombuffer(image.constBits(), np.uint8).reshape(shape).astype(np.int32)


def ring_pixels(window: MainWindow, widget: QWidget) -> int:
    """Returns how many pixels of the window the focus of a widget changes."""
    with_ring = pixels(window)
    widget.clearFocus()
    without = pixels(window)
    widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return int((np.abs(with_ring - without).sum(2) > 30).sum())


@pytest.mark.parametrize("name", [kind.name.id for kind in WORKSPACES])
def test_f6_shows_where_the_focus_is(window: MainWindow, qtbot: QtBot, name: str) -> None:
    window.resize(1440, 900)
    window.session.set_text(sample_text("welcome"))
    window.session.select(0, 7)
    window.show_workspace(name)
    reached = set()
    for _ in range(5):
        QTest.keyClick(window, Qt.Key.Key_F6)
        focus = there(window.focusWidget())
        reached.add(focus)
        assert ring_pixels(window, focus) >= RING_PIXELS, focus.accessibleName()
    assert len(reached) >= 3


def press(widget: QWidget, place: QPointF) -> None:
    """Clicks as a mouse does: the native window has the event first."""
    window = widget.window()
    at = widget.mapTo(window, place.toPoint())
    QTest.mouseClick(
        window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at
    )


def test_a_click_takes_the_ring_away(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1440, 900)
    window.show_workspace("merges")
    come_to_rest(window, qtbot)  # the switches of the page follow some time later
    (tabs, *_) = (one for one in window.findChildren(Segmented) if one.isVisible())
    tree = window.library.tree
    if tree.isVisible():
        tree.setFocus(Qt.FocusReason.ShortcutFocusReason)
    tabs.setFocus(Qt.FocusReason.ShortcutFocusReason)
    assert ring_pixels(window, tabs) >= RING_PIXELS
    press(tabs, QPointF(tabs.tabRect(tabs.currentIndex()).center()))
    assert tabs.hasFocus() or tabs.focusPolicy() == Qt.FocusPolicy.TabFocus
    before = pixels(window)
    tabs.clearFocus()
    QApplication.processEvents()
    assert int((np.abs(before - pixels(window)).sum(2) > 30).sum()) < RING_PIXELS


def test_a_list_that_is_clicked_has_no_ring(window: MainWindow) -> None:
    window.resize(1440, 900)
    tree = window.library.tree
    tree.setFocus(Qt.FocusReason.ShortcutFocusReason)
    ring = there(tree.findChild(RingOver))
    assert ring.isVisible()
    press(tree.viewport(), QPointF(tree.viewport().rect().center()))
    assert not ring.isVisible()
    window.text.field.setFocus(Qt.FocusReason.MouseFocusReason)
    tree.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not ring.isVisible()


def test_a_workspace_has_its_place_at_once(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1440, 900)
    for name in ("compare", "tokens", "train", "bytes"):
        window.show_workspace(name)
        at_once = window.workspace.mapTo(window, window.workspace.rect().topLeft())
        size = window.workspace.size()
        qtbot.wait(30)
        assert window.workspace.mapTo(window, window.workspace.rect().topLeft()) == at_once
        assert window.workspace.size() == size
