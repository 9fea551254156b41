"""One run of a tokenizer, to be gone through step by step in both directions, out of its trace.

Nothing is encoded again: each step applies an event of the trace or takes it back, so going to any step of
a sentence takes less than a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np

from tokenarium_core import Trace
from tokenarium_core import trace as kinds

NO_PIECE = kinds.NO_PIECE

INSIDE = -1
"""What stands for a byte at which no symbol begins."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol of a word at one step: its bytes in the normalised text, and its id (`NO_PIECE`: none yet)."""

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
class Word:
    """A pre-token: its bytes in the normalised text, the number of its rule, and its steps ``first`` to ``last``."""

    start: int
    end: int
    rule: int
    first: int
    last: int


class Playback:
    """The steps of a run, and the symbols as they stand after ``position`` of them.

    ``byte_ids`` are the ids of the 256 bytes for byte-level BPE, whose words begin as bytes, else empty.
    The symbols with which words begin are no steps: at position 0 they are all there. ``frozen``: pieces that
    are taken whole are among them, as in BPE of characters. ``part`` are the bytes that matter, if not all do.
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
        self.words: list[Word] = []
        self.position = 0
        self._ids = [INSIDE] * size
        self._ends = [0] * size
        self._before: list[list[Symbol]] = []  # what each step replaced
        self._fronts: dict[int, list[Symbol]] = {}  # symbols of no bytes, by what they stand before
        self._read(trace, data, byte_ids, frozen, part or (0, size))

    def __len__(self) -> int:
        return len(self.steps)

    def twin(self) -> Playback:
        """Returns the same steps, to be gone through on their own."""
        twin = copy(self)
        twin._ids = list(self._ids)
        twin._ends = list(self._ends)
        twin._fronts = {at: list(symbols) for at, symbols in self._fronts.items()}
        return twin

    def symbols(self, start: int = 0, end: int | None = None) -> Iterator[Symbol]:
        """The symbols from byte ``start`` on, where one must begin, up to byte ``end``."""
        at = start
        stop = len(self._ids) if end is None else end
        while at < stop:
            if self._ids[at] == INSIDE:
                at += 1
                continue
            yield from self._fronts.get(at, ())
            yield Symbol(at, self._ends[at], self._ids[at])
            at = self._ends[at]

    def go_to(self, position: int) -> None:
        """Applies steps, or takes them back, until ``position`` of them are applied."""
        position = max(0, min(position, len(self.steps)))
        while self.position < position:
            self._apply(self.steps[self.position])
            self.position += 1
        while self.position > position:
            self.position -= 1
            self._take_back(self.position)

    def word_at(self, position: int) -> Word | None:
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
        """Makes the steps by going through the trace once, and comes back to the beginning."""
        low, high = part
        positions = np.asarray(memoryview(trace.positions))
        behind = np.where(
            np.asarray(memoryview(trace.kinds)) == kinds.PRE_TOKEN,
            np.asarray(memoryview(trace.lefts)),
            positions + 1,
        )
        for event in np.flatnonzero((behind > low) & (positions < high)).tolist():
            kind = int(trace.kinds[event])
            start = int(trace.positions[event])
            left, right = int(trace.lefts[event]), int(trace.rights[event])
            result, rank = int(trace.results[event]), int(trace.ranks[event])
            if kind == kinds.PRE_TOKEN:
                self._close_word()
                start, left = max(start, low), min(left, high)
                self.words.append(Word(start, left, right, len(self.steps), len(self.steps)))
                for byte in range(start, left) if byte_ids else ():
                    self._put(Symbol(byte, byte + 1, byte_ids[data[byte]]))
                continue
            if kind == kinds.SYMBOL or (kind == kinds.PIECE and frozen):
                self._put(Symbol(start, left, result))
                continue
            if kind == kinds.MERGE:
                middle = self._ends[start]
                end = self._ends[middle]
            elif kind == kinds.UNMERGE:
                middle, end = rank, self._ends[start]
            else:
                middle, end, left, right = start, left, -1, -1
            if kind == kinds.SPECIAL:
                self._close_word()
                self.words.append(Word(start, end, -1, len(self.steps), len(self.steps)))
            score = float(trace.scores[event])
            word = len(self.words) - 1
            step = Step(event, kind, start, end, middle, left, right, result, rank, score, word)
            self.steps.append(step)
            self._before.append([] if _only_looks(kind) else list(self._standing(start, end)))
            self._apply(step)
        self._close_word()
        self.position = len(self.steps)
        self.go_to(0)

    def _close_word(self) -> None:
        if self.words:
            last = self.words[-1]
            self.words[-1] = Word(last.start, last.end, last.rule, last.first, len(self.steps))

    def _standing(self, start: int, end: int) -> Iterator[Symbol]:
        """The symbols that begin in a range of bytes, with gaps between them where there are any."""
        for at in range(start, end):
            if self._ids[at] != INSIDE:
                yield Symbol(at, self._ends[at], self._ids[at])

    def _put(self, symbol: Symbol) -> None:
        self._ids[symbol.start] = symbol.id
        self._ends[symbol.start] = symbol.end

    def _apply(self, step: Step) -> None:
        if _only_looks(step.kind):
            return
        if step.start == step.end:
            symbol = Symbol(step.start, step.end, step.result)
            self._fronts.setdefault(step.start, []).append(symbol)
            return
        for at in range(step.start, step.end):
            self._ids[at] = INSIDE
        if step.kind == kinds.UNMERGE:
            self._put(Symbol(step.start, step.middle, step.left))
            self._put(Symbol(step.middle, step.end, step.right))
        else:
            self._put(Symbol(step.start, step.end, step.result))

    def _take_back(self, number: int) -> None:
        step = self.steps[number]
        if _only_looks(step.kind):
            return
        if step.start == step.end:
            self._fronts[step.start].pop()
            return
        for at in range(step.start, step.end):
            self._ids[at] = INSIDE
        for symbol in self._before[number]:
            self._put(symbol)


def _only_looks(kind: int) -> bool:
    """Tells whether an event of this kind leaves the symbols as they are."""
    return kind in (kinds.TRY, kinds.EDGE)
