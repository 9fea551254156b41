"""The card of the inspector: the details of the selected bytes, the same in every workspace."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedWidget, QWidget

from tokenarium.models.text.piece import as_read, byte_numbers, counted
from tokenarium.models.text.token_counts import ratio_text
from tokenarium.style.cuts import Cut
from tokenarium.style.fonts import (
    HEADING_SIZE,
    READING_SIZE,
    SMALL_SIZE,
    TEXT_SIZE,
    number_font,
    reading_font,
    ui_font,
)
from tokenarium.style.icons import icon
from tokenarium.style.shapes import paint_marker, token_path
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.style.themed import Themed
from tokenarium.widgets.areas import page_area
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, FlatButton, named, secondary
from tokenarium.widgets.text.inspected_tree import Inspected, InspectedTree, TokenizerPart

WIDTH = 318
"""Pixels of the card until the user widens it."""

LEAST, ROOMY = 272, 360
"""Pixels: the least width of the card, and the width from which its buttons have their whole texts."""

LINE_OF_TEXT = 30
"""Pixels of a line of the large text, with room for the marks of Indic scripts."""


class Inspector(QWidget):
    """The text that is selected, its tokens counted by each tokenizer, then the tokens and the characters in a list."""

    token_picked = Signal(int, int)  # bytes
    tokenizer_picked = Signal(str)  # its key
    token_menu_requested = Signal(QPoint, object)  # a place on the screen, a TokenPlace
    why_requested = Signal()
    play_requested = Signal()
    close_requested = Signal()
    pin_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Inspector")
        self.shown: tuple[int, int] | None = None  # bytes
        self.title = QLabel("Selection")
        self.title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        self.pin = named(
            FlatButton(), "Keep this in the card", "Keep this card while you select elsewhere"
        )
        self.pin.setIcon(icon("push-pin", filled=True))
        self.pin.setCheckable(True)
        self.pin.toggled.connect(self.pin_changed)
        self.close_button = named(FlatButton(), "Close the inspector", "Close (Ctrl+I opens it)")
        self.close_button.setIcon(icon("x"))
        self.close_button.clicked.connect(self.close_requested)
        for button in (self.pin, self.close_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setFixedSize(28, 28)
        self.piece = named(ElidedLabel(), "The selected text")
        self.piece.setFont(reading_font(READING_SIZE))
        self.piece.set_lines(2)
        self.piece.setMinimumHeight(2 * LINE_OF_TEXT)
        self.facts = secondary(QLabel(wordWrap=True))
        self.counts_title = QLabel("Tokens in the selection")
        self.counts_title.setFont(ui_font(SMALL_SIZE, QFont.Weight.DemiBold))
        self.counts_title.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.counts = SelectionCounts()
        self.counts.picked.connect(self.tokenizer_picked)
        self.tokens = InspectedTree()
        self.tokens.token_picked.connect(self.token_picked)
        self.tokens.token_menu_requested.connect(self.token_menu_requested)
        self.why = GlyphButton("Why not one token?", "question", "primary")
        self.why.clicked.connect(self.why_requested)
        self.play = GlyphButton("Play", "play")
        named(self.play, "Play merges", "Shows the steps that make these tokens")
        self.play.clicked.connect(self.play_requested)
        self.empty = _EmptyCard()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._full())
        head = in_row(self.title, STRETCH, self.pin, self.close_button, spacing=GRID // 2)
        margin = CARD_MARGIN
        in_column(
            head,
            (self._stack, 1),
            into=self,
            spacing=GRID // 2,
            margins=(margin + 1, margin - 2, margin - 6, margin + 1),
        )
        self.show_bytes(None)

    def _full(self) -> QWidget:
        body = QWidget()
        in_column(
            self.piece,
            GRID // 2,
            self.facts,
            CARD_MARGIN,
            self.counts_title,
            GRID // 2,
            self.counts,
            GRID,
            self.tokens,
            STRETCH,
            into=body,
            margins=(0, 0, GRID, 0),
        )
        self.area = page_area(body)
        for part in (self.area.viewport(), body):
            part.setAutoFillBackground(False)
        full = QWidget()
        self.foot = QWidget()
        in_row(
            (self.why, 3), (self.play, 2), into=self.foot, spacing=GRID, margins=(0, GRID, GRID, 0)
        )
        in_column((self.area, 1), self.foot, into=full)
        return full

    @property
    def controls(self) -> list[QWidget]:
        """The widgets that take the focus, in Tab order."""
        return [self.pin, self.close_button, self.tokens, self.why, self.play]

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST, 200)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.play.setText("Play merges" if event.size().width() >= ROOMY else "Play")

    @property
    def pinned(self) -> bool:
        """Whether the contents stay while other bytes are selected."""
        return self.pin.isChecked()

    def show_bytes(self, inspected: Inspected | None) -> None:
        """Shows a range of bytes, or how to choose one."""
        some = inspected is not None
        self.shown = None if inspected is None else (inspected.start, inspected.end)
        self._stack.setCurrentIndex(1 if some else 0)
        self.pin.setVisible(some)
        if inspected is None:
            self.title.setText("Selection")
            return
        title = "Selected" if inspected.selected else "Pointed at"
        self.title.setText("Selection" if inspected.selected else title)
        text = as_read(inspected.data)
        self.piece.setText(text)
        wide = self.piece.fontMetrics().horizontalAdvance(text) > self.width() - 3 * CARD_MARGIN
        self.piece.set_lines(2 if wide else 1)
        self.piece.setMinimumHeight(LINE_OF_TEXT * (2 if wide else 1))
        size = inspected.end - inspected.start
        parts = [
            counted(inspected.character_count, "character"),
            counted(size, "byte"),
            inspected.scripts,
        ]
        self.facts.setText(
            " · ".join(part for part in parts if part).replace(" byte", "\u00a0byte")
        )
        self.facts.setToolTip(
            f"{title}: bytes {inspected.start:,} to {inspected.end:,} of {inspected.text_size:,} in UTF-8\n"
            f"{byte_numbers(inspected.data, 48)}"
        )
        self.counts_title.setVisible(bool(inspected.parts))
        self.counts.show_parts(inspected.parts)
        self.tokens.show_parts(inspected)


ROW, LOW_ROW = 40, 26
"""Pixels of a row of counts: the name and the count, and under them the bar and the comparison; and all in one line."""

MANY = 6
"""With more tokenizers, each has one line."""

_BAR = 6.0


class SelectionCounts(Themed, QWidget):
    """A row for each tokenizer: marker, name, tokens in the selection of the total, a bar, a comparison."""

    picked = Signal(str)  # the key of a tokenizer

    def __init__(self) -> None:
        super().__init__()
        self._parts: Sequence[TokenizerPart] = ()
        self.setAccessibleName("Tokens in the selection")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_parts(self, parts: Sequence[TokenizerPart]) -> None:
        """Shows new counts; the other tokenizers are compared with the first."""
        self._parts = parts
        self.setFixedHeight(self._row * len(parts))
        self.setAccessibleDescription(
            "; ".join(f"{part.name}: {part.count:,} of {part.total:,}" for part in parts)
        )
        lines = [f"{part.name}: {self.comparison(part)}" for part in parts if len(parts) > MANY]
        self.setToolTip(
            "\n".join([*lines, "A click puts a tokenizer in front"] if len(parts) > 1 else [])
        )
        self.update()

    @property
    def _row(self) -> int:
        return ROW if len(self._parts) <= MANY else LOW_ROW

    def comparison(self, part: TokenizerPart) -> str:
        """Returns how the count of a tokenizer compares with that of the first one."""
        if len(self._parts) < 2:
            return ""
        front = self._parts[0]
        return "in front" if part is front else ratio_text(part.count, front.count, front.name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = int(event.position().y()) // self._row
        if 0 <= row < len(self._parts):
            self.picked.emit(self._parts[row].key)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        most = max((part.count for part in self._parts), default=0)
        for row, part in enumerate(self._parts):
            rect = QRect(0, row * self._row, self.width(), self._row)
            self._paint_row(painter, rect, part, most)
        painter.end()

    def _paint_row(self, painter: QPainter, rect: QRect, part: TokenizerPart, most: int) -> None:
        theme = self.theme
        line = QRect(rect.left(), rect.top() + 2, rect.width(), 20)
        paint_marker(painter, QRectF(line.left(), line.center().y() - 6, 13, 13), part.identity)
        total = f" of {part.total:,}{'' if part.complete else ' so far'}"
        count_font, total_font = number_font(TEXT_SIZE, QFont.Weight.Bold), number_font(TEXT_SIZE)
        right = line.right() + 1
        align = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(total_font)
        painter.setPen(theme.dim)
        width = QFontMetrics(total_font).horizontalAdvance(total)
        painter.drawText(QRect(right - width, line.top(), width, line.height()), align, total)
        right -= width
        painter.setFont(count_font)
        painter.setPen(theme.ink)
        count = f"{part.count:,}"
        width = QFontMetrics(count_font).horizontalAdvance(count)
        painter.drawText(QRect(right - width, line.top(), width, line.height()), align, count)
        name_font = ui_font(TEXT_SIZE, QFont.Weight.Medium)
        low = self._row == LOW_ROW
        bar_room = max(rect.width() // 4, 48) if low else 0
        room = right - width - GRID - 20 - bar_room
        name = QFontMetrics(name_font).elidedText(part.name, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(name_font)
        painter.drawText(QRect(20, line.top(), room, line.height()), align, name)
        if low:
            middle = line.center().y() - _BAR / 2 + 1
            track = QRectF(20 + room, middle, bar_room - GRID, _BAR)
        else:
            track = self._paint_comparison(painter, rect, line.bottom() + 1, part)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.sunken)
        painter.drawRoundedRect(track, _BAR / 2, _BAR / 2)
        if most and part.count:
            filled = QRectF(track)
            filled.setWidth(max(track.width() * part.count / most, _BAR))
            painter.setBrush(part.identity.full)
            painter.drawRoundedRect(filled, _BAR / 2, _BAR / 2)

    def _paint_comparison(
        self, painter: QPainter, rect: QRect, top: int, part: TokenizerPart
    ) -> QRectF:
        """Paints the comparison under a name; returns the rectangle of the bar before it."""
        small = number_font(SMALL_SIZE)
        metrics = QFontMetrics(small)
        widths = [metrics.horizontalAdvance(self.comparison(one)) for one in self._parts]
        below = QRect(20, top, rect.width() - 20, 16)
        painter.setFont(small)
        painter.setPen(self.theme.dim)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(below, align, self.comparison(part))
        middle = below.center().y() - _BAR / 2 + 1
        return QRectF(20, middle, below.width() - max(widths) - GRID, _BAR)


class _EmptyCard(QWidget):
    """A torn tile in the colour of lines, and one sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.sentence = secondary(QLabel(wordWrap=True))
        self.sentence.setText("Point at a token or select some text to see what it consists of.")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        in_column(STRETCH, 88, self.sentence, (None, 2), into=self, margins=(GRID, 0, 2 * GRID, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tile = QRectF(0, 0, 56, 56)
        tile.moveCenter(QRectF(self.rect()).center())
        tile.moveBottom(self.sentence.geometry().top() - 20)
        painter.fillPath(token_path(tile, Cut.STRAIGHT, Cut.TORN, 10), self.palette().mid())
        painter.end()
