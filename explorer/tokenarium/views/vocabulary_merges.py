"""The page "Merges" of the workspace Vocabulary: all merges of the current tokenizer with their ids, as a table."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget

from tokenarium.models.text.inspection import TokenPlace
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.merge_list import MERGE_COLUMNS, MergeList, pair_in
from tokenarium.models.vocabulary.query_line import (
    chip,
    complete,
    hint,
    sections,
    with_term,
    without,
)
from tokenarium.models.vocabulary.vocabulary_columns import Ids, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_filter import ExpressionSearch, Filter, space_signs
from tokenarium.models.vocabulary.vocabulary_query import QueryError, Term, parse
from tokenarium.views.kept import kept_scroll, text_of, whole_number
from tokenarium.views.page_program import page_program
from tokenarium.views.vocabulary_cache import VocabularyCache
from tokenarium.views.workspace import Kept, Page, Workspace, column
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.panel import Rule, named
from tokenarium.widgets.vocabulary.entry_table import MergeListTable
from tokenarium.widgets.vocabulary.query_field import QueryField
from tokenarium_core.models import BoundlessBpe, PickyBpe

EXAMPLE = "(101, 32)   the   script:latin   len:3-5   part:256   re:^ing"

SEARCH = "merge search"

PAIR_TIP = (
    "Two ids find their merge: (101, 32). Other terms are about the entry that a merge makes, as on the page Entries: "
    "a word is looked for in its text, part:256 finds what comes of the entry 256."
)

NO_MERGES = (
    "This tokenizer has no merges",
    "Only models of byte-pair encoding have them. Put another tokenizer in front.",
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
places = found_merges(merges, FILTER, SORT, DESCENDING).tolist()
rows = [merge_record(TOKENIZER.vocabulary, merges.item(place)) for place in places]
"""

IMPORTS = """
from tokenarium.models.vocabulary.merge_list import MergeList
from tokenarium.models.vocabulary.vocabulary_export import merge_record
from tokenarium.models.vocabulary.vocabulary_search import found_merges, vocabulary_columns
"""


