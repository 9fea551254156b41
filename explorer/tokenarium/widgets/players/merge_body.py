"""The body of a player for BPE: symbols as tiles that merge, over the tree of the merges."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from math import inf

from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges.merge_scene import MergeScenes, TileScene, rank_label
from tokenarium.models.merges.playback import Step
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.merges.word_work import LazyList, QueueEntry, WordWork
from tokenarium.models.text.piece import in_tile, readable, score_text
from tokenarium.models.vocabulary.merge_list import written_merge
from tokenarium.style.theme import GRID
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.players.merge_canvas import MERGE_MS, MergeCanvas
from tokenarium.widgets.players.merge_queue import (
    DoneMerge,
    LookedAt,
    QueueScene,
    WaitingPair,
    bar_share,
)
from tokenarium.widgets.players.player_body import PlayerBody
from tokenarium.widgets.zoom_area import ZoomButton, keep_in_place, level_near, next_level
from tokenarium_core.trace import MERGE, UNMERGE

LISTED = 40
"""The most past merges, and the most pairs without a merge, that are listed."""

LOWEST = 22 * GRID
"""The least height in pixels for the canvas if several players share the window."""


class MergeBody(PlayerBody):
    """The canvas of merges; also for models that only look up whole words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.stage = MergeCanvas()
        super().__init__(parent, (self.stage,))
        self.work: WordWork | None = None
        self._scenes: MergeScenes | None = None
        self.area = FitArea(self.stage, fills=True, clear=True)
        for bar in (self.area.horizontalScrollBar(), self.area.verticalScrollBar()):
            bar.rangeChanged.connect(self.follow)
        self.zoomed = ZoomButton(self.area)
        self.zoomed.restore_wanted.connect(lambda: self.stage.set_percent(100))
        self.stage.zoomed.connect(self._show_zoom)
        in_column((self.area, 1), into=self)
        self.stage.hovered.connect(self.hovered)
        self.stage.picked.connect(self.picked)
        self.stage.piece_picked.connect(self.piece_picked)
        self.stage.menu_wanted.connect(self.menu_wanted)

    def minimumSizeHint(self) -> QSize:
        """The least size in which tiles and the first rows of a tree are visible."""
        return QSize(16 * GRID, min(LOWEST, self.stage.minimumSizeHint().height()))

    @property
    def controls(self) -> list[QWidget]:
        return [self.stage]

    def zoom_by(self, steps: int, at: QPoint) -> None:
        """Makes the canvas some steps larger or smaller, around a point of the screen."""
        before = self.stage.percent
        self.stage.set_percent(next_level(before, steps))
        self.area.setWidgetResizable(True)  # which lets it scroll that far at once
        keep_in_place(self.area, at, self.stage.percent / before)

    def zoom_to(self, percent: float) -> None:
        """Shows the canvas at the level nearest to a percentage."""
        self.stage.set_percent(level_near(percent))
        self.area.setWidgetResizable(True)

    def _show_zoom(self) -> None:
        percent = self.stage.percent
        self.zoomed.show_size(f"{percent} %", percent == 100)

    def set_run(self, run: TraceRun | None) -> None:
        super().set_run(run)
        self.work = WordWork(run) if run is not None else None
        scenes = self._scenes = MergeScenes(run) if run is not None else None
        if scenes is None:
            self.stage.show_words(())
            return
        self.stage.set_texts(scenes.node_label, scenes.node_tip, scenes.node_colour)
        self.stage.show_words(scenes.words, scenes.mirrored)

    def show_step(self, slide: bool = False, duration_ms: int = MERGE_MS) -> None:
        scenes = self._scenes
        if scenes is None:
            self.stage.show_scene(TileScene(), ())
            return
        self.stage.show_scene(scenes.scene(), scenes.counts(), slide, duration_ms)
        self.follow()

    def queue(self) -> QueueScene:
        """Returns the pairs of the word that wait, and the merges so far."""
        run = self.run
        if run is None:
            return QueueScene()
        by_score = bool(len(run.tokenizer.vocabulary.scores)) and run.score(0) is not None
        step, steps = run.next_step, run.playback.steps
        coming = step if step is not None and step.kind == MERGE else None
        symbols = run.symbols()[step.word] if step is not None else []
        known = {candidate.start: candidate for candidate in run.candidates(symbols)}
        size = len(run.tokenizer.vocabulary)
        waiting: list[tuple[float, int]] = []  # the rank, or the score below 0, of which symbol
        for at, left in enumerate(symbols[:-1]):
            merge = known.get(left.start)
            if merge is not None:
                waiting.append((merge.rank if merge.score is None else -merge.score, at))
            elif len(waiting) <= LISTED:
                waiting.append((inf, at))
        waiting.sort()

        def pair(place: int, in_heap: int = -1) -> WaitingPair:
            best, at = waiting[place]
            left, right = symbols[at], symbols[at + 1]
            merge = known.get(left.start)
            share = 0.0
            if merge is not None:
                share = bar_share(merge.rank if merge.rank >= 0 else round(abs(best)), size)
            return WaitingPair(
                in_tile(readable(run.data[left.start : left.end])),
                in_tile(readable(run.data[right.start : right.end])),
                left.start,
                left.end,
                right.end,
                "" if merge is None else rank_label(merge),
                share,
                coming is not None and left.start == coming.start,
                in_heap,
            )

        now = run.playback.position
        merges = [self._done(run, steps[at], at) for at in range(max(0, now - LISTED), now)]
        if coming is not None:
            merges.append(self._done(run, coming, now, is_next=True))
        ranked = bisect_left(waiting, (inf, 0))
        scene = QueueScene(LazyList(len(waiting), pair), ranked, merges, by_score)
        moment = self.work.moment() if self.work is not None else None
        if moment is None:
            return scene
        places = {symbols[at].start: index for index, (_, at) in enumerate(waiting[:ranked])}
        entries = moment.entries
        heap = [at for at, (start, stale) in enumerate(moment.heads) if stale or start in places]

        def entry(at: int) -> WaitingPair:
            one = entries[heap[at]]
            return self._stale(one) if one.stale else pair(places[one.start], one.place)

        costs = LookedAt(moment.queued, moment.scanned, moment.last, moment.in_all)
        return replace(scene, entries=LazyList(len(heap), entry), looked=costs)

    def _stale(self, entry: QueueEntry) -> WaitingPair:
        """Returns a stale entry of the queue for display."""
        run, work = self.run, self.work
        assert run is not None
        assert work is not None
        left, right = in_tile(work.text(entry.left)), in_tile(work.text(entry.right))
        score = run.score(entry.result) if entry.result >= 0 else None
        label = f"{entry.order[0]:,}" if score is None else score_text(score)
        start = entry.start
        return WaitingPair(left, right, start, start, start, label, place=entry.place, stale=True)

    def colours(self) -> dict[int, int]:
        """The colour numbers of the tiles by their first bytes."""
        words = self._scenes.tiles() if self._scenes is not None else []
        return {tile.start: tile.colour for word in words for tile in word}

    def _done(self, run: TraceRun, step: Step, at: int, is_next: bool = False) -> DoneMerge:
        merge = step.kind == MERGE
        score = run.score(step.result) if merge else None
        left = in_tile(readable(run.data[step.start : step.middle]))
        right = in_tile(readable(run.data[step.middle : step.end]))
        whole = in_tile(readable(run.data[step.start : step.end]))
        return DoneMerge(
            run.number(at) + 1,
            left if merge else "",
            right if merge else "",
            f"{whole} → {left} + {right}" if step.kind == UNMERGE else whole,
            "" if not merge else f"{step.rank:,}" if score is None else score_text(score),
            step.start,
            step.end,
            is_next,
            written_merge(step.left, step.right, step.result) if merge else "",
        )

    def hide_ranks(self, hidden: bool) -> None:
        """Hides the ranks, and the next merge, for a question."""
        self.stage.set_ranks_hidden(hidden)
        self.follow()

    def follow(self) -> None:
        """Scrolls to where something happens; during a question, to the beginning, or not at all."""
        acting = self._scenes.acting() if self._scenes is not None else (-1, -1)
        if self.stage.ranks_hidden:
            acting = (0, 0) if self.run is not None and self.run.position == 0 else (-1, -1)
        rects = [self.stage.tile_rect(start) for start in acting]
        for rect in (rect for rect in rects if not rect.isEmpty()):
            margin = min(12 * GRID, self.area.viewport().width() // 3)
            place = rect.center().toPoint()
            if self.stage.percent <= 100:
                self.area.ensureVisible(place.x(), 0, margin, 0)
            else:
                self.area.ensureVisible(place.x(), place.y(), margin, int(rect.height()))
