"""The look of tables: margins, rows and colours, in both schemes and in little room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from narrowed import there
from played_models import bpe
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QTableView,
    QTreeView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot
from windows import off_screen, on_screen

from tokenarium.models.titled_columns import RIGHT
from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns
from tokenarium.resources.glossary import explanation
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import DARK, GRID, LIGHT, Theme
from tokenarium.widgets.chat.chat_dialog import RoleTable
from tokenarium.widgets.compare.character_table import LEAST_NAME, ScriptTable
from tokenarium.widgets.flat_table import (
    CELL_MARGIN,
    HIGH_ROW,
    ROW_HEIGHT,
    FlatTree,
    SpreadTable,
    make_flat,
)
from tokenarium.widgets.library.about_tokenizer import AboutTokenizer
from tokenarium.widgets.library.check_dialog import CheckDialog
from tokenarium.widgets.library.find_dialog import FindDialog
from tokenarium.widgets.panel import MARGIN
from tokenarium.widgets.players.lattice_body import LatticePathList
from tokenarium.widgets.players.merge_table import LearnedMergesTable
from tokenarium.widgets.shortcut_dialog import ShortcutDialog
from tokenarium.widgets.term_marks import HeadMarks
from tokenarium.widgets.text.inspector import Inspector
from tokenarium.widgets.training.source_list import SourceList
from tokenarium.widgets.training.trained_list import TrainedList
from tokenarium.widgets.training.training_view import FileOutcomeList, RunList
from tokenarium.widgets.vocabulary.entry_table import (
    FEWEST_ROWS,
    LEFT_MARGIN,
    LOW_ROW,
    RIGHT_MARGIN,
    EntryTable,
)

MAKERS: dict[str, Callable[[], QWidget]] = {
    "about": lambda: AboutTokenizer("One", [("Stages", [("Model", "BPE")])], ""),
    "characters": ScriptTable,
    "check": CheckDialog,
    "entries": EntryTable,
    "files": FileOutcomeList,
    "find": FindDialog,
    "inspector": Inspector,
    "merges": LearnedMergesTable,
    "roles": RoleTable,
    "runs": RunList,
    "shortcuts": lambda: ShortcutDialog([("File", [("Open", "Ctrl+O")])]),
    "sources": SourceList,
    "trained": TrainedList,
    "ways": LatticePathList,
}


def views(widget: QWidget) -> list[QTreeView | QTableView]:
    """Returns the tables in a widget, or the widget that is one."""
    if isinstance(widget, QTreeView | QTableView):
        return [widget]
    return [*widget.findChildren(QTreeView), *widget.findChildren(QTableView)]


def heading_of(view: QAbstractItemView) -> QWidget:
    return view.header() if isinstance(view, QTreeView) else view.horizontalHeader()  # type: ignore[attr-defined]


def inked(image: QImage, rect: QRect, theme: Theme) -> tuple[int, int]:
    """Returns how far what is written in a rectangle stays from its left and its right edge."""
    shades = np.array(
        [
            [image.pixelColor(x, y).lightness() for x in range(rect.left(), rect.right() + 1)]
            for y in range(rect.top() + 2, rect.bottom() - 2)
        ]
    )
    columns = np.flatnonzero((np.abs(shades - shades[0, 0]) > 60).any(axis=0))
    return int(columns[0]), rect.width() - 1 - int(columns[-1])


@pytest.mark.parametrize("name", MAKERS)
def test_a_table_follows_the_scheme(name: str, qtbot: QtBot, qapp: QApplication) -> None:
    appearance = Appearance(qapp, "light")
    window = off_screen(qtbot, QWidget())
    widget = MAKERS[name]()
    QVBoxLayout(window).addWidget(widget)
    window.resize(80 * GRID, 60 * GRID)
    window.show()
    widget.show()
    assert views(widget)
    for scheme, theme in (("dark", DARK), ("light", LIGHT), ("dark", DARK)):
        appearance.set_scheme(scheme)  # type: ignore[arg-type]
        qapp.processEvents()
        for view in views(widget):
            view.show()
            assert view.palette().color(QPalette.ColorRole.Base) == theme.surface
            heading = heading_of(view)
            if heading.isVisible() and heading.height() and heading.width():
                image = heading.grab().toImage()
                under = image.height() - 4  # the titles, above the hairline
                assert image.pixelColor(image.width() - 1, under) == theme.surface
    appearance.set_scheme("light")


def rows(margin: int) -> QTreeWidget:
    tree = QTreeWidget()
    make_flat(tree, margin)
    tree.setRootIsDecorated(False)
    tree.setHeaderLabels(["HHH", "III"])
    for _ in range(3):
        tree.addTopLevelItem(QTreeWidgetItem(["HHH", "III"]))
    return tree


@pytest.mark.parametrize("margin", [CELL_MARGIN, GRID // 2])
def test_cells_have_the_margins_of_their_headings_and_rows_are_on_the_grid(
    margin: int, qtbot: QtBot, qapp: QApplication
) -> None:
    Appearance(qapp, "light")
    tree = on_screen(qtbot, rows(margin))
    first = tree.visualItemRect(tree.topLevelItem(1))
    assert first.height() == ROW_HEIGHT == tree.sizeHintForRow(0)
    for column in range(2):
        left = tree.header().sectionPosition(column)
        cell = QRect(left, first.top(), tree.columnWidth(column), first.height())
        head = QRect(left, 0, tree.columnWidth(column), tree.header().height())
        in_cell, _ = inked(tree.viewport().grab().toImage(), cell, LIGHT)
        in_head, _ = inked(tree.header().grab().toImage(), head, LIGHT)
        assert in_cell == in_head
        assert margin <= in_cell <= margin + 2


def test_a_tree_begins_where_the_text_above_it_does(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    table = off_screen(
        qtbot, FlatTree("Characters", ["HHH", "III"], GRID // 2, MARGIN, growing=(1,))
    )
    table.addTopLevelItem(QTreeWidgetItem(["HHH", "III"]))
    table.resize(40 * GRID, 20 * GRID)
    table.show()
    row = table.visualItemRect(table.topLevelItem(0))
    for column, margin in ((0, MARGIN), (1, GRID // 2)):
        left, width = table.header().sectionPosition(column), table.columnWidth(column)
        cell = QRect(left, row.top(), width, row.height())
        in_cell, _ = inked(table.viewport().grab().toImage(), cell, LIGHT)
        head = QRect(left, 0, width, table.header().height())
        in_head, _ = inked(table.header().grab().toImage(), head, LIGHT)
        assert in_cell == in_head
        assert margin <= in_cell <= margin + 2


def test_what_is_selected_shows_whether_the_table_has_the_keyboard(
    qtbot: QtBot, qapp: QApplication
) -> None:
    Appearance(qapp, "light")
    window, tree, other = QWidget(), rows(CELL_MARGIN), rows(CELL_MARGIN)
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    for view in (tree, other):
        layout.addWidget(view)
        view.setCurrentItem(view.topLevelItem(0))
    window.show()
    window.activateWindow()
    place = tree.visualItemRect(tree.topLevelItem(0)).topLeft() + QPoint(2, 4)
    for focused, quiet in ((tree, other), (other, tree)):
        focused.setFocus()
        qtbot.waitUntil(focused.hasFocus)
        assert focused.viewport().grab().toImage().pixelColor(place) == LIGHT.accent
        assert quiet.viewport().grab().toImage().pixelColor(place) == LIGHT.selection


def test_entries_are_under_their_headings(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    table = off_screen(qtbot, EntryTable())
    columns = VocabularyColumns(bpe())
    table.entries.show_rows(columns, np.arange(len(columns.vocabulary), dtype=np.int32))
    table.resize(table.full_width, 40 * GRID)
    table.show()
    image, heads = table.viewport().grab().toImage(), table.horizontalHeader().grab().toImage()
    for column, right in ((0, True), (1, False), (3, False), (5, True)):
        left, width = table.columnViewportPosition(column), table.columnWidth(column)
        cell = inked(image, QRect(left, table.rowViewportPosition(1), width, 3 * GRID), LIGHT)
        head = inked(heads, QRect(left, 0, width, heads.height()), LIGHT)
        margin = RIGHT_MARGIN if right else LEFT_MARGIN
        assert abs(cell[right] - margin) <= 2
        assert abs(head[right] - margin) <= 2


def test_rows_of_entries_are_high_where_there_is_room_with_hairlines_between(
    qtbot: QtBot, qapp: QApplication
) -> None:
    Appearance(qapp, "light")
    table = off_screen(qtbot, EntryTable())
    columns = VocabularyColumns(bpe())
    table.entries.show_rows(columns, np.arange(3, dtype=np.int32))
    for height, row in ((FEWEST_ROWS * 5 * GRID, 5 * GRID), (20 * GRID, LOW_ROW)):
        table.resize(80 * GRID, height)
        table.show()
        qapp.processEvents()
        assert [table.rowHeight(0), table.horizontalHeader().height()] == [row, row]
        image = table.viewport().grab().toImage()
        painted = [image.pixelColor(300, y) == LIGHT.line for y in range(image.height())]
        assert [y for y, line in enumerate(painted) if line] == [row - 1, 2 * row - 1, 3 * row - 1]


def test_the_arrow_of_the_sorted_column_is_next_to_its_title(
    qtbot: QtBot, qapp: QApplication
) -> None:
    Appearance(qapp, "light")
    table = off_screen(qtbot, EntryTable())
    table.entries.show_rows(VocabularyColumns(bpe()), np.arange(3, dtype=np.int32))
    table.resize(table.full_width, 40 * GRID)
    table.show()
    heads = table.horizontalHeader()
    marks = there(heads.viewport().findChild(HeadMarks))
    for column, before in ((0, True), (1, False), (5, True)):
        table.sort_by(column, False)
        left, width = heads.sectionViewportPosition(column), heads.sectionSize(column)
        title = str(table.model().headerData(column, Qt.Orientation.Horizontal))
        text = heads.fontMetrics().horizontalAdvance(title)
        arrow = marks.arrow
        assert left <= arrow.left()
        assert arrow.right() <= left + width
        edge = left + width - RIGHT_MARGIN - text if before else left + LEFT_MARGIN + text
        assert abs((arrow.right() if before else arrow.left()) - edge) <= GRID - 2
        up = heads.grab().toImage().copy(arrow.toRect())
        table.sort_by(column, True)
        assert heads.grab().toImage().copy(arrow.toRect()) != up
    table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    assert marks.arrow.isEmpty()


def test_columns_share_the_width_and_rows_set_the_height(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    table = SpreadTable("Sizes", ["Vocabulary", "Entries"], 2, terms={}, numbers=(1,))
    off_screen(qtbot, table)
    table.resize(100 * GRID, 20 * GRID)
    table.show()
    for name in ("one", "two", "three"):
        table.addTopLevelItem(table.row_of([name * 6, "1,200"]))
        table.fit()
        qapp.processEvents()
        shown = min(table.topLevelItemCount(), 2)
        assert table.viewport().height() == shown * HIGH_ROW
        assert table.visualItemRect(table.topLevelItem(0)).height() == HIGH_ROW
        room = table.viewport().width()
        assert room - 2 < table.columnWidth(0) + table.columnWidth(1) <= room
    assert table.columnWidth(0) > table.columnWidth(1)
    image = table.viewport().grab().toImage()
    assert image.pixelColor(5, 2 * HIGH_ROW - 1) == LIGHT.line  # the first row is chosen
    table.resize(10 * GRID, table.height())
    qapp.processEvents()
    assert table.columnWidth(0) >= table.sizeHintForColumn(0)
    assert table.horizontalScrollBar().maximum() > 0
    assert table.viewport().height() == 2 * HIGH_ROW


def test_a_hidden_table_takes_the_colours_when_it_is_shown(
    qtbot: QtBot, qapp: QApplication
) -> None:
    appearance = Appearance(qapp, "light")
    table = off_screen(qtbot, FlatTree("Rows", ["One"]))
    table.show()
    before = table.styleSheet()
    table.hide()
    appearance.set_scheme("dark")
    assert table.styleSheet() == before
    table.show()
    assert DARK.surface.name() in table.styleSheet()
    appearance.set_scheme("light")
    assert table.styleSheet() == before


def test_spare_columns_are_left_out_one_after_the_other(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    heads = ["Vocabulary", "Entries", "Rows", "bf16 (MB)"]
    table = off_screen(qtbot, SpreadTable("Sizes", heads, 2, terms={}, numbers=(1,), spare=(2, 1)))
    table.addTopLevelItem(table.row_of(["one", "1,200", "1,280", "3.1"]))
    table.show()
    seen = []
    for grids in range(80, 10, -1):
        table.resize(grids * GRID, 20 * GRID)
        qapp.processEvents()
        left_out = [column for column in range(4) if table.isColumnHidden(column)]
        if left_out not in seen:
            seen.append(left_out)
        if left_out != [1, 2]:
            assert table.horizontalScrollBar().maximum() == 0
    assert seen == [[], [2], [1, 2]]
    table.resize(80 * GRID, 20 * GRID)
    qapp.processEvents()
    assert not any(table.isColumnHidden(column) for column in range(4))


def test_names_of_scripts_leave_room_for_the_figures(qtbot: QtBot, qapp: QApplication) -> None:
    Appearance(qapp, "light")
    table = off_screen(qtbot, ScriptTable())
    table.show_rows(["One"], [(1, "Caucasian Albanian", 53, [0]), (2, "Latin", 1653, [94])])
    table.resize(80 * GRID, 20 * GRID)
    table.show()
    qapp.processEvents()
    assert table.columnWidth(0) == table.sizeHintForColumn(0)
    table.resize(32 * GRID, 20 * GRID)
    qapp.processEvents()
    assert LEAST_NAME <= table.columnWidth(0) < table.sizeHintForColumn(0)
    assert table.columnViewportPosition(1) + table.columnWidth(1) <= table.viewport().width()


def test_a_heading_without_room_ends_with_an_ellipsis(qtbot: QtBot) -> None:
    tree = off_screen(qtbot, QTreeWidget())
    make_flat(tree)
    assert tree.header().textElideMode() is Qt.TextElideMode.ElideRight


def test_the_columns_of_a_tree_are_declared(qtbot: QtBot) -> None:
    tree = off_screen(
        qtbot, FlatTree("Words", ("Word", "Id"), terms={1: "id"}, numbers=(1,), growing=(0,))
    )
    row = tree.row_of(["low", "7"])
    assert [item.textAlignment(1) for item in (row, tree.headerItem())] == [int(RIGHT)] * 2
    assert row.textAlignment(0) != int(RIGHT)
    modes = [tree.header().sectionResizeMode(column) for column in range(2)]
    assert modes == [QHeaderView.ResizeMode.Stretch, QHeaderView.ResizeMode.ResizeToContents]
    assert tree.headerItem().toolTip(1) == explanation("id")
