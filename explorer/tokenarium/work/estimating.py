"""Asks a process of its own how much memory a training would take, whenever the form has changed."""

from __future__ import annotations

import contextlib
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.models.training.memory_estimate import MemoryEstimate, estimate_written
from tokenarium.models.training.training_run import TrainingRequest
from tokenarium.models.written_request import write_request
from tokenarium.work.worker import Worker

SOON_MS = 600
"""The sample is read when nobody has changed the form for so long."""


class Estimating(QObject):
    """One question at a time; a new one takes the place of the one before."""

    estimated = Signal(object)  # an Estimate, or nothing where none can be made

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._asked: TrainingRequest | None = None
        self._written: Path | None = None
        self._worker: Worker | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SOON_MS)
        self._soon.timeout.connect(self._start)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._soon.isActive() or self._worker is not None

    def ask(self, request: TrainingRequest) -> None:
        """Estimates soon; asks nothing where all that counts is as it was."""
        if self._asked is not None and _counts(self._asked) == _counts(request):
            return
        self.stop()
        self._asked = request
        self.estimated.emit(None)
        self._soon.start()

    def stop(self) -> None:
        """Gives up the question."""
        self._soon.stop()
        self._asked = None
        if self._worker is not None:
            self._worker.cancel()

    def _start(self) -> None:
        if self._asked is None:
            return
        try:
            self._written = write_request(self._asked)
        except OSError:
            return
        worker = self._worker = Worker(estimate_written, self._written, parent=self)
        worker.finished.connect(self._take)
        worker.failed.connect(lambda _: self._take(None))
        worker.cancelled.connect(self._end)
        worker.start()

    def _take(self, estimate: MemoryEstimate | None) -> None:
        self._end()
        self.estimated.emit(estimate)

    def _end(self) -> None:
        if self._written is not None:
            with contextlib.suppress(OSError):
                self._written.unlink()
            self._written = None
        if self._worker is not None:
            self._worker.deleteLater()
            self._worker = None


def _counts(request: TrainingRequest) -> tuple[object, ...]:
    """Returns what the memory and the shares depend on."""
    mixing = request.size, request.temperature, request.repeat
    return (
        request.algorithm,
        dict(request.options),
        tuple(request.sources),
        request.vocab_size,
        mixing,
    )
