"""A text field that shows tokens under its text while the user types."""

from __future__ import annotations

from typing import cast

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QTextBlock, QTextCursor
from PySide6.QtWidgets import QFrame

from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.style.fonts import DISPLAY_SIZE, ui_font
from tokenarium.style.shapes import paint_token
from tokenarium.style.theme import Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.text.bounded_field import BoundedField
from tokenarium.widgets.text.laid_block import LaidBlock, LaidLine
from tokenarium.widgets.text.text_blocks import has_right_to_left
from tokenarium.widgets.text.text_layout import PlacedLine
from tokenarium.widgets.text.token_boxes import line_boxes, span_boxes

RULE = 3.0
"""Pixels of the rule at the foot of a token."""


class _FieldBlock:
    """A paragraph of the field, in the form that the boxes of tokens need."""

    def __init__(self, block: QTextBlock) -> None:
        self.shown = block.text()
        self.text = TextMap(self.shown)
        self.right_to_left = block.textDirection() == Qt.LayoutDirection.RightToLeft
        self.bidi = self.right_to_left or has_right_to_left(self.shown)
        self.marks = ()


class TokenField(Themed, BoundedField):
    """A field for a few lines in large letters; `show_tokens` sets the tokens under them."""

    def __init__(self, size: int = DISPLAY_SIZE) -> None:
        super().__init__()
        self.setFont(ui_font(size))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self._keys = ShortcutFirst(self)
        self.show_tokens(TextParts.empty())
        self.follow_theme()

    def dress(self, theme: Theme) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, theme.fills.ink)
        palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        self.setPalette(palette)

    def show_tokens(self, parts: TextParts, lost: IntArray | None = None) -> None:
        """Paints these tokens under the text, which has their bytes; ``lost`` (n × 2 byte offsets) is hatched."""
        self._parts = parts
        self._lost = np.empty((0, 2), dtype=np.int32) if lost is None else lost
        self.viewport().update()

    def write(self, text: str) -> None:
        """Shows a new text, with the cursor at its end."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def sizeHint(self) -> QSize:
        return QSize(320, 2 * self.fontMetrics().lineSpacing())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        block = self.firstVisibleBlock()
        base = len(
            self.document().toPlainText()[: block.position()].encode("utf-8", "surrogatepass")
        )
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > event.rect().bottom():
                break
            base += self._paint_block(painter, block, place, base, event.rect())
            block = block.next()
        painter.end()
        super().paintEvent(event)

    def _paint_block(
        self, painter: QPainter, block: QTextBlock, place: QRectF, base: int, seen: QRect
    ) -> int:
        """Paints the tokens in the visible lines of a paragraph; returns its number of bytes, with the line feed."""
        field = _FieldBlock(block)
        layout, theme = block.layout(), self.theme
        end = self._parts.ends[-1] if len(self._parts.ends) else 0
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            rect = line.rect().translated(place.topLeft())
            if rect.bottom() < seen.top() or rect.top() > seen.bottom():
                continue
            laid = LaidLine(cast(LaidBlock, field), line)
            placed = PlacedLine(laid, base, rect.top(), rect.top(), rect.bottom(), rect.bottom())
            for box in line_boxes(placed, self._parts, end):
                colour = int(self._parts.looks(range(box.part, box.part + 1)).colours[0])
                token = QRectF(
                    place.left() + box.left, rect.top() + 1, box.right - box.left, rect.height() - 2
                )
                fill, rule = theme.tokens[colour], theme.token_rules[colour]
                paint_token(painter, token, fill, rule, box.at_left, box.at_right, rule_height=RULE)
            touched = (self._lost[:, 0] < placed.end) & (self._lost[:, 1] > placed.start)
            for start, stop in self._lost[touched].tolist():
                for box in span_boxes(placed, start, stop):
                    left, width = place.left() + box.left, box.right - box.left
                    hatched = QRectF(left, rect.top() + 1, width, rect.height() - 2)
                    painter.fillRect(hatched, theme.lost)
        return field.text.byte_count + 1
