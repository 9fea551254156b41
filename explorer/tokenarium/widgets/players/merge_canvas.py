"""The stage of merges: symbols as tiles over their letters, and below them their parts.

The tiles are on the top row. A merge joins two tiles, which then hang below as a tree, with the letters at its foot.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QVariantAnimation,
    Signal,
)
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
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.merges.canvas_layout import (
    NOTE_HEIGHT,
    PILL_HEIGHT,
    PILL_STEP,
    CanvasColumns,
    CanvasWord,
    least_height,
    least_width,
    rows_in,
    scale_in,
)
from tokenarium.models.merges.canvas_places import (
    PlacedPill,
    empty_places,
    node_box,
    pill_box,
    pill_rows,
    placed_pills,
    seen_nodes,
    tile_box,
    tiles_of,
)
from tokenarium.models.merges.merge_scene import Tile, TileScene
from tokenarium.models.merges.playback import Growth, Node
from tokenarium.models.text.qt_text import as_tip
from tokenarium.style.fonts import RAIL_SIZE
from tokenarium.style.palette import mix
from tokenarium.style.shapes import paint_tile
from tokenarium.widgets.keyboard import focused_by_keyboard
from tokenarium.widgets.painting import PaintedPart, paint_superword_line
from tokenarium.widgets.players.canvas_painting import (
    between,
    fitted,
    half_gap,
    node_width,
    note_font,
    paint_branch,
    paint_pill,
    paint_tile_text,
    pill_width,
)

MERGE_MS = 520
"""Milliseconds that a merge takes at the usual speed."""

RING, SLIDE = 120 / MERGE_MS, 360 / MERGE_MS
"""The shares of that time at which the ring is around the pair, and at which it is one tile."""

FRAME = 3.0
"""Pixels of the frame around the tiles that merge next."""

HIDDEN = "?"
"""The text of a pair instead of its rank during a question."""


class MergeCanvas(PaintedPart):
    """Shows words at one step: their tiles, the ranks of pairs, and the trees of merges."""

    hovered = Signal(int, int)  # the bytes under the pointer; 0, 0 for none
    picked = Signal(int, int)
    piece_picked = Signal(int)  # the id of the symbol that was double-clicked
    menu_wanted = Signal(QPoint, int, int)  # a place on the screen, bytes; by a key
    zoomed = Signal()
    rested = Signal()  # a merge is no longer on its way

    def __init__(self, parent: QWidget | None = None) -> None:
        self._scene = TileScene()
        self._percent = 100
        self._scale = 1.0  # in which the words fill a large window
        self._alone = True
        super().__init__(parent)
        self.setAccessibleName("Symbols of the word, and the tree of their merges")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._focused = 0  # a byte of the current tile for keys
        self.motion = True
        self.ranks_hidden = False
        self._words: Sequence[CanvasWord] = ()
        self._counts: Sequence[int] = ()
        self._mirrored = False
        self._label: Callable[[Node], str] = lambda node: str(node.id)
        self._tip: Callable[[Node], str] = lambda node: ""
        self._colour: Callable[[Node], int] = lambda node: 0
        self._columns = CanvasColumns((), 0)
        self._placed_for: tuple[int, float, bool] | None = None
        self._rows = rows_in(0, 0, 1)
        self._tiles: list[Tile] = []
        self._starts: list[int] = []
        self._places: dict[int, tuple[int, int]] = {}  # of tiles of no bytes at their byte
        self._pills: list[PlacedPill] = []
        self._merging: list[Tile] = []  # the tiles that become the newest one, while it moves
        self._falling = ""  # the rank that falls meanwhile
        self._clock = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=MERGE_MS)
        self._clock.valueChanged.connect(lambda _: self.update())
        self._clock.finished.connect(self.update)
        self._clock.finished.connect(self.rested)

    def set_texts(
        self,
        label: Callable[[Node], str],
        tip: Callable[[Node], str],
        colour: Callable[[Node], int],
    ) -> None:
        """Sets the functions for the texts, the tooltips and the colour numbers of nodes."""
        self._label, self._tip, self._colour = label, tip, colour

    # Display.

    def show_words(self, words: Sequence[CanvasWord], mirrored: bool = False) -> None:
        """Shows new words; `show_scene` follows. ``mirrored``: from right to left."""
        self._clock.stop()
        self._words, self._mirrored, self._placed_for = words, mirrored, None
        self._scene, self._counts = TileScene(), [0] * len(words)
        self._tiles, self._merging = [], []

    def show_scene(
        self,
        scene: TileScene,
        counts: Sequence[int],
        slide: bool = False,
        duration_ms: int = MERGE_MS,
    ) -> None:
        """Shows a step: the tiles, and the first ``counts`` nodes of each tree; ``slide``: animates a merge."""
        before, label = self._tiles, next((p.label for p in self._scene.pairs if p.winner), "")
        grown = sum(counts) == sum(self._counts) + 1
        self._clock.stop()
        self._scene, self._counts = scene, counts
        self._tiles = [tile for word in scene.words for tile in word]
        self._starts = [tile.start for tile in self._tiles]
        made = self._made()
        self._merging = []
        if slide and grown and self.motion and made is not None:
            parts = [tile for tile in before if made.start <= tile.start and tile.end <= made.end]
            if len(parts) > 1:
                self._merging, self._falling = parts, label
                self._clock.setDuration(max(1, duration_ms))
                self._clock.start()
        self._arrange()
        said = " ".join(tile.text for tile in self._tiles[:200])
        self.setAccessibleDescription(said)
        self.update()

    @property
    def scene(self) -> TileScene:
        """The current scene."""
        return self._scene

    def set_ranks_hidden(self, hidden: bool) -> None:
        """Hides the ranks of pairs, and which is next, for a question."""
        self.ranks_hidden = hidden
        self._arrange()
        self.update()

    def hold_motion(self, share: float) -> None:
        """Holds a merge, if any, at this share of its way."""
        if self.moving:
            self._clock.pause()
            self._clock.setCurrentTime(round(share * self._clock.duration()))

    def finish_motion(self) -> None:
        """Completes a merge at once."""
        self._clock.stop()
        self.update()
        self.rested.emit()

    @property
    def moving(self) -> bool:
        """Whether tiles are merging, or held on their way."""
        return self._clock.state() != QVariantAnimation.State.Stopped

    def _made(self) -> Tile | None:
        number = self._number(self._scene.made)
        return self._tiles[number] if number >= 0 else None

    def _number(self, start: int) -> int:
        """The tile that begins at a byte; -1 if there is none."""
        at = bisect_right(self._starts, start) - 1
        return at if at >= 0 and self._starts[at] == start else -1

    # Scale.

    @property
    def percent(self) -> int:
        """The scale in percent; above 100, the canvas is larger than its area, which scrolls."""
        return self._percent

    def set_percent(self, percent: int) -> None:
        """Sets the scale."""
        self._percent = percent
        self._arrange()
        self.update()
        self.zoomed.emit()

    def set_alone(self, alone: bool) -> None:
        """Sets whether the words fill a large window; else they are as large as those of other canvases."""
        if alone != self._alone:
            self._alone = alone
            self._arrange()
            self.update()

    @property
    def _enlarged(self) -> float:
        return self._percent / 100 * self._scale

    @property
    def _room(self) -> QSizeF:
        """The size of the canvas in its own pixels, before it is enlarged, as for all positions."""
        return QSizeF(self.size()) / self._enlarged

    # Placing.

    @property
    def _pill_rows(self) -> int:
        """How many rows the ranks need at the current width of the columns."""
        widest = self._scene.widest
        return pill_rows(pill_width(widest) if widest else 0.0, self._columns.column)

    @property
    def _levels(self) -> int:
        return max((word.height for word in self._words), default=0) or 1

    def _arrange(self) -> None:
        """Lays out everything in the size of the canvas."""
        unscaled = QSizeF(self.size()) / (self._percent / 100)
        self._scale = 1.0
        if self._alone:
            self._scale = scale_in(self._words, unscaled.width(), unscaled.height(), self._levels)
        room = self._room
        if self._placed_for != (id(self._words), room.width(), self._mirrored):
            self._columns = CanvasColumns(self._words, room.width(), self._mirrored)
            self._placed_for = (id(self._words), room.width(), self._mirrored)
        self._rows = rows_in(room.height(), self._pill_rows, self._levels)
        self._places = empty_places(self._tiles)
        self._place_pills()
        least = QSize(
            round(least_width(self._words)), round(least_height(self._pill_rows, self._levels))
        )
        area = self.parentWidget()
        if self._percent > 100 and area is not None:
            least = least.expandedTo(area.size())
        self._ask_for(least * (self._percent / 100))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _place_pills(self) -> None:
        middles = [self._middle(at) for at in range(len(self._tiles))]
        pairs = []
        for pair in self._scene.pairs:
            number = self._number(pair.start)
            if 0 <= number < len(middles) - 1:
                pairs.append((pair, middles[number], middles[number + 1]))
        self._pills = placed_pills(
            pairs,
            lambda pair: pill_width(HIDDEN if self.ranks_hidden else pair.label),
            self._pill_rows,
            self._room.width(),
        )

    def _pill_rect(self, start: float, end: float, row: int) -> QRectF:
        """Returns the rectangle of a rank; empty if it has no room."""
        box = pill_box(self._rows, start, end, row)
        return QRectF(*box) if box is not None else QRectF()

    def _middle(self, number: int) -> float:
        tile = self._tiles[number]
        left, right = self._columns.span(tile.start, tile.end, *self._places.get(number, (0, 0)))
        return (left + right) / 2

    def _pair(self, start: int) -> tuple[QRectF, QRectF] | None:
        number = self._number(start)
        if number < 0 or number + 1 >= len(self._tiles):
            return None
        return self._rect(number), self._rect(number + 1)

    def _rect(self, number: int) -> QRectF:
        tile = self._tiles[number]
        return self._over(tile, self._places.get(number, (0, 0)))

    def _over(self, tile: Tile, place: tuple[int, int] = (0, 0)) -> QRectF:
        return QRectF(*tile_box(self._columns, self._rows, tile, place))

    def tile_rect(self, start: int) -> QRectF:
        """The rectangle in the widget of the tile that begins at a byte; empty if there is none."""
        number = self._number(start)
        if number < 0:
            return QRectF()
        rect, enlarged = self._rect(number), self._enlarged
        return QRectF(rect.topLeft() * enlarged, rect.size() * enlarged)

    def node_rects(self) -> list[list[QRectF]]:
        """The rectangles of the nodes below the tiles of each word."""
        return [
            [rect for _, rect, _ in self._nodes(word.growth, count)]
            for word, count in zip(self._words, self._counts, strict=True)
        ]

    def pill_rects(self) -> list[QRectF]:
        """The rectangles of the visible ranks."""
        return [
            self._pill_rect(start, end, row) for _, start, end, row, _, _ in self._pills if row >= 0
        ]

    def _node_rect(self, node: Node) -> QRectF:
        return QRectF(*node_box(self._columns, self._rows, node, node_width(self._label(node))))

    def _tile_end(self, start: int) -> int:
        """The end of the tile that begins at a byte; -1 if there is none."""
        number = self._number(start)
        return self._tiles[number].end if number >= 0 else -1

    def _nodes(
        self, growth: Growth, count: int, first: int = 0, last: int = 1 << 62
    ) -> Iterator[tuple[int, QRectF, int]]:
        """Yields the nodes below the tiles that begin in some bytes: number, rectangle, number of the one above."""
        nodes = growth.nodes
        for number, above in seen_nodes(growth, count, self._tile_end, first, last):
            yield number, self._node_rect(nodes[number]), above

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        enlarged, seen = self._enlarged, QRectF(event.rect())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(enlarged, enlarged)
        self.paint(painter, QRectF(seen.topLeft() / enlarged, seen.size() / enlarged))
        painter.end()

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        """Paints the canvas, also for an export; ``seen`` is the visible part."""
        seen = seen or QRectF(QPointF(0, 0), self._room)
        share = float(self._clock.currentValue()) if self.moving and self._merging else 1.0
        made = self._made() if share < 1.0 else None
        first, last = self._columns.bytes_between(seen.left() - 60, seen.right() + 60)
        self._paint_trees(painter, first, last, made, share)
        begin = max(0, bisect_right(self._starts, first) - 1)
        while begin and self._tiles[begin - 1].end > first:
            begin -= 1
        for number in range(begin, bisect_right(self._starts, last)):
            tile = self._tiles[number]
            if tile is not made:
                self._paint_tile(painter, tile, self._rect(number))
        if made is None:
            self._paint_pairs(painter, seen, 1.0)
        else:
            self._paint_merge(painter, made, share)
            if share > SLIDE:
                self._paint_pairs(painter, seen, (share - SLIDE) / (1 - SLIDE))

    def _paint_tile(self, painter: QPainter, tile: Tile, rect: QRectF, noted: float = 1.0) -> None:
        theme = self.theme
        left, right = (tile.right, tile.left) if self._mirrored else (tile.left, tile.right)
        paint_tile(painter, rect, theme, -1 if tile.loose else tile.colour, left, right, 9.0)
        if tile.superword:
            paint_superword_line(painter, theme, rect.adjusted(0, 0, 0, -6))
        if tile is self._current and focused_by_keyboard(self):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.accent, FRAME))
            painter.drawRoundedRect(rect.adjusted(-4, -4, 4, 4), 11, 11)
        if self._lit[0] < tile.end and tile.start < self._lit[1]:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.accent, 2))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 8, 8)
        elif tile.frozen or tile.loose:
            style = Qt.PenStyle.DashLine if tile.loose else Qt.PenStyle.SolidLine
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.strong if tile.loose else theme.ink, 1.2, style))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 8, 8)
        ink = theme.ink if tile.loose else theme.fills.ink
        paint_tile_text(painter, ink, tile.text, rect)
        if noted > 0 and tile.note:
            self._paint_note(painter, tile, rect, noted)

    def _paint_note(self, painter: QPainter, tile: Tile, rect: QRectF, strength: float) -> None:
        font = note_font(tile.note, int(rect.width() + 6))
        if font is None:
            return  # it is in the tooltip
        painter.setFont(font)
        painter.setPen(mix(self.theme.surface, self.theme.dim, strength))
        below = QRectF(rect.left() - 20, self._rows.note, rect.width() + 40, NOTE_HEIGHT)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, tile.note)

    def _paint_trees(
        self, painter: QPainter, first: int, last: int, made: Tile | None, share: float
    ) -> None:
        """Paints the lines, then the nodes; ``made`` is the tile whose branches are drawn now."""
        theme = self.theme
        solid, dotted = QPen(theme.strong, 1.6), QPen(theme.strong, 1.6, Qt.PenStyle.CustomDashLine)
        dotted.setDashPattern([1.0, 2.2])
        drawn = min(1.0, max(0.0, (share - SLIDE) / (1 - SLIDE)))
        for word, count in zip(self._words, self._counts, strict=True):
            nodes = word.growth.nodes
            if not nodes or nodes[0].start > last or nodes[-1].end < first:
                if word.edges[0] > last or word.edges[-1] < first:
                    continue
            visible = list(self._nodes(word.growth, count, first, last))
            rects = {number: rect for number, rect, _ in visible}
            if made is not None:
                self._move_parts(visible, nodes, rects, made, drawn)
            for number, _, above in visible:
                rect = rects[number]
                if above < 0:
                    start = QPointF(rect.center().x(), self._rows.tile + self._rows.tile_height)
                    painter.setPen(dotted)
                    self._drop(painter, start, QPointF(start.x(), rect.top()))
                    continue
                painter.setPen(solid)
                new = made is not None and self._is(nodes[above], made)
                if above in rects:
                    parent = rects[above]
                    start = QPointF(parent.center().x(), parent.bottom())
                    paint_branch(painter, start, rect)
                elif not new:
                    for start in self._roots(nodes[above]):
                        paint_branch(painter, start, rect)
                elif drawn > 0:
                    paint_branch(painter, self._top_of(nodes[above]), rect, drawn)
                elif not nodes[number].height:
                    painter.setPen(dotted)
                    start = QPointF(rect.center().x(), self._rows.tree)
                    painter.drawLine(start, QPointF(start.x(), rect.top()))
            for number, _, above in visible:
                on_top = drawn == 0 and above >= 0 and nodes[number].height > 0
                if made is None or not (on_top and self._is(nodes[above], made)):
                    self._paint_node(painter, nodes[number], rects[number])

    def _move_parts(
        self,
        found: list[tuple[int, QRectF, int]],
        nodes: Sequence[Node],
        rects: dict[int, QRectF],
        made: Tile,
        share: float,
    ) -> None:
        """Starts to move the nodes down that were tiles until now."""
        for number, rect, above in found:
            node = nodes[number]
            if node.height and above >= 0 and self._is(nodes[above], made):
                tile = next((pair for pair in self._merging if self._is(node, pair)), None)
                if tile is not None:
                    top = self._over(tile)
                    top.setBottom(self._rows.tree)
                    rects[number] = between(top, rect, share)

    def _is(self, node: Node, tile: Tile) -> bool:
        return (node.start, node.end) == (tile.start, tile.end)

    def _top_of(self, node: Node) -> QPointF:
        left, right = self._columns.span(node.start, node.end)
        return QPointF((left + right) / 2, self._rows.tree)

    def _roots(self, node: Node) -> list[QPointF]:
        """Where branches begin under a node that is a tile, or under its tiles if it was split again."""
        apart = tiles_of(node, self._tiles, self._number(node.start))
        if not apart:
            return [self._top_of(node)]
        return [QPointF(self._rect(number).center().x(), self._rows.tree) for number in apart]

    def _drop(self, painter: QPainter, start: QPointF, end: QPointF) -> None:
        """Draws the dotted line from a letter on the top row to the same at the foot, around its id."""
        painter.drawLine(start, QPointF(start.x(), self._rows.note))
        painter.drawLine(QPointF(start.x(), self._rows.tree), end)

    def _paint_node(self, painter: QPainter, node: Node, rect: QRectF) -> None:
        theme = self.theme
        paint_tile(painter, rect, theme, self._colour(node) if node.id >= 0 else -1, radius=6.0)
        if node.id < 0:
            painter.setPen(QPen(theme.strong, 1, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        if self._lit[0] <= node.start and node.end <= self._lit[1]:
            painter.setPen(QPen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 5, 5)
        size = max(RAIL_SIZE, min(17, round(0.56 * rect.height())))
        font, text = fitted(self._label(node), int(rect.width() - 2), size)
        painter.setFont(font)
        painter.setPen(theme.fills.ink if node.id >= 0 else theme.ink)
        painter.drawText(rect.adjusted(-4, 0, 4, -1), Qt.AlignmentFlag.AlignCenter, text)

    def _paint_pairs(self, painter: QPainter, seen: QRectF, strength: float) -> None:
        painter.save()
        painter.setOpacity(painter.opacity() * strength)
        theme, line = self.theme, self._rows.line
        visible = [
            pill for pill in self._pills if pill[4] <= seen.right() and seen.left() <= pill[5]
        ]
        for pair, start, end, row, left, right in sorted(visible, key=lambda pill: pill[0].winner):
            rect = self._pill_rect(start, end, row)
            best = pair.winner and not self.ranks_hidden
            painter.setPen(QPen(theme.accent if best else theme.strong, 2.5 if best else 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            foot = line + 10
            painter.drawPolyline(
                [
                    QPointF(left, foot),
                    QPointF(left, line),
                    QPointF(right, line),
                    QPointF(right, foot),
                ]
            )
            if rect.isEmpty():
                continue
            if rect.bottom() < line - 6:
                painter.drawLine(
                    QPointF(rect.center().x(), rect.bottom()), QPointF(rect.center().x(), line)
                )
            paint_pill(painter, theme, rect, HIDDEN if self.ranks_hidden else pair.label, best)
            if best:
                for tile in self._pair(pair.start) or ():
                    painter.setPen(QPen(theme.ink, FRAME))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRoundedRect(tile.adjusted(-2, -3, 2, 2), 10, 10)
        painter.restore()

    def _paint_merge(self, painter: QPainter, made: Tile, share: float) -> None:
        """Paints a merge on its way: a ring around the pair, the tiles slide together, the rank falls to the id."""
        rect = self._over(made)
        if share >= SLIDE:
            self._paint_tile(painter, made, rect, (share - SLIDE) / (1 - SLIDE))
            return
        parts = [(tile, self._over(tile)) for tile in self._merging]
        parts.sort(key=lambda part: part[1].left())
        joined = max(0.0, (share - RING) / (SLIDE - RING))
        joined = QEasingCurve(QEasingCurve.Type.InOutCubic).valueForProgress(joined)
        for index, (tile, one) in enumerate(parts):
            # Half of the gap is closed from each side, and the texts move together.
            left = (
                one.left()
                if index == 0
                else one.left() - joined * half_gap(parts[index - 1][1], one)
            )
            right = (
                one.right()
                if index == len(parts) - 1
                else one.right() + joined * half_gap(one, parts[index + 1][1])
            )
            self._paint_tile(
                painter, tile, QRectF(left, one.top(), right - left, one.height()), 1 - joined
            )
        if joined > 0.5:
            painter.save()
            painter.setOpacity(painter.opacity() * (2 * joined - 1))
            self._paint_tile(painter, made, rect, 0.0)
            painter.restore()
        around = min(1.0, share / RING)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.theme.accent, FRAME * around))
        grown = 2 + 3 * around
        painter.drawRoundedRect(rect.adjusted(-grown, -grown, grown, grown), 11, 11)
        if self._falling and not self.ranks_hidden:
            width = pill_width(self._falling)
            start = self._rows.line - 4 - PILL_STEP + 3
            top = start + (self._rows.note - start) * joined
            pill = QRectF(rect.center().x() - width / 2, top, width, PILL_HEIGHT)
            paint_pill(painter, self.theme, pill, self._falling, True)

    # Pointing.

    def _at(self, point: QPointF) -> tuple[Tile | None, Node | None]:
        """The tile or the node under a point of the widget."""
        point = point / self._enlarged
        byte, _ = self._columns.bytes_between(point.x(), point.x() + 0.5)
        for number in range(max(0, bisect_right(self._starts, byte) - 1), len(self._tiles)):
            if self._starts[number] > byte:
                break
            if self._rect(number).contains(point):
                return self._tiles[number], None
        for word, count in zip(self._words, self._counts, strict=True):
            if word.edges[0] <= byte <= word.edges[-1]:
                for number, rect, _ in self._nodes(word.growth, count, byte, byte):
                    if rect.contains(point):
                        return None, word.growth.nodes[number]
        return None, None

    def _node_of(self, tile: Tile) -> Node | None:
        """The node that is a tile on the top row."""
        for word, count in zip(self._words, self._counts, strict=True):
            if word.edges[0] <= tile.start <= word.edges[-1]:
                nodes = [word.growth.nodes[top] for top in word.growth.tops(count)]
                found = next((node for node in nodes if self._is(node, tile)), None)
                if found is not None:
                    return found
        return None

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tile, node = self._at(QPointF(event.pos()))
            tip = ""
            if tile is not None:
                node = self._node_of(tile)
                tip = f"{tile.text}\nId {tile.note}"
            if node is not None:
                tip = self._tip(node)
            QToolTip.showText(event.globalPos(), as_tip(tip), self)
            return True
        return super().event(event)

    def _bytes_at(self, point: QPointF) -> tuple[int, int]:
        tile, node = self._at(point)
        target = tile or node
        return (target.start, target.end) if target is not None else (0, 0)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(*self._bytes_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(0, 0)

    # Keys.

    @property
    def _current(self) -> Tile | None:
        """The current tile for keys."""
        if not self._tiles:
            return None
        return self._tiles[max(0, bisect_right(self._starts, self._focused) - 1)]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shift and the arrows go from tile to tile, Enter opens the menu; other keys are those of the player."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key, tile = Qt.Key(event.key()), self._current
        shifted = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        if tile is not None and shifted and key in steps:
            step = -steps[key] if self._mirrored else steps[key]
            place = max(0, min(self._tiles.index(tile) + step, len(self._tiles) - 1))
            self._focused = self._tiles[place].start
            self._show_current()
        elif tile is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._ask_for_menu(tile)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        tile = self._current
        if event.reason() == QContextMenuEvent.Reason.Keyboard and tile is not None:
            self._ask_for_menu(tile)
        else:
            super().contextMenuEvent(event)

    def _ask_for_menu(self, tile: Tile) -> None:
        below = self.tile_rect(tile.start).bottomLeft().toPoint()
        self.menu_wanted.emit(self.mapToGlobal(below), tile.start, tile.end)

    def _show_current(self) -> None:
        tile = self._current
        if tile is None:
            return
        self.setAccessibleDescription(
            f"{tile.text}, {f'id {tile.note}' if tile.note else 'no entry'}"
        )
        self.hovered.emit(tile.start, tile.end)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if focused_by_keyboard(self):
            self._show_current()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        start, end = self._bytes_at(event.position())
        if end > start:
            self.picked.emit(start, end)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        tile, node = self._at(event.position())
        if tile is not None:
            node = self._node_of(tile)
        if node is not None and node.id >= 0:
            self.piece_picked.emit(node.id)
        elif tile is None and node is None and self._percent != 100:
            self.set_percent(100)
