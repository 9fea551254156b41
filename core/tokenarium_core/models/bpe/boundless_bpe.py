"""BoundlessBPE: byte-level BPE with deletions, and with merges of whole pre-tokens with their neighbours.

Source: Schmidt et al. 2025, "Boundless Byte Pair Encoding: Breaking the Pre-tokenization Barrier"
(https://arxiv.org/abs/2504.00178), and the authors' ``boundlessbpeinference.py``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import grown
from tokenarium_core.models.bpe.event_word import LONG, EventModel, EventWord
from tokenarium_core.models.bpe.merge_events import MergeEvents
from tokenarium_core.models.bpe.merge_table import NO_MERGE
from tokenarium_core.models.bpe.supermerges import Supermerges, SupermergeTable
from tokenarium_core.models.model import WordBatch
from tokenarium_core.trace import PRE_TOKEN, Trace
from tokenarium_core.vocabulary import Vocabulary

_ALL: Final = 1 << 40
_FIRST_ROW: Final = 64


@final
class BoundlessBpe(EventModel):
    """The model of a BoundlessBPE tokenizer.

    The events of the training are applied to a text once, in order. Merges and deletions affect each pre-token
    separately, see `EventWord`; a supermerge joins two neighbours that are a single token each at that time. What
    a pre-token becomes depends only on its bytes until a supermerge joins it, so it is cached: its ids without
    supermerges, and before them its *unit*, the single token that it is at some time if that may take part in one.
    `SupermergeTable` merges a row of neighbours that supermerges may join; the remaining words have their cached ids.
    """

    def __init__(
        self, vocabulary: Vocabulary, events: MergeEvents, supermerges: Supermerges
    ) -> None:
        super().__init__(vocabulary, events, True)
        self.joins = True
        self.supermerges = supermerges
        self.joining = SupermergeTable(supermerges, vocabulary, events)
        self._result = vec[i32]([0] * 1024)  # the unit of a word + 1, and its ids
        # The row of words that may be joined: the unit of each, where it ends, and where its ids begin in `_held`.
        self._row: i64 = 0
        self._row_start: i64 = 0
        self._row_word: i64 = 0  # its first word
        self._units = vec[i64]([0] * _FIRST_ROW)
        self._ends = vec[i32]([0] * _FIRST_ROW)
        self._firsts = vec[i32]([0] * (_FIRST_ROW + 1))
        self._stops = vec[i32]([0] * _FIRST_ROW)
        self._held = vec[i32]([0] * 1024)

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words, see `Model.encode_words`; the words have to be complete rows, see `WholeRows`."""
        data = words.data
        ends = words.ends
        stop = words.stop
        joining = self.joining
        position = words.start
        word = words.first
        last: i64 = -1  # the unit of the word before
        self._row = 0
        while word < stop:
            end: i64 = i64(ends[word])
            if end - position > LONG and end - position > joining.longest:  # no supermerge takes it
                count = self._write_row(data, out, count, None)
                self._long_word = EventWord(data, position, end, self.table)
                position = end
                break
            id_count = self._find(data, position, end)
            unit = i64(self._result[0]) - 1
            if last < 0 or unit < 0 or not joining.crosses(last, unit):
                count = self._write_row(data, out, count, None)
            self._add_to_row(id_count, unit, position, end)
            last = unit
            position = end
            word += 1
        count = self._write_row(data, out, count, None)
        words.first = word
        words.start = position
        return count

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events; see `Model.encode_traced`."""
        self._row = 0
        self._add_to_row(self._encode(data, start, stop), i64(self._result[0]) - 1, start, stop)
        return self._write_row(data, out, count, trace)

    def encode_row_traced(self, words: WordBatch, out: vec[i32], count: i64, trace: Trace) -> i64:
        """Writes the ids of words and adds their events.

        Words that become one token are one pre-token in the trace: first each of them is merged, then they are joined.
        """
        data = words.data
        position = words.start
        last: i64 = -1
        self._row = 0
        for word in range(words.first, words.stop):
            end: i64 = i64(words.ends[word])
            id_count = self._encode(data, position, end)
            unit = i64(self._result[0]) - 1
            if last < 0 or unit < 0 or not self.joining.crosses(last, unit):
                count = self._write_row(data, out, count, trace, words)
            if self._row == 0:
                self._row_word = word
            self._add_to_row(id_count, unit, position, end)
            last = unit
            position = end
        words.first = words.stop
        words.start = position
        return self._write_row(data, out, count, trace, words)

    def crosses(self, data: bytes, start: i64, middle: i64, stop: i64) -> bool:
        """Returns whether a token may cross byte ``middle``, between two words; see `Model.crosses`."""
        longest = self.joining.longest
        if middle - start > longest or stop - middle > longest:
            return False
        self._find(data, start, middle)
        left = i64(self._result[0]) - 1
        if left < 0:
            return False
        self._find(data, middle, stop)
        right = i64(self._result[0]) - 1
        return right >= 0 and self.joining.crosses(left, right)

    def may_cross(self, before: i64, behind: i64) -> bool:
        """Returns whether a token may cross a boundary between two such bytes; see `Model.may_cross`."""
        return self.joining.may_cross(before, behind)

    def supermerge(self, left: int, right: int) -> int:
        """Returns the rank of the supermerge of two ids in a trace, -1 for none: after all events within pre-tokens."""
        number: i64 = self.joining.table.find(left, right)
        return -1 if number == NO_MERGE else len(self.events) + int(number)

    def _find(self, data: bytes, start: i64, stop: i64) -> i64:
        """Writes the unit of a word + 1, and its ids, to ``_result``; returns how many there are."""
        memory = self._memory
        value = memory.find(data, start, stop)
        if value >= 0:
            return memory.ids.write(value, self._result, 0)
        count = self._encode(data, start, stop)
        memory.keep(data, start, stop, self._result, 0, count)
        return count

    def _encode(self, data: bytes, start: i64, stop: i64) -> i64:
        """Does what `_find` does, using only the events."""
        if len(self._result) < stop - start + 1:
            self._result = grown(self._result, 0, stop - start + 1)
        word = EventWord(data, start, stop, self.table)
        unit = self._unit(word)
        while word.next_event >= 0:
            word.happen(None)
            if unit < 0:
                unit = self._unit(word)
        self._result[0] = i32(unit + 1)
        return word.write(self._result, 1)

    def _unit(self, word: EventWord) -> i64:
        """Returns the id of a word that is a single token now, if it may take part in a supermerge; else -1."""
        if word.following[0] < word.size:
            return -1
        token: i64 = i64(self.table.ids[word.tokens[0]])
        return token if token >= 0 and i64(self.joining.units[token]) == 1 else -1

    def _add_to_row(self, count: i64, unit: i64, start: i64, stop: i64) -> None:
        """Adds a word to the row, of which `_find` returned ``count``."""
        row = self._row
        first: i64 = 0
        if row == 0:
            self._row_start = start
        else:
            first = i64(self._firsts[row])
        if row == len(self._units):
            self._enlarge_row()
        behind = first + count - 1
        if behind > len(self._held):
            self._held = grown(self._held, first, behind)
        held = self._held
        ids = self._result
        for index in range(1, count):
            held[first + index - 1] = ids[index]
        self._units[row] = unit
        self._ends[row] = i32(stop)
        self._firsts[row] = i32(first)
        self._firsts[row + 1] = i32(behind)
        self._row = row + 1

    def _enlarge_row(self) -> None:
        """Makes room for more words in the row."""
        row = self._row
        units = vec[i64]([0] * (2 * row))
        for index in range(row):
            units[index] = self._units[index]
        self._units = units
        self._ends = grown(self._ends, row, 2 * row)
        self._firsts = grown(self._firsts, row + 1, 2 * row + 1)
        self._stops = grown(self._stops, 0, 2 * row)

    def _write_row(
        self,
        data: bytes,
        out: vec[i32],
        count: i64,
        trace: Trace | None,
        words: WordBatch | None = None,
    ) -> i64:
        """Writes the ids of the row, and empties it; returns the index after the last.

        With a trace, it adds the events, and begins each pre-token of ``words`` if given.
        """
        row = self._row
        self._row = 0
        if row == 0:
            return count
        if row == 1 and trace is None:
            return self._write_word(0, out, count)
        firsts = self._units[:row] if trace is not None else self._units
        symbols = self._units
        stops = self._stops
        left = self.joining.join(symbols, stops, row)
        if trace is not None:
            self._trace_row(data, firsts, left, words, trace)
        word: i64 = 0
        for index in range(left):
            stop = i64(stops[index])
            if stop - word > 1:
                out[count] = i32(symbols[index])
                count += 1
            else:
                count = self._write_word(word, out, count)
            word = stop
        return count

    def _write_word(self, word: i64, out: vec[i32], count: i64) -> i64:
        """Writes the ids of a word of the row that no supermerge joined."""
        held = self._held
        for index in range(i64(self._firsts[word]), i64(self._firsts[word + 1])):
            out[count] = held[index]
            count += 1
        return count

    def _trace_row(
        self, data: bytes, units: vec[i64], left: i64, words: WordBatch | None, trace: Trace
    ) -> None:
        """Adds the events of a row, of which ``left`` symbols remain: those of one after those of the other."""
        first: i64 = 0
        for symbol in range(left):
            last = i64(self._stops[symbol])
            self._trace_symbol(data, units, first, last, words, trace)
            first = last

    def _trace_symbol(
        self,
        data: bytes,
        units: vec[i64],
        first: i64,
        last: i64,
        words: WordBatch | None,
        trace: Trace,
    ) -> None:
        """Adds the events of a word that no supermerge takes; or of several, up to their units, and of their join."""
        start = self._row_start if first == 0 else i64(self._ends[first - 1])
        count = last - first
        if words is not None:
            rule = i64(words.rules[self._row_word + first])
            trace.add(PRE_TOKEN, start, i64(self._ends[last - 1]), rule, -1, -1)
        starts = vec[i32]([0] * count)
        stops = vec[i32]([0] * count)
        symbols = vec[i64]([0] * count)
        for index in range(count):
            stop = i64(self._ends[first + index])
            word = EventWord(data, start, stop, self.table)
            while word.next_event >= 0 and not (count > 1 and self._unit(word) >= 0):
                word.happen(trace)
            symbols[index] = units[first + index]
            starts[index] = i32(start)
            stops[index] = i32(stop)
            start = stop
        if count > 1:
            heap = self.joining.heap(symbols, starts, stops, count)
            before: i64 = len(trace)
            while not heap.step(_ALL, self.vocabulary, trace):
                pass
            for event in range(before, i64(len(trace))):
                trace.ranks[event] += i32(len(self.events))
