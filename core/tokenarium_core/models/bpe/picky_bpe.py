"""PickyBPE: byte-level BPE whose training took tokens away again, and whose encoding does the same.

Source: Chizhov et al. 2024, "BPE Gets Picky: Efficient Vocabulary Refinement During Tokenizer Training"
(https://arxiv.org/abs/2409.04599), and the authors' ``picky_tokenize.py``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.event_word import EventTable, EventWord
from tokenarium_core.models.bpe.merge_events import BYTES, MergeEvents
from tokenarium_core.models.model import Model, PendingWord, WordBatch
from tokenarium_core.models.word_cache import WordMemory
from tokenarium_core.trace import NO_PIECE, WHOLE, Trace
from tokenarium_core.vocabulary import Vocabulary

LONG: Final = 4096
"""A word of more bytes is left to the caller, who may pause."""

_ROOM: Final = 256
"""A word of more bytes has columns of its own."""

_ALL: Final = 1 << 40


@final
class PickyBpe(Model):
    """The model of a PickyBPE tokenizer.

    A word that is an entry is that entry. Else its bytes go through all merges and removals of the training in their
    order, see `EventWord`: a token that is removed later may be a step to others. What remains are entries.
    """

    def __init__(self, vocabulary: Vocabulary, events: MergeEvents) -> None:
        super().__init__(vocabulary, adds_up=True)
        self.reads_rules = False
        self.events = events
        tokens: i64 = len(events.pieces)
        ids = vec[i32]([NO_PIECE] * tokens)
        for token in events.entries():
            piece = events.pieces[token]
            found = vocabulary.find(piece)
            if found < 0:
                raise FormatError(f"The token {piece!r} that the merges make is no entry.")
            ids[i64(token)] = i32(found)
        self.table = EventTable(events, ids)
        self._memory = WordMemory()
        self._word = EventWord(b"", 0, 0, self.table, _ROOM)
        self._long_word: EventWord | None = None

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words, see `Model.encode_words`; no rule of a byte-level text removes one."""
        data = words.data
        ends = words.ends
        stop = words.stop
        memory = self._memory
        position = words.start
        word = words.first
        while word < stop:
            end: i64 = i64(ends[word])
            value = memory.find(data, position, end)
            if value >= 0:
                count = memory.ids.write(value, out, count)
            elif end - position > LONG and self._entry(data, position, end) < 0:
                self._long_word = EventWord(data, position, end, self.table)
                position = end
                break
            else:
                after = self._encode(data, position, end, out, count, None)
                memory.keep(data, position, end, out, count, after)
                count = after
            position = end
            word += 1
        words.first = word
        words.start = position
        return count

    def take_pending(self) -> PendingWord | None:
        """Returns the word longer than `LONG` at which `encode_words` stopped, once."""
        long_word = self._long_word
        self._long_word = None
        return long_word

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events; see `Model.encode_traced`."""
        return self._encode(data, start, stop, out, count, trace)

    def next_event(self, left: bytes, right: bytes, time: int) -> int:
        """Returns the first event after a time (the number of an event, -1: from the beginning) that merges two tokens.

        -1 if there is none. Events are the ranks of merges in a trace, and the scores of tokens that come apart.
        """
        events = self.events
        first: i64 = events.number_of(left)
        second: i64 = events.number_of(right)
        if first < 0 or second < 0:
            return -1
        return self.table.next_merge(first, second, time)

    def byte_symbols(self) -> list[int]:
        """Returns the ids of the 256 bytes, with which every word begins."""
        ids = self.table.ids
        return [ids[byte] for byte in range(BYTES)]

    def _entry(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of a word that is an entry; else -1."""
        return self.vocabulary.find_in(data, start, stop)

    def _encode(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace | None
    ) -> i64:
        token = self._entry(data, start, stop)
        if token >= 0:
            if trace is not None:
                trace.add(WHOLE, start, stop, -1, token, -1)
            out[count] = i32(token)
            return count + 1
        word = self._word
        if stop - start <= _ROOM:
            word.begin(data, start, stop)
        else:
            word = EventWord(data, start, stop, self.table)
        word.step(_ALL, trace)
        return word.write(out, count)
