"""The page Time of the workspace Train: how long a training takes by the size of its vocabulary."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.programs import program
from tokenarium.models.progress_reporter import stage
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.training_times import (
    USUAL_SIZES,
    TimedTraining,
    TimesRequest,
    machines,
    parsed_sizes,
    time_chart,
    timed,
    times_sentence,
)
from tokenarium.style.controls import primary
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_control
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.field_row import FieldBelow, field_row
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import CardFrame, heading, named, secondary
from tokenarium.widgets.training.option_field import Problem
from tokenarium.widgets.work_bar import WorkBar
from tokenarium_core import TokenariumError
from tokenarium_core.training import ALGORITHMS

NOTHING = "Measure or train a few sizes: each is a point here, with the time that it took."
STEPS = 1000


IMPORTS = """
from tokenarium_core.formats.registered import store_folder
from tokenarium.models.programs import rows_of
from tokenarium.models.training.store import Store
from tokenarium.models.training.training_times import time_chart, timed
"""

PROGRAM = """
trainings = timed(Store(store_folder()).all())
rows = rows_of(time_chart(trainings).table())
"""


class TimesPage(Page):
    """The settings, a chart of the measurements and of kept trainings, and a sentence with the machine."""

    id = "times"
    title = "Training time"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.timing = self.session.trainings.timing
        self._kept: list[TimedTraining] = []
        self.corpus = named(QComboBox(), "Corpus that is timed", "What each size is trained on")
        self.corpus.addItems(["Python's standard library", "This text"])
        self.corpus.setMinimumContentsLength(24)
        self.algorithm = named(
            QComboBox(), "Algorithm that is timed", "How the entries are learned"
        )
        for key, algorithm in ALGORITHMS.items():
            if not algorithm.by_language:  # there is only one text
                self.algorithm.addItem(algorithm.title, key)
        self.algorithm.setMinimumContentsLength(16)
        self.sizes = named(
            QLineEdit(USUAL_SIZES),
            "Sizes that are timed",
            "Vocabulary sizes, separated by spaces; each is trained from scratch",
        )
        self.sizes.setMinimumWidth(24 * GRID)
        ShortcutFirst(self.sizes)
        self.start = primary(QPushButton("Measure"))
        self.start.setToolTip(
            "Trains each size in turn, in a process of its own, and draws the times"
        )
        self.stop_button = QPushButton("Cancel")
        self.stop_button.setToolTip("Ends the measurement and keeps its results")
        self.bar = WorkBar("Training the sizes", wide=True)
        self.problem = Problem()
        self.plot = Plot(self.title)
        self.report_plots(self.plot)
        self.sentence = named(secondary(QLabel(wordWrap=True)), "The machine it was measured on")
        self._lay_out()
        self.start.clicked.connect(self.measure)
        self.sizes.returnPressed.connect(self.measure)
        self.stop_button.clicked.connect(self.timing.stop)
        self.timing.changed.connect(self._show_if_seen)
        self.session.trainings.store_changed.connect(self._show_if_seen)

    def _lay_out(self) -> None:
        buttons = QWidget()
        in_row(self.start, self.stop_button, into=buttons)
        fields = field_row(
            FieldBelow(self.corpus, "Corpus", "corpus"),
            FieldBelow(self.algorithm, "Algorithm"),
            FieldBelow(self.sizes, "Sizes", "vocabulary"),
            FieldBelow(buttons),
        )
        self.plot.heading.setFont(heading("").font())
        card = CardFrame()
        in_column((self.plot, 1), self.sentence, into=card, spacing=GRID, margins=CARD_MARGIN)
        margins = (PAGE_MARGIN, 0, PAGE_MARGIN, PAGE_MARGIN)
        in_column(
            fields, self.problem, self.bar, (card, 1), into=self, spacing=CARD_GAP, margins=margins
        )

    def keeps(self) -> Iterable[Kept]:
        return [
            kept_control(name, getattr(self, name)) for name in ("corpus", "algorithm", "sizes")
        ]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_times()

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self.show_times()

    def measure(self) -> None:
        """Trains the sizes in turn, or says what is wrong with them."""
        try:
            sizes = parsed_sizes(self.sizes.text())
        except TokenariumError as error:
            self.problem.say(str(error))
            return
        library = self.corpus.currentIndex() == 0
        source = CorpusSource("library") if library else CorpusSource("text", self.session.text)
        self.timing.start(TimesRequest([source], str(self.algorithm.currentData()), sizes))

    def show_times(self) -> None:
        """Draws the times that were measured here, and those of all kept trainings."""
        self._show_running()
        said = self.timing.problem
        try:
            self._kept = timed(self.session.trainings.store.all())
        except TokenariumError as error:
            self._kept, said = [], said or f"The trained tokenizers cannot be shown. {error}"
        self.problem.say(said)
        every = [*self._kept, *self.timing.timed]
        trainings = sorted(every, key=lambda one: (one.entries, one.seconds))
        self.plot.show_chart(time_chart(trainings), NOTHING)
        where = f"Measured on {' and '.join(machines(trainings))}"
        self.plot.set_source(FigureSource(where, code=self.python))
        self.sentence.setText(times_sentence(trainings))
        self.sentence.setVisible(bool(trainings))

    def _show_running(self) -> None:
        running, progress = self.timing.running, self.timing.progress
        self.start.setVisible(not running)
        self.stop_button.setVisible(running)
        self.bar.setVisible(running)
        done = 0.0
        if progress is not None:
            done = (progress.number + progress.fraction) / progress.count
            self.bar.setToolTip(
                f"{progress.size:,} entries, {progress.number + 1} of {progress.count}"
            )
        self.bar.show_progress(stage("Training", done))

    def python(self) -> str:
        return program(self.title, IMPORTS, PROGRAM) if self._kept else ""

    def focus_first(self) -> None:
        self.sizes.setFocus()
