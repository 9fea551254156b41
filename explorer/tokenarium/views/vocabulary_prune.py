"""The part "Prune" of the page Change: removes entries, and shows what each size costs and which are removed first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import (
    QComboBox,
    QWidget,
)

from tokenarium.analyses.prune_inputs import PRUNE_FIELDS
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.text.piece import counted, percent
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.tokenizers.prune_chart import cost_chart
from tokenarium.models.vocabulary.padded_sizes import MULTIPLES
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_fields, kept_value
from tokenarium.views.text_choice import NO_TEXT, TEXT
from tokenarium.views.vocabulary_finding_part import FindingPart
from tokenarium.views.workspace import Page
from tokenarium.widgets.analysis.field_control import control_of
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.count_field import CountField
from tokenarium.widgets.layouts import in_row
from tokenarium.widgets.panel import named
from tokenarium.widgets.vocabulary.going_table import HEADS, RESIDUE_HEADS, GoingTable

if TYPE_CHECKING:
    from tokenarium.models.tokenizers.pruned import CostCurve, Removal, UsageTexts
    from tokenarium.models.training.store import Trained

COST, FIRST, RESIDUES = range(3)
"""The indices of the views."""

NO_SIZE = 0
MOST_TEXT = 1 << 20
"""The most characters of the window's text whose cost is shown in addition to that of a corpus."""

CURVE_IMPORTS = """
from tokenarium_core.changing.pruning import prune_curve
from tokenarium_core.changing.token_usage import usage_of
"""

CURVE_PROGRAM = """
usage = usage_of(TOKENIZER, TEXTS_READ)
curve = prune_curve(TOKENIZER, usage)
rows = [
    {"Entry": TOKENIZER.vocabulary.surface(id), "Id": id, "Uses": uses, "Tokens without it": tokens}
    for id, uses, tokens in zip(curve.removed, curve.uses, curve.tokens[1:])
]
"""

MADE_PROGRAM = """
small = tc.prune(
    TOKENIZER,
    usage,
    to_size=TO_SIZE,
    multiple_of=MULTIPLE_OF,
    scripts=SCRIPTS,
    never_used=NEVER_USED,
    keep_ids=KEEP_IDS,
).tokenizer
"""


@dataclass(slots=True)
class _Counted:
    """The counts of a tokenizer, and their texts."""

    tokenizer: object
    evidence: UsageTexts
    curve: CostCurve


