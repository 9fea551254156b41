"""How much of a text became unknown tokens: one may stand for a whole word, so that figures look better than they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.share_text import percent
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_bpe import HfSymbols
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.models.lookup_models import WordLevel
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.vocabulary import UNKNOWN

TOO_MUCH = 0.005
"""From such a share of a text on, figures that count tokens are doubtful: as much text again would cost more tokens."""

SIGN = "?"
"""Stands beside a doubtful figure, so that colour does not tell it alone."""

NAMED = 4
"""Languages or tokenizers that a sentence names."""


def unknown_id(model: tc.Model) -> int:
    """Returns the id that stands for what a model cannot write, -1 for none; in a `tokenizer.json` an added token."""
    if isinstance(model, WordPiece | WordLevel):
        return model.unknown
    if isinstance(model, Unigram):
        return model.unknown_id
    if isinstance(model, CharacterBpe):
        source = model.source
        if isinstance(source, HfSymbols | SentencePieceSymbols):
            return source.unknown
    return -1


def unknown_ids(tokenizer: tc.Tokenizer) -> npt.NDArray[np.bool_]:
    """Returns of each id whether it is an unknown token."""
    kinds: npt.NDArray[np.uint8] = array_of(tokenizer.vocabulary.kinds)
    unknown: npt.NDArray[np.bool_] = kinds == UNKNOWN
    own = unknown_id(tokenizer.model)
    if 0 <= own < len(unknown):
        unknown[own] = True
    return unknown


def covered_bytes(
    unknown: npt.NDArray[np.bool_], ids: npt.NDArray[np.int32], spans: npt.NDArray[np.int32]
) -> tuple[int, int]:
    """Returns the bytes of the text that unknown tokens stand for, and those that any token stands for."""
    sizes = spans[:, 1] - spans[:, 0]
    return int(sizes[unknown[ids]].sum()), int(sizes.sum())


def unknown_share(tokenizer: tc.Tokenizer, lines: Sequence[str]) -> float:
    """Returns which share of some lines became unknown tokens, in bytes; of what no token stands for nothing counts."""
    unknown = unknown_ids(tokenizer)
    if not unknown.any():
        return 0.0
    lost = covered = 0
    for line in lines:
        encoding = tokenizer.encode(line)
        ids = array_of(encoding.ids)
        spans = array_of(encoding.spans).reshape(-1, 2)
        one, all_of_it = covered_bytes(unknown, ids, spans)
        lost += one
        covered += all_of_it
    return lost / covered if covered else 0.0


def is_doubtful(share: float) -> bool:
    """Tells whether so much became unknown tokens that figures that count tokens are no costs."""
    return share >= TOO_MUCH


def listed(shares: Sequence[tuple[str, float]]) -> str:
    """Returns names with their shares, the largest first; where there are many, only how many more there are.

    >>> listed([("Thai", 0.5), ("Arabic", 0.75)])
    'Arabic 75.0%, Thai 50.0%'
    """
    ordered = sorted(shares, key=lambda one: -one[1])
    told = [f"{name} {percent(share)}" for name, share in ordered[:NAMED]]
    more = len(ordered) - len(told)
    return ", ".join(told) + (f" and {more} more" if more else "")
