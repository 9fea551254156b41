"""The page Overlap of the workspace Compare: which entries the vocabularies share, by their bytes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import filterfalse

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFont, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QScrollArea,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

import tokenarium_core as tc
from tokenarium.models.compare.metrics import jaccard
from tokenarium.models.compare.vocabulary_overlap import (
    OverlapJob,
    Pieces,
    overlap_lines,
    shared_entries,
)
from tokenarium.models.programs import program
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.vocabulary_table import PieceListModel
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import HEADING_SIZE, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.views.page_program import code_of
from tokenarium.views.workspace import Kept, Page, Workspace, kept_value
from tokenarium.widgets.flat_table import make_flat
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import CardFrame, ElidedLabel, secondary, strong
from tokenarium.widgets.term_marks import TermButton

JOB = "compare vocabularies"
ROW_HEIGHT = 5 * GRID
WIDTH = 16 * GRID
LEAST_WIDTH = 13 * GRID
"""Pixels of a column."""

ID_WIDTH = 8 * GRID
"""Pixels of the ids in the lists."""

ENTRY_HEIGHT = 3 * GRID
"""Pixels of a row of the lists."""

TOO_FEW = (
    "Two tokenizers are needed",
    "Click another one in the library (Ctrl+B): their vocabularies are then compared by bytes.",
)
COMPARING = (
    "Comparing the vocabularies …",
    "This page will show which entries each two of them share.",
)
WHAT = "The share of the entries of either that both have, and how many. Click a cell to see them."
TIP = (
    "Jaccard = entries that both have ÷ entries that either has, by the bytes that they stand for;\nspecial, unknown"
    " and unused ones do not count. Source: Jaccard 1901."
)


IMPORTS = """
from tokenarium.models.compare.vocabulary_overlap import OverlapJob, overlap_lines
from tokenarium.models.programs import rows_of, run
"""

PROGRAM = """
work = run(OverlapJob(TOKENIZERS, {}))
rows = rows_of(overlap_lines(work.pieces, work.shared, {name: name for name in TOKENIZERS}))
one, other = (work.pieces[name] for name in PAIR)
only_in_one = [piece for piece in one if piece not in other]
in_both = [piece for piece in one if piece in other]
only_in_other = [piece for piece in other if piece not in one]
"""


class OverlapPage(Page):
    """A card with a matrix of the chosen tokenizers, and under it one for each list of the pair that is picked."""

    id = "overlap"
    title = "Overlap"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._pieces: dict[str, Pieces] = {}
        self._of: dict[str, tc.Tokenizer] = {}  # the tokenizers that the pieces belong to
        self._shared: dict[tuple[str, str], int] = {}
        self._pair: tuple[str, str] | None = None
        self.note = secondary(QLabel(wordWrap=True))
        self.note.setToolTip(TIP)
        self.matrix = _Matrix()
        make_flat(self.matrix)
        self.matrix.setAccessibleName("Shared entries of each two vocabularies")
        self.matrix.setFrameShape(QFrame.Shape.NoFrame)
        self.matrix.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.matrix.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.matrix.setTabKeyNavigation(False)
        self.matrix.setCornerButtonEnabled(False)
        self.matrix.setShowGrid(False)
        self.matrix.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.matrix.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.matrix.currentCellChanged.connect(self._pick)
        self.matrix.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.titles = [strong(ElidedLabel()) for _ in range(3)]
        self.models = [PieceListModel() for _ in range(3)]
        self.lists = [_list(model) for model in self.models]
        for place, view in enumerate(self.lists):
            view.activated.connect(lambda index, place=place: self._show_entry(place, index))
        self._build()
        self.session.tokenizers_changed.connect(self.recount)
        self.appearance.changed.connect(self._show_all)
        self.recount()

    def _build(self) -> None:
        lists = QWidget()
        row = in_row(into=lists, spacing=CARD_GAP)
        for title, view in zip(self.titles, self.lists, strict=True):
            card = CardFrame()
            in_column(title, (view, 1), into=card, spacing=GRID, margins=CARD_MARGIN)
            row.addWidget(card, 1)
        heading = strong(QLabel("Entries in common"))
        heading.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        head = in_column(
            in_row(heading, TermButton("Jaccard index"), STRETCH, spacing=GRID), self.note
        )
        shared = CardFrame()
        in_column(head, self.matrix, into=shared, spacing=GRID, margins=CARD_MARGIN)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        in_column(
            shared, (lists, 1), into=content,
            spacing=CARD_GAP, margins=(PAGE_MARGIN, GRID // 2, PAGE_MARGIN, PAGE_MARGIN),
        )  # fmt: skip
        area.setWidget(content)
        self._pages = self.fill(area)

    # Counting.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.recount()

    def recount(self) -> None:
        """Compares the vocabularies that are not compared yet; a hidden page waits until it is shown."""
        items = self.session.chosen()
        if len(items) < 2:
            self.say_no_tokenizer(TOO_FEW)
        self._pages.setCurrentIndex(0 if len(items) > 1 else 1)
        if not self.isVisible() or len(items) < 2:
            return
        tokenizers = {e.key: e.tokenizer for e in items if e.tokenizer is not None}
        if tokenizers == self._of:
            self._show_all()
            return
        known = {
            key: pieces
            for key, pieces in self._pieces.items()
            if self._of.get(key) is tokenizers.get(key)
        }
        work = OverlapJob(tokenizers, known)

        def take(progress: tc.Progress) -> None:
            if progress.finished:
                self._pieces, self._shared, self._of = work.pieces, work.shared, tokenizers
                self._pair = None
                self._show_all()

        self.session.jobs.start(JOB, "Comparing vocabularies", work, take, lambda error: None)
        self._show_all()

    def stop(self) -> None:
        self.session.jobs.cancel(JOB)

    @property
    def busy(self) -> bool:
        return self.session.jobs.runs(JOB)

    # Showing.

    def items(self) -> list[LibraryItem]:
        """Returns the tokenizers whose vocabularies are compared."""
        return [item for item in self.session.chosen() if item.key in self._of]

    def shared(self, one: str, other: str) -> int:
        """Returns how many entries two vocabularies share; for a vocabulary with itself, its size."""
        return shared_entries(self._pieces, self._shared, one, other)

    def jaccard(self, one: str, other: str) -> float:
        """Returns the entries that both have as a share of those that either has."""
        sizes = len(self._pieces[one]), len(self._pieces[other])
        return jaccard(self.shared(one, other), *sizes) or 0.0

    def _show_all(self) -> None:
        items = self.items()
        if len(self.session.chosen()) > 1:
            if not items:
                self.empty.say(*COMPARING)
            self._pages.setCurrentIndex(0 if items else 1)
        theme = self.appearance.theme
        busy = len(items) < len(self.session.chosen())
        self.note.setText("Comparing …" if busy else WHAT)
        self.matrix.blockSignals(True)
        self.matrix.clear()
        self.matrix.setRowCount(len(items))
        self.matrix.setColumnCount(len(items))
        for place, item in enumerate(items):
            for put in (self.matrix.setHorizontalHeaderItem, self.matrix.setVerticalHeaderItem):
                cell = QTableWidgetItem(item.name)
                cell.setIcon(marker_icon(theme.identity(item.identity)))
                put(place, cell)
            for number, other in enumerate(items):
                self.matrix.setItem(place, number, self._cell(item, other))
        self.matrix.fit_columns()
        bar = self.matrix.horizontalScrollBar().sizeHint().height()
        heading = self.matrix.horizontalHeader().sizeHint().height()
        self.matrix.setFixedHeight(heading + len(items) * ROW_HEIGHT + bar)
        keys = [item.key for item in items]
        if len(keys) > 1 and (self._pair is None or not set(self._pair) <= set(keys)):
            self._pair = keys[0], keys[1]
        if self._pair is not None and set(self._pair) <= set(keys):
            self.matrix.setCurrentCell(*(keys.index(key) for key in self._pair))
        self.matrix.blockSignals(False)
        self._show_lists()

    def _cell(self, one: LibraryItem, other: LibraryItem) -> QTableWidgetItem:
        count = self.shared(one.key, other.key)
        share = self.jaccard(one.key, other.key)
        own = one.key == other.key
        cell = QTableWidgetItem(f"{count:,} entries" if own else f"{share:.1%}\n{count:,}")
        cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        theme = self.appearance.theme
        if not own:
            cell.setBackground(mix(theme.surface, theme.accent, 0.3 * share))
            part = f"{count / max(len(self._pieces[one.key]), 1):.1%} of the entries of {one.name}"
            cell.setToolTip(
                as_tip(
                    f"{one.name} and {other.name} share {count:,} entries, {part}.\n"
                    f"{explanation('Jaccard index')}\n{TIP}"
                )
            )
        else:
            cell.setForeground(theme.dim)
            cell.setToolTip(
                as_tip(f"{one.name} has {count:,} entries that stand for bytes of a text.")
            )
        return cell

    def _pick(self, row: int, column: int, *_before: int) -> None:
        items = self.items()
        if 0 <= row < len(items) and 0 <= column < len(items) and row != column:
            self._pair = items[row].key, items[column].key
            self._show_lists()

    def _show_lists(self) -> None:
        names = {item.key: item.name for item in self.items()}
        rows: list[tuple[list[bytes], Pieces]] = [([], {})] * 3
        if self._pair is not None and set(self._pair) <= set(names):
            one, other = (self._pieces[key] for key in self._pair)
            rows = [
                (list(filterfalse(other.__contains__, one)), one),
                (list(filter(other.__contains__, one)), one),
                (list(filterfalse(one.__contains__, other)), other),
            ]
            first, second = (names[key] for key in self._pair)
            titles = (f"only in {first}", "in both", f"only in {second}")
        else:
            titles = ("", "", "")
        for place, title in enumerate(titles):
            self.titles[place].setText(f"{len(rows[place][0]):,} {title}" if title else "")
            self.lists[place].setAccessibleName(f"Entries {title}" if title else "")
            self.models[place].set_rows(*rows[place])
            self.lists[place].scrollToTop()

    def _show_entry(self, place: int, index: QModelIndex) -> None:
        """Shows an entry of a list in the vocabulary that its id belongs to."""
        assert self._pair is not None
        key = self._pair[1 if place == 2 else 0]
        self.session.show_entry(self.models[place].token(index), key)

    # What the window asks.

    def keeps(self) -> Iterable[Kept]:
        return (kept_value("pair", tuple[str, str], lambda: self._pair, self._choose_pair),)

    def _choose_pair(self, pair: tuple[str, str]) -> bool:
        """Lists the entries of two vocabularies, by their keys; returns whether both are compared yet."""
        keys = [item.key for item in self.items()]
        if not set(pair) <= set(keys) or pair[0] == pair[1]:
            return False
        self.matrix.setCurrentCell(*(keys.index(key) for key in pair))
        return True

    def lines(self) -> list[list[str]]:
        names = {item.key: item.name for item in self.items()}
        return overlap_lines(self._pieces, self._shared, names)

    def python(self) -> str:
        items = self.items()
        if len(items) < 2:
            return ""
        names = [item.name for item in items]
        pair = [item.name for key in self._pair or () for item in items if item.key == key]
        return program(
            self.title,
            IMPORTS,
            PROGRAM,
            tokenizers=[code_of(item) for item in items],
            values={"PAIR": tuple(pair if len(pair) == 2 else names[:2])},
        )

    def focus_first(self) -> None:
        self.matrix.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.lists[-1]


class _Matrix(QTableWidget):
    """A table that shows all its columns, as long as their figures have room."""

    def fit_columns(self) -> None:
        """Divides the width among the columns."""
        count = self.columnCount()
        room = self.width() - self.verticalHeader().sizeHint().width()
        for number in range(count):
            self.setColumnWidth(number, min(max(room // count, LEAST_WIDTH), WIDTH))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()


def _list(model: PieceListModel) -> QTableView:
    """Returns a view of pieces: a table, as Qt's lists and trees would first lay out all 200,000 rows."""
    view = QTableView(showGrid=False, wordWrap=False)
    view.setModel(model)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.horizontalHeader().hide()
    view.horizontalHeader().setSectionResizeMode(
        1, QHeaderView.ResizeMode.Stretch
    )  # however narrow
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(ENTRY_HEIGHT)
    view.setColumnWidth(0, ID_WIDTH)
    view.setMinimumHeight(12 * GRID)
    make_flat(view)
    return view
