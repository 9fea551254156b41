"""The page Vocabulary size of the workspace Merges: the text as the first N merges of a vocabulary split it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

import tokenarium_core as tc
from tokenarium.models.merges.size_cuts import SizeCuts, TokenizerCuts
from tokenarium.models.merges.size_scale import SizeScale
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.training.store import Store
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN, Theme
from tokenarium.views.kept import Kept, kept_segment, kept_top, whole_number
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import PLAYER_BUTTONS, Page, Workspace, soon
from tokenarium.widgets.areas import FitArea, PageStack
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import ElidedLabel, secondary, tool_button
from tokenarium.widgets.players.animation import Animation
from tokenarium.widgets.players.player_lane import LaneCard
from tokenarium.widgets.players.size_player import SWEEP_S, SizeBar, SizePlayer
from tokenarium_core.formats.registered import store_folder
from tokenarium_core.progress import Progress

LONGEST = 1_000_000
"""The most bytes of a text that are split: four tokenizers need about a second for them."""

SLICE_MS = 4.0
"""Milliseconds that each tokenizer may take at once: enough for about 30 KB."""

LEAST = 18 * GRID
"""The least height of text and curves in pixels; in less they scroll."""


IMPORTS = """
from tokenarium.models.merges.size_cuts import SizeCuts
from tokenarium.models.programs import run
"""

BEGINNING_IMPORTS = """
from tokenarium.models.text.text_map import TextMap
"""

BEGINNING = f"""
text_map = TextMap(TEXT)
TEXT = text_map.slice(0, text_map.characters(0, {LONGEST})[1])  # no more is cut here
"""

PROGRAM = """
size = len(TEXT.encode())
cuts = {name: SizeCuts(run(one.nested_cuts(TEXT, SPECIAL))) for name, one in TOKENIZERS.items()}
rows = [
    {
        "tokenizer": name,
        "entries": one.base + merges,
        "tokens": one.count(merges),
        "bytes per token": size / one.count(merges),
    }
    for name, one in cuts.items()
    for merges in sorted({0, *one.changes.tolist(), one.number(ENTRIES), one.merges})
]
"""


class MergeSizesPage(Page):
    """The text after N merges of the current tokenizer, over the curves of all tokenizers."""

    id = "sizes"
    title = "Vocabulary size"
    follows_text = True

    def __init__(self, workspace: Workspace) -> None:
        from tokenarium.widgets.players.size_stage import (
            SizeStage,  # which loads the library of plots
        )

        super().__init__(workspace)
        session, appearance = self.session, self.appearance
        self._cuts: dict[str, SizeCuts] = {}
        self._transitions: dict[str, int] = {}
        self._reasons: dict[str, str] = {}  # why a tokenizer has no cuts, by its key
        self._done: dict[str, tuple[object, ...]] = {}  # the text and settings of the cuts of a key
        self._size = 0  # the vocabulary size that the user chose last; 0: none yet
        self._replaced = False  # the text was replaced, and is shown from its beginning
        self.stage = SizeStage()
        self.view = self.stage.view
        self.bar = self.transport = SizeBar(self.help_with(*PLAYER_BUTTONS))
        self.switches = [
            tool_button(action, text)
            for action, text in self.help_with(
                ("size_log", "Log scale"), ("size_ratio", "Bytes per token")
            )
        ]
        self.note = secondary(ElidedLabel())
        self._sizes = SizePlayer(self)
        self._build()
        self._soon = soon(self, self.recut)
        for signal in (
            session.text_changed,
            session.tokenizers_changed,
            session.current_changed,
            session.special_changed,
        ):
            signal.connect(self._soon.start)
        session.encoding_changed.connect(self._start_soon)
        session.text_replaced.connect(self._note_replaced)
        session.selection_changed.connect(self._light)
        session.hover_changed.connect(self._light)
        session.display_changed.connect(self._show_display)
        appearance.changed.connect(self._show_all)
        self.view.hovered.connect(session.point_at)
        self.view.picked.connect(session.select)
        self.bar.sized.connect(self._go_to_size)
        self.stage.size_asked.connect(self._go_to_size)
        self.bar.speed_changed.connect(self._set_speed)
        self._sizes.moved.connect(lambda _: self._follow())
        self._sizes.stepped.connect(self._show_change)
        self._show_display()
        self.recut()

    def _start_soon(self, _key: str) -> None:
        self._soon.start()  # a function without an object would be called after the page has gone

    def _build(self) -> None:
        self.stage.over.addWidget(self.note, 1)
        for button in self.switches:
            self.stage.over.addWidget(button)
        area = FitArea(self.stage, fills=True)
        area.setMinimumHeight(LEAST)
        self.bar.set_player(self._sizes)
        self._card = LaneCard()
        in_column((area, 1), self.bar, into=self._card, margins=(1, GRID, 1, 1))
        self._pages = self.fill(self._card, PageStack())
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(PAGE_MARGIN, 0, PAGE_MARGIN, CARD_MARGIN)
        before: QWidget = self.view
        for control in (*self.switches, *self.bar.controls):
            QWidget.setTabOrder(before, control)
            before = control

    # The cuts.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.recut()

    def _note_replaced(self) -> None:
        self._replaced = True

    def recut(self) -> None:
        """Splits the text with the tokenizers whose cuts are outdated; a hidden page waits until it is shown."""
        self._soon.stop()
        items = self.session.chosen()
        if not self.session.has_text:
            self.say_no_text()
        elif not items:
            self.say_no_tokenizer()
        shown = bool(self.session.has_text and items)
        self._pages.setCurrentIndex(0 if shown else 1)
        for key in [key for key in self._done if key not in [item.key for item in items]]:
            self._forget(key)
        if not shown:
            self._sizes.set_cuts(None, 0)
        if not shown or not self.isVisible():
            return
        text_map = self.session.text_map
        self.stage.set_text(text_map, min(text_map.byte_count, LONGEST))
        if self._replaced:
            self._replaced = False
            self.view.scrollTo(0)
        for item in items:
            self._cut(item)
        self._show_all()

    def _forget(self, key: str) -> None:
        self.running.cancel(key)
        for known in (self._cuts, self._reasons, self._done):
            known.pop(key, None)

    def _cut(self, item: LibraryItem) -> None:
        """Starts to split the text with one tokenizer; a short text is split at once."""
        assert item.tokenizer is not None
        made_of = (self.session.text_map, self.session.special, item.tokenizer)
        if self._done.get(item.key) == made_of:
            return
        self._forget(item.key)
        self._done[item.key] = made_of
        text_map = self.session.text_map
        text = text_map.text
        if text_map.byte_count > LONGEST:
            text = text_map.slice(0, text_map.characters(0, LONGEST)[1])
        try:
            work = item.tokenizer.nested_cuts(text, self.session.special)
            finished = work.step(SLICE_MS).finished
        except tc.TokenariumError as error:
            self._reasons[item.key] = str(error)
            return
        if finished:
            self._cuts[item.key] = SizeCuts(work)
            return

        def take(progress: Progress) -> None:
            if progress.finished:
                self._cuts[item.key] = SizeCuts(work)
                self._show_all()

        def fail(sentence: str) -> None:
            self._reasons[item.key] = sentence
            self._show_all()

        def stop() -> None:
            self._reasons[item.key] = "The merging was stopped. Change the text to start it again."
            self._soon.start()

        title = f"Merging with {item.name}"
        self.running.slices(title, work, take, fail, item.key, stop)

    # Showing.

    def _show_all(self) -> None:
        """Shows the cuts that are ready."""
        current = self.session.current
        if current is None:
            return
        cut = {item.key: self._cut_of(item) for item in self.session.chosen()}
        self.stage.show_curves([cuts for cuts in cut.values() if cuts is not None])
        shown = cut[current.key]
        if shown is None:
            self._show_whole(current)
        else:
            self.stage.set_shown(shown)
            number = shown.cuts.number(self._size) if self._size else shown.cuts.merges
            self._sizes.set_cuts(shown.cuts, number)
            self._sizes.scale = SizeScale(max(shown.cuts.base, 1), shown.cuts.size, self.log)
            self._show_number()
        without = [item for item in self.session.chosen() if item.key in self._reasons]
        names = ", ".join(item.name for item in without)
        self.note.setText(f"Without a curve: {names}" if without else "")
        self.note.set_tip("\n".join(f"{one.name}: {self._reasons[one.key]}" for one in without))
        self._light()

    def _cut_of(self, item: LibraryItem) -> TokenizerCuts | None:
        cuts = self._cuts.get(item.key)
        if cuts is None or item.tokenizer is None:
            return None
        transition = self._transition_of(item.key)
        return TokenizerCuts(item.name, item.identity, item.tokenizer, cuts, transition)

    def _transition_of(self, key: str) -> int:
        """Returns the size at which the second stage began in the training of a tokenizer made here, or 0."""
        kind, _, identity = key.partition(":")
        if key not in self._transitions:
            trained = Store(store_folder()).get(identity) if kind == "trained" else None
            known = trained.figures.get("transition", 0) if trained is not None else 0
            self._transitions[key] = int(known)
        return self._transitions[key]

    def _show_whole(self, item: LibraryItem) -> None:
        """Shows all tokens of a tokenizer without cuts."""
        self._sizes.set_cuts(None, 0)
        self.bar.show_size(1, SizeScale())
        encoded = self.session.encoded(item.key)
        encoding = encoded.encoding if encoded is not None else None
        parts = _all_tokens(item.tokenizer, encoding)
        loses = text_loss(item.tokenizer) if item.tokenizer is not None else None
        identity = self.appearance.theme.identity(item.identity)
        self.stage.show_whole(
            item.name, identity, self._reasons.get(item.key, "Merging …"), parts, loses
        )

    def _show_number(self) -> None:
        """Shows the number of merges that is chosen."""
        cuts = self._sizes.cuts
        if cuts is not None:
            number = self._sizes.position
            self.bar.show_size(cuts.base + number, self._sizes.scale)
            self.stage.show_number(number)

    def _go_to_size(self, size: int) -> None:
        cuts = self._sizes.cuts
        if cuts is not None:
            number = cuts.number(size)
            if number == self._sizes.position:
                self._show_number()  # the line was dragged beyond this vocabulary, and moves back
            self._sizes.go_to(number, by_hand=True)

    def _follow(self) -> None:
        cuts = self._sizes.cuts
        if cuts is not None:
            self._size = cuts.base + self._sizes.position
        self._show_number()

    def _show_change(self, number: int) -> None:
        """Scrolls to the first place that a merge changes, and points at it."""
        cuts = self._sizes.cuts
        place = cuts.place(number) if cuts is not None else None
        if place is not None:
            self.view.ensureVisible(place[0])
            self.session.point_at(*place)

    def _set_speed(self, speed: float) -> None:
        self._sizes.speed = speed

    # What scenes keep.

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("log", lambda: self.log, lambda log: self.set_log(bool(log))),
            Kept("ratio", lambda: self.stage.ratio, lambda ratio: self.set_ratio(bool(ratio))),
            kept_segment("speed", self.bar.speed),
            Kept("size", lambda: self._size or None, self._show_size),
            Kept("step", lambda: None, self._go_to_step),  # merges: for a scene that names no size
            kept_top("top", self.view, self._up_to_date),
        )

    def _show_size(self, size: object) -> None:
        self._size = whole_number(size)
        self._sizes.pause()
        self._show_all()

    def _up_to_date(self) -> bool:
        if self._soon.isActive():
            self.recut()  # which may scroll
        return not self.session.opening

    # Queries of the commands.

    def python(self) -> str:
        session, text_map = self.session, self.session.text_map
        items = [item for item in session.chosen() if item.key in self._cuts]
        cuts = self._sizes.cuts
        if not items or not session.has_text:
            return ""
        long = text_map.byte_count > LONGEST
        return page_program(
            session,
            self.title,
            IMPORTS + (BEGINNING_IMPORTS if long else ""),
            (BEGINNING if long else "") + PROGRAM,
            text=session.text,
            items=items,
            special=session.special,
            entries=cuts.base + self._sizes.position if cuts is not None else 0,
        )

    @property
    def player(self) -> SizePlayer:
        """The player that goes through the sizes."""
        return self._sizes

    @property
    def has_animation(self) -> bool:
        return self._sizes.length > 0

    def animation(self, theme: Theme) -> Animation | None:
        from tokenarium.widgets.players.animation import SizeAnimation

        cut = {item.key: self._cut_of(item) for item in self.session.chosen()}
        current = self.session.current
        shown = cut[current.key] if current is not None else None
        if shown is None:
            return None
        return SizeAnimation(
            self.stage.text,
            shown,
            [cuts for cuts in cut.values() if cuts is not None],
            self._sizes.scale,
            self._sizes.position,
            self.stage,
            SWEEP_S / self._sizes.speed,
            theme,
        )

    @property
    def pictured(self) -> QWidget:
        return self.stage

    @property
    def log(self) -> bool:
        """Whether the axis of sizes is logarithmic."""
        return self.stage.log

    @property
    def ratio(self) -> bool:
        """Whether bytes per token are drawn instead of tokens."""
        return self.stage.ratio

    def set_log(self, log: bool) -> None:
        """Chooses a logarithmic or a linear axis of sizes."""
        self.stage.log = log
        self._show_all()

    def set_ratio(self, ratio: bool) -> None:
        """Draws bytes per token, or tokens."""
        self.stage.ratio = ratio
        self._show_all()

    def focus_first(self) -> None:
        self.bar.slider.setFocus()

    # Appearance.

    def _light(self) -> None:
        self.view.set_highlight(*(self.session.selection or (-1, -1)))
        self.view.set_pointed(*(self.session.hover or (-1, -1)))

    def _show_display(self) -> None:
        self.view.set_show_whitespace(self.session.show_whitespace)
        self.view.set_annotations(self.session.annotations)


def _all_tokens(tokenizer: tc.Tokenizer | None, encoding: tc.Encoding | None) -> TextParts:
    """Returns the tokens of a tokenizer that has no merges to go through."""
    if tokenizer is None or encoding is None:
        return TextParts.empty()
    ids, spans = array_of(encoding.ids), array_of(encoding.spans)
    return TextParts.of_tokens(ids, spans, (), superword_ids(tokenizer))
