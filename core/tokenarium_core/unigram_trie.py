"""The pieces of a vocabulary as a trie of bytes: which pieces begin at this place of a text?

It is a double array: a step costs one look at one integer, and the steps that are often taken lie close together.
Source: Aoe 1989; the form with exclusive or, in which an integer tells its own label, is that of s-yata/darts-clone.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

ROOT: Final = 256
TOKEN_MASK: Final = 0x7FFFFFFF
UNIT_TOKEN: Final = 0xFFFFFF

_BLOCK: Final = 256
_NO_BYTE: Final = 255  # stands in no UTF-8
_OPEN: Final = 16  # blocks in which free units are looked for; what is left in others stays free
_MULTIPLIER: Final = 0x1E3779B97F4A7C15
_SHIFT: Final = 39


@final
class UnigramTrie:
    """Nodes and the edges that leave them, to be walked from `ROOT`. `add` all pieces, then `finish`.

    The edge by a byte is ``units[node ^ byte]``, which is ``node behind << 32 | (id + 1) << 8 | byte``; with another
    byte in it, there is no such edge. Either of the others may be 0: no piece goes on from here, none ends here.
    """

    def __init__(self, pieces: i64) -> None:
        slots: i64 = 1024
        while slots < pieces * 4:
            slots *= 2
        self.units = vec[i64]([_NO_BYTE] * (2 * _BLOCK))
        self.sizes = character_sizes()
        # While pieces are added: the nodes by the edge to them, and what belongs to each.
        self._slots = vec[i64]([0] * (slots * 2))
        self._mask: i64 = slots - 1
        self._count: i64 = 1
        self._children = vec[i32]([0] * (slots + 1))
        self._siblings = vec[i32]([0] * (slots + 1))
        self._labels = vec[u8]([0] * (slots + 1))
        self._tokens = vec[i32]([0] * (slots + 1))

    def add(self, data: bytes, start: i64, stop: i64, token: i64) -> None:
        """Adds the piece ``data[start:stop]`` (padded); an empty one is never found.

        A piece that ends inside of a character is left out: no path of whole characters goes through it.
        """
        at = start
        while at < stop:
            at += character_length(data[at])
        if at > stop or start == stop:
            return
        first: i64 = data[start]
        if first >= 0x80 and first < 0xC0:
            return
        node: i64 = 0
        for at in range(start, stop):
            byte: i64 = data[at]
            if byte == _NO_BYTE:
                return
            node = self._child(node, byte)
        self._tokens[node] = i32(token + 1)

    def finish(self) -> None:
        """Lays out the units: what is behind an edge lies near it, mostly in the same line of the processor's cache."""
        children = self._children
        siblings = self._siblings
        labels = self._labels
        tokens = self._tokens
        layout = _Layout(self._count)
        waiting = vec[i32]([0] * self._count)
        places = vec[i32]([0] * self._count)  # the unit of the edge to a node
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
                units[i64(places[node])] |= base << 32
            while child != 0:
                label: i64 = i64(labels[child])
                layout.take(base ^ label, i64(tokens[child]) << 8 | label)
                places[child] = i32(base ^ label)
                waiting[count] = i32(child)
                count += 1
                child = i64(siblings[child])
        self.units = layout.units[: layout.size]
        self._slots = vec[i64]()
        self._children = vec[i32]()
        self._siblings = vec[i32]()
        self._labels = vec[u8]()
        self._tokens = vec[i32]()

    def find(self, node: i64, data: bytes, at: i64, size: i64) -> i64:
        """Returns ``node behind << 32 | id + 1`` for the character at ``at``, 0 where no piece goes on with it."""
        units = self.units
        unit: i64 = 0
        for index in range(at, at + size):
            byte: i64 = data[index]
            unit = units[node ^ byte] if node != 0 else _NO_BYTE
            if unit & 255 != byte:
                return 0
            node = unit >> 32
        return node << 32 | (unit >> 8 & UNIT_TOKEN)

    def _child(self, node: i64, byte: i64) -> i64:
        """Returns the node behind an edge, which is made if there is none."""
        slots = self._slots
        mask = self._mask
        key = (node << 8 | byte) + 1
        slot = (key * _MULTIPLIER >> _SHIFT) & mask
        while slots[slot * 2] != key:
            if slots[slot * 2] == 0:
                if self._count * 4 > mask * 3:
                    self._grow()
                    return self._child(node, byte)
                child = self._count
                self._count += 1
                slots[slot * 2] = key
                slots[slot * 2 + 1] = child
                self._labels[child] = u8(byte)
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
        labels = vec[u8]([0] * (mask + 2))
        for index in range(len(self._labels)):
            labels[index] = self._labels[index]
        self._labels = labels


@final
class _Layout:
    """Units, and which of them are free in the last `_OPEN` blocks: a ring through them, from unit 0 on."""

    def __init__(self, nodes: i64) -> None:
        self.units = vec[i64]()
        self._bases = vec[u8]()
        self._next = vec[i32]()
        self._previous = vec[i32]()
        self.size: i64 = 0
        self._reserve((nodes // _BLOCK + 3) * _BLOCK)
        self._open()
        self._open()
        self._bases[ROOT] = 1

    def base(self, child: i64, siblings: vec[i32], labels: vec[u8]) -> i64:
        """Returns a node's base: no other one has it, and the units of its children are free."""
        units = self.units
        bases = self._bases
        following = self._next
        first: i64 = i64(labels[child])
        unit: i64 = i64(following[0])
        while unit != 0:
            base = unit ^ first
            if bases[base] == 0:
                other = i64(siblings[child])
                while other != 0 and units[base ^ i64(labels[other])] == _NO_BYTE:
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
        """Adds a block of free units; the first block has none, since 0 is no node."""
        start = self.size
        self.size += _BLOCK
        if self.size > len(self.units):
            self._reserve(self.size * 2)
        if start == 0:
            return
        last: i64 = i64(self._previous[0])
        for unit in range(start, start + _BLOCK):
            self._next[last] = i32(unit)
            self._previous[unit] = i32(last)
            last = unit
        self._next[last] = 0
        self._previous[0] = i32(last)
        closed = start - _OPEN * _BLOCK
        if closed > 0:
            for unit in range(closed, closed + _BLOCK):
                self._leave(unit)

    def _reserve(self, size: i64) -> None:
        units = vec[i64]([_NO_BYTE] * size)
        bases = vec[u8]([0] * size)
        following = vec[i32]([0] * size)
        previous = vec[i32]([0] * size)
        for index in range(self.size if self.size < len(self.units) else len(self.units)):
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


def character_length(first: i64) -> i64:
    """Returns how many bytes a character takes by its first one; 1 for a byte that begins none."""
    if first < 0xC0:
        return 1
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def character_sizes() -> vec[u8]:
    """Returns `character_length` of each of the 256 bytes."""
    sizes = vec[u8]([0] * 256)
    for byte in range(256):
        sizes[byte] = u8(character_length(byte))
    return sizes
