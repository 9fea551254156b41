"""The models that a `tokenizer.json` of type BPE means: on bytes, or on characters.

Source: huggingface/tokenizers, ``models/bpe/model.rs``.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.byte_pair_encoder import BytePairEncoder
from tokenarium_core.merge_table import MergeTable
from tokenarium_core.vocabulary import Vocabulary
from tokenarium_core.word_merger import WordMerger

_NEVER: Final = frozenset([0xC0, 0xC1, *range(0xF5, 0x100)])
"""Bytes that stand in no UTF-8, so that a vocabulary may do without them."""


def lacking_bytes(vocabulary: Vocabulary) -> list[int]:
    """Returns the bytes of UTF-8 that a byte-level vocabulary has no piece for."""
    return [
        byte for byte in range(256) if byte not in _NEVER and vocabulary.find(bytes([byte])) < 0
    ]


def byte_level_encoder(
    vocabulary: Vocabulary, merges: MergeTable, ignore_merges: bool
) -> BytePairEncoder:
    """Returns the model on bytes, whose vocabulary has every byte that a text can have."""
    ids = vec[i64]([vocabulary.count] * 256)
    for byte in range(256):
        token = vocabulary.find(bytes([byte]))
        if token >= 0:
            ids[byte] = token
    return BytePairEncoder(vocabulary, WordMerger(ids, merges), whole_pieces=ignore_merges)
