"""The view of a `TilesCard`: a sentence, and sequences of ids as tiles, with a description of each."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QLayout, QWidget

import tokenarium_core as tc
from tokenarium.analyses.parts import TileRow, TilesCard
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.piece import readable
from tokenarium.models.text.segmentation import TOKEN_COLOURS, token_colour
from tokenarium.style.cuts import tile_cuts
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import CardFrame, secondary, small_heading
from tokenarium.widgets.text.token_tiles import ShownTile, TokenTiles

HEIGHT = 32
"""Pixels of a tile."""


class TilesView(CardFrame):
    """A card with a sentence and rows, which is shown by `show_part`."""

    def __init__(self, name: str, lead_width: int = 3 * GRID) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._lead_width = lead_width
        self.sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.rows: list[TileRowView] = []
        self._column = in_column(self.sentence, into=self, spacing=6, margins=(16, 14, 16, 14))

    def put_head(self, head: QLayout) -> None:
        """Puts a layout above the sentence."""
        self._column.insertLayout(0, head)

    def show_part(self, card: TilesCard) -> None:
        """Shows a card."""
        weights = QFont.Weight
        plain = weights.Normal if card.plain else weights.Medium
        self.sentence.setFont(ui_font(TEXT_SIZE, weights.DemiBold if card.strong else plain))
        self.sentence.setText(card.sentence)
        for row in card.rows[len(self.rows) :]:
            self.rows.append(TileRowView(row, self._lead_width))
            self._column.addWidget(self.rows[-1].heading)
            self._column.addWidget(self.rows[-1])
        for view, shown in zip(self.rows, card.rows, strict=False):
            view.show_row(card.tokenizer, shown)
        for view in self.rows[len(card.rows) :]:
            view.hide()
            view.heading.hide()


class TileRowView(QWidget):
    """One sequence: the words on its left, its tiles, and its description; its ``heading`` is above."""

    def __init__(self, row: TileRow, lead_width: int) -> None:
        super().__init__()
        self.heading = small_heading("")
        self.heading.setWordWrap(True)
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.lead = secondary(QLabel(textFormat=Qt.TextFormat.PlainText))
        self.lead.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.said = secondary(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True))
        worded = bool(row.lead or row.said)
        self.tiles = TokenTiles(HEIGHT if worded else HEIGHT + 2, 15)
        top = Qt.AlignmentFlag.AlignTop
        in_row((self.lead, 0, top), (self.tiles, 1), (self.said, 0, top), into=self, spacing=12)
        for label, width in ((self.lead, lead_width), (self.said, 19 * GRID)):
            label.setFixedSize(width, HEIGHT + 2)
            label.setVisible(worded)  # in the row: shown before, it would be a window for a moment

    def show_row(self, tokenizer: tc.Tokenizer, row: TileRow) -> None:
        """Shows a sequence."""
        self.heading.setText(row.heading)
        self.heading.setVisible(bool(row.heading))
        self.lead.setText(row.lead)
        self.lead.setToolTip(row.tip)
        self.said.setText(row.said)
        self.tiles.show_tiles(
            [tile_of(tokenizer, token, at, row.lit) for at, token in enumerate(row.ids)]
        )
        self.setVisible(bool(row.ids) or not row.heading)


def tile_of(
    tokenizer: tc.Tokenizer, token: int, place: int, lit: bool = False, dashed: bool = False
) -> ShownTile:
    """Returns the tile of an id at a place of a sequence."""
    piece = tokenizer.vocabulary.piece(token)
    left, right = tile_cuts(piece)
    colour = -1 if dashed else token_colour(token) + TOKEN_COLOURS // 2 * (place % 2)
    lost = bool(text_loss(tokenizer).unknown[token])
    tip = f"id {token}"
    shown = readable(piece) or "∅"
    return ShownTile(shown, str(token), colour, left, right, tip, dashed, lit, lost=lost)
