"""One word processed by merges and removals in the order of their training: the encoding of PickyBPE and BoundlessBPE."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.merge_events import BYTES, MergeEvents
from tokenarium_core.models.bpe.merge_heap import POSITION_MASK, PositionHeap
from tokenarium_core.models.bpe.merge_table import NO_MERGE, MergeTable
from tokenarium_core.models.model import Model, PendingWord
from tokenarium_core.models.word_cache import WordMemory
from tokenarium_core.trace import MERGE, NO_PIECE, UNMERGE, Trace
from tokenarium_core.vocabulary import Vocabulary

LONG: Final = 4096
"""A word of more bytes is left to the caller, which may pause."""

_NONE: Final = -1
_BEFORE_ALL: Final = -1  # a time before the first event


@final
class EventTable:
    """The events of a training by subject: the next one for a pair, or a token, after a given time.

    A time is the number of an event. ``ids`` are the ids of tokens by number, `NO_PIECE` for those that are not
    entries.
    """

    def __init__(self, events: MergeEvents, ids: vec[i32]) -> None:
        count: i64 = len(events)
        tokens: i64 = len(events.pieces)
        self.events = events
        self.lefts = events.lefts
        self.rights = events.rights
        self.ids = ids
        self.merges = MergeTable(count)
        self.sizes = vec[i32]([0] * tokens)
        self._following = vec[i32]([_NONE] * count)  # the next event of the same pair or token
        self._first_removals = vec[i32]([_NONE] * tokens)
        self._part_starts = vec[i32]([0] * (count + 1))  # of each removal, in `_parts`
        parts: list[int] = []
        latest = vec[i32]([_NONE] * tokens)  # removals
        latest_merges: dict[int, int] = {}  # by the first event of a pair
        for token in range(tokens):
            self.sizes[token] = i32(len(events.pieces[token]))
        for event in range(count):
            self._part_starts[event] = i32(len(parts))
            left: i64 = i64(events.lefts[event])
            token = i64(events.tokens[event])
            if left >= 0:
                right: i64 = i64(events.rights[event])
                if not self.merges.set(event, left, right, token):
                    first: int = self.merges.find(left, right)
                    self._following[i64(latest_merges.get(first, first))] = i32(event)
                    latest_merges[first] = int(event)
                continue
            before: i64 = i64(latest[token])
            if before < 0:
                self._first_removals[token] = i32(event)
            else:
                self._following[before] = i32(event)
            latest[token] = i32(event)
            parts += events.parts_of(event)
        self._part_starts[count] = i32(len(parts))
        self._parts = vec[i32]([i32(part) for part in parts])

    def next_merge(self, left: i64, right: i64, time: i64) -> i64:
        """Returns the first event after a time that merges two tokens; -1 if there is none."""
        event = self.merges.find(left, right)
        if event == NO_MERGE:
            return -1
        while event >= 0 and event <= time:
            event = i64(self._following[event])
        return event

    def next_removal(self, token: i64, time: i64) -> i64:
        """Returns the first event after a time that removes a token; -1 if there is none."""
        event = i64(self._first_removals[token])
        while event >= 0 and event <= time:
            event = i64(self._following[event])
        return event

    def token_of(self, event: i64) -> i64:
        """Returns the token that an event makes, or removes."""
        return i64(self.events.tokens[event])

    def parts_of(self, event: i64) -> list[i64]:
        """Returns the tokens that replace the one that an event removes; none for a merge."""
        start: i64 = i64(self._part_starts[event])
        stop: i64 = i64(self._part_starts[event + 1])
        return [i64(part) for part in self._parts[start:stop]]


@final
class EventWord(PendingWord):
    """The tokens of ``data[start:stop]`` while the events are applied to them, each to all occurrences from left to
    right.

    `step` applies the next event that concerns an existing token, or two existing neighbours: after the last event,
    so that no event happens late. ``tokens[p]`` is the number of the token that begins at byte ``p`` of the word, -1
    inside one, and ``following[p]`` and ``previous[p]`` where its neighbours begin. A heap contains the next event of
    each token and of each pair; it is stale if these no longer exist.
    """

    def __init__(
        self, data: bytes, start: i64, stop: i64, table: EventTable, room: i64 = 0
    ) -> None:
        super().__init__(start, stop)
        self.size: i64 = stop - start
        self.time: i64 = _BEFORE_ALL
        """The last event that happened."""
        room = max(room, self.size)
        self.tokens = vec[i64]([0] * room)
        self.following = vec[i64]([0] * room)
        self.previous = vec[i64]([0] * room)
        self._table = table
        self._waiting = PositionHeap(room)
        self.begin(data, start, stop)

    def begin(self, data: bytes, start: i64, stop: i64) -> None:
        """Starts another word, of at most ``room`` bytes."""
        table = self._table
        tokens = self.tokens
        following = self.following
        previous = self.previous
        waiting = self._waiting
        waiting.count = 0
        size = stop - start
        self.start = start
        self.stop = stop
        self.size = size
        self.time = _BEFORE_ALL
        position: i64 = 0
        before: i64 = 0
        while position < size:
            byte: i64 = data[start + position]
            tokens[position] = byte
            following[position] = position + 1
            previous[position] = position - 1
            if position > 0:
                event = table.merges.find(before, byte)
                if event != NO_MERGE:
                    waiting.fill(event, position - 1)
            before = byte
            position += 1
        waiting.arrange()

    @property
    def next_event(self) -> i64:
        """The next possible event; -1 if there is none."""
        return self._waiting.entry(0) >> 32 if self._waiting.count > 0 else -1

    def step(self, budget: i64, trace: Trace | None) -> bool:
        """Applies up to ``budget`` merges and removals; true when there are no more."""
        waiting = self._waiting
        while budget > 0 and waiting.count > 0:
            self.happen(trace)
            budget -= 1
        return waiting.count == 0

    def happen(self, trace: Trace | None) -> None:
        """Applies the next event at one position, if it is still possible there; there has to be one."""
        table = self._table
        entry = self._waiting.pop()
        position: i64 = entry & POSITION_MASK
        event: i64 = entry >> 32
        left: i64 = i64(table.lefts[event])
        if left < 0:
            if self.tokens[position] == table.token_of(event):
                self.time = event
                self._remove(position, event, trace)
            return
        after = self.following[position]
        if (
            self.tokens[position] == left
            and after < self.size
            and self.tokens[after] == i64(table.rights[event])
        ):
            self.time = event
            self._merge(position, after, event, trace)

    def _merge(self, position: i64, after: i64, event: i64, trace: Trace | None) -> None:
        table = self._table
        token = table.token_of(event)
        if trace is not None:
            left: i64 = i64(table.ids[self.tokens[position]])
            right: i64 = i64(table.ids[self.tokens[after]])
            result: i64 = i64(table.ids[token])
            trace.add(MERGE, self.start + position, left, right, result, event)
        tokens = self.tokens
        following = self.following
        tokens[position] = token
        tokens[after] = _NONE
        behind = following[after]
        following[position] = behind
        if behind < self.size:
            self.previous[behind] = position
        self._await_token(position)
        self._await_pair(self.previous[position])
        self._await_pair(position)

    def _remove(self, position: i64, event: i64, trace: Trace | None) -> None:
        table = self._table
        parts = table.parts_of(event)
        behind = self.following[position]
        if trace is not None:
            self._trace_removal(position, parts, event, trace)
        at = position
        before = self.previous[position]
        for part in parts:
            self.tokens[at] = part
            self.previous[at] = before
            before = at
            at += i64(table.sizes[part])
            self.following[before] = at
        if behind < self.size:
            self.previous[behind] = before
        self._await_pair(self.previous[position])
        at = position
        while at < behind:
            self._await_token(at)
            self._await_pair(at)
            at = self.following[at]

    def _trace_removal(self, position: i64, parts: list[i64], event: i64, trace: Trace) -> None:
        """Adds the steps of a token that is split: its first part, then that of the rest, and so on."""
        ids = self._table.ids
        whole: i64 = i64(ids[self.tokens[position]])
        at = self.start + position
        for number in range(len(parts) - 1):
            part = parts[number]
            middle = at + i64(self._table.sizes[part])
            rest: i64 = NO_PIECE
            if number == len(parts) - 2:
                rest = i64(ids[parts[number + 1]])
            trace.add(UNMERGE, at, i64(ids[part]), rest, whole, middle, float(int(event)))
            whole = NO_PIECE
            at = middle

    def _await_token(self, position: i64) -> None:
        """Adds the removal of the token at a position to the heap."""
        token = self.tokens[position]
        if token >= BYTES:
            event = self._table.next_removal(token, self.time)
            if event >= 0:
                self._waiting.push(event, position)

    def _await_pair(self, position: i64) -> None:
        """Adds the merge of the token at a position with the next one to the heap."""
        if position < 0:
            return
        after = self.following[position]
        if after >= self.size:
            return
        tokens = self.tokens
        event = self._table.next_merge(tokens[position], tokens[after], self.time)
        if event >= 0:
            self._waiting.push(event, position)

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index after the last."""
        ids = self._table.ids
        tokens = self.tokens
        following = self.following
        size = self.size
        position: i64 = 0
        while position < size:
            out[count] = ids[tokens[position]]
            count += 1
            position = following[position]
        return count


