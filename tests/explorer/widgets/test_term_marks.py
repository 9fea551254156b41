"""The “?” at the terms of the glossary: in the heads of tables and in forms, by mouse and by key."""

from __future__ import annotations

import pytest
from narrowed import there
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from windows import emitted, on_screen

from tokenarium.resources.glossary import explanation, load_glossary
from tokenarium.widgets.flat_table import FlatTree, TermHeads
from tokenarium.widgets.popup import Popover
from tokenarium.widgets.term_marks import HeadMarks, TermButton


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The explanations that were opened."""
    texts: list[str] = []

    def show(note: Popover, widget: QWidget, about: QRect) -> None:
        texts.append(note.label.text())

    monkeypatch.setattr(Popover, "open_at", show)
    return texts


@pytest.fixture
def table(qtbot: QtBot) -> FlatTree:
    """A table with a term over its second column."""
    table = FlatTree("A table", ("Name", "Rank", "Note"))
    table.setHeaderItem(TermHeads(("Name", "Rank", "Note"), {1: "rank"}))
    table.header().setSectionsClickable(True)
    for number in range(3):
        table.addTopLevelItem(type(table.headerItem())([str(number), "1", ""], {}))
    table.resize(420, 200)
    qtbot.addWidget(table)
    table.show()
    load_glossary()
    return table


def marks_of(table: FlatTree) -> HeadMarks:
    return there(table.header().viewport().findChild(HeadMarks))


def test_only_columns_with_a_term_have_a_mark(table: FlatTree) -> None:
    assert [section for section, _ in marks_of(table).marks()] == [1]


def test_a_click_on_the_mark_explains_and_does_not_sort(
    table: FlatTree, shown: list[str], qtbot: QtBot
) -> None:
    clicked: list[int] = emitted(table.header().sectionClicked)
    ((_, rect),) = marks_of(table).marks()
    viewport = table.header().viewport()
    QTest.mouseClick(
        viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, rect.center()
    )
    assert shown == [explanation("rank").replace("\n", " ")]
    assert clicked == []
    beside = QPoint(rect.left() - 20, rect.center().y())
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, beside)
    assert len(shown) == 1
    assert clicked == [1]


def test_the_key_explains_the_column_of_the_cursor(table: FlatTree, shown: list[str]) -> None:
    table.setFocus()
    for column in (0, 1):
        table.setCurrentIndex(table.model().index(0, column))
        QTest.keyClicks(table, "?")
    assert shown == [explanation("rank").replace("\n", " ")]


def test_a_mark_of_a_form_opens_by_mouse_and_by_key(qtbot: QtBot, shown: list[str]) -> None:
    button = on_screen(qtbot, TermButton("merge", "What a merge is."))
    assert button.accessibleName() == "What is merge?"
    button.click()
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert shown == ["What a merge is."] * 2


def test_the_mark_is_painted_under_the_pointer_when_the_glossary_is_there(
    table: FlatTree, qtbot: QtBot
) -> None:
    marks, viewport = marks_of(table), table.header().viewport()
    ((section, rect),) = marks.marks()

    def painted() -> bool:
        qtbot.waitUntil(lambda: not marks._read.isActive())
        with_mark = viewport.grab(rect).toImage()
        marks.hide()
        without = viewport.grab(rect).toImage()
        marks.show()
        return with_mark != without

    def point(column: int) -> None:
        at = QPointF(table.header().sectionViewportPosition(column) + 20, 5)
        button, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        moved = QMouseEvent(
            QEvent.Type.MouseMove, at, viewport.mapToGlobal(at), button, button, keys
        )
        QApplication.sendEvent(viewport, moved)

    for column in (section, 0, section):
        point(column)
        assert painted() is (column == section)
    QApplication.sendEvent(viewport, QEvent(QEvent.Type.Leave))
    assert not painted()


def test_the_mark_of_a_number_is_at_the_left(table: FlatTree) -> None:
    ((_, before),) = marks_of(table).marks()
    table.headerItem().setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
    ((_, rect),) = marks_of(table).marks()
    left = table.header().sectionViewportPosition(1)
    assert rect.left() == left
    assert before.right() == left + table.header().sectionSize(1) - 1
