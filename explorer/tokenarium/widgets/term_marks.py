"""A small “?” at terms of the glossary: a click, or the key “?”, opens the explanation.

In a table it appears while the pointer is over a heading; on all of them it would read as a part of their titles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QEnterEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyleOptionHeader,
    QWidget,
)

from tokenarium.resources.glossary import explanation, load_glossary
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.icons import icon, paint_icon
from tokenarium.widgets.layouts import STRETCH, in_row
from tokenarium.widgets.panel import FlatButton, named
from tokenarium.widgets.popup import Popover

MARK = "?"
SIDE = 14
"""Pixels of the mark in the heading of a column, at the edge that its title leaves free."""

ARROW = 12
"""Pixels of the arrow of the sorted column, next to its title."""

WIDTH = 24
"""Pixels of a mark next to a name: not higher than a line, so that the form keeps its rhythm."""

READ_MS = 200
"""Milliseconds after the first table appears when the glossary is read, which takes longer than a frame."""


def explain(widget: QWidget, text: str, about: QRect | None = None) -> None:
    """Shows an explanation at a rectangle of a widget, or at all of it, until the next click or key."""
    Popover(text, widget).open_at(widget, widget.rect() if about is None else about)


class TermButton(FlatButton):
    """A “?” next to a name in a form, or next to a switch."""

    def __init__(self, name: str, text: str = "") -> None:
        """``name`` is the term, ``text`` the explanation; by default that of the glossary."""
        super().__init__()
        self._text = text
        self.setIcon(icon("question"))
        self.setFixedWidth(WIDTH)
        self.setMaximumHeight(WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_term(name, text)
        self.clicked.connect(lambda: explain(self, self.explanation))

    def set_term(self, name: str, text: str = "") -> None:
        """Changes the term."""
        self.term, self._text = name, text
        named(self, f"What is {name}?", text)

    @property
    def explanation(self) -> str:
        """The explanation; the glossary is read on first use."""
        return self._text or explanation(self.term)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(self.explanation)
        return super().event(event)


def with_term(widget: QWidget, term: str) -> QWidget:
    """Returns a widget with the mark of a term of the glossary right after it."""
    both = QWidget()
    in_row(widget, TermButton(term), STRETCH, into=both)
    return both


class HeadMarks(QWidget):
    """What is over the headings of a table: the arrow of the sorted column, and the mark of the one under the pointer.

    A column has a mark if its heading has a tooltip.
    """

    def __init__(self, view: QAbstractItemView, header: QHeaderView) -> None:
        super().__init__(header.viewport())
        self._view, self._header = view, header
        self._over = -1  # the column under the pointer
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._read = QTimer(self, singleShot=True, interval=READ_MS)
        self._read.timeout.connect(self._load)
        header.viewport().installEventFilter(self)
        header.viewport().setMouseTracking(True)
        view.installEventFilter(self)
        self.setGeometry(header.viewport().rect())

    def tip(self, section: int) -> str:
        """Returns the explanation of a column, or "" if it needs none."""
        text = self._said(section, Qt.ItemDataRole.ToolTipRole)
        return text if isinstance(text, str) else ""

    def _said(self, section: int, role: Qt.ItemDataRole) -> Any:
        model = self._header.model()
        return model.headerData(section, Qt.Orientation.Horizontal, role) if model else None

    def _alignment(self, section: int) -> Qt.AlignmentFlag:
        own = self._said(section, Qt.ItemDataRole.TextAlignmentRole)
        return self._header.defaultAlignment() if own is None else Qt.AlignmentFlag(own)

    def marks(self) -> Iterator[tuple[int, QRect]]:
        """Yields the visible columns that have a mark, and its rectangle."""
        header = self._header
        for section in range(header.count()):
            left, width = header.sectionViewportPosition(section), header.sectionSize(section)
            if header.isSectionHidden(section) or left + width <= 0 or left >= self.width():
                continue
            if width > 2 * SIDE and self.tip(section):
                numbers = self._alignment(section) & Qt.AlignmentFlag.AlignRight
                yield (
                    section,
                    QRect(left + (0 if numbers else width - SIDE), 0, SIDE, self.height()),
                )

    @property
    def arrow(self) -> QRectF:
        """Where the arrow of the sorted column is, before the title of a number and after others; empty if none is."""
        header, section = self._header, self._header.sortIndicatorSection()
        if not header.isSortIndicatorShown() or not 0 <= section < header.count():
            return QRectF()
        if header.isSectionHidden(section):
            return QRectF()
        option = QStyleOptionHeader()
        option.initFrom(header)
        left, width = header.sectionViewportPosition(section), header.sectionSize(section)
        option.rect, option.section = QRect(left, 0, width, self.height()), section
        place = header.visualIndex(section)
        option.position = (
            QStyleOptionHeader.SectionPosition.Beginning
            if not place
            else QStyleOptionHeader.SectionPosition.Middle
        )
        room = header.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, header)
        title = str(self._said(section, Qt.ItemDataRole.DisplayRole) or "")
        text = min(header.fontMetrics().horizontalAdvance(title), room.width())
        alignment = self._alignment(section)
        if alignment & Qt.AlignmentFlag.AlignRight:
            at = max(room.right() - text - ARROW, left)
        else:
            begin = room.left()
            if alignment & Qt.AlignmentFlag.AlignHCenter:
                begin += (room.width() - text) // 2
            at = min(begin + text + 3, left + width - ARROW)
        return QRectF(at, (self.height() - ARROW) / 2, ARROW, ARROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        palette = self.palette()
        arrow = self.arrow
        if not arrow.isEmpty():
            up = self._header.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
            painter.fillRect(arrow, palette.base())
            paint_icon(
                painter,
                arrow,
                "caret-up" if up else "caret-down",
                palette.placeholderText().color(),
            )
        if self._over >= 0:
            self._paint_mark(painter)
        painter.end()

    def _paint_mark(self, painter: QPainter) -> None:
        if not load_glossary.cache_info().currsize:
            self._read.start()
            return
        rect = dict(self.marks()).get(self._over)
        if rect is not None:
            painter.setFont(ui_font(SMALL_SIZE))
            painter.setPen(self.palette().accent().color())
            painter.fillRect(rect.adjusted(3, 1, 0, -2), self.palette().base())
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), MARK)

    def _point(self, section: int) -> None:
        if section != self._over:
            self._over = section
            self.update()

    def _load(self) -> None:
        load_glossary()
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._view:
            if (
                kind == QEvent.Type.KeyPress
                and isinstance(event, QKeyEvent)
                and event.text() == MARK
            ):
                return self._explain(self._view.currentIndex().column())
            return False
        if kind == QEvent.Type.Resize:
            self.setGeometry(self._header.viewport().rect())
        elif kind == QEvent.Type.Leave:
            self._point(-1)
        elif isinstance(event, QEnterEvent):
            self._point(self._header.logicalIndexAt(event.position().toPoint()))
        elif isinstance(event, QMouseEvent) and kind in _OF_MOUSE:
            section = self._at(event.position().toPoint())
            if kind == QEvent.Type.MouseMove:
                self._point(self._header.logicalIndexAt(event.position().toPoint()))
                hand = Qt.CursorShape.WhatsThisCursor
                if section >= 0:
                    self._header.viewport().setCursor(hand)
                elif self._header.viewport().cursor().shape() == hand:
                    self._header.viewport().unsetCursor()
            elif section >= 0:  # a click on it does not sort
                return kind == QEvent.Type.MouseButtonRelease or self._explain(section)
        return False

    def _at(self, place: QPoint) -> int:
        return next((section for section, rect in self.marks() if rect.contains(place)), -1)

    def _explain(self, section: int) -> bool:
        text = self.tip(section) if section >= 0 else ""
        if text:
            explain(self._header.viewport(), text, dict(self.marks()).get(section))
        return bool(text)


_OF_MOUSE = (
    QEvent.Type.MouseMove,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonRelease,
    QEvent.Type.MouseButtonDblClick,
)
