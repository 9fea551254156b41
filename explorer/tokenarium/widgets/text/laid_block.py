"""One block of text laid out in lines, shaped once by Qt."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from math import ceil, nextafter

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, Qt, QTextBoundaryFinder
from PySide6.QtGui import QFont, QFontMetricsF, QTextLayout, QTextLine, QTextOption

from tokenarium.models.text.piece import SPACE
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.missing_glyphs import MISSING
from tokenarium.widgets.text.text_blocks import (
    CONTROL_NAMES,
    display_string,
    has_right_to_left,
    invisible_characters,
)

TAB_LETTERS = 4
"""The width of a tab, in widths of the letter "0"."""


SIGNS = frozenset((SPACE, "→", "↵", "CR", "NBSP", "NNBSP", "IDSP"))
"""The labels of characters that are drawn as a sign, not as a name."""


@dataclass(frozen=True, slots=True)
class InvisibleMark:
    """A character that draws nothing: byte offsets in its block, and what to write over it.

    ``control``: it is laid out as a space with room for its name. ``above``: it needs no room in the line, and its name
    is above.
    """

    start: int
    end: int
    label: str
    control: bool

    @property
    def above(self) -> bool:
        return not (self.control or self.label in SIGNS)


LineContent = tuple[bytes, tuple[int, ...], bytes, bytes]
"""The text of a line, the lengths of its visual runs, and their edges and positions."""


class LaidLine:
    """A line of a block: its text layout, and the positions of its bytes."""

    def __init__(self, block: LaidBlock, line: QTextLine) -> None:
        self._block = block
        self.line = line
        self.ascent = line.ascent()
        self.height = ceil(line.ascent() + line.descent())
        self.blank = not block.text.text.strip("\r\n")
        """Whether it is empty except for its line end."""
        first = line.textStart()
        self.start = int(block.text.utf16_to_byte(first))
        self.end = int(block.text.utf16_to_byte(first + line.textLength()))

    @cached_property
    def runs(self) -> tuple[VisualRun, ...]:
        """The visual runs of the line, in the order of the text; bytes count from the block."""
        block = self._block
        return visual_runs(
            self.line,
            block.text,
            block.shown,
            bidi=block.bidi,
            right_to_left=block.right_to_left,
        )

    @cached_property
    def ink(self) -> tuple[float, float]:
        """How far the letters reach down from the top of the line, as they are drawn: the top and the bottom."""
        runs = self.line.glyphRuns()
        if len({point.y() for run in runs for point in run.positions()}) > 1:
            # Glyphs on top of others, such as stacked marks, which the metrics of a font do not place.
            rects = [
                font.boundingRect(glyph).translated(point)
                for run, font in ((run, run.rawFont()) for run in runs)
                for glyph, point in zip(run.glyphIndexes(), run.positions(), strict=True)
            ]
            return min(rect.top() for rect in rects), max(rect.bottom() for rect in rects)
        written = into_qt(display_string(self._block.text.slice(self.start, self.end)))
        rect = QFontMetricsF(self._block.font).tightBoundingRect(written)
        return self.ascent + rect.top(), self.ascent + rect.bottom()

    @cached_property
    def content(self) -> LineContent:
        """The key of the positions of the bytes in the line; lines of other blocks may share it."""
        edges = b"".join((run.edges - self.start).tobytes() for run in self.runs)
        places = b"".join(run.xs.tobytes() for run in self.runs)
        lengths = tuple(len(run.edges) for run in self.runs)
        return self._block.text.utf8[self.start : self.end], lengths, edges, places

    @cached_property
    def marks(self) -> tuple[InvisibleMark, ...]:
        """The invisible characters of the line."""
        return tuple(m for m in self._block.marks if self.start <= m.start < self.end)

    @cached_property
    def mark_places(self) -> tuple[tuple[float, float], ...]:
        """The left and the right x of each of the marks.

        A mark is one character, so it is in one visual run. All marks of a line are placed together, once for all views
        that paint it.
        """
        starts = np.array([mark.start for mark in self.marks], dtype=np.float64)
        ends = np.array([mark.end for mark in self.marks], dtype=np.float64)
        lefts, rights = np.zeros_like(starts), np.zeros_like(starts)
        for run in self.runs:
            here = (starts < run.end) & (ends > run.start)
            edges = np.sort([run.x(starts[here]), run.x(ends[here])], axis=0)
            lefts[here], rights[here] = edges
        return tuple(zip(lefts.tolist(), rights.tolist(), strict=True))

    @cached_property
    def named_above(self) -> bool:
        """Whether the line has characters whose names are above it."""
        return any(mark.above for mark in self.marks)

    def inside_character(self, offsets: FloatArray) -> npt.NDArray[np.bool_]:
        """Whether each byte offset, which counts from the block, is inside a character; fractions always are."""
        whole = offsets.astype(np.int32)
        inside: npt.NDArray[np.bool_] = self._block.text.inside_character(whole) | (
            whole != offsets
        )
        return inside

    def offset_at(self, x: float) -> float:
        """The byte offset at ``x``, from the block; outside the line, the nearest in it."""
        nearest = min(self.runs, key=lambda run: max(run.left - x, x - run.right, 0.0))
        # The end of a run belongs to the next one.
        return max(min(nearest.offset(x), nextafter(nearest.end, 0.0)), nearest.start)


class LaidBlock:
    """The lines of one block of text in one font and width. Byte offsets count from the block."""

    def __init__(self, block: str, font: QFont, width: float, tab: float) -> None:
        MISSING.notice(block)
        self.text = TextMap(block)
        self.shown = display_string(block)
        self.right_to_left = _reads_right_to_left(block)
        self.bidi = self.right_to_left or has_right_to_left(block)
        self._layout = QTextLayout(into_qt(self.shown), font)
        self._layout.setCacheEnabled(True)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTabStopDistance(tab)
        option.setTextDirection(
            Qt.LayoutDirection.RightToLeft if self.right_to_left else Qt.LayoutDirection.LeftToRight
        )
        self._layout.setTextOption(option)
        lines: list[QTextLine] = []
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(width)
            # The alignment is our own: with Qt's, spaces at the end of a line have no reliable position.
            line.setPosition(
                QPointF(width - line.naturalTextWidth(), 0.0) if self.right_to_left else QPointF()
            )
            lines.append(line)
        self._layout.endLayout()
        # The lines are made; from here on the mode only decides whether positions beyond the width, where spaces hang,
        # are clamped to it.
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        self._layout.setTextOption(option)
        self.lines = [LaidLine(self, line) for line in lines]
        self.text_height = sum(line.height for line in self.lines)

    @property
    def font(self) -> QFont:
        """The font that it is laid out in."""
        return self._layout.font()

    @cached_property
    def marks(self) -> tuple[InvisibleMark, ...]:
        """The invisible characters of the block."""
        characters = invisible_characters(self.text.text)
        starts = self.text.char_to_byte([at for at, _ in characters]).tolist()
        ends = self.text.char_to_byte([at + 1 for at, _ in characters]).tolist()
        return tuple(
            InvisibleMark(start, end, label, label in CONTROL_NAMES)
            for start, end, (_, label) in zip(starts, ends, characters, strict=True)
        )


def _reads_right_to_left(block: str) -> bool:
    """Whether the first letter with a direction is a right-to-left one (Unicode UAX #9, P2)."""
    if block.isascii():
        return False
    for character in block:
        direction = unicodedata.bidirectional(character)
        if direction in {"L", "R", "AL"}:
            return direction != "L"
    return False


FloatArray = npt.NDArray[np.float64]

_LEADING = QTextLine.Edge.Leading
_TRAILING = QTextLine.Edge.Trailing
_GLYPHS = (
    QTextLayout.GlyphRunRetrievalFlag.RetrieveGlyphIndexes
    | QTextLayout.GlyphRunRetrievalFlag.RetrieveGlyphPositions
)


@dataclass(frozen=True, slots=True)
class VisualRun:
    """Clusters that follow each other on the page as they do in the text, or just reversed.

    ``edges``: byte offsets between clusters, from the start of the block, rising.
    ``xs``: their x positions in pixels; rising, or falling in a right-to-left run.
    """

    edges: FloatArray
    xs: FloatArray

    @property
    def start(self) -> float:
        """The byte offset at which the run starts."""
        return float(self.edges[0])

    @property
    def end(self) -> float:
        """The byte offset at which the run ends."""
        return float(self.edges[-1])

    @property
    def left(self) -> float:
        """The x of the left edge."""
        return float(min(self.xs[0], self.xs[-1]))

    @property
    def right(self) -> float:
        """The x of the right edge."""
        return float(max(self.xs[0], self.xs[-1]))

    def x(self, offsets: npt.ArrayLike) -> FloatArray:
        """The x of byte offsets; inside a cluster, as far along as the bytes before them."""
        return np.interp(np.asarray(offsets, dtype=np.float64), self.edges, self.xs)

    def offset(self, x: float) -> float:
        """The byte offset drawn at ``x``, clamped to the run; fractional inside a cluster."""
        if self.xs[0] <= self.xs[-1]:
            return float(np.interp(x, self.xs, self.edges))
        return float(np.interp(x, self.xs[::-1], self.edges[::-1]))


def visual_runs(
    line: QTextLine, text: TextMap, shown: str, *, bidi: bool, right_to_left: bool
) -> tuple[VisualRun, ...]:
    """The runs of ``line`` in the order of the text.

    ``text`` maps the block that the line is part of and ``shown`` is the string laid out for it.
    ``bidi``: whether the block may have right-to-left runs. ``right_to_left``: whether its
    paragraph reads so. The layout must no longer wrap (``QTextOption.NoWrap`` set after the lines
    were made), or it would clamp the places of spaces that hang over the end of a line.
    """
    first = line.textStart()
    last = first + line.textLength()
    if last == first:
        runs = [([first], [line.x()])]
    elif bidi:
        runs = _bidi_runs(line, shown, first, last, right_to_left)
    else:
        runs = [_plain_run(line, first, last)]
    return tuple(
        VisualRun(text.utf16_to_byte(units).astype(np.float64), np.asarray(xs, dtype=np.float64))
        for units, xs in runs
    )


def _cursor(line: QTextLine, unit: int, edge: QTextLine.Edge) -> tuple[float, int]:
    """The x of one edge of the character at ``unit``, and the valid position that has this x."""
    return line.cursorToX(unit, edge)  # type: ignore[return-value]


def _plain_run(line: QTextLine, first: int, last: int) -> tuple[list[int], list[float]]:
    """The one run of a line without right-to-left text."""
    units = [first]
    xs = [_cursor(line, first, _LEADING)[0]]
    at = first + 1
    while at < last:
        # For a position inside a grapheme, the line returns the next edge and its position.
        x, edge = _cursor(line, at, _LEADING)
        if edge >= last:
            break
        units.append(edge)
        xs.append(max(x, xs[-1]))
        at = edge + 1
    end = _cursor(line, units[-1], _TRAILING)[0]
    if end <= xs[-1]:
        # A tab at the end: only the line as a whole knows how wide it is.
        end = max(xs[-1], line.naturalTextRect().right())
    return [*units, last], [*xs, end]


@dataclass(slots=True)
class _Cluster:
    """A grapheme in a line: its UTF-16 units and where it starts and ends on the x axis.

    ``drawn``: it has glyphs.  ``space``: it is white space.
    """

    unit: int
    stop: int
    x0: float
    x1: float
    drawn: bool
    space: bool


def _bidi_runs(
    line: QTextLine, shown: str, first: int, last: int, right_to_left: bool
) -> list[tuple[list[int], list[float]]]:
    """The runs of a line that may change direction.

    Qt would return cursor positions, which are not the edges of characters at the ends of a run that
    reads against the paragraph. So this asks for the glyphs, one grapheme at a time: slower, but exact.
    """
    units = shown.encode("utf-16-le", "surrogatepass")
    clusters = [_cluster(line, units, unit, stop) for unit, stop in _graphemes(shown, first, last)]
    _share_ligatures(clusters)
    _place_undrawn(line, clusters, right_to_left)
    runs: list[list[_Cluster]] = []
    for cluster in clusters:
        if runs and _continues(runs[-1], cluster):
            runs[-1].append(cluster)
        else:
            runs.append([cluster])
    return [
        ([c.unit for c in run] + [run[-1].stop], [c.x0 for c in run] + [run[-1].x1]) for run in runs
    ]


def _graphemes(shown: str, first: int, last: int) -> list[tuple[int, int]]:
    """The graphemes from UTF-16 unit ``first`` to ``last``, as pairs of units."""
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, into_qt(shown))
    finder.setPosition(first)
    edges = [first]
    while (at := finder.toNextBoundary()) >= 0 and at < last:
        edges.append(at)
    return list(zip(edges, [*edges[1:], last], strict=True))


