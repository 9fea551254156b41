"""Shows the letters of a lesson's word against its ids, below the text in Tokens."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QBoxLayout

from tokenarium.app.lessons import Lessons
from tokenarium.models.lessons.asking import span_of
from tokenarium.models.lessons.marks import mark_of
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.segmentation import TextParts
from tokenarium.session.session import Session
from tokenarium.views.tokens import TokensPage
from tokenarium.views.workspace import TOKENS, PagedWorkspace, Workspace, soon
from tokenarium.widgets.lesson_letters import LettersRow

MOST_LETTERS = 24
"""The most letters of a word that is shown."""

MOST_BYTES = 10_000
"""The bytes of a text in which a word is looked up at once."""

LOW = 600
"""Pixels: a lower window has no room for the row."""

AFTER_MS = 20


class LessonLetters(QObject):
    """The row below the workspaces; made when it is first needed."""

    def __init__(
        self,
        session: Session,
        lessons: Lessons,
        workspace: Callable[[], Workspace],
        column: QBoxLayout,
        parent: QObject,
    ) -> None:
        """``workspace`` returns what the window shows; the row comes last in the ``column``."""
        super().__init__(parent)
        self._session = session
        self._lessons = lessons
        self._workspace = workspace
        self._column = column
        self.row: LettersRow | None = None
        self._guessed = True  # whether the ids may be seen
        self._soon = soon(self, self.refresh, AFTER_MS)
        lessons.stepped.connect(self._ask)
        lessons.shows_step.connect(self._soon.start)

    def _ask(self) -> None:
        """Hides the ids until an answer to the question of the step is given."""
        panel, step = self._lessons.panel, self._lessons.step_shown
        if self.row is None and panel is not None:
            self.row = LettersRow()
            self._column.addWidget(self.row)
            self.row.hide()
            self._lessons.asking.uncovered.connect(self._show_ids)
            session = self._session
            for signal in (
                session.text_changed,
                session.selection_changed,
                session.current_changed,
            ):
                signal.connect(self._soon.start)
            session.encoding_changed.connect(lambda _: self._soon.start())
        self._guessed = step is None or step.question is None
        self._soon.start()

    def _show_ids(self) -> None:
        self._guessed = True
        self.refresh()

    def refresh(self) -> None:
        """Shows the word, or hides the row where it says nothing."""
        if self.row is None:
            return
        shown = self._show()
        self.row.setVisible(shown)

    def _show(self) -> bool:
        space, session = self._workspace(), self._session
        if self.row is None or self._lessons.lesson is None or space.window().height() < LOW:
            return False
        if (
            not isinstance(space, PagedWorkspace)
            or space.name is not TOKENS
            or space.page.id != TokensPage.id
        ):
            return False
        item = session.current
        encoded = session.encoded(item.key) if item is not None else None
        if (
            item is None
            or encoded is None
            or encoded.encoding is None
            or not 0 < session.text_map.byte_count < MOST_BYTES
        ):
            return False
        start, end = self._span()
        word = session.text_map.slice(start, end)
        letters = [word[first:last] for first, last in pairwise([0, *grapheme_ends(word)])]
        if not 0 < len(letters) <= MOST_LETTERS:
            return False
        encoding = encoded.encoding
        parts = TextParts.of_tokens(array_of(encoding.ids), array_of(encoding.spans))
        ids = [int(encoding.ids[place]) for place in parts.between(start, end)]
        scene = self._lessons.current.scene if self._lessons.current is not None else None
        counted = scene.letter if scene is not None else ""
        self.row.show_word(
            letters, session.short_name(item), ids if self._guessed else None, counted
        )
        return True

    def _span(self) -> tuple[int, int]:
        """The bytes of the word: what is selected, or what the step marks, or else the first line."""
        session, step = self._session, self._lessons.current
        if session.selection is not None:
            return session.selection
        if step is not None and step.scene is not None:
            for mark in map(mark_of, step.scene.mark):
                span = span_of(session.text_map, mark.text) if mark.part == "range" else None
                if span is not None:
                    return span
        line = session.text_map.text.splitlines()[0]
        return 0, len(line.encode("utf-8", "surrogatepass"))
