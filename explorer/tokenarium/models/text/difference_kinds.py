"""Of what kind the places are at which tokenizers cut a text differently."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tokenarium.models.text.text_map import IntArray, TextMap

KINDS = ("superword", "digits", "whitespace", "punctuation", "script", "other")
"""The kinds, the most telling first: a place that has several is of the first of them."""

MEANING = {
    "superword": "a tokenizer has one token over several words, which another parts",
    "digits": "a cut beside a digit, not all make",
    "whitespace": "a cut beside a blank or a line end, not all make",
    "punctuation": "a cut beside a punctuation mark or symbol, not all make",
    "script": "a cut in a word that is not in Latin letters, or inside of such a letter",
    "other": "a cut inside a word in Latin letters",
}

_SPACE, _DIGIT, _SIGN, _SCRIPT, _LATIN = range(5)  # what a character is


def token_cuts(spans: IntArray, size: int) -> IntArray:
    """Returns the offsets, sorted, at which tokens (spans, n × 2) begin or end; the last is the text's end.

    A tokenizer that leaves blanks out cuts on both sides of them.
    """
    offsets = np.unique(np.concatenate((spans.ravel(), [size])))
    return offsets[offsets > 0].astype(np.int32)


def difference_kinds(
    text: TextMap, places: IntArray, disputed: IntArray, cuts: Sequence[IntArray]
) -> npt.NDArray[np.int8]:
    """Returns the kind of each difference, a number in `KINDS`.

    ``places`` (n × 2) and ``disputed`` are what `differences` and its sister find in ``cuts``, the cuts of each
    tokenizer (see `token_cuts`).
    """
    kinds = np.full(len(places), len(KINDS) - 1, np.int8)
    if not len(places):
        return kinds
    what = _classes(text)
    before, behind = what[disputed - 1], what[np.minimum(disputed, len(what) - 1)]
    which = np.searchsorted(places[:, 0], disputed, side="right") - 1
    for kind, wanted in (
        ("script", _SCRIPT),
        ("punctuation", _SIGN),
        ("whitespace", _SPACE),
        ("digits", _DIGIT),
    ):
        touched = (before == wanted) | (behind == wanted)
        if kind == "digits":  # a blank that goes with a number or not is a matter of blanks
            touched &= (before != _SPACE) & (behind != _SPACE)
        kinds[which[touched]] = KINDS.index(kind)
    for at in _crossed(what, cuts):
        place = int(np.searchsorted(places[:, 0], at, side="right")) - 1
        if place >= 0 and at < places[place, 1]:
            kinds[place] = KINDS.index("superword")
    return kinds


def _crossed(what: npt.NDArray[np.uint8], cuts: Sequence[IntArray]) -> list[int]:
    """Returns the beginnings of words that some tokenizers, not all, have in one token with the word before."""
    space = what == _SPACE
    begins = np.flatnonzero(~space[1:] & space[:-1]) + 1
    runs = (
        np.flatnonzero(space[1:] & ~space[:-1]) + 1
    )  # the blanks before, but for those at the start
    begins = begins[begins > runs[0]] if len(runs) else begins[:0]
    if not len(begins):
        return []
    runs = runs[np.searchsorted(runs, begins, side="right") - 1]
    joined = [
        np.searchsorted(one, begins, side="right") == np.searchsorted(one, runs, side="left")
        for one in cuts
    ]
    some = np.any(joined, axis=0) & ~np.all(joined, axis=0)
    found: list[int] = begins[some].tolist()
    return found


def _classes(text: TextMap) -> npt.NDArray[np.uint8]:
    """Returns what the character is that each byte belongs to."""
    codes = np.frombuffer(text.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    found, place = np.unique(codes, return_inverse=True)
    classes = np.array([_class_of(chr(code)) for code in found.tolist()], np.uint8)[place]
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
