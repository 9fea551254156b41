"""One run of a tokenizer, played from its trace step by step in both directions.

Nothing is encoded again: each step applies an event of the trace or takes it back, so going to any step of
a sentence takes less than a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from tokenarium.models.packed_arrays import array_of
from tokenarium_core import trace as kinds
from tokenarium_core.trace import Trace

NO_PIECE = kinds.NO_PIECE


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol of a word at one step: its bytes in the normalized text, and its id (`NO_PIECE`: none yet)."""

    start: int
    end: int
    id: int


@dataclass(frozen=True, slots=True)
class Step:
    """One event of the run.

    ``kind`` is a number of `tokenarium_core.trace`; ``start`` and ``end`` are the bytes that it is about;
    ``left`` and ``right`` are the ids that a merge joins, ``middle`` the byte between them; ``result`` is the id
    that comes out (-1: none); ``rank`` and ``score`` as the model has them; ``word`` is the pre-token's number.
    """

    event: int
    kind: int
    start: int
    end: int
    middle: int
    left: int
    right: int
    result: int
    rank: int
    score: float
    word: int


@dataclass(frozen=True, slots=True)
class PlayedWord:
    """A pre-token: its bytes in the normalized text, the number of its rule, and its steps ``first`` to ``last``."""

    start: int
    end: int
    rule: int
    first: int
    last: int


class Playback:
    """The steps of a run, and the symbols after ``position`` of them.

    ``byte_ids`` are the ids of the 256 bytes for byte-level BPE, whose words begin as bytes, else empty.
    The first symbols of words are not steps: at position 0 they are all there. ``frozen``: so are pieces that
    are taken whole, as in BPE of characters. ``part`` are the bytes to play, if not all.
    """

    def __init__(
        self,
        trace: Trace,
        size: int,
        data: bytes,
        byte_ids: list[int],
        frozen: bool = False,
        part: tuple[int, int] | None = None,
    ) -> None:
        self.steps: list[Step] = []
        self.words: list[PlayedWord] = []
        self.position = 0
        self._here: list[Symbol | None] = [None] * size  # the symbol that begins at a byte
        self._before: list[Sequence[Symbol]] = []  # what each step replaces
        self._after: list[Sequence[Symbol]] = []  # and by what; nothing for a step that only looks
        self._empty: dict[int, list[Symbol]] = {}  # symbols of no bytes, by the byte after them
        self._read(trace, data, byte_ids, frozen, part or (0, size))

    def __len__(self) -> int:
        return len(self.steps)

    def twin(self) -> Playback:
        """Returns the same steps with a position of their own."""
        twin = copy(self)
        twin._here = list(self._here)
        twin._empty = {at: list(symbols) for at, symbols in self._empty.items()}
        return twin

    def symbols(self, start: int = 0, end: int | None = None) -> Iterator[Symbol]:
        """The symbols from byte ``start`` on, where one must begin, up to byte ``end``."""
        at, here, empty = start, self._here, self._empty
        stop = len(here) if end is None else end
        while at < stop:
            symbol = here[at]
            if symbol is None:
                at += 1
                continue
            if empty:
                yield from empty.get(at, ())
            yield symbol
            at = symbol.end

    def go_to(self, position: int) -> None:
        """Applies steps, or takes them back, until ``position`` of them are applied."""
        position = max(0, min(position, len(self.steps)))
        while self.position < position:
            self._apply(self.position)
            self.position += 1
        while self.position > position:
            self.position -= 1
            self._take_back(self.position)

    def word_at(self, position: int) -> PlayedWord | None:
        """The word that the step after ``position`` is about; at the end, the last one."""
        if not self.words:
            return None
        if position < len(self.steps):
            return self.words[self.steps[position].word]
        return self.words[-1]

    def _read(
        self,
        trace: Trace,
        data: bytes,
        byte_ids: list[int],
        frozen: bool,
        part: tuple[int, int],
    ) -> None:
        """Makes the steps by playing the trace once, and returns to the beginning."""
        low, high = part
        positions = array_of(trace.positions)
        stops = np.where(
            array_of(trace.kinds) == kinds.PRE_TOKEN,
            array_of(trace.lefts),
            positions + 1,
        )
        for event in np.flatnonzero((stops > low) & (positions < high)).tolist():
            kind = int(trace.kinds[event])
            start = int(trace.positions[event])
            left, right = int(trace.lefts[event]), int(trace.rights[event])
            result, rank = int(trace.results[event]), int(trace.ranks[event])
            if kind == kinds.PRE_TOKEN:
                self._close_word()
                start, left = max(start, low), min(left, high)
                self.words.append(PlayedWord(start, left, right, len(self.steps), len(self.steps)))
                for byte in range(start, left) if byte_ids else ():
                    self._put(Symbol(byte, byte + 1, byte_ids[data[byte]]))
                continue
            if kind == kinds.SYMBOL or (kind == kinds.PIECE and frozen):
                self._put(Symbol(start, left, result))
                continue
            if kind == kinds.MERGE:
                middle = self._end(start)
                end = self._end(middle)
            elif kind == kinds.UNMERGE:
                middle, end = rank, self._end(start)
            else:
                middle, end, left, right = start, left, -1, -1
            if kind == kinds.SPECIAL:
                self._close_word()
                self.words.append(PlayedWord(start, end, -1, len(self.steps), len(self.steps)))
            score = float(trace.scores[event])
            word = len(self.words) - 1
            step = Step(event, kind, start, end, middle, left, right, result, rank, score, word)
            self.steps.append(step)
            looks = kind in (kinds.TRY, kinds.EDGE)
            self._before.append(() if looks else tuple(filter(None, self._here[start:end])))
            self._after.append(() if looks else _made(step))
            self._apply(len(self.steps) - 1)
        self._close_word()
        self.position = len(self.steps)
        self.go_to(0)

    def _close_word(self) -> None:
        if self.words:
            last = self.words[-1]
            self.words[-1] = PlayedWord(
                last.start, last.end, last.rule, last.first, len(self.steps)
            )

    def _end(self, start: int) -> int:
        """Where the symbol that begins at a byte ends."""
        symbol = self._here[start]
        assert symbol is not None
        return symbol.end

    def _put(self, symbol: Symbol) -> None:
        self._here[symbol.start] = symbol

    def _apply(self, number: int) -> None:
        step, after = self.steps[number], self._after[number]
        if after and step.start == step.end:
            self._empty.setdefault(step.start, []).extend(after)
        elif after:
            self._replace(step, after)

    def _take_back(self, number: int) -> None:
        step, after = self.steps[number], self._after[number]
        if after and step.start == step.end:
            self._empty[step.start].pop()
        elif after:
            self._replace(step, self._before[number])

    def _replace(self, step: Step, symbols: Sequence[Symbol]) -> None:
        self._here[step.start : step.end] = [None] * (step.end - step.start)
        for symbol in symbols:
            self._put(symbol)


