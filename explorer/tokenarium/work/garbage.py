"""Collects garbage when the window has nothing else to do.

A full collection looks at every object, which takes several frames once some screens of text are
laid out. Python would do that while the user scrolls; here it waits until nothing happens. The quick
collections, of new objects, stay as they are.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QAbstractEventDispatcher, QObject, QTimer

REST_MS = 300
"""Idle time before a collection: shorter than the blinking of a cursor, longer than a keystroke."""

DUE = 10
"""Quick collections since the last full one, after which Python would do a full one."""

_NEVER = 1_000_000_000


class GarbageAtRest(QObject):
    """Takes over the full collections of this process."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, _NEVER)
        gc.freeze()  # modules and classes stay anyway
        gc.enable()
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self.collect)
        dispatcher = QAbstractEventDispatcher.instance()
        dispatcher.aboutToBlock.connect(self._begin_rest)

    @staticmethod
    def collect() -> None:
        """Collects all garbage if it is time."""
        if gc.get_count()[2] >= DUE:
            gc.collect()

    def _begin_rest(self) -> None:
        # Only where there is something to do, or the timer itself would wake the app forever.
        if gc.get_count()[2] >= DUE:
            self._rest.start()
