"""The stage that splits a text into words: scanners and patterns.

Public: the names below.
"""

from tokenarium_core.pretokenizers.pretokenizer import (
    REMOVED,
    REMOVED_RULE,
    PreTokenizer,
    WholeText,
)
from tokenarium_core.pretokenizers.scanners import NO_CUTS, PRE_TOKENIZERS

__all__ = [
    "NO_CUTS",
    "PRE_TOKENIZERS",
    "REMOVED",
    "REMOVED_RULE",
    "PreTokenizer",
    "WholeText",
]
