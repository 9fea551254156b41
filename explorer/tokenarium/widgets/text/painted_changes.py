"""Which part of a view of tokens has to be painted again after an edit: the rows of lines that look different."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QRegion

from tokenarium.widgets.text.text_layout import PlacedLine
from tokenarium.widgets.text.token_layer import WAITS, RowState
from tokenarium.widgets.text.token_painter import TEXT_ROW, Lit, TokenPainter

ShownLine = tuple[float, float, PlacedLine]
"""The top of a line in the viewport, how far it is moved to the right, and the line."""


class _Painted(NamedTuple):
    """A line as it was painted: its place, and the state of each of its rows."""

    shift: float
    placed: PlacedLine
    rows: list[RowState]

    def has_rows_of(self, other: _Painted) -> bool:
        """Whether another line at the same place has its rows at the same places."""
        here, there = self.placed, other.placed
        return (
            self.shift == other.shift
            and here.text_top - here.top == there.text_top - there.top
            and here.text_bottom - here.top == there.text_bottom - there.top
            and here.bottom - here.top == there.bottom - there.top
            and len(self.rows) == len(other.rows)
        )


class PaintedChanges:
    """What a view has painted, as far as it is known, to compare it with what it shows now."""

    def __init__(self, painter: TokenPainter) -> None:
        self._painter = painter
        self._lines: dict[float, _Painted] | None = None  # by their tops; None if that is not known
        self._wanted = QRegion()  # what was to be painted of them

    def forget(self) -> None:
        """Notes that anything may look different."""
        self._lines = None

    def note_painted(self, region: QRegion) -> None:
        """Notes that a region is painted; what was not asked for may have changed otherwise."""
        if not region.subtracted(self._wanted).isEmpty():
            self._lines = None
        self._wanted = QRegion()

    def since_painted(self, lines: Sequence[ShownLine], width: int) -> QRegion | None:
        """Returns where the visible lines differ from what was painted; None for everywhere.

        All of it will be painted. ``lines`` is empty if they cannot be compared.
        """
        before, self._lines = self._lines, self._read(lines)
        now = self._lines
        if now is None or before is None:
            self._wanted = QRegion(0, 0, width, 1 << 20)
            return None
        region = QRegion()
        waiting = []
        for top, line in now.items():
            old = before.get(top)
            if old is None or not old.has_rows_of(line):
                region += _whole(top, line, width)
                continue
            letters = line.placed.line is not old.placed.line
            for row, (was, is_now) in enumerate(zip(old.rows, line.rows, strict=True), TEXT_ROW):
                differs = was != is_now or (letters and row == TEXT_ROW)
                if is_now is WAITS and row != TEXT_ROW:
                    waiting.append((line, row, was, self._row(top, line.placed, row, width)))
                elif differs:
                    region += self._row(top, line.placed, row, width)
        for top, gone in before.items():
            if top not in now or not gone.has_rows_of(now[top]):
                region += _whole(top, gone, width)
        region = _with_waiting(region, waiting)
        self._wanted += region
        return region

    def rows_in(self, region: QRegion, top: float, placed: PlacedLine) -> Container[int] | None:
        """Returns the rows of a line that are painted in a region; None for all."""
        if not self._painter.keeps_rows_apart(placed):
            return None
        width = region.boundingRect().right() + 1
        return [
            row
            for row in self._painter.row_numbers(placed)
            if region.intersects(self._row(top, placed, row, width))
        ]

    def _read(self, lines: Sequence[ShownLine]) -> dict[float, _Painted] | None:
        """The visible lines by their tops; None if their rows are not painted one by one."""
        painter = self._painter
        if not lines or painter.lit != Lit() or painter.has_differences:
            return None
        if not all(painter.keeps_rows_apart(placed) for _, _, placed in lines):
            return None
        return {
            top: _Painted(shift, placed, painter.states_of(placed)) for top, shift, placed in lines
        }

    def _row(self, top: float, placed: PlacedLine, row: int, width: int) -> QRect:
        upper, lower = self._painter.row_room(placed, row)
        return QRectF(0, top + upper, width, lower - upper).toAlignedRect()


def _whole(top: float, line: _Painted, width: int) -> QRect:
    """All of a line."""
    height = line.placed.bottom - line.placed.top
    return QRectF(0, top, width, height).toAlignedRect()


def _with_waiting(region: QRegion, waiting: list[tuple[_Painted, int, RowState, QRect]]) -> QRegion:
    """Returns a region with the waiting rows that it touches; the others stay as they were painted."""
    touched = True
    while touched:
        touched = False
        for one in waiting[:]:
            _, _, was, rect = one
            if was is WAITS or region.intersects(rect):
                region += rect
                waiting.remove(one)
                touched = True
    for line, row, was, _ in waiting:
        line.rows[row - TEXT_ROW] = was
    return region
