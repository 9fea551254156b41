"""The page Longest match of the workspace Merges: how added and user-defined tokens are found before a model runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QWidget

import tokenarium_core as tc
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.merges.prefix_play import (
    LONGEST,
    PrefixPlay,
    WalkMoment,
    own_strings,
    own_tokenizer,
    plays,
    stage_title,
    states_text,
    walked_span,
)
from tokenarium.session.requests import ShowEntry
from tokenarium.style.fonts import LESSON_SIZE
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, GRID, PAGE_MARGIN, Theme
from tokenarium.views.decks import Deck
from tokenarium.views.kept import Kept, kept_control, kept_segment, text_of
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import PLAYER_BUTTONS, Page, Workspace, soon
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.charts.stage_figure import StageFigure
from tokenarium.widgets.keyboard import ShortcutFirst
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, named, secondary
from tokenarium.widgets.players.player_lane import LaneCard
from tokenarium.widgets.players.prefix_stage import PrefixArea, PrefixEdges, PrefixPath, PrefixStage
from tokenarium.widgets.players.step_player import StepPlayer
from tokenarium.widgets.players.step_sentence import StepSentence
from tokenarium.widgets.players.transport import Transport
from tokenarium.widgets.segmented import Segmented

STEP_MS = 450
"""Milliseconds of a step at speed 1: a byte is read faster than a merge."""

WITH_EDGES = 110 * GRID
"""The least width in pixels with room for the edges next to the path."""

LOW = 60 * GRID
"""The height in pixels below which the path and the sentence have one line each."""

NO_TOKENS = (
    "No tokens are matched before the model",
    "This tokenizer has neither added nor user-defined tokens. GPT-2, Gemma and Mistral have some.",
)

HEADS = ("stage", "start", "end", "id", "text", "stays")
"""The columns of the table: bytes of the text, the id that was taken, and why a matched token stays text."""

NO_PLACES = "Nothing of the selection reaches this stage: an earlier one took it."


PROGRAM = """
rows = []
for play in plays(TOKENIZER, TextMap(TEXT).read_utf8, START, END, SPECIAL):
    for place in play.places:
        start, end = play.original(place.start, place.stop)
        rows.append({
            "stage": stage_title(play.trie.stage),
            "start": start,
            "end": end,
            "text": play.data[place.start : place.stop].decode("utf-8", "replace"),
            "id": place.id if place.id >= 0 else None,
            "states": [step.state for step in place.steps],
            "left": place.left,
        })
