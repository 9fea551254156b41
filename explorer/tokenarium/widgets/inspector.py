"""The inspector: what the selected bytes are, the same in every workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.inspection import LIMIT, CharacterRow, TokenRows
from tokenarium.models.piece import hexadecimal, readable
from tokenarium.theme import GRID, mono_font
from tokenarium.widgets.chip import chip_icon
from tokenarium.widgets.panel import MARGIN, Panel, secondary

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class TokenizerPart:
    """What one tokenizer makes of the bytes."""

    name: str
    colour: QColor
    tokens: TokenRows


@dataclass(frozen=True, slots=True)
class Inspected:
    """A range of bytes, what it is, and whether it is selected or only pointed at."""

    start: int
    end: int
    text_size: int
    selected: bool
    data: bytes
    characters: Sequence[CharacterRow]
    character_count: int
    parts: Sequence[TokenizerPart]


class Inspector(Panel):
    """Two tables over each other: the characters, and the tokens of every tokenizer."""

    token_picked = Signal(int, int)  # bytes

    def __init__(self, parent: QWidget | None = None) -> None:
        self.empty = QLabel(
            "Point at a token, or select some text, to see what it is made of.\n\n"
            "A click keeps the bytes selected; Ctrl+Shift+A lets them go."
        )
        secondary(self.empty)
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.empty.setMargin(MARGIN)
        self.span = QLabel()
        self.span.setWordWrap(True)
        secondary(self.span)
        self.piece = QLabel()
        self.piece.setFont(mono_font())
        self.piece.setWordWrap(True)
        self.piece.setTextFormat(Qt.TextFormat.PlainText)
        self.piece.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.piece.setMaximumHeight(96)
        self.bytes = QLabel()
        self.bytes.setFont(mono_font())
        secondary(self.bytes)
        self.bytes.setWordWrap(True)
        self.characters = _table("Characters", ["Char", "Code point", "Bytes", "Name", "Script"])
        self.tokens = _table("Tokens", ["Token", "Id", "Bytes", "Rule", "Kind"])
        self.tokens.setIndentation(GRID * 2)
        self.tokens.itemClicked.connect(self._pick)
        self.tokens.itemActivated.connect(self._pick)
        tables = QSplitter(Qt.Orientation.Vertical)
        tables.addWidget(self.characters)
        tables.addWidget(self.tokens)
        tables.setStretchFactor(0, 2)
        tables.setStretchFactor(1, 3)
        tables.setChildrenCollapsible(False)
        head = QWidget()
        head_rows = QVBoxLayout(head)
        head_rows.setContentsMargins(MARGIN, GRID, GRID, GRID)
        head_rows.setSpacing(GRID // 2)
        for label in (self.span, self.piece, self.bytes):
            head_rows.addWidget(label)
        full = QWidget()
        rows = QVBoxLayout(full)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(head)
        rows.addWidget(tables, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(full)
        super().__init__("Inspector", self._stack, parent)

    def show_bytes(self, inspected: Inspected | None) -> None:
        """Shows what a range of bytes is, or how to choose one."""
        self._stack.setCurrentIndex(0 if inspected is None else 1)
        if inspected is None:
            return
        what = "Selected" if inspected.selected else "Pointed at"
        size = inspected.end - inspected.start
        self.span.setText(
            f"{what}: bytes {inspected.start:,} to {inspected.end:,} of {inspected.text_size:,} · "
            f"{size:,} byte{'s' * (size != 1)} · "
            f"{inspected.character_count:,} character{'s' * (inspected.character_count != 1)}"
        )
        self.piece.setText(readable(inspected.data, 160))
        self.bytes.setText(hexadecimal(inspected.data, 24))
        self._show_characters(inspected)
        self._show_tokens(inspected)

    def _show_characters(self, inspected: Inspected) -> None:
        self.characters.clear()
        items = []
        for row in inspected.characters:
            shown = readable(row.data)
            cells = [shown, row.code_point, hexadecimal(row.data), row.name, row.script]
            item = QTreeWidgetItem(cells)
            item.setFont(1, mono_font())
            item.setFont(2, mono_font())
            item.setToolTip(3, row.name)
            items.append(item)
        more = inspected.character_count - len(items)
        if more > 0:
            items.append(QTreeWidgetItem(["…", f"{more:,} more", "", "", ""]))
        self.characters.addTopLevelItems(items)

    def _show_tokens(self, inspected: Inspected) -> None:
        self.tokens.clear()
        for part in inspected.parts:
            count = part.tokens.count
            head = QTreeWidgetItem([part.name, f"{count:,} token{'s' * (count != 1)}"])
            head.setIcon(0, QIcon(chip_icon(part.colour)))
            head.setTextAlignment(1, RIGHT)
            bold = head.font(0)
            bold.setBold(True)
            head.setFont(0, bold)
            for row in part.tokens.rows:
                item = QTreeWidgetItem(
                    [
                        readable(row.piece),
                        f"{row.id}",
                        f"{row.start:,} to {row.end:,}",
                        row.rule,
                        row.kind,
                    ]
                )
                item.setFont(0, mono_font())
                item.setFont(1, mono_font())
                item.setTextAlignment(1, RIGHT)
                item.setToolTip(0, hexadecimal(row.piece))
                item.setToolTip(
                    3,
                    f"Pre-token by the rule “{row.rule}”: bytes {row.pre_token[0]:,} to {row.pre_token[1]:,}",
                )
                item.setData(0, Qt.ItemDataRole.UserRole, (row.start, row.end))
                head.addChild(item)
            if count > LIMIT:
                head.addChild(QTreeWidgetItem([f"… {count - LIMIT:,} more"]))
            self.tokens.addTopLevelItem(head)
            head.setExpanded(True)

    def _pick(self, item: QTreeWidgetItem) -> None:
        span = item.data(0, Qt.ItemDataRole.UserRole)
        if span:
            self.token_picked.emit(*span)


def _table(name: str, columns: list[str]) -> QTreeWidget:
    table = QTreeWidget()
    table.setAccessibleName(name)
    table.setHeaderLabels(columns)
    table.setFrameShape(QTreeWidget.Shape.NoFrame)
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    table.setAllColumnsShowFocus(True)
    header = table.header()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setStretchLastSection(True)
    header.setSectionsMovable(False)
    return table
