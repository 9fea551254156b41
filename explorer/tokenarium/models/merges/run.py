"""The run of one tokenizer on a region of a text, with its trace: what the players play.

A region is encoded in its place, since a word alone may be cut differently: with all of a short text, else
with the lines around it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from copy import copy
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from librt.vecs import vec

import tokenarium_core as tc
from tokenarium.models.merges.playback import NO_PIECE, Playback, PlayedWord, Step, Symbol
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.text_map import row_of
from tokenarium_core import Vocabulary
from tokenarium_core import trace as kinds
from tokenarium_core.models import BoundlessBpe, CharacterBpe, PickyBpe, Unigram, WordPiece
from tokenarium_core.trace import KINDS, Trace
from tokenarium_core.vocabulary import USER_DEFINED

WHOLE_TEXT = 16 * 1024
"""Bytes up to which a text is traced as a whole."""

CONTEXT = 4 * 1024
"""Bytes before and after a region that are traced with it in a longer text."""


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """Two neighbouring symbols that have a merge: the byte where the left one begins, and the merge's rank.

    ``score`` is that of the resulting piece, in vocabularies with scores; there, ``rank`` may be -1 (unknown).
    """

    start: int
    rank: int
    score: float | None


class TraceRun:
    """What a tokenizer did to ``utf8[start:end]`` of a text.

    ``region`` is that part of the normalized text. ``playback`` holds the events; its bytes are those of the normalized ``data``. ``origin`` is the byte of the
    original text at which the traced part, ``text``, begins. A step is one event, or several that are shown as one:
    the pieces that begin at one place of a lattice, the bytes of one character.
    """

    def __init__(
        self, tokenizer: tc.Tokenizer, utf8: bytes, start: int, end: int, special: str = "none"
    ) -> None:
        self.tokenizer = tokenizer
        self.origin, stop = traced_part(utf8, start, end)
        self.text = utf8[self.origin : stop].decode("utf-8", "surrogatepass")
        self.special = special
        trace = Trace()
        encoding = tokenizer.encode(self.text, special=special, trace=trace)
        self.encoding = encoding
        self._cut_ends: list[int] = array_of(encoding.pre_tokens.ends).tolist()
        self.data = encoding.text.data[: encoding.text.size]
        model = tokenizer.model
        first, last = self.normalized(start, end)
        # What was added at the ends of the text (such as a space) was made of none of its bytes.
        first = 0 if start == 0 else first
        last = len(self.data) if end == len(utf8) else last
        self.region = first, last
        self.part = part_of(trace, model.vocabulary, self.data, first, last)
        merges_characters = isinstance(model, CharacterBpe)
        self.playback = Playback(
            trace, len(self.data), self.data, model.byte_symbols(), merges_characters, self.part
        )
        self._stops = self._places_to_stop(isinstance(model, Unigram))
        self._scores = model.vocabulary.scores if merges_characters else vec[float]()
        self._symbols: list[tuple[int, list[Symbol]]] = [(-1, [])] * len(self.playback.words)
        self._asked: tuple[list[Symbol], list[MergeCandidate]] = ([], [])
        self._pairs: dict[tuple[int, int, int, int, int, int], MergeCandidate | None] = {}
        self._leaves = dict(zip(self.playback.words, self.symbols(), strict=True))

    def twin(self) -> TraceRun:
        """Returns the same run with a position of its own, without encoding again."""
        twin = copy(self)
        twin.playback = self.playback.twin()
        twin._symbols = list(self._symbols)
        return twin

    def __len__(self) -> int:
        """How many steps the region takes."""
        return len(self._stops) - 1

    @property
    def position(self) -> int:
        """How many of these steps are applied."""
        return bisect_left(self._stops, self.playback.position)

    def go_to(self, position: int) -> None:
        """Applies so many of the steps."""
        self.playback.go_to(self._stops[max(0, min(position, len(self)))])

    def number(self, event: int) -> int:
        """The number, from 0 on, of the step that an event of ``playback.steps`` belongs to."""
        return bisect_right(self._stops, event) - 1

    @property
    def next_steps(self) -> list[Step]:
        """The events of the next step; none at the end."""
        position = self.position
        if position == len(self):
            return []
        return self.playback.steps[self._stops[position] : self._stops[position + 1]]

    @property
    def next_step(self) -> Step | None:
        """The first event of the next step; None at the end."""
        return next(iter(self.next_steps), None)

    @property
    def last_step(self) -> Step | None:
        """The event that was applied last; None at the beginning."""
        at = self.playback.position
        return self.playback.steps[at - 1] if at else None

    @property
    def words(self) -> list[PlayedWord]:
        """The words that the region touches."""
        return self.playback.words

    def count(self) -> int:
        """Returns how many symbols touch the region itself, without the rest of its words, such as their spaces."""
        first, last = self.region
        return sum(
            symbol.end > first and symbol.start < last for word in self.symbols() for symbol in word
        )

    def symbols(self) -> list[list[Symbol]]:
        """Returns the symbols of each word; an unchanged word keeps the same list."""
        now = self.playback.position
        for number, word in enumerate(self.playback.words):
            made = min(max(now, word.first), word.last)
            if self._symbols[number][0] != made:
                standing = list(self.playback.symbols(word.start, word.end))
                self._symbols[number] = (made, standing)
        return [standing for _, standing in self._symbols]

    def leaves(self, word: PlayedWord) -> list[Symbol]:
        """Returns the symbols of a word before the first step."""
        return self._leaves[word]

    @property
    def longest_word(self) -> int:
        """The most characters of a word that the model cuts; -1: no limit."""
        model = self.tokenizer.model
        return model.max_input_chars if isinstance(model, WordPiece) else -1

    def window_is_cut(self, step: Step) -> bool:
        """Returns whether an event is the first window at its place, and ends before the end of the word.

        Windows of more bytes than the longest entry has are not tried.
        """
        steps = self.playback.steps
        word = self.words[step.word]
        if step.kind != kinds.TRY or step.end == word.end:
            return False
        number = bisect_left(steps, step.event, word.first, word.last, key=_event_of)
        before = steps[number - 1] if number > word.first else None
        return before is None or before.kind != kinds.TRY or before.start != step.start

    def frozen(self, symbol: Symbol) -> bool:
        """Returns whether a symbol never merges, as a user-defined piece."""
        pieces = self.tokenizer.vocabulary.kinds
        return symbol.id >= 0 and int(pieces[symbol.id]) == USER_DEFINED

    def candidates(self, symbols: list[Symbol]) -> list[MergeCandidate]:
        """Returns the neighbours in a word that have a merge, from the left; empty for models that don't merge."""
        if self._asked[0] is symbols:
            return self._asked[1]
        known = self._pairs  # a step makes at most two new pairs; all others are known
        candidates = []
        time = self._time(symbols)
        for left, right in pairwise(symbols):
            if isinstance(self.tokenizer.model, BoundlessBpe):
                time = self._time_between(left, right)
            pair = (left.start, right.start, right.end, left.id, right.id, time)
            if pair not in known:
                known[pair] = self._candidate(left, right, time)
            candidate = known[pair]
            if candidate is not None:
                candidates.append(candidate)
        self._asked = (symbols, candidates)
        return candidates

    def _time(self, symbols: list[Symbol]) -> int:
        """Returns the last event of a word in PickyBPE, after which its next one comes; else -1."""
        position = self.playback.position
        if not symbols or not position or not isinstance(self.tokenizer.model, PickyBpe):
            return -1
        last = self.playback.steps[position - 1]
        if not symbols[0].start <= last.start < symbols[-1].end:
            return -1
        return int(last.score) if last.kind == kinds.UNMERGE else last.rank

    def _time_between(self, left: Symbol, right: Symbol) -> int:
        """Returns the last event of the pre-token in BoundlessBPE that two symbols are in; -2 if they are in two."""
        ends = self._cut_ends
        number = bisect_right(ends, left.start)
        if right.start >= ends[number]:
            return -2
        start = ends[number - 1] if number else 0
        for at in range(self.playback.position - 1, -1, -1):
            step = self.playback.steps[at]
            if start <= step.start and step.end <= ends[number]:
                return int(step.score) if step.kind == kinds.UNMERGE else step.rank
            if step.end <= start:
                break
        return -1

    def _candidate(self, left: Symbol, right: Symbol, time: int) -> MergeCandidate | None:
        if left.end != right.start or self.frozen(left) or self.frozen(right):
            return None
        model = self.tokenizer.model
        if isinstance(model, BoundlessBpe) and time == -2:
            number = model.supermerge(left.id, right.id)
            return MergeCandidate(left.start, number, None) if number >= 0 else None
        if isinstance(model, PickyBpe | BoundlessBpe):
            halves = (self.data[left.start : left.end], self.data[right.start : right.end])
            event = model.next_event(*halves, time)
            return MergeCandidate(left.start, event, None) if event >= 0 else None
        rank, piece = model.merge_rank(left.id, right.id), model.merged(left.id, right.id)
        if NO_PIECE in (left.id, right.id) and len(self._scores):
            # A character that is not a piece has no id, but may be a part of one.
            piece = model.vocabulary.find(self.data[left.start : right.end])
        return MergeCandidate(left.start, rank, self.score(piece)) if piece >= 0 else None

    def score(self, piece: int) -> float | None:
        """Returns the score by which a piece is merged; None where merges go by rank."""
        return self._scores[piece] if len(self._scores) else None

    def normalized(self, start: int, end: int) -> tuple[int, int]:
        """Returns the bytes of the normalized part that were made of a range of the original text."""
        text, start, end = self.encoding.text, start - self.origin, end - self.origin
        if not text.aligned:
            first, last = start - text.origin, end - text.origin
        else:
            first = row_of(array_of(text.stops), start, "right")
            last = row_of(array_of(text.starts), end)
        first = max(0, min(first, text.size))
        return first, max(first, min(last, text.size))

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Returns the bytes of the original text that a range of the normalized part was made of."""
        text = self.encoding.text
        return self.origin + text.start_of(start), self.origin + text.stop_of(end)

    def _places_to_stop(self, lattice: bool) -> list[int]:
        """Returns how many events are applied before each step, and after the last."""
        steps = self.playback.steps
        stops = [0]
        for number, (before, step) in enumerate(pairwise(steps), 1):
            if before.word == step.word:
                if step.kind == kinds.EDGE and before.kind == kinds.EDGE:
                    if before.start == step.start:
                        continue
                elif lattice and before.kind != kinds.EDGE:
                    continue  # all the pieces of the best path
                elif step.kind == kinds.PIECE and before.kind == kinds.TRY:
                    continue  # found, and set down
                elif step.kind == kinds.BYTE_FALLBACK and before.kind == kinds.BYTE_FALLBACK:
                    if self.data[step.start] & 0xC0 == 0x80 or before.start == step.start:
                        continue
            stops.append(number)
        return [*stops, len(steps)] if steps else [0]

    def used_merges(self) -> list[tuple[Step, int]]:
        """Returns the merges of the region, each once, with how many times it was made: that of the lowest rank first.

        Where merges go by score, that of the highest score is the first.
        """
        steps_by_merge: dict[tuple[int, int, int, int], list[Step]] = {}
        for step in self.playback.steps:
            if step.kind == kinds.MERGE:
                steps_by_merge.setdefault(
                    (step.left, step.right, step.result, step.rank), []
                ).append(step)
        scored = len(self._scores) > 0
        order = sorted(
            steps_by_merge.values(),
            key=lambda steps: (-steps[0].score if scored else 0.0, steps[0].rank),
        )
        return [(steps[0], len(steps)) for steps in order]

    def rule(self, word: int) -> str:
        """The name of the rule that made a word."""
        number = self.words[word].rule
        names = self.encoding.pre_tokens.names
        return names[number] if 0 <= number < len(names) else KINDS[3]


def _event_of(step: Step) -> int:
    return step.event


def traced_part(utf8: bytes, start: int, end: int) -> tuple[int, int]:
    """Returns the bytes to trace so that ``utf8[start:end]`` is cut as in the whole text."""
    if len(utf8) <= WHOLE_TEXT:
        return 0, len(utf8)
    first = utf8.rfind(b"\n", 0, max(0, start - CONTEXT // 4)) + 1
    if start - first > CONTEXT:
        first = _character(utf8, start - CONTEXT)
    last = utf8.find(b"\n", min(len(utf8), end + CONTEXT // 4))
    if last < 0 or last - end > CONTEXT:
        last = _character(utf8, min(len(utf8), end + CONTEXT))
    return first, last


def _character(utf8: bytes, at: int) -> int:
    """Returns the first byte of the character that byte ``at`` belongs to."""
    while 0 < at < len(utf8) and utf8[at] & 0xC0 == 0x80:
        at -= 1
    return at


FARTHEST = 64
"""How far from a region a space is looked for if a word is a whole text, in bytes."""

Column = npt.NDArray[np.int64]


def part_of(
    trace: Trace, vocabulary: Vocabulary, data: bytes, start: int, end: int
) -> tuple[int, int]:
    """Returns the bytes of the normalized ``data`` that are shown for its bytes ``start`` to ``end``.

    These are the words that the region touches. In models without a pre-tokenizer the whole text is one word:
    then it is the part between the nearest spaces around the region, if they are near. No step of
    the trace crosses the ends of the part, so it can be played by itself. Empty if the region
    touches no word.
    """
    kind, first, stop = spans(trace, vocabulary)
    words = (kind == kinds.PRE_TOKEN) | (kind == kinds.SPECIAL)
    touched = words & (stop > start) & (first < end)
    if not touched.any():
        return start, start
    low, high = int(first[touched].min()), int(stop[touched].max())
    bridged = _bridged(first[~words], stop[~words], len(data))
    left, right = max(low, min(start, high)), min(high, max(end, low))
    reach = range(left, max(low, left - FARTHEST) - 1, -1)
    left = next((at for at in reach if at == low or _begins_word(data, at)), left)
    reach = range(right, min(high, right + FARTHEST) + 1)
    right = next((at for at in reach if at == high or _begins_word(data, at)), right)
    while left > low and bridged[left]:
        left -= 1
    while right < high and bridged[right]:
        right += 1
    return left, right


def spans(trace: Trace, vocabulary: Vocabulary) -> tuple[Column, Column, Column]:
    """Returns for each event of a trace its kind, its first byte and the byte after its last."""
    kind = np.array(memoryview(trace.kinds), dtype=np.int64)
    first = np.array(memoryview(trace.positions), dtype=np.int64)
    stop = np.array(memoryview(trace.lefts), dtype=np.int64)
    merges = (kind == kinds.MERGE) | (kind == kinds.UNMERGE)
    if merges.any():
        offsets = array_of(vocabulary.offsets)
        pieces = array_of(trace.results)[merges]
        if len(pieces) and pieces.min() < 0:  # of PickyBPE, which removes entries
            return kind, first, _walked(trace)
        stop[merges] = first[merges] + offsets[pieces + 1] - offsets[pieces]
    return kind, first, stop


def _walked(trace: Trace) -> Column:
    """Returns for each event of merges over bytes the byte after its last, by following the symbols."""
    ends: dict[int, int] = {}
    stops = []
    for kind, at, left, rank in zip(
        trace.kinds, trace.positions, trace.lefts, trace.ranks, strict=True
    ):
        if kind == kinds.MERGE:
            ends[at] = ends[ends[at]]
            stops.append(ends[at])
        elif kind == kinds.UNMERGE:
            stops.append(ends[at])
            ends[rank], ends[at] = ends[at], rank
        else:
            stops.append(left)
            ends.update((byte, byte + 1) for byte in range(at, left))
    return np.array(stops, dtype=np.int64)


def _bridged(first: Column, stop: Column, size: int) -> npt.NDArray[np.bool_]:
    """Returns for each byte whether an event that begins before it reaches beyond it."""
    change = np.zeros(size + 2, dtype=np.int64)
    long = stop > first + 1
    np.add.at(change, first[long] + 1, 1)
    np.add.at(change, stop[long], -1)
    return np.cumsum(change) > 0


def _begins_word(data: bytes, at: int) -> bool:
    """Returns whether a line begins here, or there is a space here after something else."""
    if at == 0 or at == len(data):
        return True
    before, here = data[at - 1], data[at]
    return (here == 0x20 and before not in b" \t\r\n") or (before == 0x0A and here != 0x0A)
