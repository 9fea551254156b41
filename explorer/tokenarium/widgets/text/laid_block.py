"""One block of text laid out in lines: shaped once by Qt, whatever is painted around it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from math import ceil, nextafter

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QTextLayout, QTextLine, QTextOption

from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.text_map import TextMap
from tokenarium.widgets.text.line_geometry import VisualRun, visual_runs
from tokenarium.widgets.text.text_blocks import (
    CONTROL_NAMES,
    display_string,
    has_right_to_left,
    invisible_characters,
)

TAB_LETTERS = 4
"""The width of a tab, in widths of the letter "0"."""


SIGNS = frozenset(("·", "→", "↵", "CR", "NBSP", "NNBSP", "IDSP"))
"""The labels of characters for which a sign is drawn where they stand, instead of a name."""


@dataclass(frozen=True, slots=True)
class InvisibleMark:
    """A character that draws nothing: byte offsets in its block, and what to write over it.

    ``control``: it is laid out as a blank with room for its name. ``above``: nothing of it takes room
    in the line, and its name stands above.
    """

    start: int
    end: int
    label: str
    control: bool

    @property
    def above(self) -> bool:
        return not (self.control or self.label in SIGNS)


class LaidLine:
    """One line of a block: its text layout, and where the bytes stand in it."""

    def __init__(self, block: LaidBlock, line: QTextLine) -> None:
        self._block = block
        self.line = line
        self.ascent = line.ascent()
        self.height = ceil(line.ascent() + line.descent())
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
    def marks(self) -> tuple[InvisibleMark, ...]:
        """The invisible characters of the line."""
        return tuple(m for m in self._block.marks if self.start <= m.start < self.end)

    @cached_property
    def mark_places(self) -> tuple[tuple[float, float], ...]:
        """The left and the right x of each of the marks.

        A mark is one character, so it lies in one visual run. All of a line are placed together,
        and once for all views that paint it.
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
        """Whether the line has characters whose names stand above it."""
        return any(mark.above for mark in self.marks)

    def offset_at(self, x: float) -> float:
        """The byte offset drawn at ``x``, from the block; beside the line, the nearest in it."""
        nearest = min(self.runs, key=lambda run: max(run.left - x, x - run.right, 0.0))
        # The end of a run is the start of something else.
        return max(min(nearest.offset(x), nextafter(nearest.end, 0.0)), nearest.start)


class LaidBlock:
    """The lines of one block of text in one font and width. Byte offsets count from the block."""

    def __init__(self, block: str, font: QFont, width: float, tab: float) -> None:
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
            # Alignment is ours: Qt's leaves no reliable place for spaces at the end of a line.
            line.setPosition(
                QPointF(width - line.naturalTextWidth(), 0.0) if self.right_to_left else QPointF()
            )
            lines.append(line)
        self._layout.endLayout()
        # The lines are made; from here on the mode only says whether places beyond the width,
        # where spaces hang, are clamped to it.
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        self._layout.setTextOption(option)
        self.lines = [LaidLine(self, line) for line in lines]
        self.text_height = sum(line.height for line in self.lines)

    @cached_property
    def marks(self) -> tuple[InvisibleMark, ...]:
        """The invisible characters of the block."""
        found = invisible_characters(self.text.text)
        starts = self.text.char_to_byte([at for at, _ in found]).tolist()
        ends = self.text.char_to_byte([at + 1 for at, _ in found]).tolist()
        return tuple(
            InvisibleMark(start, end, label, label in CONTROL_NAMES)
            for start, end, (_, label) in zip(starts, ends, found, strict=True)
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
