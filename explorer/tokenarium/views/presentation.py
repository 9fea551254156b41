"""The presentation: what a workspace shows, on the whole screen, for people who sit far away.

It has no rail and no top bar: a title, the stage, one band for a sentence or a question, and dots for the progress.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from tokenarium.models.merges.next_pair import MOST_CHOICES, next_pair
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import counted, in_tile, readable
from tokenarium.models.text.segmentation import TextSpans
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.style import zoom
from tokenarium.style.appearance import Appearance, motion_wanted
from tokenarium.style.fonts import READING_SIZE, SMALL_SIZE, TITLE_SIZE, ui_font
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.tokens import TokensView, show_tokens, tokenizer_rows
from tokenarium.views.workspace import MERGES, PagedWorkspace, Workspace
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.mark import SMALL, MarkView
from tokenarium.widgets.panel import ElidedLabel, named, secondary
from tokenarium.widgets.players.question_band import (
    Choice,
    PairQuestion,
    ProgressDots,
    QuestionBand,
)
from tokenarium.widgets.players.step_sentence import StepSentence
from tokenarium.widgets.text.interlinear_view import InterlinearView

if TYPE_CHECKING:  # most presentations do without players
    from tokenarium.widgets.players.merge_body import MergeBody
    from tokenarium.widgets.players.player_lane import PlayerLane

SCALE = 1.67
"""How much larger everything is: the least text of the window, 12 pixels, becomes 20."""

LEAST_WIDTH = 640
"""Pixels: on a small screen everything is only so large that this much fits in its width."""

ANSWER_MS = 1100
"""Milliseconds for which an answer is seen before the merge plays."""

LARGEST_TEXT, SMALLEST_TEXT, STEP = 34, READING_SIZE, 3
"""Pixels of the letters of a text, before the scale, and between two sizes."""


class Deck(QWidget):
    """Base of what is presented: a stage with steps. `changed`: the sentence, the question or the step is another."""

    changed = Signal()

    title = ""
    item: LibraryItem | None = None
    """The tokenizer whose marker is beside the title, if it is about one."""

    @property
    def about(self) -> str:
        """A few words at the right of the title."""
        return ""

    @property
    def sentence(self) -> str:
        """The sentence of the band."""
        return ""

    @property
    def question(self) -> PairQuestion | None:
        """The question of the band, instead of the sentence."""
        return None

    @property
    def length(self) -> int:
        """How many steps there are; 0 for what has none."""
        return 0

    @property
    def position(self) -> int:
        """The step that is shown."""
        return 0

    def go_to(self, position: int) -> None:
        """Shows a step."""

    def advance(self) -> None:
        """Goes on: shows an answer that is hidden, or the next step."""
        self.go_to(min(self.position + 1, self.length))

    def reveal(self) -> None:
        """Shows the answer."""

    def choose(self, place: int) -> None:
        """Answers the question."""

    @property
    def hides_something(self) -> bool:
        """Whether there is an answer to reveal."""
        return False

    def ask_questions(self, asks: bool) -> None:
        """Asks before the steps, or says what they do."""

    def leave(self) -> None:
        """Shows in the window what is shown here, as the presentation ends."""


class MergesDeck(Deck):
    """The steps of a tokenizer on a word; before a merge it asks which pair is next."""

    def __init__(self, item: LibraryItem, lane: PlayerLane, run: TraceRun, theme: Theme) -> None:
        from tokenarium.widgets.players.lattice_body import LatticeBody
        from tokenarium.widgets.players.merge_body import MergeBody
        from tokenarium.widgets.players.merge_canvas import MERGE_MS
        from tokenarium.widgets.players.player_lane import body_of

        super().__init__()
        self.item = item
        self._slide_ms = MERGE_MS
        self._lane = lane
        self._run = run
        self._asks = True
        self._question: PairQuestion | None = None
        start, end = (run.words[0].start, run.words[-1].end) if run.words else (0, 0)
        word = run.data[start:end].decode("utf-8", "replace").strip()
        self.title = f"How {item.name} reads “{readable(word.encode(), 40)}”"
        self.body = body_of(run.tokenizer.model)(theme)
        self._merging: MergeBody | None = self.body if isinstance(self.body, MergeBody) else None
        self.body.set_motion(motion_wanted(explains=True))
        if isinstance(self.body, LatticeBody):
            self.body.lists_paths = False
        self.body.set_run(run)
        in_column((self.body, 1), into=self)
        self._answer = QTimer(self, singleShot=True, interval=ANSWER_MS)
        self._answer.timeout.connect(self.advance)
        self._show(slide=False)

    @property
    def about(self) -> str:
        return f"{counted(self.position, 'step')} done · {self.body.count()}"

    @property
    def sentence(self) -> str:
        return self.body.sentence()

    @property
    def question(self) -> PairQuestion | None:
        return self._question

    @property
    def length(self) -> int:
        return len(self._run)

    @property
    def position(self) -> int:
        return self._run.position

    def go_to(self, position: int) -> None:
        self._answer.stop()
        before = self.position
        self._run.go_to(position)
        self._show(slide=self.position == before + 1)

    def reveal(self) -> None:
        if self._question is not None and not self._question.states:
            self._answered(-1)

    @property
    def hides_something(self) -> bool:
        return self._question is not None and not self._question.states

    def choose(self, place: int) -> None:
        question = self._question
        if question is not None and not question.states and place < len(question.choices):
            self._answered(place)
            self._answer.start()

    def ask_questions(self, asks: bool) -> None:
        self._asks = asks
        self._show(slide=False)

    def leave(self) -> None:
        self._answer.stop()
        self._lane.go_to(self.position, by_hand=True)

    def _answered(self, place: int) -> None:
        assert self._question is not None
        self._question = replace(self._question, states=self._question.answered(place))
        self._hide_ranks(False)
        self.changed.emit()

    def _show(self, slide: bool) -> None:
        self._question = self._ask() if self._asks else None
        self._hide_ranks(self._question is not None)
        self.body.show_step(slide, self._slide_ms)
        self.changed.emit()

    def _hide_ranks(self, hidden: bool) -> None:
        if self._merging is not None:
            self._merging.stage.set_ranks_hidden(hidden)

    def _ask(self) -> PairQuestion | None:
        """Returns which pair merges next: the right one and others of the word; None where there is no choice."""
        body = self._merging
        asked = next_pair(self._run, MOST_CHOICES) if body is not None else None
        if asked is None or body is None:
            return None
        colours = body.colours()
        choices = [
            Choice(
                in_tile(one.left),
                in_tile(one.right),
                (colours[one.start], colours[one.middle]),
                one.start,
            )
            for one in asked.choices
        ]
        return PairQuestion("Which pair merges next?", asked.note, choices, asked.right)


class TokensDeck(Deck):
    """The text as each tokenizer cuts it, one after the other; the count is a question first."""

    title = "The same text, cut by each tokenizer"

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session = session
        self._theme = theme
        self._items = [item for item in session.chosen() if session.encoded(item.key) is not None]
        current = session.current
        self._place = self._items.index(current) if current in self._items else 0
        self._shown = {self._place}  # whose tokens were revealed
        self._room, self._rows, self._size = QSize(), 0, LARGEST_TEXT  # that the letters fit
        self.view = InterlinearView(theme)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setTextMap(session.text_map)
        self.view.setShowWhitespace(session.show_whitespace)
        in_column((self.view, 1), into=self)
        self._show()

    @property
    def item(self) -> LibraryItem | None:  # type: ignore[override]
        return self._items[self._place] if self._items else None

    @property
    def about(self) -> str:
        return self.item.name if self.item is not None else ""

    @property
    def sentence(self) -> str:
        item = self.item
        if item is None:
            return "No tokenizer is on."
        if self._place not in self._shown:
            return f"How many tokens does {item.name} need?"
        encoded = self._session.encoded(item.key)
        encoding = encoded.encoding if encoded is not None else None
        count = len(encoding.ids) if encoding is not None else 0
        size = self._session.text_map.byte_count
        return (
            f"{item.name} cuts {counted(size, 'byte')} into {counted(count, 'token')}: "
            f"{size / max(count, 1):.2f} bytes per token."
        )

    @property
    def length(self) -> int:
        return max(0, len(self._items) - 1)

    @property
    def position(self) -> int:
        return self._place

    def go_to(self, position: int) -> None:
        self._place = max(0, min(position, self.length))
        self._show()

    def advance(self) -> None:
        if self._place not in self._shown:
            self.reveal()
        else:
            super().advance()

    @property
    def hides_something(self) -> bool:
        return self._place not in self._shown

    def reveal(self) -> None:
        self._shown.add(self._place)
        self._show()

    def leave(self) -> None:
        if self.item is not None:
            self._session.set_current(self.item.key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _show(self) -> None:
        """Shows the tokenizer in front, and the others whose tokens were seen as strips."""
        item = self.item
        if item is not None:
            seen = {*self._shown, self._place}
            items = [one for place, one in enumerate(self._items) if place in seen]
            self.view.set_rows(tokenizer_rows(items, self._theme))
            for one in items:
                self._show_row(one, one is not item or self._place in self._shown)
            self.view.set_front(item.key)
        self._fit()
        self.changed.emit()

    def _show_row(self, item: LibraryItem, revealed: bool) -> None:
        encoded = self._session.encoded(item.key)
        if revealed and encoded is not None and item.tokenizer is not None:
            show_tokens(self.view, item.key, item.tokenizer, encoded, self._session)
        else:
            self.view.set_parts(item.key, TextSpans.empty())

    def _fit(self) -> None:
        """Makes the letters as large as the text has room for, where the room or the number of rows has changed."""
        room, rows = self.view.viewport().size(), len(self.view.rows)
        if (room, rows) == (self._room, self._rows):
            return
        grown = room == self._room and rows > self._rows  # the text needs more room than before
        largest = self._size if grown else LARGEST_TEXT
        self._room, self._rows = room, rows
        for size in range(largest, SMALLEST_TEXT - 1, -STEP):
            self._size = size
            self.view.set_text_size(size)
            if self.view.verticalScrollBar().maximum() == 0:
                break


class ViewDeck(Deck):
    """A workspace as it is in the window, larger."""

    def __init__(self, shown: Workspace) -> None:
        super().__init__()
        self.view = type(shown)(shown.session, shown.appearance, shown.find_action)
        self.title = shown.name.title
        if isinstance(shown, PagedWorkspace) and isinstance(self.view, PagedWorkspace):
            self.view.show_page(shown.page.id)
            self.title = shown.page.title
        in_column((self.view, 1), into=self)

    def leave(self) -> None:
        self.view.stop()


def deck_of(workspace: Workspace, theme: Theme) -> Deck:
    """Returns what is presented of a workspace."""
    if isinstance(workspace, TokensView) and workspace.session.text:
        return TokensDeck(workspace.session, theme)
    if workspace.name is MERGES and isinstance(workspace, PagedWorkspace):
        from tokenarium.views.merges import StepsPage  # which the others do without

        page = workspace.page
        if isinstance(page, StepsPage) and page.player is not None and page.player.run is not None:
            key = next(key for key, lane in page.lanes.items() if lane is page.player)
            item = workspace.session.library.item(key)
            if item is not None:
                return MergesDeck(item, page.player, page.player.run.twin(), theme)
    return ViewDeck(workspace)


class Presentation(QWidget):
    """The window of a presentation, on the whole screen. `left` when it closes."""

    left = Signal()

    def __init__(self, workspace: Workspace, appearance: Appearance) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Tokenarium: {workspace.name.title}")
        self.setAutoFillBackground(True)
        self.setScreen(workspace.screen())
        self._appearance = appearance
        self._scale = zoom.scale()
        self._open = True
        appearance.present(True)
        theme = appearance.theme
        width = workspace.screen().size().width() * self._scale / zoom.NORMAL / LEAST_WIDTH
        zoom.zoom(max(self._scale, round(self._scale * min(SCALE, max(1.0, width)))))
        self.setGeometry(self.screen().geometry())
        self.deck = deck_of(workspace, theme)
        self.black = BlackScreen(self)
        self.title = named(ElidedLabel(), "Title")
        self.title.setFont(ui_font(TITLE_SIZE, QFont.Weight.Bold))
        self.about = secondary(QLabel())
        self.mark = MarkView(SMALL)
        self.sentence = named(StepSentence(theme, READING_SIZE), "What happens")
        self.sentence.set_lines(2)
        self.band = QuestionBand(theme)
        self._bands = QStackedWidget()
        self.dots = ProgressDots(theme)
        self._asks = True
        self._build(theme)
        self.deck.changed.connect(self.show_step)
        self.band.chosen.connect(self.deck.choose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.show_step()

    def _build(self, theme: Theme) -> None:
        head = in_row(self.mark, GRID, (self.title, 1), self.about, spacing=GRID)
        self._bands.addWidget(self.sentence)
        self._bands.addWidget(self.band)
        self.hints = [
            KeyHint(theme, key, text, run)
            for key, text, run in (
                ("←", "Back", self.go_back),
                ("Space", "Next", self.go_on),
                ("R", "Reveal", self.deck.reveal),
                ("Esc", "Leave", self.close),
            )
        ]
        back, *others = self.hints
        foot = in_row(back, STRETCH, (self.dots, 2), STRETCH, *others, spacing=2 * GRID)
        in_column(
            head,
            GRID,
            (self.deck, 1),
            GRID,
            self._bands,
            GRID // 2,
            foot,
            into=self,
            margins=(20, 12, 20, 8),
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, deck = Qt.Key(event.key()), self.deck
        if key in _ON:
            self.go_on()
        elif key in _BACK:
            self.go_back()
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            deck.go_to(0 if key == Qt.Key.Key_Home else deck.length)
        elif key == Qt.Key.Key_R:
            deck.reveal()
        elif key == Qt.Key.Key_Q:
            self.switch_questions()
        elif key in (Qt.Key.Key_B, Qt.Key.Key_Period):
            self.switch_black()
        elif key in (Qt.Key.Key_Escape, Qt.Key.Key_F5):
            self.close()
        elif key in _CHOICES:
            deck.choose(_CHOICES[key])
        else:
            super().keyPressEvent(event)

    def go_on(self) -> None:
        """Goes on, or shows the picture again where the screen is black."""
        if self.black.isVisible():
            self.switch_black()
        else:
            self.deck.advance()

    def go_back(self) -> None:
        """Goes a step back."""
        self.deck.go_to(max(0, self.deck.position - 1))

    def switch_black(self) -> None:
        """Makes the screen black, or shows the picture again."""
        self.black.setGeometry(self.rect())
        self.black.setVisible(not self.black.isVisible())
        self.black.raise_()

    def switch_questions(self) -> None:
        """Asks before the steps, or says what they do."""
        self._asks = not self._asks
        self.deck.ask_questions(self._asks)

    def show_step(self) -> None:
        """Shows the words around the stage."""
        deck = self.deck
        self.title.setText(deck.title)
        self.about.setText(deck.about)
        question = deck.question
        self.band.ask(question)
        self._bands.setVisible(bool(question or deck.sentence))
        self._bands.setCurrentIndex(0 if question is None else 1)
        self.sentence.setText(deck.sentence)
        back, following, reveal, _ = self.hints
        back.setVisible(deck.length > 0)
        following.setVisible(deck.length > 0)
        reveal.setVisible(deck.hides_something)
        self.dots.show_step(deck.position, deck.length)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.setFocus()  # the keys are its own, until a field in it is clicked

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.black.setGeometry(self.rect())

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if self._open:
            self._open = False
            self.deck.leave()
            zoom.zoom(self._scale)
            self._appearance.present(False)
            self.left.emit()


_Key = Qt.Key
_ON = (_Key.Key_Space, _Key.Key_Right, _Key.Key_PageDown, _Key.Key_Return, _Key.Key_Enter)
_BACK = (_Key.Key_Left, _Key.Key_PageUp, _Key.Key_Backspace)
"""The keys that go on and back, those of remote controls among them."""

_CHOICES = {_Key(_Key.Key_1 + place): place for place in range(MOST_CHOICES)} | {
    _Key.Key_A: 0,
    _Key.Key_C: 2,
    _Key.Key_D: 3,
}
"""The keys that answer; B makes the screen black."""


class BlackScreen(QWidget):
    """Covers all, so that people look at the speaker."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Black screen")
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.GlobalColor.black)
        painter.end()


CAP_HEIGHT = 19


class KeyHint(QWidget):
    """A key and what it does; a click does it too."""

    def __init__(self, theme: Theme, key: str, text: str, run: Callable[[], object]) -> None:
        super().__init__()
        self._theme, self._key, self._text, self._run = theme, key, text, run
        self.setAccessibleName(f"{text}: {key}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        metrics = QFontMetrics(ui_font())
        self._cap = max(CAP_HEIGHT, metrics.horizontalAdvance(key) + GRID)
        self.setFixedSize(self._cap + GRID + metrics.horizontalAdvance(text) + 2, CAP_HEIGHT + 3)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._run()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cap = QRectF(0.5, 0.5, self._cap - 1, CAP_HEIGHT)
        painter.setPen(QPen(self._theme.line, 1))
        painter.setBrush(self._theme.sunken)
        painter.drawRoundedRect(cap, 4, 4)
        painter.setPen(self._theme.ink)
        painter.setFont(ui_font(SMALL_SIZE, QFont.Weight.Medium))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._key)
        painter.setPen(self._theme.dim)
        painter.setFont(ui_font())
        rest = QRectF(self._cap + GRID, 0, self.width(), CAP_HEIGHT)
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, self._text)
        painter.end()
