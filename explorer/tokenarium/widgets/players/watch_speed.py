"""The slider for the speed of a watched training: from one merge per key press to as fast as possible."""

from __future__ import annotations

from math import inf

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QSlider, QWidget

from tokenarium.style.fonts import number_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import named, secondary

BY_KEY = 0.0
"""The speed at which only a key makes the next merge."""

AS_FAST_AS_IT_CAN = inf

RATES = (BY_KEY, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, AS_FAST_AS_IT_CAN)
"""Merges per second, by the position of the slider."""


def rate_text(rate: float, unit: str = "merge") -> str:
    """Returns a speed in words; ``unit`` is the noun for a step.

    >>> rate_text(BY_KEY), rate_text(20), rate_text(AS_FAST_AS_IT_CAN)
    ('One merge a key', '20 merges a second', 'As fast as possible')
    """
    if rate == BY_KEY:
        return f"One {unit} a key"
    if rate == AS_FAST_AS_IT_CAN:
        return "As fast as possible"
    return f"1 {unit} a second" if rate == 1 else f"{rate:,.0f} {unit}s a second"


class WatchSpeed(QWidget):
    """A slider over `RATES` next to the speed in words.

    `stepped` asks for the next merge: Space, at the speed of one merge a key.
    """

    changed = Signal(float)  # the speed, see `rate`
    stepped = Signal()

    def __init__(self, rate: float = AS_FAST_AS_IT_CAN, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = named(_RateSlider(self), "Watch speed", "How fast merges are shown")
        self.slider.setRange(0, len(RATES) - 1)
        self.slider.setPageStep(3)
        self.slider.setMinimumWidth(12 * GRID)
        self.label = secondary(QLabel())
        self.label.setFont(number_font())
        widest = max(self.label.fontMetrics().horizontalAdvance(rate_text(one)) for one in RATES)
        self.label.setMinimumWidth(widest + 2)
        in_row((self.slider, 1), self.label, into=self, spacing=GRID)
        self.slider.valueChanged.connect(self._show)
        self._unit = "merge"
        self.set_rate(rate)

    def set_unit(self, unit: str) -> None:
        """Sets the noun for a step."""
        self._unit = unit
        self._describe()

    def set_narrow(self, narrow: bool) -> None:
        """Shows only the slider, with the speed in its tooltip."""
        self.label.setVisible(not narrow)
        self.slider.setMinimumWidth(6 * GRID if narrow else 12 * GRID)

    @property
    def rate(self) -> float:
        """Merges per second: `BY_KEY` for one per key press, `AS_FAST_AS_IT_CAN` for no limit."""
        return RATES[self.slider.value()]

    @property
    def by_key(self) -> bool:
        """Whether only a key makes the next merge."""
        return self.rate == BY_KEY

    def set_rate(self, rate: float) -> None:
        """Chooses the speed that is nearest to some merges per second; emits nothing."""
        place = min(
            range(len(RATES)), key=lambda at: abs(RATES[at] - rate) if RATES[at] != rate else -1.0
        )
        with QSignalBlocker(self.slider):
            self.slider.setValue(place)
        self._describe()

    def _show(self) -> None:
        self._describe()
        self.changed.emit(self.rate)

    def _describe(self) -> None:
        text = rate_text(self.rate, self._unit)
        self.label.setText(text)
        self.slider.setAccessibleDescription(text)
        self.slider.setToolTip(f"How fast merges are shown: {text[0].lower()}{text[1:]}")


class _RateSlider(QSlider):
    def __init__(self, speed: WatchSpeed) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._speed = speed

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self._speed.by_key:
            self._speed.stepped.emit()
        else:
            super().keyPressEvent(event)
