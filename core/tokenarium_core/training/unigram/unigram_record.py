"""What the steps of a Unigram training did: the number of pieces, the value of each, and which were removed."""

from __future__ import annotations

import math
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces

SEED: Final = "seed"
EM: Final = "EM"
PRUNING: Final = "pruning"
SELECTION: Final = "selection"
NO_LOSS: Final = -math.inf
"""Instead of a loss: none was computed, since the piece is in no best tokenization, is better split itself, or always stays."""


@final
class UnigramStep:
    """One step: its ``kind`` (`SEED`, `EM`, `PRUNING`, `SELECTION`) and its ``round``, from 1; 0 for the seed.

    The columns have a row for each piece that existed before the step: ``numbers``, its index in the ``texts`` of the
    record; ``kept``, 1 if it remains; ``scores``, natural logarithms of probabilities, after the step if it remains
    and before it otherwise; ``counts``, how often EM expects it in the corpus, or how often the best tokenizations
    use it when pieces are pruned (else 0); ``losses``, how much less likely a token of the corpus is estimated to be
    without it (see `NO_LOSS`), by which pruning chooses.

    ``log_likelihood``: the mean natural logarithm of the likelihood of a word before an EM step changed the scores, else
    0. ``least``: how often a piece has to be expected in order to remain after an EM, else 0. ``tokens``: how many tokens
    the corpus had before a pruning, else 0.
    """

    def __init__(
        self,
        kind: str,
        round: int,
        log_likelihood: float = 0.0,
        tokens: int = 0,
        least: float = 0.0,
    ) -> None:
        self.kind = kind
        self.round = round
        self.log_likelihood = log_likelihood
        self.tokens = tokens
        self.least = least
        self.numbers = vec[i32]()
        self.kept = vec[u8]()
        self.scores = vec[float]()
        self.counts = vec[float]()
        self.losses = vec[float]()
        self.left: int = 0
        """How many pieces remain."""

    @property
    def before(self) -> int:
        """How many pieces there were before it; for the seed, how many it has.

        In the selection, the characters that become pieces again are counted too.
        """
        return len(self.numbers)

    def add(self, number: i64, kept: bool, score: float, count: float, loss: float) -> None:
        """Adds the row of a piece."""
        self.numbers = append(self.numbers, i32(number))
        self.kept = append(self.kept, u8(1) if kept else u8(0))
        self.scores = append(self.scores, score)
        self.counts = append(self.counts, count)
        self.losses = append(self.losses, loss)
        if kept:
            self.left += 1


@final
class UnigramRecord:
    """The ``steps`` of a training in order, and the ``texts`` of all pieces that ever existed.

    The seed first; then each EM and each pruning; last the selection of those that the tokenizer has. ``texts`` have a
    space for each ``▁``, the characters before the longer ones. Sparse pruning is all in its EM steps; then the selection
    leaves out the pieces that are better split too.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.steps: list[UnigramStep] = []
        self._numbers = vec[i32]()  # of the present pieces
        self._alive = vec[u8]()
        self._scores = vec[float]()

    def begin(self, pieces: UnigramPieces) -> None:
        """Records the seed."""
        step = UnigramStep(SEED, 0)
        for piece in range(pieces.count):
            self.texts.append(pieces.text(piece))
            step.add(piece, True, pieces.scores[piece], 0.0, NO_LOSS)
        self._numbers = step.numbers
        self._alive = vec[u8]([1] * len(step.numbers))
        self._scores = vec[float](list(step.scores))  # a copy: the step keeps those of the seed
        self.steps.append(step)

    def note(
        self,
        step: UnigramStep,
        pieces: UnigramPieces,
        kept: vec[u8],
        counts: vec[float],
        losses: vec[float] | None,
    ) -> None:
        """Records a step, once ``pieces`` have dropped what is not ``kept``; the columns are by the numbers before."""
        old = self._numbers
        numbers = vec[i32]([0] * pieces.count)
        used: i64 = 0
        for piece in range(len(old)):
            number = i64(old[piece])
            stays = kept[piece] != 0
            if self._alive[number] != 0:
                if stays:
                    self._scores[number] = pieces.scores[used]
                else:
                    self._alive[number] = 0
                loss = NO_LOSS if losses is None else losses[piece]
                step.add(number, stays, self._scores[number], counts[piece], loss)
            if stays or piece < pieces.characters:
                numbers[used] = i32(number)
                used += 1
        self._numbers = numbers
        self.steps.append(step)

    def finish(self, final: dict[str, float]) -> None:
        """Records which pieces the tokenizer has, and their scores; a character may become a piece again."""
        step = UnigramStep(SELECTION, self.steps[-1].round)
        for number, text in enumerate(self.texts):
            chosen = text in final
            if self._alive[number] != 0 or chosen:
                score = final[text] if chosen else self._scores[number]
                step.add(number, chosen, score, 0.0, NO_LOSS)
        self.steps.append(step)

    @property
    def is_sparse(self) -> bool:
        """Whether the training has no other pruning than in its EM steps."""
        return not any(step.kind == PRUNING for step in self.steps)

    def pieces(self, place: int) -> dict[str, float]:
        """Returns the pieces that remain after a step, with their scores."""
        step = self.steps[place]
        scores: dict[str, float] = {}
        for row in range(len(step.numbers)):
            if step.kept[row] != 0:
                scores[self.texts[step.numbers[row]]] = step.scores[row]
        return scores