class EventModel(Model):
    """Base of the models that apply merges and removals to a word as in the training; see `EventWord`.

    ``removed_too``: whether tokens that the training removed keep their entries.
    """

    def __init__(self, vocabulary: Vocabulary, events: MergeEvents, removed_too: bool) -> None:
        super().__init__(vocabulary, adds_up=True)
        self.reads_rules = False
        self.events = events
        tokens: i64 = len(events.pieces)
        ids = vec[i32]([NO_PIECE] * tokens)
        for token in range(tokens):
            there = bool(events.present[token])
            if not there and not removed_too:
                continue
            piece = events.pieces[token]
            id: i64 = vocabulary.find(piece)
            if id >= 0:
                ids[token] = i32(id)
            elif there:
                raise FormatError(f"The token {piece!r} that the merges make is not an entry.")
        self.table = EventTable(events, ids)
        self._memory = WordMemory()
        self._long_word: EventWord | None = None

    def take_pending(self) -> PendingWord | None:
        """Returns the word longer than `LONG` at which `encode_words` stopped, once."""
        long_word = self._long_word
        self._long_word = None
        return long_word

    def next_event(self, left: bytes, right: bytes, time: int) -> int:
        """Returns the first event after a time (the number of an event, -1: from the beginning) that merges two tokens.

        -1 if there is none. In a trace, events are the ranks of merges and the scores of tokens that are split.
        """
        first: i64 = self.events.number_of(left)
        second: i64 = self.events.number_of(right)
        if first < 0 or second < 0:
            return -1
        return self.table.next_merge(first, second, time)

    def byte_symbols(self) -> list[int]:
        """Returns the ids of the 256 bytes, with which every word begins."""
        ids = self.table.ids
        return [ids[byte] for byte in range(BYTES)]
