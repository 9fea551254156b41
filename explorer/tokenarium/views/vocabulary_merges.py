"""The page "Merges" of the workspace Vocabulary: all merges of the current tokenizer with their ids, as a table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtWidgets import QWidget

from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.merge_list import MERGE_COLUMNS, MergeList, pair_in
from tokenarium.models.vocabulary.query_line import (
    chip,
    hint,
)
from tokenarium.models.vocabulary.vocabulary_columns import Ids, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_filter import ExpressionSearch, Filter, space_signs
from tokenarium.models.vocabulary.vocabulary_query import QueryError, Term, parse
from tokenarium.session.requests import ShowEntry
from tokenarium.style.theme import PAGE_MARGIN
from tokenarium.views.kept import Kept, whole_number
from tokenarium.views.vocabulary_cache import VocabularyCache
from tokenarium.views.vocabulary_filtered import FilteredTablePage
from tokenarium.views.workspace import Workspace, column
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import edged, named
from tokenarium.widgets.vocabulary.entry_table import MergeListTable
from tokenarium_core.models import BoundlessBpe, PickyBpe

EXAMPLE = "(101, 32)   the   script:latin   len:3-5   part:256   re:^ing"

PAIR_TIP = (
    "Two ids find their merge: (101, 32). Other terms filter the entry that a merge makes, as on the page Entries: a "
    "word matches in its text, part:256 finds what is made of the entry 256."
)

NO_MERGES = (
    "This tokenizer has no merges",
    "Only models of byte-pair encoding have them. Choose another tokenizer.",
)
NO_LIST = (
    "PickyBPE has no list of merges",
    "It makes merges and removals in the order of its training: Merges plays them for a text, and"
    " tokenarium inspect --merges lists them.",
)

NO_LIST_BOUNDLESS = (
    "BoundlessBPE has no list of merges",
    "It makes merges, deletions and supermerges in the order of its training, which Merges plays for a text.",
)


PROGRAM = """
merges = MergeList(vocabulary_columns(TOKENIZER))
places = matching_merges(merges, FILTER, SORT, DESCENDING).tolist()
rows = [merge_record(TOKENIZER.vocabulary, merges.item(place)) for place in places]
"""

IMPORTS = """
from tokenarium.models.vocabulary.merge_list import MergeList
from tokenarium.models.vocabulary.vocabulary_export import merge_record
from tokenarium.models.vocabulary.vocabulary_search import matching_merges, vocabulary_columns
"""


class MergeListPage(FilteredTablePage):
    """A line with the filter, and the table."""

    id = "merges"
    title = "Merges"
    columns_of_table = MERGE_COLUMNS
    program = IMPORTS, PROGRAM
    export = "export_merges"

    def __init__(self, workspace: Workspace, cache: VocabularyCache) -> None:
        super().__init__(workspace, cache, MergeListTable())
        named(self.field.line, "Filter of the merges")
        self.field.line.setPlaceholderText(EXAMPLE)
        self.field.line.setToolTip(PAIR_TIP)
        self._merges: MergeList | None = None
        shown = QWidget()
        in_column(
            edged(self._found), into=shown, margins=(PAGE_MARGIN, 0, PAGE_MARGIN, PAGE_MARGIN)
        )
        self._pages = self.fill(column(self.field, shown, grows=shown))
        self.table.entry_wanted.connect(self._show_entry)

    # What scenes keep.

    def more_keeps(self) -> Iterable[Kept]:
        return (Kept("merge", self._merge, self._show_merge),)

    def _merge(self) -> int | None:
        """Returns the index of the current row in the list of merges."""
        row = self.table.currentIndex().row()
        return int(self.rows[row]) if 0 <= row < len(self.rows) else None

    def _show_merge(self, value: object) -> bool:
        number = whole_number(value)
        if not self._is_listed():
            return False
        hits = np.flatnonzero(self.rows == number)
        if len(hits):
            self.table.go_to(int(hits[0]))
        return True

    # The tokenizer.

    def _follow(self) -> None:
        """Shows the merges of the current tokenizer, if that has changed."""
        if not self.isVisible():
            return
        item = self.session.current
        if item is None or item.tokenizer is None:
            self._leave(item)
            self.say_no_tokenizer()
            return
        columns = self._cache.columns(item)
        if columns is self._columns:
            return
        self.running.cancel()
        merges = self._cache.merges(item)
        if merges is None:
            self._leave(item)
            self._columns = columns
            message = NO_MERGES
            if isinstance(item.tokenizer.model, PickyBpe):
                message = NO_LIST
            elif isinstance(item.tokenizer.model, BoundlessBpe):
                message = NO_LIST_BOUNDLESS
            self.empty.say(*message)
            return
        self._pages.setCurrentIndex(0)
        self._item, self._columns, self._merges = item, columns, merges
        self._filter(self.field.text)

    def _leave(self, item: LibraryItem | None) -> None:
        """Shows that there is nothing to list."""
        self._item, self._columns, self._merges = item, None, None
        self.table.merges.show_rows(None, np.zeros(0, np.int32))
        self._pages.setCurrentIndex(1)

    @property
    def merges(self) -> MergeList | None:
        """The merges that are listed; None without any."""
        return self._merges

    @property
    def rows(self) -> Ids:
        """The indices of the visible merges, in their order."""
        rows: Ids = self.table.merges.rows
        return rows

    # Filtering and sorting.

    def _filter(self, line: str) -> None:
        """Shows the merges that match a filter; if it is not valid, the previous ones stay."""
        columns, merges, item = self._columns, self._merges, self._item
        if columns is None or merges is None or item is None:
            return
        number, descending = self._sort
        rows = merges.order(MERGE_COLUMNS[number].id, descending)
        pair = pair_in(line)
        self.running.cancel()
        if pair is not None:
            self._terms = []
            self.field.show_chips([])
            self._show(merges.of_pair(*pair, rows))
            return
        try:
            terms = parse(line, space_signs(columns))
            mask = Filter(columns, self._cache.findings(item)).mask(terms)
        except QueryError as error:
            self.field.say(str(error), wrong=True)
            return
        self._terms = terms
        self.field.show_chips([chip(term) for term in terms])
        if any(term.key == "re" for term in terms):
            self._search(columns, merges, terms, rows, np.flatnonzero(mask).astype(np.int32))
        else:
            self._show(merges.of_entries(mask, rows) if terms else rows)

    def _search(
        self,
        columns: VocabularyColumns,
        merges: MergeList,
        terms: list[Term],
        rows: Ids,
        entries: Ids,
    ) -> None:
        """Tries the expressions on these entries in slices, and shows the merges that make the matches."""
        search = ExpressionSearch(columns, terms, entries)

        def show(finished: bool) -> None:
            mask = np.zeros(columns.count, np.bool_)
            mask[search.matches] = True
            self._show(merges.of_entries(mask, rows), finished)

        finished = search.step(4.0).finished
        show(finished)
        if not finished:
            self.running.slices(
                f"Searching the merges of {columns.tokenizer.name}",
                search,
                lambda progress: show(True) if progress.finished else None,
            )

    def _show(self, rows: Ids, finished: bool = True) -> None:
        """Shows new rows from the top."""
        merges, item, columns = self._merges, self._item, self._columns
        assert merges is not None
        assert item is not None
        assert columns is not None
        self.table.merges.show_rows(merges, rows)
        self.table.verticalScrollBar().setValue(0)
        of = f"{len(merges):,} merges of {item.name}"
        count = of if len(rows) == len(merges) else f"{len(rows):,} of {of}"
        self.field.say(count if finished else "Searching …")
        nothing = finished and not len(rows)
        self._found.setCurrentIndex(1 if nothing else 0)
        if nothing and pair_in(self.field.text) is not None:
            left, right = pair_in(self.field.text) or (0, 0)
            self.nothing.say(
                f"No merge joins {left} and {right}",
                "Next to each other, these two tokens stay two.",
            )
        elif nothing:
            self.nothing.say("No merge makes a matching entry", hint(self._terms, columns))

    def python(self) -> str:
        return super().python() if self._merges is not None else ""

    # The entries.

    def _show_entry(self, token: int) -> None:
        if self._item is not None:
            self.session.requests.ask(ShowEntry(token, self._item.key))
