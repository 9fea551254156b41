"""Many short texts, each encoded by itself: as exact as encoding one after another, and several times as fast."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of

Numbers = npt.NDArray[np.int64]

BETWEEN: Final = ("\n", " ")
"""What may stand between texts without a change of their tokens: for a byte-level model, and for one of SentencePiece."""

TRIED: Final = 16
"""Texts with which it is tried out; fewer are encoded one after another."""


class ApartTokens(NamedTuple):
    """The tokens of texts: how many each text has, their ids, and where they begin and end (n × 2) in its bytes."""

    counts: Numbers
    ids: Numbers
    spans: Numbers


def encoded_apart(tokenizer: tc.Tokenizer, texts: Sequence[str]) -> ApartTokens:
    """Returns the tokens of each text, encoded by itself.

    Encoding a text has a cost of its own. Therefore the ids come from one call, which is fast without places, and the
    places from the texts with something between them as one text, wherever that has the same ids.
    """
    if len(texts) > TRIED:
        ids = tokenizer.encode_ids_batch(texts)
        for between in BETWEEN:
            if _together(tokenizer, texts[:TRIED], ids[:TRIED], between) is not None:
                return _halved(tokenizer, texts, ids, between)
    return _one_by_one(tokenizer, texts)


def _halved(
    tokenizer: tc.Tokenizer, texts: Sequence[str], ids: Sequence[Sequence[int]], between: str
) -> ApartTokens:
    """Returns the tokens of texts together; where their ids differ, of both halves."""
    found = _together(tokenizer, texts, ids, between)
    if found is not None:
        return found
    if len(texts) <= TRIED:
        return _one_by_one(tokenizer, texts)
    half = len(texts) // 2
    halves = [
        _halved(tokenizer, texts[part], ids[part], between)
        for part in (slice(None, half), slice(half, None))
    ]
    return ApartTokens(*(np.concatenate(columns) for columns in zip(*halves, strict=True)))


def _together(
    tokenizer: tc.Tokenizer, texts: Sequence[str], each: Sequence[Sequence[int]], between: str
) -> ApartTokens | None:
    """Returns the tokens of texts, which are encoded with something between them; None if their ids differ from those of
    each by itself.
    """
    counts = np.fromiter(map(len, each), np.int64, len(each))
    ids = np.fromiter(chain.from_iterable(each), np.int64, int(counts.sum()))
    whole = tokenizer.encode(between.join(texts))
    found, spans = array_of(whole.ids), array_of(whole.spans).reshape(-1, 2)
    sizes = np.fromiter((len(text.encode("utf-8", "surrogatepass")) for text in texts), np.int64)
    starts = np.cumsum(sizes + len(between)) - sizes - len(between)
    if len(found) != len(ids):  # those between the texts are tokens of their own
        own = ~np.isin(spans[:, 0], starts[1:] - len(between)) | (spans[:, 0] == spans[:, 1])
        found, spans = found[own], spans[own]
    if len(found) != len(ids) or (found != ids).any():
        return None
    places = spans - np.repeat(starts, counts)[:, None]
    ends = np.repeat(sizes, counts)[:, None]
    if (places < -len(between)).any() or (places > ends).any():
        return None
    return ApartTokens(counts, ids, np.maximum(places, 0))


def _one_by_one(tokenizer: tc.Tokenizer, texts: Sequence[str]) -> ApartTokens:
    encodings = tokenizer.encode_batch(texts)
    if not encodings:
        none = np.zeros(0, np.int64)
        return ApartTokens(none, none, none.reshape(0, 2))
    columns = [array_of(one.ids) for one in encodings]
    spans = np.concatenate([array_of(one.spans) for one in encodings]).reshape(-1, 2)
    counts = np.array([len(column) for column in columns], np.int64)
    return ApartTokens(counts, np.concatenate(columns).astype(np.int64), spans.astype(np.int64))
