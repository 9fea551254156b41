"""What became of the files of a corpus, as rows of a table that grows while it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QColor

from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT, Index, TitledColumns
from tokenarium.models.training.training_news import FileNews


class FileNewsModel(TitledColumns):
    """The rows; ``colour`` is that of what was skipped."""

    columns = ("File", "Documents", "Characters", "How it was read")

    def __init__(self, colour: QColor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[FileNews] = []
        self._colour = colour
        self.read = 0
        self.skipped = 0

    def clear(self) -> None:
        """Takes all rows out."""
        self.beginResetModel()
        self._rows.clear()
        self.read = self.skipped = 0
        self.endResetModel()

    def take(self, files: Sequence[FileNews]) -> None:
        """Adds the rows behind those that are there already."""
        new = files[len(self._rows) :]
        if not new:
            return
        first = len(self._rows)
        self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
        self._rows += new
        skipped = sum(file.documents == 0 for file in new)
        self.skipped += skipped
        self.read += len(new) - skipped
        self.endInsertRows()

    def set_colour(self, colour: QColor) -> None:
        """Shows what was skipped in another colour."""
        self._colour = colour

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        file, column = self._rows[index.row()], index.column()
        told = file.note or (f"as {file.encoding}" if file.encoding else "")
        if role == Qt.ItemDataRole.DisplayRole:
            return (file.path, f"{file.documents:,}", f"{file.characters:,}", told)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(f"{file.path}\n{told}")
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (1, 2):
            return RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and file.note:
            return self._colour
        return None