class MergeListPage(Page):
    """A line with the filter, and the table."""

    id = "merges"
    title = "Merges"

    def __init__(self, workspace: Workspace, cache: VocabularyCache) -> None:
        super().__init__(workspace)
        self._cache = cache
        self.field = QueryField()
        named(self.field.line, "Filter of the merges")
        self.field.line.setPlaceholderText(EXAMPLE)
        self.field.line.setToolTip(PAIR_TIP)
        self.table = MergeListTable()
        self.nothing = EmptyState()
        self._item: LibraryItem | None = None
        self._columns: VocabularyColumns | None = None
        self._merges: MergeList | None = None
        self._terms: list[Term] = []
        self._sort = (0, False)
        self._found = QStackedWidget()
        self._found.addWidget(self.table)
        self._found.addWidget(self.nothing)
        self._pages = self.fill(column(self.field, Rule(), self._found, grows=self._found))
        self.field.edited.connect(self._filter)
        self.field.term_dropped.connect(self._drop)
        self.field.ask = lambda line, cursor: (
            complete(line, cursor, self._columns) if self._columns is not None else None
        )
        self.field.menu.aboutToShow.connect(self._fill_menu)
        self.table.sort_wanted.connect(self.sort)
        self.table.menu_requested.connect(self._ask_for_menu)
        self.table.entry_wanted.connect(self._show_entry)
        for signal in (self.session.tokenizers_changed, self.session.current_changed):
            signal.connect(self._follow)

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("filter", lambda: self.field.text, lambda line: self.field.set_text(text_of(line))),
            Kept("sorted", lambda: [MERGE_COLUMNS[self._sort[0]].title, self._sort[1]], self._show_sorted),
            Kept("merge", self._merge, self._show_merge),
            kept_scroll("top", self.table.verticalScrollBar(), self._is_listed),
        )  # fmt: skip

    def _show_sorted(self, value: object) -> None:
        if not isinstance(value, list) or len(value) != 2:
            raise TypeError
        self.sort(
            [column.title for column in MERGE_COLUMNS].index(text_of(value[0])), bool(value[1])
        )

    def _merge(self) -> int | None:
        """Returns the place of the current row in the list of merges."""
        row = self.table.currentIndex().row()
        return int(self.rows[row]) if 0 <= row < len(self.rows) else None

    def _show_merge(self, value: object) -> bool:
        wanted = whole_number(value)
        if not self._is_listed():
            return False
        found = np.flatnonzero(self.rows == wanted)
        if len(found):
            self.table.go_to(int(found[0]))
        return True

    def _is_listed(self) -> bool:
        """Whether the merges that the filter finds are in the table, or there are none to list."""
        if self.session.opening:
            return False  # another tokenizer may be in front soon
        self._follow()
        return self._columns is not None and not self.session.jobs.runs(SEARCH)

    # The tokenizer.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

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
        self.session.jobs.cancel(SEARCH)
        merges = self._cache.merges(item)
        if merges is None:
            self._leave(item)
            self._columns = columns
            said = NO_MERGES
            if isinstance(item.tokenizer.model, PickyBpe):
                said = NO_LIST
            elif isinstance(item.tokenizer.model, BoundlessBpe):
                said = NO_LIST_BOUNDLESS
            self.empty.say(*said)
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
        """The places in the list of merges that are shown, in their order."""
        return self.table.merges.rows

    # Filtering and sorting.

    def sort(self, column: int, descending: bool) -> None:
        """Sorts the rows by a column."""
        self._sort = (column, descending)
        self.table.sort_by(column, descending)
        self._filter(self.field.text)

    def _filter(self, line: str) -> None:
        """Shows the merges that satisfy a filter; if it cannot be understood, the last ones stay."""
        columns, merges, item = self._columns, self._merges, self._item
        if columns is None or merges is None or item is None:
            return
        number, descending = self._sort
        rows = merges.order(MERGE_COLUMNS[number].id, descending)
        pair = pair_in(line)
        self.session.jobs.cancel(SEARCH)
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
        """Tries the expressions on these entries in slices, and shows the merges that make those found."""
        search = ExpressionSearch(columns, terms, entries)

        def show(finished: bool) -> None:
            mask = np.zeros(columns.count, np.bool_)
            mask[search.found] = True
            self._show(merges.of_entries(mask, rows), finished)

        finished = search.step(4.0).finished
        show(finished)
        if not finished:
            self.session.jobs.start(
                SEARCH,
                f"Searching the merges of {columns.tokenizer.name}",
                search,
                lambda progress: show(True) if progress.finished else None,
                lambda error: None,
            )

    def _show(self, rows: Ids, finished: bool = True) -> None:
        """Shows other rows from the top."""
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
                "Side by side, these two tokens stay two.",
            )
        elif nothing:
            self.nothing.say("No merge makes such an entry", hint(self._terms, columns))

    def _drop(self, place: int) -> None:
        """Removes a term from the filter."""
        if place < len(self._terms):
            self.field.set_text(without(self.field.text, self._terms[place]))

    def _fill_menu(self) -> None:
        if self._columns is None:
            return
        self.field.set_menu(sections(self._columns), self._add_term)
        menu = self.field.menu.addMenu("Sort by")
        chosen, descending = self._sort
        for number, one in enumerate(MERGE_COLUMNS):
            action = menu.addAction(one.title)
            action.setCheckable(True)
            action.setChecked(number == chosen)
            turned = number == chosen and not descending
            action.triggered.connect(
                lambda _=False, number=number, turned=turned: self.sort(number, turned)
            )

    def _add_term(self, text: str) -> None:
        self.field.set_text(with_term(self.field.text, self._terms, text))
        self.field.line.setFocus()

    def python(self) -> str:
        if self._item is None or self._merges is None:
            return ""
        number, descending = self._sort
        return page_program(
            self.session,
            self.title,
            IMPORTS,
            PROGRAM,
            front=self._item,
            filter=self.field.text,
            sort=MERGE_COLUMNS[number].id,
            descending=descending,
        )

    # The entries.

    def _show_entry(self, token: int) -> None:
        if self._item is not None:
            self.session.show_entry(token, self._item.key)

    def _ask_for_menu(self, token: int, point: QPoint) -> None:
        if self._item is not None:
            self.session.ask_token_menu(TokenPlace(self._item.key, token), point)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        in_line, key = self.field.line.hasFocus(), event.key()
        if in_line and key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.table.setFocus()
            if not self.table.currentIndex().isValid() and len(self.rows):
                self.table.go_to(0)
            return
        if key == Qt.Key.Key_Escape and in_line and self.field.text:
            self.field.set_text("")
            return
        if self.table.hasFocus() and (
            key == Qt.Key.Key_Escape or (key == Qt.Key.Key_Up and self.table.at_top)
        ):
            self.focus_first()
            return
        super().keyPressEvent(event)

    def focus_first(self) -> None:
        """Puts the focus into the filter."""
        self.field.line.setFocus()
        self.field.line.selectAll()
