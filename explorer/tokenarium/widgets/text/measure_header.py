"""The line above one way to cut the text: its name, and its counts in aligned columns."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from tokenarium.models.text.token_counts import Measures
from tokenarium.models.titled_columns import RIGHT
from tokenarium.style.theme import GRID, Identity
from tokenarium.widgets.panel import MARGIN, ElidedLabel, MarkerChip, secondary, strong

HEIGHT = 32
NOTE_WIDTH = 18 * GRID
"""The least width of a note when there is little room; the tooltip has the rest."""

BESIDE_WIDTH = 18 * GRID
"""The width of a header beside its text."""


class MeasureHeader(QWidget):
    """Marker, name, note, and the numbers: parts, bytes a part, characters a part.

    If there is little height it can be beside the text: then the numbers are below the name.
    """

    clicked = Signal()

    def __init__(
        self, name: str, unit: str, identity: Identity | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self._unit = unit
        self._current = False
        self.name = strong(ElidedLabel(name))
        self.note = secondary(ElidedLabel())
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.name.setMinimumWidth(0)
        self.parts = _number("9,999,999 " + unit + "s")
        self.bytes = _number(f"999.99 bytes/{unit}")
        self.characters = _number(f"999.99 chars/{unit}")
        self._beside = False
        self.chip = MarkerChip(identity) if identity is not None else None
        named = QHBoxLayout()
        named.setSpacing(GRID)
        if self.chip is not None:
            named.addWidget(self.chip)
        named.addWidget(self.name)
        named.addWidget(self.note, 1)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(MARGIN, 0, MARGIN, 0)
        self._row.setSpacing(GRID)
        self._row.addLayout(named, 1)
        for label in (self.parts, self.bytes, self.characters):
            self._row.addWidget(label)
        self._row.addStretch()

    def show_measures(self, measures: Measures, complete: bool) -> None:
        """Shows the counts, with their formulas in the tooltips."""
        so_far = "" if complete else "so far, "
        unit = self._unit
        plural = unit if measures.parts == 1 else f"{unit}s"
        self.parts.setText(f"{measures.parts:,} {plural}")
        self.parts.setToolTip(f"{so_far}the number of {unit}s of the text")
        for label, value, count, word, short in (
            (self.bytes, measures.bytes_per_part, measures.bytes, "bytes in UTF-8", "bytes"),
            (
                self.characters,
                measures.characters_per_part,
                measures.characters,
                "characters (code points)",
                "chars",
            ),
        ):
            label.setText("" if value is None else f"{value:,.2f} {short}/{unit}")
            label.setToolTip(f"{so_far}{count:,} {word} ÷ {measures.parts:,} {plural}")
        self._fit()

    def clear(self) -> None:
        """Shows no counts."""
        for label in (self.parts, self.bytes, self.characters):
            label.clear()
            label.setToolTip("")
        self._fit()

    def say(self, note: str, tip: str = "") -> None:
        """Shows a few words after the name."""
        self.note.setText(note)
        self.note.set_tip(tip)
        self._fit()

    def set_beside(self, beside: bool) -> None:
        """Sets the layout for a place beside the text, or above it."""
        if beside == self._beside:
            return
        self._beside = beside
        alignment = Qt.AlignmentFlag.AlignLeft if beside else Qt.AlignmentFlag.AlignRight
        for label in (self.parts, self.bytes, self.characters):
            label.setAlignment(alignment | Qt.AlignmentFlag.AlignVCenter)
        self._row.setStretch(
            0, not beside
        )  # the name takes the width that is left, but not the height
        self._row.setStretch(self._row.count() - 1, beside)
        if beside:
            self._row.setDirection(QBoxLayout.Direction.TopToBottom)
            self._row.setContentsMargins(MARGIN, GRID // 2, 0, GRID // 2)
            self._row.setSpacing(0)
            self.setMinimumHeight(0)
            self.setMaximumHeight(_ANY)
            self.setFixedWidth(BESIDE_WIDTH)
        else:
            self._row.setDirection(QBoxLayout.Direction.LeftToRight)
            self._row.setContentsMargins(MARGIN, 0, MARGIN, 0)
            self._row.setSpacing(GRID)
            self.setMinimumWidth(0)
            self.setMaximumWidth(_ANY)
            self.setFixedHeight(HEIGHT)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hides the means, the last first, if the words before them have too little room."""
        if self._beside:
            lines = (self.height() - GRID) // self.fontMetrics().lineSpacing()
            self.bytes.setVisible(lines > 2)
            self.characters.setVisible(lines > 3)
            return
        words = self.name.sizeHint().width() + min(self.note.sizeHint().width(), NOTE_WIDTH)
        room = self.width() - 2 * MARGIN - 3 * GRID - words
        for label in (self.parts, self.bytes, self.characters):
            room -= label.minimumWidth() + GRID
            has_words = bool(label.text() or not self.note.text())
            label.setVisible(has_words and (room >= 0 or label is self.parts))

    def minimumSizeHint(self) -> QSize:
        if self._beside:
            return QSize(BESIDE_WIDTH, 2 * self.fontMetrics().lineSpacing() + GRID)
        return QSize(self.parts.minimumWidth() + 12 * GRID, HEIGHT)

    def set_current(self, current: bool) -> None:
        """Marks the current row by a bar at its left edge."""
        if current != self._current:
            self._current = current
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._current:
            painter = QPainter(self)
            painter.fillRect(0, GRID // 2, 3, self.height() - GRID, self.palette().highlight())
            painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()
        super().mousePressEvent(event)


_ANY = 16_777_215
"""Qt's QWIDGETSIZE_MAX: no limit."""


def _number(widest: str) -> QLabel:
    label = QLabel(alignment=RIGHT)
    label.setMinimumWidth(label.fontMetrics().horizontalAdvance(widest))
    return label
