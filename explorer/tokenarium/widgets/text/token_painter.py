"""Paints the lines of a text with the tokens of one tokenizer on it, and a strip for each of the others."""

from __future__ import annotations

from collections.abc import Sequence
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

from tokenarium.models.text.lost_text import TextLoss, size_of
from tokenarium.models.text.piece import byte_numbers
from tokenarium.models.text.segmentation import SHADES, TOKEN_COLOURS, Looks, TextParts
from tokenarium.models.text.text_map import IntArray, TextMap, row_of
from tokenarium.style.fonts import mono_font
from tokenarium.style.shapes import GAP, LEAST_WIDTH, NARROW, Cut, token_path
from tokenarium.style.theme import Identity, Theme
from tokenarium.widgets.text.mark_painter import MarkPainter
from tokenarium.widgets.text.text_layout import PlacedLine
from tokenarium.widgets.text.token_boxes import Box, line_boxes, span_boxes

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

FOOT = 2.5
"""Pixels: the height of the rule at the foot of a token."""

PLACE = 2.0
TICK = 6.0
"""Pixels: the heights of the line above a difference, and of the tick at a cut in the text."""

KEPT_LINES = 500
"""How many lines of a layer keep the shapes that they are painted from."""

KEPT_WIDTHS = 20_000
"""How many notes have their width kept."""

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


@dataclass(frozen=True, slots=True)
class Band:
    """The vertical range of boxes, in pixels from the top of their line."""

    top: float
    height: float

    def rect(self, box: Box) -> QRectF:
        """The rectangle of a box: a little narrower than from cut to cut."""
        left = box.left if box.at_left is Cut.OPEN else box.left + GAP
        right = box.right if box.at_right is Cut.OPEN else box.right - GAP
        if right - left < LEAST_WIDTH:
            left = max((box.left + box.right - LEAST_WIDTH) / 2, 0.0)
            right = left + LEAST_WIDTH
        return QRectF(left, self.top, right - left, self.height)


_WHOLE = (Cut.STRAIGHT, Cut.OPEN)


def is_torn(box: Box, rect: QRectF) -> bool:
    """Whether an end of a box is painted with teeth or a notch."""
    return rect.width() >= NARROW and not (box.at_left in _WHOLE and box.at_right in _WHOLE)


@dataclass(frozen=True, slots=True)
class _Shapes:
    """The input for painting a line of a layer: its boxes, and the shapes of each colour."""

    boxes: list[Box]
    rects: dict[int, list[QRectF]]
    torn: dict[int, list[QPainterPath]]
    rules: dict[int, list[QRectF]]
    special: list[QRectF]


@dataclass(frozen=True, slots=True)
class _LineShapes:
    """The shapes of a line: ``moved`` is added to the numbers of their parts, ``flip`` changes the colour numbers.

    Shapes are kept as if the first part of the line had an even number.
    """

    shapes: _Shapes
    moved: int
    flip: int


