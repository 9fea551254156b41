"""The strings that occur more than once in a corpus with different continuations: the candidates for the seed.

Each is an interval of equal prefixes in a `TextOrder` (an inner node of the suffix tree; Abouelhoda, Kurtz and
Ohlebusch 2004). Intervals nest, as some texts are prefixes of others; this is recorded too.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import doubled
from tokenarium_core.training.unigram.word_trie import ROOT, WordTrie

NONE: Final = -1


@final
class RepeatedTexts:
    """The single characters of a corpus, by their number in the alphabet, then its repeated texts.

    For each text: ``lengths`` in characters; ``counts``, how often it occurs in the corpus; ``nodes``, a node of the
    trie where it begins; ``parents``, the longest of these texts that is a prefix of it, `NONE` for a character;
    ``final``, 1 if it only ever ends words. ``longest`` has for each node of the trie the longest text that begins
    there. Some texts are one character longer than ``limit``: they are needed only for the nesting.

    A text is repeated if it occurs twice in the corpus, and is not always followed by the same character in its
    words. The end of a word counts as a different one each time.

        ["▁ab", "▁ab", "▁ac"] → ▁a (3), ▁ab (2, final), ab (2, final), and the four characters.
    """

    def __init__(self, trie: WordTrie, order: vec[i32], limit: i64) -> None:
        self.count: i64 = len(trie.alphabet)
        room: i64 = 2 * self.count + 1024
        self.lengths = vec[i32]([1] * room)
        self.nodes = vec[i32]([ROOT] * room)
        self.parents = vec[i32]([NONE] * room)
        self.counts = vec[float]([0.0] * room)
        self.final = vec[u8]([0] * room)
        self.longest = vec[i32]([NONE] * trie.size)
        self._trie = trie
        self._order = order
        self._limit = limit
        self._index: i64 = 1  # of the next text in the order
        self._common: i64 = 0  # characters that it shares with the one before
        self._open = vec[i32]([0] * (limit + 2))  # intervals around it, the longest last
        self._depth: i64 = 0

    def advance(self, steps: i64) -> bool:
        """Processes the next texts in order; returns whether there are more."""
        trie = self._trie
        order = self._order
        size = trie.size
        limit = self._limit
        stop = min(size, self._index + steps)
        common = self._common
        index = self._index
        while index < stop:
            node: i64 = i64(order[index])
            follower: i64 = i64(order[index + 1]) if index + 1 < size else ROOT
            shared = self._shared(node, follower)
            if common == 0:
                symbol: i64 = i64(trie.symbols[node])
                self.nodes[symbol] = i32(node)
                self._open[0] = i32(symbol)
                self._depth = 1
            inner: i64 = i64(self._open[self._depth - 1])
            if shared > i64(self.lengths[inner]):
                inner = self._new(node, shared, 0.0)
                self._open[self._depth] = i32(inner)
                self._depth += 1
            ends = trie.ends[node]
            self.counts[inner] += ends
            depth: i64 = i64(trie.depths[node])
            if ends > 1.5 and depth <= limit and depth > i64(self.lengths[inner]):
                # The whole rest of a word, which no other text continues.
                alone = self._new(node, depth, ends)
                self.parents[alone] = i32(inner)
                self.final[alone] = 1
                inner = alone
            self.longest[node] = i32(inner)
            if shared < i64(self.lengths[i64(self._open[self._depth - 1])]):
                self._close(shared, node)
            common = shared
            index += 1
        self._index = index
        self._common = common
        return index < size

    def _close(self, shared: i64, node: i64) -> None:
        """Ends the intervals of texts longer than the prefix shared with the next one."""
        lengths = self.lengths
        while self._depth > 0:
            last: i64 = i64(self._open[self._depth - 1])
            if i64(lengths[last]) <= shared:
                return
            self._depth -= 1
            if self._depth == 0:
                return
            around: i64 = i64(self._open[self._depth - 1])
            if i64(lengths[around]) < shared:
                around = self._new(node, shared, 0.0)
                lengths = self.lengths
                self._open[self._depth] = i32(around)
                self._depth += 1
            self.parents[last] = i32(around)
            self.counts[around] += self.counts[last]

    def _shared(self, left: i64, right: i64) -> i64:
        """Returns the length of the common prefix of two texts, up to one more than the limit."""
        parents = self._trie.parents
        symbols = self._trie.symbols
        most = self._limit + 1
        shared: i64 = 0
        while left != ROOT and right != ROOT and symbols[left] == symbols[right]:
            left = i64(parents[left])
            right = i64(parents[right])
            shared += 1
            if shared == most:
                break
        return shared

    def _new(self, node: i64, length: i64, count: float) -> i64:
        """Adds a text and returns its number."""
        text = self.count
        if text == len(self.lengths):
            self.lengths = doubled(self.lengths)
            self.nodes = doubled(self.nodes)
            self.parents = doubled(self.parents)
            counts = vec[float]([0.0] * (2 * text))
            final = vec[u8]([0] * (2 * text))
            for index in range(text):
                counts[index] = self.counts[index]
                final[index] = self.final[index]
            self.counts = counts
            self.final = final
        self.lengths[text] = i32(length)
        self.nodes[text] = i32(node)
        self.counts[text] = count
        self.count += 1
        return text
