"""A picture to share: a text, and under it how up to four tokenizers split it; and the dialog that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from tokenarium.models.text.lost_text import SIGN
from tokenarium.models.text.segmentation import TextParts
from tokenarium.style.controls import primary
from tokenarium.style.fonts import number_font, ui_font
from tokenarium.style.shapes import paint_marker, token_path
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.mark import paint_mark
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.text.laid_block import TAB_LETTERS, LaidBlock
from tokenarium.widgets.text.text_layout import PlacedLine
from tokenarium.widgets.text.token_boxes import line_boxes, span_boxes
from tokenarium.widgets.text.token_layer import Band

WIDTH, HEIGHT = 1200, 675
"""Pixels of the picture: the aspect ratio that most sites show uncropped."""

MARGIN = 56
LARGEST, SMALLEST = 48, 24
"""Pixels of the text: as large as fits into one line."""

MOST_STRIPS = 4
STRIP, LABEL, GAP = 42, 42, 20
"""Pixels: the height of a strip, of the line above it, and the room before the next one."""

MARK, FOOT = 42, 596
"""Pixels: the mark, and the top of the line that has it."""

PREVIEW, LEAST_PREVIEW = QSize(640, 360), QSize(400, 225)

NUMBERS = ("no", "one", "two", "three", "four")


@dataclass(frozen=True, slots=True)
class ShareStrip:
    """How one tokenizer splits the text of a card: its name, the number of its identity, and its tokens.

    ``lost`` (n × 2 byte offsets) are the parts of the text that it loses.
    """

    name: str
    identity: int
    parts: TextParts
    lost: Sequence[tuple[int, int]] = ()

    @property
    def count(self) -> str:
        """The number of its tokens, with a sign if text is lost."""
        return f"{SIGN} {len(self.parts):,}" if self.lost else f"{len(self.parts):,}"


@dataclass(frozen=True, slots=True)
class ShareCard:
    """The contents of the picture; ``text`` fits on one line, see `fitting`."""

    text: str
    strips: Sequence[ShareStrip]
    theme: Theme
    version: str

    @property
    def sentence(self) -> str:
        """The sentence about the strips."""
        lossless = [strip for strip in self.strips if not strip.lost]
        if len(lossless) < len(self.strips):
            return f"{SIGN} Hatched text is lost: these counts cannot be compared with others."
        counts = [len(strip.parts) for strip in lossless]
        if not counts:
            return ""
        if len(counts) == 1:
            return f"{counts[0]:,} {'token' if counts[0] == 1 else 'tokens'}."
        if min(counts) == max(counts):
            return f"One text, {NUMBERS[len(counts)]} tokenizers: {counts[0]:,} tokens each."
        return f"One text, {NUMBERS[len(counts)]} tokenizers: from {min(counts):,} tokens to {max(counts):,}."

    def picture(self) -> QImage:
        """Returns the picture in its size in pixels."""
        image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        paint_card_picture(painter, self)
        painter.end()
        return image


def _laid(text: str, size: int) -> LaidBlock:
    font = ui_font(size, QFont.Weight.Medium)
    font.setFeature(QFont.Tag("calt"), 0)  # "->" must stay two characters
    tab = TAB_LETTERS * QFontMetrics(font).horizontalAdvance(" ")
    return LaidBlock(text, font, WIDTH - 2 * MARGIN, tab)


def _largest(text: str) -> LaidBlock:
    """Returns a text in the largest letters with which it fits on one line."""
    for size in range(LARGEST, SMALLEST, -2):
        block = _laid(text, size)
        if len(block.lines) == 1:
            return block
    return _laid(text, SMALLEST)


def fitting(text: str) -> str:
    """Returns the part of a text that fits on a card: the beginning of its first line, in the smallest letters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")[:400]
    if not line:
        return ""
    block = _laid(line, SMALLEST)
    if len(block.lines) == 1:
        return line
    return block.text.slice(0, block.lines[0].end).rstrip()


