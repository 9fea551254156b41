"""The tree of merges, painted: leaves at the bottom, what they became above them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
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

NODE_HEIGHT = 3.0 * GRID
ROW = 5.5 * GRID
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
        self._label: Callable[[Node], str] = lambda node: str(node.id)
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
        tip: Callable[[Node], str],
        colour: Callable[[Node], int],
    ) -> None:
        """How nodes are labelled, what is told of one that is pointed at, and their colours' numbers."""
        self._label, self._tip, self._colour = label, tip, colour

    def show_nodes(self, words: Sequence[Sequence[Node]]) -> None:
        """Shows other trees."""
        self._words = words
        self._pointed = None
        self._place()
        self.update()

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
        metrics = QFontMetricsF(ui_font(TEXT_SIZE))
        top = max((node.height for word in self._words for node in word), default=0)
        x = 2.0 * GRID
        self._rects = []
        for word in self._words:
            rects: list[QRectF] = [QRectF()] * len(word)
            covered = {child for node in word for child in (node.left, node.right) if child >= 0}
            leaves = sorted(
                (number for number, node in enumerate(word) if node.left < 0),
                key=lambda number: (word[number].start, number),
            )
            place: dict[int, float] = {}
            for number in leaves:
                node = word[number]
                width = max(metrics.horizontalAdvance(self._label(node)) + 2 * PADDING, 2.5 * GRID)
                if node.start in place and number not in covered:
                    # A piece that took the place of its symbols at once stands over them.
                    inside = [rects[n] for n in leaves if n < number and word[n].start < node.end]
                    inside = [r for r in inside if not r.isNull() and r.left() >= place[node.start]]
                    centre = (inside[0].left() + inside[-1].right()) / 2 if inside else x
                    rects[number] = QRectF(centre - width / 2, 0, width, NODE_HEIGHT)
                    continue
                place[node.start] = x
                rects[number] = QRectF(x, 0, width, NODE_HEIGHT)
                x += width + LEAF_GAP
            for number, node in enumerate(word):
                if node.left >= 0:
                    width = max(
                        metrics.horizontalAdvance(self._label(node)) + 2 * PADDING, 2.5 * GRID
                    )
                    centre = rects[node.left].center().x() + rects[node.right].center().x()
                    centre /= 2
                    rects[number] = QRectF(centre - width / 2, 0, width, NODE_HEIGHT)
            for number, node in enumerate(word):
                level = node.height
                if node.left < 0 and node.step >= 0:
                    level = max(level, 1)
                rects[number].moveTop(GRID + (max(top, 1) - level) * ROW)
            self._rects.append(rects)
            x += WORD_GAP - LEAF_GAP
        height = GRID + max(top, 1) * ROW + NODE_HEIGHT + GRID
        right = max((r.right() for rects in self._rects for r in rects), default=0.0)
        self._size = QSize(round(max(x - WORD_GAP, right) + 2 * GRID), round(height))
        self.setMinimumSize(self._size)
        self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paints the trees, also for an export."""
        theme = self._theme
        font, small = ui_font(TEXT_SIZE), mono_font(SMALL_SIZE)
        for number, (word, rects) in enumerate(zip(self._words, self._rects, strict=True)):
            painter.setPen(QPen(theme.line, 1.5))
            for node, rect in zip(word, rects, strict=True):
                for child in (node.left, node.right):
                    if child >= 0:
                        _branch(painter, rect, rects[child])
            for place, (node, rect) in enumerate(zip(word, rects, strict=True)):
                fill = theme.tokens[self._colour(node) % len(theme.tokens)]
                if node.id < 0:
                    fill = theme.raised
                path = QPainterPath()
                path.addRoundedRect(rect, 4, 4)
                painter.fillPath(path, fill)
                lit = self._lit[0] <= node.start and node.end <= self._lit[1]
                pointed = self._pointed == (number, place)
                strong = lit or pointed
                painter.setPen(
                    QPen(theme.accent, 2) if strong else QPen(mix(fill, theme.text, 0.18), 1)
                )
                painter.drawPath(path)
                painter.setPen(theme.text)
                painter.setFont(font)
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._label(node))
                if node.rank >= 0:
                    painter.setPen(theme.faint)
                    painter.setFont(small)
                    painter.drawText(
                        QRectF(
                            rect.left() - 4 * GRID, rect.bottom(), rect.width() + 8 * GRID, 2 * GRID
                        ),
                        Qt.AlignmentFlag.AlignCenter,
                        f"{node.rank:,}",
                    )

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
