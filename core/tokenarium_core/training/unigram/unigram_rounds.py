"""The rounds of a Unigram training: expectation and maximization, and removing pieces, repeatedly.

The E step goes forwards and backwards over all tokenizations of all words (Kudo 2018; Rabiner 1989), only once for
shared word endings: the probability of a text from a node to the root is the sum over the pieces that it may begin
with, times the probability after each. The expected counts are passed back the same way, from the beginnings of words
to their ends.

Source: ``TrainDiscretePruning`` and ``TrainSparsePruning`` in google/sentencepiece 0.2.3,
``src/unigram_model_trainer.cc``.
"""

from __future__ import annotations

import math
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import TokenariumError
from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces, kth_largest
from tokenarium_core.training.unigram.unigram_pruning import SecondCut, UnigramPruning
from tokenarium_core.training.unigram.unigram_record import (
    EM,
    PRUNING,
    UnigramRecord,
    UnigramStep,
)

LEAST_EXPECTED: Final = 0.5
"""A piece that is expected less often than this is dropped."""

LEAST_OF_CHARACTERS: Final = 0.01
"""With pruning by scores, a character that is expected less often than this is scored as if it were that often."""

FEWEST_EXPECTED: Final = 1e-4
"""Sparse pruning rates a piece as if it were expected at least this often."""

SMALLEST: Final = 1e-280
"""Probabilities below this are stored as logarithms, long before they would be rounded to zero."""

_STEPS: Final = 20_000  # nodes or pieces; about a millisecond
_PIECES: Final = 2_000  # pieces that are split in about a millisecond
# Of sparse pruning: the share of the pieces that an EM keeps, how far above its goal it stops raising the penalty, and how
# many EMs there are at most.
_SPARSE_SHARE: Final = 0.75
_SPARSE_SURPLUS: Final = 1.05
_MOST_EMS: Final = 51
_MOST_ROUNDS: Final = 100  # of pruning by scores


def digamma(x: float) -> float:
    """Returns the derivative of the logarithm of the gamma function, for x > 0, to about 1e-9.

    It uses the recurrence up to 7, and beyond that the asymptotic series around x - 1/2.
    """
    below = 0.0
    while x < 7.0:
        below += 1.0 / x
        x += 1.0
    half = x - 0.5
    square = 1.0 / (half * half)
    series = square * (
        1.0 / 24.0 - square * (7.0 / 960.0 - square * (31.0 / 8064.0 - square * 127.0 / 30720.0))
    )
    return math.log(half) + series - below


def maximize(
    pieces: UnigramPieces, counts: vec[float], least_of_characters: float = 0.0
) -> vec[u8]:
    """Sets the scores of the pieces from their expected counts, drops the rare ones, and returns those kept.

    If ``least_of_characters`` is positive, characters are never dropped, and count at least that much.

    It uses the digamma function instead of logarithms: a prior that prefers few pieces (Liang and Klein
    2007, "Structured Bayesian Nonparametric Models with Variational Inference"), as sentencepiece does.
    Raises TokenariumError if no pieces remain.
    """
    keeps = vec[u8]([0] * pieces.count)
    total = 0.0
    for piece in range(pieces.count):
        stays = piece < pieces.characters and least_of_characters > 0.0
        if stays or (pieces.alive[piece] != 0 and counts[piece] >= LEAST_EXPECTED):
            keeps[piece] = 1
            total += max(counts[piece], least_of_characters)
    if total == 0.0:  # where sentencepiece ends with "no pieces are loaded"
        raise TokenariumError(
            "The corpus is too short: no piece is expected in it at least half a time. Choose a longer corpus."
        )
    log_total = digamma(total)
    scores = pieces.scores
    for piece in range(pieces.count):
        if keeps[piece] != 0:
            scores[piece] = digamma(max(counts[piece], least_of_characters)) - log_total
    pieces.keep(keeps)
    return keeps


def maximize_sparsely(pieces: UnigramPieces, counts: vec[float], penalty: float) -> vec[u8]:
    """Sets the scores of the pieces from their expected counts less ``penalty``, drops those whose counts are below it,
    and returns those kept.

    This is the proximal step of a likelihood with an L1 penalty (soft thresholding); without a penalty, it is EM.
    Raises TokenariumError if no pieces remain.
    """
    keeps = vec[u8]([0] * pieces.count)
    scores = pieces.scores
    total = 0.0
    for piece in range(pieces.count):
        if pieces.alive[piece] != 0 and counts[piece] >= penalty:
            keeps[piece] = 1
            scores[piece] = max(FEWEST_EXPECTED, counts[piece] - penalty)
            total += scores[piece]
    if total == 0.0:  # where sentencepiece ends with "no pieces are loaded"
        raise TokenariumError(
            "Sparse pruning leaves no entries: choose a longer corpus, a larger vocabulary, or no use_sparse_pruning."
        )
    log_total = math.log(total)
    for piece in range(pieces.count):
        if keeps[piece] != 0:
            scores[piece] = math.log(scores[piece]) - log_total
    pieces.keep(keeps)
    return keeps


