"""The order of all texts that go on from somewhere in a word, as far as a piece can reach.

A suffix array (Manber and Myers 1993, by doubling) of a tree instead of a string: what stands behind a character
is what stands between its node and the root.
"""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.unigram.word_trie import WordTrie


@final
class TextOrder:
    """The nodes of a trie in ``nodes``, sorted by the text from each to the end of its word.

    Texts are compared in their first ``reach`` characters at least; `advance` is to be called until it says False.
    A text comes before a longer one that begins with it, so the root comes first.
    """

    def __init__(self, trie: WordTrie, reach: i64) -> None:
        self._size: i64 = trie.size
        self._reach = reach
        self._compared: i64 = 1
        self._ahead = vec[i32]([0] * self._size)  # the node behind what was compared
        self._ranks = vec[i32](
            [0] * self._size
        )  # the place of the first text that is the same so far
        self.nodes = vec[i32]([0] * self._size)
        self._sort_symbols(trie)

    def advance(self) -> bool:
        """Compares twice as many characters; returns whether that is still too few."""
        if self._compared >= self._reach:
            self._ahead = vec[i32]()
            self._ranks = vec[i32]()
            return False
        size = self._size
        ranks = self._ranks
        ahead = self._ahead
        nodes = self.nodes
        # First by what comes behind the part that was compared, …
        places = vec[i32]([0] * (size + 1))
        for node in range(size):
            places[i64(ranks[i64(ahead[node])]) + 1] += 1
        for rank in range(size):
            places[rank + 1] += places[rank]
        for node in range(size):
            rank = i64(ranks[i64(ahead[node])])
            nodes[i64(places[rank])] = i32(node)
            places[rank] += 1
        # … then, and for good, by that part itself: its rank is where its group begins.
        for rank in range(size):
            places[rank] = i32(rank)
        sorted_nodes = vec[i32]([0] * size)
        for index in range(size):
            node = i64(nodes[index])
            rank = i64(ranks[node])
            sorted_nodes[i64(places[rank])] = i32(node)
            places[rank] += 1
        self.nodes = sorted_nodes
        self._rank(places)
        for node in range(size):
            nodes[node] = ahead[i64(ahead[node])]
        self._ahead = nodes
        self._compared *= 2
        return True

    def _rank(self, fresh: vec[i32]) -> None:
        """Gives each text its rank, by both parts; ``fresh`` has room for it."""
        ranks = self._ranks
        ahead = self._ahead
        nodes = self.nodes
        first: i64 = 0
        last_front: i64 = -1
        last_back: i64 = -1
        for index in range(self._size):
            node: i64 = i64(nodes[index])
            front: i64 = i64(ranks[node])
            back: i64 = i64(ranks[i64(ahead[node])])
            if front != last_front or back != last_back:
                first = index
                last_front = front
                last_back = back
            fresh[node] = i32(first)
        self._ranks = fresh

    def _sort_symbols(self, trie: WordTrie) -> None:
        """Sorts by the first character."""
        size = self._size
        symbols = trie.symbols
        count: i64 = len(trie.alphabet)
        places = vec[i32]([0] * (count + 1))
        for node in range(1, size):
            places[i64(symbols[node]) + 1] += 1
        places[0] = 1  # behind the root
        for symbol in range(count):
            places[symbol + 1] += places[symbol]
        firsts = vec[i32]([0] * count)
        for symbol in range(count):
            firsts[symbol] = places[symbol]
        for node in range(1, size):
            symbol = i64(symbols[node])
            self.nodes[i64(places[symbol])] = i32(node)
            places[symbol] += 1
            self._ranks[node] = firsts[symbol]
            self._ahead[node] = trie.parents[node]
