"""The counted words of a corpus, as tokenized by a finished model: where training continues from a tokenizer."""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.training.merging.segmentation import (
    BLOCK_BITS,
    NOTHING,
    POSITIONS,
    Segmentation,
    whole_blocks,
)
from tokenarium_core.training.word_counter import WordCounter

_WORDS_AT_A_TIME: Final = 1 << 10
_FIRST_ROOM: Final = 1 << 16
_MERGES_AT_A_TIME: Final = 1 << 20
_SPACE: Final = b" "
_MARK: Final = "▁".encode()


@final
class ModelWords:
    """Tokenizes words with a model, each on its own.

    ``marked``: the model has ``▁`` where the words have a space.
    """

    def __init__(self, model: Model, marked: bool = False) -> None:
        self._model = model
        self._marked = marked
        self._words = WordBatch(vec[i32]([0]), vec[u8]([0]))
        self.ids = vec[i32]([0] * 256)
        """The ids of the last word: as many as `cut` returned."""

    def cut(self, data: bytes, start: i64, stop: i64) -> i64:
        """Tokenizes ``data[start:stop]`` (padded) and returns how many ``ids`` it has."""
        if self._marked:
            data = data[start:stop].replace(_SPACE, _MARK) + ZEROS
            start = 0
            stop = len(data) - PADDING
        model = self._model
        room = (stop - start) * model.ids_per_byte + 1
        if room > len(self.ids):
            self.ids = vec[i32]([0] * (2 * room))
        out = self.ids
        words = self._words
        words.data = data
        words.start = start
        words.ends[0] = i32(stop)
        words.stop = 1
        words.first = 0
        count: i64 = 0
        while words.first < 1 and words.start < stop:
            count = model.encode_words(words, out, count)
            pending = model.take_pending()
            if pending is not None:
                while not pending.step(_MERGES_AT_A_TIME, None):
                    pass
                count = pending.write(out, count)
        words.data = b""
        return count

    def ids_of(self, word: bytes) -> list[int]:
        """Returns the ids of a word."""
        count = self.cut(word + ZEROS, 0, len(word))
        return [int(id) for id in self.ids[:count]]


@final
class EncodedSegmentation(Segmentation):
    """The distinct words of a counter, each with its count: a position is a token of a model.

    ``numbers[id]`` is the symbol of an id; if it is negative, nothing is merged with it, as with unknown tokens.
    ``ids`` is the final number of symbols. ``tokens`` counts all tokens of the corpus, including those without a
    symbol; ``before`` is that number once all words are laid out, before anything is merged.
    """

    def __init__(
        self, counter: WordCounter, words: ModelWords, numbers: vec[i32], ids: i64
    ) -> None:
        super().__init__(ids)
        self.before: i64 = 0
        self._counter = counter
        self._order = counter.slots_by_count()
        self._words = words
        self._numbers = numbers
        self._used: i64 = (
            1 << BLOCK_BITS
        )  # an empty block, so that ``symbols[p - 1]`` always exists
        self._weight: i64 = 0
        self.to_lay_out = len(self._order)
        self.make_room(_FIRST_ROOM)

    def lay_out(self) -> bool:
        """Encodes and lays out the next words, the most frequent ones first."""
        counter = self._counter
        order = self._order
        first = self.laid_out
        stop = min(first + _WORDS_AT_A_TIME, i64(len(order)))
        writer = BytesWriter()
        k = first
        while k < stop:
            counter.write_units(i64(order[k]), writer)
            k += 1
        writer.write(ZEROS)
        text = writer.getvalue()
        at: i64 = 0
        k = first
        while k < stop:
            slot = i64(order[k])
            size = counter.size_of(slot)
            self._add(text, at, size, counter.count_of(slot))
            at += (size + 7) >> 3 << 3
            k += 1
        self.laid_out = stop
        if stop < len(order):
            return False
        end = whole_blocks(self._used)
        if end > self.end:
            self.make_room(end)
        self.end = end
        self.before = self.tokens
        return True

    def uses(self) -> vec[i64]:
        """Returns how often each symbol is a token of the corpus now, in words of several tokens when laid out."""
        symbols = self.symbols
        sizes = self.sizes
        weights = self.weights
        found = vec[i64]([0] * len(sizes))
        at: i64 = 0
        while at < self.end:
            symbol = i64(symbols[at])
            if symbol < 0:
                at += 1
            else:
                found[symbol] += weights[at >> BLOCK_BITS]
                at += i64(sizes[symbol])
        return found

    def _add(self, text: bytes, at: i64, size: i64, count: i64) -> None:
        """Lays out one word; a word of a single token is skipped, as it has no pair."""
        found = self._words.cut(text, at, at + size)
        self.tokens += found * count
        if found < 2:
            return
        if count != self._weight:
            self._weight = count
            self._used = whole_blocks(self._used)
        first = self._used
        if first + found + 1 > self.end:
            room = whole_blocks(first + (first >> 1) + found + 1)
            most: i64 = POSITIONS
            needed = whole_blocks(first + found + 1)
            self.make_room(max(min(room, most >> BLOCK_BITS << BLOCK_BITS), needed))
        symbols = self.symbols
        ids = self._words.ids
        numbers = self._numbers
        k: i64 = 0
        while k < found:
            symbols[first + k] = numbers[i64(ids[k])]
            k += 1
        symbols[first + found] = i32(NOTHING)
        self._used = first + found + 1
        self.weigh(first, self._used, count)
