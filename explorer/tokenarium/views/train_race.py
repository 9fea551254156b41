"""The page "Race": three ways to train BPE, with the same merges, and what each costs as the corpus grows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.strategy_race import RaceRequest
from tokenarium.models.training.training_draft import parsed_size
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import GRID
from tokenarium.views.train_page import TrainPage
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.charts.plot_pair import PlotPair
from tokenarium.widgets.fit_area import FitArea
from tokenarium.widgets.panel import MARGIN, literal, secondary
from tokenarium.widgets.shortcut_first import ShortcutFirst
from tokenarium.widgets.training.option_field import Problem
from tokenarium_core.errors import TokenariumError

LEAST = 257
ABOUT = (
    "Each merge joins the pair that stands most often. To find it, one can count all pairs of the text again; or those"
    " of its different words, with how often each stands; or only what the last merge changed. All three make the same"
    " merges."
)
WAITING = "Start the race: each way runs on 4 KB, then on twice as much, and so on."


class RacePage(TrainPage):
    """What is raced on, and two charts of what it costs."""

    id = "race"

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None,
    ) -> None:
        super().__init__(session, appearance, actions)
        theme = appearance.theme
        self.racing = session.trainings.racing
        self.about = secondary(QLabel(ABOUT))
        self.about.setWordWrap(True)
        self.corpus = QComboBox()
        self.corpus.addItems(["Python's standard library", "This text"])
        self.corpus.setAccessibleName("Corpus of the race")
        self.corpus.setToolTip("What is trained on")
        self.vocab_size = QLineEdit("500")
        self.vocab_size.setAccessibleName("Vocabulary size of the race")
        self.vocab_size.setToolTip("How many entries each way makes")
        self.vocab_size.setMaximumWidth(8 * GRID)
        self.vocab_size.setAlignment(Qt.AlignmentFlag.AlignRight)
        ShortcutFirst(self.vocab_size)
        self.start = QPushButton("Race")
        self.start.setToolTip("Runs all three ways on more and more text")
        self.stop = QPushButton("Stop")
        self.stop.setToolTip("Ends the race; what was run stays")
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(GRID)
        self.bar.setAccessibleName("The race is run")
        self.problem = Problem(theme)
        self.sentence = literal(QLabel())
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.work = Plot("Work", theme)
        self.time = Plot("Time", theme)
        for plot in (self.work, self.time):
            plot.problem.connect(session.problem)
            plot.saved.connect(session.saved)
        self._lay_out()
        self.start.clicked.connect(self.begin)
        self.vocab_size.returnPressed.connect(self.begin)
        self.stop.clicked.connect(self.racing.stop)
        self.racing.changed.connect(self.show_race)
        appearance.changed.connect(self._show_theme)
        self.show_race()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(self.corpus, 1)
        label = QLabel("Entries")
        label.setBuddy(self.vocab_size)
        for widget in (label, self.vocab_size, self.start, self.stop):
            head.addWidget(widget)
        shown = QWidget()
        rows = QVBoxLayout(shown)
        rows.setContentsMargins(MARGIN, GRID, MARGIN, GRID)
        rows.setSpacing(GRID)
        rows.addWidget(self.about)
        rows.addLayout(head)
        rows.addWidget(self.problem)
        rows.addWidget(self.bar)
        rows.addWidget(self.sentence)
        rows.addWidget(PlotPair(self.work, self.time), 1)
        area = FitArea(shown, fills=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)

    def begin(self) -> None:
        """Starts the race, or says what is wrong with a field."""
        try:
            size = parsed_size(self.vocab_size.text())
        except TokenariumError as error:
            self.problem.say(str(error))
            return
        if size < LEAST:
            self.problem.say(f"Ask for {LEAST} entries at least: 256 are the bytes.")
            return
        library = self.corpus.currentIndex() == 0
        source = CorpusSource("library") if library else CorpusSource("text", self.session.text)
        self.racing.start(RaceRequest([source], size))

    def show_race(self) -> None:
        """Draws the laps so far."""
        racing = self.racing
        self.problem.say(racing.problem)
        self.bar.setVisible(racing.running)
        self.start.setVisible(not racing.running)
        self.stop.setVisible(racing.running)
        self.sentence.setText(racing.race.sentence())
        self.sentence.setVisible(bool(self.sentence.text()))
        self.work.show_chart(racing.race.chart(seconds=False), WAITING)
        self.time.show_chart(racing.race.chart(seconds=True), WAITING)

    def focus_first(self) -> None:
        self.start.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.time.canvas

    def _show_theme(self) -> None:
        for part in (self.work, self.time, self.problem):
            part.set_theme(self.appearance.theme)
