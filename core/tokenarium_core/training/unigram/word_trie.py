"""The distinct words of a corpus as one tree, in which words share common endings.

Training processes every ending of every word, and many words have the same ending ("ing"). In the tree it is
processed once: 20 MB of English have about 2.3 million characters in distinct words, and half as many nodes.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import doubled

ROOT: Final = 0
"""The node after the last character of every word."""

_MULTIPLIER: Final = 0x2545F491
_FIRST_ROOM: Final = 1024


@final
class WordTrie:
    """Words and their counts in a corpus, with their last characters at the root.

    The path from a node to the root spells the text from the node's character to the end of a word. By node, after
    `settle`: ``parents``; ``symbols``, the indices of characters in ``alphabet``, a list of code points; ``depths``,
    the characters up to the end of the word; ``words``, how often the word occurs in the corpus that begins here;
    ``ends``, how often the text from here on ends a word in it. A parent comes before its children, and all
    descendants of a node directly after it (preorder).
    """

    def __init__(self, alphabet: list[int]) -> None:
        self.alphabet = alphabet
        self.size: i64 = 1
        self.total = 0.0  # words in the corpus
        self.parents = vec[i32]([0] * _FIRST_ROOM)
        self.symbols = vec[i32]([0] * _FIRST_ROOM)
        self.words = vec[float]([0.0] * _FIRST_ROOM)
        self.depths = vec[i32]()
        self.ends = vec[float]()
        self._slots = vec[i32]([0] * (2 * _FIRST_ROOM))
        self._mask: i64 = 2 * _FIRST_ROOM - 1

    @property
    def height(self) -> i64:
        """The number of characters in the longest word."""
        highest: i64 = 0
        for node in range(len(self.depths)):
            if i64(self.depths[node]) > highest:
                highest = i64(self.depths[node])
        return highest

    def add(self, symbols: vec[i32], start: i64, stop: i64, count: i64) -> None:
        """Adds a word that occurs ``count`` times in the corpus: ``symbols[start:stop]``."""
        node: i64 = ROOT
        at = stop - 1
        while at >= start:
            node = self._child(node, i64(symbols[at]))
            at -= 1
        self.words[node] += float(count)
        self.total += float(count)

    def settle(self) -> None:
        """Orders the nodes and computes the other columns; after that no words can be added."""
        self._slots = vec[i32]()
        self._arrange()
        self._measure()

    def _child(self, node: i64, symbol: i64) -> i64:
        """Returns the node that a character leads to; creates it if necessary."""
        slots = self._slots
        mask = self._mask
        parents = self.parents
        symbols = self.symbols
        key = node * 0x200000 + symbol
        slot = (key * _MULTIPLIER >> 17) & mask
        while True:
            child: i64 = i64(slots[slot])
            if child == 0:
                break
            if i64(parents[child]) == node and i64(symbols[child]) == symbol:
                return child
            slot = (slot + 1) & mask
        child = self.size
        if child == len(parents):
            self.parents = doubled(parents)
            self.symbols = doubled(symbols)
            self.words = _longer(self.words)
        self.parents[child] = i32(node)
        self.symbols[child] = i32(symbol)
        slots[slot] = i32(child)
        self.size += 1
        if self.size * 3 > len(slots) * 2:
            self._widen()
        return child

    def _widen(self) -> None:
        """Doubles the table of children."""
        parents = self.parents
        symbols = self.symbols
        room: i64 = len(self._slots) * 2
        slots = vec[i32]([0] * room)
        mask = room - 1
        for child in range(1, self.size):
            key = i64(parents[child]) * 0x200000 + i64(symbols[child])
            slot = (key * _MULTIPLIER >> 17) & mask
            while slots[slot] != 0:
                slot = (slot + 1) & mask
            slots[slot] = i32(child)
        self._slots = slots
        self._mask = mask

    def _arrange(self) -> None:
        """Renumbers the nodes, so that all descendants of a node come directly after it, with children ordered by
        their characters.

        So the numbers, and sums over nodes, do not depend on the order in which words were added.
        """
        size = self.size
        order = self._by_depth()
        parents = self.parents
        spans = vec[i32]([1] * size)  # a node and all below it
        node = size - 1
        while node > 0:
            parent: i64 = i64(parents[node])
            spans[parent] += spans[node]
            node -= 1
        free = vec[i32]([0] * size)  # by old number: where the next child goes
        places = vec[i32]([0] * size)
        free[ROOT] = 1
        new_parents = vec[i32]([0] * size)
        new_symbols = vec[i32]([0] * size)
        new_words = vec[float]([0.0] * size)
        for index in range(1, size):
            old = i64(order[index])
            parent = i64(parents[old])
            place: i64 = i64(free[parent])
            free[parent] = i32(place) + spans[old]
            free[old] = i32(place + 1)
            places[old] = i32(place)
            new_parents[place] = places[parent]
            new_symbols[place] = self.symbols[old]
            new_words[place] = self.words[old]
        self.parents = new_parents
        self.symbols = new_symbols
        self.words = new_words

    def _by_depth(self) -> vec[i32]:
        """Returns the nodes ordered by depth, those of equal depth by their characters."""
        size = self.size
        depths = vec[i32]([0] * size)
        plain = vec[i32]([0] * size)
        deepest: i64 = 0
        for node in range(1, size):
            depth = i64(depths[i64(self.parents[node])]) + 1
            depths[node] = i32(depth)
            plain[node] = i32(node)
            if depth > deepest:
                deepest = depth
        characters: i64 = max(len(self.alphabet), 1)
        return _sorted(_sorted(plain, self.symbols, characters), depths, deepest + 1)

    def _measure(self) -> None:
        """Computes depths and ends."""
        size = self.size
        parents = self.parents
        depths = vec[i32]([0] * size)
        ends = vec[float]([0.0] * size)
        for node in range(1, size):
            depths[node] = depths[i64(parents[node])] + 1
            ends[node] = self.words[node]
        node = size - 1
        while node > 0:
            ends[i64(parents[node])] += ends[node]
            node -= 1
        self.depths = depths
        self.ends = ends


def _longer(old: vec[float]) -> vec[float]:
    """Returns an array twice as long that begins with all of ``old``."""
    larger = vec[float]([0.0] * (2 * len(old)))
    for index in range(len(old)):
        larger[index] = old[index]
    return larger


def _sorted(nodes: vec[i32], keys: vec[i32], most: i64) -> vec[i32]:
    """Returns nodes sorted by their keys, which are below ``most``; equal ones stay in their order."""
    starts = vec[i64]([0] * (most + 1))
    for node in nodes:
        starts[i64(keys[i64(node)]) + 1] += 1
    for key in range(most):
        starts[key + 1] += starts[key]
    order = vec[i32]([0] * len(nodes))
    for node in nodes:
        key = i64(keys[i64(node)])
        order[starts[key]] = node
        starts[key] += 1
    return order
