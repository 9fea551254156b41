"""Cuts a text into pre-tokens in slices, so that a long text does not hold up the window."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
from librt.vecs import vec
from mypy_extensions import i32, u8

from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.text_map import IntArray
from tokenarium_core import PreTokenizer, Progress
from tokenarium_core.padded_text import PADDING

_SLICE = 8192
"""Pre-tokens between two looks at the clock."""


class CutJob:
    """A text on its way through one pattern: call `step` until it is finished.

    ``data`` is what `tokenarium_core.padded_text.padded` makes of the text.
    ``ends`` and ``rules`` are the pre-tokens so far: absolute byte ends, numbers of rules.
    """

    def __init__(self, pre_tokenizer: PreTokenizer, data: bytes) -> None:
        self._pre_tokenizer = pre_tokenizer.for_text()
        self._data = data
        self._size = len(self._data) - PADDING
        self._done = 0
        self._ends = [np.empty(0, dtype=np.int32)]
        self._rules = [np.empty(0, dtype=np.uint8)]

    def step(self, budget_ms: float) -> Progress:
        """Cuts for about ``budget_ms`` milliseconds and reports the bytes done.

        Raises PatternError where the pattern leaves a character out or takes too long.
        """
        deadline = time.perf_counter() + budget_ms / 1000
        while self._done < self._size:
            # Fresh arrays for every slice: numpy looks at them without a copy.
            ends = vec[i32]([0] * _SLICE)
            rules = vec[u8]([0] * _SLICE)
            count = self._pre_tokenizer.cut(self._data, self._done, self._size, ends, rules)
            self._ends.append(array_of(ends)[:count])
            self._rules.append(array_of(rules)[:count])
            self._done = int(self._ends[-1][-1])
            if time.perf_counter() >= deadline:
                break
        return Progress("cutting", self._done, self._size, self._done >= self._size)

    @property
    def ends(self) -> IntArray:
        """The byte at which each pre-token so far ends."""
        return np.concatenate(self._ends)

    @property
    def rules(self) -> npt.NDArray[np.uint8]:
        """The number of the rule that made each pre-token so far."""
        return np.concatenate(self._rules)
