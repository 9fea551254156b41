"""The workspace Bytes: characters, code points, bytes, the normalized form and the tokens, aligned; and decoding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout

from tokenarium.models.text.byte_cells import Cell, CellRow
from tokenarium.models.text.character_rows import (
    ByteRow,
    CodePointRow,
    GraphemeRow,
    NameRow,
    NormalizedRow,
    ScriptRow,
)
from tokenarium.models.text.inspection import TokenPlace
from tokenarium.models.text.lost_text import SIGN
from tokenarium.models.text.part_decoding import decode_part
from tokenarium.models.text.piece import signs_note
from tokenarium.models.text.token_row import Counts, RowCounting, TokenRow
from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.session.requests import ExplainBytes, ShowTokenMenu
from tokenarium.style.theme import GRID, PAGE_MARGIN, Identity, Theme
from tokenarium.views.analysis_page import page_of
from tokenarium.views.bytes_alphabet import ByteTablePage
from tokenarium.views.bytes_decode import DecodePage
from tokenarium.views.bytes_encode import EncodeBytesPage
from tokenarium.views.kept import Kept, all_encoded
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import BYTES, Page, PagedWorkspace, Workspace, column, soon
from tokenarium.widgets.panel import ElidedLabel, Rule, secondary
from tokenarium.widgets.text.byte_grid import ByteGrid
from tokenarium.widgets.text.byte_painter import MarkLegend
from tokenarium.widgets.text.interlinear_view import row_of_digit
from tokenarium.widgets.text.part_panel import PartPanel
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from tokenarium.models.scene import Json
    from tokenarium.views.decks import Deck

WIDE = 100 * GRID
"""Pixels: a narrower view hides the legend, as it is also low."""

COUNTING_MS = 4.0
"""Milliseconds that counting the tokens of a row may take in the frame that shows it."""

HINT = "Select bytes or tokens to see what they decode to by themselves."
KEYS = "Arrow keys go from cell to cell and from row to row; with Shift they select."
COUNTS = (
    "Tokens that hold only part of a character (torn edge), or that begin or end inside a grapheme cluster, "
    "which readers see as one character (a notch in the edge); bytes that stand for a character that "
    "is not in the vocabulary (dashed); and superwords, which hold several words (a line at the foot)."
)


PROGRAM = """
text_map = TextMap(TEXT)
encodings = {
    name: tokenizer.encode(TEXT, SPECIAL, add_bos=ADD_BOS, add_eos=ADD_EOS)
    for name, tokenizer in TOKENIZERS.items()
}
rows = character_lines(text_map, encodings)
counts = {name: marked_counts(TOKENIZERS[name], one, text_map) for name, one in encodings.items()}
print(counts)
"""

IMPORTS = """
from tokenarium.models.text.character_lines import character_lines, marked_counts
from tokenarium.models.text.text_map import TextMap
"""


class BytesView(Page):
    """The page Bytes: a grid of bytes, and below it the decoding of a part of the ids."""

    id = "bytes"
    title = "Bytes"
    follows_text = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.grid = ByteGrid()
        self.part = PartPanel()
        self.counts = ElidedLabel()
        self.legend = MarkLegend()
        self.signs = secondary(ElidedLabel())
        self._token_rows: dict[str, TokenRow] = {}
        self._sought = -1  # a byte to scroll to when the rows are there
        self._counting: dict[str, RowCounting] = {}
        self._numbers: tuple[int, int] | None = None  # tokens chosen by their numbers
        self._hides = False
        self.counts.setContentsMargins(PAGE_MARGIN, GRID // 2, PAGE_MARGIN, 0)
        head = self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        head.setContentsMargins(PAGE_MARGIN, 0, PAGE_MARGIN, GRID // 2)
        head.addWidget(self.signs, 1)
        head.addWidget(self.legend)
        shown = column(self.counts, head, Rule(), self.grid, Rule(), self.part, grows=self.grid)
        self._pages = self.fill(shown)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._soon = soon(self, self._show_if_seen, 0)
        self._connect()

    def _connect(self) -> None:
        session = self.session
        self.grid.hovered.connect(session.point_at)
        self.grid.picked.connect(session.select)
        self.grid.title_chosen.connect(self._choose_row)
        self.grid.scrolled.connect(self._show_signs)
        self.grid.menu_requested.connect(self._ask_for_menu)
        self.grid.cell_activated.connect(self._ask_why)
        self.part.chosen.connect(self._choose_tokens)
        for signal in (session.text_changed, session.graphemes_changed, session.special_changed):
            signal.connect(self._forget)
        for signal in (session.tokenizers_changed, session.current_changed):
            signal.connect(self._soon.start)
        session.display_changed.connect(self._soon.start)
        session.encoding_changed.connect(self._forget_one)
        session.text_replaced.connect(self.grid.scroll_to_top)
        session.selection_changed.connect(self._selection_changed)
        session.hover_changed.connect(self._light)

    # The rows.

    def _forget(self) -> None:
        self._token_rows.clear()
        self._soon.start()

    def _forget_one(self, key: str) -> None:
        self._token_rows.pop(key, None)
        self._soon.start()

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self.show_rows()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_rows()
        self._reveal()

    def show_rows(self) -> None:
        """Makes the rows of the text and of the chosen tokenizers, the current one first."""
        self._soon.stop()
        session = self.session
        text = session.text_map
        rows: list[CellRow] = [GraphemeRow(text, session.grapheme_edges), CodePointRow(text)]
        if not text.is_ascii:
            rows += [NameRow(text), ScriptRow(text)]
        rows.append(ByteRow(text))
        tokens = [row for row in map(self._row_of, self._items()) if row is not None]
        current = self.current_row
        if current is not None and current.alignment.aligned:
            rows.append(NormalizedRow(current.title, current.tokenizer, current.encoding, text))
        self.grid.show_rows([*rows, *tokens], text.byte_count, self._identity_of)
        self._show_page()
        self._show_counts(tokens)
        self._show_signs()
        self._light()
        self._show_part()
        if self._sought >= 0:
            self.grid.ensure_visible(max(min(self._sought, text.byte_count - 1), 0))
            self._sought = -1

    def seek(self, byte: int) -> None:
        self._sought = byte
        self._soon.start()

    def _items(self) -> list[LibraryItem]:
        current = self.session.current
        chosen = self.session.chosen()
        return sorted(chosen, key=lambda item: item is not current)

    def _row_of(self, item: LibraryItem) -> TokenRow | None:
        encoded = self.session.encoded(item.key)
        if encoded is None or encoded.tokens is None or item.tokenizer is None or self._hides:
            return None
        row = self._token_rows.get(item.key)
        if row is None or row.encoding is not encoded.tokens.whole:
            row = self._token_rows[item.key] = TokenRow(
                item.key,
                item.name,
                item.identity,
                item.tokenizer,
                encoded.tokens.whole,
                self.session.text_map,
                self.session.grapheme_edges,
            )
        return row

    @property
    def current_row(self) -> TokenRow | None:
        """The tokens of the current tokenizer."""
        current = self.session.current
        return self._row_of(current) if current is not None else None

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.figure_decks import BytesDeck

        session = self.session
        if not session.has_text:
            return None
        return BytesDeck(session, self.current_row, self.grid.first_byte, theme)

    def _identity_of(self, row: CellRow) -> Identity | None:
        if not isinstance(row, TokenRow):
            return None
        return self.appearance.theme.identity(row.identity)

    def _show_page(self) -> None:
        if not self.session.has_text:
            self.say_no_text()
        elif any(item.on and item.state is State.OPENING for item in self.session.library):
            self.empty.say("A tokenizer is being opened", "Its tokens will be shown in a moment.")
        elif not self.session.chosen():
            self.say_no_tokenizer()
        shown = bool(self.session.has_text and self.session.chosen())
        self._pages.setCurrentIndex(0 if shown else 1)

    # The header.

    def _show_counts(self, rows: list[TokenRow]) -> None:
        lines = [f"{row.title}: {self._counted(row)}" for row in rows]
        errors = [
            f"{item.name}: {encoded.error}"
            for item in self._items()
            if (encoded := self.session.encoded(item.key)) is not None and encoded.error
        ]
        self.counts.setText("  ·  ".join([*lines[:1], *errors]))
        self.counts.set_tip("\n".join([*lines, *errors, "", COUNTS]))

    def _counted(self, row: TokenRow) -> str:
        encoded = self.session.encoded(row.key)
        if encoded is None or not encoded.complete:
            return f"{len(row.ids):,} tokens so far"
        counting = row.counting
        if not counting.finished and self._counting.get(row.key) is not counting:
            counting.step(COUNTING_MS)
        if not counting.finished:
            self._count_on(row.key, counting)
            return f"{len(row.ids):,} tokens, counting the marked ones …"
        return describe(counting.counts)

    def _count_on(self, key: str, counting: RowCounting) -> None:
        """Counts the rest of a long row in a job, and then shows everything again."""
        if self._counting.get(key) is not counting:
            self._counting[key] = counting

            def take(progress: Progress) -> None:
                if progress.finished:
                    self._soon.start()

            jobs = self.session.jobs
            jobs.start(f"count bytes {key}", "Counting tokens", counting, take, lambda error: None)

    def _show_signs(self) -> None:
        start, end = self.grid.visible()
        notes = []
        for row in self.grid.rows:
            if isinstance(row, TokenRow) and start < end:
                first, last = row.touching(start, end)
                note = signs_note(
                    row.tokenizer.vocabulary, dict.fromkeys(row.ids[first:last].tolist())
                )
                if note:
                    notes.append(f"{row.title}: {note}")
        self.signs.setText(notes[0] if notes else KEYS)
        self.signs.set_tip("\n".join(notes))
        self._fit_head()

    def python(self) -> str:
        session, items = self.session, self._items()
        if not session.has_text or not items:
            return ""
        return page_program(
            session,
            self.title,
            IMPORTS,
            PROGRAM,
            text=session.text,
            items=items,
            special=session.special,
            add_bos=session.add_bos,
            add_eos=session.add_eos,
        )

    # What is selected.

    def hide_answer(self, hide: bool) -> None:
        """Hides the tokens, and leaves the bytes."""
        if hide != self._hides:
            self._hides = hide
            self.show_rows()

    def _choose_row(self, number: int) -> None:
        row = self.grid.rows[number]
        if isinstance(row, TokenRow):
            self.session.set_current(row.key)

    def _ask_for_menu(self, point: QPoint, number: int, cell: Cell) -> None:
        """Asks for the menu of a token, or of the tokens of other bytes."""
        row = self.grid.rows[number]
        if isinstance(row, TokenRow):
            place = TokenPlace(row.key, int(row.ids[cell.index]), cell.start, cell.end)
        else:
            place = TokenPlace("", -1, cell.start, cell.end)
        self.session.requests.ask(ShowTokenMenu(place, point))

    def _ask_why(self, number: int, cell: Cell) -> None:
        row = self.grid.rows[number]
        key = row.key if isinstance(row, TokenRow) else ""
        self.session.requests.ask(ExplainBytes(cell.start, cell.end, key))

    def rect_of(self, start: int, end: int) -> QRect | None:
        """Returns where bytes are visible on the screen, or None."""
        return self.grid.seen_at(start, end)

    def _selection_changed(self) -> None:
        if not self.isVisible():
            return
        row = self.current_row
        if self._numbers is not None and row is not None:
            first, last = self._numbers
            if row.span(first, last + 1) != self.session.selection:
                self._numbers = None
        self._light()
        self._reveal()
        self._show_part()

    def _reveal(self) -> None:
        if self.session.selection is not None and not self.grid.hasFocus():
            self.grid.ensure_visible(self.session.selection[0])

    def _choose_tokens(self, first: int, last: int) -> None:
        row = self.current_row
        if row is not None:
            self._numbers = (first, last)
            self.session.select(*row.span(first, last + 1))
            self._show_part()

    def _show_part(self) -> None:
        row, selection = self.current_row, self.session.selection
        if row is None or not len(row.ids):
            self.part.set_range("", 0, 0, 0)
            self.part.show_part(None, HINT)
            return
        first, last = 0, 0
        if self._numbers is not None and self._numbers[1] < len(row.ids):
            first, last = self._numbers[0], self._numbers[1] + 1
        elif selection is not None:
            first, last = row.touching(*selection)
        self.part.set_range(row.title, len(row.ids), first, max(last - 1, first))
        if first < last:
            self.part.show_part(decode_part(row, self.session.text_map, first, last))
        else:
            self.part.show_part(None, HINT)

    def _light(self) -> None:
        self.grid.light(self.session.selection, self.session.hover)

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("tokens", lambda: self._numbers and list(self._numbers), self._keep_tokens),
            Kept("scroll", self._top_place, self._scroll_to, late=True),
        )

    def _keep_tokens(self, numbers: object) -> bool:
        first, last = cast("list[int]", numbers)
        row = self.current_row
        if row is None or not len(row.ids):
            return False
        if not 0 <= first <= last < len(row.ids):
            raise ValueError
        self.show_rows()
        self._choose_tokens(first, last)
        return True

    def _top_place(self) -> list[Json] | None:
        place = self.grid.top_position()
        return list(place) if any(place) else None

    def _scroll_to(self, place: object) -> bool:
        byte, above = map(int, cast("list[int]", place))
        if self._soon.isActive() or not self.grid.rows or not all_encoded(self.session):
            return False
        self.grid.scroll_to(max(0, min(byte, self.session.text_map.byte_count)), above)
        return True

    # Appearance.

    def focus_first(self) -> None:
        self.grid.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Puts a tokenizer in front with 1 to 9."""
        place, chosen = row_of_digit(event), self.session.chosen()
        if 0 <= place < len(chosen):
            self.session.set_current(chosen[place].key)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()

    def _fit_head(self) -> None:
        """Puts the legend under the signs if it does not fit next to them; hides it if there is too little height."""
        self.legend.setVisible(self.width() >= WIDE)
        words = self.signs.fontMetrics().horizontalAdvance(self.signs.text())
        needed = words + self.legend.sizeHint().width() + 2 * PAGE_MARGIN + 2 * GRID
        beside = needed <= self.width()
        ways = QBoxLayout.Direction
        self._head.setDirection(ways.LeftToRight if beside else ways.TopToBottom)
        self._head.setSpacing(2 * GRID if beside else 0)


