"""The lists of the inspector: the tokens of each tokenizer as tiles, and the characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from tokenarium.models.text.direction import in_its_direction
from tokenarium.models.text.inspection import CharacterRow, InspectedToken, TokenPlace
from tokenarium.models.text.piece import byte_numbers, counted, readable
from tokenarium.models.text.qt_text import as_tip
from tokenarium.resources.glossary import explanation
from tokenarium.style.control_painting import RING
from tokenarium.style.cuts import tile_cuts
from tokenarium.style.fonts import (
    SMALL_SIZE,
    TEXT_SIZE,
    mono_font,
    number_font,
    reading_font,
    ui_font,
)
from tokenarium.style.icons import paint_icon
from tokenarium.style.shapes import paint_marker, paint_tile
from tokenarium.style.theme import GRID, Identity, Theme
from tokenarium.style.themed import theme_of

FIRST = 9
"""Tokens that are listed before the row "16 more"."""

_ROLE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class TokenizerPart:
    """The tokens of the bytes by one tokenizer: ``count`` of its ``total``; ``key`` is its key in the library.

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


class InspectedTree(QTreeWidget):
    """A list that opens for each tokenizer, with its tokens as tiles, and for the characters.

    It is as high as its rows: its parent scrolls.
    """

    token_picked = Signal(int, int)  # bytes
    token_menu_requested = Signal(QPoint, object)

    def __init__(self) -> None:
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
        self._rows = _RowPainter(self)
        self.setItemDelegate(self._rows)
        self._inspected: Inspected | None = None
        self._opened: dict[
            str, bool
        ] = {}  # by the key of a tokenizer: what the user opened or closed
        self._all: set[str] = set()  # lists that show more than the first rows
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_for_menu)
        self.itemClicked.connect(self._click)

    def show_parts(self, inspected: Inspected) -> None:
        """Shows the tokens and the characters of new bytes; lists that the user opened stay open."""
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
            head.setToolTip(0, _token_terms())
            self.addTopLevelItem(head)
            is_front = part is inspected.parts[0]
            if self._opened.get(part.key, is_front):
                self._fill(head, part)
        head = QTreeWidgetItem()
        head.setData(0, _ROLE, CHARACTERS)
        head.setText(0, counted(inspected.character_count, "character"))
        head.setToolTip(0, f"{explanation('code point')}\n{explanation('UTF-8')}")
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
        data = head.data(0, _ROLE)
        key = data.key if isinstance(data, TokenizerPart) else data
        is_open = not head.isExpanded()
        self._opened[key] = is_open
        head.takeChildren()
        if is_open:
            self._fill(head, data)
        else:
            head.setExpanded(False)
        self._fit()

    def _show_more(self, head: QTreeWidgetItem | None) -> None:
        if head is None:
            return
        data = head.data(0, _ROLE)
        self._all.add(data.key if isinstance(data, TokenizerPart) else data)
        place = head.childCount() - 1
        head.takeChildren()
        self._fill(head, data)
        self._fit()
        self.setCurrentIndex(self.model().index(place, 0, self.indexFromItem(head)))

    # Input.

    def _click(self, item: QTreeWidgetItem) -> None:
        data = item.data(0, _ROLE)
        if isinstance(data, InspectedToken):
            self.token_picked.emit(data.start, data.end)
        elif isinstance(data, More):
            self._show_more(item.parent())
        elif not isinstance(data, CharacterRow):
            self._toggle(item)

    def token_of(self, item: QTreeWidgetItem | None) -> TokenPlace | None:
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
        place = self.token_of(item)
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
        place = self.token_of(item)
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
        return QSize(0, self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.minimumHeight())


CHARACTERS = "characters"
"""The data of the heading of the list of characters."""

LIMIT = 200
"""The most rows of a list: no one reads a million of them."""


@lru_cache(maxsize=1)
def _token_terms() -> str:
    """Returns the meaning of the parts of a row of tokens."""
    return "\n".join(
        (explanation("token"), explanation("id"), explanation("span"), explanation("rule"))
    )


def _said(row: InspectedToken | CharacterRow) -> str:
    """Returns a row in words, for screen readers."""
    if isinstance(row, CharacterRow):
        return f"{readable(row.data)}, {row.code_point}, {row.name}"
    note = f", {row.note}" if row.note else ""
    return f"{row.text}, id {row.id}, bytes {row.start:,} to {row.end:,}{note}"


def _tip(row: InspectedToken | CharacterRow) -> str:
    if isinstance(row, CharacterRow):
        return f"{row.name}\nScript: {row.script.replace('_', ' ')}\nBytes {byte_numbers(row.data)}"
    lines = [
        f"{in_its_direction(row.text, row.piece)}, id {row.id}: {byte_numbers(row.piece) or 'no bytes'}"
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
"""Pixels: the heights of a heading, a row, a note under a row, and a tile."""


class _RowPainter(QStyledItemDelegate):
    """Paints the rows of an `InspectedTree`."""

    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self._tree = tree

    @property
    def theme(self) -> Theme:
        """The theme of the tree."""
        return theme_of(self._tree)

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
        shown = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideMiddle, place.width())
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
        painter.drawText(line, align, byte_numbers(row.data))
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
