"""The pieces of a vocabulary as a trie of characters: which pieces begin at this position of a text? It is a double
array: a step reads one integer, whether for a character of three bytes or for a letter.

For this, characters
are numbered in the order in which the pieces first use them.
Source: Aoe 1989; the form with exclusive or, in which a unit contains its own label, is that of s-yata/darts-clone.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.character_symbols import CharacterTable
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode.utf8 import character_sizes, code_in, code_point_at, is_text

ROOT: Final = 1
TOKEN_MASK: Final = 0x7FFFFFFF
UNIT_SYMBOL: Final = 0x3FFFF
UNIT_PIECE: Final = 0x3FFFFF
PIECE_SHIFT: Final = 18
NODE_SHIFT: Final = 40

ASCII: Final = 2
"""The symbol of the first ASCII character; 0 is a character in no piece."""

OTHERS: Final = ASCII + 0x80
"""The symbol of the first of the other characters."""

_NOWHERE: Final = (
    ROOT  # the symbol that would lead from the root to unit 0, so no character gets it
)
_SMALLEST_BLOCK: Final = 256
_OPEN: Final = (
    4096  # the last units, in which free ones are searched; free ones before them stay free
)
FREE: Final = UNIT_SYMBOL  # no character has this symbol
_MOST_UNITS: Final = 1 << 23
_CODE_BITS: Final = 21  # the most symbols before `finish` checks
_MULTIPLIER: Final = 0x1E3779B97F4A7C15
_SHIFT: Final = 39


@final
class UnigramTrie:
    """Nodes and the edges that leave them, walked from `ROOT`. `add` all pieces, then `finish`.

    The ``symbol`` of a character selects an edge. It is ``unit = units[node ^ symbol]``, which is
    ``node after << NODE_SHIFT | (id + 1) << PIECE_SHIFT | symbol``; if that contains another symbol, the edge does not
    exist. Nothing leaves the node 0. If no piece ends at an edge, 0 replaces id + 1.

    Raises FormatError from `finish` where these numbers are too large for a unit.
    """

    def __init__(self, pieces: i64) -> None:
        slots: i64 = 1024
        while slots < pieces * 4:
            slots *= 2
        self.units = vec[i64]([FREE] * (2 * _SMALLEST_BLOCK))
        self.depths = vec[i32]()  # by unit: how many characters lead after it; 0 for a free one
        self.characters = CharacterTable(0)  # the symbols of characters beyond ASCII
        self.symbol_count: i64 = OTHERS
        self._pieces: i64 = pieces
        # While pieces are added: the nodes by the edge to them, and what belongs to each.
        self._slots = vec[i64]([0] * (slots * 2))
        self._mask: i64 = slots - 1
        self._count: i64 = 1
        self._children = vec[i32]([0] * (slots + 1))
        self._siblings = vec[i32]([0] * (slots + 1))
        self._labels = vec[i32]([0] * (slots + 1))
        self._tokens = vec[i32]([0] * (slots + 1))

    def add(self, data: bytes, start: i64, stop: i64, token: i64) -> None:
        """Adds the piece ``data[start:stop]`` (padded); an empty one is never found.

        A piece that is not UTF-8 is skipped: no text contains it.
        """
        if start == stop or not is_text(data, start, stop):
            return
        sizes = character_sizes
        node: i64 = 0
        at = start
        while at < stop:
            byte: i64 = data[at]
            symbol = self.symbol(data, at)
            if symbol == 0:
                symbol = self.symbol_count
                self.symbol_count += 1
                self.characters.set(code_point_at(data, at), symbol)
            node = self._child(node, symbol)
            at += i64(sizes[byte])
        self._tokens[node] = i32(token + 1)

    def finish(self) -> None:
        """Lays out the units: those after an edge are near it, mostly in the same line of the processor's cache."""
        children = self._children
        siblings = self._siblings
        labels = self._labels
        tokens = self._tokens
        layout = _Layout(self._count, self.symbol_count)
        waiting = vec[i32]([0] * self._count)
        places = vec[i32]([0] * self._count)  # the unit of the edge to a node
        depths = vec[i32]([0] * self._count)
        count: i64 = 1
        while count > 0:
            count -= 1
            node: i64 = i64(waiting[count])
            child: i64 = i64(children[node])
            if child == 0:
                continue
            base = layout.base(child, siblings, labels) if node > 0 else ROOT
            units = layout.units
            if node > 0:
                units[i64(places[node])] |= base << NODE_SHIFT
            while child != 0:
                label: i64 = i64(labels[child])
                layout.take(base ^ label, i64(tokens[child]) << PIECE_SHIFT | label)
                places[child] = i32(base ^ label)
                depths[child] = depths[node] + 1
                waiting[count] = i32(child)
                count += 1
                child = i64(siblings[child])
        if (
            self._pieces >= UNIT_PIECE
            or self.symbol_count >= UNIT_SYMBOL
            or layout.size > _MOST_UNITS
        ):
            raise FormatError(
                f"The entries of this Unigram model are too many: {self._pieces:,}, of {self.symbol_count:,} characters."
                f" At most {UNIT_PIECE:,} of {UNIT_SYMBOL:,} can be read."
            )
        self.units = layout.units[: layout.size]
        self.depths = vec[i32]([0] * layout.size)
        for node in range(1, self._count):
            self.depths[i64(places[node])] = depths[node]
        self._slots = vec[i64]()
        self._children = vec[i32]()
        self._siblings = vec[i32]()
        self._labels = vec[i32]()
        self._tokens = vec[i32]()

    def dump(self, out: CacheWriter) -> None:
        """Writes the finished trie, without what only the automaton needs that is made of it."""
        out.i64s(self.units)
        self.characters.dump(out)
        out.number(self.symbol_count)

    def load(self, cached: CacheReader) -> None:
        """Reads what `dump` wrote, into a trie of no pieces."""
        self.units = cached.i64s()
        self.characters.load(cached)
        self.symbol_count = cached.number()

    def symbol(self, data: bytes, at: i64) -> i64:
        """Returns the symbol of the character at a byte, 0 for one that is in no piece."""
        byte: i64 = data[at]
        return ASCII + byte if byte < 0x80 else self.characters.get(code_point_at(data, at))

    def read(self, data: bytes, start: i64, stop: i64, symbols: vec[i32]) -> i64:
        """Writes the symbol of each character of ``data[start:stop]``, and a 0 after; returns how many there are."""
        pages = self.characters.pages
        others = self.characters.symbols
        sizes = character_sizes
        count: i64 = 0
        at = start
        while at < stop:
            group = read_i64_le(data, at)
            byte = group & 0xFF
            if byte < 0x80:
                symbols[count] = i32(ASCII + byte)
                at += 1
            else:
                code = code_in(group)
                symbols[count] = others[i64(pages[code >> 8]) << 8 | (code & 255)]
                at += i64(sizes[byte])
            count += 1
        symbols[count] = 0
        return count

    def find(self, node: i64, data: bytes, at: i64) -> i64:
        """Returns ``node after << 32 | id + 1`` for the character at ``at``, 0 if no piece continues with it."""
        symbol = self.symbol(data, at)
        unit = self.units[node ^ symbol]
        if unit & UNIT_SYMBOL != symbol:
            return 0
        return unit >> NODE_SHIFT << 32 | (unit >> PIECE_SHIFT & UNIT_PIECE)

    def _child(self, node: i64, symbol: i64) -> i64:
        """Returns the node after an edge; makes it if there is none."""
        slots = self._slots
        mask = self._mask
        key = (node << _CODE_BITS | symbol) + 1
        slot = (key * _MULTIPLIER >> _SHIFT) & mask
        while slots[slot * 2] != key:
            if slots[slot * 2] == 0:
                if self._count * 4 > mask * 3:
                    self._grow()
                    return self._child(node, symbol)
                child = self._count
                self._count += 1
                slots[slot * 2] = key
                slots[slot * 2 + 1] = child
                self._labels[child] = i32(symbol)
                self._siblings[child] = self._children[node]
                self._children[node] = i32(child)
                return child
            slot = (slot + 1) & mask
        return slots[slot * 2 + 1]

    def _grow(self) -> None:
        old = self._slots
        mask = self._mask * 2 + 1
        slots = vec[i64]([0] * ((mask + 1) * 2))
        for at in range(0, len(old), 2):
            key = old[at]
            if key != 0:
                slot = (key * _MULTIPLIER >> _SHIFT) & mask
                while slots[slot * 2] != 0:
                    slot = (slot + 1) & mask
                slots[slot * 2] = key
                slots[slot * 2 + 1] = old[at + 1]
        self._slots = slots
        self._mask = mask
        self._children = _larger(self._children)
        self._siblings = _larger(self._siblings)
        self._tokens = _larger(self._tokens)
        self._labels = _larger(self._labels)


