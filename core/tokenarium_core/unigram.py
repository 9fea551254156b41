"""Unigram: of all ways to cut a text into pieces, the one with the highest sum of scores.

A text is cut where no piece can reach across, and the parts are looked up in caches. The sums are those of
the reference all the same, to the last rounded bit: each part is cached with the level of the sum up to
which its path cannot depend on what stands in front; beyond that it is searched for anew, from that sum. So
what the reference decides by rounding, far into a long text, is decided the same way here.

Sources: Kudo 2018; sentencepiece's ``src/unigram_model.cc`` and ``src/sentencepiece_processor.cc`` (unknown
characters side by side are one token; byte fallback); tokenizers' ``models/unigram/model.rs``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError, TokenariumError
from tokenarium_core.lattice import Lattice, Path
from tokenarium_core.model import Model, PendingWord
from tokenarium_core.pretokenizer import PADDING, REMOVED, padded
from tokenarium_core.trace import Trace
from tokenarium_core.unigram_cache import MEDIUM, UnigramCache
from tokenarium_core.unigram_cut import UnigramCut
from tokenarium_core.unigram_scores import SENTENCEPIECE, UnigramScores
from tokenarium_core.unigram_search import UnigramSearch
from tokenarium_core.unigram_sum import LEVELS, RESET, RunningSum
from tokenarium_core.unigram_trie import ROOT, TOKEN_MASK, character_length
from tokenarium_core.unigram_writer import UnigramWriter
from tokenarium_core.vocabulary import SPACE_MARK, Vocabulary

LONG: Final = 8192
"""A part of more bytes than this is left to the caller, who may take a rest."""

BITE: Final = 1 << 16
"""The bytes of one word after which `Unigram.encode_words` takes a rest."""

_PARTS: Final = 1024
_GROUP: Final = 128  # parts that are looked up together
_PAUSES: Final = 8


@final
class _Pause:
    """Where in a word the model rests, and the sum up to there."""

    def __init__(self, data: bytes, position: i64, total: float) -> None:
        self.data = data
        self.position: i64 = position
        self.total = total


@final
class Unigram(Model):
    """The model of a Unigram tokenizer.

    ``rules``: whose rules hold in details, `SENTENCEPIECE` or `TOKENIZERS` (see `UnigramScores`). In addition,
    tokenizers looks a run of unknown characters up as a whole, falls back to bytes only where it has all of
    them, and may have no token for the unknown (``unknown_id`` -1): encoding such a text raises TokenariumError.

    A word of up to `MEDIUM` bytes is looked up whole. A longer one, which may be a whole document, is cut;
    after `BITE` bytes of it there is a rest, never within a run of unknown characters.

    Raises FormatError for a vocabulary without scores, or for a wrong ``unknown_id``.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown_id: i64,
        byte_fallback: bool = False,
        rules: i64 = SENTENCEPIECE,
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
        self.scores = UnigramScores(vocabulary, rules)
        self.unknown_id: i64 = unknown_id if unknown_id >= 0 else -1
        self.byte_fallback = byte_fallback
        self.rules: i64 = rules
        marked = vocabulary.spelling == SPACE_MARK
        space = self.scores.trie.find(ROOT, b" " + bytes(16), 0, 1) & TOKEN_MASK
        super().__init__(
            vocabulary,
            rules == SENTENCEPIECE and byte_fallback and (not marked or space > 0),
        )
        if byte_fallback and marked and space <= 0:
            self.ids_per_byte = 3
        self._writer = UnigramWriter(vocabulary, self.scores, self.unknown_id, byte_fallback, rules)
        self._search = self.new_search()
        self._cut = UnigramCut()
        self.scores.fill(self._cut)
        self._cache = UnigramCache()
        self._found = vec[i64]([0] * _GROUP)
        self._parts = vec[i32]([0] * _PARTS)
        self._entry = vec[i64]([0] * (MEDIUM + 2))
        self._pauses: list[_Pause] = []
        self._pending: PendingWord | None = None
        self._sum = RunningSum(self.scores.rounding)
        self._run_total = 0.0  # the sum where the writer's run of unknown characters begins

    def lattice(self, text: str) -> Lattice:
        """Returns all pieces over a normalised text (in space form), with all paths through them."""
        return Lattice(padded(text)[:-PADDING], self.scores, self.unknown_id)

    def path_ids(self, lattice: Lattice, path: Path) -> list[int]:
        """Returns the ids of a path: unknown characters side by side are one, or bytes, as in encoding."""
        pieces: i64 = len(path.edges)
        tokens = vec[i32]([0] * pieces)
        stops = vec[i32]([0] * pieces)
        for index in range(pieces):
            edge: i64 = path.edges[index]
            tokens[index] = lattice.tokens[edge]
            stops[index] = lattice.stops[edge]
        data = lattice.data + bytes(PADDING)
        out = vec[i32]([0] * (lattice.size * 3))
        self._writer.start_notes()
        self._restart()
        count = self._writer.write_pieces(tokens, stops, pieces, data, 0, out, 0, None)
        count = self.finish_word(data, lattice.size, out, count, None)
        self._restart()
        return [i64(out[index]) for index in range(count)]

    def new_search(self) -> UnigramSearch:
        """Returns a search of its own over these pieces."""
        scores = self.scores
        return UnigramSearch(
            scores.trie, scores.values, self.unknown_id, scores.unknown, scores.rounding
        )

    def encode_words(
        self,
        data: bytes,
        start: i64,
        ends: vec[i32],
        rules: vec[u8],
        first: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
    ) -> i64:
        """Writes the ids of the words ``first`` to ``stop - 1`` into ``out`` from index ``count`` on.

        TokenariumError where a character has no piece, and there is no token for the unknown.
        """
        self._writer.start_notes()
        word = first
        position = start
        resumed = self._resume(data, start)
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
                count = self._encode_parts(data, position, ends, word, last, end, out, count, True)
                position = i64(ends[last - 1])
                word = last
                continue
            resumed = False
            count = self._encode_bite(data, position, end, out, count)
            if self._pending is not None or self.position < end:
                self.word = word
                return count
            position = end
            word += 1
        self.word = word
        self.position = position
        return count

    def take_pending(self) -> PendingWord | None:
        """Returns the stretch at which `encode_words` stopped, once; None where it did not stop."""
        pending = self._pending
        self._pending = None
        return pending

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events to the trace; returns the index behind the last.

        First come all edges of the lattice, then the pieces of the best path.
        """
        self._writer.start_notes()
        self._restart()
        search = self._search
        search.begin(data, start, stop, 0.0)
        search.advance(stop - start, trace)
        count = self.write_path(search, data, start, out, count, trace)
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
        """Writes where the ids stand. A run of unknown characters is one span, a byte of byte fallback its own.

        Where the reference writes three bytes for a space, the first two are empty spans in front of it.
        """
        writer = self._writer
        if writer.needs_notes(ids, first, last) and writer.noted_data is not data:
            # Encode it once more, to know where its unknown characters stand.
            self.encode_traced(data, start, stop, vec[i32]([0] * ((stop - start) * 3)), 0, Trace())
        writer.locate(data, start, ids, first, last, spans)

    def write_path(
        self,
        search: UnigramSearch,
        data: bytes,
        start: i64,
        out: vec[i32],
        count: i64,
        trace: Trace | None,
    ) -> i64:
        """Writes the best path of a search that is done, and adds it to the sum of the word."""
        if search.missing >= 0:
            at = search.missing
            character = data[at : at + character_length(data[at])].decode("utf-8", "replace")
            raise TokenariumError(
                f"The character {character!r} (byte {at:,}) has no piece in this vocabulary, and it names no"
                " token for the unknown: give it an unk_id, or leave the character out."
            )
        pieces = search.trace_back()
        count = self._writer.write_pieces(
            search.path, search.path_stops, pieces, data, start, out, count, trace
        )
        if self._writer.run >= start:
            self._run_total = search.total_at(self._writer.run)
        self._sum.take(search.sum)
        return count

    def finish_word(
        self, data: bytes, stop: i64, out: vec[i32], count: i64, trace: Trace | None
    ) -> i64:
        """Writes what waits at the end of a word."""
        if self._writer.run >= 0:
            count = self._writer.write_run(data, stop, out, count, trace)
        return count

    def start_notes(self) -> None:
        """Forgets where unknown characters stood so far: `locate` is about what is written next."""
        self._writer.start_notes()

    def go_on(self, total: float) -> None:
        """Takes up a word in its midst, behind pieces with this sum."""
        self._sum.take(total)
        self._writer.run = -1

    def rest(self, data: bytes, position: i64) -> i64:
        """Keeps the sum for the call that goes on from here; returns from which byte that has to be."""
        pause = _Pause(data, position, self._sum.total)
        if self._writer.run >= 0:
            pause = _Pause(data, self._writer.run, self._run_total)
            self._writer.run = -1
        self._pauses.append(pause)
        if len(self._pauses) > _PAUSES:
            del self._pauses[0]
        return pause.position

    def _resume(self, data: bytes, start: i64) -> bool:
        """Takes up the word in whose midst a rest was taken, if it was at this place."""
        pauses = self._pauses
        for index in range(len(pauses)):
            pause = pauses[index]
            if pause.position == start and pause.data is data:
                self.go_on(pause.total)
                del pauses[index]
                return True
        self._restart()
        return False

    def _restart(self) -> None:
        self._sum.take(0.0)
        self._writer.run = -1

    def _encode_bite(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Encodes the rest of a word, or some `BITE` bytes of it; ``position`` tells how far."""
        parts = self._parts
        position = start
        while position < stop:
            found = self._cut.cut(data, position, stop, parts)
            count = self._encode_parts(data, position, parts, 0, found, stop, out, count, False)
            if self._pending is not None:
                return count
            position = i64(parts[found - 1])
            if position - start >= BITE and position < stop and self._writer.run != start:
                self.position = self.rest(data, position)
                return count
        count = self.finish_word(data, stop, out, count, None)
        self._restart()
        self.position = stop
        return count

    def _encode_parts(
        self,
        data: bytes,
        start: i64,
        ends: vec[i32],
        first: i64,
        stop: i64,
        end_of_word: i64,
        out: vec[i32],
        count: i64,
        alone: bool,
    ) -> i64:
        """Encodes parts of one word, or (``alone``) short words, whose sums begin at 0."""
        cache = self._cache
        found = self._found
        group = first  # the parts before this one were looked up
        base = first  # and those from this one on are in ``found``
        values = self.scores.values
        unknown = self.scores.unknown
        unknown_id = self.unknown_id
        in_bytes = self._writer.in_bytes
        sums = self._sum
        single = self.scores.rounding.single
        total = sums.total
        magic = sums.magic
        high = sums.high
        low = sums.low
        reach = sums.reach
        run = self._writer.run
        position = start
        part = first
        while part < stop:
            if part == group:
                base = part
                group = part + _GROUP if stop - part > _GROUP else stop
                cache.find_each(data, position, ends, part, group, found)
            if reach > LEVELS and single and not -RESET <= total <= RESET:
                total = 0.0
                sums.take(total)
                magic = sums.magic
                high = sums.high
                low = sums.low
                reach = sums.reach
            end: i64 = i64(ends[part])
            size = end - position
            value = found[part - base]
            if value < 0 and size <= MEDIUM:
                emptied = cache.emptied
                value = self._learn(data, position, end)
                if cache.emptied != emptied:
                    group = part + 1  # look the others up anew
            if value >= 0:
                if value & 0xFF == 1:
                    if reach <= value >> 40:
                        token = value >> 8 & 0xFFFFFFFF
                        score = values[token]
                        if token == unknown_id:
                            if in_bytes:
                                count = self._writer.write_bytes(
                                    data, position, end, out, count, None
                                )
                            elif run < 0:
                                run = position
                                self._writer.run = position
                                self._run_total = total
                            score = unknown
                        else:
                            if run >= 0:
                                count = self._writer.write_run(data, position, out, count, None)
                                run = -1
                            out[count] = i32(token)
                            count += 1
                        if alone:
                            if run >= 0:
                                count = self._writer.write_run(data, end, out, count, None)
                                run = -1
                        else:
                            total += score
                            length = -total if total < 0.0 else total
                            if length >= high or (length < low and length > 0.0):
                                total = sums.turn(total)
                                magic = sums.magic
                                high = sums.high
                                low = sums.low
                                reach = sums.reach
                            else:
                                total = (total + magic) - magic
                        position = end
                        part += 1
                        continue
                else:
                    place = value >> 8
                    pool = cache.pool(size)
                    if reach <= i64(pool[place]):
                        if run >= 0:
                            count = self._writer.write_run(data, position, out, count, None)
                            run = -1
                        for index in range(place + 1, place + (value & 0xFF)):
                            token = i64(pool[index])
                            out[count] = i32(token)
                            count += 1
                            if not alone:
                                total += values[token]
                                length = -total if total < 0.0 else total
                                if length >= high or (length < low and length > 0.0):
                                    total = sums.turn(total)
                                    magic = sums.magic
                                    high = sums.high
                                    low = sums.low
                                    reach = sums.reach
                                else:
                                    total = (total + magic) - magic
                        position = end
                        part += 1
                        continue
            if not alone:
                sums.total = total
            if size > LONG:
                self._put_off(data, position, end, end == end_of_word)
                return count
            self._search.begin(data, position, end, total)
            self._search.advance(size, None)
            count = self.write_path(self._search, data, position, out, count, None)
            if alone:
                count = self.finish_word(data, end, out, count, None)
                self._restart()
            run = self._writer.run
            total = sums.total
            magic = sums.magic
            high = sums.high
            low = sums.low
            reach = sums.reach
            position = end
            part += 1
        sums.total = total
        return count

    def _put_off(self, data: bytes, start: i64, stop: i64, is_last: bool) -> None:
        """Leaves a long part to the caller, together with the unknown characters in front of it."""
        total = self._sum.total
        if self._writer.run >= 0:
            start = self._writer.run
            total = self._run_total
        self._pending = UnigramStretch(self, data, start, stop, is_last, total)
        self._restart()
        self.position = stop

    def _learn(self, data: bytes, start: i64, stop: i64) -> i64:
        """Searches a part and keeps it in the cache if all of it is known. Returns its value, else -1."""
        value = self._cache.find(data, start, stop)
        if value >= 0:
            return value
        search = self._search
        search.begin(data, start, stop, 0.0, True)
        search.advance(stop - start, None)
        if search.missing >= 0:
            return -1
        pieces = search.trace_back()
        path = search.path
        entry = self._entry
        unknown_id = self.unknown_id
        if pieces == 1:
            token: i64 = i64(path[0])
            if token == unknown_id and self.scores.find(data, start, stop) >= 0:
                return -1
            steady = LEVELS if token == unknown_id else search.steady_level()
            entry[0] = steady << 32 | token
        else:
            for index in range(pieces):
                token = i64(path[index])
                if token == unknown_id:
                    return -1
                entry[index + 1] = token
            entry[0] = search.steady_level()
            pieces += 1
        return self._cache.put(data, start, stop, entry, pieces)


@final
class UnigramStretch(PendingWord):
    """A part of more than `LONG` bytes that has no safe cut: one search, in steps of some bytes."""

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
        self._search = model.new_search()
        self._search.begin(data, start, stop, total)

    def step(self, budget: i64, trace: Trace | None) -> bool:
        """Searches about ``budget`` bytes further; true at the end of the stretch."""
        return self._search.advance(budget, trace)

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index behind the last."""
        model = self._model
        model.start_notes()
        model.go_on(self._total)
        count = model.write_path(self._search, self._data, self.start, out, count, None)
        if self._is_last:
            return model.finish_word(self._data, self.stop, out, count, None)
        model.rest(self._data, self.stop)
        return count
