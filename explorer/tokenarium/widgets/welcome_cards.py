"""The cards of the welcome page, each with a small drawn picture of where it leads."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton

from tokenarium.style.fonts import HEADING_SIZE, TEXT_SIZE, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.shapes import paint_card, paint_marker, paint_tile
from tokenarium.style.theme import CARD_RADIUS, GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.keyboard import paint_keyboard_ring

Picture = Callable[[QPainter, QRectF, Theme], None]

INSIDE = 22
"""Pixels between the edge of a card and its contents."""

LEAST_WIDTH = 220
HEIGHT, LOW_HEIGHT = 296, 216
"""Pixels: the height of a card, with the room of a large picture and of a small one."""


class WelcomeCard(Themed, QAbstractButton):
    """A picture, a title, a sentence, and a click handler."""

    def __init__(self, title: str, sentence: str, does: str, picture: Picture) -> None:
        super().__init__()
        self._title, self._sentence, self._does = title, sentence, does
        self._picture = picture
        self.setText(does)
        self.setAccessibleName(f"{title}: {does}")
        self.setAccessibleDescription(sentence)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_low(False)

    def set_low(self, low: bool) -> None:
        """Reduces the height."""
        self.setFixedHeight(LOW_HEIGHT if low else HEIGHT)

    def sizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH + 40, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_card(painter, QRectF(self.rect()), theme, CARD_RADIUS)
        if self.underMouse() or self.isDown():
            painter.setPen(QPen(theme.accent, 1.5))
            wash = QColor(theme.wash)
            wash.setAlphaF(0.5)
            painter.setBrush(wash if self.isDown() else Qt.BrushStyle.NoBrush)
            edge = QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75)
            painter.drawRoundedRect(edge, CARD_RADIUS, CARD_RADIUS)
        width = self.width() - 2 * INSIDE
        foot = self.height() - 128
        drawn = QRectF(INSIDE, 18, width, foot - 30)
        painter.save()
        self._picture(painter, drawn, theme)
        painter.restore()
        painter.setPen(theme.ink)
        painter.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        metrics = painter.fontMetrics()
        title = metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QPointF(INSIDE, foot + metrics.ascent()), title)
        painter.setPen(theme.dim)
        painter.setFont(ui_font(TEXT_SIZE))
        flags = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignTop)
        painter.drawText(QRectF(INSIDE, foot + 27, width, 42), flags, self._sentence)
        painter.setPen(theme.accent)
        painter.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        top = self.height() - 42
        painter.drawText(QRectF(INSIDE, top, width, 20), Qt.AlignmentFlag.AlignVCenter, self._does)
        after = INSIDE + painter.fontMetrics().horizontalAdvance(self._does) + GRID
        paint_icon(painter, QRectF(after, top + 2, 16, 16), "arrow-right", theme.accent)
        painter.end()
        paint_keyboard_ring(self, self.rect())


# The pictures.


def draw_strips(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """A line of tokens, and strips of three tokenizers under it."""
    height = min(30.0, rect.height() * 0.36)
    strip, gap = height * 0.3, 3.0
    top = rect.center().y() - (height + 3 * (strip + gap)) / 2
    _row(painter, rect, top, height, theme, ((0.21, 0), (0.37, 12), (0.17, 2), (0.25, 6)))
    cuts = (
        (0.21, 0.13, 0.24, 0.1, 0.07, 0.13, 0.12),
        (0.21, 0.37, 0.17, 0.13, 0.12),
        (0.21, 0.37, 0.42),
    )
    for number, (slot, shares) in enumerate(zip((2, 1, 3), cuts, strict=True)):
        identity = theme.identity(slot)
        y = top + height + gap + number * (strip + gap) + 2
        left = rect.left()
        for index, share in enumerate(shares):
            width = share * rect.width()
            fill = identity.mid if index % 2 else identity.soft
            painter.fillRect(QRectF(left, y, width - 1.5, strip), fill)
            left += width


def _row(
    painter: QPainter,
    rect: QRectF,
    top: float,
    height: float,
    theme: Theme,
    tokens: tuple[tuple[float, int], ...],
) -> None:
    left = rect.left()
    for share, colour in tokens:
        width = share * rect.width()
        paint_tile(painter, QRectF(left, top, width, height), theme, colour, radius=0)
        left += width


def draw_merge(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """A token over the two that it was merged from."""
    width = min(118.0, rect.width() * 0.45)
    height = min(36.0, (rect.height() - 28) / 1.75)
    middle = rect.center().x()
    top = rect.center().y() - (1.75 * height + 28) / 2
    paint_tile(painter, QRectF(middle - width / 2, top, width, height), theme, 5)
    child = width * 0.42
    low = top + height + 28
    painter.setPen(QPen(theme.strong, 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for side in (-1, 1):
        x = middle + side * width * 0.25
        path = QPainterPath(QPointF(middle, top + height + 2))
        path.cubicTo(middle, top + height + 16, x, low - 18, x, low - 2)
        painter.drawPath(path)
    for side, colour in ((-1, 0), (1, 3)):
        x = middle + side * width * 0.25
        paint_tile(painter, QRectF(x - child / 2, low, child, height * 0.75), theme, colour)


def draw_costs(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """The cost of sentences in five languages for four tokenizers."""
    costs = (
        (0.08, 0.12, 0.18, 0.24),
        (0.11, 0.16, 0.32, 0.44),
        (0.10, 0.14, 0.38, 0.60),
        (0.12, 0.21, 0.48, 0.76),
        (0.10, 0.16, 0.56, 0.94),
    )
    step = min(20.0, rect.height() / 5)
    top = rect.center().y() - 2 * step
    for number, row in enumerate(costs):
        y = top + number * step
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.line)
        painter.drawRoundedRect(QRectF(rect.left(), y - 2, rect.width(), 4), 2, 2)
        for slot, share in zip((3, 0, 1, 2), row, strict=True):
            x = rect.left() + share * rect.width()
            paint_marker(painter, QRectF(x - 6.5, y - 6.5, 13, 13), theme.identity(slot))


def draw_curves(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Three curves of trainings, one of which is still growing."""
    painter.setPen(QPen(theme.strong, 1.5))
    painter.drawPolyline([rect.topLeft(), rect.bottomLeft(), rect.bottomRight()])
    for slot, high, length in ((8, 0.94, 1.0), (7, 0.86, 0.58), (11, 0.74, 1.0)):
        path = QPainterPath()
        points = [(n / 24) ** 2 * length for n in range(25)]  # close together where it is steep
        for index, x in enumerate(points):
            share = high * x**0.42
            point = QPointF(rect.left() + x * rect.width(), rect.bottom() - share * rect.height())
            path.lineTo(point) if index else path.moveTo(point)
        colour: QColor = theme.identity(slot).full
        painter.setPen(QPen(colour, 3, c=Qt.PenCapStyle.RoundCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        if length < 1:
            end = path.currentPosition()
            painter.setBrush(theme.surface)
            painter.drawEllipse(end, 5, 5)
