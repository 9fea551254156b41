"""The page Encode bytes of the workspace Bytes: bytes that need not be UTF-8, and their ids."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

import tokenarium_core as tc
from tokenarium.models.text.byte_input import (
    MOST_BYTES,
    EncodedBytes,
    WrittenBytes,
    about_bytes,
    bytes_in,
    encoded_bytes,
    merged_sentence,
    token_rows,
    written_bytes,
)
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.piece import NumberBase, byte_numbers, counted
from tokenarium.models.text.segmentation import TOKEN_COLOURS, token_colour
from tokenarium.style.cuts import tile_cuts
from tokenarium.style.fonts import (
    READING_SIZE,
    SMALL_SIZE,
    mono_font,
    reading_font,
)
from tokenarium.style.theme import GRID
from tokenarium.views.bytes_typed import TypedPage
from tokenarium.views.kept import Kept
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.file_dialogs import ask_file
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_row
from tokenarium.widgets.panel import ElidedLabel, named, secondary, small_heading
from tokenarium.widgets.text.token_tiles import ShownTile
from tokenarium_core.plain_files import open_file

EXAMPLE = "Type or paste bytes: 63 61 66 E9, or b'caf\\xe9', or [99, 97, 102, 233]"
TILES = 120
SHOWN = 300
"""The most tiles, and the most tokens whose text is shown."""

NOTE = 300
"""The most characters of a note about a file that is shown in part."""


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
    """A field for bytes; below it the tokens of the tokenizer in front, their text, and the other tokenizers."""

    id = "encode"
    title = "Encode bytes"
    kept_as = "bytes"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            workspace, "Bytes to encode", EXAMPLE, "The same bytes in other tokenizers"
        )
        self.take = GlyphButton("Bytes of the text", "arrow-down")
        self.take.setToolTip("Takes the bytes of the selection, or of the whole text")
        self.open = GlyphButton("Open …", "file-plus")
        self.open.setToolTip("Takes the bytes of any file")
        self.decoded = named(QLabel(wordWrap=True), "What the ids decode to")
        self.decoded.setFont(reading_font(READING_SIZE))
        self.decoded.setTextFormat(Qt.TextFormat.PlainText)
        self.decoded.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.decoded.setMinimumWidth(1)
        self.note = secondary(QLabel(wordWrap=True))
        self.copy = GlyphButton("Copy ids", "copy")
        self.copy_rows = GlyphButton("Copy table", "table")
        self.copy_rows.setToolTip("Copies a row for each token: its id, its bytes and its position")
        self.encoded: EncodedBytes | None = None
        self._note = ""  # about a file that is shown in part
        self._base = NumberBase.decimal
        self._written = WrittenBytes(b"")
        self.field.textChanged.connect(self._forget_note)
        self.take.clicked.connect(self.take_bytes)
        self.open.clicked.connect(self._ask_for_file)
        self.copy.clicked.connect(self._copy)
        self.copy_rows.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.as_text()))
        self.session.display_changed.connect(self._change_base)
        decoded = small_heading("Decoded: \ufffd where bytes are not UTF-8")
        copying = in_row(self.copy, self.copy_rows, STRETCH, spacing=GRID)
        self.build("Bytes", [self.take, self.open], [self.note, decoded, self.decoded, copying])

    # The bytes.

    def _forget_note(self) -> None:
        self._note = ""

    def show_written(self, text: str, note: str = "") -> None:
        """Puts bytes as users write them into the field, and encodes them; ``note`` is shown with them."""
        self._note = note
        super().show_written(text)

    def show_data(self, data: bytes, size: int, name: str) -> None:
        """Puts bytes into the field in the chosen base, and encodes them; they are the first of ``size``."""
        first = f"These are the first of {size:,} bytes of {name}: “tokenarium encode --bytes” encodes all."
        self.show_written(written_bytes(data), first if size > len(data) else "")

    def take_bytes(self) -> None:
        """Takes the bytes of the selection, or of the whole text."""
        text = self.session.text_map
        start, end = self.session.selection or (0, text.byte_count)
        self.show_data(text.utf8_of(start, min(end, start + MOST_BYTES)), end - start, "the text")

    def _ask_for_file(self) -> None:
        name = ask_file("texts", self, "Encode the bytes of a file", "All files (*)")
        if name:
            self.open_file(Path(name))

    def open_file(self, path: Path) -> None:
        """Takes the bytes of a file; if it cannot be read, a sentence says why."""
        try:
            with open_file(path) as file:
                data, size = file.read(MOST_BYTES), path.stat().st_size
        except OSError as error:
            self.session.problem.emit(f"{path.name} cannot be read: {error.strerror or error}.")
            return
        self.show_data(data, max(size, len(data)), path.name)

    def _change_base(self) -> None:
        """Rewrites the bytes in the field in the current base."""
        if self._base == NumberBase.decimal:
            return
        written = bytes_in(self.field.toPlainText(), self._base)
        self._base = NumberBase.decimal
        if written.data and not written.fault:
            self.show_written(written_bytes(written.data), self._note)
        else:
            self.answer()

    # The ids.

    @property
    def _data(self) -> bytes:
        """The bytes in the field, up to the limit."""
        return self._written.data[:MOST_BYTES]

    def read(self) -> bool:
        self._written = bytes_in(self.field.toPlainText())
        return bool(self._data)

    def sentence(self, tokenizer: tc.Tokenizer) -> str:
        parts = (self._written.fault, about_bytes(self._data), self._note)
        if not self._data and not self._written.fault:
            return "Byte-level BPE has an id for each of the 256 bytes, so it can encode any file, text or not."
        return " ".join(filter(None, parts))

    def show_result(self, tokenizer: tc.Tokenizer | None) -> None:
        self.encoded = None
        if tokenizer is None:
            return
        encoded = self.encoded = encoded_bytes(tokenizer, self._data)
        more = f" · the first {TILES} are tiles" if len(encoded.ids) > TILES else ""
        self.figures.setText("" if encoded.error else f"{counted(len(encoded.ids), 'token')}{more}")
        tiles = []
        unknown = text_loss(tokenizer).unknown
        for index, token in enumerate(encoded.tokens(TILES)):
            left, right = tile_cuts(token.piece)
            tiles.append(
                ShownTile(
                    token.text or "∅",
                    str(token.id),
                    token_colour(token.id) + TOKEN_COLOURS // 2 * (index % 2),
                    left,
                    right,
                    f"id {token.id}\nBytes {token.start:,} to {token.end:,}: {byte_numbers(token.piece)}",
                    apart=token.start == encoded.merged_from and index > 0,
                    lost=bool(unknown[token.id]),
                )
            )
        self.tiles.show_tiles(tiles)
        self.tiles.setVisible(bool(tiles))
        rest = len(encoded.ids) - SHOWN
        unseen = f" … and {counted(rest, 'more token')}" if rest > 0 else ""
        self.decoded.setText(encoded.decoded(SHOWN) + unseen)
        sentence = encoded.error or merged_sentence(encoded)
        self.note.setText(sentence)
        self.note.setVisible(bool(sentence))
        for part in (self.copy, self.copy_rows):
            part.setEnabled(not encoded.error)

    def same_of(self, tokenizer: tc.Tokenizer) -> tuple[ElidedLabel, str]:
        encoded, line = encoded_bytes(tokenizer, self._data), ElidedLabel()
        if encoded.error:
            secondary(line)
        else:
            line.setFont(mono_font(SMALL_SIZE))
        line.setText(encoded.error or ", ".join(map(str, encoded.ids[:100])))
        return line, "" if encoded.error else counted(len(encoded.ids), "token")

    # Queries of the window.

    def _copy(self) -> None:
        if self.encoded is not None:
            QGuiApplication.clipboard().setText(str(self.encoded.ids))

    def python(self) -> str:
        if self.encoded is None or self.session.current is None:
            return ""
        front, data = self.session.current, self._data
        return page_program(self.session, self.title, IMPORTS, PROGRAM, front=front, data=data)

    def lines(self) -> list[list[str]]:
        return token_rows(self.encoded) if self.encoded is not None else []

    def more_keeps(self) -> Iterable[Kept]:
        return (Kept("note", lambda: self._note or None, self._keep_note),)

    def _keep_note(self, note: object) -> None:
        self._note = str(note)[:NOTE]
