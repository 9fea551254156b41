"""The distinct stretches of a corpus, cut into the pieces that are known already."""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.byte_pair_encoder import BytePairEncoder
from tokenarium_core.pretokenizer import PADDING
from tokenarium_core.segmentation import BLOCK_BITS, NOTHING, Segmentation, whole_blocks
from tokenarium_core.word_counter import WordCounter

STRETCHES: Final = 1 << 12  # at most so many at a time …
BYTES_AT_A_TIME: Final = 1 << 16  # … and no more once they have so many bytes
MERGES_AT_A_TIME: Final = 1 << 20


@final
class TokenSegmentation(Segmentation):
    """The words of a counter as an encoder cuts them: a position is one of its tokens.

    So a text of 24 MB takes some five million positions rather than 24, and what training looks at
    begins where the encoder ends: with the merges of the encoder made, in the order of their ranks.
    """

    def __init__(
        self, counter: WordCounter, encoder: BytePairEncoder, ids: i64, expected: i64
    ) -> None:
        super().__init__(ids)
        self._counter: WordCounter | None = counter
        self._encoder = encoder
        self._order = counter.slots_by_count()
        self._used: i64 = 1 << BLOCK_BITS
        self._weight: i64 = 0
        self._out = vec[i32]()
        self.to_lay_out = len(self._order)
        self.make_room(whole_blocks(expected + (expected >> 4) + 4096))

    def lay_out(self) -> bool:
        """Encodes and lays out the next stretches."""
        counter = self._counter
        if counter is None:
            return True
        order = self._order
        writer = BytesWriter()
        starts = vec[i32]([0] * STRETCHES)
        ends = vec[i32]([0] * STRETCHES)
        weights = vec[i64]([0] * STRETCHES)
        count: i64 = 0
        k: i64 = self.laid_out
        while k < len(order) and count < STRETCHES and i64(len(writer)) < BYTES_AT_A_TIME:
            slot = i64(order[k])
            start: i64 = len(writer)
            starts[count] = i32(start)
            ends[count] = i32(start + counter.write_units(slot, writer))
            weights[count] = counter.count_of(slot)
            count += 1
            k += 1
        writer.write(b"\0" * PADDING)
        data = writer.getvalue()
        if len(self._out) < len(data):
            self._out = vec[i32]([0] * len(data))
        rules = vec[u8]([0] * STRETCHES)
        for word in range(count):
            tokens = self._encode(data, i64(starts[word]), ends, rules, word)
            self.tokens += tokens * weights[word]
            if tokens > 1:  # a single one has no pair
                self._append(tokens, weights[word])
        self.laid_out = k
        if k < len(order):
            return False
        self.end = whole_blocks(self._used)
        self._counter = None
        self._order = vec[i32]()
        self._out = vec[i32]()
        return True

    def _encode(self, data: bytes, start: i64, ends: vec[i32], rules: vec[u8], word: i64) -> i64:
        """Writes the tokens of a word, which begins at ``start``, to ``_out``; returns how many."""
        encoder = self._encoder
        count: i64 = 0
        while start < i64(ends[word]):
            count = encoder.encode_words(data, start, ends, rules, word, word + 1, self._out, count)
            start = encoder.position
            pending = encoder.take_pending()
            if pending is not None:
                while not pending.step(MERGES_AT_A_TIME, None):
                    pass
                count = pending.write(self._out, count)
        return count

    def _append(self, tokens: i64, weight: i64) -> None:
        """Lays out the first tokens of ``_out`` as the next word."""
        if weight != self._weight:
            self._weight = weight
            self._used = whole_blocks(self._used)
        first = self._used
        behind = first + tokens + 1
        if behind > self.end:
            self.make_room(whole_blocks(behind + (behind >> 2)))
        symbols = self.symbols
        out = self._out
        for k in range(tokens):
            symbols[first + k] = out[k]
        symbols[behind - 1] = i32(NOTHING)
        self.weigh(first, behind, weight)
        self._used = behind
