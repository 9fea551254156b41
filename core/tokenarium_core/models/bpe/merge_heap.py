"""Merging any number of symbols in O(n log n), in steps: linked symbols and a heap of possible merges.

The scans of `WordMerger` and `CharacterMerger` merge short words faster, in the same order: first merge first, leftmost
among equals. This is for long words: 1 MB of one letter is also one pre-token, and must neither block the program nor
take quadratic time.

The structure follows huggingface/tokenizers, ``models/bpe/word.rs``, and google/sentencepiece, ``src/bpe_model.cc``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import check_rows
from tokenarium_core.models.bpe.character_symbols import shown
from tokenarium_core.models.bpe.merge_table import NO_MERGE, CharacterMerges, MergeTable
from tokenarium_core.models.model import PendingWord
from tokenarium_core.trace import MERGE, Trace
from tokenarium_core.vocabulary import Vocabulary

POSITION_MASK: Final = 0xFFFFFFFF
"""The mask of the position in an entry; the rank is above its 32 bits."""

_GONE: Final = -1

_AT_ONCE: Final = 1 << 16
"""The positions of a long word that are looked up, or ordered, in one step: a few milliseconds."""

_STALE: Final = 4
"""The entries examined in one step for each allowed merge: nearly all may be stale at the end."""


@final
class PositionHeap:
    """Entries ``rank << 32 | position``, the smallest first. There is room for ``room`` at first.

    ``looked``: how many entries were compared so far to maintain the order, if it is ``counting``.
    """

    def __init__(self, room: i64, counting: bool = False) -> None:
        check_rows(room)
        self._entries = vec[i64]([0] * (room + 2))
        self.count: i64 = 0
        self.counting = counting
        self.looked: i64 = 0

    def fill(self, rank: i64, position: i64) -> None:
        """Adds an entry unordered; there must be room. Call `arrange` afterwards."""
        self._entries[self.count] = rank << 32 | position
        self.count += 1

    def arrange(self) -> None:
        """Orders the entries that were added."""
        at: i64 = self.count // 2 - 1
        while at >= 0:
            self._sink(at)
            at -= 1

    def arrange_some(self, at: i64, most: i64) -> i64:
        """Does what `arrange` does for ``most`` positions up to ``at``; returns where to continue, -1 at the end."""
        last = max(at - most, -1)
        while at > last:
            self._sink(at)
            at -= 1
        return at

    def push(self, rank: i64, position: i64) -> None:
        """Adds an entry."""
        at = self.count
        if at == len(self._entries):
            larger = vec[i64]([0] * (at * 2))
            for index in range(at):
                larger[index] = self._entries[index]
            self._entries = larger
        entries = self._entries
        entry: i64 = rank << 32 | position
        self.count = at + 1
        last = at
        while at > 0:
            parent = (at - 1) // 2
            if entries[parent] <= entry:
                break
            entries[at] = entries[parent]
            at = parent
        entries[at] = entry
        if self.counting:  # one on each level that it rose, and one where it stayed
            self.looked += _level(last) - _level(at) + (1 if at > 0 else 0)

    def pop(self) -> i64:
        """Removes and returns the smallest entry, which must exist."""
        entries = self._entries
        entry = entries[0]
        self.count -= 1
        entries[0] = entries[self.count]
        self._sink(0)
        return entry

    def entry(self, at: i64) -> i64:
        """Returns the entry at a position of the heap, 0 being the smallest."""
        return self._entries[at]

    def _sink(self, at: i64) -> None:
        """Moves the entry at ``at`` down until its children are not smaller."""
        entries = self._entries
        count = self.count
        if at >= count:
            return
        entry = entries[at]
        first = at
        while True:
            child = at * 2 + 1
            if child >= count:
                break
            if child + 1 < count and entries[child + 1] < entries[child]:
                child += 1
            if entries[child] >= entry:
                break
            entries[at] = entries[child]
            at = child
        entries[at] = entry
        if self.counting:  # both children on each level that it sank, and where it stayed
            self.looked += 2 * (_level(at) - _level(first) + (1 if at * 2 + 1 < count else 0))


def _level(at: i64) -> i64:
    """Returns how many levels of a heap are above an index."""
    level: i64 = 0
    while at > 0:
        at = (at - 1) // 2
        level += 1
    return level


@final
class LongWord(PendingWord):
    """The symbols of one word and the waiting merges, lowest rank first.

    ``symbols[p]`` is the id of the symbol that begins at byte p of the word, -1 inside a symbol;
    ``following[p]`` and ``previous[p]`` are the positions of its neighbours. A waiting merge is stale if the pair at
    its position now has a different rank. The first steps look up the pairs and order them: a word may have megabytes.
    """

    def __init__(
        self, data: bytes, start: i64, stop: i64, ids: vec[i64], merges: MergeTable
    ) -> None:
        super().__init__(start, stop)
        size = stop - start
        self.size: i64 = size
        self.merges = merges
        self.symbols = vec[i32]([0] * size)
        self.following = vec[i32]([0] * size)
        self.previous = vec[i32]([0] * size)
        self._data = data
        self._ids = ids
        self._placed: i64 = 0  # the places that have symbols
        self._unarranged: i64 = -1  # the place from which on the heap is to be put into order
        self._waiting = PositionHeap(size)

    def _place_some(self) -> None:
        """Writes the next symbols, and adds their merges."""
        data = self._data
        symbols = self.symbols
        waiting = self._waiting
        merges = self.merges
        position = self._placed
        last = min(position + _AT_ONCE, self.size)
        left: i64 = i64(symbols[position - 1]) if position > 0 else 0
        while position < last:
            symbol: i64 = self._ids[i64(data[self.start + position])]
            symbols[position] = i32(symbol)
            self.following[position] = i32(position + 1)
            self.previous[position] = i32(position - 1)
            if position > 0:
                rank = merges.find(left, symbol)
                if rank != NO_MERGE:
                    waiting.fill(rank, position - 1)
            left = symbol
            position += 1
        self._placed = last
        if last == self.size:
            self._unarranged = waiting.count // 2 - 1

    def step(self, most: i64, trace: Trace | None) -> bool:
        """Makes up to ``most`` merges; true when no more can be made."""
        if self._placed < self.size:
            self._place_some()
            return False
        if self._unarranged >= 0:
            self._unarranged = self._waiting.arrange_some(self._unarranged, _AT_ONCE)
            return False
        symbols = self.symbols
        following = self.following
        previous = self.previous
        merges = self.merges
        results = merges.results
        waiting = self._waiting
        size = self.size
        looked: i64 = 0
        while most > 0:
            if waiting.count == 0:
                return True
            if looked // _STALE >= most:
                return False
            looked += 1
            entry = waiting.pop()
            left: i64 = entry & POSITION_MASK
            rank: i64 = entry >> 32
            first: i64 = i64(symbols[left])
            if first < 0:
                continue
            right: i64 = i64(following[left])
            if right >= size or merges.find(first, i64(symbols[right])) != rank:
                continue
            # In a word like "aaa" two equal merges overlap; the leftmost comes first, since equal
            # ranks are ordered by place, and the other is stale then.
            result: i64 = i64(results[rank])
            if trace is not None:
                trace.add(MERGE, self.start + left, first, i64(symbols[right]), result, rank)
            symbols[left] = i32(result)
            symbols[right] = -1
            after: i64 = i64(following[right])
            following[left] = i32(after)
            if after < size:
                previous[after] = i32(left)
                behind = merges.find(result, i64(symbols[after]))
                if behind != NO_MERGE:
                    waiting.push(behind, left)
            before: i64 = i64(previous[left])
            if before >= 0:
                ahead = merges.find(i64(symbols[before]), result)
                if ahead != NO_MERGE:
                    waiting.push(ahead, before)
            most -= 1
        return waiting.count == 0

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index after the last."""
        symbols = self.symbols
        following = self.following
        position: i64 = 0
        while position < self.size:
            out[count] = symbols[position]
            count += 1
            position = i64(following[position])
        return count


