"""The first stage: what is changed in a text before it is cut.

Public: the names below, by which a tokenizer's ``normalizer`` is recognised.
"""

from tokenarium_core.normalizers.bert_normalizer import BertNormalizer

__all__ = [
    "BertNormalizer",
]
