"""A corpus as one sequence of stretches, cut into the pieces that are known already."""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.training.merging.encoded_words import EncodedWords, StretchEncoder
from tokenarium_core.training.merging.segmentation import (
    BLOCK_BITS,
    NOTHING,
    Segmentation,
    whole_blocks,
)
from tokenarium_core.training.merging.word_sequence import (
    BLOCK,
    FIRST,
    FRAGMENT,
    NUMBER_SHIFT,
    WordSequence,
)

WORDS_AT_A_TIME: Final = 1 << 11
ENTRIES_AT_A_TIME: Final = 1 << 15


@final
class TokenSegmentation(Segmentation):
    """The stretches of a word sequence, as an encoder cuts each of them: a position is one of its tokens.

    So a text of 24 MB takes some six million positions, and training begins where the encoder ends.

    Each distinct word is encoded once. Its tokens are those that it has in a stretch too, but where a
    piece might hold both the last character of one word and the first of the next (see `SafeCut`): such
    words are encoded together. Each stretch stands for as many as the sequence left out.
    """

    def __init__(self, sequence: WordSequence, model: BytePairEncoder, ids: i64) -> None:
        super().__init__(ids)
        self._sequence = sequence
        self._encoder = StretchEncoder(model)
        self._words = EncodedWords(sequence.words, self._encoder)
        self._fragments = EncodedWords(sequence.fragments, self._encoder)
        self._next: i64 = 0
        self._used: i64 = 1 << BLOCK_BITS  # an empty block, so that ``symbols[p - 1]`` always is
        self._stretch: i64 = self._used  # where the stretch at hand begins
        self._run: i64 = self._used  # … and the words that have to be encoded together, mostly one
        self._run_first: i64 = 0  # its first entry
        self._run_size: i64 = 0  # how many they are
        self._run_text = BytesWriter()
        self._last: i64 = 0  # character of the word before
        self._distinct: i64 = self._words.count + self._fragments.count
        self.to_lay_out = self._distinct + sequence.size

    def lay_out(self) -> bool:
        """Encodes the next distinct words, or lays out the next of the sequence."""
        words = self._words
        fragments = self._fragments
        if words.encoded < words.count:
            words.encode(WORDS_AT_A_TIME)
        elif fragments.encoded < fragments.count:
            fragments.encode(WORDS_AT_A_TIME)
        elif self._next < self._sequence.size:
            if self._next == 0:
                tokens = words.total + fragments.total
                tokens = tokens // self._sequence.step + self._sequence.stretches
                self.make_room(whole_blocks(tokens + (1 << BLOCK_BITS)))
            self._lay_out_block(min(self._next + ENTRIES_AT_A_TIME, self._sequence.size))
        else:
            self._finish()
            return True
        self.laid_out = words.encoded + fragments.encoded + self._next
        return False

    def _lay_out_block(self, stop: i64) -> None:
        """Lays out the words of the sequence before ``stop``; lets go of those that lie there."""
        safe_cut = self._encoder.safe_cut
        entries = self._sequence.blocks[self._next // BLOCK]
        k = self._next
        while k < stop:
            entry = i64(entries[k & (BLOCK - 1)])
            words = self._fragments if entry & FRAGMENT else self._words
            number = entry >> NUMBER_SHIFT
            first = words.firsts[number]
            last = self._last
            before = last
            while before > 0xFF:
                before >>= 8
            if entry & FIRST == 0 and safe_cut.may_join(last, first, before, first & 0xFF):
                if self._run_size == 1:
                    self._run_text = BytesWriter()
                    self._write(self._run_first)
                self._write(entry)
                self._run_size += 1
            else:
                if self._run_size > 1:
                    self._encode_run()
                if entry & FIRST:
                    self._end_stretch()
                self._run = self._used
                self._run_first = entry
                self._run_size = 1
            at: i64 = i64(words.starts[number])
            end: i64 = i64(words.starts[number + 1])
            used = self._used
            if used + end - at >= self.end:
                self._enlarge(end - at)
            symbols = self.symbols
            tokens = words.tokens
            while at < end:
                symbols[used] = tokens[at]
                used += 1
                at += 1
            self._used = used
            self._last = words.lasts[number]
            k += 1
        if k & (BLOCK - 1) == 0 or k == self._sequence.size:
            self._sequence.blocks[(k - 1) // BLOCK] = vec[i32]()
        self._next = k

    def _enlarge(self, tokens: i64) -> None:
        """Makes room for some more tokens, and for what sets them apart."""
        self.make_room(whole_blocks(self._used + (self._used >> 3) + tokens + 1))

    def _write(self, entry: i64) -> None:
        """Adds the bytes of a word to those that are encoded together."""
        words = self._fragments if entry & FRAGMENT else self._words
        number = entry >> NUMBER_SHIFT
        place: i64 = i64(words.places[number])
        self._run_text.write(words.text[place : place + i64(words.sizes[number])])

    def _encode_run(self) -> None:
        """Encodes the last words anew, together."""
        size: i64 = len(self._run_text)
        self._run_text.write(ZEROS)
        out = vec[i32]([0] * size)
        tokens = self._encoder.encode(self._run_text.getvalue(), 0, size, out, 0)
        self._used = self._run
        if self._used + tokens >= self.end:
            self._enlarge(tokens)
        symbols = self.symbols
        for k in range(tokens):
            symbols[self._run + k] = out[k]
        self._used += tokens

    def _end_stretch(self) -> None:
        """Sets the last stretch apart; one of a single token is left out, as it has no pair."""
        tokens = self._used - self._stretch
        self.tokens += tokens * self._sequence.step
        if tokens > 1:
            if self._used >= self.end:
                self._enlarge(0)
            self.symbols[self._used] = i32(NOTHING)
            self._used += 1
            self._stretch = self._used
        else:
            self._used = self._stretch

    def _finish(self) -> None:
        """Ends the last stretch, and lets go of all that is not needed any more."""
        if self._run_size > 1:
            self._encode_run()
        self._end_stretch()
        self.end = whole_blocks(self._used)
        if self.end > len(self.symbols):
            self.make_room(self.end)
        for at in range(self._used, min(self.end, i64(len(self.symbols)))):
            self.symbols[at] = i32(NOTHING)
        self.weigh(0, self.end, self._sequence.step)
        self._words.forget()
        self._fragments.forget()
        self._sequence.blocks.clear()
