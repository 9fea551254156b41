"""Bars of the most frequent pairs of a training, which move from merge to merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.merges.training_story import PairBar
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.text.segmentation import token_colour
from tokenarium.models.text.superword_ids import ABOUT
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.theme import GRID, MOTION_MS
from tokenarium.style.themed import Themed
from tokenarium.widgets.painting import paint_superword_line, small_width, text_width

ROW = 3.0 * GRID
TITLE = 3.0 * GRID
WIDEST_LABEL = 20.0 * GRID
MARGIN = 2.0 * GRID
COUNT_ROOM = 16.0 * GRID
"""Pixels after the longest bar, for its count and its note."""

COUNTED = "How often two tokens are adjacent in the corpus, before the merge"


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a bar: its row, and its length as a share of the longest."""

    row: float
    share: float


class PairBars(Themed, QWidget):
    """A bar for each pair, the most frequent first: how often the two are next to each other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The most frequent pairs")
        self.setToolTip(COUNTED)
        self.motion = True
        self._bars: Sequence[PairBar] = ()
        self._places: dict[tuple[int, int], _Place] = {}
        self._from: dict[tuple[int, int], _Place] = {}
        self._slide = QVariantAnimation(self)
        self._slide.setStartValue(0.0)
        self._slide.setEndValue(1.0)
        self._slide.valueChanged.connect(lambda _: self.update())
        self._slide.finished.connect(self.update)

    @property
    def bars(self) -> Sequence[PairBar]:
        """The current bars."""
        return self._bars

    def show_bars(
        self, bars: Sequence[PairBar], slide: bool = False, duration_ms: int = MOTION_MS
    ) -> None:
        """Shows new bars; with ``slide``, they move from their old places, new ones from below."""
        before = self._places
        most = max((bar.value for bar in bars), default=1.0) or 1.0
        self._bars = bars
        self._places = {bar.pair: _Place(row, bar.value / most) for row, bar in enumerate(bars)}
        self._slide.stop()
        self._from = {}
        if slide and self.motion and before:
            new = _Place(len(bars), 0.0)
            self._from = {bar.pair: before.get(bar.pair, new) for bar in bars}
            self._slide.setDuration(max(1, duration_ms))
            self._slide.start()
        values = [
            f"{_label(bar)}{' (a superword)' if bar.superword else ''}: {bar.figure or f'{bar.count:,}'}"
            for bar in bars
        ]
        self.setAccessibleDescription("; ".join(values))
        several = any(bar.superword for bar in bars)
        self.setToolTip(f"{COUNTED}.\n{ABOUT}" if several else COUNTED)
        self.update()

    def finish_motion(self) -> None:
        """Ends a slide at once."""
        self._slide.stop()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(50 * GRID, round(TITLE + 10 * ROW + GRID))

    def minimumSizeHint(self) -> QSize:
        return QSize(30 * GRID, round(TITLE + 3 * ROW))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), self.theme.surface)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paints the current bars, also for an export."""
        theme = self.theme
        moving = self._slide.state() == QVariantAnimation.State.Running
        part = float(self._slide.currentValue()) if moving else 1.0
        part = part * part * (3 - 2 * part)
        labels = [text_width(_label(bar)) for bar in self._bars]
        widest = min(max(labels, default=0.0) + 2, WIDEST_LABEL, self.width() * 0.4)
        left = MARGIN + widest + GRID
        widest = max((small_width(bar.figure) + 8 * GRID for bar in self._bars), default=0.0)
        room = max(self.width() - left - max(COUNT_ROOM, widest), 6 * GRID)
        painter.setFont(mono_font(SMALL_SIZE))
        painter.setPen(theme.dim)
        title = QRectF(MARGIN, 0, self.width() - 2 * MARGIN, TITLE)
        scored = any(bar.figure for bar in self._bars)
        said = "Pairs, and their scores" if scored else "Pairs, and their places"
        painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, said)
        for bar in reversed(self._bars):  # the first one above the others
            to = self._places[bar.pair]
            start = self._from.get(bar.pair, to) if moving else to
            row = start.row + (to.row - start.row) * part
            share = start.share + (to.share - start.share) * part
            self._paint_bar(painter, bar, TITLE + row * ROW, left, max(2.0, room * share))

    def _paint_bar(
        self, painter: QPainter, bar: PairBar, top: float, left: float, length: float
    ) -> None:
        theme = self.theme
        font = ui_font(TEXT_SIZE)
        label = QRectF(MARGIN, top, left - MARGIN - GRID, ROW)
        text = QFontMetricsF(font).elidedText(
            _label(bar), Qt.TextElideMode.ElideMiddle, label.width() + 1
        )
        painter.setFont(font)
        painter.setPen(theme.ink)
        painter.drawText(label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        rect = QRectF(left, top + 3, length, ROW - 6)
        fill = theme.tokens[token_colour(31 * bar.pair[0] + bar.pair[1]) % len(theme.tokens)]
        painter.setBrush(fill)
        painter.setPen(QPen(theme.accent, 2) if bar.merged else QPen(theme.line, 1))
        painter.drawRoundedRect(rect, 3, 3)
        if bar.superword:
            paint_superword_line(painter, theme, rect, min(4.0, length / 4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(mono_font(SMALL_SIZE))
        count = bar.figure or f"{bar.count:,}"
        at = rect.right() + GRID
        painter.setPen(theme.ink)
        here = QRectF(at, top, max(COUNT_ROOM, small_width(count) + 8 * GRID), ROW)
        painter.drawText(here, Qt.AlignmentFlag.AlignVCenter, count)
        note = "merged" if bar.merged else "tied" if bar.tied else ""
        painter.setPen(theme.accent if bar.merged else theme.ask)
        here.setLeft(at + small_width(count) + GRID)
        painter.drawText(here, Qt.AlignmentFlag.AlignVCenter, note)

    # Pointing.

    def tip(self, y: float) -> str:
        """Returns the tooltip of the bar at a height; a general one if there is none."""
        row = int((y - TITLE) // ROW)
        if not 0 <= row < len(self._bars):
            return self.toolTip()
        bar = self._bars[row]
        text = f"{_label(bar)}: {'once' if bar.count == 1 else f'{bar.count:,} places'}"
        if bar.figure:
            text = f"{_label(bar)}: {bar.figure}"
        if bar.superword:
            text += f"\nTogether a superword: one entry that holds {bar.words} words."
        return text

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), as_tip(self.tip(event.pos().y())), self)
            return True
        return super().event(event)


def _label(bar: PairBar) -> str:
    """Returns the two tokens from left to right, whatever their writing directions."""
    text = f"{isolated(bar.left)} + {isolated(bar.right)}"
    return text if text.isascii() else f"\u2066{text}\u2069"
