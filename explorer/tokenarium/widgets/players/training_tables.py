"""Tables next to the player of a training: its pre-tokens, all its pairs, and the changes of the last merge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from tokenarium.models.files import chosen_path
from tokenarium.models.merges.training_tables import Ints, StepTables, StoryTable, TableWriter
from tokenarium.models.text.qt_text import as_tip, into_qt
from tokenarium.models.titled_columns import LEFT, RIGHT, Index, TitledColumns
from tokenarium.style.fonts import mono_font
from tokenarium.style.theme import CARD_MARGIN, GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.widgets.flat_table import CELL_MARGIN, make_table
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, menu_button, named, secondary
from tokenarium.widgets.segmented import Segmented

OVERVIEW, PRE_TOKENS, PAIRS, CHANGES = range(4)
TABLES = 4
OVERVIEW_TIP = "What the step was chosen from, the compression, and the text after it"
MOST_COPIED = 10_000
"""The most rows that can be copied; a file has no limit."""

LONG = 20_000
"""Rows from which on a table is sorted at most every `PAUSE_MS`, as sorting takes more than a frame."""

PAUSE_MS = 120
LEAST_COLUMN = 13 * GRID
"""The least pixels of a column: in less, the table scrolls."""

NARROW = 84 * GRID
"""The least pixels with room for the filter and the sentence next to the choices; otherwise they are below."""

ROOMY = 110 * GRID
"""The least pixels with room for a wide filter."""

_State = QStyle.StateFlag
_DRESSED = _State.State_Selected | _State.State_MouseOver | _State.State_HasFocus
"""The states of a cell that the style paints."""

LOSSES = ("Change", "What happened to it")
"""The columns in which removed or smaller values have the colour of a loss."""


class StoryRows(TitledColumns):
    """The rows of one table, whose cells are made when they are visible."""

    def __init__(self, table: StoryTable) -> None:
        super().__init__()
        self.theme: Theme  # set by its view
        self.table = table
        self.columns = table.titles  # type: ignore[misc]
        self.terms = table.terms  # type: ignore[misc]
        self.numbers = table.numbers
        self.items: Ints = np.zeros(0, dtype=np.int64)
        self._rows = range(0)

    def set_items(self, items: Ints) -> None:
        """Shows new items, or the same in a different order."""
        same = len(items) == len(self._rows)
        if not same:
            self.beginResetModel()
        self.items, self._rows = items, range(len(items))
        if not same:
            self.endResetModel()
        elif len(items):
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(items) - 1, len(self.columns) - 1)
            )

    def head_tip(self, section: int) -> str | None:
        return self.table.tips.get(section) or super().head_tip(section)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return into_qt(self.table.cell(int(self.items[index.row()]), column))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in self.table.numbers else LEFT
        if role == Qt.ItemDataRole.FontRole and column not in self.table.numbers:
            return mono_font()
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(self.table.cell(int(self.items[index.row()]), column))
        if role == Qt.ItemDataRole.ForegroundRole:
            title = self.table.titles[column]
            lacks = title in LOSSES and self.table.lacks(int(self.items[index.row()]))
            if title == "Change":
                return self.theme.bad if lacks else self.theme.good
            return self.theme.bad if lacks else None
        return None


class StoryCells(QStyledItemDelegate):
    """Paints plain cells itself: at each step all of them are new, and the style needs ten times as long."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if option.state & _DRESSED:
            super().paint(painter, option, index)
            return
        rows = cast(StoryRows, index.model())
        number = index.column() in rows.table.numbers
        font = option.font if number else mono_font()
        colour = rows.data(index, Qt.ItemDataRole.ForegroundRole)
        painter.setFont(font)
        painter.setPen(colour or rows.theme.ink)
        rect = option.rect.adjusted(CELL_MARGIN, 0, -CELL_MARGIN, 0)
        text = QFontMetrics(font).elidedText(
            rows.data(index), Qt.TextElideMode.ElideRight, rect.width()
        )
        painter.drawText(rect, RIGHT if number else LEFT, text)