@final
class SymbolHeap:
    """Symbols 0 to ``count - 1`` with the waiting merges, and where in the text each begins and ends.

    A waiting merge, by its priority, is stale if the pair at its position now has a different
    merge. A symbol that was merged into the previous one is -1 until `gather` closes the gaps.

    ``following[k]`` and ``previous[k]`` are the neighbours of symbol k: a doubly linked list in two arrays.

    ``seen`` records which pair was seen last for each piece that is never used, if that is ambiguous.
    """

    def __init__(
        self,
        symbols: vec[i64],
        starts: vec[i32],
        stops: vec[i32],
        count: i64,
        merges: CharacterMerges,
        counting: bool = False,
    ) -> None:
        self.symbols = symbols
        self.starts = starts
        self.stops = stops
        self.count: i64 = count
        self.merges = merges
        self.seen: dict[int, tuple[int, int]] = {}
        self.following = vec[i64]([0] * count)
        self.previous = vec[i64]([0] * count)
        self._looked_up: i64 = max(count - 1, 0)  # pairs whose merge was looked up
        self._waiting = PositionHeap(count, counting)
        following = self.following
        previous = self.previous
        waiting = self._waiting
        for position in range(count):
            following[position] = position + 1
            previous[position] = position - 1
        for position in range(count - 1):
            priority = self._look(symbols[position], symbols[position + 1])
            if priority != NO_MERGE:
                waiting.fill(priority, position)
        waiting.arrange()

    def step(self, most: i64, vocabulary: Vocabulary, trace: Trace | None) -> bool:
        """Makes up to ``most`` merges; true when no more can be made."""
        symbols = self.symbols
        following = self.following
        previous = self.previous
        merges = self.merges
        table = merges.table
        results = table.results
        priorities = merges.priorities
        first_tied = merges.first_tied
        waiting = self._waiting
        count = self.count
        looked_up: i64 = 0
        while most > 0 and waiting.count > 0:
            entry = waiting.pop()
            left: i64 = entry & POSITION_MASK
            priority: i64 = entry >> 32
            if symbols[left] == _GONE:
                continue
            right: i64 = following[left]
            if right >= count:
                continue
            rank = table.find(symbols[left], symbols[right])
            looked_up += 1
            if rank == NO_MERGE:
                continue
            result: i64 = i64(results[rank])
            if rank >= first_tied:
                if i64(priorities[rank]) != priority:
                    continue
            elif result != i64(results[priority]):
                continue
            if trace is not None:
                add_merge(
                    trace,
                    vocabulary,
                    i64(self.starts[left]),
                    symbols[left],
                    symbols[right],
                    result,
                    rank,
                )
            symbols[left] = result
            symbols[right] = _GONE
            self.stops[left] = self.stops[right]
            after: i64 = following[right]
            following[left] = after
            before: i64 = previous[left]
            if before >= 0:
                looked_up += 1
                ahead = self._look(symbols[before], result)
                if ahead != NO_MERGE:
                    waiting.push(ahead, before)
            if after < count:
                previous[after] = left
                looked_up += 1
                behind = self._look(result, symbols[after])
                if behind != NO_MERGE:
                    waiting.push(behind, left)
            most -= 1
        self._looked_up += looked_up
        return waiting.count == 0

    @property
    def looked(self) -> i64:
        """How many steps were made so far: pairs whose merge was looked up, and, if counting, compared entries."""
        return self._looked_up + self._waiting.looked

    def waiting(self) -> list[tuple[int, int, bool]]:
        """Returns the entries of the heap in its own order: the priority, the symbol, and whether it is stale."""
        pairs: list[tuple[int, int, bool]] = []
        for at in range(self._waiting.count):
            entry = self._waiting.entry(at)
            priority: i64 = entry >> 32
            left: i64 = entry & POSITION_MASK
            pairs.append((priority, left, not self._is_there(priority, left)))
        return pairs

    def _is_there(self, priority: i64, left: i64) -> bool:
        """Returns whether a symbol and the next one still have the merge of an entry."""
        right: i64 = self.following[left]
        if self.symbols[left] == _GONE or right >= self.count:
            return False
        rank = self.merges.table.find(self.symbols[left], self.symbols[right])
        if rank == NO_MERGE:
            return False
        results = self.merges.table.results
        if rank >= self.merges.first_tied:
            return i64(self.merges.priorities[rank]) == priority
        return i64(results[rank]) == i64(results[priority])

    def gather(self) -> i64:
        """Moves the remaining symbols, with their positions, to the front; returns their number."""
        symbols = self.symbols
        starts = self.starts
        stops = self.stops
        following = self.following
        at: i64 = 0
        left: i64 = 0
        while at < self.count:
            symbols[left] = symbols[at]
            starts[left] = starts[at]
            stops[left] = stops[at]
            left += 1
            at = following[at]
        return left

    def _look(self, left: i64, right: i64) -> i64:
        """Returns the priority of a pair; records the pair of a piece that will have to be split."""
        merges = self.merges
        rank = merges.table.find(left, right)
        if rank == NO_MERGE:
            return rank
        if merges.ambiguous:
            result = i64(merges.table.results[rank])
            if result in merges.splits:
                self.seen[result] = (left, right)
        return rank if rank < merges.first_tied else i64(merges.priorities[rank])


def add_merge(
    trace: Trace,
    vocabulary: Vocabulary,
    position: i64,
    left: i64,
    right: i64,
    result: i64,
    rank: i64,
) -> None:
    """Adds the event of one merge; symbols beyond the ids of the vocabulary are not pieces."""
    scores = vocabulary.scores
    trace.add(
        MERGE,
        position,
        shown(left, vocabulary.count),
        shown(right, vocabulary.count),
        result,
        rank,
        scores[result] if len(scores) else 0.0,
    )
