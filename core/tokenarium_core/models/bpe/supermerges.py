"""The merges of BoundlessBPE across pre-tokens: joining two neighbours that are each a single token."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.merge_events import MergeEvents
from tokenarium_core.models.bpe.merge_heap import SymbolHeap
from tokenarium_core.models.bpe.merge_table import NO_MERGE, CharacterMerges, MergeTable
from tokenarium_core.vocabulary import Vocabulary

_ALWAYS: Final = 1 << 40
_FEW: Final = 12  # symbols among which a scan finds the next merge faster than a heap


@final
class Supermerges:
    """Supermerge ``k`` joins the ids ``lefts[k]`` and ``rights[k]`` to ``results[k]``.

    It happens after the first ``times[k]`` events within pre-tokens, see `MergeEvents`.
    """

    def __init__(self) -> None:
        self.lefts = vec[i32]()
        self.rights = vec[i32]()
        self.results = vec[i32]()
        self.times = vec[i32]()

    def __len__(self) -> int:
        return len(self.lefts)

    def add(self, left: int, right: int, result: int, time: int) -> None:
        """Adds the next supermerge."""
        self.lefts = append(self.lefts, i32(left))
        self.rights = append(self.rights, i32(right))
        self.results = append(self.results, i32(result))
        self.times = append(self.times, i32(time))


@final
class SupermergeTable:
    """Applies supermerges to neighbouring pre-tokens: they are merged by rank, like bytes within a pre-token.

    All events of a training happen once, in order. A supermerge needs both its parts at its time, so one whose
    part is made later, or deleted earlier, never happens, and is omitted here. Of the others the one learned
    first is made first, and its result can only be part of later ones: so merging by rank is equivalent.

    ``units[id]`` is 1 for the ids with which a pre-token may take part. `crosses` tells whether any supermerge could
    ever join two pre-tokens, alone or with others around them: elsewhere a text may be split.
    """

    def __init__(
        self, supermerges: Supermerges, vocabulary: Vocabulary, events: MergeEvents
    ) -> None:
        count: i64 = len(supermerges)
        self.supermerges = supermerges
        self.table = MergeTable(count)
        self.units = vec[i32]([0] * len(vocabulary))
        self.longest: i64 = 0
        """The bytes of the longest pre-token that may take part."""
        self._merges = CharacterMerges(self.table, vec[i32](), NO_MERGE)
        self._ends = MergeTable(count)
        self._makers = vec[i32]([-1] * len(vocabulary))
        self._bytes = vec[i32]([0] * 65536)
        self._lives = _Lives(vocabulary, events)
        for number in range(count):
            self._add(number, vocabulary)

    def _add(self, number: i64, vocabulary: Vocabulary) -> None:
        supermerges = self.supermerges
        lives = self._lives
        left: i64 = i64(supermerges.lefts[number])
        right: i64 = i64(supermerges.rights[number])
        result: i64 = i64(supermerges.results[number])
        time: i64 = i64(supermerges.times[number])
        lives.make(result, left, right, vocabulary)
        self._makers[result] = i32(number)
        if not lives.has(left, time) or not lives.has(right, time):
            return
        if not self.table.set(number, left, right, result):
            raise FormatError(
                f"Two supermerges join {vocabulary.surface(left)!r} and {vocabulary.surface(right)!r}."
            )
        before = i64(lives.lasts[left])
        behind = i64(lives.firsts[right])
        self._ends.set(0, before, behind, 0)
        piece = vocabulary.piece(before)
        self._bytes[i64(piece[-1]) << 8 | i64(vocabulary.piece(behind)[0])] = 1
        for token in (before, behind):
            self.units[token] = 1
            self.longest = max(self.longest, len(vocabulary.piece(token)))

    def is_joined(self, token: i64) -> bool:
        """Returns whether a supermerge makes an id."""
        return i64(self._makers[token]) >= 0

    def is_reached(self, token: i64) -> bool:
        """Returns whether the words that an id of a supermerge is made of become it, with nothing around them."""
        words: list[i64] = []
        waiting: list[i64] = [token]
        while waiting:
            part = waiting.pop()
            maker = i64(self._makers[part])
            if maker < 0:
                words.append(part)
            else:
                waiting.append(i64(self.supermerges.rights[maker]))
                waiting.append(i64(self.supermerges.lefts[maker]))
        symbols = vec[i64](words)
        left = self.join(symbols, vec[i32]([0] * len(words)), len(words))
        return left == 1 and symbols[0] == token

    def crosses(self, left: i64, right: i64) -> bool:
        """Returns whether a supermerge could join pre-tokens that are these ids."""
        return self._ends.find(left, right) != NO_MERGE

    def may_cross(self, before: i64, behind: i64) -> bool:
        """Returns whether it could join one that ends in a byte, and the next one that begins with another."""
        return i64(self._bytes[before << 8 | behind]) == 1

    def join(self, symbols: vec[i64], stops: vec[i32], count: i64) -> i64:
        """Merges ``symbols[:count]``; returns how many are left.

        ``stops[k]`` is then the index after the last of symbol k.
        """
        if count > _FEW:
            return self._join_many(symbols, stops, count)
        table = self.table
        for index in range(count):
            stops[index] = i32(index + 1)
        while True:
            best: i64 = NO_MERGE
            place: i64 = 0
            at: i64 = 0
            while at < count - 1:
                rank = table.find(symbols[at], symbols[at + 1])
                if rank < best:
                    best = rank
                    place = at
                at += 1
            if best == NO_MERGE:
                return count
            symbols[place] = i64(table.results[best])
            stops[place] = stops[place + 1]
            count -= 1
            at = place + 1
            while at < count:
                symbols[at] = symbols[at + 1]
                stops[at] = stops[at + 1]
                at += 1

    def _join_many(self, symbols: vec[i64], stops: vec[i32], count: i64) -> i64:
        starts = vec[i32]([0] * count)
        for index in range(count):
            starts[index] = i32(index)
            stops[index] = i32(index + 1)
        heap = self.heap(symbols, starts, stops, count)
        while not heap.step(_ALWAYS, self._lives.vocabulary, None):
            pass
        return heap.gather()

    def heap(self, symbols: vec[i64], starts: vec[i32], stops: vec[i32], count: i64) -> SymbolHeap:
        """Returns the symbols of a sequence of pre-tokens, to be merged step by step."""
        return SymbolHeap(symbols, starts, stops, count, self._merges)


@final
class _Lives:
    """When each id exists, in events within pre-tokens, and which pre-tokens are its first and its last."""

    def __init__(self, vocabulary: Vocabulary, events: MergeEvents) -> None:
        ids: i64 = len(vocabulary)
        self.vocabulary = vocabulary
        self.firsts = vec[i32]([-1] * ids)
        self.lasts = vec[i32]([-1] * ids)
        self._born = vec[i32]([-1] * ids)
        self._gone = vec[i64]([_ALWAYS] * ids)
        for number in range(len(events.pieces)):
            token: i64 = vocabulary.find(events.pieces[number])
            if token >= 0:
                self.firsts[token] = self.lasts[token] = i32(token)
        for event in range(len(events)):
            token = vocabulary.find(events.pieces[i64(events.tokens[event])])
            if token < 0:
                continue
            if i64(events.lefts[event]) < 0:
                self._gone[token] = event
            elif i64(self._born[token]) >= 0:
                raise FormatError(
                    f"Two merges make the entry {vocabulary.surface(token)!r}: a training of BoundlessBPE makes none twice."
                )
            else:
                self._born[token] = i32(event)

    def make(self, token: i64, left: i64, right: i64, vocabulary: Vocabulary) -> None:
        """Records the product of a supermerge."""
        if i64(self.firsts[token]) >= 0:
            raise FormatError(
                f"The entry {vocabulary.surface(token)!r} is made by a supermerge and by another merge."
            )
        if i64(self.firsts[left]) < 0 or i64(self.lasts[right]) < 0:
            raise FormatError(
                f"The supermerge that makes {vocabulary.surface(token)!r} needs an entry that no merge before it makes."
            )
        self.firsts[token] = self.firsts[left]
        self.lasts[token] = self.lasts[right]

    def has(self, token: i64, time: i64) -> bool:
        """Returns whether an id exists after this many events; the product of a supermerge always does."""
        return i64(self._born[token]) < time <= self._gone[token]
