"""Shows all about a tokenizer: a table of names and values that can be searched and copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent, QTextOption
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.text.editor_text import PREVIEW, shown_part
from tokenarium.models.text.qt_text import as_tip
from tokenarium.resources.glossary import explanation
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import QT_MARGIN, FlatTree
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import MARGIN, close_buttons, named, passing, secondary, size_within

COPIED_MS = 1500

TERMS = {
    "Added tokens": "added token",
    "Special added tokens": "special token",
    "Normalizer": "normalizer",
    "Pre-tokenizer": "pre-tokenizer",
    "Pattern": "pattern",
    "Model": "model",
    "Template": "post-processor",
    "Decoder": "decoder",
    "BOS": "BOS and EOS",
    "EOS": "BOS and EOS",
    "Padded to a multiple of 64": "padded vocabulary",
    "Padded to a multiple of 128": "padded vocabulary",
    "Entries": "entry",
}
"""The glossary terms of the rows, by their names."""

SHORT = 40
"""Characters: a longer value wraps."""


class AboutTokenizer(QDialog):
    """A search field and the table, which shows only the rows with all words of the search."""

    def __init__(
        self,
        name: str,
        sections: Sequence[tuple[str, Sequence[tuple[str, str]]]],
        text: str,
        parent: QWidget | None = None,
    ) -> None:
        """``text`` is what the button copies."""
        super().__init__(parent)
        self._text = text
        self._sections: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self.setWindowTitle(f"About {name}")
        self.resize(size_within(parent or self, 80 * GRID, 76 * GRID))
        self.search = passing(named(QLineEdit(clearButtonEnabled=True), "Search names and values"))
        self.search.setPlaceholderText("Search names and values")
        self.table = FlatTree(f"About {name}", ("", ""), uniform=False)
        self.table.setHeaderHidden(True)
        self.table.setItemsExpandable(False)
        self.table.setIndentation(2 * GRID)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)
        header = self.table.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        for title, rows in sections:
            self._add(title, rows)
        self.table.expandAll()
        self.nothing = secondary(QLabel("No results. Try a shorter search.", margin=MARGIN))
        self.nothing.hide()
        buttons = close_buttons(self)
        self.copy = buttons.addButton("Copy all", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(self._copy)
        layout = in_column(
            self.search, self.table, self.nothing, buttons, into=self, spacing=GRID, margins=MARGIN
        )
        layout.setStretchFactor(self.table, 1)
        self.search.textChanged.connect(self._narrow)

    def fill(self, title: str, rows: Sequence[tuple[str, str]], text: str) -> None:
        """Fills in values of a section that were not known before; ``text`` is the complete text, to copy."""
        self._text = text
        for head, lines in self._sections:
            if head.text(0) == title:
                for line, (name, value) in zip(lines, rows, strict=True):
                    line.setText(1, value[:PREVIEW])
                    line.setToolTip(1, as_tip(value[:PREVIEW]))
                    self._wrap(line, name, value)
        self._narrow(self.search.text())

    def _add(self, title: str, rows: Sequence[tuple[str, str]]) -> None:
        head = QTreeWidgetItem([title])
        bold = head.font(0)
        bold.setBold(True)
        head.setFont(0, bold)
        head.setFlags(Qt.ItemFlag.ItemIsEnabled)
        lines = [
            QTreeWidgetItem([name, value[:PREVIEW].replace("\n", "⏎")]) for name, value in rows
        ]
        for line, (name, value) in zip(lines, rows, strict=True):
            if name in TERMS:
                line.setToolTip(0, as_tip(explanation(TERMS[name])))
            line.setToolTip(1, as_tip(value[:PREVIEW]))
        head.addChildren(lines)
        self._sections.append((head, lines))
        self.table.addTopLevelItem(head)
        head.setFirstColumnSpanned(True)
        for line, (name, value) in zip(lines, rows, strict=True):
            self._wrap(line, name, value)

    def _wrap(self, line: QTreeWidgetItem, name: str, value: str) -> None:
        """Wraps a long value."""
        if len(value) > SHORT or "\n" in value:
            line.setTextAlignment(0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            self.table.setItemWidget(line, 1, _LongValue(name, value, line))

    def _narrow(self, query: str) -> None:
        words = query.casefold().split()
        left = 0
        for head, lines in self._sections:
            shown = 0
            for line in lines:
                text = f"{head.text(0)} {line.text(0)} {line.text(1)}".casefold()
                line.setHidden(not all(word in text for word in words))
                shown += not line.isHidden()
            head.setHidden(not shown)
            left += shown
        self.nothing.setVisible(not left)
        self.table.setVisible(bool(left))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self.copy.setText("Copied")
        QTimer.singleShot(COPIED_MS, self.copy, lambda: self.copy.setText("Copy all"))


class _LongValue(QTextEdit):
    """A wrapped value that can be selected and copied; sets the height of its row."""

    def __init__(self, name: str, value: str, line: QTreeWidgetItem) -> None:
        super().__init__()
        self._line = line
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.setViewportMargins(QT_MARGIN, 0, 0, GRID // 2)  # to align it with short ones
        self.setPlainText(shown_part(value))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._line.sizeHint(1) != self.sizeHint():
            self._line.setSizeHint(1, self.sizeHint())

    def sizeHint(self) -> QSize:
        return QSize(0, round(self.document().size().height()) + GRID // 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)
