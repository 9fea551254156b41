"""The workspace Tokens: the text as each chosen tokenizer cuts it, one under the other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.piece import percent
from tokenarium.models.text.segmentation import TextSpans
from tokenarium.models.text.superword_ids import ABOUT, superword_ids
from tokenarium.models.text.token_counts import TokenCounts, measure
from tokenarium.models.text.unknown_text import SIGN
from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.session.encodings import EncodingStatus
from tokenarium.style.theme import Theme
from tokenarium.views.workspace import TOKENS, Workspace
from tokenarium.widgets.text.cut_stack import CutStack
from tokenarium.widgets.text.measure_header import MeasureHeader

COUNTING_MS = 4.0
"""Milliseconds that counting may take in the frame that shows tokens."""


class TokensView(Workspace):
    """A row for every tokenizer that is on."""

    name = TOKENS
    switches = (
        ("show_whitespace", "Whitespace"),
        ("", ""),
        ("annotate_none", "Plain"),
        ("annotate_ids", "Ids"),
        ("annotate_bytes", "Bytes"),
        ("", ""),
        ("recognise_special", "Special tokens"),
    )

    def prepare(self) -> None:
        session, appearance = self.session, self.appearance
        self.stack = CutStack(appearance.theme)
        self._shown: dict[str, EncodingStatus | None] = {}  # by key: what a row shows
        self._counts: dict[str, TokenCounts] = {}
        self._pages = self.fill(self.stack)
        self.stack.hovered.connect(session.point_at)
        self.stack.picked.connect(self._pick)
        self.stack.focused.connect(session.set_current)
        session.text_changed.connect(self._stop_counting)
        session.text_changed.connect(self.when_seen(self._show_text))
        session.text_replaced.connect(self.when_seen(self.stack.scroll_to_top))
        self._rows_changed = self.when_seen(self._show_rows)
        session.tokenizers_changed.connect(self._rows_changed)
        session.encoding_changed.connect(self._encoding_changed)
        session.graphemes_changed.connect(self.when_seen(self._count_all))
        session.selection_changed.connect(self.when_seen(self._show_selection))
        session.hover_changed.connect(self.when_seen(self._light))
        session.current_changed.connect(self.when_seen(self._mark_current))
        session.display_changed.connect(self.when_seen(self._show_display))
        appearance.changed.connect(self.when_seen(self._show_theme))
        self._show_text()
        self._show_display()
        self._show_rows()

    @property
    def last_control(self) -> QWidget | None:
        return self.stack.last_view

    def focus_first(self) -> None:
        current = self.session.current
        row = self.stack.rows.get(current.key) if current is not None else None
        (row.view if row is not None else self).setFocus()

    def _items(self) -> list[LibraryItem]:
        return [
            item
            for item in self.session.library
            if item.on and item.state in (State.OPEN, State.OPENING)
        ]

    def _show_text(self) -> None:
        self.stack.set_text_map(self.session.text_map)
        self._show_page()

    def _show_page(self) -> None:
        if not self.session.text:
            self.say_no_text()
        elif not self.stack.rows:
            self.say_no_tokenizer()
        shown = self.session.text and self.stack.rows
        self._pages.setCurrentWidget(self.stack if shown else self.empty)

    def _show_rows(self) -> None:
        items = self._items()
        before = set(self.stack.rows)
        show_tokenizers(self.stack, items, self.appearance.theme)
        self._show_page()
        for item in items:
            encoded = self.session.encoded(item.key)
            if (
                item.key not in before
                or encoded is None
                or self._shown.get(item.key) is not encoded
            ):
                self._show_encoding(item.key)
        self._mark_current()
        self._show_selection()

    def _encoding_changed(self, key: str) -> None:
        if self.isVisible():
            self._show_encoding(key)
        else:
            self._rows_changed()

    def _show_encoding(self, key: str) -> None:
        row = self.stack.rows.get(key)
        item = self.session.library.item(key)
        if row is None or item is None:
            return
        encoded = self._shown[key] = self.session.encoded(key)
        if item.tokenizer is None or encoded is None or encoded.encoding is None:
            self._counts.pop(key, None)
            row.show_parts(TextSpans.empty())
            row.header.clear()
            waits = State.OPENING.value if item.tokenizer is None else "waiting for its turn"
            row.header.say(encoded.error if encoded is not None else waits)
            return
        encoding = encoded.encoding
        special = tuple(item.tokenizer.special_tokens.values())
        row.show_parts(
            TextSpans.of_tokens(
                array_of(encoding.ids),
                array_of(encoding.spans),
                special if self.session.special == "all" else (),
                superword_ids(item.tokenizer),
            ),
            encoded.complete,
        )
        self._count(key, item.tokenizer, encoded)

    def _stop_counting(self) -> None:
        for key in self._counts:
            self.session.jobs.cancel(f"count {key}")
        self._counts.clear()

    def _count_all(self) -> None:
        for key in self.stack.rows:
            encoded, item = self.session.encoded(key), self.session.library.item(key)
            if encoded is not None and item is not None and item.tokenizer is not None:
                self._count(key, item.tokenizer, encoded)

    def _count(self, key: str, tokenizer: tc.Tokenizer, encoded: EncodingStatus) -> None:
        """Counts what is new; what takes longer than part of a frame goes on in a job."""
        encoding = encoded.encoding
        if encoding is None:
            return
        counts = self._counts.get(key)
        if counts is None or not counts.goes_on_to(encoding):
            counts = self._counts[key] = TokenCounts(tokenizer, self.session.text_map)
        counts.take(encoding, self.session.grapheme_edges)
        counts.step(COUNTING_MS)
        self._show_counts(key, encoded)
        if encoded.complete and not counts.finished:

            def show(progress: tc.Progress) -> None:
                if progress.finished and self._counts.get(key) is counts:
                    self._show_counts(key, encoded)

            jobs = self.session.jobs
            jobs.start(f"count {key}", "Counting tokens", counts, show, lambda error: None)

    def _show_counts(self, key: str, encoded: EncodingStatus) -> None:
        row, counts = self.stack.rows.get(key), self._counts[key]
        if row is None or encoded.encoding is None:
            return
        ends = array_of(encoded.encoding.spans)[1::2]
        row.header.show_measures(measure(self.session.text_map, ends), encoded.complete)
        notes = [] if encoded.complete and counts.finished else ["so far"]
        if counts.unknown:
            notes.append(f"{SIGN} {percent(counts.unknown / counts.covered)} unknown")
        if counts.in_character:
            notes.append(
                f"{counts.in_character:,} cut{'s' * (counts.in_character == 1)} a character"
            )
        if counts.in_grapheme:
            notes.append(f"{counts.in_grapheme:,} cut{'s' * (counts.in_grapheme == 1)} a grapheme")
        if counts.superwords:
            count = counts.superwords
            notes.append(f"{count:,} superword{'s' * (count != 1)}")
        row.header.say(
            " · ".join(notes),
            "Unknown: how much of the text became unknown tokens; one stands for a whole word or "
            "character, so that the counts look better than they are. "
            "Cut a character: tokens whose last byte is not the last byte of a character. "
            "Cut a grapheme: tokens that end between two characters which a reader takes for one "
            "(a letter and its mark, a joined emoji). "
            f"{ABOUT}",
        )

    def _pick(self, key: str, start: int, end: int) -> None:
        self.session.set_current(key)
        self.session.select(start, end)

    def _light(self) -> None:
        self.stack.light(self.session.selection, self.session.hover)

    def _show_selection(self) -> None:
        self._light()
        if self.session.selection is not None:
            self.stack.ensure_visible(self.session.selection[0])

    def _mark_current(self) -> None:
        current = self.session.current
        for key, row in self.stack.rows.items():
            row.header.set_current(current is not None and key == current.key)

    def seek(self, byte: int) -> None:
        self.stack.ensure_visible(byte)

    def _show_display(self) -> None:
        self.stack.set_display(self.session.show_whitespace, self.session.annotations)

    def _show_theme(self) -> None:
        theme = self.appearance.theme
        self.stack.set_theme(theme)
        self.stack.mark_rows(
            {item.key: theme.identity(item.identity) for item in self.session.library}
        )


def show_tokenizers(stack: CutStack, items: Sequence[LibraryItem], theme: Theme) -> None:
    """Gives a stack a row for each tokenizer; existing rows stay as they are."""
    stack.set_rows(
        [
            (
                item.key,
                None
                if item.key in stack.rows
                else MeasureHeader(item.name, "token", theme.identity(item.identity)),
            )
            for item in items
        ]
    )
