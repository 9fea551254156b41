"""A text as a training cuts it at each vocabulary size that it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import tokenarium_core as tc
from tokenarium.models.merges.size_cuts import SizeCuts, size_cuts
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import lost_bytes
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray
from tokenarium_core.encoding import EncodeJob
from tokenarium_core.formats import cutting
from tokenarium_core.progress import Progress

LONGEST: Final = 20_000
"""The most characters of a text that are cut: some milliseconds for a tokenizer."""

ALIKE: Final = 0.02
"""The share by which sizes may differ that count as the same: some trainings end a few entries before the size."""


Stages = tuple[tuple[tc.Tokenizer, int], ...]
"""Tokenizers with the largest size that each is for, in rising order."""


@dataclass(frozen=True, slots=True)
class RunCuts:
    """One text and its tokens; where merges nest, at every size from ``least`` to ``size``, else at ``size`` alone.

    ``stages`` has the nested cuts with the largest size that each is for: SuperBPE has two, as its second stage cuts
    otherwise. ``ids`` and ``spans`` (n × 2) are the tokens at ``size`` where there are none.
    """

    text: str
    size: int
    stages: tuple[tuple[SizeCuts, int], ...] = ()
    ids: IntArray | None = None
    spans: IntArray | None = None

    @property
    def least(self) -> int:
        """The smallest size with tokens."""
        return self.stages[0][0].base if self.stages else self.size

    def nearest(self, size: int) -> int:
        """Returns the size with tokens that is nearest to a given one."""
        return max(self.least, min(size, self.size))

    def is_near(self, size: int) -> bool:
        """Returns whether there are tokens at a size, or at one that differs so little that nobody asks for another."""
        return abs(self.nearest(size) - size) <= ALIKE * size

    @property
    def range(self) -> str:
        """The sizes with tokens in words.

        >>> RunCuts("", 8000).range
        'only 8,000'
        """
        return f"{self.least:,} to {self.size:,}" if self.stages else f"only {self.size:,}"

    def tokens(self, size: int) -> TextParts:
        """Returns the tokens at the size that is `nearest` to a given one."""
        size = self.nearest(size)
        for cuts, most in self.stages:
            if size <= most:
                return cuts.parts(cuts.number(size), 0, len(self.text.encode()))
        if self.ids is None or self.spans is None:
            return TextParts.empty()
        return TextParts.of_tokens(self.ids, self.spans)

    def count(self, size: int) -> int:
        """Returns how many tokens there are at a size."""
        size = self.nearest(size)
        for cuts, most in self.stages:
            if size <= most:
                return cuts.count(cuts.number(size))
        return 0 if self.ids is None else len(self.ids)


def run_cuts(tokenizer: tc.Tokenizer, text: str, stages: Stages = ()) -> RunCuts:
    """Returns the tokens of a text, of which the beginning is cut, at all sizes of a tokenizer; see `stages_of`."""
    text = text[:LONGEST]
    size = len(tokenizer.vocabulary)
    try:
        nested = tuple((size_cuts(one, text), most) for one, most in (*stages, (tokenizer, size)))
    except tc.UnsupportedError:
        encoding = tokenizer.encode(text)
        spans = array_of(encoding.spans).reshape(-1, 2)
        return RunCuts(text, size, (), np.array(array_of(encoding.ids)), np.array(spans))
    return RunCuts(text, size, nested)


def stages_of(tokenizer: tc.Tokenizer, options: Mapping[str, Any], transition: int) -> Stages:
    """Returns the tokenizer of the first stage of SuperBPE, which cuts a text by ``pattern``; none of other algorithms.

    The second stage makes the same merges first, and then others, but over longer stretches of text. So the tokenizer
    that the training had before the ``transition`` is its first merges with the first pattern.
    """
    if not transition:
        return ()
    pattern = cutting(str(options.get("pattern") or "cl100k"))
    return (
        (
            tc.Tokenizer(
                tokenizer.name,
                tokenizer.model,
                pattern,
                tokenizer.added_tokens,
                tokenizer.normalizer,
                decoder=tokenizer.decoder,
            ),
            transition,
        ),
    )


def nested_counts(
    tokenizer: tc.Tokenizer, texts: list[str], sizes: list[int], stages: Stages = ()
) -> list[list[int]]:
    """Returns how many tokens texts need at each of some rising sizes, as pairs of both.

    Empty if the model has no merges that nest.
    """
    total = np.zeros(len(sizes), dtype=np.int64)
    wanted = np.array(sizes, dtype=np.int64)
    ends = [most for _, most in stages]
    try:
        first = 0
        for place, one in enumerate([*(stage for stage, _ in stages), tokenizer]):
            last = int(np.searchsorted(wanted, ends[place], "right")) if place < len(ends) else None
            for text in texts if len(wanted[first:last]) else ():
                cuts = size_cuts(one, text)
                total[first:last] += cuts.counts([cuts.number(size) for size in sizes[first:last]])
            first = len(sizes) if last is None else last
    except tc.UnsupportedError:
        return []
    return [[size, int(count)] for size, count in zip(sizes, total, strict=True)]


class CountingJob:
    """Counts the tokens of some texts in steps: ``tokens`` and ``bytes`` so far, and ``lost`` bytes of them."""

    def __init__(self, tokenizer: tc.Tokenizer, texts: Sequence[str]) -> None:
        self._tokenizer = tokenizer
        self._texts = list(texts)
        self._total = len(self._texts)
        self._job: EncodeJob | None = None
        self.tokens = 0
        self.bytes = 0
        self.lost = 0
        self._utf8 = b""

    def step(self, budget_ms: float) -> Progress:
        """Works for some milliseconds on one text."""
        if self._job is None and self._texts:
            text = self._texts.pop()
            self._utf8 = text.encode("utf-8", "surrogatepass")
            self.bytes += len(self._utf8)
            self._job = self._tokenizer.encode_job(text)
        if self._job is not None and self._job.step(budget_ms).finished:
            encoding = self._job.encoding
            self.tokens += len(encoding.ids)
            self.lost += lost_bytes(self._tokenizer, self._utf8, encoding)
            self._job = None
        done = self._total - len(self._texts)
        return Progress("counting", done, self._total, self._job is None and not self._texts)
