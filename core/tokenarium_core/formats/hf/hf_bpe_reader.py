"""The model that a `tokenizer.json` of type BPE means where it is on bytes.

Source: huggingface/tokenizers, ``models/bpe/model.rs``.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.models.bpe.word_merger import WordMerger
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import Vocabulary

_NEVER: Final = frozenset([0xC0, 0xC1, *range(0xF5, 0x100)])
"""Bytes that stand in no UTF-8, so that a vocabulary may do without them."""


def has_all_bytes(entries: HfVocabulary) -> bool:
    """Tells whether the entries have, in GPT-2's alphabet, each byte that stands in UTF-8."""
    for byte in range(256):
        if byte not in _NEVER and entries.find(byte_alphabet.CHARACTERS[byte]) < 0:
            return False
    return True


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
