"""The longest-prefix walk, painted: the text at its place, the path through the trie, and the edges from its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.models.merges.prefix_play import PrefixPlay, WalkMoment, byte_label, walk_parts
from tokenarium.models.text.piece import readable
from tokenarium.models.text.segmentation import token_colour
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, number_font, ui_font
from tokenarium.style.shapes import paint_card, paint_tile
from tokenarium.style.theme import CARD_MARGIN, CARD_RADIUS, GRID
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.painting import PaintedPart
from tokenarium.widgets.players.merge_queue import WIDTH as EDGES_WIDTH
from tokenarium_core.explaining.prefix_walk import PrefixStep

CELL = 36.0
LINE = 60.0
"""Pixels: the height of a character's cell, and of a line of them with the ids below."""

NODE = 32.0
LEAP = 42.0
PATH_LINE = 64.0
TITLE = 20.0
"""Pixels: the height of a state, the arrow to it, a line of states, and the title above them."""

PADDING = 9.0
ROW = 30.0
HEAD = 44.0


@dataclass(frozen=True, slots=True)
class _WalkCell:
    """A character or a matched token: its text, its bytes, its position, and its id (-1 for a character).

    ``left``: the match is left as text.
    """

    text: str
    start: int
    end: int
    rect: QRectF
    id: int = -1
    left: bool = False


