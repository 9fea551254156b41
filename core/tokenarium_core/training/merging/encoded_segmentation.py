"""The counted words of a corpus, as a finished model splits each of them: for a training that continues from a tokenizer."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.training.merging.counted_segmentation import CountedSegmentation
from tokenarium_core.training.merging.segmentation import BLOCK_BITS
from tokenarium_core.training.word_counter import WordCounter

_WORDS_AT_A_TIME: Final = 1 << 10
_MERGES_AT_A_TIME: Final = 1 << 20
_SPACE: Final = b" "
_MARK: Final = "▁".encode()


@final
class ModelWords:
    """Cuts single words by a model, each by itself.

    ``marked``: the model has ``▁`` itself where the words have a space.
    """

    def __init__(self, model: Model, marked: bool = False) -> None:
        self._model = model
        self._marked = marked
        self._words = WordBatch(vec[i32]([0]), vec[u8]([0]))
        self.ids = vec[i32]([0] * 256)
        """The ids of the last word: as many as `cut` returned."""

    def cut(self, data: bytes, start: i64, stop: i64) -> i64:
        """Cuts ``data[start:stop]`` (padded) and returns how many ``ids`` it has."""
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
class EncodedSegmentation(CountedSegmentation):
    """The different words of a counter, each with its count: a position is a token that a model makes of it.

    ``numbers[id]`` is the symbol of an id; below 0 nothing is merged with it, as with what is unknown. ``ids`` is how
    many symbols there will be in the end. ``tokens`` counts all tokens of the corpus, those without a symbol too;
    ``before`` is that number when all words are laid out, before anything is merged.
    """

    def __init__(
        self, counter: WordCounter, words: ModelWords, numbers: vec[i32], ids: i64
    ) -> None:
        super().__init__(counter, ids, _WORDS_AT_A_TIME)
        self.before: i64 = 0
        self._words = words
        self._numbers = numbers

    def lay_out(self) -> bool:
        """Encodes and lays out the next words, the most frequent ones first."""
        done = super().lay_out()
        if done:
            self.before = self.tokens
        return done

    def uses(self) -> vec[i64]:
        """Returns how often each symbol is a token of the corpus now, in words of several tokens when laid out."""
        symbols = self.symbols
        sizes = self.sizes
        weights = self.weights
        uses = vec[i64]([0] * len(sizes))
        at: i64 = 0
        while at < self.end:
            symbol = i64(symbols[at])
            if symbol < 0:
                at += 1
            else:
                uses[symbol] += weights[at >> BLOCK_BITS]
                at += i64(sizes[symbol])
        return uses

    def lay_out_unit(self, text: bytes, at: i64, size: i64, count: i64) -> None:
        """Lays out one word; one of a single token is left out, as it has no pair."""
        found = self._words.cut(text, at, at + size)
        self.tokens += found * count
        if found < 2:
            return
        first = self.place_for(found, count)
        symbols = self.symbols
        ids = self._words.ids
        numbers = self._numbers
        k: i64 = 0
        while k < found:
            symbols[first + k] = numbers[i64(ids[k])]
            k += 1
        self.end_unit(first, first + found, count)
