"""How many bits an n-gram model of ids needs for a text that it has not seen: Witten–Bell interpolation, with numpy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]


class DividedText(NamedTuple):
    """The part of a text that a model learns from, and the rest, on which it is measured."""

    learned: str
    measured: str


def split_text(text: str, share: float = 0.8) -> DividedText:
    """Returns a text divided after the line that contains this share of it; within that line if no other follows."""
    place = int(share * len(text))
    end = text.find("\n", place) + 1
    if end in (0, len(text)):
        end = text.rfind("\n", 0, place) + 1 or place
    return DividedText(text[:end], text[end:])


def ngram_bits(learned: npt.ArrayLike, measured: npt.ArrayLike, size: int, order: int) -> float:
    """Returns the bits of ids by a model of this order that has learned others; ``size`` ids are possible.

    P(w|h) = (c(hw) + T(h) · P(w|h′)) ÷ (c(h) + T(h)), where c counts in what is learned, T(h) is how many different ids follow
    h there, and h′ is h without its first id; without any id of the context, P is 1 ÷ size. Contexts that never occur are
    shortened. Both sequences begin with a mark that belongs to contexts. Source: Witten and Bell 1991, as in Chen and
    Goodman 1999, An Empirical Study of Smoothing Techniques for Language Modeling.
    """
    first, second = np.asarray(learned, np.int64), np.asarray(measured, np.int64)
    tokens = np.concatenate(([size], first, [size], second))
    places = np.arange(len(tokens))
    in_learned = (places > 0) & (places <= len(first))
    wanted = places[len(first) + 2 :]
    shares = np.full(len(wanted), 1 / max(size, 1))  # a vocabulary may have no entry
    context = np.zeros(
        len(tokens), np.int64
    )  # the number of the ids before each place, as many as the round
    for length in range(order):
        gram: Ids = tokens  # a single id is its own number
        if length:
            keys = context * (size + 1) + tokens
            gram = np.unique(keys, return_inverse=True)[1].reshape(-1)
        counted = in_learned & (places >= length)
        counts = np.bincount(gram[counted], minlength=int(gram.max()) + 1)
        contexts = np.bincount(context[counted], minlength=int(context.max()) + 1)
        followed = np.zeros(len(counts), np.int64)  # the context of each n-gram
        followed[gram] = context
        kinds = np.bincount(followed[counts > 0], minlength=len(contexts))
        before = context[wanted]
        whole = contexts[before] + kinds[before]
        mixed = (counts[gram[wanted]] + kinds[before] * shares) / np.maximum(whole, 1)
        shares = np.where(whole > 0, mixed, shares)
        # Longer contexts: those that would begin before the sequence are 0, which nothing follows.
        context = np.concatenate(([0], gram[:-1] + 1))
        context[: length + 1] = 0
    return float(-np.log2(shares).sum()) + 0.0
