"""Vocabulary sizes on a linear or logarithmic axis, and the curves over them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.style.theme import Identity

_MARKS = (1, 2, 5)

TRANSITION = "second stage"
"""The mark of the size at which SuperBPE begins to merge across words."""


@dataclass(frozen=True, slots=True)
class SizeScale:
    """Sizes from ``least`` to ``most``; ``log``: on a logarithmic axis."""

    least: int = 1
    most: int = 1
    log: bool = True

    def share(self, size: float) -> float:
        """Returns the place of a size, from 0 to 1."""
        if self.most <= self.least:
            return 0.0
        if self.log:
            return math.log(max(size, 1) / self.least) / math.log(self.most / self.least)
        return (size - self.least) / (self.most - self.least)

    def size(self, share: float) -> int:
        """Returns the size at a place from 0 to 1."""
        share = max(0.0, min(share, 1.0))
        if self.log and self.most > self.least:
            return round(self.least * math.pow(self.most / self.least, share))
        return round(self.least + (self.most - self.least) * share)

    def sizes(self, count: int) -> npt.NDArray[np.int64]:
        """Returns up to ``count`` evenly spaced sizes, each once, including both ends."""
        shares = np.linspace(0.0, 1.0, count)
        return np.unique([self.size(share) for share in shares])

    def marks(self, most: int = 9) -> list[int]:
        """Returns up to ``most`` round sizes to write on an axis."""
        if not self.log:
            width = max(1, round(round_step(self.most - self.least, most)))
            first = -(-self.least // width) * width
            return list(range(first, self.most + 1, width))
        marks = [
            factor * 10**power
            for power in range(len(str(self.most)))
            for factor in _MARKS
            if self.least <= factor * 10**power <= self.most
        ]
        return marks if len(marks) <= most else [mark for mark in marks if str(mark)[0] == "1"]


def round_step(width: float, most: int) -> float:
    """Returns the smallest step (…, 0.5, 1, 2, 5, 10, …) that fits at most ``most`` times into a width."""
    step = 10.0 ** (math.floor(math.log10(max(width, 1e-9) / most)) - 1)
    while True:
        for factor in _MARKS:
            if width / (factor * step) <= most:
                return factor * step
        step *= 10


@dataclass(frozen=True, slots=True)
class SizeCurve:
    """One vocabulary: its name, its identity, and its values at some rising sizes.

    ``label``: what is written at its end, its name and its size by default. ``dotted``: each point is a vocabulary of
    its own, and has a dot. ``mark`` is a size at which something begins, such as the second stage of SuperBPE, with its
    name; 0: there is none.
    """

    name: str
    identity: Identity
    sizes: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    label: str = ""
    dotted: bool = False
    mark: tuple[int, str] = (0, "")
