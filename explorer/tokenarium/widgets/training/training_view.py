"""The cards of runs, and the progress of one: its phase, last pieces, curves, and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from tokenarium.models.progress_reporter import stage
from tokenarium.models.text.piece import Sentence, SentenceToken, readable
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import RIGHT, Index, TitledColumns
from tokenarium.models.training.trained_languages import languages_chart
from tokenarium.models.training.training_progress import FileOutcome
from tokenarium.models.training.training_queue import QueuedTraining, RunState
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, number_font, ui_font
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import Themed, theme_of
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.charts.plot import Plot, PlotPair
from tokenarium.widgets.flat_table import RowList, make_flat, size_columns
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.painting import SentenceLabel
from tokenarium.widgets.panel import MARGIN, ElidedLabel, named, secondary, strong, tip_button
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.work_bar import WorkBar
from tokenarium.work.frame_queue import FRAME_MS, FrameQueue
from tokenarium_core.explaining.vocabulary_entries import words_in

CARD = 80
CARD_SPACE = 8
"""Pixels: the height of the card of a run, and what is between two."""


class RunList(RowList):
    """A card for each training; the chosen one is shown next to them. Delete cancels or removes a training."""

    chosen = Signal(object)
    delete_pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._runs: list[QueuedTraining] = []
        self._whole = False
        self._cards = _RunCards(self)
        self.setItemDelegate(self._cards)
        self.setAccessibleName("Runs")
        self.setHeaderHidden(True)
        self.setColumnCount(1)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)
        self.setToolTip("Delete removes a run from the list; its tokenizer stays")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.currentItemChanged.connect(lambda *_: self._choose())

    def sizeHint(self) -> QSize:
        return QSize(30 * GRID, max(len(self._runs), 1) * (CARD + CARD_SPACE))

    def minimumSizeHint(self) -> QSize:
        seen = len(self._runs) if self._whole else min(len(self._runs), 1)
        return QSize(16 * GRID, seen * (CARD + CARD_SPACE))

    def show_whole(self, whole: bool) -> None:
        """Requests room for all cards, for a page that scrolls as a whole, or for at least one."""
        if whole != self._whole:
            self._whole = whole
            self.updateGeometry()

    @property
    def current(self) -> QueuedTraining | None:
        """The chosen training."""
        return self._runs[self.row] if 0 <= self.row < len(self._runs) else None

    def show_runs(self, runs: Sequence[QueuedTraining]) -> None:
        """Shows the trainings; chooses the first new one, or keeps the choice."""
        before = self.current
        known, self._runs = self._runs, list(runs)
        wanted = before
        with QSignalBlocker(self):
            if [run.number for run in known] != [run.number for run in runs]:
                self.clear()
                self.addTopLevelItems([QTreeWidgetItem([run.name]) for run in runs])
            for row, run in enumerate(runs):
                self._fill(self.item(row), run)
            new = [run for run in runs if run not in known]
            if new and (before is None or before.over or before not in self._runs):
                wanted = new[0]  # of several that are queued at once, the one that runs
            elif before not in self._runs:
                wanted = None
            if wanted is None and runs:
                wanted = runs[-1]
            if wanted is not None:
                self.choose(self._runs.index(wanted))
        self.updateGeometry()
        if wanted is not before:
            self._choose()

    def show_progress(self, run: QueuedTraining) -> None:
        """Shows the progress of one."""
        if run in self._runs:
            self._fill(self.item(self._runs.index(run)), run)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.current is not None:
            self.delete_pressed.emit(self.current)
            return
        super().keyPressEvent(event)

    def _choose(self) -> None:
        self.chosen.emit(self.current)

    def _fill(self, item: QTreeWidgetItem, run: QueuedTraining) -> None:
        item.setData(0, RUN, run)
        said = f"{run.name}, {run.state.value}: {run.figures_line}"
        if item.data(0, Qt.ItemDataRole.AccessibleTextRole) != said:
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, said)
            item.setToolTip(0, as_tip(run.status))
        self.viewport().update()


RUN = Qt.ItemDataRole.UserRole + 1


class _RunCards(QStyledItemDelegate):
    """Paints a run: its marker and name, its progress, its figures."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._list = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(20 * GRID, CARD + CARD_SPACE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        run = index.data(RUN)
        if not isinstance(run, QueuedTraining):
            return
        theme = theme_of(self._list)
        identity = theme.identity(run.identity)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRectF(option.rect).adjusted(1, 1, -1, -CARD_SPACE - 1)
        painter.setBrush(theme.surface)
        painter.setPen(QPen(theme.accent if chosen else theme.line, 2 if chosen else 1))
        inset = 1 if chosen else 0.5
        painter.drawRoundedRect(card.adjusted(inset, inset, -inset, -inset), 12, 12)
        left, right = card.left() + 14, card.right() - 14
        top = card.top() + 10
        paint_marker(painter, QRectF(left, top + 3, 13, 13), identity)
        painter.setFont(number_font(SMALL_SIZE))
        said = _state_text(run)
        failed = run.state is RunState.FAILED
        painter.setPen(theme.bad if failed else theme.dim)
        width = painter.fontMetrics().horizontalAdvance(said)
        painter.drawText(QRectF(right - width - 1, top, width + 2, 19), int(RIGHT), said)
        painter.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        painter.setPen(theme.ink)
        room = QRectF(left + 20, top, right - width - left - 28, 19)
        name = painter.fontMetrics().elidedText(
            run.name, Qt.TextElideMode.ElideMiddle, int(room.width())
        )
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), name)
        track = QRectF(left, top + 25, right - left, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.sunken)
        painter.drawRoundedRect(track, 3, 3)
        share = run_share(run)
        if share > 0:
            painter.setBrush(identity.full)
            filled = QRectF(track.left(), track.top(), max(6.0, track.width() * share), 6)
            painter.drawRoundedRect(filled, 3, 3)
        painter.setFont(number_font(SMALL_SIZE))
        painter.setPen(theme.bad if failed else theme.dim)
        line = painter.fontMetrics().elidedText(
            run.figures_line, Qt.TextElideMode.ElideRight, int(right - left)
        )
        painter.drawText(
            QRectF(left, top + 36, right - left, 18), int(Qt.AlignmentFlag.AlignVCenter), line
        )
        painter.restore()


