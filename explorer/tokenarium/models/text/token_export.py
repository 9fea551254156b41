"""Tokens to be taken elsewhere: their ids, or all about them as JSON."""

from __future__ import annotations

import json

from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.inspection import touching
from tokenarium_core import Encoding, Tokenizer


def ids_text(encoding: Encoding, start: int, end: int) -> str:
    """Returns the ids of the tokens that touch a range of bytes, as a list that JSON and Python read."""
    first, last = touching(encoding, start, end)
    return json.dumps(array_of(encoding.ids)[first:last].tolist())


def tokens_json(encoding: Encoding, tokenizer: Tokenizer, start: int, end: int) -> str:
    """Returns the tokens that touch a range of bytes, as JSON.

    Each has its id, its bytes in hexadecimal, its text where the bytes are whole characters (else
    null), and its span, the bytes of the text that it stands for.
    """
    first, last = touching(encoding, start, end)
    ids = array_of(encoding.ids)[first:last].tolist()
    spans = array_of(encoding.spans).reshape(-1, 2)[first:last].tolist()
    tokens = []
    for token, span in zip(ids, spans, strict=True):
        piece = tokenizer.vocabulary.piece(token)
        try:
            text: str | None = piece.decode()
        except UnicodeDecodeError:
            text = None
        tokens.append({"id": token, "text": text, "bytes": piece.hex(), "span": span})
    lines = ",\n  ".join(json.dumps(token, ensure_ascii=False) for token in tokens)
    name = json.dumps(tokenizer.name, ensure_ascii=False)
    body = f"[\n  {lines}\n ]" if tokens else "[]"
    return f'{{\n "tokenizer": {name},\n "tokens": {body}\n}}\n'
