"""The boxes of the parts of a text in one line, for painting and for hit tests.

Each box ends at an exact position: inside a cluster (a character, a conjunct, an emoji sequence), at the share of its
width that the bytes before it have. A `Cut` describes each end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.models.text.segmentation import TextParts
from tokenarium.style.cuts import Cut
from tokenarium.widgets.text.laid_block import FloatArray, LaidLine, VisualRun
from tokenarium.widgets.text.text_layout import PlacedLine


@dataclass(frozen=True, slots=True)
class Box:
    """The region of one part in one visual run, in pixels; ``opening``: the part starts here."""

    part: int
    left: float
    right: float
    at_left: Cut
    at_right: Cut
    opening: bool


def line_boxes(placed: PlacedLine, parts: TextParts, text_end: int) -> list[Box]:
    """The boxes of ``parts`` in one line. ``text_end``: the byte count of the whole text."""
    boxes: list[Box] = []
    base = placed.base
    for run in placed.line.runs:
        low, high = base + int(run.start), base + int(run.end)
        # Parts of no length at the very end of the text belong to its last line.
        touched = parts.between(low, high + (high == text_end))
        if touched:
            looks = parts.looks(touched)
            _add_run(boxes, placed.line, run, touched.start, looks.starts - base, looks.ends - base)
    return boxes


def span_boxes(placed: PlacedLine, start: float, end: float) -> list[Box]:
    """The boxes that bytes ``start`` … ``end`` would have as one part of the text."""
    boxes: list[Box] = []
    for run in placed.line.runs:
        low, high = start - placed.base, end - placed.base
        if (low < run.end and high > run.start) or (low == high and run.start <= low <= run.end):
            _add_run(boxes, placed.line, run, 0, np.asarray([low]), np.asarray([high]))
    return boxes


def _add_run(
    found: list[Box],
    line: LaidLine,
    run: VisualRun,
    first: int,
    starts: FloatArray,
    ends: FloatArray,
) -> None:
    here = np.clip(starts, run.start, run.end)
    there = np.clip(ends, run.start, run.end)
    rows = zip(
        run.x(here).tolist(),
        run.x(there).tolist(),
        _cuts(line, run, starts, here).tolist(),
        _cuts(line, run, ends, there).tolist(),
        (here == starts).tolist(),
        strict=True,
    )
    if run.xs[0] > run.xs[-1]:
        for part, (x0, x1, start, end, opens) in enumerate(rows, first):
            found.append(Box(part, x1, x0, _CUTS[end], _CUTS[start], opens))
    else:
        for part, (x0, x1, start, end, opens) in enumerate(rows, first):
            found.append(Box(part, x0, x1, _CUTS[start], _CUTS[end], opens))


_CUTS = tuple(Cut)
_NOTCH, _TORN, _OPEN = map(_CUTS.index, (Cut.NOTCH, Cut.TORN, Cut.OPEN))


def _cuts(
    line: LaidLine, run: VisualRun, offsets: FloatArray, clipped: FloatArray
) -> npt.NDArray[np.int8]:
    """The index in `Cut` for each offset; ``clipped`` are the offsets limited to the run."""
    kinds = np.zeros(len(offsets), dtype=np.int8)
    kinds[run.edges[np.searchsorted(run.edges, clipped)] != clipped] = _NOTCH
    kinds[line.inside_character(clipped)] = _TORN
    kinds[offsets != clipped] = _OPEN
    return kinds
