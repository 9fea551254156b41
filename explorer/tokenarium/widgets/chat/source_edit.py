"""A source, such as that of a chat template, with line numbers, and a mark on the line with an error."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from tokenarium.models.text.editor_text import from_editor
from tokenarium.models.text.qt_text import into_qt
from tokenarium.style.fonts import mono_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.text.bounded_field import BoundedField

TAB = 4


class SourceEdit(BoundedField):
    """A plain editor. Tab leaves it, as templates are indented with spaces."""

    def __init__(self, name: str, placeholder: str = "") -> None:
        self.marked = 0
        super().__init__()
        self.setFont(mono_font())
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        self.setTabStopDistance(TAB * QFontMetricsF(self.font()).horizontalAdvance(" "))
        self._keys = ShortcutFirst(self)
        self._gutter = _Gutter(self)
        self.blockCountChanged.connect(lambda _: self._make_room())
        self.updateRequest.connect(lambda *_: self._gutter.update())
        self._make_room()

    def text(self) -> str:
        """Returns the source."""
        return from_editor(self.raw_text())

    def set_text(self, source: str) -> None:
        """Shows a source; does nothing if it is already shown."""
        lines = source.replace("\r\n", "\n").replace(
            "\r", "\n"
        )  # Jinja treats all line ends the same
        if lines != self.text():
            self.setPlainText(into_qt(lines))
            self.mark(0)

    def mark(self, line: int) -> None:
        """Marks a line, counted from 1; 0 marks none."""
        self.marked = line
        selections = []
        if line:
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
            roles = QPalette.ColorRole
            base, error = self.palette().color(roles.Base), self.palette().color(roles.BrightText)
            selection.format.setBackground(mix(base, error, 0.18))
            selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            selection.cursor = cursor
            selections.append(selection)
        self.setExtraSelections(selections)

    def gutter_width(self) -> int:
        """Returns the room for the numbers, in pixels."""
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("0") * digits + 2 * GRID

    def paint_gutter(self, painter: QPainter, rect: QRect) -> None:
        """Paints the numbers of the visible lines."""
        roles = QPalette.ColorRole
        painter.fillRect(rect, self.palette().color(roles.AlternateBase))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= rect.bottom():
            height = self.blockBoundingRect(block).height()
            wrong = block.blockNumber() + 1 == self.marked
            colour: QColor = self.palette().color(
                roles.BrightText if wrong else roles.PlaceholderText
            )
            painter.setPen(colour)
            line = QRect(0, round(top), rect.width() - GRID, self.fontMetrics().lineSpacing())
            painter.drawText(line, Qt.AlignmentFlag.AlignRight, str(block.blockNumber() + 1))
            top += height
            block = block.next()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:  # the mark has a colour of its own
            self.mark(self.marked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._gutter.setGeometry(
            QRect(inside.left(), inside.top(), self.gutter_width(), inside.height())
        )

    def _make_room(self) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        inside = self.contentsRect()
        self._gutter.setGeometry(
            QRect(inside.left(), inside.top(), self.gutter_width(), inside.height())
        )


class _Gutter(QWidget):
    """The strip at the left of the editor."""

    def __init__(self, editor: SourceEdit) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(self._editor.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._editor.paint_gutter(painter, event.rect())
        painter.end()
