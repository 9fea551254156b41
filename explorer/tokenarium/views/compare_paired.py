"""The paired differences on the page Overview of Compare: how much two tokenizers differ on documents, and how surely."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QPushButton

from tokenarium.analyses.paired_differences import (
    PairRow,
    exact_pairs,
    pair_rows,
    paired_boards,
    paired_table,
)
from tokenarium.analyses.parts import Board
from tokenarium.models.compare.comparison_model import ComparedRow
from tokenarium.models.compare.intervals import (
    MEASURED,
    RESAMPLES,
    SIGNIFICANCE,
    interval_notes,
    measure_intervals,
)
from tokenarium.models.compare.metric import Metric
from tokenarium.models.compare.metrics import METRIC_OF, is_flattered
from tokenarium.models.programs import program
from tokenarium.models.text.piece import counted
from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.style.icons import icon
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.views.compare_figures import FiguresPart
from tokenarium.views.kept import Kept, kept_control
from tokenarium.views.page_program import code_of
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.analysis.result_table import ResultTable
from tokenarium.widgets.layouts import FlowLayout, in_column
from tokenarium.widgets.panel import CardFrame, named, secondary
from tokenarium.widgets.term_marks import TermButton

EXPORTS: Final = ("copy_comparison", "copy_python", "save_comparison", "save_study")
ALPHAS: Final = (0.1, SIGNIFICANCE, 0.01, 0.001)
TITLE: Final = "Paired differences"

MOST_WRITTEN: Final = 3000
"""Differences that are worked out for a file: more would stop the window for a second, so only the shown figure has them."""

IMPORTS: Final = """
from tokenarium.analyses.paired_differences import exact_pairs, pair_rows
from tokenarium.models.compare.comparing import source_units
from tokenarium.models.compare.intervals import intervals_of
from tokenarium.models.studies.study import StudyPart
from tokenarium.models.training.corpus_files import CorpusSource
"""

PROGRAM: Final = """
counts = source_units(TOKENIZERS, SOURCES).counts
(found,) = intervals_of(counts, [MEASURE], alpha=ALPHA)
part = StudyPart("all texts", len(counts), counts, (found,))
rows = exact_pairs(pair_rows(found, part.is_doubtful), list(TOKENIZERS))
"""


class PairedPart(Page):
    """A card with a row for each pair of tokenizers; hidden unless several tokenizers are compared on files."""

    id = "paired"
    title = TITLE

    def __init__(self, workspace: Workspace, figures: FiguresPart) -> None:
        super().__init__(workspace)
        self._figures = figures
        self._rows: list[ComparedRow] = []
        self._shown: object = None
        self.pairs: list[PairRow] = []
        self.measure = named(QComboBox(), "The figure whose differences are shown")
        self.measure.setToolTip("The figure whose differences are shown")
        self.measure.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for name in MEASURED:
            self.measure.addItem(METRIC_OF[name].heading, name)
        self.alpha = named(QComboBox(), "The significance of intervals and differences")
        self.alpha.setToolTip(
            "The chance of calling a difference one where there is none; the intervals have a confidence of 1 − α"
        )
        for alpha in ALPHAS:
            self.alpha.addItem(f"α = {alpha:g}", alpha)
        self.alpha.setCurrentIndex(ALPHAS.index(SIGNIFICANCE))
        self.export = named(QPushButton(icon("export"), "Export"), "Export the differences")
        self.export.setToolTip("Copies or saves the differences in all figures")
        self.export.setAutoDefault(False)
        self.export.clicked.connect(self._open_menu)
        self.note = secondary(QLabel(wordWrap=True))
        self.table = ResultTable(TITLE)
        self._build()
        self.measure.currentIndexChanged.connect(lambda _: self.show_pairs())
        self.alpha.currentIndexChanged.connect(
            lambda _: self._figures.set_alpha(self.alpha.currentData())
        )
        figures.shown.connect(self.show_pairs)
        self.appearance.changed.connect(self._show_again)
        self.show_pairs()

    def _build(self) -> None:
        heading = QLabel(TITLE)
        heading.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        controls = FlowLayout(spacing=GRID)
        for control in (
            heading, TermButton("paired difference"), self.measure, self.alpha, TermButton("α"), self.export,
        ):  # fmt: skip
            controls.addWidget(control)
        card = CardFrame()
        margins = (CARD_MARGIN, GRID, CARD_MARGIN, GRID)
        in_column(controls, self.table, self.note, into=card, spacing=GRID, margins=margins)
        in_column(card, into=self)

    def keeps(self) -> Iterable[Kept]:
        return (kept_control("paired", self.measure), kept_control("alpha", self.alpha))

    # Showing.

    def _show_again(self) -> None:
        """Paints the markers in the colours of another theme."""
        self._shown = None
        self.show_pairs()

    def show_pairs(self) -> None:
        """Shows the differences of the tokenizers that are counted on the same documents."""
        figures = self._figures
        sampled = figures.sampled if figures.files is None else {}
        rows = [row for row in figures.rows if row.key in sampled]
        units = {sampled[row.key].units for row in rows}
        self._rows = rows if len(rows) > 1 and len(units) == 1 else []
        self.setVisible(bool(figures.sources) and len(figures.rows) > 1)
        now = [(row.key, row.name, row.colour, sampled[row.key]) for row in self._rows]
        asked = now, self.measure.currentData(), figures.alpha
        if asked == self._shown:
            return
        self._shown = asked
        self.pairs = self._pairs(self.measure.currentData()) if self._rows else []
        self.table.show_part(paired_table(*self._shown_pairs))
        self.table.setVisible(bool(self.pairs))
        self.export.setVisible(bool(self.pairs))
        self.note.setText(self._sentence())

    @property
    def _shown_pairs(self) -> tuple[list[PairRow], list[str], list[int], float]:
        """The differences, the names and identities of their tokenizers, and α."""
        names, colours = ([getattr(row, name) for row in self._rows] for name in ("name", "colour"))
        return self.pairs, names, colours, self._figures.alpha

    def _pairs(self, measure: str) -> list[PairRow]:
        """Returns the differences of all pairs in one figure."""
        figures, rows = self._figures, self._rows

        def doubtful(metric: Metric, place: int) -> bool:
            tally = rows[place].tally
            return tally is not None and is_flattered(metric, tally)

        sampled = [figures.sampled[row.key] for row in rows]
        return pair_rows(measure_intervals(sampled, MEASURED, measure, figures.alpha), doubtful)

    def _sentence(self) -> str:
        """Says what the differences come from, and what limits them."""
        figures = self._figures
        if figures.files is not None:
            return "Counting …"
        if not self._rows:
            return "There are no differences: they need at least two documents, on which all tokenizers are counted."
        tally = self._rows[0].tally
        documents = tally.texts if tally is not None else 0
        drawn = figures.sampled[self._rows[0].key].units
        notes = interval_notes(documents, "document", len(self._rows), RESAMPLES, figures.alpha)
        if drawn < documents:
            notes.append("Neighbouring documents were drawn together.")
        if not self.pairs:
            notes.append("This figure has no meaning for these texts.")
        said = (
            f"From {RESAMPLES:,} samples of the {documents:,} documents, the same for all tokenizers (bootstrap, seed 0);"
            f" corrected for {counted(len(self.pairs), 'pair')} (Holm 1979)."
        )
        return " ".join([said, *notes])

    def _open_menu(self) -> None:
        menu = QMenu(self.export)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([action for action, _ in self.help_with(*((id, "") for id in EXPORTS))])
        menu.popup(self.export.mapToGlobal(self.export.rect().bottomLeft()))

    # Queries of the window.

    def boards(self) -> list[Board]:
        """Returns the step of a presentation with the shown differences."""
        return paired_boards(*self._shown_pairs)

    def lines(self) -> list[list[str]]:
        """Returns the differences in all figures, with all their digits; of very many tokenizers, in the shown figure."""
        if not self.pairs:
            return []
        names, pairs = [row.name for row in self._rows], self.pairs
        if len(pairs) * len(MEASURED) <= MOST_WRITTEN:
            pairs = [row for one in MEASURED for row in self._pairs(one)]
        rows = exact_pairs(pairs, names)
        return [list(rows[0]), *([_written(value) for value in row.values()] for row in rows)]

    def focus_first(self) -> None:
        self.measure.setFocus()

    def python(self) -> str:
        if not self.pairs:
            return ""
        keys = [row.key for row in self._rows]
        items = [item for item in self.session.chosen() if item.key in keys]
        return program(
            TITLE,
            IMPORTS,
            PROGRAM,
            tokenizers=[code_of(item) for item in items],
            values={
                "SOURCES": list(self._figures.sources),
                "MEASURE": self.measure.currentData(),
                "ALPHA": self._figures.alpha,
            },
        )


def _written(value: object) -> str:
    return "" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)
