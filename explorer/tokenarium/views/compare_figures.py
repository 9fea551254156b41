"""The figures of the page Overview of Compare: all chosen tokenizers on the text, or on files."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QMenu, QPushButton

import tokenarium_core as tc
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.compare.comparing import ComparedTokenizer
from tokenarium.models.compare.comparison_model import (
    ComparedRow,
    ComparisonModel,
    caveats,
    doubts,
    length_chart,
    rank_chart,
)
from tokenarium.models.compare.intervals import (
    MEASURED,
    Interval,
    SampledFigures,
    figure_intervals,
)
from tokenarium.models.compare.metrics import KEY_COLUMNS, METRICS, Figures
from tokenarium.models.compare.tally import Tally, TallyJob
from tokenarium.models.programs import program
from tokenarium.models.progress_reporter import stage
from tokenarium.models.studies.study_file import Study, StudyTokenizer
from tokenarium.models.studies.study_making import IntervalSettings, study_of, with_hashes
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.style.icons import icon
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.views.kept import Kept, kept_control, kept_value
from tokenarium.views.page_program import code_of
from tokenarium.views.workspace import NO_TEXT, NO_TEXT_HELP, NO_TOKENIZER, Page, Workspace, soon
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.check_popup import CheckPopup
from tokenarium.widgets.compare.comparison_table import ComparisonTable
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.message_bar import CaveatLabel, CountingBar
from tokenarium.widgets.panel import CardFrame, ElidedLabel, named, secondary
from tokenarium.work.file_counts import FileCounts
from tokenarium.work.frame_queue import FrameQueue
from tokenarium_core.padded_text import PADDING
from tokenarium_core.progress import Progress

SOON_MS = 200
"""Milliseconds without typing after which the text is counted."""

CHARTS_MS = 1000
"""Milliseconds between two drawings of the charts while files are counted; the table shows every change."""

LONGEST_SLICE = 128 * 1024
"""The most bytes that one tokenizer counts in one slice; a longer text is counted in other processes."""

MOST_HASHED = 1 << 28
"""Bytes of all texts of a study that are read for their hashes."""

SOURCES = ("compare_text", "compare_files", "compare_folder")
OTHER_SOURCES = (("compare_files", "Files …"), ("compare_folder", "Folder …"))

EXPORTS = (
    "copy_comparison",
    "copy_python",
    "save_comparison",
    "save_study",
    "export_png",
    "export_svg",
)

TEXT_IMPORTS = "from tokenarium.models.compare.tally import measured, tally"

TALLY_TEXT = """
text = measured(TEXT)
tallies = {name: tally(tokenizer, text) for name, tokenizer in TOKENIZERS.items()}
"""

SOURCES_IMPORTS = """
from tokenarium.models.compare.comparing import tally_sources
from tokenarium.models.training.corpus_files import CorpusSource
"""

TALLY_SOURCES = """
tallies = tally_sources(TOKENIZERS, SOURCES)
"""

PROGRAMS = {
    "figures": (
        "from tokenarium.models.compare.metrics import METRICS, figures_of",
        """
figures = {name: figures_of(one) for name, one in tallies.items()}
rows = [
    {"tokenizer": name, **{metric.id: one.value(metric.id) for metric in METRICS}}
    for name, one in figures.items()
]
""",
    ),
    "files": (
        "from tokenarium.models.compare.comparing import named_parts\n"
        "from tokenarium.models.compare.metrics import METRICS, figures_of\n"
        "from tokenarium.models.training.corpus import Corpus",
        """
rows = []
for file, source in named_parts(Corpus(SOURCES)):
    for name, one in tally_sources(TOKENIZERS, [source]).items():
        figures = figures_of(one)
        values = {metric.id: figures.value(metric.id) for metric in METRICS}
        rows.append({"file": file, "tokenizer": name, **values})
""",
    ),
    "costs": (
        "from tokenarium.models.compare.prices import Price",
        """
rows = []
for name, one in tallies.items():
    for price in PRICES[name]:
        as_input, as_output = price.costs(one.tokens)
        row = {"model": price.model, "tokenizer": name, "tokens": one.tokens}
        rows.append({**row, "cost_in": as_input, "cost_out": as_output})
""",
    ),
    **{
        what: (
            f"from tokenarium.models.compare.comparison_model import ComparedRow, {chart}\n"
            "from tokenarium.models.programs import rows_of",
            f"""