def paint_card_picture(painter: QPainter, card: ShareCard) -> None:
    """Paints the picture at the painter's origin."""
    theme = card.theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRect(0, 0, WIDTH, HEIGHT), theme.page)
    if card.text:
        line = _largest(card.text).lines[0]
        rows = len(card.strips)
        whole = line.height + rows * (LABEL + STRIP) + max(rows - 1, 0) * GAP
        free = max(FOOT - 24 - MARGIN - whole, 0)
        top = MARGIN + min(free // 3, 60)
        painter.setPen(theme.ink)
        painter.save()
        painter.translate(MARGIN, top)
        line.line.draw(painter, QPointF())
        painter.restore()
        placed = PlacedLine(line, 0, 0.0, 0.0, float(line.height), float(line.height))
        top += line.height + min(free // 3, 60)
        for strip in card.strips:
            _paint_strip(painter, card, strip, placed, top)
            top += LABEL + STRIP + GAP
    _paint_foot(painter, card)


def _paint_strip(
    painter: QPainter, card: ShareCard, strip: ShareStrip, placed: PlacedLine, top: float
) -> None:
    theme = card.theme
    identity = theme.identity(strip.identity)
    row = QRectF(MARGIN, top, WIDTH - 2 * MARGIN, LABEL - 6)
    paint_marker(painter, QRectF(MARGIN, row.center().y() - 11, 22, 22), identity)
    painter.setPen(theme.ink)
    count = strip.count
    font = number_font(40, QFont.Weight.Bold)
    painter.setFont(font)
    side = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(row, int(side | Qt.AlignmentFlag.AlignRight), count)
    room = row.width() - 36 - QFontMetrics(font).horizontalAdvance(count) - 24
    font = ui_font(25, QFont.Weight.DemiBold)
    painter.setFont(font)
    name = QFontMetrics(font).elidedText(strip.name, Qt.TextElideMode.ElideMiddle, int(room))
    painter.drawText(row.adjusted(36, 0, 0, 0), int(side | Qt.AlignmentFlag.AlignLeft), name)
    painter.save()
    painter.translate(MARGIN, top + LABEL)
    painter.setPen(Qt.PenStyle.NoPen)
    band = Band(0, STRIP)
    for box in line_boxes(placed, strip.parts, len(card.text.encode("utf-8", "surrogatepass"))):
        painter.setBrush(identity.full if box.part % 2 else identity.mid)
        painter.drawPath(token_path(band.rect(box), box.at_left, box.at_right))
    for start, end in strip.lost:
        for box in span_boxes(placed, start, end):
            painter.fillRect(band.rect(box), theme.lost)
    painter.restore()


def _paint_foot(painter: QPainter, card: ShareCard) -> None:
    theme = card.theme
    paint_mark(painter, QRect(MARGIN, FOOT, MARK, MARK), theme.dark)
    row = QRectF(MARGIN + MARK + 16, FOOT, WIDTH - 2 * MARGIN - MARK - 16, MARK)
    side = Qt.AlignmentFlag.AlignVCenter
    font = ui_font(24, QFont.Weight.Bold)
    painter.setFont(font)
    painter.setPen(theme.ink)
    painter.drawText(row, int(side | Qt.AlignmentFlag.AlignLeft), "Tokenarium")
    at = QFontMetrics(font).horizontalAdvance("Tokenarium") + 10
    painter.setPen(theme.dim)
    painter.setFont(ui_font(16))
    painter.drawText(
        row.adjusted(at, 3, 0, 3), int(side | Qt.AlignmentFlag.AlignLeft), card.version
    )
    painter.setFont(ui_font(20))
    painter.drawText(row, int(side | Qt.AlignmentFlag.AlignRight), card.sentence)


class ShareView(QWidget):
    """A card as a widget: in the size of the picture, or scaled to fit."""

    def __init__(self, card: ShareCard | None = None) -> None:
        super().__init__()
        self._card = card
        self.setAccessibleName("The picture")
        if card is not None:
            self.setFixedSize(WIDTH, HEIGHT)

    def show_card(self, card: ShareCard) -> None:
        """Shows a new card."""
        self._card = card
        names = [f"{strip.name} {strip.count}" for strip in card.strips]
        self.setAccessibleDescription(f"{card.text}. {', '.join(names)}. {card.sentence}")
        self.update()

    def sizeHint(self) -> QSize:
        return PREVIEW

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._card is None:
            return
        painter = QPainter(self)
        scale = min(self.width() / WIDTH, self.height() / HEIGHT)
        painter.translate((self.width() - scale * WIDTH) / 2, (self.height() - scale * HEIGHT) / 2)
        painter.scale(scale, scale)
        paint_card_picture(painter, self._card)
        if scale != 1:  # the window may have the background of the picture
            painter.setPen(QPen(self._card.theme.line, 1 / scale))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(0, 0, WIDTH - 1, HEIGHT - 1))
        painter.end()


class ShareDialog(QDialog):
    """Chooses the contents of the card and shows it; its owner makes, copies and saves it.

    ``tokenizers`` are keys with names.
    """

    changed = Signal()
    copy_requested = Signal()
    save_requested = Signal(str)  # a key of `saves`

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Share")
        self.view = ShareView()
        self.view.setMinimumSize(LEAST_PREVIEW)
        self.field = named(QLineEdit(), "The text on the picture")
        self.field.setPlaceholderText("A sentence")
        self.field.textChanged.connect(self.changed)
        self.scheme = Segmented(["Light", "Dark"])
        self.scheme.setAccessibleName("Light or dark")
        self.scheme.chosen.connect(lambda _: self.changed.emit())
        self.boxes: dict[str, QCheckBox] = {}
        self._names = QWidget()
        self._flow = FlowLayout(self._names, 2 * GRID)
        self.note = secondary(QLabel(wordWrap=True))
        self.copy = primary(QPushButton("Copy picture"))
        self.copy.clicked.connect(self.copy_requested)
        self.saves: dict[str, QPushButton] = {}
        buttons = in_row(self.scheme, STRETCH, spacing=GRID)
        for suffix, kind in (("html", "web page"), ("png", "PNG"), ("svg", "SVG")):
            button = self.saves[suffix] = QPushButton(f"Save {kind} …")
            button.setAutoDefault(False)
            button.clicked.connect(lambda _, suffix=suffix: self.save_requested.emit(suffix))
            buttons.addWidget(button)
        buttons.addWidget(self.copy)
        self.copy.setDefault(True)
        in_column(
            (self.view, 1), self.field, self._names, self.note, buttons, into=self,
            spacing=GRID + GRID // 2, margins=2 * GRID,
        )  # fmt: skip

    def set_tokenizers(self, tokenizers: Sequence[tuple[str, str]]) -> None:
        """Lists tokenizers; the first ones are on the card."""
        for box in self.boxes.values():
            self._flow.removeWidget(box)
            box.deleteLater()
        self.boxes = {}
        for index, (key, name) in enumerate(tokenizers):
            box = self.boxes[key] = QCheckBox(name)
            box.setChecked(index < MOST_STRIPS)
            box.toggled.connect(self._toggled)
            self._flow.addWidget(box)
        self._limit()

    @property
    def chosen(self) -> list[str]:
        """The keys of the tokenizers on the card."""
        return [key for key, box in self.boxes.items() if box.isChecked()]

    def _toggled(self) -> None:
        self._limit()
        self.changed.emit()

    def _limit(self) -> None:
        """Limits the tokenizers to the room of the card."""
        full = len(self.chosen) >= MOST_STRIPS
        for box in self.boxes.values():
            box.setEnabled(box.isChecked() or not full)
            box.setToolTip("" if box.isEnabled() else f"A card has room for {MOST_STRIPS}")

    def say(self, sentence: str) -> None:
        """Shows a sentence under the choices."""
        self.note.setText(sentence)
        self.note.setVisible(bool(sentence))
