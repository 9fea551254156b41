"""The board of trainings: settings and runs at the left, their curves and the text as they split it at the right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QTreeWidgetItem, QWidget

from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.merges.size_scale import TRANSITION, SizeCurve
from tokenarium.models.programs import MOST_TEXT, CodeValue, program, written
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.lost_text import TextLoss, text_loss
from tokenarium.models.text.piece import readable
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import ALL
from tokenarium.models.training.memory_estimate import MemoryEstimate
from tokenarium.models.training.run_cuts import LONGEST, RunCuts, run_cuts, stages_of
from tokenarium.models.training.store import Trained
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS, algorithm_title
from tokenarium.models.training.training_queue import (
    RUN_COLUMNS,
    KeptRun,
    QueuedTraining,
    RunState,
)
from tokenarium.models.training.training_watch import Watch
from tokenarium.models.typed_numbers import MOST_ENTRIES
from tokenarium.resources.training_presets import load_presets
from tokenarium.session.library_edits import trained_key
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, PAGE_MARGIN, Theme
from tokenarium.views.kept import Kept, kept_control, kept_fields, kept_value
from tokenarium.views.train_pace import PACE_MS, TrainingPace
from tokenarium.views.train_reference import KnownReference
from tokenarium.views.workspace import Page, Workspace, column, soon
from tokenarium.widgets.areas import PageStack, page_area
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, heading, named, secondary, strong
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.text.interlinear_view import InterlinearRow, InterlinearView
from tokenarium.widgets.training.board_parts import BoardCard
from tokenarium.widgets.training.run_chart import OWN, UNSEEN, RunChart
from tokenarium.widgets.training.run_table import RunTable
from tokenarium.widgets.training.train_form import SHORT, TrainingForm
from tokenarium.widgets.training.training_view import LIVE_MS, RunList, TrainingView
from tokenarium_core.training import FORMER_NAMES

ESTIMATING = "Reading a sample, to estimate the memory and the shares …"

FORM_WIDTH = 312
"""Pixels of the column with the form and the runs."""

SIDE_BY_SIDE = 860
"""Pixels: a narrower page has one column."""

CHART_HEIGHT, TEXT_HEIGHT = 250, 260
"""The least pixels of the cards of the curves and of the text."""

NOTE_HEIGHT = 20 * GRID
"""The least pixels of the card that describes the empty page."""

NO_RUNS = (
    "Nothing has been trained yet",
    "Choose a corpus and one algorithm or several, and press Train. Their curves grow here, and the text"
    " below shows what each of them learns.",
)
NO_CURVE = "The curve begins with the first merges."
NO_UNSEEN = "Nothing is held out of this corpus: the figures are for the training text."
DETAILS_PAGE = 2
"""The place of the page about a training, after those of the text and of the table."""


IMPORTS = """
from pathlib import Path
from tokenarium.models.programs import NoReport
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import Filters
from tokenarium.models.training.training_run import TrainingRequest, train
import tokenarium_core as tc
"""

PROGRAM = """
folder = Path("trained")  # where the results are kept
rows, tokenizers = [], {}
for name, algorithm, entries, options in TRAININGS:
    request = TrainingRequest(name, algorithm, entries, options, SOURCES, folder, **MIXING)
    result = train(NoReport(), request)
    figures = result.trained.figures
    tokenizers[result.trained.name] = tc.open(result.path)
    rows.append({"name": result.trained.name, "entries": result.trained.pieces, **figures})