def _cluster(line: QTextLine, units: bytes, unit: int, stop: int) -> _Cluster:
    space = chr(int.from_bytes(units[2 * unit : 2 * unit + 2], "little")).isspace()
    box = glyph_box(line, unit, stop)
    if box is None:
        x0, x1 = _cursor(line, unit, _LEADING)[0], _cursor(line, unit, _TRAILING)[0]
        return _Cluster(unit, stop, x0, x1, False, space)
    left, right, right_to_left = box
    x0, x1 = (right, left) if right_to_left else (left, right)
    return _Cluster(unit, stop, x0, x1, True, space)


def glyph_box(line: QTextLine, unit: int, stop: int) -> tuple[float, float, bool] | None:
    """The left, the right and whether it reads leftwards, of the glyphs of some UTF-16 units.

    Glyphs without an advance (marks) do not count; None if there are no others.
    """
    left, right, right_to_left = np.inf, -np.inf, False
    for run in line.glyphRuns(unit, stop - unit, _GLYPHS):
        advances = run.rawFont().advancesForGlyphIndexes(run.glyphIndexes())
        # A font that is not available has no advances.
        for position, advance in zip(run.positions(), advances, strict=False):
            if advance.x() > 0:
                left = min(left, position.x())
                right = max(right, position.x() + advance.x())
                right_to_left = run.isRightToLeft()
    return (left, right, right_to_left) if left < right else None


