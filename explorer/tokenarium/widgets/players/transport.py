"""The controls of a player: start, back, play or pause, forward, end, a scrubber, a speed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QSlider, QStyle, QStyleOptionSlider, QToolButton, QWidget

from tokenarium.models.titled_columns import RIGHT
from tokenarium.style.fonts import TEXT_SIZE, number_font
from tokenarium.style.icons import icon, paint_icon
from tokenarium.style.palette import mix
from tokenarium.style.theme import CONTROL_HEIGHT, GRID
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import named, tool_button
from tokenarium.widgets.players.step_player import StepPlayer
from tokenarium.widgets.players.watch_speed import WatchSpeed
from tokenarium.widgets.segmented import Segmented

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Speeds as multiples of the usual one."""

STEP_MS = 1000
"""Milliseconds of a step at speed 1: a merge needs half of it, so there is time to read."""

ROUND, SMALL_ROUND = 42, 34
"""Pixels of the play button, also in a low window."""

NARROW = 80 * GRID
"""Pixels: in less, the speeds are hidden."""

NARROWER = 64 * GRID
"""Pixels: in less, the buttons for the first and the last step are hidden; there are keys for them."""

LEAST_STEP = 4.0
"""The least pixels between two ticks; if they would be closer, there are none."""

MOST_TICKS = 60

ICONS = {
    "start": "skip-back",
    "back": "caret-left",
    "play": "play",
    "pause": "pause",
    "on": "caret-right",
    "end": "skip-forward",
}


def speed_text(speed: float) -> str:
    """Returns the text of a speed.

    >>> [speed_text(speed) for speed in SPEEDS]
    ['½×', '1×', '2×', '4×', '8×']
    """
    return "½×" if speed == 0.5 else f"{speed:g}×"


