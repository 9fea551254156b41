"""PickyBPE: byte-level BPE whose training removed tokens again, and whose encoding does the same.

Source: Chizhov et al. 2024, "BPE Gets Picky: Efficient Vocabulary Refinement During Tokenizer Training"
(https://arxiv.org/abs/2409.04599), and the authors' ``picky_tokenize.py``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.event_word import LONG, EventModel, EventWord
from tokenarium_core.models.bpe.merge_events import MergeEvents
from tokenarium_core.models.model import WordBatch
from tokenarium_core.trace import WHOLE, Trace
from tokenarium_core.vocabulary import Vocabulary

_ROOM: Final = 256
"""A word of more bytes has separate columns."""

_ALL: Final = 1 << 40


@final
class PickyBpe(EventModel):
    """The model of a PickyBPE tokenizer.

    A word that is an entry becomes that entry. Otherwise its bytes go through all merges and removals of the training
    in order, see `EventWord`: a token that is removed later may be a step towards others. What remains are entries.
    """

    def __init__(self, vocabulary: Vocabulary, events: MergeEvents) -> None:
        super().__init__(vocabulary, events, False)
        self._word = EventWord(b"", 0, 0, self.table, _ROOM)

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

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events; see `Model.encode_traced`."""
        return self._encode(data, start, stop, out, count, trace)

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
