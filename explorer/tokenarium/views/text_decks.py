"""Decks that show a text: as each tokenizer splits it, and cut by cut as a pattern does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent

from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.piece import counted, quoted, readable
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.style.fonts import READING_SIZE
from tokenarium.style.theme import Theme
from tokenarium.views.decks import Deck, asked, asked_number, in_words
from tokenarium.views.token_rows import show_tokens, tokenizer_rows
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.players.question_band import StageQuestion
from tokenarium.widgets.text.interlinear_view import InterlinearRow, InterlinearView
from tokenarium_core import Encoding
from tokenarium_core.pretokenizers import REMOVED_RULE

LARGEST_TEXT, SMALLEST_TEXT, STEP = 34, READING_SIZE, 3
"""Pixels of the letters of a text, before they are enlarged, and between two sizes."""


class TextDeck(Deck):
    """Base of the decks that show a text as large as it fits, with its tokens or pre-tokens."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self.session = session
        self.theme = theme
        self._room, self._rows, self._size = QSize(), 0, LARGEST_TEXT  # for which the letters fit
        self.view = InterlinearView()
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.set_show_whitespace(session.show_whitespace)
        in_column((self.view, 1), into=self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_text()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.fit_text()

    def fit_text(self) -> None:
        """Makes the letters as large as fits, if the room or the number of rows has changed."""
        room, rows = self.view.viewport().size(), len(self.view.rows)
        if (room, rows) == (self._room, self._rows) or not self.isVisible():
            return
        grown = room == self._room and rows > self._rows  # the text needs more room than before
        largest = self._size if grown else LARGEST_TEXT
        self._room, self._rows = room, rows
        self._size = self.view.fit_text(range(largest, SMALLEST_TEXT - 1, -STEP))

    def hide_prediction(self, hidden: bool) -> None:
        self.view.hide_parts(hidden)

    def show_span(self, span: tuple[int, int] | None, byte: int = 0) -> None:
        """Marks bytes of the text and scrolls to one of its bytes, or marks none."""
        self.view.set_highlight(*(span or (-1, -1)))
        if span is not None:
            self.view.ensureVisible(byte)


class TokensDeck(TextDeck):
    """The text as each tokenizer splits it, one after another; each count is first a question."""

    title = "The same text, split by each tokenizer"
    reveals_first = True

    def __init__(self, session: Session, theme: Theme, revealed: bool = False) -> None:
        super().__init__(session, theme)
        self._items = [item for item in session.chosen() if session.encoded(item.key) is not None]
        current = session.current
        place = self._items.index(current) if current in self._items else 0
        self._seen |= set(range(len(self._items))) if revealed else {place}
        self._first = session.selection[0] if session.selection is not None else 0
        self.view.set_text_map(session.text_map)
        self.view.set_highlight(*(session.selection or (-1, -1)))
        self.begin(max(0, len(self._items) - 1), place)

    @property
    def item(self) -> LibraryItem | None:  # type: ignore[override]
        return self._items[self._place] if self._items else None

    @property
    def about(self) -> str:
        return self.session.short_name(self.item) if self.item is not None else ""

    def step_sentence(self, place: int) -> str:
        if not self._items:
            return "No tokenizer is on."
        item = self._items[place]
        if place not in self._seen:
            return f"How many tokens does {item.name} need?"
        count, size = self._count(item), self.session.text_map.byte_count
        return (
            f"{item.name} splits {counted(size, 'byte')} into {counted(count, 'token')}: "
            f"{size / max(count, 1):.2f} bytes per token."
        )

    def coming(self, place: int) -> str:
        item = self._items[place]
        return f"{item.name}: {counted(self._count(item), 'token')}."

    def _encoding(self, item: LibraryItem) -> Encoding | None:
        encoded = self.session.encoded(item.key)
        return encoded.encoding if encoded is not None else None

    def _count(self, item: LibraryItem) -> int:
        encoding = self._encoding(item)
        return len(encoding.ids) if encoding is not None else 0

    def make_question(self) -> StageQuestion | None:
        """Asks for the tokenizer's count; wrong choices are those of others, of pre-tokens, words and characters."""
        item = self.item
        encoding = self._encoding(item) if item is not None else None
        if item is None or encoding is None:
            return None
        count = self._count(item)
        size = self.session.text_map.byte_count
        likely = [self._count(other) for other in self._items]
        likely += [len(encoding.pre_tokens.ends), self.session.text_map.char_count, size]
        likely += [count * 4 // 5, count * 5 // 4 + 1]
        title = f"How many tokens does {self.session.short_name(item)} need?"
        return asked_number(title, f"The text has {counted(size, 'byte')}.", count, likely, count)

    def leave(self) -> None:
        if self.item is not None:
            self.session.set_current(self.item.key)

    def hide_answer(self, hidden: bool) -> None:
        """Shows the tokenizer in front, and the others whose tokens were seen as strips."""
        item = self.item
        if item is None:
            return
        seen = {*self._seen, self._place}
        items = [one for index, one in enumerate(self._items) if index in seen]
        self.view.set_rows(tokenizer_rows(items, self.theme))
        for one in items:
            self._show_row(one, one is not item or self._place in self._seen)
        self.view.set_front(item.key)
        self.fit_text()
        if self._first:
            self.view.ensureVisible(self._first)
            self._first = 0

    def _show_row(self, item: LibraryItem, revealed: bool) -> None:
        encoded = self.session.encoded(item.key)
        known = encoded is not None and encoded.tokens is not None
        if revealed and known and encoded is not None and item.tokenizer is not None:
            show_tokens(self.view, item.key, item.tokenizer, encoded, self.session)
        else:
            self.view.set_parts(item.key, TextParts.empty())


LONGEST_STRETCH = 2000
"""The most bytes of a text whose pre-tokens are shown: more than fit on a screen."""


class PretokensDeck(TextDeck):
    """The cuts of a pattern, one after another; before each it asks where it is, or which rule makes it."""

    noun = "pre-token"

    def __init__(
        self, session: Session, shown: InterlinearView, item: LibraryItem | None, theme: Theme
    ) -> None:
        """``shown`` has the cuts in front, which are those of ``item``, or of a pattern."""
        super().__init__(session, theme)
        layer = shown.rows[shown.front]
        self.item = item
        self._name = layer.name
        self._key = layer.key
        parts, text = layer.parts, self.session.text_map
        selected = self.session.selection
        start = selected[0] if selected is not None else 0
        if text.byte_count > LONGEST_STRETCH and selected is None:
            start = shown.visible_bytes()[0]
        near = parts.between(start, max(start + 1, selected[1] if selected is not None else 0))
        first = min(near.start, max(0, len(parts) - 1))
        stop = first
        base = parts.starts[first] if len(parts) else 0
        if text.byte_count <= LONGEST_STRETCH:
            first, base, stop = 0, 0, len(parts)
        while stop < len(parts) and parts.ends[stop] - base <= LONGEST_STRETCH:
            stop += 1
        some = slice(first, max(stop, min(first + 1, len(parts))))
        self._parts = TextParts(
            parts.starts[some] - base,
            parts.ends[some] - base,
            None,
            rules=None if parts.rules is None else parts.rules[some],
            rule_names=parts.rule_names,
        )
        end = int(parts.ends[some][-1]) if len(self._parts) else base
        self._base = base
        self._text = TextMap(text.slice(base, end))
        others = (other.parts for key, other in shown.rows.items() if key != layer.key)
        self._other_ends = [_near(other.ends[:], base, end) - base for other in others]
        self.title = f"How {self._name} splits the text"
        identity = theme.identity(self.item.identity) if self.item is not None else None
        self.view.set_text_map(self._text)
        self.view.set_rows([InterlinearRow(layer.key, layer.name, identity)])
        place = 0
        if selected is not None:
            place = self._parts.ends.row_of(selected[0] - base, "right")
        self.begin(len(self._parts), place)

    def step_sentence(self, place: int) -> str:
        if not place:
            return (
                "From left to right, the first rule that matches at each position takes as much as it "
                "can. No merge crosses a cut."
            )
        number = place - 1
        rule = self._rule(number)
        if rule == REMOVED_RULE:
            return f"{self._quoted(number)} is taken out: the model does not see it."
        return f"{self._quoted(number)} is split off{f' by the rule “{rule}”' if rule else ''}."

    def _rule(self, number: int) -> str:
        rules = self._parts.rules
        return self._parts.rule_names[int(rules[number])] if rules is not None else ""

    def _bytes(self, start: int, end: int) -> bytes:
        return self._text.utf8_of(start, end)

    def _quoted(self, number: int) -> str:
        return quoted(self._bytes(*self._parts.span(number)), 40, always=True)

    def show_all(self) -> None:
        """Shows all pre-tokens at once, until it goes to a step."""
        self.view.set_parts(self._key, self._parts)

    def show_position(self, position: int, before: int) -> None:
        self.view.set_parts(self._key, self._parts.first(position))
        span = self._parts.span(position - 1) if position else None
        self.show_span(span, min(span[1], self._text.byte_count - 1) if span is not None else 0)

    def make_question(self) -> StageQuestion | None:
        """Asks where the next cut is, or, for every other pre-token, which rule matches it."""
        rule = self._rule(self._place)
        if self._place % 2 and rule:
            names = list(dict.fromkeys(self._rule(number) for number in range(self.length)))
            names += [name for name in self._parts.rule_names if name not in names]
            stage_question = asked(
                f"Which rule matches {self._quoted(self._place)}?",
                "The first rule that matches at this position.",
                in_words(rule),
                [in_words(name) for name in names],
                self._place,
            )
            if stage_question is not None:
                return stage_question
        start, end = self._parts.span(self._place)
        likely = [
            int(ends[np.searchsorted(ends, start, side="right")])
            for ends in self._other_ends
            if len(ends) and ends[-1] > start
        ]
        after = [int(one) for one in self._parts.ends[self._place + 1 : self._place + 3]]
        edges = [
            start + stop
            for stop in grapheme_stops(self._bytes(start, min(end + 40, self._text.byte_count)))
        ]
        inside = [edge for edge in edges if edge < end]
        beyond = [edge for edge in edges if edge > end]
        likely += [*after[:1], *inside[-1:], *inside[:1], *beyond[:1], *after[1:], *inside[1:]]
        shown = {
            one: readable(self._bytes(start, one), 24)
            for one in [end, *likely]
            if start < one <= self._text.byte_count
        }
        return asked(
            "Where is the next cut?",
            "Each choice is the next pre-token.",
            in_words(shown.pop(end)),
            [in_words(text) for text in shown.values()],
            self._place,
        )


def _near(ends: IntArray, start: int, end: int) -> IntArray:
    """Returns the cuts after ``start`` up to the first one after ``end``."""
    first, last = np.searchsorted(ends, (start, end), side="right")
    return ends[first : last + 1]


def grapheme_stops(data: bytes) -> list[int]:
    """Returns the bytes at which the graphemes of a text end.

    >>> grapheme_stops("a\u00e9".encode())
    [1, 3]
    """
    text = data.decode("utf-8", "ignore")
    ends, at = [], 0
    for first, last in pairwise([0, *grapheme_ends(text)]):
        at += len(text[first:last].encode())
        ends.append(at)
    return ends
