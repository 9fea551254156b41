"""The controls of a player: to the start, a step back, play or pause, a step on, to the end, a scrubber, a speed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.panel import secondary, tool_button
from tokenarium.widgets.players.track_slider import TrackSlider
from tokenarium.widgets.players.transport_icons import SIZE, transport_icon

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""How many times the usual two steps a second."""

STEP_MS = 500
"""How long a step stays at speed 1."""


class Transport(QWidget):
    """Buttons for actions, a scrubber over all steps, and the speed; it keeps no time itself.

    ``actions`` come with the names of their signs, as `transport_icon` has them; ``scrubber`` is one of another kind.
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
        row = QHBoxLayout(self)
        row.setContentsMargins(2 * GRID, GRID // 2, 2 * GRID, GRID // 2)
        row.setSpacing(GRID // 2)
        self.buttons: list[QToolButton] = []
        self._signs = [sign for _, sign in actions]
        for action, _ in actions:
            button = tool_button(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            button.setIconSize(QSize(SIZE, SIZE))
            button.setFixedSize(4 * GRID, 4 * GRID)
            action.changed.connect(self._show_signs)  # Qt gives the button its action's icon anew
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
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.count)
        row.addSpacing(GRID)
        self.speed = QComboBox()
        self.speed.setAccessibleName("Speed")
        self.speed.setToolTip("How fast it plays")
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g} ×", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.currentIndexChanged.connect(lambda index: self.speed_changed.emit(SPEEDS[index]))
        row.addWidget(self.speed)

    def set_theme(self, theme: Theme) -> None:
        """Draws the signs in other colours."""
        self._theme = theme
        self._show_signs()

    def show_playing(self, playing: bool) -> None:
        """Offers a pause while it plays."""
        self._playing = playing
        self._show_signs()

    def _show_signs(self) -> None:
        for button, sign in zip(self.buttons, self._signs, strict=True):
            shown = "pause" if sign == "play" and self._playing else sign
            button.setIcon(transport_icon(shown, self._theme))

    def show_step(self, position: int, count: int) -> None:
        """Shows which step it is; emits nothing."""
        with QSignalBlocker(self.scrubber):
            self.scrubber.setRange(0, count)
            self.scrubber.setValue(position)
        self.scrubber.setEnabled(count > 0)
        self.count.setText(f"Step {position:,} of {count:,}")

    @property
    def speed_factor(self) -> float:
        """How many times the usual speed is chosen."""
        return SPEEDS[self.speed.currentIndex()]

    @property
    def controls(self) -> list[QWidget]:
        """What takes the focus, from the left."""
        return [*self.buttons, self.scrubber, self.speed]