class PrunePart(FindingPart):
    """The texts that decide, the entries to remove, and the cost: a curve over sizes, and lists of entries."""

    title = "Prune"
    ending = "pruned"
    about = "Makes a new tokenizer without these entries, and adds it to the library"
    texts_title = "Texts that decide"
    texts_about = "The texts whose use of the entries decides"
    find_title = "Count"
    find_about = "Counts how often the texts use each entry, and what each size costs"
    stopped = "Nothing was counted: you stopped the count."
    view_titles = ("Cost of each size", "First to go", "Residues")

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._counted: dict[str, _Counted] = {}
        self._drawn: tuple[CostCurve | None, int, int] | None = None  # what the curve shows
        self.size_field = CountField(
            "Entries to keep",
            "How many entries to keep; those that the texts use least are removed",
        )
        self.size_field.setSpecialValueText("any size")
        self.size_field.setMaximum((1 << 21) - 1)
        self.size_field.setMinimumWidth(14 * GRID)
        self.multiple = named(
            QComboBox(), "A multiple of", "The number of entries becomes a multiple of this"
        )
        self.multiple.addItem("no multiple", 1)
        for multiple in MULTIPLES:
            self.multiple.addItem(f"multiple of {multiple:,}", multiple)
        self.controls: dict[str, Any] = {
            field.name: control_of(field, self.wish_changed, self) for field in PRUNE_FIELDS
        }
        scripts = self.controls["script"].widget
        scripts.setMaxLength(1000)
        scripts.setMinimumWidth(22 * GRID)
        self.plot = Plot("Tokens of the texts by vocabulary size")
        self.plot.setMinimumHeight(14 * GRID)  # the page has room on a projector
        self.plot.set_source(FigureSource(code=self.python))
        self.first_table = GoingTable("Entries in the order of removal", HEADS)
        self.residue_table = GoingTable(
            "Entries that are only steps to other entries", RESIDUE_HEADS
        )
        drawing = QWidget()
        in_row((self.plot, 1), into=drawing, margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID))
        self.arrange_views(
            (
                self.texts, self.find_button, self.size_field, self.multiple,
                *(control.widget for control in self.controls.values()),
            ),
            drawing, self.first_table, self.residue_table,
        )  # fmt: skip
        for signal in (self.size_field.valueChanged, self.multiple.currentIndexChanged):
            signal.connect(self.wish_changed)
        self.texts.changed.connect(self._texts_changed)
        self.texts.picked.connect(self.find_now)
        self.plot.problem.connect(self.session.problem)
        self.plot.saved.connect(self.session.requests.tell_saved)

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        return (
            self.texts.kept("prune_texts"),
            kept_value("prune_size", int, lambda: self.size_field.value() or None, self._take_size),
            kept_value("prune_multiple", int, lambda: self._multiple if self._multiple > 1 else None, self._take_multiple),
            *kept_fields(self.controls),
            self.kept_names("prune_names"),
            self.kept_views("prune_view"),
            self.kept_result("prune_counted"),
        )  # fmt: skip

    def _take_size(self, size: int) -> None:
        self.size_field.setValue(max(NO_SIZE, min(size, self.size_field.maximum())))

    def _take_multiple(self, multiple: int) -> None:
        self.multiple.setCurrentIndex(
            (1, *MULTIPLES).index(multiple)
        )  # ValueError for an unknown one

    # The settings.

    @property
    def _multiple(self) -> int:
        return int(self.multiple.currentData())

    @property
    def result(self) -> CostCurve | None:
        """The counts of the current tokenizer, if there are any."""
        kept = self._counted.get(self._item.key) if self._item is not None else None
        if kept is None or self._item is None or kept.tokenizer is not self._item.tokenizer:
            return None
        return kept.curve

    @property
    def request(self) -> Removal:
        """The entries to remove, from the fields."""
        from tokenarium.models.tokenizers.pruned import Removal

        scripts, never_used, keep_ids = (one.value for one in self.controls.values())
        size = self.size_field.value() or None
        return Removal(size, self._multiple, tuple(scripts), never_used, keep_ids)

    @property
    def evidence(self) -> UsageTexts:
        """The texts that decide; a short text of the window is counted in addition to others."""
        text = self.session.text
        return self.texts.usage(text if len(text) <= MOST_TEXT else "")

    def _texts_changed(self) -> None:
        self.stop()
        self._counted.clear()
        self.wish_changed()

    # The work.

    def finding(
        self, item: LibraryItem
    ) -> tuple[Callable[..., object], object, Callable[[CostCurve], None]] | None:
        from tokenarium.models.tokenizers.pruned import PruneRequest, curve_of

        evidence, tokenizer = self.evidence, item.tokenizer
        if not evidence:
            self.refuse(NO_TEXT)
            return None

        def take(curve: CostCurve) -> None:
            there = {one.key for one in self.session.chosen()}
            self._counted = {key: one for key, one in self._counted.items() if key in there}
            self._counted[item.key] = _Counted(tokenizer, evidence, curve)

        return curve_of, PruneRequest(item.source, item.pattern, item.name, evidence), take

    def making(
        self, item: LibraryItem, name: str, folder: str
    ) -> tuple[Callable[..., Trained], object] | None:
        from tokenarium.models.tokenizers.pruned import PruneRequest, make_pruned

        wanted = self.request
        if not wanted.description:
            return None
        return make_pruned, PruneRequest(
            item.source, item.pattern, item.name, self.evidence, wanted, name, folder
        )

    def made_of(self, trained: Trained) -> str:
        found = trained.settings["prune"]
        more = found["tokens"] - found["tokens_before"]
        return f"{super().made_of(trained)}; {self.texts.title} costs {more:,} tokens more"

    # Display.

    def _going(self) -> int:
        """Returns how many entries will be removed by their use, as far as that is known in advance."""
        curve, wanted = self.result, self.request
        if curve is None or wanted.scripts:
            return 0
        going = curve.never_used if wanted.never_used else 0
        if wanted.to_size is not None:
            size = wanted.to_size // wanted.multiple_of * wanted.multiple_of
            going = max(going, curve.entries - size)
        elif wanted.multiple_of > 1:
            left = curve.entries - going
            going = curve.entries - left // wanted.multiple_of * wanted.multiple_of
        return max(0, min(going, len(curve.tokens) - 1))

    @property
    def can_make(self) -> bool:
        return bool(self.request.description)

    def summary_of(self, item: LibraryItem) -> str:
        curve, wanted = self.result, self.request
        if curve is None:
            return f"Count shows what each size of {item.name} costs on {self.texts.title}, and which entries go first."
        if wanted.scripts:
            return f"To be removed: {wanted.description}. The cost is known once the tokenizer is made."
        going = self._going()
        if curve.residues and self.views.currentIndex() == RESIDUES:
            share = percent(len(curve.residues) / max(curve.entries, 1))
            noun = counted(len(curve.residues), "entry is", "entries are")
            return (
                f"{noun} only steps to others in {self.texts.title}: {share} of {curve.entries:,}."
            )
        if not going:
            share = percent(curve.never_used / max(curve.entries, 1))
            return (
                f"{curve.never_used:,} of {curve.entries:,} entries ({share}) are never used in {self.texts.title}"
                f" ({counted(curve.characters, 'character')}); {curve.smallest:,} must stay."
            )
        if wanted.to_size is not None and curve.entries - wanted.to_size >= len(curve.tokens):
            return f"{curve.smallest:,} entries must stay: choose no smaller size."
        before, after = curve.tokens[0], curve.tokens[going]
        more = percent((after - before) / max(before, 1))
        said = (
            f"{going:,} entries are removed, {curve.entries - going:,} remain: {after - before:,} tokens more on {self.texts.title}"
            f" ({more})"
        )
        if self.texts.place != TEXT and curve.text_tokens[0]:
            beside = curve.text_tokens[going] - curve.text_tokens[0]
            said += f", {beside:,} more on the text"
        return f"{said}."

    def show_result(self) -> None:
        curve, going = self.result, self._going()
        if self._drawn is not None and self._drawn[0] is curve:
            if self._drawn[1:] == (going, self.texts.place):
                return  # each draws thousands of points, or fills thousands of rows
        self._drawn = (curve, going, self.texts.place)
        self.plot.show_chart(
            cost_chart(curve, going, self.texts.place != TEXT), "Nothing has been counted yet."
        )
        self.first_table.show_entries(curve.going if curve is not None else (), going)
        self.residue_table.show_entries((curve.residues or ()) if curve is not None else (), None)

    def missing(self) -> tuple[str, str] | None:
        curve = self.result
        if curve is None and self._problem:
            return "Nothing was counted", self._problem
        if curve is None:
            return (
                "Which entries are worth their place?",
                "Choose the texts that decide above, and press Count.",
            )
        if self.views.currentIndex() != RESIDUES or curve.residues:
            return None
        if curve.residues is None:
            return (
                "No residues",
                "This model does not merge, so no entry is only a step to another.",
            )
        return (
            "No residues",
            "In these texts, no entry is only a step to another. Larger texts may show some.",
        )

    def lines(self) -> list[list[str]]:
        table = self.residue_table if self.views.currentIndex() == RESIDUES else self.first_table
        return table.lines()

    def python(self) -> str:
        item, wanted = self._item, self.request
        if item is None or self.result is None:
            return ""
        body, values = CURVE_PROGRAM, {}
        if wanted.description:
            body += MADE_PROGRAM
            values = {
                "to_size": wanted.to_size,
                "multiple_of": wanted.multiple_of,
                "scripts": list(wanted.scripts),
                "never_used": wanted.never_used,
                "keep_ids": wanted.keep_ids,
            }
        return self.program_of_texts(
            CURVE_IMPORTS, body, self._counted[item.key].evidence.text, **values
        )
