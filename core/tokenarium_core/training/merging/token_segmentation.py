"""A corpus as one sequence of words, and its regions as the tokens of a tokenizer."""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter, read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import grown
from tokenarium_core.models.boundary_filter import boundaries_of
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.model import WordBatch
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.training.merging.segmentation import (
    BLOCK_BITS,
    NOTHING,
    Segmentation,
    whole_blocks,
)
from tokenarium_core.training.word_counter import WordCounter
from tokenarium_core.unicode.utf8 import character_sizes

FIRST: Final = 1  # a region begins with this word
FRAGMENT: Final = 2  # not a word, but a part of one: a region is cut inside it
NUMBER_SHIFT: Final = 2
BLOCK: Final = 1 << 20  # entries that are stored together
CUTS: Final = 256
MULTIPLIER: Final = 0x2545F4914F6CDD1D  # of Vigna's xorshift*: odd, and its bits well spread

MERGES_AT_A_TIME: Final = 1 << 20
WORDS_AT_A_TIME: Final = 1 << 11
ENTRIES_AT_A_TIME: Final = 1 << 15


@final
class WordSequence:
    """Counts the words of a corpus, and stores their order: four bytes per word.

    Entry ``k`` is ``blocks[k // BLOCK][k % BLOCK]``: the number of a word in ``words`` (or, if it has
    `FRAGMENT`, of a part of one in ``fragments``), with `FIRST` where a region begins.
    ``words.pre_tokenizer`` splits the text into words, ``region_cutter`` into regions.

    Once there are ``most`` entries, half of the regions are dropped, including future ones, and so on: one in ``step``
    is kept, see `is_kept`. All words are counted in any case.
    """

    def __init__(self, word_cutter: PreTokenizer, region_cutter: PreTokenizer, most: i64) -> None:
        self.words = WordCounter(word_cutter)
        self.fragments = WordCounter(word_cutter)
        self.blocks: list[vec[i32]] = []
        self.size: i64 = 0
        self.regions: i64 = 0  # that are kept
        self.step: i64 = 1
        self._most: i64 = most
        self._seen: i64 = 0  # regions that have begun
        self._keeps = False
        self._cutter = region_cutter
        self._word_at: i64 = 0
        self._region_at: i64 = 0  # where the last region began
        self._block = vec[i32]()
        self._ends = vec[i32]([0] * CUTS)  # of regions that are cut already
        self._rules = vec[u8]([0] * CUTS)
        self._cuts: i64 = 0
        self._next: i64 = 0

    def add_block(self, data: bytes, stop: i64, limit: i64) -> bool:
        """Counts the next words up to ``limit``; false if there is none.

        ``data[:stop]`` is a window on a text, see `CorpusReader`.
        """
        words = self.words
        begin = self._word_at
        end = words.add_block(data, begin, stop, limit)
        ends = words.ends
        numbers = words.numbers
        cut = self._next_cut(data, stop, limit)
        k: i64 = 0
        while begin < end:
            behind = i64(ends[k])
            if cut >= behind:
                first = FIRST if begin == self._region_at else 0
                self._append(i64(numbers[k]) << NUMBER_SHIFT | first)
            else:
                self._add_fragments(data, begin, behind, stop, limit)
                cut = self._next_cut(data, stop, limit)
            if cut == behind:
                self._region_at = cut
                self._next += 1
                cut = self._next_cut(data, stop, limit)
            begin = behind
            k += 1
        moved = end > self._word_at
        self._word_at = end
        return moved

    def _add_fragments(self, data: bytes, begin: i64, end: i64, stop: i64, limit: i64) -> None:
        """Adds the parts of a word that contains a region boundary."""
        while begin < end:
            cut = self._next_cut(data, stop, limit)
            first = FIRST if begin == self._region_at else 0
            behind = min(cut, end)
            number = self.fragments.count(data, begin, behind)
            self._append(number << NUMBER_SHIFT | FRAGMENT | first)
            if cut < end:
                self._region_at = cut
                self._next += 1
            begin = behind

    def _next_cut(self, data: bytes, stop: i64, limit: i64) -> i64:
        """Returns the end of the region that begins at ``_region_at``: after ``limit`` if it is not known."""
        if self._next == self._cuts:
            self._next = 0
            self._cuts = self._cutter.cut(data, self._region_at, stop, self._ends, self._rules)
            if self._cuts == 0:
                return limit + 1
        return i64(self._ends[self._next])

    def _append(self, entry: i64) -> None:
        """Adds an entry, if its region is kept."""
        if entry & FIRST:
            self._keeps = is_kept(self._seen, self.step)
            self._seen += 1
        if not self._keeps:
            return
        if self.size >= self._most:
            self._thin_out()
            self._keeps = is_kept(self._seen - 1, self.step)
            if not self._keeps:
                return
        at = self.size & (BLOCK - 1)
        if at == 0:
            self._block = vec[i32]([0] * BLOCK)
            self.blocks.append(self._block)
        self._block[at] = i32(entry)
        self.size += 1
        self.regions += entry & FIRST

    def _thin_out(self) -> None:
        """Drops half of the regions."""
        before = self.step
        self.step = 2 * before
        self.regions = 0
        kept: i64 = 0
        region: i64 = -1
        keeps = False
        for k in range(self.size):
            entry = self.blocks[k // BLOCK][k & (BLOCK - 1)]
            if i64(entry) & FIRST:
                region += 1
                while not is_kept(region, before):
                    region += 1
                keeps = is_kept(region, self.step)
                self.regions += keeps
            if keeps:
                self.blocks[kept // BLOCK][kept & (BLOCK - 1)] = entry
                kept += 1
        self.size = kept
        del self.blocks[(kept + BLOCK - 1) // BLOCK :]
        if self.blocks:
            self._block = self.blocks[-1]
        if 4 * kept > 3 * self._most:  # regions too long to be dropped
            self._most *= 2

    def counted_regions(self) -> WordCounter:
        """Returns the distinct regions that were kept, with their counts."""
        words = self.words.slots_by_number()
        parts = self.fragments.slots_by_number()
        counter = WordCounter(self._cutter)
        symbols = vec[i32]([0] * 64)
        region = BytesWriter()
        for k in range(self.size):
            entry = i64(self.blocks[k // BLOCK][k & (BLOCK - 1)])
            if entry & FIRST and k > 0:
                data = region.getvalue()
                counter.count(data + ZEROS, 0, len(data))
                region = BytesWriter()
            number = entry >> NUMBER_SHIFT
            source = self.words
            slot = i64(0)
            if entry & FRAGMENT:
                source = self.fragments
                slot = i64(parts[number])
            else:
                slot = i64(words[number])
            size = source.size_of(slot)
            if size > len(symbols):
                symbols = vec[i32]([0] * (2 * size))
            source.write(slot, symbols, 0)
            at: i64 = 0
            while at < size:
                region.append(u8(symbols[at]))
                at += 1
        if self.size > 0:
            data = region.getvalue()
            counter.count(data + ZEROS, 0, len(data))
        return counter

    def needed_from(self) -> i64:
        """Returns the beginning of the part of the window that is still needed when the reader moves on."""
        return min(self._word_at, self._region_at)

    def move(self, distance: i64) -> None:
        """Records that the window now begins this many bytes later."""
        self._word_at -= distance
        self._region_at -= distance
        self._cuts = 0
        self._next = 0


def is_kept(region: i64, step: i64) -> bool:
    """Returns whether a region belongs to a sample of one in ``step``, a power of two.

    This uses a hash of its position: taking, say, every eighth would miss anything periodic. The samples nest.
    """
    return (region * MULTIPLIER >> 32) & (step - 1) == 0


@final
class WordEncoder:
    """Encodes regions of bytes one after another, each separately and completely."""

    def __init__(self, model: BytePairEncoder) -> None:
        self.boundaries = boundaries_of(model.vocabulary)
        self._model = model
        self._words = WordBatch(vec[i32]([0]), vec[u8]([0]))

    def encode(self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64) -> i64:
        """Writes the tokens of ``data[start:stop]`` (padded) starting at ``out[count]``; returns their end.

        ``out`` must have room for one token per byte.
        """
        model = self._model
        words = self._words
        words.data = data
        words.start = start
        words.ends[0] = i32(stop)
        words.stop = 1
        while words.start < stop:
            words.first = 0
            count = model.encode_words(words, out, count)
            pending = model.take_pending()
            if pending is not None:
                while not pending.step(MERGES_AT_A_TIME, None):
                    pass
                count = pending.write(out, count)
        words.data = b""
        return count


@final
class EncodedWords:
    """The words of a counter by their numbers.

    Word ``n`` has the tokens ``tokens[starts[n]:starts[n + 1]]`` and the bytes
    ``text[places[n]:places[n] + sizes[n]]``. ``firsts[n]`` and ``lasts[n]`` are the bytes of its first
    and of its last character, in little-endian order. ``total`` is the number of tokens of all
    words, weighted by their counts.
    """

    def __init__(self, counter: WordCounter, encoder: WordEncoder) -> None:
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
        """Encodes this many more words."""
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
        """Releases all words."""
        self.text = b""
        self.tokens = vec[i32]()
        self.starts = vec[i32]()
        self.places = vec[i32]()
        self.sizes = vec[i32]()
        self.firsts = vec[i64]()
        self.lasts = vec[i64]()
        self._slots = vec[i32]()

    def _character(self, at: i64) -> i64:
        """Returns the bytes of the character at a position of the text."""
        byte: i64 = self.text[at]
        return read_i64_le(self.text, at) & self._masks[i64(character_sizes[byte])]


@final
class TokenSegmentation(Segmentation):
    """The regions of a word sequence, as tokenized by an encoder: a position is one of their tokens.

    So a text of 24 MB takes about six million positions, and training starts where the encoder ends.

    Each distinct word is encoded once. Its tokens in a region are the same, unless a piece might contain both the
    last character of one word and the first of the next (see `BoundaryFilter`): such words are encoded together. Each
    region also stands for those that the sequence dropped.
    """

    def __init__(self, sequence: WordSequence, model: BytePairEncoder, ids: i64) -> None:
        super().__init__(ids)
        self._sequence = sequence
        self._encoder = WordEncoder(model)
        self._words = EncodedWords(sequence.words, self._encoder)
        self._fragments = EncodedWords(sequence.fragments, self._encoder)
        self._next: i64 = 0
        self._used: i64 = (
            1 << BLOCK_BITS
        )  # an empty block, so that ``symbols[p - 1]`` always exists
        self._region: i64 = self._used  # where the current region begins
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
                tokens = tokens // self._sequence.step + self._sequence.regions
                self.make_room(whole_blocks(tokens + (1 << BLOCK_BITS)))
            self._lay_out_block(min(self._next + ENTRIES_AT_A_TIME, self._sequence.size))
        else:
            self._finish()
            return True
        self.laid_out = words.encoded + fragments.encoded + self._next
        return False

    def _lay_out_block(self, stop: i64) -> None:
        """Lays out the words of the sequence before ``stop``; releases them in the sequence."""
        boundaries = self._encoder.boundaries
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
            if entry & FIRST == 0 and boundaries.may_join(last, first, before, first & 0xFF):
                if self._run_size == 1:
                    self._run_text = BytesWriter()
                    self._write(self._run_first)
                self._write(entry)
                self._run_size += 1
            else:
                if self._run_size > 1:
                    self._encode_run()
                if entry & FIRST:
                    self._end_region()
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
        """Makes room for some more tokens, and for the gaps between regions."""
        self.make_room(whole_blocks(self._used + (self._used >> 3) + tokens + 1))

    def _write(self, entry: i64) -> None:
        """Adds the bytes of a word to those to be encoded together."""
        words = self._fragments if entry & FRAGMENT else self._words
        number = entry >> NUMBER_SHIFT
        place: i64 = i64(words.places[number])
        self._run_text.write(words.text[place : place + i64(words.sizes[number])])

    def _encode_run(self) -> None:
        """Encodes the last words again, together."""
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

    def _end_region(self) -> None:
        """Ends the last region; a region of a single token is dropped, as it has no pair."""
        tokens = self._used - self._region
        self.tokens += tokens * self._sequence.step
        if tokens > 1:
            if self._used >= self.end:
                self._enlarge(0)
            self.symbols[self._used] = i32(NOTHING)
            self._used += 1
            self._region = self._used
        else:
            self._used = self._region

    def _finish(self) -> None:
        """Ends the last region, and releases everything that is no longer needed."""
        if self._run_size > 1:
            self._encode_run()
        self._end_region()
        self.end = whole_blocks(self._used)
        if self.end > len(self.symbols):
            self.make_room(self.end)
        for at in range(self._used, min(self.end, i64(len(self.symbols)))):
            self.symbols[at] = i32(NOTHING)
        self.weigh(0, self.end, self._sequence.step)
        self._words.forget()
        self._fragments.forget()
        self._sequence.blocks.clear()
