"""What the boundaries of tokens do to the numbers, operators and characters of a text, as counts that add up."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from tokenarium.models.compare.number_sums import MOST_DIGITS, NumberSums, number_sums

Places = npt.NDArray[np.int64]
Spans = npt.NDArray[np.int32]

OPERATORS: Final = re.compile(rb"\*\*|//|<<|>>|<=|>=|=>|==|!=|&&|\|\||\?:|[+\-*/=<>&|^~%]")
"""The operators, as TokEval has them (class ``DigitBoundaryMetrics`` of its metrics/math.py)."""


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryPlaces:
    """Where a text has numbers, operators and characters, in bytes of its UTF-8: the same for every tokenizer.

    ``digits`` are the first bytes of the digits of all numbers of at most `MOST_DIGITS`, ``numbers`` the indexes of
    each number's first digit, ``after`` how many digits come from each on in its number; ``operators`` begin and end
    where its rows say. ``inside`` tells of each byte and of the end whether it is inside a character,
    ``characters`` the number of its character, and ``printed`` how many bytes before it are not white space.
    """

    digits: Places
    numbers: Places
    after: Places
    operators: Places
    inside: npt.NDArray[np.bool_]
    characters: Spans
    printed: Spans


@dataclass(slots=True)
class BoundaryCounts:
    """Counts over texts for one tokenizer; two of the same tokenizer add up.

    ``numbers`` counts numbers by their boundaries, see `number_key`; ``sums`` are the sums over them. Of the ``operators``,
    ``apart`` have tokens that stand for nothing else but white space; of the ``long_operators``, which have two characters,
    ``whole`` are in one token. Of the ``multibyte`` characters ``split`` have bytes in several tokens; ``crossing`` tokens
    have part of one character and at least part of another one.
    """

    numbers: Counter[int] = field(default_factory=Counter)
    operators: int = 0
    apart: int = 0
    long_operators: int = 0
    whole: int = 0
    multibyte: int = 0
    split: int = 0
    crossing: int = 0
    sums: NumberSums = field(default_factory=NumberSums)

    def __add__(self, other: BoundaryCounts) -> BoundaryCounts:
        return BoundaryCounts(*(getattr(self, one) + getattr(other, one) for one in self.__slots__))


def number_key(digits: int, boundaries: tuple[int, ...]) -> int:
    """Returns the key of a number of so many digits, with token boundaries so many digits from its right.

    >>> bin(number_key(7, (3, 6)))
    '0b11001000'
    """
    return 1 << digits | sum(1 << boundary for boundary in boundaries)


def boundary_places(text: str, utf8: bytes) -> BoundaryPlaces:
    """Returns where a text, also given in UTF-8, has numbers, operators and characters."""
    data = np.frombuffer(utf8, np.uint8)
    inside = data & 0xC0 == 0x80
    if len(data) == len(text):
        is_digit, starts = (data >= 0x30) & (data <= 0x39), None
        is_space = np.isin(data, list(b" \t\n\v\f\r\x1c\x1d\x1e\x1f"))
    else:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        starts = np.flatnonzero(~inside)
        is_digit = _decimal_digits()[codes]
        is_space = np.repeat(_white_space()[codes], np.diff(np.append(starts, len(data))))
    digits = np.flatnonzero(is_digit)
    numbers = np.flatnonzero(np.diff(digits, prepend=-2) != 1)
    sizes = np.diff(np.append(numbers, len(digits)))
    kept = np.repeat(sizes <= MOST_DIGITS, sizes)
    digits, sizes = digits[kept], sizes[sizes <= MOST_DIGITS]
    numbers = np.cumsum(sizes) - sizes
    after = np.repeat(numbers + sizes, sizes) - np.arange(len(digits))
    operators = np.array([match.span() for match in OPERATORS.finditer(utf8)], np.int64)
    return BoundaryPlaces(
        digits if starts is None else starts[digits],
        numbers,
        after,
        operators.reshape(-1, 2),
        np.append(inside, False),
        np.cumsum(~inside, dtype=np.int32),
        np.concatenate((np.zeros(1, np.int32), np.cumsum(~is_space, dtype=np.int32))),
    )


def boundary_counts(places: BoundaryPlaces, spans: Spans) -> BoundaryCounts:
    """Returns the counts of a text, given the spans of its tokens (n × 2)."""
    counts = BoundaryCounts()
    inside = places.inside
    first, after = spans[spans[:, 0] < spans[:, 1]].T
    begins = np.zeros(len(inside), np.bool_)
    begins[first] = True
    # Numbers: a bit for each digit at which a token begins, but for the first one.
    if len(places.numbers):
        bits = np.where(begins[places.digits], 1, 0) << places.after
        bits[places.numbers] = 1 << places.after[places.numbers]
        keys, times = np.unique(np.bitwise_or.reduceat(bits, places.numbers), return_counts=True)
        counts.numbers = Counter(dict(zip(keys.tolist(), times.tolist(), strict=True)))
        counts.sums = number_sums(keys, times)
    # Operators: what lies between them and the nearest boundaries.
    starts, ends = places.operators.T
    ends_too = begins.copy()
    ends_too[after] = True
    ends_too[[0, -1]] = True
    cuts = np.flatnonzero(ends_too)
    before = cuts[np.searchsorted(cuts, starts, side="right") - 1]
    behind = cuts[np.searchsorted(cuts, ends)]
    printed = places.printed
    alone = (printed[starts] == printed[before]) & (printed[ends] == printed[behind])
    counts.operators, counts.apart = len(starts), int(alone.sum())
    long = ends - starts > 1
    counts.long_operators = int(long.sum())
    counts.whole = int((~begins[starts[long] + 1]).sum())
    # Characters.
    counts.multibyte = int((inside[1:] & ~inside[:-1]).sum())
    characters = places.characters
    split = characters[np.flatnonzero(begins[:-1] & inside[:-1])]  # in ascending order
    counts.split = int((np.diff(split, prepend=-1) > 0).sum())
    cut = inside[first] | inside[after]
    counts.crossing = int((characters[first[cut]] != characters[after[cut] - 1]).sum())
    return counts


@lru_cache(maxsize=1)
def _decimal_digits() -> npt.NDArray[np.bool_]:
    """Returns for each code point whether it is a decimal digit (Nd)."""
    return np.array([chr(code).isdecimal() for code in range(0x110000)])


@lru_cache(maxsize=1)
def _white_space() -> npt.NDArray[np.bool_]:
    """Returns for each code point whether it is white space."""
    return np.array([chr(code).isspace() for code in range(0x110000)])
