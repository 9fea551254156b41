"""The page Migrate of the workspace Compare: a model gets another tokenizer, and each new id starts from old rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QWidget,
)

import tokenarium_core as tc
from tokenarium.models.compare.migration import (
    DROPPED,
    FATES,
    KINDS,
    Ids,
    MigrationTable,
    begins_with,
    clashes_sentence,
    migrate_sources,
    migration_sentence,
    save_mapping,
)
from tokenarium.models.files import chosen_path
from tokenarium.models.programs import program
from tokenarium.models.text.direction import in_its_direction
from tokenarium.models.text.lost_text import is_doubtful, lost_bytes
from tokenarium.models.text.piece import piece_text
from tokenarium.models.titled_columns import RIGHT, Index, TitledColumns
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.requests import ShowEntry
from tokenarium.style.fonts import mono_font
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_value
from tokenarium.views.page_program import code_of
from tokenarium.views.two_tokenizers import HEIGHT, TwoTokenizers
from tokenarium.views.workspace import Page, Workspace, column
from tokenarium.widgets.areas import filled_column
from tokenarium.widgets.compare.difference_bar import KindBar
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.widgets.flat_table import make_flat
from tokenarium.widgets.layouts import FlowLayout, in_row
from tokenarium.widgets.panel import Rule, literal, named, secondary
from tokenarium.widgets.work_bar import WorkBar

TOO_FEW = (
    "Two tokenizers are needed",
    "Click another tokenizer in the library (Ctrl+B) to see what its ids are in the first.",
)

SIDES = (
    ("From", "The old tokenizer", "The tokenizer that the model has now"),
    ("to", "The new tokenizer", "The tokenizer that the model will have"),
)

ID, ENTRY, FATE, OLD = range(4)
ROW_HEIGHT = 3 * GRID
FILES = "CSV table (*.csv);;JSON (*.json)"

PROGRAM = """
old, new = TOKENIZERS.values()
migration = tc.migrate(old, new)
counts = {fate: migration.count(fate) for fate in ("same", "moved", "pieces", "nothing", "unused")}
clashes = migration.clashes
rows = [
    {"id": id, "entry": new.vocabulary.surface(id), "fate": fate, "old_ids": sources}
    for id, (fate, sources) in enumerate(zip(migration.fates, migration.sources))
]
"""


class MigratePage(Page):
    """Compares the ids of two tokenizers: counts, clashing special tokens, and a row for each id."""

    id = "migrate"
    title = "Migrate"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._table: MigrationTable | None = None
        self._of: tuple[tc.Tokenizer, tc.Tokenizer] | None = None  # which are compared
        self._problem = ""
        self.pair = TwoTokenizers(
            self, SIDES, "Swaps the old and the new tokenizer", by_front=False
        )
        self.old_box, self.new_box = self.pair.boxes
        self.swap = self.pair.swap
        self.bar = WorkBar("The tokenizers are being compared")
        self.save_button = QPushButton("Save the mapping …")
        self.save_button.setToolTip(
            "Writes, for each new id, the old ids whose rows its embedding starts from, as CSV or JSON"
        )
        self.summary = literal(QLabel(wordWrap=True))
        self.clashes = literal(secondary(QLabel(wordWrap=True)))
        self.kinds = KindBar(list(KINDS), KINDS, "ids")
        self.rows = MigrationRows()
        self.list = QTableView(showGrid=False, wordWrap=False)
        self._build()
        self.pair.chosen.connect(self._compare)
        self.save_button.clicked.connect(self.save)
        self.kinds.picked.connect(self._show_rows)
        self.list.activated.connect(self._show_entry)
        self.session.tokenizers_changed.connect(self._follow)
        self.session.encoding_changed.connect(self._show_summary)

    def _build(self) -> None:
        self.list.setModel(self.rows)
        make_flat(self.list)
        named(self.list, "The ids, and what happens to them")
        self.list.setFrameShape(QTableView.Shape.NoFrame)
        self.list.setTabKeyNavigation(False)
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.verticalHeader().hide()
        self.list.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.list.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = self.list.horizontalHeader()
        for place, width in ((ID, 11), (ENTRY, 24), (FATE, 12)):
            self.list.setColumnWidth(place, width * GRID)
        head.setStretchLastSection(True)
        choosing = FlowLayout(spacing=GRID)
        self.save_button.setFixedHeight(HEIGHT)
        for control in (*self.pair.controls, self.save_button, self.bar):
            choosing.addWidget(control)
        choosing.setContentsMargins(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID // 2)
        margins = (PAGE_MARGIN, 0, PAGE_MARGIN, GRID)
        self._said = QWidget()
        in_row((column(self.summary, self.clashes), 1), into=self._said, margins=margins)
        shown = filled_column(choosing, self._said, self.kinds, Rule(), body=self.list)
        self._pages = self.fill(shown)

    def go_on_stage(self) -> None:
        for control in (*self.pair.controls, self.save_button):
            control.hide()

    # Comparison.

    @property
    def items(self) -> tuple[LibraryItem, LibraryItem] | None:
        """The old tokenizer and the new one."""
        return self.pair.items

    @property
    def table(self) -> MigrationTable | None:
        """The mapping from the new ids to the old ones, once it is known."""
        return self._table

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _follow(self) -> None:
        """Compares the chosen tokenizers, if they have changed; a hidden page waits until it is shown."""
        self._pages.setCurrentIndex(1 if self.items is None else 0)
        if self.items is None:
            self.say_no_tokenizer(TOO_FEW)
            self._stop_comparing()
            return
        if not self.isVisible():
            return
        self.pair.fill()
        self._compare()

    def _compare(self) -> None:
        items = self.items
        if items is None:
            return
        old, new = items
        assert old.tokenizer is not None
        assert new.tokenizer is not None
        wanted = old.tokenizer, new.tokenizer
        if self._of != wanted:
            self._of, self._table, self._problem = wanted, None, ""
            self.running.process(
                migrate_sources, old.source, old.pattern, new.source, new.pattern,
                take=self._take,
                fail=lambda problem: self._take(None, problem),
                stopped="The comparison was stopped.",
            )  # fmt: skip
        self._show()

    def _take(self, table: MigrationTable | None, problem: str = "") -> None:
        self._table, self._problem = table, problem
        if table is None:
            self._of = None
        self._show()

    def _stop_comparing(self) -> None:
        self.running.cancel()
        if self._table is None:
            self._of = None

    def stop(self) -> None:
        self._stop_comparing()
        super().stop()

    # Display.

    def _show(self) -> None:
        self.bar.setVisible(self.running.runs())
        self.save_button.setEnabled(self._table is not None)
        counts = self._table.counts if self._table is not None else {}
        self.kinds.show_counts(counts, len(self._table.fates) if self._table is not None else 0)
        self._show_summary()
        self._show_rows()

    def _show_summary(self, _key: str = "") -> None:
        items, table = self.items, self._table
        if items is None:
            return
        self.clashes.hide()
        if table is None:
            self.summary.setText(self._problem or "Comparing the entries …")
            return
        old, new = items
        before, after = (self._tokens(item) for item in items)
        costs = None if before is None or after is None else (before, after)
        losses = [(item.name, share) for item in items if (share := self._lost(item))]
        self.summary.setText(migration_sentence(table, (old.name, new.name), costs, losses))
        self.clashes.setVisible(bool(table.clashes))
        self.clashes.setText(clashes_sentence(table.clashes))

    def _tokens(self, item: LibraryItem) -> int | None:
        encoded = self.session.encoded(item.key)
        if encoded is None or encoded.tokens is None or not encoded.complete:
            return None
        return len(encoded.tokens)

    def _lost(self, item: LibraryItem) -> float:
        """Returns the share of the text that a tokenizer loses, if that is too much for a comparison; else 0."""
        encoded, utf8 = self.session.encoded(item.key), self.session.text_map.utf8
        if encoded is None or encoded.tokens is None or item.tokenizer is None:
            return 0.0
        share = lost_bytes(item.tokenizer, utf8, encoded.tokens.whole) / max(len(utf8), 1)
        return share if is_doubtful(share) else 0.0

    def _show_rows(self, _kind: str = "") -> None:
        items, table = self.items, self._table
        if items is None or table is None:
            self.rows.show_rows(None, None, None, np.zeros(0, np.int32), False)
            return
        kind = self.kinds.kind
        old, new = (item.tokenizer for item in items)
        self.rows.show_rows(table, old, new, table.ids(kind), kind == DROPPED)
        self.list.scrollToTop()

    def _show_entry(self, index: QModelIndex) -> None:
        """Shows the entry of a row in the vocabulary that its id belongs to."""
        keys = self.pair.keys
        if keys is not None:
            key = keys[0 if self.rows.is_old else 1]
            self.session.requests.ask(ShowEntry(int(self.rows.ids[index.row()]), key))

    # Queries of the window.

    def keeps(self) -> Iterable[Kept]:
        return (
            self.pair.kept(),
            kept_value("kind", str, lambda: self.kinds.kind or None, self._take_kind),
        )

    def _take_kind(self, kind: str) -> bool:
        if kind and kind not in KINDS:
            raise ValueError
        if self.session.opening or self._table is None:
            return False
        self.kinds.choose(kind)
        return True

    def save(self) -> None:
        """Asks for a name, and writes the mapping."""
        items = self.items
        if items is None or self._table is None:
            return
        name, chosen = ask_new_file(
            "tables", self, "Save the mapping", f"{items[0].name} to {items[1].name}.csv", FILES
        )
        if name:
            suffix = ".json" if "json" in chosen else ".csv"
            self.write(chosen_path(name, suffix, ".csv", ".json"))

    def write(self, path: Path) -> None:
        """Writes the mapping as CSV, or as JSON if the path says so."""
        items = self.items
        if items is None or self._table is None:
            return
        old, new = ((item.source, item.pattern, item.name) for item in items)
        self.running.process(
            save_mapping, self._table, old, new, path,
            take=lambda _: self.session.requests.tell_saved(path),
            fail=self.session.problem.emit,
            name="save",
        )  # fmt: skip

    def lines(self) -> list[list[str]]:
        table, items = self._table, self.items
        if table is None or items is None:
            return []
        counts = table.counts
        rows = [[f"{counts[fate]}", said] for fate, said in FATES.items()]
        rows.append([f"{counts[DROPPED]}", f"entries of {items[0].name} are no longer there"])
        return [["ids", f"{items[0].name} to {items[1].name}"], *rows]

    def python(self) -> str:
        items = self.items
        if items is None:
            return ""
        return program(self.title, "", PROGRAM, tokenizers=[code_of(item) for item in items])

    def focus_first(self) -> None:
        self.old_box.setFocus()


class MigrationRows(TitledColumns):
    """New ids with the old ones that they start from; or dropped old ids, if ``is_old``."""

    columns = ("Id", "Entry", "Which", "Begins with")
    terms: ClassVar = {ID: "id", ENTRY: "piece"}
    numbers = (ID,)

    def __init__(self) -> None:
        super().__init__()
        self._table: MigrationTable | None = None
        self._old: tc.Tokenizer | None = None
        self._new: tc.Tokenizer | None = None
        self._mono = mono_font()
        self._rows = range(0)
        self.ids: Ids = np.zeros(0, np.int32)
        self.is_old = False

    def show_rows(
        self,
        table: MigrationTable | None,
        old: tc.Tokenizer | None,
        new: tc.Tokenizer | None,
        ids: Ids,
        is_old: bool,
    ) -> None:
        """Replaces the rows."""
        self.beginResetModel()
        self._table, self._old, self._new = table, old, new
        self.ids, self.is_old = ids, is_old
        self._rows = range(len(ids))
        self.endResetModel()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == ID:
            return RIGHT
        if role == Qt.ItemDataRole.FontRole and index.column() in (ID, OLD):
            return self._mono
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._cell(int(self.ids[index.row()]), index.column())
        return None

    def _cell(self, id: int, place: int) -> str:
        table, old, new = self._table, self._old, self._new
        assert table is not None
        assert old is not None
        assert new is not None
        if place == ID:
            return f"{id}"
        if place == ENTRY:
            vocabulary = (old if self.is_old else new).vocabulary
            return in_its_direction(piece_text(vocabulary, id), vocabulary.piece(id))
        if place == FATE:
            return DROPPED if self.is_old else table.fate(id)
        if self.is_old:
            return "–"
        return begins_with(table, old, id)
