"""The page Byte table of the workspace Bytes: the 256 bytes, GPT-2's characters for them, and their ids."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidgetItem,
    QWidget,
)

import tokenarium_core as tc
from tokenarium.models.files import write_whole
from tokenarium.models.text.byte_table import (
    HEADS,
    TIPS,
    ByteTableRow,
    as_csv,
    byte_level,
    byte_rows,
    matching_rows,
    table_lines,
)
from tokenarium.models.text.piece import character_name, counted
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import TEXT_SIZE, mono_font
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_control, kept_scroll, kept_sort
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import SOON_MS, Page, Workspace, column, soon
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.widgets.flat_table import FlatTree
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_row
from tokenarium.widgets.panel import ElidedLabel, named, secondary

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
WIDTHS = (84, 72, 176, 108, 92)
ID_WIDTH = 128
"""Pixels of the columns."""

NUMBERS = (0, 1)
"""The columns of numbers before the ids."""


class _ByteItem(QTreeWidgetItem):
    """A row that sorts numbers as numbers."""

    def __init__(self, row: ByteTableRow) -> None:
        super().__init__(row.cells())
        self.row = row

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        assert isinstance(other, _ByteItem)
        return self._key(tree.sortColumn()) < other._key(tree.sortColumn())

    def _key(self, place: int) -> tuple[int, str]:
        row = self.row
        if place >= len(HEADS):
            return row.ids[place - len(HEADS)], ""
        if place in NUMBERS:
            return row.byte, ""
        return (ord(row.character), "") if place in (3, 4) else (0, self.text(place))


NARROW = 76 * GRID
"""Pixels: a narrower page has no room for the field next to its buttons."""

PROGRAM = """
rows = rows_of(table_lines(matching_rows(byte_rows(list(TOKENIZERS.values())), FILTER, MAPPED), list(TOKENIZERS)))
"""

IMPORTS = """
from tokenarium.models.programs import rows_of
from tokenarium.models.text.byte_table import byte_rows, matching_rows, table_lines
"""


class ByteTablePage(Page):
    """A filter, the table, and buttons that copy and save it."""

    id = "alphabet"
    title = "Byte table"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.field = named(QLineEdit(clearButtonEnabled=True), "Filter the bytes")
        self.field.setPlaceholderText("A byte (233, 0xE9), a character (Ġ), an id, a word")
        self.mapped = QCheckBox("Only bytes that map to another character")
        self.mapped.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.mapped.setToolTip(explanation("byte alphabet"))
        self.copy, self.save = GlyphButton("Copy", "copy"), GlyphButton("Save …", "export")
        self.copy.setToolTip("Copies the visible rows, separated by tabs")
        self.save.setToolTip("Writes the visible rows as CSV")
        self.said = secondary(ElidedLabel())
        self.nothing = secondary(
            QLabel("No results. Try a number from 0 to 255, or a shorter search.")
        )
        self.nothing.setContentsMargins(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID)
        self.table = FlatTree("The 256 bytes", HEADS, left=PAGE_MARGIN)
        self.table.setAllColumnsShowFocus(True)
        self.table.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.names: list[str] = []
        self.rows: list[ByteTableRow] = []
        self._of: list[tc.Tokenizer | None] = []  # whose ids are shown
        self._others: list[str] = []  # the names of tokenizers without ids of single bytes
        self._all: list[ByteTableRow] = []
        self._soon = soon(self, self.show_rows, SOON_MS)
        head = QWidget()
        margins = (PAGE_MARGIN, GRID * 3 // 2, PAGE_MARGIN, GRID)
        rest = in_row(self.mapped, STRETCH, self.copy, self.save, spacing=GRID)
        self._head = in_row((self.field, 1), rest, into=head, spacing=GRID, margins=margins)
        self.said.setContentsMargins(PAGE_MARGIN, 0, PAGE_MARGIN, GRID)
        column(head, self.said, self.nothing, self.table, grows=self.table, into=self)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self.field.textChanged.connect(lambda _: self.filter())
        self.mapped.toggled.connect(lambda _: self.filter())
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.as_text()))
        self.save.clicked.connect(self._save)
        self.session.tokenizers_changed.connect(self._soon.start)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_rows()

    def show_rows(self) -> None:
        """Shows the bytes with their ids in the tokenizers that are on."""
        self._soon.stop()
        if not self.isVisible():
            return
        items = [item for item in self.session.chosen() if item.tokenizer is not None]
        able = [item for item in items if item.tokenizer and byte_level(item.tokenizer)]
        others = [self.session.short_name(item) for item in items if item not in able]
        names = [self.session.short_name(item) for item in able]
        known = (self.names, self._of, self._others)
        if self._all and known == (names, [item.tokenizer for item in able], others):
            return
        self.names, self._others = names, others
        self._of = [item.tokenizer for item in able]
        self._all = byte_rows([item.tokenizer for item in able if item.tokenizer is not None])
        titles = [*HEADS, *names]
        self.table.setColumnCount(len(titles))
        self.table.setHeaderLabels(titles)
        heads = self.table.headerItem()
        for place in range(len(titles)):
            if place in NUMBERS or place >= len(HEADS):
                heads.setTextAlignment(place, RIGHT)
            own = place - len(HEADS)
            tip = TIPS[place] if own < 0 else f"The id of each single byte in {names[own]}"
            heads.setToolTip(place, tip)
            if own >= 0:
                identity = self.appearance.theme.identity(able[own].identity)
                heads.setIcon(place, marker_icon(identity))
        self._fit()
        self.filter()

    def _fit(self) -> None:
        """Sets the widths of the columns; the last one gets the remaining room."""
        widths = [*WIDTHS, *[ID_WIDTH] * (self.table.columnCount() - len(WIDTHS))]
        left = self.table.viewport().width() - sum(widths)
        for index, width in enumerate(widths):
            self.table.header().resizeSection(index, width + (max(left, 0) if index == 2 else 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        direction = QBoxLayout.Direction  # the field needs the whole width if there is little
        narrow = self.width() < NARROW
        self._head.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)
        self._fit()

    def filter(self) -> None:
        """Shows the rows that match the filter."""
        chosen = self._chosen()
        self.rows = matching_rows(self._all, self.field.text(), self.mapped.isChecked())
        mono = mono_font(TEXT_SIZE)
        self.table.setSortingEnabled(False)
        self.table.clear()
        items = []
        for row in self.rows:
            item = _ByteItem(row)
            for place in range(self.table.columnCount()):
                if place in NUMBERS or place >= len(HEADS):
                    item.setTextAlignment(place, RIGHT)
                    item.setFont(place, mono)
            item.setFont(3, mono)
            item.setToolTip(4, character_name(row.character).capitalize())
            items.append(item)
        self.table.addTopLevelItems(items)
        self.table.setSortingEnabled(True)
        for item in items:
            if item.row.byte == chosen:
                self.table.setCurrentItem(item)
        self.nothing.setVisible(not self.rows)
        itself = sum(row.itself for row in self.rows)
        sentence = f"{counted(len(self.rows), 'byte')}: {itself:,} map to themselves, {len(self.rows) - itself:,} to another character."
        if self._others:
            sentence += f" No ids of single bytes: {', '.join(self._others)}."
        self.said.setText(sentence)

    # Queries of the window.

    def _in_order(self) -> list[ByteTableRow]:
        """The rows in their sorted order."""
        items = (self.table.topLevelItem(n) for n in range(self.table.topLevelItemCount()))
        return [item.row for item in items if isinstance(item, _ByteItem)]

    def python(self) -> str:
        able = [e for e in self.session.chosen() if e.tokenizer and byte_level(e.tokenizer)]
        return page_program(
            self.session,
            self.title,
            IMPORTS,
            PROGRAM,
            items=able,
            filter=self.field.text(),
            mapped=self.mapped.isChecked(),
        )

    def lines(self) -> list[list[str]]:
        return table_lines(self._in_order(), self.names)

    def as_csv(self) -> str:
        return as_csv(self._in_order(), self.names)

    def _save(self) -> None:
        name, _ = ask_new_file("tables", self, "Save the table", "bytes.csv", "Table (*.csv)")
        if not name:
            return
        path = Path(name)
        try:
            write_whole(path, self.as_csv())
        except tc.TokenariumError as error:
            self.session.problem.emit(str(error))
        else:
            self.session.requests.tell_saved(path)

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_control("filter", self.field),
            kept_control("mapped", self.mapped),
            kept_sort("sorted", self.table, lambda: not self.busy),
            Kept("byte", self._chosen, self._choose),
            kept_scroll(
                "scroll",
                self.table.verticalScrollBar(),
                lambda: not (self.busy or self.session.opening),
            ),
        )

    def _chosen(self) -> int | None:
        item = self.table.currentItem()
        return item.row.byte if isinstance(item, _ByteItem) else None

    def _choose(self, byte: object) -> bool:
        items = (self.table.topLevelItem(n) for n in range(self.table.topLevelItemCount()))
        if self.busy or self.session.opening or not self._all:
            return False
        for item in items:
            if isinstance(item, _ByteItem) and item.row.byte == byte:
                self.table.setCurrentItem(item)
                return True
        raise ValueError

    @property
    def busy(self) -> bool:
        return self._soon.isActive() and self.isVisible()

    def focus_first(self) -> None:
        self.field.setFocus()
