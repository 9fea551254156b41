"""What is known of an export before it is made: why it would fail, and what no proof can have in its text."""

from __future__ import annotations

from typing import Final

import tokenarium_core as tc
from tokenarium_core.formats.registry import obstacle_to
from tokenarium_core.models import Unigram
from tokenarium_core.normalized_text import unchanged
from tokenarium_core.padded_text import padded

BYTE_NAMES: Final = (
    "Hugging Face's Unigram takes the name of a byte in a text, such as {name}, for that byte, and this model does not:"
    " ids would differ. SentencePiece's own format holds it."
)


MARKED: Final = "o\u0306\u0307\u0308"

MARKS: Final = (
    "Hugging Face's copy of this model's normalization changes a letter with several marks above it otherwise: ids"
    " would differ. SentencePiece's own format holds it."
)


def why_not_offered(tokenizer: tc.Tokenizer, format: str) -> str:
    """Returns why a tokenizer is not exported in a format, in a sentence; "" if nothing speaks against it.

    The library tokenizers looks up all pieces of a Unigram vocabulary in the text, those of bytes too; SentencePiece has
    them only for characters that are in no piece.
    """
    obstacle = obstacle_to(tokenizer, format)
    if obstacle or format != "huggingface" or not isinstance(tokenizer.model, Unigram):
        return obstacle
    if _joins_marks(tokenizer):
        return MARKS
    vocabulary = tokenizer.vocabulary
    byte = next((one for one in range(len(vocabulary)) if vocabulary.kind(one) == "byte"), -1)
    if byte < 0:
        return ""
    name = f"<0x{vocabulary.piece(byte)[0]:02X}>"
    return "" if byte in tokenizer.encode_ids(name) else BYTE_NAMES.format(name=name)


def _joins_marks(tokenizer: tc.Tokenizer) -> bool:
    """Whether a table of SentencePiece joins a letter with the first of several marks: tokenizers (0.23, `precompiled.rs`)
    looks up a letter with its marks only up to six bytes, and longer ones character by character.
    """
    normalizer = tokenizer.normalizer
    if normalizer is None or getattr(normalizer, "charsmap", None) is None:
        return False
    changed = normalizer.normalize(unchanged(padded(MARKED), len(MARKED.encode()), 0))
    return MARKED[:2].encode() not in bytes(changed.data[: changed.size])


def without_names(tokenizer: tc.Tokenizer, text: str) -> str:
    """Returns a text without the names of special tokens: libraries do not agree on whether plain text may hold them.

    The name of the unknown token is one in a file of Hugging Face, and none in one of SentencePiece.
    """
    vocabulary = tokenizer.vocabulary
    names = set(tokenizer.special_tokens)
    if isinstance(tokenizer.model, Unigram):
        for token in range(len(vocabulary)):
            if vocabulary.kind(token) == "unknown":
                names.add(vocabulary.surface(token))
    for name in sorted(names - {""}, key=lambda one: (-len(one), one)):
        text = text.replace(name, "")
    return text
