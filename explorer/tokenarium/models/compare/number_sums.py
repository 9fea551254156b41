"""Sums over the numbers of a text from which the figures of numbers are worked out: they add up, and can be drawn again.

A quotient of each number, such as its tokens ÷ its digits, is added up as a whole number of parts: `PARTS` are 1. Sums
are therefore exact, in any order, for all numbers of up to 16 digits; a longer one is rounded to a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

MOST_DIGITS: Final = 62
"""Digits of the longest number that is counted: its boundaries are the bits of an integer."""

PARTS: Final = 232_792_560
"""How many parts are 1: the least number that 1, 2 … and 20 divide."""

LENGTHS: Final = 10
"""Classes of numbers by their digits: 1, 2 … 9, and 10 or more, as in TokEval."""

Ints = npt.NDArray[np.int64]

_LENGTHS: Final = (*map(str, range(1, LENGTHS)), f"{LENGTHS}_or_more")

NUMBER_COLUMNS: Final = (
    *(f"numbers_of_{length}" for length in _LENGTHS),
    *(f"tokens_per_digit_of_{length}" for length in _LENGTHS),
    "place_value",
    "numbers_from_right",
    "numbers_from_left",
)
"""The names of the columns of `NumberSums.row`."""


@dataclass(frozen=True, slots=True)
class NumberSums:
    """What the figures need of some numbers.

    ``numbers`` is how many there are of each class of `LENGTHS`, ``per_digit`` the sum of their tokens ÷ digits,
    ``place_value`` the sum of the F1 of their boundaries, compared with groups of three from the right; both in `PARTS`.
    Of the numbers of four and more digits, ``right`` and ``left`` are in groups of three from that side.
    """

    numbers: tuple[int, ...] = (0,) * LENGTHS
    per_digit: tuple[int, ...] = (0,) * LENGTHS
    place_value: int = 0
    right: int = 0
    left: int = 0

    def __add__(self, other: NumberSums) -> NumberSums:
        sums = [one + more for one, more in zip(self.row(), other.row(), strict=True)]
        return NumberSums.of_row(sums)

    def row(self) -> list[int]:
        """Returns the sums as one row of `NUMBER_COLUMNS`."""
        return [*self.numbers, *self.per_digit, self.place_value, self.right, self.left]

    @staticmethod
    def of_row(row: Sequence[int]) -> NumberSums:
        """Returns the sums of a row of `NUMBER_COLUMNS`."""
        return NumberSums(tuple(row[:LENGTHS]), tuple(row[LENGTHS : 2 * LENGTHS]), *row[-3:])


def number_sums(keys: Ints, times: Ints) -> NumberSums:
    """Returns the sums of numbers, given the key of each, see `boundaries.number_key`, and how often it occurs."""
    if not len(keys):
        return NumberSums()
    rows = _table(keys)
    both = rows.boundaries + rows.ideal
    scores = np.where(both > 0, _parts(2 * rows.hits, np.maximum(both, 1)), PARTS)
    lengths = np.minimum(rows.digits, LENGTHS) - 1
    numbers, per_digit = np.zeros((2, LENGTHS), np.int64)
    np.add.at(numbers, lengths, times)
    np.add.at(per_digit, lengths, _parts(rows.boundaries + 1, rows.digits) * times)
    long = rows.digits > 3
    right = long & (rows.hits == rows.ideal) & (rows.boundaries == rows.ideal)
    left = long & (keys == _LEFT[rows.digits])
    return NumberSums(
        tuple(numbers.tolist()),
        tuple(per_digit.tolist()),
        int(scores @ times),
        int(times[right].sum()),
        int(times[left].sum()),
    )


class _Numbers(NamedTuple):
    """Numbers by their keys, a row for each: its digits, its boundaries, and how many of these are where a group of three
    from the right begins."""

    digits: Ints
    boundaries: Ints
    hits: Ints

    @property
    def ideal(self) -> Ints:
        """How many boundaries a number has that is divided into threes."""
        return (self.digits - 1) // 3


_RIGHT: Final = sum(1 << place for place in range(3, MOST_DIGITS + 1, 3))
_LEFT: Final = np.array(
    [
        1 << digits | sum(1 << place for place in range(digits - 3, 0, -3))
        for digits in range(MOST_DIGITS + 1)
    ],
    np.int64,
)
"""The places of boundaries at every third digit from the right, and the key of a number of so many digits with a boundary
exactly at every third digit from the left."""


def _table(keys: Ints) -> _Numbers:
    digits = np.searchsorted(1 << np.arange(MOST_DIGITS + 1), keys, side="right") - 1
    marks = keys - (1 << digits)
    return _Numbers(digits, _bits(marks), _bits(marks & _RIGHT))


def _bits(values: Ints) -> Ints:
    """Returns how many bits of each number are 1."""
    counts = np.zeros(len(values), np.int64)
    for place in range(MOST_DIGITS + 1):
        counts += values >> place & 1
    return counts


def _parts(some: Ints, whole: Ints) -> Ints:
    """Returns quotients in `PARTS`, rounded to the nearest."""
    parts: Ints = (some * PARTS + whole // 2) // whole
    return parts
