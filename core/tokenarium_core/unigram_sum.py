"""The sum of the scores of a path, rounded at each step as the reference rounds it.

Source: sentencepiece 0.2.3, ``src/unigram_model.cc``, which adds up in 32-bit floats.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

LEVELS: Final = 278
RESET: Final = 100000.0
"""The magnitude of a 32-bit sum beyond which it begins again at 0."""

NEAR: Final = 1000.0
"""The magnitude of the sums in a stretch up to which it is known beforehand that they do not begin again."""

ZERO_LEVEL: Final = 149
"""The level of sums from 0.5 to 1."""

_USUAL_LEVEL: Final = ZERO_LEVEL + 4


@final
class Rounding:
    """How sums are rounded: to 24 bits (``single``), or not beyond what a double does.

    A sum is of the *level* k where its magnitude is below ``highs[k]`` = 2^(k - 149), and of no lower one. Adding
    ``magics[k]`` to it and taking it away again leaves the multiple of 2^(k - 173) that is next, the even one of
    two (round half to even, as the processor does for 32-bit floats).
    """

    def __init__(self, single: bool) -> None:
        self.single = single
        self.highs = vec[float]([0.0] * (LEVELS + 1))
        self.magics = vec[float]([0.0] * (LEVELS + 1))
        high = 2.0**-ZERO_LEVEL
        for level in range(LEVELS):
            self.highs[level] = high
            unit = 2.0**-ZERO_LEVEL if level < 24 else high * 2.0**-24
            self.magics[level] = unit * 1.5 * 2.0**52 if single else 0.0
            high *= 2.0
        self.highs[LEVELS] = float("inf")
        self.digits = 2.0**24 if single else 2.0**53

    def level(self, value: float, guess: i64) -> i64:
        """Returns the level of a value; the search begins at ``guess``. Zero has any level."""
        highs = self.highs
        size = -value if value < 0.0 else value
        if size == 0.0:
            return guess
        level = guess
        while level < LEVELS and size >= highs[level]:
            level += 1
        while level > 0 and size < highs[level - 1]:
            level -= 1
        return level

    def round(self, value: float, level: i64) -> float:
        """Returns a value of the given level rounded."""
        if level == LEVELS and self.single:
            return float("inf") if value > 0.0 else float("-inf")
        magic = self.magics[level]
        return (value + magic) - magic


@final
class RunningSum:
    """The sum from the beginning of a word on, and what adding to it needs; a loop keeps all but ``level`` in locals.

    As long as ``low <= magnitude < high``, the next sum is ``(total + score + magic) - magic``; else `turn` gives
    it. A path out of a cache may be taken where its steady level (see `UnigramSearch`) is ``reach`` at least: 1 for
    the sum 0, and none where sums may begin again.
    """

    def __init__(self, rounding: Rounding) -> None:
        self.rounding = rounding
        self.total = 0.0
        self.level: i64 = _USUAL_LEVEL
        self.magic = 0.0
        self.high = 0.0
        self.low = 0.0
        self.reach: i64 = 1
        self._near = RESET - NEAR if rounding.single else rounding.highs[LEVELS]

    def take(self, total: float) -> None:
        """Goes on from a sum, which is rounded."""
        self.total = total
        if total == 0.0:
            self.level = _USUAL_LEVEL
            self.magic = self.rounding.magics[_USUAL_LEVEL]
            self.high = 0.0  # so that whatever is added leads to `turn`
            self.low = 0.0
            self.reach = 1
            return
        self.level = self.rounding.level(total, self.level)
        self._bound(-total if total < 0.0 else total)

    def turn(self, total: float) -> float:
        """Returns a sum rounded that is not of the level of the one before."""
        if total == 0.0:
            self.take(total)
            return total
        rounding = self.rounding
        self.level = rounding.level(total, self.level)
        self._bound(-total if total < 0.0 else total)
        return rounding.round(total, self.level)

    def _bound(self, size: float) -> None:
        rounding = self.rounding
        level = self.level
        self.magic = rounding.magics[level]
        self.high = rounding.highs[level]
        self.low = rounding.highs[level - 1] if level > 0 else 0.0
        self.reach = level + 1
        if size >= self._near:
            self.reach = LEVELS + 1
            self.high = RESET if rounding.single else rounding.highs[LEVELS]
        elif self.high > self._near:
            self.high = self._near
