"""A table of the tokens of each role and of all, and how many of them the template itself writes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from tokenarium.models.chat.chat_tokens import ChatTokens
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import make_flat

ROLE, MESSAGES, TOKENS, ADDED = range(4)
COLUMNS = ("Role", "Messages", "Tokens", "By the template")
MOST_ROWS = 8
"""How many rows are seen before the table scrolls."""

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RoleTable(QTreeWidget):
    """A row for all, and one for each role in the order of the text."""

    def __init__(self) -> None:
        super().__init__()
        make_flat(self)
        self.setAccessibleName("Tokens by role")
        self.setHeaderLabels(COLUMNS)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(ROLE, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(6 * GRID)
        item = self.headerItem()
        for column in (MESSAGES, TOKENS, ADDED):
            item.setTextAlignment(column, _RIGHT)
        item.setToolTip(TOKENS, "A token belongs where its first byte stands")
        item.setToolTip(
            ADDED,
            "Tokens with nothing in them of what you have written: the marks round the messages,"
            " the names of the roles, and what belongs to no message",
        )

    def show_rows(self, chat: ChatTokens | None) -> None:
        """Shows the counts of a chat, nothing for None."""
        self.clear()
        if chat is None:
            self.hide()
            return
        messages = sum(row.messages for row in chat.rows)
        total = self._add("all", f"{messages:,}", chat.total, chat.added)
        font = total.font(ROLE)
        font.setBold(True)
        for column in range(len(COLUMNS)):
            total.setFont(column, font)
        for row in chat.rows:
            count = f"{row.messages:,}" if row.messages else ""
            self._add(row.role, count, row.tokens, row.added)
        rows = min(self.topLevelItemCount(), MOST_ROWS)
        self.setFixedHeight(
            rows * self.sizeHintForRow(0) + self.header().sizeHint().height() + GRID // 2
        )
        self.show()

    def _add(self, name: str, messages: str, tokens: int, added: int) -> QTreeWidgetItem:
        item = QTreeWidgetItem([name, messages, f"{tokens:,}", f"{added:,}" if added >= 0 else "?"])
        for column in (MESSAGES, TOKENS, ADDED):
            item.setTextAlignment(column, _RIGHT)
        self.addTopLevelItem(item)
        return item
