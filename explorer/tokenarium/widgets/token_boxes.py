"""Where the parts of a segmentation stand in one line: their boxes, ready to paint or to hit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.models.segmentation import Segmentation
from tokenarium.widgets.line_geometry import FloatArray
from tokenarium.widgets.text_layout import PlacedLine


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes of one line; a part has one in each visual run that it touches.

    ``parts``: indices into the segmentation.  ``left``, ``right``: x in pixels.
    ``starts_inside``, ``ends_inside``: the x of each place where a part starts or ends within a
    cluster of glyphs, where no line can be drawn that the script has; otherwise NaN.
    ``opening``: whether the part starts in this box.
    """

    parts: npt.NDArray[np.intp]
    left: FloatArray
    right: FloatArray
    starts_inside: FloatArray
    ends_inside: FloatArray
    opening: npt.NDArray[np.bool_]


def line_boxes(placed: PlacedLine, parts: Segmentation, text_end: int) -> Boxes:
    """The boxes of ``parts`` in one line. ``text_end``: the byte count of the whole text."""
    base = placed.base
    rows: list[tuple[npt.NDArray[np.intp], FloatArray, FloatArray, FloatArray, FloatArray]] = []
    opening = []
    for run in placed.line.runs:
        low, high = base + run.start, base + run.end
        # Parts of no length at the very end of the text belong to its last line.
        touched = parts.between(int(low), int(high) + (high == text_end))
        if touched.start == touched.stop:
            continue
        starts = parts.drawn_starts[touched] - base
        ends = parts.drawn_ends[touched] - base
        starts_here = np.maximum(starts, run.start)
        ends_here = np.minimum(ends, run.end)
        x0, x1 = run.x(starts_here), run.x(ends_here)
        rows.append(
            (
                np.arange(touched.start, touched.stop),
                np.minimum(x0, x1),
                np.maximum(x0, x1),
                np.where(_on_edge(run.edges, starts_here), np.nan, x0),
                np.where(_on_edge(run.edges, ends_here), np.nan, x1),
            )
        )
        opening.append(starts_here == starts)
    if not rows:
        nothing = np.zeros(0)
        return Boxes(np.zeros(0, dtype=np.intp), *[nothing] * 4, np.zeros(0, dtype=np.bool_))
    if len(rows) == 1:
        return Boxes(*rows[0], opening[0])
    index, *xs = (np.concatenate(column) for column in zip(*rows, strict=True))
    return Boxes(index, *xs, np.concatenate(opening))


def span_boxes(placed: PlacedLine, start: float, end: float) -> list[tuple[float, float]]:
    """The left and right of each stretch of bytes ``start`` … ``end`` in one line."""
    found = []
    for run in placed.line.runs:
        low, high = max(start - placed.base, run.start), min(end - placed.base, run.end)
        if low < high or (start == end and low == high):
            x0, x1 = run.x([low, high]).tolist()
            found.append((min(x0, x1), max(x0, x1)))
    return found


def _on_edge(edges: FloatArray, offsets: FloatArray) -> npt.NDArray[np.bool_]:
    place = np.minimum(np.searchsorted(edges, offsets), len(edges) - 1)
    return np.asarray(edges[place] == offsets, dtype=np.bool_)
