"""Superwords: entries that hold several words; and sentences about them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium_core.explaining.vocabulary_entries import is_superword, superwords, words_in

ABOUT = "Superwords hold several words, and have a line at the foot."
"""The explanation of the marks in a legend."""


@lru_cache(maxsize=32)
def superword_ids(tokenizer: tc.Tokenizer) -> npt.NDArray[np.int32]:
    """Returns the ids of all superwords, in rising order; worked out once for each tokenizer."""
    return np.asarray(superwords(tokenizer), dtype=np.int32)


def superword_note(vocabulary: tc.Vocabulary, token: int) -> str:
    """Returns a sentence on an entry that is a superword; empty for any other, or for an id below 0."""
    if token < 0 or not is_superword(vocabulary, token):
        return ""
    return f"A superword: one entry that holds {words_in(vocabulary.piece(token))} words."
