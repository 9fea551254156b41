"""The stage that cuts: scanners for the known patterns, any other pattern, and what Hugging Face's files name.

Public: the names below.
"""

from tokenarium_core.pretokenizers.by_name import PRE_TOKENIZERS
from tokenarium_core.pretokenizers.pretokenizer import REMOVED, REMOVED_RULE, PreTokenizer
from tokenarium_core.pretokenizers.whole_text import WholeText

__all__ = [
    "PRE_TOKENIZERS",
    "REMOVED",
    "REMOVED_RULE",
    "PreTokenizer",
    "WholeText",
]
