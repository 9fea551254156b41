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

from tokenarium.models.text_map import TextMap

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

    Qt tells the place of a cursor, and at either end of a run against the direction of the
    paragraph that is not the edge of the character: there, and for where such a run stands, the
    glyphs are asked instead, which is slower but says where the ink is.
    """
    units = shown.encode("utf-16-le", "surrogatepass")
    clusters = [_cluster(line, units, unit, stop) for unit, stop in _graphemes(shown, first, last)]
    hanging = len(clusters)
    while hanging and not clusters[hanging - 1].drawn and clusters[hanging - 1].space:
        hanging -= 1
    _place_tabs(line, clusters[:hanging], right_to_left)
    runs: list[list[_Cluster]] = []
    for cluster in clusters[:hanging]:
        if runs and _continues(runs[-1], cluster):
            runs[-1].append(cluster)
        else:
            runs.append([cluster])
    for run in runs:
        if (_direction(run) < 0) != right_to_left:
            _move_to_glyphs(line, run)
    if hanging < len(clusters):
        rect = line.naturalTextRect()
        x = rect.left() if right_to_left else rect.right()
        for cluster in clusters[hanging:]:
            width = abs(cluster.x1 - cluster.x0)
            cluster.x0, cluster.x1 = x, x - width if right_to_left else x + width
            x = cluster.x1
        tail = clusters[hanging:]
        if runs and _continues(runs[-1], tail[0]):
            runs[-1].extend(tail)
        else:
            runs.append(tail)
    return [
        ([c.unit for c in run] + [run[-1].stop], [c.x0 for c in run] + [run[-1].x1]) for run in runs
    ]


def _graphemes(shown: str, first: int, last: int) -> list[tuple[int, int]]:
    """The graphemes from UTF-16 unit ``first`` to ``last``, as pairs of units."""
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, shown)
    finder.setPosition(first)
    edges = [first]
    while (at := finder.toNextBoundary()) >= 0 and at < last:
        edges.append(at)
    return list(zip(edges, [*edges[1:], last], strict=True))


def _cluster(line: QTextLine, units: bytes, unit: int, stop: int) -> _Cluster:
    x0, place = _cursor(line, unit, _LEADING)
    x1 = _cursor(line, unit, _TRAILING)[0]
    space = chr(int.from_bytes(units[2 * unit : 2 * unit + 2], "little")).isspace()
    if place == unit and x0 != x1:
        # Spaces have glyphs too, but not where they hang over the end of a line.
        drawn = not space or bool(line.glyphRuns(unit, 1, _GLYPHS))
        return _Cluster(unit, stop, x0, x1, drawn, space)
    box = _glyph_box(line, unit, stop)
    if box is None:
        return _Cluster(unit, stop, x0, x1, False, space)
    left, right, right_to_left = box
    x0, x1 = (right, left) if right_to_left else (left, right)
    return _Cluster(unit, stop, x0, x1, True, space)


def _glyph_box(line: QTextLine, unit: int, stop: int) -> tuple[float, float, bool] | None:
    """The left, the right and the direction of the glyphs of some units; marks don't count."""
    left, right, right_to_left = np.inf, -np.inf, False
    for run in line.glyphRuns(unit, stop - unit, _GLYPHS):
        advances = run.rawFont().advancesForGlyphIndexes(run.glyphIndexes())
        for position, advance in zip(run.positions(), advances, strict=True):
            if advance.x() > 0:
                left = min(left, position.x())
                right = max(right, position.x() + advance.x())
                right_to_left = run.isRightToLeft()
    return (left, right, right_to_left) if left < right else None


def _place_tabs(line: QTextLine, clusters: list[_Cluster], right_to_left: bool) -> None:
    """Gives tabs, of which the line tells one edge only, the width up to what follows them."""
    rect = line.naturalTextRect()
    for cluster in clusters:
        if cluster.drawn or cluster.x0 != cluster.x1 or not cluster.space:
            continue
        others = [x for c in clusters if c is not cluster for x in (c.x0, c.x1)]
        if right_to_left:
            cluster.x1 = max((x for x in others if x < cluster.x0 - 0.5), default=rect.left())
        else:
            cluster.x1 = min((x for x in others if x > cluster.x0 + 0.5), default=rect.right())


def _direction(run: list[_Cluster]) -> int:
    """1 for a run that reads to the right, -1 to the left, 0 where it has no width."""
    return int(np.sign(run[-1].x1 - run[0].x0))


def _continues(run: list[_Cluster], cluster: _Cluster) -> bool:
    """Whether ``cluster`` goes on where ``run`` stops, in the same direction."""
    before = _direction(run)
    here = _direction([cluster])
    return (before == here or not before or not here) and abs(run[-1].x1 - cluster.x0) < 1.0


def _move_to_glyphs(line: QTextLine, run: list[_Cluster]) -> None:
    """Shifts a run to where its glyphs stand."""
    box = _glyph_box(line, run[0].unit, run[-1].stop)
    if box is None:
        return
    shift = box[0] - min(run[0].x0, run[-1].x1)
    if abs(shift) > 0.5:
        for cluster in run:
            cluster.x0 += shift
            cluster.x1 += shift