@final
class UnigramExpectation:
    """One E step: call `advance` until it returns False; then ``counts`` by piece and ``log_likelihood`` (natural)
    are complete.

    Counts of unknown characters are not included.
    """

    def __init__(self, pieces: UnigramPieces) -> None:
        self.log_likelihood = 0.0
        trie = pieces.trie
        self._pieces = pieces
        self._trie = trie
        self.counts = vec[float]([0.0] * pieces.count)
        self._odds = vec[float]([0.0] * pieces.count)  # probabilities of the pieces
        for piece in range(pieces.count):
            self._odds[piece] = math.exp(pieces.scores[piece])
        # By node: the probability of the text from here to the end of the word; if negative, its logarithm.
        self._rests = vec[float]([1.0] * trie.size)
        height = trie.height
        # By depth, of the nodes between the present one and the root:
        self._path = vec[i32]([0] * (height + 1))
        self._path_rests = vec[float]([1.0] * (height + 1))
        self._flow = vec[float]([0.0] * (height + 1))  # words expected to be split in front of it
        self._next: i64 = 1
        self._last: i64 = trie.size - 1

    def advance(self, steps: i64) -> bool:
        """Processes some nodes; returns whether there are more."""
        if self._next < self._trie.size:
            self._forwards(self._next, min(self._trie.size, self._next + steps))
            self._next = min(self._trie.size, self._next + steps)
            return True
        stop = max(0, self._last - steps)
        self._backwards(self._last, stop)
        self._last = stop
        return stop > 0

    def _forwards(self, start: i64, stop: i64) -> None:
        """Computes the probabilities of the texts starting at some nodes."""
        depths = self._trie.depths
        words = self._trie.words
        longest = self._pieces.longest
        links = self._pieces.links
        lengths = self._pieces.lengths
        odds = self._odds
        rests = self._rests
        path_rests = self._path_rests
        likelihood = 0.0
        for node in range(start, stop):
            depth: i64 = i64(depths[node])
            rest = 0.0
            piece: i64 = i64(longest[node])
            if path_rests[depth - 1] > 0.0:
                while piece >= 0:
                    rest += odds[piece] * path_rests[depth - i64(lengths[piece])]
                    piece = i64(links[piece])
            if rest < SMALLEST:
                rest = self._log_rest(node, depth)
            rests[node] = rest
            path_rests[depth] = rest
            if words[node] > 0.0:
                likelihood += words[node] * (math.log(rest) if rest > 0.0 else rest)
        self.log_likelihood += likelihood

    def _backwards(self, start: i64, stop: i64) -> None:
        """Passes on the expected counts at the nodes ``start`` down to ``stop + 1``."""
        depths = self._trie.depths
        parents = self._trie.parents
        words = self._trie.words
        longest = self._pieces.longest
        links = self._pieces.links
        lengths = self._pieces.lengths
        odds = self._odds
        rests = self._rests
        path = self._path
        path_rests = self._path_rests
        flow = self._flow
        counts = self.counts
        node = start
        while node > stop:
            depth: i64 = i64(depths[node])
            above = node
            level = depth
            while i64(path[level]) != above:
                path[level] = i32(above)
                path_rests[level] = rests[above]
                above = i64(parents[above])
                level -= 1
            through = flow[depth] + words[node]
            flow[depth] = 0.0
            piece: i64 = i64(longest[node])
            rest = path_rests[depth]
            if rest > 0.0:
                share = through / rest
                while piece >= 0:
                    below = depth - i64(lengths[piece])
                    expected = share * odds[piece] * path_rests[below]
                    counts[piece] += expected
                    flow[below] += expected
                    piece = i64(links[piece])
            else:
                while piece >= 0:
                    below = depth - i64(lengths[piece])
                    behind = path_rests[below]
                    log_behind = math.log(behind) if behind > 0.0 else behind
                    expected = through * math.exp(self._pieces.scores[piece] + log_behind - rest)
                    counts[piece] += expected
                    flow[below] += expected
                    piece = i64(links[piece])
            node -= 1

    def _log_rest(self, node: i64, depth: i64) -> float:
        """Returns the logarithm of the probability of a long text."""
        links = self._pieces.links
        lengths = self._pieces.lengths
        scores = self._pieces.scores
        path_rests = self._path_rests
        best = -math.inf
        piece: i64 = i64(self._pieces.longest[node])
        while piece >= 0:
            behind = path_rests[depth - i64(lengths[piece])]
            log = scores[piece] + (math.log(behind) if behind > 0.0 else behind)
            if log > best:
                best = log
            piece = i64(links[piece])
        total = 0.0
        piece = i64(self._pieces.longest[node])
        while piece >= 0:
            behind = path_rests[depth - i64(lengths[piece])]
            log = scores[piece] + (math.log(behind) if behind > 0.0 else behind)
            total += math.exp(log - best)
            piece = i64(links[piece])
        return best + math.log(total)


