"""The boxes of the parts of a segmentation in one line, for painting and for hit tests.

A part that ends inside a cluster (a character, a conjunct, an emoji sequence) can't have its own box
there. It has a *slice*: its share of a thin strip under the cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokenarium.models.text.segmentation import TextSpans
from tokenarium.widgets.text.laid_block import FloatArray, VisualRun
from tokenarium.widgets.text.text_layout import PlacedLine

Stretch = tuple[float, float]
"""A left and a right x, in pixels."""


@dataclass(frozen=True, slots=True)
class Box:
    """The region of one part in one visual run.

    ``sliced``: it is a share of the strip under a cluster that the part doesn't fill.
    ``opening``: the part starts here.
    """

    part: int
    left: float
    right: float
    sliced: bool
    opening: bool


@dataclass(frozen=True, slots=True)
class LineBoxes:
    """The boxes of one line, and the clusters that several parts share."""

    boxes: list[Box]
    shared: list[Stretch]


def line_boxes(placed: PlacedLine, parts: TextSpans, text_end: int) -> LineBoxes:
    """The boxes of ``parts`` in one line. ``text_end``: the byte count of the whole text."""
    found = LineBoxes([], [])
    base = placed.base
    for run in placed.line.runs:
        low, high = base + int(run.start), base + int(run.end)
        # Parts of no length at the very end of the text belong to its last line.
        touched = parts.between(low, high + (high == text_end))
        if touched:
            looks = parts.looks(touched)
            _add_run(found, run, touched.start, looks.starts - base, looks.ends - base)
    return found


def span_boxes(placed: PlacedLine, start: float, end: float) -> LineBoxes:
    """The boxes that bytes ``start`` … ``end`` would have as one part of the text."""
    found = LineBoxes([], [])
    for run in placed.line.runs:
        low, high = start - placed.base, end - placed.base
        if (low < run.end and high > run.start) or (low == high and run.start <= low <= run.end):
            _add_run(found, run, 0, np.asarray([low]), np.asarray([high]))
    return found


def _add_run(
    found: LineBoxes, run: VisualRun, first: int, starts: FloatArray, ends: FloatArray
) -> None:
    here = np.clip(starts, run.start, run.end)
    there = np.clip(ends, run.start, run.end)
    # The clusters that a part fills are between the first edge from its start on and the last
    # edge up to its end.
    inner = np.searchsorted(run.edges, here, side="left")
    outer = np.searchsorted(run.edges, there, side="right") - 1
    rows = zip(
        run.x(here).tolist(),
        run.x(there).tolist(),
        inner.tolist(),
        outer.tolist(),
        (run.edges[inner] != here).tolist(),
        (run.edges[outer] != there).tolist(),
        (here == starts).tolist(),
        strict=True,
    )
    xs = run.xs.tolist()
    falling = xs[0] > xs[-1]
    for part, (x0, x1, low, high, cut_start, cut_end, opens) in enumerate(rows, first):
        if not (cut_start or cut_end):
            pieces = [(x0, x1, -1)]
        elif low > high:
            pieces = [(x0, x1, high)]
        else:
            pieces = [(x0, xs[low], low - 1)] if cut_start else []
            if low < high:
                pieces.append((xs[low], xs[high], -1))
            if cut_end:
                pieces.append((xs[high], x1, high))
        for left, right, cluster in pieces:
            if falling:
                left, right = right, left
            found.boxes.append(Box(part, left, right, cluster >= 0, opens))
            opens = False
            if cluster >= 0:
                shared = (
                    (xs[cluster + 1], xs[cluster]) if falling else (xs[cluster], xs[cluster + 1])
                )
                if not found.shared or found.shared[-1] != shared:
                    found.shared.append(shared)
