"""How well tokens agree with morphemes: MorphScore, and precision and recall of boundaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.compare.metric import ratio
from tokenarium.models.compare.segmentations import SegmentedWord
from tokenarium.models.text.apart import encoded_apart
from tokenarium.models.text.lost_text import text_loss

Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

SCORED_AT_ONCE = 2_000  # words that are encoded between two looks at the clock


@dataclass(frozen=True, slots=True)
class MorphologyOptions:
    """What counts. ``single_tokens``: words of one token, as 1; ``single_morphemes``: words that are not divided.

    ``frequencies``: words count by their weight in MorphScore; ``after_space``: a space is encoded before each word.
    The defaults are those of version 2 of MorphScore.
    """

    single_tokens: bool = False
    single_morphemes: bool = False
    frequencies: bool = False
    after_space: bool = False


@dataclass(slots=True)
class MorphologyScores:
    """The sums over words, from which all scores follow.

    ``hits``, ``tokens_cut`` and ``morphemes_cut`` count boundaries inside all ``words``: those of both, of tokens, and of
    morphemes. ``single`` words are one token. The others are sums over the ``scored`` words of MorphScore: ``points`` and
    ``precise`` of its recall and precision by ``weight``, ``matched`` pieces among ``pieces`` of tokens and ``parts`` of
    morphemes, and the sums of the shares of each word.
    """

    words: int = 0
    single: int = 0
    scored: int = 0
    hits: int = 0
    tokens_cut: int = 0
    morphemes_cut: int = 0
    weight: float = 0.0
    points: float = 0.0
    precise: float = 0.0
    matched: int = 0
    pieces: int = 0
    parts: int = 0
    shares_of_pieces: float = 0.0
    shares_of_parts: float = 0.0

    @property
    def recall(self) -> float | None:
        """MorphScore: the mean share of the boundaries of morphemes at which a token ends."""
        return ratio(self.points, self.weight)

    @property
    def precision(self) -> float | None:
        """MorphScore's precision: the mean of the boundaries found ÷ the tokens of a word."""
        return ratio(self.precise, self.weight)

    @property
    def micro_f1(self) -> float | None:
        """MorphScore's micro F1, of tokens that are morphemes, over all words together."""
        return f1(ratio(self.matched, self.pieces), ratio(self.matched, self.parts))

    @property
    def macro_f1(self) -> float | None:
        """MorphScore's macro F1: that of the mean precision and the mean recall of the words."""
        return f1(
            ratio(self.shares_of_pieces, self.scored), ratio(self.shares_of_parts, self.scored)
        )

    @property
    def boundary_precision(self) -> float | None:
        """The share of the boundaries of tokens that are boundaries of morphemes."""
        return ratio(self.hits, self.tokens_cut)

    @property
    def boundary_recall(self) -> float | None:
        """The share of the boundaries of morphemes that are boundaries of tokens."""
        return ratio(self.hits, self.morphemes_cut)

    @property
    def boundary_f1(self) -> float | None:
        """The harmonic mean of both; None if one is not defined."""
        return f1(self.boundary_precision, self.boundary_recall)


def f1(precision: float | None, recall: float | None) -> float | None:
    """Returns the harmonic mean, 0 if both are 0.

    >>> f1(0.5, 1.0)
    0.6666666666666666
    >>> f1(0.0, 0.0)
    0.0
    """
    if precision is None or recall is None:
        return None
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


class WordArrays:
    """Some words as arrays, for all tokenizers: what depends on the words alone is worked out once.

    ``starts`` (n + 1) are where the words begin in ``data``, their UTF-8 one after another. ``cuts`` are the boundaries of
    morphemes, as places in ``data``, and ``cut_words`` their words; one that is not ``is_cut`` is before its word. ``pieces`` are the distinct morphemes, numbered, and
    ``of_words`` which words have which, as ``word · len(pieces) + number``, sorted.
    """

    def __init__(self, words: Sequence[SegmentedWord]) -> None:
        self.texts = [one.word for one in words]
        parts = [one.word.encode("utf-8", "surrogatepass") for one in words]
        self.data = b"".join(parts)
        self.starts = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=self.starts[1:])
        self.cut_counts = np.fromiter((len(one.cuts) for one in words), np.int64, len(words))
        self.cut_words = np.repeat(np.arange(len(words)), self.cut_counts)
        cuts = np.fromiter((cut for one in words for cut in one.cuts), np.int64)
        self.cuts = cuts + self.starts[self.cut_words]
        self.is_cut = cuts >= 0
        self.part_counts = np.fromiter((len(one.parts) for one in words), np.int64, len(words))
        self.weights = np.fromiter((one.weight for one in words), np.float64, len(words))
        self.pieces: dict[bytes, int] = {}
        number = self.pieces.setdefault
        numbers = np.fromiter(
            (
                number(part.encode("utf-8", "surrogatepass"), len(self.pieces))
                for one in words
                for part in one.parts
            ),
            np.int64,
        )
        owners = np.repeat(np.arange(len(words)), self.part_counts)
        self.of_words = _distinct(owners * len(self.pieces) + numbers)

    def __len__(self) -> int:
        return len(self.texts)


def word_arrays(words: Sequence[SegmentedWord]) -> Iterator[WordArrays]:
    """Yields the words as arrays, `SCORED_AT_ONCE` at a time."""
    for start in range(0, len(words), SCORED_AT_ONCE):
        yield WordArrays(words[start : start + SCORED_AT_ONCE])


