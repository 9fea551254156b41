"""Runs long work in slices on the event loop, so that the window stays alive and can cancel it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from tokenarium.models.faults import reported
from tokenarium.models.task import Steppable
from tokenarium_core import TokenariumError
from tokenarium_core.progress import Progress

SLICE_MS = 8.0
"""How long one slice may take: half of a frame at 60 frames a second."""


FIRST_AFTER_MS = 8
"""Milliseconds from the turn after a start to the first slice: what the start came with is painted before it."""


@dataclass(slots=True)
class Job:
    """One running piece of work, with its title for the user and its last report."""

    key: str
    title: str
    work: Steppable
    on_progress: Callable[[Progress], object]
    on_error: Callable[[TokenariumError], object]
    on_cancel: Callable[[], object]
    progress: Progress
    first: bool = False


class Jobs(QObject):
    """The running jobs, by key. A new job replaces the one with its key."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: dict[str, Job] = {}
        self._fresh = False  # whether a job was started in this turn of the event loop
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._step_one)

    def running(self) -> list[Job]:
        """Returns the running jobs, the next in turn first."""
        return list(self._jobs.values())

    def runs(self, key: str) -> bool:
        """Returns whether a job runs."""
        return key in self._jobs

    def start(
        self,
        key: str,
        title: str,
        work: Steppable,
        on_progress: Callable[[Progress], object],
        on_error: Callable[[TokenariumError], object],
        on_cancel: Callable[[], object] = lambda: None,
        first: bool = False,
    ) -> None:
        """Starts a job; ``on_progress`` is called after every slice, for the last with ``finished`` true.

        ``on_cancel`` is called if the job is dropped before that, so that it can clean up. ``first``: until it is
        finished, only those of this kind that were started before it have a slice.
        """
        nothing = Progress(title, 0, 0, False)
        superseded = self._jobs.pop(key, None)
        if superseded is not None:
            superseded.on_cancel()
        self._jobs[key] = Job(key, title, work, on_progress, on_error, on_cancel, nothing, first)
        self._fresh = True
        self._turn.start(0)
        self.changed.emit()

    def cancel(self, key: str) -> None:
        """Drops a job at once, if there is one with the key."""
        job = self._jobs.pop(key, None)
        if job is not None:
            job.on_cancel()
            self._pause_if_idle()
            self.changed.emit()

    def cancel_all(self) -> None:
        """Drops all jobs."""
        for key in list(self._jobs):
            self.cancel(key)

    def _step_one(self) -> None:
        if not self._jobs:
            self._turn.stop()
            return
        if self._fresh:
            self._fresh = False
            self._turn.setInterval(FIRST_AFTER_MS)
            return
        self._turn.setInterval(0)
        stop = time.monotonic() + SLICE_MS / 2000
        while (job := self._following()) is not None:
            self._step(job)
            if not job.first or not job.progress.finished or time.monotonic() > stop:
                break  # else there is time for the next one, and one repaint shows both
        self.changed.emit()

    def _following(self) -> Job | None:
        """Returns the job that has the next slice."""
        job = next((job for job in self._jobs.values() if job.first), None)
        if job is None and self._jobs:
            job = self._jobs.pop(next(iter(self._jobs)))
            self._jobs[job.key] = job  # to the end of the queue, so that all jobs make progress
        return job

    def _step(self, job: Job) -> None:
        try:
            job.progress = job.work.step(SLICE_MS)
        except Exception as error:  # if it stayed, it would fail in each turn of the event loop
            self._drop(job)
            job.on_error(reported(error))
        else:
            if job.progress.finished:
                self._drop(job)
            job.on_progress(job.progress)

    def _drop(self, job: Job) -> None:
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]
        self._pause_if_idle()

    def _pause_if_idle(self) -> None:
        if not self._jobs:
            self._turn.stop()
