"""The trainings of a window: one at a time, each in a process of its own; results are kept and turned on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal

from tokenarium.models.tokenizers.tokenizer_identity import free_identity
from tokenarium.models.training.store import Store, Trained
from tokenarium.models.training.training_progress import TrainingProgress
from tokenarium.models.training.training_queue import KeptRun, QueuedTraining, RunState
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium.models.training.training_run import TrainingResult
from tokenarium.models.training.training_watch import Watch
from tokenarium.session.library_edits import LibraryEdits, trained_key
from tokenarium.work.frame_queue import FrameQueue
from tokenarium.work.training_workers import MemoryEstimator, RaceRunner, TimesRunner
from tokenarium.work.worker import Worker
from tokenarium_core import TokenariumError

STOP_MS = 60_000
"""Milliseconds that a stopped training may take to build and write the tokenizer."""

WORKERS_MS = 5_000
"""How long the workers of a cancelled training may take to end; after that they are killed with it."""

CANCELLED = "The training was cancelled; nothing was kept."


MOST_KEPT = 100_000
"""The most characters of text that scenes keep of a run; the files of a corpus are kept by their names."""


class Trainings(QObject):
    """The queue. When a training ends, in whatever way, the next one starts."""

    changed = Signal()  # which trainings exist, or their states
    progressed = Signal(object)  # the training that reported progress
    store_changed = Signal()
    sizes_asked = Signal(str)  # the identity of a kept tokenizer: its sizes are to be shown
    problem = Signal(str)  # a sentence to show
    settings_chosen = Signal(object)  # a kept tokenizer: its settings are to be trained with again

    def __init__(self, edits: LibraryEdits, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._edits = edits
        self._numbers = itertools.count(1)
        self.folder = folder
        self.runs: list[QueuedTraining] = []
        self.waits_for_check = False
        """Whether the user asked for trainings that begin after the check of their corpus."""
        self.worker: Worker | None = None
        self._sent = Watch()
        self._dropped: QueuedTraining | None = (
            None  # it is being cancelled, and nothing of it is kept
        )
        self.estimating = MemoryEstimator(self)
        self.racing = RaceRunner(self)
        self.timing = TimesRunner(self)
        self._frames = FrameQueue(self)

    @property
    def running(self) -> QueuedTraining | None:
        """The training that runs, if any."""
        return next((run for run in self.runs if run.state.going), None)

    @property
    def store(self) -> Store:
        """The store of trained tokenizers; Raises TokenariumError if its folder cannot be used."""
        return Store(self.folder)

    def add(self, request: TrainingRequest) -> QueuedTraining:
        """Adds a training to the end of the queue."""
        run = self._put(QueuedTraining(0, request, most=request.watch.most))
        self.changed.emit()
        self._begin_next()
        return run

    def kept_runs(self) -> list[KeptRun]:
        """Returns the runs that made a tokenizer or may still do so, except those whose texts are too long to keep."""
        runs = []
        for run in self.runs:
            texts = (one.value for one in run.request.sources if one.kind == "text")
            wanted = run.result is not None or (not run.over and run is not self._dropped)
            if wanted and sum(map(len, texts)) <= MOST_KEPT:
                runs.append(KeptRun.of(run.request, run.result))
        return runs

    def put_back(self, runs: Sequence[KeptRun]) -> None:
        """Restores runs to the list as they ended, after the present ones.

        Runs whose result no longer exists are left out.

        Unfinished runs are held: someone else's session must not start trainings.
        """
        here = {run.result.trained.identity for run in self.runs if run.result is not None}
        asked = [_asked(KeptRun.of(run.request, None)) for run in self.runs]
        for kept in runs:
            try:
                if not kept.identity:
                    if _asked(kept) not in asked:
                        self._put(QueuedTraining(0, kept.request(self.folder), RunState.HELD))
                    continue
                trained = self.store.get(kept.identity)
                if trained is None or kept.identity in here:
                    continue
                request = kept.request(self.folder)
            except TokenariumError as error:
                self.problem.emit(str(error))
                continue
            here.add(kept.identity)
            path = self.store.path(trained)
            result = TrainingResult(trained, path, kept.complete, kept.report)
            state = RunState.FINISHED if kept.complete else RunState.STOPPED
            run = self._put(QueuedTraining(0, request, state, result=result, problem=kept.report))
            run.identity = self._edits.library.identities.get(kept.identity[:16], run.identity)
        self.changed.emit()

    def _put(self, run: QueuedTraining) -> QueuedTraining:
        """Appends a run to the list, with the next number and a free marker."""
        run.number, run.identity = next(self._numbers), self._free_identity()
        self.runs.append(run)
        return run

    def begin(self, run: QueuedTraining) -> None:
        """Lets a held training begin after the one that runs."""
        if run.state is RunState.HELD:
            run.state = RunState.WAITING
            self.changed.emit()
            self._begin_next()

    def hold(self) -> None:
        """Holds the waiting trainings, as before the window closes, until the user starts them."""
        for run in self.runs:
            if run.state is RunState.WAITING:
                run.state = RunState.HELD
        self.changed.emit()

    def _free_identity(self) -> int:
        """Returns the number of colour and marker that neither the library nor a run has."""
        library = self._edits.library
        runs = {one.identity for one in self.runs if not one.over or one.result is not None}
        taken = {item.identity for item in library} | runs
        shown = {item.identity for item in library if item.on} | runs
        return free_identity(taken, library.identities.values(), shown)

    def watch(self, run: QueuedTraining, text: str, most: int) -> None:
        """Lets a training continue to a number of entries, 0 for all; ``text`` is split as it progresses."""
        wish = Watch(text, most)
        changed = run.most != most
        run.most = most
        if run.state in (RunState.HELD, RunState.WAITING):
            run.request = replace(run.request, watch=wish)
        elif run.state is RunState.TRAINING and self.worker is not None and wish != self._sent:
            self._sent = wish
            self.worker.send(wish)
        if changed and run.state.going:
            self.progressed.emit(run)

    def stop(self, run: QueuedTraining) -> None:
        """Stops a training and keeps what it has learned so far; a waiting one is not started."""
        if run.state is RunState.TRAINING and self.worker is not None:
            run.state = RunState.STOPPING
            self.worker.ask_to_stop(STOP_MS)
            self.changed.emit()
        elif not run.state.going:
            self.cancel(run)

    def cancel(self, run: QueuedTraining) -> None:
        """Cancels a training immediately, and keeps nothing."""
        if run.state.going and self.worker is not None:
            self._dropped = run
            counting = run.progress is None or not run.progress.token_counts
            if counting and not run.request.place.here:
                run.state = RunState.STOPPING  # its workers end first, and remove their files
                self.worker.ask_to_stop(WORKERS_MS)
                self.changed.emit()
            else:
                self.worker.cancel()
        elif not run.over:
            run.state = RunState.CANCELLED
            self.changed.emit()

    def forget(self, run: QueuedTraining) -> None:
        """Removes a finished training from the list; its result stays."""
        if not run.state.going and run in self.runs:
            self.runs.remove(run)
            self.changed.emit()

    @property
    def unfinished(self) -> list[QueuedTraining]:
        """The trainings that run or wait for their turn."""
        return [run for run in self.runs if run.state.going or run.state is RunState.WAITING]

    def stop_all(self) -> None:
        """Ends everything, as when the window closes."""
        self.estimating.stop()
        self.racing.stop()
        self.timing.stop()
        for run in self.runs:
            if run.state is RunState.WAITING:
                run.state = RunState.CANCELLED
        self._frames.finish()
        if self.worker is not None:
            self.worker.cancel()

    def open(self, trained: Trained) -> None:
        """Puts a kept tokenizer into the library and turns it on."""
        self._edits.add_trained(trained, self.store.path(trained))

    def delete(self, trained: Trained) -> None:
        """Deletes a tokenizer from the store and the library; this can be undone."""
        self._edits.remove_with(
            trained_key(trained.identity),
            f"Delete {trained.name}",
            lambda: self._guarded(lambda: self.store.delete(trained.identity)),
            lambda: self._guarded(lambda: self.store.restore(trained)),
        )

    def rename(self, trained: Trained, name: str) -> None:
        """Gives a kept tokenizer another name, in the library too; this can be undone."""
        before = trained.name
        if name.strip() == before:
            return

        def call(it: str) -> None:
            if self._guarded(lambda: self.store.rename(trained.identity, it)):
                self._edits.rename(trained_key(trained.identity), it.strip())

        if not name.strip():
            call(name)  # says why not
            self.store_changed.emit()
            return
        self._edits.change(f"Rename {before}", lambda: call(name), lambda: call(before))

    def note(self, trained: Trained, note: str) -> None:
        """Writes a note on a kept tokenizer; this can be undone."""
        before = trained.note

        def write(it: str) -> None:
            self._guarded(lambda: self.store.note(trained.identity, it))

        if note.strip() != before:
            self._edits.change(
                f"Note on {trained.name}", lambda: write(note), lambda: write(before)
            )

    def _guarded(self, do: Callable[[], object]) -> bool:
        """Changes the store, or shows an error; returns whether it succeeded."""
        try:
            do()
        except TokenariumError as error:
            self.problem.emit(str(error))
            return False
        finally:
            self.store_changed.emit()
        return True

    # One run.

    def _begin_next(self) -> None:
        if self.worker is not None:
            return
        run = next((run for run in self.runs if run.state is RunState.WAITING), None)
        if run is None:
            return
        # Imported here with the code that divides a corpus, which the start of the window does not need.
        from tokenarium.work.counted_training import train_anywhere

        worker = self.worker = Worker(train_anywhere, run.request, parent=self)
        worker.progressed.connect(lambda progress: self._take_progress(run, progress))
        worker.finished.connect(lambda result: self._take_result(run, result))
        worker.failed.connect(lambda reason: self._take_failure(run, reason))
        worker.cancelled.connect(lambda: self._end(run, RunState.CANCELLED, CANCELLED))
        run.state = RunState.TRAINING
        self._sent = run.request.watch
        worker.start()
        self.changed.emit()

    def _take_progress(self, run: QueuedTraining, progress: TrainingProgress) -> None:
        run.progress = progress
        run.files += progress.files
        self.progressed.emit(run)

    def _take_failure(self, run: QueuedTraining, reason: str) -> None:
        if run is self._dropped:
            self._end(run, RunState.CANCELLED, CANCELLED)
        else:
            self._end(run, RunState.FAILED, reason)

    def _take_result(self, run: QueuedTraining, result: TrainingResult) -> None:
        trained = result.trained
        if run is self._dropped:  # it had already finished when it was asked to stop
            self._guarded(lambda: self.store.delete(trained.identity))
            self._end(run, RunState.CANCELLED, CANCELLED)
            return
        state = RunState.FINISHED if result.complete else RunState.STOPPED

        def end() -> None:
            run.result = result
            self._end(run, state, result.report)

        # The result keeps the marker that it had while it was trained.
        self._edits.library.identities.setdefault(trained.identity[:16], run.identity)
        self._frames.add(
            lambda: self._edits.add_trained(trained, result.path),
            self.store_changed.emit,
            end,
        )

    def _end(self, run: QueuedTraining, state: RunState, problem: str) -> None:
        run.state, run.problem = state, problem
        if self.worker is not None:
            self.worker.deleteLater()
            self.worker = None
        self.changed.emit()
        self._begin_next()


def _asked(kept: KeptRun) -> bytes:
    """Returns the request of a training as a comparable value."""
    return msgspec.json.encode(replace(kept, identity="", complete=False, report=""))
