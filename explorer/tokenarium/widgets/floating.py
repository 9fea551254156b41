"""Floating cards over the contents of the window, with a shadow."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QMargins, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from tokenarium.style.theme import CARD_RADIUS
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.motion import appear, vanish

SHADOW = QMargins(20, 12, 20, 28)
"""Pixels around a floating card for its shadow."""

_REACH = 10
"""The number of rings in a shadow."""


class FloatingCard(QWidget):
    """A card with a shadow around it; ``card`` is the widget inside, which has the layout.

    It fades in and out, except if a splitter gives it its own column.
    """

    def __init__(self, parent: QWidget | None = None, radius: float = CARD_RADIUS) -> None:
        super().__init__(parent)
        self._radius = radius
        self.card = QWidget()
        in_column(self.card, into=self)
        self.setContentsMargins(SHADOW)

    @property
    def margins(self) -> QMargins:
        """The room of the shadow."""
        return SHADOW

    def put(self, rect: QRect) -> None:
        """Moves the widget so that the card itself has these bounds in the parent."""
        self.setGeometry(rect.marginsAdded(SHADOW))

    def setVisible(self, visible: bool) -> None:
        hidden, floats = self.isHidden(), not isinstance(self.parentWidget(), QSplitter)
        if visible or not floats:
            super().setVisible(visible)
        else:
            vanish(self)
        if visible and hidden and floats:
            appear(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_floating(painter, self.rect().marginsRemoved(SHADOW), self.palette(), self._radius)
        painter.end()


def paint_floating(painter: QPainter, card: QRect, palette: QPalette, radius: float) -> None:
    """Paints the background of a floating card in the colours of a palette, and its shadow around it."""
    dark = palette.window().color().lightness() < 128
    ratio = painter.device().devicePixelRatioF()
    _paint_patches(painter, card.marginsAdded(SHADOW), _shadow(radius, dark, ratio), radius)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(palette.mid().color(), 1))
    painter.setBrush(palette.base())
    painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def _paint_patches(painter: QPainter, outer: QRect, shadow: QPixmap, radius: float) -> None:
    """Paints a shadow of any size: its corners as they are, its edges stretched, its middle left out."""
    corner = round(radius) + _REACH
    left, right = _ends(SHADOW.left() + corner, SHADOW.right() + corner, outer.width())
    top, bottom = _ends(SHADOW.top() + corner, SHADOW.bottom() + corner, outer.height())
    ratio = shadow.devicePixelRatio()
    size = shadow.deviceIndependentSize().toSize()

    def thirds(start: int, length: int, first: int, last: int) -> tuple[tuple[int, int], ...]:
        return (start, first), (start + first, length - first - last), (start + length - last, last)

    columns = thirds(outer.left(), outer.width(), left, right)
    rows = thirds(outer.top(), outer.height(), top, bottom)
    from_columns = thirds(0, size.width(), left, right)
    from_rows = thirds(0, size.height(), top, bottom)
    for row, (y, height) in enumerate(rows):
        for column, (x, width) in enumerate(columns):
            if row == column == 1 or width <= 0 or height <= 0:
                continue
            (sx, swidth), (sy, sheight) = from_columns[column], from_rows[row]
            source = QRectF(sx * ratio, sy * ratio, swidth * ratio, sheight * ratio)
            painter.drawPixmap(QRectF(x, y, width, height), shadow, source)


def _ends(first: int, last: int, length: int) -> tuple[int, int]:
    """Returns how much of both ends is painted: less if they would cover each other."""
    cut = max(0, first + last - length)
    return first - cut // 2, last - (cut - cut // 2)


@lru_cache(maxsize=16)
def _shadow(radius: float, dark: bool, ratio: float) -> QPixmap:
    """Returns the shadow of the smallest card with these corners."""
    corner = round(radius) + _REACH
    inner = QSize(2 * corner + 4, 2 * corner + 4)
    whole = inner.grownBy(SHADOW)
    pixmap = QPixmap(whole * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    card = QRectF(QRect(QPoint(SHADOW.left(), SHADOW.top()), inner))
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    black = QColor(0, 0, 0)
    black.setAlphaF(0.045 if dark else 0.008)
    painter.setBrush(black)
    for ring in range(_REACH):  # rings that add up to a soft edge
        reach = 2.0 * ring
        grown = card.adjusted(-reach, 8 - reach, reach, 8 + reach)
        painter.drawRoundedRect(grown, radius + reach, radius + reach)
    painter.end()
    return pixmap


class RestingCard(QWidget):
    """A card on the page: the background of data with a hairline, no shadow; ``margin``: pixels around it."""

    def __init__(self, content: QWidget, margin: QMargins, inset: int = 1) -> None:
        """``inset``: pixels between the edge of the card and its content."""
        super().__init__()
        self._margin = margin
        self.column = in_column((content, 1), into=self)
        self._inset = inset
        self.set_gap(margin.top())

    def set_gap(self, above: int) -> None:
        """Leaves this many pixels free above the card."""
        self._margin.setTop(above)
        inset = self._inset
        self.setContentsMargins(self._margin + QMargins(inset, inset, inset, inset))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().mid().color(), 1))
        painter.setBrush(self.palette().base())
        card = QRectF(self.rect().marginsRemoved(self._margin)).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(card, CARD_RADIUS, CARD_RADIUS)
        painter.end()


class _QuietHandle(QSplitterHandle):
    """The handle between two cards, visible only under the pointer."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.underMouse():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().dark())
        grip = QSize(36, 4) if self.orientation() == Qt.Orientation.Vertical else QSize(4, 36)
        rect = QRectF(QPoint(0, 0), grip)
        rect.moveCenter(QRectF(self.rect()).center())
        painter.drawRoundedRect(rect, 2, 2)
        painter.end()


class CardSplitter(QSplitter):
    """A splitter of cards, whose gaps are its handles."""

    def __init__(self, orientation: Qt.Orientation) -> None:
        super().__init__(orientation)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(6)

    def createHandle(self) -> QSplitterHandle:
        return _QuietHandle(self.orientation(), self)
