"""The page Table of the workspace Compare: the figures of all chosen tokenizers on the text, or on files."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, Qt
from PySide6.QtGui import QColor, QIcon, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QLabel,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

import tokenarium_core as tc
from tokenarium.models.compare.comparing import ComparedTokenizer
from tokenarium.models.compare.comparison_model import (
    ComparedRow,
    ComparisonModel,
    doubts,
    length_chart,
    rank_chart,
)
from tokenarium.models.compare.metrics import Figures
from tokenarium.models.compare.tally import Tally, TallyJob
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import (
    NO_TEXT,
    NO_TEXT_HELP,
    NO_TOKENIZER,
    Page,
    Workspace,
    column,
    soon,
)
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.compare.comparison_table import ComparisonTable
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.message_bar import CaveatLabel, CountingBar
from tokenarium.widgets.panel import (
    HEAD_HEIGHT,
    MARGIN,
    ElidedLabel,
    Rule,
    secondary,
    tool_button,
)
from tokenarium.work.file_counts import FileCounts
from tokenarium.work.frame_queue import FrameQueue
from tokenarium_core.padded_text import PADDING

JOB = "compare"

SOON_MS = 200
"""Milliseconds without typing after which the text is counted."""

CHARTS_MS = 1000
"""Milliseconds between two drawings of the charts while files are counted; the table shows every change."""

LONGEST_SLICE = 128 * 1024
"""The most bytes that one tokenizer counts in one slice; a longer text is counted in other processes."""

SOURCES = (
    ("compare_text", "This text"),
    ("compare_files", "Files …"),
    ("compare_folder", "Folder …"),
)

NOTHING_READ = "No text was found there"
NOTHING_READ_HELP = "Choose text files, or a folder with some."


class TablePage(Page):
    """A line that says what is counted, a table, and two charts."""

    id = "table"
    title = "Table"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._tallies: dict[str, Tally] = {}
        self._files: dict[str, tuple[tuple[str, Figures], ...]] = {}  # the figures of each file
        self._notes: dict[str, str] = {}  # why a tokenizer has no figures, by its key
        self._counted: TextMap | None = None  # the text that was counted
        self._counted_with: dict[str, tc.Tokenizer] = {}
        self._complete = True
        self.sources: tuple[CorpusSource, ...] = ()  # what is counted instead of the text
        self.files: FileCounts | None = None
        self._text_file = ""
        self.model = ComparisonModel(self._faint, self._marker, self)
        self.table = ComparisonTable(self.model)
        theme = self.appearance.theme
        self.lengths = Plot("Token lengths", theme)
        self.ranks = Plot("Rank and frequency", theme)
        self.doubts = CaveatLabel()
        self._soon = soon(self, self.recount, SOON_MS)
        # A chart takes some 15 ms to draw, so each has its own turn of the event loop.
        self._frames = FrameQueue(self)
        self._charts_drawn = QElapsedTimer()
        self._build()
        session = self.session
        session.text_changed.connect(self._soon.start)
        session.tokenizers_changed.connect(self._soon.start)
        self.appearance.changed.connect(self._show_theme)
        for plot in (self.lengths, self.ranks):
            plot.problem.connect(session.problem)
            plot.saved.connect(session.saved)
        self.recount()

    def _build(self) -> None:
        self.buttons = [tool_button(action, text) for action, text in self.help_with(*SOURCES)]
        self.told = secondary(ElidedLabel())
        self.bar = CountingBar("counting", "what there is")
        self.bar.stop_requested.connect(self._ask_to_stop)
        self.by_file = QCheckBox("A row for each file")
        self.by_file.setToolTip(
            "Shows the figures of each file by itself; the charts stay those of all files together"
        )
        self.by_file.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.by_file.toggled.connect(lambda _: self._show_all())
        self.line = QWidget()
        self.line.setFixedHeight(HEAD_HEIGHT)
        row = in_row(
            QLabel("Count"), into=self.line, spacing=GRID // 2, margins=(MARGIN, 0, MARGIN, 0)
        )
        for button in self.buttons:
            row.addWidget(button)
        row.addSpacing(GRID)
        row.addWidget(self.told, 1)
        row.addWidget(self.by_file)
        row.addWidget(self.bar)
        charts = QWidget()
        in_row(
            (self.lengths, 1),
            (self.ranks, 1),
            into=charts,
            spacing=2 * GRID,
            margins=(MARGIN, GRID, MARGIN, GRID),
        )
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(column(self.table, charts, grows=charts))
        self._pages = QStackedWidget()
        self._pages.addWidget(area)
        self._pages.addWidget(self.empty)
        column(self.line, Rule(), self.doubts, self._pages, grows=self._pages, into=self)

    # Counting.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.recount()

    def count_text(self) -> None:
        """Counts the text of the window now and after each change."""
        self.stop()
        self.sources = ()
        self._forget()
        self.recount()

    def count_files(self, paths: Sequence[Path]) -> None:
        """Counts files and folders instead of the text."""
        self.stop()
        self.sources = tuple(
            CorpusSource("folder" if path.is_dir() else "file", str(path)) for path in paths
        )
        self._forget()
        self.recount()

    def recount(self) -> None:
        """Counts what is not counted yet; a hidden page waits until it is shown."""
        self._soon.stop()
        items = self.session.chosen()
        if not items:
            self._say_empty(NO_TOKENIZER, (("open_tokenizer", "Open …"),))
        elif not self.sources and not self.session.text:
            self._say_empty(NO_TEXT, NO_TEXT_HELP)
        else:
            self._pages.setCurrentIndex(0)
        if self._pages.currentIndex() == 1:
            self.stop()
            self._forget()
            self._show_all()
        elif self.isVisible():
            self._count(items)

    def _say_empty(self, said: tuple[str, str], buttons: Sequence[tuple[str, str]]) -> None:
        self.empty.say(*said, self.help_with(*buttons))
        self._pages.setCurrentIndex(1)

    def _forget(self) -> None:
        self._tallies.clear()
        self._files.clear()
        self._notes.clear()
        self._counted_with.clear()
        self._complete = True

    def _count(self, items: Sequence[LibraryItem]) -> None:
        text_map = self.session.text_map
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        if not self.sources and self._counted is not text_map:
            self.stop()
            self._counted = text_map
            self._counted_with.clear()  # the figures of the last text stay until there are new ones
        missing = [e for e in items if self._counted_with.get(e.key) is not tokenizers[e.key]]
        if missing and (self.files is not None or self.session.jobs.runs(JOB)):
            self.stop()
            missing = [e for e in items if self._counted_with.get(e.key) is not tokenizers[e.key]]
        if missing:
            if not self._complete:  # the stopped counts are of different parts of the files
                self._forget()
                missing = list(items)
            for item in missing:
                self._notes.pop(item.key, None)
                if self.sources:
                    self._tallies.pop(item.key, None)
                    self._files.pop(item.key, None)
            in_process = not self.sources and text_map.byte_count <= LONGEST_SLICE
            (self._start_job if in_process else self._start_files)(missing)
        self._show_all()

    def _start_job(self, items: Sequence[LibraryItem]) -> None:
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        work = TallyJob(self.session.text, tokenizers)

        def take(progress: tc.Progress) -> None:
            for key, counts in work.tallies.items():
                self._tallies[key] = counts
                self._counted_with[key] = tokenizers[key]
            for key, sentence in work.problems.items():
                self._tallies.pop(key, None)
                self._notes[key] = sentence
                self._counted_with[key] = tokenizers[key]
            self._show_all()

        self.session.jobs.start(JOB, "Comparing", work, take, lambda error: None)

    def _start_files(self, items: Sequence[LibraryItem]) -> None:
        candidates = [ComparedTokenizer(e.key, e.name, e.source, e.pattern) for e in items]
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        files = FileCounts(candidates, self.sources or (self._text_source(),), self)
        self.files = files
        self._complete = self._stopped = False

        def take() -> None:
            self._tallies.update(files.tallies)
            self._files.update(files.files if self.sources else {})
            self._show_all()

        def end() -> None:
            self.files = None
            files.deleteLater()
            self._remove_text_file()
            self._complete = files.complete
            self._counted_with.update(tokenizers)
            if files.problem:
                self.session.problem.emit(f"The comparison failed. {files.problem}")
            self._told_last = self._ending(files)
            self._show_all()

        files.changed.connect(take)
        files.finished.connect(end)
        files.start()

    def _text_source(self) -> CorpusSource:
        """Returns the text of the window as a file; with a pipe, the window would have to wait."""
        self._remove_text_file()
        file, self._text_file = tempfile.mkstemp(prefix="tokenarium-", suffix=".txt")
        with open(file, "wb") as opened:
            opened.write(self.session.text_map.padded[:-PADDING])
        return CorpusSource("file", self._text_file, encoding="utf-8")

    def _remove_text_file(self) -> None:
        if self._text_file:
            with contextlib.suppress(OSError):
                os.remove(self._text_file)
            self._text_file = ""

    def _ask_to_stop(self) -> None:
        if self.files is not None:
            self._stopped = True
            self.files.ask_to_stop()
        self.session.jobs.cancel(JOB)

    def stop(self) -> None:
        self.session.jobs.cancel(JOB)
        if self.files is not None:
            self.files.cancel()

    @property
    def busy(self) -> bool:
        waits = self._soon.isActive() or self._frames.waiting
        return self.files is not None or waits or self.session.jobs.runs(JOB)

    # Showing.

    _told_last = ""
    _stopped = False  # by the user

    def _ending(self, files: FileCounts) -> str:
        notes = " ".join(files.notes)
        nothing = not any(one.byte_count for one in files.tallies.values())
        if files.complete or (nothing and not self._stopped):
            return notes
        return f"Stopped at {files.fraction:.0%}: the tokenizers may have counted different parts. {notes}"

    def _show_all(self) -> None:
        rows = [
            ComparedRow(
                item.key,
                item.name,
                item.identity,
                self._tallies.get(item.key),
                self._notes.get(item.key, ""),
            )
            for item in self.session.chosen()
        ]
        self._show_rows(rows)
        counted = [row for row in rows if row.tally is not None]
        if self._read_nothing(counted):
            help_ = f"{self._told_last} {NOTHING_READ_HELP}".strip()
            self._say_empty((NOTHING_READ, help_), SOURCES[1:])
        self._show_charts(counted)
        running = self.files is not None
        self.bar.setVisible(running)
        if self.files is not None:
            self.bar.show_share(self.files.fraction)
        self.told.setText(self._sentence(counted))
        self.doubts.say(doubts(counted))

    def _show_rows(self, rows: Sequence[ComparedRow]) -> None:
        """Shows a row for each tokenizer, or for each file with each tokenizer, file by file."""
        names = dict.fromkeys(name for files in self._files.values() for name, _ in files)
        self.by_file.setVisible(len(names) > 1)
        if len(names) > 1 and self.by_file.isChecked():
            figures = {key: dict(files) for key, files in self._files.items()}
            rows = [
                replace(row, tally=None, file=name, figures=figures.get(row.key, {}).get(name))
                for name in names
                for row in rows
            ]
        self.model.set_rows(rows, self._complete and self.files is None)

    def _show_charts(self, counted: Sequence[ComparedRow]) -> None:
        """Draws the charts one after the other, less often while files are counted; outdated ones go at once."""
        drawn = self._charts_drawn
        often = drawn.isValid() and drawn.elapsed() < CHARTS_MS
        if self.files is not None and counted and often:
            return
        drawn.start()
        note = "Counting …" if not self._notes else "\n".join(self._notes.values())
        self._frames.clear()
        self._frames.add(
            lambda: self.lengths.show_chart(length_chart(counted), note),
            lambda: self.ranks.show_chart(rank_chart(counted), note),
        )

    def _read_nothing(self, counted: Sequence[ComparedRow]) -> bool:
        """Returns whether the files that were read have no text in them."""
        if self.files is not None or self._stopped or not self.sources or not counted:
            return False
        return not any(row.tally.byte_count for row in counted if row.tally is not None)

    def _sentence(self, counted: Sequence[ComparedRow]) -> str:
        names = [Path(source.value).name or source.value for source in self.sources]
        what = ", ".join(names) if names else "The text above"
        first = counted[0].tally if counted else None
        if first is None or self._read_nothing(counted):
            return what
        size = f"{first.byte_count:,} bytes, {first.characters:,} code points, {first.word_count:,} words"
        if self.files is not None:
            return f"{what}: {size} so far, by {counted[0].name}"
        sentence = f"{what}: {size}"
        if self.sources and first.texts > 1:
            sentence += f", in {first.texts:,} documents"
        return f"{sentence}. {self._told_last}" if self.sources else sentence

    # What the window asks.

    def as_text(self) -> str:
        return self.model.as_text() if self._pages.currentIndex() == 0 else ""

    def as_csv(self) -> str:
        return self.model.as_csv() if self._pages.currentIndex() == 0 else ""

    def focus_first(self) -> None:
        self.table.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.ranks.canvas

    # Looks.

    def _faint(self) -> QColor:
        return self.appearance.theme.dim

    def _marker(self, identity: int) -> QIcon:
        return marker_icon(self.appearance.theme.identity(identity))

    def _show_theme(self) -> None:
        for plot in (self.lengths, self.ranks):
            plot.set_theme(self.appearance.theme)
        self.model.repaint_all()
