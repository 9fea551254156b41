"""The tokens of a text with the first N merges of a vocabulary, for every N, from one run: merges nest.

A vocabulary is its *base*, the entries that no merge makes (bytes, characters, special tokens …), and one piece for
each merge. Merges that make an existing piece (two ways to make one piece) do not add a size.

Of all neighbours that have a merge, the pair with the lowest rank is merged first. A run with the merges below some
rank does the same as the run with all of them, as long as the latter makes merges below that rank. When it makes a
different one, no merge below the rank was left, and the shorter run is over. So the shorter run is the beginning of
the full run. A later merge of a lower rank (whose parts a higher one made) is not in it: a merge needs as many merges
as the highest rank so far in its word. The highest rank among the merges that it is made of gives the same number.

    l o w e r, by the merges  1 lo   2 er   3 wer   4 low   5 lower
    full run:                 lo, er, wer, then lo wer has no merge
    from N merges on:         lo 1, er 2, wer 3; so 3 merges and more give  lo wer,  2 give  lo w er
"""

from __future__ import annotations

from time import perf_counter
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import UnsupportedError
from tokenarium_core.guard import TURNS
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_cut import SPACES, CharacterCut
from tokenarium_core.models.bpe.hf_bpe import HfSymbols
from tokenarium_core.models.bpe.merge_heap import LongWord, SymbolHeap
from tokenarium_core.models.bpe.merge_table import NO_MERGE, CharacterMerges, MergeTable
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.models.model import Model
from tokenarium_core.models.named_pieces import BY_NAME, NamedPieces
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.progress import Progress
from tokenarium_core.sections import Sections
from tokenarium_core.trace import NO_PIECE, Trace

INSIDE: Final = -1
"""The level of a byte at which no token begins, for any number of merges."""

ALWAYS: Final = 2147483647
"""The level of a byte at which a token begins, for any number of merges."""

NOTHING: Final = -1
"""The id of a region without a token: a pre-tokenizer removed it."""

_SLICE: Final = 2048  # words that are cut at a time
_PARTS: Final = 64  # parts between two looks at the clock
_SHORT: Final = 4096  # bytes of a part that is merged at once
_MERGES: Final = 20000  # merges in a longer one between two looks at the clock
_ALL: Final = 1 << 40


@final
class MergeLevels:
    """For each merge, how many merges of the vocabulary include it.

    ``of_rank[rank]`` is that number for the merge of a rank, from 1 on; ``of_piece[id]`` is the number for the first
    merge that makes a piece, and 0 for entries of the base. Pieces with the same score are added together (which of
    them is merged first depends on the text): all have the number of the last. ``pieces[n - 1]`` is what merge n
    makes, ``lefts`` and ``rights`` what it joins; a symbol that is not a piece has an id beyond the vocabulary.
    """

    def __init__(
        self, count: i64, table: MergeTable, priorities: vec[i32], first_tied: i64
    ) -> None:
        ranks: i64 = len(table.results)
        self.of_rank = vec[i32]([0] * ranks)
        self.of_piece = vec[i32]([0] * count)
        pieces = vec[i32]([0] * ranks)
        lefts = vec[i32]([0] * ranks)
        rights = vec[i32]([0] * ranks)
        made: i64 = 0
        for rank in range(ranks):
            piece: i64 = i64(table.results[rank])
            if piece < 0:
                continue
            if i64(self.of_piece[piece]) == 0:
                pieces[made] = i32(piece)
                lefts[made] = table.lefts[rank]
                rights[made] = table.rights[rank]
                made += 1
                self.of_piece[piece] = i32(made)
            self.of_rank[rank] = i32(made)
        self.pieces = pieces[:made]
        self.lefts = lefts[:made]
        self.rights = rights[:made]
        self.base: i64 = count - made
        if len(priorities):
            self._join_equals(table, priorities, first_tied)

    def __len__(self) -> int:
        """How many merges there are."""
        return len(self.pieces)

    def _join_equals(self, table: MergeTable, priorities: vec[i32], first_tied: i64) -> None:
        level: i64 = 0
        priority: i64 = -1
        rank: i64 = len(self.of_rank) - 1
        while rank >= first_tied:
            if i64(table.results[rank]) >= 0:
                if i64(priorities[rank]) != priority:
                    priority = i64(priorities[rank])
                    level = i64(self.of_rank[rank])
                self.of_rank[rank] = i32(level)
                if i64(self.of_piece[i64(table.results[rank])]) < level:
                    self.of_piece[i64(table.results[rank])] = i32(level)
            rank -= 1


