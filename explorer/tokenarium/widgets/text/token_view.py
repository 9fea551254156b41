"""A text with its tokens as coloured boxes, also for texts of megabytes.

The view has a text layout (which several views of one text may share), a segmentation and highlighted
bytes. It emits what the user points at and picks as byte spans.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QWidget

from tokenarium.models.text.segmentation import TextSpans
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.style.fonts import ui_font
from tokenarium.style.theme import LIGHT, Theme
from tokenarium.widgets.text.text_area import MARGIN, TextArea
from tokenarium.widgets.text.text_layout import PlacedLine, TextLayout
from tokenarium.widgets.text.token_boxes import span_boxes
from tokenarium.widgets.text.token_painter import (
    Annotations,
    Lit,
    LitSpan,
    TokenPainter,
    paint_empty,
)


class TokenView(TextArea):
    """A text and its parts. ``layout`` is shared with other views of the same text, or its own."""

    hovered = Signal(int, int)
    """The byte span of the part under the pointer; -1, -1 if there is none."""

    picked = Signal(int, int)
    """The byte span that was clicked, dragged over or walked to; -1, -1 for none."""

    def __init__(
        self,
        layout: TextLayout | None = None,
        parent: QWidget | None = None,
        theme: Theme = LIGHT,
    ) -> None:
        super().__init__(layout, parent)
        self._painter = TokenPainter(theme)
        self._parts = TextSpans.empty()
        self._hovered_part = -1
        self._current = -1
        self._origin = -1
        self._dragging = False
        self._show_focus = False
        self._empty_text = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Tokens")
        self.setTheme(theme)
        self._layout.set_room(self, *self._painter.room())

    # Contents

    @property
    def segmentation(self) -> TextSpans:
        """The parts that are shown."""
        return self._parts

    def setTextMap(self, text: TextMap) -> None:
        """Shows another text. Parts that the edit didn't touch stay until ``setSegmentation``."""
        self._layout.set_text_map(text)

    def setSegmentation(self, parts: TextSpans) -> None:
        """Shows other parts of the text."""
        self._parts = parts
        self._painter.set_content(self._layout.text_map, parts, self._layout.width)
        self._current = self._origin = self._hovered_part = -1
        self.viewport().update()

    def setDisputed(self, cuts: IntArray) -> None:
        """Ticks the parts that end or begin at these byte offsets, sorted: cuts that others don't make."""
        if not np.array_equal(cuts, self._painter.disputed):
            self._painter.disputed = cuts
            self.viewport().update()

    def ticks(self) -> IntArray:
        """Returns the byte offsets in the text that are ticked."""
        return self._painter.ticks(0, self._layout.text_map.byte_count)

    def setHighlight(self, start: int, end: int) -> None:
        """Highlights the bytes ``start`` … ``end`` as the selection; -1, -1 for none."""
        self._light(replace(self._painter.lit, selected=LitSpan(start, end)))

    def setPointed(self, start: int, end: int) -> None:
        """Highlights bytes weakly, as pointed at elsewhere; -1, -1 for none."""
        self._light(replace(self._painter.lit, pointed=LitSpan(start, end)))

    def setShowWhitespace(self, on: bool) -> None:
        """Sets whether spaces and invisible characters are drawn as signs and names."""
        if on != self._painter.show_whitespace:
            self._painter.show_whitespace = on
            self._layout.set_room(self, *self._painter.room())
            self.viewport().update()

    def setAnnotations(self, kind: Annotations) -> None:
        """Writes "ids" or "bytes" under the parts, or "none"."""
        if kind != self._painter.annotations:
            self._painter.annotations = kind
            self._layout.set_room(self, *self._painter.room())
            self.viewport().update()

    def copyLooks(self, other: TokenView) -> None:
        """Copies the display options and the scroll position of another view."""
        self.setShowWhitespace(other._painter.show_whitespace)
        self.setAnnotations(other._painter.annotations)
        self._top_byte, self._top_shift = other._top_byte, other._top_shift

    def setEmptyText(self, text: str) -> None:
        """Sets the message of a view without a text."""
        self._empty_text = text
        self.viewport().update()

    def setTheme(self, theme: Theme) -> None:
        """Paints in the colours of ``theme``."""
        self._painter.set_theme(theme)
        palette = theme.palette()
        self.setPalette(palette)
        self.viewport().setPalette(palette)
        self.viewport().update()

    # Painting

    def paintContents(self, painter: QPainter, rect: QRect | QRectF) -> None:
        """Paints the part in ``rect``, in coordinates of the viewport, on any device.

        ``rect`` may be larger than the visible part: an export paints ``contentRect()``.
        """
        text = self._layout.text_map
        painter.fillRect(rect, self._painter.theme.surface)
        if not text.byte_count:
            inner = QRectF(self.viewport().rect()).adjusted(
                MARGIN, self._padding, -MARGIN, -self._padding
            )
            paint_empty(painter, inner, self._empty_text, ui_font(), self._painter.theme)
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        block, y = self._block, self._block_y()
        while block > 0 and y > rect.top():
            block -= 1
            y -= self._layout.block_height(block)
        for below, placed in self._layout.lines_from(block, rect.bottom() + 1 - y):
            top, bottom = y + below + placed.top, y + below + placed.bottom
            if top <= rect.bottom() and bottom >= rect.top() and self._is_shown(top, bottom):
                painter.save()
                painter.translate(MARGIN + self._shift(placed), top)
                self._painter.paint_line(painter, placed)
                painter.restore()
        painter.restore()

    def _on_layout_changed(self) -> None:
        text = self._layout.text_map
        if text is not self._painter.text:
            self._parts = self._parts.after_edit(*self._layout.last_edit)
            self._current = self._origin = self._hovered_part = -1
        self._painter.set_content(text, self._parts, self._layout.width)
        super()._on_layout_changed()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        try:
            self.paintContents(painter, event.rect())
            if self._show_focus and not self._painter.lit.selected:
                painter.setPen(self._painter.theme.accent)
                painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))
        finally:
            painter.end()  # a painter that outlives its widget, in a traceback, ends the process

    def _light(self, lit: Lit) -> None:
        before, self._painter.lit = self._painter.lit, lit
        for old, new in ((before.selected, lit.selected), (before.pointed, lit.pointed)):
            if old != new:
                self._update_span(old)
                self._update_span(new)

    def _update_span(self, span: LitSpan) -> None:
        """Updates the lines of ``span``."""
        if not span:
            return
        height = self.viewport().height()
        top, bottom = None, 0.0
        for below, placed in self._layout.lines_from(self._block, height - self._block_y()):
            if placed.start <= span.end and placed.end >= span.start:
                top = below + placed.top if top is None else top
                bottom = below + placed.bottom
        if top is not None:
            y = self._block_y()
            rect = QRectF(0, y + top - 4, self.viewport().width(), bottom - top + 8)
            self.viewport().update(rect.toAlignedRect())

    # Pointing

    def partAt(self, point: QPoint | QPointF) -> int:
        """The index of the part at a point of the viewport, or -1."""
        found = self._place(QPointF(point))
        if found is None:
            return -1
        placed, x = found
        runs = placed.line.runs
        if not min(run.left for run in runs) <= x <= max(run.right for run in runs):
            return -1
        return self._parts.at(placed.base + placed.line.offset_at(x))

    def partRects(self, index: int) -> list[QRectF]:
        """The boxes of a part in its visible lines."""
        rects = []
        looks = self._parts.looks(range(index, index + 1))
        start, end = float(looks.starts[0]), float(looks.ends[0])
        y = self._block_y()
        for below, placed in self._layout.lines_from(self._block, self.viewport().height() - y):
            for box in span_boxes(placed, start, end).boxes:
                top, height = y + below + placed.text_top, placed.text_bottom - placed.text_top
                left = MARGIN + self._shift(placed) + box.left
                rects.append(QRectF(left, top, box.right - box.left, height))
        return rects

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        part = self.partAt(event.position())
        if self._dragging:
            if part >= 0 and part != self._current:
                self._pick(part, extend=True)
        elif part != self._hovered_part:
            self._hovered_part = part
            self.hovered.emit(*(self._parts.span(part) if part >= 0 else (-1, -1)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        part = self.partAt(event.position())
        if part < 0:
            self._current = self._origin = -1
            self.picked.emit(-1, -1)
            return
        self._dragging = True
        self._pick(part, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False

    def leaveEvent(self, event: QEvent) -> None:
        if self._hovered_part >= 0:
            self._hovered_part = -1
            self.hovered.emit(-1, -1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        keyboard = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._show_focus = event.reason() in keyboard
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._show_focus = False
        self.viewport().update()

    # Walking with the keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape and self._current >= 0:
            self._current = self._origin = -1
            self.picked.emit(-1, -1)
            return
        goal = self._goal(key, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        if goal is None:
            super().keyPressEvent(event)
            return
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if 0 <= goal < len(self._parts):
            self._pick(goal, extend)
            self.ensureVisible(self._parts.span(goal)[0])

    def _goal(self, key: int, control: bool) -> int | None:
        """The part that a key goes to, or None for other keys."""
        last = len(self._parts) - 1
        start = self._current if self._current >= 0 else self._first_visible()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            if self._current < 0:
                return start
            onwards = (key == Qt.Key.Key_Right) != self._reads_left(start)
            return min(max(start + (1 if onwards else -1), 0), last)
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            if control:
                return 0 if key == Qt.Key.Key_Home else last
            line = self._line_of(start)
            if line is None:
                return start
            inside = self._parts.between(line.start, line.end)
            return inside.start if key == Qt.Key.Key_Home else max(inside.stop - 1, 0)
        page = max(1, int(self.viewport().height() / self._layout.line_height) - 1)
        steps = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
        }
        lines = steps.get(Qt.Key(key))
        if lines is None or last < 0:
            return None
        return start if self._current < 0 else self._vertical(start, lines)

    def _vertical(self, index: int, steps: int) -> int:
        """The part ``steps`` lines below (or above) another."""
        start, end = self._parts.span(index)
        placed = self._line_of(index)
        if placed is None:
            return index
        boxes = span_boxes(placed, start, end).boxes
        x = (boxes[0].left + boxes[0].right) / 2 if boxes else 0.0
        goal = self._line_beyond(placed, steps)
        part = self._parts.at(goal.base + goal.line.offset_at(x))
        if part < 0:
            part = max(self._parts.between(goal.start, goal.end).stop - 1, 0)
        return part

    def _pick(self, part: int, extend: bool) -> None:
        self._current = part
        if not extend or self._origin < 0:
            self._origin = part
        first, last = sorted((self._origin, self._current))
        self.picked.emit(self._parts.span(first)[0], self._parts.span(last)[1])
        self._announce()

    def _first_visible(self) -> int:
        return self._parts.between(self._top_byte, self._top_byte + 1).start

    def _line_of(self, part: int) -> PlacedLine | None:
        if not 0 <= part < len(self._parts):
            return None
        byte = self._parts.span(part)[0]
        return self._line_in(self._layout.block_of(byte), byte)

    def _reads_left(self, part: int) -> bool:
        """Whether the text at a part runs to the left, so that "right" means back."""
        line = self._line_of(part)
        if line is None:
            return False
        at = self._parts.span(part)[0] - line.base
        return any(run.start <= at < run.end and run.xs[0] > run.xs[-1] for run in line.line.runs)

    def _announce(self) -> None:
        """Announces the current part to assistive technology."""
        start, end = self._parts.span(self._current)
        text = self._layout.text_map.slice(start, end)
        ids = self._parts.ids
        number = f", id {int(ids[self._current])}" if ids is not None else ""
        self.setAccessibleDescription(
            f"{self._current + 1} of {len(self._parts)}: “{text}”{number}, bytes {start} to {end}"
        )
        event = QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        QAccessible.updateAccessibility(event)
