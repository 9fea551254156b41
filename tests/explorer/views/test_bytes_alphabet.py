"""The page with GPT-2's table of bytes and characters."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from windows import Host, shown_in

from tokenarium.app.window import MainWindow
from tokenarium.models.text.byte_table import HEADS
from tokenarium.views.bytes_alphabet import ByteTablePage


@pytest.fixture
def page(window: MainWindow) -> ByteTablePage:
    window.actions_by_id["byte_table"].trigger()
    return shown_in(window, ByteTablePage)


def test_all_bytes_with_their_ids(host: Host, page: ByteTablePage, qtbot: QtBot) -> None:
    assert page.table.topLevelItemCount() == 256
    assert page.table.columnCount() == len(HEADS) + 1
    host.session.edits.turn_on("shipped:bpe-gpt2-8k", True)
    host.session.edits.turn_on("shipped:unigram-8k", True)
    qtbot.waitUntil(lambda: len(host.session.chosen()) == 3)
    page.show_rows()
    assert page.table.columnCount() == len(HEADS) + 2
    assert "No ids of single bytes: Unigram 8k" in page.said.text()


def test_the_filter(page: ByteTablePage) -> None:
    QTest.keyClicks(page.field, "0x20")
    assert [row.character for row in page.rows] == ["Ġ"]
    page.field.setText("what there is not")
    assert not page.nothing.isHidden()
    page.field.clear()
    page.mapped.click()
    assert page.table.topLevelItemCount() == 68
    assert "0 map to themselves, 68 to another" in page.said.text()


def test_numbers_sort_as_numbers(page: ByteTablePage) -> None:
    page.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert [line[0] for line in page.lines()[1:4]] == ["255", "254", "253"]
    page.table.sortByColumn(3, Qt.SortOrder.AscendingOrder)
    characters = [line[3] for line in page.lines()[1:]]
    assert characters == sorted(characters)
    assert page.as_csv().count("\n") == 257


def test_what_is_shown_is_copied(page: ByteTablePage) -> None:
    page.field.setText("Ċ")
    page.copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("10\t0A\tLF line feed\tĊ\tU+010A\t")
