"""Counts of a tokenizer over texts, which add up and suffice for every figure of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.compare.boundaries import (
    BoundaryCounts,
    BoundaryPlaces,
    boundary_counts,
    boundary_places,
)
from tokenarium.models.compare.words import unspaced_characters, word_spans
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import covered_bytes, size_of, text_loss
from tokenarium.models.text.text_map import joined_halves
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import BYTE, SPACE_MARK

Counts = npt.NDArray[np.int64]

LONGEST = 64
"""Bytes or tokens: the last class of a histogram, which includes all that is longer."""


@dataclass(slots=True)
class Tally:
    """Counts over texts, for one tokenizer; two of the same tokenizer add up.

    ``uses[id]`` is how often an id occurs; ``words[n]`` how many words touch ``n`` tokens (`LONGEST`: or more), and
    ``touching`` the sum over all words; ``alone`` is how many tokens the words have when each is encoded by itself, and
    ``words_alone[n]`` how many words then have ``n``; ``cut`` counts the tokens that begin or end inside a character;
    ``lengths[n]`` how many tokens stand for ``n`` bytes of the text; ``unspaced`` how many characters are of scripts
    without spaces between words. ``fallback`` counts tokens that are one byte of a longer character. ``covered_bytes``
    are those of the text that tokens stand for, ``unknown_bytes`` those of unknown tokens, and ``lost_bytes`` all that
    are lost, see `lost_text.TextLoss`. ``boundaries`` are about numbers, operators and characters.
    """

    uses: Counts
    words: Counts
    words_alone: Counts
    lengths: Counts
    texts: int = 0
    byte_count: int = 0
    characters: int = 0
    unspaced: int = 0
    fallback: int = 0
    unknown: int = 0
    covered_bytes: int = 0
    unknown_bytes: int = 0
    lost_bytes: int = 0
    changed: int = 0  # texts that decoding does not give back
    touching: int = 0
    alone: int = 0
    cut: int = 0
    boundaries: BoundaryCounts = field(default_factory=BoundaryCounts)

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return int(self.uses.sum())

    @property
    def unknown_share(self) -> float:
        """The share of the text, in bytes, that became unknown tokens."""
        return self.unknown_bytes / self.covered_bytes if self.covered_bytes else 0.0

    @property
    def lost_share(self) -> float:
        """The share of the text, in bytes, that is lost."""
        return self.lost_bytes / self.byte_count if self.byte_count else 0.0

    @property
    def word_count(self) -> int:
        """How many words there are, by `WORD_RULE`."""
        return int(self.words.sum())


def empty(tokenizer: tc.Tokenizer) -> Tally:
    """Returns counts of nothing."""
    return Tally(
        np.zeros(len(tokenizer.vocabulary), np.int64),
        np.zeros(LONGEST + 1, np.int64),
        np.zeros(LONGEST + 1, np.int64),
        np.zeros(LONGEST + 1, np.int64),
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """A text with all that does not depend on the tokenizer, worked out once.

    ``lines`` are encoded each by itself: the whole text, or its parts between line feeds.
    """

    lines: Sequence[str]
    starts: npt.NDArray[np.int32]  # of the words, in bytes
    ends: npt.NDArray[np.int32]
    words: Counter[str]
    unspaced: int
    places: BoundaryPlaces


def measured(*lines: str) -> Measured:
    """Returns a text, or lines that are encoded apart, with its words, by `WORD_RULE`."""
    lines = tuple(map(joined_halves, lines))
    text = "\n".join(lines)
    utf8 = text.encode("utf-8", "surrogatepass")
    starts, ends = word_spans(text, utf8)
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    word_counts = Counter(utf8[start:end] for start, end in pairs)
    words = {word.decode("utf-8", "surrogatepass"): count for word, count in word_counts.items()}
    return Measured(
        lines, starts, ends, Counter(words), unspaced_characters(text), boundary_places(text, utf8)
    )


def tally(tokenizer: tc.Tokenizer, text: Measured) -> Tally:
    """Returns the counts of one text; special tokens in it are plain text."""
    return line_tally(tokenizer, text)[0]


def line_tally(tokenizer: tc.Tokenizer, text: Measured) -> tuple[Tally, list[int]]:
    """Returns the counts of a text whose lines are encoded apart, and how many tokens each line has."""
    counts = empty(tokenizer)
    all_ids: list[npt.NDArray[np.int32]] = [np.empty(0, np.int32)]
    all_spans: list[npt.NDArray[np.int32]] = [np.empty((0, 2), np.int32)]
    start = 0
    for line in text.lines:
        utf8 = line.encode("utf-8", "surrogatepass")
        encoding = tokenizer.encode(line)
        all_ids.append(array_of(encoding.ids))
        spans_here = array_of(encoding.spans).reshape(-1, 2)
        all_spans.append(spans_here + np.int32(start))
        counts.cut += _cut_tokens(utf8, spans_here)
        changed = tokenizer.decode_bytes(encoding.ids) != utf8
        counts.changed += int(changed)
        if changed:
            lost = text_loss(tokenizer).spans(utf8, all_ids[-1], spans_here, 0, len(utf8))
            counts.lost_bytes += size_of(lost)
        counts.byte_count += len(utf8)
        counts.characters += len(line)
        start += len(utf8) + 1
    ids, spans = np.concatenate(all_ids), np.concatenate(all_spans)
    counts.texts = len(text.lines)
    counts.unspaced = text.unspaced
    counts.uses = np.bincount(ids, minlength=len(counts.uses)).astype(np.int64)
    lengths = np.minimum(spans[:, 1] - spans[:, 0], LONGEST)
    counts.boundaries = boundary_counts(text.places, spans)
    counts.lengths = np.bincount(lengths, minlength=LONGEST + 1).astype(np.int64)
    touched = tokens_of_words(spans, text.starts, text.ends)
    counts.words = np.bincount(np.minimum(touched, LONGEST), minlength=LONGEST + 1).astype(np.int64)
    counts.touching = int(touched.sum())
    alone = tokenizer.encode_ids_batch(text.words)
    tokens = np.fromiter(map(len, alone), np.int64, len(alone))
    times = np.fromiter(text.words.values(), np.int64, len(alone))
    counts.alone = int(tokens @ times)
    np.add.at(counts.words_alone, np.minimum(tokens, LONGEST), times)
    unknown = text_loss(tokenizer).unknown
    counts.unknown = int(counts.uses[unknown].sum())
    counts.unknown_bytes, counts.covered_bytes = covered_bytes(unknown, ids, spans)
    counts.fallback = int(counts.uses[_fallback_ids(tokenizer)].sum())
    return counts, [len(ids) for ids in all_ids[1:]]


def tokens_of_words(
    spans: npt.NDArray[np.int32], starts: npt.NDArray[np.int32], ends: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Returns how many tokens have a byte of each word, given the spans of the tokens (n × 2) and of the words.

    A token with the space before a word and the word's beginning counts for the word.
    """
    first = np.searchsorted(np.maximum.accumulate(spans[:, 1]), starts, side="right")
    after = np.searchsorted(spans[:, 0], ends, side="left")
    counts: npt.NDArray[np.int64] = np.maximum(after - first, 0)
    return counts


