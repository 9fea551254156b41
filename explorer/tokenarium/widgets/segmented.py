"""A segmented control: a few choices in a track, one of which is on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QIcon, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionTab, QTabBar, QWidget

from tokenarium.style.appearance import motion_enabled
from tokenarium.style.control_painting import RING
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.widgets.motion import Glide

TRACK_HEIGHT = 34
"""Pixels."""

_INSET = 3

SLIDES_MS = 140


class Segmented(QTabBar):
    """Choices side by side on a sunken track; arrow keys move between them.

    It replaces tabs, and groups of checkable text buttons. `chosen` is emitted when the user chooses, not when the
    program does.
    """

    chosen = Signal(int)

    def __init__(self, texts: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setFont(ui_font(TEXT_SIZE, QFont.Weight.Medium))
        self.setMouseTracking(True)
        for text in texts:
            self.addTab(text)
        self._pressed = -1  # the choice under a mouse button that is down
        self._by_program = False
        self._actions: tuple[QAction, ...] = ()  # the group that it follows
        self._from = QRectF()  # where the background of the choice slides from
        self._left = self.currentIndex()  # the previous choice
        self._slide = Glide(self, lambda _: self.update(), SLIDES_MS)
        self.currentChanged.connect(self._changed)

    def choose(self, place: int) -> None:
        """Chooses without `chosen`."""
        self._by_program = True
        self.setCurrentIndex(place)
        self._by_program = False

    def follow(self, actions: Sequence[QAction]) -> None:
        """Shows the choices of an exclusive group of actions, and synchronizes with them."""
        while self.count():
            self.removeTab(0)
        for action in actions:
            place = self.addTab(action.icon(), action.iconText())
            self.setTabToolTip(place, action.toolTip())
        self._actions = tuple(actions)
        for action in actions:
            action.toggled.connect(self._show_actions)
            action.changed.connect(self._show_actions)
        self.chosen.connect(lambda place: actions[place].trigger())
        self._show_actions()

    def _show_actions(self) -> None:
        for index, action in enumerate(self._actions):
            self._by_program = True  # Qt leaves a tab that is disabled
            self.setTabEnabled(index, action.isEnabled())
            self._by_program = False
            if action.isChecked():
                self.choose(index)

    def _changed(self, place: int) -> None:
        self._from = self._ground(self._left) if 0 <= self._left < self.count() else QRectF()
        self._left = place
        self._slide.begin(self.isVisible() and not self._from.isEmpty() and motion_enabled())
        if not self._by_program and place >= 0:
            self.chosen.emit(place)

    def tabSizeHint(self, place: int) -> QSize:
        metrics = self.fontMetrics()
        icon = 0 if self.tabIcon(place).isNull() else 16 + 6
        width = metrics.horizontalAdvance(self.tabText(place)) + 24 + icon
        return QSize(width + (2 * _INSET if place in (0, self.count() - 1) else 0), TRACK_HEIGHT)

    def minimumTabSizeHint(self, place: int) -> QSize:
        return self.tabSizeHint(place)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self.tabAt(event.position().toPoint())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = -1
        super().mouseReleaseEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.midlight())
        width = self.tabRect(self.count() - 1).right() + 1 if self.count() else 0
        painter.drawRoundedRect(QRectF(0, 0, width, self.height()), 9, 9)
        if self.currentIndex() >= 0:
            self._paint_ground(painter)
        for place in range(self.count()):
            option = QStyleOptionTab()
            self.initStyleOption(option, place)
            self._paint_choice(painter, place, option)
        painter.end()

    def _ground(self, place: int) -> QRectF:
        first, last = place == 0, place == self.count() - 1
        rect = QRectF(self.tabRect(place))
        return rect.adjusted(_INSET if first else 0, _INSET, -_INSET if last else 0, -_INSET)

    def _paint_ground(self, painter: QPainter) -> None:
        """The background of the current choice, on its way from the previous one."""
        palette = self.palette()
        rect = self._ground(self.currentIndex())
        if self._slide.runs:
            rest = 1 - self._slide.share
            rect.setLeft(rect.left() + (self._from.left() - rect.left()) * rest)
            rect.setRight(rect.right() + (self._from.right() - rect.right()) * rest)
        painter.setPen(QPen(palette.mid().color(), 1))
        painter.setBrush(palette.base())
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)

    def _paint_choice(self, painter: QPainter, place: int, option: QStyleOptionTab) -> None:
        palette = option.palette
        on = place == self.currentIndex()
        rect = self._ground(place)
        over = option.state & QStyle.StateFlag.State_MouseOver
        weak = not on and not over
        colour = (palette.placeholderText() if weak else palette.text()).color()
        if not self.isTabEnabled(place):
            colour = palette.color(palette.ColorGroup.Disabled, palette.ColorRole.Text)
        elif not on and over:
            painter.setPen(Qt.PenStyle.NoPen)
            ground = QColor(palette.mid().color())
            ground.setAlphaF(1.0 if place == self._pressed else 0.6)
            painter.setBrush(ground)
            painter.drawRoundedRect(rect.adjusted(1, 0.5, -1, -0.5), 7, 7)
        text = QRectF(rect)
        picture = self.tabIcon(place)
        if not picture.isNull():
            gap = (
                rect.width() - 22 - self.fontMetrics().horizontalAdvance(self.tabText(place))
            ) / 2
            at = QRectF(rect.left() + gap, rect.center().y() - 8, 16, 16).toRect()
            picture.paint(painter, at, mode=QIcon.Mode.Normal)
            text.setLeft(at.right() + 6)
            text.setRight(rect.right() - gap)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold if on else QFont.Weight.Medium)
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter, self.tabText(place))
        by_keyboard = self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        if on and self.hasFocus() and by_keyboard:
            painter.setPen(QPen(palette.accent(), RING))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 7, 7)
