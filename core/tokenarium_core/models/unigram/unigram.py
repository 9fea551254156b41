"""Unigram: of all ways to split a text into pieces, the one with the highest sum of scores.

A text is split where no piece can cross (`BoundaryFilter`), and the parts are encoded one by one (`UnigramParts`).

Sources: Kudo 2018; sentencepiece's ``src/unigram_model.cc`` and ``src/sentencepiece_processor.cc`` (adjacent
unknown characters are one token; byte fallback); tokenizers' ``models/unigram/model.rs``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.boundary_filter import SPARE, BoundaryFilter
from tokenarium_core.models.model import UNLIMITED, Model, PendingWord, WordBatch, check_whole
from tokenarium_core.models.unigram.lattice import Lattice, Path
from tokenarium_core.models.unigram.unigram_parts import UnigramParts
from tokenarium_core.models.unigram.unigram_scores import SENTENCEPIECE, UnigramScores
from tokenarium_core.models.unigram.unigram_trie import ROOT, TOKEN_MASK
from tokenarium_core.models.unigram.unigram_writer import UnigramWriter
from tokenarium_core.models.word_cache import MEDIUM
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import SPACE_MARK, Vocabulary, dump_vocabulary

BITE: Final = 1 << 16
"""The number of bytes of one word after which `Unigram.encode_words` pauses."""

_PARTS: Final = 1024
_SHORT: Final = _PARTS - 1  # bytes, with no more parts than there is room for
_PAUSES: Final = 8


@final
class _Pause:
    """Where in a word the model pauses, and the sum up to there."""

    def __init__(self, data: bytes, position: i64, total: float) -> None:
        self.data = data
        self.position: i64 = position
        self.total = total


@final
class Unigram(Model):
    """The model of a Unigram tokenizer.

    ``rules``: the reference whose rules apply in detail, `SENTENCEPIECE` or `TOKENIZERS` (see `UnigramScores`). In
    addition, tokenizers looks up a run of unknown characters as a whole, falls back to bytes only if it has all of
    them, and may have no unknown token (``unknown_id`` -1): encoding such a text raises TokenariumError.

    A word of up to `MEDIUM` bytes is looked up whole. A longer one, which may be a whole document, is split;
    after `BITE` bytes of it there is a pause, never within a run of unknown characters.

    ``cached``: the earlier output of `dump`, after the vocabulary.

    Raises FormatError for a vocabulary without scores, or for an invalid ``unknown_id``.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown_id: i64,
        byte_fallback: bool = False,
        rules: i64 = SENTENCEPIECE,
        cached: CacheReader | None = None,
    ) -> None:
        if len(vocabulary.scores) < vocabulary.count:
            raise FormatError(
                f"A Unigram model needs a score for each piece: there are {len(vocabulary.scores):,}"
                f" for {vocabulary.count:,} pieces."
            )
        if unknown_id >= vocabulary.count or (unknown_id < 0 and rules == SENTENCEPIECE):
            raise FormatError(
                f"The id of the unknown token is {unknown_id}: it must be one of the ids 0 to"
                f" {vocabulary.count - 1}."
            )
        self.scores = UnigramScores(vocabulary, rules, cached)
        self.unknown_id: i64 = unknown_id if unknown_id >= 0 else -1
        self.byte_fallback = byte_fallback
        self.rules: i64 = rules
        marked = vocabulary.spelling == SPACE_MARK
        space = self.scores.trie.find(ROOT, b" " + ZEROS, 0) & TOKEN_MASK
        super().__init__(
            vocabulary,
            rules == SENTENCEPIECE and byte_fallback and (not marked or space > 0),
        )
        if byte_fallback and marked and space <= 0:
            self.ids_per_byte = 3
        self.short = _SHORT
        self._writer = UnigramWriter(vocabulary, self.scores, self.unknown_id, byte_fallback, rules)
        self.parts = UnigramParts(
            self.scores, self.unknown_id, self._writer, vocabulary.count, cached
        )
        self._boundaries = BoundaryFilter(cached=cached)
        if cached is None:
            self.scores.fill(self._boundaries)
        self._ends = vec[i32]([0] * (_PARTS + SPARE))
        self._pauses: list[_Pause] = []
        self._position: i64 = 0  # how far `encode_words` came
        self._pending: PendingWord | None = None
        self._most_whole: i64 = UNLIMITED

    def dump(self, out: CacheWriter) -> None:
        """Writes the vocabulary and the tables that are made of it."""
        dump_vocabulary(self.vocabulary, out, searched=False)
        self.scores.dump(out)
        self.parts.dump(out)
        self._boundaries.dump(out)

    def lattice(self, text: str) -> Lattice:
        """Returns all pieces over a normalized text (in space form), with all paths through them."""
        return Lattice(padded(text)[:-PADDING], self.scores, self.unknown_id)

    def path_ids(self, lattice: Lattice, path: Path) -> list[int]:
        """Returns the ids of a path: adjacent unknown characters are one token, or bytes, as in encoding."""
        pieces: i64 = len(path.edges)
        tokens = vec[i32]([0] * pieces)
        stops = vec[i32]([0] * pieces)
        for index in range(pieces):
            edge: i64 = path.edges[index]
            tokens[index] = lattice.tokens[edge]
            stops[index] = lattice.stops[edge]
        data = lattice.data + ZEROS
        out = vec[i32]([0] * (lattice.size * 3))
        self._writer.start_notes()
        self.parts.start_anew(0)
        count = self._writer.write_pieces(tokens, stops, pieces, data, 0, out, 0, None)
        count = self.finish_word(data, lattice.size, out, count, None)
        return [i64(out[index]) for index in range(count)]

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words; see `Model.encode_words`.

        TokenariumError if a character has no piece and there is no unknown token.
        """
        data = words.data
        ends = words.ends
        rules = words.rules
        stop = words.stop
        word = words.first
        position = words.start
        self._most_whole = words.most_whole
        self._writer.start_notes()
        resumed = self._resume(data, position, count)
        while word < stop:
            end: i64 = i64(ends[word])
            if i64(rules[word]) == REMOVED:
                position = end
                word += 1
                continue
            if not resumed and end - position <= MEDIUM:
                last = word + 1
                while last < stop and i64(rules[last]) != REMOVED:
                    if i64(ends[last]) - i64(ends[last - 1]) > MEDIUM:
                        break
                    last += 1
                count = self.parts.encode(data, position, ends, word, last, out, count, True)
                position = i64(ends[last - 1])
                word = last
                continue
            if not resumed:
                self.parts.start_anew(count)
            resumed = False
            count = self._encode_bite(data, position, end, out, count)
            if self._pending is not None or self._position < end:
                words.first = word
                words.start = self._position
                return count
            position = end
            word += 1
        words.first = word
        words.start = position
        return count

    def encode_short(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Writes the ids of one word; see `Model.encode_short`."""
        ends = self._ends
        parts = self.parts
        self._writer.start_notes()
        parts.start_anew(count)
        found = self._boundaries.cut(data, start, stop, ends)
        count = parts.encode(data, start, ends, 0, found, out, count, False)
        return parts.finish(data, stop, out, count, None)

    def take_pending(self) -> PendingWord | None:
        """Returns the region at which `encode_words` stopped, once; None if it did not stop."""
        pending = self._pending
        self._pending = None
        return pending

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events; see `Model.encode_traced`.

        Encoding also uses `UnigramSearch` for long regions and unknown characters; for short ones it has
        `QuickSearch` and `RoundedSearch`, which do not visit the edges of the lattice one by one.

        First come all edges of the lattice, then the pieces of the best path.
        """
        self._writer.start_notes()
        self.parts.start_anew(count)
        search = self.parts.new_search()
        search.begin(data, start, stop, 0.0)
        search.advance(stop - start, trace)
        count = self.parts.write_path(search, data, start, out, count, trace)
        return self.finish_word(data, stop, out, count, trace)

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
        """Writes the places of ids. A run of unknown characters is one span, and so is each byte in byte fallback.

        Where the reference writes three bytes for a space, the first two are empty spans in front of it.
        """
        writer = self._writer
        if writer.needs_notes(ids, first, last) and writer.noted_data is not data:
            # Encode it once more, to know where its unknown characters are.
            self.encode_traced(data, start, stop, vec[i32]([0] * ((stop - start) * 3)), 0, Trace())
        writer.locate(data, start, ids, first, last, spans)

    def finish_word(
        self, data: bytes, stop: i64, out: vec[i32], count: i64, trace: Trace | None
    ) -> i64:
        """Writes what is waiting at the end of a word."""
        return self.parts.finish(data, stop, out, count, trace)

    def start_notes(self) -> None:
        """Resets the unknown characters: `locate` refers to what is written next."""
        self._writer.start_notes()

    def go_on(self, total: float, count: i64) -> None:
        """Continues within a word, after pieces with this sum; the next id is the one with this index."""
        self.parts.start(total, count)

    def rest(self, data: bytes, position: i64, out: vec[i32], count: i64) -> i64:
        """Keeps the sum for the call that continues here; returns the byte at which that must start."""
        parts = self.parts
        parts.sum.catch_up(out, count)
        pause = _Pause(data, position, parts.sum.total)
        if self._writer.run >= 0:
            pause = _Pause(data, self._writer.run, parts.run_total)
            self._writer.run = -1
        self._pauses.append(pause)
        if len(self._pauses) > _PAUSES:
            del self._pauses[0]
        return pause.position

    def _resume(self, data: bytes, start: i64, count: i64) -> bool:
        """Continues the word in which the model paused, if it was at this place."""
        pauses = self._pauses
        for index in range(len(pauses)):
            pause = pauses[index]
            if pause.position == start and pause.data is data:
                self.go_on(pause.total, count)
                del pauses[index]
                return True
        self._writer.run = -1
        return False

    def _encode_bite(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Encodes the rest of a word, or about `BITE` bytes of it; ``_position`` is then the end."""
        ends = self._ends
        parts = self.parts
        position = start
        while position < stop:
            found = self._boundaries.cut(data, position, stop, ends)
            count = parts.encode(data, position, ends, 0, found, out, count, False)
            position = i64(ends[found - 1])
            if parts.position < position:
                self._put_off(data, parts.position, parts.long_end, stop, out, count)
                return count
            if position - start >= BITE and position < stop and self._writer.run != start:
                self._position = self.rest(data, position, out, count)
                return count
        count = self.finish_word(data, stop, out, count, None)
        self._position = stop
        return count

    def _put_off(
        self, data: bytes, start: i64, stop: i64, end_of_word: i64, out: vec[i32], count: i64
    ) -> None:
        """Leaves a long part to the caller, together with the unknown characters before it."""
        parts = self.parts
        parts.sum.catch_up(out, count)
        parts.sum.begin_again()
        total = parts.sum.total
        if self._writer.run >= 0:
            start = self._writer.run
            total = parts.run_total
        check_whole(stop - start, self._most_whole)
        self._pending = UnigramRegion(self, data, start, stop, stop == end_of_word, total)
        self._writer.run = -1
        self._position = stop


@final
class UnigramRegion(PendingWord):
    """A part of more than `LONG` bytes without a safe boundary: one search, in steps of some bytes."""

    def __init__(
        self,
        model: Unigram,
        data: bytes,
        start: i64,
        stop: i64,
        is_last: bool,
        total: float,
    ) -> None:
        super().__init__(start, stop)
        self._model = model
        self._data = data
        self._is_last = is_last
        self._total = total
        self._search = model.parts.new_search()
        self._search.begin(data, start, stop, total)

    def step(self, budget: i64, trace: Trace | None) -> bool:
        """Searches about ``budget`` bytes further; true at the end of the region."""
        return self._search.advance(budget, trace)

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index after the last."""
        model = self._model
        model.start_notes()
        model.go_on(self._total, count)
        count = model.parts.write_path(self._search, self._data, self.start, out, count, None)
        if self._is_last:
            return model.finish_word(self._data, self.stop, out, count, None)
        model.rest(self._data, self.stop, out, count)
        return count
