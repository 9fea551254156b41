"""The show of hands for a question: a bar for each choice, and keys to enter the counts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from tokenarium.models.lessons.hands import Hands
from tokenarium.style.theme import CONTROL_RADIUS, GRID
from tokenarium.widgets.announcing import announce
from tokenarium.widgets.charts.stage_bars import StageBar, StageBars
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import named, secondary

ROW_HEIGHT, LOW_ROW_HEIGHT = 36, 26
"""Pixels of the bar of a choice, and where it leaves room for other bars or for what is said about the answer."""

FEW = 3
"""The most choices with high bars."""

INDENT = "\u2002"
"""The space between the frame of a bar and its name."""

KEYS = "Digits count hands for choice {}; ↑, ↓ change it, Z undoes."


class HandBars(StageBars):
    """The bars; a click on one adds a hand, with the right button it takes one away."""

    name_share = 0.68  # the choices are sentences, and the counts are short

    def __init__(self, hands: Hands) -> None:
        super().__init__()
        self._hands = hands
        named(self, "Hands", "A click adds a hand, the right button takes one away")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def follow(self) -> None:
        """Shows the counts."""
        hands = self._hands
        most = max(hands.counts, default=0) or 1
        high = ROW_HEIGHT if hands.right < 0 and len(hands.choices) <= FEW else LOW_ROW_HEIGHT
        self.setFixedHeight(max(1, len(hands.choices)) * high)
        self.show_bars(
            [
                StageBar(
                    f"{INDENT}{n + 1}  {choice}", f"{count:,}", count / most, best=n == hands.right
                )
                for n, (choice, count) in enumerate(zip(hands.choices, hands.counts, strict=True))
            ]
        )

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        hands, rows = self._hands, self.rows
        if hands.right < 0 and hands.current < len(rows):
            painter.setPen(QPen(self.theme.accent, 2))
            painter.setBrush(self.theme.surface)
            frame = rows[hands.current].adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(frame, CONTROL_RADIUS, CONTROL_RADIUS)
        super().paint(painter, seen)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = next((n for n, row in enumerate(self.rows) if row.contains(event.position())), -1)
        if place >= 0:
            self._hands.add(-1 if event.button() == Qt.MouseButton.RightButton else 1, place)

    def take_key(self, key: Qt.Key) -> bool:
        """Handles a key; returns whether it has a meaning."""
        hands, keys = self._hands, Qt.Key
        digit = int(key) - int(keys.Key_0)
        if not hands.choices:
            return False
        if 0 <= digit <= 9:
            hands.type_digit(digit)
        elif key == keys.Key_Backspace:
            hands.erase_digit()
        elif key in (keys.Key_Up, keys.Key_Down, keys.Key_Return, keys.Key_Enter):
            hands.go(-1 if key == keys.Key_Up else 1)
        elif key in (keys.Key_Plus, keys.Key_Minus):
            hands.add(1 if key == keys.Key_Plus else -1)
        elif key == keys.Key_Z:
            hands.undo()
        else:
            return False
        return True

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if _is_taken(event):  # before the keys of the choices, and of the window's undo
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.take_key(Qt.Key(event.key())):
            super().keyPressEvent(event)


def _is_taken(event: QKeyEvent) -> bool:
    """Whether a key counts hands and does nothing else meanwhile."""
    key = event.key()
    return Qt.Key.Key_0 <= key <= Qt.Key.Key_9 or key == Qt.Key.Key_Z


class HandsUp(QWidget):
    """The bars, how many answered, and the keys; with buttons where ``buttons`` says so."""

    def __init__(self, hands: Hands, buttons: bool = True) -> None:
        super().__init__()
        self._hands = hands
        self.bars = HandBars(hands)
        self.said = secondary(QLabel(wordWrap=True))
        self.minus = GlyphButton("", "minus", "quiet")
        self.plus = GlyphButton("", "plus", "quiet")
        self.undo = GlyphButton("", "arrow-u-up-left", "quiet")
        for button, name, tip, run in (
            (self.minus, "One hand less", "Takes a hand from the framed choice (−)", lambda: hands.add(-1)),
            (self.plus, "One hand more", "Adds a hand to the framed choice (+)", lambda: hands.add(1)),
            (self.undo, "Undo the last count", "Undoes the last count (Z)", hands.undo),
        ):  # fmt: skip
            button.set_compact(True)
            named(button, name, tip).clicked.connect(run)
        self._has_buttons = buttons
        self._row = QWidget()
        in_row(self.minus, self.plus, STRETCH, self.undo, into=self._row, spacing=GRID)
        in_column(self.bars, self.said, self._row, into=self, spacing=GRID // 2)
        self._read = ""
        hands.changed.connect(self.follow)
        self.follow()

    def follow(self) -> None:
        """Shows the counts, or hides itself if they are not wanted."""
        hands = self._hands
        if self.parentWidget() is not None or not hands.shown:  # alone, it would be a window
            self.setVisible(hands.shown)
        self.bars.follow()
        self.said.setText(
            f"{hands.total:,} answer{'s' * (hands.total != 1)}. {KEYS.format(hands.current + 1)}"
        )
        self.said.setVisible(hands.right < 0)
        self._row.setVisible(self._has_buttons and hands.right < 0)
        if hands.shown and hands.choices and self.isVisible():
            choice, count = hands.choices[hands.current], hands.counts[hands.current]
            read = f"{choice}: {count:,}"
            if read != self._read:
                self._read = read
                announce(self, read)
