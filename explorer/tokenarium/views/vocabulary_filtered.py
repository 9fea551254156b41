"""Shared by the pages Entries and Merges: a filter, a sortable table, and the message without rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget

from tokenarium.models.text.inspection import TokenPlace
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.query_line import complete, sections, with_term, without
from tokenarium.models.vocabulary.vocabulary_columns import Ids, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_query import Term
from tokenarium.session.requests import ShowTokenMenu
from tokenarium.views.kept import Kept, kept_scroll, text_of
from tokenarium.views.page_program import page_program
from tokenarium.views.vocabulary_cache import VocabularyCache
from tokenarium.views.workspace import Page, Workspace
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.panel import tool_button
from tokenarium.widgets.vocabulary.query_field import QueryField


class FilteredTablePage(Page):
    """A ``field`` with the filter of a ``table``, which is sorted by one of ``columns_of_table``.

    A subclass adapts to the current tokenizer, and finds the rows of a filter.
    """

    columns_of_table: ClassVar[Sequence[Any]]
    """The columns, each with an ``id``, and a ``title`` by which sessions name it."""
    program: ClassVar[tuple[str, str]]
    """The imports and the lines of the program."""
    export: ClassVar[str]
    """The action that writes the visible rows to a file."""

    def __init__(self, workspace: Workspace, cache: VocabularyCache, table: Any) -> None:
        super().__init__(workspace)
        self._cache = cache
        self.field = QueryField()
        self.table = table
        self.nothing = EmptyState()
        self._item: LibraryItem | None = None
        self._columns: VocabularyColumns | None = None
        self._terms: list[Term] = []
        self._sort = (0, False)
        self._found = QStackedWidget()
        self._found.addWidget(self.table)
        self._found.addWidget(self.nothing)
        exports = self.help_with((self.export, "Export …"))
        self.field.add_buttons([tool_button(action, text) for action, text in exports])
        self.field.edited.connect(self._filter)
        self.field.term_dropped.connect(self._drop)
        self.field.ask = lambda line, cursor: (
            complete(line, cursor, self._columns) if self._columns is not None else None
        )
        self.field.menu.aboutToShow.connect(self._fill_menu)
        self.table.sort_wanted.connect(self.sort)
        self.table.menu_requested.connect(self._ask_for_menu)
        for signal in (self.session.tokenizers_changed, self.session.current_changed):
            signal.connect(self._follow)

    # For subclasses.

    @property
    def rows(self) -> Ids:
        """The visible rows, in their order."""
        raise NotImplementedError

    def _follow(self) -> None:
        """Shows the current tokenizer, if that has changed; a hidden page waits."""
        raise NotImplementedError

    def _filter(self, line: str) -> None:
        """Shows the rows that match a filter."""
        raise NotImplementedError

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        titles = [column.title for column in self.columns_of_table]
        return (
            Kept("filter", lambda: self.field.text, lambda line: self.field.set_text(text_of(line))),
            Kept("sorted", lambda: [titles[self._sort[0]], self._sort[1]], self._show_sorted),
            *self.more_keeps(),
            kept_scroll("top", self.table.verticalScrollBar(), self._is_listed),
        )  # fmt: skip

    def more_keeps(self) -> Iterable[Kept]:
        """Returns what scenes keep in addition to the filter and the order."""
        return ()

    def _show_sorted(self, value: object) -> None:
        if not isinstance(value, list) or len(value) != 2:
            raise TypeError
        titles = [column.title for column in self.columns_of_table]
        self.sort(titles.index(text_of(value[0])), bool(value[1]))

    def _is_listed(self) -> bool:
        """Whether the table shows the matches of the filter, or there is nothing to list."""
        if self.session.opening:
            return False  # another tokenizer may be in front soon
        self._follow()
        return self._columns is not None and not self.running.busy

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()
        self.session.requests.refresh_menus()  # whether its rows can be exported

    # Filtering and sorting.

    def sort(self, column: int, descending: bool) -> None:
        """Sorts the rows by a column."""
        self._sort = (column, descending)
        self.table.sort_by(column, descending)
        self._filter(self.field.text)

    def _drop(self, place: int) -> None:
        """Removes a term from the filter."""
        if place < len(self._terms):
            self.field.set_text(without(self.field.text, self._terms[place]))

    def add_term(self, text: str) -> None:
        """Adds a term to the filter, or replaces the one with the same key."""
        self.field.set_text(with_term(self.field.text, self._terms, text))
        self.field.line.setFocus()

    def _fill_menu(self) -> None:
        """Offers terms and orders: the headers of a table cannot have the keyboard focus."""
        if self._columns is None:
            return
        self.field.set_menu(sections(self._columns), self.add_term)
        menu = self.field.menu.addMenu("Sort by")
        chosen, descending = self._sort
        for number in range(len(self.columns_of_table)):
            if self.table.isColumnHidden(number):
                continue
            title = self.table.model().headerData(number, Qt.Orientation.Horizontal)
            action = menu.addAction(str(title))
            action.setCheckable(True)
            action.setChecked(number == chosen)
            turned = number == chosen and not descending
            action.triggered.connect(
                lambda _=False, number=number, turned=turned: self.sort(number, turned)
            )

    def python(self) -> str:
        if self._item is None or self._columns is None:
            return ""
        number, descending = self._sort
        return page_program(
            self.session,
            self.title,
            *self.program,
            front=self._item,
            filter=self.field.text,
            sort=self.columns_of_table[number].id,
            descending=descending,
        )

    # Actions on rows.

    def _ask_for_menu(self, token: int, point: QPoint) -> None:
        if self._item is not None:
            self.session.requests.ask(ShowTokenMenu(TokenPlace(self._item.key, token), point))

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
