"""The n best paths through a lattice, by A* from its end.

As in sentencepiece 0.2.3 (``Lattice::NBest``): the sums are its 32-bit floats, and equal ones come out in the order
of its priority queue, which is the heap of the GNU C++ library.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.models.unigram.unigram_scores import Rounding

_BEGIN: Final = -1
_END: Final = -2
_MOST_WAITING: Final = 10000
_KEPT_WAITING: Final = 512
_MOST_HELD: Final = 100000
_MOST_MADE: Final = 500000
_MOST_CUTS: Final = 10


@final
class LatticeSearch:
    """Searches over edges that are sorted by where they begin.

    The edges that end at byte p are ``ending[first_end[p]:first_end[p + 1]]``, in their order.
    """

    def __init__(
        self,
        size: i64,
        starts: vec[i32],
        stops: vec[i32],
        scores: vec[float],
        rounding: Rounding,
    ) -> None:
        self.size: i64 = size
        self.first_end = vec[i32]([0] * (size + 2))
        self.ending = vec[i32]([0] * len(starts))
        self._starts = starts
        self._scores = scores
        self._rounding = rounding
        self._sums = vec[float]([0.0] * len(starts))
        self._befores = vec[i32]([_BEGIN] * len(starts))
        self._best = 0.0
        self._last: i64 = _BEGIN
        # The partial paths, each from one edge to the end of the text.
        self._edges = vec[i32]()
        self._nexts = vec[i32]()
        self._whole = vec[float]()  # the sum of the best whole path that ends like this
        self._parts = vec[float]()  # the sum of this part
        self._heap = vec[i64]()
        self._waiting: i64 = 0
        counts = self.first_end
        for stop in stops:
            counts[i64(stop) + 1] += 1
        for index in range(size + 1):
            counts[index + 1] += counts[index]
        places = vec[i32]([0] * (size + 2))
        for number in range(len(stops)):
            end: i64 = i64(stops[number])
            self.ending[i64(counts[end]) + i64(places[end])] = i32(number)
            places[end] += 1

    def n_best(self, count: i64) -> list[tuple[list[int], float]]:
        """Returns up to ``count`` paths as the numbers of their edges, with their sums."""
        self._viterbi()
        if self._last == _BEGIN:
            return []
        if count == 1:
            return [self._viterbi_path()]
        self._edges = vec[i32]()
        self._nexts = vec[i32]()
        self._whole = vec[float]()
        self._parts = vec[float]()
        self._heap = vec[i64]([0] * 64)
        self._waiting = 0
        self._push(_END, -1, self._best, 0.0)
        results: list[tuple[list[int], float]] = []
        least = count * 10 if count * 10 < _KEPT_WAITING else _KEPT_WAITING
        held: i64 = 1
        most_held: i64 = _MOST_HELD
        made: i64 = 1
        cuts: i64 = 0
        while self._waiting > 0:
            top = self._pop()
            edge: i64 = i64(self._edges[top])
            if edge == _BEGIN:
                results.append((self._path(top), self._whole[top]))
                if len(results) == count:
                    break
                continue
            at = self.size if edge == _END else i64(self._starts[edge])
            added = self._expand(top, at)
            made += added
            held += added
            if made >= _MOST_MADE:
                return [self._viterbi_path()]
            if self._waiting >= _MOST_WAITING or (self._waiting > least and held >= most_held):
                if cuts >= _MOST_CUTS:
                    return [self._viterbi_path()]
                cuts += 1
                held = self._keep(least)
                most_held = held + _MOST_HELD
        return results

    def _viterbi(self) -> None:
        """Notes for each edge the best sum up to its end, and the edge before."""
        starts = self._starts
        for number in range(len(starts)):
            start: i64 = i64(starts[number])
            self._sums[number] = self._best_before(start, self._scores[number])
            self._befores[number] = i32(self._last)
        self._best = self._best_before(self.size, 0.0)

    def _best_before(self, at: i64, score: float) -> float:
        """Returns the best sum of a path to ``at`` plus a score; its last edge is in ``_last``."""
        self._last = _BEGIN
        best = score if at == 0 else float("-inf")
        found = False
        for index in range(i64(self.first_end[at]), i64(self.first_end[at + 1])):
            number: i64 = i64(self.ending[index])
            total = self._rounded(self._sums[number] + score)
            if not found or total > best:
                found = True
                best = total
                self._last = number
        return best

    def _viterbi_path(self) -> tuple[list[int], float]:
        best = self._best_before(self.size, 0.0)
        edges: list[int] = []
        edge = self._last
        while edge != _BEGIN:
            edges.append(edge)
            edge = i64(self._befores[edge])
        edges.reverse()
        return edges, best

    def _expand(self, top: i64, at: i64) -> i64:
        """Adds the partial paths that go one edge further to the left; returns their number."""
        part = self._parts[top]
        if at == 0:
            self._push(_BEGIN, top, part, part)
            return 1
        first: i64 = i64(self.first_end[at])
        stop: i64 = i64(self.first_end[at + 1])
        for index in range(first, stop):
            number: i64 = i64(self.ending[index])
            self._push(
                number,
                top,
                self._rounded(self._sums[number] + part),
                self._rounded(self._scores[number] + part),
            )
        return stop - first

    def _path(self, top: i64) -> list[int]:
        edges: list[int] = []
        at: i64 = i64(self._nexts[top])
        while i64(self._edges[at]) != _END:
            edges.append(i64(self._edges[at]))
            at = i64(self._nexts[at])
        return edges

    def _keep(self, least: i64) -> i64:
        """Keeps the best ``least`` waiting paths; returns how many partial paths they consist of."""
        kept = vec[i64]([0] * least)
        for index in range(least):
            kept[index] = self._pop()
        self._waiting = 0
        seen = vec[i32]([0] * len(self._edges))
        held: i64 = 0
        for index in range(least):
            at = kept[index]
            self._insert(at)
            while at >= 0 and i64(seen[at]) == 0:
                seen[at] = 1
                held += 1
                at = i64(self._nexts[at])
        return held

    def _push(self, edge: i64, after: i64, whole: float, part: float) -> None:
        number: i64 = len(self._edges)
        self._edges = append(self._edges, i32(edge))
        self._nexts = append(self._nexts, i32(after))
        self._whole = append(self._whole, whole)
        self._parts = append(self._parts, part)
        self._insert(number)

    def _insert(self, number: i64) -> None:
        """std::push_heap."""
        if self._waiting == len(self._heap):
            larger = vec[i64]([0] * (self._waiting * 2))
            for index in range(self._waiting):
                larger[index] = self._heap[index]
            self._heap = larger
        self._waiting += 1
        self._rise(self._waiting - 1, number)

    def _rise(self, hole: i64, number: i64) -> None:
        heap = self._heap
        whole = self._whole
        while hole > 0:
            parent = (hole - 1) >> 1
            if not whole[heap[parent]] < whole[number]:
                break
            heap[hole] = heap[parent]
            hole = parent
        heap[hole] = number

    def _pop(self) -> i64:
        """std::pop_heap."""
        heap = self._heap
        whole = self._whole
        top = heap[0]
        self._waiting -= 1
        count = self._waiting
        if count == 0:
            return top
        number = heap[count]
        hole: i64 = 0
        child: i64 = 0
        while child < (count - 1) >> 1:
            child = 2 * (child + 1)
            if whole[heap[child]] < whole[heap[child - 1]]:
                child -= 1
            heap[hole] = heap[child]
            hole = child
        if count & 1 == 0 and child == (count - 2) >> 1:
            child = 2 * (child + 1)
            heap[hole] = heap[child - 1]
            hole = child - 1
        self._rise(hole, number)
        return top

    def _rounded(self, value: float) -> float:
        rounding = self._rounding
        return rounding.round(value, rounding.level(value, 160))
