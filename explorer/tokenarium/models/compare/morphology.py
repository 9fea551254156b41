"""How well tokens agree with morphemes: MorphScore, and precision and recall of boundaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.compare.metric import ratio
from tokenarium.models.compare.segmentations import SegmentedWord
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import text_loss

SCORED_AT_ONCE = 500  # words that are encoded between two looks at the clock


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


def score_words(
    tokenizer: tc.Tokenizer,
    words: Sequence[SegmentedWord],
    options: MorphologyOptions,
    scores: MorphologyScores,
) -> Iterator[int]:
    """Adds the words to ``scores``; yields from time to time how many are done.

    Boundaries are compared in bytes of the word's UTF-8, so that a token that ends inside a character is at no
    boundary, and what a normalizer changes does not matter.
    """
    for start in range(0, len(words), SCORED_AT_ONCE):
        some = words[start : start + SCORED_AT_ONCE]
        for word, spans in zip(some, token_spans(tokenizer, some, options), strict=True):
            _add(word, spans, options, scores)
        yield start + len(some)


def token_spans(
    tokenizer: tc.Tokenizer, words: Sequence[SegmentedWord], options: MorphologyOptions
) -> Iterator[list[tuple[int, int]]]:
    """Returns where the tokens of each word begin and end, in its bytes; a token of the space alone is empty.

    Unknown tokens are left out, as in MorphScore: they are no pieces of the word.
    """
    unknown = text_loss(tokenizer).unknown
    has_unknown = bool(unknown.any())
    lead = " " * options.after_space
    shift = len(lead)
    for encoding in tokenizer.encode_batch([lead + one.word for one in words]):
        flat = array_of(encoding.spans).tolist()
        if shift:
            flat = [max(place - shift, 0) for place in flat]
        spans = list(zip(flat[::2], flat[1::2], strict=True))
        if has_unknown:
            spans = [
                span for span, id_ in zip(spans, encoding.ids, strict=True) if not unknown[id_]
            ]
        yield spans


def _add(
    word: SegmentedWord,
    spans: list[tuple[int, int]],
    options: MorphologyOptions,
    scores: MorphologyScores,
) -> None:
    data = word.word.encode("utf-8", "surrogatepass")
    size, single = len(data), len(spans) == 1
    ends = {end for _, end in spans if end}
    scores.words += 1
    scores.tokens_cut += len(ends) - (size in ends)
    scores.morphemes_cut += len(word.cuts)
    found = sum([cut in ends for cut in word.cuts])
    scores.hits += found - (size in word.cuts and size in ends)
    # What follows are the rules of MorphScore 2. The end of a word is among the boundaries of its tokens there.
    if single:
        scores.single += 1
        if not options.single_tokens:
            return
    elif not word.cuts and not options.single_morphemes:
        return
    tokens = {data[start:end] for start, end in spans}
    morphemes = {part.encode("utf-8", "surrogatepass") for part in word.parts}
    if single:
        point = precise = 1.0
    elif word.cuts:
        point, precise = found / len(word.cuts), found / (len(spans) or 1)
    else:
        point = precise = 0.0  # one morpheme in several tokens
    weight = word.weight if options.frequencies else 1.0
    matched, pieces, parts = len(tokens & morphemes), len(spans), len(word.parts)
    scores.scored += 1
    scores.weight += weight
    scores.points += weight * point
    scores.precise += weight * precise
    scores.matched += matched
    scores.pieces += pieces
    scores.parts += parts
    scores.shares_of_pieces += matched / (pieces or 1)
    scores.shares_of_parts += matched / parts
