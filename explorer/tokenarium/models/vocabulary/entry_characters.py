"""The characters of all entries side by side, so that an expression is tried on all entries at once.

The first characters of all entries stand together, then the second ones, and so on: an automaton takes each entry one
character further in one operation over all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import regex

from tokenarium.models.vocabulary.expression_automaton import (
    FOUND,
    START,
    Class,
    asks_for_words,
    automaton,
    characters_of,
)
from tokenarium.models.vocabulary.expression_syntax import Character, NotRegular, read

Codes = npt.NDArray[np.uint32]

CODES = 0x110000
"""Code points of Unicode."""

LONG = 400
"""Characters: entries with more are few, and are tried one by one."""

TOLD_APART = 30
"""Different characters that an expression may have."""

KEPT = 200
"""Expressions for one character whose characters are kept: most keystrokes add one to those before."""

_WORD = Character(r"\w")
_NEWLINE = ord("\n")


class EntryCharacters:
    """The entries of a vocabulary as characters; a byte of no whole character is a lone surrogate, as in
    ``bytes.decode("utf-8", "surrogateescape")``. They are laid out step by step (`prepare`), at the latest when asked.
    """

    def __init__(self, arena: bytes, offsets: npt.NDArray[np.int32]) -> None:
        self._arena, self._offsets = arena, offsets
        self._fitted: dict[Character, npt.NDArray[np.bool_]] = {}
        self._ready = False
        self._work = self._pieces_of_work()

    def prepare(self) -> bool:
        """Does a part of the work ahead, some milliseconds; returns whether something is left."""
        self._ready = not next(self._work, False)
        return not self._ready

    def _finish(self) -> None:
        while not self._ready:
            self.prepare()

    def _pieces_of_work(self) -> Iterator[bool]:
        spaced, between = _spaced(self._arena, self._offsets)
        yield True
        codes, self._starts = _decoded(spaced, between, len(self._offsets) - 1)
        yield True
        self._text = codes.tobytes().decode("utf-32-le", "surrogatepass")
        yield True
        there = np.zeros(CODES, np.bool_)
        there[codes] = True
        alphabet = np.flatnonzero(there).astype(np.uint32)
        numbers = np.zeros(CODES, np.uint32 if len(alphabet) >= 1 << 16 else np.uint16)
        numbers[alphabet] = np.arange(len(alphabet))
        # The newline that ends an entry is a character of its own: ``$`` stands before it too.
        self._alphabet = np.append(alphabet, np.uint32(_NEWLINE))
        self._alphabet_text = self._alphabet.tobytes().decode("utf-32-le", "surrogatepass")
        yield True
        spelled = numbers[codes]
        lengths = np.diff(self._starts)
        ends = (self._starts[1:] - 1)[lengths > 0]
        spelled[ends[codes[ends] == _NEWLINE]] = len(alphabet)
        yield True
        self._long = np.flatnonzero(lengths > LONG).astype(np.int32)
        self._order = np.argsort(-lengths, kind="stable")[len(self._long) :].astype(np.int32)
        counts = np.bincount(lengths[self._order], minlength=1)
        # Of each column, how many entries reach so far.
        self._counts = (len(self._order) - np.cumsum(counts))[:-1].tolist()
        firsts = self._starts[self._order]
        self._columns: list[npt.NDArray[Any]] = []
        for place, count in enumerate(self._counts):
            if place % 4 == 0:
                yield True
            self._columns.append(spelled[firsts[:count] + place])

    def text(self, token: int) -> str:
        """Returns the characters of an entry."""
        if not self._ready:
            self._finish()
        return self._text[self._starts[token] : self._starts[token + 1]]

    @property
    def long(self) -> npt.NDArray[np.int32]:
        """The entries with so many characters that `matched` does not tell of them."""
        self._finish()
        return self._long

    def matched(self, expression: str) -> tuple[npt.NDArray[np.bool_], bool] | None:
        """Returns of each entry whether an expression matches somewhere in it, and whether that is sure.

        Where it is not, it matches in no other entries than these. Of `long` ones it does not tell. None where the
        expression has something that no automaton can tell, or its automaton is too large. What single characters it
        means is asked of the library `regex`.
        """
        self._finish()
        try:
            known = read(expression)
            tree = known.tree
            characters = characters_of(tree)
            if len(characters) > TOLD_APART:
                return None
            classes, of_alphabet = self._classes(characters, asks_for_words(tree))
            machine = automaton(tree, characters, classes)
        except NotRegular:
            return None
        # States are places in the table of moves, so that a step is one addition and one look into it.
        width = len(classes)
        table = (machine.moves * width).ravel()
        states = np.full(len(self._order), START * width, np.intp)
        for column, count in zip(self._columns, self._counts, strict=True):
            states[:count] = table[states[:count] + of_alphabet[column]]
        found = np.zeros(len(self._starts) - 1, np.bool_)
        found[self._order] = machine.ends[states // width] | (states == FOUND)
        return found, known.exact

    def _classes(
        self, characters: list[Character], words: bool
    ) -> tuple[list[Class], npt.NDArray[np.uint8]]:
        """Returns the classes that an expression tells apart, and of each letter of the alphabet its class."""
        signs = np.zeros(len(self._alphabet), np.int64)
        for number, character in enumerate([*characters, _WORD] if words else characters):
            signs[self._fitting(character)] |= 1 << number
        last = 1 << (len(characters) + 1)
        signs[-1] |= last
        different, numbers = np.unique(signs, return_inverse=True)
        if len(different) > 255:
            raise NotRegular
        classes = [
            Class(
                frozenset(n for n in range(len(characters)) if sign >> n & 1),
                bool(sign >> len(characters) & 1),
                bool(sign & last),
            )
            for sign in different.tolist()
        ]
        return classes, numbers.astype(np.uint8)

    def _fitting(self, character: Character) -> npt.NDArray[np.bool_]:
        """Returns of each letter of the alphabet whether an expression for one character matches it."""
        if character in self._fitted:
            return self._fitted[character]
        there = np.zeros(len(self._alphabet), np.bool_)
        with warnings.catch_warnings():  # of what a later version of the library may read otherwise
            warnings.simplefilter("ignore")
            pattern = regex.compile(f"{character.flags}(?:{character.written})+")
        for found in pattern.finditer(self._alphabet_text):
            there[found.start() : found.end()] = True
        while len(self._fitted) >= KEPT:
            del self._fitted[next(iter(self._fitted))]
        self._fitted[character] = there
        return there


def _spaced(arena: bytes, offsets: npt.NDArray[np.int32]) -> tuple[bytes, str]:
    """Returns all entries with a character after each that none of them holds, and that character.

    So they can be decoded in one go: bytes of two entries make no character.
    """
    between = next(chr(code) for code in range(CODES - 1, 0, -1) if chr(code).encode() not in arena)
    room = len(between.encode())
    count = len(offsets) - 1
    pieces = np.frombuffer(arena, np.uint8)[offsets[0] : offsets[-1]]
    owners = np.repeat(np.arange(count), np.diff(offsets))
    spaced = np.empty(len(pieces) + room * count, np.uint8)
    spaced[np.arange(len(pieces)) + room * owners] = pieces
    after = offsets[1:] - offsets[0] + room * np.arange(count)
    for place, byte in enumerate(between.encode()):
        spaced[after + place] = byte
    return spaced.tobytes(), between


def _decoded(spaced: bytes, between: str, count: int) -> tuple[Codes, npt.NDArray[np.int32]]:
    """Returns the characters of all entries, one after the other, and where each entry begins among them."""
    text = spaced.decode("utf-8", "surrogateescape")
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    bounds = codes == ord(between)
    starts = np.zeros(count + 1, np.int32)
    starts[1:] = np.flatnonzero(bounds) - np.arange(count)
    return codes[~bounds], starts
