"""A scroll area over a text layout, whose position is a line of the text, not a pixel.

Heights of blocks that were not visible yet are estimates. Therefore the area remembers which block is at its top, and
scrolls from there: when exact heights become known, only the scroll bar moves.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QStyle, QWidget

from tokenarium.models.text.direction import may_read_right_to_left, reads_right_to_left
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.fonts import reading_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.text.text_layout import PlacedLine, TextLayout

MARGIN = 2 * GRID
"""The room at either side of the text, in pixels; spaces at the end of a line hang into it."""

PADDING = GRID
"""The room above the first line and below the last, in pixels."""

STEP = 4 * GRID
"""The most pixels that an arrow or a notch of the wheel scrolls, before the system multiplies it."""

FEW_LINES = 5
"""An area for fewer lines shows only whole lines; a larger one scrolls smoothly and shows partial lines, too."""

LOOKED_BACK = 64
"""How many earlier paragraphs are searched for the direction of a paragraph without one."""


KEPT_SHIFTS = 200
"""How many lines have their offset to the right kept."""


class TextArea(QAbstractScrollArea):
    """Scrolls a text layout, which other areas may share."""

    scrolled = Signal(int, float)
    """The user scrolled: the byte at the top, and how many pixels of its line are above."""

    def __init__(self, layout: TextLayout | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._left = self._right = MARGIN
        self._layout = layout or TextLayout(self)
        if layout is None:
            self._layout.set_font(reading_font())
        # The top of the viewport: a block and its pixels above; and as a byte, to return to it after a new layout.
        self._directed: tuple[TextMap | None, bool] = (
            None,
            False,
        )  # whether the text may have right-to-left lines
        self._shifts: dict[PlacedLine, float] = {}  # of lines of that text
        self._block = 0
        self._offset = 0.0
        self._top_byte = 0
        self._top_shift = 0.0
        self._moving_bar = False
        self._awaited = -1  # a byte to scroll to when the area is shown
        self._bar_update = QTimer(self, singleShot=True)
        self._bar_update.timeout.connect(self._update_bar)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().valueChanged.connect(self._on_bar)
        self._layout.changed.connect(self._on_layout_changed)
        self._layout.settled.connect(self._bar_update.start)

    @property
    def text_layout(self) -> TextLayout:
        """The current layout."""
        return self._layout

    @property
    def _whole(self) -> bool:
        """Whether only whole lines are shown. Scrolling still counts pixels, and goes to the next whole line."""
        few = FEW_LINES * self._layout.line_height + 2 * PADDING
        return self.viewport().height() < few

    def content_height(self) -> float:
        """The height of the whole text in pixels, as far as it is known (see ``TextLayout``)."""
        return self._layout.height + 2 * PADDING

    def visible_bytes(self) -> tuple[int, int]:
        """The bytes of the visible lines, as far as they are laid out."""
        start, end = self._layout.block_start(self._block), 0
        for _, placed in self._layout.lines_from(self._block, self.viewport().height() + PADDING):
            end = placed.end
        return start, max(start, end)

    def content_rect(self) -> QRectF:
        """The rectangle of the whole text in the viewport; lays out all of it."""
        heights = [self._layout.block_height(b) for b in range(self._layout.block_count)]
        top = self._block_y() - sum(heights[: self._block]) - PADDING
        return QRectF(0, top, self.viewport().width(), sum(heights) + 2 * PADDING)

    def scrollTo(self, byte: int, shift: float = 0.0) -> None:
        """Brings the line of ``byte`` to the top, ``shift`` pixels of it above: see ``scrolled``."""
        self._awaited = -1
        self._top_byte, self._top_shift = byte, shift
        self._stand_at_top_byte()
        self._update_bar()
        self._paint_all()

    def top_position(self) -> tuple[int, float]:
        """The byte whose line is at the top, and the pixels of that line above it: for ``scrollTo``."""
        return self._top_byte, self._top_shift

    def ensureVisible(self, byte: int) -> None:
        """Scrolls to show the line of ``byte``, if it is not visible.

        A hidden area does so again when it is shown, as only then it has its size.
        """
        self._awaited = -1 if self.isVisible() else byte
        block = self._layout.block_of(byte)
        placed = self._line_in(block, byte)
        height = self.viewport().height()
        near = (
            self._block <= block
            and self._layout.top(block) - self._layout.top(self._block) < 2 * height + self._offset
        )
        if near:
            y = self._block_y() + sum(
                self._layout.block_height(b) for b in range(self._block, block)
            )
            above, below = y + placed.top, y + placed.bottom - height
            above -= PADDING if self._whole else 0
            if above >= 0 and below <= 0:
                return
            self._offset = self._shown_offset()
            self._scroll_by(above if above < 0 else below + PADDING)
        else:
            self._block, self._offset = block, placed.top + PADDING
            self._scroll_by(-height / 3)
            self._paint_all()

    def _block_y(self) -> float:
        """The y of the top of the first visible block."""
        return PADDING - self._shown_offset()

    def _shown_offset(self) -> float:
        """The pixels of the first block above the viewport; with whole lines only, no part of a line."""
        if not self._whole:
            return self._offset
        tops = [placed.top for placed in self._layout.lines(self._block)]
        last = self._block + 1 == self._layout.block_count
        end = tops[-1] if last else self._layout.block_height(self._block)
        return next((top for top in tops if top >= self._offset), end)

    def _is_shown(self, top: float, bottom: float) -> bool:
        """Whether a line at this position is drawn; one that is higher than the area begins at its top."""
        if not self._whole:
            return True
        return top >= PADDING - 1 and (bottom <= self.viewport().height() or top <= PADDING)

    def _scroll_by(self, pixels: float) -> None:
        layout, moved = self._layout, pixels
        self._offset += pixels
        while self._offset < 0 and self._block > 0:
            self._block -= 1
            self._offset += layout.block_height(self._block)
        while (
            self._block + 1 < layout.block_count
            and self._offset >= (height := layout.block_height(self._block)) + PADDING
        ):
            self._offset -= height
            self._block += 1
        block, offset = self._block, self._offset
        self._keep_inside()
        moved += self._offset - offset
        moved -= sum(layout.block_height(above) for above in range(self._block, block))
        self._remember_top()
        self._update_bar()
        self._paint_scrolled(moved)
        self.scrolled.emit(self._top_byte, self._top_shift)

    def _keep_inside(self) -> None:
        """Scrolls up if the view would be half empty after the end of the text."""
        layout = self._layout
        if self._block == 0:
            self._offset = max(self._offset, 0.0)
        room = self.viewport().height() + self._offset - 2 * PADDING
        for block in range(self._block, layout.block_count):
            room -= layout.block_height(block)
            if room <= 0:
                return
        self._offset -= room
        while self._offset < 0 and self._block > 0:
            self._block -= 1
            self._offset += layout.block_height(self._block)
        self._offset = max(self._offset, 0.0) if self._block == 0 else self._offset

    def _remember_top(self) -> None:
        """Stores which byte is at the top, to return to it after a new layout."""
        y = self._offset - PADDING
        for placed in self._layout.lines(self._block):
            if placed.bottom > y:
                break
        self._top_byte, self._top_shift = placed.start, max(self._offset - placed.top, 0.0)

    def _stand_at_top_byte(self) -> None:
        self._block = self._layout.block_of(self._top_byte)
        placed = self._line_in(self._block, self._top_byte)
        self._offset = placed.top + min(self._top_shift, placed.bottom - placed.top + PADDING)
        self._keep_inside()

    def _line_in(self, block: int, byte: int) -> PlacedLine:
        """The line of a block that shows ``byte``."""
        lines = self._layout.lines(block)
        return next((line for line in lines if byte < line.end), lines[-1])

    def _shift(self, placed: PlacedLine) -> float:
        """The offset of a line to the right: a paragraph without letters is aligned like the one before it."""
        text = self._layout.text_map
        if self._directed[0] is not text:
            self._directed = text, may_read_right_to_left(text)
            self._shifts.clear()
        if not self._directed[1]:
            return 0.0
        shift = self._shifts.get(placed)
        if shift is None:
            if len(self._shifts) >= KEPT_SHIFTS:
                self._shifts.clear()
            shift = self._shifts[placed] = self._shift_of(placed)
        return shift

    def _shift_of(self, placed: PlacedLine) -> float:
        if any(run.xs[0] > run.xs[-1] for run in placed.line.runs):
            return 0.0  # the line has letters with a direction, and is already aligned
        block = self._layout.block_of(placed.base)
        before = (self._block_text(near) for near in range(block, max(block - LOOKED_BACK, -1), -1))
        if not reads_right_to_left(before) or reads_right_to_left([self._block_text(block)]):
            return 0.0
        return self._layout.width - placed.line.line.naturalTextWidth()

    def _block_text(self, block: int) -> str:
        last = block + 1 == self._layout.block_count
        text = self._layout.text_map
        end = text.byte_count if last else self._layout.block_start(block + 1)
        return text.slice(self._layout.block_start(block), end)

    def _line_beyond(self, placed: PlacedLine, steps: int) -> PlacedLine:
        """The line ``steps`` lines below another (above, if negative), or the last on the way."""
        block = self._layout.block_of(placed.base)
        lines = self._layout.lines(block)
        at = lines.index(placed) + steps
        while at < 0 and block > 0:
            block -= 1
            lines = self._layout.lines(block)
            at += len(lines)
        while at >= len(lines) and block + 1 < self._layout.block_count:
            at -= len(lines)
            block += 1
            lines = self._layout.lines(block)
        return lines[min(max(at, 0), len(lines) - 1)]

    def _update_bar(self) -> None:
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        self._moving_bar = True
        bar.setRange(0, max(0, round(self.content_height()) - height))
        bar.setPageStep(height)
        bar.setSingleStep(min(round(self._layout.line_height), STEP))
        bar.setValue(round(self._layout.top(self._block) + self._offset))
        self._moving_bar = False

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paints nothing, unlike Qt: what has moved is known when the value of the bar has changed."""

    def _on_bar(self, value: int) -> None:
        if self._moving_bar:
            return
        here = self._layout.top(self._block) + self._offset
        delta = value - round(here)
        if abs(delta) > 2 * self.viewport().height():
            self._block = self._layout.block_at(value)
            self._offset = value - self._layout.top(self._block)
            delta = 0
            self._paint_all()
        self._scroll_by(delta)

    def _on_layout_changed(self) -> None:
        self._top_byte = self._layout.carried(self._top_byte)
        self._stand_at_top_byte()
        self._update_bar()
        self._paint_layout()

    def _paint_layout(self) -> None:
        """Paints a layout that has changed."""
        self._paint_all()

    def _paint_scrolled(self, pixels: float) -> None:
        """Paints what has moved up by some pixels, or down if there are fewer than none."""
        self._paint_all()

    def _paint_all(self) -> None:
        """Paints everything again."""
        self.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._awaited >= 0:
            QTimer.singleShot(0, self, self._show_awaited)  # its surroundings are laid out by then

    def _show_awaited(self) -> None:
        if 0 <= self._awaited <= self._layout.text_map.byte_count:
            self.ensureVisible(self._awaited)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # The width of the scroll bar is left free even without one, so that all views of a text break its lines alike.
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self)
        self._layout.set_width(
            self.width() - 2 * self.frameWidth() - bar - self._left - self._right
        )
        self._stand_at_top_byte()
        self._update_bar()

    def sizeHint(self) -> QSize:
        return QSize(60 * GRID, 20 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(20 * GRID, 5 * GRID)

    def _place(self, point: QPointF) -> tuple[PlacedLine, float] | None:
        """The line at a point, and the x in it."""
        y = self._block_y()
        for below, placed in self._layout.lines_from(self._block, point.y() - y + 1):
            top, bottom = y + below + placed.top, y + below + placed.bottom
            if top <= point.y() < bottom and self._is_shown(top, bottom):
                return placed, point.x() - self._left - self._shift(placed)
        return None
