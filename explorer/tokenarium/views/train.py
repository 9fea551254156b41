"""The workspace Train: pages to train tokenizers, to choose a size, to race, and to list all trained ones.

This module has the last two.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.programs import program
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.encoding_race import LONGEST, EncodingRace
from tokenarium.models.training.store import Trained
from tokenarium.models.training.strategy_race import RaceRequest, race_text
from tokenarium.models.typed_numbers import parsed_size
from tokenarium.style.controls import primary
from tokenarium.style.theme import CARD_GAP, GRID, PAGE_MARGIN, Theme
from tokenarium.views import train_parts
from tokenarium.views.decks import Deck
from tokenarium.views.kept import Kept, kept_control, kept_value
from tokenarium.views.page_program import page_program
from tokenarium.views.train_parts import PartsRunner, parts_program
from tokenarium.views.train_sizes import TrainSizesPage
from tokenarium.views.train_times import TimesPage
from tokenarium.views.train_training import TrainingPage
from tokenarium.views.workspace import TRAIN, Page, PagedWorkspace, Workspace, column
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.charts.chart_canvas import NOTHING
from tokenarium.widgets.charts.plot import Plot, PlotPair
from tokenarium.widgets.field_row import FieldBelow, field_row
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import literal, named, secondary
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.training.option_field import Problem
from tokenarium.widgets.training.trained_list import TrainedList
from tokenarium.widgets.work_bar import WorkBar
from tokenarium_core import TokenariumError
from tokenarium_core.progress import Progress

LEAST = 257
WIDEST_TEXT = 120 * GRID
"""Pixels of sentences: longer lines are hard to follow to the next one."""

ABOUT = (
    "Each merge joins the pair that occurs most often. To find it, a trainer can count all pairs of the text again, count"
    " those of its distinct words with their frequencies, or update only what the last merge changed. All three learn the same"
    " merges."
)
WAITING = "Start the race: each method runs on 4 KB, then on twice as much, and so on."
ABOUT_ENCODING = (
    "To encode a word, BPE repeatedly makes the first of its possible merges. To find it, an encoder can look up all pairs each"
    " time, or keep the waiting merges in a queue, to which each merge adds two. Both give the same ids."
)
WAITING_TO_ENCODE = (
    "Start the race: both methods merge 10 characters as one word, then more, up to 10,000."
)
TRAINING, ENCODING, APART = range(3)
TIME, MERGES = range(2)
JOB = "encoding race"


RACE_IMPORTS = """
from dataclasses import asdict
from tokenarium.models.programs import NoReport
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.strategy_race import Lap, RaceRequest, race
"""

RACE_PROGRAM = """
class Laps(NoReport):
    def __call__(self, progress: Lap) -> None:
        rows.append(asdict(progress))


