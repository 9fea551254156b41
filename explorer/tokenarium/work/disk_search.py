"""Looks for tokenizers on this computer in a thread of its own, so that a slow disk does not stop the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.models.tokenizers.local_tokenizers import Found, find

POLL_MS = 50


class DiskSearch(QObject):
    """One search at a time; what the thread finds is reported on the event loop."""

    found = Signal(object)  # a LocalTokenizer or a Looked
    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = Event()
        self._thread: Thread | None = None
        self._queue: SimpleQueue[Found | None] = SimpleQueue()
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._take)

    @property
    def running(self) -> bool:
        """Whether a search is under way."""
        return self._thread is not None

    def start(self, folders: Sequence[Path]) -> None:
        """Looks everywhere, and in these folders; a running search is cancelled."""
        self.cancel()
        self._stop = Event()
        self._queue = SimpleQueue()
        self._thread = Thread(
            target=_look, args=(list(folders), self._queue, self._stop), daemon=True
        )
        self._thread.start()
        self._poll.start()

    def cancel(self) -> None:
        """Cancels the search; the thread ends by itself, and what it finds is dropped."""
        self._poll.stop()
        self._stop.set()
        self._thread = None

    def _take(self) -> None:
        while self.running:
            try:
                result = self._queue.get_nowait()
            except Empty:
                return
            if result is None:
                self.cancel()
                self.finished.emit()
            else:
                self.found.emit(result)


def _look(folders: list[Path], queue: SimpleQueue[Found | None], stop: Event) -> None:
    try:
        for result in find(folders, stop.is_set):
            queue.put(result)
    finally:
        queue.put(None)
