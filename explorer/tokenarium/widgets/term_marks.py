"""A small “?” at terms of the glossary: a click, or the key “?”, opens the explanation."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QWidget

from tokenarium.resources.glossary import explanation, load_glossary
from tokenarium.style.fonts import RAIL_SIZE, ui_font
from tokenarium.style.icons import icon
from tokenarium.widgets.layouts import STRETCH, in_row
from tokenarium.widgets.panel import FlatButton, named
from tokenarium.widgets.popup import Popover

MARK = "?"
SIDE = 14
"""Pixels of the mark in the heading of a column, at its right edge."""

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


def labelled(text: str, control: QWidget, term: str = "") -> QWidget:
    """Returns a control with its label before it, and the mark of a term at the label."""
    label, pair = QLabel(text), QWidget()
    label.setBuddy(control)
    in_row(with_term(label, term) if term else label, control, into=pair, spacing=-1)
    return pair


def with_term(widget: QWidget, term: str) -> QWidget:
    """Returns a widget with the mark of a term of the glossary right after it."""
    both = QWidget()
    in_row(widget, TermButton(term), STRETCH, into=both)
    return both


class HeadMarks(QWidget):
    """The marks over the headings of a table's columns, for all those with a tooltip."""

    def __init__(self, view: QAbstractItemView, header: QHeaderView) -> None:
        super().__init__(header.viewport())
        self._view, self._header = view, header
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._read = QTimer(self, singleShot=True, interval=READ_MS)
        self._read.timeout.connect(self._load)
        header.viewport().installEventFilter(self)
        header.viewport().setMouseTracking(True)
        view.installEventFilter(self)
        self.setGeometry(header.viewport().rect())

    def tip(self, section: int) -> str:
        """Returns the explanation of a column, or "" if it needs none."""
        model = self._header.model()
        horizontal = Qt.Orientation.Horizontal
        text = model.headerData(section, horizontal, Qt.ItemDataRole.ToolTipRole) if model else None
        return text if isinstance(text, str) else ""

    def marks(self) -> Iterator[tuple[int, QRect]]:
        """Yields the visible columns that have a mark, and its rectangle."""
        header = self._header
        for section in range(header.count()):
            left, width = header.sectionViewportPosition(section), header.sectionSize(section)
            if header.isSectionHidden(section) or left + width <= 0 or left >= self.width():
                continue
            if width > 2 * SIDE and self.tip(section):
                yield section, QRect(left + width - SIDE, 0, SIDE, SIDE + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not load_glossary.cache_info().currsize:
            self._read.start()
            return
        painter = QPainter(self)
        painter.setFont(ui_font(RAIL_SIZE))
        painter.setPen(self.palette().accent().color())
        right = (
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )  # in the margin of the column
        for _, rect in self.marks():
            painter.drawText(rect, int(right), MARK)
        painter.end()

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
        elif isinstance(event, QMouseEvent) and kind in _OF_MOUSE:
            section = self._at(event.position().toPoint())
            if kind == QEvent.Type.MouseMove:
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
            left, width = (
                self._header.sectionViewportPosition(section),
                self._header.sectionSize(section),
            )
            mark = QRect(left + width - SIDE, 0, SIDE, self.height())
            explain(self._header.viewport(), text, mark)
        return bool(text)


_OF_MOUSE = (
    QEvent.Type.MouseMove,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonRelease,
    QEvent.Type.MouseButtonDblClick,
)
