"""The counts of all pairs at each step of a training, and how each merge changed them."""

from __future__ import annotations

from typing import final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import ArgumentError
from tokenarium_core.training.merging.merger import RIGHT
from tokenarium_core.training.merging.pair_index import (
    COUNT,
    PAIR,
    SIZE,
    START,
    STRIDE,
    PairIndex,
)


@final
class PairLedger:
    """How often each pair of neighbours occurs in the corpus after each merge, in packed columns.

    ``pairs[n]`` is pair ``n``, ``left id << 32 | right id``; pairs are numbered in the order in which they were first
    counted. Step ``k`` is the corpus after ``k`` merges: its rows, ``starts[k]`` to ``starts[k + 1] - 1``, are the
    pairs whose count differs from the previous step. ``numbers`` says which pairs, ``changes`` by how much.
    The rows of step 0 are all pairs of the corpus.

    There is also a step for the last merge. If the pairs of another segmentation are counted, as in the second
    stage of SuperBPE, that is a separate step, ``recounted``; -1 if there is none. `step_of` returns the step
    after a number of merges.

    ``symbol_counts`` is how often each symbol occurred in the corpus before the first merge, if the training uses
    that, and ``joined`` how often each merge was made.

    With the corpus ``a b c a b``, where (a, b) becomes ``ab``: {(a, b): 2, (b, c): 1, (c, a): 1} at step 0, and the
    changes of step 1 are (a, b) -2, (b, c) -1, (c, a) -1, (ab, c) +1 and (c, ab) +1.
    """

    def __init__(self) -> None:
        self.pairs = vec[i64]()
        self.starts = vec[i64]([0])
        self.numbers = vec[i32]()
        self.changes = vec[i64]()
        self.symbol_counts = vec[i64]()
        self.joined = vec[i64]()
        self.recounted: int = -1
        # Every pair that there was: `COUNT` is that of the last step, `SIZE` the number of the last step that had it,
        # `START` its count before that step, where it has changed in it.
        self._known = PairIndex()
        self._there = vec[i64]()  # rows of the pairs that the last step had
        self._there_count: i64 = 0
        self._changed = vec[i64]()  # rows that changed in the step that is being made
        self._changed_count: i64 = 0

    def __len__(self) -> int:
        """The number of steps: one more than merges, plus one for pairs that were recounted."""
        return len(self.starts) - 1

    def step_of(self, merges: int) -> int:
        """Returns the step after a number of merges; before a second stage it is that of the first."""
        return merges if self.recounted < 0 or merges < self.recounted else merges + 1

    def note(self, index: PairIndex) -> None:
        """Adds the step of the pairs currently in an index."""
        known = self._known
        rows = index.rows
        step: i64 = len(self.starts)
        count = index.end // STRIDE
        there = vec[i64]([0] * count)
        position: i64 = 0
        row: i64 = 0
        while row < index.end:
            pair = rows[row + PAIR]
            entry = known.find(pair)
            if entry < 0:
                known.add(pair, 0, 0)
                entry = known.end - STRIDE
                self.pairs = append(self.pairs, pair)
            self._set(entry, rows[row + COUNT])
            known.rows[entry + SIZE] = step
            there[position] = entry
            position += 1
            row += STRIDE
        position = 0
        while position < self._there_count:
            entry = self._there[position]
            if known.rows[entry + SIZE] != step:
                self._set(entry, 0)
            position += 1
        self._there = there
        self._there_count = count
        self.starts = append(self.starts, i64(len(self.numbers)))

    def recount(self, index: PairIndex) -> None:
        """Adds the step of all pairs of a segmentation: the first, or a new one."""
        steps = len(self)
        if steps == 0:
            self.note(index)
            return
        self.recounted = steps
        known = self._known
        row: i64 = 0
        while row < known.end:  # those that are not in the other segmentation
            if known.rows[row + COUNT] != 0 and index.find(known.rows[row + PAIR]) < 0:
                self.change(known.rows[row + PAIR], -known.rows[row + COUNT])
            row += STRIDE
        row = 0
        while row < index.end:
            self.set(index.rows[row + PAIR], index.rows[row + COUNT])
            row += STRIDE
        self.end_step()

    def change(self, pair: i64, by: i64) -> None:
        """Adds to the count of a pair, in the step that `end_step` ends."""
        known = self._known
        row = known.find(pair)
        if row < 0:
            known.add(pair, 0, 0)
            row = known.end - STRIDE
            self.pairs = append(self.pairs, pair)
        rows = known.rows
        step: i64 = len(self.starts)
        if rows[row + SIZE] != -step:
            rows[row + SIZE] = -step
            rows[row + START] = rows[row + COUNT]
            if self._changed_count == len(self._changed):
                self._changed = append(self._changed, row)
            else:
                self._changed[self._changed_count] = row
            self._changed_count += 1
        rows[row + COUNT] += by

    def set(self, pair: i64, count: i64) -> None:
        """Sets the count of a pair, in the step that `end_step` ends."""
        row = self._known.find(pair)
        self.change(pair, count if row < 0 else count - self._known.rows[row + COUNT])

    def end_step(self) -> None:
        """Ends a step that is made of changes."""
        rows = self._known.rows
        index: i64 = 0
        while index < self._changed_count:
            row = self._changed[index]
            index += 1
            by = rows[row + COUNT] - rows[row + START]
            if by != 0:
                self.numbers = append(self.numbers, i32(row // STRIDE))
                self.changes = append(self.changes, by)
        self._changed_count = 0
        self.starts = append(self.starts, i64(len(self.numbers)))

    def _set(self, row: i64, count: i64) -> None:
        """Records the count of a known pair, if it has changed."""
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
        """Returns the pairs whose counts merge number ``step`` changed, from 1 on: each with its count before and
        after.

        For step 0 these are all pairs of the corpus, each with 0 before.
        """
        self._check(step)
        before = self.counts(step - 1) if step > 0 else {}
        changes: list[tuple[tuple[int, int], int, int]] = []
        for row in range(self.starts[step], self.starts[step + 1]):
            pair = self._pair(self.numbers[row])
            count = before.get(pair, 0)
            changes.append((pair, count, count + self.changes[row]))
        return changes

    def _pair(self, number: int) -> tuple[int, int]:
        pair = self.pairs[number]
        return pair >> 32, pair & RIGHT

    def _check(self, step: int) -> None:
        if not 0 <= step < len(self):
            raise ArgumentError(
                f"There is no step {step}: the ledger has the steps 0 to {len(self) - 1}."
            )
