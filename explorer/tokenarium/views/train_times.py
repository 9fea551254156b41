"""The page Time of the workspace Train: how long the kept trainings took by the size of their vocabularies."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.programs import program
from tokenarium.models.training.training_times import machines, time_chart, timed, times_sentence
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import CardFrame, named, secondary
from tokenarium_core import TokenariumError

NOTHING = (
    "No training was timed yet",
    "Train a few sizes on one corpus: each run is a point here, with the time that it took.",
)


IMPORTS = """
from tokenarium.models.files import store_folder
from tokenarium.models.programs import rows_of
from tokenarium.models.training.store import Store
from tokenarium.models.training.training_times import time_chart, timed
"""

PROGRAM = """
trainings = timed(Store(store_folder()).all())
rows = rows_of(time_chart(trainings).table())
"""


class TimesPage(Page):
    """A chart, and a sentence with the machine."""

    id = "times"
    title = "Training time"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.plot = Plot(self.title, self.appearance.theme)
        self.plot.problem.connect(self.session.problem)
        self.plot.saved.connect(self.session.saved)
        self.sentence = named(secondary(QLabel(wordWrap=True)), "Where it was measured")
        whole, card = QWidget(), CardFrame()
        in_column((self.plot, 1), self.sentence, into=card, spacing=GRID, margins=CARD_MARGIN)
        margins = (PAGE_MARGIN, GRID // 2, PAGE_MARGIN, PAGE_MARGIN)
        in_column((card, 1), into=whole, margins=margins)
        self._pages = self.fill(whole)
        self.session.trainings.store_changed.connect(self._show_if_seen)
        self.appearance.changed.connect(lambda: self.plot.set_theme(self.appearance.theme))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_times()

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self.show_times()

    def show_times(self) -> None:
        """Draws the times of all trainings that are kept."""
        try:
            trainings = timed(self.session.trainings.store.all())
        except TokenariumError as error:
            self.empty.say("The trained tokenizers cannot be shown", str(error))
            self._pages.setCurrentIndex(1)
            return
        self._pages.setCurrentIndex(0 if trainings else 1)
        if not trainings:
            self.empty.say(*NOTHING, self.help_with(("train_training", "Train one …")))
            return
        self.plot.show_chart(time_chart(trainings))
        where = f"Measured on {' and '.join(machines(trainings))}"
        self.plot.set_source(FigureSource(where, code=self.python))
        self.sentence.setText(times_sentence(trainings))

    def python(self) -> str:
        return program(self.title, IMPORTS, PROGRAM) if self._pages.currentIndex() == 0 else ""

    def focus_first(self) -> None:
        self.plot.canvas.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.plot.canvas