def run_share(run: QueuedTraining) -> float:
    """Returns the finished share of a run, 0 to 1: by its entries, or by its phase if it has no merges."""
    if run.result is not None:
        return 1.0
    if run.merges and run.least:
        wanted = max(run.request.vocab_size - run.least, 1)
        return min((run.entries - run.least) / wanted, 1.0)
    return run.fraction or 0.0


def _state_text(run: QueuedTraining) -> str:
    if run.state is RunState.TRAINING:
        share = run_share(run)
        return f"{share:.0%}" if share else "reading"
    short = {
        RunState.FINISHED: "done",
        RunState.STOPPED: "stopped",
        RunState.STOPPING: "stopping",
    }
    return short.get(run.state) or str(run.state.value)


LIVE_MS = 120
"""Milliseconds between the drawings of two charts, while they grow."""

PIECE, PIECES = 14, 8
"""The most characters of a piece learned last that are shown, and the most pieces."""

LEADING = 4
"""Pixels that two lines with coloured pieces need more than two of plain text."""

TITLES = "Compression", "Vocabulary by script"
LANGUAGE_TITLES = "How unequal", "Tokens by language"
"""The titles of the two charts; the second ones if a training compares languages."""

STOP = "Ends the training, and makes a tokenizer from what it has learned"
CANNOT_STOP = "{} has no result before the end: this training can only be cancelled"
UNDERLINED = "Superwords hold several words, and are underlined."
NOTHING_YET = "Learned last: nothing yet"

NO_MERGES = "This algorithm has no merges: its result is measured at the end."
NOT_YET = "The curve starts with the first merges."
NOT_TOLD = "{} does not report what it learns: its result is measured at the end."
NOT_MADE = "No tokenizer was made."
"""The messages instead of charts."""


