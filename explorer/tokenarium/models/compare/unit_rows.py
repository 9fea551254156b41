"""The counts of units that are drawn, such as documents or lines: a row for each, from which every figure is worked out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from tokenarium.models.compare.boundaries import BoundaryCounts
from tokenarium.models.compare.number_sums import NUMBER_COLUMNS, NumberSums
from tokenarium.models.compare.tally import Tally

Rows = npt.NDArray[np.int64]

MOST_UNITS: Final = 10_000
"""Units that are drawn; of more, neighbours are drawn together, in blocks of 2, 4 and so on."""

_SUMMED: Final = (
    "texts",
    "byte_count",
    "characters",
    "unspaced",
    "fallback",
    "unknown",
    "covered_bytes",
    "unknown_bytes",
    "lost_bytes",
    "changed",
    "touching",
    "alone",
    "cut",
)
_WORDS: Final = ("words_in_none", "words_in_one", "words_in_several")
_ALONE: Final = ("alone_in_none", "alone_in_one", "alone_in_several")

_BOUNDARIES: Final = {
    "operators": "operators",
    "apart": "operators_apart",
    "long_operators": "long_operators",
    "whole": "long_operators_whole",
    "multibyte": "multibyte_characters",
    "split": "characters_split",
    "crossing": "tokens_crossing",
}
"""The counts of `BoundaryCounts`, with the names of their columns."""

COLUMNS: Final = (
    "tokens", *_WORDS, *_ALONE, *_SUMMED, *_BOUNDARIES.values(), *NUMBER_COLUMNS
)  # fmt: skip
"""The counts of a unit: those of a `Tally`, with words in three classes: of no token, of one, and of several."""

_BOUNDARIES_AT: Final = 7 + len(_SUMMED)
_NUMBERS_AT: Final = _BOUNDARIES_AT + len(_BOUNDARIES)


def counts_row(tally: Tally) -> list[int]:
    """Returns the counts of a tally, in the order of `COLUMNS`."""
    summed = [int(getattr(tally, name)) for name in _SUMMED]
    summed += [getattr(tally.boundaries, name) for name in _BOUNDARIES]
    words = [*_classes(tally.words), *_classes(tally.words_alone)]
    return [tally.tokens, *words, *summed, *tally.boundaries.sums.row()]


def _classes(words: Rows) -> list[int]:
    return [int(words[0]), int(words[1]), int(words[2:].sum())]


def tally_of_row(row: Sequence[int] | Rows) -> Tally:
    """Returns a tally for the figures in `MEASURED`, with the counts of a row or of a sum of rows."""
    numbers = np.asarray(row, np.int64)
    counts = numbers.tolist()
    summed = dict(zip(_SUMMED, counts[7:_BOUNDARIES_AT], strict=True))
    boundaries = BoundaryCounts(
        **dict(zip(_BOUNDARIES, counts[_BOUNDARIES_AT:_NUMBERS_AT], strict=True)),
        sums=NumberSums.of_row(counts[_NUMBERS_AT:]),
    )
    lengths = np.zeros(1, np.int64)
    return Tally(numbers[:1], numbers[1:4], numbers[4:7], lengths, **summed, boundaries=boundaries)


class UnitRows:
    """Collects the counts of units for several tokenizers; memory is bounded: beyond ``most``, `MOST_UNITS` if it is 0,
    neighbours are added together.
    """

    def __init__(self, tokenizers: int, most: int = 0) -> None:
        self._most = most or MOST_UNITS
        self.units = 0
        self.block = 1
        """How many neighbouring units are drawn together."""
        self._shape = (tokenizers, len(COLUMNS))
        self._rows: list[Rows] = []
        self._open = np.zeros(self._shape, np.int64)

    def add(self, rows: Sequence[Sequence[int]]) -> None:
        """Adds the counts of the next unit, for each tokenizer."""
        self.extend(np.array([rows], np.int64))

    def extend(self, rows: Rows) -> None:
        """Adds the counts of the next units, by unit, tokenizer and column."""
        at = 0
        while at < len(rows):
            filled, left = self.units % self.block, len(rows) - at
            if filled or left < self.block:
                taken = min(self.block - filled, left)
                self._open = self._open + rows[at : at + taken].sum(axis=0)
                if filled + taken == self.block:
                    self._rows.append(self._open)
                    self._open = np.zeros(self._shape, np.int64)
            else:
                blocks = min(left // self.block, self._most + 1 - len(self._rows))
                taken = blocks * self.block
                some = rows[at : at + taken].reshape(blocks, self.block, *self._shape)
                self._rows.extend(some.sum(axis=1))
            at += taken
            self.units += taken
            if len(self._rows) > self._most:
                self._halve()

    def join(self, rows: UnitRows) -> bool:
        """Adds the counts of the next units, which were collected by themselves.

        Returns False, and adds nothing, where other units of theirs would be drawn together.
        """
        if rows.block == 1:
            self.extend(rows.counts)
        elif self.units:
            return False
        else:
            self.units, self.block = rows.units, rows.block
            self._rows, self._open = list(rows._rows), rows._open
            while len(self._rows) > self._most:
                self._halve()
        return True

    def _halve(self) -> None:
        odd = self._rows.pop() if len(self._rows) % 2 else None
        self._rows = [
            one + other for one, other in zip(self._rows[::2], self._rows[1::2], strict=True)
        ]
        self.block *= 2
        if odd is not None:
            self._open = self._open + odd

    @classmethod
    def together(cls, parts: Sequence[UnitRows]) -> UnitRows:
        """Returns the rows of several tokenizers that were counted on the same units."""
        counts = np.concatenate([part.counts for part in parts], axis=1)
        return cls.of_counts(counts, parts[0].units, parts[0].block)

    @classmethod
    def of_counts(cls, counts: Rows, units: int, block: int) -> UnitRows:
        """Returns rows with these `counts`, of so many units and of so many in a block."""
        rows = cls(counts.shape[1])
        rows.units, rows.block = units, block
        rows._rows = list(counts[: units // block])
        rows._open = rows._open + counts[units // block :].sum(axis=0)
        return rows

    @property
    def counts(self) -> Rows:
        """The counts by block, tokenizer and column; the last block may be smaller."""
        rows = [*self._rows, self._open] if self.units % self.block else self._rows
        return np.stack(rows) if rows else np.zeros((0, *self._shape), np.int64)
