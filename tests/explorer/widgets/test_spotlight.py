"""The card over the window: where it is, beside what it is about."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.widgets.spotlight import AROUND, SpotlightCard

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (853, 480), (800, 600)])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.45, 0.5, 0.6, 0.9])
def test_the_card_does_not_cover_what_it_is_about(
    qtbot: QtBot, size: tuple[int, int], share: float
) -> None:
    window = on_screen(qtbot, QWidget(), *size)
    content, foot = QWidget(), QPushButton("Close")
    content.setFixedHeight(700)
    card = SpotlightCard(content, foot, window)
    place = QRect(300, round(share * size[1]), 90, 30)
    card.open_at(QRect(window.mapToGlobal(QPoint(300, place.y())), place.size()), moves=False)
    lit = place.adjusted(-AROUND, -AROUND, AROUND, AROUND)
    assert window.rect().contains(card.card)
    assert not card.card.intersects(lit)
    assert card.card.height() >= 180
    seen = foot.visibleRegion().boundingRect().translated(foot.mapTo(window, QPoint()))
    assert seen.size() == foot.size()
