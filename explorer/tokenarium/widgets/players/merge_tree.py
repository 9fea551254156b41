"""Paints the tree of merges: leaves at the bottom, merged nodes above them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QHelpEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.merges.playback import Growth, Node
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.painting import PaintedPart, paint_superword_line, small_width, text_width

WORD_GAP = 3.0 * GRID
PADDING = 0.75 * GRID

SMALLEST = 0.62
"""The least scale at which trees are readable; wider ones scroll."""


class MergeTree(PaintedPart):
    """Shows trees side by side, one for each word; nodes can be pointed at and picked."""

    hovered = Signal(int, int)  # bytes; 0, 0 for none
    picked = Signal(int)  # the id of a node

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Tree of merges")
        self.setMouseTracking(True)
        self._words: list[TreeLayout] = []
        self._lefts: list[float] = []  # of the words
        self._rows = 1  # of nodes over the leaves
        self._label: Callable[[Node], str] = lambda node: str(node.id)
        self._note: Callable[[Node], str] = lambda node: ""
        self._tip: Callable[[Node], str] = lambda node: ""
        self._colour: Callable[[Node], int] = lambda node: 0
        self._superword: Callable[[Node], bool] = lambda node: False
        self._pointed: tuple[int, int] | None = None
        self._whole = QSize(10 * GRID, round(ROW))  # at the usual size
        self._drawn = 1.0
        self._size = self._whole
        self.follow_theme()

    def dress(self, theme: Theme) -> None:
        fills = (*theme.tokens, theme.sunken)
        self._edges = [QPen(mix(fill, theme.ink, 0.18), 1) for fill in fills]
        self._note_pens = [QPen(mix(theme.ink, fill, 0.25)) for fill in fills]

    def set_words(
        self,
        label: Callable[[Node], str],
        note: Callable[[Node], str],
        tip: Callable[[Node], str],
        colour: Callable[[Node], int],
        superword: Callable[[Node], bool],
    ) -> None:
        """Sets the texts and notes of nodes, their tooltips, the numbers of their colours, and which are superwords."""
        self._label, self._note, self._tip, self._colour = label, note, tip, colour
        self._superword = superword

    def show_trees(self, words: Sequence[Growth], counts: Sequence[int]) -> None:
        """Shows the trees of words, each with the first ``counts`` nodes."""
        if [places.growth for places in self._words] != list(words):
            self._words = [TreeLayout(growth, self._node_width) for growth in words]
        for places, count in zip(self._words, counts, strict=True):
            places.show(count)
        self._pointed = None
        self._place()
        self.update()

    def rects(self) -> list[list[QRectF]]:
        """The rectangles of the nodes of each word."""
        result = []
        for word, places in enumerate(self._words):
            rects = [QRectF()] * places.count
            for number, rect in self._placed(word, 0, self._whole.width()):
                rects[number] = rect
            result.append(rects)
        return result

    def newest(self) -> QRectF:
        """The rectangle of the newest node; empty before the first."""
        newest_of = [
            (places.growth.nodes[places.count - 1].step, word)
            for word, places in enumerate(self._words)
            if places.count
        ]
        step, word = max(newest_of, default=(-1, -1))
        if step < 0:
            return QRectF()
        return self._rect(word, *self._words[word].newest())

    def _place(self) -> None:
        highest = max((word.growth.height(word.count) for word in self._words), default=0)
        self._rows = max(highest, 1)
        x = 2.0 * GRID
        self._lefts = []
        for places in self._words:
            self._lefts.append(x)
            x += places.width + WORD_GAP
        height = GRID + self._rows * ROW + NODE_HEIGHT + GRID
        self._whole = QSize(round(max(x - WORD_GAP, 0.0) + 2 * GRID), round(height))
        self._ask_for(self._whole * self._drawn)

    def fit_into(self, width: int) -> None:
        """Scales everything down to this number of pixels, but never too small to read."""
        self._drawn = max(SMALLEST, min(1.0, width / max(self._whole.width(), 1)))
        self._ask_for(self._whole * self._drawn)
        self.resize(self.sizeHint())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        seen, drawn = QRectF(event.rect()), self._drawn
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(drawn, drawn)
        self.paint(painter, QRectF(seen.topLeft() / drawn, seen.size() / drawn))
        painter.end()

    def _placed(self, word: int, left: float, right: float) -> Iterator[tuple[int, QRectF]]:
        """Yields the nodes of a word whose trees overlap a part of the width, with their rectangles."""
        x = self._lefts[word]
        for number, room in self._words[word].between(left - x, right - x):
            yield number, self._rect(word, number, room)

    def _rect(self, word: int, number: int, room: float) -> QRectF:
        places = self._words[word]
        y = GRID + (self._rows - places.growth.nodes[number].height) * ROW
        return places.rect(number, room).translated(self._lefts[word], y)

    def _node_width(self, node: Node) -> float:
        wider = max(text_width(self._label(node)), small_width(self._note(node)))
        return max(wider + 2 * PADDING, 2.5 * GRID)

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the trees, also for an export; ``seen`` is the visible part."""
        fonts = (ui_font(TEXT_SIZE), mono_font(SMALL_SIZE))
        seen = seen or QRectF(QPointF(), self._whole.toSizeF())
        first = max(0, bisect_right(self._lefts, seen.left()) - 1)
        for word in range(first, bisect_left(self._lefts, seen.right())):
            nodes = self._words[word].growth.nodes
            rects = dict(self._placed(word, seen.left(), seen.right()))
            painter.setPen(QPen(self.theme.line, 1.5))
            for number, rect in rects.items():
                for child in nodes[number].below:
                    if seen.intersects(rect.united(rects[child])):
                        _branch(painter, rect, rects[child])
            for number, rect in rects.items():
                if seen.intersects(rect):
                    pointed = self._pointed == (word, number)
                    self._paint_node(painter, nodes[number], rect, pointed, fonts)

    def _paint_node(
        self,
        painter: QPainter,
        node: Node,
        rect: QRectF,
        pointed: bool,
        fonts: tuple[QFont, QFont],
    ) -> None:
        theme = self.theme
        colour = self._colour(node) % len(theme.tokens) if node.id >= 0 else -1
        fill = theme.tokens[colour] if colour >= 0 else theme.sunken
        path = QPainterPath()
        path.addRoundedRect(rect, 4, 4)
        painter.fillPath(path, fill)
        lit = self._lit[0] <= node.start and node.end <= self._lit[1]
        painter.setPen(QPen(theme.accent, 2) if lit or pointed else self._edges[colour])
        painter.drawPath(path)
        if self._superword(node):
            paint_superword_line(painter, theme, rect)
        painter.setPen(theme.ink)
        painter.setFont(fonts[0])
        note = self._note(node)
        share = 0.56 if note else 1.0
        upper = QRectF(rect.left(), rect.top(), rect.width(), rect.height() * share)
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, self._label(node))
        if note:
            painter.setPen(self._note_pens[colour])
            painter.setFont(fonts[1])
            lower = QRectF(rect.left(), upper.bottom() - 2, rect.width(), rect.height() * 0.44)
            painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, note)

    def _at(self, point: QPointF) -> tuple[int, int] | None:
        """The node under a point of the widget."""
        point = point / self._drawn
        for word in range(len(self._words)):
            for number, rect in self._placed(word, point.x(), point.x()):
                if rect.contains(point):
                    return word, number
        return None

    def _node(self, place: tuple[int, int]) -> Node:
        return self._words[place[0]].growth.nodes[place[1]]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hit = self._at(event.position())
        if hit != self._pointed:
            self._pointed = hit
            if hit is None:
                self.hovered.emit(0, 0)
            else:
                node = self._node(hit)
                self.hovered.emit(node.start, node.end)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed = None
        self.hovered.emit(0, 0)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self._at(event.position())
        if hit is not None:
            self.picked.emit(self._node(hit).id)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            hit = self._at(QPointF(event.pos()))
            if hit is not None:
                QToolTip.showText(event.globalPos(), as_tip(self._tip(self._node(hit))), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


def _branch(painter: QPainter, parent: QRectF, child: QRectF) -> None:
    """Draws the line from a node down to one of its parts."""
    start = QPointF(parent.center().x(), parent.bottom())
    end = QPointF(child.center().x(), child.top())
    bend = (start.y() + end.y()) / 2
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x(), bend), QPointF(end.x(), bend), end)
    painter.drawPath(path)


