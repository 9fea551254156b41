"""BPE over characters: SentencePiece's, and Hugging Face's ``BPE`` if it is not byte-level.

    sentencepiece_bpe.sentencepiece_bpe(vocabulary) -> CharacterBpe
    hf_bpe.hf_bpe(vocabulary, merges, unknown=…, fuse_unknown=…, prefix=…, suffix=…, …) -> CharacterBpe

Most of these models have no pre-tokenizer: a whole section of text is one word. It is split where that is safe, so that
its parts can be looked up in caches. Neither changes any id.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.character_cut import SPACES, CharacterCut
from tokenarium_core.models.bpe.character_merger import CharacterWord, RegionEncoder
from tokenarium_core.models.bpe.character_symbols import CharacterSymbols
from tokenarium_core.models.bpe.merge_heap import SymbolHeap
from tokenarium_core.models.bpe.merge_table import NO_MERGE, CharacterMerges
from tokenarium_core.models.bpe.space_runs import LONGEST, SpaceRuns, space_runs
from tokenarium_core.models.model import UNLIMITED, Model, PendingWord, WordBatch, check_whole
from tokenarium_core.models.word_cache import (
    FEW,
    HASH_SHIFT,
    ID_BITS,
    ID_MASK,
    MULTIPLIER_0,
    NUMBER_SHIFT,
    TINY,
    WordMemory,
    key_masks,
)
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import Vocabulary

LONG: Final = 4096
"""A region of more bytes than this without a safe boundary is left to the caller, which may pause."""

_BITE: Final = 16384  # bytes of one word after which the caller may pause too
_PART: Final = LONG + LONGEST  # the most ids of a part, and of a run of spaces before it
_ROOM: Final = _BITE + _PART  # ids for which there is room while a word is encoded in bites
_PARTS: Final = 2048  # parts of a word that are cut before they are encoded


@final
class CharacterBpe(Model):
    """The model of a tokenizer that merges characters.

    ``source`` creates the symbols of a region, and the ids of the remaining symbols. ``cut`` is None if a word must
    be processed as a whole, because its ends, or all of it, matter. ``cached``: the earlier output of `dump`, from which
    the cut was read.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        merges: CharacterMerges,
        source: CharacterSymbols,
        cut: CharacterCut | None,
        cached: CacheReader | None = None,
    ) -> None:
        super().__init__(vocabulary, source.adds_up(), UNLIMITED if cut is None else _ROOM)
        self.merges = merges
        self.source = source
        self._encoder = RegionEncoder(vocabulary, merges, source)
        self._cut = cut
        self.divides = cut is not None and source.adds_up()
        self._runs: SpaceRuns | None = None
        if cached is not None:
            space = cached.number()
            if space >= 0:
                self._runs = SpaceRuns(space, self._encoder.merger, cached)
        elif cut is not None and source.adds_up() and cut.joins_spaces:
            self._runs = space_runs(vocabulary, merges, self._encoder.merger)
            if self._runs is not None:
                cut.take_runs()
        self._pending: CharacterWord | None = None
        self._most_whole: i64 = UNLIMITED
        self._position: i64 = 0  # how far `encode_words` came
        self._ends = vec[i32]([0] * _PARTS)
        self._pieces = vec[i32]([-1] * _PARTS)
        self._memory = WordMemory()
        self._masks = key_masks()
        self._nothing = vec[i32]()

    @property
    def cut(self) -> CharacterCut | None:
        """Where a word may be split before it is merged; None if it must be processed as a whole."""
        return self._cut

    def dump(self, out: CacheWriter) -> None:
        """Writes what follows from the vocabulary and the merges: the cut, whether there is one, and runs of spaces."""
        out.number(0 if self._cut is None else 1)
        if self._cut is not None:
            self._cut.dump(out)
        runs = self._runs
        out.number(-1 if runs is None else runs.space)
        if runs is not None:
            runs.dump(out)

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words; see `Model.encode_words`."""
        data = words.data
        ends = words.ends
        rules = words.rules
        stop = words.stop
        word = words.first
        position = words.start
        self._most_whole = words.most_whole
        cut = self._cut
        while word < stop:
            end: i64 = i64(ends[word])
            if i64(rules[word]) == REMOVED:
                position = end
            elif cut is None:
                self._ends[0] = i32(end)
                self._pieces[0] = -1
                count = self._encode_parts(data, position, end, 1, out, count, count)
                position = self._position
            else:
                count = self._encode_section(cut, data, position, end, out, count)
                position = self._position
                if position < end and self._pending is None:
                    break
            if self._pending is not None:
                break
            word += 1
        words.first = word
        words.start = position
        return count

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns the last position before byte ``stop`` where a word may be divided: see `Model`."""
        cut = self._cut
        return 0 if cut is None else cut.divide(data, stop)

    def take_pending(self) -> PendingWord | None:
        """Returns the region at which `encode_words` stopped, once; None if there is none."""
        pending = self._pending
        self._pending = None
        return pending

    def merge_rank(self, left: i64, right: i64) -> i64:
        """Returns the position of the merge of two neighbouring ids in the order of all merges; -1 if there is none."""
        rank = self.merges.table.find(i64(left), i64(right))
        if rank == NO_MERGE or len(self.merges.priorities) == 0:
            return -1 if rank == NO_MERGE else rank
        return i64(self.merges.priorities[rank])

    def merged(self, left: i64, right: i64) -> i64:
        """Returns the id that two neighbouring ids merge into; -1 if they have no merge."""
        rank = self.merges.table.find(i64(left), i64(right))
        return -1 if rank == NO_MERGE else i64(self.merges.table.results[rank])

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events; see `Model.encode_traced`.

        The symbols, the heap and the writing of ids are those of encoding; but encoding first splits the
        word, and merges short regions by the scan of `CharacterMerger`, whose loop has no tracing.
        """
        return self._encoder.encode_noting(
            data, start, stop, True, out, count, self._nothing, trace
        )

    def locate(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        ids: vec[i32],
        first: i64,
        last: i64,
        spans: vec[i32],
    ) -> None:
        """Writes where ids are: see `Model`."""
        if not self.source.misfits(ids, first, last):
            super().locate(data, start, stop, ids, first, last, spans)
            return
        # Encoded again with places: an unknown token may be any number of characters.
        size = stop - start
        new_ids = vec[i32]([0] * (size + 1))
        places = vec[i32]([0] * (2 * size + 2))
        self._locate_again(data, start, stop, new_ids, places)
        for index in range(2 * (last - first)):
            spans[2 * first + index] = places[index]

    def _locate_again(
        self, data: bytes, start: i64, stop: i64, ids: vec[i32], places: vec[i32]
    ) -> None:
        """Encodes a word without caches, and records the positions of its ids."""
        cut = self._cut
        if cut is None:
            self._encoder.encode_noting(data, start, stop, True, ids, 0, places, None)
            return
        source = self.source
        ends = self._ends
        pieces = self._pieces
        at = start
        count: i64 = 0
        while at < stop:
            parts = cut.cut(data, at, stop, ends, pieces)
            for part in range(parts):
                end: i64 = i64(ends[part])
                piece: i64 = i64(pieces[part])
                before = count
                if piece >= 0:
                    ids[count] = i32(piece)
                    places[2 * count] = i32(at)
                    places[2 * count + 1] = i32(end)
                    count += 1
                else:
                    count = self._encoder.encode_noting(
                        data, at, end, False, ids, count, places, None
                    )
                    if before > 0 and source.joins(ids, before) and source.joins(ids, before + 1):
                        count = self._join(ids, before, count, places)
                at = end

    def _encode_section(
        self, cut: CharacterCut, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64
    ) -> i64:
        """Encodes a word, or about 16 KB of it, up to ``_position``."""
        source = self.source
        ends = self._ends
        base = count
        at = start
        limit = start + _BITE
        while at < stop:
            room = len(out) - count
            if at >= limit or (room < _PART and room < stop - at):
                # Unknown tokens on both sides of a pause would not become one.
                if not (count > base and source.joins(out, count)) or source.known(data, at, stop):
                    break
                if room < _PART and room < stop - at:
                    at = start
                    count = base
                    break
            parts = cut.cut(data, at, stop, ends, self._pieces)
            fewest: i64 = 2 if i64(self._pieces[0]) == SPACES else 1
            while parts > fewest and i64(ends[parts - 1]) - at > room:
                parts -= 1
            count = self._encode_parts(data, at, stop, parts, out, count, base)
            at = self._position
            if self._pending is not None:
                break
        self._position = at
        return count

    def _encode_parts(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        parts: i64,
        out: vec[i32],
        count: i64,
        base: i64,
    ) -> i64:
        """Encodes the parts of a word up to ``stop``; its ids begin at index ``base`` of ``out``."""
        ends = self._ends
        pieces = self._pieces
        masks = self._masks
        memory = self._memory
        rows = memory.tiny.rows
        places = memory.tiny.places
        mask: i64 = memory.tiny.mask
        position = start
        last: i64 = i64(ends[parts - 1]) - FEW
        run: i64 = 0  # spaces in the run before the part, and where its ids begin
        run_ids: i64 = 0
        for part in range(parts):
            piece: i64 = i64(pieces[part])
            end: i64 = i64(ends[part])
            size = end - position
            word = count
            if piece >= 0:
                out[count] = i32(piece)
                count += 1
                run = 0
            elif piece == SPACES:
                runs = self._runs
                if part + 1 == parts or runs is None:
                    break
                if i64(ends[part + 1]) - end > LONG:
                    self._keep(data, position, i64(ends[part + 1]), stop, False)
                    return count
                run = size
                run_ids = count
                count = runs.write(size, out, count)
                position = end
                continue
            elif size <= LONG:
                value: i64 = -1
                if size <= TINY:
                    key = (read_i64_le(data, position) & masks[24 + size]) | size << 56
                    slot = key * MULTIPLIER_0 >> HASH_SHIFT & mask
                    at: i64 = i64(places[slot])
                    while rows[at] != key and at != 0:
                        slot = (slot + 1) & mask
                        at = i64(places[slot])
                    value = rows[at + 1]
                else:
                    value = memory.find(data, position, end)
                number = value >> NUMBER_SHIFT
                if (
                    number > 0 and position <= last
                ):  # there is room for a few, however many there are
                    out[count] = i32(value & ID_MASK)
                    out[count + 1] = i32(value >> ID_BITS & ID_MASK)
                    out[count + 2] = i32(value >> (2 * ID_BITS) & ID_MASK)
                    count += number
                elif value >= 0:
                    count = memory.ids.write(value, out, count)
                else:
                    count = self._encode_new(data, position, end, out, count, base)
                    rows = memory.tiny.rows
                    places = memory.tiny.places
                    mask = memory.tiny.mask
            else:
                self._keep(
                    data, position, end, stop, count > base and self.source.joins(out, count)
                )
                return count
            position = end
            if run > 0:
                runs = self._runs
                if runs is not None and i64(out[word]) == runs.space:
                    count = runs.lengthen(run, out, run_ids, word, count)
                run = 0
        self._position = position
        return count

    def _encode_new(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, base: i64
    ) -> i64:
        """Encodes a new part, and caches it."""
        after = self._encoder.encode(data, start, stop, self._cut is None, out, count)
        source = self.source
        if after > count and source.joins(out, count + 1):
            # Its ids depend on the id before it, so they are not kept.
            if count > base and source.joins(out, count):
                return self._join(out, count, after, self._nothing)
            return after
        self._memory.keep(data, start, stop, out, count, after)
        return after

    def _join(self, out: vec[i32], at: i64, count: i64, spans: vec[i32]) -> i64:
        """Joins the unknown token at index ``at`` to the one before it; returns the index after the last."""
        if len(spans):
            spans[2 * at - 1] = spans[2 * at + 1]
        for index in range(at + 1, count):
            out[index - 1] = out[index]
            if len(spans):
                spans[2 * index - 2] = spans[2 * index]
                spans[2 * index - 1] = spans[2 * index + 1]
        return count - 1

    def _keep(self, data: bytes, start: i64, end: i64, stop: i64, after_unknown: bool) -> None:
        """Defers the merges of a long region, and the unknown characters after it."""
        source = self.source
        cut = self._cut
        if cut is not None:
            while end < stop and not source.known(data, end, stop):
                cut.cut(data, end, stop, self._ends, self._pieces)
                end = i64(self._ends[0])
        check_whole(end - start, self._most_whole)
        self._position = end
        token = source.find_whole(data, start, end) if cut is None else -1
        count = source.split(data, start, end, cut is None, None)
        if token >= 0:
            source.symbols[0] = token
            source.starts[0] = i32(start)
            source.stops[0] = i32(end)
            count = 1
        heap = SymbolHeap(source.symbols, source.starts, source.stops, count, self.merges)
        source.release()
        self._pending = CharacterWord(data, start, end, heap, source, after_unknown)
