"""A text with its tokens as coloured boxes, even if the text is several megabytes.

The view has a text layout (which several views of one text may share), parts and highlighted
bytes. It emits the byte spans that the user points at and picks.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import QWidget

from tokenarium.models.text.lost_text import TextLoss
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.fonts import ui_font
from tokenarium.style.theme import Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.text.painted_changes import PaintedChanges
from tokenarium.widgets.text.text_area import PADDING, TextArea
from tokenarium.widgets.text.text_layout import PlacedLine, TextLayout
from tokenarium.widgets.text.token_boxes import span_boxes
from tokenarium.widgets.text.token_layer import TokenLayer
from tokenarium.widgets.text.token_painter import (
    Annotations,
    Lit,
    LitSpan,
    TokenPainter,
    paint_empty,
    rounded,
)

FRAME = 1.5
AROUND = 5
CORNER = 6.0
NEAR_CUT = 6.0
"""Pixels: the frame of a selection, its distance from the tokens, the radius of its corners, the distance for clicking
a cut."""


class TokenView(Themed, TextArea):
    """A text and its parts. ``layout`` is shared with other views of the same text, or its own."""

    hovered = Signal(int, int)
    """The byte span of the part under the pointer; -1, -1 if there is none."""

    picked = Signal(int, int)
    """The byte span that was clicked, dragged over or reached by keys; -1, -1 for none."""

    cut_clicked = Signal(int)
    """The byte after a cut that was clicked."""

    token_activated = Signal(int, int)
    """The byte span that was double-clicked."""

    token_menu_requested = Signal(QPoint, int, int)
    """A context menu is requested, by a right click or Enter: the point of the screen, and the byte span."""

    _changed = Signal()
    """Text or parts have changed, in the current turn of the event loop."""

    def __init__(
        self,
        layout: TextLayout | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(layout, parent)
        self._painter = TokenPainter(self.theme)
        self._pointed: tuple[int, int] | None = None
        self._current = -1  # the part from which the keys continue
        self._anchor: tuple[int, int] | None = None  # the part that a selection began with
        self._dragging = False
        self._menu_row = ""
        self._show_focus = False
        self._empty_text = ""
        self._changes = PaintedChanges(self._painter)
        self._compares = False  # soon, what has changed since it was painted
        self._spills = True  # whether letters that are painted reach out of their rows
        # Queued, so that all changes of this turn are compared before anything is painted.
        self._changed.connect(self._compare, Qt.ConnectionType.QueuedConnection)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        # All of a region is painted, so that Qt need not do so before, and moves the pixels by scrolling.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Tokens")
        self.follow_theme()
        self._painter.set_font(self._layout.font)
        self._fit_lines()

    # Contents

    @property
    def parts(self) -> TextParts:
        """The current parts."""
        return self._painter.front.parts

    def set_text_map(self, text: TextMap) -> None:
        """Shows a new text. Parts that the edit did not touch stay until ``show_parts``."""
        self._layout.set_text_map(text)

    def show_parts(self, parts: TextParts, losing: TextLoss | None = None) -> None:
        """Shows new parts of the text; ``losing``: lost parts are hatched."""
        self._painter.front.set_parts(parts, losing)
        self._forget_current()
        self._paint_all()

    def next_lost(self, after: int) -> tuple[int, int] | None:
        """Returns the next lost part of the text; see `TokenLayer.next_lost`."""
        return self._painter.front.next_lost(self._painter.text, after)

    def _forget_current(self) -> None:
        self._current, self._anchor, self._pointed = -1, None, None

    def set_highlight(self, start: int, end: int) -> None:
        """Highlights the bytes ``start`` … ``end`` as the selection; -1, -1 for none."""
        self._light(replace(self._painter.lit, selected=LitSpan(start, end)))

    def set_pointed(self, start: int, end: int) -> None:
        """Highlights bytes weakly, as pointed at elsewhere; -1, -1 for none."""
        self._light(replace(self._painter.lit, pointed=LitSpan(start, end)))

    def set_show_whitespace(self, on: bool) -> None:
        """Sets whether spaces and invisible characters are drawn as signs and names."""
        if on != self._painter.show_whitespace:
            self._painter.show_whitespace = on
            self._fit_lines()

    def set_annotations(self, kind: Annotations) -> None:
        """Writes "ids" or "bytes" under the parts, or "none"."""
        if kind != self._painter.annotations:
            self._painter.annotations = kind
            self._fit_lines()

    def _fit_lines(self) -> None:
        """Reserves the room that the lines need."""
        self._layout.set_room(self, *self._painter.room())
        self._paint_all()

    def copy_display(self, other: TokenView) -> None:
        """Copies the display options and the scroll position of another view."""
        self.set_show_whitespace(other._painter.show_whitespace)
        self.set_annotations(other._painter.annotations)
        self._top_byte, self._top_shift = other._top_byte, other._top_shift

    def set_empty_text(self, text: str) -> None:
        """Sets the message of a view without a text."""
        self._empty_text = text
        self._paint_all()

    def dress(self, theme: Theme) -> None:
        self._painter.set_theme(theme)

    # Painting

    def paint_contents(
        self, painter: QPainter, rect: QRect | QRectF, region: QRegion | None = None
    ) -> None:
        """Paints the part in ``rect``, in coordinates of the viewport, on any device.

        ``rect`` may be larger than the visible part: an export paints ``content_rect()``. ``region``: only this part of
        it is needed.
        """
        text = self._layout.text_map
        painter.fillRect(rect, self._painter.theme.surface)
        if not text.byte_count:
            inner = QRectF(self.viewport().rect()).adjusted(
                self._left, PADDING, -self._right, -PADDING
            )
            paint_empty(painter, inner, self._empty_text, ui_font(), self._painter.theme)
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        lit = self._painter.lit
        whole = QRectF(rect).united(QRectF(self.viewport().rect())) if lit != Lit() else rect
        frame = self._paint_grounds(painter, self._lines_in(whole))
        for top, placed in self._lines_in(rect):
            rows = None if region is None else self._changes.rows_in(region, top, placed)
            painter.save()
            painter.translate(self._left + self._shift(placed), top)
            self._painter.paint_line(painter, placed, rows)
            painter.restore()
            self._paint_margins(painter, top, placed, rows)
        if frame is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._painter.theme.accent, FRAME))
            painter.drawPath(frame)
        painter.restore()

    def _lines_in(self, rect: QRectF | QRect) -> list[tuple[float, PlacedLine]]:
        """The lines in a part of the viewport, with their tops."""
        block, y = self._block, self._block_y()
        while block > 0 and y > rect.top():
            block -= 1
            y -= self._layout.block_height(block)
        visible = []
        for below, placed in self._layout.lines_from(block, rect.bottom() + 1 - y):
            top, bottom = y + below + placed.top, y + below + placed.bottom
            if top <= rect.bottom() and bottom >= rect.top() and self._is_shown(top, bottom):
                visible.append((top, placed))
        return visible

    def _paint_grounds(
        self, painter: QPainter, lines: Sequence[tuple[float, PlacedLine]]
    ) -> QPainterPath | None:
        """Paints the highlights; returns the frame of the selection, if it is visible."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._painter.theme.wash)
        frame = None
        lit = self._painter.lit
        for span in (lit.pointed, lit.selected):
            if not span or (span is lit.pointed and span == lit.selected):
                continue
            path = rounded(self._outline(span, lines), CORNER)
            if not path.isEmpty():
                painter.drawPath(path)
                frame = path if span is lit.selected else None
        return frame

    def _outline(self, span: LitSpan, lines: Sequence[tuple[float, PlacedLine]]) -> QPainterPath:
        """The outline of a span: around the text and the strips, as one for lines below each other."""
        outline = QPainterPath()
        before: list[QRectF] = []
        for top, placed in lines:
            boxes = span_boxes(placed, span.start, span.end) if span.touches(placed) else []
            left = self._left + self._shift(placed)
            above = top + self._painter.band(placed).top - AROUND
            foot = top + self._painter.foot(placed) + AROUND
            here = [
                QRectF(left + box.left, above, box.right - box.left, foot - above).adjusted(
                    -AROUND, 0, AROUND, 0
                )
                for box in boxes
            ]
            if here and not before and span.start < placed.start:
                before = [here[0].translated(0, -foot)]  # in a line that is not visible
            for rect in here:
                outline.addRect(rect)
                for other in before:
                    start, end = max(rect.left(), other.left()), min(rect.right(), other.right())
                    if end - start > 2 * CORNER:
                        between = QRectF(start, other.bottom() - 1, end - start, 0)
                        between.setBottom(rect.top() + 1)
                        outline.addRect(between)
            before = here
        outline.setFillRule(Qt.FillRule.WindingFill)
        return outline

    def _paint_margins(
        self, painter: QPainter, top: float, placed: PlacedLine, rows: Container[int] | None
    ) -> None:
        """Paints the area next to a line, or to some of its rows."""

    def _on_layout_changed(self) -> None:
        text = self._layout.text_map
        if text is not self._painter.text:
            for layer in self._painter.layers:
                layer.follow_edit(*self._layout.last_edit)
            self._forget_current()
            self._painter.set_text(text)
            if self._painter.lit != Lit():  # it is where the bytes were
                self._changes.forget()
        else:
            for layer in self._painter.layers:
                layer.lay_out()
            self._changes.forget()
        super()._on_layout_changed()

    def _paint_scrolled(self, pixels: float) -> None:
        viewport = self.viewport()
        rect = viewport.rect()
        moves = (
            pixels % 2 == 0  # halves of a pixel are rounded to even numbers
            and viewport.devicePixelRatioF().is_integer()
            and abs(pixels) < rect.height()
            and not (self._compares or self._spills or self._show_focus or self._whole)
            and self._moves_with(self._painter.lit.selected, pixels)
            and self._moves_with(self._painter.lit.pointed, pixels)
        )
        if moves:
            self._changes.forget()
            viewport.scroll(0, -int(pixels))  # and paints only what comes in
        else:
            self._paint_all()

    def _moves_with(self, span: LitSpan, pixels: float) -> bool:
        """Whether the outline of highlighted bytes was not cut off at an edge before scrolling, and is not after it."""
        if not span:
            return True
        seen = QRectF(self.viewport().rect())
        far = seen.adjusted(0, -seen.height(), 0, seen.height())
        outline = self._outline(span, self._lines_in(far)).boundingRect()
        places = [rect.adjusted(0, -2, 0, 2) for rect in (outline, outline.translated(0, pixels))]
        return all(seen.top() <= rect.top() and rect.bottom() <= seen.bottom() for rect in places)

    def _paint_layout(self) -> None:
        self._paint_changes()

    def _paint_all(self) -> None:
        self._changes.forget()
        super()._paint_all()

    def _paint_changes(self) -> None:
        """Paints what this turn of the event loop changes."""
        if not self._compares:
            self._compares = True
            self._changed.emit()

    def _compare(self) -> None:
        self._compares = False
        viewport = self.viewport()
        if not viewport.isVisible():
            self._changes.forget()
            return
        rect = viewport.rect()
        lines = []
        # A fraction of a pixel at an edge of what is painted would show.
        if self._layout.text_map.byte_count and viewport.devicePixelRatioF().is_integer():
            lines = [(top, self._shift(placed), placed) for top, placed in self._lines_in(rect)]
        region = self._changes.since_painted(lines, rect.width())
        if region is None:
            viewport.update()
        elif not region.isEmpty():
            viewport.update(region)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        try:
            part = event.region() != QRegion(self.viewport().rect())
            self._changes.note_painted(event.region())
            self._note_spills(event.rect(), part)
            self.paint_contents(painter, event.rect(), event.region() if part else None)
            if self._show_focus and not self._painter.lit.selected:
                painter.setPen(QPen(self._painter.theme.accent, 2))
                painter.drawRect(self.viewport().rect().adjusted(1, 1, -2, -2))
        finally:
            painter.end()  # a painter that outlives its widget, in a traceback, ends the process

    def _note_spills(self, rect: QRect, part: bool) -> None:
        """Notes whether the letters of a painted line reach out of their row: into what is not painted, if it is a part."""
        lines = self._lines_in(rect) if self._layout.text_map.byte_count else []
        spills = any(not self._painter.keeps_rows_apart(placed) for _, placed in lines)
        if spills and part and not self._spills:
            self._paint_all()
        self._spills = spills or (part and self._spills)

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
            rect = QRectF(0, y + top - 8, self.viewport().width(), bottom - top + 16)
            self.viewport().update(rect.toAlignedRect())

    # Pointing

    def part_at(self, point: QPoint | QPointF) -> int:
        """The index of the part at a point of the viewport, or -1."""
        hit = self._place(QPointF(point))
        return -1 if hit is None else self._part_of(self._painter.front, *hit)

    def span_at(self, point: QPoint | QPointF) -> tuple[int, int] | None:
        """The byte span of the part at a point of the viewport, in the text or in a strip."""
        hit = self._hit(point)
        return None if hit is None else hit[0].parts.span(hit[1])

    def _hit(self, point: QPoint | QPointF) -> tuple[TokenLayer, int] | None:
        """The layer and the index of the part at a point of the viewport."""
        at = QPointF(point)
        line_and_x = self._place(at)
        if line_and_x is None:
            return None
        layer = self._painter.layer_at(line_and_x[0], self._y_in_line(at))
        part = self._part_of(layer, *line_and_x)
        return (layer, part) if part >= 0 else None

    def _part_of(self, layer: TokenLayer, placed: PlacedLine, x: float) -> int:
        runs = placed.line.runs
        if not min(run.left for run in runs) <= x <= max(run.right for run in runs):
            return -1
        return layer.parts.at(placed.base + placed.line.offset_at(x))

    def _y_in_line(self, point: QPointF) -> float:
        """How far below the top of its line a point of the viewport is."""
        y = self._block_y()
        for below, placed in self._layout.lines_from(self._block, point.y() - y + 1):
            top = y + below + placed.top
            if top <= point.y() < y + below + placed.bottom:
                return point.y() - top
        return 0.0

    def part_rects(self, index: int) -> list[QRectF]:
        """The boxes of a part in its visible lines."""
        rects = []
        looks = self.parts.looks(range(index, index + 1))
        start, end = float(looks.starts[0]), float(looks.ends[0])
        y = self._block_y()
        for below, placed in self._layout.lines_from(self._block, self.viewport().height() - y):
            for box in span_boxes(placed, start, end):
                top, height = y + below + placed.text_top, placed.text_bottom - placed.text_top
                left = self._left + self._shift(placed) + box.left
                rects.append(QRectF(left, top, box.right - box.left, height))
        return rects

    def span_rect(self, start: int, end: int) -> QRect | None:
        """The rectangle of bytes, with the strips under them, in screen coordinates; None if they are not visible."""
        seen = QRectF(self.viewport().rect())
        rect = self._outline(LitSpan(start, end), self._lines_in(seen)).boundingRect() & seen
        if rect.isEmpty():
            return None
        bounds = rect.toAlignedRect()
        bounds.moveTopLeft(self.viewport().mapToGlobal(bounds.topLeft()))
        return bounds

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        span = self.span_at(event.position())
        if self._dragging:
            if span is not None and span != self._pointed:
                self._pointed = span
                self._pick_span(span, extend=True)
        elif span != self._pointed:
            self._pointed = span
            self.hovered.emit(*(span or (-1, -1)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        span = self.span_at(event.position())
        if span is None:
            self._current, self._anchor = -1, None
            self.picked.emit(-1, -1)
            return
        self._dragging, self._pointed = True, span
        cut = self._cut_at(event.position())
        if cut is not None:
            self.cut_clicked.emit(cut)
        self._pick_span(span, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def _cut_at(self, point: QPointF) -> int | None:
        """The byte after the cut of the front that is near a point of the viewport."""
        part = self.part_at(point)
        if part < 0:
            return None
        start, end = self.parts.span(part)
        rects = [rect for rect in self.part_rects(part) if rect.top() <= point.y() <= rect.bottom()]
        for rect in rects or self.part_rects(part)[:1]:
            onwards = not self._reads_left(part)
            if point.x() - rect.left() <= NEAR_CUT:
                return start if onwards else end
            if rect.right() - point.x() <= NEAR_CUT:
                return end if onwards else start
        return None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        span = self.span_at(event.position())
        if span is not None and event.button() == Qt.MouseButton.LeftButton:
            self._note_row(event.position())
            self.token_activated.emit(*span)

    @property
    def menu_row(self) -> str:
        """The key of the row of the token whose menu or card was last requested; "" for that of the selection."""
        return self._menu_row

    def _note_row(self, point: QPoint | QPointF | None) -> None:
        """Notes which row is at a point of the viewport."""
        hit = self._hit(point) if point is not None else None
        self._menu_row = hit[0].key if hit is not None else ""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Requests the menu of the selection if the pointer is in it, or else of the part under it."""
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        self._note_row(event.pos() if by_mouse else None)
        selected = self._painter.lit.selected
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self._ask_for_menu()
            return
        span = self.span_at(event.pos())
        if span is not None and selected.start <= span[0] and span[1] <= selected.end:
            span = selected.start, selected.end
        if span is not None:
            self.token_menu_requested.emit(event.globalPos(), *span)

    def _ask_for_menu(self) -> None:
        """Requests the menu of the selection, under its first part."""
        selected = self._painter.lit.selected
        if selected:
            rects = self.part_rects(self._part_at_byte(selected.start))
            place = rects[0].bottomLeft().toPoint() if rects else self.viewport().rect().center()
            point = self.viewport().mapToGlobal(place)
            self.token_menu_requested.emit(point, selected.start, selected.end)

    def leaveEvent(self, event: QEvent) -> None:
        if self._pointed is not None:
            self._pointed = None
            self.hovered.emit(-1, -1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        keyboard = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._show_focus = event.reason() in keyboard
        self._paint_all()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._show_focus = False
        self._paint_all()

    # Walking with the keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        selected = self._painter.lit.selected
        if key == Qt.Key.Key_Escape and (self._current >= 0 or selected):
            self._current, self._anchor = -1, None
            self.picked.emit(-1, -1)
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and selected:
            self._note_row(None)
            self._ask_for_menu()
            return
        goal = self._goal(key, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        if goal is None:
            super().keyPressEvent(event)
            return
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if 0 <= goal < len(self.parts):
            self._pick(goal, extend)
            self.ensureVisible(self.parts.span(goal)[0])

    def _goal(self, key: int, control: bool) -> int | None:
        """The part that a key goes to, or None for other keys."""
        last = len(self.parts) - 1
        start = self._current if self._current >= 0 else self._first_visible()
        if self._current < 0 and self._painter.lit.selected:
            start = self._part_at_byte(self._painter.lit.selected.start)
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            if self._current < 0 and not self._painter.lit.selected:
                return start
            onwards = (key == Qt.Key.Key_Right) != self._reads_left(start)
            return min(max(start + (1 if onwards else -1), 0), last)
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            if control:
                return 0 if key == Qt.Key.Key_Home else last
            line = self._line_of(start)
            if line is None:
                return start
            inside = self.parts.between(line.start, line.end)
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
        start, end = self.parts.span(index)
        placed = self._line_of(index)
        if placed is None:
            return index
        boxes = span_boxes(placed, start, end)
        x = (boxes[0].left + boxes[0].right) / 2 if boxes else 0.0
        goal = self._line_beyond(placed, steps)
        part = self.parts.at(goal.base + goal.line.offset_at(x))
        if part < 0:
            part = max(self.parts.between(goal.start, goal.end).stop - 1, 0)
        return part

    def _pick(self, part: int, extend: bool) -> None:
        self._pick_span(self.parts.span(part), extend)
        self._current = part
        self._announce()

    def _pick_span(self, span: tuple[int, int], extend: bool) -> None:
        """Selects a part, or, to ``extend`` the selection, all from the part with which it began."""
        if not extend or self._anchor is None:
            self._anchor = span
        self._current = self._part_at_byte(span[0])
        self.picked.emit(min(self._anchor[0], span[0]), max(self._anchor[1], span[1]))

    def _part_at_byte(self, byte: int) -> int:
        """The part that has a byte, or the next one."""
        parts = self.parts
        numbers = parts.between(byte, byte + 1)
        return min(numbers.start, len(parts) - 1)

    def _first_visible(self) -> int:
        return self.parts.between(self._top_byte, self._top_byte + 1).start

    def _line_of(self, part: int) -> PlacedLine | None:
        if not 0 <= part < len(self.parts):
            return None
        byte = self.parts.span(part)[0]
        return self._line_in(self._layout.block_of(byte), byte)

    def _reads_left(self, part: int) -> bool:
        """Whether the text at a part runs to the left, so that "right" means back."""
        line = self._line_of(part)
        if line is None:
            return False
        at = self.parts.span(part)[0] - line.base
        return any(run.start <= at < run.end and run.xs[0] > run.xs[-1] for run in line.line.runs)

    # For assistive technology

    def visible_parts(self) -> range:
        """The parts in the visible lines."""
        start, end = self.visible_bytes()
        return self.parts.between(start, end)

    @property
    def current_part(self) -> int:
        """The part from which the keys continue; -1 for none."""
        return self._current

    def part_in_words(self, part: int) -> tuple[str, str]:
        """The text of a part, and its id and its bytes in words."""
        start, end = self.parts.span(part)
        ids = self.parts.ids
        number = f"id {ids[part]}, " if ids is not None else ""
        return self._layout.text_map.slice(start, end), f"{number}bytes {start} to {end}"

    def _announce(self) -> None:
        """Announces the current part to assistive technology."""
        text, about = self.part_in_words(self._current)
        self.setAccessibleDescription(
            f"{self._current + 1} of {len(self.parts)}: “{text}”, {about}"
        )
        event = QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        QAccessible.updateAccessibility(event)
