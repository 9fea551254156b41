"""All ways to split a text into the pieces of a Unigram model: the lattice, and the paths through it.

Sources: Kudo 2018 (sampling); sentencepiece 0.2.3, class ``Lattice`` in ``src/unigram_model.cc`` (n-best by A*,
forward filtering and backward sampling, marginals, entropy).
"""

from __future__ import annotations

from math import exp, inf, log1p
from random import Random
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import ArgumentError
from tokenarium_core.models.unigram.lattice_search import LatticeSearch
from tokenarium_core.models.unigram.unigram_scores import UnigramScores
from tokenarium_core.models.unigram.unigram_trie import ROOT, TOKEN_MASK
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.unicode.utf8 import character_sizes

_NEGLIGIBLE: Final = 50.0  # exp(-50) does not change a sum of doubles


@final
class LatticeEdge:
    """One piece at one position: ``data[start:stop]`` as the id ``token``, with its score (a logarithm)."""

    def __init__(self, start: int, stop: int, token: int, score: float) -> None:
        self.start = start
        self.stop = stop
        self.token = token
        self.score = score

    def __repr__(self) -> str:
        return f"<LatticeEdge {self.start} to {self.stop}: id {self.token}, {self.score:.4f}>"


@final
class Path:
    """A path through a lattice: the numbers of its edges from left to right, and the sum of their scores."""

    def __init__(self, edges: list[int], score: float) -> None:
        self.edges = edges
        self.score = score

    def __repr__(self) -> str:
        return f"<Path of {len(self.edges)} edges: {self.score:.4f}>"


