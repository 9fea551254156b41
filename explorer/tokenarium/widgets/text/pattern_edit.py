"""A line to write a regular expression in, which underlines the place of an error."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QWidget

from tokenarium.style.theme import mono_font
from tokenarium.widgets.shortcut_first import ShortcutFirst


class PatternEdit(QLineEdit):
    """A line edit in the monospaced font with one place that can be marked."""

    written = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(mono_font())
        self.setAccessibleName("Own pattern")
        self.setPlaceholderText(
            r"A regular expression such as  \p{L}+|\p{N}{1,3}|\s+|[^\s\p{L}\p{N}]+"
        )
        self.setClearButtonEnabled(True)
        self.marked = -1
        self._colour = QColor()
        self.textEdited.connect(self.written)
        self._keys = ShortcutFirst(self)

    def mark(self, position: int, colour: QColor) -> None:
        """Underlines the character at ``position``; -1 marks nothing."""
        self.marked, self._colour = position, colour
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.marked < 0:
            return
        # QLineEdit tells where its cursor stands; the marked place is as far from it as the text between.
        metrics = self.fontMetrics()
        text = self.text()
        cursor = self.cursorRect()
        origin = cursor.center().x() - metrics.horizontalAdvance(text[: self.cursorPosition()])
        left = origin + metrics.horizontalAdvance(text[: self.marked])
        width = metrics.horizontalAdvance(text[self.marked : self.marked + 1] or "x")
        painter = QPainter(self)
        painter.setPen(QPen(self._colour, 2))
        y = cursor.bottom() - 0.5
        painter.drawLine(QPointF(left, y), QPointF(left + width, y))
        painter.end()
