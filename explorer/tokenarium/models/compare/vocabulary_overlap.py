"""What two vocabularies have in common: pieces that stand for the same bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium_core.vocabulary import CONTROL, UNKNOWN, UNUSED


def text_pieces(tokenizer: tc.Tokenizer) -> dict[bytes, int]:
    """Returns the ids of all pieces that stand for bytes of a text, by these bytes; the smallest id of several.

    Special tokens, unknown and unused entries stand for none. Whether a piece begins a word, or goes on one
    (``##ing``), is not in its bytes.
    """
    found: dict[bytes, int] = {}
    add_pieces(found, tokenizer, 0, len(tokenizer.vocabulary))
    return found


def add_pieces(found: dict[bytes, int], tokenizer: tc.Tokenizer, first: int, last: int) -> None:
    """Adds what `text_pieces` returns of the ids from ``first`` up to ``last``, in rising order."""
    vocabulary = tokenizer.vocabulary
    arena = vocabulary.arena
    offsets = array_of(vocabulary.offsets)[first : last + 1].tolist()
    kinds = array_of(vocabulary.kinds)[first:last].tolist()
    for place, kind in enumerate(kinds):
        if kind not in (CONTROL, UNKNOWN, UNUSED):
            found.setdefault(arena[offsets[place] : offsets[place + 1]], first + place)


def shared_counts(pieces: Sequence[dict[bytes, int]]) -> npt.NDArray[np.int64]:
    """Returns how many pieces each two vocabularies share (n × n); on the diagonal how many each has."""
    keys = [one.keys() for one in pieces]
    return np.array([[len(one & other) for other in keys] for one in keys], np.int64)


def only_in(one: dict[bytes, int], others: Sequence[dict[bytes, int]]) -> list[int]:
    """Returns the ids of the pieces that none of the other vocabularies has, in their order."""
    return sorted(
        token for piece, token in one.items() if not any(piece in other for other in others)
    )