@final
class Lattice:
    """All edges over ``data[:size]``, sorted by their beginnings, then by their lengths.

    LatticeEdge k goes from byte ``starts[k]`` to ``stops[k]``, has the id ``tokens[k]`` and the score ``scores[k]``. A
    character that is not a piece itself has an additional edge, with the id of the unknown token. Created
    by `Unigram.lattice`; the text should not be longer than a sentence or a page.

    Worked example: with ``a`` -1, ``b`` -1 and ``ab`` -1.5 the text ``ab`` has the edges 0-1, 0-2 and 1-2, the best
    path is ``ab`` (-1.5) and the second one ``a b`` (-2).
    """

    def __init__(self, data: bytes, scores: UnigramScores, unknown_id: i64) -> None:
        self.data = data
        self.size: i64 = len(data)
        self.unknown_id: i64 = unknown_id
        self.starts = vec[i32]()
        self.stops = vec[i32]()
        self.tokens = vec[i32]()
        self.scores = vec[float]()
        self._rounding = scores.rounding
        self._values = scores
        self._theta = -1.0  # of the sums that are kept, for the next draw
        self._kept_alphas = vec[float]()
        self._build(data + ZEROS)
        self._search = LatticeSearch(
            self.size, self.starts, self.stops, self.scores, scores.rounding
        )

    def __len__(self) -> int:
        return len(self.tokens)

    def edge(self, number: int) -> LatticeEdge:
        """Returns one edge; IndexError if there is none."""
        return LatticeEdge(
            self.starts[number], self.stops[number], self.tokens[number], self.scores[number]
        )

    def best(self) -> Path:
        """Returns the path that encoding takes; ArgumentError if no path reaches the end."""
        size = self.size
        rounding = self._rounding
        values = self._values.values
        best = vec[float]([0.0] * (size + 1))
        best_edges = vec[i32]([-1] * (size + 1))
        reached: i64 = 0
        for number in range(len(self.tokens)):
            start: i64 = i64(self.starts[number])
            if start > 0 and i64(best_edges[start]) < 0:
                continue
            stop: i64 = i64(self.stops[number])
            token: i64 = i64(self.tokens[number])
            known = token != self.unknown_id or self._is_piece(number)
            total = best[start] + (values[token] if known else self._values.unknown)
            total = rounding.round(total, rounding.level(total, 0))
            if i64(best_edges[stop]) < 0 or total > best[stop]:
                best[stop] = total
                best_edges[stop] = i32(number)
                if stop > reached:
                    reached = stop
        if size > 0 and i64(best_edges[size]) < 0:
            raise ArgumentError(f"No path of pieces reaches the end: byte {reached} has no piece.")
        edges: list[int] = []
        at = size
        while at > 0:
            number = i64(best_edges[at])
            edges.append(number)
            at = i64(self.starts[number])
        edges.reverse()
        return Path(edges, best[size])

    def n_best(self, count: int) -> list[Path]:
        """Returns up to ``count`` different paths, the best first.

        As in the reference, only the best one if the search would hold more than about 500,000 partial paths.
        """
        if self.size == 0 or count < 1:
            return []
        return [Path(edges, score) for edges, score in self._search.n_best(count)]

    def sample(self, theta: float, random: Random) -> Path:
        """Returns a path sampled with a probability proportional to ``exp(theta * score)``.

        With ``theta`` 1 it follows the model; 0 makes all paths equally likely, a large value leaves only the best.
        """
        alphas = self._alphas(theta)
        first = self._search.first_end
        ending = self._search.ending
        scores = self.scores
        starts = self.starts
        edges: list[int] = []
        score = 0.0
        at = self.size
        while at > 0:
            rest = random.random()
            number: i64 = -1
            for index in range(i64(first[at]), i64(first[at + 1])):
                candidate: i64 = i64(ending[index])
                if alphas[i64(starts[candidate])] == -inf:
                    continue
                number = candidate
                rest -= exp(alphas[i64(starts[number])] + theta * scores[number] - alphas[at])
                if rest < 0.0:
                    break
            edges.append(number)
            score += scores[number]
            at = i64(starts[number])
        edges.reverse()
        return Path(edges, score)

    def marginals(self, theta: float = 1.0) -> list[float]:
        """Returns for each edge the probability that a path sampled with ``theta`` goes through it."""
        alphas = self._alphas(theta)
        size = self.size
        betas = vec[float]([-inf] * (size + 1))
        betas[size] = 0.0
        count: i64 = len(self.tokens)
        for back in range(count):
            number = count - 1 - back
            start: i64 = i64(self.starts[number])
            after = betas[i64(self.stops[number])]
            betas[start] = _log_sum(betas[start], theta * self.scores[number] + after)
        return [
            exp(
                alphas[i64(self.starts[number])]
                + theta * self.scores[number]
                + betas[i64(self.stops[number])]
                - alphas[size]
            )
            for number in range(count)
        ]

    def entropy(self, theta: float = 1.0) -> float:
        """Returns the entropy of the paths of this text, in nats: 0 if there is only one path."""
        alphas = self._alphas(theta)
        likely = self.marginals(theta)
        total = alphas[self.size]
        for number in range(len(self.tokens)):
            if likely[number] > 0.0:
                total -= likely[number] * theta * self.scores[number]
        return total if total > 0.0 else 0.0

    def log_total(self, theta: float = 1.0) -> float:
        """Returns the logarithm of the sum of ``exp(theta * score)`` over all paths."""
        return self._alphas(theta)[self.size]

    def path(self, stops: list[int]) -> Path:
        """Returns the path whose pieces end at these bytes, to compare its score with the best one's.

        Raises ArgumentError if a region is not a piece; the message names the region.
        """
        edges: list[int] = []
        score = 0.0
        at: i64 = 0
        first = self._search.first_end
        for stop in stops:
            found: i64 = -1
            if at < stop <= self.size:
                end: i64 = stop
                for index in range(i64(first[end]), i64(first[end + 1])):
                    number: i64 = i64(self._search.ending[index])
                    if i64(self.starts[number]) == at:
                        found = number
                        break
            if found < 0:
                region = self.data[at:stop].decode("utf-8", "backslashreplace")
                raise ArgumentError(
                    f"{region!r} (bytes {at} to {stop}) is not a piece of this vocabulary."
                )
            edges.append(found)
            score += self.scores[found]
            at = stop
        if at != self.size:
            raise ArgumentError(f"The path ends at byte {at}, the text at byte {self.size}.")
        return Path(edges, score)

    def _build(self, data: bytes) -> None:
        scores = self._values
        trie = scores.trie
        at: i64 = 0
        while at < self.size:
            byte: i64 = data[at]
            behind = at + i64(character_sizes[byte])
            known = False
            node: i64 = ROOT
            end = at
            characters: i64 = 0
            while node != 0 and end < self.size:
                byte = data[end]
                value = trie.find(node, data, end)
                end += i64(character_sizes[byte])
                characters += 1
                node = value >> 32
                token = (value & TOKEN_MASK) - 1
                if value != 0 and token >= 0:
                    self._add(at, end, token, scores.lattice_score(token, characters))
                    known = known or end == behind
            if not known and self.unknown_id >= 0:
                self._add(at, behind, self.unknown_id, scores.unknown)
            at = behind

    def _add(self, start: i64, stop: i64, token: i64, score: float) -> None:
        self.starts = append(self.starts, i32(start))
        self.stops = append(self.stops, i32(stop))
        self.tokens = append(self.tokens, i32(token))
        self.scores = append(self.scores, score)

    def _is_piece(self, number: i64) -> bool:
        """Returns whether an edge with the id of the unknown token is that token's own text."""
        return self.scores[number] != self._values.unknown

    def _alphas(self, theta: float) -> vec[float]:
        """Returns for each byte the logarithm of the sum over all paths to it; -inf if there is none."""
        if theta == self._theta:
            return self._kept_alphas
        alphas = vec[float]([-inf] * (self.size + 1))
        alphas[0] = 0.0
        for number in range(len(self.tokens)):
            before = alphas[i64(self.starts[number])]
            stop: i64 = i64(self.stops[number])
            alphas[stop] = _log_sum(alphas[stop], before + theta * self.scores[number])
        if alphas[self.size] == -inf:
            raise ArgumentError("No path of pieces reaches the end of this text.")
        self._theta = theta
        self._kept_alphas = alphas
        return alphas


def _log_sum(left: float, right: float) -> float:
    """Returns log(exp(left) + exp(right))."""
    if right > left:
        left, right = right, left
    if left > right + _NEGLIGIBLE or left == -inf:
        return left
    return left + log1p(exp(right - left))
