"""The page "Entries" of the workspace Vocabulary: a table that filters as one types, and what is told of one entry."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

import tokenarium_core as tc
from tokenarium.models.text.places import next_place
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.entry_details import occurrences
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
from tokenarium.models.vocabulary.vocabulary_table import COLUMNS
from tokenarium.style.theme import GRID
from tokenarium.views.entry_details import details_of
from tokenarium.views.vocabulary_cache import VocabularyCache
from tokenarium.views.workspace import NO_TOKENIZER, Workspace
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.panel import Rule
from tokenarium.widgets.vocabulary.entry_pane import EntryPane
from tokenarium.widgets.vocabulary.entry_table import EntryTable
from tokenarium.widgets.vocabulary.query_field import QueryField

FIRST_MS = 4.0
"""So long expressions are tried in the frame of a keystroke; what they find by then is shown at once."""

DETAILS_MS = 30
"""How soon the pane follows the current row."""

WIDE = 130 * GRID
"""In a page that is wider the pane stands beside the table, in others under it."""

PANE_WIDTH, WIDEST_PANE = 50 * GRID, 70 * GRID
"""What the pane has beside the table at least, and at most, if the table wants no more."""

SEARCH = "vocabulary search"

NOTHING_FOUND = "No entry satisfies all of this"


class EntriesPage(QWidget):
    """A line to filter by, over the table and the pane of the current entry."""

    def __init__(self, workspace: Workspace, cache: VocabularyCache) -> None:
        super().__init__()
        self.setAccessibleName("Entries")
        self.session, self.appearance = workspace.session, workspace.appearance
        self._help_with = workspace.help_with
        self._cache = cache
        theme = self.appearance.theme
        self.field = QueryField(theme)
        self.table = EntryTable()
        self.pane = EntryPane(theme)
        self.empty = EmptyState()
        self.nothing = EmptyState()
        self._columns: VocabularyColumns | None = None
        self._entry: LibraryItem | None = None
        self._terms: list[Term] = []
        self._sort = (0, False)
        self._token = -1
        self._stale = True
        self._pulled = False
        self._wanted = -1
        self._places: np.typing.NDArray[np.int32] = np.zeros((0, 2), np.int32)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(DETAILS_MS)
        self._build()
        self._connect()

    def _build(self) -> None:
        self._found = QStackedWidget()
        self._found.addWidget(self.table)
        self._found.addWidget(self.nothing)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(1)
        self.split.addWidget(self._found)
        self.split.addWidget(self.pane)
        self.split.splitterMoved.connect(self._pull)
        self.pane.hide()
        for place in range(2):
            self.split.setStretchFactor(place, 1)
        full = QWidget()
        rows = QVBoxLayout(full)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.field)
        rows.addWidget(Rule())
        rows.addWidget(self.split, 1)
        self._pages = QStackedWidget()
        self._pages.addWidget(full)
        self._pages.addWidget(self.empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    def _connect(self) -> None:
        session = self.session
        self.field.edited.connect(self._filter)
        self.field.term_dropped.connect(self._drop)
        self.field.ask = lambda line, cursor: (
            complete(line, cursor, self._columns) if self._columns is not None else None
        )
        self.field.menu.aboutToShow.connect(self._fill_menu)
        self.table.sort_wanted.connect(self.sort)
        self.table.pointed.connect(self._point)
        self.pane.entry_picked.connect(self.show_entry)
        self.pane.other_picked.connect(lambda key, token: session.show_entry(token, key))
        self.pane.query_wanted.connect(self.field.set_text)
        self.pane.occurrence_wanted.connect(self.go_to_occurrence)
        self._soon.timeout.connect(self._show_details)
        self._cache.prepared.connect(self._prepared)
        for signal in (session.tokenizers_changed, session.current_changed):
            signal.connect(self._follow)
        session.encoding_changed.connect(lambda key: self._count_occurrences())
        session.text_changed.connect(self._count_occurrences)
        self.appearance.changed.connect(self._show_theme)

    # The tokenizer.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _follow(self) -> None:
        """Shows the vocabulary of the current tokenizer, where that is another now."""
        if not self.isVisible():
            return
        entry = self.session.current
        if entry is None or entry.tokenizer is None:
            self._entry = self._columns = None
            self.table.entries.show_rows(None, np.zeros(0, np.int32))
            self._pages.setCurrentIndex(1)
            self.empty.say(*NO_TOKENIZER, self._help_with(("open_tokenizer", "Open …")))
            return
        self._pages.setCurrentIndex(0)
        columns = self._cache.columns(entry)
        if columns is self._columns:
            return
        self.session.jobs.cancel(SEARCH)
        self._entry, self._columns = entry, columns
        self._token = -1
        self.pane.hide()
        self.table.show_values(columns.has_values)
        self._filter(self.field.text)

    @property
    def columns(self) -> VocabularyColumns | None:
        """The columns of the vocabulary that is shown."""
        return self._columns

    @property
    def rows(self) -> Ids:
        """The ids that are shown, in their order."""
        return self.table.entries.rows

    def _prepared(self, key: str) -> None:
        if self._entry is not None and self._entry.key == key:
            if (
                any(term.key == "flag" for term in self._terms)
                or COLUMNS[self._sort[0]].id == "flags"
            ):
                self._filter(self.field.text)
            else:
                self.table.viewport().update()
            self._soon.start()

    # Filtering and sorting.

    def sort(self, column: int, descending: bool) -> None:
        """Sorts the rows by a column."""
        self._sort = (column, descending)
        self.table.sort_by(column, descending)
        self._filter(self.field.text)

    def _filter(self, line: str) -> None:
        """Shows the entries that satisfy a line; where it cannot be understood, those before stay."""
        columns, entry = self._columns, self._entry
        if columns is None or entry is None:
            return
        try:
            terms = parse(line, space_signs(columns))
            mask = Filter(columns, self._cache.findings(entry)).mask(terms)
        except QueryError as error:
            self.field.say(str(error), wrong=True)
            self.nothing.say("The filter cannot be read", str(error))
            return
        self.session.jobs.cancel(SEARCH)
        self._terms = terms
        number, descending = self._sort
        order = columns.order(COLUMNS[number].id, descending)
        rows = order if not terms else order[mask[order]]
        self.field.show_chips([chip(term) for term in terms])
        if any(term.key == "re" for term in terms):
            self._search(columns, rows)
        else:
            self._show(rows)

    def _search(self, columns: VocabularyColumns, rows: Ids) -> None:
        """Tries the expressions on these rows: for a moment now, and then in slices."""
        search = ExpressionSearch(columns, self._terms, rows)
        finished = search.step(FIRST_MS).finished
        self._show(search.found, search, finished)
        if finished:
            return

        def take(progress: tc.Progress) -> None:
            if progress.finished or len(search.found) > 2 * len(self.rows):
                self._show(search.found, search, progress.finished, grows=True)

        title = f"Searching {columns.tokenizer.name}"
        self.session.jobs.start(SEARCH, title, search, take, lambda error: None)

    def _show(
        self,
        rows: Ids,
        search: ExpressionSearch | None = None,
        finished: bool = True,
        grows: bool = False,
    ) -> None:
        """Shows other rows from the top, or at the current entry; rows that only grow stay in place."""
        columns = self._columns
        assert columns is not None
        bar = self.table.verticalScrollBar()
        same = len(rows) == len(self.rows) and self.table.entries.columns is columns
        at = bar.value() if same or grows else 0
        self.table.entries.show_rows(columns, rows)
        bar.setValue(at)  # Qt would leave it where it was among the rows before
        row = self.table.entries.row_of(self._token) if self._token >= 0 else -1
        if row >= 0:
            self.table.go_to(row)
        name = columns.tokenizer.name if self._entry is None else self._entry.name
        # While it goes on the line stays as it is: a count that runs cannot be read.
        of = f"{columns.count:,} entries of {name}"
        all_of_them = len(rows) == columns.count
        count = (of if all_of_them else f"{len(rows):,} of {of}") if finished else "Searching …"
        if search is not None and search.gave_up:
            count += f"; the expression takes too long for {search.gave_up:,}"
        self.field.say(count)
        self._found.setCurrentIndex(0 if len(rows) or not finished else 1)
        if not len(rows) and finished:
            self.nothing.say(NOTHING_FOUND, hint(self._terms, columns))

    def _drop(self, place: int) -> None:
        """Takes a term out of the line."""
        if place < len(self._terms):
            self.field.set_text(without(self.field.text, self._terms[place]))

    def add_term(self, text: str) -> None:
        """Writes a term into the line, in place of one of the same key."""
        self.field.set_text(with_term(self.field.text, self._terms, text))
        self.field.line.setFocus()
        if text.endswith(":"):
            self.field.line.setCursorPosition(len(self.field.text))

    def _fill_menu(self) -> None:
        if self._columns is not None:
            self.field.set_menu(sections(self._columns), self.add_term)
            self._add_sorting()

    def _add_sorting(self) -> None:
        """Lets the keyboard sort too: the heads of a table cannot take the focus."""
        menu = self.field.menu.addMenu("Sort by")
        chosen, descending = self._sort
        for number in range(len(COLUMNS)):
            if self.table.isColumnHidden(number):
                continue
            title = self.table.entries.headerData(number, Qt.Orientation.Horizontal)
            action = menu.addAction(str(title))
            action.setCheckable(True)
            action.setChecked(number == chosen)
            turned = number == chosen and not descending
            action.triggered.connect(
                lambda _=False, number=number, turned=turned: self.sort(number, turned)
            )

    # The entry.

    def show_entry(self, token: int) -> None:
        """Makes an entry the current one; where the filter hides it, the filter goes."""
        columns = self._columns
        if columns is None or not 0 <= token < columns.count:
            return
        self._token = token
        row = self.table.entries.row_of(token)
        if row < 0:
            self.field.set_text("")
            row = self.table.entries.row_of(token)
        self.table.go_to(row)
        self._soon.start()

    @property
    def token(self) -> int:
        """The id of the entry in the pane, -1 for none."""
        return self._token

    def _point(self, token: int) -> None:
        if token >= 0 and token != self._token:
            self._token = token
            self._soon.start()

    def _show_details(self) -> None:
        columns, entry = self._columns, self._entry
        if columns is None or entry is None or not 0 <= self._token < columns.count:
            return
        others = [one for one in self.session.chosen() if one.key != entry.key]
        self.pane.show_entry(details_of(columns, self._token, others, self.appearance.theme))
        if self.pane.isHidden():
            self.pane.show()
            self._share_room()
            self.table.scrollTo(self.table.currentIndex())  # which the pane may have covered
        self._count_occurrences()

    def _count_occurrences(self) -> None:
        entry = self._entry
        if entry is None or self._token < 0 or not self.isVisible():
            return
        encoded = self.session.encoded(entry.key)
        if encoded is None or encoded.encoding is None:
            self._places = np.zeros((0, 2), np.int32)
            self.pane.show_occurrences("The text is not encoded.", False)
            return
        self._places = occurrences(encoded.encoding, self._token)
        count = len(self._places)
        so_far = "" if encoded.complete else " so far"
        times = "Once" if count == 1 else f"{count:,} times" if count else "Not"
        self.pane.show_occurrences(f"{times} in the text{so_far}", count > 0)

    def go_to_occurrence(self, step: int) -> None:
        """Selects the next (1) or previous (-1) place of the text that has the entry, round its ends."""
        if len(self._places):
            place = next_place(self._places, self.session.selection, step)
            start, end = self._places[place].tolist()
            self.session.select(start, end)

    # Looks.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = event.size().width() >= WIDE
        way = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if way != self.split.orientation():
            self.split.setOrientation(way)
            self._pulled = False
        self._share_room()

    def _pull(self) -> None:
        self._pulled = True

    def _share_room(self) -> None:
        """Shares the room out, unless somebody has pulled at the line between."""
        if self._pulled:
            return
        if self.split.orientation() == Qt.Orientation.Horizontal:
            pane = max(PANE_WIDTH, min(self.width() - self.table.wanted_width, WIDEST_PANE))
            self.split.setSizes([self.width() - pane, pane])
        else:
            self.split.setSizes([55, 45])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        in_line, key = self.field.line.hasFocus(), event.key()
        if in_line and key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.table.setFocus()
            if self.table.current < 0 and len(self.rows):
                self.table.go_to(0)
            return
        if key == Qt.Key.Key_Escape and in_line and self.field.text:
            self.field.set_text("")
            return
        if key == Qt.Key.Key_Escape and self.table.hasFocus():
            self.focus_first()
            return
        super().keyPressEvent(event)

    def focus_first(self) -> None:
        """Puts the focus into the line."""
        self.field.line.setFocus()
        self.field.line.selectAll()

    @property
    def last_control(self) -> QWidget | None:
        """The last control that Tab reaches."""
        if self._pages.currentIndex() == 1:
            return self.empty.buttons[-1] if self.empty.buttons else None
        return self.pane.links[-1] if self.pane.links else self.table

    def _show_theme(self) -> None:
        theme = self.appearance.theme
        self.field.set_theme(theme)
        self.pane.set_theme(theme)
        self._show_details()
