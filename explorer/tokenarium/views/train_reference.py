"""The line of a known tokenizer over the curves of runs, measured on the same text."""

from __future__ import annotations

from collections.abc import Callable

import tokenarium_core as tc
from tokenarium.models.text.lost_text import SIGN, is_doubtful, loses
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.training.run_cuts import CountingJob
from tokenarium.models.training.training_queue import QueuedTraining
from tokenarium.session.library_edits import trained_key
from tokenarium.session.session import Session
from tokenarium.widgets.charts.size_chart import ReferenceLine
from tokenarium_core.progress import Progress


class KnownReference:
    """Measures the tokenizer in front, or else the first that is on, unless it is one of the runs.

    ``measured`` is called when a line is known.
    """

    def __init__(self, session: Session, measured: Callable[[], object]) -> None:
        self._session = session
        self._measured = measured
        self._lines: dict[tuple[object, ...], ReferenceLine | None] = {}

    def lines(self, runs: list[QueuedTraining], unseen: bool) -> list[ReferenceLine]:
        """Returns its line for these runs; none until it is measured. ``unseen``: on the held-out text."""
        done = next((run for run in runs if run.result is not None), None)
        item = self._tokenizer()
        if done is None or done.result is None or item is None or item.tokenizer is None:
            return []
        texts = list(done.result.held) if unseen else _own_texts(done)
        if not texts:
            return []
        key = (item.key, done.request.experiment, unseen)
        if key not in self._lines:
            self._measure(key, item.tokenizer, item.model_name or item.name, texts)
        line = self._lines[key]
        return [] if line is None else [line]

    def _measure(
        self, key: tuple[object, ...], tokenizer: tc.Tokenizer, name: str, texts: list[str]
    ) -> None:
        self._lines[key] = None
        work = CountingJob(tokenizer, texts)

        def take(progress: Progress) -> None:
            if progress.finished and work.tokens:
                value, share = work.bytes / work.tokens, work.lost / max(work.bytes, 1)
                said = f"{name}, {len(tokenizer.vocabulary):,} entries: {value:.2f}"
                if is_doubtful(share):
                    said += f" {SIGN} {loses(share)}"
                self._lines[key] = ReferenceLine(said, value)
                self._measured()

        self._session.jobs.start(
            "reference of the runs",
            f"Measuring {name}",
            work,
            take,
            lambda _: None,
            lambda: self._forget(key),
        )

    def _forget(self, key: tuple[object, ...]) -> None:
        self._lines.pop(key, None)

    def _tokenizer(self) -> LibraryItem | None:
        session = self._session
        of_runs = {
            trained_key(run.result.trained.identity)
            for run in session.trainings.runs
            if run.result is not None
        }
        return next(
            (
                item
                for item in [session.current, *session.chosen()]
                if item is not None and item.tokenizer is not None and item.key not in of_runs
            ),
            None,
        )


def _own_texts(run: QueuedTraining) -> list[str]:
    """Returns the typed texts that a run was trained on."""
    sources = run.request.sources
    if any(source.kind != "text" for source in sources):
        return []
    return [source.value for source in sources]