def _share_ligatures(clusters: list[_Cluster]) -> None:
    """Gives graphemes that one glyph draws a share of its width each."""
    at = 0
    while at < len(clusters):
        one = clusters[at]
        stop = at + 1
        while (
            stop < len(clusters)
            and clusters[stop].drawn
            and (clusters[stop].x0, clusters[stop].x1) == (one.x0, one.x1)
        ):
            stop += 1
        if one.drawn and stop - at > 1:
            edges = np.linspace(one.x0, one.x1, stop - at + 1).tolist()
            for cluster, x0, x1 in zip(clusters[at:stop], edges, edges[1:], strict=False):
                cluster.x0, cluster.x1 = x0, x1
        at = stop


def _place_undrawn(line: QTextLine, clusters: list[_Cluster], right_to_left: bool) -> None:
    """Places characters without glyphs: tabs, spaces that hang over the end, direction marks.

    Tabs and spaces at the end follow the direction of the paragraph: all text before them in the
    line is on one side of them, all text after them on the other.
    """
    rect = line.naturalTextRect()
    ahead = -1.0 if right_to_left else 1.0
    start, end = (rect.right(), rect.left()) if right_to_left else (rect.left(), rect.right())
    reached = start
    for index, cluster in enumerate(clusters):
        if not cluster.drawn:
            width = abs(cluster.x1 - cluster.x0)
            if not cluster.space:
                cluster.x0 = clusters[index - 1].x1 if index else start
                cluster.x1 = cluster.x0 + ahead * width
            else:
                cluster.x0 = reached
                after = [x for c in clusters[index + 1 :] if c.drawn for x in (c.x0, c.x1)]
                if after:
                    cluster.x1 = max(after) if right_to_left else min(after)
                elif width:
                    cluster.x1 = reached + ahead * width
                else:
                    cluster.x1 = end if (end - reached) * ahead > 0 else reached
        xs = (reached, cluster.x0, cluster.x1)
        reached = min(xs) if right_to_left else max(xs)


def _continues(run: list[_Cluster], cluster: _Cluster) -> bool:
    """Whether ``cluster`` continues ``run`` in the same direction."""
    before = np.sign(run[-1].x1 - run[0].x0)
    here = np.sign(cluster.x1 - cluster.x0)
    # Kerning moves a glyph by a pixel or two.
    return bool((before == here or not before or not here) and abs(run[-1].x1 - cluster.x0) < 2.5)