class TokenLayer:
    """One way to split the text, and the shapes of its recently painted lines."""

    def __init__(self, key: str = "", name: str = "", identity: Identity | None = None) -> None:
        self.key = key
        self.name = name
        self.identity = identity
        self._parts = TextParts.empty()
        self._edits: list[tuple[int, int, int]] = []  # that the parts do not follow yet
        self.disputed: IntArray = np.empty(0, dtype=np.int32)
        self._losing: TextLoss | None = None
        self._complete = True
        self._lost: dict[int, IntArray] = {}  # by the start of a line
        self._share: float | None = None
        self._lines: dict[tuple[int, float], _LineShapes] = {}
        self._counts: dict[int, int] = {}  # by the start of a line
        # By all their inputs, counted from the start of the line, as an edit only moves most lines. With the number of
        # their first part; the last used are at the end.
        self._kept: dict[tuple[object, ...], tuple[_Shapes, int]] = {}

    def blank(self) -> TokenLayer:
        """Returns the same without parts."""
        return TokenLayer(self.key, self.name, self.identity)

    @property
    def parts(self) -> TextParts:
        """The parts; after an edit, those that it did not touch, until new ones are set."""
        for edit in self._edits:
            self._parts = self._parts.after_edit(*edit)
        self._edits.clear()
        return self._parts

    def set_parts(
        self, parts: TextParts, losing: TextLoss | None = None, complete: bool = True
    ) -> None:
        """Sets the parts, and how text is lost between and in them; ``complete``: they cover the whole text."""
        if not parts.marks_as(self._parts):
            self._kept.clear()
        self._parts = parts
        self._losing, self._complete, self._share = losing, complete, None
        self._edits.clear()
        self.lay_out()

    def follow_edit(self, head: int, tail: int, growth: int) -> None:
        """Keeps only the parts that an edit did not touch; see `TextParts.after_edit`."""
        self._edits.append((head, tail, growth))
        self._complete, self._share = False, None
        self.lay_out()

    def lay_out(self) -> None:
        """Reads the positions of lines again, as when the text or its layout has changed."""
        self._lines.clear()
        self._counts.clear()
        self._lost.clear()

    def lost(self, text: TextMap, start: int, end: int) -> IntArray:
        """Returns the lost ranges (n × 2 byte offsets) in a part of the text; none while parts are missing."""
        parts, losing = self.parts, self._losing
        if losing is None or parts.ids is None or not self._complete or self._edits:
            return np.empty((0, 2), dtype=np.int32)
        touched = parts.between(start, end)
        # With a neighbour on each side, as there may be a gap before it.
        first, last = max(touched.start - 1, 0), min(touched.stop + 1, len(parts))
        some = slice(first, last)
        spans = np.stack((parts.starts[some], parts.ends[some]), axis=1)
        low = int(spans[0, 0]) if first else 0
        high = int(spans[-1, 1]) if last < len(parts) else text.byte_count
        ranges = losing.spans_in(text, parts.ids[some], spans, low, high)
        return ranges[(ranges[:, 0] < end) & (ranges[:, 1] > start)]

    def next_lost(self, text: TextMap, after: int) -> tuple[int, int] | None:
        """Returns the next lost range that begins after a byte; after the last one, the first.

        None if there is none.
        """
        ranges = self.lost(text, 0, text.byte_count)
        if not len(ranges):
            return None
        start, end = ranges[int(np.searchsorted(ranges[:, 0], after, side="right")) % len(ranges)]
        return int(start), int(end)

    def lost_share(self, text: TextMap) -> float:
        """Returns the share of the whole text that is lost; computed once."""
        if self._share is None:
            self._share = size_of(self.lost(text, 0, text.byte_count)) / max(text.byte_count, 1)
        return self._share

    def lost_in_line(self, text: TextMap, placed: PlacedLine) -> IntArray:
        """Returns the lost ranges in a line."""
        ranges = self._lost.get(placed.start)
        if ranges is None:
            if len(self._lost) >= KEPT_LINES:
                self._lost.clear()
            ranges = self._lost[placed.start] = self.lost(text, placed.start, placed.end)
        return ranges

    def count(self, placed: PlacedLine, text_end: int) -> int:
        """Returns how many parts begin in a line."""
        count_in_line = self._counts.get(placed.start)
        if count_in_line is None:
            starts = self.parts.starts
            end = placed.end + (placed.end == text_end)
            count_in_line = max(starts.row_of(end) - starts.row_of(placed.start), 0)
            if len(self._counts) >= KEPT_LINES:
                self._counts.clear()
            self._counts[placed.start] = count_in_line
        return count_in_line

    def shapes(
        self, placed: PlacedLine, band: Band, text_end: int, foot: float, shades: bool = False
    ) -> _LineShapes:
        """The shapes of a line.

        ``foot``: the height of the rules. ``shades``: by their shade, 0 or 1, instead of their colour number.
        """
        line_shapes = self._lines.get((placed.start, band.top))
        if line_shapes is None:
            if len(self._lines) >= KEPT_LINES:
                self._lines.clear()
            line_shapes = self._reused(placed, band, text_end, foot, shades)
            self._lines[placed.start, band.top] = line_shapes
        return line_shapes

    def _reused(
        self, placed: PlacedLine, band: Band, text_end: int, foot: float, shades: bool
    ) -> _LineShapes:
        at_end = placed.end == text_end
        touched = self.parts.between(placed.start, placed.end + at_end)
        change = 1 if shades or self.parts.rule_names else TOKEN_COLOURS // SHADES
        flip = change if touched.start % SHADES else 0
        content = placed.line.content
        made_from = content, band, at_end, foot, shades, *self.parts.made_of(touched, placed.start)
        cached = self._kept.pop(made_from, None)
        if cached is None:
            if len(self._kept) >= KEPT_LINES:
                del self._kept[next(iter(self._kept))]
            looks = self.parts.looks(touched)
            colours = np.arange(len(touched)) % SHADES if shades else looks.colours ^ flip
            boxes = line_boxes(placed, self.parts, text_end)
            shapes = _made(boxes, band, touched.start, looks, colours.tolist(), foot)
            cached = shapes, touched.start
        self._kept[made_from] = cached
        shapes, first = cached
        return _LineShapes(shapes, touched.start - first, flip)

    def ticks(self, start: int, end: int) -> IntArray:
        """Returns the disputed cuts, after ``start`` and up to ``end``, at which a part ends or begins.

        A part begins where no other ends after a space that is left out.
        """
        first, last = (row_of(self.disputed, offset, "right") for offset in (start, end))
        cuts = self.disputed[first:last]
        parts = self.parts.between(start, end)
        ends = self.parts.ends[parts.start : parts.stop]
        starts = self.parts.starts[parts.start : parts.stop]
        return cuts[np.isin(cuts, ends) | np.isin(cuts, starts)]


