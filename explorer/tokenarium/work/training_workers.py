"""Processes beside the trainings: the estimate of memory, the race of BPE's strategies, and the times of sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.training.memory_estimate import MemoryEstimate, estimate
from tokenarium.models.training.strategy_race import Race, race
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium.models.training.training_times import TimedTraining, TimesProgress, time_trainings
from tokenarium.work.running import Processes

SOON_MS = 600
"""How long the form must not have changed before the sample is read."""


class MemoryEstimator(QObject):
    """Estimates after each change of the form; a new question replaces the one before."""

    estimated = Signal(
        object
    )  # a list with a MemoryEstimate for each request, or None if none can be made

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._asked: Sequence[TrainingRequest] | None = None
        self._processes = Processes(self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SOON_MS)
        self._soon.timeout.connect(self._start)

    @property
    def busy(self) -> bool:
        """Whether an estimate is under way."""
        return self._soon.isActive() or self._processes.busy

    def ask(self, requests: Sequence[TrainingRequest]) -> None:
        """Estimates some trainings of one corpus soon, unless nothing that counts has changed."""
        questions = [_counts(request) for request in requests]
        if self._asked is not None and [_counts(request) for request in self._asked] == questions:
            return
        self.stop()
        self._asked = requests
        self.estimated.emit(None)
        self._soon.start()

    def stop(self) -> None:
        """Cancels the estimate."""
        self._soon.stop()
        self._asked = None
        self._processes.stop()

    def _start(self) -> None:
        if self._asked is None:
            return
        self._processes.process(
            _estimate,
            self._asked,
            take=self.estimated.emit,
            fail=lambda _: self.estimated.emit(None),
        )


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


class PartRunner(QObject):
    """Runs one piece of work at a time in a process of its own; the parts that it reports stay until the next begins."""

    changed = Signal()

    def __init__(self, parent: QObject, work: Callable[[ProgressReporter, Any], None]) -> None:
        super().__init__(parent)
        self._work = work
        self.parts: list[Any] = []
        self.problem = ""
        self._processes = Processes(self)

    @property
    def running(self) -> bool:
        """Whether it is running."""
        return self._processes.busy

    def start(self, request: object) -> None:
        """Starts the work, and ends what ran before."""
        self.parts, self.problem = [], ""
        self._processes.process(
            self._work, request, take=lambda _: self._end(""), fail=self._end, say=self._take
        )
        self.changed.emit()

    def stop(self) -> None:
        """Ends the work; the parts that were reported stay."""
        self._processes.stop(stopped=True)

    def _take(self, part: Any) -> None:
        self.parts.append(part)
        self.changed.emit()

    def _end(self, problem: str) -> None:
        self.problem = problem
        self.changed.emit()


class RaceRunner(PartRunner):
    """Runs one race of BPE's strategies at a time."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent, race)

    @property
    def race(self) -> Race:
        """The race so far."""
        return Race(self.parts)


class TimesRunner(PartRunner):
    """Trains several sizes, one after the other, to see how long each takes."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent, time_trainings)

    @property
    def timed(self) -> list[TimedTraining]:
        """The trainings that are done."""
        return [part for part in self.parts if isinstance(part, TimedTraining)]

    @property
    def progress(self) -> TimesProgress | None:
        """How far the present one is."""
        last = self.parts[-1] if self.parts else None
        return last if isinstance(last, TimesProgress) else None

    def _take(self, part: TimedTraining | TimesProgress) -> None:
        self.parts = [part for part in self.parts if isinstance(part, TimedTraining)]
        super()._take(part)
