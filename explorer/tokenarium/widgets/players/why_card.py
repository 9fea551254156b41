"""The answer of one tokenizer to why a string is not one token: a sentence, the tokens, the evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from tokenarium.models.merges.playback import NO_PIECE, Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.merges.why_finding import Clash, Finding
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import readable, score_text
from tokenarium.models.text.qt_text import on_button
from tokenarium.models.text.segmentation import token_colours
from tokenarium.models.text.superword_ids import ABOUT, superword_note
from tokenarium.style.fonts import SMALL_SIZE, mono_font, reading_font
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, Identity, Theme
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.painting import (
    PaintedPart,
    SentenceLabel,
    paint_superword_line,
    reading_width,
    small_width,
)
from tokenarium.widgets.panel import MarkerChip, Rule, named, secondary, strong
from tokenarium.widgets.players.tile_stage import (
    GAP,
    NARROWEST,
    NOTE_HEIGHT,
    PADDING,
    WORD_GAP,
    Pair,
    Scene,
    Tile,
    TileStage,
)

BUTTON_HEIGHT = 3 * GRID

SHOWN = 80
"""The most tokens that are painted; the title gives the number of all."""


class WhyCard(QWidget):
    """Shows one `Finding`."""

    play_wanted = Signal()
    put_wanted = Signal()
    near_picked = Signal(object)  # a str: Qt would take a byte order mark from it

    def __init__(
        self, name: str, identity: Identity, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(f"Answer of {name}")
        self._theme = theme
        self.finding: Finding | None = None
        self.chip = MarkerChip(identity)
        self.count = strong(QLabel())
        self.sentence = SentenceLabel(theme)
        self.clash_title = secondary(QLabel())
        self.clash = named(TileStage(theme), "Symbols before the merge that came first")
        self.clash.motion = False
        self.tokens_title = secondary(QLabel("What comes out"))
        self.tokens = TokenTiles(theme)
        self.facts = QWidget()
        self._fact_labels: list[SentenceLabel] = []
        self._fact_grid = QGridLayout(self.facts)
        self.play = named(_button("Play it"), f"Play it with {name}")
        self.play.setToolTip("Shows the steps of this tokenizer, at the one that decides")
        self.note = secondary(QLabel("The text has no place where it is cut like this."))
        self.put = _button("Make it the whole text")
        self.put.setToolTip("Replaces the text by this string; undo in the text takes it back")
        self.put.setAccessibleName(f"Make the string the whole text, and play it with {name}")
        self.near: list[QToolButton] = []
        self._buttons = QWidget()
        self._button_row = FlowLayout(self._buttons, GRID)
        self._near_title = secondary(QLabel("Similar, and one token:"))
        self._build(name)
        self.play.clicked.connect(self.play_wanted)
        self.put.clicked.connect(self.put_wanted)

    def _build(self, name: str) -> None:
        head = in_row(self.chip, strong(QLabel(name)), STRETCH, self.count, spacing=GRID)
        self._fact_grid.setContentsMargins(0, 0, 0, 0)
        self._fact_grid.setHorizontalSpacing(2 * GRID)
        self._fact_grid.setVerticalSpacing(GRID // 2)
        self._fact_grid.setColumnStretch(1, 1)
        for label in (self.note, self._near_title):
            label.setMinimumHeight(BUTTON_HEIGHT)
        for control in (self.play, self.note, self.put, self._near_title):
            self._button_row.addWidget(control)
        inner = in_column(head, self.sentence, spacing=GRID, margins=(2 * GRID, GRID, 2 * GRID, 0))
        below = in_column(
            self.facts, self._buttons, spacing=GRID, margins=(2 * GRID, GRID, 2 * GRID, GRID)
        )
        for title in (self.clash_title, self.tokens_title):
            title.setContentsMargins(2 * GRID, 0, 2 * GRID, GRID // 2)
        in_column(
            inner,
            GRID,
            self.clash_title,
            self.clash,
            self.tokens_title,
            self.tokens,
            below,
            Rule(),
            into=self,
        )

    def set_theme(self, theme: Theme, identity: Identity) -> None:
        """Paints in other colours."""
        self._theme = theme
        self.chip.set_identity(identity)
        for label in (self.sentence, *self._fact_labels):
            label.set_theme(theme)
        self.clash.set_theme(theme)
        self.tokens.set_theme(theme)
        self._colour_count()

    def show_finding(self, finding: Finding) -> None:
        """Shows another answer."""
        self.finding = finding
        self.count.setText(finding.count)
        self._colour_count()
        self.sentence.say((finding.error,) if finding.error else finding.sentence)
        self._show_run(finding)
        self._show_facts(finding)
        self._show_buttons(finding)

    def _show_run(self, finding: Finding) -> None:
        """Shows the symbols at the deciding step, and the final tokens."""
        run, verdict, clash = finding.run, finding.verdict, finding.clash
        words, more = _first_words(finding.tokens)
        lit = (0, 0)
        if verdict is not None and not verdict.whole:
            lit = verdict.low, verdict.high
        tiles = [_tiles(run, word) for word in words] if run is not None else []
        self.tokens.show_words(tiles, lit)
        self.tokens.setVisible(bool(words))
        self.tokens_title.setText(
            f"The first {SHOWN} of {more:,} tokens:" if more else "What comes out:"
        )
        self.tokens_title.setVisible(bool(more or (words and clash)))
        for widget in (self.clash_title, self.clash):
            widget.setVisible(clash is not None)
        self.clash.show_scene(Scene() if run is None or clash is None else _scene(run, clash))
        self.clash.light(*lit)
        self.clash_title.setText(_title(clash))

    def offer_to_put(self, offer: bool = True) -> None:
        """Says that the text has no such place, and offers to make the string the text."""
        self.note.setVisible(offer)
        self.put.setVisible(offer)
        if offer:
            self.put.setFocus()

    @property
    def controls(self) -> list[QWidget]:
        """The widgets that take the focus, in Tab order."""
        return [self.play, self.put, *self.near]

    def _colour_count(self) -> None:
        one = self.finding is not None and self.finding.is_one
        palette = self.count.palette()
        colour = self._theme.good if one else self._theme.ink
        palette.setColor(self.count.foregroundRole(), colour)
        self.count.setPalette(palette)

    def _show_facts(self, finding: Finding) -> None:
        while self._fact_grid.count():
            item = self._fact_grid.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        self._fact_labels = []
        for row, fact in enumerate(finding.facts):
            label = SentenceLabel(self._theme)
            label.say(fact.sentence)
            self._fact_labels.append(label)
            name = secondary(QLabel(fact.label))
            self._fact_grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            self._fact_grid.addWidget(label, row, 1)
        self.facts.setVisible(bool(finding.facts))

    def _show_buttons(self, finding: Finding) -> None:
        self.play.setVisible(bool(finding.tokens))
        self.offer_to_put(False)
        for button in self.near:
            self._button_row.removeWidget(button)
            button.setParent(None)
            button.deleteLater()
        self.near = []
        for one in finding.near:
            button = _button(f"{isolated(readable(one.text.encode(), 40))}  {one.token}")
            button.setToolTip(f"{one.how[:1].upper()}{one.how[1:]} it is one token, id {one.token}")
            button.setAccessibleName(f"Ask about it {one.how}")
            button.clicked.connect(lambda _=False, text=one.text: self.near_picked.emit(text))
            self.near.append(button)
            self._button_row.addWidget(button)
            button.show()
        self._near_title.setVisible(bool(self.near))
        self._buttons.setVisible(bool(finding.tokens or self.near))


def _first_words(words: Sequence[Sequence[Symbol]]) -> tuple[list[list[Symbol]], int]:
    """Returns the words with their first `SHOWN` tokens, and the number of all if there are more."""
    count = sum(len(word) for word in words)
    if count <= SHOWN:
        return [list(word) for word in words if word], 0
    shown: list[list[Symbol]] = []
    left = SHOWN
    for word in words:
        if left > 0 and word:
            shown.append(list(word[:left]))
            left -= len(word)
    return shown, count


def _tiles(run: TraceRun, word: Sequence[Symbol]) -> list[Tile]:
    colours = token_colours(np.array([max(symbol.id, 0) for symbol in word], dtype=np.int32))
    return [
        Tile(
            symbol.start,
            symbol.end,
            readable(run.data[symbol.start : symbol.end], 40),
            "" if symbol.id == NO_PIECE else str(symbol.id),
            int(colour),
            frozen=run.frozen(symbol),
            loose=symbol.id == NO_PIECE,
            superword=superword_note(run.tokenizer.vocabulary, symbol.id),
        )
        for symbol, colour in zip(word, colours, strict=True)
    ]


def _scene(run: TraceRun, clash: Clash) -> Scene:
    pairs = [Pair(clash.first, _label(clash.first_value, clash.scored), True)]
    if clash.needed >= 0:
        pairs.append(Pair(clash.needed, _label(clash.needed_value, clash.scored), False))
    widest = max((pair.label for pair in pairs), key=len)
    return Scene([_tiles(run, word) for word in clash.words], pairs, widest=widest)


def _label(value: float, scored: bool) -> str:
    return score_text(value) if scored else f"{round(value):,}"


def _title(clash: Clash | None) -> str:
    if clash is None:
        return ""
    what = "score" if clash.scored else "rank"
    if clash.needed < 0:
        return f"Before the merge that went on, with its {what}:"
    return (
        f"Before the merge that came first, with its {what} and that of the one that had to wait:"
    )


def _button(text: str) -> QToolButton:
    button = QToolButton()
    button.setText(on_button(text))
    button.setFixedHeight(BUTTON_HEIGHT)
    return button


TILE_HEIGHT = 4.0 * GRID
LINE_HEIGHT = TILE_HEIGHT + NOTE_HEIGHT + 0.5 * GRID
EDGE = 2.0 * GRID


class TokenTiles(PaintedPart):
    """Paints tiles that do not move; for others see `TileStage`."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Tokens")
        self.words: Sequence[Sequence[Tile]] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_words(self, words: Sequence[Sequence[Tile]], lit: tuple[int, int] = (0, 0)) -> None:
        """Shows other tiles; those that touch the bytes ``lit`` are highlighted."""
        self.words = words
        self._lit = lit
        tiles = [tile for word in words for tile in word]
        said = " ".join(
            f"{tile.text} {tile.note}{' (superword)' if tile.superword else ''}" for tile in tiles
        )
        self.setToolTip(ABOUT if any(tile.superword for tile in tiles) else "")
        self.setAccessibleDescription(said)
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return round(places[-1][1].top() + LINE_HEIGHT) if places else 0

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, self.heightForWidth(max(self.width(), 40 * GRID)))

    def minimumSizeHint(self) -> QSize:
        return QSize(16 * GRID, round(LINE_HEIGHT))

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        text, note = reading_font(), mono_font(SMALL_SIZE)
        for tile, rect in self._places(self.width()):
            self._paint_tile(painter, tile, rect)
            painter.setPen(self._theme.ink)
            painter.setFont(text)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, tile.text)
            painter.setPen(self._theme.dim)
            painter.setFont(note)
            below = QRectF(rect.left() - GRID, rect.bottom() + 1, rect.width() + EDGE, NOTE_HEIGHT)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, tile.note)

    def _paint_tile(self, painter: QPainter, tile: Tile, rect: QRectF) -> None:
        theme = self._theme
        fill = theme.sunken if tile.loose else theme.tokens[tile.colour % len(theme.tokens)]
        lit = self._lit[0] < tile.end and tile.start < self._lit[1]
        if lit:
            painter.setPen(QPen(theme.accent, 2))
        elif tile.frozen:
            painter.setPen(QPen(theme.ink, 1))
        else:
            painter.setPen(QPen(mix(fill, theme.ink, 0.18), 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(rect, 4, 4)
        if tile.superword:
            paint_superword_line(painter, theme, rect)

    def _places(self, width: int) -> list[tuple[Tile, QRectF]]:
        places = []
        x, y = EDGE, 1.0
        right = max(width - EDGE, 12 * GRID)
        for word in self.words:
            for tile in word:
                size = max(
                    reading_width(tile.text) + 2 * PADDING,
                    small_width(tile.note) + GRID / 2,
                    NARROWEST,
                )
                if x > EDGE and x + size > right:
                    x, y = EDGE, y + LINE_HEIGHT
                places.append((tile, QRectF(x, y, size, TILE_HEIGHT)))
                x += size + GAP
            x += WORD_GAP - GAP
        return places