class UnigramRounds:
    """Base of the rounds until there are at most ``piece_count`` pieces: call `advance` until it returns False.

    Between two steps ``pieces`` are always consistent. The columns record, for each EM, the number of pieces
    (``em_pieces``) and the mean natural logarithm of the likelihood of a word with them (``em_log_likelihoods``); for
    each pruning, the number of pieces and of tokens in the corpus (``pruned_pieces``, ``pruned_tokens``). A ``record``
    is filled with what each did.
    """

    def __init__(
        self, pieces: UnigramPieces, piece_count: i64, record: UnigramRecord | None
    ) -> None:
        self.pieces = pieces
        self.number: int = 1  # of the round
        self.pruning: bool = False
        self.finished: bool = False
        self.done: i64 = 0  # nodes and pieces that the present EM or pruning has gone through
        self.em_pieces = vec[i64]()
        self.em_log_likelihoods = vec[float]()
        self.pruned_pieces = vec[i64]()
        self.pruned_tokens = vec[i64]()
        self.least_expected = LEAST_EXPECTED  # by the last EM
        self._piece_count = piece_count
        self._expectation: UnigramExpectation | None = UnigramExpectation(pieces)
        self._record = record
        if record is not None:
            record.begin(pieces)

    @property
    def total(self) -> int:
        """The final value of ``done``."""
        raise NotImplementedError

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        expectation = self._expectation
        if expectation is None:
            self._prune()
        elif expectation.advance(_STEPS):
            self.done += _STEPS
        else:
            live = self.pieces.live
            keeps = self._maximize(expectation)
            mean = expectation.log_likelihood / self.pieces.trie.total
            self.em_pieces = append(self.em_pieces, live)
            self.em_log_likelihoods = append(self.em_log_likelihoods, mean)
            if self._record is not None:
                step = UnigramStep(EM, self.number, mean, least=self.least_expected)
                self._record.note(step, self.pieces, keeps, expectation.counts, None)
            self._expectation = None
            self._continue(live)
        return not self.finished

    def _maximize(self, expectation: UnigramExpectation) -> vec[u8]:
        """Sets the scores after an E step, drops pieces, and returns those kept."""
        raise NotImplementedError

    def _continue(self, live: i64) -> None:
        """Begins what comes after an EM, before which there were ``live`` pieces."""
        raise NotImplementedError

    def _prune(self) -> None:
        """Does about a millisecond of a pruning."""
        raise NotImplementedError


