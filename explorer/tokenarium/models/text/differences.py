"""Where several ways to cut one text differ, and the kind of each difference."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tokenarium.models.text.piece import counted
from tokenarium.models.text.text_map import IntArray, TextMap, row_of
from tokenarium_core.progress import Progress

STRETCH = 1 << 20
"""Bytes of the text that are compared at once: some milliseconds."""


def difference_sentence(places: int, cuts: int, what: str = "") -> str:
    """Returns a sentence on the number of places, and of cuts in them, at which ways to cut a text differ.

    ``what`` describes the places. A place may have several such cuts, each marked in the text.

    >>> difference_sentence(1, 4), difference_sentence(2, 2, " of the kind digits")
    ('They differ in 1 place, at 4 cuts', 'They differ in 2 places of the kind digits, at 2 cuts')
    """
    return f"They differ in {counted(places, 'place')}{what}, at {counted(cuts, 'cut')}"


class CutComparison:
    """Finds where several ways to cut a text differ: call `step` until it is finished.

    ``cuts`` are the sorted end offsets of the parts, one array for each way to cut; all end where the text ends.

    >>> comparison = CutComparison([np.array([2, 5, 9]), np.array([2, 3, 5, 9])])
    >>> comparison.step(float("inf")).finished
    True
    >>> comparison.disputed.tolist(), comparison.regions.tolist()
    ([3], [[2, 5]])
    """

    def __init__(self, cuts: Sequence[IntArray]) -> None:
        self._cuts = cuts if len(cuts) > 1 else []
        self._size = max((int(ends[-1]) + 1 for ends in self._cuts if len(ends)), default=0)
        self._done = 0
        self._shared = 0  # the last common cut so far
        self._differs = False  # whether there are other cuts after it
        self._disputed = [np.empty(0, dtype=np.int32)]
        self._places = [np.empty((0, 2), dtype=np.int32)]

    @property
    def finished(self) -> bool:
        """Whether all of the text is compared."""
        return self._done >= self._size

    @property
    def disputed(self) -> IntArray:
        """The sorted offsets of the cuts that only some make."""
        return np.concatenate(self._disputed)

    @property
    def regions(self) -> IntArray:
        """The regions (n × 2 byte offsets) in which not all cuts are the same.

        A region goes from one common cut to the next.
        """
        return np.concatenate(self._places)

    def step(self, budget_ms: float) -> Progress:
        """Compares for about ``budget_ms`` milliseconds and reports the bytes done."""
        end = time.perf_counter() + budget_ms / 1000
        while not self.finished:
            self._compare(self._done, min(self._done + STRETCH, self._size))
            if time.perf_counter() >= end:
                break
        return Progress("comparing", self._done, self._size, self.finished)

    def _compare(self, first: int, last: int) -> None:
        votes = np.zeros(last - first, dtype=np.uint16)
        for ends in self._cuts:
            low, high = np.searchsorted(ends, np.array([first, last], dtype=ends.dtype))
            votes[ends[low:high] - first] += 1
        offsets = np.flatnonzero(votes).astype(np.int32)
        agreed = votes[offsets] == len(self._cuts)
        shared = offsets[agreed] + np.int32(first)
        disputed = offsets[~agreed] + np.int32(first)
        self._disputed.append(disputed)
        self._done = last
        if not len(shared):
            self._differs |= len(disputed) > 0
            return
        before = np.searchsorted(disputed, shared)  # how many are before each
        differs = np.diff(before, prepend=0) > 0
        differs[0] |= self._differs
        starts = np.concatenate(([np.int32(self._shared)], shared[:-1]))
        self._places.append(np.stack((starts[differs], shared[differs]), axis=1).astype(np.int32))
        self._shared = int(shared[-1])
        self._differs = len(disputed) > int(before[-1])


KINDS = ("superword", "digits", "whitespace", "punctuation", "script", "other")
"""The kinds, the most important first: a place of several kinds counts for the first."""

MEANING = {
    "superword": "a tokenizer has one token over several words, which another splits",
    "digits": "a cut next to a digit that not all tokenizers make",
    "whitespace": "a cut next to a space or a line end that not all tokenizers make",
    "punctuation": "a cut next to a punctuation mark or symbol that not all tokenizers make",
    "script": "a cut in a word that is not in Latin letters, or inside such a letter",
    "other": "a cut inside a word in Latin letters",
}

_SPACE, _DIGIT, _SIGN, _SCRIPT, _LATIN = range(5)  # what a character is


def token_cuts(spans: IntArray, size: int) -> IntArray:
    """Returns the offsets, sorted, at which tokens (spans, n × 2) begin or end; the last is the text's end.

    A tokenizer that leaves spaces out cuts on both sides of them.
    """
    offsets = np.unique(np.concatenate((spans.ravel(), [size])))
    return offsets[offsets > 0].astype(np.int32)


def difference_kinds(
    text: TextMap, places: IntArray, disputed: IntArray, cuts: Sequence[IntArray]
) -> npt.NDArray[np.int8]:
    """Returns the kind of each difference, a number in `KINDS`.

    ``places`` (n × 2) and ``disputed`` are those of a `CutComparison` of ``cuts``, the cuts of each tokenizer
    (see `token_cuts`).
    """
    kinds = np.full(len(places), len(KINDS) - 1, np.int8)
    if not len(places):
        return kinds
    what = _classes(text)
    before, after = what[disputed - 1], what[np.minimum(disputed, len(what) - 1)]
    which = np.searchsorted(places[:, 0], disputed, side="right") - 1
    for kind, classes in (
        ("script", _SCRIPT),
        ("punctuation", _SIGN),
        ("whitespace", _SPACE),
        ("digits", _DIGIT),
    ):
        touched = (before == classes) | (after == classes)
        if kind == "digits":  # whether a space belongs to a number is a difference of spaces
            touched &= (before != _SPACE) & (after != _SPACE)
        kinds[which[touched]] = KINDS.index(kind)
    for at in _crossed(what, cuts):
        index = row_of(places[:, 0], at, "right") - 1
        if index >= 0 and at < places[index, 1]:
            kinds[index] = KINDS.index("superword")
    return kinds


def _crossed(what: npt.NDArray[np.uint8], cuts: Sequence[IntArray]) -> list[int]:
    """Returns the beginnings of words that some tokenizers, but not all, join to the word before."""
    space = what == _SPACE
    begins = np.flatnonzero(~space[1:] & space[:-1]) + 1
    runs = np.flatnonzero(space[1:] & ~space[:-1]) + 1  # spaces before words, except at the start
    begins = begins[begins > runs[0]] if len(runs) else begins[:0]
    if not len(begins):
        return []
    runs = runs[np.searchsorted(runs, begins, side="right") - 1]
    joined = [
        np.searchsorted(ends, begins, side="right") == np.searchsorted(ends, runs, side="left")
        for ends in cuts
    ]
    some = np.any(joined, axis=0) & ~np.all(joined, axis=0)
    joined_words: list[int] = begins[some].tolist()
    return joined_words


def _classes(text: TextMap) -> npt.NDArray[np.uint8]:
    """Returns the class of the character that each byte belongs to."""
    codes = np.frombuffer(text.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    distinct, inverse = np.unique(codes, return_inverse=True)
    classes = np.array([_class_of(chr(code)) for code in distinct.tolist()], np.uint8)[inverse]
    return np.asarray(classes[text.byte_to_char(np.arange(text.byte_count))], np.uint8)


def _class_of(character: str) -> int:
    category = unicodedata.category(character)
    if character.isspace():
        return _SPACE
    if category[0] == "N":
        return _DIGIT
    if category[0] not in "LM":
        return _SIGN
    latin = character.isascii() or unicodedata.name(character, "").startswith("LATIN")
    return _LATIN if latin else _SCRIPT


def difference_lines(
    text: TextMap,
    places: IntArray,
    kinds: npt.NDArray[np.int8],
    cuts: Mapping[str, IntArray | None],
) -> list[list[str]]:
    """Returns the differences as a table with its head: bytes, kind, text, and how each tokenizer, by name, cuts it."""
    lines = [["start", "end", "kind", "text", *cuts]]
    for (start, end), kind in zip(places.tolist(), kinds.tolist(), strict=True):
        cells = [str(start), str(end), KINDS[kind], text.slice(start, end)]
        for ends in cuts.values():
            inside = [] if ends is None else ends[(ends > start) & (ends < end)].tolist()
            parts = pairwise([start, *inside, end])
            cells.append("|".join(text.slice(first, last) for first, last in parts))
        lines.append(cells)
    return lines
