"""The workspace Merges: how a model makes tokens, on several pages.

This module has the first page, Steps: it plays what the model does to a part of the text, step by step.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QMenu, QPushButton, QToolButton, QWidget

import tokenarium_core as tc
from tokenarium.models.merges.played_span import (
    LONGEST_WORD,
    UNSELECTED,
    played_span,
    span_sentence,
    words_of,
)
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.inspection import TokenPlace
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.used_merges import used_merge_lines
from tokenarium.session.requests import ShowEntry, ShowTokenMenu
from tokenarium.style.appearance import motion_enabled
from tokenarium.style.icons import icon
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import CARD_MARGIN, CONTROL_HEIGHT, GRID, PAGE_MARGIN, Theme
from tokenarium.views.kept import Kept, index_below, text_of, whole_number
from tokenarium.views.merge_prefixes import PrefixPage
from tokenarium.views.merge_sizes import MergeSizesPage
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.merge_why import WhyPage
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import MERGES, PLAYER_BUTTONS, Page, PagedWorkspace, Workspace, soon
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, FlatButton, named, secondary
from tokenarium.widgets.players.animation import Animation, PlayerAnimation
from tokenarium.widgets.players.lattice_body import LatticeBody
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium.widgets.players.player_lane import LaneStack, PlayerLane
from tokenarium.widgets.players.step_player import StepPlayer
from tokenarium.widgets.players.word_panel import CHOICES
from tokenarium_core.trace import MERGE

if TYPE_CHECKING:
    from tokenarium.models.scene import Json
    from tokenarium.views.decks import Deck

WORD_BUTTONS = (("caret-left", "The previous word", -1), ("caret-right", "The next word", 1))


PROGRAM = """
run = TraceRun(TOKENIZER, TextMap(TEXT).utf8, START, END, SPECIAL)
rows = step_rows(run)  # what the model does, in its order
merges = rows_of(used_merge_lines(run))
"""


class StepsPage(Page):
    """A player for the current tokenizer, and optionally one for the next."""

    id = "steps"
    title = "Steps"
    follows_text = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        session, appearance = self.session, self.appearance
        self.side_by_side = False
        self._hides_next = False
        self.in_step = True
        self.word_panel = 0
        self.lanes: dict[str, PlayerLane] = {}
        self._about = ""
        self.stretch = secondary(ElidedLabel())
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.chooser = named(QPushButton(), "Tokenizer", "Which tokenizer is played")
        self.chooser.setMenu(self.menu)
        self.chooser.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.words = [self._word_button(*button) for button in WORD_BUTTONS]
        self._stack = LaneStack()
        self._lanes = self._stack.lanes
        head = in_row(
            *self.words,
            GRID,
            (self.stretch, 1),
            self.chooser,
            spacing=GRID // 2,
            margins=(0, 0, 0, GRID // 2),
        )
        players = QWidget()
        margins = (PAGE_MARGIN, 0, PAGE_MARGIN, CARD_MARGIN // 2)
        in_column(head, (self._stack, 1), into=players, margins=margins)
        self._pages = self.fill(players, PageStack())
        self._soon = soon(self, self.replay)
        for signal in (
            session.text_changed,
            session.selection_changed,
            session.tokenizers_changed,
            session.current_changed,
            session.special_changed,
        ):
            signal.connect(self._soon.start)
        session.encoding_changed.connect(self._start_soon)
        session.hover_changed.connect(self._light)
        appearance.changed.connect(self._show_theme)
        self.replay()

    def _start_soon(self, _key: str) -> None:
        self._soon.start()  # a function without an object would be called after the page has gone

    # The played text.

    def span(self) -> tuple[int, int]:
        """The bytes that are played: the selection, or the beginning of the text."""
        return played_span(self.session.text_map, self.session.selection)

    def step_word(self, step: int) -> None:
        """Selects the next word of the text (1) or the one before (-1)."""
        utf8 = self.session.text_map.utf8
        start, end = self.span()
        near = (max(0, start - UNSELECTED), min(len(utf8), end + UNSELECTED))
        words = [(near[0] + a, near[0] + b) for a, b in words_of(utf8[slice(*near)], LONGEST_WORD)]
        if step > 0:
            target = next((word for word in words if word[0] >= end), None)
        else:
            target = next((word for word in reversed(words) if word[1] <= start), None)
        if target is not None:
            self.session.select(*self.session.text_map.characters(*target))

    def players(self) -> list[LibraryItem]:
        """The tokenizers that are played, the current one first."""
        current = self.session.current
        if current is None:
            return []
        chosen = self.session.chosen()
        place = chosen.index(current)
        others = chosen[place + 1 :] + chosen[:place]
        return [current, *others[:1]] if self.side_by_side else [current]

    def replay(self) -> None:
        """Updates the runs whose text, bytes or tokenizer have changed."""
        self._soon.stop()
        items = self.players()
        if not self.session.has_text:
            self.say_no_text()
        elif not items:
            self.say_no_tokenizer()
        shown = bool(self.session.has_text and items)
        self._pages.setCurrentIndex(0 if shown else 1)
        for key in [key for key in self.lanes if key not in [item.key for item in items]]:
            lane = self.lanes.pop(key)
            lane.player.pause()
            lane.setParent(None)
            lane.deleteLater()
        if not shown:
            return
        before = self._lanes.count()
        start, end = self.span()
        text = self.session.text_map.utf8
        self._describe(start, end)
        reused = ""
        for index, item in enumerate(items):
            lane = self.lanes.get(item.key) or self._add(item)
            self._lanes.insertWidget(index, lane)
            inputs = (text, start, end, self.session.special, item.tokenizer)
            if lane.property("of") == hash(inputs[:4]) and lane.run is not None:
                if lane.run.tokenizer is item.tokenizer:
                    reused = item.key
                    continue
            lane.setProperty("of", hash(inputs[:4]))
            assert item.tokenizer is not None
            try:
                lane.set_run(TraceRun(item.tokenizer, text, start, end, self.session.special))
            except tc.TokenariumError as error:
                lane.set_run(None)
                lane.sentence.setText(str(error))
        if self._lanes.count() != before:
            self._lanes.setSizes([1000] * self._lanes.count())  # the same height for each player
        alone = len(items) == 1
        for lane in self.lanes.values():
            lane.show_head(not alone)
            lane.set_alone(alone)
            lane.show_queue(alone)
            lane.hide_next(self._hides_next)
            lane.set_motion(motion_enabled(explains=True))
        self._show_chooser()
        if reused:
            self._follow(reused, self.lanes[reused].player.position)
        self._count()
        self._light()

    def _word_button(self, sign: str, tip: str, step: int) -> QToolButton:
        button = named(FlatButton(), tip, tip)
        button.setIcon(icon(sign))
        button.setFixedSize(CONTROL_HEIGHT, CONTROL_HEIGHT)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.step_word(step))
        return button

    def _fill_menu(self) -> None:
        self.menu.clear()
        for item in self.session.chosen():
            identity = self.appearance.theme.identity(item.identity)
            action = self.menu.addAction(marker_icon(identity), item.name)
            action.triggered.connect(lambda _=False, key=item.key: self.session.set_current(key))

    def _show_chooser(self) -> None:
        item = self.session.current
        if item is not None:
            self.chooser.setText(item.name)
            self.chooser.setIcon(marker_icon(self.appearance.theme.identity(item.identity)))

    def _describe(self, start: int, end: int) -> None:
        self._about = span_sentence(self.session.text_map, start, end, self.session.selection)

    def _count(self) -> None:
        """Shows what is played, and its current number of symbols."""
        count = next((lane.body.count() for lane in self.lanes.values()), "")
        alone = len(self.lanes) == 1 and count
        self.stretch.setText(f"{self._about} · now {count}" if alone else self._about)

    def _add(self, item: LibraryItem) -> PlayerLane:
        theme = self.appearance.theme
        lane = PlayerLane(item.name, theme.identity(item.identity), self.help_with(*PLAYER_BUTTONS))
        lane.set_motion(motion_enabled(explains=True))
        lane.hovered.connect(self.session.point_at)
        lane.menu_requested.connect(
            lambda point, start, end, key=item.key: self.session.requests.ask(
                ShowTokenMenu(TokenPlace(key, -1, start, end), point)
            )
        )
        lane.stepped.connect(lambda position, key=item.key: self._follow(key, position))
        lane.stepped.connect(self._count)
        lane.panel.choose(self.word_panel)
        lane.panel.chosen.connect(self.show_word_panel)
        lane.piece_picked.connect(
            lambda token, key=item.key: (
                self.session.requests.ask(ShowEntry(token, key)) if token >= 0 else None
            )
        )
        self.lanes[item.key] = lane
        return lane

    def _follow(self, key: str, position: int) -> None:
        """Moves the other player to the same step, if they are in step."""
        if self.in_step:
            for other, lane in self.lanes.items():
                if other != key:
                    lane.player.go_to(position)

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("side_by_side", lambda: self.side_by_side, lambda both: self.set_side_by_side(bool(both))),
            Kept("in_step", lambda: self.in_step, lambda in_step: self.set_in_step(bool(in_step))),
            Kept("word_panel", lambda: self.word_panel, lambda place: self.show_word_panel(index_below(place, len(CHOICES)))),
            Kept("lanes", self._looks, self._show_looks),
            Kept("step", lambda: self._step_of(0), lambda step: self._show_step(0, step)),
            Kept("other_step", self._other_step, lambda step: self._show_step(1, step)),
        )  # fmt: skip

    def _played(self) -> list[PlayerLane]:
        """Returns the players from the top, for the current text; none before all tokenizers are open."""
        if self._soon.isActive():
            self.replay()
        if self.session.opening:
            return []
        return [self.lanes[item.key] for item in self.players() if item.key in self.lanes]

    def _looks(self) -> list[Json]:
        """Returns the settings of each player: its speed, the zoom of its canvas, the path that it compares."""
        looks: list[Json] = []
        for lane in self._played():
            look: dict[str, Json] = {"speed": lane.transport.speed.currentIndex()}
            if isinstance(lane.body, MergeBody):
                look["zoom"] = lane.body.stage.percent
            elif isinstance(lane.body, LatticeBody) and lane.body.other_way:
                look["way"] = lane.body.other_way
            looks.append(look)
        return looks

    def _show_looks(self, looks: object) -> bool:
        if not isinstance(looks, list) or not all(isinstance(look, dict) for look in looks):
            raise TypeError
        lanes = self._played()
        for lane, look in zip(lanes, looks, strict=False):
            speed, body = lane.transport.speed, lane.body
            speed.setCurrentIndex(
                index_below(look.get("speed", speed.currentIndex()), speed.count())
            )
            if isinstance(body, MergeBody):
                body.zoom_to(whole_number(look.get("zoom", 100)))
            elif isinstance(body, LatticeBody) and look.get("way"):
                body.compare(text_of(look["way"]))
        return bool(lanes)

    def _step_of(self, place: int) -> int | None:
        """Returns the step of a player, unless it has nothing to play."""
        lanes = self._played()
        has_steps = place < len(lanes) and lanes[place].player.length > 0
        return lanes[place].player.position if has_steps else None

    def _other_step(self) -> int | None:
        """Returns the step of the second player, unless it is in step with the first."""
        step = self._step_of(1)
        return None if self.in_step and step == self._step_of(0) else step

    def _show_step(self, place: int, step: object) -> bool:
        lanes, number = self._played(), whole_number(step)
        if place >= len(lanes) or not lanes[place].player.length:
            return False
        lanes[place].player.go_to(number, by_hand=True)
        lanes[place].body.finish_motion()
        return True

    # Queries of the commands.

    @property
    def lane(self) -> PlayerLane | None:
        """The tokenizer that commands apply to: the one with the focus, or the first."""
        lanes = list(self.lanes.values())
        focused = (lane for lane in lanes if lane.isAncestorOf(self.focusWidget() or lane))
        return next(focused, lanes[0] if lanes else None)

    @property
    def player(self) -> StepPlayer | None:
        return self.lane.player if self.lane is not None else None

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.step_decks import MergesDeck

        lane = self.lane
        key = next((key for key, one in self.lanes.items() if one is lane), "")
        item = self.session.library.item(key)
        if lane is None or lane.run is None or item is None:
            return None
        return MergesDeck(item, lane)

    @property
    def run(self) -> TraceRun | None:
        return self.lane.run if self.lane is not None and not self._soon.isActive() else None

    def hide_answer(self, hide: bool) -> None:
        self._hides_next = hide
        for lane in self.lanes.values():
            lane.hide_next(hide)

    def marked_part(self, name: str) -> QWidget | None:
        lane = self.lane
        if lane is None or self._pages.currentIndex():
            return super().marked_part(name)
        parts = {"stage": lane.body, "sentence": lane.sentence, "player": lane.transport}
        return {**parts, "queue": lane.panel}.get(name)

    def rect_of(self, start: int, end: int) -> QRect | None:
        lane = self.lane
        return lane.rect_of(start, end) if lane is not None else None

    @property
    def has_animation(self) -> bool:
        return (
            any(lane.player.length for lane in self.lanes.values())
            and self._pages.currentIndex() == 0
        )

    def animation(self, theme: Theme) -> Animation | None:
        marked = []
        for key, lane in self.lanes.items():
            item = self.session.library.item(key)
            if item is not None and lane.run is not None:
                marked.append((lane, theme.identity(item.identity)))
        return PlayerAnimation(marked) if marked else None

    @property
    def pictured(self) -> QWidget:
        return self._lanes

    def set_side_by_side(self, both: bool) -> None:
        """Sets whether the next tokenizer is played next to the current one."""
        self.side_by_side = both
        self.replay()

    def show_word_panel(self, panel: int) -> None:
        """Shows the queue, the list or the cache next to the players."""
        self.word_panel = panel
        for lane in self.lanes.values():
            if lane.panel.choice.currentIndex() != panel:
                lane.panel.choose(panel)

    def set_in_step(self, in_step: bool) -> None:
        """Sets whether both players are always at the same step."""
        self.in_step = in_step
        if self.player is not None:
            self._follow(next(iter(self.lanes)), self.player.position)

    def change_speed(self, step: int) -> None:
        for lane in self.lanes.values():
            lane.transport.change_speed(step)

    def python(self) -> str:
        lane = self.lane
        item = next((e for e in self.players() if self.lanes.get(e.key) is lane), None)
        if lane is None or lane.run is None or item is None or not self.session.has_text:
            return ""
        start, end = self.span()
        return page_program(
            self.session,
            self.title,
            "from tokenarium.models.merges.run import TraceRun\n"
            "from tokenarium.models.vocabulary.used_merges import step_rows, used_merge_lines\n"
            "from tokenarium.models.programs import rows_of\n"
            "from tokenarium.models.text.text_map import TextMap",
            PROGRAM,
            text=self.session.text,
            front=item,
            start=start,
            end=end,
            special=self.session.special,
        )

    # The merges that were used, as a table.

    @property
    def merges_anything(self) -> bool:
        """Whether the steps of the player have merges."""
        lane = self.lane
        run = lane.run if lane is not None else None
        return run is not None and any(step.kind == MERGE for step in run.playback.steps)

    def lines(self) -> list[list[str]]:
        lane = self.lane
        return used_merge_lines(lane.run) if lane is not None and lane.run is not None else []

    # Appearance.

    def focus_first(self) -> None:
        lane = self.lane
        play = lane.transport.buttons[2] if lane and lane.transport.buttons else None
        (play if play is not None and play.isEnabled() else self).setFocus()

    def _light(self) -> None:
        start, end = self.session.hover or (0, 0)
        for lane in self.lanes.values():
            lane.light(start, end)

    def _show_theme(self) -> None:
        theme = self.appearance.theme
        self._show_chooser()
        for key, lane in self.lanes.items():
            item = self.session.library.item(key)
            if item is not None:
                lane.chip.set_identity(theme.identity(item.identity))


class MergesView(PagedWorkspace):
    """All pages but "Why not one?" have a player, which pauses when the page is left."""

    name = MERGES
    kinds = (StepsPage, MergeSizesPage, WhyPage, PrefixPage, MergeTrainingPage)
    switches = (
        ("merge_steps", "Steps"),
        ("merge_sizes", "Vocabulary size"),
        ("merge_why", "Why not one?"),
        ("merge_prefixes", "Longest match"),
        ("merge_training", "Training"),
        ("", ""),
        ("side_by_side", "Side by side"),
        ("in_step", "In step"),
        ("export_steps", "Export"),
    )

    def show_page(self, page_id: str) -> None:
        """Shows a page, and pauses the player of the previous one."""
        for page in self._made.values():
            if page.player is not None and page.id != page_id:
                page.player.pause()
        super().show_page(page_id)

    @property
    def steps(self) -> StepsPage:
        """The page Steps."""
        return cast(StepsPage, self.page_of(StepsPage.id))

    def play_at(self, key: str, step: int) -> None:
        """Shows the run of a tokenizer at a step on the page Steps."""
        self.show_page(StepsPage.id)
        self.steps.replay()
        lane = self.steps.lanes.get(key)
        if lane is not None:
            lane.player.go_to(step, by_hand=True)
