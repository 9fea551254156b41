"""Decks for presentations: each has a stage with steps, a sentence for each, and perhaps a question before it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges.next_pair import MOST_CHOICES
from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.piece import counted, quoted, readable
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.style.fonts import READING_SIZE
from tokenarium.style.theme import Theme
from tokenarium.views.kept import Kept, kept_value
from tokenarium.views.token_rows import show_tokens, tokenizer_rows
from tokenarium.views.workspace import PagedWorkspace, Workspace, WorkspacePart
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.players.question_band import Choice, StageQuestion
from tokenarium.widgets.text.interlinear_view import InterlinearRow, InterlinearView
from tokenarium_core.pretokenizers import REMOVED_RULE

if TYPE_CHECKING:  # most presentations do not need it
    from tokenarium.views.pretokens import PretokensView
    from tokenarium.widgets.players.step_player import StepPlayer

ANSWER_MS = 1100
"""Milliseconds for which an answer is shown before the step plays."""

AGAIN_MS = 60
"""How often a setting is tried that waits for a computation."""

LARGEST_TEXT, SMALLEST_TEXT, STEP = 34, READING_SIZE, 3
"""Pixels of the letters of a text, before they are enlarged, and between two sizes."""


def asked(
    title: str, note: str, right: Choice, others: Iterable[Choice], seed: int
) -> StageQuestion | None:
    """Returns a question with up to four different choices in a fixed order; None without wrong choices.

    The first wrong choices are used.
    """
    wrong: list[Choice] = []
    for one in others:
        if one.texts != right.texts and all(one.texts != other.texts for other in wrong):
            wrong.append(one)
    if not wrong:
        return None
    chosen = [right, *wrong[: MOST_CHOICES - 1]]
    Random(seed).shuffle(chosen)
    return StageQuestion(title, note, chosen, chosen.index(right))


def in_words(text: str) -> Choice:
    """Returns a choice without a tile."""
    return Choice((text,), (-1,))


class Deck(QWidget):
    """Base of what is presented. `changed`: the sentence, the question or the step has changed.

    A deck has a position from 0 to `length`; one without steps has the length 0. Before a step it may ask a question
    (`make_question`), and then hides the answer (`hide_answer`).
    """

    changed = Signal()

    title = ""
    item: LibraryItem | None = None
    """The tokenizer whose marker is next to the title, if the deck is about one."""

    reveals_first = False
    """Whether continuing shows a hidden answer before the next step; otherwise the step itself shows it."""

    noun = ""
    """The noun for a step, for `about`."""

    plays: StepPlayer | None = None
    """The player of the same steps in the window, which then stops where the presentation ended."""

    def __init__(self) -> None:
        super().__init__()
        self._place = self._length = 0
        self._seen: set[Hashable] = set()  # the questions asked before; see `remembered`
        self._asks = True
        self._question: StageQuestion | None = None
        self._answer = QTimer(self, singleShot=True, interval=ANSWER_MS)
        self._answer.timeout.connect(self._go_on_after_answer)

    # What a deck defines.

    @property
    def about(self) -> str:
        """A few words at the right of the title."""
        return f"{self.position:,} of {counted(self.length, self.noun)}" if self.noun else ""

    def said(self, place: int) -> str:
        """Returns the sentence of a step."""
        return ""

    def coming(self, place: int) -> str:
        """Returns a description of a step, for the presenter."""
        return self.said(place)

    @property
    def sentence(self) -> str:
        """The sentence of the current step, which is the subtitle if nothing is asked."""
        return self.said(self.position)

    @property
    def length(self) -> int:
        """The number of steps; 0 if there are none."""
        return self._length

    @property
    def position(self) -> int:
        """The current step."""
        return self._place

    @property
    def place(self) -> str:
        """The step in words, for the presenter."""
        return f"Step {self.position:,} of {self.length:,}" if self.length else ""

    @property
    def now(self) -> str:
        """What the audience sees, in words, for the presenter."""
        return self.sentence

    @property
    def notes(self) -> str:
        """What only the presenter reads."""
        return ""

    def following(self) -> str:
        """Returns the next step in words, for the presenter; "" after the last one."""
        return self.coming(self.position + 1) if self.position < self.length else ""

    def begin(self, length: int, place: int = 0) -> None:
        """Shows the first step, once all parts are made."""
        self._length, self._place = length, place
        self.show_position(place, place)
        self.ask_again()

    def keeps(self) -> tuple[Kept, ...]:
        """Returns what scenes keep: the step."""
        return (kept_value("step", int, lambda: self.position, self.go_to),)

    def show_position(self, position: int, before: int) -> None:
        """Shows a step; ``before`` is the previous one."""

    @property
    def remembered(self) -> Hashable:
        """The key by which a seen answer is remembered, so that it is not asked again; None: it is asked again."""
        return self.position if self.reveals_first else None

    def make_question(self) -> StageQuestion | None:
        """Returns the question before the next step, if any."""
        return None

    def hide_answer(self, hidden: bool) -> None:
        """Hides or shows the answer to the question."""

    def leave(self) -> None:
        """Shows the same state in the window, when the presentation ends."""
        if self.plays is not None:
            self.plays.go_to(self.position, by_hand=True)

    # Questions.

    @property
    def question(self) -> StageQuestion | None:
        """The question of the band, instead of the sentence."""
        return self._question

    @property
    def answer(self) -> str:
        """The right answer to the question, in words; "" where nothing is asked."""
        question = self._question
        return question.choices[question.right].said if question is not None else ""

    @property
    def hides_something(self) -> bool:
        """Whether there is an answer to reveal."""
        return self._question is not None and not self._question.states

    def ask_questions(self, asks: bool) -> None:
        """Asks before the steps, or says what they do."""
        self._asks = asks
        self.ask_again()

    def ask_again(self) -> None:
        """Asks the question of the current step, if there is one."""
        self._answer.stop()
        asks = self._asks and self.remembered not in self._seen
        self._question = self.make_question() if asks else None
        self._hide(self._question is not None)
        self.changed.emit()

    def _hide(self, hidden: bool) -> None:
        if not hidden and self.remembered is not None:
            self._seen.add(self.remembered)
        self.hide_answer(hidden)

    def reveal(self) -> None:
        """Shows the answer."""
        if self.hides_something:
            self._answered(-1)

    def choose(self, place: int) -> None:
        """Answers the question; then comes the next step, or the sentence that explains the answer."""
        question = self._question
        if question is not None and not question.states and place < len(question.choices):
            self._answered(place)
            self._answer.start()

    def _answered(self, place: int) -> None:
        assert self._question is not None
        self._question = replace(self._question, states=self._question.answered(place))
        self._hide(False)
        if place < 0 and self.reveals_first:
            self._question = None  # the sentence gives the reason
        self.changed.emit()

    def _go_on_after_answer(self) -> None:
        if self.reveals_first:
            self._question = None
            self.changed.emit()
        else:
            self.advance()

    # Steps.

    def go_to(self, position: int) -> None:
        """Shows a step, and asks before the next one."""
        self._answer.stop()
        before, self._place = self._place, max(0, min(position, self.length))
        self.show_position(self._place, before)
        self.ask_again()

    def advance(self) -> None:
        """Continues: shows a hidden answer, or the next step."""
        if self.reveals_first and self.hides_something:
            self.reveal()
        elif self.position < self.length:
            self.go_to(self.position + 1)

    def go_inside(self, count: int) -> None:
        """Goes through the steps on the stage, if the deck has different ones."""

    def switch_prose(self) -> None:
        """Hides or shows the prose next to the stage, if there is any."""

    def close_deck(self) -> None:
        """Ends its running work."""
        self._answer.stop()
        self.leave()


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
        sizes = range(largest, SMALLEST_TEXT - 1, -STEP)
        if (
            self.view.text_layout.text_map.byte_count
            > room.width() * room.height() // SMALLEST_TEXT**2
        ):
            sizes = sizes[-1:]  # it cannot fit, so one layout is enough
        for size in sizes:
            self._size = size
            self.view.set_text_size(size)
            if self.view.verticalScrollBar().maximum() == 0:
                break


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

    def said(self, place: int) -> str:
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

    def _count(self, item: LibraryItem) -> int:
        encoded = self.session.encoded(item.key)
        encoding = encoded.encoding if encoded is not None else None
        return len(encoding.ids) if encoding is not None else 0

    def make_question(self) -> StageQuestion | None:
        """Asks for the tokenizer's count; wrong choices are those of others, of pre-tokens, words and characters."""
        item = self.item
        if item is None:
            return None
        encoded = self.session.encoded(item.key)
        encoding = encoded.encoding if encoded is not None else None
        if encoding is None:
            return None
        count = self._count(item)
        text = self.session.text_map
        likely = [self._count(other) for other in self._items]
        likely += [
            len(encoding.pre_tokens.ends),
            len(self.session.text),
            text.byte_count,
        ]
        likely += [count * 4 // 5, count * 5 // 4 + 1]
        near = sorted(map(int, likely), key=lambda one: abs(one - count))
        name = self.session.short_name(item)
        return asked(
            f"How many tokens does {name} need?",
            f"The text has {counted(text.byte_count, 'byte')}.",
            in_words(f"{count:,}"),
            [in_words(f"{guess:,}") for guess in near if guess > 0],
            count,
        )

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
        known = encoded is not None and encoded.encoding is not None
        if revealed and known and encoded is not None and item.tokenizer is not None:
            show_tokens(self.view, item.key, item.tokenizer, encoded, self.session)
        else:
            self.view.set_parts(item.key, TextParts.empty())


LONGEST_STRETCH = 2000
"""The most bytes of a text whose pre-tokens are shown: more than fit on a screen."""


class PretokensDeck(TextDeck):
    """The cuts of a pattern, one after another; before each it asks where it is, or which rule makes it."""

    noun = "pre-token"

    def __init__(self, shown: PretokensView, theme: Theme) -> None:
        super().__init__(shown.session, theme)
        layer = shown.view.rows[shown.view.front]
        self.item = shown.item_of(layer.key)
        self._name = layer.name
        self._key = layer.key
        parts, text = layer.parts, self.session.text_map
        selected = self.session.selection
        start = selected[0] if selected is not None else 0
        if text.byte_count > LONGEST_STRETCH and selected is None:
            start = shown.view.visible_bytes()[0]
        near = parts.between(start, max(start + 1, selected[1] if selected is not None else 0))
        first = min(near.start, max(0, len(parts) - 1))
        stop = first
        base = int(parts.starts[first]) if len(parts) else 0
        if text.byte_count <= LONGEST_STRETCH:
            first, base, stop = 0, 0, len(parts)
        while stop < len(parts) and int(parts.ends[stop]) - base <= LONGEST_STRETCH:
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
        others = (other.parts for key, other in shown.view.rows.items() if key != layer.key)
        self._other_ends = [_near(other.ends, base, end) - base for other in others]
        self.title = f"How {self._name} splits the text"
        identity = theme.identity(self.item.identity) if self.item is not None else None
        self.view.set_text_map(self._text)
        self.view.set_rows([InterlinearRow(layer.key, layer.name, identity)])
        place = 0
        if selected is not None:
            place = int(np.searchsorted(self._parts.ends, selected[0] - base, side="right"))
        self.begin(len(self._parts), place)

    def said(self, place: int) -> str:
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
        return self._text.utf8[start:end]

    def _quoted(self, number: int) -> str:
        return quoted(self._bytes(*self._parts.span(number)), 40, always=True)

    def show_position(self, position: int, before: int) -> None:
        self.view.set_parts(self._key, self._parts.first(position))
        if position:
            start, end = self._parts.span(position - 1)
            self.view.set_highlight(start, end)
            self.view.ensureVisible(min(end, self._text.byte_count - 1))
        else:
            self.view.set_highlight(-1, -1)

    def make_question(self) -> StageQuestion | None:
        """Asks where the next cut is, or, for every other pre-token, which rule matches it."""
        if self._place >= self.length:
            return None
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


class ViewDeck(Deck):
    """A workspace as it is in the window, but larger, with the same choices."""

    def __init__(self, shown: Workspace, looks: Appearance) -> None:
        super().__init__()
        self.view = type(shown)(shown.session, looks, shown.find_action)
        self.title = shown.name.title
        due = take_settings(shown, self.view)
        if isinstance(shown, PagedWorkspace) and isinstance(self.view, PagedWorkspace):
            self.view.show_page(shown.page.id)
            due += take_settings(shown.page, self.view.page)
            self.view.page.go_on_stage()
            self.title = self.view.page.title or self.title
        in_column((self.view, 1), into=self)
        self._due = due
        self._again = QTimer(self, interval=AGAIN_MS)
        self._again.timeout.connect(self._take_due)
        self._again.start()

    def _take_due(self) -> None:
        """Tries again what could not be shown before the view was visible."""
        self._due = [show for show in self._due if show() is False]
        if not self._due:
            self._again.stop()

    def leave(self) -> None:
        self._again.stop()
        self.view.stop()


def take_settings(shown: WorkspacePart, twin: WorkspacePart) -> list[Callable[[], object]]:
    """Copies the choices of a workspace or page to a second one; returns functions for those that must wait."""
    twins = {setting.name: setting for setting in twin.keeps()}
    due: list[Callable[[], object]] = []
    for setting in shown.keeps():
        value = setting.read()
        if value is not None and twins[setting.name].show(value) is False:
            due.append(partial(twins[setting.name].show, value))
    return due


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
