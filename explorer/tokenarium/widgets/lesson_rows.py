"""The rows of the list of lessons: lessons with their progress, steps that were found, and classes with their parts."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QSizePolicy, QWidget

from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import CONTROL_RADIUS, GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.panel import secondary

ROW_HEIGHT = 56
"""Pixels of a row whose title has one line; a longer title continues on the next lines."""

ROW_LEFT = 46
TITLE_TOP = 11
"""Pixels left of the texts of a row, and above its title."""

_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


@dataclass(frozen=True, slots=True)
class LessonRow:
    """A lesson in the list, with the number of its steps and of those seen; or a step that matches the search.

    ``asked``: the title is a question that the step answers. ``ready``: it is a class, and ``part``: a part of one, whose
    line is shown whole; without a step it is only read.
    """

    id: str
    title: str
    line: str
    seen: int = 0
    steps: int = 0
    step: int = -1
    asked: bool = False
    ready: bool = False
    part: bool = False


class LessonButton(Themed, QPushButton):
    """A lesson in the list: its progress, its title, and a line about it."""

    def __init__(self, row: LessonRow) -> None:
        super().__init__()
        self.row = row
        self._current = False
        self.setFixedHeight(ROW_HEIGHT)
        self.setAccessibleName(f"{row.title}. {row.line}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_row(self, row: LessonRow, current: bool) -> None:
        """Shows other progress of the same lesson; ``current``: it is the one that is open."""
        self.row, self._current = row, current
        self.setAccessibleName(f"{row.title}. {row.line}{', open' if current else ''}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, row = self.theme, self.row
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.isDown() or self._current:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.wash)
            painter.drawRoundedRect(QRectF(self.rect()), CONTROL_RADIUS, CONTROL_RADIUS)
        if row.step >= 0 or row.ready or row.part:
            sign = (
                "question" if row.asked else "chalkboard-teacher" if row.ready else "graduation-cap"
            )
            paint_icon(painter, QRectF(14, ROW_HEIGHT / 2 - 9, 18, 18), sign, theme.dim)
        else:
            self._paint_ring(painter)
        title = self._title_rect(self.width())
        painter.setFont(_row_font())
        painter.setPen(theme.ink)
        painter.drawText(title, _WRAPPED, row.title)
        painter.setFont(ui_font(SMALL_SIZE))
        painter.setPen(theme.dim)
        room = self._line_rect(title)
        line = row.line
        if not row.part:
            line = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _WRAPPED, line)
        painter.end()
        paint_keyboard_ring(self, self.rect())

    def _title_rect(self, width: int) -> QRect:
        """Returns where the title is in a row of this width: on as many lines as it needs."""
        room = QRect(ROW_LEFT, TITLE_TOP, max(1, width - ROW_LEFT - 4), 1 << 12)
        return QFontMetrics(_row_font()).boundingRect(room, _WRAPPED, self.row.title)

    def _line_rect(self, title: QRect) -> QRect:
        """Returns where the line below the title is: one line, or as many as the notes of a class need."""
        room = QRect(ROW_LEFT, title.bottom() + 3, max(1, self.width() - ROW_LEFT - 4), 1 << 12)
        metrics = QFontMetrics(ui_font(SMALL_SIZE))
        if self.row.part:
            return metrics.boundingRect(room, _WRAPPED, self.row.line)
        room.setHeight(metrics.height())
        return room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        line = self._line_rect(self._title_rect(event.size().width()))
        self.setFixedHeight(max(ROW_HEIGHT, line.bottom() + TITLE_TOP))

    def _paint_ring(self, painter: QPainter) -> None:
        """Paints the progress in the lesson."""
        theme, row = self.theme, self.row
        ring = QRectF(12, ROW_HEIGHT / 2 - 10, 20, 20)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        done = row.seen >= row.steps
        painter.setPen(QPen(theme.good if done else theme.line, 2.5))
        painter.drawEllipse(ring)
        if done:
            paint_icon(painter, ring.adjusted(3, 3, -3, -3), "check", theme.good)
        elif row.seen:
            painter.setPen(QPen(theme.accent, 2.5))
            painter.drawArc(ring, 90 * 16, -round(5760 * row.seen / row.steps))


def row_heading(text: str) -> QLabel:
    """Returns a heading above some rows."""
    label = QLabel(text)
    label.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
    label.setContentsMargins(GRID, 2 * GRID, 0, GRID // 2)
    return secondary(label)


def _row_font() -> QFont:
    return ui_font(TEXT_SIZE, QFont.Weight.DemiBold)


def scrolled(widget: QWidget) -> QScrollArea:
    """Returns an area that scrolls a widget vertically, on the background of its surroundings."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(widget)
    for ground in (area.viewport(), widget):
        ground.setBackgroundRole(QPalette.ColorRole.Base)
    return area
