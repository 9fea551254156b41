"""What the canvas of merges shows at a step of a run, as plain data: the tiles, the ranks of pairs, and the trees.

Widgets and web pages paint the same scenes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from tokenarium.models.merges import narration
from tokenarium.models.merges.canvas_layout import CanvasWord, word_columns
from tokenarium.models.merges.playback import NO_PIECE, Growth, Node, Symbol
from tokenarium.models.merges.run import MergeCandidate, TraceRun
from tokenarium.models.text.direction import reads_right_to_left
from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.piece import byte_numbers, in_tile, readable, score_text
from tokenarium.models.text.segmentation import token_colour, token_colours
from tokenarium.models.text.superword_ids import superword_note
from tokenarium.style.cuts import Cut
from tokenarium_core.trace import BYTE_FALLBACK, EDGE, MERGE, TRY


@dataclass(frozen=True, slots=True)
class Tile:
    """A symbol: its bytes, the texts on it and below it, and the number of its colour.

    ``frozen`` ones never merge; ``loose`` ones are not in the vocabulary. ``superword``: a note about a symbol with
    several words. ``left`` and ``right``: the marks on its edges.
    """

    start: int
    end: int
    text: str
    note: str
    colour: int
    frozen: bool = False
    loose: bool = False
    superword: str = ""
    left: Cut = Cut.STRAIGHT
    right: Cut = Cut.STRAIGHT


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring tiles that may merge, by where the left one begins; ``winner``: they merge next."""

    start: int
    label: str
    winner: bool


@dataclass(frozen=True, slots=True)
class TileScene:
    """Words of tiles, the pairs that may merge, and the bytes of the tile that was made last (-1: none).

    A word that is the same object as in the last scene is not measured again. ``widest`` is the longest label
    of a pair, for which tiles leave room.
    """

    words: Sequence[Sequence[Tile]] = ()
    pairs: Sequence[Pair] = ()
    made: int = -1
    widest: str = ""


class WordTiles:
    """The tiles of the words of a run, reused while a word does not change.

    ``make`` makes them from a word's number and its symbols.
    """

    def __init__(self, make: Callable[[int, list[Symbol]], list[Tile]]) -> None:
        self._make = make
        self._kept: list[tuple[list[Symbol], list[Tile]]] = []

    def of(self, words: list[list[Symbol]]) -> list[list[Tile]]:
        """Returns the current tiles of the words."""
        for number, symbols in enumerate(words):
            if number == len(self._kept):
                self._kept.append((symbols, self._make(number, symbols)))
            elif self._kept[number][0] is not symbols:
                self._kept[number] = (symbols, self._make(number, symbols))
        return [tiles for _, tiles in self._kept]


class MergeScenes:
    """The scenes of a run of BPE, or of a model that only looks up whole words, at the step where the run is.

    ``growths`` are the trees of its words, ``words`` their columns, from right to left if ``mirrored``.
    """

    def __init__(self, run: TraceRun) -> None:
        self.run = run
        self.growths = _growths(run)
        self.words = _words(run, self.growths)
        texts = (run.data[word.start : word.end].decode(errors="ignore") for word in run.words)
        self.mirrored = reads_right_to_left(texts)
        self._widest = _widest(run)
        self._clusters = _clusters(run)
        self._tiles = WordTiles(self._make_tiles)
        self._kept_tiles: dict[tuple[int, int, int, int], Tile] = {}
        self._kept_pairs: dict[tuple[int, int, float | None, bool], Pair] = {}

    def scene(self) -> TileScene:
        """Returns the tiles and the ranks at the step of the run."""
        run = self.run
        words = run.symbols()
        step, last = run.next_step, run.last_step
        candidates = run.candidates(words[step.word]) if step is not None else []
        winner = step.start if step is not None and step.kind == MERGE else -1
        pairs = [self._pair(candidate, candidate.start == winner) for candidate in candidates]
        made = last.start if last is not None else -1
        return TileScene(self._tiles.of(words), pairs, made, self._widest)

    def tiles(self) -> list[list[Tile]]:
        """Returns the tiles of each word at the step of the run."""
        return self._tiles.of(self.run.symbols())

    def counts(self) -> list[int]:
        """Returns how many nodes of each tree there are at the step of the run."""
        now = self.run.playback.position
        return [growth.count(now) for growth in self.growths]

    def acting(self) -> tuple[int, int]:
        """Returns the first bytes of the tiles that merge next; of the one that was made last if none does."""
        step, last = self.run.next_step, self.run.last_step
        if step is not None and step.kind == MERGE:
            return step.start, step.middle
        made = last.start if last is not None else -1
        return made, made

    # The nodes.

    def node_label(self, node: Node) -> str:
        """Returns the text on a node."""
        data = self.run.data[node.start : node.end]
        return byte_numbers(data) if node.kind == BYTE_FALLBACK else in_tile(readable(data))

    def node_colour(self, node: Node) -> int:
        """Returns the number of the colour of a node."""
        return token_colour(node.id)

    def node_tip(self, node: Node) -> str:
        """Returns lines about a node: its bytes, its entry, its rank, its parts."""
        run = self.run
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
            tree = next(growth.nodes for growth in self.growths if node in growth.nodes)
            parents = " + ".join(self.node_label(tree[number]) for number in node.below)
            lines.append(f"From {parents}")
        return "\n".join(lines)

    def _superword(self, node: Node) -> str:
        """Returns a note about a node that is a superword, or ""."""
        if node.kind == BYTE_FALLBACK:
            return ""
        return superword_note(self.run.tokenizer.vocabulary, node.id)

    # The tiles.

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
        text, note = in_tile(narration.symbol_text(run, symbol)), "" if loose else str(symbol.id)
        several = superword_note(run.tokenizer.vocabulary, symbol.id)
        frozen = run.frozen(symbol)
        cuts = self._cut(symbol.start), self._cut(symbol.end)
        return Tile(symbol.start, symbol.end, text, note, colour, frozen, loose, several, *cuts)

    def _cut(self, byte: int) -> Cut:
        """The mark on the edge of a tile at a byte."""
        if self.run.data[byte : byte + 1] and self.run.data[byte] & 0xC0 == 0x80:
            return Cut.TORN
        return Cut.STRAIGHT if byte in self._clusters else Cut.NOTCH

    def _pair(self, candidate: MergeCandidate, winner: bool) -> Pair:
        key = (candidate.start, candidate.rank, candidate.score, winner)
        if key not in self._kept_pairs:
            self._kept_pairs[key] = Pair(candidate.start, rank_label(candidate), winner)
        return self._kept_pairs[key]


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


def rank_label(candidate: MergeCandidate) -> str:
    """Returns the label above two neighbours: the score of their piece, or the rank of their merge."""
    if candidate.score is not None:
        return score_text(candidate.score)
    return f"{candidate.rank:,}"
