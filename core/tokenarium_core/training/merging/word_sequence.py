"""The words of a corpus one after the other, by number, and where its longer stretches are cut."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.training.word_counter import WordCounter

FIRST: Final = 1  # a stretch begins with this word
FRAGMENT: Final = 2  # no word, but a part of one: a stretch is cut inside of it
NUMBER_SHIFT: Final = 2
BLOCK: Final = 1 << 20  # entries that lie together
CUTS: Final = 256
MULTIPLIER: Final = 0x2545F4914F6CDD1D  # of Vigna's xorshift*: odd, and its bits well spread


@final
class WordSequence:
    """Counts the words of a corpus, and keeps their order: four bytes a word.

    Entry ``k`` is ``blocks[k // BLOCK][k % BLOCK]``: the number of a word in ``words`` (or, where it
    has `FRAGMENT`, of a part of one in ``fragments``), with `FIRST` where a stretch begins. Words end
    where ``words.pre_tokenizer`` cuts, stretches where ``stretch_cutter`` does.

    Once ``most`` entries are there, half of the stretches are dropped, of those to come too, and so on:
    one of ``step`` is kept, see `is_kept`. All words are counted in any case.
    """

    def __init__(self, word_cutter: PreTokenizer, stretch_cutter: PreTokenizer, most: i64) -> None:
        self.words = WordCounter(word_cutter)
        self.fragments = WordCounter(word_cutter)
        self.blocks: list[vec[i32]] = []
        self.size: i64 = 0
        self.stretches: i64 = 0  # that are kept
        self.step: i64 = 1
        self._most: i64 = most
        self._seen: i64 = 0  # stretches that began
        self._keeps = False
        self._cutter = stretch_cutter
        self._word_at: i64 = 0
        self._stretch_at: i64 = 0  # where the last stretch began
        self._block = vec[i32]()
        self._ends = vec[i32]([0] * CUTS)  # of stretches that are cut already
        self._rules = vec[u8]([0] * CUTS)
        self._cuts: i64 = 0
        self._next: i64 = 0

    def add_block(self, data: bytes, stop: i64, limit: i64) -> bool:
        """Counts the next words up to ``limit``; false where there is none.

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
                first = FIRST if begin == self._stretch_at else 0
                self._append(i64(numbers[k]) << NUMBER_SHIFT | first)
            else:
                self._add_fragments(data, begin, behind, stop, limit)
                cut = self._next_cut(data, stop, limit)
            if cut == behind:
                self._stretch_at = cut
                self._next += 1
                cut = self._next_cut(data, stop, limit)
            begin = behind
            k += 1
        moved = end > self._word_at
        self._word_at = end
        return moved

    def _add_fragments(self, data: bytes, begin: i64, end: i64, stop: i64, limit: i64) -> None:
        """Adds the parts of a word that stretches are cut inside of."""
        while begin < end:
            cut = self._next_cut(data, stop, limit)
            first = FIRST if begin == self._stretch_at else 0
            behind = min(cut, end)
            number = self.fragments.count(data, begin, behind)
            self._append(number << NUMBER_SHIFT | FRAGMENT | first)
            if cut < end:
                self._stretch_at = cut
                self._next += 1
            begin = behind

    def _next_cut(self, data: bytes, stop: i64, limit: i64) -> i64:
        """Returns where the stretch ends that begins at ``_stretch_at``: behind ``limit`` if that is not known."""
        if self._next == self._cuts:
            self._next = 0
            self._cuts = self._cutter.cut(data, self._stretch_at, stop, self._ends, self._rules)
            if self._cuts == 0:
                return limit + 1
        return i64(self._ends[self._next])

    def _append(self, entry: i64) -> None:
        """Adds an entry, if its stretch is kept."""
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
        self.stretches += entry & FIRST

    def _thin_out(self) -> None:
        """Drops half of the stretches."""
        before = self.step
        self.step = 2 * before
        self.stretches = 0
        kept: i64 = 0
        stretch: i64 = -1
        keeps = False
        for k in range(self.size):
            entry = self.blocks[k // BLOCK][k & (BLOCK - 1)]
            if i64(entry) & FIRST:
                stretch += 1
                while not is_kept(stretch, before):
                    stretch += 1
                keeps = is_kept(stretch, self.step)
                self.stretches += keeps
            if keeps:
                self.blocks[kept // BLOCK][kept & (BLOCK - 1)] = entry
                kept += 1
        self.size = kept
        del self.blocks[(kept + BLOCK - 1) // BLOCK :]
        if self.blocks:
            self._block = self.blocks[-1]
        if 4 * kept > 3 * self._most:  # stretches too long to be dropped
            self._most *= 2

    def needed_from(self) -> i64:
        """Returns from where on the window is still needed when the reader moves on."""
        return min(self._word_at, self._stretch_at)

    def move(self, distance: i64) -> None:
        """Takes note that the window begins so many bytes later, and goes on behind it."""
        self._word_at -= distance
        self._stretch_at -= distance
        self._cuts = 0
        self._next = 0


def is_kept(stretch: i64, step: i64) -> bool:
    """Tells whether a stretch belongs to a sample of one in ``step``, a power of two.

    By a hash of its place: every eighth, say, would miss all that comes in turns. The samples nest.
    """
    return (stretch * MULTIPLIER >> 32) & (step - 1) == 0
