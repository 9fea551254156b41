"""The order of merges in WordPiece as published: the merge that increases the likelihood of the corpus most comes first."""

from __future__ import annotations

from math import log
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.merger import RIGHT
from tokenarium_core.training.merging.pair_index import COUNT, STRIDE, PairIndex
from tokenarium_core.training.merging.pair_queue import PairQueue

SLACK_BITS: Final = 5  # a token may lose a 32nd of its count before its pairs are scored again


@final
class LikelihoodQueue(PairQueue):
    """A heap of pairs by their highest possible scores, which finds the pair with the highest score.

    With counts c of a pair, its left and its right token, and n tokens in all, a pair scores

    - ``c * log(c * n / (left * right))``: the increase in the log-likelihood of the corpus if the two are always
      joined, with the probability of each token given by its frequency (Schuster and Nakajima 2012,
      https://doi.org/10.1109/ICASSP.2012.6289079, say only that this is the criterion),
    or - ``c / (left * right)``, with ``ratio``: the same per occurrence, as the algorithm is often described.

    Of equal ones the smallest pair comes first. A score *grows* when a neighbour loses occurrences to another merge.
    So the heap holds bounds, computed from lower limits of the token counts; when a count falls below its limit, the
    bounds of its pairs are recomputed. The best pair is among those whose bound reaches the best score seen.
    """

    def __init__(self, counts: vec[i64], tokens: i64, ratio: bool) -> None:
        self._ratio = ratio
        self._counts = counts
        self._tokens: i64 = tokens
        size = len(counts)
        self._floors = vec[i64]([0] * size)
        self._logs = vec[float]([0.0] * size)  # of the counts
        self._floor_logs = vec[float]([0.0] * size)
        self._all_log = log(max(float(tokens), 1.0))
        for token in range(size):
            self._set_floor(token)
        # By the number of a row: its pair, its count when it was last read, its node (-1: none), and the
        # next row with the same left, and with the same right token.
        self._pairs = vec[i64]()
        self._row_counts = vec[i64]()
        self._nodes = vec[i32]()
        self._next_left = vec[i32]()
        self._next_right = vec[i32]()
        self._first_left = vec[i32]([-1] * size)
        self._first_right = vec[i32]([-1] * size)
        # The heap: bounds, and the numbers of their rows.
        self._bounds = vec[float]()
        self._rows = vec[i32]()
        self._size: i64 = 0
        self._open = vec[i32]()  # nodes still to be visited
        self._loose: list[int] = []  # rows whose bound is too high

    def needs_all(self) -> bool:
        """True: a rare pair may have a higher score than a frequent one."""
        return True

    def clear(self) -> None:
        """Forgets all pairs."""
        self._pairs = vec[i64]()
        self._row_counts = vec[i64]()
        self._nodes = vec[i32]()
        self._next_left = vec[i32]()
        self._next_right = vec[i32]()
        for token in range(len(self._counts)):
            self._first_left[token] = -1
            self._first_right[token] = -1
        self._bounds = vec[float]()
        self._rows = vec[i32]()
        self._size = 0

    def push(self, count: i64, pair: i64, row: i64) -> None:
        """Adds a pair; see `PairQueue.push`."""
        number = i32(row // STRIDE)
        left = pair >> 32
        right = pair & RIGHT
        self._pairs = append(self._pairs, pair)
        self._row_counts = append(self._row_counts, count)
        self._nodes = append(self._nodes, i32(-1))
        self._next_left = append(self._next_left, self._first_left[left])
        self._next_right = append(self._next_right, self._first_right[right])
        self._first_left[left] = number
        self._first_right[right] = number
        node = self._size
        if node == len(self._bounds):
            self._bounds = append(self._bounds, 0.0)
            self._rows = append(self._rows, i32(0))
        self._size = node + 1
        self._rise(node, self._bound(pair, count), i64(number))

    def next_row(self, index: PairIndex, threshold: i64) -> i64:
        """Returns the row of the pair with the highest score; see `PairQueue.next_row`. -1 if no score is positive."""
        rows = index.rows
        while self._size > 0:
            number = i64(self._rows[0])
            count = rows[number * STRIDE + COUNT]
            self._row_counts[number] = count
            if count < threshold:
                self._remove(number)
                continue
            bound = self._bound(self._pairs[number], count)
            if bound >= self._bounds[0]:
                break
            self._sink(0, bound, number)
        best = self._best(rows, threshold)
        self._tighten(threshold)
        if best < 0:
            return -1
        self._remove(best)
        return best * STRIDE

    def merged(self, left: i64, right: i64, token: i64, weight: i64) -> None:
        """Updates the counts of two joined tokens; see `PairQueue.merged`."""
        self._tokens -= weight
        self._all_log = log(max(float(self._tokens), 1.0))
        self._counts[token] = weight
        self._set_floor(token)
        self._lose(left, weight)
        self._lose(right, weight)

    def _best(self, rows: vec[i64], threshold: i64) -> i64:
        """Returns the number of the row with the highest score, -1 if none is above 0."""
        best: i64 = -1
        best_score = 0.0
        best_pair: i64 = 0
        waiting = self._open
        if len(waiting) == 0:
            waiting = append(waiting, i32(0))
        waiting[0] = 0
        count_waiting: i64 = 1 if self._size > 0 else 0
        while count_waiting > 0:
            count_waiting -= 1
            node = i64(waiting[count_waiting])
            number = i64(self._rows[node])
            bound = self._bounds[node]
            pair = self._pairs[number]
            if bound < best_score or bound <= 0.0 or (bound == best_score and pair > best_pair):
                continue
            count = rows[number * STRIDE + COUNT]
            if count != self._row_counts[number]:
                self._row_counts[number] = count
                self._loose.append(number)
            if count >= threshold:
                score = self.score(pair, count)
                if score > best_score or (score == best_score and best >= 0 and pair < best_pair):
                    best = number
                    best_score = score
                    best_pair = pair
            child = 2 * node + 1
            while child < min(2 * node + 3, self._size):
                if count_waiting == len(waiting):
                    waiting = append(waiting, i32(0))
                waiting[count_waiting] = i32(child)
                count_waiting += 1
                child += 1
        self._open = waiting
        return best

    def _tighten(self, threshold: i64) -> None:
        """Lowers the bounds that turned out to be too high."""
        for number in self._loose:
            count = self._row_counts[number]
            if count < threshold:
                self._remove(number)
            else:
                self._renew(number)
        self._loose = []

    def _lose(self, token: i64, weight: i64) -> None:
        """Removes some occurrences of a token; recomputes the bounds of its pairs when it falls below its floor."""
        self._counts[token] -= weight
        if self._counts[token] >= self._floors[token]:
            self._logs[token] = log(float(self._counts[token]))
            return
        self._set_floor(token)
        number = i64(self._first_left[token])
        while number >= 0:
            self._renew(number)
            number = i64(self._next_left[number])
        number = i64(self._first_right[token])
        while number >= 0:
            self._renew(number)
            number = i64(self._next_right[number])

    def _renew(self, number: i64) -> None:
        """Recomputes the bound of a row in the heap."""
        node = i64(self._nodes[number])
        if node >= 0:
            self._place(node, self._bound(self._pairs[number], self._row_counts[number]), number)

    def _set_floor(self, token: i64) -> None:
        """Records the count to which a token may fall until its pairs are scored again."""
        count = self._counts[token]
        floor = max(count - (count >> SLACK_BITS), 1)
        self._floors[token] = floor
        self._logs[token] = log(max(float(count), 1.0))
        self._floor_logs[token] = log(float(floor))

    def occurrences(self, token: i64) -> i64:
        """Returns how often a token occurs now."""
        return self._counts[token]

    def all_occurrences(self) -> vec[i64]:
        """Returns how often each token occurs now, by id."""
        return self._counts[:]

    def score(self, pair: i64, count: i64) -> float:
        """Returns the present score of a pair."""
        left = pair >> 32
        right = pair & RIGHT
        if self._ratio:
            return float(count) / (float(self._counts[left]) * float(self._counts[right]))
        gain = log(float(count)) + self._all_log - self._logs[left] - self._logs[right]
        return float(count) * gain

    def _bound(self, pair: i64, count: i64) -> float:
        """Returns the highest score that a pair can have until one of its tokens falls below its floor."""
        left = pair >> 32
        right = pair & RIGHT
        if self._ratio:
            return float(count) / (float(self._floors[left]) * float(self._floors[right]))
        gain = log(float(count)) + self._all_log - self._floor_logs[left] - self._floor_logs[right]
        return float(count) * gain

    def _place(self, node: i64, bound: float, number: i64) -> None:
        """Sets the bound of the row at a node, and moves it to its position."""
        if bound > self._bounds[node]:
            self._rise(node, bound, number)
        else:
            self._sink(node, bound, number)

    def _remove(self, number: i64) -> None:
        """Removes a row from the heap."""
        node = i64(self._nodes[number])
        if node < 0:
            return
        self._nodes[number] = -1
        last = self._size - 1
        self._size = last
        if node == last:
            return
        moved = i64(self._rows[last])
        bound = self._bounds[last]
        self._nodes[moved] = i32(node)
        self._bounds[node] = self._bounds[last]
        self._rows[node] = i32(moved)
        if node > 0 and self._precedes(bound, moved, (node - 1) >> 1):
            self._rise(node, bound, moved)
        else:
            self._sink(node, bound, moved)

    def _precedes(self, bound: float, number: i64, node: i64) -> bool:
        """Returns whether a row comes before the one at a node."""
        other = self._bounds[node]
        return bound > other or (
            bound == other and self._pairs[number] < self._pairs[i64(self._rows[node])]
        )

    def _rise(self, node: i64, bound: float, number: i64) -> None:
        """Sifts a row up from a node."""
        while node > 0:
            parent = (node - 1) >> 1
            if not self._precedes(bound, number, parent):
                break
            self._set(node, self._bounds[parent], i64(self._rows[parent]))
            node = parent
        self._set(node, bound, number)

    def _sink(self, node: i64, bound: float, number: i64) -> None:
        """Sifts a row down from a node."""
        size = self._size
        while True:
            child = 2 * node + 1
            if child >= size:
                break
            if child + 1 < size and self._precedes(
                self._bounds[child + 1], i64(self._rows[child + 1]), child
            ):
                child += 1
            if self._precedes(bound, number, child):
                break
            self._set(node, self._bounds[child], i64(self._rows[child]))
            node = child
        self._set(node, bound, number)

    def _set(self, node: i64, bound: float, number: i64) -> None:
        self._bounds[node] = bound
        self._rows[node] = i32(number)
        self._nodes[number] = i32(node)


def pair_scores(
    pairs: vec[i64], counts: vec[i64], occurrences: vec[i64], ratio: bool
) -> vec[float]:
    """Returns the scores by which `LikelihoodQueue` chooses, for packed pairs with their counts.

    ``occurrences`` is how often each token occurs in the corpus, by id.
    """
    tokens: i64 = 0
    for token in range(len(occurrences)):
        tokens += occurrences[token]
    all_log = log(max(float(tokens), 1.0))
    scores = vec[float]([0.0] * len(pairs))
    for index in range(len(pairs)):
        count = float(counts[index])
        left = float(occurrences[pairs[index] >> 32])
        right = float(occurrences[pairs[index] & RIGHT])
        if count <= 0.0:
            continue
        if ratio:
            scores[index] = count / (left * right)
        else:
            scores[index] = count * (log(count) + all_log - log(left) - log(right))
    return scores
