"""The band of a presentation with a question and a few choices, tiles or words; and the dots below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.style.fonts import LESSON_SIZE, SMALL_SIZE, ui_font
from tokenarium.style.shapes import paint_tile
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.widgets.layouts import fair_share
from tokenarium.widgets.painting import PaintedPart

ChoiceState = Literal["open", "good", "bad", "dim"]
_WRAPPED = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft)

CHOICE_HEIGHT = 38.0
TILE_HEIGHT = 26.0
KEY = 17.0
"""Pixels of a choice, of its tiles, and of the key that chooses it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice: the texts of its tiles and their colour numbers, -1 for plain words. Two tiles are a pair."""

    texts: tuple[str, ...]
    colours: tuple[int, ...]

    @property
    def description(self) -> str:
        """The choice in words."""
        return " + ".join(self.texts)


@dataclass(frozen=True, slots=True)
class StageQuestion:
    """The question, a hint, the choices, the right one, and the state of each choice.

    ``keys``: digits choose, and each choice shows its own.
    """

    title: str
    note: str
    choices: Sequence[Choice]
    right: int
    states: tuple[ChoiceState, ...] = field(default=())
    keys: bool = True

    def answered(self, chosen: int) -> tuple[ChoiceState, ...]:
        """Returns the states of the choices once one is chosen, or -1 if the answer was only revealed."""
        return tuple(
            "good" if index == self.right else "bad" if index == chosen else "dim"
            for index in range(len(self.choices))
        )


class QuestionBand(PaintedPart):
    """Shows a question; emits the index of the clicked choice."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        self.question: StageQuestion | None = None
        super().__init__(parent)
        self.setAccessibleName("Question")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._over = -1

    def ask(self, question: StageQuestion | None) -> None:
        """Shows a new question."""
        self.question = question
        if question is not None:
            pairs = (
                f"{number}: {one.description}" for number, one in enumerate(question.choices, 1)
            )
            self.setAccessibleDescription(f"{question.title} {', '.join(pairs)}")
        self._over = -1
        self.updateGeometry()
        self.update()

    @property
    def _stacked(self) -> bool:
        """Whether the choices are below the question, since there is no room next to it."""
        if self.question is None or not self.question.choices:
            return False
        widths = sum(map(_choice_width, self.question.choices))
        title_width = max(_width(self.question.title, True), 150.0)
        return self.width() < title_width + widths + 2 * CARD_MARGIN + 4 * GRID

    def _title_height(self, width: float) -> float:
        """The height of the question in a width; a long one wraps."""
        if self.question is None:
            return 0.0
        metrics = QFontMetricsF(ui_font(LESSON_SIZE, QFont.Weight.Bold))
        room = QRectF(0, 0, max(1.0, width), 1000)
        return metrics.boundingRect(room, _WRAPPED, self.question.title).height()

    def _height(self, width: int) -> int:
        high = CHOICE_HEIGHT + 2 * GRID
        title_height = self._title_height(width - 2 * CARD_MARGIN)
        if self._stacked:
            below = (len(self._rows()) - 1) * (CHOICE_HEIGHT + GRID / 2)
            return round(high + title_height + GRID / 2 + below)
        return round(max(high, title_height + 2 * GRID))

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, self._height(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(30 * GRID, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _rows(self) -> list[list[float]]:
        """The widths of the choices, in one row, or in two if one has no room for all their words."""
        if self.question is None or not self.question.choices:
            return []
        gap = float(GRID)
        room = max(1.0, self.width() - 2 * CARD_MARGIN)
        widths = [_choice_width(choice) for choice in self.question.choices]
        if _row_width(widths) <= room or len(widths) == 1:
            rows = [widths]
        else:
            first = next(
                n for n in range(len(widths), 0, -1) if n == 1 or _row_width(widths[:n]) <= room
            )
            if _row_width(widths[first:]) > room:
                first = (len(widths) + 1) // 2
            rows = [widths[:first], widths[first:]]
        for row in rows:
            if _row_width(row) > room:  # the widest shrink, the others stay whole
                most = fair_share(row, room - gap * (len(row) - 1))
                row[:] = [min(width, most) for width in row]
        return rows

    def rects(self) -> list[QRectF]:
        """The rectangles of the choices."""
        rows = self._rows()
        result = []
        for index, row in enumerate(rows):
            below = len(rows) - 1 - index
            if self._stacked:
                x = float(CARD_MARGIN)
                top = self.height() - CHOICE_HEIGHT - GRID - below * (CHOICE_HEIGHT + GRID / 2)
            else:
                x = self.width() - CARD_MARGIN - _row_width(row)
                top = (self.height() - CHOICE_HEIGHT) / 2
            for width in row:
                result.append(QRectF(x, top, width, CHOICE_HEIGHT))
                x += width + GRID
        return result

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        question, theme = self.question, self.theme
        if question is None:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.ask_ground)
        painter.drawRoundedRect(QRectF(self.rect()), 12, 12)
        painter.setPen(theme.ink)
        painter.setFont(ui_font(LESSON_SIZE, QFont.Weight.Bold))
        left = CARD_MARGIN
        rects = self.rects()
        beside = self.width() - CARD_MARGIN if self._stacked or not rects else rects[0].left()
        room = beside - left - (0 if self._stacked else GRID)
        high = self._title_height(room)
        noted = not self._stacked and bool(question.note)
        noted = noted and _width(question.note, False) <= room
        noted = noted and high + 20 <= self.height()
        top = GRID if self._stacked else (self.height() - high - (20 if noted else 0)) / 2
        painter.drawText(QRectF(left, top, room, high + 2), _WRAPPED, question.title)
        if noted:
            painter.setFont(ui_font(SMALL_SIZE))
            painter.setPen(theme.ask)
            vertical = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(QRectF(left, top + high + 1, room, 20), vertical, question.note)
        for index, (rect, choice) in enumerate(zip(rects, question.choices, strict=True)):
            state = question.states[index] if question.states else "open"
            number = str(index + 1) if question.keys else ""
            self._paint_choice(painter, rect, choice, number, state, index == self._over)

    def _paint_choice(
        self,
        painter: QPainter,
        rect: QRectF,
        choice: Choice,
        number: str,
        state: ChoiceState,
        over: bool,
    ) -> None:
        theme = self.theme
        edge = {"good": theme.good, "bad": theme.bad}.get(state, theme.ink)
        ground = {"good": theme.good_ground, "bad": theme.bad_ground}.get(state, theme.surface)
        painter.save()
        if state == "dim":
            painter.setOpacity(0.45)
        painter.setPen(QPen(edge, 2.5 if state in ("good", "bad") or over else 1.4))
        painter.setBrush(ground)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 9, 9)
        key = QRectF(rect.left() + 0.75 * GRID, rect.center().y() - KEY / 2, KEY, KEY)
        sign = {"good": "✓", "bad": "✗"}.get(state, number)
        if sign:
            painter.setPen(QPen(theme.line, 1))
            painter.setBrush(theme.sunken)
            painter.drawRoundedRect(key, 4, 4)
        painter.setPen(theme.ink)
        painter.setFont(ui_font(SMALL_SIZE, QFont.Weight.Medium))
        painter.drawText(key, Qt.AlignmentFlag.AlignCenter, sign)
        inside = rect.adjusted(1.75 * GRID + KEY, 0, -0.75 * GRID, 0)
        plus = 2.0 * GRID
        widths = [
            _tile_width(text, colour)
            for text, colour in zip(choice.texts, choice.colours, strict=True)
        ]
        share = min(1.0, (inside.width() - plus * (len(widths) - 1)) / sum(widths))
        x = inside.left()
        painter.setFont(ui_font(LESSON_SIZE, QFont.Weight.Medium))
        for index, (text, colour) in enumerate(zip(choice.texts, choice.colours, strict=True)):
            if index:
                painter.setPen(theme.ink)
                between = QRectF(x, rect.top(), plus, rect.height())
                painter.drawText(between, Qt.AlignmentFlag.AlignCenter, "+")
                x += plus
            width = widths[index] * share
            tile = QRectF(x, rect.center().y() - TILE_HEIGHT / 2, width, TILE_HEIGHT)
            if colour >= 0:
                paint_tile(painter, tile, theme, colour, radius=5.0)
            painter.setPen(theme.fills.ink if colour >= 0 else theme.ink)
            shown = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, max(1, int(tile.width()))
            )
            painter.drawText(tile.adjusted(-4, 0, 4, -2), Qt.AlignmentFlag.AlignCenter, shown)
            x += width
        painter.restore()

    def _at(self, point: QPointF) -> int:
        indices = (index for index, rect in enumerate(self.rects()) if rect.contains(point))
        return next(indices, -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._at(event.position())
        if over != self._over:
            self._over = over
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._over = -1
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._at(event.position())
        if place >= 0:
            self.chosen.emit(place)


def _width(text: str, title: bool) -> float:
    font = ui_font(LESSON_SIZE, QFont.Weight.Bold) if title else ui_font(SMALL_SIZE)
    return QFontMetricsF(font).horizontalAdvance(text) + 4


def _row_width(widths: list[float]) -> float:
    return sum(widths) + GRID * (len(widths) - 1)


def _tile_width(text: str, colour: int) -> float:
    font = ui_font(LESSON_SIZE, QFont.Weight.Medium)
    wide = QFontMetricsF(font).horizontalAdvance(text)
    return wide + 4 if colour < 0 else max(2.5 * GRID, wide + GRID)


def _choice_width(choice: Choice) -> float:
    tiles = zip(choice.texts, choice.colours, strict=True)
    return (
        2.5 * GRID
        + KEY
        + sum(_tile_width(*tile) for tile in tiles)
        + 2.0 * GRID * (len(choice.texts) - 1)
    )


class ProgressDots(PaintedPart):
    """A dash for each step, finished ones in the accent; a bar if there are too many."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Progress")
        self._position, self._length = 0, 0

    def show_step(self, position: int, length: int) -> None:
        """Shows the progress."""
        self._position, self._length = position, length
        self.setAccessibleDescription(f"Step {position:,} of {length:,}" if length else "")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(28 * GRID, 2 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(8 * GRID, 2 * GRID)

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        if not self._length:
            return
        theme = self.theme
        count = self._length + 1
        step = min(22.0, self.width() / count)
        middle, high = self.height() / 2, 4.0
        painter.setPen(Qt.PenStyle.NoPen)
        if step < 7:
            track = QRectF(0, middle - high / 2, self.width(), high)
            painter.setBrush(theme.line)
            painter.drawRoundedRect(track, 2, 2)
            painter.setBrush(theme.accent)
            track.setWidth(track.width() * self._position / self._length)
            painter.drawRoundedRect(track, 2, 2)
            return
        x = (self.width() - step * count) / 2
        for place in range(count):
            done, here = place < self._position, place == self._position
            painter.setBrush(theme.accent if done else theme.ink if here else theme.line)
            painter.drawRoundedRect(QRectF(x + 2, middle - high / 2, step - 5, high), 2, 2)
            x += step