"""


MIXING = ("seed", "hold_out", "size", "temperature", "repeat")
"""The inputs that a program names even where they are the usual ones."""


class TrainingPage(Page):
    """The form, the runs, and their results; several trainings run one after another."""

    id = "training"
    title = "Training"
    drawn = Signal()
    """The curves and the text have changed."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        session = self.session
        self.trainings = session.trainings
        self._size: int | None = (
            None  # of the line, where the user put it; None: it follows the chosen run
        )
        self._measured = UNSEEN
        self._cuts: dict[int, RunCuts] = {}  # of finished runs, by number
        self.form = TrainingForm(TRAINING_ALGORITHMS, load_presets())
        self.form.sources.set_sources([CorpusSource("library")])
        self.runs = RunList()
        self.runs_title = strong(QLabel("Runs"))
        self.chart = RunChart()
        self.text = named(InterlinearView(), "The text as the runs split it")
        self.text_title = heading("Your text")
        self.about = secondary(ElidedLabel())
        self.about.setFont(ui_font(SMALL_SIZE))
        self.sentence = named(secondary(ElidedLabel()), "What the last merge made")
        self.pages = named(Segmented(["Text", "Runs", "Details"]), "What is shown of the runs")
        self.table = RunTable()
        self.view = TrainingView()
        self._pace = TrainingPace(self.trainings, lambda: self._text, self)
        self.pace, self.next = self._pace.speed, self._pace.next
        self.empty_board = EmptyState()
        self.empty_board.say(*NO_RUNS)
        self._draw_soon = soon(self, self._draw, LIVE_MS)
        self._reference = KnownReference(session, self._draw_soon.start)
        self._text_soon = soon(self, self._take_text)
        self._lay_out()
        self._connect()
        self._pace.take_up()
        self._show_runs()

    def keeps(self) -> Iterable[Kept]:
        form = self.form
        sources = form.sources
        return (
            kept_value(
                "sources",
                list[CorpusSource],
                lambda: list(sources.sources),
                sources.set_sources,
            ),
            kept_value(
                "algorithms",
                list[str],
                lambda: [one.name for one in form.chosen],
                lambda names: form.choose(*(name for name in names if name in form.chips)),
            ),
            kept_value("fields", dict[str, str], lambda: form.typed, form.type),
            *kept_fields(form.controls),
            kept_control("place", form.place.kind),
            kept_control("workers", form.place.workers),
            kept_control("scheduler", form.place.address),
            kept_control("corpus_open", form.corpus),
            kept_control("others_open", form.others),
            kept_control("more_open", form.more),
            kept_value("runs", list[KeptRun], self.trainings.kept_runs, self.trainings.put_back),
            kept_value("run", str, self._chosen_run, self._choose_run),
            kept_value("size", int, lambda: self._size, self._go_to_size),
            kept_value("measured", int, lambda: self._measured, self._measure_again),
            kept_value("shown", int, self.pages.currentIndex, self._show_part),
            kept_control("rate", self.pace.slider),
        )

    def _chosen_run(self) -> str | None:
        run = self.view.run
        return None if run is None or run.result is None else run.result.trained.identity

    def _choose_run(self, identity: str) -> bool:
        """Chooses a run by its result; returns whether it is on the list."""
        for place, run in enumerate(self.trainings.runs):
            if run.result is not None and run.result.trained.identity == identity:
                self.runs.choose(place)
                return True
        return False

    def _go_to_size(self, size: int) -> bool:
        """Moves the line; returns False if there are no curves yet."""
        if self.view.run is None:
            return False
        self.go_to_size(max(0, min(size, MOST_ENTRIES)))
        return True

    def _measure_again(self, place: int) -> None:
        if place not in (UNSEEN, OWN):
            raise ValueError
        self._measure(place)

    def _show_part(self, place: int) -> None:
        if not 0 <= place < self._pages.count():
            raise ValueError
        self.pages.choose(place)
        self._pages.setCurrentIndex(place)

    def _lay_out(self) -> None:
        self._left = QWidget()
        in_column(
            (self.form, 0),
            self.runs_title,
            (self.runs, 100),
            (None, 1),
            into=self._left,
            spacing=GRID,
        )
        self.chart_card, self.text_card = BoardCard(), BoardCard()
        margins = (CARD_MARGIN, CARD_MARGIN - 4, CARD_MARGIN - 4, GRID)
        in_column(self.chart, into=self.chart_card, margins=margins)
        self.chart_card.setMinimumHeight(CHART_HEIGHT)
        head = in_row(self.text_title, (self.about, 1), self.pages, spacing=GRID)
        watch = secondary(QLabel("Watch"))
        watch.setBuddy(self.pace.slider)
        self._controls = QWidget()
        in_row(
            watch,
            (self.pace, 1),
            self.next,
            (None, 1),
            self.view.buttons,
            into=self._controls,
            spacing=GRID,
        )
        self._pages = PageStack()
        text = column(self.sentence, self.text, grows=self.text)
        for page in (text, self.table, self.view):
            self._pages.addWidget(page)
        in_column(
            head,
            self._controls,
            (self._pages, 1),
            into=self.text_card,
            spacing=GRID,
            margins=(CARD_MARGIN, CARD_MARGIN - 4, CARD_MARGIN - 4, GRID),
        )
        self.text_card.setMinimumHeight(TEXT_HEIGHT)
        self._right = _Right()
        board = QWidget()
        in_column((self.chart_card, 10), (self.text_card, 11), into=board, spacing=CARD_GAP)
        empty = BoardCard()
        in_column(self.empty_board, into=empty, margins=GRID)
        empty.setMinimumHeight(NOTE_HEIGHT)
        for page in (empty, board):
            self._right.addWidget(page)
        self._board = QWidget()
        self._columns = _Columns(QBoxLayout.Direction.LeftToRight, self._board)
        self._columns.setContentsMargins(PAGE_MARGIN, CARD_GAP, PAGE_MARGIN, PAGE_MARGIN)
        self._columns.setSpacing(CARD_GAP)
        self._columns.addWidget(self._left)
        self._columns.addWidget(self._right, 1)
        self.area = page_area(self._board)
        for ground in (self.area.viewport(), self._board):
            ground.setBackgroundRole(QPalette.ColorRole.Window)
            ground.setAutoFillBackground(True)
        column(self.area, into=self)

    def _connect(self) -> None:
        session = self.session
        self.form.train_requested.connect(self.train)
        self.form.text_requested.connect(self._add_text)
        self.form.checked.connect(self._estimate)
        self.trainings.estimating.estimated.connect(self._show_estimates)
        self.trainings.changed.connect(self._show_runs)
        self.trainings.progressed.connect(self._take_news)
        self.trainings.settings_chosen.connect(self._fill)
        self.runs.chosen.connect(self._show_run)
        self.runs.delete_pressed.connect(self._delete)
        self.view.begin_requested.connect(lambda: self._with_run(self.trainings.begin))
        self.view.stop_requested.connect(lambda: self._with_run(self.trainings.stop))
        self.view.cancel_requested.connect(lambda: self._with_run(self.trainings.cancel))
        self.view.export_requested.connect(self._export)
        self.view.sizes_requested.connect(self._show_sizes)
        self.view.dashboard_requested.connect(self._open_dashboard)
        self.report_plots(self.view, self.chart)
        for plot in (self.chart, self.view.compression, self.view.scripts):
            plot.set_source(FigureSource(code=self.python))
        self.chart.moved.connect(self.go_to_size)
        self.chart.text_chosen.connect(self._measure)
        self.text.front_requested.connect(self._choose_number)
        self.text.picked.connect(session.select)
        self.text.hovered.connect(session.point_at)
        self.pages.chosen.connect(self._pages.setCurrentIndex)
        self.table.currentItemChanged.connect(self._row_chosen)
        session.text_changed.connect(self._text_soon.start)
        session.tokenizers_changed.connect(self._text_soon.start)
        session.current_changed.connect(self._draw_soon.start)
        session.display_changed.connect(self._show_display)
        self.appearance.changed.connect(self._draw)
        self._show_display()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.width() >= SIDE_BY_SIDE
        directions = QBoxLayout.Direction
        self._columns.setDirection(directions.LeftToRight if beside else directions.TopToBottom)
        self._left.setMinimumWidth(FORM_WIDTH if beside else 0)
        self._left.setMaximumWidth(FORM_WIDTH if beside else 16_777_215)
        self.form.show_whole(not beside)
        self.runs.show_whole(not beside)

    # Training.

    def train(self) -> None:
        """Queues a training for each chosen algorithm; does nothing while a field has a problem.

        It waits for the check of the corpus if that may rule out one of the algorithms.
        """
        self.form.check()
        if self.form.problems or self.form.blocked:
            return
        checked = any(draft.algorithm.name not in _NEVER_TOO_SMALL for draft in self.form.drafts)
        if checked and self.trainings.estimating.busy and self.isVisible():
            self.trainings.waits_for_check = True
            self.form.train.setEnabled(False)
            self.form.train.setText("Checking the corpus …")
            return
        self._queue()

    def _queue(self) -> None:
        self._size = None
        for draft in self.form.drafts:
            request = draft.request(self.trainings.folder)
            watch = Watch(self._text, 1 if self._pace.watched(request.algorithm) else 0)
            self.trainings.add(replace(request, watch=watch))

    @property
    def _text(self) -> str:
        """The part of the text that runs split."""
        return self.session.text_map.part(0, LONGEST)

    def _estimate(self) -> None:
        """Estimates the memory that the trainings need, and looks for reasons why they must fail."""
        estimating, form = self.trainings.estimating, self.form
        if not self.isVisible():
            return
        if form.problems:
            estimating.stop()
            self._show_estimates(None)
        else:
            estimating.ask([draft.request(self.trainings.folder) for draft in form.drafts])

    def _show_estimates(self, found: list[MemoryEstimate] | None) -> None:
        if found is None:
            asked = self.trainings.estimating.busy or not self.form.problems
            self.form.say_estimate(ESTIMATING if asked else "")
            self.form.sources.show_shares(())
            if self.trainings.estimating.busy:
                self.trainings.waits_for_check = False  # the form was changed meanwhile
            else:
                self._end_wait()
            return
        most = max(found, key=lambda one: (one.warns, one.memory))
        obstacles = [
            (algorithm_title(one.obstacle.algorithm), one.obstacle)
            for one in found
            if one.obstacle is not None
        ]
        self.form.say_estimate("" if obstacles else most.sentence, most.warns)
        self.form.sources.show_shares(most.shares)
        self.form.show_obstacles(obstacles)
        self._end_wait()

    def _end_wait(self) -> None:
        """Starts the training requested during the check, unless that found an obstacle."""
        if self.trainings.waits_for_check:
            self.trainings.waits_for_check = False
            self.form.check()
            if not self.form.problems and not self.form.blocked:
                self._queue()

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

    def _open_dashboard(self) -> None:
        run = self.view.run
        if run is not None and run.progress is not None and run.progress.dashboard:
            QDesktopServices.openUrl(QUrl(run.progress.dashboard))

    def _show_sizes(self) -> None:
        run = self.view.run
        if run is not None and run.result is not None:
            self.page_requested.emit("sizes")
            self.trainings.sizes_asked.emit(run.result.trained.identity)

    # The runs.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_runs()  # what happened while the page was hidden
        self._take_text()
        self._estimate()

    def _show_runs(self) -> None:
        runs = self.trainings.runs
        self.runs.show_runs(runs)
        self.runs.setVisible(bool(runs))
        self.runs_title.setVisible(bool(runs))
        self._right.setCurrentIndex(int(bool(runs)))
        running = self.trainings.running
        if self._pace.watches and running is not None:
            current = self.runs.current
            if current is None or current.over:  # it is watched next
                self.runs.choose(runs.index(running))
        if self.view.run is not None and self.isVisible():
            self._show_run(self.view.run)
            self.view.show_news()
        self._draw_soon.start(0)

    def _show_run(self, run: QueuedTraining | None) -> None:
        if run is None:
            return
        request = run.request
        title = algorithm_title(request.algorithm)
        sources = ", ".join(source.title for source in request.sources)
        entries = f"{request.vocab_size:,}"
        if run.result is not None and run.result.trained.pieces != request.vocab_size:
            entries = f"{run.result.trained.pieces:,} of {entries}"
        if run is not self.view.run:
            self._draw_soon.start(0)
        self.view.show_run(run, f"{title} · {entries} entries · {sources}")

    def _take_news(self, run: QueuedTraining) -> None:
        if not self.isVisible():
            return
        self.runs.show_progress(run)
        if run is self.view.run:
            self.view.show_news()
        if not self._draw_soon.isActive():
            self._draw_soon.start(PACE_MS if run.most else LIVE_MS)

    def _choose_number(self, key: str) -> None:
        for place, run in enumerate(self.trainings.runs):
            if str(run.number) == key:
                self.runs.choose(place)

    def _row_chosen(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and item.data(0, Qt.ItemDataRole.UserRole):
            self._choose_number(item.data(0, Qt.ItemDataRole.UserRole))

    @property
    def together(self) -> list[QueuedTraining]:
        """The runs whose figures are comparable with those of the chosen one."""
        chosen = self.view.run
        if chosen is None:
            return []
        return [
            run
            for run in self.trainings.runs
            if run.request.experiment == chosen.request.experiment
            and run.state not in (RunState.FAILED, RunState.CANCELLED)
        ]

    # The curves.

    def _measure(self, place: int) -> None:
        self._measured = place
        self._draw()

    def _draw(self) -> None:
        """Updates the curves, the text and the table of the runs."""
        chosen = self.view.run
        if chosen is None or not self.isVisible():
            return
        theme = self.appearance.theme
        runs = self.together
        known = [run.holds_out for run in runs if run.holds_out is not None]
        unseen = self._measured == UNSEEN and (not known or any(known))
        curves = []
        for run in runs:
            points = run.curve(held=unseen)
            if not points:
                continue
            sizes, values = zip(*points, strict=True)
            short = SHORT.get(run.request.algorithm, algorithm_title(run.request.algorithm))
            alike = [one.request.algorithm for one in runs].count(run.request.algorithm) > 1
            name = run.name if alike else short
            going = "" if run.result is not None else ", still learning"
            curves.append(
                SizeCurve(
                    name,
                    theme.identity(run.identity),
                    np.array(sizes, np.int64),
                    np.array(values, np.float64),
                    f"{name} {run.figure(values[-1])}{', ' * bool(run.loses)}{run.loses}{going}",
                    mark=(run.transition, TRANSITION),
                )
            )
        self.chart.texts.setTabEnabled(UNSEEN, not known or any(known))
        self.chart.texts.choose(UNSEEN if unseen else OWN)
        text = "on unseen text" if unseen else "on the training text"
        about = f"{text} · higher is shorter"
        others = len(self.trainings.runs) - len(runs)
        if known and not any(known):
            about = NO_UNSEEN
        elif others:
            about += f" · {others} on other texts {'is' if others == 1 else 'are'} not drawn"
        wanted = [run.request.vocab_size for run in runs if run.state.going]
        references = self._reference.lines(runs, unseen)
        self.chart.show_curves(curves, about, references, NO_CURVE, max(wanted, default=0))
        self._show_text()
        self.table.show_runs(runs, chosen, theme)

    # The text.

    def go_to_size(self, size: int) -> None:
        """Moves the line to a size, and shows the text as vocabularies of that size split it."""
        self._size = size
        self._show_text()

    @property
    def line_size(self) -> int:
        """The size at the line: where the user put it, or that of the chosen run."""
        chosen = self.view.run
        if self._size is not None:
            return self._size
        return chosen.entries if chosen is not None else 0

    def cuts_of(self, run: QueuedTraining) -> RunCuts | None:
        """Returns the text as a run splits it; None while that is not known."""
        text = self._text
        known = self._cuts.get(run.number)
        if known is not None and known.text == text:
            return known
        seen = run.progress.cuts if run.progress is not None else None
        if run.result is None:
            return seen if seen is not None and seen.text == text else None
        item = self.session.library.item(trained_key(run.result.trained.identity))
        if item is not None and item.tokenizer is not None:
            trained = run.result.trained
            transition = int(trained.figures.get("transition", 0))
            stages = stages_of(item.tokenizer, trained.settings, transition)
            self._cuts[run.number] = run_cuts(item.tokenizer, text, stages)
            return self._cuts[run.number]
        return seen if seen is not None and seen.text == text else None

    def _take_text(self) -> None:
        """Shows a new text, and lets a running training split it."""
        if not self.isVisible():
            return
        self.text.set_text_map(self.session.text_map)
        for run in self.trainings.unfinished:
            if run.state is RunState.TRAINING or run.request.watch.text != self._text:
                self.trainings.watch(run, self._text, run.most)
        self._draw()

    def _show_text(self) -> None:
        """Shows the text at the size of the line."""
        chosen = self.view.run
        if chosen is None:
            return
        found, shown, unable = self.show_cuts(chosen, self.text, self.appearance.theme)
        self.chart.show_size(self.line_size if self.chart.chart.drawing.curves else None)
        self._show_words(chosen, found, shown, unable)
        self.drawn.emit()

    def show_cuts(
        self, chosen: QueuedTraining, view: InterlinearView, theme: Theme
    ) -> tuple[dict[int, RunCuts], int, list[str]]:
        """Shows the text as the runs split it at the size of the line, or nearest to it for the chosen run.

        Returns the cuts, that size, and what the runs have instead that have no tokens at that size.
        """
        size = self.line_size
        known = [(run, cuts) for run in self.together if (cuts := self.cuts_of(run)) is not None]
        shown = next((cuts.nearest(size) for run, cuts in known if run is chosen), size)
        found = [(run, cuts) for run, cuts in known if run is chosen or cuts.is_near(shown)]
        unable = [f"{run.name} ({cuts.range})" for run, cuts in known if (run, cuts) not in found]
        view.set_rows(
            [
                InterlinearRow(str(run.number), run.name, theme.identity(run.identity))
                for run, _ in found
            ]
        )
        view.set_front(str(chosen.number), moves=False)
        for run, cuts in found:
            view.set_parts(str(run.number), cuts.tokens(shown), losing=self._losing(run))
        return {run.number: cuts for run, cuts in found}, shown, unable

    def _losing(self, run: QueuedTraining) -> TextLoss | None:
        """Returns how the result of a run loses text; None while it is not open, or if only a part is split."""
        if run.result is None or self.session.text_map.char_count > LONGEST:
            return None
        item = self.session.library.item(trained_key(run.result.trained.identity))
        return None if item is None or item.tokenizer is None else text_loss(item.tokenizer)

    def _show_words(
        self, chosen: QueuedTraining, found: dict[int, RunCuts], shown: int, unable: list[str]
    ) -> None:
        """Writes the title, what the line does, which runs are not shown, and what the last merge made."""
        self.text_title.setText(f"Your text at {shown:,} entries" if shown else "Your text")
        about = "drag the line in the chart; the text follows"
        if not self.session.has_text:
            about = "type a text above to see it split"
        elif self.session.text_map.char_count > LONGEST:
            about = f"its first {LONGEST:,} characters; drag the line, and they follow"
        cuts = found.get(chosen.number)
        if cuts is not None and not cuts.stages:
            about = f"{chosen.name} is known only at {cuts.size:,} entries"
        if unable:
            about = f"not known at this size: {', '.join(unable)}"
        self.about.setText(about)
        sentence = ""
        place: tuple[int, int] | None = None
        if cuts is not None and cuts.stages:
            nested = next((one for one, most in cuts.stages if shown <= most), cuts.stages[-1][0])
            number = nested.number(shown)
            if number:
                place = nested.place(number)
                sentence = f"Merge {number:,}"
                if place is None:
                    sentence += " changes nothing here"
                else:
                    made = isolated(readable(cuts.text.encode()[slice(*place)]))
                    times = nested.joined(number)
                    where = "in one place" if times == 1 else f"in {times:,} places"
                    sentence += f" made “{made}”, {where} in the text"
        self.sentence.setText(sentence)
        self.text.set_pointed(*(place or (-1, -1)))

    def python(self) -> str:
        """Returns a program that trains the compared runs, or with the settings of the form if there are none."""
        requests = [run.request for run in self.together]
        if not requests and not self.form.problems:
            requests = [draft.request(self.trainings.folder) for draft in self.form.drafts]
        if not requests:
            return ""
        first = requests[0]
        sources, text, file = list(first.sources), None, ""
        own = CorpusSource("text", self.session.text)
        long = (
            self.session.has_text
            and own in sources
            and self.session.text_map.char_count > MOST_TEXT
        )
        listed: object = sources
        if long:  # it is read from its file
            text, file = self.session.text, self.session.file
            named = [
                "CorpusSource('text', TEXT)" if one == own else written(one) for one in sources
            ]
            listed = CodeValue(f"[{', '.join(named)}]")
        trainings = [
            (one.name, one.algorithm, one.vocab_size, dict(one.options)) for one in requests
        ]
        mixing = {name: first.inputs[name] for name in MIXING}
        if first.filters != ALL:
            mixing["filters"] = first.filters
        if first.strict:
            mixing["strict"] = True
        return program(
            self.title,
            IMPORTS,
            PROGRAM,
            text=text,
            file=file,
            values={
                "SOURCES": listed,
                "TRAININGS": CodeValue(
                    "\n".join(["[", *(f"    {one!r}," for one in trainings), "]"])
                ),
                "MIXING": mixing,
            },
        )

    def lines(self) -> list[list[str]]:
        rows = [run.cells() for run in self.together]
        return [[name for name, _ in RUN_COLUMNS], *rows] if rows else []

    @property
    def busy(self) -> bool:
        return self.trainings.estimating.busy and self.isVisible()

    def focus_first(self) -> None:
        self.form.corpus.setFocus()

    def _show_display(self) -> None:
        self.text.set_show_whitespace(self.session.show_whitespace)


class _Right(PageStack):
    """The views of the runs, whose least height is that of the visible page only."""

    def hasHeightForWidth(self) -> bool:
        return False


class _Columns(QBoxLayout):
    """The columns of the page, whose least height counts, not the height of their complete lists."""

    def hasHeightForWidth(self) -> bool:
        return False


_NEVER_TOO_SMALL = (
    "bpe",
    "picky-bpe",
    "boundless-bpe",
    "superbpe",
    "parity-bpe",
    "tokenizers:bpe",
    "tokenizers:wordpiece",
    "tokenizers:unigram",
)
"""The algorithms that accept any number of different characters."""