@final
class DiscreteRounds(UnigramRounds):
    """Rounds of ``sub_iterations`` EM iterations, then a pruning that keeps a share of the pieces
    (``shrinking_factor``).

    ``by_score``: a pruning keeps the pieces with the best scores (see `UnigramPruning`), the last one is followed by EM
    too, characters are always pieces, and the share is one of the longer pieces: the final-style pruning of Land and
    Pinter 2026 (https://arxiv.org/abs/2512.12641), as their ``UnigramTrainer`` in github.com/sanderland/script_tok
    does it with ``flat_score_prune``.
    """

    def __init__(
        self,
        pieces: UnigramPieces,
        piece_count: i64,
        sub_iterations: i64,
        shrinking_factor: float,
        record: UnigramRecord | None = None,
        by_score: bool = False,
    ) -> None:
        super().__init__(pieces, piece_count, record)
        self._by_score = by_score
        self._sub_iterations = sub_iterations
        self._shrinking_factor = shrinking_factor
        self._iteration: i64 = 0
        self._pruning: UnigramPruning | None = None

    @property
    def total(self) -> int:
        """The final value of ``done``."""
        nodes = 2 * self.pieces.trie.size
        return int(nodes + self.pieces.count if self.pruning else nodes * self._sub_iterations)

    def _maximize(self, expectation: UnigramExpectation) -> vec[u8]:
        least = LEAST_OF_CHARACTERS if self._by_score else 0.0
        return maximize(self.pieces, expectation.counts, least)

    def _continue(self, live: i64) -> None:
        pieces = self.pieces
        self._iteration += 1
        if self._iteration < self._sub_iterations:
            self._expectation = UnigramExpectation(pieces)
            return
        share = i64(self._shrinking_factor * float(pieces.live))
        if self._by_score:
            if pieces.live <= self._piece_count or self.number == _MOST_ROUNDS:
                self.finished = True
                return
            longer = pieces.live - pieces.characters
            share = longer - i64(float(longer) * (1.0 - self._shrinking_factor))
        count = max(self._piece_count, share)
        self._pruning = UnigramPruning(pieces, count, self._by_score)
        self.pruning = True
        self.done = 0

    def _prune(self) -> None:
        pieces = self.pieces
        pruning = self._pruning
        assert pruning is not None
        if pruning.advance(_STEPS):
            self.done += _STEPS
            return
        self.pruned_pieces = append(self.pruned_pieces, pieces.live)
        self.pruned_tokens = append(self.pruned_tokens, i64(pruning.token_count))
        pieces.keep(pruning.keep)
        if self._record is not None:
            step = UnigramStep(PRUNING, self.number, 0.0, int(pruning.token_count))
            losses = None if self._by_score else pruning.losses
            self._record.note(step, pieces, pruning.keep, pruning.used, losses)
        self._pruning = None
        self.pruning = False
        self.done = 0
        self._iteration = 0
        if pieces.live <= self._piece_count and not self._by_score:
            self.finished = True
            return
        self.number += 1
        self._expectation = UnigramExpectation(pieces)


@final
class SparseRounds(UnigramRounds):
    """Rounds of one EM each with an L1 penalty, which drops the pieces whose expected counts are below it.

    While there are far more pieces than requested, each EM raises the penalty to the count that about three quarters of
    the pieces have; it never falls, and the last EM too has it. Then, with ``debias``, an EM without a penalty corrects
    the scores. At the end the pieces are removed that are better split than whole, as no best tokenization has them.

    Unknown characters are counted as sentencepiece counts them, see `UnigramPieces.count_unknown`.
    """

    def __init__(
        self,
        pieces: UnigramPieces,
        piece_count: i64,
        debias: bool,
        record: UnigramRecord | None = None,
    ) -> None:
        super().__init__(pieces, piece_count, record)
        self.least_expected = 0.0  # the penalty
        self._debias = debias
        self._is_last = False  # whether the EM is the one without a penalty
        self._reachable = vec[u8]()
        self._split: SecondCut | None = None
        self._piece: i64 = 0

    @property
    def total(self) -> int:
        """The final value of ``done``."""
        return int(self.pieces.count if self.pruning else 2 * self.pieces.trie.size)

    def _maximize(self, expectation: UnigramExpectation) -> vec[u8]:
        counts = expectation.counts
        self.pieces.count_unknown(counts)
        live = self.pieces.live
        if self._is_last:
            self.least_expected = 0.0
        elif float(live) > float(self._piece_count) * _SPARSE_SURPLUS:
            values = vec[float]([0.0] * live)
            index: i64 = 0
            for piece in range(self.pieces.count):
                if self.pieces.alive[piece] != 0:
                    values[index] = counts[piece]
                    index += 1
            share = i64(float(live) * _SPARSE_SHARE)
            bound = kth_largest(values, max(self._piece_count, share) + 1)
            self.least_expected = max(self.least_expected, bound)
        return maximize_sparsely(self.pieces, counts, self.least_expected)

    def _continue(self, live: i64) -> None:
        pieces = self.pieces
        self.done = 0
        over = live <= self._piece_count or self.number == _MOST_EMS
        if not self._is_last and (self._debias or not over):
            self._is_last = over
            self.number += 1
            self._expectation = UnigramExpectation(pieces)
            return
        self.pruning = True
        self._reachable = vec[u8]([0] * pieces.count)
        self._split = SecondCut(pieces)

    def _prune(self) -> None:
        """Looks for pieces that are better split, and removes them at the end; the record's selection has them."""
        pieces = self.pieces
        split = self._split
        assert split is not None
        stop = min(pieces.count, self._piece + _PIECES)
        for piece in range(self._piece, stop):
            if pieces.alive[piece] != 0 and (
                piece < pieces.characters or split.find(piece) <= pieces.scores[piece]
            ):
                self._reachable[piece] = 1
        self._piece = stop
        self.done = stop
        if stop == pieces.count:
            pieces.keep(self._reachable)
            self._split = None
            self.finished = True
