"""What a page or a dialog has running: work in slices and work in processes, by name, all of which ends with its owner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from tokenarium.models.task import Steppable
from tokenarium.work.jobs import Jobs
from tokenarium.work.worker import Work, Worker
from tokenarium_core import Progress


class Running:
    """The running work of one owner. New work replaces what runs under the same name, without a word to its takers."""

    def __init__(self, jobs: Jobs, owner: QObject) -> None:
        self._jobs = jobs
        self._owner = owner
        self._names: set[str] = set()  # of jobs that were started
        self._workers: dict[str, Worker] = {}

    def slices(
        self,
        title: str,
        work: Steppable,
        take: Callable[[Progress], object],
        fail: Callable[[str], object] = lambda _: None,
        name: str = "",
        cancelled: Callable[[], object] = lambda: None,
    ) -> None:
        """Does work in slices: ``take`` gets the progress after each, at last a finished one; ``fail`` gets a sentence.

        ``title`` is for users. ``cancelled`` is called if it is dropped before its end.
        """
        self._names.add(name)
        self._jobs.start(
            self._key(name),
            title,
            work,
            take,
            lambda error: fail(str(error)),
            cancelled,
        )

    def process(
        self,
        work: Work,
        *arguments: object,
        take: Callable[[Any], object],
        fail: Callable[[str], object],
        say: Callable[[Any], object] = lambda _: None,
        stopped: str = "",
        name: str = "",
    ) -> Worker:
        """Runs a function of a module in a process, see `Worker`: ``take`` gets its result, ``fail`` a sentence.

        ``say`` gets its reports. When a person cancels the worker, the sentence is ``stopped``.
        """
        self.cancel(name)
        worker = Worker(work, *arguments, parent=self._owner)
        self._workers[name] = worker

        def ended(end: Callable[[Any], object], result: object) -> None:
            worker.deleteLater()
            if self._workers.get(name) is worker:
                del self._workers[name]
                end(result)

        worker.progressed.connect(say)
        worker.finished.connect(lambda result: ended(take, result))
        worker.failed.connect(lambda sentence: ended(fail, sentence))
        worker.cancelled.connect(lambda: ended(fail, stopped))
        worker.start()
        return worker

    def runs(self, name: str = "") -> bool:
        """Returns whether the work of a name runs."""
        return name in self._workers or self._jobs.runs(self._key(name))

    @property
    def busy(self) -> bool:
        """Whether anything runs."""
        return bool(self._workers) or any(self._jobs.runs(self._key(name)) for name in self._names)

    def cancel(self, name: str = "") -> None:
        """Ends the work of a name, if it runs, without a word to its takers."""
        worker = self._workers.pop(name, None)
        if worker is not None:
            worker.cancel()
        self._jobs.cancel(self._key(name))

    def ask_to_stop(self, name: str = "") -> None:
        """Asks the process of a name to return what it has; see `Worker.ask_to_stop`."""
        if name in self._workers:
            self._workers[name].ask_to_stop()

    def stop(self, stopped: bool = False) -> None:
        """Ends everything; ``stopped``: a person wants it, and processes say so by their ``stopped``."""
        for name, worker in list(self._workers.items()):
            if not stopped:
                del self._workers[name]
            worker.cancel()
        for name in self._names:
            self._jobs.cancel(self._key(name))

    def _key(self, name: str) -> str:
        return f"{name} {id(self)}"
