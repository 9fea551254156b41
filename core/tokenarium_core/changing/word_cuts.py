"""All ways to cut the words of a corpus into the pieces of a Unigram model, old and new."""

from __future__ import annotations

import math
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

LONGEST_WORD: Final = 1024
"""The most bytes of a word."""

NEVER: Final = -1e300
"""Below every sum of scores."""


@final
class WordCuts:
    """All ways to cut some words: edges from byte to byte, in the order of where they begin.

    ``pieces`` are those that occur in the words; the first is what stands for a character without a piece, which is as
    many tokens as it has bytes with ``fallback``, else one with those beside it.
    """

    def __init__(self, unknown: float, fallback: bool) -> None:
        self._fallback = fallback
        self.words: list[bytes] = []
        self.counts = vec[i64]()
        self.pieces: list[bytes] = [b""]
        self.scores = vec[float]([unknown])
        self.new = vec[i32]([0])
        """For each piece: 0 for an old one, 1 for a new one that is in use, 2 for one that is not."""
        self.numbers: dict[bytes, int] = {}
        self.firsts = vec[i32]([0])  # edges of a word: from here to the next word's
        self.starts = vec[i32]()
        self.ends = vec[i32]()
        self.edges = vec[i32]()  # their pieces
        self.tokens = vec[i64]()  # of each word by the cut that was found last
        self._odds = vec[float]()  # of the edges of a word
        self._forward = vec[float]([0.0] * (LONGEST_WORD + 1))
        self._backward = vec[float]([0.0] * (LONGEST_WORD + 1))
        self._best = vec[float]([0.0] * (LONGEST_WORD + 1))
        self._sizes = vec[i32]([0] * (LONGEST_WORD + 1))
        self._edge = vec[i32]([0] * (LONGEST_WORD + 1))

    def add(
        self,
        word: bytes,
        count: i64,
        old: dict[bytes, float],
        new: dict[bytes, float],
        longest: i64,
    ) -> None:
        """Adds a word, with the edges of all pieces in it."""
        self.words.append(word)
        self.counts = append(self.counts, count)
        size: i64 = len(word)
        start: i64 = 0
        while start < size:
            single = start + 1
            while single < size and word[single] & 0xC0 == 0x80:
                single += 1
            end = single
            known = False
            while end <= size and end - start <= longest:
                if end == size or word[end] & 0xC0 != 0x80:
                    text = word[start:end]
                    number = self._number(text, old, new)
                    if number > 0:
                        self._add_edge(start, end, number)
                        if end == single and i64(self.new[number]) == 0:
                            known = True
                end += 1
            if not known:
                self._add_edge(start, single, 0)
            start = single
        self.firsts = append(self.firsts, i32(len(self.edges)))
        self.tokens = append(self.tokens, 0)

    def _add_edge(self, start: i64, end: i64, number: i64) -> None:
        self.starts = append(self.starts, i32(start))
        self.ends = append(self.ends, i32(end))
        self.edges = append(self.edges, i32(number))

    def _number(self, text: bytes, old: dict[bytes, float], new: dict[bytes, float]) -> int:
        number = self.numbers.get(text, -1)
        if number >= 0:
            return number
        is_old = text in old
        if not is_old and text not in new:
            return -1
        number = len(self.pieces)
        self.numbers[text] = number
        self.pieces.append(text)
        self.scores = append(self.scores, old[text] if is_old else new[text])
        self.new = append(self.new, i32(0 if is_old else 1))
        return number

    def expect(self, word: i64, counts: vec[float]) -> None:
        """Adds to ``counts`` how often each piece is expected in a word, as often as that was counted.

        All sums are relative to the best cut up to the same place, so that they stay in range in a word of any length.
        """
        self._find_best(word)
        best = self._best
        forward = self._forward
        backward = self._backward
        size: i64 = len(self.words[word])
        first = i64(self.firsts[word])
        last = i64(self.firsts[word + 1])
        if last - first > len(self._odds):
            self._odds = vec[float]([0.0] * int(2 * (last - first)))
        odds = self._odds
        for at in range(size + 1):
            forward[at] = 0.0
            backward[at] = 0.0
        forward[0] = 1.0
        edge = first
        while edge < last:
            piece = i64(self.edges[edge])
            start = i64(self.starts[edge])
            end = i64(self.ends[edge])
            odds[edge - first] = 0.0
            if i64(self.new[piece]) != 2 and best[start] > NEVER:
                odds[edge - first] = math.exp(best[start] + self.scores[piece] - best[end])
                forward[end] += forward[start] * odds[edge - first]
            edge += 1
        backward[size] = float(self.counts[word]) / forward[size]
        edge = last - 1
        while edge >= first:
            start = i64(self.starts[edge])
            share = odds[edge - first] * backward[i64(self.ends[edge])]
            counts[i64(self.edges[edge])] += forward[start] * share
            backward[start] += share
            edge -= 1

    def cut(self, word: i64, uses: vec[i64]) -> i64:
        """Finds the best cut of a word and returns how many tokens it has; adds the word's count to its ``uses``.

        With no room in ``uses``, nothing is added.
        """
        self._find_best(word)
        size: i64 = len(self.words[word])
        if len(uses):
            at = size
            while at > 0:
                edge = i64(self._edge[at])
                uses[i64(self.edges[edge])] += self.counts[word]
                at = i64(self.starts[edge])
        return i64(self._sizes[size])

    def _find_best(self, word: i64) -> None:
        """Finds the best cut up to each place of a word: its score, its tokens, and its last edge."""
        best = self._best
        sizes = self._sizes
        chosen = self._edge
        size: i64 = len(self.words[word])
        for at in range(size + 1):
            best[at] = NEVER
        best[0] = 0.0
        sizes[0] = 0
        edge = i64(self.firsts[word])
        last = i64(self.firsts[word + 1])
        while edge < last:
            piece = i64(self.edges[edge])
            start = i64(self.starts[edge])
            end = i64(self.ends[edge])
            if i64(self.new[piece]) != 2 and best[start] > NEVER:
                total = best[start] + self.scores[piece]
                if total > best[end]:
                    best[end] = total
                    tokens: i64 = 1
                    if piece == 0:
                        if self._fallback:
                            tokens = end - start
                        elif start > 0 and i64(self.edges[i64(chosen[start])]) == 0:
                            tokens = 0
                    sizes[end] = i32(i64(sizes[start]) + tokens)
                    chosen[end] = i32(edge)
            edge += 1
