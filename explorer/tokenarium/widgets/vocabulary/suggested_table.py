"""A table of entries that may be added to a vocabulary, each with a tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidgetItem

from tokenarium.style.theme import PAGE_MARGIN
from tokenarium.widgets.flat_table import FlatTree

if TYPE_CHECKING:
    from tokenarium.models.tokenizers.extended import Suggestions

SHOWN = 2_000
"""The most entries that are listed."""

HEADS = ("Entry", "Id", "Made of", "Times", "Tokens saved")
ENTRY, ID, MERGE, TIMES, SAVED = range(5)


class SuggestedTable(FlatTree):
    """Entries with the tokens that each saves; ``left_out`` are the ids of those without a tick."""

    ticked = Signal()

    def __init__(self) -> None:
        super().__init__(
            "Entries to add", HEADS, left=PAGE_MARGIN, terms={ENTRY: "entry", ID: "id"},
            numbers=(ID, TIMES, SAVED), growing=(ENTRY, MERGE),
        )  # fmt: skip
        self.left_out: set[int] = set()
        self._found: Suggestions | None = None
        self.itemChanged.connect(self._tick)

    def show_entries(self, found: Suggestions | None) -> None:
        """Shows the suggestions, with a tick at each entry that is not left out."""
        if found is self._found:
            return
        self._found = found
        self.blockSignals(True)
        self.clear()
        rows = []
        entries, tokens = (found.entries[:SHOWN], found.tokens) if found is not None else ((), 0)
        for entry in entries:
            times = f"{entry.times:,}" if entry.times else ""
            saved = f"{entry.saved:,}" if tokens else ""
            row = self.row_of([entry.entry, f"{entry.id:,}", entry.merge, times, saved])
            row.setData(ENTRY, Qt.ItemDataRole.UserRole, entry.id)
            out = entry.id in self.left_out
            row.setCheckState(ENTRY, Qt.CheckState.Unchecked if out else Qt.CheckState.Checked)
            for place in (ENTRY, MERGE):
                row.setToolTip(place, row.text(place))
            rows.append(row)
        self.addTopLevelItems(rows)
        self.setColumnHidden(TIMES, not any(one.times for one in entries))
        self.setColumnHidden(SAVED, not tokens)
        self.blockSignals(False)

    def lines(self) -> list[list[str]]:
        """Returns the cells of all entries, row by row with the head; empty without any."""
        entries = self._found.entries if self._found is not None else ()
        rows = [
            [entry.entry, str(entry.id), entry.merge, str(entry.times), str(entry.saved)]
            for entry in entries
        ]
        return [list(HEADS), *rows] if rows else []

    def _tick(self, row: QTreeWidgetItem, place: int) -> None:
        if place != ENTRY:
            return
        id = int(row.data(ENTRY, Qt.ItemDataRole.UserRole))
        if row.checkState(ENTRY) == Qt.CheckState.Checked:
            self.left_out.discard(id)
        else:
            self.left_out.add(id)
        self.ticked.emit()