def _cut_tokens(utf8: bytes, spans: npt.NDArray[np.int32]) -> int:
    """Returns how many tokens begin or end inside a character."""
    inside = np.append(np.frombuffer(utf8, np.uint8) & 0xC0 == 0x80, False)
    cut: npt.NDArray[np.bool_] = inside[spans].any(axis=1) & (spans[:, 0] < spans[:, 1])
    return int(cut.sum())


def _fallback_ids(tokenizer: tc.Tokenizer) -> npt.NDArray[np.bool_]:
    """Returns for each id whether it is a byte beyond ASCII, or in a vocabulary of characters any byte."""
    vocabulary = tokenizer.vocabulary
    kinds = array_of(vocabulary.kinds)
    is_byte: npt.NDArray[np.bool_] = kinds == BYTE
    if vocabulary.spelling == SPACE_MARK:
        return is_byte
    single = np.flatnonzero(is_byte)
    low = [token for token in single.tolist() if vocabulary.piece(token) < b"\x80"]
    is_byte = is_byte.copy()
    is_byte[low] = False
    return is_byte


class TallyJob:
    """``tallies`` has the counts of each tokenizer by its key, ``problems`` a sentence for each that fails."""

    def __init__(self, text: str, tokenizers: Mapping[str, tc.Tokenizer]) -> None:
        self.tallies: dict[str, Tally] = {}
        self.problems: dict[str, str] = {}
        self._text = text
        self._measured: Measured | None = None
        self._left = list(tokenizers.items())
        self._total = len(self._left)

    def step(self, budget_ms: float, /) -> Progress:
        """Counts with the next tokenizer, however long that takes: give a short text."""
        if self._measured is None:
            self._measured = measured(self._text)
        if self._left:
            key, tokenizer = self._left.pop(0)
            try:
                self.tallies[key] = tally(tokenizer, self._measured)
            except tc.TokenariumError as error:
                self.problems[key] = str(error)
        done = self._total - len(self._left)
        return Progress("Comparing", done, self._total, not self._left)