compared = [ComparedRow(name, name, place, one) for place, (name, one) in enumerate(tallies.items())]
rows = rows_of({chart}(compared).table())
""",
        )
        for what, chart in (("lengths", "length_chart"), ("ranks", "rank_chart"))
    },
}
"""Computes the figures of the tallies for the table, the costs and the charts."""

NOTHING_READ = "No text was found there"
NOTHING_READ_HELP = "Choose text files, or a folder that has some."


class FiguresPart(Page):
    """A line that says what is counted, and a table in a card; two charts in ``charts``, which are placed elsewhere."""

    id = "figures"
    title = "Figures"

    shown = Signal()
    """Other figures are shown, or more of them."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._tallies: dict[str, Tally] = {}
        self._files: dict[str, tuple[tuple[str, Figures], ...]] = {}  # the figures of each file
        self.rows: list[ComparedRow] = []
        """A row for each tokenizer, also while the table has one for each file."""
        self.sampled: dict[str, SampledFigures] = {}
        """The figures of several documents with their samples, by the key of the tokenizer."""
        self._intervals: dict[str, tuple[SampledFigures, dict[str, Interval]]] = {}  # at this alpha
        self._notes: dict[str, str] = {}  # why a tokenizer has no figures, by its key
        self._counted: TextMap | None = None  # the text that was counted
        self._counted_with: dict[str, tc.Tokenizer] = {}
        self._complete = True
        self.sources: tuple[
            CorpusSource, ...
        ] = ()  # the files that are counted instead of the text
        self.files: FileCounts | None = None
        self._text_file = ""
        self.model = ComparisonModel(lambda: self.appearance.theme.dim, self)
        self.table = ComparisonTable(self.model)
        self.lengths = Plot("Token lengths")
        self.ranks = Plot("Rank and frequency")
        self.doubts = CaveatLabel()
        self._soon = soon(self, self.recount, SOON_MS)
        # A chart takes about 15 ms to draw, so each has its own turn of the event loop.
        self._frames = FrameQueue(self)
        self._charts_drawn = QElapsedTimer()
        self._build()
        session = self.session
        session.text_changed.connect(self._soon.start)
        session.tokenizers_changed.connect(self._soon.start)
        self.report_plots(self.lengths, self.ranks)
        self.recount()

    def _build(self) -> None:
        tip = "Counts the text of the window, or files instead"
        self.source = self._button("article", "This text", tip)
        self.source.clicked.connect(lambda: self._open_menu(self.source, SOURCES))
        self.told = secondary(ElidedLabel())
        self.bar = CountingBar("counting", "what there is")
        self.bar.stop_requested.connect(self._ask_to_stop)
        self.by_file = QCheckBox("A row for each file")
        self.by_file.setToolTip(
            "Shows the figures of each file; the charts still show all files together"
        )
        self.by_file.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.by_file.toggled.connect(lambda _: self._show_all())
        self.columns = self._button("columns", "Columns", "Chooses the figures that are shown")
        self.popup = CheckPopup("columns", self)
        self.popup.changed.connect(self.session.figures.show_columns)
        self.columns.clicked.connect(self._open_columns)
        self.session.figures.changed.connect(self._show_columns)
        self.export = self._button("export", "Export", "Copies or saves the figures")
        self.export.clicked.connect(lambda: self._open_menu(self.export, EXPORTS))
        line = in_row(
            self.source, (self.told, 1), self.by_file, self.bar, self.columns, self.export,
            spacing=GRID,
        )  # fmt: skip
        self.caveats = secondary(QLabel(wordWrap=True))
        self.caveats.setAccessibleName("What the figures do not show")
        self.doubts.setContentsMargins(0, 0, 0, 0)
        card = CardFrame()
        in_column(
            self.table,
            self.caveats,
            self.doubts,
            into=card,
            spacing=GRID,
            margins=(CARD_MARGIN, GRID, CARD_MARGIN, GRID + GRID // 2),
        )
        self._card = card
        # Not a stack: its layout would ignore that the notes need more height in less width.
        in_column(line, card, self.empty, into=self, spacing=GRID)
        self.empty.hide()
        self.charts = CardFrame()
        in_row(
            (self.lengths, 1), (self.ranks, 1), into=self.charts, spacing=3 * GRID,
            margins=CARD_MARGIN,
        )  # fmt: skip
        self._show_columns()

    def _button(self, picture: str, text: str, tip: str) -> QPushButton:
        button = named(QPushButton(icon(picture), text), tip, tip)
        button.setAutoDefault(False)
        return button

    def _open_menu(self, button: QPushButton, actions: Sequence[str]) -> None:
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([action for action, _ in self.help_with(*((id, "") for id in actions))])
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_value(
                "sources", list[CorpusSource], lambda: list(self.sources), self._count_again
            ),
            kept_control("by_file", self.by_file),
            kept_value("sort", str, lambda: self.model.sorting, self._sort_by),
            kept_value("row", list[str], self._chosen_row, self._choose_row),
        )

    def _count_again(self, sources: list[CorpusSource]) -> None:
        """Counts other files and folders, or the text if there are none."""
        if any(source.kind not in ("file", "folder") for source in sources):
            raise ValueError
        if tuple(sources) != self.sources:
            self._count_sources(tuple(sources))

    def _sort_by(self, column: str) -> None:
        """Sorts by the figure with an id; with "-" before it, from the greatest value.

        "": in the order of the library.
        """
        places = [metric.id for metric in METRICS]
        place = places.index(column.lstrip("-")) if column else -1
        orders = Qt.SortOrder
        order = orders.DescendingOrder if column[:1] == "-" else orders.AscendingOrder
        self.table.sortByColumn(place, order)

    def _chosen_row(self) -> list[str] | None:
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        return [self.model.rows[rows[0]].key, self.model.rows[rows[0]].file] if rows else None

    def _choose_row(self, wanted: list[str]) -> bool:
        """Chooses the row of a tokenizer, and of a file if each has its own; returns whether it exists yet."""
        if self.busy:
            return False  # the rows are about to be replaced
        for row, one in enumerate(self.model.rows):
            if [one.key, one.file] == wanted:
                self.table.selectRow(row)
                return True
        return False

    # The columns.

    @property
    def shown_columns(self) -> frozenset[str]:
        """The ids of the figures that are shown."""
        return self.session.figures.columns or frozenset(KEY_COLUMNS)

    def _open_columns(self) -> None:
        choices = [(metric.id, metric.heading) for metric in METRICS]
        self.popup.set_choices(choices, self.shown_columns)
        self.popup.open_under(self.columns)

    def _show_columns(self) -> None:
        ids = self.shown_columns
        self.columns.setText(f"Columns · {len(ids)} of {len(METRICS)}")
        self.table.show_columns(ids)
        notes = caveats(ids)
        self.caveats.setText("\n".join(notes))
        self.caveats.setVisible(bool(notes))

    # Counting.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.recount()

    def count_text(self) -> None:
        """Counts the text of the window now and after each change."""
        self._count_sources(())

    def count_files(self, paths: Sequence[Path]) -> None:
        """Counts files and folders instead of the text."""
        self._count_sources(
            tuple(
                CorpusSource("folder" if os.path.isdir(path) else "file", str(path))
                for path in paths
            )
        )

    def _count_sources(self, sources: tuple[CorpusSource, ...]) -> None:
        self.stop()
        self.sources = sources
        self._forget()
        self.recount()

    def recount(self) -> None:
        """Counts with the remaining tokenizers; a hidden page waits until it is shown."""
        self._soon.stop()
        items = self.session.chosen()
        if not items:
            self._say_empty(NO_TOKENIZER, (("open_tokenizer", "Open …"),))
        elif not self.sources and not self.session.has_text:
            self._say_empty(NO_TEXT, NO_TEXT_HELP)
        else:
            self._show_card(True)
        if self._card.isHidden():
            self.stop()
            self._forget()
            self._show_all()
        elif self.isVisible():
            self._count(items)

    def _say_empty(self, said: tuple[str, str], buttons: Sequence[tuple[str, str]]) -> None:
        self.empty.say(*said, self.help_with(*buttons))
        self._show_card(False)

    def _show_card(self, shown: bool) -> None:
        """Shows the table, or the message instead of it."""
        self._card.setVisible(shown)
        self.empty.setVisible(not shown)

    def _forget(self) -> None:
        self._tallies.clear()
        self._files.clear()
        self.sampled.clear()
        self._notes.clear()
        self._counted_with.clear()
        self._complete, self._stopped, self._told_last = True, False, ""

    def _count(self, items: Sequence[LibraryItem]) -> None:
        text_map = self.session.text_map
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        if not self.sources and self._counted is not text_map:
            self.stop()
            self._counted = text_map
            self._counted_with.clear()  # the figures of the last text stay until there are new ones
        missing = [e for e in items if self._counted_with.get(e.key) is not tokenizers[e.key]]
        if missing and (self.files is not None or self.running.busy):
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
                    self.sampled.pop(item.key, None)
            in_process = not self.sources and text_map.byte_count <= LONGEST_SLICE
            (self._start_job if in_process else self._start_files)(missing)
        self._show_all()

    def _start_job(self, items: Sequence[LibraryItem]) -> None:
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        work = TallyJob(self.session.text, tokenizers)

        def take(progress: Progress) -> None:
            for key, counts in work.tallies.items():
                self._tallies[key] = counts
                self._counted_with[key] = tokenizers[key]
            for key, sentence in work.problems.items():
                self._tallies.pop(key, None)
                self._notes[key] = sentence
                self._counted_with[key] = tokenizers[key]
            self._show_all()

        self.running.slices("Comparing", work, take)

    def _start_files(self, items: Sequence[LibraryItem]) -> None:
        candidates = [ComparedTokenizer(e.key, e.name, e.source, e.pattern) for e in items]
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        files = FileCounts(candidates, self.sources or (self._text_source(),), self)
        self.files = files
        self._complete = self._stopped = False

        def take() -> None:
            self._tallies.update(files.tallies)
            self._files.update(files.files if self.sources else {})
            self.sampled.update(files.sampled if self.sources else {})
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
        self.running.cancel()

    def stop(self) -> None:
        super().stop()
        if self.files is not None:
            self.files.cancel()

    @property
    def busy(self) -> bool:
        waits = self._soon.isActive() or self._frames.waiting
        return self.files is not None or waits or super().busy

    # Showing.

    _told_last = ""
    _stopped = False  # by the user

    def _ending(self, files: FileCounts) -> str:
        notes = " ".join(files.notes)
        nothing = not any(tally.byte_count for tally in files.tallies.values())
        if files.complete or (nothing and not self._stopped):
            return notes
        return f"Stopped at {files.fraction:.0%}: the tokenizers may have counted different parts. {notes}"

    def _show_all(self) -> None:
        self.rows = rows = [
            ComparedRow(
                item.key,
                item.name,
                item.identity,
                self._tallies.get(item.key),
                self._notes.get(item.key, ""),
                detail=item.encoding_name if item.name == item.model_name else "",
                intervals=self._intervals_of(item.key),
            )
            for item in self.session.chosen()
        ]
        self._show_rows(rows)
        counted = [row for row in rows if row.tally is not None]
        if self._read_nothing(counted):
            help_ = f"{self._told_last} {NOTHING_READ_HELP}".strip()
            self._say_empty((NOTHING_READ, help_), OTHER_SOURCES)
        self._show_charts(counted)
        running = self.files is not None
        self.bar.setVisible(running)
        if self.files is not None:
            self.bar.show_progress(stage("Counting", self.files.fraction))
        self.told.setText(self._sentence(counted))
        self.source.setText(self._source_name())
        self.doubts.say(doubts(counted))
        self.shown.emit()

    @property
    def alpha(self) -> float:
        """The significance of the intervals and differences."""
        return self.model.alpha

    def set_alpha(self, alpha: float) -> None:
        """Shows the intervals at another significance."""
        if alpha != self.alpha:
            self.model.alpha = alpha
            self._intervals.clear()
            self._show_all()

    def _intervals_of(self, key: str) -> dict[str, Interval]:
        """Returns the intervals of the figures of a tokenizer; worked out once, as this is asked at each change."""
        sampled = self.sampled.get(key)
        if sampled is None:
            return {}
        known = self._intervals.get(key)
        if known is None or known[0] is not sampled:
            known = sampled, figure_intervals(sampled, MEASURED, self.alpha)
            self._intervals[key] = known
        return known[1]

    def _show_rows(self, rows: Sequence[ComparedRow]) -> None:
        """Shows a row for each tokenizer, or for each file with each tokenizer, file by file."""
        names = dict.fromkeys(name for files in self._files.values() for name, _ in files)
        self.by_file.setVisible(len(names) > 1)
        if len(names) > 1 and self.by_file.isChecked():
            figures = {key: dict(files) for key, files in self._files.items()}
            rows = [
                replace(
                    row,
                    tally=None,
                    file=name,
                    figures=figures.get(row.key, {}).get(name),
                    intervals={},
                )
                for name in names
                for row in rows
            ]
        self.model.set_rows(rows, self._complete and self.files is None)

    def _show_charts(self, counted: Sequence[ComparedRow]) -> None:
        """Draws the charts one after another, less often while files are counted; outdated ones disappear at once."""
        drawn = self._charts_drawn
        often = drawn.isValid() and drawn.elapsed() < CHARTS_MS
        if self.files is not None and counted and often:
            return
        drawn.start()
        note = "Counting …" if not self._notes else "\n".join(self._notes.values())
        corpus = self._sentence(counted)
        for plot, charts in ((self.lengths, "lengths"), (self.ranks, "ranks")):
            code = partial(self.python, charts, plot.title)
            plot.set_source(FigureSource(corpus, code=code))
        self._frames.clear()
        self._frames.add(
            lambda: self.lengths.show_chart(length_chart(counted), note),
            lambda: self.ranks.show_chart(rank_chart(counted), note),
        )

    def python(self, what: str = "figures", title: str = "Figures") -> str:
        """Returns a program for the table, for the "costs", or for one of the charts: "lengths" or "ranks"."""
        items = [e for e in self.session.chosen() if e.key in self._tallies]
        if not items:
            return ""
        by_file = what == "figures" and any(row.file for row in self.model.rows)
        imports, body = PROGRAMS["files" if by_file else what]
        first = "" if by_file else TALLY_SOURCES if self.sources else TALLY_TEXT
        values: dict[str, object] = {"SOURCES": list(self.sources)} if self.sources else {}
        if what == "costs":
            prices_of = self.session.figures.prices_of
            values["PRICES"] = {item.name: list(prices_of(item.key)) for item in items}
        return program(
            title,
            f"{imports}\n{SOURCES_IMPORTS if self.sources else TEXT_IMPORTS}",
            f"{first}\n{body.strip()}",
            text=None if self.sources else self.session.text,
            file=self.session.file,
            tokenizers=[code_of(item) for item in items],
            values=values,
        )

    def study(self) -> Study:
        """Returns the study of the files that are compared; TokenariumError if there are none.

        Large texts have no hash: to read them here would stop the window.
        """
        items = self.session.chosen()
        tokenizers = [item.tokenizer for item in items if item.tokenizer is not None]
        if not self.sources or not items:
            raise tc.TokenariumError(
                "A study needs files: choose files or a folder to compare on, and a tokenizer."
            )
        codes = [code_of(item) for item in items]
        named = [
            StudyTokenizer(code.name, code.shipped or code.source, pattern=code.pattern)
            for code in codes
        ]
        study = study_of(named, self.sources, IntervalSettings(alpha=self.alpha))
        return with_hashes(study, tokenizers, MOST_HASHED // len(study.texts))

    def _read_nothing(self, counted: Sequence[ComparedRow]) -> bool:
        """Returns whether the files that were read contain no text."""
        if self.files is not None or self._stopped or not self.sources or not counted:
            return False
        return not any(row.tally.byte_count for row in counted if row.tally is not None)

    def _source_name(self) -> str:
        if not self.sources:
            return "This text"
        if len(self.sources) > 1:
            return f"{len(self.sources)} files"
        return "A folder" if self.sources[0].kind == "folder" else "A file"

    def _sentence(self, counted: Sequence[ComparedRow]) -> str:
        names = [Path(source.value).name or source.value for source in self.sources]
        title = ", ".join(names) if names else "The text of the window"
        first = counted[0].tally if counted else None
        stopped = self._stopped and self.files is None
        if first is None or self._read_nothing(counted):
            return f"{title}. {self._told_last}" if stopped else title
        size = f"{first.byte_count:,} bytes, {first.characters:,} code points, {first.word_count:,} words"
        if self.files is not None:
            return f"{title}: {size} so far, by {counted[0].name}"
        sentence = f"{title}: {size}"
        if self.sources and first.texts > 1:
            sentence += f", in {first.texts:,} documents"
        return f"{sentence}. {self._told_last}" if self.sources or stopped else sentence

    # Queries of the window.

    def lines(self) -> list[list[str]]:
        return [] if self._card.isHidden() else self.model.lines(self.shown_columns)

    def as_text(self) -> str:
        return self.model.as_text() if not self._card.isHidden() else ""

    def as_csv(self) -> str:
        return self.model.as_csv() if not self._card.isHidden() else ""

    def focus_first(self) -> None:
        self.table.setFocus()

    # Appearance.
