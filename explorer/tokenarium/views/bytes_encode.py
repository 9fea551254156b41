"""The page Encode bytes of the workspace Bytes: bytes that need not be UTF-8, and the ids that they have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

from tokenarium.models.text.byte_input import (
    MOST_BYTES,
    EncodedBytes,
    about_bytes,
    bytes_in,
    encoded_bytes,
    merged_sentence,
    token_rows,
    written_bytes,
)
from tokenarium.models.text.lost_text import losing
from tokenarium.models.text.piece import NumberBase, byte_numbers, counted
from tokenarium.models.text.segmentation import TOKEN_COLOURS, token_colour
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.fonts import (
    READING_SIZE,
    SMALL_SIZE,
    TEXT_SIZE,
    mono_font,
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
from tokenarium.widgets.file_dialogs import ask_file
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.painting import tile_cuts
from tokenarium.widgets.panel import ElidedLabel, named, secondary
from tokenarium.widgets.text.token_tiles import ShownTile
from tokenarium_core.plain_files import open_file

EXAMPLE = "Type or paste bytes: 63 61 66 E9, or b'caf\\xe9', or [99, 97, 102, 233]"
TILES = 120
SHOWN = 300
"""Most tiles, and most tokens whose text is shown."""

NOTE = 300
"""Most characters of a note on a file that is shown in part."""


PROGRAM = """
encoded = encoded_bytes(TOKENIZER, DATA)
rows = rows_of(token_rows(encoded))
print(encoded.error or repr(encoded.decoded()))
"""

IMPORTS = """
from tokenarium.models.programs import rows_of
from tokenarium.models.text.byte_input import encoded_bytes, token_rows
"""


class EncodeBytesPage(TypedPage):
    """A field for bytes; below it the tokens of the tokenizer in front, what they decode to, and the other tokenizers."""

    id = "encode"
    title = "Encode bytes"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            workspace, "Bytes to encode", EXAMPLE, "The same bytes in the other tokenizers"
        )
        self.take = GlyphButton("Bytes of the text", "arrow-down")
        self.take.setToolTip("Takes the bytes of the selection, or of all of the text")
        self.open = GlyphButton("Open …", "file-plus")
        self.open.setToolTip("Takes the bytes of a file, whatever they are")
        self.paste = GlyphButton("Paste", "clipboard-text")
        self.status = secondary(QLabel(wordWrap=True))
        self.marker, self.name = QLabel(), ElidedLabel()
        self.name.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.figures = secondary(ElidedLabel())
        self.decoded = named(QLabel(wordWrap=True), "What the ids decode to")
        self.decoded.setFont(reading_font(READING_SIZE))
        self.decoded.setTextFormat(Qt.TextFormat.PlainText)
        self.decoded.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.decoded.setMinimumWidth(1)
        self.note = secondary(QLabel(wordWrap=True))
        self.copy = GlyphButton("Copy ids", "copy")
        self.copy_rows = GlyphButton("Copy table", "table")
        self.copy_rows.setToolTip("Copies a row for each token: its id, its bytes, where it is")
        self.encoded: EncodedBytes | None = None
        self._note = ""  # on a file that is shown in part
        self._base = NumberBase.decimal
        self._soon = soon(self, self.encode, SOON_MS)
        self._build()
        self._connect()
        self.encode()

    def _build(self) -> None:
        head = in_row(heading("Bytes"), STRETCH, self.take, self.open, self.paste, spacing=GRID)
        self.result = QWidget()
        in_column(
            in_row(self.marker, self.name, self.figures, STRETCH, spacing=GRID),
            self.tiles,
            self.note,
            heading("Decoded: \ufffd where bytes are not UTF-8"),
            self.decoded,
            in_row(self.copy, self.copy_rows, STRETCH, spacing=GRID),
            GRID,
            self.same_title,
            self.same,
            into=self.result,
            spacing=12,
        )
        body = QWidget()
        margins = (PAGE_MARGIN, CARD_MARGIN, PAGE_MARGIN, CARD_MARGIN)
        in_column(
            head, self.field, self.status, self.result, into=body, spacing=GRID, margins=margins
        )
        self.area = CardArea()
        self.area.put(0, body)
        column(self.area, grows=self.area, into=self)

    def _connect(self) -> None:
        session = self.session
        self.field.textChanged.connect(self._edited)
        self.take.clicked.connect(self.take_bytes)
        self.open.clicked.connect(self._ask_for_file)
        self.paste.clicked.connect(lambda: self.show_written(QGuiApplication.clipboard().text()))
        self.copy.clicked.connect(self._copy)
        self.copy_rows.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.as_text()))
        session.tokenizers_changed.connect(self._soon.start)
        session.current_changed.connect(self._soon.start)
        session.display_changed.connect(self._change_base)
        self.appearance.changed.connect(self._soon.start)

    # The bytes.

    def _edited(self) -> None:
        self._note = ""
        self._soon.start()

    def show_written(self, text: str) -> None:
        """Puts bytes as users write them into the field, and encodes them."""
        self._note = ""
        with QSignalBlocker(self.field):
            self.field.setPlainText(text)
        self.encode()

    def show_data(self, data: bytes, size: int, name: str) -> None:
        """Puts bytes into the field in the base that is chosen, and encodes them; they are the first of ``size``."""
        with QSignalBlocker(self.field):
            self.field.setPlainText(written_bytes(data))
        self._note = ""
        if size > len(data):
            self._note = f"These are the first of {size:,} bytes of {name}: “tokenarium encode --bytes” encodes all."
        self.encode()

    def take_bytes(self) -> None:
        """Takes the bytes of the selection, or of all of the text."""
        text = self.session.text_map
        start, end = self.session.selection or (0, text.byte_count)
        self.show_data(text.utf8[start : min(end, start + MOST_BYTES)], end - start, "the text")

    def _ask_for_file(self) -> None:
        name = ask_file("texts", self, "Encode the bytes of a file", "All files (*)")
        if name:
            self.open_file(Path(name))

    def open_file(self, path: Path) -> None:
        """Takes the bytes of a file; a sentence says why it cannot be read."""
        try:
            with open_file(path) as file:
                data, size = file.read(MOST_BYTES), path.stat().st_size
        except OSError as error:
            self.session.problem.emit(f"{path.name} cannot be read: {error.strerror or error}.")
            return
        self.show_data(data, max(size, len(data)), path.name)

    def _change_base(self) -> None:
        """Writes the bytes in the field in the base that is chosen now."""
        if self._base == NumberBase.decimal:
            return
        written = bytes_in(self.field.toPlainText(), self._base)
        self._base = NumberBase.decimal
        if written.data and not written.fault:
            note = self._note
            self.show_written(written_bytes(written.data))
            self._note = note
        self.encode()

    # The ids.

    def encode(self) -> None:
        """Encodes what is in the field, now."""
        self._soon.stop()
        if not self.isVisible() and self.encoded is not None:
            return  # encoded when it is shown
        written = bytes_in(self.field.toPlainText())
        data = written.data[:MOST_BYTES]
        current = self.session.current
        tokenizer = current.tokenizer if current is not None else None
        self.result.setVisible(bool(data) and tokenizer is not None)
        if tokenizer is None:
            self.status.setText("No tokenizer is on: click one in the library.")
        elif not data and not written.fault:
            self.status.setText(
                "Byte-level BPE has an id for each of the 256 bytes, so any file has ids, text or not."
            )
        else:
            said = (written.fault, about_bytes(data), self._note)
            self.status.setText(" ".join(part for part in said if part))
        if current is None or tokenizer is None or not data:
            self.encoded = None
            return
        self.encoded = encoded_bytes(tokenizer, data)
        self._show_result(current, self.encoded)
        others = [item for item in self.session.chosen() if item is not current]
        self.fill_same(self._same(data, others))

    def _show_result(self, item: LibraryItem, encoded: EncodedBytes) -> None:
        theme = self.appearance.theme
        self.marker.setPixmap(marker_icon(theme.identity(item.identity)).pixmap(16, 16))
        self.name.setText(self.session.short_name(item))
        more = f" · the first {TILES} are tiles" if len(encoded.ids) > TILES else ""
        self.figures.setText("" if encoded.error else f"{counted(len(encoded.ids), 'token')}{more}")
        assert item.tokenizer is not None
        tiles = []
        unknown = losing(item.tokenizer).unknown
        for place, token in enumerate(encoded.tokens(TILES)):
            left, right = tile_cuts(token.piece)
            tiles.append(
                ShownTile(
                    token.text or "∅",
                    str(token.id),
                    token_colour(token.id) + TOKEN_COLOURS // 2 * (place % 2),
                    left,
                    right,
                    f"id {token.id}\nBytes {token.start:,} to {token.end:,}: {byte_numbers(token.piece)}",
                    apart=token.start == encoded.merged_from and place > 0,
                    lost=bool(unknown[token.id]),
                )
            )
        self.tiles.show_tiles(tiles)
        self.tiles.setVisible(bool(tiles))
        rest = len(encoded.ids) - SHOWN
        unseen = f" … and {counted(rest, 'more token')}" if rest > 0 else ""
        self.decoded.setText(encoded.decoded(SHOWN) + unseen)
        said = encoded.error or merged_sentence(encoded)
        self.note.setText(said)
        self.note.setVisible(bool(said))
        for part in (self.copy, self.copy_rows):
            part.setEnabled(not encoded.error)

    def _same(
        self, data: bytes, items: list[LibraryItem]
    ) -> Iterator[tuple[LibraryItem, ElidedLabel, str]]:
        """Gives the ids of the same bytes in the other tokenizers, or why they have none."""
        for other in items:
            if other.tokenizer is None:
                continue
            found, line = encoded_bytes(other.tokenizer, data), ElidedLabel()
            if found.error:
                secondary(line)
            else:
                line.setFont(mono_font(SMALL_SIZE))
            line.setText(found.error or ", ".join(map(str, found.ids[:100])))
            yield other, line, "" if found.error else counted(len(found.ids), "token")

    # What the window asks.

    def _copy(self) -> None:
        if self.encoded is not None:
            QGuiApplication.clipboard().setText(str(self.encoded.ids))

    def python(self) -> str:
        if self.encoded is None or self.session.current is None:
            return ""
        data = bytes_in(self.field.toPlainText()).data[:MOST_BYTES]
        return page_program(
            self.session, self.title, IMPORTS, PROGRAM, front=self.session.current, data=data
        )

    def lines(self) -> list[list[str]]:
        return token_rows(self.encoded) if self.encoded is not None else []

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_control("bytes", self.field),
            Kept("note", lambda: self._note or None, self._keep_note),
            kept_scroll("scroll", self.area.verticalScrollBar(), lambda: not self.busy),
        )

    def _keep_note(self, note: object) -> None:
        self._note = str(note)[:NOTE]