def merge_levels(model: Model) -> MergeLevels:
    """Returns the order of the merges of a model; UnsupportedError, with the reason, if it has none."""
    nothing = vec[i32]()
    if isinstance(model, BytePairEncoder):
        return MergeLevels(model.vocabulary.count, model.merges, nothing, NO_MERGE)
    if isinstance(model, CharacterBpe):
        merges: CharacterMerges = model.merges
        source = model.source
        if len(merges.splits):
            raise UnsupportedError(
                "Some entries of this vocabulary are marked as unused, and split again after the last merge. So the"
                " first merges alone give no tokenization of a text."
            )
        if isinstance(source, SentencePieceSymbols):
            if len(source.byte_ids) == 0 and len(source.pieces.codes) > 1:
                raise UnsupportedError(
                    "Some entries of this vocabulary have characters that are not entries themselves, and it has no"
                    " bytes to fall back on. So the first merges alone give no tokenization of a text."
                )
        return MergeLevels(
            model.vocabulary.count, merges.table, merges.priorities, merges.first_tied
        )
    if isinstance(model, BoundlessBpe):
        raise UnsupportedError(
            "BoundlessBPE joins words by supermerges and deletes tokens between its merges: what the first N merges make"
            " of a text is not found in what all of them make."
        )
    if isinstance(model, PickyBpe):
        raise UnsupportedError(
            "PickyBPE also removes entries: a smaller vocabulary of the same training has some that this one lacks, so the"
            " first N of its entries are not the vocabulary of that size."
        )
    if isinstance(model, Unigram):
        raise UnsupportedError(
            "Unigram does not merge. It was made by leaving entries out of a larger vocabulary, and at each size all"
            " scores were different: the first N of its entries are not the vocabulary of that size."
        )
    if isinstance(model, WordPiece):
        raise UnsupportedError(
            "WordPiece does not merge when it encodes, it matches the longest entry; and its file does not say in"
            " which order its entries were made."
        )
    if isinstance(model, NamedPieces):
        raise UnsupportedError(f"The merges of this tokenizer are not followed: {BY_NAME}.")
    raise UnsupportedError("This model looks up whole words or characters: it does not merge.")


