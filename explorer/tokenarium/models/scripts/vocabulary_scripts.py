"""How a vocabulary was spent, by script: the class of every entry, and what can be counted by it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.scripts.script_use import BYTES as BYTES_NAME
from tokenarium.models.scripts.script_use import COMMON as COMMON_NAME
from tokenarium.models.scripts.script_use import MIXED as MIXED_NAME
from tokenarium_core.explaining.piece_facts import (
    BYTES,
    COMMON,
    MIXED,
    SPECIAL,
    SPLITS,
    piece_facts,
)
from tokenarium_core.unicode.codepoints import SCRIPT_TABLE, SCRIPTS, script_name

Ints = npt.NDArray[np.int64]

SPECIAL_NAME = "special"
CLASS_NAMES = (*map(script_name, SCRIPTS), MIXED_NAME, COMMON_NAME, BYTES_NAME, SPECIAL_NAME)
"""The class of an entry by its number: a script, or one of the classes of entries that belong to no one script."""

CLASS_COUNT = len(CLASS_NAMES)

RULE = (
    "An entry counts for the script that its characters have. Those that scripts share, as blanks, digits,"
    " signs and emoji, count only where nothing else is there: then the entry is common."
    " Mixed: letters of several scripts. Bytes: no whole characters, also the bytes of a byte fallback."
    " Special: control, unknown and unused entries."
)
"""How entries are counted (Script of Unicode's UAX #24), for people who read a chart."""

ABOUT_CLASSES = {
    MIXED: "letters of several scripts in one entry",
    COMMON: "blanks, digits, punctuation, emoji: nothing of one script",
    BYTES: "no whole characters, also the bytes of a byte fallback",
    SPECIAL: "control, unknown and unused entries",
}


class VocabularyScripts:
    """The class of each entry of a vocabulary (``classes``, by id) and its length in whole characters."""

    def __init__(self, vocabulary: tc.Vocabulary) -> None:
        self._vocabulary = vocabulary
        facts = piece_facts(vocabulary)
        self.classes: npt.NDArray[np.uint8] = array_of(facts.scripts)
        self.characters: npt.NDArray[np.int32] = array_of(facts.characters)
        flags: npt.NDArray[np.uint8] = array_of(facts.flags)
        self._whole = (flags & SPLITS) == 0
        self.counts: Ints = np.bincount(self.classes, minlength=CLASS_COUNT)

    @property
    def total(self) -> int:
        """How many entries there are."""
        return len(self.classes)

    def used_by(self, ids: npt.NDArray[np.int32]) -> Ints:
        """Returns how many of some tokens are of each class; ids that are no entries do not count."""
        inside = ids[(ids >= 0) & (ids < self.total)]
        return np.bincount(self.classes[inside], minlength=CLASS_COUNT)

    def bytes_used_by(self, ids: npt.NDArray[np.int32], spans: npt.NDArray[np.int32]) -> Ints:
        """Returns how many bytes of a text the tokens of each class stand for; ``spans`` (n × 2) are theirs."""
        inside = (ids >= 0) & (ids < self.total)
        sizes = (spans[:, 1] - spans[:, 0])[inside]
        return np.bincount(self.classes[ids[inside]], sizes, CLASS_COUNT).astype(np.int64)

    @cached_property
    def byte_counts(self) -> Ints:
        """By class how many bytes its entries have."""
        sizes = np.diff(array_of(self._vocabulary.offsets))
        return np.bincount(self.classes, sizes, CLASS_COUNT).astype(np.int64)

    @cached_property
    def lengths(self) -> npt.NDArray[np.float64]:
        """By class the lower quartile, the median and the upper quartile of the characters of its entries.

        Rows of not-a-numbers where a class has no entries, or entries that are no characters.
        """
        quartiles = np.full((CLASS_COUNT, 3), np.nan)
        order = np.argsort(self.classes, kind="stable")
        parts = np.split(self.characters[order], np.cumsum(self.counts)[:-1])
        for number, part in enumerate(parts):
            if len(part) and number not in (BYTES, SPECIAL):
                quartiles[number] = np.percentile(part, (25, 50, 75))
        return quartiles

    @cached_property
    def own_characters(self) -> npt.NDArray[np.bool_]:
        """Of each code point whether an entry that is not special is that character alone: for ASCII also one byte."""
        own = np.zeros(0x110000, np.bool_)
        alone = (self.characters == 1) & self._whole & (self.classes != SPECIAL)
        vocabulary = self._vocabulary
        starts = array_of(vocabulary.offsets)
        pieces = [vocabulary.arena[starts[one] : starts[one + 1]] for one in np.flatnonzero(alone)]
        codes = np.frombuffer(b"".join(pieces).decode().encode("utf-32-le"), np.uint32)
        own[codes] = True
        return own


_TABLE = np.frombuffer(SCRIPT_TABLE, np.uint8)
UNASSIGNED = SCRIPTS.index("Zzzz")

assigned = np.bincount(_TABLE, minlength=CLASS_COUNT)
assigned[UNASSIGNED] = 0
"""How many characters Unicode assigns to each script; 0 for classes that are no script."""


def characters_of(script: int) -> Ints:
    """Returns the code points that Unicode assigns to a script, ascending."""
    return np.flatnonzero(script == _TABLE) if script != UNASSIGNED else np.zeros(0, np.int64)


def count_own(own: npt.NDArray[np.bool_]) -> Ints:
    """Returns how many characters of each script are marked."""
    counts = np.bincount(_TABLE[own], minlength=CLASS_COUNT)
    counts[UNASSIGNED] = 0
    return counts


def largest_first(shares: Iterable[npt.NDArray[np.float64]]) -> list[int]:
    """Returns the classes that any has something of, by the largest share that one gives it."""
    most = np.max(np.vstack([np.zeros(CLASS_COUNT), *shares]), axis=0)
    found = np.flatnonzero(most > 0)
    return [int(number) for number in found[np.argsort(-most[found], kind="stable")]]


def query_of(number: int) -> str:
    """Returns what filters a vocabulary by a class: ``script:latin``."""
    return f"script:{CLASS_NAMES[number].lower().replace(' ', '').replace('_', '')}"
