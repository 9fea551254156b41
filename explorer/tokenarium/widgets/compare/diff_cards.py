"""The cards of the page Diff: the result, and a card for each stage that differs, with texts as tokens of both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QLayout, QToolButton, QWidget

from tokenarium.analyses.parts import DiffCard, DiffCards, DiffRow, DiffSide, TileRow
from tokenarium.models.text.piece import counted, quoted
from tokenarium.style.fonts import HEADING_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, PAGE_MARGIN, Theme
from tokenarium.style.themed import Themed
from tokenarium.widgets.analysis.tiles_view import TileRowView
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.badge import INTO_TEXT, Badge, card_button
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import (
    CHIP_SIZE,
    CardFrame,
    ElidedLabel,
    MarkerChip,
    Rule,
    literal,
    named,
    secondary,
)
from tokenarium.widgets.term_marks import with_term
from tokenarium.widgets.vocabulary.finding_card import WIDEST
from tokenarium_core.comparing.stage_differences import (
    CHANGES_IDS,
    CHANGES_TEXT,
    KEEPS_IDS,
    MAY_CHANGE_IDS,
)

LOOKS = {
    CHANGES_IDS: ("changes ids", "x-circle", "bad"),
    MAY_CHANGE_IDS: ("may change ids", "warning-circle", "ask"),
    CHANGES_TEXT: ("changes decoded text", "warning-circle", "ask"),
    KEEPS_IDS: ("keeps ids", "minus-circle", "dim"),
    "": ("same ids", "check-circle", "good"),
}
"""The words, the icon and the tone of the badge of each effect."""

FIRST = 3
"""The number of differences that a card shows at first."""

TILES = 40
"""Most tokens of a text that are shown."""

SIDE_WIDTH = CHIP_SIZE + 3 * GRID
"""Pixels of the marker and the letter of a tokenizer."""


class DiffCardsView(CardArea):
    """A column of cards, which is shown by `show_part`."""

    text_wanted = Signal(str)
    opened = Signal()
    repair_wanted = Signal(str)  # the id of a card

    def __init__(self, name: str) -> None:
        super().__init__(framed=True)
        named(self, name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # so that it scrolls by keys
        self.cards: list[DiffCardView] = []
        self._part: DiffCards | None = None

    def show_part(self, part: DiffCards) -> None:
        """Shows cards; the same ones stay as they are."""
        if part == self._part:
            return
        whole = {one.card.id for one in self.cards if one.is_whole}
        self.clear()
        self._part = part
        for place, card in enumerate(part.cards):
            view = DiffCardView(card, part.sides)
            if card.id in whole:
                view.show_all_rows()
            view.text_wanted.connect(self.text_wanted)
            view.opened.connect(self.opened)
            view.repair.clicked.connect(lambda _=False, id=card.id: self.repair_wanted.emit(id))
            self.put(place, view)
            self.cards.append(view)
        buttons = [one for card in self.cards for one in card.findChildren(QToolButton)]
        for one, following in pairwise(buttons):
            self.setTabOrder(one, following)

    def clear(self) -> None:
        """Removes all cards."""
        for card in self.cards:
            self.take_out(card)
        self.cards, self._part = [], None

    @property
    def shown_methods(self) -> list[str]:
        """The ids of the cards that say how."""
        return [one.card.id for one in self.cards if one.how_button.isChecked()]

    def show_methods(self, ids: set[str]) -> None:
        """Makes these cards say how, and no others."""
        for card in self.cards:
            card.how_button.setChecked(card.card.id in ids)


class DiffCardView(Themed, QWidget):
    """Shows one `DiffCard`."""

    text_wanted = Signal(str)
    opened = Signal()  # more or less of it is shown

    def __init__(self, card: DiffCard, sides: Sequence[DiffSide]) -> None:
        super().__init__()
        self.card = card
        self._sides = sides
        self._chips: list[tuple[MarkerChip, int]] = []
        self.setAccessibleName(card.title)
        self.badge = badge_of(card.effect)
        self.sentence = literal(QLabel(card.sentence, wordWrap=True))
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.how = secondary(QLabel(f"How: {card.method}", wordWrap=True))
        self.how.hide()
        self.how_button = card_button("How?", f"Shows how “{card.title}” was found")
        self.how_button.setCheckable(True)
        self.how_button.toggled.connect(self.how.setVisible)
        self.how_button.toggled.connect(self.opened)
        self.repair = card_button("Repair …", f"Shows how “{card.title}” of A can become that of B")
        if not card.mendable:  # to show it before the card has it would open a window
            self.repair.hide()
        self.rows: list[QWidget] = []
        self.more = card_button("", f"Shows more differences of “{card.title}”")
        self.more.clicked.connect(self.show_all_rows)
        title: QWidget = literal(ElidedLabel(card.title))
        title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        if card.term:
            title = with_term(title, card.term)
        head = in_row(title, self.badge, STRETCH, self.repair, self.how_button, spacing=GRID)
        frame = CardFrame()
        frame.setMaximumWidth(WIDEST)
        self._column = in_column(
            head, self.sentence, self.how, (self.more, 0, Qt.AlignmentFlag.AlignLeft),
            into=frame, spacing=GRID // 2 + 2, margins=CARD_MARGIN,
        )  # fmt: skip
        line = in_row((frame, WIDEST), STRETCH)
        in_column(line, into=self, margins=(PAGE_MARGIN, 0, PAGE_MARGIN, CARD_GAP))
        self._show_rows(FIRST)
        self.follow_theme()

    def dress(self, theme: Theme) -> None:
        for chip, colour in self._chips:
            chip.set_identity(theme.identity(colour))

    @property
    def is_whole(self) -> bool:
        """Whether all differences are shown, of more than are shown at first."""
        return len(self.rows) > FIRST

    def show_all_rows(self) -> None:
        """Shows all differences."""
        self._show_rows(len(self.card.rows))
        self.opened.emit()

    def _show_rows(self, count: int) -> None:
        for row in self.card.rows[len(self.rows) : count]:
            view = self._row(row)
            self._column.insertWidget(self._column.count() - 1, view)
            self.rows.append(view)
        left = len(self.card.rows) - len(self.rows)
        self.more.setText(counted(left, "more difference"))
        self.more.setVisible(left > 0)

    def _row(self, row: DiffRow) -> QWidget:
        parts: list[QWidget | QLayout] = []
        if row.what:
            what = literal(ElidedLabel(row.what[:1].upper() + row.what[1:]))
            what.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
            own = [badge_of(row.effect)] if row.effect != self.card.effect else []
            parts += [Rule(), in_row(what, *own, STRETCH, spacing=GRID)]
        for place, value in enumerate(row.values or ()):
            shown = literal(ElidedLabel(value))
            shown.setFont(mono_font(TEXT_SIZE - 1))
            shown.set_lines(2 if len(value) > 70 else 1)
            shown.setAccessibleName(f"{'AB'[place]}: {value}")
            top = Qt.AlignmentFlag.AlignTop
            parts.append(in_row((self._side(place), 0, top), (shown, 1), spacing=GRID))
        if row.text is not None:
            parts += self._text(row, row.text)
        whole = QWidget()
        in_column(*parts, into=whole, spacing=6)
        return whole

    def _text(self, row: DiffRow, text: str) -> list[QWidget | QLayout]:
        """Returns a text, with a button, and its tokens in both."""
        said = quoted(text.encode("utf-8", "replace")) if text else "empty"
        around = ", with the ids around it" if row.around else ""
        counts = [counted(len(ids), "token") for ids in row.ids]
        label = literal(QLabel(wordWrap=True))
        label.setText(f"Shortest text found{around}: {said}, {counts[0]} in A and {counts[1]} in B")
        line = in_row((label, 1), spacing=GRID)
        if text:
            put = card_button("Into the text", INTO_TEXT)
            put.clicked.connect(lambda: self.text_wanted.emit(text))
            line.addWidget(put, 0, Qt.AlignmentFlag.AlignTop)
        parts: list[QWidget | QLayout] = [line]
        for place, (side, ids) in enumerate(zip(self._sides, row.ids, strict=True)):
            shown = TileRow(ids[:TILES])
            tiles = TileRowView(shown, 0)
            tiles.setParent(self)  # shown without one, it would be a window for a moment
            tiles.show_row(side.tokenizer, shown)
            named(tiles.tiles, f"Tokens of {side.name}")
            parts.append(in_row(self._side(place), (tiles, 1), spacing=GRID))
        if row.note:
            parts.append(literal(QLabel(row.note, wordWrap=True)))
        return parts

    def _side(self, place: int) -> QWidget:
        """Returns the marker and the letter of a tokenizer, with its name as the tip."""
        side = self._sides[place]
        chip = MarkerChip(self.theme.identity(side.colour))
        self._chips.append((chip, side.colour))
        whole = named(QWidget(), f"{'AB'[place]}: {side.name}", side.name)
        whole.setFixedWidth(SIDE_WIDTH)
        in_row(chip, secondary(QLabel("AB"[place])), STRETCH, into=whole, spacing=GRID // 2)
        return whole


def badge_of(effect: str) -> Badge:
    """Returns the badge of an effect, or of no difference."""
    return Badge(*LOOKS[effect])
