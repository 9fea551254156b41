"""Work that is written as a generator and done in slices, so that a window stays alive and can stop it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Protocol

from tokenarium_core.progress import Progress


class Steppable(Protocol):
    """Anything that works in slices, such as the jobs of the core."""

    def step(self, budget_ms: float, /) -> Progress: ...


TaskWork = Iterator[Progress | None]
"""The work of a task: it yields its progress, or None when there is something new to show."""

SLICE_MS = 4.0
"""Milliseconds of a slice of a job that is a part of a task."""


def slices(job: Steppable) -> Iterator[Progress]:
    """Does a job, as a part of a task.

    >>> from tokenarium_core.progress import Progress
    >>> class Job:
    ...     def step(self, budget_ms):
    ...         return Progress("Counting", 1, 1, True)
    >>> [progress.done for progress in slices(Job())]
    [1]
    """
    progress = job.step(SLICE_MS)
    while not progress.finished:
        yield progress
        progress = job.step(SLICE_MS)
    yield progress


def finish(job: Steppable) -> None:
    """Does a whole job at once, where nothing else waits."""
    while not job.step(100.0).finished:  # in between, Ctrl+C has an effect
        pass


class Task:
    """Work in slices: call `step` until its progress is finished. ``news``: how often there was something new to show."""

    def __init__(self, title: str, work: TaskWork) -> None:
        self.title = title
        self.news = 0
        self.finished = False
        self._work = work
        self._progress = Progress(title, 0, 0, False)

    def step(self, budget_ms: float, /) -> Progress:
        """Works for about ``budget_ms``, and at least one slice; raises what the work raises."""
        until = time.perf_counter() + budget_ms / 1000
        while not self.finished:
            try:
                progress = next(self._work)
            except StopIteration:
                self.finished = True
                self.news += 1
                done = self._progress
                self._progress = Progress(done.phase, done.total, done.total, True)
                break
            if progress is None:
                self.news += 1
            else:
                self._progress = Progress(progress.phase, progress.done, progress.total, False)
            if time.perf_counter() >= until:
                break
        return self._progress

    def run(self) -> None:
        """Works to the end."""
        while not self.finished:
            self.step(1e9)
