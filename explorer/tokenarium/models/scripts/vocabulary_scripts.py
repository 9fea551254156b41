"""The pieces of a vocabulary by script: each counts for the script of its characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium_core.explaining.piece_facts import (
    BYTES,
    COMMON,
    MIXED,
    RESERVED,
    SPECIAL,
    SPLITS,
    piece_facts,
    written_class,
)
from tokenarium_core.unicode import SCRIPT_TABLE, SCRIPTS, script_name, script_of

MIXED_NAME = "mixed"
COMMON_NAME = "common"
BYTES_NAME = "bytes"
SPECIAL_NAME = "special"
RESERVED_NAME = "reserved"
"""Classes of pieces without a single script: of several, of common signs, of no whole characters, of no text, kept
free."""


def script_of_piece(piece: bytes) -> str:
    """Returns the English name of a piece's script, or another class.

    Characters that scripts share, or that inherit the script of the one before, count only if there are no others.
    """
    named = written_class(piece)
    if named >= 0:
        return CLASS_NAMES[named]
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return BYTES_NAME
    scripts = {script_of(ord(character)) for character in text} - {"Zyyy", "Zinh"}
    if not scripts:
        return COMMON_NAME
    return script_name(scripts.pop()) if len(scripts) == 1 else MIXED_NAME


def scripts_of_pieces(pieces: Iterable[bytes]) -> dict[str, int]:
    """Returns how many pieces each script has, the largest first."""
    return dict(Counter(map(script_of_piece, pieces)).most_common())


Ints = npt.NDArray[np.int64]

CLASS_NAMES = (
    *map(script_name, SCRIPTS),
    MIXED_NAME,
    COMMON_NAME,
    BYTES_NAME,
    SPECIAL_NAME,
    RESERVED_NAME,
)
"""The names of the classes of entries, by number: the scripts, and the classes without a single script."""

CLASS_COUNT = len(CLASS_NAMES)

RULE = (
    "An entry counts for the script of its characters. Those that scripts share, such as spaces,"
    " digits, signs and emoji, count only if there are no others: then the entry is common."
    " Mixed: letters of several scripts. Bytes: no whole characters, also the bytes of a byte fallback."
    " Special: control and unknown entries, and markers such as <pad>. Reserved: unused entries, such as <unused12>."
)
"""How entries are counted (Script of Unicode's UAX #24), for readers of a chart."""

ABOUT_CLASSES = {
    MIXED: "letters of several scripts in one entry",
    COMMON: "spaces, digits, punctuation, emoji: nothing that belongs to one script",
    BYTES: "no whole characters, also the bytes of a byte fallback",
    SPECIAL: "control and unknown entries, and markers such as <pad>",
    RESERVED: "unused entries, kept free for later, such as <unused12> or <|reserved_special_token_5|>",
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

    @cached_property
    def byte_counts(self) -> Ints:
        """The bytes of the entries, by class."""
        sizes = np.diff(array_of(self._vocabulary.offsets))
        return np.bincount(self.classes, sizes, CLASS_COUNT).astype(np.int64)

    @property
    def mean_bytes(self) -> npt.NDArray[np.float64]:
        """The average bytes of an entry, by class; NaN for a class without entries."""
        means = np.full(CLASS_COUNT, np.nan)
        np.divide(self.byte_counts, self.counts, out=means, where=self.counts > 0)
        return means

    @cached_property
    def lengths(self) -> npt.NDArray[np.float64]:
        """The lower quartile, median and upper quartile of the entries' characters, by class.

        NaN for a class without entries, or with entries that are not characters.
        """
        quartiles = np.full((CLASS_COUNT, 3), np.nan)
        order = np.argsort(self.classes, kind="stable")
        parts = np.split(self.characters[order], np.cumsum(self.counts)[:-1])
        for number, part in enumerate(parts):
            if len(part) and number not in (BYTES, SPECIAL, RESERVED):
                quartiles[number] = np.percentile(part, (25, 50, 75))
        return quartiles

    @cached_property
    def own_characters(self) -> npt.NDArray[np.bool_]:
        """For each code point, whether a normal entry is that character alone; for ASCII, bytes count too."""
        own = np.zeros(0x110000, np.bool_)
        alone = (self.characters == 1) & self._whole & (self.classes != SPECIAL)
        vocabulary = self._vocabulary
        starts = array_of(vocabulary.offsets)
        pieces = [
            vocabulary.arena[starts[number] : starts[number + 1]]
            for number in np.flatnonzero(alone)
        ]
        codes = np.frombuffer(b"".join(pieces).decode().encode("utf-32-le"), np.uint32)
        own[codes] = True
        return own


_TABLE = np.frombuffer(SCRIPT_TABLE, np.uint8)
UNASSIGNED = SCRIPTS.index("Zzzz")

assigned = np.bincount(_TABLE, minlength=CLASS_COUNT)
assigned[UNASSIGNED] = 0
"""How many characters Unicode assigns to each script; 0 for classes that are not scripts."""


def characters_of(script: int) -> Ints:
    """Returns the code points that Unicode assigns to a script, ascending."""
    return np.flatnonzero(script == _TABLE) if script != UNASSIGNED else np.zeros(0, np.int64)


def count_own(own: npt.NDArray[np.bool_]) -> Ints:
    """Returns how many characters of each script are marked."""
    counts = np.bincount(_TABLE[own], minlength=CLASS_COUNT)
    counts[UNASSIGNED] = 0
    return counts


def largest_first(shares: Iterable[npt.NDArray[np.float64]]) -> list[int]:
    """Returns the classes that occur, by the largest share that any of the counts has."""
    most = np.max(np.vstack([np.zeros(CLASS_COUNT), *shares]), axis=0)
    classes = np.flatnonzero(most > 0)
    return [int(number) for number in classes[np.argsort(-most[classes], kind="stable")]]


def query_of(number: int) -> str:
    """Returns the query for a class: ``script:latin``."""
    return f"script:{CLASS_NAMES[number].lower().replace(' ', '').replace('_', '')}"


def own_rows(vocabularies: Mapping[str, VocabularyScripts]) -> list[dict[str, int | str]]:
    """Returns a row for each script: how many characters Unicode has of it, and how many each vocabulary has alone."""
    own = {name: count_own(use.own_characters) for name, use in vocabularies.items()}
    return [
        {
            "script": CLASS_NAMES[number],
            "characters": int(assigned[number]),
            **{name: int(counts[number]) for name, counts in own.items()},
        }
        for number in np.flatnonzero(assigned).tolist()
    ]
