"""What of a corpus was read, and what was skipped, file by file; thousands of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTreeView, QVBoxLayout, QWidget

from tokenarium.models.file_news_model import FileNewsModel
from tokenarium.models.training_news import FileNews
from tokenarium.theme import Theme
from tokenarium.widgets.flat_table import make_flat


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
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)

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
