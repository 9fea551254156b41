"""A text once, with the tokens of one tokenizer on it, and under each line a strip for each of the others."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import (
    QEvent,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QStaticText,
)
from PySide6.QtWidgets import QToolTip, QWidget

from tokenarium.models.text.direction import isolated
from tokenarium.models.text.lost_text import TextLoss
from tokenarium.models.text.piece import readable
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.style.appearance import Appearance, motion_enabled
from tokenarium.style.fonts import READING_SIZE, SMALL_SIZE, number_font, reading_font
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import MOTION_MS, PAGE_MARGIN, Identity
from tokenarium.widgets.text import accessible_tokens
from tokenarium.widgets.text.text_layout import PlacedLine
from tokenarium.widgets.text.token_layer import TokenLayer
from tokenarium.widgets.text.token_painter import TEXT_ROW
from tokenarium.widgets.text.token_view import TokenView
from tokenarium.widgets.zoom_area import ZoomButton

GUTTER = 26
"""Pixels at the left of the text, for the markers."""

COUNTS, DENSE_COUNTS = 44, 54
"""Pixels at the right of the text, for the counts: in one column, and in the two of dense strips."""

MARKER = 13
STRIP_MARKER = 9
STRIP_COUNT_SIZE = 11
"""Pixels: the markers of the front and of a strip, and the numbers next to a strip."""


def row_of_digit(event: QKeyEvent) -> int:
    """Returns the index of the row for a key from 1 to 9, from 0; -1 for all other keys."""
    digit = event.text()
    plain = event.modifiers() in (
        Qt.KeyboardModifier.NoModifier,
        Qt.KeyboardModifier.KeypadModifier,
    )
    return "123456789".find(digit) if plain and len(digit) == 1 else -1


class InterlinearRow(NamedTuple):
    """One way to split the text; without an identity it has the colours of its rules."""

    key: str
    name: str
    identity: Identity | None


class InterlinearView(TokenView):
    """Several ways to split one text, by keys; one is in front, on the text itself."""

    front_requested = Signal(str)
    """The key of the row whose marker was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._before: QPixmap | None = None  # a picture with another front, while it fades
        super().__init__(None, parent)
        accessible_tokens.install()
        self._by_key: dict[str, TokenLayer] = {}
        self._markers: dict[tuple[str, int], QPixmap] = {}
        self._front = ""
        self._hides = False
        self._places = self._painter.places
        self._fade = QVariantAnimation(self, startValue=1.0, endValue=0.0, duration=MOTION_MS)
        self._fade.valueChanged.connect(self.viewport().update)
        self._fade.finished.connect(self._end_fade)
        self._left = PAGE_MARGIN + GUTTER
        self._right = COUNTS + 4
        self._painter.interlinear = True
        self._appearance: Appearance | None = None
        self._zoomed: ZoomButton | None = None  # made when it is first needed
        self._fitted: tuple[object, ...] = ()  # the room and the text for which the letters fit
        self._fit_soon = QTimer(self, singleShot=True, interval=0)
        self.set_text_size(READING_SIZE)

    @property
    def _whole(self) -> bool:
        return False  # a line with its strips may be as high as the view

    # Contents.

    def set_rows(self, rows: Sequence[InterlinearRow]) -> None:
        """Shows rows in this order; rows with a known key keep their parts."""
        before, self._by_key = self._by_key, {}
        self._markers.clear()
        for key, name, identity in rows:
            layer = self._by_key[key] = before.get(key) or TokenLayer(key)
            layer.name, layer.identity = name, identity
        self.set_front(self._front, moves=False)
        self._fit_again()

    def set_text_map(self, text: TextMap) -> None:
        super().set_text_map(text)
        self._fit_again()

    def set_front(self, key: str, moves: bool = True) -> None:
        """Puts a row in front, the first if there is none with this key; ``moves``: the fills fade over."""
        if key not in self._by_key:
            key = next(iter(self._by_key), "")
        layers = (
            {key: layer.blank() for key, layer in self._by_key.items()}
            if self._hides
            else self._by_key
        )
        front = layers.get(key, TokenLayer())
        changes = front is not self._painter.front
        if changes and moves and self.isVisible() and motion_enabled():
            self._before = self.viewport().grab()
            self._fade.start()
        self._front = key
        self._painter.front = front
        self._painter.strips = [layer for layer in layers.values() if layer is not front]
        if changes:
            self._forget_current()
        self._fit_lines()

    def hide_parts(self, hide: bool) -> None:
        """Hides the parts of all rows and their counts, or shows them; markers and the room of strips stay."""
        if hide != self._hides:
            self._hides = hide
            self._painter.places = self._places[:0] if hide else self._places
            self.set_front(self._front, moves=False)
            self._paint_all()

    @property
    def hides_parts(self) -> bool:
        """Whether the parts are hidden."""
        return self._hides

    @property
    def front(self) -> str:
        """The key of the row in front."""
        return self._front

    @property
    def rows(self) -> Mapping[str, TokenLayer]:
        """The rows by key, in their order."""
        return self._by_key

    def set_parts(
        self, key: str, parts: TextParts, complete: bool = True, losing: TextLoss | None = None
    ) -> None:
        """Shows the parts of a row; if they are incomplete, the previous ones stay after them.

        ``losing``: lost parts of the text are hatched.
        """
        layer = self._by_key[key]
        layer.set_parts(parts if complete else parts.followed_by(layer.parts), losing, complete)
        if layer is self._painter.front:
            self._forget_current()
        self._paint_changes()

    def set_disputed(
        self, cuts: IntArray, places: IntArray, keys: Sequence[str] | None = None
    ) -> None:
        """Ticks these cuts (byte offsets, sorted) in those of the rows with these keys, by default all, that make them.

        ``places`` (n × 2 byte offsets, sorted): the regions where the cuts differ, with a line above.
        """
        for key, layer in self._by_key.items():
            layer.disputed = cuts if keys is None or key in keys else cuts[:0]
        self._places = places
        self._painter.places = places[:0] if self._hides else places
        self._paint_all()

    def follow_size(self, appearance: Appearance) -> None:
        """Uses the letter size that is chosen for text, now and later."""
        self._appearance = appearance
        self._fit_soon.timeout.connect(self._follow)
        self._follow()
        appearance.changed.connect(self._follow)
        appearance.letters_changed.connect(self._follow)

    def _follow(self) -> None:
        if self._appearance is None:
            return
        sizes = self._appearance.reading_sizes
        fitted = (self.size(), self._layout.text_map, len(self._by_key), sizes)
        if fitted != self._fitted or self._font(sizes[0]).families() != self._families:
            self._fitted = fitted
            self.fit_text(sizes)

    def fit_text(self, sizes: Sequence[int]) -> int:
        """Uses the first of some sizes, from large to small, with which all text is visible, or the last; returns it."""
        room, smallest = self.viewport().size(), sizes[-1]
        if self._layout.text_map.byte_count > room.width() * room.height() // smallest**2:
            sizes = sizes[-1:]  # it cannot fit, so one layout is enough
        for size in sizes:
            if size != self._text_size or self._font(size).families() != self._families:
                self.set_text_size(size)
            if self.verticalScrollBar().maximum() == 0:
                break
        return size

    def _fit_again(self) -> None:
        """Fits the text to its room after a change."""
        if self._appearance is not None and len(self._appearance.reading_sizes) > 1:
            self._fit_soon.start()

    def _font(self, pixels: int) -> QFont:
        looks = self._appearance
        return reading_font(pixels) if looks is None else looks.text_font(pixels)

    def zoom_by(self, steps: int, _at: QPoint) -> None:
        """Makes the text some steps larger, or smaller if ``steps`` is negative, in all views."""
        looks = self._appearance
        if looks is None:
            return
        if self._zoomed is None:
            self._zoomed = ZoomButton(self, fades=True)
            self._zoomed.restore_wanted.connect(lambda: looks.set_reading_size(READING_SIZE))
            self._zoomed.restore_wanted.connect(self._zoomed.hide)
        looks.set_fills_room(False)
        looks.zoom_reading(steps)
        size = looks.reading_size
        self._zoomed.show_size(f"{size} px", size == READING_SIZE)

    def set_text_size(self, pixels: int) -> None:
        """Sets the size of the letters; all heights grow with it."""
        self._text_size = pixels
        font = self._font(pixels)
        self._families = font.families()
        self._painter.set_font(font)
        self._layout.set_font(font)
        self._fit_lines()

    def set_dense(self, dense: bool) -> None:
        """Makes strips lower and puts lines closer together, for a view with little height."""
        if dense != self._painter.dense:
            self._painter.dense = dense
            self._right = (DENSE_COUNTS if dense else COUNTS) + 4
            self._fit_lines()

    def strip_rects(self, key: str) -> list[QRect]:
        """Returns where the tokens of a row are visible, line by line, in screen coordinates."""
        corner, seen = self.viewport().mapToGlobal(QPoint()), self.viewport().rect()
        rects = []
        for top, placed in self._lines_in(seen):
            runs = placed.line.runs
            left = self._left + self._shift(placed)
            for _, layer, band in self._painter.bands(placed):
                if layer.key == key and runs:
                    first, last = min(run.left for run in runs), max(run.right for run in runs)
                    rect = QRectF(left + first, top + band.top, last - first, band.height)
                    rects.append((rect.toAlignedRect() & seen).translated(corner))
        return [rect for rect in rects if not rect.isEmpty()]

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._before is not None:
            painter = QPainter(self.viewport())
            painter.setOpacity(self._fade.currentValue())
            painter.drawPixmap(0, 0, self._before)
            painter.end()

    def _end_fade(self) -> None:
        self._before = None
        self._paint_all()

    @property
    def fading(self) -> bool:
        """Whether the colours of a new front still fade in."""
        return self._before is not None

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._stop_fade()
        super().resizeEvent(event)
        self._fit_again()

    def _on_layout_changed(self) -> None:
        self._stop_fade()
        super()._on_layout_changed()

    def _stop_fade(self) -> None:
        """Input completes an animation."""
        if self._before is not None:
            self._fade.stop()
            self._end_fade()

    def _paint_margins(
        self, painter: QPainter, top: float, placed: PlacedLine, rows: Container[int] | None
    ) -> None:
        theme = self._painter.theme
        end = self._painter.text.byte_count
        dense = self._painter.dense
        right = self._left + self._layout.width + (DENSE_COUNTS if dense else COUNTS) - 8
        for place, (row, layer, band) in enumerate(self._painter.bands(placed)):
            if rows is not None and row not in rows:
                continue
            front = row == TEXT_ROW
            middle = top + band.top + band.height / 2
            if layer.identity is not None:
                size = MARKER if front else STRIP_MARKER
                corner = QPointF(PAGE_MARGIN + (MARKER - size) // 2, round(middle - size / 2))
                painter.drawPixmap(corner, self._marker(layer, size, painter))
            tokens = layer.count(placed, end)
            if tokens:
                count, width, height = _number(tokens, front)
                painter.setFont(_front_font() if front else _strip_font())
                painter.setPen(theme.ink if front else theme.dim)
                # Numbers are higher than dense strips: they take turns in two columns.
                column = DENSE_COUNTS // 2 - 2 if dense and not front and place % 2 == 0 else 0
                painter.drawStaticText(QPointF(right - column - width, middle - height / 2), count)

    def _marker(self, layer: TokenLayer, size: int, painter: QPainter) -> QPixmap:
        """The marker of a row as a picture, as it is painted next to every line."""
        ratio = max(self.devicePixelRatioF(), painter.deviceTransform().m11())
        known = self._markers.get((layer.key, size))
        if known is None or known.devicePixelRatio() != ratio:
            known = QPixmap(QSize(size, size) * ratio)
            known.setDevicePixelRatio(ratio)
            known.fill(Qt.GlobalColor.transparent)
            assert layer.identity is not None
            drawn = QPainter(known)
            paint_marker(drawn, QRectF(0, 0, size, size), layer.identity)
            drawn.end()
            self._markers[layer.key, size] = known
        return known

    # Pointing.

    def _marker_at(self, point: QPointF) -> str | None:
        """The key of the row whose marker is at a point."""
        if not PAGE_MARGIN - 4 <= point.x() < self._left - 4:
            return None
        line_and_x = self._place(point)
        if line_and_x is None:
            return None
        layer = self._painter.layer_at(line_and_x[0], self._y_in_line(point))
        return layer.key if layer.identity is not None else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._stop_fade()
        key = self._marker_at(event.position())
        if key is not None and event.button() == Qt.MouseButton.LeftButton:
            self.front_requested.emit(key)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over_marker = not self._dragging and self._marker_at(event.position()) is not None
        shape = Qt.CursorShape.PointingHandCursor if over_marker else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        super().mouseMoveEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self.viewport())
            return True
        if event.type() == QEvent.Type.Wheel:
            self._stop_fade()
        return super().viewportEvent(event)

    def _tip(self, point: QPoint) -> str:
        """A description of a point: the name of a row, and the token with its id and its bytes."""
        key = self._marker_at(QPointF(point))
        if key is not None:
            return as_tip(f"{self._by_key[key].name}: click to put it in front")
        hit = self._hit(point)
        if hit is None:
            return ""
        layer, part = hit
        start, end = layer.parts.span(part)
        text = f"{layer.name}: “{isolated(readable(self._painter.text.utf8_of(start, end)))}”"
        if layer.parts.ids is not None:
            text += f" · id {int(layer.parts.ids[part])}"
        if len(layer.lost(self._painter.text, start, end)):
            text += " · lost"
        return as_tip(f"{text} · bytes {start:,} to {end:,}")

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 240)


@lru_cache(maxsize=2048)
def _number(count: int, front: bool) -> tuple[QStaticText, float, float]:
    """A number laid out once, as there is one for every strip of every line; its width and its height in pixels."""
    text = QStaticText(f"{count:,}")
    text.setTextFormat(Qt.TextFormat.PlainText)
    text.prepare(font=_front_font() if front else _strip_font())
    extent = text.size()
    return text, extent.width(), extent.height()


@lru_cache(maxsize=1)
def _front_font() -> QFont:
    return number_font(SMALL_SIZE, QFont.Weight.DemiBold)


@lru_cache(maxsize=1)
def _strip_font() -> QFont:
    return number_font(STRIP_COUNT_SIZE)
