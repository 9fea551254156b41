"""The inspector: a card with the details of the selected bytes, the same in every workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.text.direction import in_its_direction
from tokenarium.models.text.inspection import CharacterRow, InspectedToken, TokenPlace
from tokenarium.models.text.piece import SPACE, counted, hexadecimal, readable
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.text.token_counts import ratio_text
from tokenarium.style.controls import RING
from tokenarium.style.fonts import (
    HEADING_SIZE,
    READING_SIZE,
    SMALL_SIZE,
    TEXT_SIZE,
    mono_font,
    number_font,
    reading_font,
    ui_font,
)
from tokenarium.style.icons import icon, paint_icon
from tokenarium.style.shapes import Cut, paint_marker, paint_tile, token_path
from tokenarium.style.theme import CARD_MARGIN, GRID, LIGHT, Identity, Theme
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.painting import tile_cuts
from tokenarium.widgets.panel import ElidedLabel, FlatButton, named, secondary

WIDTH = 318
"""Pixels of the card until the user widens it."""

LEAST, ROOMY = 272, 360
"""Pixels: the least width of the card, and the width from which its buttons have their whole texts."""

FIRST = 9
"""Tokens that are listed before the row "16 more"."""

LINE_OF_TEXT = 30
"""Pixels of a line of the large text, with room for the marks of Indic scripts."""

_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class TokenizerPart:
    """What one tokenizer makes of the bytes: ``count`` of its ``total`` tokens; ``key`` is its key in the library.

    ``rows`` returns the first tokens, as many as asked for. ``complete``: the whole text is encoded.
    """

    key: str
    name: str
    identity: Identity
    count: int
    total: int
    complete: bool
    rows: Callable[[int], list[InspectedToken]]


@dataclass(frozen=True, slots=True)
class Inspected:
    """A range of bytes, its details, and whether it is selected or only pointed at.

    The first of ``parts`` is the tokenizer in front. ``data`` may be only the beginning.
    """

    start: int
    end: int
    text_size: int
    selected: bool
    data: bytes
    scripts: str
    characters: Sequence[CharacterRow]
    character_count: int
    parts: Sequence[TokenizerPart]


class More(NamedTuple):
    """The row after the first tokens or characters of a list."""

    text: str


class Inspector(QWidget):
    """The text that is selected, its tokens counted by each tokenizer, then the tokens and the characters in a list."""

    token_picked = Signal(int, int)  # bytes
    tokenizer_picked = Signal(str)  # its key
    token_menu_requested = Signal(QPoint, object)  # a place on the screen, a TokenPlace
    why_requested = Signal()
    play_requested = Signal()
    close_requested = Signal()
    pin_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Inspector")
        self.shown: tuple[int, int] | None = None  # bytes
        self.title = QLabel("Selection")
        self.title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        self.pin = named(
            FlatButton(), "Keep this in the card", "Keep this here while you select elsewhere"
        )
        self.pin.setIcon(icon("push-pin", filled=True))
        self.pin.setCheckable(True)
        self.pin.toggled.connect(self.pin_changed)
        self.close_button = named(FlatButton(), "Close the inspector", "Close (Ctrl+I opens it)")
        self.close_button.setIcon(icon("x"))
        self.close_button.clicked.connect(self.close_requested)
        for button in (self.pin, self.close_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setFixedSize(28, 28)
        self.piece = named(ElidedLabel(), "The selected text")
        self.piece.setFont(reading_font(READING_SIZE))
        self.piece.set_lines(2)
        self.piece.setMinimumHeight(2 * LINE_OF_TEXT)
        self.facts = secondary(QLabel(wordWrap=True))
        self.counts_title = QLabel("Tokens in the selection")
        self.counts_title.setFont(ui_font(SMALL_SIZE, QFont.Weight.DemiBold))
        self.counts_title.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.counts = SelectionCounts(LIGHT)
        self.counts.picked.connect(self.tokenizer_picked)
        self.tokens = InspectedTree(LIGHT)
        self.tokens.token_picked.connect(self.token_picked)
        self.tokens.token_menu_requested.connect(self.token_menu_requested)
        self.why = GlyphButton("Why not one token?", "question", "primary")
        self.why.clicked.connect(self.why_requested)
        self.play = GlyphButton("Play", "play")
        named(self.play, "Play merges", "Shows the steps that make these tokens")
        self.play.clicked.connect(self.play_requested)
        self.empty = _EmptyCard()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._full())
        head = in_row(self.title, STRETCH, self.pin, self.close_button, spacing=GRID // 2)
        margin = CARD_MARGIN
        in_column(
            head,
            (self._stack, 1),
            into=self,
            spacing=GRID // 2,
            margins=(margin + 1, margin - 2, margin - 6, margin + 1),
        )
        self.show_bytes(None)

    def _full(self) -> QWidget:
        body = QWidget()
        in_column(
            self.piece,
            GRID // 2,
            self.facts,
            CARD_MARGIN,
            self.counts_title,
            GRID // 2,
            self.counts,
            GRID,
            self.tokens,
            STRETCH,
            into=body,
            margins=(0, 0, GRID, 0),
        )
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(body)
        for part in (self.area.viewport(), body):
            part.setAutoFillBackground(False)
        full = QWidget()
        self.foot = QWidget()
        in_row(
            (self.why, 3), (self.play, 2), into=self.foot, spacing=GRID, margins=(0, GRID, GRID, 0)
        )
        in_column((self.area, 1), self.foot, into=full)
        return full

    @property
    def controls(self) -> list[QWidget]:
        """The widgets that take the focus, in Tab order."""
        return [self.pin, self.close_button, self.tokens, self.why, self.play]

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST, 200)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.play.setText("Play merges" if event.size().width() >= ROOMY else "Play")

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self.counts.set_theme(theme)
        self.tokens.set_theme(theme)

    @property
    def pinned(self) -> bool:
        """Whether what is shown stays while other bytes are selected."""
        return self.pin.isChecked()

    def show_bytes(self, inspected: Inspected | None) -> None:
        """Shows a range of bytes, or how to choose one."""
        some = inspected is not None
        self.shown = None if inspected is None else (inspected.start, inspected.end)
        self._stack.setCurrentIndex(1 if some else 0)
        self.pin.setVisible(some)
        if inspected is None:
            self.title.setText("Selection")
            return
        what = "Selected" if inspected.selected else "Pointed at"
        self.title.setText("Selection" if inspected.selected else what)
        text = _plain(inspected.data)
        self.piece.setText(text)
        wide = self.piece.fontMetrics().horizontalAdvance(text) > self.width() - 3 * CARD_MARGIN
        self.piece.set_lines(2 if wide else 1)
        self.piece.setMinimumHeight(LINE_OF_TEXT * (2 if wide else 1))
        size = inspected.end - inspected.start
        parts = [
            counted(inspected.character_count, "character"),
            counted(size, "byte"),
            inspected.scripts,
        ]
        self.facts.setText(
            " · ".join(part for part in parts if part).replace(" byte", "\u00a0byte")
        )
        self.facts.setToolTip(
            f"{what}: bytes {inspected.start:,} to {inspected.end:,} of {inspected.text_size:,} in UTF-8\n"
            f"{hexadecimal(inspected.data, 48)}"
        )
        self.counts_title.setVisible(bool(inspected.parts))
        self.counts.show_parts(inspected.parts)
        self.tokens.show_parts(inspected)


def _plain(data: bytes) -> str:
    """Returns bytes as the large text of the card: spaces as they are, where there is anything else to see."""
    text = readable(data, 400)
    return text.replace(SPACE, " ").strip() or text


ROW = 40
"""Pixels of a row of counts: the name and the count, and under them the bar and the comparison."""

_BAR = 6.0


class SelectionCounts(QWidget):
    """A row for each tokenizer: its marker and name, the tokens of the selection of all its tokens, a bar, a comparison."""

    picked = Signal(str)  # the key of a tokenizer

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._parts: Sequence[TokenizerPart] = ()
        self.setAccessibleName("Tokens in the selection")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.update()

    def show_parts(self, parts: Sequence[TokenizerPart]) -> None:
        """Shows other counts; the first tokenizer is the one that others are compared with."""
        self._parts = parts
        self.setFixedHeight(ROW * len(parts))
        self.setAccessibleDescription(
            "; ".join(f"{part.name}: {part.count:,} of {part.total:,}" for part in parts)
        )
        self.setToolTip("A click puts a tokenizer in front" if len(parts) > 1 else "")
        self.update()

    def comparison(self, part: TokenizerPart) -> str:
        """Returns how the count of a tokenizer compares with that of the first one."""
        if len(self._parts) < 2:
            return ""
        front = self._parts[0]
        return "in front" if part is front else ratio_text(part.count, front.count, front.name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = int(event.position().y()) // ROW
        if 0 <= row < len(self._parts):
            self.picked.emit(self._parts[row].key)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        most = max((part.count for part in self._parts), default=0)
        for row, part in enumerate(self._parts):
            self._paint_row(painter, QRect(0, row * ROW, self.width(), ROW), part, most)
        painter.end()

    def _paint_row(self, painter: QPainter, rect: QRect, part: TokenizerPart, most: int) -> None:
        theme = self._theme
        line = QRect(rect.left(), rect.top() + 2, rect.width(), 20)
        paint_marker(painter, QRectF(line.left(), line.center().y() - 6, 13, 13), part.identity)
        total = f" of {part.total:,}{'' if part.complete else ' so far'}"
        count_font, total_font = number_font(TEXT_SIZE, QFont.Weight.Bold), number_font(TEXT_SIZE)
        right = line.right() + 1
        align = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(total_font)
        painter.setPen(theme.dim)
        width = QFontMetrics(total_font).horizontalAdvance(total)
        painter.drawText(QRect(right - width, line.top(), width, line.height()), align, total)
        right -= width
        painter.setFont(count_font)
        painter.setPen(theme.ink)
        count = f"{part.count:,}"
        width = QFontMetrics(count_font).horizontalAdvance(count)
        painter.drawText(QRect(right - width, line.top(), width, line.height()), align, count)
        name_font = ui_font(TEXT_SIZE, QFont.Weight.Medium)
        room = right - width - GRID - 20
        name = QFontMetrics(name_font).elidedText(part.name, Qt.TextElideMode.ElideRight, room)
        painter.setFont(name_font)
        painter.drawText(QRect(20, line.top(), room, line.height()), align, name)
        said = self.comparison(part)
        small = number_font(SMALL_SIZE)
        said_room = QFontMetrics(small).horizontalAdvance(said)
        below = QRect(20, line.bottom() + 1, rect.width() - 20, 16)
        painter.setFont(small)
        painter.setPen(theme.dim)
        painter.drawText(below, align | Qt.AlignmentFlag.AlignRight, said)
        room_for_ratio = max(
            (QFontMetrics(small).horizontalAdvance(self.comparison(one)) for one in self._parts),
            default=0,
        )
        track = QRectF(
            20,
            below.center().y() - _BAR / 2 + 1,
            below.width() - max(said_room, room_for_ratio) - GRID,
            _BAR,
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.sunken)
        painter.drawRoundedRect(track, _BAR / 2, _BAR / 2)
        if most and part.count:
            filled = QRectF(track)
            filled.setWidth(max(track.width() * part.count / most, _BAR))
            painter.setBrush(part.identity.full)
            painter.drawRoundedRect(filled, _BAR / 2, _BAR / 2)


class InspectedTree(QTreeWidget):
    """A list that opens for each tokenizer, with its tokens as tiles, and for the characters.

    It is as high as its rows: what it is in scrolls.
    """

    token_picked = Signal(int, int)  # bytes
    token_menu_requested = Signal(QPoint, object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName("Tokens and characters")
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setExpandsOnDoubleClick(False)
        self.setAnimated(False)
        self.setUniformRowHeights(False)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.viewport().setAutoFillBackground(False)
        self._rows = _RowPainter(theme, self)
        self.setItemDelegate(self._rows)
        self._inspected: Inspected | None = None
        self._opened: dict[
            str, bool
        ] = {}  # by the key of a tokenizer: what the user opened or closed
        self._all: set[str] = set()  # lists that show more than the first rows
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_for_menu)
        self.itemClicked.connect(self._click)

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._rows.theme = theme
        self.viewport().update()

    def show_parts(self, inspected: Inspected) -> None:
        """Shows the tokens and the characters of other bytes; lists that the user opened stay open."""
        before = self._inspected
        if before is None or (before.start, before.end) != (inspected.start, inspected.end):
            self._all.clear()
        self._inspected = inspected
        self.setUpdatesEnabled(False)
        self.clear()
        for part in inspected.parts:
            head = QTreeWidgetItem()
            head.setData(0, _ROLE, part)
            head.setText(0, f"{part.name}, {counted(part.count, 'token')}")
            self.addTopLevelItem(head)
            is_front = part is inspected.parts[0]
            if self._opened.get(part.key, is_front):
                self._fill(head, part)
        head = QTreeWidgetItem()
        head.setData(0, _ROLE, CHARACTERS)
        head.setText(0, counted(inspected.character_count, "character"))
        self.addTopLevelItem(head)
        if self._opened.get(CHARACTERS, not inspected.parts):
            self._fill(head, CHARACTERS)
        self.setUpdatesEnabled(True)
        self._fit()

    def _fill(self, head: QTreeWidgetItem, what: TokenizerPart | str) -> None:
        """Adds the rows of a list, and opens it."""
        inspected = self._inspected
        assert inspected is not None
        rows: Sequence[InspectedToken | CharacterRow]
        if isinstance(what, TokenizerPart):
            key, count = what.key, what.count
            rows = what.rows(LIMIT if key in self._all else FIRST + 1)
        else:
            key, count = what, inspected.character_count
            rows = inspected.characters
        if key not in self._all and count > FIRST + 1:
            rows = rows[:FIRST]
        for row in rows:
            item = QTreeWidgetItem()
            item.setData(0, _ROLE, row)
            item.setText(0, _said(row))
            item.setToolTip(0, as_tip(_tip(row)))
            head.addChild(item)
        if count > len(rows):
            more = QTreeWidgetItem()
            more.setData(0, _ROLE, More(f"{count - len(rows):,} more"))
            more.setText(0, f"{count - len(rows):,} more")
            if key in self._all:
                more.setToolTip(0, f"Only the first {LIMIT:,} are listed.")
            head.addChild(more)
        head.setExpanded(True)

    def _toggle(self, head: QTreeWidgetItem) -> None:
        what = head.data(0, _ROLE)
        key = what.key if isinstance(what, TokenizerPart) else what
        is_open = not head.isExpanded()
        self._opened[key] = is_open
        head.takeChildren()
        if is_open:
            self._fill(head, what)
        else:
            head.setExpanded(False)
        self._fit()

    def _show_more(self, head: QTreeWidgetItem | None) -> None:
        if head is None:
            return
        what = head.data(0, _ROLE)
        self._all.add(what.key if isinstance(what, TokenizerPart) else what)
        place = head.childCount() - 1
        head.takeChildren()
        self._fill(head, what)
        self._fit()
        self.setCurrentIndex(self.model().index(place, 0, self.indexFromItem(head)))

    # What the user does.

    def _click(self, item: QTreeWidgetItem) -> None:
        what = item.data(0, _ROLE)
        if isinstance(what, InspectedToken):
            self.token_picked.emit(what.start, what.end)
        elif isinstance(what, More):
            self._show_more(item.parent())
        elif not isinstance(what, CharacterRow):
            self._toggle(item)

    def place_of(self, item: QTreeWidgetItem | None) -> TokenPlace | None:
        """Returns the token of a row, None for any other row."""
        row = item.data(0, _ROLE) if item is not None else None
        head = item.parent() if item is not None else None
        if head is None or not isinstance(row, InspectedToken):
            return None
        part = head.data(0, _ROLE)
        return TokenPlace(part.key, row.id, row.start, row.end)

    def _ask_for_menu(self, point: QPoint) -> None:
        item = self.itemAt(point)
        if item is None:
            item = self.currentItem()
        place = self.place_of(item)
        if place is not None:
            self.token_menu_requested.emit(self.viewport().mapToGlobal(point), place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        keys = Qt.Key
        if item is None or event.key() not in (
            keys.Key_Return,
            keys.Key_Enter,
            keys.Key_Space,
            keys.Key_Left,
            keys.Key_Right,
            keys.Key_Menu,
        ):
            super().keyPressEvent(event)
            return
        place = self.place_of(item)
        if place is not None and event.key() in (keys.Key_Return, keys.Key_Enter, keys.Key_Menu):
            at = self.visualItemRect(item).bottomLeft() + QPoint(GRID, 0)
            self.token_menu_requested.emit(self.viewport().mapToGlobal(at), place)
        elif event.key() == keys.Key_Left and (head := item.parent()) is not None:
            self.setCurrentItem(head)
        elif event.key() in (keys.Key_Left, keys.Key_Right):
            if item.parent() is None and item.isExpanded() == (event.key() == keys.Key_Left):
                self._toggle(item)
        else:
            self._click(item)

    # Its height.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()
            self._fit()

    def _fit(self) -> None:
        height = 0
        for number in range(self.topLevelItemCount()):
            head = self.topLevelItem(number)
            if head is None:
                continue
            height += self.sizeHintForIndex(self.indexFromItem(head)).height()
            for place in range(head.childCount() if head.isExpanded() else 0):
                row = self.model().index(place, 0, self.indexFromItem(head))
                height += self.sizeHintForIndex(row).height()
        self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.minimumHeight())


CHARACTERS = "characters"
"""What the head of the list of characters has for its data."""

LIMIT = 200
"""Most rows of a list: no one reads a million of them."""


def _said(row: InspectedToken | CharacterRow) -> str:
    """Returns a row in words, for screen readers."""
    if isinstance(row, CharacterRow):
        return f"{readable(row.data)}, {row.code_point}, {row.name}"
    note = f", {row.note}" if row.note else ""
    return f"{row.text}, id {row.id}, bytes {row.start:,} to {row.end:,}{note}"


def _tip(row: InspectedToken | CharacterRow) -> str:
    if isinstance(row, CharacterRow):
        return f"{row.name}\nScript: {row.script.replace('_', ' ')}\nBytes {hexadecimal(row.data)}"
    lines = [
        f"{in_its_direction(row.text, row.piece)}, id {row.id}: {hexadecimal(row.piece) or 'no bytes'}"
    ]
    if row.surface != row.text:
        lines.append(f"In the file: {row.surface}")
    lines.append(f"Bytes {row.start:,} to {row.end:,} of the text, type {row.kind}")
    start, end = row.pre_token
    if row.note:
        lines.append(f"{row.note[:1].upper()}{row.note[1:]}")
    elif row.rule:
        lines.append(f"In a pre-token by the rule “{row.rule}”, bytes {start:,} to {end:,}")
    return "\n".join([*lines, *row.about])


HEAD, LINE, NOTE, CELL = 38, 32, 16, 26
"""Pixels: the heights of a head, of a row, of a note under a row, and of a tile."""


class _RowPainter(QStyledItemDelegate):
    """Paints the rows of an `InspectedTree`."""

    def __init__(self, theme: Theme, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self.theme = theme
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        row = index.data(_ROLE)
        width = self._tree.viewport().width()
        if isinstance(row, InspectedToken):
            return QSize(width, LINE + (NOTE if row.note else 0))
        if isinstance(row, CharacterRow):
            name = self._name_rect(QRect(0, 0, width, 10_000), row)
            return QSize(width, max(LINE, 20 + name.height() + 6))
        return QSize(width, LINE if isinstance(row, More) else HEAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect, row = option.rect, index.data(_ROLE)
        states = QStyle.StateFlag
        if option.state & states.State_HasFocus and self._by_keyboard:
            painter.setPen(self.theme.accent)
            painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), RING * 2, RING * 2)
        elif option.state & states.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.sunken)
            painter.drawRoundedRect(QRectF(rect), 6, 6)
        if isinstance(row, InspectedToken):
            self._paint_token(painter, rect, row)
        elif isinstance(row, CharacterRow):
            self._paint_character(painter, rect, row)
        elif isinstance(row, More):
            self._paint_more(painter, rect, row)
        else:
            is_open = bool(option.state & states.State_Open)
            self._paint_head(painter, rect, row, index, is_open)
        painter.restore()

    @property
    def _by_keyboard(self) -> bool:
        return self._tree.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)

    def _paint_head(
        self,
        painter: QPainter,
        rect: QRect,
        part: TokenizerPart | str,
        index: _Index,
        is_open: bool,
    ) -> None:
        theme = self.theme
        if index.row() > 0 or index.parent().isValid():
            painter.fillRect(QRect(rect.left(), rect.top(), rect.width(), 1), theme.line)
        middle = rect.center().y() + 1
        arrow = "caret-down" if is_open else "caret-right"
        paint_icon(painter, QRectF(rect.right() - 15, middle - 7, 14, 14), arrow, theme.dim)
        square = QRectF(rect.left(), middle - 6, 13, 13)
        if isinstance(part, TokenizerPart):
            paint_marker(painter, square, part.identity)
            name = part.name
            count = (
                f"First of {part.count:,}"
                if is_open and part.count > FIRST + 1
                else counted(part.count, "token")
            )
        else:
            paint_icon(painter, square, "text-aa", theme.dim)
            name, count = "Characters", str(index.data(Qt.ItemDataRole.DisplayRole)).split()[0]
        small = number_font(SMALL_SIZE)
        room = QFontMetrics(small).horizontalAdvance(count)
        painter.setFont(small)
        painter.setPen(theme.dim)
        align = Qt.AlignmentFlag.AlignVCenter
        right = rect.right() - 22
        painter.drawText(QRect(right - room, rect.top() + 1, room + 1, rect.height()), align, count)
        font = ui_font(TEXT_SIZE, QFont.Weight.DemiBold)
        place = QRect(
            rect.left() + 20, rect.top() + 1, right - room - GRID - rect.left() - 20, rect.height()
        )
        painter.setFont(font)
        painter.setPen(theme.ink)
        shown = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, align, shown)

    def _paint_token(self, painter: QPainter, rect: QRect, row: InspectedToken) -> None:
        theme = self.theme
        mono = mono_font(SMALL_SIZE)
        metrics = QFontMetrics(mono)
        span = f"{row.start:,}–{row.end:,}"
        wide = max(metrics.horizontalAdvance("0000–0000"), metrics.horizontalAdvance(span))
        number = f"{row.id}"
        id_wide = max(metrics.horizontalAdvance("000000"), metrics.horizontalAdvance(number))
        line = QRect(rect.left(), rect.top(), rect.width(), LINE)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.setFont(mono)
        painter.setPen(theme.dim)
        painter.drawText(line, align, span)
        left_of_span = line.right() - wide - GRID
        painter.setPen(theme.ink)
        painter.drawText(
            QRect(line.left(), line.top(), left_of_span - line.left(), LINE), align, number
        )
        font = mono_font(SMALL_SIZE) if "<0x" in row.text else reading_font(TEXT_SIZE + 3)
        room = left_of_span - id_wide - 3 * GRID - line.left()
        text = QFontMetrics(font).elidedText(
            in_its_direction(row.text, row.piece), Qt.TextElideMode.ElideMiddle, room
        )
        width = max(QFontMetrics(font).horizontalAdvance(text) + 2 * GRID, CELL)
        tile = QRectF(line.left(), line.top() + (LINE - CELL) / 2, width, CELL)
        left, right = tile_cuts(row.piece)
        paint_tile(painter, tile, theme, row.colour, left, right, radius=4.0)
        painter.setFont(font)
        painter.setPen(theme.fills.ink)
        painter.drawText(tile.adjusted(0, -1, 0, -1), Qt.AlignmentFlag.AlignCenter, text)
        if row.note:
            self._small(painter, QRect(line.left(), line.bottom(), line.width(), NOTE), row.note)

    def _small(self, painter: QPainter, rect: QRect, text: str) -> None:
        font = ui_font(SMALL_SIZE)
        painter.setFont(font)
        painter.setPen(self.theme.dim)
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignTop, shown)

    def _name_rect(self, rect: QRect, row: CharacterRow) -> QRect:
        """The lines of a character's name, which wraps."""
        room = QRect(rect.left() + 36, rect.top() + 22, rect.width() - 36, rect.height())
        flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
        return QFontMetrics(ui_font(SMALL_SIZE)).boundingRect(room, flags, row.name)

    def _paint_character(self, painter: QPainter, rect: QRect, row: CharacterRow) -> None:
        theme = self.theme
        painter.setFont(reading_font(TEXT_SIZE + 4))
        painter.setPen(theme.ink)
        shown = readable(row.data)
        box = QRect(rect.left(), rect.top(), 32, LINE)
        if QFontMetrics(painter.font()).horizontalAdvance(shown) > box.width():
            painter.setFont(mono_font(10))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)
        mono = mono_font(SMALL_SIZE)
        painter.setFont(mono)
        line = QRect(rect.left() + 36, rect.top() + 3, rect.width() - 36, 18)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, row.code_point)
        painter.setPen(theme.dim)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(line, align, hexadecimal(row.data))
        painter.setFont(ui_font(SMALL_SIZE))
        flags = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop)
        painter.drawText(self._name_rect(rect, row), flags, row.name)

    def _paint_more(self, painter: QPainter, rect: QRect, row: More) -> None:
        font = ui_font(TEXT_SIZE, QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(self.theme.accent)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, row.text)
        width = QFontMetrics(font).horizontalAdvance(row.text)
        square = QRectF(rect.left() + width + 6, rect.center().y() - 6, 14, 14)
        paint_icon(painter, square, "caret-down", self.theme.accent)


class _EmptyCard(QWidget):
    """A torn tile in the colour of lines, and one sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence = secondary(QLabel(wordWrap=True))
        self.sentence.setText("Point at a token, or select some text, to see what it is made of.")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        in_column(STRETCH, 88, self.sentence, (None, 2), into=self, margins=(GRID, 0, 2 * GRID, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tile = QRectF(0, 0, 56, 56)
        tile.moveCenter(QRectF(self.rect()).center())
        tile.moveBottom(self.sentence.geometry().top() - 20)
        painter.fillPath(token_path(tile, Cut.STRAIGHT, Cut.TORN, 10), self.palette().mid())
        painter.end()
