"""A table of texts that get different ids from another tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenarium.style.theme import PAGE_MARGIN
from tokenarium.widgets.flat_table import FlatTree

if TYPE_CHECKING:
    from tokenarium.models.tokenizers.extended import Changing

HEADS = ("Text", "Times", "Tokens before", "Tokens after", "New entry")
TEXT, TIMES, BEFORE, AFTER, NEW = range(5)


class ChangingTable(FlatTree):
    """Words or lines with their tokens before and after."""

    def __init__(self) -> None:
        super().__init__(
            "Texts that change", HEADS, left=PAGE_MARGIN, numbers=(TIMES,),
            growing=(TEXT, BEFORE, AFTER),
        )  # fmt: skip
        self._shown: tuple[Changing, ...] = ()

    def show_texts(self, texts: tuple[Changing, ...]) -> None:
        """Shows texts."""
        if texts is self._shown:
            return
        self._shown = texts
        self.clear()
        rows = []
        for cells in self._cells():
            row = self.row_of(cells)
            for place in (TEXT, BEFORE, AFTER):
                row.setToolTip(place, cells[place])
            rows.append(row)
        self.addTopLevelItems(rows)
        self.setColumnHidden(NEW, all(text.has_new for text in texts))

    def lines(self) -> list[list[str]]:
        """Returns the cells, row by row with the head; empty without any."""
        return [list(HEADS), *self._cells()] if self._shown else []

    def _cells(self) -> list[list[str]]:
        return [
            [one.text, f"{one.times:,}", one.before, one.after, "yes" if one.has_new else "none"]
            for one in self._shown
        ]
