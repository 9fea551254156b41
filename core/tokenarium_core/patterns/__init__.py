"""Regular expressions: for the `regex` module, and as Hugging Face's files have them.

Public: ``PATIENCE``, the seconds of processor time that a pattern may take.
"""

from tokenarium_core.patterns.regex_engine import PATIENCE

__all__ = [
    "PATIENCE",
]
