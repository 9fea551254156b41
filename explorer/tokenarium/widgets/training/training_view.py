"""One training as it goes: its phase, its last pieces, its curves, and what it read."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.merges.sentence import Sentence, SentenceToken
from tokenarium.models.text.piece import readable
from tokenarium.models.training.training_queue import QueuedTraining, RunState
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.charts.plot_pair import PlotPair
from tokenarium.widgets.fit_area import FitArea
from tokenarium.widgets.flow_layout import FlowLayout
from tokenarium.widgets.panel import MARGIN, ElidedLabel, secondary, strong
from tokenarium.widgets.training.file_news_list import FileNewsList
from tokenarium.widgets.vocabulary.sentence_label import SentenceLabel
from tokenarium.work.turns import FRAME_MS, Turns
from tokenarium_core.explaining.vocabulary_entries import words_in

LIVE_MS = 120
"""From one drawing of a chart to that of the other, while they grow."""

PIECE, PIECES = 14, 8
"""Of the last pieces, the characters that are shown, and how many pieces."""

LEADING = 4
"""What two lines with coloured pieces take more than two of plain text."""

STOP = "Ends the training, and makes a tokenizer of what it has learned"
CANNOT_STOP = "{} gives nothing before the end: this training can only be cancelled"
UNDERLINED = "Superwords hold several words, and are underlined."
NOTHING_YET = "Learned last: nothing yet"

NO_MERGES = "This algorithm has no merges: what it makes is measured at the end."
NOT_YET = "It is drawn from the first merges on."
NOT_TOLD = "{} does not tell what it learns: what it makes is measured at the end."
NOT_MADE = "No tokenizer was made."
"""What is said in the place of charts."""


class TrainingView(QWidget):
    """Shows a run, and asks for it to be stopped, cancelled, or taken up."""

    stop_requested = Signal()
    cancel_requested = Signal()
    export_requested = Signal()
    sizes_requested = Signal()
    problem = Signal(str)
    saved = Signal(object)  # the path of a chart that was written to a file

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.run: QueuedTraining | None = None
        self._shown: QueuedTraining | None = None  # of which the curves are
        self._stale: list[Plot] = []  # that are drawn when it is their turn
        self._turns = Turns(self)
        self._draw_soon = QTimer(self)
        self._draw_soon.setSingleShot(True)
        self._draw_soon.timeout.connect(self._draw_next)
        self.title = strong(ElidedLabel())
        self.settings = secondary(ElidedLabel())
        self.status = QLabel()
        self.status.setWordWrap(True)
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(GRID)
        # What is below keeps its place when the sentence becomes longer, and when the bar goes.
        self.status.setMinimumHeight(2 * self.status.fontMetrics().lineSpacing())
        self.status.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        policy = self.bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.bar.setSizePolicy(policy)
        self.stop = _button("Stop and keep", STOP)
        self.cancel = _button("Cancel", "Ends the training at once, and keeps nothing")
        self.export = _button("Save as …", "Writes the tokenizer in a format of other libraries")
        self.sizes = _button("Vocabulary size …", "What each size costs, and what it brings")
        for button, signal in (
            (self.stop, self.stop_requested),
            (self.cancel, self.cancel_requested),
            (self.export, self.export_requested),
            (self.sizes, self.sizes_requested),
        ):
            button.clicked.connect(signal)
        self.last = SentenceLabel(theme)
        self.last.setFixedHeight(2 * self.last.fontMetrics().lineSpacing() + LEADING)
        self.last.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.compression = Plot("Compression", theme)
        self.scripts = Plot("Vocabulary by script", theme)
        for plot in (self.compression, self.scripts):
            plot.problem.connect(self.problem)
            plot.saved.connect(self.saved)
        self.files = FileNewsList(theme)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("What is shown of the training")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.addTab("Progress")
        self.tabs.addTab("Corpus")
        self._lay_out()

    def _lay_out(self) -> None:
        plots = PlotPair(self.compression, self.scripts)
        progress = QWidget()
        rows = QVBoxLayout(progress)
        rows.setContentsMargins(0, GRID, 0, 0)
        rows.setSpacing(GRID)
        rows.addWidget(self.last)
        rows.addWidget(plots, 1)
        self._pages = QStackedWidget()
        self._pages.addWidget(progress)
        self._pages.addWidget(self.files)
        self.tabs.currentChanged.connect(self._pages.setCurrentIndex)
        buttons = FlowLayout()
        buttons.setSpacing(GRID)
        for button in (self.stop, self.cancel, self.export, self.sizes):
            buttons.addWidget(button)
        shown = QWidget()
        layout = self._layout = QVBoxLayout(shown)
        layout.setContentsMargins(MARGIN, GRID, MARGIN, GRID)
        layout.setSpacing(GRID // 2)
        for widget in (self.title, self.settings, self.status, self.bar):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        layout.addWidget(self.tabs)
        layout.addWidget(self._pages, 1)
        area = FitArea(shown, fills=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)

    def show_run(self, run: QueuedTraining, about: str) -> None:
        """Shows a training; ``about`` are its settings in a line."""
        if self.run is not run:
            self.files.clear()
        self.run = run
        self.title.setText(run.name)
        self.settings.setText(about)
        self.show_news()

    def show_news(self) -> None:
        """Shows how far it is now."""
        if self.run is not None:
            self._layout.setEnabled(False)  # it is laid out once, not for each part that changes
            try:
                self._show(self.run)
            finally:
                self._layout.setEnabled(True)

    def _show(self, run: QueuedTraining) -> None:
        if self.status.text() != run.status:
            self.status.setText(run.status)
        fraction = run.fraction
        self.bar.setRange(0, 0 if fraction is None else 1000)
        self.bar.setValue(0 if fraction is None else round(1000 * fraction))
        self.bar.setVisible(run.state.going)
        self.bar.setAccessibleName(run.status)
        made = run.result is not None
        # The trainers of other libraries cannot: the button stays, and says so.
        self.stop.setVisible(run.can_stop or (run.state.going and bool(run.library)))
        self.stop.setEnabled(run.can_stop)
        tip = CANNOT_STOP.format(run.library) if run.library else STOP
        self.stop.setToolTip(tip)
        self.stop.setAccessibleDescription(tip)
        self.cancel.setVisible(run.state.going or run.state is RunState.WAITING)
        self.export.setVisible(made)
        self.sizes.setVisible(made)
        self._show_last(run)
        self._show_curves(run)
        self.files.show_files(run.files)
        self.tabs.setTabText(1, f"Corpus: {self.files.summary}")

    @property
    def drawing(self) -> bool:
        """Whether a chart is not drawn yet as it is now."""
        return bool(self._stale)

    def set_theme(self, theme: Theme) -> None:
        """Shows it in other colours."""
        for part in (self.last, self.compression, self.scripts, self.files):
            part.set_theme(theme)

    def _show_last(self, run: QueuedTraining) -> None:
        pieces = run.news.last[:PIECES] if run.news is not None else ()
        sentence: list[str | SentenceToken] = ["Learned last: " if pieces else NOTHING_YET]
        for place, piece in enumerate(pieces):
            number = run.news.pieces - 1 - place if run.news is not None else -1
            sentence += [SentenceToken(readable(piece, PIECE), number, words_in(piece) > 1), " "]
        said: Sentence = tuple(sentence)
        if said != self.last.sentence:
            self.last.say(said)
        # It keeps its place while it goes on, so that the charts below do not move.
        self.last.setToolTip(UNDERLINED if any(words_in(piece) > 1 for piece in pieces) else "")
        self.last.setVisible(bool(pieces) or (run.merges and not run.over))

    def _show_curves(self, run: QueuedTraining) -> None:
        """Draws the curves of another training at once; those of one that goes on one by one, some times a second."""
        if self._shown is not run:
            self._shown = run
            self._stale.clear()
            self._turns.clear()
            for plot in (self.compression, self.scripts):
                self._draw(plot)
                if not run.over:
                    self._turns.add(plot.prepare)
            return
        self._stale += [
            plot for plot in (self.compression, self.scripts) if plot not in self._stale
        ]
        if run.over or not self._draw_soon.isActive():
            self._draw_soon.start(FRAME_MS if run.over else LIVE_MS)

    def _draw_next(self) -> None:
        if self._stale:
            self._draw(self._stale.pop(0))
        if self._stale and self.run is not None:
            self._draw_soon.start(FRAME_MS if self.run.over else LIVE_MS)

    def _draw(self, plot: Plot) -> None:
        run = self.run
        if run is None:
            return
        note = NOT_YET if run.merges else NO_MERGES
        if run.over and run.result is None:
            note = NOT_MADE
        elif run.library:
            note = NOT_TOLD.format(run.library)
        chart = run.compression() if plot is self.compression else run.scripts()
        if plot is self.compression:
            plot.setHidden(run.over and chart.empty)
        if chart != plot.chart or plot.note.text() != note:
            plot.show_chart(chart, note)


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAccessibleDescription(tip)
    button.setAutoDefault(False)
    return button
