"""Counts files with several tokenizers, in two processes at once, each with half of the tokenizers."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from tokenarium.models.compare.comparing import ComparedTokenizer, PartialTallies, count_files
from tokenarium.models.compare.intervals import SampledFigures
from tokenarium.models.compare.metrics import Figures
from tokenarium.models.compare.tally import Tally
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.work.worker import Worker

PROCESSES = 2


class FileCounts(QObject):
    """One run: ``changed`` follows partial results, and ``finished``, once, the last of them.

    ``tallies`` has the counts of each tokenizer by its key, ``files`` the figures of each file, ``sampled`` those
    over several documents with their samples; ``problem`` says why it failed.
    """

    changed = Signal()
    finished = Signal()

    def __init__(
        self,
        candidates: Sequence[ComparedTokenizer],
        sources: Sequence[CorpusSource],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.tallies: dict[str, Tally] = {}
        self.files: dict[str, tuple[tuple[str, Figures], ...]] = {}
        self.sampled: dict[str, SampledFigures] = {}
        self.notes: tuple[str, ...] = ()
        self.problem = ""
        count = max(1, min(PROCESSES, os.cpu_count() or 1, len(candidates)))
        self._shares = [0.0] * count
        self._workers = [
            Worker(count_files, list(candidates[index::count]), list(sources), parent=self)
            for index in range(count)
        ]
        for index, worker in enumerate(self._workers):
            worker.progressed.connect(lambda partial, index=index: self._take(index, partial))
            worker.finished.connect(lambda partial, index=index: self._take_last(index, partial))
            worker.failed.connect(self._fail)
            worker.cancelled.connect(self._end_if_all)

    def start(self) -> None:
        """Starts the processes."""
        for worker in self._workers:
            worker.start()

    @property
    def running(self) -> bool:
        """Whether some still count."""
        return any(worker.running for worker in self._workers)

    @property
    def fraction(self) -> float:
        """The share of the work that is done."""
        return sum(self._shares) / len(self._shares)

    @property
    def complete(self) -> bool:
        """Whether all that was asked for is counted."""
        return not self.running and not self.problem and min(self._shares) >= 1

    def ask_to_stop(self) -> None:
        """Asks all processes for what they have so far."""
        for worker in self._workers:
            worker.ask_to_stop()

    def cancel(self) -> None:
        """Ends all at once."""
        for worker in self._workers:
            worker.cancel()

    def _take(self, place: int, partial: object) -> None:
        assert isinstance(partial, PartialTallies)
        self._shares[place] = partial.fraction
        self.tallies.update(partial.tallies)
        self.files.update(partial.files)
        self.sampled.update(partial.sampled)
        self.notes = tuple(dict.fromkeys([*self.notes, *partial.notes]))
        self.changed.emit()

    def _take_last(self, place: int, partial: object) -> None:
        self._take(place, partial)
        self._end_if_all()

    def _fail(self, sentence: str) -> None:
        self.problem = self.problem or sentence
        for worker in self._workers:
            worker.cancel()
        self._end_if_all()

    def _end_if_all(self) -> None:
        if not self.running and self._workers:
            self._workers = []
            self.finished.emit()
