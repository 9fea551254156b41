"""The counted words of a corpus as characters rather than bytes."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.word_counter import SlotWords, WordCounter
from tokenarium_core.unicode.codepoints import CODE_POINTS

LEFT_OUT: Final = -1
"""The symbol of a character outside the alphabet: nothing is merged with it."""


@final
class CharacterWords(SlotWords):
    """The words of a counter; the symbol of a character is its index in ``alphabet``, a list of code points.

    ``characters`` is their number in the whole corpus.
    """

    def __init__(self, counter: WordCounter, alphabet: list[int], characters: int) -> None:
        super().__init__(counter)
        self._characters: i64 = characters
        self._symbols = vec[i32]([LEFT_OUT] * CODE_POINTS)
        for symbol, code in enumerate(alphabet):
            self._symbols[code] = i32(symbol)
        self._room = vec[i32]([0] * 256)

    def symbol_count(self) -> i64:
        """Returns how many characters the corpus has."""
        return self._characters

    def slots_by_count(self) -> vec[i32]:
        """Returns the slots of all words, the most frequent word first."""
        return self._counter.slots_by_count()

    def count_of(self, slot: i64) -> i64:
        """Returns how often the word in a slot was counted."""
        return self._counter.count_of(slot)

    def size_of(self, slot: i64) -> i64:
        """Returns the length of the word in a slot, in characters."""
        return self._counter.characters_of(slot)

    def word_size(self) -> i64:
        """Returns the length of the word in symbols."""
        return self.size_of(self._slot)

    def write_word(self, symbols: vec[i32], at: i64) -> i64:
        """Writes the symbols of the word to ``symbols[at:]`` and returns how many there are."""
        return self.write(self._slot, symbols, at)

    def write(self, slot: i64, symbols: vec[i32], at: i64) -> i64:
        """Writes the symbols of the word in a slot to ``symbols[at:]`` and returns how many there are."""
        size = self._read(slot)
        data = self._room
        table = self._symbols
        first = at
        index: i64 = 0
        while index < size:
            code = character(data, index)
            index += width(code)
            symbols[at] = table[code]
            at += 1
        return at - first

    def _read(self, slot: i64) -> i64:
        """Reads the bytes of the word in a slot; returns how many there are."""
        size = self._counter.size_of(slot)
        if size + 4 > len(self._room):
            self._room = vec[i32]([0] * (2 * size + 4))
        return self._counter.write(slot, self._room, 0)


def count_characters(counter: WordCounter) -> dict[int, int]:
    """Returns how often each character occurs in the words of a counter, by its code point."""
    counts = vec[i64]([0] * CODE_POINTS)
    seen: list[int] = []
    data = vec[i32]([0] * 256)
    for found in counter.slots_by_count():
        slot = i64(found)
        count = counter.count_of(slot)
        size = counter.size_of(slot)
        if size + 4 > len(data):
            data = vec[i32]([0] * (2 * size + 4))
        counter.write(slot, data, 0)
        index: i64 = 0
        while index < size:
            code = character(data, index)
            if counts[code] == 0:
                seen.append(code)
            counts[code] += count
            index += width(code)
    return {code: int(counts[code]) for code in seen}


def character(data: vec[i32], at: i64) -> i64:
    """Returns the code point whose first byte of UTF-8 is ``data[at]``."""
    lead = i64(data[at])
    if lead < 0x80:
        return lead
    second = i64(data[at + 1]) & 63
    if lead < 0xE0:
        return (lead & 31) << 6 | second
    third = i64(data[at + 2]) & 63
    if lead < 0xF0:
        return (lead & 15) << 12 | second << 6 | third
    return (lead & 7) << 18 | second << 12 | third << 6 | (i64(data[at + 3]) & 63)


def width(code: i64) -> i64:
    """Returns how many bytes of UTF-8 a character takes."""
    if code < 0x80:
        return 1
    if code < 0x800:
        return 2
    return 3 if code < 0x10000 else 4


@final
class WordPieceWords(SlotWords):
    """The words of a counter: their first character is one symbol, the same character after it another.

    ``characters`` and ``continuing`` are the code points of the symbols, one after another. Other characters are
    skipped, as in Hugging Face's tokenizers: their neighbours are then adjacent.
    """

    def __init__(self, counter: WordCounter, characters: list[int], continuing: list[int]) -> None:
        super().__init__(counter)
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
        """Returns how often each symbol occurs in the corpus, in an array of ``room`` numbers."""
        counts = vec[i64]([0] * room)
        for found in self._counter.slots_by_count():
            slot = i64(found)
            size = self.size_of(slot)
            for index in range(size):
                counts[i64(self._symbols[index])] += self._counter.count_of(slot)
        return counts

    def size_of(self, slot: i64) -> i64:
        """Returns the length of the word in a slot, in symbols."""
        size = self._counter.size_of(slot)
        if size > len(self._symbols):
            self._symbols = vec[i32]([0] * (2 * size))
        return self.write(slot, self._symbols, 0)

    def word_size(self) -> i64:
        """Returns the length of the word in symbols."""
        return self.size_of(self._slot)

    def write_word(self, symbols: vec[i32], at: i64) -> i64:
        """Writes the symbols of the word to ``symbols[at:]`` and returns how many there are."""
        return self.write(self._slot, symbols, at)

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
    """Returns the code points of the characters that occur in a word after the first character."""
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