def _made(step: Step) -> Sequence[Symbol]:
    """Returns the symbols in the bytes of a step after it."""
    if step.kind == kinds.UNMERGE:
        return (
            Symbol(step.start, step.middle, step.left),
            Symbol(step.middle, step.end, step.right),
        )
    return (Symbol(step.start, step.end, step.result),)


@dataclass(frozen=True, slots=True)
class Node:
    """One symbol that the word had at some step, or the bytes that a character fell back to.

    ``below`` are the numbers of its children (a leaf has none), ``height`` is the longest path down from it.
    ``step`` is the number of the event that made it (-1: none), ``kind`` and ``rank`` are that event's.
    """

    start: int
    end: int
    id: int
    below: tuple[int, ...] = ()
    height: int = 0
    step: int = -1
    kind: int = -1
    rank: int = -1


class Growth:
    """The nodes that the steps of a word make, children before parents, and how many there are after each step.

    ``first`` is the number of the first step. A symbol that comes apart is gone: its parts have nodes of their own,
    with nothing below. A character that falls back has its node with all bytes from the first byte on: no step ends
    between them.
    """

    def __init__(self, leaves: Sequence[Symbol], steps: Sequence[Step], first: int) -> None:
        self.nodes = [Node(leaf.start, leaf.end, leaf.id) for leaf in leaves]
        self._first = first
        self._counts = [len(self.nodes)]  # of nodes, by how many steps are made
        standing = {leaf.start: number for number, leaf in enumerate(leaves)}
        split_nodes: dict[int, int] = {}  # nodes that came apart, with that of their first part
        for number, step in enumerate(steps, first):
            if step.kind == kinds.UNMERGE:
                split_nodes[standing[step.start]] = len(self.nodes)
                for symbol in _made(step):
                    standing[symbol.start] = len(self.nodes)
                    self.nodes.append(
                        Node(symbol.start, symbol.end, symbol.id, (), 0, number, step.kind)
                    )
            elif step.kind not in (kinds.TRY, kinds.EDGE):
                self._grow(number, step, standing)
            self._counts.append(len(self.nodes))
        # By node: its parent in the end; its height so far.
        self._above = [len(self.nodes)] * len(self.nodes)
        self._heights = list(accumulate((node.height for node in self.nodes), max))
        for number, node in enumerate(self.nodes):
            for child in node.below:
                self._above[child] = number
        for number, part in split_nodes.items():
            self._above[number] = part

    def count(self, position: int) -> int:
        """How many of the nodes exist after so many steps of the run."""
        return self._counts[max(0, min(position - self._first, len(self._counts) - 1))]

    def tops(self, count: int) -> list[int]:
        """Returns the numbers of the roots among the first ``count`` nodes, from left to right."""
        roots = [number for number, above in enumerate(self._above[:count]) if above >= count]
        return sorted(roots, key=lambda number: self.nodes[number].start)

    def height(self, count: int) -> int:
        """The greatest height of the first ``count`` nodes."""
        return self._heights[count - 1] if count else 0

    def _grow(self, number: int, step: Step, standing: dict[int, int]) -> None:
        nodes = self.nodes
        below = tuple(standing.pop(at) for at in range(step.start, step.end) if at in standing)
        if step.kind == kinds.BYTE_FALLBACK and not below and nodes:
            last = nodes[-1]  # further bytes of the same character
            if last.kind == kinds.BYTE_FALLBACK and last.end == step.start:
                nodes[-1] = replace(last, end=step.end)
                return
        height = 1 + max((nodes[child].height for child in below), default=0)
        standing[step.start] = len(nodes)
        nodes.append(
            Node(step.start, step.end, step.result, below, height, number, step.kind, step.rank)
        )
