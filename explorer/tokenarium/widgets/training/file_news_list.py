"""What of a corpus was read, and what was skipped, file by file; thousands of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeView, QVBoxLayout, QWidget

from tokenarium.models.training.file_news_model import FileNewsModel
from tokenarium.models.training.training_news import FileNews
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.flat_table import make_flat

LEAST = 8 * GRID
"""Pixels of a column at least."""


class FileNewsList(QWidget):
    """A table over thousands of files, of which only what is seen is painted."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.model = FileNewsModel(theme.warning, self)
        self.view = QTreeView()
        make_flat(self.view)
        self.view.setModel(self.model)
        self.view.setAccessibleName("What was read and what was skipped")
        self.view.setRootIsDecorated(False)
        self.view.setUniformRowHeights(True)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = self.view.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(LEAST)
        header.setResizeContentsPrecision(
            0
        )  # by what is seen: one long reason far below takes no room
        self._cap()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cap()

    def _cap(self) -> None:
        """Lets the reasons have no more than half of the room: the rest is for what they are about."""
        self.view.header().setMaximumSectionSize(max(self.width() // 2, 2 * LEAST))

    def clear(self) -> None:
        """Shows nothing, as before another training."""
        self.model.clear()

    def show_files(self, files: Sequence[FileNews]) -> None:
        """Shows what became of files; those that are new to it come to the end."""
        self.model.take(files)

    def set_theme(self, theme: Theme) -> None:
        """Shows it in other colours."""
        self.model.set_colour(theme.warning)

    @property
    def summary(self) -> str:
        """How many were read and skipped."""
        read = f"{self.model.read:,} read"
        return f"{read}, {self.model.skipped:,} skipped" if self.model.skipped else read
