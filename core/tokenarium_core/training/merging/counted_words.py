"""What merging asks of a corpus: its distinct words, how often each stands there, and their symbols."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i32, i64


class CountedWords:
    """Base of what `Segmentation` lays out: each distinct word is known by a number, its slot."""

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

        A symbol below zero parts the word in two, as if it were two words.
        """
        raise NotImplementedError
