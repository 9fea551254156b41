"""Lists the tokenizers that are available: on this computer, in the catalogue, on Hugging Face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT
from tokenarium.models.tokenizers.hub import repository_of
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import FlatTree
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import close_buttons, named, passing, secondary, size_within
from tokenarium.widgets.training.option_field import Problem

COLUMNS = ("Name", "Family", "Format", "Size", "Where", "")
NAME, FAMILY, FORMAT, SIZE, WHERE, ACTION = range(6)
ROW, HEAD_ROW = 3 * GRID, 4 * GRID
"""Heights of a row and of a section's heading."""

KEY = Qt.ItemDataRole.UserRole

HINT = "Try a shorter search, or write owner/name or the address of a Hugging Face repository."


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A row of the list: its section, its cells, and the key that a click on it emits."""

    section: str
    name: str
    family: str
    format: str
    size: str
    where: str
    action: str
    key: str


class FindDialog(QDialog):
    """A search field and the list. Its owner handles the picked row."""

    picked = Signal(str)  # the key of a row
    searched = Signal(str)
    folder_requested = Signal()
    look_requested = Signal()
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Find tokenizers")
        self.resize(size_within(parent or self, 124 * GRID, 88 * GRID))
        self._rows: Sequence[FoundRow] = ()
        self._notes: Mapping[str, str] = {}
        self.search = passing(named(QLineEdit(clearButtonEnabled=True), "Search for a tokenizer"))
        self.search.setPlaceholderText("Search, or write owner/name of a Hugging Face repository")
        self.list = _FoundList()
        self.status = secondary(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText))
        self.problem = Problem()
        self.stop = QPushButton("Stop", autoDefault=False)
        self.stop.hide()
        self.folder = QPushButton("Add a folder …")
        self.again = QPushButton("Look again")
        buttons = close_buttons(self)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        for button in (self.folder, self.again, close):
            button.setAutoDefault(False)
        below = in_row(
            (self.status, 1),
            (self.problem, 1),
            self.stop,
            self.folder,
            self.again,
            buttons,
            spacing=GRID,
        )
        in_column(self.search, (self.list, 1), below, into=self, spacing=GRID, margins=2 * GRID)
        self.search.textChanged.connect(self._show)
        self.search.textChanged.connect(self.searched)
        self.search.returnPressed.connect(self.list.pick_first)
        self.list.picked.connect(self.picked)
        self.stop.clicked.connect(self.stop_requested)
        self.folder.clicked.connect(self.folder_requested)
        self.again.clicked.connect(self.look_requested)

    def open_over(self, window: QWidget) -> None:
        """Shows the dialog, not larger than the window."""
        self.resize(size_within(window, 124 * GRID, 88 * GRID))
        self.show()
        self.raise_()
        self.search.setFocus()

    def set_rows(self, rows: Sequence[FoundRow], notes: Mapping[str, str]) -> None:
        """Shows rows by section; ``notes`` maps all sections, in order, to the note of an empty one."""
        self._rows, self._notes = rows, notes
        self._show()

    def say(self, status: str, can_stop: bool = False, wrong: bool = False) -> None:
        """Shows a sentence under the list; ``wrong``: in the colour of errors."""
        self.status.setText("" if wrong else status)
        self.status.setVisible(not wrong)
        self.problem.say(status if wrong else "")
        self.stop.setVisible(can_stop)

    def _show(self) -> None:
        text = self.search.text()
        words = (repository_of(text) or text).casefold().split()
        matches = [row for row in self._rows if _matches(row, words)]
        self.list.fill(matches, {} if words else self._notes, list(self._notes))
        if words and not matches:
            self.list.fill([], {"No results": HINT}, [])


def _matches(row: FoundRow, words: Sequence[str]) -> bool:
    text = " ".join((row.section, row.name, row.family, row.format, row.where)).casefold()
    return all(word in text for word in words)


class _FoundList(FlatTree):
    """The list itself; a click or Enter picks a row."""

    picked = Signal(str)

    def __init__(self) -> None:
        self._first: QTreeWidgetItem | None = None
        self._filled: tuple[Sequence[FoundRow], Mapping[str, str], Sequence[str]] = ((), {}, ())
        super().__init__("Available tokenizers", COLUMNS, uniform=False, growing=(NAME, WHERE))
        self.setItemsExpandable(False)
        self.setExpandsOnDoubleClick(False)
        self.setIndentation(GRID)
        self.setMouseTracking(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.itemClicked.connect(self._pick)

    def fill(
        self, rows: Sequence[FoundRow], notes: Mapping[str, str], order: Sequence[str]
    ) -> None:
        """Shows the rows under their sections, and keeps the current row."""
        self._filled = (rows, notes, order)
        current = self.currentItem()
        selected = current.data(NAME, KEY) if current is not None else None
        place = self.verticalScrollBar().value()
        self.setCurrentIndex(
            QModelIndex()
        )  # otherwise each removed row would make the next one current
        self.clear()
        self._first = None
        sections = [
            section for section in order if notes or any(r.section == section for r in rows)
        ]
        for section in [*sections, *(title for title in notes if title not in sections)]:
            inside = [row for row in rows if row.section == section]
            self._add(section, inside, notes.get(section, ""), selected)
        self.expandAll()
        self.verticalScrollBar().setValue(place)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:  # the items have their own colours
            self.fill(*self._filled)

    def pick_first(self) -> None:
        """Picks the first row."""
        if self._first is not None:
            self._pick(self._first)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Qt activates on Enter only if editing is possible.
        current = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
            self._pick(current)
            return
        super().keyPressEvent(event)

    def _pick(self, item: QTreeWidgetItem) -> None:
        key = item.data(NAME, KEY)
        if key:
            self.picked.emit(key)

    def _add(self, section: str, rows: Sequence[FoundRow], note: str, kept: object) -> None:
        weak = self.palette().color(QPalette.ColorRole.PlaceholderText)
        head = QTreeWidgetItem([section])
        bold = head.font(NAME)
        bold.setBold(True)
        head.setFont(NAME, bold)
        head.setFlags(Qt.ItemFlag.ItemIsEnabled)
        head.setSizeHint(NAME, QSize(0, HEAD_ROW))
        self.addTopLevelItem(head)
        head.setFirstColumnSpanned(True)
        for row in rows:
            item = self._line(row, weak)
            head.addChild(item)
            self._first = self._first or item
            if row.key == kept:
                self.setCurrentItem(item)
        if not rows and note:
            empty = QTreeWidgetItem([note])
            empty.setFlags(Qt.ItemFlag.ItemIsEnabled)
            empty.setForeground(NAME, weak)
            empty.setSizeHint(NAME, QSize(0, ROW))
            head.addChild(empty)
            empty.setFirstColumnSpanned(True)

    def _line(self, row: FoundRow, weak: QColor) -> QTreeWidgetItem:
        cells = [row.name, row.family, row.format, row.size, row.where, row.action]
        item = QTreeWidgetItem(cells)
        item.setData(NAME, KEY, row.key)
        item.setSizeHint(NAME, QSize(0, ROW))
        item.setTextAlignment(SIZE, RIGHT)
        for column in (FAMILY, FORMAT, SIZE, WHERE):
            item.setForeground(column, weak)
        item.setForeground(ACTION, self.palette().color(QPalette.ColorRole.Link))
        item.setToolTip(NAME, as_tip(row.name))
        item.setToolTip(WHERE, as_tip(row.where))
        item.setToolTip(ACTION, as_tip(f"{row.action}: {row.name}"))
        return item
