"""What a page or a dialog has running: work in slices and work in processes, by name, all of which ends with its owner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from tokenarium.models.task import Steppable
from tokenarium.work.jobs import Jobs
from tokenarium.work.worker import STOP_MS, Work, Worker
from tokenarium_core.progress import Progress


class Processes:
    """The running processes of one owner. A new one replaces that of the same name, without a word to its takers."""

    def __init__(self, owner: QObject) -> None:
        self._owner = owner
        self._workers: dict[str, Worker] = {}

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
        return name in self._workers

    @property
    def busy(self) -> bool:
        """Whether anything runs."""
        return bool(self._workers)

    def cancel(self, name: str = "", stopped: bool = False) -> None:
        """Ends the work of a name, if it runs, without a word to its takers.

        ``stopped``: a person wants it, and a process says so by its ``stopped``.
        """
        worker = self._workers.get(name)
        if worker is not None:
            if not stopped:
                del self._workers[name]
            worker.cancel()

    def ask_to_stop(self, name: str = "", patience_ms: int = STOP_MS) -> None:
        """Asks the process of a name to return what it has; see `Worker.ask_to_stop`."""
        if name in self._workers:
            self._workers[name].ask_to_stop(patience_ms)

    def stop(self, stopped: bool = False) -> None:
        """Ends everything, see `cancel`."""
        for name in list(self._workers):
            self.cancel(name, stopped)


class Running(Processes):
    """The running work of one owner, in processes and in slices."""

    def __init__(self, jobs: Jobs, owner: QObject) -> None:
        super().__init__(owner)
        self._jobs = jobs
        self._names: set[str] = set()  # of jobs that were started

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

    def runs(self, name: str = "") -> bool:
        return super().runs(name) or self._jobs.runs(self._key(name))

    @property
    def busy(self) -> bool:
        return super().busy or any(self._jobs.runs(self._key(name)) for name in self._names)

    def cancel(self, name: str = "", stopped: bool = False) -> None:
        super().cancel(name, stopped)
        self._jobs.cancel(self._key(name))

    def stop(self, stopped: bool = False) -> None:
        super().stop(stopped)
        for name in self._names:
            self.cancel(name)

    def _key(self, name: str) -> str:
        return f"{name} {id(self)}"
