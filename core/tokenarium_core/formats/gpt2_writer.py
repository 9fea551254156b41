"""Writing GPT-2's pair of files: ``encoder.json`` and ``vocab.bpe``; see `gpt2_format`.

The first line of ``vocab.bpe``, which all who read it pass over, says which ``encoder.json`` it belongs to.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

from mypy_extensions import i64

from tokenarium_core.formats.byte_level import (
    obstacle_to_bytes,
    obstacle_to_spelling,
    ordered_merges,
)
from tokenarium_core.formats.gpt2_format import ENCODER_HASH
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import BYTE, NORMAL

_HEAD: Final = f"#version: 0.2 {ENCODER_HASH}"


def obstacle(tokenizer: Tokenizer) -> str:
    """Returns why a tokenizer cannot be written so; empty where it can."""
    reason = obstacle_to_bytes(tokenizer)
    if reason:
        return reason
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    if tokenizer.pre_tokenizer.name != "gpt2":
        return "The pair holds no pattern: who reads it cuts a text as GPT-2 does, and this tokenizer cuts otherwise."
    if model.whole_pieces:
        return (
            "The pair lists merges, and this tokenizer also takes words whole that no merges make."
        )
    for token in tokenizer.special_tokens:
        if len(token) < 3 or token[0] not in "<[" or token[-1] not in ">]":
            return f"In the pair a special token is known by its brackets, and {token!r} has none."
    made = set(model.merges.results)
    vocabulary = model.vocabulary
    for entry in range(len(vocabulary)):
        if i64(vocabulary.kinds[entry]) == NORMAL and entry not in made:
            return f"The pair has no entries that no merge makes, and {vocabulary.piece(entry)!r} is one."
    return obstacle_to_spelling(tokenizer)


def write(tokenizer: Tokenizer, stem: str) -> dict[str, bytes]:
    """Returns the two files, whose names are always the same."""
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    vocabulary = model.vocabulary
    texts: dict[int, str] = {}
    for token in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[token])
        if kind == NORMAL or kind == BYTE:
            texts[token] = byte_alphabet.to_text(vocabulary.piece(token))
    ids = {text: token for token, text in texts.items()}
    ids.update(tokenizer.special_tokens)
    merges = [f"{texts[left]} {texts[right]}" for left, right in ordered_merges(model)]
    encoder = json.dumps(ids).encode()
    head = f"{_HEAD}{hashlib.sha256(encoder).hexdigest()}"
    return {"encoder.json": encoder, "vocab.bpe": "\n".join([head, *merges, ""]).encode()}
