"""The first stage: it changes a text before it is split.

Public: the names below, by which a tokenizer's ``normalizer`` is identified.
"""

from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.normalizers.normalizer import (
    Normalizer,
    NormalizerSequence,
    Prepend,
    SpaceMark,
)
from tokenarium_core.normalizers.sentencepiece_normalizer import MARK, SentencePieceNormalizer

__all__ = [
    "MARK",
    "BertNormalizer",
    "Normalizer",
    "NormalizerSequence",
    "Prepend",
    "SentencePieceNormalizer",
    "SpaceMark",
]
