"""Training: the algorithms, the trainers, the reading of a corpus.

Public: the names below, and `mixture`, which composes a corpus from parts of its sources.
"""

from tokenarium_core.training.algorithms import ALGORITHMS, make_trainer
from tokenarium_core.training.bpe_trainer import (
    FIRST_SEEN,
    INCREMENTAL,
    NAIVE,
    TOKENIZERS,
    WORDS,
    BpeTrainer,
)
from tokenarium_core.training.merging.likelihood_queue import pair_scores
from tokenarium_core.training.merging.pair_ledger import PairLedger
from tokenarium_core.training.merging.pair_record import EMPTY, PairRecord
from tokenarium_core.training.merging.word_merges import WordMerges
from tokenarium_core.training.sentencepiece.sentencepiece_training import (
    AUTO_COVERAGE,
    SENTENCEPIECE_OPTIONS,
)
from tokenarium_core.training.trainer import (
    FORMER_NAMES,
    INPUT_FORMAT,
    MIN_FREQUENCY,
    ROWS,
    SPECIAL_TOKENS,
    Option,
    Trainer,
    Value,
)
from tokenarium_core.training.unigram.unigram_record import NO_LOSS, UnigramRecord, UnigramStep
from tokenarium_core.training.word_counter import PreTokenCounts
from tokenarium_core.training.word_counts import (
    FAMILIES,
    CountJob,
    WordCounts,
    count,
    counting_options,
    merge_files,
)

__all__ = [
    "ALGORITHMS",
    "AUTO_COVERAGE",
    "EMPTY",
    "FAMILIES",
    "FIRST_SEEN",
    "FORMER_NAMES",
    "INCREMENTAL",
    "INPUT_FORMAT",
    "MIN_FREQUENCY",
    "NAIVE",
    "NO_LOSS",
    "ROWS",
    "SENTENCEPIECE_OPTIONS",
    "SPECIAL_TOKENS",
    "TOKENIZERS",
    "WORDS",
    "BpeTrainer",
    "CountJob",
    "Option",
    "PairLedger",
    "PairRecord",
    "PreTokenCounts",
    "Trainer",
    "UnigramRecord",
    "UnigramStep",
    "Value",
    "WordCounts",
    "WordMerges",
    "count",
    "counting_options",
    "make_trainer",
    "merge_files",
    "pair_scores",
]
