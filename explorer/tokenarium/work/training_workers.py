"""Processes for the form of a training: the estimate of its memory, and the race of BPE's strategies."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.training.memory_estimate import MemoryEstimate, estimate
from tokenarium.models.training.strategy_race import Lap, Race, RaceRequest, race
from tokenarium.models.training.training_run import TrainingRequest
from tokenarium.work.worker import Worker

SOON_MS = 600
"""How long the form must not have changed before the sample is read."""


class MemoryEstimator(QObject):
    """Estimates after each change of the form; a new question replaces the one before."""

    estimated = Signal(
        object
    )  # a list with a MemoryEstimate for each request, or None where none can be made

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._asked: Sequence[TrainingRequest] | None = None
        self._worker: Worker | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SOON_MS)
        self._soon.timeout.connect(self._start)

    @property
    def busy(self) -> bool:
        """Whether an estimate is under way."""
        return self._soon.isActive() or self._worker is not None

    def ask(self, requests: Sequence[TrainingRequest]) -> None:
        """Estimates some trainings of one corpus soon, unless nothing that counts has changed."""
        wanted = [_counts(request) for request in requests]
        if self._asked is not None and [_counts(request) for request in self._asked] == wanted:
            return
        self.stop()
        self._asked = requests
        self.estimated.emit(None)
        self._soon.start()

    def stop(self) -> None:
        """Cancels the estimate."""
        self._soon.stop()
        self._asked = None
        if self._worker is not None:
            self._worker.cancel()

    def _start(self) -> None:
        if self._asked is None:
            return
        worker = self._worker = Worker(_estimate, self._asked, parent=self)
        worker.finished.connect(self._take)
        worker.failed.connect(lambda _: self._take(None))
        worker.cancelled.connect(self._end)
        worker.start()

    def _take(self, found: list[MemoryEstimate] | None) -> None:
        self._end()
        self.estimated.emit(found)

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.deleteLater()
            self._worker = None


def _estimate(
    report: ProgressReporter, requests: Sequence[TrainingRequest]
) -> list[MemoryEstimate]:
    return [estimate(request) for request in requests]


def _counts(request: TrainingRequest) -> tuple[object, ...]:
    """Returns what the memory and the shares depend on."""
    mixing = request.size, request.temperature, request.repeat
    return (
        request.algorithm,
        dict(request.options),
        tuple(request.sources),
        request.vocab_size,
        request.hold_out,
        mixing,
    )


class RaceRunner(QObject):
    """Runs one race of BPE's strategies at a time; its laps stay until the next begins."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.race = Race()
        self.problem = ""
        self._worker: Worker | None = None

    @property
    def running(self) -> bool:
        """Whether a race is running."""
        return self._worker is not None

    def start(self, request: RaceRequest) -> None:
        """Starts a race, and ends the one before."""
        self.stop()
        self.race, self.problem = Race(), ""
        worker = self._worker = Worker(race, request, parent=self)
        worker.progressed.connect(self._take)
        worker.finished.connect(lambda _: self._end(""))
        worker.failed.connect(self._end)
        worker.cancelled.connect(lambda: self._end(""))
        worker.start()
        self.changed.emit()

    def stop(self) -> None:
        """Ends the race; the laps that were run stay."""
        if self._worker is not None:
            self._worker.cancel()

    def _take(self, lap: Lap) -> None:
        self.race.laps.append(lap)
        self.changed.emit()

    def _end(self, problem: str) -> None:
        self.problem = problem
        if self._worker is not None:
            self._worker.deleteLater()
            self._worker = None
        self.changed.emit()
