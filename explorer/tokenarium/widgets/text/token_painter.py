"""Paints the lines of a text with the tokens of one tokenizer on it, and a strip for each of the others."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QBrush,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
)

from tokenarium.models.text.piece import byte_numbers
from tokenarium.models.text.text_map import IntArray, TextMap, row_of
from tokenarium.style.fonts import mono_font
from tokenarium.style.shapes import token_path
from tokenarium.style.theme import Identity, Theme
from tokenarium.widgets.text.mark_painter import MarkPainter
from tokenarium.widgets.text.text_layout import PlacedLine
from tokenarium.widgets.text.token_boxes import Box, span_boxes
from tokenarium.widgets.text.token_layer import Band, LineShapes, RowState, TokenLayer, is_torn

Annotations = Literal["none", "ids", "bytes"]

READING_LINE = 30
"""The height of a line of text with the fills of its tokens, in pixels, at the usual size of letters."""

USUAL_LETTERS = 19
"""The size of letters at which the heights hold; they grow with it."""

STRIP = 9
NOTED_STRIP = 18
STRIP_GAP = 3
"""Pixels: the height of a strip, of one with ids or bytes in it, and the room above each strip."""

DENSE_STRIP = 6
DENSE_STRIP_GAP = 2
"""Pixels: the same where there is little room."""

LINE_GAP = 24
DENSE_LINE_GAP = 10
PLAIN_GAP = 8
"""Pixels between a line with its strips and the next line, the same where there is little room, and between lines without
strips."""

TEXT_ROW = -1
"""The row of the text itself; the strips below it count from 0."""

FOOT = 2.5
"""Pixels: the height of the rule at the foot of a token."""

PLACE = 2.0
TICK = 6.0
"""Pixels: the heights of the line above a difference, and of the tick at a cut in the text."""

KEPT_WIDTHS = 20_000
"""How many notes have their width kept."""

COUNT_HEIGHT = 14
"""Pixels: the room of the count next to a strip, which is higher than the strip."""

NOTE_SIZE = 11
LEAST_STRETCH = 0.66
"""Pixels: the size of ids and bytes; and how narrow they may be made to fit."""


@dataclass(frozen=True, slots=True)
class LitSpan:
    """Bytes to highlight; true if there are any."""

    start: int = -1
    end: int = -1

    def __bool__(self) -> bool:
        return 0 <= self.start <= self.end

    def touches(self, placed: PlacedLine) -> bool:
        """Whether any of the span is in a line."""
        return 0 <= self.start <= placed.end and placed.start <= self.end


@dataclass(frozen=True, slots=True)
class Lit:
    """The highlighted bytes: the selection, and those under the pointer."""

    selected: LitSpan = LitSpan()
    pointed: LitSpan = LitSpan()


class TokenPainter:
    """Paints one line at a time, with the options that are on.

    ``front`` is painted on the text itself, each of ``strips`` below it. A part of a layer that ends or begins at one
    of its ``disputed`` byte offsets has a tick there; ``places`` (n × 2 byte offsets, sorted) have a line above them. If it
    is ``dense``, strips are lower and lines closer together.
    """

    def __init__(self, theme: Theme) -> None:
        self.show_whitespace = False
        self.annotations: Annotations = "none"
        self.lit = Lit()
        self.front = TokenLayer()
        self.strips: list[TokenLayer] = []
        self.interlinear = False
        self.dense = False
        self.places: IntArray = np.empty((0, 2), dtype=np.int32)
        self._text = TextMap("")
        self._letters = QFont()
        self._pad_above = self._pad_below = 0.0
        self._scale = 1.0
        self._note_font = mono_font(NOTE_SIZE)
        self._note_metrics = QFontMetricsF(self._note_font)
        self._widths: dict[str, float] = {}
        # By the top and the height of the letters, for a number of strips, the annotations and the density.
        self._bands: dict[tuple[float, float], list[Band]] = {}
        self._bands_for: tuple[int, Annotations, bool] = (0, "none", False)
        self._marks = MarkPainter()
        self.set_theme(theme)

    @property
    def theme(self) -> Theme:
        """The colours that are painted in."""
        return self._theme

    @property
    def text(self) -> TextMap:
        """The text."""
        return self._text

    def set_theme(self, theme: Theme) -> None:
        """Sets the colours."""
        self._theme = theme
        self._brushes: dict[tuple[str, ...], tuple[list[QBrush], list[QBrush]]] = {}
        self._shades: dict[str, tuple[Identity, list[QBrush], list[QBrush]]] = {}

    def set_text(self, text: TextMap) -> None:
        """Sets the text, which the layers have to follow."""
        self._text = text

    @property
    def layers(self) -> list[TokenLayer]:
        """The front and the strips."""
        return [self.front, *self.strips]

    @property
    def _rows(self) -> list[TokenLayer]:
        """The layers that have a strip: the one in front has one for its ids or bytes only."""
        return self.strips if self.annotations == "none" else self.layers

    def _rows_of(self, placed: PlacedLine) -> list[TokenLayer]:
        """The layers that have a strip under a line; an empty line has none."""
        return [] if placed.line.blank else self._rows

    # Places.

    def set_font(self, font: QFont) -> None:
        """Computes the heights of a line from the font of the text."""
        self._letters = font
        metrics = QFontMetricsF(font)
        height = ceil(metrics.ascent() + metrics.descent())
        self._scale = max(font.pixelSize(), 1) / USUAL_LETTERS
        free = max(round(READING_LINE * self._scale) - height, 4)
        self._pad_above, self._pad_below = free // 2, free - free // 2
        self._note_font = mono_font(max(round(NOTE_SIZE * self._scale), 9))
        self._note_metrics = QFontMetricsF(self._note_font)
        self._widths.clear()
        self._bands.clear()

    @property
    def strip_height(self) -> int:
        """The height of a strip in pixels."""
        plain = DENSE_STRIP if self.dense else STRIP
        return round((plain if self.annotations == "none" else NOTED_STRIP) * self._scale)

    @property
    def strip_gap(self) -> int:
        """The pixels above each strip."""
        return DENSE_STRIP_GAP if self.dense else STRIP_GAP

    def room(self) -> tuple[int, int, int, int]:
        """The pixels that a line needs above and below its letters, above for names, and below an empty line."""
        names = ceil(self._marks.height) if self.show_whitespace else 0
        strips = len(self._rows) * (self.strip_height + self.strip_gap)
        between = DENSE_LINE_GAP if self.dense else LINE_GAP
        gap = round((between if self.interlinear else PLAIN_GAP) * self._scale)
        below = int(self._pad_below)
        return int(self._pad_above), below + strips + gap, names, below + PLAIN_GAP

    def band(self, placed: PlacedLine) -> Band:
        """The band of the text, from the top of the line."""
        return self._bands_of(placed)[0]

    def strip_band(self, placed: PlacedLine, row: int) -> Band:
        """The band of a strip, from the top of the line; `TEXT_ROW` is the text."""
        return self._bands_of(placed)[row - TEXT_ROW]

    def _bands_of(self, placed: PlacedLine) -> list[Band]:
        """The bands of the text and of all strips that a line may have, from the top of the line."""
        letters = placed.text_top - placed.top, placed.text_bottom - placed.text_top
        if self._bands_for != (made_for := (len(self._rows), self.annotations, self.dense)):
            self._bands.clear()
            self._bands_for = made_for
        bands = self._bands.get(letters)
        if bands is None:
            height = letters[1] + self._pad_above + self._pad_below - 2
            text = Band(letters[0] - self._pad_above + 1, height)
            first, pitch = text.top + text.height + 1, self.strip_gap + self.strip_height
            bands = self._bands[letters] = [
                text,
                *(
                    Band(first + self.strip_gap + row * pitch, self.strip_height)
                    for row in range(len(self._rows))
                ),
            ]
        return bands

    def foot(self, placed: PlacedLine) -> float:
        """The y of the end of the last strip, or of the text, from the top of the line."""
        last = self.strip_band(placed, len(self._rows_of(placed)) - 1)
        return last.top + last.height

    def layer_at(self, placed: PlacedLine, y: float) -> TokenLayer:
        """The layer at a y from the top of a line: the front if there is no strip."""
        for row, layer in enumerate(self._rows_of(placed)):
            band = self.strip_band(placed, row)
            if abs(y - band.top - band.height / 2) <= (band.height + self.strip_gap) / 2:
                return layer
        return self.front

    def bands(self, placed: PlacedLine) -> list[tuple[int, TokenLayer, Band]]:
        """The layers with the rows and bands that name them: the text for the front, its strip for each other."""
        named = [(TEXT_ROW, self.front, self.band(placed))]
        for row, layer in enumerate(self._rows_of(placed)):
            if layer is not self.front:
                named.append((row, layer, self.strip_band(placed, row)))
        return named

    def row_numbers(self, placed: PlacedLine) -> range:
        """The rows of a line: `TEXT_ROW`, and those of its strips."""
        return range(TEXT_ROW, len(self._rows_of(placed)))

    def row_room(self, placed: PlacedLine, row: int) -> tuple[float, float]:
        """Where a row is painted, with its marker and its count: its top and bottom from the top of the line."""
        band = self.strip_band(placed, row)
        if row == TEXT_ROW:
            return 0.0, band.top + band.height + 1
        middle, half = band.top + band.height / 2, max(band.height / 2 + 1, COUNT_HEIGHT / 2)
        return middle - half, middle + half

    @property
    def has_differences(self) -> bool:
        """Whether disputed cuts or places are marked."""
        return bool(len(self.places)) or any(len(layer.disputed) for layer in self.layers)

    def keeps_rows_apart(self, placed: PlacedLine) -> bool:
        """Whether the letters of a line, as high as they are drawn, are inside the rectangle of their row."""
        band, text_top = self.band(placed), placed.text_top - placed.top
        top, bottom = placed.line.ink
        return text_top + top >= 1 and text_top + bottom <= band.top + band.height

    def states_of(self, placed: PlacedLine) -> list[RowState]:
        """What the rows of a line are painted from, the text first: a row with an equal state looks the same."""
        bands, text = self._bands_of(placed), self._text
        states = [self.front.state_of(placed, bands[0], text, FOOT * self._scale)]
        for layer, band in zip(self._rows_of(placed), bands[1:], strict=False):
            if self._needs_numbers:
                layer.number_parts()
            plain, lit = self._strip_brushes(layer)
            states.append(layer.state_of(placed, band, text, 0.0, lit is not plain))
        return states

    @property
    def _needs_numbers(self) -> bool:
        """Whether strips are painted from the numbers of their parts."""
        return self.annotations != "none" or self.lit != Lit()

    # Painting.

    def paint_line(
        self, painter: QPainter, placed: PlacedLine, rows: Container[int] | None = None
    ) -> None:
        """Paints one line, whose top left corner is the painter's origin.

        ``rows``: paints only these strips, and the text if -1 is one of them.
        """
        band = self.band(placed)
        whole = rows is None or TEXT_ROW in rows
        if whole:
            self._paint_front(painter, placed, band)
        for row, layer in enumerate(self._rows_of(placed)):
            if rows is None or row in rows:
                self._paint_strip(painter, placed, layer, self.strip_band(placed, row))
        if not whole:
            return
        painter.setPen(self._theme.ink)
        placed.line.line.draw(painter, QPointF(0.0, placed.text_top - placed.top))
        self._paint_ticks(painter, placed, self.front, band)
        self._paint_places(painter, placed, band)
        if placed.line.marks:
            self._marks.paint(painter, self._theme, placed, self.show_whitespace)

    def _paint_front(self, painter: QPainter, placed: PlacedLine, band: Band) -> None:
        """Paints the tokens of the front, without their text."""
        end = self._text.byte_count
        fills = self.front.shapes(placed, band, end, FOOT * self._scale)
        shapes = fills.shapes
        brushes, rules = self._front_brushes(self.front.parts.rule_names)
        painter.setPen(Qt.PenStyle.NoPen)
        _fill(painter, fills, brushes)
        for number, rects in shapes.rules.items():
            painter.setBrush(rules[(number ^ fills.flip) % len(rules)])
            painter.drawRects(rects)
        if self._theme.fills.frame:
            self._paint_heads(painter, fills, rules)
        if shapes.special:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.ink, 1.0, Qt.PenStyle.DotLine))
            painter.drawRects(shapes.special)
        self._paint_lost(painter, placed, self.front, band)

    def _paint_strip(
        self, painter: QPainter, placed: PlacedLine, layer: TokenLayer, band: Band
    ) -> None:
        plain, lit = self._strip_brushes(layer)
        by_shade = lit is not plain
        if self._needs_numbers:
            layer.number_parts()
        fills = layer.shapes(placed, band, self._text.byte_count, 0.0, by_shade)
        shapes, moved = fills.shapes, fills.moved
        painter.setPen(Qt.PenStyle.NoPen)
        _fill(painter, fills, plain)
        chosen: list[range] = []
        for span in (self.lit.selected, self.lit.pointed):
            if by_shade and span and span.touches(placed):
                touched = layer.parts.between(span.start, span.end)
                chosen.append(range(touched.start - moved, touched.stop - moved))
        lit_boxes = [
            box
            for box in (shapes.boxes if chosen else ())
            if any(box.part in some for some in chosen)
        ]
        for shade, brush in enumerate(lit if lit_boxes else ()):
            here = [box for box in lit_boxes if (box.part + moved) % 2 == shade]
            painter.setBrush(brush)
            whole = []
            for box in here:
                rect = band.rect(box)
                if is_torn(box, rect):
                    painter.drawPath(token_path(rect, box.at_left, box.at_right))
                else:
                    whole.append(rect)
            painter.drawRects(whole)
        self._paint_lost(painter, placed, layer, band)
        lit_parts = {box.part for box in lit_boxes}
        if self.annotations != "none":
            self._paint_notes(painter, layer, shapes.boxes, moved, band, lit_parts)
        self._paint_ticks(painter, placed, layer, band)

    def _paint_lost(
        self, painter: QPainter, placed: PlacedLine, layer: TokenLayer, band: Band
    ) -> None:
        """Hatches the lost ranges of a line."""
        for start, end in layer.lost_in_line(self._text, placed):
            for box in span_boxes(placed, placed.start + start, placed.start + end):
                painter.fillRect(band.rect(box), self._theme.lost)

    def _paint_heads(self, painter: QPainter, fills: LineShapes, rules: list[QBrush]) -> None:
        """Draws the line at the head of each token that themes of high contrast have.

        It breaks at every cut, as the rule at the foot does. A frame would be over the letters at both ends of a token,
        and cover tokens of a few pixels, such as single bytes of Hindi, altogether.
        """
        height = self._theme.fills.frame
        for number, rects in fills.shapes.rects.items():
            painter.setBrush(rules[(number ^ fills.flip) % len(rules)])
            painter.drawRects(
                [QRectF(rect.topLeft(), QSizeF(rect.width(), height)) for rect in rects]
            )
        for number, paths in fills.shapes.torn.items():
            painter.setBrush(rules[(number ^ fills.flip) % len(rules)])
            for path in paths:
                rect = path.boundingRect()
                rect.setHeight(height)
                painter.drawRect(rect)

    def _front_brushes(self, names: tuple[str, ...]) -> tuple[list[QBrush], list[QBrush]]:
        """The fills and the rules by colour number."""
        brushes = self._brushes.get(names)
        if brushes is None:
            rules = [QBrush(colour) for colour in self._theme.part_rules(names)]
            brushes = self._brushes[names] = (list(self._theme.part_brushes(names)), rules)
        return brushes

    def _strip_brushes(self, layer: TokenLayer) -> tuple[list[QBrush], list[QBrush]]:
        """The fills of a strip, plain and highlighted: by shade, or both the same, by colour number."""
        identity, names = layer.identity, layer.parts.rule_names
        if identity is None or names or layer is self.front:
            brushes = self._front_brushes(names)[0]
            return brushes, brushes
        shade_brushes = self._shades.get(layer.key)
        if shade_brushes is None or shade_brushes[0] is not identity:
            soft, mid, full = map(QBrush, (identity.soft, identity.mid, identity.full))
            shade_brushes = self._shades[layer.key] = identity, [soft, mid], [mid, full]
        return shade_brushes[1:]

    def _paint_ticks(
        self, painter: QPainter, placed: PlacedLine, layer: TokenLayer, band: Band
    ) -> None:
        """Draws a tick at each disputed cut at which a part of the layer ends or begins."""
        if not len(layer.disputed):
            return
        cuts = layer.ticks(placed.start, placed.end) - placed.base
        rects = []
        text = layer is self.front and band == self.band(placed)
        top = band.top + band.height - TICK if text else band.top - 1
        height = TICK + 2 if text else band.height + 2
        for run in placed.line.runs:
            inside = cuts[(cuts > run.start) & (cuts <= run.end)].astype(np.float64)
            rects += [QRectF(x - 1.5, top, 3, height) for x in run.x(inside).tolist()]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.ask)
        painter.drawRects(rects)

    def _paint_places(self, painter: QPainter, placed: PlacedLine, band: Band) -> None:
        """Draws a line above the text of each difference."""
        if not len(self.places):
            return
        first = row_of(self.places[:, 1], placed.start, "right")
        last = row_of(self.places[:, 0], placed.end)
        rects = []
        for start, end in self.places[first:last].tolist():
            for box in span_boxes(placed, start, end):
                left, right = box.left + 1, box.right - 1
                rects.append(QRectF(left, band.top - PLACE - 1, max(right - left, 2), PLACE))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.ask)
        painter.drawRects(rects)

    def _paint_notes(
        self,
        painter: QPainter,
        layer: TokenLayer,
        boxes: Sequence[Box],
        moved: int,
        band: Band,
        chosen: set[int],
    ) -> None:
        """Writes the id or the bytes of each part into its boxes if they fit, a little narrower if necessary.

        ``moved`` is added to the numbers of the parts.
        """
        painter.setFont(self._note_font)
        metrics = self._note_metrics
        baseline = band.top + (band.height + metrics.capHeight()) / 2
        light, dark = self._theme.fills.ink, self._theme.surface
        for box in boxes:
            note = self.note(layer, box.part + moved)
            rect = band.rect(box)
            left, right = rect.left(), rect.right()
            room = right - left - 2
            needed = self._width(note)
            if self.annotations == "bytes" and needed * LEAST_STRETCH > room:
                note = self._beginning(note, room)
                needed = self._width(note)
            if not note or needed * LEAST_STRETCH > room:
                continue
            full = layer.identity is not None and box.part in chosen and layer is not self.front
            painter.setPen(dark if full and (box.part + moved) % 2 else light)
            if needed <= room:
                painter.drawText(QPointF((left + right - needed) / 2, baseline), note)
                continue
            painter.save()
            painter.translate(left + 1, baseline)
            painter.scale(room / needed, 1.0)
            painter.drawText(QPointF(0, 0), note)
            painter.restore()

    def _width(self, note: str) -> float:
        """The width of a note in its font."""
        needed = self._widths.get(note)
        if needed is None:
            if len(self._widths) >= KEPT_WIDTHS:
                self._widths.clear()
            needed = self._widths[note] = self._note_metrics.horizontalAdvance(note)
        return needed

    def _beginning(self, note: str, room: float) -> str:
        """As many whole bytes of a note as fit, and "…"; "" if not even one fits."""
        letters = int(room / LEAST_STRETCH / max(self._width("0"), 1.0))
        end = f"{note} "[: max(letters, 0)].rfind(" ")
        return f"{note[:end]}…" if end > 0 else ""

    def note(self, layer: TokenLayer, index: int) -> str:
        """Returns the id or the bytes of a part, as they are written into its strip."""
        parts = layer.parts
        if not 0 <= index < len(parts):
            return ""
        if self.annotations == "ids":
            return "" if parts.ids is None else str(int(parts.ids[index]))
        start, end = parts.span(index)
        return byte_numbers(self._text.utf8_of(start, end), end - start).lower()


def _fill(painter: QPainter, found: LineShapes, brushes: list[QBrush]) -> None:
    for number, rects in found.shapes.rects.items():
        painter.setBrush(brushes[(number ^ found.flip) % len(brushes)])
        painter.drawRects(rects)
    for number, paths in found.shapes.torn.items():
        painter.setBrush(brushes[(number ^ found.flip) % len(brushes)])
        for path in paths:
            painter.drawPath(path)


def rounded(outline: QPainterPath, radius: float) -> QPainterPath:
    """Returns the outline of rectangles with corners of at most this radius, in pixels."""
    path = QPainterPath()
    for polygon in outline.simplified().toSubpathPolygons():
        points = [polygon.at(place) for place in range(polygon.size() - 1)]
        for index, point in enumerate(points):
            before, after = points[index - 1], points[(index + 1) % len(points)]
            come, go = _towards(point, before, radius), _towards(point, after, radius)
            if index == 0:
                path.moveTo(come)
            else:
                path.lineTo(come)
            path.quadTo(point, go)
        path.closeSubpath()
    return path


def _towards(start: QPointF, end: QPointF, distance: float) -> QPointF:
    """The point at a distance on a line, at most in its middle."""
    delta = end - start
    length = max(abs(delta.x()) + abs(delta.y()), 1e-6)
    return start + delta * min(distance / length, 0.5)


def paint_empty(painter: QPainter, rect: QRectF, text: str, font: QFont, theme: Theme) -> None:
    """Writes the message of an empty view in the middle of ``rect``."""
    painter.setFont(font)
    painter.setPen(theme.dim)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), text)
