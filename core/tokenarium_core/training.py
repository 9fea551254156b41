"""Training a tokenizer: the short way, and the tokenizer that a trainer's merges make."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final

from mypy_extensions import i64

from tokenarium_core.added_tokens import of_special
from tokenarium_core.bpe_trainer import BpeTrainer
from tokenarium_core.details import Source
from tokenarium_core.merge_table import MergeTable
from tokenarium_core.opening import cutting
from tokenarium_core.rank_merges import encoder_of_merges
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, PieceArena, Vocabulary

ALGORITHMS: Final = ["bpe"]
"""The algorithms that `train` knows."""


def train(
    algorithm: str,
    corpus: Iterable[str] = (),
    *,
    vocab_size: int,
    files: Sequence[str | os.PathLike[str]] = (),
    pattern: str = "cl100k",
    min_frequency: int = 2,
    special_tokens: Sequence[str] = (),
    name: str = "trained",
) -> Tokenizer:
    """Returns a tokenizer trained on texts and files; see `BpeTrainer` for the options and errors.

    ``pattern`` is a name of `PRE_TOKENIZERS` or a regular expression. For progress, or to stop early,
    step a `BpeTrainer` and call `tokenizer_of`. Raises ValueError for an unknown algorithm.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(
            f"{algorithm!r} is not an algorithm to train: known is {', '.join(ALGORITHMS)}."
        )
    trainer = BpeTrainer(cutting(pattern), vocab_size, corpus, files, min_frequency, special_tokens)
    trainer.run()
    return tokenizer_of(trainer, name)


def tokenizer_of(trainer: BpeTrainer, name: str) -> Tokenizer:
    """Returns the tokenizer of the merges that a trainer has made so far: it need not be finished."""
    lefts = trainer.left
    rights = trainer.right
    count: i64 = len(lefts)
    special = trainer.special_tokens
    pieces = PieceArena(256 + count + len(special))
    by_id = [bytes([byte]) for byte in range(256)]
    for piece in by_id:
        pieces.add(piece, BYTE)
    table = MergeTable(count)
    for rank in range(count):
        left: i64 = i64(lefts[rank])
        right: i64 = i64(rights[rank])
        piece = by_id[left] + by_id[right]
        by_id.append(piece)
        pieces.add(piece, NORMAL)
        table.set(rank, left, right, 256 + rank)
    for token in special:
        pieces.add(token.encode(), CONTROL)
    encoder = encoder_of_merges(Vocabulary(pieces), table)
    ids = {token: int(256 + count) + index for index, token in enumerate(special)}
    tokenizer = Tokenizer(name, encoder, trainer.pre_tokenizer, of_special(ids))
    tokenizer.source = Source("trained", "")
    return tokenizer
