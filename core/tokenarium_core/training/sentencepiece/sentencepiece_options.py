"""The options that SentencePiece's algorithms have in common, by the names of its own trainer."""

from __future__ import annotations

from typing import Final

from tokenarium_core.training.sentencepiece.sentencepiece_training import NORMALIZATIONS
from tokenarium_core.training.training_option import Option
from tokenarium_core.vocabulary import MAX_IDS

_LAST_ID: Final = MAX_IDS - 1

OPTIONS: Final = [
    Option(
        "character_coverage",
        0.9995,
        "The share of the corpus whose characters become entries; rarer ones are unknown, or bytes.",
        least=0.98,
        most=1.0,
    ),
    Option("required_chars", "", "Characters that become entries however rare they are."),
    Option(
        "byte_fallback", False, "256 entries for the bytes, of which unknown characters are made."
    ),
    Option(
        "normalization",
        "nmt_nfkc",
        "What is done to characters first. nfkc: Unicode's NFKC; nmt_nfkc: also blanks and control characters put"
        " in order; nfkc_cf and nmt_nfkc_cf: also upper case folded; identity: characters stay as they are.",
        choices=NORMALIZATIONS,
    ),
    Option(
        "add_dummy_prefix", True, "A space before each text, so that a first word is like others."
    ),
    Option("remove_extra_whitespaces", True, "No spaces at either end, never two side by side."),
    Option("treat_whitespace_as_suffix", False, "Spaces end words instead of beginning them."),
    Option("split_by_unicode_script", True, "No entry holds letters of two scripts."),
    Option(
        "split_by_number",
        True,
        "No entry holds digits and letters; off: they go with any script.",
    ),
    Option("split_by_whitespace", True, "No entry goes on after a space."),
    Option("split_digits", False, "Each digit is an entry of its own."),
    Option("allow_whitespace_only_pieces", False, "Pieces of several spaces, as code has them."),
    Option("max_sentencepiece_length", 16, "The most characters of an entry.", least=1, most=512),
    Option(
        "max_sentence_length",
        0,
        "Lines of more bytes are left out; 0: none are (SentencePiece itself has 4,192).",
        least=0,
        most=0x7FFFFFFF,  # of the field in the model's file
    ),
    Option(
        "input_sentence_size",
        0,
        "How many lines are trained on; 0: all.",
        least=0,
    ),
    Option(
        "shuffle_input_sentence",
        True,
        "Where not all lines are trained on: they are chosen from the whole corpus, the same ones each time; off:"
        " the first are.",
    ),
    Option("unk_id", 0, "The id of the entry for what is unknown.", least=0, most=_LAST_ID),
    Option("bos_id", 1, "The id of the beginning of a text; -1: none.", least=-1, most=_LAST_ID),
    Option("eos_id", 2, "The id of the end of a text; -1: none.", least=-1, most=_LAST_ID),
    Option("pad_id", -1, "The id that fills a batch; -1: none.", least=-1, most=_LAST_ID),
    Option("unk_piece", "<unk>", "How the entry for what is unknown is written."),
    Option("bos_piece", "<s>", "How the beginning of a text is written."),
    Option("eos_piece", "</s>", "How the end of a text is written."),
    Option("pad_piece", "<pad>", "How the entry that fills a batch is written."),
    Option("control_symbols", list[str](), "Pieces that no text becomes, as <s> and </s> are."),
    Option("user_defined_symbols", list[str](), "Pieces that a text always keeps whole."),
]
"""What can be chosen for both BPE and Unigram; the values are those of `SentencePieceTraining`."""
