"""The counts of all pairs at each step of a training, and what each merge changed of them."""

from __future__ import annotations

from typing import final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import ArgumentError
from tokenarium_core.training.merging.merger import RIGHT
from tokenarium_core.training.merging.pair_index import COUNT, PAIR, SIZE, STRIDE, PairIndex


@final
class PairLedger:
    """How often each pair of neighbours occurs in the corpus after each merge, in packed columns.

    ``pairs[n]`` is pair ``n``, ``left id << 32 | right id``; pairs are numbered in the order in which they were first
    counted. Step ``k`` is the corpus after ``k`` merges: its rows, ``starts[k]`` to ``starts[k + 1] - 1``, are the pairs
    whose count is not what it was at the step before. ``numbers`` says which pairs, ``changes`` by how much. The rows
    of step 0 are all pairs of the corpus.

    A trainer whose record has a ledger counts all pairs once more after the last merge, so that there is a step for it.

    With the corpus ``a b c a b``, where (a, b) becomes ``ab``: {(a, b): 2, (b, c): 1, (c, a): 1} at step 0, and the
    changes of step 1 are (a, b) -2, (b, c) -1, (c, a) -1, (ab, c) +1 and (c, ab) +1.
    """

    def __init__(self) -> None:
        self.pairs = vec[i64]()
        self.starts = vec[i64]([0])
        self.numbers = vec[i32]()
        self.changes = vec[i64]()
        # Every pair that there was: `COUNT` is that of the last step, `SIZE` the number of the last step that had it.
        self._known = PairIndex()
        self._there = vec[i64]()  # rows of the pairs that the last step had
        self._there_count: i64 = 0

    def __len__(self) -> int:
        """How many steps there are: one more than merges."""
        return len(self.starts) - 1

    def note(self, index: PairIndex) -> None:
        """Adds the step of the pairs that are in an index now."""
        known = self._known
        rows = index.rows
        step: i64 = len(self.starts)
        count = index.end // STRIDE
        there = vec[i64]([0] * count)
        place: i64 = 0
        row: i64 = 0
        while row < index.end:
            pair = rows[row + PAIR]
            found = known.find(pair)
            if found < 0:
                known.add(pair, 0, 0)
                found = known.end - STRIDE
                self.pairs = append(self.pairs, pair)
            self._set(found, rows[row + COUNT])
            known.rows[found + SIZE] = step
            there[place] = found
            place += 1
            row += STRIDE
        place = 0
        while place < self._there_count:
            found = self._there[place]
            if known.rows[found + SIZE] != step:
                self._set(found, 0)
            place += 1
        self._there = there
        self._there_count = count
        self.starts = append(self.starts, i64(len(self.numbers)))

    def _set(self, row: i64, count: i64) -> None:
        """Notes the count of a known pair, if it is another one now."""
        rows = self._known.rows
        change = count - rows[row + COUNT]
        if change != 0:
            self.numbers = append(self.numbers, i32(row // STRIDE))
            self.changes = append(self.changes, change)
            rows[row + COUNT] = count

    def counts(self, step: int) -> dict[tuple[int, int], int]:
        """Returns the pairs that the corpus has after ``step`` merges, with their counts."""
        self._check(step)
        counts = [0] * len(self.pairs)
        for row in range(self.starts[step + 1]):
            counts[self.numbers[row]] += self.changes[row]
        return {self._pair(n): count for n, count in enumerate(counts) if count}

    def merge_changes(self, step: int) -> list[tuple[tuple[int, int], int, int]]:
        """Returns the pairs whose counts merge number ``step`` changed, from 1 on: each with its count before and after.

        For step 0 these are all pairs of the corpus, each with 0 before.
        """
        self._check(step)
        before = self.counts(step - 1) if step > 0 else {}
        found: list[tuple[tuple[int, int], int, int]] = []
        for row in range(self.starts[step], self.starts[step + 1]):
            pair = self._pair(self.numbers[row])
            count = before.get(pair, 0)
            found.append((pair, count, count + self.changes[row]))
        return found

    def _pair(self, number: int) -> tuple[int, int]:
        pair = self.pairs[number]
        return pair >> 32, pair & RIGHT

    def _check(self, step: int) -> None:
        if not 0 <= step < len(self):
            raise ArgumentError(
                f"There is no step {step}: the ledger has the steps 0 to {len(self) - 1}."
            )