"""


class PrefixPage(Page):
    """The walk of the current tokenizer through its trie, next to the edges of the current state."""

    id = "prefixes"
    title = "Longest match"
    follows_text = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        session = self.session
        self._made_of: tuple[object, ...] = ()
        self._plays: list[PrefixPlay] = []
        self._walked: tc.Tokenizer | None = None
        self._chosen = 0
        self.stages = named(Segmented(), "Stage")
        self.stages.setToolTip("The stage that matches its tokens")
        self.about = secondary(ElidedLabel())
        self.strings = named(QLineEdit(clearButtonEnabled=True), "Strings that are looked for")
        self.strings.setPlaceholderText("your own strings: ab abcd")
        self.strings.setToolTip(
            "Strings with spaces between them, looked for as added tokens; empty: those of the tokenizer"
        )
        self.typed = named(QLineEdit(clearButtonEnabled=True), "Where they are looked for")
        self.typed.setPlaceholderText("in the text, or in: babd")
        self.typed.setToolTip("What is walked instead of the text or the selection")
        for field in (self.strings, self.typed):
            field.setMaxLength(LONGEST)
            field.setMinimumWidth(15 * GRID)
            ShortcutFirst(field)
        self.area = PrefixArea()
        self.stage = self.area.stage
        self.path = PrefixPath()
        self.edges = PrefixEdges()
        self.sentence = named(StepSentence(LESSON_SIZE), "What happens")
        self.sentence.set_lines(2)
        self.steps = StepPlayer(self)
        self.transport: Transport = Transport(self.help_with(*PLAYER_BUTTONS))
        self.transport.set_player(self.steps, STEP_MS)
        self.figure = StageFigure(
            "The longest match", self._drawn, self.as_csv, self._said, self._names
        )
        self.figure.set_source(FigureSource(code=self.python))
        self.report_plots(self.figure)
        self._card = LaneCard()
        sentence_row = in_row((self.sentence, 1), margins=(CARD_MARGIN, 0, CARD_MARGIN, 0))
        in_column(
            (self.area, 1),
            self.path,
            sentence_row,
            self.transport,
            into=self._card,
            margins=(1, GRID, 1, 1),
        )
        lane = QWidget()
        margins = (PAGE_MARGIN, 0, PAGE_MARGIN, CARD_MARGIN // 2)
        in_row((self._card, 1), self.edges, into=lane, spacing=CARD_GAP, margins=margins)
        head = in_row(
            self.stages, (self.about, 1), (self.strings, 1), (self.typed, 1), self.figure.more,
            spacing=GRID, margins=(PAGE_MARGIN, 0, PAGE_MARGIN, GRID),
        )  # fmt: skip
        self._pages = PageStack()
        self._pages.addWidget(lane)
        self._pages.addWidget(self.empty)
        in_column(head, (self._pages, 1), into=self)
        self._soon = soon(self, self.replay)
        for signal in (
            session.text_changed,
            session.selection_changed,
            session.tokenizers_changed,
            session.current_changed,
            session.special_changed,
        ):
            signal.connect(self._soon.start)
        for field in (self.strings, self.typed):
            field.textChanged.connect(lambda _: self._soon.start())
        self.stages.chosen.connect(self._choose)
        self.steps.moved.connect(lambda _: self._show())
        self.stage.hovered.connect(self._point)
        self.stage.picked.connect(self._show_entry)
        session.hover_changed.connect(self._light)

    # The walk.

    def marked_part(self, name: str) -> QWidget | None:
        parts: dict[str, QWidget] = {"stage": self.area, "sentence": self.sentence}
        return {**parts, "player": self.transport, "queue": self.edges}.get(name)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.replay()

    @property
    def own(self) -> tuple[str, ...]:
        """The strings of the user, which are looked for instead of the tokens of the tokenizer."""
        return tuple(own_strings(self.strings.text()))

    def _show_entry(self, token: int) -> None:
        if not self.own:
            self.session.requests.ask(ShowEntry(token))

    def span(self) -> tuple[int, int]:
        """The bytes that are walked: the selection, or the beginning of the text."""
        return walked_span(self.session.text_map, self.session.selection)

    def replay(self) -> None:
        """Walks again if the text, the bytes or the tokenizer have changed; a hidden page waits until it is shown."""
        self._soon.stop()
        if not self.isVisible():
            return
        strings, item, typed = self.own, self.session.current, self.typed.text()
        tokenizer = item.tokenizer if item is not None else None
        has_text = self.session.has_text or bool(typed)
        if not has_text:
            self.say_no_text()
        elif tokenizer is None and not strings:
            self.say_no_tokenizer()
        if not has_text or (tokenizer is None and not strings):
            self._plays, self._made_of = [], ()
            self._show_pages(False)
            return
        utf8, span = self.session.text_map.read_utf8, self.span()
        if typed:
            utf8 = typed.encode("utf-8", "surrogatepass")
            span = 0, len(utf8)
        made_of = (hash(utf8), span, self.session.special, tokenizer, strings)
        if made_of == self._made_of:
            return
        self._made_of = made_of
        try:
            if strings:
                tokenizer = own_tokenizer(strings)
            assert tokenizer is not None
            self._walked = tokenizer
            self._plays = plays(tokenizer, utf8, *span, self.session.special)
        except tc.TokenariumError as error:
            self._plays = []
            self.empty.say("The text cannot be matched", str(error))
            self._show_pages(False)
            return
        if not self._plays:
            self.empty.say(*NO_TOKENS)
        self._show_pages(bool(self._plays))
        if self._plays:
            titles = [stage_title(walk.trie.stage) for walk in self._plays]
            # By default, the stage with the most tokens is shown.
            sizes = [len(walk.trie.pieces) for walk in self._plays]
            self._show_stages(titles)
            self.stages.setVisible(len(titles) > 1)
            self._choose(sizes.index(max(sizes)))

    def _show_stages(self, titles: list[str]) -> None:
        """Lists these stages, without choosing one."""
        with QSignalBlocker(self.stages):
            while self.stages.count():
                self.stages.removeTab(0)
            for title in titles:
                self.stages.addTab(title)
        self.stages.updateGeometry()

    def _show_pages(self, shown: bool) -> None:
        self._pages.setCurrentIndex(0 if shown else 1)
        self.figure.show_for(shown)
        if not shown:
            self.stages.hide()
            self.about.setText("")
            self._begin(0)

    def _begin(self, length: int) -> None:
        """Goes to the beginning of another walk."""
        self.steps.begin(length)
        self.transport.show_step(0, length)

    def _choose(self, number: int) -> None:
        """Shows the walk of one stage, from its beginning."""
        if not 0 <= number < len(self._plays):
            return
        self._chosen = number
        self.stages.choose(number)
        play = self._plays[number]
        if self._walked is not None:
            text = states_text(self._walked, play.trie)
            title = "Your strings" if self.own else stage_title(play.trie.stage)
            self.about.setText(text if len(self._plays) > 1 else f"{title}: {text}")
            self.about.setToolTip(self.about.text())
        self._begin(len(play))
        self._show()

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_control("strings", self.strings),
            kept_control("typed", self.typed),
            Kept("stage", lambda: self.play.trie.stage if self.play is not None else None, self._show_kept),
            kept_segment("speed", self.transport.speed),
            *super().keeps(),
        )  # fmt: skip

    @property
    def busy(self) -> bool:
        return self._soon.isActive() or bool(self.session.opening)

    def _show_kept(self, stage: object) -> bool:
        """Shows a stage by its name in the core, if the walk has it."""
        stages = [walk.trie.stage for walk in self._plays]
        if not stages or self.busy:
            return False
        self._choose(stages.index(text_of(stage)))
        return True

    @property
    def play(self) -> PrefixPlay | None:
        """The current walk, or None."""
        return self._plays[self._chosen] if self._chosen < len(self._plays) else None

    @property
    def moment(self) -> WalkMoment:
        """Display of the walk."""
        play = self.play
        return play.moment(self.steps.position) if play is not None else WalkMoment(None, (), 0)

    def _show(self) -> None:
        play = self.play
        if play is None:
            return
        moment = self.moment
        self.transport.show_step(self.steps.position, self.steps.length)
        self.stage.show_moment(play, moment)
        self.path.show_moment(moment)
        sentence = play.sentence(self.steps.position) if play.places else NO_PLACES
        self.sentence.setText(sentence)
        state = moment.state
        following = -1
        if moment.place is not None and len(moment.read) < len(moment.place.steps):
            following = moment.place.steps[len(moment.read)].byte
        self.edges.show_edges(state, play.trie.edges(state) if state >= 0 else (), following)
        QTimer.singleShot(0, self.area, self.area.follow)

    # Queries of the commands.

    def _drawn(self, theme: Theme) -> QWidget:
        """Returns the stage in its current state, in the colours of a theme."""
        stage = PrefixStage()
        play = self.play
        if play is not None:
            stage.resize(max(self.stage.width(), 60 * GRID), 1)
            stage.show_moment(play, self.moment)
        stage.resize(stage.width(), max(stage.minimumSizeHint().height(), LOW // 4))
        return stage

    def _said(self) -> str:
        play = self.play
        return play.sentence(self.steps.position) if play is not None else ""

    def _names(self) -> list[str]:
        item = self.session.current
        if self.own:
            return [" ".join(self.own)]
        return [item.name] if item is not None else []

    def lines(self) -> list[list[str]]:
        rows = []
        for play in self._plays:
            for place in play.places:
                start, end = play.original(place.start, place.stop)
                text = play.data[place.start : place.stop].decode("utf-8", "replace")
                taken = str(place.id) if place.id >= 0 else ""
                stage = stage_title(play.trie.stage)
                rows.append([stage, str(start), str(end), taken, text, place.left])
        return [list(HEADS), *rows] if rows else []

    def python(self) -> str:
        session, typed = self.session, self.typed.text()
        item = None if self.own else session.current
        if not self._plays or (item is None and not self.own):
            return ""
        start, end = (0, len(typed.encode("utf-8", "surrogatepass"))) if typed else self.span()
        own: dict[str, Any] = {"strings": list(self.own)} if self.own else {}
        names = "own_tokenizer, plays, stage_title" if own else "plays, stage_title"
        return page_program(
            session,
            self.title,
            f"from tokenarium.models.merges.prefix_play import {names}\n"
            "from tokenarium.models.text.text_map import TextMap",
            PROGRAM.replace("TOKENIZER", "own_tokenizer(STRINGS)") if own else PROGRAM,
            text=typed or session.text,
            front=item,
            start=start,
            end=end,
            special=session.special,
            **own,
        )

    @property
    def player(self) -> StepPlayer:
        """The player of the walk."""
        return self.steps

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.step_decks import PrefixDeck

        name = ", ".join(self._names())
        if self.play is None or not name:
            return None
        return PrefixDeck(None if self.own else self.session.current, name, self.play, self.steps)

    def focus_first(self) -> None:
        buttons = self.transport.buttons
        (buttons[2] if len(buttons) > 2 and buttons[2].isEnabled() else self).setFocus()

    # Appearance.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.edges.setVisible(event.size().width() >= WITH_EDGES)
        low = event.size().height() < LOW
        self.path.set_lines(1 if low else 2)
        self.sentence.set_lines(1 if low else 2)
        self.transport.set_low(low)

    def _point(self, start: int, end: int) -> None:
        play = self.play
        if play is not None and end > start and not self.typed.text():
            self.session.point_at(*play.original(start, end))
        else:
            self.session.point_at(0, 0)

    def _light(self) -> None:
        play = self.play
        start, end = self.session.hover or (0, 0)
        if play is None or end <= start or self.typed.text():
            self.stage.light(0, 0)
            return
        parts = [
            place
            for place in play.places
            if play.original(place.start, place.stop)[0] < end
            and start < play.original(place.start, place.stop)[1]
        ]
        self.stage.light(*((parts[0].start, parts[-1].stop) if parts else (0, 0)))
