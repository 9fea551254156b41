"""The pieces that Unigram training starts with: the frequent substrings of its words.

They are found in the sorted order of all substrings, up to the longest possible piece: a suffix
array (Manber and Myers 1993, by doubling) of a tree instead of a string.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.character_words import CharacterWords
from tokenarium_core.training.sentencepiece.piece_rules import PieceRules
from tokenarium_core.training.unigram.repeated_texts import RepeatedTexts
from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces
from tokenarium_core.training.unigram.word_trie import WordTrie

BYTES_A_NODE: Final = 110
"""The peak memory of a training per node of its trie, without the counted words (measured)."""

_WORDS: Final = 2000  # about a millisecond
_TEXTS: Final = 10_000


@final
class TextOrder:
    """The nodes of a trie in ``nodes``, sorted by the text from each to the end of its word.

    Texts are compared in their first ``reach`` characters at least; call `advance` until it returns False.
    A text comes before a longer one that begins with it, so the root comes first.
    """

    def __init__(self, trie: WordTrie, reach: i64) -> None:
        self._size: i64 = trie.size
        self._reach = reach
        self._compared: i64 = 1
        self._ahead = vec[i32]([0] * self._size)  # the node after the compared part
        self._ranks = vec[i32]([0] * self._size)  # the place of the first text that is equal so far
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
        # First by the part after the compared one, …
        starts = vec[i32]([0] * (size + 1))
        for node in range(size):
            starts[i64(ranks[i64(ahead[node])]) + 1] += 1
        for rank in range(size):
            starts[rank + 1] += starts[rank]
        for node in range(size):
            rank = i64(ranks[i64(ahead[node])])
            nodes[i64(starts[rank])] = i32(node)
            starts[rank] += 1
        # … then by the compared part itself: its rank is where its group begins.
        for rank in range(size):
            starts[rank] = i32(rank)
        sorted_nodes = vec[i32]([0] * size)
        for index in range(size):
            node = i64(nodes[index])
            rank = i64(ranks[node])
            sorted_nodes[i64(starts[rank])] = i32(node)
            starts[rank] += 1
        self.nodes = sorted_nodes
        self._rank(starts)
        for node in range(size):
            nodes[node] = ahead[i64(ahead[node])]
        self._ahead = nodes
        self._compared *= 2
        return True

    def _rank(self, fresh: vec[i32]) -> None:
        """Assigns each text its rank from both parts, in ``fresh``."""
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
        starts = vec[i32]([0] * (count + 1))
        for node in range(1, size):
            starts[i64(symbols[node]) + 1] += 1
        starts[0] = 1  # after the root
        for symbol in range(count):
            starts[symbol + 1] += starts[symbol]
        firsts = vec[i32]([0] * count)
        for symbol in range(count):
            firsts[symbol] = starts[symbol]
        for node in range(1, size):
            symbol = i64(symbols[node])
            self.nodes[i64(starts[symbol])] = i32(node)
            starts[symbol] += 1
            self._ranks[node] = firsts[symbol]
            self._ahead[node] = trie.parents[node]


@final
class UnigramSeeding:
    """Creates the seed: call `advance` until it returns False, then read the ``pieces``.

    A step takes a millisecond, except for about six that visit all nodes of the trie at once: a tenth of
    a second each for ten million characters of distinct words. For the parameters, see `UnigramPieces`.
    """

    def __init__(
        self,
        words: CharacterWords,
        alphabet: list[int],
        rules: PieceRules,
        most: i64,
        enough: i64,
        length_power: float = 1.0,
        least_count: float = 2.0,
        outside: float = 0.0,
        of_distinct_words: bool = False,
    ) -> None:
        self.pieces: UnigramPieces | None = None
        self.total: int = 0  # words to plant, and nodes of the trie after that
        self.done: int = 0
        self._rules = rules
        self._most = most
        self._enough = enough
        self._length_power = length_power
        self._least_count = least_count
        self._outside = outside
        self._of_distinct_words = of_distinct_words
        self._words: CharacterWords | None = words
        self._slots = words.slots_by_count()
        self._trie = WordTrie(alphabet)
        self._order: TextOrder | None = None
        self._texts: RepeatedTexts | None = None
        self._room = vec[i32]([0] * 1024)
        self._next: i64 = 0
        self.total = 2 * len(self._slots)

    @property
    def memory(self) -> int:
        """About how many bytes the training needs at its peak for the words added so far."""
        return BYTES_A_NODE * int(self._trie.size)

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        words = self._words
        if words is not None:
            self._plant(words)
            if self._next == len(self._slots):
                self._words = None
                self._trie.settle()
        elif self._order is None:
            self._order = TextOrder(self._trie, self._rules.max_length)
        elif self._texts is None:
            if not self._order.advance():
                self._texts = RepeatedTexts(self._trie, self._order.nodes, self._rules.max_length)
                self.done = self.total = self._trie.size
                self.total *= 2
        elif self._texts.advance(_TEXTS):
            self.done += _TEXTS
        else:
            self.pieces = UnigramPieces(
                self._trie,
                self._texts,
                self._rules,
                self._most,
                self._enough,
                self._length_power,
                self._least_count,
                self._outside,
                self._of_distinct_words,
            )
            self._trie.ends = vec[float]()
            return False
        return True

    def _plant(self, words: CharacterWords) -> None:
        """Adds some words to the trie, split at characters outside the alphabet."""
        slots = self._slots
        trie = self._trie
        stop = min(self._next + _WORDS, len(slots))
        for index in range(self._next, stop):
            slot: i64 = i64(slots[index])
            size = words.size_of(slot)
            if size > len(self._room):
                self._room = vec[i32]([0] * (2 * size))
            room = self._room
            size = words.write(slot, room, 0)
            count = words.count_of(slot)
            start: i64 = 0
            for at in range(size):
                if i64(room[at]) < 0:
                    if at > start:
                        trie.add(room, start, at, count)
                    start = at + 1
            if size > start:
                trie.add(room, start, size, count)
        self._next = stop
        self.done = stop
