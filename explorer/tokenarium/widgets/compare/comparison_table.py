"""The table of a comparison: figures with bars in the colours of the tokenizers, sorted by a click on a heading."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from tokenarium.models.compare.comparison_model import (
    BEST,
    BOUNDS,
    CAVEAT,
    DETAIL,
    IDENTITY,
    LOSSY,
    SHARE,
    ComparisonModel,
)
from tokenarium.models.compare.metrics import METRICS
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, number_font, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.panel import CHIP_SIZE

ROW_HEIGHT = 5 * GRID
HEADING_HEIGHT = 6 * GRID
COLUMN_WIDTH = 16 * GRID
"""The least pixels of a column."""

BAR_HEIGHT = 5
INTERVAL_HEIGHT = 5
"""Pixels of the strokes at the ends of an interval."""

GAP = 3 * GRID
"""Pixels between two columns."""

ICON = 14
LEAST_NAMES, MOST_NAMES = 18 * GRID, 32 * GRID
"""Pixels of the column of names."""

MOST_ROWS = 24
"""The most rows that are visible at once; more of them scroll under their headings."""

_BELOW = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class ComparisonTable(Themed, QTableView):
    """A row for each tokenizer; headings have tooltips. The names stay while the figures scroll."""

    def __init__(self, model: ComparisonModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.comparison = model
        self._fits = False
        self.setModel(model)
        self.setAccessibleName("Figures of each tokenizer")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_Cell(self))
        names = _Names(self)
        self.setVerticalHeader(names)
        names.setDefaultSectionSize(ROW_HEIGHT)
        names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        heading = _Headings(self)
        self.setHorizontalHeader(heading)
        heading.setSectionsClickable(True)
        heading.setSortIndicatorClearable(True)
        heading.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        heading.setFixedHeight(HEADING_HEIGHT)
        self.setSortingEnabled(True)
        for signal in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            signal.connect(self._fit)
        self._fit()

    def show_columns(self, ids: Collection[str]) -> None:
        """Shows the figures with these ids, and no others."""
        for column, metric in enumerate(METRICS):
            self.setColumnHidden(column, metric.id not in ids)
        self._fit()

    def _fit(self) -> None:
        """Sets the height for all rows, and the widths of the columns: equal ones that fill the width."""
        if self._fits:  # a new width of the names resizes the viewport
            return
        self._fits = True
        names = self.verticalHeader()
        assert isinstance(names, _Names)
        width = names.needed()
        if width != names.minimumWidth():
            names.setFixedWidth(width)
            self.updateGeometries()
        rows = max(self.comparison.rowCount(), 1)
        scrolls = rows > MOST_ROWS
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if scrolls else policy.ScrollBarAlwaysOff
        )
        shown = [n for n in range(self.comparison.columnCount()) if not self.isColumnHidden(n)]
        whole = self.width() - width
        whole -= self.verticalScrollBar().sizeHint().width() if scrolls else 0
        needed = {column: self._needed(column) for column in shown}
        equal = whole // max(len(shown), 1)
        spare = max(whole - sum(needed.values()), 0) // max(len(shown), 1)
        fits = all(width <= equal for width in needed.values())
        for column, least in needed.items():
            self.setColumnWidth(column, equal if fits else least + spare)
        more = sum(needed.values()) > whole
        bar = self.horizontalScrollBar().sizeHint().height() if more else 0
        self.setFixedHeight(HEADING_HEIGHT + min(rows, MOST_ROWS) * ROW_HEIGHT + bar)
        self._fits = False

    def _needed(self, column: int) -> int:
        title, note = str(self.comparison.headerData(column, Qt.Orientation.Horizontal)).split("\n")
        bold = QFontMetrics(ui_font(TEXT_SIZE, QFont.Weight.DemiBold)).horizontalAdvance(title)
        small = QFontMetrics(ui_font(SMALL_SIZE)).horizontalAdvance(note)
        icons = 1 + bool(self.comparison.headerData(column, Qt.Orientation.Horizontal, CAVEAT))
        return max(bold + icons * (ICON + 4), small, COLUMN_WIDTH - GAP) + GAP

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self.theme.surface)
        painter.end()
        super().paintEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.comparison.as_text())
        else:
            super().keyPressEvent(event)


class _Cell(QStyledItemDelegate):
    """A figure over its bar, with a check mark if it alone is best."""

    def __init__(self, table: ComparisonTable) -> None:
        super().__init__(table)
        self._table = table

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(COLUMN_WIDTH, ROW_HEIGHT)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, rect = self._table.theme, QRect(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        _paint_ground(painter, theme, rect, selected, index.row() == 0)
        rect.setRight(rect.right() - GAP)
        text, best = str(index.data()), bool(index.data(BEST))
        font = number_font(TEXT_SIZE, QFont.Weight.Bold if best else QFont.Weight.Normal)
        painter.setFont(font)
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        painter.setPen(colour if isinstance(colour, QColor) else theme.ink)
        words = QRect(rect.left(), rect.top() + 5, rect.width(), 18)
        painter.drawText(words, _BELOW, text)
        if best:
            at = rect.left() + QFontMetrics(font).horizontalAdvance(text) + 6
            place = QRectF(at, words.center().y() - ICON / 2 + 0.5, ICON, ICON)
            paint_icon(painter, place, "check-circle", theme.good, True)
        share = index.data(SHARE)
        if share is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = QRectF(rect.left(), rect.top() + 27, rect.width(), BAR_HEIGHT)
        painter.setBrush(theme.sunken)
        painter.drawRoundedRect(track, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
        if share > 0:
            track.setWidth(max(share * track.width(), BAR_HEIGHT))
            painter.setBrush(theme.identity(index.data(IDENTITY)).full)
            painter.drawRoundedRect(track, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
            if index.data(LOSSY):
                painter.setBrush(theme.lost_bar)
                painter.drawRoundedRect(track, BAR_HEIGHT / 2, BAR_HEIGHT / 2)
        bounds = index.data(BOUNDS)
        if bounds is not None:
            _paint_interval(
                painter, theme, track, [rect.left() + end * rect.width() for end in bounds]
            )


def _paint_interval(painter: QPainter, theme: Theme, bar: QRectF, ends: Sequence[float]) -> None:
    """Paints the interval of a figure below its bar: a line with a stroke at each end."""
    low, high = (round(end) for end in ends)
    last = max(high - 1, low)
    top = round(bar.bottom()) + 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fillRect(low, top + INTERVAL_HEIGHT // 2, last - low + 1, 1, theme.dim)
    for end in (low, last):
        painter.fillRect(end, top, 1, INTERVAL_HEIGHT, theme.dim)


def _paint_ground(
    painter: QPainter, theme: Theme, rect: QRect, selected: bool, first: bool
) -> None:
    """Paints the background of a cell, with a hairline above it; above the first row, the headings have one."""
    painter.fillRect(rect, theme.wash if selected else theme.surface)
    if not first:
        painter.fillRect(QRect(rect.left(), rect.top(), rect.width(), 1), theme.line)


class _Names(QHeaderView):
    """The marker of each tokenizer, its name, and its second name."""

    def __init__(self, table: ComparisonTable) -> None:
        super().__init__(Qt.Orientation.Vertical, table)
        self._table = table
        self.setHighlightSections(False)
        self.setSectionsClickable(True)

    def _texts(self, row: int) -> tuple[str, str]:
        model = self._table.comparison
        across = Qt.Orientation.Vertical
        return str(model.headerData(row, across)), str(model.headerData(row, across, DETAIL))

    def needed(self) -> int:
        """Returns the width for all names."""
        bold = QFontMetrics(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        small = QFontMetrics(ui_font(SMALL_SIZE))
        widths = [LEAST_NAMES]
        for row in range(min(self._table.comparison.rowCount(), 200)):
            name, detail = self._texts(row)
            words = max(bold.horizontalAdvance(name), small.horizontalAdvance(detail))
            widths.append(CHIP_SIZE + GRID + words + 2 * GRID)
        return min(max(widths), MOST_NAMES, max(self._table.width() // 2, LEAST_NAMES))

    def sizeHint(self) -> QSize:
        return QSize(self.needed(), 0)

    def paintSection(self, painter: QPainter, rect: QRect, row: int) -> None:
        theme, table = self._table.theme, self._table
        painter.save()
        selection = table.selectionModel()
        _paint_ground(painter, theme, rect, selection.isRowSelected(row), row == 0)
        name, detail = self._texts(row)
        middle = rect.center().y() + 0.5
        marker = QRectF(rect.left(), middle - CHIP_SIZE / 2, CHIP_SIZE, CHIP_SIZE)
        identity = table.comparison.headerData(row, Qt.Orientation.Vertical, IDENTITY)
        paint_marker(painter, marker, theme.identity(identity))
        left = rect.left() + CHIP_SIZE + GRID
        room = rect.right() - GRID - left
        lines = [(name, ui_font(TEXT_SIZE, QFont.Weight.DemiBold), theme.ink, False)]
        lines += [(detail, ui_font(SMALL_SIZE), theme.dim, True)] * bool(detail)
        top = middle - 9 * len(lines)
        for text, font, colour, inside in lines:
            painter.setFont(font)
            painter.setPen(colour)
            mode = Qt.TextElideMode.ElideMiddle if inside else Qt.TextElideMode.ElideRight
            shown = QFontMetrics(font).elidedText(text, mode, room)
            painter.drawText(QRectF(left, top, room + 2, 18), _BELOW, shown)
            top += 17
        painter.restore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._table.theme.surface)
        painter.end()
        super().paintEvent(event)


class _Headings(QHeaderView):
    """A title and a second line, with an arrow on the sorted column and a sign on those with a caveat."""

    def __init__(self, table: ComparisonTable) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self._table = table
        self.setHighlightSections(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._table.theme.surface)
        painter.end()
        super().paintEvent(event)

    def paintSection(self, painter: QPainter, rect: QRect, column: int) -> None:
        theme, model = self._table.theme, self._table.comparison
        painter.save()
        title, note = str(model.headerData(column, Qt.Orientation.Horizontal)).split("\n")
        font = ui_font(TEXT_SIZE, QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(theme.ink)
        line = QRectF(rect.left(), rect.top() + 3, rect.width() - GAP, 20)
        painter.drawText(line, _BELOW, title)
        at = rect.left() + QFontMetrics(font).horizontalAdvance(title) + 4
        icons = []
        if model.headerData(column, Qt.Orientation.Horizontal, CAVEAT):
            icons.append(("info", theme.ask))
        if self.isSortIndicatorShown() and self.sortIndicatorSection() == column:
            up = self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
            icons.append(("caret-up" if up else "caret-down", theme.dim))
        for icon, colour in icons:
            place = QRectF(at, line.center().y() - ICON / 2, ICON, ICON)
            paint_icon(painter, place, icon, colour, False)
            at += ICON + 4
        painter.setFont(ui_font(SMALL_SIZE))
        painter.setPen(theme.dim)
        painter.drawText(QRectF(rect.left(), rect.top() + 23, rect.width(), 16), _BELOW, note)
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line)
        painter.restore()
