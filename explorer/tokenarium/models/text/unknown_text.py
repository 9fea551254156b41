"""How much of a text became unknown tokens: one may stand for a whole word, which makes figures look too good."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.piece import percent
from tokenarium_core.models import (
    CharacterBpe,
    HfSymbols,
    SentencePieceSymbols,
    Unigram,
    WordLevel,
    WordPiece,
)
from tokenarium_core.vocabulary import UNKNOWN

TOO_MUCH = 0.005
"""The share of a text from which on figures that count tokens are doubtful."""

SIGN = "?"
"""Marks a doubtful figure, in addition to its colour."""

NAMED = 4
"""Most languages or tokenizers that a sentence names."""


def unknown_id(model: tc.Model) -> int:
    """Returns the id of the unknown token, or -1; in a `tokenizer.json` it may be an added token."""
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
    """Returns for each id whether it is an unknown token."""
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
    """Returns the share of some lines, in bytes, that became unknown tokens; text without tokens does not count."""
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
    """Returns whether too much became unknown tokens for figures that count tokens."""
    return share >= TOO_MUCH


def listed(shares: Sequence[tuple[str, float]]) -> str:
    """Returns names with their shares, the largest first; of many, the last are only counted.

    >>> listed([("Thai", 0.5), ("Arabic", 0.75)])
    'Arabic 75.0%, Thai 50.0%'
    """
    ordered = sorted(shares, key=lambda one: -one[1])
    named = [f"{name} {percent(share)}" for name, share in ordered[:NAMED]]
    more = len(ordered) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