class Transport(QWidget):
    """Buttons for actions, a scrubber over all steps, and the speed; it has no timer.

    ``actions`` have icon names, see `ICONS`; ``scrubber`` replaces the default one.
    """

    moved = Signal(int)  # the step that was scrubbed to
    speed_changed = Signal(float)

    def __init__(
        self,
        actions: Sequence[tuple[QAction, str]],
        parent: QWidget | None = None,
        scrubber: TrackSlider | None = None,
    ) -> None:
        super().__init__(parent)
        self._playing = False
        self._player: StepPlayer | None = None
        self._step_ms = 0  # at speed 1; 0: the player has a pace of its own
        self.speed_changed.connect(self._set_pace)
        self._row = in_row(
            into=self, spacing=GRID // 2, margins=(2 * GRID, GRID // 2, 2 * GRID, GRID)
        )
        self.buttons: list[QToolButton] = []
        self._signs = [sign for _, sign in actions]
        for action, sign in actions:
            button = RoundButton(action) if sign == "play" else tool_button(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            if sign != "play":
                button.setFixedSize(CONTROL_HEIGHT, CONTROL_HEIGHT)
            action.changed.connect(self._show_signs)  # Qt sets the icon of the action again
            self.buttons.append(button)
            self._row.addWidget(button)
        self._show_signs()
        self.scrubber = scrubber if scrubber is not None else TrackSlider()
        if scrubber is None:
            self.scrubber.setAccessibleName("Step")
            self.scrubber.valueChanged.connect(self.moved)
        self._row.addSpacing(2 * GRID)
        self._row.addWidget(self.scrubber, 1)
        self.count = QLabel("Step 0 of 0")
        self.count.setFont(number_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.count.setMinimumWidth(14 * GRID)
        self.count.setAlignment(RIGHT)
        self._row.addWidget(self.count)
        self._row.addSpacing(2 * GRID)
        self.speed = named(Segmented([speed_text(speed) for speed in SPEEDS]), "Speed")
        self.speed.setToolTip("Playback speed")
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.currentChanged.connect(lambda place: self.speed_changed.emit(SPEEDS[place]))
        self._row.addWidget(self.speed)
        self._instead: QWidget | None = None  # the control that replaces the speed

    def replace_speed(self, widget: QWidget) -> None:
        """Replaces the control of the speed."""
        self._row.replaceWidget(self.speed, widget)
        self.speed.hide()
        self._instead = widget

    def set_player(self, player: StepPlayer, step_ms: int = 0) -> None:
        """Controls a player; the arrow keys on the buttons move through its steps instead of the buttons.

        ``step_ms``: how long a step is shown at speed 1, in milliseconds; 0: the player has a pace of its own.
        """
        self._player, self._step_ms = player, step_ms
        self._set_pace()
        self.moved.connect(lambda step: player.go_to(step, by_hand=True))
        player.playing_changed.connect(self.show_playing)
        for button in self.buttons:
            button.installEventFilter(self)

    def _set_pace(self) -> None:
        if self._player is not None and self._step_ms:
            self._player.set_interval(max(1, round(self._step_ms / self.speed_factor)))

    def change_speed(self, step: int) -> None:
        """Chooses the next (1) or the previous (-1) speed."""
        if isinstance(self._instead, WatchSpeed):
            self._instead.slider.setValue(self._instead.slider.value() + step)
        elif self._instead is None:
            place = self.speed.currentIndex() + step
            self.speed.setCurrentIndex(max(0, min(len(SPEEDS) - 1, place)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() != Qt.Key.Key_Space:
                return self.take_key(event)
        return super().eventFilter(watched, event)

    def take_key(self, event: QKeyEvent) -> bool:
        """Plays or pauses on Space, steps on the arrow keys, and goes to an end on Home and End; False for other keys."""
        player, key = self._player, event.key()
        if player is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key == Qt.Key.Key_Space:
            player.toggle()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            player.step(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            player.go_to(0 if key == Qt.Key.Key_Home else player.length, by_hand=True)
        else:
            return False
        return True

    def set_low(self, low: bool) -> None:
        """Sets a smaller height, or the usual one."""
        for button in self.buttons:
            if isinstance(button, RoundButton):
                button.set_side(SMALL_ROUND if low else ROUND)
        self._row.setContentsMargins(2 * GRID, 0 if low else GRID // 2, 2 * GRID, GRID // 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for button, sign in zip(self.buttons, self._signs, strict=True):
            if sign in ("start", "end"):
                button.setVisible(self.width() >= NARROWER)
        wide = self.width() >= NARROW
        if self._instead is None:
            self.speed.setVisible(wide)
        elif isinstance(self._instead, WatchSpeed):
            self._instead.set_narrow(not wide)

    def minimumSizeHint(self) -> QSize:
        return QSize(48 * GRID, super().minimumSizeHint().height())

    def show_playing(self, playing: bool) -> None:
        """Shows a pause button while it plays."""
        self._playing = playing
        self._show_signs()

    def _show_signs(self) -> None:
        for button, sign in zip(self.buttons, self._signs, strict=True):
            shown = ICONS["pause" if sign == "play" and self._playing else sign]
            if button.property("sign") != shown or button.icon().isNull():
                button.setProperty("sign", shown)
            button.setIcon(icon(shown))

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


class RoundButton(QToolButton):
    """The main button of a player: a disc in the accent colour."""

    def __init__(self, action: QAction) -> None:
        super().__init__()
        self.setDefaultAction(action)
        self.setAccessibleName(action.text().replace("&", ""))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_side(ROUND)

    def set_side(self, side: int) -> None:
        """Sets its width and height in pixels."""
        self.setFixedSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        accent = palette.color(QPalette.ColorRole.Accent)
        sign = palette.color(QPalette.ColorRole.HighlightedText)
        if not self.isEnabled():
            accent, sign = (
                palette.color(QPalette.ColorRole.Mid),
                palette.color(QPalette.ColorRole.Base),
            )
        elif self.isDown() or self.underMouse():
            share = 0.28 if self.isDown() else 0.14
            accent = mix(accent, palette.color(QPalette.ColorRole.Text), share)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        name = self.property("sign") or "play"
        middle = self.width() / 2
        paint_icon(painter, QRectF(middle - 10, middle - 10, 20, 20), name, sign, True)
        painter.end()
        paint_keyboard_ring(self, self.rect())


class TrackSlider(QSlider):
    """A horizontal slider, in the accent colour up to the handle, with a tick for each position if there are few."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        count = self.maximum() - self.minimum()
        if not 0 < count <= MOST_TICKS:
            return
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        half = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, option, self) / 2
        if (self.width() - 2 * half) / count < LEAST_STEP:
            return
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Dark), 1))
        top = self.height() / 2 + 9
        for place in range(count + 1):
            x = round(half + (self.width() - 2 * half) * place / count) + 0.5
            painter.drawLine(QPointF(x, top), QPointF(x, min(top + 5, self.height())))
        painter.end()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 4 * GRID)
