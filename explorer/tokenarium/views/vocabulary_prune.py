"""The part "Prune" of the page Change: fewer entries, what every size costs, and which go first."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QWidget,
)

from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.text.piece import counted, percent
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.tokenizers.prune_chart import cost_chart
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.vocabulary.padded_sizes import MULTIPLES
from tokenarium.style.controls import primary
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import kept_segment, place_in, texts_of
from tokenarium.views.page_program import page_program
from tokenarium.views.vocabulary_change_part import ChangePart
from tokenarium.views.workspace import Kept, Page, column, kept_value
from tokenarium.widgets.charts.plot import Plot
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.layouts import FlowLayout, in_row
from tokenarium.widgets.panel import ElidedLabel, Rule, named, secondary
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.vocabulary.going_table import HEADS, RESIDUE_HEADS, GoingTable
from tokenarium.work.worker import Worker

if TYPE_CHECKING:
    from tokenarium.models.tokenizers.pruned import CostCurve, UsageTexts, Wanted
    from tokenarium.models.training.store import Trained

TEXT, SAMPLES, FILES, FOLDER = range(4)
TEXTS = ("The text of the window", "Tokenarium's samples", "Files …", "A folder …")
"""Whose use of the entries decides, by their places in the list."""

NAMES = ("the text", "Tokenarium's samples")

COST, FIRST, RESIDUES = range(3)
VIEWS = ("Cost of each size", "First to go", "Residues")

NO_SIZE = 0
MOST_TEXT = 1 << 20
"""Characters of the window's text whose cost is shown beside that of a corpus."""

TEXT_PROGRAM = """
usage = tc.usage_of(TOKENIZER, [TEXT])
"""

SAMPLES_IMPORTS = """
from tokenarium.resources.samples_index import load_samples
"""

SAMPLES_PROGRAM = """
usage = tc.usage_of(TOKENIZER, [sample.text() for sample in load_samples()])
"""

FILES_IMPORTS = """
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_lists import named_sources
"""

FILES_PROGRAM = """
usage = tc.usage_of(TOKENIZER, Corpus(named_sources(PATHS)))
"""