class StoryView(Themed, QTableView):
    """A table of a training; a click on a heading sorts it."""

    def __init__(self, table: StoryTable) -> None:
        super().__init__()
        self.rows = StoryRows(table)
        self.follow_theme()
        self.query = ""
        self.sorted_by = table.sorted_by
        make_table(self, table.name, self.rows)
        self.setItemDelegate(StoryCells(self))
        self.setWordWrap(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        heads = self.horizontalHeader()
        heads.setSectionsClickable(True)
        heads.setSortIndicatorShown(True)
        heads.setStretchLastSection(True)
        heads.sectionClicked.connect(self._sort)
        self._show_direction()

    def dress(self, theme: Theme) -> None:
        self.rows.theme = theme

    def _sort(self, column: int) -> None:
        table = self.rows.table
        if column not in table.unsorted:
            descending = not self.sorted_by[1] if column == self.sorted_by[0] else None
            self.sort(column, column in table.numbers if descending is None else descending)
        self._show_direction()

    def sort(self, column: int, descending: bool) -> None:
        """Sorts the rows by a column that can be sorted by."""
        table = self.rows.table
        if 0 <= column < len(table.titles) and column not in table.unsorted:
            self.sorted_by = column, descending
            self.refresh()
            self._show_direction()

    def _show_direction(self) -> None:
        column, descending = self.sorted_by
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(column, order)

    def refresh(self) -> None:
        """Filters and sorts the rows again."""
        self.rows.set_items(self.rows.table.rows(*self.sorted_by, self.query))
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.viewport().width()
        widths = [width * GRID for width in self.rows.table.widths]
        share = min(1.0, room / sum(widths))
        for column, width in enumerate(widths):
            self.setColumnWidth(column, max(min(width, LEAST_COLUMN), int(width * share)))

    def copied(self) -> str:
        """Returns the selected rows, or all, with tabs between cells, after the headings of the columns."""
        table = self.rows.table
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows = chosen or range(min(len(self.rows.items), MOST_COPIED))
        lines = [
            [table.cell(int(self.rows.items[row]), n) for n in range(len(table.titles))]
            for row in rows
        ]
        return "".join(
            "\t".join(line) + "\n" for line in [list(table.titles), *lines[:MOST_COPIED]]
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            event.ignore()  # steps of the player
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Puts the selected rows, or all, into the clipboard."""
        QGuiApplication.clipboard().setText(into_qt(self.copied()))


class TrainingTables(QWidget):
    """A choice of the given overview and the tables of a training; the chosen one fills the room."""

    write_wanted = Signal(object, object)  # what makes the writer of a path, and the path
    chosen = Signal(int)

    def __init__(self, overview: QWidget) -> None:
        super().__init__()
        self._tables: StepTables | None = None
        self._position = 0
        self.wanted = OVERVIEW  # the choice once there is a training
        self._views: dict[int, StoryView] = {}  # the tables that were shown
        self._sorts: dict[int, tuple[int, bool]] = {}  # of the tables that were not shown
        self.choice = named(Segmented(("Overview",)), "What is shown of the training")
        self.choice.setTabToolTip(OVERVIEW, OVERVIEW_TIP)
        self.filter = named(QLineEdit(), "Filter", "A text, one id, or two: (101, 32)")
        self.filter.setPlaceholderText("Text or ids …")
        self.filter.setClearButtonEnabled(True)
        self.sentence = secondary(ElidedLabel())
        menu = QMenu(self)
        menu.addAction("Copy the rows").triggered.connect(self._copy)
        menu.addAction("Save as CSV …").triggered.connect(self.ask_and_save)
        self.more = menu_button("Save", "Copy or save the table", menu)
        self._stack = PageStack()
        self._overview = overview
        self._stack.addWidget(overview)
        self._tools = QWidget()
        in_row((self.sentence, 1), self.filter, self.more, into=self._tools, spacing=GRID)
        self._head = QWidget()
        self._row = in_row(
            self.choice,
            (self._tools, 1),
            into=self._head,
            spacing=2 * GRID,
            margins=(CARD_MARGIN, GRID // 2, CARD_MARGIN, GRID // 2),
        )
        in_column(self._head, (self._stack, 1), into=self)
        self._later = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._later.timeout.connect(self._refresh)
        self.choice.chosen.connect(self.choose)
        self.filter.textChanged.connect(self._filter)
        self.choose(OVERVIEW)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._head.minimumSizeHint().height() + 12 * GRID)

    @property
    def shown(self) -> int:
        """The visible part: `OVERVIEW`, `PRE_TOKENS`, `PAIRS` or `CHANGES`."""
        return self.choice.currentIndex()

    @property
    def views(self) -> list[StoryView]:
        """The tables of this training that were shown so far: each is made when it is chosen."""
        return list(self._views.values())

    @property
    def sorts(self) -> list[tuple[int, bool]]:
        """The column that each table is sorted by, and whether the largest come first; none without a training."""
        if self._tables is None:
            return []
        usual = {n: table.sorted_by for n, table in enumerate(self._tables.tables, 1)}
        seen = {place: view.sorted_by for place, view in self._views.items()}
        return list({**usual, **self._sorts, **seen}.values())

    def sort(self, sorts: Sequence[tuple[int, bool]]) -> None:
        """Sorts the tables, including those that were not shown yet; see `sorts`."""
        self._sorts = dict(enumerate(sorts, 1))
        for place, view in self._views.items():
            if place in self._sorts:
                view.sort(*self._sorts[place])

    @property
    def view(self) -> StoryView | None:
        """The visible table; None for the overview."""
        return self._views.get(self.shown)

    def set_story(self, tables: StepTables | None) -> None:
        """Shows the tables of a training; None for one without recorded pairs, which has only the overview."""
        for view in self.views:
            self._stack.removeWidget(view)
            view.deleteLater()
        self.choice.choose(
            OVERVIEW
        )  # removing the current choice would count as a choice of the user
        while self.choice.count() > 1:
            self.choice.removeTab(1)
        self._tables, self._views, self._sorts = tables, {}, {}
        if tables is not None:
            for table in tables.tables:
                self.choice.setTabToolTip(self.choice.addTab(table.name), table.about)
        self._head.setVisible(tables is not None)
        self.choose(self.wanted if tables is not None else OVERVIEW)

    def choose(self, place: int) -> None:
        """Shows the overview or a table, of the next training if there is none."""
        self.wanted = place
        place = place if self._tables is not None else OVERVIEW
        self.choice.choose(place)
        self._tools.setVisible(place != OVERVIEW)
        if self._tables is not None and place and place not in self._views:
            view = self._views[place] = StoryView(self._tables.tables[place - 1])
            self._stack.addWidget(view)
            if place in self._sorts:
                view.sort(*self._sorts[place])
        self._stack.setCurrentWidget(self._views.get(place, self._overview))
        if self.view is not None:
            self.view.query = self.filter.text()
            self._refresh()
        self.chosen.emit(place)

    def show_position(self, position: int) -> None:
        """Shows the counts after this many merges."""
        self._position = position
        view = self.view
        if view is None or self._tables is None:
            return
        if len(view.rows.items) > LONG:
            if not self._later.isActive():
                self._later.start()
        else:
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        view, tables = self.view, self._tables
        if view is None or tables is None:
            return
        moved = tables.step != self._position
        tables.go_to(self._position)
        table = view.rows.table
        if not moved or table.follows or not len(view.rows.items):
            view.refresh()
        else:
            view.viewport().update()
        self.sentence.setText(table.sentence(len(view.rows.items)))

    def _filter(self) -> None:
        if self.view is not None:
            self.view.query = self.filter.text()
            self._refresh()

    def _copy(self) -> None:
        if self.view is not None:
            self.view.copy()

    def ask_and_save(self) -> None:
        """Asks for a file name and writes the rows of the table there."""
        view = self.view
        if view is None:
            return
        table = view.rows.table
        at = f" after {self._position} steps"
        name, _ = ask_new_file(
            "tables", self, "Save the table", f"{table.name}{at}.csv", "Table (*.csv)"
        )
        if name:
            make = partial(TableWriter, table, view.rows.items)
            self.write_wanted.emit(make, chosen_path(name, ".csv"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= NARROW
        direction = self._row.Direction
        self._row.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self.filter.setFixedWidth(26 * GRID if self.width() >= ROOMY else 15 * GRID)
