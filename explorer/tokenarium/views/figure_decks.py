"""The decks of Compare, Bytes and Train: two texts, where cuts differ, characters, and curves of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QLabel

import tokenarium_core as tc
from tokenarium.models.compare.two_texts import PairCount, pair_sentence
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.byte_cells import CellRow
from tokenarium.models.text.character_rows import ByteRow, CodePointRow, GraphemeRow
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.piece import (
    SPACE,
    character_name,
    code_point_number,
    counted,
    quoted,
    readable,
)
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_row import TokenRow
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.decks import Deck, asked, asked_number, in_words
from tokenarium.views.text_decks import TextDeck, grapheme_stops
from tokenarium.views.token_rows import show_tokens, tokenizer_rows
from tokenarium.widgets.charts.size_chart import SizeChart, values_at
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import secondary
from tokenarium.widgets.players.question_band import StageQuestion
from tokenarium.widgets.text.byte_grid import ByteGrid
from tokenarium.widgets.text.interlinear_view import InterlinearView
from tokenarium.widgets.veil import cover

if TYPE_CHECKING:
    from tokenarium.views.train_training import TrainingPage


class TextPairDeck(Deck):
    """Two texts one below the other, as each tokenizer splits them; which needs more is first a question."""

    title = "Two texts compared"
    reveals_first = True

    def __init__(
        self, session: Session, texts: Sequence[str], counts: Sequence[PairCount], theme: Theme
    ) -> None:
        super().__init__()
        self._items = [item for item in session.chosen() if item.tokenizer is not None]
        self._session, self._counts = session, counts
        self.decks = [TextDeck(session, theme) for _ in texts]
        self._parts: list[list[TextParts]] = []
        for text, deck in zip(texts, self.decks, strict=True):
            deck.view.set_text_map(TextMap(text))
            rows = []
            for item in self._items:
                assert item.tokenizer is not None
                try:
                    encoding = item.tokenizer.encode(text, special=session.special)
                    ids, spans = array_of(encoding.ids), array_of(encoding.spans)
                    rows.append(TextParts.of_tokens(ids, spans))
                except tc.TokenariumError:
                    rows.append(TextParts.empty())
            self._parts.append(rows)
        self.theme = theme
        names = [secondary(QLabel(f"Text {name}")) for name in "AB"]
        first, second = self.decks
        in_row(
            in_column(names[0], (first, 1), spacing=GRID // 2),
            in_column(names[1], (second, 1), spacing=GRID // 2),
            into=self,
            spacing=GRID,
        )
        self.begin(max(0, len(self._items) - 1))

    @property
    def item(self) -> LibraryItem | None:  # type: ignore[override]
        return self._items[self._place] if self._items else None

    @property
    def about(self) -> str:
        item = self.item
        return self._session.short_name(item) if item is not None else ""

    def step_sentence(self, place: int) -> str:
        if not self._items:
            return "No tokenizer is on."
        first, second = (len(parts[place]) for parts in self._parts)
        name = self._session.short_name(self._items[place])
        whole = f" {pair_sentence(self._counts)}" if place == self.length else ""
        return (
            f"{name}: A needs {counted(first, 'token')}, B needs {counted(second, 'token')}.{whole}"
        )

    def hide_answer(self, hidden: bool) -> None:
        item = self.item
        for deck, parts in zip(self.decks, self._parts, strict=True):
            if item is not None:
                deck.view.set_rows(tokenizer_rows([item], self.theme))
                shown = TextParts.empty() if hidden else parts[self._place]
                assert item.tokenizer is not None
                loses = None if hidden else text_loss(item.tokenizer)
                deck.view.set_parts(item.key, shown, losing=loses)

    hide_prediction = hide_answer

    def make_question(self) -> StageQuestion | None:
        if not self._items:
            return None
        first, second = (len(parts[self._place]) for parts in self._parts)
        answers = [in_words(text) for text in ("A", "B", "both the same")]
        right = answers[0 if first > second else 1 if second > first else 2]
        name = self._session.short_name(self._items[self._place])
        return asked(f"Which text needs more tokens in {name}?", "", right, answers, self._place)


class DifferencesDeck(TextDeck):
    """The text with the cuts of all tokenizers; the steps are the places where they differ."""

    title = "Where the cuts differ"
    noun = "place"

    def __init__(
        self,
        session: Session,
        spans: Sequence[tuple[int, int]],
        cuts: Callable[[int, int], Sequence[str]],
        mark: Callable[[InterlinearView], object],
        theme: Theme,
    ) -> None:
        """``cuts`` returns bytes as each tokenizer splits them; ``mark`` marks the ``spans`` in a view."""
        super().__init__(session, theme)
        self._spans, self._cuts = spans, cuts
        items = session.chosen()
        self.view.set_text_map(session.text_map)
        self.view.set_rows(tokenizer_rows(items, theme))
        for item in items:
            encoded = session.encoded(item.key)
            if encoded is not None and encoded.tokens is not None and item.tokenizer is not None:
                show_tokens(self.view, item.key, item.tokenizer, encoded, session)
        if session.current is not None:
            self.view.set_front(session.current.key)
        mark(self.view)
        selected = session.selection
        self.begin(len(spans), spans.index(selected) + 1 if selected in spans else 0)

    def step_sentence(self, place: int) -> str:
        if not place:
            return (
                f"The tokenizers cut {counted(self.length, 'place')} differently."
                if self.length
                else "All split this text the same way."
            )
        cuts = self._cuts(*self._spans[place - 1])
        groups: dict[str, list[str]] = {}
        for item, cut in zip(self.session.chosen(), cuts, strict=True):
            groups.setdefault(cut.replace(" ", SPACE), []).append(self.session.short_name(item))
        parts = [f"{', '.join(names)}: “{cut}”" for cut, names in groups.items()]
        return "; ".join(parts) + "."

    def show_position(self, position: int, before: int) -> None:
        span = self._spans[position - 1] if position else None
        self.show_span(span, span[0] if span is not None else 0)

    def make_question(self) -> StageQuestion | None:
        """Asks which tokenizer splits the next difference into the most tokens."""
        start, end = self._spans[self._place]
        cuts = self._cuts(start, end)
        names = [self.session.short_name(item) for item in self.session.chosen()]
        counts = [cut.count("|") for cut in cuts]
        most = max(counts)
        if counts.count(most) > 1:
            return None
        text = quoted(self.session.text_map.utf8_of(start, end), 30, always=True)
        return asked(
            f"Which tokenizer splits {text} into the most tokens?",
            "",
            in_words(names[counts.index(most)]),
            [in_words(name) for name in names],
            self._place,
        )


REACH = 2000
MOST_CHARACTERS = 200
"""The most bytes whose characters are shown, and the most characters."""


class TrainDeck(TextDeck):
    """The curves of the runs, and the text at the size of the line, as the page draws them, without its form."""

    def __init__(self, page: TrainingPage, theme: Theme) -> None:
        super().__init__(page.session, theme)
        self._page = page
        self.title = "Bytes per token"
        self.chart = SizeChart(from_zero=False)
        layout = self.layout()
        assert isinstance(layout, QBoxLayout)
        layout.insertWidget(0, self.chart, 2)
        page.drawn.connect(self._show)
        self._show()

    @property
    def about(self) -> str:
        return self._page.chart.measured.text()

    @property
    def sentence(self) -> str:
        words = (self._page.text_title.text(), self._page.sentence.text())
        return ": ".join(filter(None, words))

    def hide_prediction(self, hidden: bool) -> None:
        cover(self, hidden)  # the curves answer it, too

    def _show(self) -> None:
        page, chosen = self._page, self._page.view.run
        if chosen is None or not page.chart.chart.drawing.curves:
            return
        page.chart.copy_to(self.chart, self.theme)
        size, curves = page.line_size, self.chart.drawing.curves
        self.chart.show_size(size, [values_at(curve, size) for curve in curves])
        self.view.set_text_map(page.text.text_layout.text_map)
        page.show_cuts(chosen, self.view, self.theme)
        self.fit_text()
        self.changed.emit()


class BytesDeck(Deck):
    """Characters, code points, bytes and tokens below each other; the steps are the characters beyond ASCII, if any."""

    noun = "character"

    title = "From characters to bytes to tokens"

    def __init__(self, session: Session, row: TokenRow | None, first: int, theme: Theme) -> None:
        """Begins with the selection, or with the byte ``first``; ``row`` has the tokens."""
        super().__init__()
        self._session = session
        self.item = session.current
        self._row = row
        text = session.text_map
        self._theme = theme
        self.grid = ByteGrid()
        self.grid.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide_prediction(False)
        in_column((self.grid, 1), into=self)
        first = session.selection[0] if session.selection is not None else first
        first, last = text.characters(first, min(first + REACH, text.byte_count))
        if session.selection is not None:
            last = max(session.selection[1], first + 1)
            first, last = text.characters(first, min(last, first + REACH))
        stops = [first + stop for stop in grapheme_stops(text.utf8_of(first, last))]
        spans = list(zip([first, *stops], stops, strict=False))
        odd = [span for span in spans if any(byte > 127 for byte in text.utf8_of(*span))]
        self._spans = (odd or spans)[:MOST_CHARACTERS]
        self.begin(len(self._spans))

    def hide_prediction(self, hidden: bool) -> None:
        """Hides the tokens, and leaves the bytes, as the page does."""
        text, item = self._session.text_map, self.item
        rows: list[CellRow] = [
            GraphemeRow(text, self._session.grapheme_edges),
            CodePointRow(text),
            ByteRow(text),
        ]
        if self._row is not None and not hidden:
            rows.append(self._row)
        identity = self._theme.identity(item.identity) if item is not None else None
        self.grid.show_rows(
            rows, text.byte_count, lambda row: identity if isinstance(row, TokenRow) else None
        )

    def _data(self, place: int) -> bytes:
        return self._session.text_map.utf8_of(*self._spans[place])

    def _tokens(self, place: int) -> int:
        """Returns how many tokens a character is in; -1 if that is not known."""
        if self._row is None:
            return -1
        first, last = self._row.touching(*self._spans[place])
        return last - first

    def step_sentence(self, place: int) -> str:
        if not place:
            return "Each character is one or more code points, each code point one to four bytes in UTF-8, and tokens are made of bytes."
        data = self._data(place - 1)
        text = data.decode("utf-8", "replace")
        points = " ".join(code_point_number(ord(one)) for one in text[:6]) + (
            " …" if len(text) > 6 else ""
        )
        name = f", {character_name(text).lower()}" if len(text) == 1 else ""
        tokens = self._tokens(place - 1)
        end = f", in {counted(tokens, 'token')}" if tokens >= 0 else ""
        return (
            f"“{readable(data, 40)}” is {counted(len(text), 'code point')}, {points}{name}: "
            f"{counted(len(data), 'byte')}{end}."
        )

    def show_position(self, position: int, before: int) -> None:
        if position:
            start, end = self._spans[position - 1]
            self.grid.light((start, end), None)
            self.grid.ensure_visible(start)
        else:
            self.grid.light(None, None)

    def make_question(self) -> StageQuestion | None:
        """Asks for the bytes of the next character, and of every other one for its tokens."""
        data, tokens = self._data(self._place), self._tokens(self._place)
        text = data.decode("utf-8", "replace")
        unit, right = "bytes", len(data)
        if self._place % 2 and tokens > 0:
            unit, right = "tokens", tokens
        likely = [len(text), tokens, len(data), 1, 2, 3, 4, right + 1]
        where = (
            f" in {self._session.short_name(self.item)}"
            if unit == "tokens" and self.item
            else " in UTF-8"
        )
        ask = f"How many {unit} is {readable(data, 24)}{where}?"
        if unit == "tokens":
            ask = f"How many tokens does {readable(data, 24)} need{where}?"
        return asked_number(ask, "", right, sorted(likely), self._place)