class BytesWorkspace(PagedWorkspace):
    """The grid, pages where ids are decoded and bytes encoded, and tables of the 256 bytes and of UTF-8."""

    name = BYTES
    kinds = (BytesView, DecodePage, EncodeBytesPage, ByteTablePage, page_of("first_bytes"))
    switches = (
        ("bytes_grid", "Bytes"),
        ("decode_ids", "Decode ids"),
        ("encode_bytes", "Encode bytes"),
        ("byte_table", "Byte table"),
        ("first_bytes", "First bytes"),
        ("", ""),
        ("recognise_special", "Special tokens"),
    )

    def seek(self, byte: int) -> None:
        if isinstance(self.page, BytesView):
            self.page.seek(byte)

    def encode(self, written: str) -> None:
        """Shows the ids of bytes; see `bytes_in`."""
        self.show_page(EncodeBytesPage.id)
        cast(EncodeBytesPage, self.page).show_written(written)

    def decode(self, ids: str) -> None:
        """Shows the decoding of a list of ids."""
        self.show_page(DecodePage.id)
        cast(DecodePage, self.page).show_written(ids)


def describe(counts: Counts) -> str:
    """Returns counts in words."""
    parts = [f"{counts.tokens:,} token{'' if counts.tokens == 1 else 's'}"]
    if counts.lost:
        parts.append(f"{SIGN} {counts.lost:,} unknown, whose text is lost")
    if counts.torn:
        parts.append(f"{counts.torn:,} with part of a character")
    if counts.split:
        parts.append(f"{counts.split:,} with part of a grapheme")
    if counts.fallback:
        parts.append(f"{counts.fallback:,} by byte fallback")
    if counts.superwords:
        parts.append(f"{counts.superwords:,} superword{'' if counts.superwords == 1 else 's'}")
    return " · ".join(parts) if len(parts) > 1 else f"{parts[0]}, none of which splits a character"
