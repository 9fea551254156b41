"""The likelihoods of pieces out of how often they are expected: the M step of a Unigram training."""

from __future__ import annotations

import math
from typing import Final

from librt.vecs import vec
from mypy_extensions import u8

from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces

LEAST_EXPECTED: Final = 0.5
"""A piece that is expected less often than this goes."""


def digamma(x: float) -> float:
    """Returns the derivative of the logarithm of the gamma function, for x > 0, to about 1e-9.

    By the recurrence up to 7, from there on by the asymptotic series around x - 1/2.
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


def maximise(pieces: UnigramPieces, counts: vec[float]) -> None:
    """Gives the pieces the scores that their expected counts make likely, and drops the rare ones.

    Not their logarithms, but digamma of them: a prior under which few pieces are better (Liang and Klein
    2007, "Structured Bayesian Nonparametric Models with Variational Inference"), as sentencepiece does.
    """
    wanted = vec[u8]([0] * pieces.count)
    total = 0.0
    for piece in range(pieces.count):
        if pieces.alive[piece] != 0 and counts[piece] >= LEAST_EXPECTED:
            wanted[piece] = 1
            total += counts[piece]
    log_total = digamma(total)
    scores = pieces.scores
    for piece in range(pieces.count):
        if wanted[piece] != 0:
            scores[piece] = digamma(counts[piece]) - log_total
    pieces.keep(wanted)
