"""The page Languages of the workspace Compare: what the same content costs in each language."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

import tokenarium_core as tc
from tokenarium.models.chart import Axis
from tokenarium.models.comparing import (
    Candidate,
    LanguageCounts,
    ParallelCounts,
    count_parallel,
)
from tokenarium.models.dot_plot import DotPlot, DotRow, Series
from tokenarium.models.language_premiums import (
    Estimate,
    by_mean_premium,
    language_gini,
    language_premiums,
    unknown_languages,
)
from tokenarium.models.library import Entry
from tokenarium.models.parallel_job import ParallelJob
from tokenarium.models.parallel_texts import ParallelText, aligned, of_folder, shipped
from tokenarium.models.text_file import TextFileError
from tokenarium.models.unknown_text import SIGN
from tokenarium.theme import GRID
from tokenarium.views.compare_page import ComparePage
from tokenarium.views.workspace import NO_TOKENIZER, Workspace
from tokenarium.widgets.counting_bar import CountingBar
from tokenarium.widgets.dot_chart import DotChart
from tokenarium.widgets.doubt_line import DoubtLine
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.panel import HEAD_HEIGHT, MARGIN, ElidedLabel, Rule, secondary, tool_button
from tokenarium.worker import Worker

JOB = "compare languages"
SOURCES = (("parallel_shipped", "Shipped sentences"), ("parallel_folder", "Folder …"))

PREMIUM_TIP = (
    "Premium = tokens of a language ÷ tokens of the language it is compared with, for the same content.\n"
    "Source: Petrov et al. 2023, Language Model Tokenizers Introduce Unfairness Between Languages."
)
GINI_TIP = (
    "Gini = Σᵢ Σⱼ |xᵢ − xⱼ| ÷ (2 n² mean) over the tokens x of all n languages: 0 where all cost the same, near 1"
    " where one has all.\nSource: Gini 1912."
)
INTERVAL_TIP = (
    "The lines are 95% bootstrap intervals over the sentences (Efron 1979, 1000 samples)."
)


UNKNOWN = f"{SIGN} Hollow dots show no cost: so much of a language became unknown tokens, one for a whole word or character.\n"


class LanguagesPage(ComparePage):
    """Premiums of all languages at the left, the Gini of each tokenizer at the right."""

    id = "languages"
    title = "Languages"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.folder: Path | None = None
        self.texts: list[ParallelText] = shipped()
        self.worker: Worker | None = None
        self._by_line = aligned(self.texts)
        self._left_out: list[str] = []
        self._counts: dict[str, LanguageCounts] = {}
        self._made_with: dict[str, tc.Tokenizer] = {}
        self._ginis: dict[str, Estimate | None] = {}
        theme = self.appearance.theme
        self.premiums = DotChart("Premium", theme)
        self.ginis = DotChart("Inequality", theme)
        self.reference = QComboBox()
        self.doubts = DoubtLine()
        self.empty = EmptyState()
        self._build()
        self._fill_reference()
        self.session.tokenizers_changed.connect(self.recount)
        self.appearance.changed.connect(self._show_theme)
        for chart in (self.premiums, self.ginis):
            chart.problem.connect(self.session.problem)
        self.recount()

    def _build(self) -> None:
        self.buttons = [tool_button(action, text) for action, text in self.help_with(*SOURCES)]
        self.reference.setAccessibleName("The language that the others are compared with")
        self.reference.setToolTip(
            "The language that the others are compared with: its premium is 1"
        )
        self.reference.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.reference.currentIndexChanged.connect(self._show_all)
        self.told = secondary(ElidedLabel())
        self.bar = CountingBar("counting the languages", "the tokenizers that are done")
        self.bar.stop_requested.connect(
            lambda: self.worker.ask_to_stop() if self.worker is not None else None
        )
        line = QWidget()
        line.setFixedHeight(HEAD_HEIGHT)
        row = QHBoxLayout(line)
        row.setContentsMargins(MARGIN, 0, MARGIN, 0)
        row.setSpacing(GRID // 2)
        row.addWidget(QLabel("Count"))
        for button in self.buttons:
            row.addWidget(button)
        row.addSpacing(GRID)
        row.addWidget(QLabel("against"))
        row.addWidget(self.reference)
        row.addSpacing(GRID)
        row.addWidget(self.told, 1)
        row.addWidget(self.bar)
        both = QWidget()
        side_by_side = QHBoxLayout(both)
        side_by_side.setContentsMargins(MARGIN, GRID, MARGIN, GRID)
        side_by_side.setSpacing(2 * GRID)
        side_by_side.addWidget(self.premiums, 3)
        side_by_side.addWidget(self.ginis, 2)
        self._pages = QStackedWidget()
        self._pages.addWidget(both)
        self._pages.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (line, Rule(), self.doubts, self._pages):
            layout.addWidget(widget)
        layout.setStretchFactor(self._pages, 1)

    # The texts.

    def compare_shipped(self) -> None:
        """Compares languages on the sentences of the program."""
        self._take(None, shipped(), [])

    def compare_folder(self, folder: Path) -> None:
        """Compares languages on a folder of texts; where it has none all stays as it is."""
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
        self._fill_reference()
        self.recount()

    def _fill_reference(self) -> None:
        self.reference.blockSignals(True)
        self.reference.clear()
        self.reference.addItems([text.title for text in self.texts])
        english = [
            place
            for place, text in enumerate(self.texts)
            if text.language.casefold() in ("en", "eng", "english")
        ]
        self.reference.setCurrentIndex(english[0] if english else 0)
        self.reference.blockSignals(False)

    # Counting.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.recount()

    def recount(self) -> None:
        """Counts with the tokenizers that have not counted yet; waits where the page is not seen."""
        entries = self.session.chosen()
        if not entries:
            self.empty.say(*NO_TOKENIZER, self.help_with(("open_tokenizer", "Open …")))
        self._pages.setCurrentIndex(0 if entries else 1)
        if not self.isVisible():
            return
        missing = [e for e in entries if self._made_with.get(e.key) is not e.tokenizer]
        if missing:
            self.stop()
            (self._start_job if self.folder is None else self._start_worker)(missing)
        self._show_all()

    def _start_job(self, entries: list[Entry]) -> None:
        tokenizers = {e.key: e.tokenizer for e in entries if e.tokenizer is not None}
        work = ParallelJob([text.lines for text in self.texts], tokenizers)

        def take(progress: tc.Progress) -> None:
            self._add(work.counts, tokenizers)

        def fail(error: tc.TokenariumError) -> None:
            self.session.problem.emit(f"The languages cannot be compared. {error}")

        self.session.jobs.start(JOB, "Comparing languages", work, take, fail)

    def _start_worker(self, entries: list[Entry]) -> None:
        tokenizers = {e.key: e.tokenizer for e in entries if e.tokenizer is not None}
        candidates = [Candidate(e.key, e.name, e.source, e.pattern) for e in entries]
        worker = Worker(count_parallel, candidates, self.texts, self._by_line, parent=self)
        self.worker = worker

        def end(sentence: str = "") -> None:
            self.worker = None
            worker.deleteLater()
            if sentence:
                self.session.problem.emit(f"The languages cannot be compared. {sentence}")
            self._show_all()

        def take(found: object) -> None:
            assert isinstance(found, ParallelCounts)
            self._add(found.counts, tokenizers)
            end()

        worker.told.connect(self.bar.show_share)
        worker.finished.connect(take)
        worker.failed.connect(end)
        worker.cancelled.connect(end)
        self.bar.show_share(0)
        worker.start()

    def _add(self, counts: dict[str, LanguageCounts], tokenizers: dict[str, tc.Tokenizer]) -> None:
        for key, one in counts.items():
            if self._counts.get(key) is not one:
                self._counts[key] = one
                self._made_with[key] = tokenizers[key]
                self._ginis[key] = language_gini(one)
        self._show_all()

    def stop(self) -> None:
        self.session.jobs.cancel(JOB)
        if self.worker is not None:
            self.worker.cancel()

    @property
    def busy(self) -> bool:
        return self.worker is not None or self.session.jobs.runs(JOB)

    # Showing.

    def _show_all(self) -> None:
        entries = [entry for entry in self.session.chosen() if entry.key in self._counts]
        series = [Series(entry.name, entry.colour) for entry in entries]
        reference = max(self.reference.currentIndex(), 0)
        names = tuple(text.title for text in self.texts)
        counts = ParallelCounts(names, {e.key: self._counts[e.key] for e in entries})
        found = [language_premiums(self._counts[e.key], reference, names) for e in entries]
        rows = [
            DotRow(names[place], [one[place] for one in found])
            for place in by_mean_premium(counts, reference)
        ]
        against = self.reference.currentText()
        note = "Counting …" if self.busy else ""
        axis = Axis("Tokens for the same content", f"{against} = 1", True)
        self.premiums.show_plot(DotPlot(axis, series, rows if entries else (), 1.0), note)
        gini_rows = [
            DotRow(e.name, [self._ginis[e.key] if e is other else None for other in entries])
            for e in entries
        ]
        self.ginis.show_plot(DotPlot(Axis("Gini", "0: equal"), series, gini_rows, None, True), note)
        interval = f"\n{INTERVAL_TIP}" if self._by_line else ""
        self.premiums.setToolTip(PREMIUM_TIP + interval)
        self.ginis.setToolTip(GINI_TIP + interval)
        self.bar.setVisible(self.worker is not None)
        self._tell(len(entries))
        lost = [
            f"{e.name}: {unknown}"
            for e in entries
            if (unknown := unknown_languages(self._counts[e.key], names, reference))
        ]
        self.doubts.say(UNKNOWN + "\n".join(lost) if lost else "")

    def _tell(self, counted: int) -> None:
        where = f"{self.folder.name}: " if self.folder is not None else ""
        lines = len(self.texts[0].lines)
        how = (
            f"{lines} aligned lines each"
            if self._by_line
            else "not aligned by line, so no intervals"
        )
        sentence = f"{where}{len(self.texts)} languages, {how}"
        if not counted and self.busy:
            sentence += ". Counting …"
        if self._left_out:
            sentence += f". {len(self._left_out)} files left out"
        self.told.setText(sentence)
        self.told.set_tip("\n".join([*self._left_out[:10], PREMIUM_TIP, GINI_TIP, INTERVAL_TIP]))

    # What the window asks.

    def as_text(self) -> str:
        return self.premiums.drawing.plot.as_table("\t")

    def as_csv(self) -> str:
        return self.premiums.drawing.plot.as_table()

    def focus_first(self) -> None:
        self.premiums.drawing.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.ginis.drawing

    def _show_theme(self) -> None:
        for chart in (self.premiums, self.ginis):
            chart.set_theme(self.appearance.theme)
