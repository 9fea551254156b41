"""What can be chosen for every training in SentencePiece's manner."""

from __future__ import annotations

from typing import Final

from tokenarium_core.sentencepiece_training import NORMALIZATIONS
from tokenarium_core.training_option import Option

SENTENCEPIECE_OPTIONS: Final = [
    Option(
        "character_coverage",
        0.9995,
        "The share of the corpus whose characters become pieces; the rarer ones are unknown.",
        least=0.98,
        most=1.0,
    ),
    Option("required_chars", "", "Characters that become pieces in any case."),
    Option(
        "byte_fallback", False, "Whether unknown characters become their bytes, 256 more pieces."
    ),
    Option(
        "normalization", "nmt_nfkc", "The rules that characters are normalised by.", NORMALIZATIONS
    ),
    Option("add_dummy_prefix", True, "Whether a space is put before each text."),
    Option(
        "remove_extra_whitespaces",
        True,
        "Whether spaces at the ends of a text are taken out, and one is left of several.",
    ),
    Option("treat_whitespace_as_suffix", False, "Whether a space belongs to the word before it."),
    Option("split_by_unicode_script", True, "Whether a piece keeps to one script."),
    Option("split_by_number", True, "Whether digits stay apart from letters."),
    Option("split_by_whitespace", True, "Whether a piece keeps to one word."),
    Option("split_digits", False, "Whether each digit is a piece of its own."),
    Option("allow_whitespace_only_pieces", False, "Whether several spaces can be a piece."),
    Option("max_sentencepiece_length", 16, "The most characters of a piece.", least=1, most=512),
    Option(
        "max_sentence_length",
        0,
        "The most bytes of a line; longer ones are left out (0: none are).",
        least=0,
    ),
    Option("control_symbols", list[str](), "Pieces that no text becomes."),
    Option(
        "user_defined_symbols", list[str](), "Pieces that are always found in a text as they are."
    ),
]
"""The names and defaults are those of SentencePiece, but for ``max_sentence_length`` (4192 there)."""
