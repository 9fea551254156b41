"""The inspector: the details of the selected bytes, the same in every workspace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QLabel,
    QStackedWidget,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.text.direction import in_its_direction
from tokenarium.models.text.inspection import LIMIT, CharacterRow, InspectedToken, TokenRows
from tokenarium.models.text.piece import counted, hexadecimal, readable
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT
from tokenarium.style.fonts import mono_font
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID, Identity
from tokenarium.widgets.flat_table import NarrowTable, TermHeads
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import CHIP_SIZE, MARGIN, Panel, Rule, named, secondary
from tokenarium.work.frame_queue import FrameQueue

SEEN_CHARACTERS = 8
"""Rows of characters that are visible without scrolling; the tokens have the rest of the room."""

MANY = 50
"""With more characters the tokens are shown in a later frame, as their rows take longer."""

_ENDS = re.compile(r"␣|›|[!-~]{16}")
"""Places after which a line of the bytes as text may break, as it has no blanks."""


@dataclass(frozen=True, slots=True)
class TokenizerPart:
    """What one tokenizer makes of the bytes; ``key`` is its key in the library."""

    key: str
    name: str
    identity: Identity
    tokens: TokenRows


@dataclass(frozen=True, slots=True)
class Inspected:
    """A range of bytes, its details, and whether it is selected or only pointed at."""

    start: int
    end: int
    text_size: int
    selected: bool
    data: bytes
    characters: Sequence[CharacterRow]
    character_count: int
    parts: Sequence[TokenizerPart]


class Inspector(Panel):
    """Two tables: the characters, and the tokens of every tokenizer.

    The tokenizers are below each other, not side by side: their tokens have different bounds, and
    columns would be too narrow for ids and rules.
    """

    token_picked = Signal(int, int)  # bytes
    entry_wanted = Signal(str, int)  # the key of a tokenizer, an id

    def __init__(self, parent: QWidget | None = None) -> None:
        self.empty = QLabel(
            "Point at a token, or select some text, to see what it is made of.\n\n"
            "A click keeps the bytes selected; Esc lets them go."
        )
        secondary(self.empty)
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.empty.setMargin(MARGIN)
        self.span = secondary(QLabel(wordWrap=True))
        self.span.setToolTip("Offsets count the bytes of the text in UTF-8, from 0")
        self.piece = named(QLabel(wordWrap=True), "The bytes as text")
        self.piece.setFont(mono_font())
        self.piece.setTextFormat(Qt.TextFormat.PlainText)
        self.piece.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.piece.setMaximumHeight(96)
        self.bytes = named(secondary(QLabel(wordWrap=True)), "The bytes in hexadecimal")
        self.bytes.setFont(mono_font())
        self.characters = NarrowTable(
            "Characters", ["Char", "Code point", "Bytes", "Name"], widest=3, spare=2
        )
        self.tokens = NarrowTable("Tokens", ["Token", "Id", "Span", "Rule"], widest=0, spare=2)
        self.tokens.setIndentation(GRID)
        self.tokens.setIconSize(QSize(CHIP_SIZE, CHIP_SIZE))
        self.characters.setHeaderItem(
            TermHeads(["Char", "Code point", "Bytes", "Name"], {1: "code point", 2: "UTF-8"})
        )
        self.tokens.setHeaderItem(
            TermHeads(["Token", "Id", "Span", "Rule"], {0: "token", 1: "id", 2: "span", 3: "rule"})
        )
        self.tokens.headerItem().setTextAlignment(1, RIGHT)
        self.tokens.headerItem().setTextAlignment(2, RIGHT)
        self.tokens.itemClicked.connect(self._pick)
        self.tokens.itemActivated.connect(self._pick)
        self.tokens.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.show_entry = QAction("Show in vocabulary", self.tokens)
        self.show_entry.triggered.connect(self._want_entry)
        self.tokens.addAction(self.show_entry)
        head = QWidget()
        in_column(
            self.span,
            self.piece,
            self.bytes,
            into=head,
            spacing=GRID // 2,
            margins=(MARGIN, GRID // 2, GRID, GRID),
        )
        full = QWidget()
        in_column(head, (self.characters, 2), Rule(), (self.tokens, 3), into=full)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(full)
        super().__init__("Inspector", self._stack, parent)
        self._frames = FrameQueue(self)

    def show_bytes(self, inspected: Inspected | None) -> None:
        """Shows a range of bytes, or how to choose one."""
        self._stack.setCurrentIndex(0 if inspected is None else 1)
        if inspected is None:
            self._frames.clear()
            return
        what = "Selected" if inspected.selected else "Pointed at"
        size = inspected.end - inspected.start
        self.span.setText(
            f"{what}: bytes {inspected.start:,} to {inspected.end:,} of {inspected.text_size:,} · "
            f"{size:,}\u00a0byte{'s' * (size != 1)} · "
            f"{inspected.character_count:,}\u00a0character{'s' * (inspected.character_count != 1)}"
        )
        # A line may break after the sign of a blank, and within a long word.
        self.piece.setText(_ENDS.sub("\\g<0>\u200b", readable(inspected.data, 160)))
        self.bytes.setText(hexadecimal(inspected.data, 24))
        self._show_characters(inspected)
        self._frames.clear()
        if len(inspected.characters) < MANY:
            self._show_tokens(inspected)
        else:
            self._frames.add(partial(self._show_tokens, inspected))

    def _show_characters(self, inspected: Inspected) -> None:
        self.characters.clear()
        items = [_character_item(row) for row in inspected.characters]
        more = inspected.character_count - len(items)
        if more > 0:
            items.append(QTreeWidgetItem(["…", f"{more:,} more", "", ""]))
        self.characters.addTopLevelItems(items)
        self.characters.fit()
        head = self.characters.header().sizeHint().height()
        row = max(self.characters.sizeHintForRow(0), 1)
        self.characters.setMaximumHeight(head + row * min(len(items), SEEN_CHARACTERS) + GRID // 2)

    def _show_tokens(self, inspected: Inspected) -> None:
        self.tokens.clear()
        for part in inspected.parts:
            count = part.tokens.count
            head = QTreeWidgetItem([f"{part.name} · {counted(count, 'token')}"])
            head.setIcon(0, marker_icon(part.identity))
            bold = head.font(0)
            bold.setBold(True)
            head.setFont(0, bold)
            head.addChildren([_token_item(row, part.key) for row in part.tokens.rows])
            if count > LIMIT:
                head.addChild(QTreeWidgetItem([f"… {count - LIMIT:,} more"]))
            self.tokens.addTopLevelItem(head)
            head.setFirstColumnSpanned(True)
            head.setExpanded(True)
        self.tokens.fit()

    def _pick(self, item: QTreeWidgetItem) -> None:
        span = item.data(0, Qt.ItemDataRole.UserRole)
        if span:
            self.token_picked.emit(*span)

    def _want_entry(self) -> None:
        item = self.tokens.currentItem()
        entry = item.data(1, Qt.ItemDataRole.UserRole) if item is not None else None
        if entry:
            self.entry_wanted.emit(*entry)


def _character_item(row: CharacterRow) -> QTreeWidgetItem:
    item = QTreeWidgetItem([readable(row.data), row.code_point, hexadecimal(row.data), row.name])
    item.setFont(1, mono_font())
    item.setFont(2, mono_font())
    for column in range(4):
        item.setToolTip(column, f"{row.name}\nScript: {row.script}")
    return item


def _token_item(row: InspectedToken, key: str) -> QTreeWidgetItem:
    piece = in_its_direction(readable(row.surface.encode("utf-8", "surrogatepass")), row.piece)
    how = row.kind if row.kind == "superword" else row.rule or row.kind
    item = QTreeWidgetItem([piece, f"{row.id}", f"{row.start:,}–{row.end:,}", how])
    item.setFont(0, mono_font())
    item.setFont(1, mono_font())
    item.setTextAlignment(1, RIGHT)
    item.setTextAlignment(2, RIGHT)
    item.setToolTip(
        0, as_tip(f"{piece}, as the vocabulary spells it\n{hexadecimal(row.piece) or 'no bytes'}")
    )
    item.setToolTip(1, f"Id {row.id}: an entry of the vocabulary ({row.kind})")
    size = row.end - row.start
    item.setToolTip(2, f"Bytes {row.start:,} to {row.end:,}: {counted(size, 'byte')}")
    start, end = row.pre_token
    if row.rule:
        where = f"In a pre-token by the rule “{row.rule}”, bytes {start:,} to {end:,}"
        item.setToolTip(3, as_tip("\n".join([where, *row.about])))
    item.setData(0, Qt.ItemDataRole.UserRole, (row.start, row.end))
    item.setData(1, Qt.ItemDataRole.UserRole, (key, row.id))
    return item
