"""Training: the algorithms, the trainers, and the reading of a corpus.

Public: the names below, and `mixture`: a corpus of parts of its sources.
"""

from tokenarium_core.training.algorithms import ALGORITHMS, make_trainer
from tokenarium_core.training.bpe_trainer import INCREMENTAL, NAIVE, WORDS, BpeTrainer
from tokenarium_core.training.merging.pair_record import EMPTY, PairRecord
from tokenarium_core.training.sentencepiece.sentencepiece_options import (
    OPTIONS as SENTENCEPIECE_OPTIONS,
)
from tokenarium_core.training.trainer import Trainer
from tokenarium_core.training.training_option import MIN_FREQUENCY, SPECIAL_TOKENS, Option, Value

__all__ = [
    "ALGORITHMS",
    "EMPTY",
    "INCREMENTAL",
    "MIN_FREQUENCY",
    "NAIVE",
    "SENTENCEPIECE_OPTIONS",
    "SPECIAL_TOKENS",
    "WORDS",
    "BpeTrainer",
    "Option",
    "PairRecord",
    "Trainer",
    "Value",
    "make_trainer",
]
