"""The page "Entries" of the workspace Vocabulary: a table with a filter, and the details of one entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent

from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import piece_text, readable
from tokenarium.models.text.text_map import next_region
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.entry_details import (
    ancestry,
    built_of,
    occurrences,
    same_bytes,
    variants,
)
from tokenarium.models.vocabulary.query_line import (
    chip,
    hint,
)
from tokenarium.models.vocabulary.vocabulary_columns import (
    FLAGS,
    Ids,
    VocabularyColumns,
    value_text,
)
from tokenarium.models.vocabulary.vocabulary_filter import ExpressionSearch, Filter, space_signs
from tokenarium.models.vocabulary.vocabulary_query import QueryError, parse
from tokenarium.models.vocabulary.vocabulary_table import COLUMNS
from tokenarium.session.requests import ShowEntry
from tokenarium.style.theme import CARD_GAP, GRID, PAGE_MARGIN, Theme
from tokenarium.views.kept import Kept, whole_number
from tokenarium.views.vocabulary_cache import VocabularyCache
from tokenarium.views.vocabulary_filtered import FilteredTablePage
from tokenarium.views.workspace import Workspace, column
from tokenarium.widgets.floating import CardSplitter
from tokenarium.widgets.panel import edged
from tokenarium.widgets.vocabulary.entry_pane import Elsewhere, EntryDetails, EntryPane, Link
from tokenarium.widgets.vocabulary.entry_table import EntryTable
from tokenarium_core.explaining.piece_facts import SPLITS
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import KINDS

FIRST_MS = 4.0
"""Milliseconds that expressions may take after a keystroke; the matches by then are shown at once."""

DETAILS_MS = 30
"""Milliseconds after which the pane follows the current row."""

WIDE = 130 * GRID
"""Pixels: on a wider page the pane is next to the table, otherwise below it."""

PANE_WIDTH, WIDEST_PANE = 35 * GRID, 70 * GRID
"""The least and the greatest width of a pane next to the table, in pixels."""

SHOWN = 24
"""The most entries of one kind that the pane shows; the table has the rest."""

NOTHING_FOUND = "No entry matches all of these terms"


PROGRAM = """
columns = vocabulary_columns(TOKENIZER)
rows = [record(columns, token) for token in matching_entries(columns, FILTER, SORT, DESCENDING).tolist()]
"""

IMPORTS = """
from tokenarium.models.vocabulary.vocabulary_export import record
from tokenarium.models.vocabulary.vocabulary_search import matching_entries, vocabulary_columns
"""


class EntriesPage(FilteredTablePage):
    """A line with the filter, the table, and the pane of the current entry."""

    id = "entries"
    title = "Entries"
    columns_of_table = COLUMNS
    program = IMPORTS, PROGRAM
    export = "export_entries"

    def __init__(self, workspace: Workspace, cache: VocabularyCache) -> None:
        super().__init__(workspace, cache, EntryTable())
        self.pane = EntryPane()
        self._token = -1
        self._stale = True
        self._pulled = False
        self._pane_share = 0  # of the room in thousandths, once the user has moved the line
        self._places: np.typing.NDArray[np.int32] = np.zeros((0, 2), np.int32)
        self._soon = QTimer(self, singleShot=True, interval=DETAILS_MS)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.split = CardSplitter(Qt.Orientation.Vertical)
        self.split.setHandleWidth(CARD_GAP)
        self._beside = edged(self.pane)
        self.split.addWidget(edged(self._found))
        self.split.addWidget(self._beside)
        self.split.splitterMoved.connect(self._pull)
        self._beside.hide()
        for place in range(2):
            self.split.setStretchFactor(place, 1)
        self.split.setContentsMargins(PAGE_MARGIN, 0, PAGE_MARGIN, PAGE_MARGIN)
        self._pages = self.fill(column(self.field, self.split, grows=self.split))

    def _connect(self) -> None:
        session = self.session
        self.table.pointed.connect(self._point)
        self.pane.entry_picked.connect(self.show_entry)
        self.pane.other_picked.connect(
            lambda key, token: session.requests.ask(ShowEntry(token, key))
        )
        self.pane.query_wanted.connect(self.field.set_text)
        self.pane.occurrence_wanted.connect(self.go_to_occurrence)
        self._soon.timeout.connect(self._show_details)
        self._cache.prepared.connect(self._prepared)
        session.encoding_changed.connect(self._count_occurrences)
        session.text_changed.connect(self._count_occurrences)
        session.display_changed.connect(self._show_base)
        self.appearance.changed.connect(self._show_details)

    def _show_base(self) -> None:
        """Writes bytes in the current base."""
        self.table.viewport().update()
        self._soon.start()

    # What scenes keep.

    def more_keeps(self) -> Iterable[Kept]:
        return (
            Kept("pane", lambda: self._pane_share if self._pulled else None, self._show_pane),
            Kept("entry", lambda: self._token if self._token >= 0 else None, self._show_kept_entry),
        )

    def _show_pane(self, share: object) -> None:
        self._pane_share, self._pulled = min(whole_number(share), 1000), True
        self.split.setSizes([1000 - self._pane_share, self._pane_share])

    def _show_kept_entry(self, token: object) -> bool:
        """Shows an entry in the pane, and in the table if its filter does not hide it."""
        number = whole_number(token)
        if not self._is_listed():
            return False
        assert self._columns is not None
        if number >= self._columns.count:
            raise ValueError
        self._token = number
        row = self.table.entries.row_of(number)
        if row >= 0:
            self.table.go_to(row)
        self._show_details()
        return True

    # The tokenizer.

    def _follow(self) -> None:
        """Shows the vocabulary of the current tokenizer, if that has changed."""
        if not self.isVisible():
            return
        item = self.session.current
        if item is None or item.tokenizer is None:
            self._item = self._columns = None
            self.table.entries.show_rows(None, np.zeros(0, np.int32))
            self._pages.setCurrentIndex(1)
            self.say_no_tokenizer()
            return
        self._pages.setCurrentIndex(0)
        columns = self._cache.columns(item)
        if columns is self._columns:
            return
        self.running.cancel()
        self._item, self._columns = item, columns
        self._token = -1
        self._beside.hide()
        self.table.show_values(columns.has_values)
        self.table.show_indicators(bool(columns.indicator))
        self._filter(self.field.text)

    @property
    def columns(self) -> VocabularyColumns | None:
        """The columns of the current vocabulary."""
        return self._columns

    @property
    def rows(self) -> Ids:
        """The visible ids, in their order."""
        rows: Ids = self.table.entries.rows
        return rows

    def _prepared(self, key: str) -> None:
        if self._item is not None and self._item.key == key and self._columns is not None:
            self.table.show_indicators(bool(self._columns.indicator))
            if any(term.key in ("flag", "trained") for term in self._terms) or COLUMNS[
                self._sort[0]
            ].id in ("flags", "indicator"):
                self._filter(self.field.text)
            else:
                self.table.viewport().update()
            self._soon.start()

    # Filtering and sorting.

    def _filter(self, line: str) -> None:
        """Shows the entries that match a filter; if it is not valid, the previous ones stay."""
        columns, item = self._columns, self._item
        if columns is None or item is None:
            return
        try:
            terms = parse(line, space_signs(columns))
            mask = Filter(columns, self._cache.findings(item)).mask(terms)
        except QueryError as error:
            self.field.say(str(error), wrong=True)
            self.nothing.say("The filter cannot be read", str(error))
            return
        self.running.cancel()
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
        """Tries the expressions on these rows, first for a moment and then in slices."""
        search = ExpressionSearch(columns, self._terms, rows)
        finished = search.step(FIRST_MS).finished
        self._show(search.matches, search, finished)
        if finished:
            return

        def take(progress: Progress) -> None:
            if progress.finished or len(search.matches) > 2 * len(self.rows):
                self._show(search.matches, search, progress.finished, grows=True)

        title = f"Searching {columns.tokenizer.name}"
        self.running.slices(title, search, take)

    def _show(
        self,
        rows: Ids,
        search: ExpressionSearch | None = None,
        finished: bool = True,
        grows: bool = False,
    ) -> None:
        """Shows new rows from the top, or at the current entry; if rows were only added, it does not scroll."""
        columns = self._columns
        assert columns is not None
        bar = self.table.verticalScrollBar()
        same = len(rows) == len(self.rows) and self.table.entries.source is columns
        at = bar.value() if same or grows else 0
        self.table.entries.show_rows(columns, rows)
        bar.setValue(at)  # Qt would leave it where it was
        row = self.table.entries.row_of(self._token) if self._token >= 0 else -1
        if row >= 0:
            self.table.go_to(row)
        name = columns.tokenizer.name if self._item is None else self._item.name
        # The line does not change during a search: no one can read a running count.
        of = f"{columns.count:,} entries of {name}"
        all_of_them = len(rows) == columns.count
        count = (of if all_of_them else f"{len(rows):,} of {of}") if finished else "Searching …"
        if search is not None and search.gave_up:
            count += f"; the expression took too long for {search.gave_up:,}"
        self.field.say(count)
        self._found.setCurrentIndex(0 if len(rows) or not finished else 1)
        if not len(rows) and finished:
            self.nothing.say(NOTHING_FOUND, hint(self._terms, columns))

    # The entry.

    def show_entry(self, token: int) -> None:
        """Makes an entry the current one; a filter that hides it is cleared."""
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
        columns, item = self._columns, self._item
        if columns is None or item is None or not 0 <= self._token < columns.count:
            return
        others = [one for one in self.session.chosen() if one.key != item.key]
        self.pane.show_entry(details_of(columns, self._token, others, self.appearance.theme))
        if self._beside.isHidden():
            self._beside.show()
            self._share_room()
            self.table.scrollTo(self.table.currentIndex())  # the pane may cover it
        self._count_occurrences()

    def _count_occurrences(self, _key: str = "") -> None:
        item = self._item
        if item is None or self._token < 0 or not self.isVisible():
            return
        encoded = self.session.encoded(item.key)
        if encoded is None or encoded.tokens is None:
            self._places = np.zeros((0, 2), np.int32)
            self.pane.show_occurrences("The text is not encoded.", False)
            return
        self._places = occurrences(encoded.tokens.whole, self._token)
        count = len(self._places)
        so_far = "" if encoded.complete else " so far"
        times = "Once" if count == 1 else f"{count:,} times" if count else "Not"
        self.pane.show_occurrences(f"{times} in the text{so_far}", count > 0)

    def go_to_occurrence(self, step: int) -> None:
        """Selects the next (1) or previous (-1) occurrence of the entry in the text, wrapping at its ends."""
        if len(self._places):
            place = next_region(self._places, self.session.selection, step)
            start, end = self._places[place].tolist()
            self.session.select(start, end)

    # Appearance.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = event.size().width() >= WIDE
        way = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if way != self.split.orientation():
            self.split.setOrientation(way)
            self._pulled = False
        self._share_room()

    def _pull(self) -> None:
        rows, pane = self.split.sizes()
        self._pulled, self._pane_share = True, round(1000 * pane / max(rows + pane, 1))

    def _share_room(self) -> None:
        """Divides the room, unless the user has moved the line between the parts."""
        if self._pulled:
            return
        if self.split.orientation() == Qt.Orientation.Horizontal:
            room = self.width() - 2 * PAGE_MARGIN - CARD_GAP
            pane = max(PANE_WIDTH, min(room - self.table.full_width - 2, WIDEST_PANE))
            self.split.setSizes([room - pane, pane])
        else:
            self.split.setSizes([55, 45])


def details_of(
    columns: VocabularyColumns, token: int, others: Sequence[LibraryItem], theme: Theme
) -> EntryDetails:
    """Returns all details of an entry."""
    piece = columns.piece(token)
    trees = ancestry(columns, token)
    symbols = {node.id for way in trees.ways for node in way.nodes if 0 <= node.id < columns.count}
    lefts, rights = built_of(columns, token)
    links: list[tuple[str, Sequence[Link], int]] = []
    total = len(lefts) + len(rights)
    for title, linked in (
        ("Entries with it on the left", lefts),
        ("Entries with it on the right", rights),
    ):
        shown = [_link(columns, other) for other in linked[:SHOWN].tolist()]
        links.append((f"{title}: {len(linked):,}", shown, total if len(linked) > SHOWN else 0))
    near = [
        Link(
            f"{isolated(readable(variant.text.encode(), 40))}  {variant.token}",
            f"{variant.how[:1].upper()}{variant.how[1:]}: id {variant.token}",
            variant.token,
        )
        for variant in variants(columns.tokenizer, piece)
    ]
    links.append(("In other cases, with and without the space", near, 0))
    tokenizers = [(item, item.tokenizer) for item in others if item.tokenizer is not None]
    found_ids = same_bytes(piece, [(item.key, tokenizer) for item, tokenizer in tokenizers])
    elsewhere = [
        Elsewhere(key, item.name, theme.identity(item.identity), other)
        for (item, _), (key, other) in zip(tokenizers, found_ids, strict=True)
    ]
    return EntryDetails(
        token,
        piece,
        columns.vocabulary.surface(token),
        _about(columns, token),
        trees,
        {symbol: readable(columns.piece(symbol)) for symbol in symbols},
        {symbol: value_text(columns, symbol) for symbol in symbols} if columns.has_scores else {},
        links,
        elsewhere,
        f"part:{token}",
    )


def _about(columns: VocabularyColumns, token: int) -> str:
    size, characters = int(columns.lengths[token]), int(columns.characters[token])
    value = value_text(columns, token)
    parts = [KINDS[columns.kinds[token]]]
    if columns.has_scores:
        parts.append(f"score {value}")
    elif value != "–":
        parts.append(f"rank {value}")
    parts.append(f"{size:,} byte{'s' * (size != 1)}")
    parts.append(f"{characters:,} character{'s' * (characters != 1)}")
    parts.append(columns.scripts_of(token))
    surface = columns.vocabulary.surface(token)
    if (
        surface.encode("utf-8", "replace") != columns.piece(token)
        and columns.flags[token] & SPLITS == 0
    ):
        parts.append(f"“{isolated(surface)}” in the file")
    parts += [FLAGS[name][1] for name in columns.flags_of(token)]
    for added in columns.tokenizer.added_tokens.with_id(token):
        parts.append(f"added token ({', '.join(added.flags) or 'no flag set'})")
    return " · ".join(parts)


def _link(columns: VocabularyColumns, token: int) -> Link:
    shown = isolated(piece_text(columns.vocabulary, token, 40))
    return Link(shown, f"{shown}: id {token}", token)
