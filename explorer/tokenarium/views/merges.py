"""The workspace Merges: how a model makes tokens, on several pages.

This module has the first, Steps: it plays what the model does to a part of the text, step by step.
"""

from __future__ import annotations

from typing import cast
from unicodedata import category

from PySide6.QtWidgets import QWidget

import tokenarium_core as tc
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import readable
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.appearance import motion_wanted
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.merge_sizes import MergeSizesPage
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.merge_why import WhyPage
from tokenarium.views.workspace import (
    MERGES,
    PLAYER_BUTTONS,
    Page,
    PagedWorkspace,
    Workspace,
    column,
    soon,
)
from tokenarium.widgets.areas import PageStack
from tokenarium.widgets.panel import ElidedLabel, secondary
from tokenarium.widgets.players.animation import Animation, PlayerAnimation
from tokenarium.widgets.players.player_lane import LaneStack, PlayerLane
from tokenarium.widgets.players.transport import SPEEDS

LONGEST = 1000
"""The most bytes that are played: a long sentence."""

UNSELECTED = 160
"""Bytes that are played if nothing is selected: about the first sentence."""


class StepsPage(Page):
    """A player for the current tokenizer, and optionally one for the next."""

    id = "steps"
    title = "Steps"
    follows_text = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        session, appearance = self.session, self.appearance
        self.side_by_side = False
        self.in_step = True
        self.lanes: dict[str, PlayerLane] = {}
        self.stretch = secondary(ElidedLabel())
        self.stretch.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID // 2)
        self._stack = LaneStack()
        self._lanes = self._stack.lanes
        players = column(self.stretch, self._stack, grows=self._stack)
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
        session.encoding_changed.connect(lambda _: self._soon.start())
        session.hover_changed.connect(self._light)
        appearance.changed.connect(self._show_theme)
        self.replay()

    # What is played.

    def span(self) -> tuple[int, int]:
        """The bytes that are played: the selection, or the beginning of the text."""
        text_map = self.session.text_map
        selected = self.session.selection
        if selected is not None:
            start, end = selected
            return text_map.characters(start, min(end, start + LONGEST))
        line = text_map.utf8.find(b"\n", 1)
        end = min(text_map.byte_count, UNSELECTED if line < 0 else min(line, UNSELECTED))
        return text_map.characters(0, end) if end else (0, 0)

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
        """Makes the runs again whose text, bytes or tokenizer have changed."""
        self._soon.stop()
        items = self.players()
        if not self.session.text:
            self.say_no_text()
        elif not items:
            self.say_no_tokenizer()
        shown = bool(self.session.text and items)
        self._pages.setCurrentIndex(0 if shown else 1)
        for key in [key for key in self.lanes if key not in [item.key for item in items]]:
            lane = self.lanes.pop(key)
            lane.pause()
            lane.setParent(None)
            lane.deleteLater()
        if not shown:
            return
        start, end = self.span()
        text = self.session.text_map.utf8
        self._describe(start, end)
        kept = ""
        for place, item in enumerate(items):
            lane = self.lanes.get(item.key) or self._add(item)
            self._lanes.insertWidget(place, lane)
            wanted = (text, start, end, self.session.special, item.tokenizer)
            if lane.property("of") == hash(wanted[:4]) and lane.run is not None:
                if lane.run.tokenizer is item.tokenizer:
                    kept = item.key
                    continue
            lane.setProperty("of", hash(wanted[:4]))
            assert item.tokenizer is not None
            try:
                lane.set_run(TraceRun(item.tokenizer, text, start, end, self.session.special))
            except tc.TokenariumError as error:
                lane.set_run(None)
                lane.sentence.setText(str(error))
        if kept:
            self._follow(kept, self.lanes[kept].position)
        self._light()

    def _describe(self, start: int, end: int) -> None:
        text = " ".join(self.session.text_map.utf8[start:end].decode("utf-8", "replace").split())
        shown = "".join(readable(c.encode()) if category(c) == "Cc" else c for c in text)
        if self.session.selection is None:
            self.stretch.setText(
                f"Select a word to play it. Until then, the beginning of the text: “{shown}”"
            )
        elif self.session.selection[1] - start > LONGEST:
            self.stretch.setText(f"Playing the first {LONGEST:,} bytes of the selection: “{shown}”")
        else:
            self.stretch.setText(f"Playing the selection: “{shown}”")

    def _add(self, item: LibraryItem) -> PlayerLane:
        theme = self.appearance.theme
        lane = PlayerLane(
            item.name, theme.identity(item.identity), theme, self.help_with(*PLAYER_BUTTONS)
        )
        lane.set_motion(motion_wanted(explains=True))
        lane.hovered.connect(self.session.point_at)
        lane.stepped.connect(lambda position, key=item.key: self._follow(key, position))
        lane.piece_picked.connect(
            lambda token, key=item.key: self.session.show_entry(token, key) if token >= 0 else None
        )
        self.lanes[item.key] = lane
        return lane

    def _follow(self, key: str, position: int) -> None:
        """Moves the other player to the same step, if they are in step."""
        if self.in_step:
            for other, lane in self.lanes.items():
                if other != key and lane.position != min(position, lane.length):
                    lane.go_to(position)

    # What the commands ask for.

    @property
    def player(self) -> PlayerLane | None:
        """The player that commands apply to: the one with the focus, or the first."""
        lanes = list(self.lanes.values())
        focused = (lane for lane in lanes if lane.isAncestorOf(self.focusWidget() or lane))
        return next(focused, lanes[0] if lanes else None)

    @property
    def has_animation(self) -> bool:
        return any(lane.length for lane in self.lanes.values()) and self._pages.currentIndex() == 0

    def animation(self, theme: Theme) -> Animation | None:
        marked = []
        for key, lane in self.lanes.items():
            item = self.session.library.item(key)
            if item is not None and lane.run is not None:
                marked.append((lane, theme.identity(item.identity)))
        return PlayerAnimation(marked, theme) if marked else None

    @property
    def pictured(self) -> QWidget:
        return self._lanes

    def set_side_by_side(self, both: bool) -> None:
        """Sets whether the next tokenizer is played beside the current one."""
        self.side_by_side = both
        self.replay()

    def set_in_step(self, in_step: bool) -> None:
        """Sets whether both players are always at the same step."""
        self.in_step = in_step
        if self.player is not None:
            self._follow(next(iter(self.lanes)), self.player.position)

    def change_speed(self, step: int) -> None:
        """Plays faster (1) or slower (-1)."""
        for lane in self.lanes.values():
            speed = lane.transport.speed
            speed.setCurrentIndex(max(0, min(len(SPEEDS) - 1, speed.currentIndex() + step)))

    # Looks.

    def focus_first(self) -> None:
        lane = self.player
        play = lane.transport.buttons[2] if lane and lane.transport.buttons else None
        (play if play is not None and play.isEnabled() else self).setFocus()

    @property
    def last_control(self) -> QWidget | None:
        lanes = list(self.lanes.values())
        return lanes[-1].transport.speed if lanes else None

    def _light(self) -> None:
        start, end = self.session.hover or (0, 0)
        for lane in self.lanes.values():
            lane.light(start, end)

    def _show_theme(self) -> None:
        theme = self.appearance.theme
        for key, lane in self.lanes.items():
            item = self.session.library.item(key)
            if item is not None:
                lane.set_theme(theme, theme.identity(item.identity))


class MergesView(PagedWorkspace):
    """All pages but "Why not one?" have a player, which pauses when the page is left."""

    name = MERGES
    kinds = (StepsPage, MergeSizesPage, WhyPage, MergeTrainingPage)
    switches = (
        ("merge_steps", "Steps"),
        ("merge_sizes", "Vocabulary size"),
        ("merge_why", "Why not one?"),
        ("merge_training", "Training"),
        ("", ""),
        ("side_by_side", "Side by side"),
        ("in_step", "In step"),
    )

    def make_page(self, kind: type[Page]) -> Page:
        page = super().make_page(kind)
        if isinstance(page, WhyPage):
            page.play_requested.connect(self.play_at)
        return page

    def show_page(self, page_id: str) -> None:
        """Shows a page, and pauses the player of the last one."""
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
            lane.go_to(step, by_hand=True)
