"""Where the bytes of one laid out line stand on the x axis.

A line is a few *visual runs*: stretches of text that read one way without a break. English text
has one; a Hebrew quotation in it makes three. Inside a run x grows (or falls) with the byte offset,
so a token is one box in each run that it touches, whatever its script joins or reorders.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QTextBoundaryFinder
from PySide6.QtGui import QTextLayout, QTextLine

from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.text_map import TextMap

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
    """The x of one edge of the character at ``unit``, and the valid place that it is the x of."""
    return line.cursorToX(unit, edge)  # type: ignore[return-value]


def _plain_run(line: QTextLine, first: int, last: int) -> tuple[list[int], list[float]]:
    """The one run of a line without right-to-left text."""
    units = [first]
    xs = [_cursor(line, first, _LEADING)[0]]
    at = first + 1
    while at < last:
        # Asked about a place inside a grapheme, the line answers for the next edge and names it.
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

    Qt would tell the place of a cursor, and at either end of a run that reads against the
    paragraph that is not the edge of the character. So the glyphs are asked, one grapheme at a
    time: slower, but it says where the ink is.
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

    Glyphs without an advance (marks) don't count; None where there are no others.
    """
    left, right, right_to_left = np.inf, -np.inf, False
    for run in line.glyphRuns(unit, stop - unit, _GLYPHS):
        advances = run.rawFont().advancesForGlyphIndexes(run.glyphIndexes())
        # A font that can't be had has no advances.
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
    """Places what has no glyphs: tabs, spaces that hang over the end, marks of direction.

    Tabs and spaces at the end follow the direction of the paragraph: all text before them in the
    line lies on one side of them, all text behind them on the other.
    """
    rect = line.naturalTextRect()
    ahead = -1.0 if right_to_left else 1.0
    start, end = (rect.right(), rect.left()) if right_to_left else (rect.left(), rect.right())
    reached = start
    for place, cluster in enumerate(clusters):
        if not cluster.drawn:
            width = abs(cluster.x1 - cluster.x0)
            if not cluster.space:
                cluster.x0 = clusters[place - 1].x1 if place else start
                cluster.x1 = cluster.x0 + ahead * width
            else:
                cluster.x0 = reached
                behind = [x for c in clusters[place + 1 :] if c.drawn for x in (c.x0, c.x1)]
                if behind:
                    cluster.x1 = max(behind) if right_to_left else min(behind)
                elif width:
                    cluster.x1 = reached + ahead * width
                else:
                    cluster.x1 = end if (end - reached) * ahead > 0 else reached
        xs = (reached, cluster.x0, cluster.x1)
        reached = min(xs) if right_to_left else max(xs)


def _continues(run: list[_Cluster], cluster: _Cluster) -> bool:
    """Whether ``cluster`` goes on where ``run`` stops, in the same direction."""
    before = np.sign(run[-1].x1 - run[0].x0)
    here = np.sign(cluster.x1 - cluster.x0)
    # Kerning moves a glyph by a pixel or two.
    return bool((before == here or not before or not here) and abs(run[-1].x1 - cluster.x0) < 2.5)
