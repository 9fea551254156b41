"""The stage that cuts: scanners for the known patterns, any other pattern, and what Hugging Face's files name.

Public: the names below.
"""

from tokenarium_core.pretokenizers.pretokenizer import (
    REMOVED,
    REMOVED_RULE,
    PreTokenizer,
    WholeText,
)
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS

__all__ = [
    "PRE_TOKENIZERS",
    "REMOVED",
    "REMOVED_RULE",
    "PreTokenizer",
    "WholeText",
]