@final
class NestedCuts:
    """One text: call `step` until it reports that it is finished. ``merges`` are those of the model.

    The columns have a row for each byte of the normalized ``text``. With N merges a token begins at byte b where
    ``levels[b] > N``. Its id is ``firsts[b]`` where nothing was merged in it; else it is ``results[c]`` at the
    byte c inside it, with ``levels[c] <= N``, at which ``orders[c]`` is greatest: the last merge.
    """

    def __init__(self, sections: Sections, model: Model, merges: MergeLevels) -> None:
        self.merges = merges
        self.text = sections.text
        size = sections.text.size
        self.size: i64 = size
        self.levels = vec[i32]([INSIDE] * size)
        self.firsts = vec[i32]([NOTHING] * size)
        self.orders = vec[i32]([0] * size)
        self.results = vec[i32]([NOTHING] * size)
        self._bytes: BytePairEncoder | None = None
        self._characters: CharacterBpe | None = None
        self._cut: CharacterCut | None = None
        self._count: i64 = model.vocabulary.count
        self._byte_ids = vec[i32]()  # of characters that fall back to bytes
        self._unknown: i64 = -1
        self._fuses = False
        self._read(model)
        self._data = sections.text.data
        self._pre_tokenizer = sections.pre_tokenizer.for_text()
        self._regions = sections.regions
        self._region: i64 = 0
        self._position: i64 = 0
        self._ends = vec[i32]([0] * size)  # the byte after the symbol that begins at a byte
        self._word_ends = vec[i32]([0] * _SLICE)
        self._word_rules = vec[u8]([0] * _SLICE)
        self._words: i64 = 0
        self._word: i64 = 0
        self._word_start: i64 = 0
        self._part_ends = vec[i32]([0] * _SLICE)
        self._part_pieces = vec[i32]([-1] * _SLICE)
        self._parts: i64 = 0
        self._part: i64 = 0
        self._seen: dict[bytes, int] = {}  # where parts first occurred
        self._trace = Trace()
        self._long: LongWord | None = None
        self._heap: SymbolHeap | None = None
        self._waiting: i64 = 0  # the beginning of a part that is too long to be merged at once

    def _read(self, model: Model) -> None:
        """Collects what the model needs to know."""
        if isinstance(model, BytePairEncoder):
            self._bytes = model
        elif isinstance(model, CharacterBpe):
            self._characters = model
            self._cut = model.cut
            source = model.source
            if isinstance(source, SentencePieceSymbols):
                self._byte_ids = source.byte_ids
                self._unknown = source.unknown
                self._fuses = len(source.byte_ids) == 0
            elif isinstance(source, HfSymbols):
                self._unknown = source.unknown
                self._fuses = source.fuses

    @property
    def finished(self) -> bool:
        """Whether the whole text is processed."""
        return self._region == len(self._regions)

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds and reports the bytes processed.

        PatternError as in `EncodeJob`.
        """
        stop = perf_counter() + budget_ms / 1000
        while not self.finished:
            TURNS.enter()
            try:
                self._advance()
            finally:
                TURNS.leave()
            if perf_counter() >= stop:
                break
        return Progress("merging", self._position, self.size, self.finished)

    def _advance(self) -> None:
        """Processes one slice: an added token, some parts of words, or some merges of a long part."""
        if self._long is not None or self._heap is not None:
            if not self._merge_on():
                return
        start, stop, token = self._regions[self._region]
        if token >= 0:
            self._put(start, stop, token)
            self._position = stop
        elif self._position < stop:
            if self._word == self._words:
                self._words = self._pre_tokenizer.cut(
                    self._data, self._position, stop, self._word_ends, self._word_rules
                )
                self._word = 0
                self._word_start = self._position
            self._take_parts()
        if self._position == stop and self._long is None and self._heap is None:
            self._region += 1

    def _take_parts(self) -> None:
        """Processes some parts, up to one that is long enough to be deferred."""
        for _ in range(_PARTS):
            if self._part == self._parts:
                if self._word == self._words:
                    return
                if not self._cut_word():
                    continue
            start = self._position
            end = i64(self._part_ends[self._part])
            piece = i64(self._part_pieces[self._part])
            self._part += 1
            if piece == SPACES and i64(self._part_pieces[self._part]) == -1:
                # Only with all merges can a run of spaces be separated from the word after it.
                end = i64(self._part_ends[self._part])
                self._part += 1
            self._position = end
            if piece >= 0:
                self._put(start, end, piece)
            else:
                self._take(start, end)
            if self._part == self._parts and end == i64(self._word_ends[self._word]):
                self._word += 1
                self._word_start = end
            if self._long is not None or self._heap is not None:
                return

    def _cut_word(self) -> bool:
        """Splits a word, or the rest of it, into parts that merge independently; false if it gives nothing."""
        end = i64(self._word_ends[self._word])
        self._part = 0
        self._parts = 0
        if i64(self._word_rules[self._word]) == REMOVED:
            self._put(self._position, end, NOTHING)
            self._position = end
            self._word += 1
            self._word_start = end
            return False
        cut = self._cut
        if cut is None:
            self._part_ends[0] = i32(end)
            self._part_pieces[0] = -1
            self._parts = 1
        else:
            self._parts = cut.cut(
                self._data, self._position, end, self._part_ends, self._part_pieces
            )
        return True

    def _put(self, start: i64, stop: i64, token: i64) -> None:
        """Writes a region that is one token at all sizes."""
        self.levels[start] = i32(ALWAYS)
        self.firsts[start] = i32(token)

    def _take(self, start: i64, stop: i64) -> None:
        """Writes the columns of a part: copied if it occurred before, else by merging it."""
        content = self._data[start:stop]
        seen = self._seen.get(content, -1)
        if seen < 0:
            self._seen[content] = start
            self._begin(start, stop)
            if self._long is not None or self._heap is not None:
                return
        else:
            levels = self.levels
            firsts = self.firsts
            orders = self.orders
            results = self.results
            source: i64 = seen
            for at in range(start, stop):
                levels[at] = levels[source]
                firsts[at] = firsts[source]
                orders[at] = orders[source]
                results[at] = results[source]
                source += 1
            levels[start] = i32(ALWAYS)
        self._fuse(start)

    def _begin(self, start: i64, stop: i64) -> None:
        """Writes the symbols of a new part, and merges it; or defers it, if it is long."""
        self._trace = Trace()
        characters = self._characters
        if characters is not None:
            source = characters.source
            count = source.split(self._data, start, stop, self._cut is None, None)
            self._write_symbols(source.symbols, source.starts, source.stops, count, start, stop)
            heap = SymbolHeap(source.symbols, source.starts, source.stops, count, characters.merges)
            if stop - start > _SHORT:
                source.release()
                self._heap = heap
                self._waiting = start
                return
            heap.step(_ALL, characters.vocabulary, self._trace)
        model = self._bytes
        if model is not None:
            merger = model.merger
            for at in range(start, stop):
                byte: i64 = self._data[at]
                self.firsts[at] = i32(merger.byte_ids[byte])
                self.levels[at] = i32(ALWAYS)
                self._ends[at] = i32(at + 1)
            if stop - start > _SHORT:
                self._long = LongWord(self._data, start, stop, merger.byte_ids, merger.merges)
                self._waiting = start
                return
            merger.merge(self._data, start, stop, self._trace)
        self._end(start, stop)

    def _merge_on(self) -> bool:
        """Makes some merges of the deferred part; true when all are made."""
        long_word = self._long
        heap = self._heap
        characters = self._characters
        if long_word is not None:
            if not long_word.step(_MERGES, self._trace):
                return False
        elif heap is not None and characters is not None:
            if not heap.step(_MERGES, characters.vocabulary, self._trace):
                return False
        self._long = None
        self._heap = None
        self._end(self._waiting, self._position)
        self._fuse(self._waiting)
        return True

    def _write_symbols(
        self,
        symbols: vec[i64],
        starts: vec[i32],
        stops: vec[i32],
        count: i64,
        start: i64,
        stop: i64,
    ) -> None:
        """Writes the symbols of a part of characters."""
        levels = self.levels
        firsts = self.firsts
        fallback = len(self._byte_ids) > 0
        levels[start] = i32(ALWAYS)  # even if its first characters are left out
        for index in range(count):
            symbol = symbols[index]
            first = i64(starts[index])
            behind = i64(starts[index + 1]) if index + 1 < count else stop
            self._ends[first] = i32(behind)
            levels[first] = i32(ALWAYS)
            if symbol < self._count and symbol != self._unknown:
                firsts[first] = i32(symbol)
                continue
            for at in range(first, behind):
                if fallback:
                    byte: i64 = self._data[at]
                    levels[at] = i32(ALWAYS)
                    firsts[at] = self._byte_ids[byte]
                else:
                    firsts[at] = i32(self._unknown)
            if index > 0 and not fallback:
                self._fuse(first)

    def _fuse(self, at: i64) -> None:
        """Joins two unknown tokens in a word, if the model does so."""
        if self._fuses and at > self._word_start:
            if i64(self.firsts[at]) == self._unknown and i64(self.firsts[at - 1]) == self._unknown:
                self.levels[at] = INSIDE

    def _end(self, start: i64, stop: i64) -> None:
        """Writes the results of the merges of a part."""
        levels = self.levels
        orders = self.orders
        results = self.results
        ends = self._ends
        of_rank = self.merges.of_rank
        trace = self._trace
        level: i64 = 0
        events: i64 = len(trace)
        for event in range(events):
            at = i64(trace.positions[event])
            middle = i64(ends[at])
            behind = i64(ends[middle])
            needed = i64(of_rank[i64(trace.ranks[event])])
            if needed > level:
                level = needed
            first = middle
            last = middle + 1
            # Characters that are not pieces are single bytes until they are merged.
            if i64(trace.lefts[event]) == NO_PIECE:
                first = at + 1
            if i64(trace.rights[event]) == NO_PIECE:
                last = behind
            for joined in range(first, last):
                levels[joined] = i32(level)
                orders[joined] = i32(event + 1)
                results[joined] = trace.results[event]
            ends[at] = i32(behind)
        self._trace = Trace()
        piece: i64 = -1
        model = self._bytes
        characters = self._characters
        if model is not None and model.whole_pieces:
            piece = model.vocabulary.find_in(self._data, start, stop)
        elif characters is not None and self._cut is None:
            piece = characters.source.find_whole(self._data, start, stop)
        if piece >= 0:
            self._take_whole(start, stop, piece, events + 1)

    def _take_whole(self, start: i64, stop: i64, piece: i64, order: i64) -> None:
        """Joins a whole word from the size on at which it is a piece, which needs no merging."""
        level = i64(self.merges.of_piece[piece])
        if level == 0:
            self.firsts[start] = i32(piece)
        for at in range(start + 1, stop):
            if i64(self.levels[at]) > level:
                self.levels[at] = i32(level)
                self.orders[at] = i32(order)
                self.results[at] = i32(piece)
