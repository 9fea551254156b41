"""Next to the canvas of merges: the queue of the word, its symbols as a linked list, or the cache of words."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtCore import QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QTableView, QWidget

from tokenarium.models.merges.word_work import LinkedSymbol, LookedUp, WordWork, WorkMoment
from tokenarium.models.text.piece import readable
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.titled_columns import LEFT, RIGHT, Index, TitledColumns
from tokenarium.style.fonts import SMALL_SIZE, mono_font, number_font, ui_font
from tokenarium.style.shapes import paint_card
from tokenarium.style.theme import CARD_MARGIN, CARD_RADIUS, GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.flat_table import make_table
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.painting import PaintedPart
from tokenarium.widgets.panel import named, secondary, strong
from tokenarium.widgets.players.merge_queue import WIDTH, MergeQueue
from tokenarium.widgets.segmented import Segmented

QUEUE, LIST, CACHE = range(3)
CHOICES = ("Queue", "List", "Cache")
TIPS = (
    "The waiting merges, in the order in which they are made, and what finding them costs",
    "The symbols as a doubly linked list",
    "Which words of the text need no merging, as their ids are known",
)
OUTCOMES = {"miss": "miss, merged", "hit": "hit", "long": "too long to keep"}


class _LinkRows(TitledColumns):
    """The symbols, including removed ones."""

    columns = ("Nr", "Symbol", "Id", "←", "→")
    terms: ClassVar = {1: "symbol", 2: "id"}
    numbers = (0, 2, 3, 4)
    theme: Theme  # set by the panel

    def __init__(self) -> None:
        super().__init__()
        self.data_of = b""
        self._rows: list[LinkedSymbol] = []

    @property
    def symbols(self) -> list[LinkedSymbol]:
        """The rows."""
        return self._rows

    def show(self, symbols: list[LinkedSymbol], data: bytes) -> None:
        """Shows new symbols, whose bytes are from a text."""
        self.beginResetModel()
        self._rows, self.data_of = symbols, data
        self.endResetModel()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        symbol, column = self._rows[index.row()], index.column()
        removed = symbol.id == -1
        if role == Qt.ItemDataRole.DisplayRole:
            return into_qt(self._text(symbol, column))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in self.numbers else LEFT
        if role == Qt.ItemDataRole.FontRole:
            font = number_font(SMALL_SIZE) if column in self.numbers else mono_font(SMALL_SIZE)
            font.setStrikeOut(removed and column == 1)
            return font
        if role == Qt.ItemDataRole.ForegroundRole:
            return self.theme.dim if removed else self.theme.ink
        if role == Qt.ItemDataRole.BackgroundRole and symbol.changed:
            return self.theme.wash
        if role == Qt.ItemDataRole.ToolTipRole and removed:
            return "Merged into the symbol before it: no link leads here any more"
        return None

    def _text(self, symbol: LinkedSymbol, column: int) -> str:
        if column == 0:
            return str(symbol.number)
        if column == 1:
            return readable(self.data_of[symbol.start : symbol.end])
        if column == 2:
            return "gone" if symbol.id == -1 else "–" if symbol.id < 0 else str(symbol.id)
        if symbol.id == -1:
            return ""
        place = symbol.previous if column == 3 else symbol.following
        return "–" if place < 0 or place >= len(self._rows) else str(place)


class _CacheRows(TitledColumns):
    """The words of the text, in its order, with the state of each in the cache."""

    columns = ("Word", "In the cache", "Ids")
    terms: ClassVar = {0: "pre-token", 2: "id"}
    numbers = (2,)
    theme: Theme  # set by the panel

    def __init__(self) -> None:
        super().__init__()
        self.data_of = b""
        self.current = -1
        self._rows: list[LookedUp] = []

    def show(self, words: list[LookedUp], data: bytes) -> None:
        """Shows the words of a new text."""
        self.beginResetModel()
        self._rows, self.data_of = words, data
        self.endResetModel()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        word, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            if column == 0:
                return into_qt(readable(self.data_of[word.start : word.end]))
            return OUTCOMES[word.outcome] if column == 1 else f"{word.ids:,}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in self.numbers else LEFT
        if role == Qt.ItemDataRole.FontRole:
            return mono_font(SMALL_SIZE) if column == 0 else ui_font(SMALL_SIZE)
        if role == Qt.ItemDataRole.ForegroundRole and column == 1:
            return self.theme.good if word.outcome == "hit" else self.theme.dim
        if role == Qt.ItemDataRole.BackgroundRole and index.row() == self.current:
            return self.theme.wash
        return None


class _WorkCard(PaintedPart):
    """A card with a title, a sentence and a table."""

    def __init__(self, title: str, table: QTableView) -> None:
        super().__init__()
        self.sentence = secondary(QLabel(wordWrap=True))
        self.sentence.setFont(ui_font(SMALL_SIZE))
        heading = strong(QLabel(title))
        for label in (heading, self.sentence):
            label.setContentsMargins(CARD_MARGIN - 2, 0, CARD_MARGIN - 2, 0)
        margins = (2, CARD_MARGIN - 2, 2, GRID)
        in_column(heading, self.sentence, (table, 1), into=self, spacing=GRID // 2, margins=margins)

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        paint_card(painter, QRectF(self.rect()), self.theme, CARD_RADIUS)


class _SmallTable(QTableView):
    """A table of the panel, with columns of fixed shares."""

    pointed = Signal(int)  # a row, -1 for none

    def __init__(self, name: str, rows: TitledColumns, shares: tuple[int, ...]) -> None:
        super().__init__()
        self._shares = shares
        self._revealed = -1  # a row that must also be visible after a resize
        make_table(self, name, rows, 3 * GRID)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.entered.connect(lambda index: self.pointed.emit(index.row()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.viewport().width()
        for column, share in enumerate(self._shares):
            self.setColumnWidth(column, room * share // sum(self._shares))
        if event.oldSize().height() != event.size().height():
            self.reveal(self._revealed)

    def leaveEvent(self, event: Any) -> None:
        self.pointed.emit(-1)
        super().leaveEvent(event)

    def reveal(self, row: int) -> None:
        """Scrolls to a row, if there is one."""
        self._revealed = row
        if 0 <= row < self.model().rowCount(QModelIndex()):
            self.scrollTo(self.model().index(row, 0))


class WordPanel(Themed, QWidget):
    """The choice, and the chosen part; only that is updated."""

    hovered = Signal(int, int)
    chosen = Signal(int)

    def __init__(self, queue: MergeQueue) -> None:
        super().__init__()
        self.setFixedWidth(WIDTH)
        self.queue = queue
        self._work: WordWork | None = None
        self._data = b""
        self.choice = named(Segmented(CHOICES), "What is shown of the word")
        for index, tip in enumerate(TIPS):
            self.choice.setTabToolTip(index, tip)
        self.links = _LinkRows()
        self.cache = _CacheRows()
        self._link_table = _SmallTable("Linked symbols", self.links, (10, 26, 22, 16, 16))
        self._cache_table = _SmallTable("Cache of words", self.cache, (50, 40, 16))
        self._link_card = _WorkCard("Symbols, linked both ways", self._link_table)
        self._cache_card = _WorkCard("Cache of words", self._cache_table)
        self._stack = PageStack()
        for page in (queue, self._link_card, self._cache_card):
            self._stack.addWidget(page)
        in_column(self.choice, (self._stack, 1), into=self, spacing=GRID)
        self.choice.chosen.connect(self.choose)
        self.choice.chosen.connect(self.chosen)
        queue.hovered.connect(self.hovered)
        self._link_table.pointed.connect(lambda row: self._point(self.links.symbols, row))
        self._cache_table.pointed.connect(lambda row: self._point(self.cache._rows, row))
        self.follow_theme()

    def choose(self, place: int) -> None:
        """Shows the queue, the list or the cache."""
        self.choice.choose(place)
        self._stack.setCurrentIndex(place)
        self.show_work(self._work)

    def show_work(self, work: WordWork | None) -> None:
        """Shows a step of the work on a word."""
        new = work is not self._work
        self._work = work
        if self.choice.currentIndex() == LIST:
            moment = work.moment() if work is not None else None
            self.links.show(
                list(moment.symbols) if moment is not None else [],
                work.data if work is not None else b"",
            )
            self._link_card.sentence.setText(_link_sentence(moment))
            self._link_table.reveal(
                next((symbol.number for symbol in self.links.symbols if symbol.changed), 0)
            )
        elif self.choice.currentIndex() == CACHE:
            self._show_cache(work, new)

    def _show_cache(self, work: WordWork | None, new: bool) -> None:
        words = work.lookups() if work is not None else []
        if new or len(words) != self.cache.rowCount():
            self.cache.show(words, work.data if work is not None else b"")
        self._cache_card.sentence.setText(_cache_sentence(words))
        current = work.looked_up() if work is not None else -1
        if current != self.cache.current or new:
            self.cache.current = current
            self._cache_table.viewport().update()
            self._cache_table.reveal(current)

    def _point(self, rows: list[LinkedSymbol] | list[LookedUp], row: int) -> None:
        if 0 <= row < len(rows):
            self.hovered.emit(rows[row].start, rows[row].end)
        else:
            self.hovered.emit(0, 0)

    def dress(self, theme: Theme) -> None:
        self.links.theme = self.cache.theme = theme


def _link_sentence(moment: WorkMoment | None) -> str:
    """Returns a sentence about the effect of the last merge on the list."""
    if moment is None:
        return "The word is not merged: it has no list."
    if not moment.merges:
        return "Each symbol links to its neighbours, so a merge does not move the others."
    removed = next(
        (symbol for symbol in moment.symbols if symbol.changed and symbol.id == -1), None
    )
    if removed is None:
        return ""
    return f"Merge {moment.merges:,}: {removed.previous} absorbs {removed.number}, and links to what came after it."


def _cache_sentence(words: list[LookedUp]) -> str:
    """Returns a sentence about how many words were found in the cache."""
    if not words:
        return "No word is looked up here."
    hits = sum(word.outcome == "hit" for word in words)
    return f"Empty at first: {hits:,} of {len(words):,} words were found in it, {hits / len(words):.0%}."
