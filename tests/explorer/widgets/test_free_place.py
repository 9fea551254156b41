"""Cards over the window cover none of its controls."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QTabBar, QWidget
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.app.window import MainWindow
from tokenarium.widgets.floating import FloatingCard
from tokenarium.widgets.free_place import free_place, tops_from

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")

FIRST = QRect(150, 150, 100, 40)


def button(area: QWidget, rect: QRect) -> QPushButton:
    made = QPushButton("x", area)
    made.setGeometry(rect)
    made.show()
    return made


def test_a_card_goes_where_no_control_is(qtbot: QtBot) -> None:
    area = on_screen(qtbot, QWidget(), 400, 200)
    size = FIRST.size()

    def place(*above: QWidget) -> QRect:
        return free_place(area, size, tops_from(150, -20, area, 40), above)

    assert place() == FIRST
    one = button(area, QRect(180, 160, 20, 20))
    assert place() == QRect(8, 150, 100, 40)
    assert place(area) == FIRST  # the controls of the card itself do not count
    button(area, QRect(0, 150, 60, 40))
    assert place() == QRect(292, 150, 100, 40)
    button(area, QRect(300, 150, 60, 40))
    assert place() == QRect(150, 110, 100, 40)
    one.hide()
    assert place() == FIRST
    everywhere = button(area, area.rect())
    assert place() == FIRST  # something has to be covered
    everywhere.hide()
    assert free_place(area, QSize(500, 300), tops_from(0, 8, area, 300), ()).top() == 0


class _NotAsked(QPushButton):
    """A button of a page that is not shown: who walks through the page asks whether it is visible."""

    def isVisible(self) -> bool:
        raise AssertionError("a page that is not shown is looked through")


def test_only_what_is_shown_is_looked_through(qtbot: QtBot) -> None:
    area = on_screen(qtbot, QWidget(), 400, 200)
    hidden = QWidget(area)
    inner = QWidget(hidden)
    _NotAsked("x", inner).setGeometry(FIRST)
    shown = QWidget(area)
    shown.setGeometry(area.rect())
    shown.show()
    within = QWidget(shown)
    within.setGeometry(shown.rect())
    within.show()
    hidden.hide()
    assert free_place(area, FIRST.size(), tops_from(150, -20, area, 40), ()) == FIRST
    button(within, QRect(180, 160, 20, 20))
    assert free_place(area, FIRST.size(), tops_from(150, -20, area, 40), ()).left() == 8


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900), (853, 480), (800, 600)])
@pytest.mark.parametrize("space", ["tokens", "merges", "bytes", "vocabulary", "compare", "train"])
def test_messages_and_jobs_cover_no_controls(
    window: MainWindow, size: tuple[int, int], space: str
) -> None:
    window.resize(*size)
    window.session.set_text("Hello, world. " * 20)
    window.show_workspace(space)
    window.session.select(0, 5)
    QApplication.processEvents()
    window.session.problem.emit("A sentence about what went wrong, and where, and what to do.")
    jobs = window.job_watch.bar
    jobs.show_jobs(["Counting the tokens of a long text"], 0.4)
    jobs._soon.stop()
    jobs._name_it()
    QApplication.processEvents()
    body = window.panes.body
    cards: list[FloatingCard] = [window.messages, jobs.named]
    for card in cards:
        assert card.isVisible()
        place = card.geometry().marginsRemoved(card.margins)
        assert body.rect().contains(place)
        for control in body.findChildren(QWidget):
            if not isinstance(control, (QAbstractButton, QTabBar)) or not control.isVisible():
                continue
            seen = control.visibleRegion().boundingRect()
            covered = seen.translated(control.mapTo(body, QPoint())).intersects(place)
            assert not covered or card.isAncestorOf(control), control.accessibleName()
