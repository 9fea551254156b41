"""Announcements for screen readers: messages, jobs, and counts that changed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QWidget

SETTLES_MS = 1_000
"""Milliseconds without a change after which a figure is announced, so that typing does not announce each count."""


def announce(widget: QWidget, sentence: str, urgent: bool = False) -> None:
    """Makes a screen reader say a sentence; ``urgent``: at once and as an alert, as for a problem.

    Does nothing if none runs.
    """
    if not sentence or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, sentence)
    if urgent:
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(QAccessibleEvent(widget, QAccessible.Event.Alert))
    QAccessible.updateAccessibility(event)


class Announcer(QTimer):
    """Announces the text of a widget when it has not changed for a while; nothing while the widget is hidden."""

    def __init__(self, widget: QWidget, words: Callable[[], str]) -> None:
        super().__init__(widget, singleShot=True, interval=SETTLES_MS)
        self._widget, self._words = widget, words
        self._said = ""
        self.timeout.connect(self._say)

    def _say(self) -> None:
        words = self._words()
        if words != self._said and self._widget.isVisible():
            self._said = words
            announce(self._widget, words)
