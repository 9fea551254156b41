"""The page Decode of the workspace Bytes: ids that are typed or pasted, and what they decode to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from PySide6.QtCore import QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QWidget

from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.id_decoding import DecodedIds, decode_ids, summary, text_of
from tokenarium.models.text.inspection import TokenPlace, taken
from tokenarium.models.text.piece import counted
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.segmentation import TOKEN_COLOURS, token_colour
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.fonts import (
    READING_SIZE,
    TEXT_SIZE,
    reading_font,
    ui_font,
)
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.views.bytes_typed import TypedPage, heading
from tokenarium.views.kept import kept_scroll
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import SOON_MS, Kept, Workspace, column, kept_control, soon
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.painting import tile_cuts
from tokenarium.widgets.panel import ElidedLabel, named, secondary
from tokenarium.widgets.text.token_tiles import ShownTile
from tokenarium_core.command_values import ids_in

TILES = 300
"""Most ids that are shown as tiles."""

TAKEN = 20_000
"""Most ids of the text that are taken over."""

COMPARED = 500
"""Most ids that the other tokenizers decode: a line shows no more."""

MOST = 100_000
"""Most ids that are decoded."""

SHOWN_TEXT = 4000
"""Most characters of the decoded text that are shown."""

SPECIAL: dict[str, bool | None] = {
    "as its library has them": None,
    "left out": True,
    "written": False,
}
"""The choices for special tokens, with ``skip_special_tokens`` of each."""

EXAMPLE = "Type or paste ids, as [464, 3290], as 464 3290, or as an array is printed"


PROGRAM = """
decoded = decode_ids(TOKENIZER, IDS, SKIP_SPECIAL_TOKENS)
rows = [asdict(row) for row in decoded.rows]
print(repr(decoded.text), *(fault.sentence for fault in decoded.faults), *decoded.notes)
"""


class DecodePage(TypedPage):
    """A field for ids; below it their tiles, the text, what is wrong with it, and what others make of the same ids."""

    id = "decode"
    title = "Decode"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            workspace, "Ids to decode", EXAMPLE, "The same ids in the other tokenizers"
        )
        self.take = GlyphButton("Ids of the text", "arrow-down")
        self.take.setToolTip(
            "Takes the ids of the selection, or of all of the text, by the tokenizer in front"
        )
        self.paste = GlyphButton("Paste", "clipboard-text")
        self.special = named(QComboBox(), "Special tokens in the decoded text")
        self.special.addItems(list(SPECIAL))
        self.special.setToolTip(
            "Whether special tokens are in the text: skip_special_tokens of tokenizers and transformers"
        )
        self.status = secondary(QLabel(wordWrap=True))
        self.others = named(QLabel(wordWrap=True), "What is not an id")
        self.others.setForegroundRole(QPalette.ColorRole.WindowText)
        self.name = ElidedLabel()
        self.name.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.marker = QLabel()
        self.figures = secondary(ElidedLabel())
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
        self.make_text = GlyphButton("Make it the text", "article", "primary")
        self.make_text.setToolTip("Replaces the text by what the ids decode to; undo takes it back")
        self.copy = GlyphButton("Copy text", "copy")
        self.decoded: DecodedIds | None = None
        self._ids: tuple[int, ...] = ()
        self._soon = soon(self, self.decode, SOON_MS)
        self._build()
        self._connect()
        self.decode()

    def _build(self) -> None:
        head = in_row(heading("Ids"), STRETCH, self.take, self.paste, spacing=GRID)
        label = secondary(QLabel("&Special tokens"))
        label.setBuddy(self.special)
        special = in_row(label, self.special, STRETCH, spacing=GRID)
        self.result = QWidget()
        self.buttons = in_row(self.make_text, self.copy, STRETCH, spacing=GRID)
        in_column(
            in_row(self.marker, self.name, self.figures, STRETCH, spacing=GRID),
            self.tiles,
            self.text,
            self.faults,
            self.buttons,
            GRID,
            self.same_title,
            self.same,
            into=self.result,
            spacing=12,
        )
        for part in (self.tiles, self.text):
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        body = QWidget()
        margins = (PAGE_MARGIN, CARD_MARGIN, PAGE_MARGIN, CARD_MARGIN)
        in_column(
            head,
            self.field,
            special,
            self.status,
            self.others,
            self.result,
            into=body,
            spacing=GRID,
            margins=margins,
        )
        self.area = CardArea()
        self.area.put(0, body)
        column(self.area, grows=self.area, into=self)

    def _connect(self) -> None:
        session = self.session
        self.field.textChanged.connect(self._soon.start)
        self.special.currentIndexChanged.connect(self._soon.start)
        self.take.clicked.connect(self.take_ids)
        self.paste.clicked.connect(lambda: self.show_ids(QGuiApplication.clipboard().text()))
        self.make_text.clicked.connect(self._make_text)
        self.copy.clicked.connect(self._copy)
        self.tiles.menu_requested.connect(self._ask_for_menu)
        session.tokenizers_changed.connect(self._soon.start)
        session.current_changed.connect(self._soon.start)
        self.appearance.changed.connect(self._soon.start)

    # What is decoded.

    def show_ids(self, text: str) -> None:
        """Puts a list of ids into the field, and decodes it."""
        with QSignalBlocker(self.field):
            self.field.setPlainText(text)
        self.decode()

    def take_ids(self) -> None:
        """Takes the ids of the selection, or of all of the text, by the tokenizer in front."""
        current = self.session.current
        encoded = self.session.encoded(current.key) if current is not None else None
        if encoded is None or encoded.encoding is None:
            return
        span = self.session.selection or (0, self.session.text_map.byte_count)
        first, last = taken(encoded.encoding, *span)
        ids = array_of(encoded.encoding.ids)[first : min(last, first + TAKEN)].tolist()
        self.show_ids(", ".join(map(str, ids)))

    def decode(self) -> None:
        """Decodes what is in the field, now."""
        self._soon.stop()
        if not self.isVisible() and self.decoded is not None:
            return  # decoded when it is shown
        found = ids_in(self.field.toPlainText())
        self._ids = found.ids[:MOST]
        items = self.session.chosen()
        current = self.session.current
        self._show_others(found.others)
        some = bool(found.ids) and current is not None
        self.result.setVisible(some)
        self.status.setVisible(not some)
        if current is None or current.tokenizer is None:
            self.status.setText("No tokenizer is on: click one in the library.")
        elif not found.ids:
            size = len(current.tokenizer.vocabulary)
            name = self.session.short_name(current)
            self.status.setText(f"An id is a number from 0 to {size - 1:,} in {name}.")
        if current is None or current.tokenizer is None or not found.ids:
            self.decoded = None
            return
        self.decoded = decode_ids(current.tokenizer, self._ids, self._skips)
        self._show_result(current, self.decoded)
        self.fill_same(self._same([item for item in items if item is not current]))

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
            self.others.setText(f"{shown} {are}: ids are whole numbers, and not negative.")
        palette = self.others.palette()
        palette.setColor(QPalette.ColorRole.WindowText, self.appearance.theme.bad)
        self.others.setPalette(palette)

    def _show_result(self, item: LibraryItem, decoded: DecodedIds) -> None:
        theme = self.appearance.theme
        self.marker.setPixmap(marker_icon(theme.identity(item.identity)).pixmap(16, 16))
        self.name.setText(self.session.short_name(item))
        more = f" · the first {TILES} are tiles" if len(self._ids) > TILES else ""
        if len(self._ids) == MOST:
            more += f" · no more than {MOST:,} are decoded"
        self.figures.setText(summary(decoded, len(self._ids)) + more)
        faulty = {place for fault in decoded.faults for place in range(fault.first, fault.last + 1)}
        tiles = []
        for place, row in enumerate(decoded.rows[:TILES]):
            left, right = tile_cuts(row.piece)
            colour = token_colour(row.id) + TOKEN_COLOURS // 2 * (place % 2)
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
                    lit=place in faulty,
                )
            )
        self.tiles.show_tiles(tiles)
        self.text.setText(self._rich(decoded))
        self.text.setAccessibleDescription(decoded.text[:SHOWN_TEXT])
        said = [fault.sentence for fault in decoded.faults[:6]]
        if len(decoded.faults) > 6:
            said.append(f"And {len(decoded.faults) - 6:,} more.")
        self._show_faults([*decoded.notes, *said], bad=bool(decoded.faults or decoded.unknown))
        self.make_text.setEnabled(bool(decoded.data))

    def _rich(self, decoded: DecodedIds) -> str:
        """Returns the text as HTML, with the bytes that are no characters marked."""
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

    def _same(self, items: list[LibraryItem]) -> Iterator[tuple[LibraryItem, ElidedLabel, str]]:
        """Gives what the same ids are in other tokenizers: nothing alike, as a rule."""
        for other in items:
            if other.tokenizer is None:
                continue
            found, unknown = text_of(other.tokenizer, self._ids[:COMPARED], self._skips)
            line = ElidedLabel()
            line.setText(found[:400].replace("\n", "⏎"))
            yield other, line, counted(unknown, "unknown id") if unknown else ""

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

    # What follows from it.

    def _ask_for_menu(self, point: QPoint, number: int) -> None:
        current = self.session.current
        if current is not None and self.decoded is not None and self.decoded.rows[number].known:
            place = TokenPlace(current.key, self.decoded.rows[number].id)
            self.session.ask_token_menu(place, point)

    def _make_text(self) -> None:
        if self.decoded is not None:
            self.session.set_text(self.decoded.text)
            self.trigger("tokens")

    def _copy(self) -> None:
        if self.decoded is not None:
            QGuiApplication.clipboard().setText(into_qt(self.decoded.text))

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_control("ids", self.field),
            kept_control("special", self.special),
            kept_scroll("scroll", self.area.verticalScrollBar(), lambda: not self.busy),
        )
