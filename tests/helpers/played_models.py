"""Small tokenizers of every model for the players, trained on a few lines."""

from __future__ import annotations

import functools

from sentencepiece_models import trained

import tokenarium_core as tc
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = ["un", "##aff", "##able", "##a", "aff", "a", "!", "नम"]


@functools.cache
def unigram(byte_fallback: bool = True) -> tc.Tokenizer:
    """A Unigram tokenizer; without byte fallback, what it lacks is unknown."""
    content = trained("unigram", 600, byte_fallback=byte_fallback, character_coverage=0.98)
    return read_sentencepiece(content, "test.model", "unigram")


@functools.cache
def bpe(byte_fallback: bool = True) -> tc.Tokenizer:
    """A SentencePiece BPE tokenizer with the user-defined piece ``<mask>``."""
    content = trained(
        "bpe",
        700,
        ("<mask>",),
        byte_fallback=byte_fallback,
        character_coverage=0.98,
    )
    return read_sentencepiece(content, "test.model", "bpe")


@functools.cache
def wordpiece() -> tc.Tokenizer:
    """A WordPiece tokenizer that knows few pieces."""
    return read_vocab_txt("\n".join([*SPECIAL, *WORDS]).encode(), "wordpiece")
