"""The pieces of the lowest sum of whole costs, as PLaMo-2 splits a text: Unigram in integers, searched from the end.

Of ways that cost the same, the one with the longer piece at the first difference counts. A character that becomes its
bytes has a cost of its own. A text is split where no piece can cross, and the parts are encoded one by one.

Source: ``llm_tokenizer_plamo2`` in ``src/llama-vocab.cpp`` of ggml-org/llama.cpp.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.model import Model, WordBatch, check_whole
from tokenarium_core.models.piece_trie import START, PieceTrie
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.trace import BYTE_FALLBACK, PIECE, Trace
from tokenarium_core.unicode.utf8 import start_before, width_of
from tokenarium_core.vocabulary import BYTE, Vocabulary

NEVER: Final = 1 << 40
"""The cost of an entry that no text becomes."""

_BITE: Final = 65536  # bytes after which the caller may pause
_HIGHEST: Final = 1 << 60


@final
class LowestCost(Model):
    """The model that splits a text into the entries of the lowest sum of ``costs``, by their ids.

    A character costs ``fallback`` as its bytes, which have entries of the kind BYTE, all 256 of them.
    """

    def __init__(self, vocabulary: Vocabulary, costs: vec[i64], fallback: i64) -> None:
        super().__init__(vocabulary, adds_up=True)
        self.costs = costs
        self.fallback: i64 = fallback
        left_out: set[int] = set()
        self._byte_ids = vec[i32]([-1] * 256)
        for token in range(vocabulary.count):
            if i64(vocabulary.kinds[token]) == BYTE:
                byte: i64 = vocabulary.arena[i64(vocabulary.offsets[token])]
                self._byte_ids[byte] = i32(token)
                left_out.add(token)
            elif costs[token] == NEVER:
                left_out.add(token)
        self._trie = PieceTrie(vocabulary, frozenset(left_out), whole=True)
        longest = self._trie.longest_piece + 1
        self._found = vec[i32]([0] * longest)  # entries at one place, and where each ends
        self._ends = vec[i64]([0] * longest)
        self._sums = vec[i64]([0] * 1024)  # of a part, by its bytes: the lowest sum from there on
        self._best = vec[i32]([0] * 1024)  # and the entry there, -1 for bytes
        self._next = vec[i32]([0] * 1024)  # and where it ends

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words; see `Model.encode_words`. Stops within a word if it is long."""
        data = words.data
        position = words.start
        for word in range(words.first, words.stop):
            end: i64 = i64(words.ends[word])
            if i64(words.rules[word]) == REMOVED:
                position = end
                continue
            begin = position
            while position < end:
                stop = self._part_end(data, position, end)
                if stop - position > _BITE:
                    check_whole(stop - position, words.most_whole)
                count = self._encode_part(data, position, stop, out, count, None)
                position = stop
                if position - begin >= _BITE and position < end:
                    words.first = word
                    words.start = position
                    return count
        words.first = words.stop
        words.start = position
        return count

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events to the trace; returns the index after the last."""
        while start < stop:
            end = self._part_end(data, start, stop)
            count = self._encode_part(data, start, end, out, count, trace)
            start = end
        return count

    def _part_end(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the first byte after ``start`` that no entry crosses."""
        trie = self._trie
        reach = start
        at = start
        while at < stop:
            after = at + width_of(data[at])
            if after > reach:
                reach = after
            state: i64 = START
            position = at
            while position < stop:
                state = trie.following(state, data[position])
                if state < 0:
                    break
                position += 1
                if position > reach and trie.token_at(state) >= 0:
                    reach = position
            at = after
            if at >= reach:
                return at
        return stop

    def _encode_part(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace | None
    ) -> i64:
        """Writes the ids of ``data[start:stop]``; returns the index after the last."""
        self._reserve(stop - start)
        sums = self._sums
        best = self._best
        following = self._next
        sums[stop - start] = 0
        at = stop
        while at > start:
            at = start_before(data, at)
            found = self._look_up(data, at, stop)
            lowest: i64 = _HIGHEST
            token: i64 = -1
            end: i64 = at
            index = found - 1
            while index >= 0:
                piece: i64 = i64(self._found[index])
                total = sums[self._ends[index] - start] + self.costs[piece]
                if total < lowest:
                    lowest = total
                    token = piece
                    end = self._ends[index]
                index -= 1
            after = at + width_of(data[at])
            total = sums[after - start] + self.fallback
            if total < lowest:
                lowest = total
                token = -1
                end = after
            sums[at - start] = lowest
            best[at - start] = i32(token)
            following[at - start] = i32(end - start)
        while at < stop:
            token = i64(best[at - start])
            end = start + i64(following[at - start])
            if token >= 0:
                if trace is not None:
                    trace.add(PIECE, at, end, -1, token, -1)
                out[count] = i32(token)
                count += 1
                at = end
            while at < end:
                byte: i64 = data[at]
                token = i64(self._byte_ids[byte])
                if trace is not None:
                    trace.add(BYTE_FALLBACK, at, at + 1, -1, token, -1)
                out[count] = i32(token)
                count += 1
                at += 1
        return count

    def _look_up(self, data: bytes, at: i64, stop: i64) -> i64:
        """Finds the entries that begin at a byte, the shortest first; returns how many there are."""
        trie = self._trie
        state: i64 = START
        count: i64 = 0
        while at < stop:
            state = trie.following(state, data[at])
            if state < 0:
                break
            at += 1
            token = trie.token_at(state)
            if token >= 0:
                self._found[count] = i32(token)
                self._ends[count] = at
                count += 1
        return count

    def _reserve(self, size: i64) -> None:
        room: i64 = len(self._sums)
        if size < room:
            return
        while room <= size:
            room *= 2
        self._sums = vec[i64]([0] * room)
        self._best = vec[i32]([0] * room)
        self._next = vec[i32]([0] * room)