def score_words(
    tokenizer: tc.Tokenizer,
    words: Iterable[WordArrays],
    options: MorphologyOptions,
    scores: MorphologyScores,
) -> Iterator[int]:
    """Adds the words to ``scores``; yields from time to time how many are done.

    Boundaries are compared in bytes of the word's UTF-8, so that a token that ends inside a character is at no
    boundary, and what a normalizer changes does not matter.
    """
    done = 0
    for some in words:
        _add(some, *_places(tokenizer, some, options), options, scores)
        done += len(some)
        yield done


def token_spans(
    tokenizer: tc.Tokenizer, words: Sequence[SegmentedWord], options: MorphologyOptions
) -> Iterator[list[tuple[int, int]]]:
    """Yields where the tokens of each word begin and end, in its bytes; a token of the space alone is empty.

    Unknown tokens are left out, as in MorphScore: they are no pieces of the word.
    """
    for some in word_arrays(words):
        owners, spans = _places(tokenizer, some, options)
        spans -= some.starts[owners][:, None]
        at = np.searchsorted(owners, np.arange(len(some) + 1))
        pairs = list(map(tuple, spans.tolist()))
        yield from (pairs[first:last] for first, last in pairwise(at.tolist()))


def _places(
    tokenizer: tc.Tokenizer, words: WordArrays, options: MorphologyOptions
) -> tuple[Places, Places]:
    """Returns the word of each token, and where the token begins and ends (n × 2) in the data of the words."""
    unknown = text_loss(tokenizer).unknown
    lead = " " * options.after_space
    texts = [lead + text for text in words.texts] if lead else words.texts
    counts, ids, spans = encoded_apart(tokenizer, texts)
    owners = np.repeat(np.arange(len(words)), counts)
    if lead:
        spans = np.maximum(spans - len(lead), 0)
    if unknown.any():
        known = ~unknown[ids]
        owners, spans = owners[known], spans[known]
    return owners, spans + words.starts[owners][:, None]


def _add(
    words: WordArrays,
    owners: Places,
    spans: Places,
    options: MorphologyOptions,
    scores: MorphologyScores,
) -> None:
    """Adds words whose tokens are at ``spans``, by word and place."""
    count, starts, stops = len(words), words.starts[:-1], words.starts[1:]
    tokens = np.bincount(owners, minlength=count)
    single = tokens == 1
    # The end of one word is the beginning of the next one: a boundary is known by its word, too.
    room = len(words.data) + 1
    inner = spans[:, 1] > starts[owners]
    ends = _distinct(owners[inner] * room + spans[inner, 1])
    at_end = np.arange(count) * room + stops
    ends_there = _among(at_end, ends)
    keys = words.cut_words * room + words.cuts
    found = np.bincount(words.cut_words[_among(keys, ends)], minlength=count)
    scores.words += count
    scores.tokens_cut += len(ends) - int(ends_there.sum())
    scores.morphemes_cut += len(words.cuts)
    scores.hits += int(found.sum()) - int((_among(at_end, keys[words.is_cut]) & ends_there).sum())
    # What follows are the rules of MorphScore 2. The end of a word is among the boundaries of its tokens there.
    scores.single += int(single.sum())
    divided = words.cut_counts > 0
    counts = np.where(single, options.single_tokens, divided | options.single_morphemes)
    point = np.where(divided, found / np.maximum(words.cut_counts, 1), 0.0)  # one morpheme: 0
    precise = np.where(divided, found / np.maximum(tokens, 1), 0.0)
    point[single] = precise[single] = 1.0
    weights = (words.weights if options.frequencies else np.ones(count))[counts]
    matched = _matched(words, owners, spans, counts)[counts]
    pieces, parts = tokens[counts], words.part_counts[counts]
    scores.scored += int(counts.sum())
    scores.weight += float(weights.sum())
    scores.points += float((weights * point[counts]).sum())
    scores.precise += float((weights * precise[counts]).sum())
    scores.matched += int(matched.sum())
    scores.pieces += int(pieces.sum())
    scores.parts += int(parts.sum())
    scores.shares_of_pieces += float((matched / np.maximum(pieces, 1)).sum())
    scores.shares_of_parts += float((matched / parts).sum())


def _matched(words: WordArrays, owners: Places, spans: Places, counts: Mask) -> Places:
    """Returns how many different morphemes of each word are among its tokens, for the words that count."""
    some = counts[owners]
    data, number = words.data, words.pieces.get
    starts, ends = (spans[some, side].tolist() for side in (0, 1))
    numbers = np.array(
        [number(data[start:end], -1) for start, end in zip(starts, ends, strict=True)], np.int64
    )
    known = numbers >= 0
    keys = _distinct(owners[some][known] * len(words.pieces) + numbers[known])
    both = keys[_among(keys, words.of_words)]
    return np.bincount(both // max(len(words.pieces), 1), minlength=len(words))


def _distinct(numbers: Places) -> Places:
    """Returns the different numbers, sorted; those that are nearly sorted cost little."""
    numbers = np.sort(numbers, kind="stable")
    first = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return numbers[first]


def _among(numbers: Places, others: Places) -> Mask:
    """Returns which numbers are among others, which are sorted."""
    if not len(others):
        return np.zeros(len(numbers), np.bool_)
    at = np.minimum(np.searchsorted(others, numbers), len(others) - 1)
    found: Mask = others[at] == numbers
    return found
