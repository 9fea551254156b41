"""The longest entry that begins where the one before it ended, and so on, over bytes: no word is looked at as a whole.

Sources: ``TRIE_TOKENIZER`` in ``rwkv_tokenizer.py`` of BlinkDL/ChatRWKV; ``SubwordTextEncoder._token_to_subwords`` in
``tensorflow_datasets/core/deprecated/text/subword_text_encoder.py`` of tensorflow/datasets.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.models.piece_trie import START, PieceTrie
from tokenarium_core.pretokenizers.pretokenizer import REMOVED
from tokenarium_core.trace import BYTE_FALLBACK, PIECE, Trace
from tokenarium_core.vocabulary import BYTE, CONTROL, Vocabulary

_BITE: Final = 65536  # bytes after which the caller may pause


@final
class LongestMatch(Model):
    """The model that takes the longest entry at each place; a byte that begins none becomes the entry of that byte.

    Entries of the kind BYTE stand for the 256 bytes and are taken only where no other entry begins, except that with
    ``bytes_match`` they are entries like all others. Control tokens are never taken. Raises FormatError if one of the
    256 bytes has no entry, so that every text has ids.
    """

    def __init__(self, vocabulary: Vocabulary, bytes_match: bool) -> None:
        super().__init__(vocabulary, adds_up=True)
        self.reads_rules = True
        self.bytes_match = bytes_match
        left_out: set[int] = set()
        self._byte_ids = vec[i32]([-1] * 256)
        for token in range(vocabulary.count):
            kind: i64 = i64(vocabulary.kinds[token])
            if kind == BYTE:
                byte: i64 = vocabulary.arena[i64(vocabulary.offsets[token])]
                self._byte_ids[byte] = i32(token)
            if kind == CONTROL or (kind == BYTE and not bytes_match):
                left_out.add(token)
        for value in range(256):
            if i64(self._byte_ids[value]) < 0:
                raise FormatError(
                    f"The vocabulary has no entry for the byte 0x{value:02X}, so some texts have no ids."
                )
        self.trie = PieceTrie(vocabulary, frozenset(left_out))
        self._position: i64 = 0

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of words; see `Model.encode_words`. Stops within a word if it is long."""
        data = words.data
        position = words.start
        for word in range(words.first, words.stop):
            end: i64 = i64(words.ends[word])
            if i64(words.rules[word]) != REMOVED:
                last = position + _BITE if end - position > _BITE else end
                count = self._walk(data, position, last, end, out, count, None)
                if self._position < end:
                    words.first = word
                    words.start = self._position
                    return count
            position = end
        words.first = words.stop
        words.start = position
        return count

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events to the trace; returns the index after the last."""
        return self._walk(data, start, stop, stop, out, count, trace)

    def _walk(
        self,
        data: bytes,
        start: i64,
        last: i64,
        stop: i64,
        out: vec[i32],
        count: i64,
        trace: Trace | None,
    ) -> i64:
        """Writes the ids of the entries that begin before ``last``; sets ``_position`` after them."""
        trie = self.trie
        at = start
        while at < last:
            token = trie.longest(data, at, stop, START)
            end = at + 1
            if token >= 0:
                end = trie.stop
            else:
                byte: i64 = data[at]
                token = i64(self._byte_ids[byte])
            if trace is not None:
                kind: i64 = BYTE_FALLBACK
                if end > at + 1 or self.bytes_match or trie.find(data, at, end, START) >= 0:
                    kind = PIECE
                trace.add(kind, at, end, -1, token, -1)
            out[count] = i32(token)
            count += 1
            at = end
        self._position = at
        return count
