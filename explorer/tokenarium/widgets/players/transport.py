"""The controls of a player: to the start, a step back, play or pause, a step on, to the end, a scrubber, a speed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QIcon,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPixmap,
)
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QToolButton,
    QWidget,
)

from tokenarium.models.titled_columns import RIGHT
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import named, secondary, tool_button

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Speeds as multiples of two steps per second."""

STEP_MS = 500
"""Milliseconds of a step at speed 1."""


class Transport(QWidget):
    """Buttons for actions, a scrubber over all steps, and the speed; it has no timer.

    ``actions`` come with the names of their icons, see `transport_icon`; ``scrubber`` replaces the usual one.
    """

    moved = Signal(int)  # the step that was scrubbed to
    speed_changed = Signal(float)

    def __init__(
        self,
        actions: Sequence[tuple[QAction, str]],
        theme: Theme,
        parent: QWidget | None = None,
        scrubber: TrackSlider | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._playing = False
        row = in_row(
            into=self, spacing=GRID // 2, margins=(2 * GRID, GRID // 2, 2 * GRID, GRID // 2)
        )
        self.buttons: list[QToolButton] = []
        self._signs = [sign for _, sign in actions]
        for action, _ in actions:
            button = tool_button(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            button.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
            button.setFixedSize(4 * GRID, 4 * GRID)
            action.changed.connect(self._show_signs)  # Qt sets the icon of the action again
            self.buttons.append(button)
            row.addWidget(button)
        self._show_signs()
        self.scrubber = scrubber if scrubber is not None else TrackSlider()
        if scrubber is None:
            self.scrubber.setAccessibleName("Step")
            self.scrubber.valueChanged.connect(self.moved)
        row.addSpacing(GRID)
        row.addWidget(self.scrubber, 1)
        self.count = secondary(QLabel("Step 0 of 0"))
        self.count.setMinimumWidth(14 * GRID)
        self.count.setAlignment(RIGHT)
        row.addWidget(self.count)
        row.addSpacing(GRID)
        self.speed = named(QComboBox(), "Speed", "How fast it plays")
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g} ×", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.currentIndexChanged.connect(lambda index: self.speed_changed.emit(SPEEDS[index]))
        row.addWidget(self.speed)

    def set_theme(self, theme: Theme) -> None:
        """Draws the icons in other colours."""
        self._theme = theme
        self._show_signs()

    def show_playing(self, playing: bool) -> None:
        """Shows a pause button while it plays."""
        self._playing = playing
        self._show_signs()

    def _show_signs(self) -> None:
        for button, sign in zip(self.buttons, self._signs, strict=True):
            shown = "pause" if sign == "play" and self._playing else sign
            button.setIcon(transport_icon(shown, self._theme))

    def show_step(self, position: int, count: int) -> None:
        """Shows the number of the step; emits nothing."""
        with QSignalBlocker(self.scrubber):
            self.scrubber.setRange(0, count)
            self.scrubber.setValue(position)
        self.scrubber.setEnabled(count > 0)
        self.count.setText(f"Step {position:,} of {count:,}")

    @property
    def speed_factor(self) -> float:
        """The chosen speed as a multiple of the usual one."""
        return SPEEDS[self.speed.currentIndex()]

    @property
    def controls(self) -> list[QWidget]:
        """The widgets that take the focus, from the left."""
        return [*self.buttons, self.scrubber, self.speed]


ICON_SIZE = 16
SHARPNESS = 3


def transport_icon(name: str, theme: Theme) -> QIcon:
    """Returns an icon by its name: ``start``, ``back``, ``play``, ``pause``, ``on`` or ``end``."""
    icon = QIcon()
    icon.addPixmap(_drawn(name, theme.ink), QIcon.Mode.Normal)
    icon.addPixmap(_drawn(name, mix(theme.page, theme.ink, 0.35)), QIcon.Mode.Disabled)
    return icon


def _drawn(name: str, colour: QColor) -> QPixmap:
    pixmap = QPixmap(ICON_SIZE * SHARPNESS, ICON_SIZE * SHARPNESS)
    pixmap.setDevicePixelRatio(SHARPNESS)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if name in ("start", "back"):  # mirrored
        painter.translate(ICON_SIZE, 0)
        painter.scale(-1, 1)
    painter.drawPath(_PATHS[name]())
    painter.end()
    return pixmap


def _play() -> QPainterPath:
    return _triangle(3.5, 14)


def _pause() -> QPainterPath:
    return _bars(3.5, 9.5, width=3)


def _step() -> QPainterPath:
    path = _bars(3.5, width=2)
    path.addPath(_triangle(7, 13.5, 3.5))
    return path


def _jump() -> QPainterPath:
    path = _triangle(2, 8, 3.5)
    path.addPath(_triangle(7, 13, 3.5))
    path.addPath(_bars(13, width=2))
    return path


def _triangle(left: float, right: float, top: float = 2) -> QPainterPath:
    path = QPainterPath(QPointF(left, top))
    path.lineTo(right, ICON_SIZE / 2)
    path.lineTo(left, ICON_SIZE - top)
    path.closeSubpath()
    return path


def _bars(*lefts: float, width: float) -> QPainterPath:
    path = QPainterPath()
    for left in lefts:
        path.addRect(QRectF(left, 3, width, ICON_SIZE - 6))
    path.setFillRule(Qt.FillRule.WindingFill)
    return path


_PATHS = {
    "play": _play,
    "pause": _pause,
    "on": _step,
    "back": _step,
    "end": _jump,
    "start": _jump,
}


TRACK = 4.0
"""The height of the track in pixels."""


class TrackSlider(QSlider):
    """A horizontal slider: in the accent colour up to the handle, muted after it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control = QStyle.ComplexControl.CC_Slider
        handle_part = QStyle.SubControl.SC_SliderHandle
        style, palette = self.style(), self.palette()
        handle = style.subControlRect(control, option, handle_part, self)
        middle = QRectF(self.rect()).center().y()
        track = QRectF(0, middle - TRACK / 2, self.width(), TRACK)
        done = QRectF(track.topLeft(), QPointF(handle.center().x(), track.bottom()))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(QPalette.ColorRole.Mid))
        painter.drawRoundedRect(track, TRACK / 2, TRACK / 2)
        if self.isEnabled():
            painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
            painter.drawRoundedRect(done, TRACK / 2, TRACK / 2)
        option.subControls = handle_part
        style.drawComplexControl(control, option, painter, self)
        painter.end()
