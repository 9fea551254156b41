"""The rounds of a Unigram training: expectation and maximisation, then fewer pieces, again and again.

Source: ``TrainDiscretePruning`` in google/sentencepiece 0.2.3, ``src/unigram_model_trainer.cc``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i64

from tokenarium_core.training.unigram.unigram_em import maximise
from tokenarium_core.training.unigram.unigram_expectation import UnigramExpectation
from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces
from tokenarium_core.training.unigram.unigram_pruning import UnigramPruning

_STEPS: Final = 20_000  # nodes or pieces; about a millisecond


@final
class UnigramRounds:
    """Rounds until there are ``wanted`` pieces at most: `advance` until it says False.

    A round is ``sub_iterations`` times EM, then a pruning that leaves a share of the pieces (``shrinking_factor``).
    Between two steps ``pieces`` are always whole. The columns tell, for each EM, with how many pieces it ran
    (``em_pieces``) and the mean natural logarithm of the likelihood of a word with them (``em_log_likelihoods``); for
    each pruning, with how many pieces the corpus takes how many tokens (``pruned_pieces``, ``pruned_tokens``).
    """

    def __init__(
        self, pieces: UnigramPieces, wanted: i64, sub_iterations: i64, shrinking_factor: float
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
        self._wanted = wanted
        self._sub_iterations = sub_iterations
        self._shrinking_factor = shrinking_factor
        self._iteration: i64 = 0
        self._expectation: UnigramExpectation | None = UnigramExpectation(pieces)
        self._pruning: UnigramPruning | None = None

    @property
    def total(self) -> int:
        """How far ``done`` will come."""
        nodes = 2 * self.pieces.trie.size
        return int(nodes + self.pieces.count if self.pruning else nodes * self._sub_iterations)

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        if self._expectation is not None:
            if self._expectation.advance(_STEPS):
                self.done += _STEPS
            else:
                self._maximise(self._expectation)
        elif self._pruning is not None:
            if self._pruning.advance(_STEPS):
                self.done += _STEPS
            else:
                self._prune(self._pruning)
        return not self.finished

    def _maximise(self, expectation: UnigramExpectation) -> None:
        """Ends an iteration of EM."""
        pieces = self.pieces
        mean = expectation.log_likelihood / pieces.trie.total
        self.em_pieces = append(self.em_pieces, pieces.live)
        self.em_log_likelihoods = append(self.em_log_likelihoods, mean)
        maximise(pieces, expectation.counts)
        self._expectation = None
        self._iteration += 1
        if self._iteration < self._sub_iterations:
            self._expectation = UnigramExpectation(pieces)
            return
        share = i64(self._shrinking_factor * float(pieces.live))
        self._pruning = UnigramPruning(pieces, max(self._wanted, share))
        self.pruning = True
        self.done = 0

    def _prune(self, pruning: UnigramPruning) -> None:
        """Ends a round."""
        pieces = self.pieces
        self.pruned_pieces = append(self.pruned_pieces, pieces.live)
        self.pruned_tokens = append(self.pruned_tokens, i64(pruning.token_count))
        pieces.keep(pruning.keep)
        self._pruning = None
        self.pruning = False
        self.done = 0
        self._iteration = 0
        if pieces.live <= self._wanted:
            self.finished = True
            return
        self.number += 1
        self._expectation = UnigramExpectation(pieces)
