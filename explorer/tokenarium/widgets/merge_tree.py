"""The tree of merges, painted: leaves at the bottom, what they became above them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.merge_tree import Node
from tokenarium.palette import mix
from tokenarium.theme import GRID, SMALL_SIZE, TEXT_SIZE, Theme, mono_font, ui_font
from tokenarium.widgets.text_width import small_width, text_width

NODE_HEIGHT = 4.25 * GRID
"""The height of a node that came of others: its text, and its rank under it."""

LEAF = 3.0 * GRID
ROW = 6.25 * GRID
LEAF_GAP = 0.75 * GRID
WORD_GAP = 3.0 * GRID
PADDING = 0.75 * GRID


class MergeTree(QWidget):
    """Shows trees of nodes side by side, one a word; any node can be pointed at and picked."""

    hovered = Signal(int, int)  # bytes; 0, 0 for none
    picked = Signal(int)  # the id of a node

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Tree of merges")
        self.setMouseTracking(True)
        self._theme = theme
        self._words: Sequence[Sequence[Node]] = ()
        self._rects: list[list[QRectF]] = []
        self._placed: dict[int, tuple[Sequence[Node], list[QRectF], float]] = {}
        self._label: Callable[[Node], str] = lambda node: str(node.id)
        self._note: Callable[[Node], str] = lambda node: ""
        self._tip: Callable[[Node], str] = lambda node: ""
        self._colour: Callable[[Node], int] = lambda node: 0
        self._lit = (0, 0)
        self._pointed: tuple[int, int] | None = None
        self._size = QSize(10 * GRID, round(ROW))

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.update()

    def set_words(
        self,
        label: Callable[[Node], str],
        note: Callable[[Node], str],
        tip: Callable[[Node], str],
        colour: Callable[[Node], int],
    ) -> None:
        """What is written on nodes and under that, what is told of one that is pointed at, their colours' numbers."""
        self._label, self._note, self._tip, self._colour = label, note, tip, colour

    def show_nodes(self, words: Sequence[Sequence[Node]]) -> None:
        """Shows other trees."""
        self._words = words
        self._pointed = None
        self._place()
        self.update()

    def rects(self) -> list[list[QRectF]]:
        """Where the nodes of each word stand."""
        return self._rects

    def newest(self) -> QRectF:
        """Where the node stands that was made last; empty before the first."""
        step, rect = -1, QRectF()
        for word, rects in zip(self._words, self._rects, strict=True):
            if word and word[-1].step > step:
                step, rect = word[-1].step, rects[-1]
        return rect

    def light(self, start: int, end: int) -> None:
        """Marks the nodes that stand within a range of bytes."""
        if (start, end) != self._lit:
            self._lit = (start, end)
            self.update()

    def sizeHint(self) -> QSize:
        return self._size

    def minimumSizeHint(self) -> QSize:
        return self._size

    def _place(self) -> None:
        top = max((node.height for word in self._words for node in word), default=0)
        x = 2.0 * GRID
        self._rects = []
        placed = {}
        for word in self._words:
            # A word that is as it was is not placed anew.
            kept = self._placed.get(id(word)) or (word, *self._place_word(word))
            placed[id(word)] = kept
            _, rects, width = kept
            tops = (GRID + (max(top, 1) - node.height) * ROW for node in word)
            self._rects.append([rect.translated(x, y) for rect, y in zip(rects, tops, strict=True)])
            x += width + WORD_GAP
        self._placed = placed
        height = GRID + max(top, 1) * ROW + NODE_HEIGHT + GRID
        self._size = QSize(round(max(x - WORD_GAP, 0.0) + 2 * GRID), round(height))
        self.setMinimumSize(self._size)
        self.updateGeometry()

    def _place_word(self, word: Sequence[Node]) -> tuple[list[QRectF], float]:
        """Returns where the nodes of a word stand from left to right, each over those below it, and their width."""
        widths = [self._node_width(node) for node in word]
        rooms: list[float] = []  # the width that a node needs with all that is below it
        for node, width in zip(word, widths, strict=True):
            below = sum(rooms[child] for child in node.below)
            rooms.append(max(width, below + LEAF_GAP * max(0, len(node.below) - 1)))
        covered = {child for node in word for child in node.below}
        tops = [number for number in range(len(word)) if number not in covered]
        rects = [QRectF()] * len(word)
        lefts = [0.0] * len(word)
        at = 0.0
        for number in sorted(tops, key=lambda number: word[number].start):
            lefts[number] = at
            at += rooms[number] + LEAF_GAP
        for number in range(len(word) - 1, -1, -1):
            node, left = word[number], lefts[number]
            below = sum(rooms[child] for child in node.below)
            inner = left + (rooms[number] - below - LEAF_GAP * (len(node.below) - 1)) / 2
            for child in node.below:
                lefts[child] = inner
                inner += rooms[child] + LEAF_GAP
        for number, node in enumerate(word):
            centre = lefts[number] + rooms[number] / 2
            if node.below:
                ends = [rects[child].center().x() for child in (node.below[0], node.below[-1])]
                half = widths[number] / 2
                room = rooms[number] / 2 - half
                centre = min(max(sum(ends) / 2, centre - room), centre + room)
            rects[number] = QRectF(
                centre - widths[number] / 2, 0, widths[number], NODE_HEIGHT if node.height else LEAF
            )
        return rects, at - LEAF_GAP

    def _node_width(self, node: Node) -> float:
        wider = max(text_width(self._label(node)), small_width(self._note(node)))
        return max(wider + 2 * PADDING, 2.5 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter, QRectF(event.rect()))
        painter.end()

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the trees, also for an export; ``seen`` is the part that is needed."""
        theme = self._theme
        fonts = (ui_font(TEXT_SIZE), mono_font(SMALL_SIZE))
        for number, (word, rects) in enumerate(zip(self._words, self._rects, strict=True)):
            painter.setPen(QPen(theme.line, 1.5))
            for node, rect in zip(word, rects, strict=True):
                for child in node.below:
                    if seen is None or seen.intersects(rect.united(rects[child])):
                        _branch(painter, rect, rects[child])
            for place, (node, rect) in enumerate(zip(word, rects, strict=True)):
                if seen is None or seen.intersects(rect):
                    self._paint_node(painter, node, rect, self._pointed == (number, place), fonts)

    def _paint_node(
        self,
        painter: QPainter,
        node: Node,
        rect: QRectF,
        pointed: bool,
        fonts: tuple[QFont, QFont],
    ) -> None:
        theme = self._theme
        fill = theme.tokens[self._colour(node) % len(theme.tokens)]
        if node.id < 0:
            fill = theme.raised
        path = QPainterPath()
        path.addRoundedRect(rect, 4, 4)
        painter.fillPath(path, fill)
        lit = self._lit[0] <= node.start and node.end <= self._lit[1]
        edge = QPen(mix(fill, theme.text, 0.18), 1)
        painter.setPen(QPen(theme.accent, 2) if lit or pointed else edge)
        painter.drawPath(path)
        painter.setPen(theme.text)
        painter.setFont(fonts[0])
        note = self._note(node)
        share = 0.56 if note else 1.0
        upper = QRectF(rect.left(), rect.top(), rect.width(), rect.height() * share)
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, self._label(node))
        if note:
            painter.setPen(mix(theme.text, fill, 0.25))
            painter.setFont(fonts[1])
            lower = QRectF(rect.left(), upper.bottom() - 2, rect.width(), rect.height() * 0.44)
            painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, note)

    def _at(self, point: QPointF) -> tuple[int, int] | None:
        for number, rects in enumerate(self._rects):
            for place in range(len(rects) - 1, -1, -1):
                if rects[place].contains(point):
                    return number, place
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self._at(event.position())
        if found != self._pointed:
            self._pointed = found
            if found is None:
                self.hovered.emit(0, 0)
            else:
                node = self._words[found[0]][found[1]]
                self.hovered.emit(node.start, node.end)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed = None
        self.hovered.emit(0, 0)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self._at(event.position())
        if found is not None:
            self.picked.emit(self._words[found[0]][found[1]].id)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self._at(QPointF(event.pos()))
            if found is not None:
                QToolTip.showText(
                    event.globalPos(), self._tip(self._words[found[0]][found[1]]), self
                )
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


def _branch(painter: QPainter, parent: QRectF, child: QRectF) -> None:
    """Draws the way from a node down to one that it was made of."""
    start = QPointF(parent.center().x(), parent.bottom())
    end = QPointF(child.center().x(), child.top())
    bend = (start.y() + end.y()) / 2
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x(), bend), QPointF(end.x(), bend), end)
    painter.drawPath(path)
