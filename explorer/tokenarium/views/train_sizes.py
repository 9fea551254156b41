"""The page "Vocabulary size": what each size of a vocabulary costs a model, and how well a trained one compresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from tokenarium.analyses.model_inputs import MODEL_FIELDS, embedding_of
from tokenarium.models.charts.chart import Axis, Chart
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.programs import program
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.training.size_budget import (
    BYTES_PER_TOKEN,
    COLUMNS,
    ENTRIES,
    PARAMETERS,
    Embedding,
    SizeBudget,
    SizeRow,
    size_row,
)
from tokenarium.models.training.store import Trained
from tokenarium.models.vocabulary.padded_sizes import MULTIPLES
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_control, kept_fields, kept_value
from tokenarium.views.page_program import code_of
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.analysis.field_control import control_of
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.charts.plot import Plot, PlotPair
from tokenarium.widgets.field_row import FieldBelow, field_row
from tokenarium.widgets.flat_table import SpreadTable
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import CardFrame, heading, named, secondary
from tokenarium.widgets.training.option_field import Problem
from tokenarium_core import TokenariumError

NO_CURVE = "Its algorithm has no merges: it was trained for one size only."
FAULTY = "Nothing is shown while a field above is not a number."
MOST_ROWS = 10
"""Rows of the table that are visible at once."""

SPARE = (PARAMETERS + 4, PARAMETERS + 2, ENTRIES + 1)
"""Columns that a narrow table leaves out: int8, fp32, which are half and twice bf16, and the rows."""

TERMS = {
    ENTRIES: "vocabulary",
    ENTRIES + 1: "padded vocabulary",
    PARAMETERS: "embedding",
    BYTES_PER_TOKEN: "bytes per token",
}
"""The glossary terms of the headers of the table."""


TITLE = "Vocabulary size"

IMPORTS = """
from dataclasses import asdict
from tokenarium.models.training.size_budget import Embedding, SizeBudget, size_row
"""

TRAINED_IMPORTS = """
from tokenarium_core.formats.registered import store_folder
from tokenarium.models.training.store import Store
"""

TRAINED_PROGRAM = """
trained = Store(store_folder()).get(TRAINED)
sizes = SizeBudget(trained.name, trained.pieces, EMBEDDING, BUDGET, trained.figures)
"""

OPENED_PROGRAM = """
sizes = SizeBudget(NAME, len(TOKENIZER.vocabulary), EMBEDDING, BUDGET)
"""

PROGRAM = """
others = [size_row(name, len(one.vocabulary), EMBEDDING) for name, one in TOKENIZERS.items()]
rows = [asdict(row) for row in [*sizes.rows(), *others]]
print(sizes.sentence())
"""


class TrainSizesPage(Page):
    """Fields for the tokenizer, the model and a budget; a card with a table of sizes; two with charts."""

    id = "sizes"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        session = self.session
        self.trainings = session.trainings
        self._kept: list[Trained] = []
        self._store_problem = ""
        self.tokenizer = named(QComboBox(minimumContentsLength=24), "Vocabulary")
        self.tokenizer.setToolTip("The tokenizer to look at: a trained one, or any that is loaded")
        self.tokenizer.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.controls: dict[str, Any] = {
            field.name: control_of(field, self.show_sizes, self) for field in MODEL_FIELDS
        }
        *lines, tied = (control.widget for control in self.controls.values())
        for line in lines:
            line.setAlignment(Qt.AlignmentFlag.AlignRight)
        tied.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.multiple = named(QComboBox(), "Padded to a multiple of")
        self.multiple.setToolTip(
            "The rows of the embedding are a multiple of this, as matrices are multiplied faster then: 50,304 rows for 50,257 entries"
        )
        self.multiple.addItem("not padded", 1)
        for multiple in MULTIPLES:
            self.multiple.addItem(f"to {multiple:,}", multiple)
        self.problem = Problem()
        self.sentence = secondary(QLabel(wordWrap=True))
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        heads = [title for title, _ in COLUMNS]
        self.table = SpreadTable(
            "What each size costs",
            heads,
            MOST_ROWS,
            terms=TERMS,
            numbers=range(1, len(heads)),
            spare=SPARE,
        )
        for column, (_, meaning) in enumerate(COLUMNS):
            self.table.headerItem().setToolTip(column, meaning)
        self.compression = Plot("Compression")
        self.parameters = Plot("Parameters of the embedding")
        self.report_plots(self.compression, self.parameters)
        for plot in (self.compression, self.parameters):
            plot.set_source(FigureSource(code=self.python))
        self._lay_out()
        for box in (self.tokenizer, self.multiple):
            box.currentIndexChanged.connect(lambda _: self.show_sizes())
        session.tokenizers_changed.connect(self._show_if_seen)
        self.trainings.store_changed.connect(self._show_if_seen)
        self.trainings.sizes_asked.connect(self.choose)

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_value("tokenizer", str, self.tokenizer.currentData, self._choose_again),
            kept_control("multiple", self.multiple),
            *kept_fields(self.controls),
        )

    def _choose_again(self, identity: str) -> bool:
        """Chooses a tokenizer; returns whether it is listed yet."""
        self.choose(identity)
        return bool(self.tokenizer.currentData() == identity)

    def _lay_out(self) -> None:
        model = {name: control.widget for name, control in self.controls.items()}
        fields = field_row(
            FieldBelow(self.tokenizer, "Vocabulary"),
            FieldBelow(model["width"], MODEL_FIELDS[0].title, "embedding"),
            FieldBelow(model["budget"], MODEL_FIELDS[1].title),
            FieldBelow(model["model"], MODEL_FIELDS[2].title),
            FieldBelow(self.multiple, "Rows of the embedding"),
            FieldBelow(model["tied"]),
        )
        self.card = CardFrame()
        said = in_column(heading(self.table.accessibleName()), self.sentence, spacing=GRID // 2)
        said.setContentsMargins(GRID, 0, GRID, 0)  # the margin of the cells
        in_column(said, self.table, into=self.card, spacing=GRID, margins=CARD_MARGIN - GRID)
        self.charts = PlotPair(self.compression, self.parameters, cards=True)
        shown = QWidget()
        in_column(
            fields,
            self.problem,
            self.card,
            (self.charts, 1),
            (None, 0),
            into=shown,
            spacing=CARD_GAP,
            margins=(PAGE_MARGIN, 0, PAGE_MARGIN, PAGE_MARGIN),
        )
        area = FitArea(shown, fills=True, clear=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pages = self.fill(area)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_store()

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self.show_store()

    @property
    def _loaded(self) -> list[LibraryItem]:
        return [item for item in self.session.chosen() if item.tokenizer is not None]

    def show_store(self) -> None:
        """Lists the kept and the loaded tokenizers; keeps the choice, or chooses the latest."""
        chosen = self.tokenizer.currentData()
        self._store_problem = ""
        try:
            self._kept = self.trainings.store.all()
        except TokenariumError as error:
            self._kept = []
            self._store_problem = str(error)
        names = {one.identity: f"{one.name} ({one.pieces:,})" for one in self._kept}
        for item in self._loaded:
            identity = item.key.removeprefix("trained:")
            names.setdefault(identity, f"{item.name} ({_size(item):,})")
        with QSignalBlocker(self.tokenizer):
            self.tokenizer.clear()
            for identity, name in names.items():
                self.tokenizer.addItem(name, identity)
            self.tokenizer.setCurrentIndex(max(self.tokenizer.findData(chosen), 0 if names else -1))
        if not names:
            self._say_empty()
        self._pages.setCurrentIndex(0 if names else 1)
        self.show_sizes()

    def _say_empty(self) -> None:
        if self._store_problem:
            self.empty.say("The trained tokenizers cannot be shown", self._store_problem)
            return
        self.empty.say(
            "No tokenizer is loaded or trained",
            "Click one in the library, or train one: a training gives the compression at every smaller size as well.",
            self.help_with(("train_training", "Train one …")),
        )

    @property
    def chosen(self) -> Trained | None:
        """The chosen tokenizer if it was trained here; None if it is only loaded."""
        identity = self.tokenizer.currentData()
        return next((one for one in self._kept if one.identity == identity), None)

    def choose(self, identity: str) -> None:
        """Chooses a tokenizer by its identity in the store, or by its key in the library."""
        self.show_store()
        row = self.tokenizer.findData(identity)
        if row >= 0:
            self.tokenizer.setCurrentIndex(row)

    @property
    def settings(self) -> tuple[Embedding, int]:
        """The model, and the budget; raises TokenariumError if a number is invalid."""
        values = {name: control.value for name, control in self.controls.items()}
        return embedding_of(values, self.multiple.currentData())

    @property
    def _own(self) -> LibraryItem | None:
        """The chosen tokenizer, if it is loaded."""
        key = self.tokenizer.currentData()
        return next((one for one in self._loaded if one.key == key), None)

    @property
    def _others(self) -> list[LibraryItem]:
        key = self.tokenizer.currentData()
        return [one for one in self._loaded if one.key.removeprefix("trained:") != key]

    def show_sizes(self) -> None:
        """Shows the figures for the settings; nothing if a number is invalid."""
        trained, own = self.chosen, self._own
        if trained is None and own is None:
            return
        try:
            embedding, budget = self.settings
        except TokenariumError as error:
            self.problem.say(str(error))
            self.sentence.setText(FAULTY)
            self._show_rows([])
            for plot in (self.compression, self.parameters):
                plot.show_chart(Chart(Axis(""), Axis(""), []), FAULTY)
            self.charts.hide()
            return
        self.problem.say(self._store_problem)
        if trained is not None:
            sizes = SizeBudget(trained.name, trained.pieces, embedding, budget, trained.figures)
        else:
            assert own is not None
            sizes = SizeBudget(own.name, _size(own), embedding, budget)
        self.sentence.setText(sizes.sentence())
        others = [size_row(one.name, _size(one), embedding) for one in self._others]
        self._show_rows([*sizes.rows(), *others])
        self.charts.setVisible(trained is not None)  # only these have smaller sizes
        self.compression.show_chart(sizes.compression(), NO_CURVE)
        parameters = sizes.parameters()
        self.parameters.show_chart(parameters, NO_CURVE)
        # Without curves, the message would appear twice.
        self.charts.show_other(bool(parameters.curves))

    def _show_rows(self, rows: Sequence[SizeRow]) -> None:
        self.table.clear()
        for row in rows:
            item = self.table.row_of(row.cells())
            item.setToolTip(0, as_tip(row.name))
            self.table.addTopLevelItem(item)
        self.table.setVisible(bool(rows))
        self.table.fit()

    def python(self) -> str:
        trained, own = self.chosen, self._own
        if trained is None and own is None:
            return ""
        try:
            embedding, budget = self.settings
        except TokenariumError:
            return ""
        return program(
            TITLE,
            IMPORTS + (TRAINED_IMPORTS if trained is not None else ""),
            (TRAINED_PROGRAM if trained is not None else OPENED_PROGRAM) + PROGRAM,
            tokenizers=[code_of(one) for one in self._others],
            front=None if own is None or trained is not None else code_of(own),
            values={
                "EMBEDDING": embedding,
                "BUDGET": budget,
                **({"TRAINED": trained.identity} if trained is not None else {}),
                **({"NAME": own.name} if own is not None and trained is None else {}),
            },
        )

    def focus_first(self) -> None:
        self.tokenizer.setFocus()


def _size(item: LibraryItem) -> int:
    """Returns the entries of a tokenizer that is loaded."""
    assert item.tokenizer is not None
    return len(item.tokenizer.vocabulary)
