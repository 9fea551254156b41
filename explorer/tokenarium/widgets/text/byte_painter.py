"""Paints the rows above one line of bytes: brackets, hexadecimal, names, forms and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.models.text.byte_cells import Cell, CellMark, CellRow, Look
from tokenarium.models.text.qt_text import into_qt
from tokenarium.style.cuts import Cut
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, reading_font, ui_font
from tokenarium.style.palette import mix
from tokenarium.style.shapes import paint_marker, paint_token, token_path
from tokenarium.style.theme import GRID, Identity, Theme
from tokenarium.widgets.painting import PaintedPart, superword_line

COLUMN = 4.5 * GRID
"""The least width of a byte in pixels: room for four digits."""

GUTTER = 15 * GRID
"""The room for the titles of the rows."""

PADDING = GRID
"""The room above and below the rows of a line."""

HEIGHTS: dict[Look, float] = {
    Look.BRACKET: 4 * GRID,
    Look.MONO: 2.5 * GRID,
    Look.PLAIN: 2 * GRID,
    Look.RUN: 2.25 * GRID,
    Look.FORM: 3 * GRID,
    Look.TOKEN: 5 * GRID,
}
"""The height of a row of each look."""

PIN = 1.75 * GRID
"""The width of the gap between two bytes."""

SQUEEZED = 0.77
"""The share of its width to which a label may be squeezed; if that is not enough, its short form is used."""

MIDDLE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip)

TOOTH = 3.0
"""Pixels that the label of a torn token stays away from its edge."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A cell in a line: its rectangle, and whether it continues from the previous line or in the next.

    The larger part of a cell in two lines is labelled.
    """

    cell: Cell
    rect: QRectF
    labelled: bool
    from_before: bool = False
    goes_on: bool = False


def row_tops(rows: Sequence[CellRow]) -> list[float]:
    """Returns the top of each row in a line, and the height of the line as the last element."""
    tops: list[float] = [PADDING]
    for row in rows:
        tops.append(tops[-1] + HEIGHTS[row.look])
    tops.append(tops.pop() + PADDING)
    return tops


def place(
    cells: Sequence[Cell], start: int, end: int, column: float, top: float, height: float
) -> list[Placed]:
    """Returns the rectangles of the cells over the bytes from ``start`` to ``end`` of a line.

    ``column`` is the width of a byte.
    """
    placed: list[Placed] = []
    for cell in cells:
        left = GUTTER + (max(cell.left, start) - start) * column
        beside = PIN * len([p for p in placed if p.cell.empty and p.cell.left == cell.left])
        if cell.empty:
            placed.append(Placed(cell, QRectF(left + beside, top, PIN, height), True))
            continue
        right = GUTTER + (min(cell.right, end) - start) * column
        left += beside
        before, goes_on = cell.left < start, cell.right > end
        share = (min(cell.right, end) - max(cell.left, start)) / (cell.right - cell.left)
        labelled = share > 0.5 or (share == 0.5 and not before)
        rect = QRectF(left, top, max(right - left, 4.0), height)
        placed.append(Placed(cell, rect, labelled, before, goes_on))
    return placed


class BytePainter:
    """Paints placed cells in the colours of a theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._fonts = {
            Look.BRACKET: reading_font(),
            Look.MONO: mono_font(SMALL_SIZE),
            Look.PLAIN: ui_font(SMALL_SIZE),
            Look.RUN: ui_font(SMALL_SIZE),
            Look.FORM: ui_font(TEXT_SIZE),
            Look.TOKEN: ui_font(TEXT_SIZE),
        }
        self._metrics = {look: QFontMetricsF(font) for look, font in self._fonts.items()}
        self._widths: dict[tuple[Look, str], float] = {}

    def paint_title(
        self, painter: QPainter, row: CellRow, top: float, title: str, identity: Identity | None
    ) -> None:
        """Paints the title of a row in the gutter, with the marker of its tokenizer if it has one."""
        rect = QRectF(GRID, top, GUTTER - 2 * GRID, HEIGHTS[row.look])
        if identity is not None:
            paint_marker(painter, QRectF(rect.left(), rect.center().y() - 4.5, 9, 9), identity)
            rect.setLeft(rect.left() + 9 + GRID // 2)
        metrics = self._metrics[Look.PLAIN]
        painter.setFont(self._fonts[Look.PLAIN])
        painter.setPen(self.theme.ink if identity is not None else self.theme.dim)
        shown = metrics.elidedText(title, Qt.TextElideMode.ElideMiddle, rect.width())
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    def paint_row(
        self,
        painter: QPainter,
        look: Look,
        placed: Sequence[Placed],
        identity: Identity | None = None,
    ) -> None:
        """Paints the cells of a row; tokens in the colours of an identity, or else, in front, by their ids."""
        for cell in placed:
            if look is Look.TOKEN:
                self._token(painter, cell, identity)
            elif look is Look.FORM:
                self._form(painter, cell)
            elif look is Look.BRACKET:
                self._bracket(painter, cell)
            elif look is Look.RUN:
                self._run(painter, cell)
            else:
                faint = look is Look.PLAIN or cell.cell.mark & CellMark.FAINT
                colour = self.theme.dim if faint else self.theme.ink
                self._label(painter, look, cell, cell.rect.adjusted(2, 0, -2, 0), colour)

    def _bracket(self, painter: QPainter, one: Placed) -> None:
        """Paints a grapheme cluster above a bracket around its bytes."""
        rect = one.rect.adjusted(3, 0, -3, -5)
        theme = self.theme
        painter.setPen(QPen(mix(theme.surface, theme.ink, 0.45), 1.0))
        bottom = round(rect.bottom()) + 2.5
        left = one.rect.left() if one.from_before else rect.left() + 0.5
        right = one.rect.right() if one.goes_on else rect.right() - 0.5
        line = [QPointF(left, bottom), QPointF(right, bottom)]
        if not one.from_before:
            line.insert(0, QPointF(left, bottom - 4))
        if not one.goes_on:
            line.append(QPointF(right, bottom - 4))
        painter.drawPolyline(line)
        self._label(painter, Look.BRACKET, one, rect, theme.ink)

    def _run(self, painter: QPainter, one: Placed) -> None:
        theme = self.theme
        painter.setPen(QPen(theme.line, 1.0))
        y = round(one.rect.top()) + 1.5
        painter.drawLine(QPointF(one.rect.left() + 3, y), QPointF(one.rect.right() - 3, y))
        faint = one.cell.mark & CellMark.FAINT
        self._label(painter, Look.RUN, one, one.rect, theme.dim if faint else theme.ink)

    def _form(self, painter: QPainter, one: Placed) -> None:
        """Paints a normalized form: framed where it differs from the original."""
        theme = self.theme
        rect = one.rect.adjusted(2, 3, -2, -3)
        if one.cell.empty:
            rect = one.rect.adjusted(1, 3, 0, -3)
        if one.cell.mark & CellMark.CHANGED:
            painter.setPen(QPen(theme.ask, 1.0))
            painter.setBrush(mix(theme.surface, theme.ask, 0.1))
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            self._label(painter, Look.FORM, one, rect, theme.ink)
        else:
            self._label(painter, Look.FORM, one, rect, theme.dim)

    def _token(self, painter: QPainter, one: Placed, identity: Identity | None) -> None:
        theme = self.theme
        cell, mark = one.cell, one.cell.mark
        rect = one.rect.adjusted(0.5, 2.5, -0.5, -2.5)
        if cell.empty:
            rect = one.rect.adjusted(1, 2.5, 0, -2.5)
        number = cell.colour % len(theme.tokens)
        odd = number >= len(theme.tokens) // 2
        fill, rule = theme.tokens[number], theme.token_rules[number]
        if identity is not None:
            fill = rule = identity.mid if odd else identity.soft
        edges = cuts(mark, one.from_before, one.goes_on)
        frame = theme.fills.frame
        paint_token(painter, rect, fill, rule, *edges, frame=frame)
        if mark & CellMark.LOST:
            painter.fillPath(token_path(rect, *edges), theme.lost)
        if mark & (CellMark.FALLBACK | CellMark.SPECIAL):
            dashed = bool(mark & CellMark.FALLBACK)
            style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
            painter.setPen(QPen(theme.ink, 1.2, style))
            painter.drawPath(token_path(rect.adjusted(1.5, 0.75, -1.5, -0.75), *edges))
        if mark & CellMark.SUPERWORD:
            painter.fillRect(superword_line(rect.adjusted(1, 0, -1, -3.5)), theme.ink)
        if cell.empty:
            self._text(painter, Look.TOKEN, rect, cell.label, cell.label[:1], theme.ink)
            return
        middle = rect.top() + rect.height() * 0.56
        upper = QRectF(rect.left(), rect.top(), rect.width(), middle - rect.top())
        lower = QRectF(rect.left(), middle - 2, rect.width(), rect.bottom() - middle + 1)
        if mark & CellMark.SUPERWORD:  # its line is above the rule
            upper, lower = upper.translated(0, -1), lower.translated(0, -3)
        inset = TOOTH if mark & CellMark.TORN and not cell.short else 0.0
        self._label(painter, Look.TOKEN, one, upper.adjusted(inset, 0, -inset, 0), theme.ink)
        if one.labelled:
            painter.setPen(mix(fill, theme.ink, 0.85))
            self._fit(painter, Look.MONO, lower, cell.note, "")

    def _label(
        self, painter: QPainter, look: Look, one: Placed, rect: QRectF, colour: QColor
    ) -> None:
        if not one.labelled:
            self._text(painter, look, rect, "…", "", self.theme.dim)
            return
        self._text(painter, look, rect, one.cell.label, one.cell.short, colour)

    def _text(
        self, painter: QPainter, look: Look, rect: QRectF, label: str, short: str, colour: QColor
    ) -> None:
        if not label:
            return
        painter.setPen(colour)
        if label.startswith("<0x"):
            self._fit(painter, Look.MONO, rect, label, short)
        elif label[0] == "‹" and label.find("›") == len(label) - 1:  # nothing but a name
            self._fit(painter, Look.MONO, rect, label, short or label[1:-1], 1.0)
        else:
            self._fit(painter, look, rect, label, short, 1.0 if look is Look.MONO else SQUEEZED)

    def _fit(
        self,
        painter: QPainter,
        look: Look,
        rect: QRectF,
        label: str,
        short: str,
        squeezed: float = SQUEEZED,
    ) -> None:
        """Writes a centred label.

        If it does not fit, it is squeezed a little, replaced by its short form, or elided.
        """
        painter.setFont(self._fonts[look])
        room = rect.width() - 2
        width = self._width(look, label)
        if short and width * squeezed > room:
            label, width = short, self._width(look, short)
        if width * SQUEEZED > room:
            metrics = self._metrics[look]
            label = metrics.elidedText(label, Qt.TextElideMode.ElideRight, room)
            width = metrics.horizontalAdvance(label)
            if width > room:
                return
        if width <= room:
            painter.drawText(rect, MIDDLE, into_qt(label))
            return
        painter.save()
        painter.translate(rect.center())
        painter.scale(room / width, 1.0)
        wide = QRectF(-width / 2 - 1, -rect.height() / 2, width + 2, rect.height())
        painter.drawText(wide, MIDDLE, into_qt(label))
        painter.restore()

    def _width(self, look: Look, label: str) -> float:
        key = (look, label)
        width = self._widths.get(key)
        if width is None:
            if len(self._widths) > 20_000:
                self._widths.clear()
            width = self._widths[key] = self._metrics[look].horizontalAdvance(into_qt(label))
        return width


def cuts(mark: int, from_before: bool, goes_on: bool) -> tuple[Cut, Cut]:
    """Returns what the two edges of a token show."""

    def cut(torn: int, split: int, is_open: bool) -> Cut:
        if is_open:
            return Cut.OPEN
        return Cut.TORN if mark & torn else Cut.NOTCH if mark & split else Cut.STRAIGHT

    return (
        cut(CellMark.TORN_START, CellMark.SPLIT_START, from_before),
        cut(CellMark.TORN_END, CellMark.SPLIT_END, goes_on),
    )


SAMPLES = (
    (CellMark.TORN_END, "part of a character"),
    (CellMark.SPLIT_END, "part of a grapheme"),
    (CellMark.FALLBACK, "byte fallback"),
)
BOX = 2.5 * GRID


class MarkLegend(PaintedPart):
    """Small tokens with the meaning of their edges."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._font = ui_font(SMALL_SIZE)
        self.setAccessibleName("Legend: " + ", ".join(words for _, words in SAMPLES))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self._font)
        words = sum(metrics.horizontalAdvance(words) for _, words in SAMPLES)
        return QSize(round(words + len(SAMPLES) * (BOX + 2.5 * GRID)), 3 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 3 * GRID)

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        painter.setFont(self._font)
        metrics = QFontMetricsF(self._font)
        theme = self.theme
        x, middle = 0.5, self.height() / 2
        for mark, words in SAMPLES:
            path = token_path(QRectF(x, middle - 7, BOX, 14), *cuts(mark, False, False))
            dashed = mark & CellMark.FALLBACK
            painter.fillPath(path, theme.tokens[0])
            style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
            painter.setPen(QPen(mix(theme.tokens[0], theme.ink, 0.65), 1.0, style))
            painter.drawPath(path)
            painter.setPen(theme.dim)
            x += BOX + GRID
            painter.drawText(QPointF(x, middle + metrics.capHeight() / 2), words)
            x += metrics.horizontalAdvance(words) + 1.5 * GRID
