"""The safe way to encode a chat: where it gives different ids, and the program for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QTreeWidgetItem, QWidget

from tokenarium.models.chat.safe_encoding import SafePart
from tokenarium.models.text.piece import counted, readable
from tokenarium.models.text.qt_text import into_qt
from tokenarium.style.theme import GRID
from tokenarium.widgets.chat.source_edit import SourceEdit
from tokenarium.widgets.flat_table import FlatTree
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import named, secondary

TEXT, IDS, SAFE = range(3)
TITLES = ("Part of the text", "Ids now", "Ids as plain text")
MOST_ROWS = 200
MOST_IDS = 40
"""Ids of a row that are shown."""

NOTHING = "No text of the chat becomes a special token: both ways give the same ids."


class SafePage(QWidget):
    """Shows the parts of a chat whose ids differ, and the program, which can be copied."""

    part_pointed = Signal(int)  # the number of the part

    def __init__(self) -> None:
        super().__init__()
        self._program: Callable[[str], str] = lambda library: ""
        self.sentence = secondary(QLabel(wordWrap=True))
        self.table = FlatTree("Ids of both ways", TITLES, growing=(TEXT, IDS, SAFE))
        self.table.header().setMinimumSectionSize(6 * GRID)
        self.libraries = named(
            QComboBox(), "Library of the program", "The library that the program uses"
        )
        self.copy = QPushButton("Copy as Pytho&n", autoDefault=False)
        self.copy.setToolTip("Copies the program that encodes this chat safely")
        self.code = SourceEdit("Program in Python")
        self.code.setReadOnly(True)
        self.copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self._program(self.libraries.currentText()))
        )
        self.libraries.currentIndexChanged.connect(lambda _: self._show_program())
        self.table.itemActivated.connect(self._point)
        self.table.itemClicked.connect(self._point)
        in_column(
            self.sentence,
            (self.table, 1),
            in_row((self.libraries, 1), self.copy, spacing=GRID),
            (self.code, 2),
            into=self,
            spacing=GRID,
        )
        self.show_parts([], [], lambda library: "")

    def show_parts(
        self, parts: Sequence[SafePart], libraries: Sequence[str], program: Callable[[str], str]
    ) -> None:
        """Shows the parts of a chat, and the programs of some libraries."""
        self._program = program
        self.table.clear()
        other = [(number, part) for number, part in enumerate(parts) if not part.of_template]
        for number, part in other[:MOST_ROWS]:
            unsafe, safe = part.different()
            text = into_qt(readable(part.text.encode("utf-8", "surrogatepass")))
            cells = [text, _ids(unsafe), _ids(safe)]
            item = self.table.row_of(cells)
            for column, cell in enumerate(cells):
                item.setToolTip(column, cell)
            item.setData(TEXT, Qt.ItemDataRole.UserRole, number)
            self.table.addTopLevelItem(item)
        self.table.setVisible(bool(other))
        before = sum(len(part.unsafe) for part in parts)
        after = sum(len(part.ids) for part in parts)
        self.sentence.setText(
            f"{counted(len(other), 'part has', 'parts have')} different ids if special tokens in texts of the chat are"
            f" plain text: {after:,} tokens instead of {before:,}."
            if other
            else NOTHING
        )
        shown = [self.libraries.itemText(place) for place in range(self.libraries.count())]
        if shown != list(libraries):
            self.libraries.clear()
            self.libraries.addItems(list(libraries))
        for widget in (self.libraries, self.copy):
            widget.setEnabled(bool(libraries))
        self._show_program()

    def _show_program(self) -> None:
        library = self.libraries.currentText()
        self.code.set_text(self._program(library) if library else "")

    def _point(self, item: QTreeWidgetItem) -> None:
        self.part_pointed.emit(int(item.data(TEXT, Qt.ItemDataRole.UserRole)))


def _ids(ids: Sequence[int]) -> str:
    return " ".join(map(str, ids[:MOST_IDS])) + (" …" if len(ids) > MOST_IDS else "")
