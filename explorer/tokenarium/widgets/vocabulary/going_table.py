"""A table of entries to be removed from a vocabulary, or that are only steps to others."""

from __future__ import annotations

from collections.abc import Sequence

from tokenarium.models.tokenizers.pruned import Going
from tokenarium.style.theme import PAGE_MARGIN
from tokenarium.widgets.flat_table import FlatTree

HEADS = ("Entry", "Id", "Uses", "Order", "Goes")
RESIDUE_HEADS = ("Entry", "Id", "Stays a token", "Made by merges")
ENTRY, ID, USES, ORDER, GOES = range(5)


class GoingTable(FlatTree):
    """Entries with their ids and uses; those to be removed are marked."""

    def __init__(self, title: str, heads: Sequence[str]) -> None:
        super().__init__(
            title, heads, left=PAGE_MARGIN, terms={ENTRY: "entry", ID: "id"},
            numbers=(ID, USES, ORDER), growing=(ENTRY,),
        )  # fmt: skip
        self._heads = list(heads)
        self._shown: tuple[Going, ...] = ()
        self._marked: int | None = -1

    def show_entries(self, entries: tuple[Going, ...], going: int | None) -> None:
        """Shows entries, of which the first ``going`` will be removed; None: no marks."""
        if entries is not self._shown:
            self._shown = entries
            self._marked = -1
            self.clear()
            rows = []
            for entry in entries:
                item = self.row_of(
                    [
                        entry.entry,
                        f"{entry.id:,}",
                        f"{entry.uses:,}",
                        f"{entry.place or entry.made:,}",
                    ]
                )
                rows.append(item)
            self.addTopLevelItems(rows)
        if going is not None and going != self._marked:
            self._marked = going
            # Otherwise the headings would measure all rows again for each of them.
            self.model().blockSignals(True)
            for number, one in enumerate(entries):
                row = self.topLevelItem(number)
                if row is not None:
                    row.setText(GOES, "goes" if one.place <= going else "")
            self.model().blockSignals(False)
            self.viewport().update()

    def lines(self) -> list[list[str]]:
        """Returns the cells, row by row with the head; empty without any."""
        rows = [self.topLevelItem(index) for index in range(self.topLevelItemCount())]
        cells = [
            [row.text(index) for index in range(len(self._heads))]
            for row in rows
            if row is not None
        ]
        return [self._heads, *cells] if cells else []
