"""What it costs to merge one word in BPE: with a queue, by scanning all pairs repeatedly, or with a cache of words.

The queue and the cache are those used for encoding; the scan is the simplest method, with the same ids.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE
from tokenarium_core.errors import ArgumentError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_symbols import shown
from tokenarium_core.models.bpe.merge_heap import SymbolHeap
from tokenarium_core.models.bpe.merge_table import NO_MERGE, CharacterMerges
from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.models.word_cache import MEDIUM, WordMemory
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers.pretokenizer import REMOVED_RULE
from tokenarium_core.tokenizer import Tokenizer

MISS: Final = 0
HIT: Final = 1
LONG: Final = 2

OUTCOMES: Final = ["miss", "hit", "long"]
"""What a lookup of `WordLookups` found, by number."""

_GONE: Final = -1
_ALL: Final = 1 << 40


@final
class Rescan:
    """The simplest way to merge: look up all pairs, make the merge that comes first, and repeat.

    ``symbols[:count]`` are merged in place, by links to the next one. ``looked`` is how many pairs were looked up.
    """

    def __init__(self, symbols: vec[i64], count: int, merges: CharacterMerges) -> None:
        self.symbols = symbols
        self.count: i64 = count
        self.looked: i64 = 0
        self.made: i64 = 0
        self._merges = merges
        self.following = vec[i64]([0] * count)
        for at in range(count):
            self.following[at] = at + 1

    def step(self) -> bool:
        """Scans once, and makes the merge that comes first; false if there was none."""
        symbols = self.symbols
        following = self.following
        merges = self._merges
        count = self.count
        best: i64 = NO_MERGE
        left: i64 = 0
        looked: i64 = 0
        at: i64 = 0
        while at < count:
            right = following[at]
            if right >= count:
                break
            priority = merges.priority(symbols[at], symbols[right])
            looked += 1
            if priority < best:
                best = priority
                left = at
            at = right
        self.looked += looked
        if best == NO_MERGE:
            return False
        right = following[left]
        rank = merges.table.find(symbols[left], symbols[right])
        symbols[left] = i64(merges.table.results[rank])
        following[left] = following[right]
        self.made += 1
        return True

    def run(self, looks: int) -> bool:
        """Scans until about this many more pairs were looked up; returns whether any merge is left."""
        end: i64 = self.looked + looks
        while self.looked < end:
            if not self.step():
                return False
        return True


@final
class MergeLeaves:
    """The symbols of ``data[start:stop]`` before any merge, with where each begins and ends, and the merges.

    ``whole``: it is a whole word, in which user-defined pieces are matched; ``token`` is then the id of a word that
    the model encodes without merging, else -1. ArgumentError for a model that does not merge.
    """

    def __init__(self, model: Model, data: bytes, start: i64, stop: i64, whole: bool) -> None:
        self.vocabulary = model.vocabulary
        self.token: i64 = -1
        self.count: i64 = 0
        if isinstance(model, BytePairEncoder):
            self.merges = CharacterMerges(model.merges, vec[i32](), NO_MERGE)
            if whole and model.whole_pieces and stop > start:
                self.token = model.vocabulary.find_in(data, start, stop)
            count = stop - start
            self.symbols = vec[i64]([0] * count)
            self.starts = vec[i32]([0] * count)
            self.stops = vec[i32]([0] * count)
            ids = model.merger.byte_ids
            for at in range(count):
                byte: i64 = data[start + at]
                self.symbols[at] = ids[byte]
                self.starts[at] = i32(start + at)
                self.stops[at] = i32(start + at + 1)
        elif isinstance(model, CharacterBpe):
            source = model.source
            self.merges = model.merges
            if whole and stop > start:
                self.token = source.find_whole(data, start, stop)
            count = source.split(data, start, stop, whole, None)
            self.symbols = source.symbols[:count]
            self.starts = source.starts[:count]
            self.stops = source.stops[:count]
        else:
            raise ArgumentError("This model has no queue: only BPE by a list of merges has one.")
        if self.token < 0:
            self.count = count

    def heap(self) -> SymbolHeap:
        """Returns a queue of the possible merges of the symbols."""
        count = self.count
        return SymbolHeap(
            self.symbols[:count], self.starts[:count], self.stops[:count], count, self.merges, True
        )

    def scan(self) -> Rescan:
        """Returns the scan that merges the symbols."""
        return Rescan(self.symbols[: self.count], self.count, self.merges)

    def left(self, symbols: vec[i64], following: vec[i64]) -> list[int]:
        """Returns the ids of the remaining symbols; `trace.NO_PIECE` for one that is not an entry."""
        if self.token >= 0:
            return [self.token]
        ids: list[int] = []
        at: i64 = 0
        while at < self.count:
            ids.append(shown(symbols[at], self.vocabulary.count))
            at = following[at]
        return ids


@final
class MergeWork:
    """Merging the word ``data[start:stop]``, with the work of a queue and of scanning for each merge.

    The word is merged by `SymbolHeap`, which merges long words, whatever its length; short ones are scanned when a
    text is encoded, in the same order of merges. ``data`` is padded UTF-8 as the model reads it, see `Encoding.text`.

    ``merges`` is how many merges there are. ``queued[k]`` is the number of steps up to merge ``k``: pairs whose
    merge was looked up, and entries of the queue that were compared to maintain its order. The last one includes the
    remaining entries that are discarded. ``scanned[k]`` is the same for a scan, which looks up every pair for each
    merge, makes the first one, and ends with a scan that finds nothing: for n symbols and n merges about n² / 2 steps.

    `go_to` shows the queue and the symbols after a number of merges. ``whole`` is the id of a word that the model
    encodes without merging; else -1. ArgumentError for a model that does not merge.
    """

    def __init__(self, model: Model, data: bytes, start: int, stop: int) -> None:
        if not 0 <= start <= stop <= len(data) - PADDING:
            raise ArgumentError(
                f"There are no bytes {start} to {stop} in a text of {len(data) - PADDING}."
            )
        self._leaves = MergeLeaves(model, data, start, stop, True)
        self.whole: int = self._leaves.token
        self.count: int = self._leaves.count
        """How many symbols the word starts with."""
        self.merges: int = 0
        self.queued = vec[i64]()
        self.scanned = vec[i64]()
        self._position: i64 = 0
        self._heap = self._leaves.heap()
        self._count_queue()
        self._count_scans()
        self._heap = self._leaves.heap()

    def _count_queue(self) -> None:
        heap = self._heap
        vocabulary = self._leaves.vocabulary
        queued = vec[i64]([heap.looked])
        while not heap.step(1, vocabulary, None):
            queued = append(queued, heap.looked)
        now: i64 = 0
        for at in range(heap.count):
            if heap.symbols[at] != _GONE:
                now += 1
        # The last step either made the last merge, or only threw stale entries away.
        if heap.count - now == len(queued):
            queued = append(queued, heap.looked)
        queued[len(queued) - 1] = heap.looked
        self.queued = queued
        self.merges = heap.count - now

    def _count_scans(self) -> None:
        scan = self._leaves.scan()
        scanned = vec[i64]([0])
        while scan.step():
            scanned = append(scanned, scan.looked)
        scanned[len(scanned) - 1] = scan.looked
        self.scanned = scanned

    @property
    def position(self) -> int:
        """How many merges are made in the queue shown."""
        return self._position

    def go_to(self, merges: int) -> None:
        """Shows the queue and the symbols after this many merges."""
        target = max(0, min(merges, self.merges))
        if target < self._position:
            self._heap = self._leaves.heap()
            self._position = 0
        if target > self._position:
            self._heap.step(target - self._position, self._leaves.vocabulary, None)
        self._position = target

    def waiting(self) -> list[tuple[int, int, bool]]:
        """Returns the entries of the queue, in the order of its heap: the priority, the symbol, whether it is stale.

        The merge of a symbol is with the one after it. A stale entry, whose symbols have merged with others since it
        was made, is discarded when its turn comes.
        """
        return self._heap.waiting()

    def links(self) -> list[tuple[int, int, int, int, int]]:
        """Returns the symbols as a doubly linked list: first byte, byte after, id, the previous symbol, the
        next one.

        A symbol that was merged into the previous one has the id -1, and the links that it had then. -2 is a symbol
        that is not an entry of the vocabulary. The link before the first symbol is -1, the one after the last is
        their number.
        """
        heap = self._heap
        size: i64 = self._leaves.vocabulary.count
        links: list[tuple[int, int, int, int, int]] = []
        for at in range(heap.count):
            symbol: i64 = heap.symbols[at]
            links.append(
                (
                    i64(heap.starts[at]),
                    i64(heap.stops[at]),
                    symbol if symbol == _GONE else shown(symbol, size),
                    heap.previous[at],
                    heap.following[at],
                )
            )
        return links

    def symbols(self) -> list[int]:
        """Returns the current ids of the symbols, from left to right; `trace.NO_PIECE` for one that is not an entry."""
        return self._leaves.left(self._heap.symbols, self._heap.following)


@final
class LongMerging:
    """Merging a whole text as one word, in steps, with a queue or with a scan, to compare their cost as texts grow.

    ``count`` is the initial number of bytes or characters.
    """

    def __init__(self, model: Model, text: str, queue: bool) -> None:
        data = padded(text)
        self._leaves = MergeLeaves(model, data, 0, len(data) - PADDING, False)
        self.count: int = self._leaves.count
        self._heap: SymbolHeap | None = self._leaves.heap() if queue else None
        self._scan: Rescan | None = None if queue else self._leaves.scan()

    @property
    def looked(self) -> int:
        """How many steps were made so far; see `MergeWork`."""
        heap = self._heap
        scan = self._scan
        if heap is not None:
            return heap.looked
        return scan.looked if scan is not None else 0

    def step(self, steps: int) -> bool:
        """Works for about this many more steps; returns whether anything is left."""
        heap = self._heap
        scan = self._scan
        if heap is not None:
            return not heap.step(max(1, steps // 32), self._leaves.vocabulary, None)
        return scan is not None and scan.run(steps)

    def ids(self) -> list[int]:
        """Returns the ids of the remaining symbols; `trace.NO_PIECE` for one that is not an entry."""
        heap = self._heap
        scan = self._scan
        if heap is not None:
            return self._leaves.left(heap.symbols, heap.following)
        return self._leaves.left(scan.symbols, scan.following) if scan is not None else []


@final
class WordLookups:
    """The lookups of the words of a text, in order, in a cache of words that is empty at first.

    Word ``k`` is the bytes ``starts[k]`` to ``stops[k]`` of the normalized text, and ``outcomes[k]`` is `HIT` if its
    ids were cached, `MISS` if it had to be merged and was then cached, or `LONG` for more bytes than are cached
    (`MEDIUM`): it is merged each time, or in parts that are looked up separately. ``id_counts[k]`` is how many ids it
    has.

    The words are pre-tokens; in BPE over characters they are the parts into which a text may safely be split, as there
    are usually no pre-tokens. Added tokens are not looked up. ArgumentError for a model that does not merge.
    """

    def __init__(self, tokenizer: Tokenizer, text: str, special: str = "none") -> None:
        encoding = tokenizer.encode(text, special=special)
        self.starts = vec[i32]()
        self.stops = vec[i32]()
        self.outcomes = vec[u8]()
        self.id_counts = vec[i32]()
        self._data = encoding.text.data
        model = tokenizer.model
        if not isinstance(model, (BytePairEncoder, CharacterBpe)):
            raise ArgumentError("Only models of BPE can be examined here: this one does not merge.")
        self._room = vec[i32]([0] * (encoding.text.size * model.ids_per_byte + 64))
        self._memory = WordMemory()
        self._bytes: BytePairEncoder | None = None
        if isinstance(model, BytePairEncoder):
            self._bytes = model.fresh()
        ends = encoding.pre_tokens.ends
        names = encoding.pre_tokens.names
        start: i64 = 0
        for word in range(len(ends)):
            stop: i64 = i64(ends[word])
            name = names[encoding.pre_tokens.rules[word]]
            if name not in (ADDED_RULE, SPECIAL_RULE, REMOVED_RULE):
                if isinstance(model, CharacterBpe):
                    self._look_up_parts(model, start, stop)
                else:
                    self._look_up(start, stop)
            start = stop

    def __len__(self) -> int:
        return len(self.starts)

    def _look_up(self, start: i64, stop: i64) -> None:
        """Looks up a word of a byte-level model in separate caches."""
        model = self._bytes
        assert model is not None
        before = model.kept_words
        count = self._encode(model, start, stop)
        outcome: i64 = HIT
        if model.kept_words != before:
            outcome = MISS
        elif stop - start > MEDIUM:
            outcome = LONG
        self._add(start, stop, outcome, count)

    def _look_up_parts(self, model: CharacterBpe, start: i64, stop: i64) -> None:
        """Looks up the parts of a word in a cache like that of the model."""
        cut = model.cut
        ends = vec[i32]([0] * 72)
        pieces = vec[i32]([-1] * 72)
        at = start
        while at < stop:
            parts: i64 = 1
            ends[0] = i32(stop)
            pieces[0] = -1
            if cut is not None:
                parts = cut.cut(self._data, at, stop, ends, pieces)
            for part in range(parts):
                end: i64 = i64(ends[part])
                if i64(pieces[part]) == -1:
                    self._look_up_part(model, at, end)
                at = end

    def _look_up_part(self, model: CharacterBpe, start: i64, stop: i64) -> None:
        memory = self._memory
        value = memory.find(self._data, start, stop)
        if value >= 0:
            self._add(start, stop, HIT, memory.ids.write(value, self._room, 0))
            return
        count = self._encode(model, start, stop)
        memory.keep(self._data, start, stop, self._room, 0, count)
        self._add(start, stop, LONG if stop - start > MEDIUM else MISS, count)

    def _encode(self, model: Model, start: i64, stop: i64) -> i64:
        """Writes the ids of one word; returns how many they are."""
        words = WordBatch(vec[i32]([i32(stop)]), vec[u8]([0]))
        words.data = self._data
        words.start = start
        words.stop = 1
        count: i64 = 0
        while words.start < stop:
            words.first = 0
            count = model.encode_words(words, self._room, count)
            pending = model.take_pending()
            if pending is not None:
                while not pending.step(_ALL, None):
                    pass
                count = pending.write(self._room, count)
                words.start = pending.stop
        return count

    def _add(self, start: i64, stop: i64, outcome: i64, count: i64) -> None:
        self.starts = append(self.starts, i32(start))
        self.stops = append(self.stops, i32(stop))
        self.outcomes = append(self.outcomes, u8(outcome))
        self.id_counts = append(self.id_counts, i32(count))
