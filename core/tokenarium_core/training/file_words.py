"""The words of a file of counts, read from the file each time, so that they take no memory."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.training.counts_file import WORDS, CountsFile, CountsReader
from tokenarium_core.training.merging.segmentation import CountedWords
from tokenarium_core.training.word_counter import PreTokenCounts, WordCounter


@final
class FileWords(CountedWords):
    """The words of a file that was checked as a whole; a symbol is a byte.

    Each block is checked again when it is read: FormatError if the file was changed meanwhile.
    """

    def __init__(self, file: CountsFile) -> None:
        self._file = file
        self._reader = CountsReader(file, WORDS, 0)

    def symbol_count(self) -> i64:
        """Returns how many bytes were counted."""
        return self._file.byte_count

    def word_count(self) -> i64:
        """Returns how many distinct words there are."""
        return self._file.words

    def rewind(self) -> None:
        """Moves before the first word."""
        self._file.release()
        self._reader = CountsReader(self._file, WORDS, 0)

    def next_word(self) -> i64:
        """Moves to the next word; returns how often it was counted, 0 after the last word."""
        reader = self._reader
        return reader.count if reader.next_row() else 0

    def word_size(self) -> i64:
        """Returns the length of the word in bytes."""
        return self._reader.size

    def write_word(self, symbols: vec[i32], at: i64) -> i64:
        """Writes the bytes of the word to ``symbols[at:]`` and returns its length."""
        reader = self._reader
        data = reader.data
        start = reader.start
        size = reader.size
        k: i64 = 0
        while k < size:
            byte: i64 = data[start + k]
            symbols[at + k] = i32(byte)
            k += 1
        return size


def listed_words(file: CountsFile) -> PreTokenCounts:
    """Returns the words of a file in packed columns, the most frequent first."""
    counter = WordCounter(WholeText())
    reader = CountsReader(file, WORDS, 0)
    while reader.next_row():
        counter.add_counted(reader.data, reader.start, reader.start + reader.size, reader.count)
    file.release()
    return counter.listed()
