"""The distinct words of a corpus, each encoded once with the pieces that are known."""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter, read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import grown
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.safe_cut import SafeCut
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.training.word_counter import WordCounter
from tokenarium_core.unicode.utf8 import character_sizes

MERGES_AT_A_TIME: Final = 1 << 20


@final
class StretchEncoder:
    """Encodes one stretch of bytes after the other, each by itself and to its end."""

    def __init__(self, model: BytePairEncoder) -> None:
        self.safe_cut = SafeCut(model.vocabulary)
        self._model = model
        self._ends = vec[i32]([0])
        self._rules = vec[u8]([0])

    def encode(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Writes the tokens of ``data[start:stop]`` (padded) from ``out[count]`` on; returns the end of them.

        ``out`` must have room for a token a byte.
        """
        model = self._model
        self._ends[0] = i32(stop)
        while start < stop:
            count = model.encode_words(data, start, self._ends, self._rules, 0, 1, out, count)
            start = model.position
            pending = model.take_pending()
            if pending is not None:
                while not pending.step(MERGES_AT_A_TIME, None):
                    pass
                count = pending.write(out, count)
        return count


@final
class EncodedWords:
    """The words of a counter by their numbers.

    Word ``n`` has the tokens ``tokens[starts[n]:starts[n + 1]]`` and the bytes
    ``text[places[n]:places[n] + sizes[n]]``. ``firsts[n]`` and ``lasts[n]`` are the bytes of its first
    and of its last character, in little-endian order. ``total`` is how many tokens all words take, as
    often as they were counted.
    """

    def __init__(self, counter: WordCounter, encoder: StretchEncoder) -> None:
        count: i64 = counter.distinct
        self.count: i64 = count
        self.total: i64 = 0
        self.encoded: i64 = 0
        self.starts = vec[i32]([0] * (count + 1))
        self.places = vec[i32]([0] * count)
        self.sizes = vec[i32]([0] * count)
        self.firsts = vec[i64]([0] * count)
        self.lasts = vec[i64]([0] * count)
        self._counter = counter
        self._encoder = encoder
        self._slots = counter.slots_by_number()
        writer = BytesWriter()
        for number in range(count):
            self.places[number] = i32(len(writer))
            self.sizes[number] = i32(counter.write_units(i64(self._slots[number]), writer))
        writer.write(ZEROS)
        self.text = writer.getvalue()
        self.tokens = vec[i32]([0] * (len(self.text) // 2))
        self._masks = vec[i64]([0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF])

    def encode(self, most: i64) -> None:
        """Encodes so many more words."""
        text = self.text
        stop = min(self.encoded + most, self.count)
        for number in range(self.encoded, stop):
            start: i64 = i64(self.places[number])
            end = start + i64(self.sizes[number])
            used: i64 = i64(self.starts[number])
            if used + end - start > len(self.tokens):
                self.tokens = grown(self.tokens, used, used + end - start)
            behind = self._encoder.encode(text, start, end, self.tokens, used)
            self.starts[number + 1] = i32(behind)
            self.total += (behind - used) * self._counter.count_of(i64(self._slots[number]))
            self.firsts[number] = self._character(start)
            last = end - 1
            while last > start and i64(text[last]) & 0xC0 == 0x80:
                last -= 1
            self.lasts[number] = self._character(last)
        self.encoded = stop

    def forget(self) -> None:
        """Lets go of all words."""
        self.text = b""
        self.tokens = vec[i32]()
        self.starts = vec[i32]()
        self.places = vec[i32]()
        self.sizes = vec[i32]()
        self.firsts = vec[i64]()
        self.lasts = vec[i64]()
        self._slots = vec[i32]()

    def _character(self, at: i64) -> i64:
        """Returns the bytes of the character at a place of the text."""
        byte: i64 = self.text[at]
        return read_i64_le(self.text, at) & self._masks[i64(character_sizes[byte])]
