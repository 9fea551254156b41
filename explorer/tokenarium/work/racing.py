"""Races the ways of BPE in a process of its own, and keeps the laps."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from tokenarium.models.training.strategy_race import Lap, Race, RaceRequest, race_written
from tokenarium.models.written_request import write_request
from tokenarium.work.worker import Worker


class Racing(QObject):
    """One race at a time; its laps stay until the next begins."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.race = Race()
        self.problem = ""
        self._written: Path | None = None
        self._worker: Worker | None = None

    @property
    def running(self) -> bool:
        """Whether a race is run."""
        return self._worker is not None

    def start(self, request: RaceRequest) -> None:
        """Begins a race, in the place of the one before."""
        self.stop()
        self.race, self.problem = Race(), ""
        try:
            self._written = write_request(request)
        except OSError as error:
            self._end(f"There is no room to begin: {error.strerror}.")
            return
        worker = self._worker = Worker(race_written, self._written, parent=self)
        worker.told.connect(self._take)
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
        if self._written is not None:
            self._written.unlink(missing_ok=True)
            self._written = None
        if self._worker is not None:
            self._worker.deleteLater()
            self._worker = None
        self.changed.emit()