rows = []  # as the laps are run
race(Laps(), RaceRequest(SOURCES, ENTRIES))
"""

ENCODING_IMPORTS = """
from dataclasses import asdict
from tokenarium.models.programs import run
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.encoding_race import LONGEST, EncodingRace
from tokenarium.models.training.strategy_race import race_text
"""

ENCODING_PROGRAM = """
race = run(EncodingRace(TOKENIZER, race_text(SOURCES, LONGEST)))
rows = [asdict(lap) for lap in race.laps]
"""

KEPT_IMPORTS = """
from dataclasses import asdict
from tokenarium_core.formats.registered import store_folder
from tokenarium.models.training.store import Store
"""

KEPT_PROGRAM = """
rows = [asdict(trained) for trained in Store(store_folder()).find(WORDS)]
"""


class RacePage(Page):
    """Races of training and of encoding methods, and of the parts of trainings: the settings, and two charts of the cost."""

    id = "race"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        session = self.session
        self.racing = session.trainings.racing
        self._laps_shown = 0
        self.encoding: EncodingRace | None = None
        self.apart = PartsRunner(session, self._show_apart, self._failed)
        self.mode = named(Segmented(("Training", "Encoding", "Parts")), "What is raced")
        self.mode.setTabToolTip(
            APART, "Splitting, counting, picking and replacing, each timed apart"
        )
        self.right = named(Segmented(("Time", "Each merge")), "The second chart")
        self.right.setTabToolTip(
            MERGES, "What both methods look at for each merge of the first characters"
        )
        self.about = secondary(QLabel(ABOUT, wordWrap=True))
        self.corpus = named(QComboBox(), "Corpus of the race", "What is trained on")
        self.corpus.addItems(["Python's standard library", "This text"])
        self.corpus.setMinimumContentsLength(24)
        self.vocab_size = named(QLineEdit("500"), "Vocabulary size of the race")
        self.vocab_size.setToolTip("How many entries each method makes")
        self.vocab_size.setMaximumWidth(14 * GRID)
        self.vocab_size.setAlignment(Qt.AlignmentFlag.AlignRight)
        ShortcutFirst(self.vocab_size)
        self.start = primary(QPushButton("Race"))
        self.start.setToolTip("Runs all three methods on more and more text")
        self.stop_button = QPushButton("Stop")
        self.stop_button.setToolTip("Ends the race and keeps its results")
        self.bar = WorkBar("The race is running", wide=True)
        self.problem = Problem()
        self.sentence = literal(QLabel(wordWrap=True))
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.work = Plot("Work")
        self.time = Plot("Time")
        self.report_plots(self.work, self.time)
        for plot in (self.work, self.time):
            plot.set_source(FigureSource(code=self.python))
        self._lay_out()
        self.mode.chosen.connect(self.choose)
        self.right.chosen.connect(lambda _: self.show_race())
        for signal in (session.current_changed, session.tokenizers_changed):
            signal.connect(self._forget_encoding)
        self.start.clicked.connect(self.begin)
        self.vocab_size.returnPressed.connect(self.begin)
        self.stop_button.clicked.connect(self._stop)
        session.jobs.changed.connect(self._notice_a_stop)
        self.racing.changed.connect(self.show_race)
        self.choose(TRAINING)

    def _lay_out(self) -> None:
        self.charts = PlotPair(self.work, self.time, cards=True)
        buttons, shown = QWidget(), QWidget()
        in_row(self.start, self.stop_button, into=buttons)
        self._entries = FieldBelow(self.vocab_size, "Entries", "vocabulary")
        self._second = FieldBelow(self.right, "Second chart")
        fields = field_row(
            FieldBelow(self.mode, "Task"),
            FieldBelow(self.corpus, "Corpus", "corpus"),
            self._entries,
            self._second,
            FieldBelow(buttons),
        )
        for text in (self.about, self.sentence):
            text.setMaximumWidth(WIDEST_TEXT)
        in_column(
            fields,
            self.problem,
            self.bar,
            in_column(self.about, self.sentence, spacing=GRID),
            (self.charts, 1),
            into=shown,
            spacing=CARD_GAP,
            margins=(PAGE_MARGIN, 0, PAGE_MARGIN, PAGE_MARGIN),
        )
        area = FitArea(shown, fills=True, clear=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column(area, into=self)

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_value("race", int, self.mode.currentIndex, self._choose_again),
            kept_control("corpus", self.corpus),
            kept_control("vocab_size", self.vocab_size),
            kept_value("right", int, self.right.currentIndex, self._choose_right),
        )

    def _choose_again(self, race: int) -> None:
        if race not in (TRAINING, ENCODING, APART):
            raise ValueError
        self.choose(race)

    def _choose_right(self, place: int) -> None:
        if place not in (TIME, MERGES):
            raise ValueError
        self.right.choose(place)
        self.show_race()

    @property
    def encodes(self) -> bool:
        """Whether the race of encoding is shown."""
        return self.mode.currentIndex() == ENCODING

    @property
    def _job(self) -> str:
        """The job of the race that is shown; empty for that of training, which runs in a process."""
        return ("", JOB, train_parts.JOB)[self.mode.currentIndex()]

    def choose(self, race: int) -> None:
        """Shows the race of training, that of encoding, or that of the parts of training."""
        self.mode.choose(race)
        self._entries.setVisible(not self.encodes)
        self._second.setVisible(self.encodes)
        self.about.setText((ABOUT, ABOUT_ENCODING, train_parts.ABOUT)[race])
        self.start.setToolTip(
            "Runs both methods on more and more text"
            if self.encodes
            else "Runs all three methods on more and more text"
        )
        self.show_race()

    def begin(self) -> None:
        """Starts the race, or says what is wrong with a field."""
        library = self.corpus.currentIndex() == 0
        source = CorpusSource("library") if library else CorpusSource("text", self.session.text)
        if self.encodes:
            self._begin_encoding(source)
            return
        try:
            size = parsed_size(self.vocab_size.text())
        except TokenariumError as error:
            self.problem.say(str(error))
            return
        if size < LEAST:
            self.problem.say(f"Choose at least {LEAST} entries: 256 are the bytes.")
            return
        if self.mode.currentIndex() == APART:
            try:
                self.apart.begin(source, size)
            except TokenariumError as error:
                self.problem.say(str(error))
            else:
                self.show_race()
            return
        self.racing.start(RaceRequest([source], size))

    def _begin_encoding(self, source: CorpusSource) -> None:
        item = self.session.current
        if item is None or item.tokenizer is None:
            self.problem.say("No tokenizer is on. Turn one on in the library.")
            return
        try:
            self.encoding = EncodingRace(item.tokenizer, race_text([source], LONGEST))
        except TokenariumError as error:
            self.problem.say(str(error))
            return
        self.session.jobs.start(
            JOB, f"Race of {item.name}", self.encoding, self._progressed, self._failed
        )
        self.show_race()

    def _show_apart(self, finished: bool) -> None:
        if self.mode.currentIndex() == APART:
            self.show_race(finished)

    def _progressed(self, progress: Progress) -> None:
        race = self.encoding
        if race is not None and (progress.finished or len(race.laps) != self._laps_shown):
            self._laps_shown = len(race.laps)
            self.show_race(progress.finished)

    def _failed(self, error: TokenariumError) -> None:
        self.show_race()
        self.problem.say(str(error))

    def _stop(self) -> None:
        if self._job:
            self.session.jobs.cancel(self._job)
            self.show_race()
        else:
            self.racing.stop()

    def _notice_a_stop(self) -> None:
        if self._job and self.bar.isVisible() and not self.session.jobs.runs(self._job):
            self.show_race()

    def _forget_encoding(self) -> None:
        """Removes the race of another tokenizer."""
        item = self.session.current
        if self.encoding is not None and (
            item is None or item.tokenizer is not self.encoding.tokenizer
        ):
            self.session.jobs.cancel(JOB)
            self.encoding = None
            self.show_race()

    def show_race(self, finished: bool = False) -> None:
        """Draws the laps so far."""
        job = self._job
        running = self.session.jobs.runs(job) and not finished if job else self.racing.running
        self.problem.say("" if job else self.racing.problem)
        self.bar.setVisible(running)
        self.start.setVisible(not running)
        self.stop_button.setVisible(running)
        race = self.encoding
        if self.encodes:
            sentence = race.sentence() if race is not None else ""
            work, other = (
                (race.chart(False), race.chart(True)) if race is not None else (NOTHING, NOTHING)
            )
            if race is not None and self.right.currentIndex() == MERGES:
                other = race.merge_chart()
            waiting = WAITING_TO_ENCODE
        elif job:
            sentence = self.apart.sentence()
            work, other = self.apart.charts()
            waiting = train_parts.WAITING
        else:
            sentence = self.racing.race.sentence()
            work, other = (self.racing.race.chart(seconds) for seconds in (False, True))
            waiting = WAITING
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        by_merge = self.encodes and self.right.currentIndex() == MERGES
        titles = "Work", "Each merge" if by_merge else "Time"
        if job and not self.encodes:
            titles = train_parts.SHOWN_TITLES
        for plot, title in zip((self.work, self.time), titles, strict=True):
            plot.set_title(title)
        self.work.show_chart(work, waiting)
        self.time.show_chart(other, waiting)
        self.charts.show_other(not other.empty)  # otherwise the message would appear twice

    def python(self) -> str:
        library = self.corpus.currentIndex() == 0
        sources = [CorpusSource("library") if library else CorpusSource("text", self.session.text)]
        if not library and not self.session.has_text:
            return ""
        item = self.session.current
        if self.encodes:
            if item is None:
                return ""
            return page_program(
                self.session,
                "Race of encoding",
                ENCODING_IMPORTS,
                ENCODING_PROGRAM,
                front=item,
                sources=sources,
            )
        try:
            entries = parsed_size(self.vocab_size.text())
        except TokenariumError:
            return ""
        if self._job:
            return parts_program(sources, entries)
        return program(
            "Race of training",
            RACE_IMPORTS,
            RACE_PROGRAM,
            values={"SOURCES": sources, "ENTRIES": entries},
        )

    def focus_first(self) -> None:
        self.start.setFocus()


class KeptPage(Page):
    """The list of all kept tokenizers."""

    id = "kept"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.trainings = self.session.trainings
        self.list = TrainedList()
        self._pages = self.fill(self.list)
        self.list.searched.connect(lambda _: self.show_store())
        self.list.renamed.connect(self.trainings.rename)
        self.list.noted.connect(self.trainings.note)
        self.list.delete_requested.connect(self.trainings.delete)
        self.list.open_requested.connect(self.trainings.open)
        self.list.export_requested.connect(self._export)
        self.list.again_requested.connect(self._fill_form)
        self.trainings.store_changed.connect(self._show_if_seen)

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_control("search", self.list.search),
            kept_value("row", str, self._chosen, self.list.choose),
        )

    def _chosen(self) -> str | None:
        return self.list.current.identity if self.list.current is not None else None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_store()

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self.show_store()

    def show_store(self) -> None:
        """Shows the kept tokenizers that match the search."""
        words = self.list.search.text()
        try:
            found = self.trainings.store.find(words)
        except TokenariumError as error:
            self.empty.say("The trained tokenizers cannot be shown", str(error))
            self._pages.setCurrentWidget(self.empty)
            return
        self.list.show_trained(found)
        if found or words:
            self._pages.setCurrentWidget(self.list)
            return
        self.empty.say(
            "No tokenizer has been trained yet",
            "Each one that you train is kept here, with its settings and what it was trained on.",
            self.help_with(("train_training", "Train one …")),
        )
        self._pages.setCurrentWidget(self.empty)

    def _export(self, trained: Trained) -> None:
        self.trainings.open(trained)
        self.session.set_current(f"trained:{trained.identity}")
        self.trigger("save_tokenizer")

    def _fill_form(self, trained: Trained) -> None:
        self.page_requested.emit("training")
        self.trainings.settings_chosen.emit(trained)

    def python(self) -> str:
        if self._pages.currentWidget() is not self.list:
            return ""
        words = self.list.search.text()
        return program("Trained tokenizers", KEPT_IMPORTS, KEPT_PROGRAM, values={"WORDS": words})

    def focus_first(self) -> None:
        self.list.search.setFocus()


class TrainView(PagedWorkspace):
    """The page Training comes first; the others look at the results."""

    name = TRAIN
    kinds = (TrainingPage, TrainSizesPage, RacePage, TimesPage, KeptPage)
    switches = (
        ("train_training", "Training"),
        ("train_sizes", "Vocabulary size"),
        ("train_race", "Race"),
        ("train_times", "Time"),
        ("train_kept", "Trained"),
    )

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.figure_decks import TrainDeck

        page = self.page
        if isinstance(page, TrainingPage) and page.chart.chart.drawing.curves:
            return TrainDeck(page, theme)
        return super().deck(theme)
