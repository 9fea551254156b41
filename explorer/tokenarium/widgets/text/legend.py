"""The meaning and the count of each colour, as a flow of chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from tokenarium.models.text.lost_text import SAYS
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.text.segmentation import TextParts
from tokenarium.style.fonts import SMALL_SIZE, ui_font
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import secondary


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A name, its count, and its colours (one, or several shades of a hue).

    ``tip``: the tooltip. ``framed``: the parts have a frame, as special tokens do.
    """

    name: str
    count: int
    colours: tuple[QColor | QBrush, ...]
    tip: str = "Selects the next one in the text"
    framed: bool = False


LOST = "Lost text"
"""The name of the chip of `lost_entry`."""


def lost_entry(places: int, theme: Theme, loser: str = "") -> LegendEntry:
    """The entry of the hatched parts: how many parts of the text are lost, by a tokenizer of this name."""
    of = f" that {loser} loses" if loser else ""
    tip = as_tip(f"Hatched: text that is lost. {SAYS} Selects the next place{of}.")
    return LegendEntry(LOST, places, (theme.lost,), tip)


def rule_entries(parts: TextParts, theme: Theme) -> list[LegendEntry]:
    """The rules of ``parts``, the most frequent first; unused rules last."""
    counts = np.bincount(
        parts.rules[:] if parts.rules is not None else np.zeros(0, dtype=np.uint8),
        minlength=len(parts.rule_names),
    )
    entries = [
        LegendEntry(name, int(count), theme.rule_brushes(name))
        for name, count in zip(parts.rule_names, counts, strict=True)
    ]
    return sorted(entries, key=lambda entry: -entry.count)


class Legend(QWidget):
    """Chips with a colour, a name and a count. Tab goes through them; pointing at a chip emits its name."""

    hovered = Signal(str)
    """The name of the chip that is pointed at or has the focus, or ""."""

    picked = Signal(str)
    """The name of a chip that was pressed."""

    def __init__(self, parent: QWidget | None = None, title: str = "") -> None:
        """``title``: a word before the chips."""
        super().__init__(parent)
        self._flow = FlowLayout(self, GRID // 2)
        self.setAccessibleName(title or "Legend")
        self._title: QLabel | None = None
        if title:
            self.setTitle(title)

    def setTitle(self, title: str, tip: str = "") -> None:
        """Sets the word before the chips, and its tooltip."""
        if self._title is None:
            self._title = secondary(QLabel(self))
            self._title.setFixedHeight(3 * GRID)
            self._flow.addWidget(self._title)
        self._title.setText(title)
        self._title.setToolTip(tip)

    def setEntries(self, entries: Sequence[LegendEntry]) -> None:
        """Shows new chips."""
        chips = self.findChildren(_Chip)
        for chip in chips[len(entries) :]:
            self._flow.removeWidget(chip)
            chip.setParent(None)
            chip.deleteLater()
        for index, entry in enumerate(entries):
            if index < len(chips):
                chips[index].show_entry(entry)
            else:
                chip = _Chip(self)
                chip.show_entry(entry)
                self._flow.addWidget(chip)
        self._flow.invalidate()

    def focus_before(self, widget: QWidget) -> None:
        """Puts the chips before ``widget`` in the Tab order."""
        for before, after in pairwise([*self.findChildren(_Chip), widget]):
            QWidget.setTabOrder(before, after)


class _Chip(Themed, QAbstractButton):
    """A swatch, a name and a count."""

    def __init__(self, legend: Legend) -> None:
        super().__init__(legend)
        self._legend = legend
        self.entry = LegendEntry("", 0, ())
        self.setFont(ui_font(SMALL_SIZE))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(self._pick)

    def show_entry(self, entry: LegendEntry) -> None:
        self.entry = entry
        self.setText(f"{entry.name}  {entry.count:,}")
        self.setAccessibleName(f"{entry.name}: {entry.count:,}")
        self.setToolTip(entry.tip)
        self.setAccessibleDescription(entry.tip)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance(self.text())
        return QSize(width + 4 * GRID, 3 * GRID)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        lit = self.underMouse() or self.hasFocus()
        painter.setPen(QPen(theme.accent if lit else theme.line, 1.0))
        painter.setBrush(theme.surface)
        painter.drawRoundedRect(rect, 4, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        colours = self.entry.colours
        for index, colour in enumerate(colours):
            width = 12 / len(colours)
            painter.setBrush(colour)
            painter.drawRect(QRectF(GRID + index * width, GRID - 2, width, 12))
        if self.entry.framed:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.dim, 1.0))
            painter.drawRect(QRectF(GRID + 0.5, GRID - 1.5, 11, 11))
        left = GRID + 12 + 6
        text = rect.adjusted(left, 0, 0, 0)
        vertical = int(Qt.AlignmentFlag.AlignVCenter)
        painter.setPen(theme.ink if self.entry.count else theme.dim)
        painter.drawText(text, vertical, self.entry.name)
        name_width = QFontMetrics(self.font()).horizontalAdvance(self.entry.name + "  ")
        painter.setPen(theme.dim)
        painter.drawText(text.adjusted(name_width, 0, 0, 0), vertical, f"{self.entry.count:,}")

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._legend.hovered.emit(self.entry.name)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._legend.hovered.emit("")

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._legend.hovered.emit(self.entry.name)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._legend.hovered.emit("")

    def _pick(self) -> None:
        self._legend.picked.emit(self.entry.name)
