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
FEW_POSITIONS: Final = 64  # of the room for lists in a tiny corpus
COMMON: Final = 65536  # words with counts below are sorted by counting, the few others by comparing


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
        self.spare: i64 = 0  # behind the end, where a `BpeMerger` may list positions
        self.laid_out: i64 = 0  # words that are there so far
        self.to_lay_out: i64 = 0

    def lay_out(self) -> bool:
        """Lays out some more words, for about a millisecond; returns whether that was all of them."""
        raise NotImplementedError

    def make_room(self, size: i64, spare: i64 = 0) -> None:
        """Makes the arrays ``size`` positions long, and ``symbols`` longer; TokenariumError if these are too many."""
        if size > POSITIONS:
            raise TokenariumError(
                f"The corpus has {size:,} bytes of distinct words, more than the {POSITIONS:,} that training can"
                " hold. Train on a part of it, or with a pattern that splits more finely."
            )
        symbols = vec[i32]([NOTHING] * (size + spare))
        weights = vec[i64]([0] * (size >> BLOCK_BITS))
        for at in range(min(i64(len(self.symbols)), size)):
            symbols[at] = self.symbols[at]
        for block in range(len(self.weights)):
            weights[block] = self.weights[block]
        self.symbols = symbols
        self.weights = weights
        self.end = size
        self.spare = spare

    def compact(self, ids: i64) -> None:
        """Gives each token a single position, and drops the words that became one token; ``ids`` exist so far.

        Positions listed before are no longer valid.
        """
        symbols = self.symbols
        weights = self.weights
        sizes = self.sizes
        weight: i64 = 0
        used: i64 = FIRST_POSITION
        at: i64 = FIRST_POSITION
        while at < self.end:
            token = i64(symbols[at])
            if token < 0:
                at += 1
                continue
            behind = at + i64(sizes[token])
            if symbols[behind] < 0:
                at = behind + 1
                continue
            if weights[at >> BLOCK_BITS] != weight:
                weight = weights[at >> BLOCK_BITS]
                stop = whole_blocks(used)
                while used < stop:
                    symbols[used] = NOTHING
                    used += 1
            first = used
            while token >= 0:
                symbols[used] = i32(token)
                used += 1
                at += i64(sizes[token])
                token = i64(symbols[at])
            symbols[used] = NOTHING
            used += 1
            self.weigh(first, used, weight)
        self.end = whole_blocks(used)
        while used < self.end:
            symbols[used] = NOTHING
            used += 1
        self.spare = len(symbols) - self.end
        k: i64 = 0
        while k < ids:
            sizes[k] = 1
            k += 1

    def weigh(self, first: i64, behind: i64, weight: i64) -> None:
        """Gives the blocks of the positions ``first`` to ``behind - 1`` their weight."""
        weights = self.weights
        block = first >> BLOCK_BITS
        while block <= (behind - 1) >> BLOCK_BITS:
            weights[block] = weight
            block += 1


@final
class WordSegmentation(Segmentation):
    """Counted words, as their initial symbols.

    ``shrinks``: whether tokens are only ever joined, so that their positions may change, see `compact`. There is room
    then for lists of positions, too few for all pairs at once: that takes half the memory.
    """

    def __init__(self, counter: CountedWords, ids: i64, shrinks: bool = False) -> None:
        super().__init__(ids)
        self.tokens = counter.symbol_count()
        self._layout = WordLayout(counter)
        self.to_lay_out = self._layout.word_count
        size = self._layout.measure(FIRST_POSITION)
        self.make_room(size, max(5 * (size >> 4), FEW_POSITIONS) if shrinks else 0)

    def lay_out(self) -> bool:
        """Lays out the next words."""
        layout = self._layout
        layout.write(self)
        self.laid_out = layout.written
        return layout.finished


@final
class WordLayout:
    """The part of a `Segmentation` for the words of one counter: `measure` returns how much room they need, `write`
    fills it.

    The words are read twice, in their own order: first to add up the room of the words that occur equally often, then
    to write each word into that room. A word of a single symbol has no pair, so it is skipped.
    """

    def __init__(self, counter: CountedWords) -> None:
        self._counter = counter
        self._next = vec[
            i64
        ]()  # by count: first the room of these words, then where the next one begins
        self._next_frequent: dict[int, int] = {}  # the same for counts of `COMMON` and more
        self.word_count: i64 = counter.word_count()
        self.written: i64 = 0

    @property
    def finished(self) -> bool:
        """Whether all words are written."""
        return self.written == self.word_count

    def measure(self, used: i64) -> i64:
        """Adds up the room of all words; returns the end of their last block, if they begin at ``used``."""
        counter = self._counter
        rooms = vec[i64]([0] * COMMON)
        frequent = self._next_frequent
        counter.rewind()
        while True:
            count = counter.next_word()
            if count == 0:
                break
            size = counter.word_size()
            if size > 1:
                if count < COMMON:
                    rooms[count] += size + 1
                else:
                    frequent[count] = frequent.get(count, 0) + size + 1
        self._next = rooms
        for many in sorted(frequent, reverse=True):
            used = whole_blocks(used)
            room: i64 = frequent[many]
            frequent[many] = used
            used += room
        count = COMMON - 1
        while count > 0:
            room = rooms[count]
            if room > 0:
                used = whole_blocks(used)
                rooms[count] = used
                used += room
            count -= 1
        counter.rewind()
        return whole_blocks(used)

    def write(self, words: Segmentation) -> None:
        """Writes the next words."""
        counter = self._counter
        symbols = words.symbols
        rooms = self._next
        frequent = self._next_frequent
        stop = min(self.written + WORDS_AT_A_TIME, self.word_count)
        k = self.written
        while k < stop:
            count = counter.next_word()
            if count == 0:
                stop = self.word_count
                break
            if counter.word_size() > 1:
                first: i64 = 0
                if count < COMMON:
                    first = rooms[count]
                else:
                    first = frequent[count]
                used = first + counter.write_word(symbols, first) + 1
                if count < COMMON:
                    rooms[count] = used
                else:
                    frequent[count] = used
                words.weigh(first, used, count)
            k += 1
        self.written = stop
        if self.finished:
            self._next = vec[i64]()
            counter.rewind()


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
    """Base of the word sources of `Segmentation`: distinct words, which are read one after another, any number of times.

    `next_word` moves to a word; then `word_size` and `write_word` are about that word.
    """

    def symbol_count(self) -> i64:
        """Returns how many symbols the whole corpus has."""
        raise NotImplementedError

    def word_count(self) -> i64:
        """Returns how many distinct words there are."""
        raise NotImplementedError

    def rewind(self) -> None:
        """Moves before the first word."""
        raise NotImplementedError

    def next_word(self) -> i64:
        """Moves to the next word; returns how often it was counted, 0 after the last word."""
        raise NotImplementedError

    def word_size(self) -> i64:
        """Returns the length of the word in symbols."""
        raise NotImplementedError

    def write_word(self, symbols: vec[i32], at: i64) -> i64:
        """Writes the symbols of the word to ``symbols[at:]`` and returns its length.

        A symbol below zero splits the word in two.
        """
        raise NotImplementedError
