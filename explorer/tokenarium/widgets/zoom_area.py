"""Zoom of one part of the window: its interface, an area that enlarges a chart, and the button that resets it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QScrollArea, QWidget

from tokenarium.style.icons import icon
from tokenarium.style.theme import GRID
from tokenarium.widgets.panel import FlatButton, named

LEVELS = (50, 67, 80, 100, 125, 150, 200, 250, 300, 400)
"""In percent."""

SHOWN_MS = 6_000
"""Milliseconds for which the button is shown for a size that the user may want to keep."""


@runtime_checkable
class Zoomable(Protocol):
    """A widget whose contents can be shown larger or smaller without the rest of the window."""

    def zoom_by(self, steps: int, at: QPoint) -> None:
        """Shows the contents some steps larger, or smaller if ``steps`` is negative; ``at``: a point of the screen."""


class ZoomButton(FlatButton):
    """Shows the scale of something at its right edge; a click resets it.

    Hidden at the usual size. ``fades``: hidden again after some seconds. ``at_top``: at the top, if the foot may not be
    visible; otherwise above the foot, where an axis may be.
    """

    restore_wanted = Signal()

    def __init__(self, area: QWidget, fades: bool = False, at_top: bool = False) -> None:
        super().__init__()
        self.setParent(area)
        self._area = area
        named(self, "Back to the usual size", "Back to the usual size")
        self.setAutoRaise(False)
        self.setIcon(icon("arrows-in"))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._fade = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._fade.timeout.connect(self.hide)
        self._fades, self._at_top = fades, at_top
        self.clicked.connect(self.restore_wanted)
        area.installEventFilter(self)
        self.hide()

    def show_size(self, text: str, usual: bool) -> None:
        """Shows a size, unless it is the usual one."""
        self.setText(text)
        self.setAccessibleName(f"Shown at {text}: back to the usual size")
        self.setVisible(not usual)
        if self._fades:
            self._fade.start()
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        area = self._area
        inside = (
            area.viewport().geometry() if isinstance(area, QAbstractScrollArea) else area.rect()
        )
        self.resize(self.sizeHint())
        top = inside.top() + GRID if self._at_top else inside.bottom() - self.height() - 5 * GRID
        self.move(inside.right() - self.width() - GRID, top)
        self.raise_()


def level_near(percent: float) -> int:
    """Returns the level nearest to a size in percent.

    >>> level_near(110)
    100
    """
    return min(LEVELS, key=lambda level: abs(level - percent))


def next_level(percent: int, steps: int, least: int = LEVELS[0]) -> int:
    """Returns the level some steps larger or smaller, not below ``least``."""
    place = LEVELS.index(percent) + steps
    return max(least, LEVELS[max(0, min(place, len(LEVELS) - 1))])


def keep_in_place(area: QAbstractScrollArea, at: QPoint, ratio: float) -> None:
    """Scrolls so that the content at a point of the screen is there again, after the contents grew by a ratio."""
    place = area.viewport().mapFromGlobal(at)
    for bar, offset in (
        (area.horizontalScrollBar(), place.x()),
        (area.verticalScrollBar(), place.y()),
    ):
        bar.setValue(round((bar.value() + offset) * ratio - offset))


class ZoomArea(QScrollArea):
    """Shows a chart in its own size, or enlarges and scrolls it."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._percent = 100
        self._chart = widget
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        fills = widget.autoFillBackground()
        self.setWidget(widget)
        widget.setAutoFillBackground(fills)  # which the previous line turns on
        self.button = ZoomButton(self)
        self.button.restore_wanted.connect(lambda: self.set_percent(100))
        self._fit()

    @property
    def percent(self) -> int:
        """The scale of the chart."""
        return self._percent

    def zoom_by(self, steps: int, at: QPoint) -> None:
        """Makes the chart some steps larger or smaller, around a point of the screen."""
        before = self._percent
        self.set_percent(next_level(before, steps, 100))
        keep_in_place(self, at, self._percent / before)

    def set_percent(self, percent: int) -> None:
        """Sets the scale of the chart."""
        self._percent = percent
        self._fit()
        self.button.show_size(f"{percent} %", percent == 100)

    def _fit(self) -> None:
        """Sets the size of the chart; at 100 %, that of the area, so that nothing scrolls."""
        off, needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        policy = off if self._percent == 100 else needed
        self.setHorizontalScrollBarPolicy(policy)
        self.setVerticalScrollBarPolicy(policy)
        self._chart.resize(self.maximumViewportSize() * self._percent / 100)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return self._chart.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._chart.minimumSizeHint().expandedTo(self._chart.minimumSize())
