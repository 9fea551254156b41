"""A grid of characters, with marked ones on another background; only the visible part is painted."""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from tokenarium.models.text.piece import character_name
from tokenarium.style.fonts import READING_SIZE, SMALL_SIZE, mono_font, reading_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID
from tokenarium.style.themed import Themed

CELL = 4 * GRID
"""Pixels of a cell's side."""

DOTTED_CIRCLE = "\u25cc"
"""The base of a combining mark."""

UNSEEN = ("Cc", "Cf", "Zl", "Zp", "Zs")
"""Categories of controls and spaces, which are shown by number."""


class CharacterGrid(Themed, QAbstractScrollArea):
    """Cells from left to right and top to bottom; the pointer or the arrow keys show the name of one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._identity = 0
        self.codes: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self.marked: npt.NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.current = 0
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Characters of the script")
        self.setMinimumSize(6 * CELL, 3 * CELL)

    def sizeHint(self) -> QSize:
        return QSize(12 * CELL, 6 * CELL)

    def show_characters(
        self, codes: npt.NDArray[np.int64], marked: npt.NDArray[np.bool_], identity: int
    ) -> None:
        """Shows characters by their code points; ``marked`` says which of them have their own token."""
        self.codes, self.marked, self._identity = codes, marked, identity
        self.current = 0
        self._fit()
        self.verticalScrollBar().setValue(0)
        self._tell()

    @property
    def columns(self) -> int:
        """The number of cells in a row."""
        return max(1, self.viewport().width() // CELL)

    def told(self, place: int) -> str:
        """Returns the description of a cell: its code point, its name, and whether it has a token."""
        code = int(self.codes[place])
        name = character_name(chr(code)).capitalize()
        token = "has a token of its own" if self.marked[place] else "has no token of its own"
        return f"U+{code:04X} {name}: {token}"

    def _tell(self) -> None:
        shown = self.told(self.current) if len(self.codes) else "There are none."
        self.setAccessibleDescription(shown)

    def _fit(self) -> None:
        rows = -(-len(self.codes) // self.columns)
        height = self.viewport().height()
        self.verticalScrollBar().setRange(0, max(0, rows * CELL - height))
        self.verticalScrollBar().setPageStep(height)
        self.verticalScrollBar().setSingleStep(CELL)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        theme = self.theme
        painter.fillRect(self.viewport().rect(), theme.surface)
        letters, codes = reading_font(READING_SIZE + 2), mono_font(SMALL_SIZE)
        known = QFontMetrics(letters)
        top = self.verticalScrollBar().value()
        columns = self.columns
        first = top // CELL * columns
        last = min(len(self.codes), first + (self.viewport().height() // CELL + 2) * columns)
        ground = mix(theme.surface, theme.identity(self._identity).full, 0.28)
        for place in range(first, last):
            row, column = divmod(place, columns)
            cell = QRect(column * CELL, row * CELL - top, CELL, CELL).adjusted(1, 1, -1, -1)
            if self.marked[place]:
                painter.fillRect(cell, ground)
            painter.setPen(theme.ink if self.marked[place] else theme.dim)
            code = int(self.codes[place])
            drawn = known.inFontUcs4(code) and unicodedata.category(chr(code)) not in UNSEEN
            painter.setFont(letters if drawn else codes)
            shown = _shown(code) if drawn else _code_point(code)
            painter.drawText(cell, int(Qt.AlignmentFlag.AlignCenter), shown)
            if place == self.current and self.hasFocus():
                painter.setPen(QPen(theme.accent, 2))
                painter.drawRect(cell)
        painter.end()

    def place_at(self, point: QPoint) -> int | None:
        """Returns the cell at a place of the viewport, or None."""
        column = point.x() // CELL
        place = (point.y() + self.verticalScrollBar().value()) // CELL * self.columns + column
        return place if column < self.columns and 0 <= place < len(self.codes) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position().toPoint())
        if place is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(event.globalPosition().toPoint(), self.told(place), self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self.codes) - 1
        rows = max(1, self.viewport().height() // CELL) * self.columns
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self.columns,
            Qt.Key.Key_Down: self.columns,
            Qt.Key.Key_PageUp: -rows,
            Qt.Key.Key_PageDown: rows,
            Qt.Key.Key_Home: -last,
            Qt.Key.Key_End: last,
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None or last < 0:
            super().keyPressEvent(event)
            return
        self.current = max(0, min(self.current + step, last))
        top = self.current // self.columns * CELL
        bar = self.verticalScrollBar()
        bar.setValue(min(max(bar.value(), top + CELL - self.viewport().height()), top))
        self._tell()
        cell = QPoint(self.current % self.columns * CELL, top - bar.value() + CELL)
        QToolTip.showText(self.viewport().mapToGlobal(cell), self.told(self.current), self)
        self.viewport().update()


def _code_point(code: int) -> str:
    """Returns the label of a character without a glyph: its number, in two lines if it is long."""
    digits = f"{code:04X}"
    return digits if len(digits) == 4 else f"{digits[:-3]}\n{digits[-3:]}"


def _shown(code: int) -> str:
    """Returns a visible form of a character: marks on a dotted circle."""
    character = chr(code)
    category = unicodedata.category(character)
    return DOTTED_CIRCLE + character if category in ("Mn", "Mc", "Me") else character