class TrainingView(QWidget):
    """Shows a run in detail; ``buttons`` start, stop, discard or export it, or show its sizes."""

    begin_requested = Signal()
    stop_requested = Signal()
    cancel_requested = Signal()
    export_requested = Signal()
    sizes_requested = Signal()
    dashboard_requested = Signal()
    problem = Signal(str)
    saved = Signal(object)  # the path of a chart that was written to a file

    def __init__(self) -> None:
        super().__init__()
        self.run: QueuedTraining | None = None
        self._shown: QueuedTraining | None = None  # the run of the curves
        self._stale: list[Plot] = []  # waiting to be drawn
        self._frames = FrameQueue(self)
        self._draw_soon = QTimer(self, singleShot=True)
        self._draw_soon.timeout.connect(self._draw_next)
        self.title = strong(ElidedLabel())
        self.settings = secondary(ElidedLabel())
        self.status = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.bar = WorkBar(wide=True)
        # The parts below keep their position when the sentence becomes longer or the bar is hidden.
        self.status.setMinimumHeight(2 * self.status.fontMetrics().lineSpacing())
        self.status.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        policy = self.bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.bar.setSizePolicy(policy)
        self.begin = tip_button("Begin", "Trains it next, after the current training")
        self.stop = tip_button("Stop and keep", STOP)
        self.cancel = tip_button("Discard", "Ends the training now, and keeps nothing")
        self.buttons = QWidget()
        self.export = tip_button(
            "Save as …", "Writes the tokenizer in the format of another library"
        )
        self.sizes = tip_button("Vocabulary size …", "What each size saves and costs")
        self.dashboard = tip_button("Dashboard …", "Opens Dask's page about the workers")
        for button, signal in (
            (self.dashboard, self.dashboard_requested),
            (self.begin, self.begin_requested),
            (self.stop, self.stop_requested),
            (self.cancel, self.cancel_requested),
            (self.export, self.export_requested),
            (self.sizes, self.sizes_requested),
        ):
            button.clicked.connect(signal)
        self.last = SentenceLabel()
        self.last.setFixedHeight(2 * self.last.fontMetrics().lineSpacing() + LEADING)
        self.last.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.compression = Plot(TITLES[0])
        self.scripts = Plot(TITLES[1])
        for plot in (self.compression, self.scripts):
            plot.problem.connect(self.problem)
            plot.saved.connect(self.saved)
        self.files = FileOutcomeList()
        self.tabs = named(Segmented(["Progress", "Corpus"]), "What is shown of the training")
        self._lay_out()

    def _lay_out(self) -> None:
        plots = PlotPair(self.compression, self.scripts)
        progress = QWidget()
        in_column(self.last, (plots, 1), into=progress, spacing=GRID, margins=(0, GRID, 0, 0))
        self._pages = QStackedWidget()
        self._pages.addWidget(progress)
        self._pages.addWidget(self.files)
        self.tabs.currentChanged.connect(self._pages.setCurrentIndex)
        buttons = (self.dashboard, self.begin, self.stop, self.cancel, self.export, self.sizes)
        in_row(*buttons, into=self.buttons, spacing=GRID)
        shown = QWidget()
        layout = self._layout = QVBoxLayout(shown)
        layout.setContentsMargins(MARGIN, GRID, MARGIN, GRID)
        layout.setSpacing(GRID // 2)
        for widget in (self.title, self.settings, self.status, self.bar):
            layout.addWidget(widget)
        layout.addWidget(self.tabs)
        layout.addWidget(self._pages, 1)
        area = FitArea(shown, fills=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        in_column(area, into=self, spacing=-1)

    def show_run(self, run: QueuedTraining, about: str) -> None:
        """Shows a training; ``about``: its settings in one line."""
        if self.run is not run:
            self.files.clear()
        self.run = run
        self.title.setText(run.name)
        self.settings.setText(about)
        self.show_news()

    def show_news(self) -> None:
        """Shows the current progress."""
        if self.run is not None:
            self._layout.setEnabled(False)  # lay out once, not for each change
            try:
                self._show(self.run)
            finally:
                self._layout.setEnabled(True)

    def _show(self, run: QueuedTraining) -> None:
        if self.status.text() != run.status:
            self.status.setText(run.status)
        self.bar.show_progress(stage(run.status, run.fraction))
        self.bar.setVisible(run.state.going)
        self.bar.setAccessibleName(run.status)
        made = run.result is not None
        # The trainers of other libraries cannot be stopped: the tooltip of the button says so.
        self.stop.setVisible(run.can_stop or (run.state.going and bool(run.backend)))
        self.stop.setEnabled(run.can_stop)
        tip = CANNOT_STOP.format(run.backend) if run.backend else STOP
        self.stop.setToolTip(tip)
        self.stop.setAccessibleDescription(tip)
        self.begin.setVisible(run.state is RunState.HELD)
        self.dashboard.setVisible(run.state.going and bool(run.progress and run.progress.dashboard))
        self.cancel.setVisible(not run.over)
        self.export.setVisible(made)
        self.sizes.setVisible(made)
        self._show_last(run)
        self._show_curves(run)
        self.files.show_files(run.files)
        self.tabs.setTabText(1, f"Corpus: {self.files.summary}")

    @property
    def drawing(self) -> bool:
        """Whether a chart still has to be drawn."""
        return bool(self._stale)

    def _show_last(self, run: QueuedTraining) -> None:
        pieces = run.progress.last[:PIECES] if run.progress is not None else ()
        sentence: list[str | SentenceToken] = ["Learned last: " if pieces else NOTHING_YET]
        for place, piece in enumerate(pieces):
            number = run.progress.piece_count - 1 - place if run.progress is not None else -1
            sentence += [SentenceToken(readable(piece, PIECE), number, words_in(piece) > 1), " "]
            if languages := run.progress.last_languages if run.progress is not None else ():
                sentence.append(f"for {languages[place]}  " if languages[place] else "for all  ")
        said: Sentence = tuple(sentence)
        if said != self.last.sentence:
            self.last.say(said)
        # It keeps its height during the training, so that the charts below do not move.
        self.last.setToolTip(UNDERLINED if any(words_in(piece) > 1 for piece in pieces) else "")
        self.last.setVisible(bool(pieces) or (run.merges and not run.over))

    def _show_curves(self, run: QueuedTraining) -> None:
        """Draws the curves of a new training at once; those of a running one in turn, a few times per second."""
        if self._shown is not run:
            self._shown = run
            self._stale.clear()
            self._frames.clear()
            for plot in (self.compression, self.scripts):
                self._draw(plot)
                if not run.over:
                    self._frames.add(plot.prepare)
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
        elif run.backend:
            note = NOT_TOLD.format(run.backend)
        languages = run.languages
        titles = LANGUAGE_TITLES if languages else TITLES
        title = titles[plot is self.scripts]
        if plot.title != title:
            plot.set_title(title)
        if plot is self.compression:
            chart = run.inequality() if languages else run.compression()
        else:
            chart = languages_chart(languages) if languages else run.scripts()
        if plot is self.compression:
            plot.setHidden(run.over and chart.empty)
        if chart != plot.chart or plot.note.text() != note:
            plot.show_chart(chart, note)


LEAST = 8 * GRID
"""The least pixels of a column."""


class FileOutcomeList(Themed, QWidget):
    """A table of thousands of files; only the visible rows are painted."""

    def __init__(self) -> None:
        super().__init__()
        self.model = FileOutcomeModel(self.theme.ask, self)
        self.view = QTreeView()
        make_flat(self.view)
        self.view.setModel(self.model)
        self.view.setAccessibleName("What was read and what was skipped")
        self.view.setRootIsDecorated(False)
        self.view.setUniformRowHeights(True)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = self.view.header()
        size_columns(header, 0)
        header.setMinimumSectionSize(LEAST)
        header.setResizeContentsPrecision(
            0
        )  # by the visible rows: a long reason far below takes no room
        self._cap()
        in_column(self.view, into=self, spacing=-1)
        self.follow_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cap()

    def _cap(self) -> None:
        """Limits the reasons to half of the width."""
        self.view.header().setMaximumSectionSize(max(self.width() // 2, 2 * LEAST))

    def clear(self) -> None:
        """Removes all rows."""
        self.model.clear()

    def show_files(self, files: Sequence[FileOutcome]) -> None:
        """Shows the outcomes of files; new ones are added at the end."""
        self.model.take(files)

    def dress(self, theme: Theme) -> None:
        self.model.set_colour(theme.ask)

    @property
    def summary(self) -> str:
        """How many were read and skipped."""
        read = f"{self.model.read:,} read"
        return f"{read}, {self.model.skipped:,} skipped" if self.model.skipped else read


class FileOutcomeModel(TitledColumns):
    """The rows; ``colour`` is that of skipped files."""

    columns = ("File", "Documents", "Characters", "How it was read")
    terms: ClassVar = {1: "document", 2: "code point"}

    def __init__(self, colour: QColor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[FileOutcome] = []
        self._colour = colour
        self.read = 0
        self.skipped = 0

    def clear(self) -> None:
        """Removes all rows."""
        self.beginResetModel()
        self._rows.clear()
        self.read = self.skipped = 0
        self.endResetModel()

    def take(self, files: Sequence[FileOutcome]) -> None:
        """Adds the rows that are new."""
        new = files[len(self._rows) :]
        if not new:
            return
        first = len(self._rows)
        self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
        self._rows += new
        skipped = sum(file.documents == 0 for file in new)
        self.skipped += skipped
        self.read += len(new) - skipped
        self.endInsertRows()

    def set_colour(self, colour: QColor) -> None:
        """Sets the colour of skipped files."""
        self._colour = colour

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        file, column = self._rows[index.row()], index.column()
        how = file.note or (f"as {file.encoding}" if file.encoding else "")
        if role == Qt.ItemDataRole.DisplayRole:
            return (file.path, f"{file.documents:,}", f"{file.characters:,}", how)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(f"{file.path}\n{how}")
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (1, 2):
            return RIGHT
        if role == Qt.ItemDataRole.ForegroundRole and file.note:
            return self._colour
        return None
