"""Regular expressions, for `regex` and as Hugging Face writes them.

Public: ``PATIENCE``, the seconds of processor time that a pattern may take.
"""

from tokenarium_core.patterns.regex_engine import PATIENCE

__all__ = [
    "PATIENCE",
]
