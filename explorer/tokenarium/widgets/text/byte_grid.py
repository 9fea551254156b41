"""The bytes of a text in lines of equal length, with rows of cells above them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from tokenarium.models.text.byte_cells import NOWHERE, ByteCursor, Cell, CellRow, Span
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, Identity, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.text.byte_painter import (
    COLUMN,
    GUTTER,
    PADDING,
    BytePainter,
    Placed,
    place,
    row_tops,
)

LEAST_COLUMNS = 4
KEPT_LINES = 64
"""Lines whose cells are kept for the next painting."""


class ByteGrid(Themed, QAbstractScrollArea):
    """Shows rows of cells above the bytes; only the visible lines are laid out and painted.

    The arrow keys go from cell to cell and from row to row; with Shift they select.
    """

    hovered = Signal(int, int)  # bytes; 0, 0 for none
    picked = Signal(int, int)
    title_chosen = Signal(
        int
    )  # the number of a row: its title was clicked, or Return pressed in it
    scrolled = Signal()  # the visible bytes have changed
    menu_requested = Signal(QPoint, int, object)  # a place on the screen, a row, its Cell
    cell_activated = Signal(int, object)  # a row and its Cell, by a double click

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Bytes of the text")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.follow_theme()
        self._rows: Sequence[CellRow] = ()
        self._identity_of: Callable[[CellRow], Identity | None] = lambda row: None
        self._tops: list[float] = [0.0]
        self._size = 0
        self._columns = LEAST_COLUMNS
        self._column = COLUMN
        self._kept: dict[int, list[list[Placed]]] = {}
        self._selected: Span | None = None
        self._lit: Span | None = None
        self._cursor = ByteCursor()

    # Display.

    @property
    def rows(self) -> Sequence[CellRow]:
        """The rows over each line."""
        return self._rows

    @property
    def columns(self) -> int:
        """Bytes in a line."""
        return self._columns

    @property
    def line_height(self) -> float:
        """The height of a line with all its rows, in pixels."""
        return self._tops[-1]

    def dress(self, theme: Theme) -> None:
        self._painter = BytePainter(theme)

    def show_rows(
        self, rows: Sequence[CellRow], size: int, identity_of: Callable[[CellRow], Identity | None]
    ) -> None:
        """Shows new rows above ``size`` bytes; ``identity_of`` returns that of a row's tokenizer."""
        top = self.first_byte
        self._rows, self._size, self._identity_of = rows, size, identity_of
        self._tops = row_tops(rows)
        self._cursor.set_rows(rows, size)
        self._lay_out(top)

    def light(self, selected: Span | None, pointed: Span | None) -> None:
        """Highlights the selected bytes and those under the pointer."""
        for old, new in ((self._selected, selected), (self._lit, pointed)):
            if old != new:
                self._update(old)
                self._update(new)
        self._selected, self._lit = selected, pointed
        if selected is not None and selected != self._cursor.span:
            self._cursor.put(selected)

    def scroll_to_top(self) -> None:
        """Goes back to the first byte."""
        self._cursor.put(NOWHERE)
        self.verticalScrollBar().setValue(0)

    def top_position(self) -> tuple[int, int]:
        """The first byte of the line at the top, and the pixels of that line above it: for `scroll_to`."""
        byte = self.first_byte
        above = self.verticalScrollBar().value() - self._line_top(byte // self._columns)
        return byte, round(above)

    def scroll_to(self, byte: int, above: int = 0) -> None:
        """Brings the line of a byte to the top, some pixels of it above."""
        self.verticalScrollBar().setValue(round(self._line_top(byte // self._columns)) + above)

    def ensure_visible(self, byte: int) -> None:
        """Scrolls to show the line of a byte, if it is not visible."""
        bar = self.verticalScrollBar()
        top = self._line_top(byte // self._columns)
        bottom = top + self.line_height - self.viewport().height()
        if top < bar.value():
            bar.setValue(int(top))
        elif bottom > bar.value():
            bar.setValue(int(min(bottom + 1, top)))

    @property
    def first_byte(self) -> int:
        """The first byte of the line at the top."""
        return int(self.verticalScrollBar().value() / max(self.line_height, 1)) * self._columns

    def visible(self) -> Span:
        """The visible bytes."""
        lines = int(self.viewport().height() / max(self.line_height, 1)) + 2
        first = self.first_byte
        return min(first, self._size), min(first + lines * self._columns, self._size)

    # The lines.

    def _lay_out(self, top: int) -> None:
        room = self.viewport().width() - GUTTER - GRID
        columns = max(int(room / COLUMN), LEAST_COLUMNS)
        self._columns = columns - columns % 4 if columns > 16 else columns
        self._column = max(room / self._columns, COLUMN)
        self._kept.clear()
        bar = self.verticalScrollBar()
        height = self._line_count * self.line_height
        bar.setRange(0, max(0, int(height) + GRID - self.viewport().height()))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(max(int(self.line_height / 3), 1))
        if self.first_byte != top - top % self._columns:
            bar.setValue(int(self._line_top(top // self._columns)))
        self.viewport().update()
        self.scrolled.emit()

    @property
    def _line_count(self) -> int:
        return -(-self._size // self._columns)

    def _line_top(self, line: int) -> float:
        return line * self.line_height

    def _line_rect(self, line: int) -> QRectF:
        top = self._line_top(line) - self.verticalScrollBar().value()
        return QRectF(0, top, self.viewport().width(), self.line_height)

    def _line_bytes(self, line: int) -> Span:
        start = line * self._columns
        return start, min(start + self._columns, self._size)

    def _placed(self, line: int) -> list[list[Placed]]:
        """The cells of a line, row by row, from its top."""
        cells = self._kept.get(line)
        if cells is None:
            if len(self._kept) >= KEPT_LINES:
                self._kept.clear()
            start, end = self._line_bytes(line)
            cells = self._kept[line] = [
                place(row.cells(start, end), start, end, self._column, top, below - top)
                for row, top, below in zip(self._rows, self._tops, self._row_bottoms, strict=False)
            ]
        return cells

    @property
    def _row_bottoms(self) -> list[float]:
        return [*self._tops[1:-1], self._tops[-1] - PADDING]

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Moves the painted contents, so that only the newly visible part is painted."""
        self.viewport().scroll(dx, dy)
        self.scrolled.emit()

    def _update(self, span: Span | None) -> None:
        """Repaints the visible lines of some bytes."""
        if span is None:
            return
        first, last = span[0] // self._columns, max(span[1] - 1, span[0]) // self._columns
        area = self._line_rect(first).united(self._line_rect(last))
        self.viewport().update(area.toAlignedRect().intersected(self.viewport().rect()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        anchor = self._selected[0] if self._selected is not None else -1
        top = self._line_top(anchor // self._columns) - self.verticalScrollBar().value()
        seen = anchor >= 0 and 0 <= top <= event.oldSize().height() - self.line_height
        self._lay_out(self.first_byte)
        if seen:  # the selection stays visible
            self.ensure_visible(anchor)

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, 30 * GRID)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._painter.theme
        painter.fillRect(event.rect(), theme.surface)
        if self._size and self._rows:
            first = int((event.rect().top() + self.verticalScrollBar().value()) / self.line_height)
            for line in range(max(first, 0), self._line_count):
                rect = self._line_rect(line)
                if rect.top() > event.rect().bottom():
                    break
                self._paint_line(painter, line, rect)
        painter.end()

    def _paint_line(self, painter: QPainter, line: int, rect: QRectF) -> None:
        theme = self._painter.theme
        start, end = self._line_bytes(line)
        painter.save()
        painter.translate(0, rect.top())
        selected, lit = self._band(self._selected, start, end), self._band(self._lit, start, end)
        if selected is not None:
            painter.fillRect(selected, theme.selection)
        if lit is not None and self._lit != self._selected:
            painter.fillRect(lit, mix(theme.surface, theme.accent, 0.14))
        front = True  # until the first tokenizer, which is in front, is painted
        for row, top, placed in zip(self._rows, self._tops, self._placed(line), strict=False):
            identity = self._identity_of(row)
            if any(cell.cell.label for cell in placed):
                self._painter.paint_title(painter, row, top, row.title_at(start), identity)
            self._painter.paint_row(painter, row.look, placed, None if front else identity)
            front = front and identity is None
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for band, width in ((selected, 1.5), (lit, 1.0)):
            if band is not None:
                painter.setPen(QPen(theme.accent, width))
                painter.drawLine(band.topLeft(), band.topRight())
                painter.drawLine(band.bottomLeft(), band.bottomRight())
        if self.hasFocus() and self._cursor.row < len(self._rows):
            self._paint_cursor(painter, line)
        painter.setPen(QPen(theme.line, 1.0))
        painter.drawLine(
            QPointF(0, rect.height() - 0.5), QPointF(rect.width(), rect.height() - 0.5)
        )
        painter.restore()

    def _paint_cursor(self, painter: QPainter, line: int) -> None:
        painter.setPen(QPen(self._painter.theme.accent, 2.0))
        for cell in self._placed(line)[self._cursor.row]:
            if (cell.cell.start, cell.cell.end) == self._cursor.head and not cell.cell.empty:
                painter.drawRoundedRect(cell.rect.adjusted(1, 1, -1, -1), 3, 3)

    def _band(self, span: Span | None, start: int, end: int) -> QRectF | None:
        """The rectangle of some bytes in a line, from its top."""
        if span is None or span[1] <= start or span[0] >= end:
            return None
        left = GUTTER + (max(span[0], start) - start) * self._column
        right = GUTTER + (min(span[1], end) - start) * self._column
        return QRectF(left, PADDING / 2, right - left, self.line_height - PADDING)

    # The pointer.

    def cell_at(self, point: QPointF) -> tuple[int, Cell] | None:
        """The row and the cell at a point of the viewport."""
        row = self._row_at(point)
        if row is None:
            return None
        line = int((point.y() + self.verticalScrollBar().value()) / self.line_height)
        local = QPointF(point.x(), point.y() - self._line_rect(line).top())
        for cell in self._placed(line)[row]:
            if cell.rect.left() <= local.x() < cell.rect.right():
                return row, cell.cell
        return None

    def cell_rect(self, row: int, cell: Cell) -> QRect:
        """The rectangle of a cell, or of its first part, in the viewport."""
        line = cell.start // self._columns
        rects = (one.rect for one in self._placed(line)[row] if one.cell == cell)
        return next(rects, QRectF()).translated(0, self._line_rect(line).top()).toRect()

    def seen_at(self, start: int, end: int) -> QRect | None:
        """The rectangle of bytes in their first line, over all rows, on the screen; None if they are not visible."""
        line = start // self._columns
        band = self._band((start, end), *self._line_bytes(line))
        if band is None:
            return None
        inside = band.translated(0, self._line_rect(line).top()).toRect() & self.viewport().rect()
        if inside.isEmpty():
            return None
        return QRect(self.viewport().mapToGlobal(inside.topLeft()), inside.size())

    def _row_at(self, point: QPointF) -> int | None:
        y = point.y() + self.verticalScrollBar().value()
        if not self._rows or not 0 <= y < self._line_count * self.line_height:
            return None
        y %= self.line_height
        bounds = zip(self._tops, self._row_bottoms, strict=False)
        return next((k for k, (top, below) in enumerate(bounds) if top <= y < below), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hit = self.cell_at(event.position())
        if hit is None:
            self.hovered.emit(0, 0)
            return
        cell = hit[1]
        self.hovered.emit(cell.start, cell.end)
        if event.buttons() & Qt.MouseButton.LeftButton and not cell.empty:
            self._cursor.head = (cell.start, cell.end)
            self._pick()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        hit = self.cell_at(event.position())
        row = self._row_at(event.position())
        if hit is None:
            if row is not None and event.position().x() < GUTTER:
                self.title_chosen.emit(row)
            else:
                self.picked.emit(0, 0)
            return
        self._cursor.row = hit[0]
        cell = hit[1]
        if cell.empty:
            return
        self._cursor.head = (cell.start, cell.end)
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._cursor.anchor = self._cursor.head
        self._pick()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        hit = self.cell_at(event.position())
        if hit is not None and event.button() == Qt.MouseButton.LeftButton:
            self.cell_activated.emit(*hit)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Requests the menu of the cell under the pointer, or of the current one."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self._ask_for_menu()
            return
        hit = self.cell_at(QPointF(event.pos()))
        if hit is not None:
            self.menu_requested.emit(event.globalPos(), *hit)

    def _ask_for_menu(self) -> None:
        row = self._cursor.row
        cell = self._rows[row].cell_at(self._cursor.head[0]) if row < len(self._rows) else None
        if cell is not None:
            below = self.cell_rect(row, cell).bottomLeft()
            self.menu_requested.emit(self.viewport().mapToGlobal(below), row, cell)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(0, 0)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(
                event.globalPos(), as_tip(self.tip_at(QPointF(event.pos()))), self.viewport()
            )
            return True
        return super().viewportEvent(event)

    def tip_at(self, point: QPointF) -> str:
        """The tooltip for a point of the viewport."""
        hit, row = self.cell_at(point), self._row_at(point)
        if hit is not None:
            return self._rows[hit[0]].tip(hit[1])
        return self._rows[row].about if row is not None and point.x() < GUTTER else ""

    # The keys.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        further = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        whole = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        cursor = self._cursor
        start = cursor.head[0]
        line = start // self._columns * self._columns
        page = max(int(self.viewport().height() / max(self.line_height, 1)), 1) * self._columns
        if not self._rows or not self._size:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._follow(cursor.step(1 if key == Qt.Key.Key_Right else -1, further))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = 1 if key == Qt.Key.Key_Down else -1
            self._follow(cursor.step_row(step, self._columns, further))
        elif key == Qt.Key.Key_PageUp:
            self._follow(cursor.go(start - page, further))
        elif key == Qt.Key.Key_PageDown:
            self._follow(cursor.go(start + page, further))
        elif key == Qt.Key.Key_Home:
            self._follow(cursor.go(0 if whole else line, further))
        elif key == Qt.Key.Key_End:
            self._follow(cursor.go(self._size - 1 if whole else line + self._columns - 1, further))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.title_chosen.emit(cursor.row)
            self._ask_for_menu()
        elif key == Qt.Key.Key_Escape:
            self.picked.emit(0, 0)
        else:
            super().keyPressEvent(event)

    def _follow(self, moved: bool) -> None:
        """Shows and announces the current cell, if the keys moved to another one."""
        if not moved:
            return
        self._pick()
        at = self._cursor.head[0]
        self.ensure_visible(at)
        row = self._rows[self._cursor.row]
        cell = row.cell_at(at)
        if cell is not None:
            self.setAccessibleDescription(f"{row.title}: {row.tip(cell)}")

    def _pick(self) -> None:
        self.viewport().update()
        self.picked.emit(*self._cursor.span)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
