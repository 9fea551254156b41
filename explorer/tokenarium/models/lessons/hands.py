"""How a class answers a question by a show of hands: the teacher enters the counts, and they can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal

MOST_HANDS: Final = 9_999
"""The most hands for an answer."""


class Hands(QObject):
    """The number of hands for each choice of the question that is asked. `changed`: a count, or whether they are shown.

    They are kept while the question is the same, and nothing of them is saved.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.choices: tuple[str, ...] = ()
        self.counts: tuple[int, ...] = ()
        self.right = -1
        """The right choice, once it is shown."""
        self.shown = False
        """Whether the counts are shown instead of only the choices."""
        self.current = 0
        """The choice whose hands are counted."""
        self._types = False  # whether a digit continues the number that is being typed
        self._before: list[tuple[int, ...]] = []

    def offer(self, choices: Sequence[str]) -> None:
        """Offers the choices of a question; other ones than before have no hands yet."""
        if tuple(choices) != self.choices:
            self.choices = tuple(choices)
            self.clear()

    def clear(self) -> None:
        """Forgets all hands, for the next step."""
        self.counts = (0,) * len(self.choices)
        self.right, self.shown, self.current, self._types = -1, False, 0, False
        self._before.clear()
        self.changed.emit()

    def show(self, shown: bool) -> None:
        """Shows the counts, or only the choices; the counts stay."""
        self.shown = shown and bool(self.choices)
        self.changed.emit()

    @property
    def total(self) -> int:
        """The number of all hands."""
        return sum(self.counts)

    # Counting.

    def set_count(self, place: int, count: int) -> None:
        """Sets the hands for a choice, which can be undone."""
        count = max(0, min(count, MOST_HANDS))
        self.current = place
        if count != self.counts[place]:
            self._before.append(self.counts)
            self.counts = (*self.counts[:place], count, *self.counts[place + 1 :])
        self.changed.emit()

    def add(self, count: int, place: int = -1) -> None:
        """Adds hands to a choice, the current one without ``place``, or takes some away."""
        self._types = False
        place = self.current if place < 0 else place
        self.set_count(place, self.counts[place] + count)

    def type_digit(self, digit: int) -> None:
        """Continues the number of the current choice by a digit, or begins a new one."""
        before = self.counts[self.current] if self._types else 0
        self._types = True
        if before * 10 + digit <= MOST_HANDS:
            self.set_count(self.current, before * 10 + digit)

    def erase_digit(self) -> None:
        """Removes the last digit of the current choice."""
        self._types = True
        self.set_count(self.current, self.counts[self.current] // 10)

    def go(self, by: int) -> None:
        """Goes to the next choice (1), or the one before (-1)."""
        self.current = (self.current + by) % len(self.choices)
        self._types = False
        self.changed.emit()

    def undo(self) -> None:
        """Undoes the last change of a count."""
        if self._before:
            former = self._before.pop()
            self.current = next(
                place for place, count in enumerate(former) if count != self.counts[place]
            )
            self.counts, self._types = former, False
            self.changed.emit()

    # Saying.

    def show_right(self, answer: str) -> str:
        """Shows which choice is right; returns a sentence about the hands, "" if nobody raised one."""
        self.right = self.choices.index(answer) if answer in self.choices else -1
        self.changed.emit()
        return self.said

    @property
    def said(self) -> str:
        """A sentence about the hands; "" without any, or before the right answer is shown."""
        if not self.total or self.right < 0:
            return ""
        right = self.counts[self.right]
        if self.total == 1:
            return f"The only answer was {'right' if right else 'wrong'}."
        if right == self.total:
            return f"All {self.total:,} answers were right."
        most = max(self.counts)
        firsts = [place for place, count in enumerate(self.counts) if count == most]
        number = f"{right:,}" if right else "None"
        said = f"{number} of {self.total:,} answers {'was' if right == 1 else 'were'} right"
        if len(firsts) > 1:
            return f"{said}."
        if firsts[0] == self.right:
            return f"{said}, more than for any other choice."
        return f"{said}; most chose “{self.choices[firsts[0]]}” ({most:,})."