@final
class _Layout:
    """Units, of which the free ones among the last `_OPEN` form a ring, from unit 0 on.

    They are added in blocks of a power of two, which the exclusive or with a symbol does not leave.
    """

    def __init__(self, nodes: i64, symbols: i64) -> None:
        self.block: i64 = _SMALLEST_BLOCK
        while self.block < symbols:
            self.block *= 2
        self._open_units: i64 = _OPEN if self.block < _OPEN else self.block
        self.units = vec[i64]()
        self._bases = vec[u8]()
        self._next = vec[i32]()
        self._previous = vec[i32]()
        self.size: i64 = 0
        self._reserve((nodes // self.block + 3) * self.block)
        self._open()
        self._bases[0] = 1  # nothing leaves the node 0
        self._bases[ROOT] = 1

    def base(self, child: i64, siblings: vec[i32], labels: vec[i32]) -> i64:
        """Returns a node's base: unique, and with free units for its children."""
        units = self.units
        bases = self._bases
        following = self._next
        first: i64 = i64(labels[child])
        unit: i64 = i64(following[0])
        while unit != 0:
            base = unit ^ first
            if bases[base] == 0:
                other = i64(siblings[child])
                while other != 0 and units[base ^ i64(labels[other])] == FREE:
                    other = i64(siblings[other])
                if other == 0:
                    bases[base] = 1
                    return base
            unit = i64(following[unit])
        base = self.size
        self._open()
        self._bases[base] = 1
        return base

    def take(self, unit: i64, content: i64) -> None:
        """Fills a unit, which is not free any more."""
        self.units[unit] = content
        self._leave(unit)

    def _leave(self, unit: i64) -> None:
        """Takes a unit out of the ring, in which it may not be."""
        before: i64 = i64(self._previous[unit])
        behind: i64 = i64(self._next[unit])
        if before < 0:
            return
        self._next[before] = i32(behind)
        self._previous[behind] = i32(before)
        self._previous[unit] = -1

    def _open(self) -> None:
        """Adds a block of free units, all but unit 0."""
        start = self.size
        self.size += self.block
        if self.size > len(self._bases):
            self._reserve(self.size * 2)
        if start == 0:
            self.units[0] = _NOWHERE
        last: i64 = i64(self._previous[0])
        for unit in range(start if start > 0 else 1, self.size):
            self._next[last] = i32(unit)
            self._previous[unit] = i32(last)
            last = unit
        self._next[last] = 0
        self._previous[0] = i32(last)
        closed = start - self._open_units
        if closed >= 0:
            for unit in range(closed if closed > 0 else 1, closed + self.block):
                self._leave(unit)

    def _reserve(self, size: i64) -> None:
        units = vec[i64]([FREE] * size)
        bases = vec[u8]([0] * size)
        following = vec[i32]([0] * size)
        previous = vec[i32]([0] * size)
        for index in range(len(self._bases)):
            units[index] = self.units[index]
            bases[index] = self._bases[index]
            following[index] = self._next[index]
            previous[index] = self._previous[index]
        self.units = units
        self._bases = bases
        self._next = following
        self._previous = previous


def _larger(numbers: vec[i32]) -> vec[i32]:
    larger = vec[i32]([0] * (len(numbers) * 2))
    for index in range(len(numbers)):
        larger[index] = numbers[index]
    return larger
