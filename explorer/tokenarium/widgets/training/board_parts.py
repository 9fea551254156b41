"""Parts of the board of trainings: cards, chips that are chosen together, and foldable lines."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QWidget

from tokenarium.models.training.memory_estimate import Obstacle, Remedy
from tokenarium.style.control_painting import lit_ground
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.shapes import paint_card
from tokenarium.style.theme import (
    CARD_RADIUS,
    CONTROL_HEIGHT,
    CONTROL_RADIUS,
    GRID,
    SMALL_CONTROL_HEIGHT,
    Theme,
)
from tokenarium.style.themed import Themed
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.layouts import FlowLayout, in_column
from tokenarium.widgets.panel import literal

CHIP_HEIGHT = 26
CHIP_MARGIN = 10
TICK = 14
"""Pixels."""


class BoardCard(Themed, QWidget):
    """A card of a page, on which other widgets are laid out; they are on its ``surface``."""

    def __init__(self) -> None:
        super().__init__()
        self.setBackgroundRole(QPalette.ColorRole.Base)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_card(painter, QRectF(self.rect()), self.theme, CARD_RADIUS)
        painter.end()


class Chip(QAbstractButton):
    """A chip that is on or off next to others, with a tick and the accent if it is on."""

    def __init__(self, text: str, tip: str = "") -> None:
        super().__init__()
        self.setText(text)
        self.setCheckable(True)
        self.setToolTip(tip)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFont(ui_font(SMALL_SIZE, QFont.Weight.Medium))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.toggled.connect(lambda _: self.updateGeometry())

    def sizeHint(self) -> QSize:
        tick = TICK + 4 if self.isChecked() else 0
        width = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(width + tick + 2 * CHIP_MARGIN, CHIP_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        on = self.isChecked()
        painter.setBrush(lit_ground(self, (palette.light() if on else palette.midlight()).color()))
        over = self.underMouse() and self.isEnabled()
        painter.setPen(QPen(palette.dark().color(), 1) if over else Qt.PenStyle.NoPen)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(rect, CHIP_HEIGHT / 2, CHIP_HEIGHT / 2)
        colour = (palette.accent() if on else palette.text()).color()
        if not self.isEnabled():
            colour = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
        left = CHIP_MARGIN
        if on:
            middle = (self.height() - TICK) / 2
            paint_icon(painter, QRectF(left, middle, TICK, TICK), "check", colour)
            left += TICK + 4
        painter.setPen(colour)
        room = QRectF(left, 0, self.width() - left, self.height())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), self.text())
        painter.end()
        paint_keyboard_ring(self, self.rect())


class Fold(QPushButton):
    """A line that shows and hides what is below it; ``toggled`` as of any button."""

    def __init__(self, text: str, name: str = "") -> None:
        super().__init__(text)
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setAccessibleName(name or text)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def folds(self, widget: QWidget) -> Fold:
        """Makes the line show and hide a widget, which is hidden at first."""
        widget.setVisible(self.isChecked())
        self.toggled.connect(widget.setVisible)
        return self

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 26, SMALL_CONTROL_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        palette = self.palette()
        colour = (palette.text() if self.underMouse() else palette.placeholderText()).color()
        caret = "caret-down" if self.isChecked() else "caret-right"
        paint_icon(painter, QRectF(0, self.height() / 2 - 7, 14, 14), caret, colour)
        painter.setPen(colour)
        room = QRectF(20, 0, self.width() - 20, self.height())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), self.text())
        painter.end()
        paint_keyboard_ring(self, self.rect())


class FieldFold(Fold):
    """A fold that looks like a field, with an icon before its text."""

    def __init__(self, name: str, icon_name: str) -> None:
        super().__init__("", name)
        self._icon_name = icon_name
        self.whole = ""

    def show_text(self, text: str) -> None:
        """Shows a text, elided in its middle."""
        self.whole = text
        self.setAccessibleDescription(text)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(20 * GRID, CONTROL_HEIGHT + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(12 * GRID, CONTROL_HEIGHT + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        open_ = self.isChecked()
        painter.setPen(QPen((palette.accent() if open_ else palette.dark()).color(), 1))
        painter.setBrush(lit_ground(self, palette.base().color()))
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(rect, CONTROL_RADIUS, CONTROL_RADIUS)
        middle = self.height() / 2
        ink = palette.text().color()
        paint_icon(painter, QRectF(10, middle - 8, 16, 16), self._icon_name, ink)
        caret = "caret-up" if open_ else "caret-down"
        paint_icon(painter, QRectF(self.width() - 24, middle - 7, 14, 14), caret, ink)
        room = QRectF(34, 0, self.width() - 64, self.height())
        text = self.fontMetrics().elidedText(
            self.whole, Qt.TextElideMode.ElideMiddle, int(room.width())
        )
        painter.setPen(ink)
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.end()
        paint_keyboard_ring(self, self.rect())


class ObstacleNote(Themed, QWidget):
    """Says that a training must fail, with a button for each remedy."""

    chosen = Signal(object)
    """The remedy whose button was pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence = literal(QLabel(wordWrap=True))
        self.buttons: list[QPushButton] = []
        self._row = QWidget()
        self._flow = FlowLayout(self._row, GRID // 2)
        in_column(self.sentence, self._row, into=self, spacing=GRID, margins=(12, 10, 12, 10))
        self.sentence.setForegroundRole(QPalette.ColorRole.WindowText)
        self.follow_theme()
        self.hide()

    def dress(self, theme: Theme) -> None:
        palette = self.sentence.palette()
        palette.setColor(QPalette.ColorRole.WindowText, theme.ask)
        self.sentence.setPalette(palette)

    def show_obstacles(self, found: Sequence[tuple[str, Obstacle]]) -> None:
        """Shows the obstacles of some algorithms by their titles; hidden without any."""
        self.sentence.setText("\n".join(f"{title}: {one.sentence}" for title, one in found))
        while self._flow.count():
            old = self._flow.takeAt(0).widget()
            if old is not None:
                old.hide()
                old.deleteLater()
        self.buttons = []
        remedies: list[Remedy] = []
        for _, one in found:
            remedies += [remedy for remedy in one.remedies if remedy not in remedies]
        for remedy in remedies:
            button = QPushButton(remedy.text, autoDefault=False)
            button.setToolTip(remedy.about)
            button.clicked.connect(lambda _, one=remedy: self.chosen.emit(one))
            self.buttons.append(button)
            self._flow.addWidget(button)
        self.setVisible(bool(found))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.ask_ground)
        painter.drawRoundedRect(QRectF(self.rect()), GRID, GRID)
        painter.end()
