"""The page on which tokenizers are trained: at the left what to train, at the right how it goes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.memory_estimate import MemoryEstimate
from tokenarium.models.training.store import Trained
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS, algorithm_title
from tokenarium.models.training.training_queue import QueuedTraining
from tokenarium.resources.training_presets import load_presets
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import Page, Workspace, column
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import Rule
from tokenarium.widgets.training.train_form import TrainingForm
from tokenarium.widgets.training.training_view import RunList, TrainingView
from tokenarium_core.training import FORMER_NAMES

ESTIMATING = "Reading a sample, to estimate the memory and the shares …"

FORM, VIEW = 45, 55
"""Shares of the width, in hundredths."""

WIDEST_FORM = 64 * GRID
"""The most pixels of the form: in a wider one the fields are too far from their labels."""


class TrainingPage(Page):
    """The form and the live view; several trainings are done one after the other."""

    id = "training"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        session, appearance = self.session, self.appearance
        theme = appearance.theme
        self.trainings = session.trainings
        self.form = TrainingForm(TRAINING_ALGORITHMS, load_presets(), theme)
        self.form.setMinimumWidth(23 * GRID)
        self.form.setMaximumWidth(WIDEST_FORM)
        self.form.sources.set_sources([CorpusSource("library")])
        self.runs = RunList()
        self.view = TrainingView(theme)
        self.view.setMinimumWidth(22 * GRID)
        self.empty = EmptyState()
        self.empty.say(
            "Nothing has been trained yet",
            "Choose texts and an algorithm at the left. Here you see the vocabulary grow; the result is in"
            " the library at once, with the others.",
        )
        self._body = QStackedWidget()
        self._body.addWidget(self.empty)
        self._body.addWidget(self.view)
        self._rule = Rule()
        self._queue = QWidget(autoFillBackground=True)
        self._queue.setBackgroundRole(QPalette.ColorRole.Base)
        in_column(self.runs, into=self._queue, spacing=-1, margins=(GRID, GRID // 2, GRID, 0))
        right = column(self._queue, self._rule, self._body, grows=self._body)
        right.setMinimumWidth(22 * GRID)
        self.split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=1)
        self.split.addWidget(self.form)
        self.split.addWidget(right)
        self.split.setStretchFactor(0, FORM)
        self.split.setStretchFactor(1, VIEW)
        self.split.setSizes([FORM * GRID, VIEW * GRID])
        column(self.split, into=self)
        self._connect()
        self._show_runs()

    def _connect(self) -> None:
        self.form.train_requested.connect(self.train)
        self.form.text_requested.connect(self._add_text)
        self.form.checked.connect(self._estimate)
        self.trainings.estimating.estimated.connect(self._show_estimate)
        self.trainings.changed.connect(self._show_runs)
        self.trainings.progressed.connect(self._take_news)
        self.trainings.settings_chosen.connect(self._fill)
        self.runs.chosen.connect(self._show_run)
        self.runs.delete_pressed.connect(self._delete)
        self.view.stop_requested.connect(lambda: self._with_run(self.trainings.stop))
        self.view.cancel_requested.connect(lambda: self._with_run(self.trainings.cancel))
        self.view.export_requested.connect(self._export)
        self.view.sizes_requested.connect(self._show_sizes)
        self.view.problem.connect(self.session.problem)
        self.view.saved.connect(self.session.saved)
        self.appearance.changed.connect(self._show_theme)

    def train(self) -> None:
        """Queues a training with the settings of the form; does nothing while a field has a problem."""
        self.form.check()
        if not self.form.problems:
            self.trainings.add(self.form.draft.request(self.trainings.folder))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_runs()  # what happened while the page was hidden
        self._estimate()

    def _estimate(self) -> None:
        """Estimates the memory that the training needs, for algorithms that allow it."""
        estimating, form = self.trainings.estimating, self.form
        if not self.isVisible():
            return
        if form.problems:
            estimating.stop()
            self._show_estimate(None)
        else:
            estimating.ask(form.draft.request(self.trainings.folder))

    def _show_estimate(self, estimate: MemoryEstimate | None) -> None:
        if estimate is None:
            asked = self.trainings.estimating.busy or not self.form.problems
            self.form.say_estimate(ESTIMATING if asked else "")
            self.form.sources.show_shares(())
        else:
            self.form.say_estimate(estimate.sentence, estimate.warns)
            self.form.sources.show_shares(estimate.shares)

    def _add_text(self) -> None:
        self.form.sources.add_source(CorpusSource("text", self.session.text))

    def _fill(self, trained: Trained) -> None:
        """Writes the settings of a kept tokenizer into the form, and chooses its corpus."""
        if trained.algorithm in TRAINING_ALGORITHMS:
            names = {option.name for option in TRAINING_ALGORITHMS[trained.algorithm].options}
            given = {
                FORMER_NAMES.get(name, name): value for name, value in trained.settings.items()
            }
            options = {name: value for name, value in given.items() if name in names}
            size = int(trained.settings.get("vocab_size", trained.pieces))
            self.form.fill(trained.algorithm, size, options)

    def _with_run(self, do: Callable[[QueuedTraining], None]) -> None:
        if self.view.run is not None:
            do(self.view.run)

    def _delete(self, run: QueuedTraining) -> None:
        if run.state.going:
            return
        self.trainings.cancel(run)
        self.trainings.forget(run)

    def _export(self) -> None:
        run = self.view.run
        if run is not None and run.result is not None:
            trained = run.result.trained
            item = self.session.edits.add_trained(trained, run.result.path)
            self.session.set_current(item.key)
            self.trigger("save_tokenizer")

    def _show_sizes(self) -> None:
        run = self.view.run
        if run is not None and run.result is not None:
            self.page_requested.emit("sizes")
            self.trainings.sizes_asked.emit(run.result.trained.identity)

    def _show_runs(self) -> None:
        runs = self.trainings.runs
        self.runs.show_runs(runs)
        several = len(runs) > 1
        self._queue.setVisible(several)
        self._rule.setVisible(several)
        self._body.setCurrentWidget(self.view if runs else self.empty)
        if self.view.run is not None and self.isVisible():
            self._show_run(self.view.run)
            self.view.show_news()

    def _show_run(self, run: QueuedTraining | None) -> None:
        if run is not None:
            request = run.request
            title = algorithm_title(request.algorithm)
            sources = ", ".join(source.title for source in request.sources)
            entries = f"{request.vocab_size:,}"
            if run.result is not None and run.result.trained.pieces != request.vocab_size:
                entries = f"{run.result.trained.pieces:,} of {entries}"
            self.view.show_run(run, f"{title} · {entries} entries · {sources}")

    def _take_news(self, run: QueuedTraining) -> None:
        if not self.isVisible():
            return
        self.runs.show_progress(run)
        if run is self.view.run:
            self.view.show_news()

    def focus_first(self) -> None:
        self.form.preset.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.view.scripts.canvas

    def _show_theme(self) -> None:
        self.form.set_theme(self.appearance.theme)
        self.view.set_theme(self.appearance.theme)
