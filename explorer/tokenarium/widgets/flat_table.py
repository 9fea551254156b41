"""The style of all tables: flat headings, equal margins, rows on the grid, the colours of the theme."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QObject, Qt
from PySide6.QtGui import QFont, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableView,
    QTreeWidget,
    QTreeWidgetItem,
)

from tokenarium.models.titled_columns import RIGHT
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import theme_of
from tokenarium.widgets.term_marks import HeadMarks

CELL_MARGIN = GRID
"""Pixels between the edge of a column and its contents."""

ROW_HEIGHT, HIGH_ROW = 3 * GRID, 5 * GRID
"""Pixels of the rows of lists, and of the tables that a page is about, which have hairlines between them."""

QT_MARGIN = 3
"""Pixels of the margin that Qt itself adds to a cell."""


def make_flat(
    view: QAbstractItemView, margin: int = CELL_MARGIN, left: int = 0, row: int = ROW_HEIGHT
) -> None:
    """Styles a list or a table in the colours of the app's palette.

    The selection has the accent colour while the view has the focus. The first column of a tree begins at ``left`` if
    that is not 0, aligned with the widgets above the tree. ``row`` is the height of rows and headings in pixels.
    """
    _elide_headings(view)
    _Look(view, partial(_dress, margin=margin, left=left or margin, row=row))


def make_headings_flat(view: QTableView, left: int, right: int) -> None:
    """Styles only the headings of a table; with a style sheet, Qt would paint the cells a third slower."""
    _elide_headings(view)
    _Look(view, partial(_dress_headings, left=left, right=right))


def _elide_headings(view: QAbstractItemView) -> None:
    """Marks terms in headings, and ends long ones with an ellipsis, where Qt would cut a letter in half."""
    for header in view.findChildren(QHeaderView):
        header.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        if header.orientation() == Qt.Orientation.Horizontal:
            HeadMarks(view, header)


class _Look(QObject):
    """Sets the style sheet of a view again when the palette changes, as Qt keeps its colours.

    One that was hidden waits until it is shown: with all pages made there are dozens, each of which takes milliseconds.
    """

    def __init__(self, view: QAbstractItemView, dress: Callable[[Any], None]) -> None:
        super().__init__(view)
        self._dress = dress
        self._hidden = self._waits = False
        dress(view)
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.PaletteChange:
            self._waits = self._hidden
            if not self._waits:
                self._dress(watched)
        elif kind == QEvent.Type.Hide:
            self._hidden = True
        elif kind == QEvent.Type.Show:
            self._hidden = False
            if self._waits:
                self._waits = False
                self._dress(watched)
        return False


def _dress(view: QAbstractItemView, margin: int, left: int, row: int) -> None:
    style = _style_sheet(theme_of(view), margin, left, row)
    if (
        style != view.styleSheet()
    ):  # setting a style sheet changes the palette: without this, endlessly
        view.setStyleSheet(style)


def _dress_headings(view: QTableView, left: int, right: int) -> None:
    theme = theme_of(view)
    palette = view.palette()
    inactive = QPalette.ColorGroup.Inactive
    if palette.color(inactive, QPalette.ColorRole.Highlight) != theme.selection:
        palette.setColor(inactive, QPalette.ColorRole.Highlight, theme.selection)
        palette.setColor(inactive, QPalette.ColorRole.HighlightedText, theme.ink)
        view.setPalette(palette)
    style = _headings(theme, left, right)
    if style != view.horizontalHeader().styleSheet():
        view.horizontalHeader().setStyleSheet(style)


def _style_sheet(theme: Theme, margin: int, first: int, row: int) -> str:
    selected = f"background: {theme.accent.name()}; color: {theme.on_accent.name()};"
    left = f"background: {theme.selection.name()}; color: {theme.ink.name()};"
    pointed = f"background: {mix(theme.surface, theme.ink, 0.06).name()};"
    item = "QAbstractItemView::item"
    line = ""
    if row == HIGH_ROW:
        row, line = row - 1, f"border-bottom: 1px solid {theme.line.name()};"
    return (
        _headings(theme, margin, margin, row)
        + f" {item} {{ padding: 0 {margin - QT_MARGIN}px; height: {row}px; {line} }}"
        f" {item}:first, {item}:only-one {{ padding-left: {first - QT_MARGIN}px; }}"
        f" QHeaderView::section:horizontal:first {{ padding-left: {first}px; }}"
        f" {item}:hover:!selected {{ {pointed} }}"
        f" {item}:selected:active {{ {selected} }} {item}:selected:!active {{ {left} }}"
    )


def _headings(theme: Theme, left: int, right: int, row: int = ROW_HEIGHT) -> str:
    """Returns the style sheet of headings. The arrow of the sorted column is painted by `HeadMarks`."""
    ground = f"background: {theme.surface.name()}; color: {theme.ink.name()}; border: none;"
    under = f"border-bottom: 1px solid {theme.line.name()};"
    sections = "QHeaderView::section, QTableCornerButton::section"
    arrows = "QHeaderView::up-arrow, QHeaderView::down-arrow"
    return (
        f"QHeaderView {{ {ground} }}"
        f" {sections} {{ {ground} padding: 0 {right}px 0 {left}px; min-height: {row}px; }}"
        f" QHeaderView::section:horizontal {{ {under} }}"
        f" QHeaderView::section:vertical {{ padding: 0 {CELL_MARGIN}px; }}"
        f" {arrows} {{ subcontrol-origin: border; subcontrol-position: top center; width: 0; height: 0; }}"
    )


class RowList(QTreeWidget):
    """Base of lists without levels."""

    def __init__(self) -> None:
        super().__init__()
        make_flat(self)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)

    @property
    def row(self) -> int:
        """The index of the chosen row; -1 for none."""
        current = self.currentItem()
        return self.indexOfTopLevelItem(current) if current is not None else -1

    def choose(self, row: int) -> None:
        """Chooses a row."""
        self.setCurrentItem(self.item(row))

    def item(self, row: int) -> QTreeWidgetItem:
        """Returns the item of a row; raises IndexError if there is none."""
        item = self.topLevelItem(row)
        if item is None:
            raise IndexError(f"There is no row {row}.")
        return item


class TermHeads(QTreeWidgetItem):
    """The headers of a tree's columns: a tooltip begins with the explanation of a term, which is read on demand.

    ``terms`` are names of the glossary by column.
    """

    def __init__(self, titles: Sequence[str], terms: Mapping[int, str]) -> None:
        super().__init__(list(titles))
        self.terms = terms

    def data(self, column: int, role: int) -> Any:
        value = super().data(column, role)
        if role != Qt.ItemDataRole.ToolTipRole or column not in self.terms:
            return value
        known = explanation(self.terms[column])
        return f"{known}\n{value}" if value else known


def size_columns(header: QHeaderView, *growing: int) -> None:
    """Makes columns as wide as their contents; the growing ones share the remaining room."""
    header.setStretchLastSection(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    for column in growing:
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)


def make_table(
    view: QTableView, name: str, rows: QAbstractItemModel, least: int = 5 * GRID
) -> None:
    """Makes a view a table of rows of one height, without a frame and lines; a column has ``least`` pixels."""
    view.setAccessibleName(name)
    make_flat(view)
    view.setModel(rows)
    view.setFrameShape(QTableView.Shape.NoFrame)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    lines = view.verticalHeader()
    lines.hide()
    lines.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    lines.setMinimumSectionSize(GRID)
    lines.setDefaultSectionSize(3 * GRID)
    heads = view.horizontalHeader()
    heads.setHighlightSections(False)
    heads.setMinimumSectionSize(least)


class FlatTree(QTreeWidget):
    """A table without a frame, whose rows may be headings of other rows; ``left``: see `make_flat`.

    ``terms``: see `TermHeads`. ``numbers`` are columns of numbers. ``growing``: see `size_columns`; without it, the
    columns have Qt's widths. ``row``: see `make_flat`.
    """

    def __init__(
        self,
        name: str,
        titles: Sequence[str],
        margin: int = CELL_MARGIN,
        left: int = 0,
        uniform: bool = True,
        *,
        terms: Mapping[int, str] | None = None,
        numbers: Sequence[int] = (),
        growing: Sequence[int] = (),
        row: int = ROW_HEIGHT,
    ) -> None:
        super().__init__()
        make_flat(self, margin, left, row)
        self.setAccessibleName(name)
        self.numbers = numbers
        if terms is None:
            self.setHeaderLabels(titles)
        else:
            self.setHeaderItem(TermHeads(titles, terms))
        _align(self.headerItem(), numbers)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(uniform)
        self.header().setStretchLastSection(False)
        if growing:
            size_columns(self.header(), *growing)

    def row_of(self, cells: Sequence[str]) -> QTreeWidgetItem:
        """Returns a row, which is not in the table yet."""
        item = QTreeWidgetItem(list(cells))
        _align(item, self.numbers)
        return item


def _align(item: QTreeWidgetItem, numbers: Sequence[int]) -> None:
    for column in numbers:
        item.setTextAlignment(column, RIGHT)


class SpreadTable(FlatTree):
    """A table as high as its rows, up to ``most``, whose columns share the width.

    With too little, the ``spare`` columns are left out, the first of them first; then it scrolls sideways. Call ``fit``
    when the rows change.
    """

    def __init__(
        self,
        name: str,
        titles: Sequence[str],
        most: int,
        *,
        terms: Mapping[int, str],
        numbers: Sequence[int],
        spare: Sequence[int] = (),
    ) -> None:
        super().__init__(name, titles, terms=terms, numbers=numbers, row=HIGH_ROW)
        self._most = most
        self._spare = spare
        self.setAllColumnsShowFocus(True)
        self.header().setSectionsMovable(False)

    def fit(self) -> None:
        """Sets the widths of the columns, and the height."""
        header = self.header()
        columns = range(self.columnCount())
        for column in self._spare:
            self.setColumnHidden(column, False)  # hidden ones have no size
        least = {n: max(self.sizeHintForColumn(n), header.sectionSizeHint(n)) for n in columns}
        rows = min(self.topLevelItemCount(), self._most)
        scrolls = self.topLevelItemCount() > rows
        room = self.width() - (self.verticalScrollBar().sizeHint().width() if scrolls else 0)
        for column in self._spare:
            if sum(least.values()) > room:
                self.setColumnHidden(column, True)
                del least[column]
        spare = max(room - sum(least.values()), 0)
        for column, width in least.items():
            header.resizeSection(column, width + spare // len(least))
        bar = self.horizontalScrollBar().sizeHint().height() if sum(least.values()) > room else 0
        self.setFixedHeight(header.sizeHint().height() + rows * HIGH_ROW + bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()
