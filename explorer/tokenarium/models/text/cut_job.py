"""Cuts a text into pre-tokens, or takes the cuts of an encoding, in slices, so that a long text does not block the
window."""

from __future__ import annotations

import time
from typing import Literal

import numpy as np
import numpy.typing as npt
from librt.vecs import vec
from mypy_extensions import i32, u8

from tokenarium.models.packed_arrays import array_of
from tokenarium.models.task import finish
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium_core import Encoding, Tokenizer
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers import REMOVED, REMOVED_RULE
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.progress import Progress

Special = Literal["none", "all"]

_SLICE = 8192
"""Pre-tokens between two looks at the clock."""

_PLACED = 1 << 16
"""The same for known pre-tokens, which are only placed."""


def cut_parts(by: PreTokenizer | Tokenizer, text: str, special: Special = "none") -> TextParts:
    """Returns the parts into which a pattern cuts a text, or all that a tokenizer does before its model."""
    data = padded(text)
    work: CutJob | RunCut
    if isinstance(by, Tokenizer):
        work = RunCut(by.encode(text, special), len(data) - PADDING)
    else:
        work = CutJob(by, data)
    finish(work)
    return work.parts


def part_rows(parts: TextParts, text_map: TextMap) -> list[dict[str, int | str]]:
    """Returns a row for each part that is cut by a rule: where it begins and ends in bytes, its rule, and its text."""
    rules = parts.rules
    if rules is None:
        return []
    return [
        {
            "start": start,
            "end": end,
            "rule": parts.rule_names[rules[index]],
            "text": text_map.slice(start, end),
        }
        for index, (start, end) in enumerate(map(parts.span, range(len(parts))))
    ]


class CutJob:
    """Cuts a text by one pattern: call `step` until it is finished.

    ``data`` is what `tokenarium_core.padded_text.padded` makes of the text. ``ends`` and ``rules`` are the pre-tokens
    so far: absolute byte ends, numbers of rules, whose names are ``names``. The last name is for what is removed
    between words.
    """

    def __init__(self, pre_tokenizer: PreTokenizer, data: bytes) -> None:
        self._pre_tokenizer = pre_tokenizer.for_text()
        self.names = [*pre_tokenizer.rules, REMOVED_RULE]
        self._data = data
        self._size = len(self._data) - PADDING
        self._done = 0
        self._ends = [np.empty(0, dtype=np.int32)]
        self._rules = [np.empty(0, dtype=np.uint8)]

    def step(self, budget_ms: float) -> Progress:
        """Cuts for about ``budget_ms`` milliseconds and reports the bytes done.

        Raises PatternError if the pattern leaves a character out or takes too long.
        """
        deadline = time.perf_counter() + budget_ms / 1000
        while self._done < self._size:
            # New arrays for every slice: numpy reads them without a copy.
            ends = vec[i32]([0] * _SLICE)
            rules = vec[u8]([0] * _SLICE)
            count = self._pre_tokenizer.cut(self._data, self._done, self._size, ends, rules)
            self._ends.append(array_of(ends)[:count])
            new_rules = array_of(rules)[:count]
            self._rules.append(
                np.where(new_rules == REMOVED, np.uint8(len(self.names) - 1), new_rules)
            )
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

    @property
    def parts(self) -> TextParts:
        """The pre-tokens so far."""
        return TextParts.of_pre_tokens(self.ends, self.rules, self.names)


class RunCut:
    """Places the pre-tokens of an encoding in the original text: call `step` until it is finished.

    Text outside pre-tokens was removed: each such region is a part of the rule "removed". ``byte_count`` is that of
    the text, once the encoding has all of it, else 0. Added tokens are special parts.
    """

    def __init__(self, encoding: Encoding, byte_count: int = 0) -> None:
        self._cuts = encoding.pre_tokens
        self._spans = array_of(encoding.pre_token_spans).reshape(-1, 2)
        self._rules = array_of(self._cuts.rules)
        self._byte_count = byte_count
        self._done = 0
        self._covered = 0  # the byte up to which everything is a part
        self._parts = [(np.empty((0, 2), dtype=np.int32), np.empty(0, dtype=np.uint8))]

    def step(self, budget_ms: float) -> Progress:
        """Places pre-tokens for about ``budget_ms`` milliseconds, and reports how many are done."""
        deadline = time.perf_counter() + budget_ms / 1000
        while self._done < len(self._rules) or self._covered < self._byte_count:
            self._place(min(self._done + _PLACED, len(self._rules)))
            if time.perf_counter() >= deadline:
                break
        done, count = self._done, len(self._rules)
        finished = done == count and self._covered >= self._byte_count
        return Progress("cutting", done, count, finished)

    def _place(self, last: int) -> None:
        """Adds the pre-tokens up to number ``last``, each after what was removed before it."""
        removed = self._cuts.removed
        present = np.flatnonzero(self._rules[self._done : last] != removed) + self._done
        spans, rules = self._spans[present], self._rules[present]
        ends = np.maximum.accumulate(spans[:, 1])
        before = np.concatenate((np.array([self._covered], dtype=np.int32), ends))
        end = self._byte_count if last == len(self._rules) else 0
        after = np.append(spans[:, 0], np.int32(max(end, int(before[-1]))))
        gaps = np.flatnonzero(before < after)
        filled = np.insert(spans, gaps, np.stack((before[gaps], after[gaps]), axis=1), axis=0)
        self._parts.append((filled, np.insert(rules, gaps, np.uint8(removed))))
        self._done, self._covered = last, int(after[-1])

    @property
    def parts(self) -> TextParts:
        """The parts so far."""
        spans = np.concatenate([some for some, _ in self._parts])
        rules = np.concatenate([some for _, some in self._parts])
        added = (rules >= len(self._cuts.names) - 3) & (rules != self._cuts.removed)
        return TextParts(
            spans[:, 0],
            spans[:, 1],
            None,
            rules=rules,
            rule_names=self._cuts.names,
            special=added if added.any() else None,
        )