NODE_HEIGHT = 4.25 * GRID
"""The height of a merged node: its text, and its rank below it."""

LEAF = 3.0 * GRID
ROW = 6.25 * GRID
LEAF_GAP = 0.75 * GRID


class TreeLayout:
    """The positions of the first ``count`` nodes of a word, from the left of the word and the top of their row."""

    def __init__(self, growth: Growth, width: Callable[[Node], float]) -> None:
        self.growth = growth
        self.count = -1
        self.width = 0.0
        self._width_of = width
        self._widths: list[float] = []
        self._rooms: list[float] = []  # the width of a node with all nodes below it
        self._centres: list[float] = []  # from the left of its room
        self._shifts: list[float] = []  # from the left of the room of the node above it
        self._tops: list[int] = []
        self._lefts: list[float] = []  # of the rooms of the tops

    def show(self, count: int) -> None:
        """Lays out this many of the nodes."""
        if count == self.count:
            return
        for number in range(len(self._rooms), count):
            self._measure(number)
        self.count = count
        self._tops = self.growth.tops(count)
        self._lefts = []
        at = 0.0
        for number in self._tops:
            self._lefts.append(at)
            at += self._rooms[number] + LEAF_GAP
        self.width = at - LEAF_GAP

    def between(self, left: float, right: float) -> Iterator[tuple[int, float]]:
        """Yields the nodes of the trees that overlap this part of the width, each with the left of its room."""
        first = max(0, bisect_right(self._lefts, left) - 1)
        last = bisect_right(self._lefts, right)
        trees = list(zip(self._tops[first:last], self._lefts[first:last], strict=True))
        while trees:
            number, at = trees.pop()
            yield number, at
            below = self.growth.nodes[number].below
            trees += [(child, at + self._shifts[child]) for child in below]

    def rect(self, number: int, room: float) -> QRectF:
        """The rectangle of a node whose room begins at ``room``."""
        width = self._widths[number]
        height = NODE_HEIGHT if self.growth.nodes[number].height else LEAF
        return QRectF(room + self._centres[number] - width / 2, 0, width, height)

    def newest(self) -> tuple[int, float]:
        """The newest node, with the left of its room; it has no parent yet."""
        number = self.count - 1
        return number, self._lefts[self._tops.index(number)]

    def _measure(self, number: int) -> None:
        node = self.growth.nodes[number]
        width, children = self._width_of(node), node.below
        below = sum(self._rooms[child] for child in children) + LEAF_GAP * (len(children) - 1)
        room = max(width, below)
        inner = (room - below) / 2
        for child in children:
            self._shifts[child] = inner
            inner += self._rooms[child] + LEAF_GAP
        centre = room / 2
        if children:
            ends = [
                self._shifts[child] + self._centres[child] for child in (children[0], children[-1])
            ]
            free = (room - width) / 2
            centre = min(max(sum(ends) / 2, centre - free), centre + free)
        self._widths.append(width)
        self._rooms.append(room)
        self._centres.append(centre)
        self._shifts.append(0.0)
