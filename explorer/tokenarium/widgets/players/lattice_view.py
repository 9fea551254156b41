"""A lattice as a graph: the characters, and above them every possible piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.merges.lattice_layout import (
    BOX,
    MARGIN,
    LatticeLayout,
    LatticeMeasures,
    number_text,
)
from tokenarium.models.merges.lattice_paths import LatticePaths
from tokenarium.models.text.piece import readable
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID
from tokenarium.widgets.keyboard import RING, paint_focus_ring
from tokenarium.widgets.painting import (
    PaintedPart,
    paint_superword_line,
    small_width,
    text_width,
)
from tokenarium_core.explaining.vocabulary_entries import words_in

CELL = 4.0 * GRID
"""The height of a character."""

APART = 2 + RING
"""Pixels from a piece to the outside of its focus ring, which differs from the line of a best piece."""

FOOT = 2.5 * GRID
"""Pixels below the characters, for the sums."""

MEASURES = LatticeMeasures(text_width, small_width)

NAME = "Lattice of pieces"
STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
    Qt.Key.Key_Home: (-(1 << 20), 0),
    Qt.Key.Key_End: (1 << 20, 0),
}
"""The steps of the keys: to the right among starts, and up among pieces with the same start."""

PICKING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


@dataclass(frozen=True, slots=True)
class Frontier:
    """The progress of the search: its byte, and for each reached byte the best sum and its last edge.

    ``done``: the end is reached, and the best path is known.
    """

    at: int
    sums: dict[int, tuple[float, int]]
    done: bool


MOST_STRETCH = 1.6
"""How much wider than necessary the characters may be."""


class LatticeView(PaintedPart):
    """Shows a lattice, the progress of the search, and up to two paths: the best and another one.

    The pointer or the arrow keys describe a piece, a click or Enter picks it.
    """

    hovered = Signal(int, int)  # bytes of the normalized text; 0, 0 for none
    edge_picked = Signal(int)  # the number of an edge
    edge_reached = Signal(int)  # by a key

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(NAME)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._paths: LatticePaths | None = None
        self._frontier = Frontier(0, {}, False)
        self._best: frozenset[int] = frozenset()
        self._other: frozenset[int] = frozenset()
        self._pointed = -1
        self._current = -1  # the edge that was reached by key or click
        self._places = self._least = LatticeLayout(MEASURES)  # the current width, and the least
        self._tip: Callable[[int], str] = lambda number: ""
        self._colours: Sequence[int] = ()

    def set_paths(
        self, paths: LatticePaths | None, tip: Callable[[int], str], colours: Sequence[int]
    ) -> None:
        """Shows another lattice; ``tip`` returns the tooltip of an edge, ``colours`` are those of the edges."""
        self._paths, self._tip, self._colours = paths, tip, colours
        self._pointed = -1
        self._go_to(-1)
        self._best = frozenset(paths.best.edges) if paths is not None else frozenset()
        self._other = frozenset()
        self._least = LatticeLayout(MEASURES, paths)
        self._stretch()
        self.setMinimumSize(self.sizeHint())
        self.updateGeometry()
        self.update()

    def show_frontier(self, frontier: Frontier) -> None:
        """Shows the progress of the search."""
        self._frontier = frontier
        self.update()

    def show_other(self, edges: Sequence[int]) -> None:
        """Marks a path other than the best one; no edges: none."""
        self._other = frozenset(edges)
        self.update()

    @property
    def frontier(self) -> Frontier:
        """The progress of the search."""
        return self._frontier

    def place(self, byte: int) -> float:
        """The x of the boundary at a byte."""
        return self._places.boundaries.get(byte, 0.0)

    def edge_rect(self, number: int) -> QRectF:
        """The rectangle of an edge."""
        return QRectF(*self._places.rects[number])

    def tile_rect(self, number: int) -> QRectF:
        """The rectangle of an edge in the line of the characters, where the edges of the best path are joined.

        If that line is below the visible part, it is painted at the lower end of that part.
        """
        rect = self.edge_rect(number)
        return QRectF(rect.left(), self._line() + 1, rect.width(), CELL - 2)

    def _line(self) -> float:
        """The y of the characters."""
        seen = self.visibleRegion().boundingRect()
        floor = self._places.floor
        held = self._frontier.done and not seen.isEmpty()
        return min(floor, seen.bottom() + 1 - CELL) if held else floor

    # Layout.

    def _stretch(self) -> None:
        """Makes a short lattice as wide as the view."""
        room = (self.width() - 2 * MARGIN) / max(1.0, self._least.right - MARGIN)
        stretch = max(1.0, min(MOST_STRETCH, room))
        self._places = (
            self._least if stretch == 1.0 else LatticeLayout(MEASURES, self._paths, stretch)
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._stretch()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(
            round(self._least.right + MARGIN), round(self._places.floor + CELL + FOOT + GRID)
        )

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(event.rect())
        self.paint(painter, QRectF(event.rect()))
        seen = self.visibleRegion().boundingRect()
        if self._current >= 0:
            seen = self.edge_rect(self._current).toRect().adjusted(-APART, -APART, APART, APART)
        paint_focus_ring(painter, self, self.theme, seen)
        painter.end()

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the lattice, also for an export; ``seen`` is the visible part."""
        paths = self._paths
        if paths is None:
            return
        line = self._line() if seen is not None else self._places.floor
        seen = seen or QRectF(QPointF(), self.size().expandedTo(self.sizeHint()).toSizeF())
        shown = [
            number
            for number in range(len(self._places.rects))
            if self.edge_rect(number).intersects(seen)
        ]
        self._paint_nodes(painter)
        for number in shown:
            self._paint_arc(painter, number)
        self._paint_frontier(painter)
        fonts = (ui_font(TEXT_SIZE), mono_font(SMALL_SIZE))
        for number in shown:
            self._paint_edge(painter, paths, number, fonts)
        self._paint_characters(painter, seen, line)

    def _paint_nodes(self, painter: QPainter) -> None:
        painter.setPen(QPen(mix(self.theme.page, self.theme.line, 0.6), 1))
        for x in self._places.boundaries.values():
            painter.drawLine(QPointF(x, GRID / 2), QPointF(x, self._places.floor))

    def _paint_frontier(self, painter: QPainter) -> None:
        if self._frontier.done or self._frontier.at not in self._places.boundaries:
            return
        x = self._places.boundaries[self._frontier.at]
        painter.setPen(QPen(self.theme.accent, 2))
        painter.drawLine(QPointF(x, 0), QPointF(x, self._places.floor))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.accent)
        painter.drawPolygon([QPointF(x - 5, 0), QPointF(x + 5, 0), QPointF(x, 7)])
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _on_best(self, number: int) -> bool:
        """Returns whether an edge is on the best path, as far as that is known."""
        return self._frontier.done and number in self._best

    def _paint_arc(self, painter: QPainter, number: int) -> None:
        """Draws the line from one node over the edge to the next, for the edges of paths."""
        if self._on_best(number):
            painter.setPen(QPen(self.theme.accent, 2))
        elif number in self._other:
            painter.setPen(QPen(self.theme.ask, 2))
        else:
            return
        rect = self.edge_rect(number)
        middle = rect.center().y()
        left, right = rect.left() - 3, rect.right() + 3
        path = QPainterPath(QPointF(left, self._places.floor))
        path.lineTo(left, middle + 4)
        path.quadTo(QPointF(left, middle), QPointF(rect.left() + 2, middle))
        path.moveTo(QPointF(rect.right() - 2, middle))
        path.quadTo(QPointF(right, middle), QPointF(right, middle + 4))
        path.lineTo(right, self._places.floor)
        painter.drawPath(path)

    def _paint_edge(
        self, painter: QPainter, paths: LatticePaths, number: int, fonts: tuple[QFont, QFont]
    ) -> None:
        theme, edge, rect = self.theme, paths.edges[number], self.edge_rect(number)
        frontier = self._frontier
        ahead = not frontier.done and edge.start >= frontier.at
        leading = frontier.sums.get(edge.end, (0.0, -1))[1] == number and not frontier.done
        best, other = self._on_best(number), number in self._other
        fill = theme.tokens[self._colours[number] % len(theme.tokens)]
        if edge.unknown:
            fill = theme.sunken
        path = QPainterPath()
        path.addRoundedRect(rect, 4, 4)
        painter.fillPath(path, fill if best or leading or other else theme.surface)
        lit = self._lit[0] <= edge.start and edge.end <= self._lit[1]
        if self._pointed == number or lit or best:
            painter.setPen(QPen(theme.accent, 2))
        elif other:
            painter.setPen(QPen(theme.ask, 2))
        elif ahead or edge.unknown:
            painter.setPen(QPen(theme.line, 1, Qt.PenStyle.DashLine))
        else:
            painter.setPen(QPen(mix(fill, theme.ink, 0.25) if leading else theme.line, 1))
        painter.drawPath(path)
        if not edge.unknown and words_in(paths.data[edge.start : edge.end]) > 1:
            paint_superword_line(painter, theme, rect)
        strong = best or other or leading
        painter.setPen(theme.ink if strong or not (ahead or frontier.done) else theme.dim)
        painter.setFont(fonts[0])
        upper = QRectF(rect.left(), rect.top() + 1, rect.width(), BOX * 0.55)
        text = readable(paths.data[edge.start : edge.end])
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, text)
        painter.setPen(theme.ink if best or other else theme.dim)
        painter.setFont(fonts[1])
        lower = QRectF(rect.left(), upper.bottom() - 1, rect.width(), BOX * 0.42)
        painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, number_text(edge.score))

    def _paint_characters(self, painter: QPainter, seen: QRectF, line: float) -> None:
        theme, frontier = self.theme, self._frontier
        painter.setFont(ui_font(TEXT_SIZE))
        tiles = self._paint_tiles(painter, line)
        for start, end, text in self._places.cells:
            left, right = self._places.boundaries[start], self._places.boundaries[end]
            if right < seen.left() or left > seen.right():
                continue
            rect = QRectF(left + 3, line, right - left - 6, CELL)
            lit = self._lit[0] < end and start < self._lit[1]
            if lit or not tiles:
                painter.fillRect(rect, theme.selection if lit else theme.shared)
            painter.setPen(theme.ink)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        painter.setFont(mono_font(SMALL_SIZE))
        for byte, x in self._places.boundaries.items():
            if not seen.left() - 4 * GRID < x < seen.right() + 4 * GRID:
                continue
            here = byte == frontier.at and not frontier.done
            known = byte in frontier.sums
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent if here else theme.dim if known else theme.line)
            painter.drawEllipse(QPointF(x, self._places.floor), 3.5, 3.5)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if known:
                painter.setPen(theme.accent if here else theme.dim)
                label = QRectF(x - 4 * GRID, self._places.floor + CELL, 8 * GRID, FOOT)
                total = number_text(frontier.sums[byte][0])
                painter.drawText(label, Qt.AlignmentFlag.AlignCenter, total)

    def _paint_tiles(self, painter: QPainter, line: float) -> bool:
        """Joins the characters of each token of the best path, which is then visible even if the rows are not."""
        if not self._frontier.done or self._paths is None:
            return False
        if line < self._places.floor:
            painter.fillRect(QRectF(0, line - 2, self.width(), CELL + 2), self.theme.surface)
        for number in self._best:
            edge, rect = self._paths.edges[number], self.edge_rect(number)
            tile = QRectF(rect.left(), line + 1, rect.width(), CELL - 2)
            fill = self.theme.tokens[self._colours[number] % len(self.theme.tokens)]
            path = QPainterPath()
            path.addRoundedRect(tile, 4, 4)
            painter.fillPath(path, self.theme.sunken if edge.unknown else fill)
            painter.setPen(QPen(self.theme.accent, 2))
            painter.drawPath(path)
        return True

    # Pointing.

    def _at(self, point: QPointF) -> int:
        if point.y() >= self._line():  # the line of the characters may cover pieces
            known = self._best if self._frontier.done else ()
            return next((edge for edge in known if self.tile_rect(edge).contains(point)), -1)
        every = range(len(self._places.rects))
        return next((number for number in every if self.edge_rect(number).contains(point)), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(-1)

    def _point(self, number: int) -> None:
        if number == self._pointed:
            return
        self._pointed = number
        if number < 0 or self._paths is None:
            self.hovered.emit(0, 0)
        else:
            edge = self._paths.edges[number]
            self.hovered.emit(edge.start, edge.end)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._at(event.position())
        if number >= 0:
            self._go_to(number)
            self.edge_picked.emit(number)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self._at(QPointF(event.pos()))
            if number >= 0:
                QToolTip.showText(event.globalPos(), as_tip(self._tip(number)), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    # The keys.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = STEPS.get(Qt.Key(event.key()))
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or not self._places.rects:
            super().keyPressEvent(event)
        elif step is not None:
            self._walk(*step)
        elif event.key() in PICKING and self._current >= 0:
            self.edge_picked.emit(self._current)
        elif event.key() == Qt.Key.Key_Escape and self._current >= 0:
            self._go_to(-1)
            self._point(-1)
            QToolTip.hideText()
        else:
            super().keyPressEvent(event)

    def _walk(self, columns: int, levels: int) -> None:
        """Goes to the piece of a key, and describes it as if it were pointed at."""
        goal = self._current
        if goal < 0:
            goal = self._places.first(self.visibleRegion().boundingRect().left())
        if self._current >= 0 or abs(columns) > 1:
            goal = self._places.beside(goal, columns, levels)
        self._go_to(goal)
        self.edge_reached.emit(goal)
        self._point(goal)
        rect = self.edge_rect(goal).toRect()
        place = self.mapToGlobal(rect.bottomLeft())
        QToolTip.showText(place, as_tip(self._tip(goal)), self, rect)

    def _go_to(self, number: int) -> None:
        self._current = number
        paths = self._paths
        described = about = ""
        if number >= 0 and paths is not None:
            edge = paths.edges[number]
            text = readable(paths.data[edge.start : edge.end])
            best = "on the best path" if number in self._best else "not on the best path"
            described = f": “{text}”, score {number_text(edge.score)}, {best}"
            about = self._tip(number)
        self.setAccessibleName(f"{NAME}{described}")
        self.setAccessibleDescription(about)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point(-1)
        self.update()
