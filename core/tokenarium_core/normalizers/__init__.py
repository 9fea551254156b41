"""The first stage: it changes a text before it is split.

Public: the names below, by which a tokenizer's ``normalizer`` is identified.
"""

from tokenarium_core.normalizers.bert_normalizer import BertNormalizer

__all__ = [
    "BertNormalizer",
]
