"""Which pieces end at this position of a text? An automaton reads each character once and finds all of them.

A walk through the trie from each position would read a character as often as pieces may include it. Here the state is
the longest suffix of the text so far that is a prefix of a piece. If none continues with the next character, a
failure link leads to the next shorter one. Source: Aho and Corasick 1975.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.models.unigram.unigram_trie import (
    ASCII,
    FREE,
    NODE_SHIFT,
    PIECE_SHIFT,
    ROOT,
    UNIT_PIECE,
    UNIT_SYMBOL,
    UnigramTrie,
)
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode.utf8 import code_in

ENDING_SHIFT: Final = 18
UNIT_ENDING: Final = 0x3FFFFF
LENGTH: Final = 0xFF
"""The bits of an ending that are the length of its piece in characters; a longer piece is left out."""

NEVER: Final = -(1 << 62)
"""A value worse than any path."""


@final
class UnigramAutomaton:
    """The states are the nodes of a trie that edges leave, and 0 for the beginning.

    A step by a ``symbol`` goes to ``unit = units[state ^ symbol]`` if this symbol is in it, else the same is tried
    from ``falls[state]``; from the state 0 it goes to ``firsts[symbol]``. A unit is
    ``state after << NODE_SHIFT | row << ENDING_SHIFT | symbol``.

    The pieces that end there are ``ones[symbol]``, the character itself, which may be unknown; ``endings[row]``,
    which is `NEVER` with the length 1 if there is no longer one; and ``endings[row + k]`` for all k from 1 on with
    ``row >= first_rows[k]``. An ending is ``weights[id + 1] | length``, which leaves `LENGTH` free; ``weights[0]`` is
    that of an unknown character.

    ``complete`` is false if there would be too many endings: nothing may be read then. ``cached``: the earlier output of
    `dump`.
    """

    def __init__(
        self, trie: UnigramTrie, weights: vec[i64], cached: CacheReader | None = None
    ) -> None:
        self.complete = False
        self._characters = trie.characters
        if cached is not None:
            self.units = cached.i64s()
            self.falls = cached.i32s()
            self.firsts = cached.i64s()
            self.ones = cached.i64s()
            self.endings = cached.i64s()
            self.first_rows = cached.i32s()
            self.complete = cached.number() == 1
            return
        size = len(trie.units)
        self.units = vec[i64]([FREE] * size)
        self.falls = vec[i32]([0] * size)
        self.firsts = vec[i64]([0] * trie.symbol_count)
        self.ones = vec[i64]([weights[0] | 1] * trie.symbol_count)
        self.endings = vec[i64]()
        self.first_rows = vec[i32]([1] * (LENGTH + 2))
        edges = _by_depth(trie.depths)
        shorter = self._join(trie.units, edges)
        self._end(trie.units, edges, trie.depths, shorter, weights)
        for symbol in range(trie.symbol_count):
            unit = self.units[ROOT ^ symbol]
            self.firsts[symbol] = unit if unit & UNIT_SYMBOL == symbol else symbol

    def dump(self, out: CacheWriter) -> None:
        """Writes the automaton, for ``cached``."""
        out.i64s(self.units)
        out.i32s(self.falls)
        out.i64s(self.firsts)
        out.i64s(self.ones)
        out.i64s(self.endings)
        out.i32s(self.first_rows)
        out.number(1 if self.complete else 0)

    def read(self, data: bytes, start: i64, stop: i64, units_at: vec[i64]) -> i64:
        """Writes to ``found[k]`` the unit after k characters of ``data[start:stop]`` (padded), from 1 on.

        Returns how many characters there are.
        """
        units = self.units
        falls = self.falls
        firsts = self.firsts
        pages = self._characters.pages
        symbols = self._characters.symbols
        state: i64 = 0
        size: i64 = 0
        at = start
        while at < stop:
            group = read_i64_le(data, at)
            symbol = group & 0xFF
            if symbol < 0x80:
                symbol += ASCII
                at += 1
            else:
                code = code_in(group)
                at += 2 if symbol < 0xE0 else 3 if symbol < 0xF0 else 4
                symbol = i64(symbols[i64(pages[code >> 8]) << 8 | (code & 255)])
            unit = units[state ^ symbol]
            while unit & UNIT_SYMBOL != symbol:
                if state == 0:
                    unit = firsts[symbol]
                    break
                state = i64(falls[state])
                unit = units[state ^ symbol]
            state = unit >> NODE_SHIFT
            size += 1
            units_at[size] = unit
        return size

    def _join(self, trie: vec[i64], edges: vec[i32]) -> vec[i32]:
        """Sets the states of the units, and the falls.

        Returns, by edge, the one to the longest shorter text with the same end; 0 if there is none. A fall leads
        to the next one of these that continues.
        """
        units = self.units
        falls = self.falls
        shorter = vec[i32]([0] * len(units))
        for edge in edges:
            at: i64 = i64(edge)
            symbol = trie[at] & UNIT_SYMBOL
            before = at ^ symbol
            state: i64 = 0
            while before != ROOT:
                before = i64(falls[before])
                if before == 0:
                    before = ROOT
                if trie[before ^ symbol] & UNIT_SYMBOL == symbol:
                    shorter[at] = i32(before ^ symbol)
                    state = units[before ^ symbol] >> NODE_SHIFT
                    break
            behind = trie[at] >> NODE_SHIFT
            if behind > 0:
                falls[behind] = i32(state)
                state = behind
            units[at] = state << NODE_SHIFT | symbol
        return shorter

    def _end(
        self,
        trie: vec[i64],
        edges: vec[i32],
        depths: vec[i32],
        shorter: vec[i32],
        weights: vec[i64],
    ) -> None:
        """Sets what ends at the units. Lists of one ending come first, then those of two, and so on."""
        units = self.units
        counts = vec[u8]([0] * len(units))
        sizes = vec[i64]([0] * (LENGTH + 1))
        for edge in edges:
            at: i64 = i64(edge)
            count: i64 = i64(counts[i64(shorter[at])])
            piece = trie[at] >> PIECE_SHIFT & UNIT_PIECE
            if piece > 0 and depths[at] == 1:
                self.ones[trie[at] & UNIT_SYMBOL] = weights[piece] | 1
            elif piece > 0 and depths[at] <= LENGTH:
                count += 1
                sizes[count] += count
            counts[at] = u8(count)
        row: i64 = 1
        for count in range(1, LENGTH + 1):
            row += sizes[count]
            sizes[count] = row - sizes[count]
            if row > UNIT_ENDING:
                return
            self.first_rows[count] = i32(row)
        self.first_rows[LENGTH + 1] = i32(row)
        endings = vec[i64]([NEVER | 1] * row)
        for edge in edges:
            at = i64(edge)
            other = units[i64(shorter[at])] >> ENDING_SHIFT & UNIT_ENDING
            count = i64(counts[at])
            if count > i64(counts[i64(shorter[at])]):
                row = sizes[count]
                sizes[count] += count
                piece = trie[at] >> PIECE_SHIFT & UNIT_PIECE
                endings[row] = weights[piece] | i64(depths[at])
                for index in range(1, count):
                    endings[row + index] = endings[other + index - 1]
                other = row
            units[at] |= other << ENDING_SHIFT
        self.endings = endings
        self.complete = True


def _by_depth(depths: vec[i32]) -> vec[i32]:
    """Returns all edges, the ones with the smallest depth first."""
    deepest: i64 = 0
    count: i64 = 0
    for depth in depths:
        if depth > 0:
            count += 1
        if i64(depth) > deepest:
            deepest = i64(depth)
    starts = vec[i32]([0] * (deepest + 2))
    for depth in depths:
        if depth > 0:
            starts[i64(depth) + 1] += 1
    for index in range(1, deepest + 2):
        starts[index] += starts[index - 1]
    ordered = vec[i32]([0] * count)
    for at in range(len(depths)):
        depth = depths[at]
        if depth > 0:
            ordered[i64(starts[i64(depth)])] = i32(at)
            starts[i64(depth)] += 1
    return ordered
