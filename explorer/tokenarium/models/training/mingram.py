"""MinGram (Land 2026, https://arxiv.org/abs/2606.27019): a vocabulary for segmentations with the fewest tokens."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Final

from tokenarium_core.progress import Progress

BYTES: Final = 256
DELTA: Final = 1 / 100_000
"""The weight of the log probabilities: they only decide between segmentations with as many tokens."""

EPSILON: Final = 1e-12
ROUNDS: Final = 2
MOST_ITERATIONS: Final = 100
WORDS_AT_A_TIME: Final = 64

Scores = dict[bytes, float]
"""The log probability of each piece; all single bytes are in it."""

Counts = Mapping[bytes, int]
"""How often each word or piece occurs."""


@dataclass(frozen=True, slots=True)
class FewestTokens:
    """A corpus in the fewest tokens: how often each piece that occurs is used, and all tokens."""

    counts: Counts
    tokens: int


def fewest(word: bytes, scores: Scores, sizes: Sequence[int]) -> list[bytes]:
    """Returns a word in the fewest pieces; among several ways, that with the highest probability.

    ``sizes`` are those of all pieces, in rising order.

    >>> scores = {bytes([byte]): -9.0 for byte in b"abc"} | {b"ab": -1.0, b"bc": -2.0}
    >>> fewest(b"abc", scores, [1, 2])
    [b'ab', b'c']
    """
    size = len(word)
    best, lengths = [-inf] * (size + 1), [0] * (size + 1)
    best[0] = 0.0
    for start in range(size):
        if start and not lengths[start]:
            continue
        score = best[start]
        for length in sizes:
            end = start + length
            if end > size:
                break
            own = scores.get(word[start:end])
            if own is None:
                continue
            reached = score + DELTA * own - 1.0
            if reached >= best[end] - EPSILON:
                best[end], lengths[end] = reached, length
    pieces, end = list[bytes](), size
    while end > 0:
        pieces.append(word[end - lengths[end] : end])
        end -= lengths[end]
    return pieces[::-1]


def segmented(words: Counts, scores: Scores) -> Generator[Progress, None, FewestTokens]:
    """Returns the segmentation of the words of a corpus, which occur as often as they say."""
    sizes = sorted({len(piece) for piece in scores})
    counts: dict[bytes, int] = {}
    for at, (word, times) in enumerate(words.items()):
        for piece in fewest(word, scores, sizes):
            counts[piece] = counts.get(piece, 0) + times
        if at % WORDS_AT_A_TIME == 0:
            yield Progress("segmenting words", at, len(words), False)
    return FewestTokens(counts, sum(counts.values()))


def rescored(scores: Scores, found: FewestTokens) -> Scores:
    """Returns the pieces that are used, and the bytes, with the logarithms of their shares of the tokens."""
    return {
        piece: log(found.counts[piece] / found.tokens) if found.counts.get(piece) else -inf
        for piece in scores
        if found.counts.get(piece) or len(piece) == 1
    }


def pruned(scores: Scores, entries: int) -> Scores:
    """Returns the bytes, and the most probable other pieces, as many as fit."""
    kept = {piece: score for piece, score in scores.items() if len(piece) == 1}
    others = sorted((piece for piece in scores if piece not in kept), key=lambda one: -scores[one])
    return kept | {piece: scores[piece] for piece in others[: max(entries - len(kept), 0)]}


def first_scores(counts: Counts) -> Scores:
    """Returns the log probabilities that the training begins with, from the counts of all entries of a larger BPE."""
    total = sum(max(1, count) for count in counts.values())
    return {piece: log(max(1, count) / total) for piece, count in counts.items()}


def mingram(words: Counts, counts: Counts, entries: int) -> Generator[Progress, None, Scores]:
    """Returns the pieces of a trained MinGram, at most ``entries``: those that hard EM uses most often.

    ``counts`` are those of the entries of a BPE with more merges, in their order, in the corpus as it splits it. As in
    the trainer of github.com/sanderland/script_tok with its defaults: rounds of segmenting and counting, then one
    pruning by counts, then rounds once more, in which entries that are no longer used are dropped too.
    """
    scores = first_scores(counts)
    for _ in range(MOST_ITERATIONS):
        for _ in range(ROUNDS):
            scores = rescored(scores, (yield from segmented(words, scores)))
        if len(scores) <= entries:
            break
        scores = pruned(scores, entries)
    return pruned(scores, entries)
