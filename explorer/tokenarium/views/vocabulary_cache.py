"""Shared by the pages of the workspace Vocabulary: the columns and findings of each tokenizer that is on."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosing import EXAMINATIONS
from tokenarium.models.diagnosis.diagnosis import Diagnosis
from tokenarium.models.diagnosis.diagnosis_embeddings import EntryIndicators
from tokenarium.models.mending.finding_repairs import FoundRepairs, examine_for_repairs
from tokenarium.models.mending.repair import Repair
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.merge_list import MergeList, MergeOrders
from tokenarium.models.vocabulary.vocabulary_columns import ColumnPreparation, VocabularyColumns
from tokenarium.session.session import Session
from tokenarium.work.running import Running

STOPPED = "The examination was stopped."


@dataclass(eq=False, slots=True)
class Examined:
    """The progress of the examination of a tokenizer; ``problem`` says why it ended early."""

    findings: list[Diagnosis] = field(default_factory=list)
    repairs: dict[str, tuple[Repair, ...]] = field(default_factory=dict)  # by the ids of findings
    finished: bool = False
    problem: str = ""

    @property
    def fraction(self) -> float:
        """The finished share, 0 to 1."""
        return len(self.findings) / len(EXAMINATIONS)


@dataclass(eq=False, slots=True)
class _CachedColumns:
    tokenizer: tc.Tokenizer
    columns: VocabularyColumns | None = None
    merges: MergeList | None = None
    examined: Examined | None = None
    indicators: EntryIndicators | None = None


class VocabularyCache(QObject):
    """Makes columns on demand, prepares them in slices, and examines tokenizers in a separate process."""

    prepared = Signal(str)  # the key of a tokenizer of which another column is ready
    examined = Signal(str)  # the key of a tokenizer with new findings, or whose examination ended

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._kept: dict[str, _CachedColumns] = {}
        self._running = Running(session.jobs, self)
        self._examining = ""

    def columns(self, item: LibraryItem) -> VocabularyColumns:
        """Returns the columns of a tokenizer that is open."""
        cached = self._of(item)
        if cached.columns is None:
            columns = cached.columns = VocabularyColumns(cached.tokenizer)
            if cached.indicators is not None:
                columns.set_indicators(cached.indicators.name, cached.indicators.values)
            self._running.slices(
                f"Looking for unreachable entries of {item.name}",
                ColumnPreparation(columns),
                lambda progress: self.prepared.emit(item.key) if progress.finished else None,
                self._session.problem.emit,
                f"columns {item.key}",
            )
        return cached.columns

    def merges(self, item: LibraryItem) -> MergeList | None:
        """Returns the merges of a tokenizer that is open; None if its model has none."""
        columns = self.columns(item)
        cached = self._of(item)
        if cached.merges is None and columns.merges is not None:
            cached.merges = MergeList(columns)
            self._running.slices(
                f"Sorting the merges of {item.name}",
                MergeOrders(cached.merges),
                lambda progress: None,
                self._session.problem.emit,
                f"merges {item.key}",
            )
        return cached.merges

    def examination(self, item: LibraryItem) -> Examined | None:
        """Returns what was found about a tokenizer so far; None if it was not examined yet."""
        return self._of(item).examined

    def findings(self, item: LibraryItem) -> dict[str, tuple[int, ...]]:
        """Returns the entries of each finding, by its id."""
        examined = self._of(item).examined
        return (
            {finding.id: finding.tokens for finding in examined.findings}
            if examined is not None
            else {}
        )

    @property
    def examining(self) -> str:
        """The key of the tokenizer that is examined now, or ""."""
        return self._examining if self._running.runs() else ""

    def examine(self, item: LibraryItem) -> None:
        """Examines a tokenizer again; another running examination is cancelled, and starts again when requested."""
        given_up = self._kept.get(self.examining)
        self._running.cancel()
        if given_up is not None:
            given_up.examined = None
        cached = self._of(item)
        examined = cached.examined = Examined()
        weights = self._session.weights.get(item.key, "")
        self._examining = item.key

        def take(found: Diagnosis | FoundRepairs | EntryIndicators) -> None:
            if isinstance(found, FoundRepairs):
                examined.repairs[found.finding] = found.repairs
                self.examined.emit(item.key)
                return
            if isinstance(found, Diagnosis):
                examined.findings.append(found)
                self.examined.emit(item.key)
                return
            cached.indicators = found
            if cached.columns is not None:
                cached.columns.set_indicators(found.name, found.values)
            self.prepared.emit(item.key)

        def ended(problem: str) -> None:
            examined.problem, examined.finished = problem, True
            self.examined.emit(item.key)

        self._running.process(
            examine_for_repairs,
            item.source,
            item.pattern,
            weights,
            take=lambda _: ended(""),
            fail=ended,
            say=take,
            stopped=STOPPED,
        )
        self.examined.emit(item.key)

    def choose_weights(self, item: LibraryItem, path: str) -> None:
        """Examines a tokenizer again, with the weights of a model at a path."""
        self._session.weights[item.key] = path
        self.examine(item)

    def stop(self) -> None:
        """Cancels the running examination, if any."""
        self._running.cancel(stopped=True)

    def _of(self, item: LibraryItem) -> _CachedColumns:
        assert item.tokenizer is not None
        cached = self._kept.get(item.key)
        if cached is None or cached.tokenizer is not item.tokenizer:
            there = {one.key for one in self._session.chosen()}
            self._kept = {key: one for key, one in self._kept.items() if key in there}
            cached = self._kept[item.key] = _CachedColumns(item.tokenizer)
        return cached
