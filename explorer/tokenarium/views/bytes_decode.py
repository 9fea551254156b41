"""The page Decode of the workspace Bytes: ids that are typed or pasted, and what they decode to."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy

import tokenarium_core as tc
from tokenarium.models.text.id_decoding import DecodedIds, decode_ids, summary, text_of
from tokenarium.models.text.inspection import TokenPlace, tokens_in
from tokenarium.models.text.piece import counted
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.segmentation import TOKEN_COLOURS, token_colour
from tokenarium.session.requests import ShowTokenMenu
from tokenarium.style.cuts import tile_cuts
from tokenarium.style.fonts import (
    READING_SIZE,
    reading_font,
)
from tokenarium.style.theme import GRID
from tokenarium.views.bytes_typed import TypedPage
from tokenarium.views.kept import Kept, kept_control
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_row
from tokenarium.widgets.panel import ElidedLabel, named, secondary
from tokenarium.widgets.text.token_tiles import ShownTile
from tokenarium_core.command_values import ids_in

TILES = 300
"""The most ids that are shown as tiles."""

TAKEN = 20_000
"""The most ids that are taken from the text."""

COMPARED = 500
"""The most ids that the other tokenizers decode: a line shows no more."""

MOST = 100_000
"""The most ids that are decoded."""

SHOWN_TEXT = 4000
"""The most characters of the decoded text that are shown."""

SPECIAL: dict[str, bool | None] = {
    "as its library has them": None,
    "left out": True,
    "written": False,
}
"""The choices for special tokens, with ``skip_special_tokens`` of each."""

EXAMPLE = "Type or paste ids: [464, 3290], 464 3290, or a printed array"


PROGRAM = """
decoded = decode_ids(TOKENIZER, IDS, SKIP_SPECIAL_TOKENS)
rows = [asdict(row) for row in decoded.rows]
print(repr(decoded.text), *(fault.sentence for fault in decoded.faults), *decoded.notes)
"""


class DecodePage(TypedPage):
    """A field for ids; below it their tiles, the text, its faults, and how other tokenizers decode them."""

    id = "decode"
    title = "Decode"
    kept_as = "ids"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, "Ids to decode", EXAMPLE, "The same ids in other tokenizers")
        self.take = GlyphButton("Ids of the text", "arrow-down")
        self.take.setToolTip(
            "Takes the ids of the selection, or of the whole text, from the current tokenizer"
        )
        self.special = named(QComboBox(), "Special tokens in the decoded text")
        self.special.addItems(list(SPECIAL))
        self.special.setToolTip(
            "Whether the text includes special tokens: skip_special_tokens in tokenizers and transformers"
        )
        self.others = named(QLabel(wordWrap=True), "Input that is not an id")
        self.others.setForegroundRole(QPalette.ColorRole.WindowText)
        self.text = named(QLabel(wordWrap=True), "The decoded text")
        self.text.setFont(reading_font(READING_SIZE))
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setMinimumWidth(1)
        self.faults = named(QLabel(wordWrap=True), "What is wrong")
        self.faults.setTextFormat(Qt.TextFormat.RichText)
        self.faults.setContentsMargins(14, 10, 14, 10)
        self.faults.setAutoFillBackground(True)
        self.faults.setBackgroundRole(QPalette.ColorRole.Window)
        self.faults.setForegroundRole(QPalette.ColorRole.WindowText)
        self.make_text = GlyphButton("Use as the text", "article", "primary")
        self.make_text.setToolTip("Replaces the text with the decoded ids; undo brings it back")
        self.copy = GlyphButton("Copy text", "copy")
        self.decoded: DecodedIds | None = None
        self._ids: tuple[int, ...] = ()
        label = secondary(QLabel("&Special tokens"))
        label.setBuddy(self.special)
        special = in_row(label, self.special, STRETCH, spacing=GRID)
        for part in (self.tiles, self.text):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.special.currentIndexChanged.connect(self._soon.start)
        self.take.clicked.connect(self.take_ids)
        self.make_text.clicked.connect(self._make_text)
        self.copy.clicked.connect(self._copy)
        self.tiles.menu_requested.connect(self._ask_for_menu)
        buttons = in_row(self.make_text, self.copy, STRETCH, spacing=GRID)
        parts = (self.text, self.faults, buttons)
        self.build("Ids", [self.take], parts, [special], [self.others])

    # Decoding.

    def take_ids(self) -> None:
        """Takes the ids of the selection, or of the whole text, from the current tokenizer."""
        current = self.session.current
        encoded = self.session.encoded(current.key) if current is not None else None
        if encoded is None or encoded.tokens is None:
            return
        span = self.session.selection or (0, self.session.text_map.byte_count)
        first, last = tokens_in(encoded.tokens, *span)
        ids = encoded.tokens.ids[first : min(last, first + TAKEN)].tolist()
        self.show_written(", ".join(map(str, ids)))

    def read(self) -> bool:
        ids = ids_in(self.field.toPlainText())
        self._ids = ids.ids[:MOST]
        self._show_others(ids.others)
        return bool(ids.ids)

    def sentence(self, tokenizer: tc.Tokenizer) -> str:
        if self._ids:
            return ""
        name = self.session.short_name(self.session.current) if self.session.current else ""
        return f"An id is a number from 0 to {len(tokenizer.vocabulary) - 1:,} in {name}."

    @property
    def _skips(self) -> bool | None:
        return SPECIAL[self.special.currentText()]

    def _show_others(self, others: tuple[str, ...]) -> None:
        self.others.setVisible(bool(others))
        if others:
            shown = ", ".join(f"“{word[:24]}”" for word in others[:4]) + (
                " …" if len(others) > 4 else ""
            )
            are = "is not an id" if len(others) == 1 else "are not ids"
            self.others.setText(f"{shown} {are}: ids are whole numbers from 0.")
        palette = self.others.palette()
        palette.setColor(QPalette.ColorRole.WindowText, self.appearance.theme.bad)
        self.others.setPalette(palette)

    def show_result(self, tokenizer: tc.Tokenizer | None) -> None:
        self.decoded = None
        if tokenizer is None:
            return
        decoded = self.decoded = decode_ids(tokenizer, self._ids, self._skips)
        more = f" · the first {TILES} are tiles" if len(self._ids) > TILES else ""
        if len(self._ids) == MOST:
            more += f" · no more than {MOST:,} are decoded"
        self.figures.setText(summary(decoded, len(self._ids)) + more)
        faulty = {place for fault in decoded.faults for place in range(fault.first, fault.last + 1)}
        tiles = []
        for index, row in enumerate(decoded.rows[:TILES]):
            left, right = tile_cuts(row.piece)
            colour = token_colour(row.id) + TOKEN_COLOURS // 2 * (index % 2)
            tip = "\n".join(part for part in (f"id {row.id}", row.note) if part)
            tiles.append(
                ShownTile(
                    row.text or "∅",
                    str(row.id),
                    colour if row.known and not row.note else -1,
                    left,
                    right,
                    tip,
                    dashed=not row.known or bool(row.note),
                    lit=index in faulty,
                )
            )
        self.tiles.show_tiles(tiles)
        self.text.setText(self._rich(decoded))
        self.text.setAccessibleDescription(decoded.text[:SHOWN_TEXT])
        sentences = [fault.sentence for fault in decoded.faults[:6]]
        if len(decoded.faults) > 6:
            sentences.append(f"And {len(decoded.faults) - 6:,} more.")
        self._show_faults([*decoded.notes, *sentences], bad=bool(decoded.faults or decoded.unknown))
        self.make_text.setEnabled(bool(decoded.data))

    def _rich(self, decoded: DecodedIds) -> str:
        """Returns the text as HTML, with marks where bytes are not characters."""
        theme = self.appearance.theme
        room = SHOWN_TEXT
        html = []
        for text, good in decoded.parts():
            shown = escape(text[:room]).replace("\n", "<br>").replace("  ", "&nbsp; ")
            room -= len(text)
            if not good:
                style = f"background-color:{theme.bad_ground.name()};color:{theme.bad.name()}"
                shown = f'<span style="{style}">{shown}</span>'
            html.append(shown)
            if room <= 0:
                html.append(f" … {len(decoded.text) - SHOWN_TEXT:,} more")
                break
        return f'<p style="margin:0">{"".join(html) or "<i>no text</i>"}</p>'

    def _show_faults(self, sentences: list[str], bad: bool) -> None:
        theme = self.appearance.theme
        self.faults.setVisible(bool(sentences))
        self.faults.setText("<br>".join(escape(sentence) for sentence in sentences))
        palette = self.faults.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.bad_ground if bad else theme.ask_ground)
        palette.setColor(QPalette.ColorRole.WindowText, theme.bad if bad else theme.ask)
        self.faults.setPalette(palette)

    def same_of(self, tokenizer: tc.Tokenizer) -> tuple[ElidedLabel, str]:
        decoded, unknown = text_of(tokenizer, self._ids[:COMPARED], self._skips)
        line = ElidedLabel()
        line.setText(decoded[:400].replace("\n", "⏎"))
        return line, counted(unknown, "unknown id") if unknown else ""

    def python(self) -> str:
        if self.decoded is None or self.session.current is None:
            return ""
        imports = (
            "from dataclasses import asdict\n"
            "from tokenarium.models.text.id_decoding import decode_ids"
        )
        return page_program(
            self.session,
            self.title,
            imports,
            PROGRAM,
            front=self.session.current,
            ids=list(self._ids),
            skip_special_tokens=self._skips,
        )

    # Actions.

    def _ask_for_menu(self, point: QPoint, number: int) -> None:
        current = self.session.current
        if current is not None and self.decoded is not None and self.decoded.rows[number].known:
            place = TokenPlace(current.key, self.decoded.rows[number].id)
            self.session.requests.ask(ShowTokenMenu(place, point))

    def _make_text(self) -> None:
        if self.decoded is not None:
            self.session.set_text(self.decoded.text)
            self.trigger("tokens")

    def _copy(self) -> None:
        if self.decoded is not None:
            QGuiApplication.clipboard().setText(into_qt(self.decoded.text))

    def more_keeps(self) -> Iterable[Kept]:
        return (kept_control("special", self.special),)