def _made(
    boxes: list[Box], band: Band, first: int, looks: Looks, colours: list[int], foot: float
) -> _Shapes:
    """The shapes of boxes; ``looks`` and ``colours`` begin with the part ``first``."""
    shapes = _Shapes(boxes, {}, {}, {}, [])
    special, several = looks.special, looks.superwords
    for box in boxes:
        number = colours[box.part - first]
        rect = band.rect(box)
        if is_torn(box, rect):
            path = token_path(rect, box.at_left, box.at_right)
            shapes.torn.setdefault(number, []).append(path)
        else:
            shapes.rects.setdefault(number, []).append(rect)
        if not foot:
            continue
        rules = shapes.rules.setdefault(number, [])
        left, width, bottom = rect.left(), rect.width(), rect.bottom()
        rules.append(QRectF(left, bottom - foot, width, foot))
        if several is not None and several[box.part - first]:
            rules.append(QRectF(left, bottom - 2.4 * foot, width, 0.6 * foot))
        if special is not None and special[box.part - first]:
            shapes.special.append(rect.adjusted(0.5, 0.5, -0.5, -0.5))
    return shapes


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
        self._bands: dict[
            tuple[float, float], Band
        ] = {}  # by the top and the height of the letters
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
        """Sets the text; call it too when its layout has changed."""
        self._text = text
        for layer in self.layers:
            layer.lay_out()

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
        letters = placed.text_top - placed.top, placed.text_bottom - placed.text_top
        letters_band = self._bands.get(letters)
        if letters_band is None:
            height = letters[1] + self._pad_above + self._pad_below - 2
            letters_band = self._bands[letters] = Band(letters[0] - self._pad_above + 1, height)
        return letters_band

    def strip_band(self, placed: PlacedLine, row: int) -> Band:
        """The band of a strip, from the top of the line; row -1 is the text."""
        text = self.band(placed)
        if row < 0:
            return text
        height = self.strip_height
        gap = self.strip_gap
        top = text.top + text.height + 1 + gap + row * (height + gap)
        return Band(top, height)

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

    def bands(self, placed: PlacedLine) -> list[tuple[TokenLayer, Band]]:
        """The layers with the bands that name them: the text for the front, its strip for each other."""
        named = [(self.front, self.band(placed))]
        for row, layer in enumerate(self._rows_of(placed)):
            if layer is not self.front:
                named.append((layer, self.strip_band(placed, row)))
        return named

    # Painting.

    def paint_line(self, painter: QPainter, placed: PlacedLine) -> None:
        """Paints one line, whose top left corner is the painter's origin."""
        end = self._text.byte_count
        band = self.band(placed)
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
        for row, layer in enumerate(self._rows_of(placed)):
            self._paint_strip(painter, placed, layer, self.strip_band(placed, row))
        painter.setPen(self._theme.ink)
        placed.line.line.draw(painter, QPointF(0.0, placed.text_top - placed.top))
        self._paint_ticks(painter, placed, self.front, band)
        self._paint_places(painter, placed, band)
        if placed.line.marks:
            self._marks.paint(painter, self._theme, placed, self.show_whitespace)

    def _paint_strip(
        self, painter: QPainter, placed: PlacedLine, layer: TokenLayer, band: Band
    ) -> None:
        plain, lit = self._strip_brushes(layer)
        by_shade = lit is not plain
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
        for start, end in layer.lost_in_line(self._text, placed).tolist():
            for box in span_boxes(placed, start, end):
                painter.fillRect(band.rect(box), self._theme.lost)

    def _paint_heads(self, painter: QPainter, fills: _LineShapes, rules: list[QBrush]) -> None:
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


def _fill(painter: QPainter, found: _LineShapes, brushes: list[QBrush]) -> None:
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