class PrefixStage(PaintedPart):
    """The text in cells: the part being read, the longest match so far, and earlier matches."""

    hovered = Signal(int, int)  # bytes of the walk
    picked = Signal(int)  # the id of a matched token

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The longest match, step by step")
        self.setMouseTracking(True)
        self._play: PrefixPlay | None = None
        self._moment = WalkMoment(None, (), 0)
        self._cells: list[_WalkCell] = []

    def show_moment(self, play: PrefixPlay | None, moment: WalkMoment) -> None:
        """Shows another moment of a walk."""
        self._play, self._moment = play, moment
        self._arrange()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()

    @property
    def here(self) -> QRectF:
        """The rectangle of the cells that are read."""
        whole = QRectF()
        for cell in self._cells:
            if self._reads(cell):
                whole = whole.united(cell.rect)
        return whole

    def _arrange(self) -> None:
        """Places the cells in lines."""
        play, moment = self._play, self._moment
        self._cells = []
        if play is None:
            self._ask_for(QSize(20 * GRID, 10 * GRID))
            return
        room = max(24.0 * GRID, self.width() - 2 * CARD_MARGIN)
        metrics = QFontMetricsF(mono_font(TEXT_SIZE + 2))
        x, y = 0.0, float(GRID)
        for start, end, token, left in walk_parts(play, moment):
            text = readable(play.data[start:end], 60)
            width = max(metrics.horizontalAdvance(text) + 2 * PADDING, 24.0)
            if x and x + width > room:
                x, y = 0.0, y + LINE
            rect = QRectF(CARD_MARGIN + x, y, width, CELL)
            self._cells.append(_WalkCell(text, start, end, rect, token, left))
            x += width + 2
        self._ask_for(QSize(30 * GRID, round(y + LINE)))

    def _reads(self, cell: _WalkCell) -> bool:
        """Whether the walk is at a cell, or has read it."""
        place = self._moment.place
        if place is None:
            return False
        end = place.start + max(1, len(self._moment.read))
        return place.start <= cell.start < end and cell.id < 0

    # Painting.

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        theme, moment = self.theme, self._moment
        place = moment.place
        matched = 0
        if place is not None and moment.longest is not None:
            matched = place.start + moment.read.index(moment.longest) + 1
        font, small = mono_font(TEXT_SIZE + 2), number_font(SMALL_SIZE)
        for cell in self._cells:
            lit = self._lit[0] < cell.end and cell.start < self._lit[1]
            reads = self._reads(cell)
            if cell.left:
                painter.setPen(QPen(theme.strong, 1.5, Qt.PenStyle.DashLine))
                painter.setBrush(theme.sunken)
                painter.drawRoundedRect(cell.rect.adjusted(1, 1, -1, -1), 6, 6)
            elif cell.id >= 0:
                paint_tile(painter, cell.rect, theme, token_colour(cell.id))
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.wash if reads or lit else theme.sunken)
                painter.drawRoundedRect(cell.rect, 6, 6)
            if place is not None and place.start <= cell.start and cell.end <= matched:
                foot = cell.rect.adjusted(2, cell.rect.height() + 3, -2, 6)
                painter.fillRect(foot, theme.good)
            if reads:
                painter.setPen(QPen(theme.accent, 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(cell.rect.adjusted(1, 1, -1, -1), 6, 6)
            painter.setFont(font)
            painter.setPen(theme.fills.ink if cell.id >= 0 and not cell.left else theme.ink)
            painter.drawText(cell.rect, Qt.AlignmentFlag.AlignCenter, cell.text)
            if cell.id >= 0:
                painter.setFont(small)
                painter.setPen(theme.dim)
                below = cell.rect.adjusted(-40, CELL, 40, 18)
                said = f"{cell.id} stays text" if cell.left else str(cell.id)
                painter.drawText(below, Qt.AlignmentFlag.AlignCenter, said)

    # Pointing.

    def _at(self, point: QPointF) -> _WalkCell | None:
        return next((cell for cell in self._cells if cell.rect.contains(point)), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position())
        self.hovered.emit(*((cell.start, cell.end) if cell is not None else (0, 0)))
        taken = cell is not None and cell.id >= 0
        self.setCursor(Qt.CursorShape.PointingHandCursor if taken else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position())
        if cell is not None and cell.id >= 0:
            self.picked.emit(cell.id)


class PrefixArea(FitArea):
    """Shows a ``stage``, and scrolls to where something happens."""

    def __init__(self) -> None:
        self.stage = PrefixStage()
        super().__init__(self.stage, fills=True, clear=True)

    def follow(self) -> None:
        """Scrolls there."""
        rect = self.stage.here
        if not rect.isEmpty():
            place = rect.center().toPoint()
            half = min(rect.height() / 2 + 2 * GRID, self.viewport().height() / 2)
            self.ensureVisible(place.x(), place.y(), 0, round(half))


class PrefixPath(PaintedPart):
    """The path from state 0 to the state of the walk, in up to two lines; a longer one shows its last states."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The path in the trie")
        self._moment = WalkMoment(None, (), 0)
        self._states: list[tuple[QRectF, PrefixStep | None]] = []
        self._cut = False
        self._lines = 0
        self.set_lines(2)

    def set_lines(self, count: int) -> None:
        """Sets the number of lines."""
        if count != self._lines:
            self._lines = count
            self.setFixedHeight(round(TITLE + count * PATH_LINE))
            self._arrange()

    def show_moment(self, moment: WalkMoment) -> None:
        """Shows another moment of a walk."""
        self._moment = moment
        sentences = [f"{byte_label(one.byte)} to {one.state}" for one in moment.read]
        self.setAccessibleDescription(", ".join(["state 0", *sentences]))
        self._arrange()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Places the states in lines, and leaves out the first lines that have no room."""
        room = self.width() - 2 * CARD_MARGIN
        numbers = QFontMetricsF(number_font(SMALL_SIZE))
        lines: list[list[tuple[float, float, PrefixStep | None]]] = [[]]
        x = 0.0
        for step in (None, *self._moment.read):
            width = max(NODE, numbers.horizontalAdvance(self._number(step)) + 2 * PADDING)
            lead = 0.0 if step is None else LEAP
            if lines[-1] and x + lead + width > room:
                lines.append([])
                x = 0.0
            lines[-1].append((x + lead, width, step))
            x += lead + width
        self._cut = len(lines) > self._lines
        self._states = [
            (QRectF(CARD_MARGIN + left, TITLE + 10 + row * PATH_LINE, width, NODE), step)
            for row, line in enumerate(lines[-self._lines :])
            for left, width, step in line
        ]

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        painter.setFont(ui_font(SMALL_SIZE))
        painter.setPen(self.theme.dim)
        title = "The last states of the path" if self._cut else "The path in the trie"
        place = QRectF(CARD_MARGIN, 0, self.width() - 2 * CARD_MARGIN, TITLE)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, title)
        before: QRectF | None = None
        for rect, step in self._states:
            self._paint_state(painter, rect, step, before or rect)
            before = rect

    def _paint_state(
        self, painter: QPainter, rect: QRectF, step: PrefixStep | None, before: QRectF | None
    ) -> None:
        """Paints a state, and the edge that leads to it with its byte."""
        theme = self.theme
        failed = step is not None and step.state < 0
        ends = step is not None and step.id >= 0
        colour = theme.bad if failed else theme.good if ends else theme.strong
        if step is not None and before is not None:
            y = rect.center().y()
            left = rect.left() - LEAP + 3
            painter.setPen(QPen(colour, 1.5))
            painter.drawLine(QPointF(left, y), QPointF(rect.left() - 3, y))
            for turn in (-4, 4):
                painter.drawLine(QPointF(rect.left() - 3, y), QPointF(rect.left() - 8, y + turn))
            painter.setFont(mono_font(TEXT_SIZE, QFont.Weight.DemiBold))
            painter.setPen(theme.bad if failed else theme.ink)
            label = QRectF(left - 6, y - 21, LEAP + 6, 18)
            painter.drawText(label, Qt.AlignmentFlag.AlignCenter, byte_label(step.byte))
        ground = theme.good_ground if ends else theme.surface
        painter.setBrush(theme.bad_ground if failed else ground)
        last = bool(self._states) and rect is self._states[-1][0]
        painter.setPen(QPen(theme.accent if last and not failed else colour, 2.5 if last else 1.5))
        painter.drawRoundedRect(rect, NODE / 2, NODE / 2)
        if ends:  # as automata are drawn: a state that accepts has two rings
            painter.setPen(QPen(colour, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(4, 4, -4, -4), NODE / 2 - 4, NODE / 2 - 4)
        painter.setFont(number_font(SMALL_SIZE))
        painter.setPen(theme.bad if failed else theme.ink)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._number(step))
        if ends and step is not None:
            painter.setPen(theme.good)
            below = rect.adjusted(-24, NODE, 24, 16)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, f"id {step.id}")

    def _number(self, step: PrefixStep | None) -> str:
        """Returns the label of the state after a step: its number, the sign for no state, or the first state."""
        if step is None:
            place = self._moment.place
            return str(place.root if place is not None else 0)
        return "×" if step.state < 0 else f"{step.state:,}"