CURVE_PROGRAM = """
curve = tc.prune_curve(TOKENIZER, usage)
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
    """What was counted of a tokenizer, and on what."""

    tokenizer: object
    evidence: UsageTexts
    curve: CostCurve


class PrunePart(ChangePart):
    """The texts that decide, what is to go, and what that costs: a curve over sizes, and lists of entries."""

    title = "Prune"

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._place = TEXT
        self._sources: tuple[CorpusSource, ...] = ()
        self._counted: dict[str, _Counted] = {}
        self._problem = ""
        self._made = ""
        self._drawn: tuple[CostCurve | None, int, int] | None = None  # what the curve shows
        self._names: dict[str, str] = {}
        self._pending = False  # whether a scene asked to count what is still to be opened
        self.worker: Worker | None = None
        self.texts = named(
            QComboBox(), "Texts that decide", "The texts whose use of the entries decides"
        )
        self.texts.addItems(TEXTS)
        self.count_button = QPushButton("Count")
        self.count_button.setToolTip(
            "Counts how often the texts use each entry, and what each size costs"
        )
        self.size_field = named(
            QSpinBox(),
            "Entries that are left",
            "How many entries are left; those that the texts use least go",
        )
        self.size_field.setSpecialValueText("any size")
        self.size_field.setGroupSeparatorShown(True)
        self.size_field.setMaximum((1 << 21) - 1)
        self.size_field.setMinimumWidth(14 * GRID)
        self.multiple = named(
            QComboBox(), "A multiple of", "The number of entries becomes a multiple of this"
        )
        self.multiple.addItem("no multiple", 1)
        for multiple in MULTIPLES:
            self.multiple.addItem(f"multiple of {multiple:,}", multiple)
        self.scripts = named(
            QLineEdit(),
            "Scripts that go",
            "All entries with a character of these scripts go, such as Cyrillic, Han",
        )
        self.scripts.setPlaceholderText("Scripts: Cyrillic, Han …")
        self.scripts.setMaxLength(1000)
        self.scripts.setMinimumWidth(22 * GRID)
        self.never_used = QCheckBox("Never used")
        self.never_used.setToolTip("All entries go that these texts never use")
        self.keep_ids = QCheckBox("Keep ids")
        self.keep_ids.setToolTip(
            "What is left keeps its ids, with holes; not every file can have them"
        )
        self.name_field = named(
            QLineEdit(), "Name of the new tokenizer", "What the new tokenizer is called"
        )
        self.name_field.setMinimumWidth(28 * GRID)
        self.make_button = primary(QPushButton("Make the tokenizer"))
        self.make_button.setToolTip("Makes a new tokenizer without these entries, in the library")
        self.summary = named(secondary(ElidedLabel()), "What it costs")
        self.bar = named(QProgressBar(textVisible=False), "How far the work is")
        self.bar.setRange(0, 1000)
        self.bar.setFixedSize(12 * GRID, GRID)
        self.views = named(Segmented(VIEWS), "What is shown")
        self.plot = Plot("Tokens of the texts by vocabulary size", self.appearance.theme)
        self.plot.setMinimumHeight(14 * GRID)  # the page has room on a projector
        self.plot.set_source(FigureSource(code=self.python))
        self.first_table = GoingTable("Entries in the order in which they go", HEADS)
        self.residue_table = GoingTable("Entries that are only steps to others", RESIDUE_HEADS)
        self.nothing = EmptyState()
        self._build()
        for signal in (
            self.size_field.valueChanged,
            self.scripts.textChanged,
            self.never_used.toggled,
            self.keep_ids.toggled,
            self.multiple.currentIndexChanged,
        ):
            signal.connect(self._wish_changed)
        self.texts.activated.connect(self._choose_texts)
        self.count_button.clicked.connect(self._press_count)
        self.make_button.clicked.connect(self.press)
        self.views.currentChanged.connect(self._show)
        self.name_field.textEdited.connect(self._take_name)
        self.appearance.changed.connect(lambda: self.plot.set_theme(self.appearance.theme))
        self.plot.problem.connect(self.session.problem)
        self.plot.saved.connect(self.session.saved)

    def _build(self) -> None:
        head = FlowLayout(spacing=GRID)
        for control in (
            self.texts, self.count_button, self.size_field, self.multiple, self.scripts, self.never_used, self.keep_ids,
        ):  # fmt: skip
            control.setFixedHeight(34)
            head.addWidget(control)
        head.setContentsMargins(PAGE_MARGIN, GRID, PAGE_MARGIN, 0)
        line = in_row(
            (self.summary, 1),
            self.bar,
            spacing=GRID,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID),
        )
        tabs = in_row(self.views, (None, 1), margins=(PAGE_MARGIN, 0, PAGE_MARGIN, GRID))
        drawing = QWidget()
        in_row((self.plot, 1), into=drawing, margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID))
        self._bodies = QStackedWidget()
        for body in (drawing, self.first_table, self.residue_table, self.nothing):
            self._bodies.addWidget(body)
        making = FlowLayout(spacing=GRID)
        for control in (self.name_field, self.make_button):
            control.setFixedHeight(34)
            making.addWidget(control)
        making.setContentsMargins(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID)
        column(
            head, line, tabs, Rule(), self._bodies, Rule(), making, grows=self._bodies, into=self
        )

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("prune_texts", self._kept_texts, self._take_texts),
            kept_value("prune_size", int, lambda: self.size_field.value() or None, self._take_size),
            kept_value("prune_multiple", int, lambda: self._multiple if self._multiple > 1 else None, self._take_multiple),
            kept_value("prune_scripts", str, lambda: self.scripts.text() or None, self.scripts.setText),
            kept_value("prune_never_used", bool, lambda: self.never_used.isChecked() or None, self.never_used.setChecked),
            kept_value("prune_keep_ids", bool, lambda: self.keep_ids.isChecked() or None, self.keep_ids.setChecked),
            kept_segment("prune_view", self.views),
            kept_value("prune_counted", bool, lambda: self.curve is not None or None, self._take_counted),
        )  # fmt: skip

    def _kept_texts(self) -> list[object]:
        return [self._place, *(one.value for one in self._sources)]

    def _take_texts(self, value: object) -> None:
        if not isinstance(value, list) or not value:
            raise TypeError
        place = place_in(value[0], len(TEXTS))
        paths = [Path(path) for path in texts_of(value[1:]) if path]
        if place in (FILES, FOLDER) and not paths:
            raise ValueError
        self._use(place, paths if place in (FILES, FOLDER) else [])

    def _take_size(self, size: int) -> None:
        self.size_field.setValue(max(NO_SIZE, min(size, self.size_field.maximum())))

    def _take_multiple(self, multiple: int) -> None:
        self.multiple.setCurrentIndex((1, *MULTIPLES).index(multiple))  # ValueError for another one

    def _take_counted(self, counted_before: bool) -> bool:
        """Counts again, once the tokenizer is there."""
        if counted_before and self.curve is None and self.worker is None:
            if self._item is None or self.session.opening:
                return False
            self.count()
        return True

    # What is wanted.

    @property
    def _multiple(self) -> int:
        return int(self.multiple.currentData())

    @property
    def curve(self) -> CostCurve | None:
        """What was counted of the tokenizer that is shown, if it was."""
        kept = self._counted.get(self._item.key) if self._item is not None else None
        if kept is None or self._item is None or kept.tokenizer is not self._item.tokenizer:
            return None
        return kept.curve

    @property
    def wanted(self) -> Wanted:
        """What is to go, as the fields say."""
        from tokenarium.models.tokenizers.pruned import Wanted

        size = self.size_field.value()
        scripts = tuple(one.strip() for one in self.scripts.text().split(",") if one.strip())
        return Wanted(
            size or None,
            self._multiple,
            scripts,
            self.never_used.isChecked(),
            self.keep_ids.isChecked(),
        )

    @property
    def evidence(self) -> UsageTexts:
        """The texts that decide."""
        from tokenarium.models.tokenizers.pruned import UsageTexts

        text = self.session.text
        if self._place == TEXT:
            return UsageTexts((), text, NAMES[TEXT])
        beside = text if len(text) <= MOST_TEXT else ""
        if self._place == SAMPLES:
            from tokenarium.resources.samples_index import load_samples

            samples = tuple(CorpusSource("text", one.text()) for one in load_samples())
            return UsageTexts(samples, beside, NAMES[SAMPLES])
        return UsageTexts(self._sources, beside, ", ".join(one.name for one in self._sources[:3]))

    def use_paths(self, paths: Sequence[Path]) -> None:
        """Lets the texts of files or folders decide; without any, the list shows again what was chosen before."""
        if not paths:
            self.texts.setCurrentIndex(self._place)
            return
        self._use(FOLDER if os.path.isdir(paths[0]) else FILES, paths)
        self.count()

    def _use(self, place: int, paths: Sequence[Path]) -> None:
        if place != self._place or paths:
            self.stop()
            self._counted.clear()
        self._place = place
        self._sources = tuple(
            CorpusSource("folder" if os.path.isdir(path) else "file", str(path)) for path in paths
        )
        self.texts.setCurrentIndex(place)
        titles = ", ".join(source.title for source in self._sources)
        self.texts.setToolTip(titles or "The texts whose use of the entries decides")
        self._show()

    def _choose_texts(self, place: int) -> None:
        if place == FILES:
            names, _ = QFileDialog.getOpenFileNames(self, "Texts that decide", "", "All files (*)")
            self.use_paths([Path(name) for name in names])
        elif place == FOLDER:
            name = QFileDialog.getExistingDirectory(self, "A folder of texts that decide")
            self.use_paths([Path(name)] if name else [])
        else:
            self._use(place, [])
            self.count()

    def _take_name(self, name: str) -> None:
        if self._item is not None:
            self._names[self._item.key] = name

    def _wish_changed(self, *_: object) -> None:
        self._made = self._problem = ""
        self._show()

    # The work.

    @property
    def busy(self) -> bool:
        return self.worker is not None

    def _press_count(self) -> None:
        if self.worker is not None:
            self.worker.cancel()
        else:
            self.count()

    def count(self) -> None:
        """Counts what the texts use and what every size costs, in a process of its own."""
        item = self._item
        if item is None or item.tokenizer is None:
            return
        self.stop()
        evidence = self.evidence
        if not evidence:
            self._problem = (
                "The text of the window is empty: type or paste one, or choose other texts."
            )
            self._show()
            return
        from tokenarium.models.tokenizers.pruned import PruneRequest, curve_of

        tokenizer = item.tokenizer
        request = PruneRequest(item.source, item.pattern, item.name, evidence)

        def take(curve: CostCurve) -> None:
            there = {one.key for one in self.session.chosen()}
            self._counted = {key: one for key, one in self._counted.items() if key in there}
            self._counted[item.key] = _Counted(tokenizer, evidence, curve)

        self._run(
            Worker(curve_of, request, parent=self), take, "Nothing was counted: you stopped it."
        )

    def press(self) -> None:
        """Makes the tokenizer, or stops what runs."""
        if self.worker is not None:
            self.worker.cancel()
        else:
            self.make()

    def make(self) -> None:
        """Makes the new tokenizer in a process of its own, and puts it into the library."""
        item, wanted = self._item, self.wanted
        if item is None or not wanted.said:
            return
        from tokenarium.models.tokenizers.pruned import PruneRequest, make_pruned

        name = self.name_field.text().strip() or self._usual_name(item)
        request = PruneRequest(
            item.source, item.pattern, item.name, self.evidence, wanted, name,
            str(self.session.trainings.folder),
        )  # fmt: skip

        def take(trained: Trained) -> None:
            self._names.pop(item.key, None)
            store = self.session.trainings.store
            made = self.session.edits.add_trained(trained, store.path(trained))
            more = trained.settings["prune"]["tokens"] - trained.settings["prune"]["tokens_before"]
            self._made = (
                f"{trained.name} is in the library, with {trained.pieces:,} ids; {self._title} costs"
                f" {more:,} tokens more. Undo takes it out again."
            )
            self.session.set_current(made.key)

        self._run(
            Worker(make_pruned, request, parent=self), take, "Nothing was made: you stopped it."
        )

    def _run(self, worker: Worker, take: object, stopped: str) -> None:
        self.worker = worker
        self._problem = self._made = ""

        def finished(result: object) -> None:
            assert callable(take)
            take(result)
            ended("")

        def ended(problem: str) -> None:
            self._problem = problem
            self.worker = None
            worker.deleteLater()
            self._show()

        worker.progressed.connect(self._say_progress)
        worker.finished.connect(finished)
        worker.failed.connect(ended)
        worker.cancelled.connect(lambda: ended(stopped))
        worker.start()
        self._show()
        self._say_progress(("Starting", 0.0))

    def stop(self) -> None:
        if self.worker is not None:
            self.worker.cancel()

    def _say_progress(self, progress: tuple[str, float]) -> None:
        doing, share = progress
        self.bar.setValue(round(1000 * share))
        self.summary.setText(f"{doing} …")

    @staticmethod
    def _usual_name(item: LibraryItem) -> str:
        return f"{item.name}, pruned"

    # What is shown.

    def show_item(self, item: LibraryItem) -> None:
        if item is not self._item:
            self._item = item
            self._problem = ""
        self.name_field.setPlaceholderText(self._usual_name(item))
        name = self._names.get(item.key, "")
        if self.name_field.text() != name:
            self.name_field.setText(name)
        self._show()

    @property
    def _title(self) -> str:
        if self._place < len(NAMES):
            return NAMES[self._place]
        return ", ".join(one.name for one in self._sources[:2])

    def _going(self) -> int:
        """Returns how many entries go by their use, as far as that is known before they do."""
        curve, wanted = self.curve, self.wanted
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

    def _show(self, *_: object) -> None:
        running, curve = self.worker is not None, self.curve
        self.bar.setVisible(running)
        self.count_button.setText("Stop" if running else "Count")
        self.make_button.setEnabled(not running and bool(self.wanted.said))
        for control in (self.texts, self.size_field, self.multiple, self.scripts, self.never_used, self.keep_ids, self.name_field):  # fmt: skip
            control.setEnabled(not running)
        if not running:
            self.summary.setText(self._said())
        self._fill(curve)
        self._show_view()

    def _said(self) -> str:
        item, curve, wanted = self._item, self.curve, self.wanted
        if self._problem or self._made or item is None:
            return self._problem or self._made
        if curve is None:
            return f"Count shows what each size of {item.name} costs on {self._title}, and which entries go first."
        if wanted.scripts:
            return f"To go: {wanted.said}. What that costs is known when it is made."
        going = self._going()
        if curve.residues and self.views.currentIndex() == RESIDUES:
            share = percent(len(curve.residues) / max(curve.entries, 1))
            noun = counted(len(curve.residues), "entry is", "entries are")
            return f"{noun} only steps to others in {self._title}: {share} of {curve.entries:,}."
        if not going:
            share = percent(curve.never_used / max(curve.entries, 1))
            return (
                f"{curve.never_used:,} of {curve.entries:,} entries ({share}) are never used in {self._title}"
                f" ({counted(curve.characters, 'character')}); {curve.smallest:,} have to stay."
            )
        if wanted.to_size is not None and curve.entries - wanted.to_size >= len(curve.tokens):
            return f"{curve.smallest:,} entries have to stay: choose no smaller size."
        before, after = curve.tokens[0], curve.tokens[going]
        more = percent((after - before) / max(before, 1))
        said = (
            f"{going:,} entries go, {curve.entries - going:,} are left: {after - before:,} tokens more on {self._title}"
            f" ({more})"
        )
        if self._place != TEXT and curve.text_tokens[0]:
            beside = curve.text_tokens[going] - curve.text_tokens[0]
            said += f", {beside:,} more on the text"
        return f"{said}."

    def _fill(self, curve: CostCurve | None) -> None:
        going = self._going()
        if self._drawn is not None and self._drawn[0] is curve:
            if self._drawn[1:] == (going, self._place):
                return  # each draws thousands of points, or fills thousands of rows
        self._drawn = (curve, going, self._place)
        self.plot.show_chart(
            cost_chart(curve, going, self._place != TEXT), "Nothing was counted yet."
        )
        self.first_table.show_entries(curve.going if curve is not None else (), going)
        self.residue_table.show_entries((curve.residues or ()) if curve is not None else (), None)

    def _show_view(self) -> None:
        curve, view = self.curve, self.views.currentIndex()
        residues = curve.residues if curve is not None else None
        said: tuple[str, str] | None = None
        if curve is None:
            said = (
                "Which entries are worth their place?",
                "Choose the texts that decide above, and press Count.",
            )
        elif view == RESIDUES and residues is None:
            said = (
                "No residues",
                "This model does not merge, so no entry is only a step to others.",
            )
        elif view == RESIDUES and not residues:
            said = (
                "No residues",
                "In these texts no entry is only a step to others. Larger texts may show some.",
            )
        if said is not None:
            self.nothing.say(*said)
        self._bodies.setCurrentIndex(view if said is None else len(VIEWS))

    def lines(self) -> list[list[str]]:
        table = self.residue_table if self.views.currentIndex() == RESIDUES else self.first_table
        return table.lines()

    def python(self) -> str:
        item, wanted = self._item, self.wanted
        if item is None or self.curve is None:
            return ""
        values: dict[str, object] = {}
        imports, body, text = "", TEXT_PROGRAM, None
        if self._place == TEXT:
            text = self._counted[item.key].evidence.text
        elif self._place == SAMPLES:
            imports, body = SAMPLES_IMPORTS, SAMPLES_PROGRAM
        else:
            imports, body = FILES_IMPORTS, FILES_PROGRAM
            values["paths"] = [one.value for one in self._sources]
        body += CURVE_PROGRAM
        if wanted.said:
            body += MADE_PROGRAM
            values |= {
                "to_size": wanted.to_size,
                "multiple_of": wanted.multiple_of,
                "scripts": list(wanted.scripts),
                "never_used": wanted.never_used,
                "keep_ids": wanted.keep_ids,
            }
        return page_program(
            self.session, self.title, imports, body, text=text, items=None, front=item, **values
        )

    def focus_first(self) -> None:
        self.count_button.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.make_button if self.make_button.isEnabled() else self.name_field
