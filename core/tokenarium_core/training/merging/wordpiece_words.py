"""The counted words of a corpus as the symbols that WordPiece begins with."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.character_words import character, width
from tokenarium_core.training.merging.counted_words import CountedWords
from tokenarium_core.training.word_counter import WordCounter
from tokenarium_core.unicode.codepoints import CODE_POINTS


@final
class WordPieceWords(CountedWords):
    """The words of a counter: their first character is one symbol, the same character behind it another.

    ``characters`` and ``continuing`` are the code points of the symbols, one after the other. What is not in them is
    passed over, as in Hugging Face's tokenizers: its neighbours then stand side by side.
    """

    def __init__(self, counter: WordCounter, characters: list[int], continuing: list[int]) -> None:
        self._counter = counter
        self._first = vec[i32]([-1] * CODE_POINTS)
        self._later = vec[i32]([-1] * CODE_POINTS)
        for symbol, code in enumerate(characters):
            self._first[code] = i32(symbol)
        for symbol, code in enumerate(continuing):
            self._later[code] = i32(len(characters) + symbol)
        self._room = vec[i32]([0] * 256)
        self._symbols = vec[i32]([0] * 256)

    def symbol_count(self) -> i64:
        """Returns how many symbols the whole corpus has."""
        total: i64 = 0
        for slot in self._counter.slots_by_count():
            total += self.size_of(i64(slot)) * self._counter.count_of(i64(slot))
        return total

    def counts(self, room: i64) -> vec[i64]:
        """Returns how often each symbol stands in the corpus, in an array of ``room`` numbers."""
        counts = vec[i64]([0] * room)
        for found in self._counter.slots_by_count():
            slot = i64(found)
            size = self.size_of(slot)
            for index in range(size):
                counts[i64(self._symbols[index])] += self._counter.count_of(slot)
        return counts

    def slots_by_count(self) -> vec[i32]:
        """Returns the slots of all words, the most frequent word first."""
        return self._counter.slots_by_count()

    def count_of(self, slot: i64) -> i64:
        """Returns how often the word in a slot was counted."""
        return self._counter.count_of(slot)

    def size_of(self, slot: i64) -> i64:
        """Returns the length of the word in a slot, in symbols."""
        size = self._counter.size_of(slot)
        if size > len(self._symbols):
            self._symbols = vec[i32]([0] * (2 * size))
        return self.write(slot, self._symbols, 0)

    def write(self, slot: i64, symbols: vec[i32], at: i64) -> i64:
        """Writes the symbols of the word in a slot to ``symbols[at:]`` and returns how many there are."""
        size = self._counter.size_of(slot)
        if size + 4 > len(self._room):
            self._room = vec[i32]([0] * (2 * size + 4))
        self._counter.write(slot, self._room, 0)
        data = self._room
        table = self._first
        start = at
        index: i64 = 0
        while index < size:
            code = character(data, index)
            index += width(code)
            symbol = table[code]
            table = self._later
            if symbol >= 0:
                symbols[at] = symbol
                at += 1
        return at - start


def characters_behind(counter: WordCounter) -> set[int]:
    """Returns the code points of the characters that stand in a word behind its first one."""
    seen: set[int] = set()
    known = vec[i32]([0] * CODE_POINTS)
    data = vec[i32]([0] * 256)
    for found in counter.slots_by_count():
        slot = i64(found)
        size = counter.size_of(slot)
        if size + 4 > len(data):
            data = vec[i32]([0] * (2 * size + 4))
        counter.write(slot, data, 0)
        index = width(character(data, 0))
        while index < size:
            code = character(data, index)
            if known[code] == 0:
                known[code] = 1
                seen.add(code)
            index += width(code)
    return seen
