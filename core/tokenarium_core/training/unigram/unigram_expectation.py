"""How often each piece is expected in a corpus: the E step of a Unigram training.

Forwards and backwards over all cuts of all words (Kudo 2018; Rabiner 1989), for the ends that words share only once: the
probability of a text from a node to the root is the sum over the pieces that it may begin with, times the
probability behind each. What is expected is handed back the same way, from the beginnings of words to their ends.
"""

from __future__ import annotations

import math
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces

SMALLEST: Final = 1e-280
"""Probabilities below this are kept as logarithms, far before they would be rounded to zero."""


@final
class UnigramExpectation:
    """One E step: `advance` until it says False, then ``counts`` by piece and ``log_likelihood`` (natural) are done.

    What goes to unknown characters is not counted.
    """

    def __init__(self, pieces: UnigramPieces) -> None:
        self.log_likelihood = 0.0
        trie = pieces.trie
        self._pieces = pieces
        self._trie = trie
        self.counts = vec[float]([0.0] * pieces.count)
        self._odds = vec[float]([0.0] * pieces.count)  # probabilities of the pieces
        for piece in range(pieces.count):
            self._odds[piece] = math.exp(pieces.scores[piece])
        # By node: the probability of the text from here to the end of the word; if negative, its logarithm.
        self._rests = vec[float]([1.0] * trie.size)
        height = trie.height
        # By depth, of the nodes between the present one and the root:
        self._path = vec[i32]([0] * (height + 1))
        self._path_rests = vec[float]([1.0] * (height + 1))
        self._flow = vec[float]([0.0] * (height + 1))  # words expected to be cut in front of it
        self._next: i64 = 1
        self._last: i64 = trie.size - 1

    def advance(self, steps: i64) -> bool:
        """Goes on for some nodes; returns whether there are more."""
        if self._next < self._trie.size:
            self._forwards(self._next, min(self._trie.size, self._next + steps))
            self._next = min(self._trie.size, self._next + steps)
            return True
        stop = max(0, self._last - steps)
        self._backwards(self._last, stop)
        self._last = stop
        return stop > 0

    def _forwards(self, start: i64, stop: i64) -> None:
        """Works out the probabilities of the texts from some nodes on."""
        depths = self._trie.depths
        words = self._trie.words
        longest = self._pieces.longest
        links = self._pieces.links
        lengths = self._pieces.lengths
        odds = self._odds
        rests = self._rests
        path_rests = self._path_rests
        likelihood = 0.0
        for node in range(start, stop):
            depth: i64 = i64(depths[node])
            rest = 0.0
            piece: i64 = i64(longest[node])
            if path_rests[depth - 1] > 0.0:
                while piece >= 0:
                    rest += odds[piece] * path_rests[depth - i64(lengths[piece])]
                    piece = i64(links[piece])
            if rest < SMALLEST:
                rest = self._log_rest(node, depth)
            rests[node] = rest
            path_rests[depth] = rest
            if words[node] > 0.0:
                likelihood += words[node] * (math.log(rest) if rest > 0.0 else rest)
        self.log_likelihood += likelihood

    def _backwards(self, start: i64, stop: i64) -> None:
        """Hands on what is expected at the nodes ``start`` down to ``stop + 1``."""
        depths = self._trie.depths
        parents = self._trie.parents
        words = self._trie.words
        longest = self._pieces.longest
        links = self._pieces.links
        lengths = self._pieces.lengths
        odds = self._odds
        rests = self._rests
        path = self._path
        path_rests = self._path_rests
        flow = self._flow
        counts = self.counts
        node = start
        while node > stop:
            depth: i64 = i64(depths[node])
            above = node
            level = depth
            while i64(path[level]) != above:
                path[level] = i32(above)
                path_rests[level] = rests[above]
                above = i64(parents[above])
                level -= 1
            through = flow[depth] + words[node]
            flow[depth] = 0.0
            piece: i64 = i64(longest[node])
            rest = path_rests[depth]
            if rest > 0.0:
                share = through / rest
                while piece >= 0:
                    below = depth - i64(lengths[piece])
                    expected = share * odds[piece] * path_rests[below]
                    counts[piece] += expected
                    flow[below] += expected
                    piece = i64(links[piece])
            else:
                while piece >= 0:
                    below = depth - i64(lengths[piece])
                    behind = path_rests[below]
                    log_behind = math.log(behind) if behind > 0.0 else behind
                    expected = through * math.exp(self._pieces.scores[piece] + log_behind - rest)
                    counts[piece] += expected
                    flow[below] += expected
                    piece = i64(links[piece])
            node -= 1

    def _log_rest(self, node: i64, depth: i64) -> float:
        """Returns the logarithm of the probability of a long text."""
        links = self._pieces.links
        lengths = self._pieces.lengths
        scores = self._pieces.scores
        path_rests = self._path_rests
        best = -math.inf
        piece: i64 = i64(self._pieces.longest[node])
        while piece >= 0:
            behind = path_rests[depth - i64(lengths[piece])]
            log = scores[piece] + (math.log(behind) if behind > 0.0 else behind)
            if log > best:
                best = log
            piece = i64(links[piece])
        total = 0.0
        piece = i64(self._pieces.longest[node])
        while piece >= 0:
            behind = path_rests[depth - i64(lengths[piece])]
            log = scores[piece] + (math.log(behind) if behind > 0.0 else behind)
            total += math.exp(log - best)
            piece = i64(links[piece])
        return best + math.log(total)
