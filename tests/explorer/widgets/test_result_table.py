"""Tables of analyses in narrow windows: what is left out first, and where they end."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.style.theme import PAGE_MARGIN
from tokenarium.widgets.analysis.result_table import NARROW, READABLE, ResultTable
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.layouts import in_column

NAMES = ("Training", "Superwords", "Symbols of it", "Milliseconds", "First superwords")


def column(at: int) -> TableColumn[str]:
    """The last one has texts and grows; two others are spare."""
    return TableColumn(
        lambda row: TableCell(row * (3 if at == 4 else 1)),
        NAMES[at],
        spare=at in (2, 3),
        grows=at == 4,
    )


@pytest.mark.parametrize(("width", "hidden"), [(1400, []), (NARROW, [2])])
def test_the_first_spare_columns_give_way_to_readable_texts(
    qtbot: QtBot, width: int, hidden: list[int]
) -> None:
    table = on_screen(qtbot, ResultTable("Superwords"), width, 300)
    table.show_part(Table([column(at) for at in range(len(NAMES))], ["a training"], str))
    assert [at for at in range(len(NAMES)) if table.isColumnHidden(at)] == hidden
    assert table.columnWidth(4) >= READABLE
    table.resize(1400, 300)
    assert not any(map(table.isColumnHidden, range(len(NAMES))))


def test_cards_are_as_wide_with_a_scroll_bar_as_without(qtbot: QtBot) -> None:
    area = on_screen(qtbot, CardArea(), 400, 300)
    body, card = QWidget(), QWidget()
    in_column(card, into=body, margins=PAGE_MARGIN)
    area.put(0, body)
    rights = []
    for height, scrolls in ((100, False), (900, True), (100, False)):
        card.setFixedHeight(height)
        qtbot.waitUntil(lambda scrolls=scrolls: area.bar.isVisible() == scrolls)
        qtbot.waitUntil(lambda: body.width() == 400)
        rights.append(card.mapTo(area, card.rect().topRight()).x())
    assert rights == [400 - PAGE_MARGIN - 1] * 3


def test_the_bar_in_the_margin_scrolls(qtbot: QtBot) -> None:
    area = on_screen(qtbot, CardArea(), 400, 300)
    card = QWidget()
    card.setFixedHeight(900)
    area.put(0, card)
    qtbot.waitUntil(area.bar.isVisible)
    assert (area.bar.maximum(), area.bar.pageStep()) == (600, 300)
    area.bar.setValue(200)
    assert card.mapTo(area, card.rect().topLeft()).y() == -200
    area.verticalScrollBar().setValue(600)
    assert area.bar.value() == 600
