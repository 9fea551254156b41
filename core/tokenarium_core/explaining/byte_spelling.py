"""Entries of bytes as people write them: in GPT-2's alphabet, whether or not the file of a vocabulary does so.

The files of tiktoken hold plain bytes, yet ``Ġthe`` is how everybody writes their `` the``.
"""

from __future__ import annotations

from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import BYTE_ALPHABET, PLAIN


def has_byte_spelling(tokenizer: Tokenizer) -> bool:
    """Tells whether the entries of a tokenizer can be written in GPT-2's alphabet: it works on bytes."""
    spelling = tokenizer.vocabulary.spelling
    if spelling == PLAIN:
        return isinstance(tokenizer.model, BytePairEncoder)
    return spelling == BYTE_ALPHABET


def spelled_bytes(text: str) -> bytes | None:
    """Returns the bytes that a text in GPT-2's alphabet stands for; None where it has other characters."""
    try:
        return byte_alphabet.to_bytes(text)
    except KeyError:
        return None