class PrefixEdges(PaintedPart):
    """A card with the edges that leave the state of the walk; the next one is marked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Edges from the current state")
        self.setFixedWidth(EDGES_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._state = 0
        self._edges: Sequence[PrefixStep] = ()
        self._next = -1

    def show_edges(self, state: int, edges: Sequence[PrefixStep], following: int) -> None:
        """Shows the edges of a state (-1: none); ``following`` is the byte that is read next, or -1."""
        self._state, self._edges, self._next = state, edges, following
        self.setAccessibleDescription(", ".join(self._said(edge) for edge in edges[:12]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(EDGES_WIDTH, 30 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(EDGES_WIDTH, 0)

    def _said(self, edge: PrefixStep) -> str:
        ends = f", ends id {edge.id}" if edge.id >= 0 else ""
        return f"{byte_label(edge.byte)} to state {edge.state:,}{ends}"

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        theme = self.theme
        card = QRectF(self.rect())
        paint_card(painter, card, theme, CARD_RADIUS)
        inside = card.adjusted(CARD_MARGIN, 0, -CARD_MARGIN, 0)
        painter.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        painter.setPen(theme.ink)
        count = len(self._edges)
        edges = "1 edge" if count == 1 else f"{count:,} edges"
        title = f"State {self._state:,}: {edges}" if self._state >= 0 else "No edge: the walk ends"
        vertical = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(inside.left(), 0, inside.width(), HEAD), vertical, title)
        fits = max(1, int((card.height() - HEAD - GRID) / ROW))
        shown = list(self._edges)
        place = next((n for n, edge in enumerate(shown) if edge.byte == self._next), 0)
        first = 0
        if len(shown) > fits:  # the next edge stays visible
            first = max(0, min(place - fits // 2, len(shown) - fits + 1))
            shown = shown[first : first + fits - 1]
        y = HEAD - 4
        for edge in shown:
            row = QRectF(card.left() + GRID, y, card.width() - 2 * GRID, ROW)
            taken = edge.byte == self._next
            if taken:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.wash)
                painter.drawRoundedRect(row.adjusted(0, 1, 0, -1), 8, 8)
            text = row.adjusted(GRID, 0, -GRID, 0)
            painter.setFont(mono_font(TEXT_SIZE, QFont.Weight.DemiBold))
            painter.setPen(theme.accent if taken else theme.ink)
            painter.drawText(text, vertical, byte_label(edge.byte))
            painter.setFont(number_font(SMALL_SIZE))
            painter.setPen(theme.accent if taken else theme.dim)
            painter.drawText(text.adjusted(36, 0, 0, 0), vertical, f"→ {edge.state:,}")
            if edge.id >= 0:
                painter.setPen(theme.good)
                painter.drawText(text, vertical | Qt.AlignmentFlag.AlignRight, f"ends id {edge.id}")
            y += ROW
        more = count - len(shown)
        painter.setFont(ui_font(SMALL_SIZE))
        painter.setPen(theme.dim)
        line = QRectF(inside.left(), y, inside.width(), ROW)
        if more:
            painter.drawText(line, vertical, f"and {more:,} more")
        elif not count:
            said = (
                "No edge continues from here."
                if self._state >= 0
                else "The longest match is taken."
            )
            painter.drawText(line, vertical, said)
