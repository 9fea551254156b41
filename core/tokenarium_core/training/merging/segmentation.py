"""The distinct words of a corpus, or all of its text, and their current tokens during a training."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import check_rows
from tokenarium_core.errors import TokenariumError

NOTHING: Final = -1  # between words, and where a token was merged away
BLOCK_BITS: Final = 6  # one weight for 64 positions
FIRST_POSITION: Final = (
    1 << BLOCK_BITS
)  # after an empty block, so that ``symbols[p - 1]`` always exists
POSITIONS: Final = 0x7FFFFFFF  # a position is an i32
WORDS_AT_A_TIME: Final = 1 << 13


class Segmentation:
    """All distinct words in one array, each a sequence of tokens, separated by `NOTHING`.

    A token is in ``symbols`` at its first *and* at its last position. With ``sizes`` (positions
    of a token, by id) that makes the array a doubly linked list without links: the token after the
    one at ``p`` is at ``p + sizes[symbols[p]]``, the one before it is ``symbols[p - 1]`` and starts
    that many positions earlier.

    Words are sorted by descending count, each count in separate 64-position blocks, so the weight of a position (how
    often its word occurs in the corpus) is ``weights[p >> 6]``, a small array.

    A position is one of the tokens that training starts with; a subclass says which. ``tokens``
    is how many tokens the whole corpus has now, ``ids`` how many ids there will be at the end.
    """

    def __init__(self, ids: i64) -> None:
        check_rows(ids)
        self.tokens: i64 = 0
        self.symbols = vec[i32]()
        self.weights = vec[i64]()
        self.sizes = vec[i32]([1] * ids)
        self.end: i64 = 0
        self.laid_out: i64 = 0  # words that are there so far
        self.to_lay_out: i64 = 0

    def lay_out(self) -> bool:
        """Lays out some more words, for about a millisecond; returns whether that was all of them."""
        raise NotImplementedError

    def make_room(self, size: i64) -> None:
        """Makes the arrays ``size`` positions long; TokenariumError if these are too many."""
        if size > POSITIONS:
            raise TokenariumError(
                f"The corpus has {size:,} bytes of distinct words, more than the {POSITIONS:,} that training can"
                " hold. Train on a part of it, or with a pattern that splits more finely."
            )
        symbols = vec[i32]([NOTHING] * size)
        weights = vec[i64]([0] * (size >> BLOCK_BITS))
        for at in range(min(i64(len(self.symbols)), size)):
            symbols[at] = self.symbols[at]
        for block in range(len(self.weights)):
            weights[block] = self.weights[block]
        self.symbols = symbols
        self.weights = weights
        self.end = size

    def weigh(self, first: i64, behind: i64, weight: i64) -> None:
        """Gives the blocks of the positions ``first`` to ``behind - 1`` their weight."""
        weights = self.weights
        block = first >> BLOCK_BITS
        while block <= (behind - 1) >> BLOCK_BITS:
            weights[block] = weight
            block += 1


@final
class WordSegmentation(Segmentation):
    """Counted words, as their initial symbols."""

    def __init__(self, counter: CountedWords, ids: i64) -> None:
        super().__init__(ids)
        self.tokens = counter.symbol_count()
        self._layout = WordLayout(counter)
        self._used: i64 = FIRST_POSITION
        self.to_lay_out = self._layout.word_count
        self.make_room(self._layout.measure(self._used))

    def lay_out(self) -> bool:
        """Lays out the next words."""
        layout = self._layout
        self._used = layout.write(self, self._used)
        self.laid_out = layout.written
        return layout.finished


@final
class WordLayout:
    """The part of a `Segmentation` for the words of one counter: `measure` returns how much room they need, `write`
    fills it.

    A word of a single symbol has no pair, so it is skipped.
    """

    def __init__(self, counter: CountedWords) -> None:
        self._counter = counter
        self._order = counter.slots_by_count()
        self._sizes = vec[i32]()
        self._weight: i64 = 0
        self.word_count: i64 = len(self._order)
        self.written: i64 = 0

    @property
    def finished(self) -> bool:
        """Whether all words are written."""
        return self.written == self.word_count

    def measure(self, used: i64) -> i64:
        """Records the sizes of the words; returns the end of their last block, if they begin at ``used``."""
        counter = self._counter
        order = self._order
        sizes = vec[i32]([0] * len(order))
        weight: i64 = 0
        k: i64 = 0
        while k < len(order):
            slot = i64(order[k])
            size = counter.size_of(slot)
            sizes[k] = i32(size)
            if size > 1:
                if counter.count_of(slot) != weight:
                    weight = counter.count_of(slot)
                    used = whole_blocks(used)
                used += size + 1
            k += 1
        self._sizes = sizes
        return whole_blocks(used)

    def write(self, words: Segmentation, used: i64) -> i64:
        """Writes the next words from ``used`` on; returns where they end."""
        counter = self._counter
        order = self._order
        sizes = self._sizes
        symbols = words.symbols
        stop = min(self.written + WORDS_AT_A_TIME, self.word_count)
        k = self.written
        while k < stop:
            slot = i64(order[k])
            if i64(sizes[k]) > 1:
                if counter.count_of(slot) != self._weight:
                    self._weight = counter.count_of(slot)
                    used = whole_blocks(used)
                first = used
                used += counter.write(slot, symbols, first) + 1
                words.weigh(first, used, self._weight)
            k += 1
        self.written = stop
        if self.finished:
            self._sizes = vec[i32]()
        return used


def whole_blocks(position: i64) -> i64:
    """Returns the first position at or after ``position`` where a block begins."""
    return (position + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS << BLOCK_BITS


@final
class TextSegmentation(Segmentation):
    """Every occurrence of every pre-token of a text, as single bytes.

    It takes four bytes of memory per byte of text.
    """

    def __init__(self, ids: i64) -> None:
        super().__init__(ids)
        self.symbols = vec[i32]([NOTHING] * (1 << BLOCK_BITS))

    def add(self, data: bytes, start: i64, stop: i64, ends: vec[i32]) -> None:
        """Adds the pre-tokens of ``data[start:stop]``, which end before the bytes ``ends``."""
        symbols = self.symbols
        word: i64 = 0
        at = start
        while at < stop:
            byte: i64 = data[at]
            symbols = append(symbols, i32(byte))
            at += 1
            if at == i64(ends[word]):
                symbols = append(symbols, i32(NOTHING))
                word += 1
        self.symbols = symbols
        self.tokens += stop - start

    def lay_out(self) -> bool:
        """Gives each pre-token the weight 1."""
        self.make_room(whole_blocks(len(self.symbols)))
        self.weigh(0, self.end, 1)
        return True


class CountedWords:
    """Base of the word sources of `Segmentation`: each distinct word has a number, its slot."""

    def symbol_count(self) -> i64:
        """Returns how many symbols the whole corpus has."""
        raise NotImplementedError

    def slots_by_count(self) -> vec[i32]:
        """Returns the slots of all words, the most frequent word first."""
        raise NotImplementedError

    def count_of(self, slot: i64) -> i64:
        """Returns how often the word in a slot was counted."""
        raise NotImplementedError

    def size_of(self, slot: i64) -> i64:
        """Returns the length of the word in a slot, in symbols."""
        raise NotImplementedError

    def write(self, slot: i64, symbols: vec[i32], at: i64) -> i64:
        """Writes the symbols of the word in a slot to ``symbols[at:]`` and returns its length.

        A symbol below zero splits the word in two.
        """
        raise NotImplementedError
