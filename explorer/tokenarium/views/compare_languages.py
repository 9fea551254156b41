"""The languages of the page Overview of Compare: what each one costs, and what the same content costs in each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QComboBox, QLabel, QWidget

import tokenarium_core as tc
from tokenarium.models.charts.chart import Axis
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.compare.comparing import (
    ComparedTokenizer,
    LanguageCounts,
    ParallelCounts,
)
from tokenarium.models.compare.comparison_model import explained
from tokenarium.models.compare.dot_plot import DotPlot, DotRow, DotSeries
from tokenarium.models.compare.kept_lines import count_parallel
from tokenarium.models.compare.language_premiums import (
    MEASURES,
    ParallelJob,
    PremiumEstimate,
    by_mean_figure,
    by_mean_premium,
    language_figures,
    language_gini,
    language_premiums,
    language_table,
    lost_languages,
    widest_gap,
)
from tokenarium.models.compare.metric import Metric
from tokenarium.models.compare.parallel_texts import (
    FEWEST,
    ParallelText,
    aligned,
    of_folder,
    shipped,
)
from tokenarium.models.csv_text import csv_text
from tokenarium.models.programs import CodeValue, program
from tokenarium.models.progress_reporter import stage
from tokenarium.models.text.lost_text import SAYS, SIGN
from tokenarium.models.text.text_file import TextFileError
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import TITLE_SIZE, number_font
from tokenarium.style.theme import (
    CARD_GAP,
    CARD_MARGIN,
    CONTROL_HEIGHT,
    CONTROL_RADIUS,
    GRID,
)
from tokenarium.style.themed import Themed
from tokenarium.views.compare_language_choice import LanguageChoice
from tokenarium.views.kept import Kept, kept_control, kept_value
from tokenarium.views.page_program import code_of
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.charts.dot_chart import DotChart
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.message_bar import CaveatLabel, CountingBar
from tokenarium.widgets.panel import (
    CardFrame,
    ElidedLabel,
    literal,
    named,
    secondary,
    tool_button,
)
from tokenarium.widgets.term_marks import TermButton, with_term
from tokenarium_core.progress import Progress

FOLDER = "folder"
"""The name of the work on a folder, which runs in a process."""

SOURCES = (("parallel_shipped", "Shipped"), ("parallel_folder", "Folder …"))

TOO_FEW = (
    "No language is chosen. Tick the languages whose costs you want to compare.",
    "Only one language is chosen. Tick another one to compare their costs.",
)
"""What the page says if there are too few languages, by their number."""

PREMIUM_TIP = (
    "Premium = tokens of a language ÷ tokens of the language it is compared with, for the same content.\n"
    "Source: Petrov et al. 2023, Language Model Tokenizers Introduce Unfairness Between Languages."
)
GINI_TIP = (
    "Gini = Σᵢ Σⱼ |xᵢ − xⱼ| ÷ (2 n² mean) over the tokens x of all n languages.\nSource: Gini 1912."
)
INTERVAL_TIP = (
    "The lines are 95% bootstrap intervals over the sentences (Efron 1979, 1000 samples)."
)

SIDE_BY_SIDE = 88 * GRID
"""The least width in pixels for two cards side by side."""

SAME_TIP = (
    "Tick this if the texts are parallel, to see premiums and a Gini coefficient.\nIt is ticked at first if"
    " the files have the same number of lines; only you know whether they say the same."
)
PREMIUM = "Premium"
PREMIUM_TITLE = "What the same content costs"

LOST = f"{SIGN} Hollow dots show no cost: this share of a language is lost. {SAYS}\n"


_TITLES = {
    **{metric.id: f"{metric.title} ({metric.unit})" for metric in MEASURES},
    "low": "low (95%)",
    "high": "high (95%)",
}


IMPORTS = """
from tokenarium.models.compare.comparing import ParallelCounts, line_counts
from tokenarium.models.compare.language_premiums import language_gini, language_table
from tokenarium.models.compare.tally import measured
"""

PROGRAM = """
texts = [text for text in TEXTS if text.language in LANGUAGES]
parts = [measured(*(text.lines if BY_LINE else (text.text,))) for text in texts]
counts = {name: line_counts(tokenizer, parts) for name, tokenizer in TOKENIZERS.items()}
names = tuple(text.title for text in texts)
rows = language_table(ParallelCounts(names, counts), list(counts), REFERENCE)
ginis = {name: language_gini(one) for name, one in counts.items()}
print(ginis)
"""


class LanguagesPart(Page):
    """A card with a figure for each language; for parallel texts, a second one with the Gini of each tokenizer."""

    id = "languages"
    title = "Languages"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.folder: Path | None = None
        self.texts: list[ParallelText] = shipped()
        self._by_line = aligned(self.texts)
        self._left_out: list[str] = []
        self._counts: dict[str, LanguageCounts] = {}
        self._made_with: dict[str, tc.Tokenizer] = {}
        self._ginis: dict[str, PremiumEstimate | None] = {}
        self._table: tuple[ParallelCounts, list[str], list[int]] = ParallelCounts((), {}), [], []
        self.premiums = DotChart(PREMIUM_TITLE)
        self.ginis = DotChart("How unequal")
        self.choice = LanguageChoice(self.session)
        self.doubts = CaveatLabel()
        self._build()
        self.choice.set_texts(self.texts)
        self.session.tokenizers_changed.connect(self.recount)
        self.choice.changed.connect(self._show_choice)
        self.report_plots(self.premiums, self.ginis)
        self.recount()

    def _build(self) -> None:
        self.told = secondary(ElidedLabel())
        self.same = QCheckBox("Parallel")
        self.same.setChecked(True)
        self.same.setToolTip(f"{explanation('parallel texts')}\n{SAME_TIP}")
        self.same.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.same.toggled.connect(self._show_same)
        self.measure = named(QComboBox(), "What is shown of each language")
        self.measure.setToolTip("What is shown of each language; the best comes first")
        self.measure.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.term = TermButton("premium")
        self.parallel_mark = with_term(self.same, "parallel texts")
        self._list_measures()
        self.measure.currentIndexChanged.connect(lambda _: self._show_all())
        self.bar = CountingBar("counting languages", "the tokenizers that are finished")
        self.bar.stop_requested.connect(lambda: self.running.ask_to_stop(FOLDER))
        self.buttons = [tool_button(action, text) for action, text in self.help_with(*SOURCES)]
        controls = QWidget()
        row = FlowLayout(controls, GRID)
        for button in (*self.buttons, self.same):
            button.setMinimumHeight(CONTROL_HEIGHT)  # as high as its neighbour
        for control in (
            self.measure, self.term, self.choice, *self.buttons, self.parallel_mark, self.bar
        ):  # fmt: skip
            row.addWidget(control)
        self.premiums.set_controls(self.told, controls)
        costs, self.unequal = CardFrame(), CardFrame()
        in_column(
            self.premiums, self.doubts, STRETCH, into=costs, spacing=GRID, margins=CARD_MARGIN
        )
        self.about_ginis = secondary(QLabel(wordWrap=True))
        about = QWidget()
        mark = TermButton("Gini coefficient")
        in_row((self.about_ginis, 1), (mark, 0, Qt.AlignmentFlag.AlignTop), into=about)
        self.ginis.set_controls(None, about)
        self.gap = _Seen()
        in_column(
            self.ginis, GRID, self.gap, STRETCH, into=self.unequal, spacing=GRID,
            margins=CARD_MARGIN,
        )  # fmt: skip
        self._cards = in_row((costs, 3), (self.unequal, 1), into=self, spacing=CARD_GAP)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the second card under the first one if there is little room."""
        super().resizeEvent(event)
        direction = QBoxLayout.Direction
        wide = event.size().width() >= SIDE_BY_SIDE
        self._cards.setDirection(direction.LeftToRight if wide else direction.TopToBottom)

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_value(
                "folder", str, lambda: str(self.folder) if self.folder else "", self._compare_again
            ),
            kept_control("parallel", self.same),
            kept_control("measure", self.measure),
            kept_value("reference", str, self.choice.reference.currentData, self.choice.refer_to),
        )

    def _compare_again(self, folder: str) -> None:
        """Compares another folder of texts, or the shipped sentences."""
        if folder and Path(folder) != self.folder:
            self.compare_folder(Path(folder))
        elif not folder and self.folder is not None:
            self.compare_shipped()

    # The texts.

    def compare_shipped(self) -> None:
        """Compares languages on the sentences that come with the program."""
        self._take(None, shipped(), [])

    def compare_folder(self, folder: Path) -> None:
        """Compares languages on a folder of texts; does nothing if it has none."""
        try:
            texts, left_out = of_folder(folder)
        except TextFileError as error:
            self.session.problem.emit(str(error))
            return
        self._take(folder, texts, left_out)

    def _take(self, folder: Path | None, texts: list[ParallelText], left_out: list[str]) -> None:
        self.stop()
        self.folder, self.texts, self._left_out = folder, texts, left_out
        self._by_line = aligned(texts)
        self._counts.clear()
        self._made_with.clear()
        self._ginis.clear()
        with QSignalBlocker(self.same):
            self.same.setChecked(folder is None or self._by_line)
        self._list_measures()
        self.choice.set_texts(texts)
        self.recount()

    @property
    def parallel(self) -> bool:
        """Whether the texts are treated as translations of each other."""
        return self.folder is None or self.same.isChecked()

    def _list_measures(self) -> None:
        """Lists the measures that can be shown; premiums only for parallel texts."""
        shown = self.measure.currentText()
        with QSignalBlocker(self.measure):
            self.measure.clear()
            if self.parallel:
                self.measure.addItem(PREMIUM)
                self.measure.setItemData(0, _premium_tip(), Qt.ItemDataRole.ToolTipRole)
            for metric in MEASURES:
                self.measure.addItem(metric.title, metric)
                last = self.measure.count() - 1
                self.measure.setItemData(last, explained(metric), Qt.ItemDataRole.ToolTipRole)
            self.measure.setCurrentIndex(max(self.measure.findText(shown), 0))
        self.parallel_mark.setVisible(self.folder is not None)
        self.choice.set_compares(self.parallel)

    def _show_same(self) -> None:
        self._list_measures()
        with QSignalBlocker(self.measure):
            self.measure.setCurrentIndex(0)  # premiums, or what replaces them
        self._show_choice()

    # Counting.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.recount()

    def recount(self) -> None:
        """Counts with the remaining tokenizers; a hidden page waits until it is shown."""
        if not self.isVisible():
            return
        items = self.session.chosen()
        missing = [e for e in items if self._made_with.get(e.key) is not e.tokenizer]
        if missing:
            self.stop()
            (self._start_job if self.folder is None else self._start_worker)(missing)
        self._show_all()

    def _show_choice(self) -> None:
        self._ginis.clear()
        self._show_all()

    def _start_job(self, items: list[LibraryItem]) -> None:
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        work = ParallelJob([text.lines for text in self.texts], tokenizers)

        def take(progress: Progress) -> None:
            self._add(work.counts, tokenizers)

        self.running.slices("Comparing languages", work, take, self._fail)

    def _start_worker(self, items: list[LibraryItem]) -> None:
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        candidates = [ComparedTokenizer(e.key, e.name, e.source, e.pattern) for e in items]

        def take(found: ParallelCounts) -> None:
            self._add(found.counts, tokenizers)

        self.running.process(
            count_parallel,
            candidates,
            self.texts,
            self._by_line,
            take=take,
            fail=self._fail,
            say=self.bar.show_progress,
            name=FOLDER,
        )
        self.bar.show_progress(stage("Counting", 0.0))

    def _fail(self, sentence: str) -> None:
        if sentence:
            self.session.problem.emit(f"The languages cannot be compared. {sentence}")
        self._show_all()

    def _add(self, counts: dict[str, LanguageCounts], tokenizers: dict[str, tc.Tokenizer]) -> None:
        for key, one in counts.items():
            if self._counts.get(key) is not one:
                self._counts[key] = one
                self._made_with[key] = tokenizers[key]
                self._ginis.pop(key, None)
        self._show_all()

    # Showing.

    def _show_all(self) -> None:
        items = [item for item in self.session.chosen() if item.key in self._counts]
        series = [DotSeries(item.name, item.identity) for item in items]
        places = self.choice.places
        few = len(places) < FEWEST
        if few:
            items = []
        reference = self.choice.reference_place
        names = tuple(self.texts[place].title for place in places)
        counts = {item.key: self._counts[item.key].of(places) for item in items}
        metric: Metric | None = self.measure.currentData()
        term = "premium" if metric is None else metric.term
        self.term.setVisible(bool(term))
        if term:
            self.term.set_term(term)
        note = TOO_FEW[len(places)] if few else "Counting …" if self.busy else ""
        if metric is None:
            columns: list[Sequence[PremiumEstimate | None]] = [
                language_premiums(count, reference, names) for count in counts.values()
            ]
            order = by_mean_premium(ParallelCounts(names, counts), reference)
            against = f"{self.choice.reference.currentText()} = 1"
            axis = Axis("Tokens for the same content", against, True)
            seen = widest_gap(names, [item.name for item in items], columns, reference)
        else:
            columns = [language_figures(count, metric) for count in counts.values()]
            order = by_mean_figure(columns, metric)
            axis = Axis(metric.title, metric.unit)
            seen = "", ""
        rows = [DotRow(names[place], [one[place] for one in columns]) for place in order]
        at = 1.0 if metric is None else None
        self.premiums.set_title(metric.title if metric is not None else PREMIUM_TITLE)
        plot = DotPlot(axis, series, rows if items else (), at, times=metric is None)
        self.premiums.show_plot(plot, note)
        self.gap.say(*(seen if items else ("", "")))
        self._table = ParallelCounts(names, counts), [item.name for item in items], order
        self.unequal.setVisible(self.parallel and not few)
        self.about_ginis.setText(f"Gini of the {len(places)} costs; 0 is equal.")
        for key, one in counts.items():
            if key not in self._ginis:
                self._ginis[key] = language_gini(one)
        items.sort(key=lambda item: _value(self._ginis[item.key]))
        series = [DotSeries(item.name, item.identity) for item in items]
        gini_rows = [
            DotRow(e.name, [self._ginis[e.key] if e is other else None for other in items])
            for e in items
        ]
        self.ginis.show_plot(DotPlot(Axis("Gini", "0: equal"), series, gini_rows, None, True), note)
        interval = f"\n{INTERVAL_TIP}" if self._by_line else ""
        self.premiums.setToolTip(
            explained(metric) if metric is not None else _premium_tip() + interval
        )
        self.ginis.setToolTip(f"{explanation('Gini coefficient')}\n{GINI_TIP}{interval}")
        self._say_source(places, metric is None)
        self.bar.setVisible(self.running.runs(FOLDER))
        self._tell(len(items))
        against_one = reference if metric is None else None
        lost = [
            f"{e.name}: {some}"
            for e in items
            if (some := lost_languages(counts[e.key], names, against_one))
        ]
        self.doubts.say(LOST + "\n".join(lost) if lost else "")

    def _say_source(self, places: Sequence[int], premiums: bool) -> None:
        """Describes the texts in figures."""
        count = len(places)
        if self.folder is None:
            corpus = f"The same {len(self.texts[0].lines)} sentences in {count} languages, which come with Tokenarium"
        else:
            corpus = f"Texts in {count} languages, from {self.folder.name}"
        intervals = INTERVAL_TIP if self._by_line and self.parallel else ""
        self.premiums.set_source(FigureSource(corpus, intervals if premiums else "", self.python))
        self.ginis.set_source(FigureSource(corpus, intervals, self.python))

    def python(self) -> str:
        items = [item for item in self.session.chosen() if item.key in self._counts]
        places = self.choice.places
        if not items or len(places) < FEWEST:
            return ""
        texts = CodeValue(
            "shipped()", "from tokenarium.models.compare.parallel_texts import shipped"
        )
        if self.folder is not None:
            texts = CodeValue(
                f"of_folder(Path({str(self.folder)!r}))[0]",
                "from pathlib import Path\n"
                "from tokenarium.models.compare.parallel_texts import of_folder",
            )
        return program(
            PREMIUM_TITLE if self.parallel else self.title,
            IMPORTS,
            PROGRAM,
            tokenizers=[code_of(item) for item in items],
            values={
                "TEXTS": texts,
                "LANGUAGES": [self.texts[place].language for place in places],
                "BY_LINE": self._by_line,
                "REFERENCE": self.choice.reference_place if self.parallel else None,
            },
        )

    def _tell(self, counted: int) -> None:
        folder = f"{self.folder.name}: " if self.folder is not None else ""
        lines = len(self.texts[0].lines)
        if self.folder is None:
            description = f"{lines} aligned lines each; lines show 95%"
        elif not self.parallel:
            description = "the contents may differ, so there are no premiums"
        elif self._by_line:
            description = f"taken as the same content, {lines:,} lines each"
        else:
            description = "taken as the same content, not aligned by line, so no intervals"
        sentence = f"{folder}{description}"
        if not counted and self.busy:
            sentence += ". Counting …"
        if self._left_out:
            sentence += f". {len(self._left_out)} files left out"
        self.told.setText(sentence)
        self.told.set_tip("\n".join([*self._left_out[:10], PREMIUM_TIP, GINI_TIP, INTERVAL_TIP]))

    # Queries of the window.

    def lines(self) -> list[list[str]]:
        return [] if self.premiums.drawing.plot.empty else self.premiums.lines()

    def as_text(self) -> str:
        return self._written("\t")

    def as_csv(self) -> str:
        return self._written(",")

    def _written(self, separator: str) -> str:
        """Returns all figures of all languages, shown or not, with a line of titles."""
        counts, titles, order = self._table
        if self.premiums.drawing.plot.empty:
            return ""
        reference = self.choice.reference_place if self.parallel else None
        table = language_table(counts, titles, reference)
        lines = [table[place * len(titles) :][: len(titles)] for place in order]
        rows = [
            [f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row.values()]
            for language in lines
            for row in language
        ]
        return csv_text([[_TITLES.get(name, name) for name in table[0]], *rows], separator)

    def focus_first(self) -> None:
        self.premiums.drawing.setFocus()


def _value(estimate: PremiumEstimate | None) -> float:
    return estimate.value if estimate is not None else math.inf


class _Seen(Themed, QWidget):
    """A sentence that says what a chart shows, under its figures, with its own background."""

    def __init__(self) -> None:
        super().__init__()
        self.figures, self.sentence = literal(QLabel()), literal(QLabel(wordWrap=True))
        self.figures.setFont(number_font(TITLE_SIZE, QFont.Weight.DemiBold))
        in_column(self.figures, self.sentence, into=self, spacing=GRID // 2, margins=CARD_MARGIN)
        self.hide()

    def say(self, figures: str, sentence: str) -> None:
        """Shows figures and a sentence; nothing for empty ones."""
        self.figures.setText(figures)
        self.sentence.setText(sentence)
        self.setVisible(bool(sentence))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.ask_ground)
        painter.drawRoundedRect(self.rect(), CONTROL_RADIUS, CONTROL_RADIUS)
        painter.end()


def _premium_tip() -> str:
    return f"{explanation('premium')}\n{PREMIUM_TIP}"
