"""The body of a player for BPE: symbols as tiles that merge, over the tree of the merges."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from itertools import accumulate, pairwise
from math import inf

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges import narration
from tokenarium.models.merges.playback import NO_PIECE, Growth, Node, Step, Symbol
from tokenarium.models.merges.run import MergeCandidate, TraceRun
from tokenarium.models.merges.word_work import LazyList, QueueEntry, WordWork
from tokenarium.models.text.direction import reads_right_to_left
from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.piece import byte_numbers, in_tile, readable, score_text
from tokenarium.models.text.segmentation import token_colour, token_colours
from tokenarium.models.text.superword_ids import superword_note
from tokenarium.models.vocabulary.merge_list import written_merge
from tokenarium.style.cuts import Cut
from tokenarium.style.theme import GRID
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.players.canvas_layout import CanvasWord, word_columns
from tokenarium.widgets.players.merge_canvas import MERGE_MS, MergeCanvas
from tokenarium.widgets.players.merge_queue import (
    DoneMerge,
    LookedAt,
    QueueScene,
    WaitingPair,
    bar_share,
)
from tokenarium.widgets.players.player_body import PlayerBody, WordTiles
from tokenarium.widgets.players.tile_stage import Pair, Tile, TileScene
from tokenarium.widgets.zoom_area import ZoomButton, keep_in_place, level_near, next_level
from tokenarium_core.trace import BYTE_FALLBACK, EDGE, MERGE, TRY, UNMERGE

LISTED = 40
"""The most past merges, and the most pairs without a merge, that are listed."""

LOWEST = 22 * GRID
"""The least height in pixels for the canvas if several players share the window."""


class MergeBody(PlayerBody):
    """The canvas of merges; also for models that only look up whole words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.stage = MergeCanvas()
        super().__init__(parent, (self.stage,))
        self._widest = ""  # the longest label above two tiles
        self._acting = (-1, -1)  # the first bytes of the tiles that change
        self.work: WordWork | None = None
        self._growths: list[Growth] = []  # of the words
        self._clusters: set[int] = set()  # the bytes at which graphemes begin
        self._tiles = WordTiles(self._make_tiles)
        self._kept_tiles: dict[tuple[int, int, int, int], Tile] = {}
        self._kept_pairs: dict[tuple[int, int, float | None, bool], Pair] = {}
        self.stage.set_texts(self._node_label, self._node_tip, self._node_colour)
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
        self._tiles.clear()
        self._kept_tiles, self._kept_pairs = {}, {}
        self._widest = _widest(run) if run is not None else ""
        self.work = WordWork(run) if run is not None else None
        self._growths = _growths(run) if run is not None else []
        self._clusters = _clusters(run) if run is not None else set()
        words = _words(run, self._growths) if run is not None else []
        texts = (
            (run.data[word.start : word.end].decode(errors="ignore") for word in run.words)
            if run is not None
            else ()
        )
        self.stage.show_words(words, reads_right_to_left(texts))

    def show_step(self, slide: bool = False, duration_ms: int = MERGE_MS) -> None:
        run = self.run
        if run is None:
            self.stage.show_scene(TileScene(), ())
            return
        words = run.symbols()
        step, last = run.next_step, run.last_step
        candidates = run.candidates(words[step.word]) if step is not None else []
        winner = step.start if step is not None and step.kind == MERGE else -1
        pairs = [self._pair(candidate, candidate.start == winner) for candidate in candidates]
        made = last.start if last is not None else -1
        scene = TileScene(self._tiles.of(words), pairs, made, self._widest)
        now = run.playback.position
        counts = [growth.count(now) for growth in self._growths]
        self.stage.show_scene(scene, counts, slide, duration_ms)
        self._acting = (made, made) if step is None or winner < 0 else (winner, step.middle)
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
                "" if merge is None else _label(merge),
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
        words = self._tiles.of(self.run.symbols()) if self.run is not None else []
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
        acting = self._acting
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

    def _make_tiles(self, word: int, symbols: list[Symbol]) -> list[Tile]:
        """Returns the tiles of a word; most are those of the last step."""
        reused = self._kept_tiles
        tiles = []
        for symbol, colour in zip(symbols, _colours(symbols).tolist(), strict=True):
            key = (symbol.start, symbol.end, symbol.id, colour)
            if key not in reused:
                reused[key] = self._tile(symbol, colour)
            tiles.append(reused[key])
        return tiles

    def _tile(self, symbol: Symbol, colour: int) -> Tile:
        run, loose = self.run, symbol.id == NO_PIECE
        assert run is not None
        text, note = in_tile(narration.symbol_text(run, symbol)), "" if loose else str(symbol.id)
        several = superword_note(run.tokenizer.vocabulary, symbol.id)
        frozen = run.frozen(symbol)
        cuts = self._cut(symbol.start), self._cut(symbol.end)
        return Tile(symbol.start, symbol.end, text, note, colour, frozen, loose, several, *cuts)

    def _cut(self, byte: int) -> Cut:
        """The mark on the edge of a tile at a byte."""
        assert self.run is not None
        if self.run.data[byte : byte + 1] and self.run.data[byte] & 0xC0 == 0x80:
            return Cut.TORN
        return Cut.STRAIGHT if byte in self._clusters else Cut.NOTCH

    def _pair(self, candidate: MergeCandidate, winner: bool) -> Pair:
        key = (candidate.start, candidate.rank, candidate.score, winner)
        if key not in self._kept_pairs:
            self._kept_pairs[key] = Pair(candidate.start, _label(candidate), winner)
        return self._kept_pairs[key]

    def _node_label(self, node: Node) -> str:
        assert self.run is not None
        data = self.run.data[node.start : node.end]
        return byte_numbers(data) if node.kind == BYTE_FALLBACK else in_tile(readable(data))

    def _node_colour(self, node: Node) -> int:
        return token_colour(node.id)

    def _superword(self, node: Node) -> str:
        """Returns a note about a node that is a superword, or ""."""
        assert self.run is not None
        if node.kind == BYTE_FALLBACK:
            return ""
        return superword_note(self.run.tokenizer.vocabulary, node.id)

    def _node_tip(self, node: Node) -> str:
        run = self.run
        assert run is not None
        data = run.data[node.start : node.end]
        lines = [readable(data), f"Bytes {byte_numbers(data)}"]
        if node.kind == BYTE_FALLBACK:
            lines.append(f"One token for each byte, the first with the id {node.id:,}")
        elif node.id < 0:
            lines.append("No entry of the vocabulary")
        else:
            lines.append(
                f"Id {node.id:,}, in the vocabulary: {run.tokenizer.vocabulary.surface(node.id)}"
            )
        several = self._superword(node)
        if several:
            lines.append(several)
        if not node.below and run.frozen(Symbol(node.start, node.end, node.id)):
            lines.append("Defined as an entry by hand: never merges")
        if node.kind == MERGE:
            score = run.score(node.id)
            label = f"Rank {node.rank:,}" if score is None else f"Score {score_text(score)}"
            lines.append(f"{label}, merged at step {run.number(node.step) + 1:,}")
        if len(node.below) == 2:
            tree = next(growth.nodes for growth in self._growths if node in growth.nodes)
            parents = " + ".join(self._node_label(tree[number]) for number in node.below)
            lines.append(f"From {parents}")
        return "\n".join(lines)


def _growths(run: TraceRun) -> list[Growth]:
    """Returns the tree of each word."""
    steps = run.playback.steps
    return [
        Growth(run.leaves(word), steps[word.first : word.last], word.first) for word in run.words
    ]


def _words(run: TraceRun, growths: list[Growth]) -> list[CanvasWord]:
    """Returns each word with its columns: where symbols begin and end at any of its steps."""
    words = []
    for word, growth in zip(run.words, growths, strict=True):
        steps = run.playback.steps[word.first : word.last]
        parts = [(node.start, node.end) for node in growth.nodes]
        parts += [(step.start, step.end) for step in steps if step.kind not in (TRY, EDGE)]
        data = run.data[word.start : word.end]
        letters = list(accumulate((byte & 0xC0 != 0x80 for byte in data), initial=0))
        words.append(
            word_columns(growth, word.start, word.end, list(dict.fromkeys(parts)), letters)
        )
    return words


def _clusters(run: TraceRun) -> set[int]:
    """Returns the bytes at which a grapheme begins or the played part ends."""
    start = run.words[0].start if run.words else 0
    end = run.words[-1].end if run.words else 0
    text = run.data[start:end].decode("utf-8", "replace")
    edges = [0, *grapheme_ends(text)]
    sizes = (len(text[first:last].encode()) for first, last in pairwise(edges))
    return {start, end, *accumulate(sizes, initial=start)}


def _colours(symbols: list[Symbol]) -> npt.NDArray[np.uint8]:
    """Returns the numbers of the colours, which differ between neighbours."""
    return token_colours(np.array([max(symbol.id, 0) for symbol in symbols], dtype=np.int32))


def _widest(run: TraceRun) -> str:
    """Returns the longest label above two neighbours; "" if nothing merges."""
    if not any(step.kind == MERGE for step in run.playback.steps):
        return ""
    size = len(run.tokenizer.vocabulary)
    return f"{size:,}" if run.score(0) is None else score_text(-float(size))


def _label(candidate: MergeCandidate) -> str:
    """Returns the label above two neighbours: the score of their piece, or the rank of their merge."""
    if candidate.score is not None:
        return score_text(candidate.score)
    return f"{candidate.rank:,}"
