"""A small tekken.json for the tests."""

from __future__ import annotations

import base64
from typing import Any

from tokenarium_core.pretokenizers import scanner_o200k

PIECES = [b"lo", b"ow", b"low", b"er", b"lower", b" l", b" low", "é".encode(), b"11"]


def tekken(**config: Any) -> dict[str, Any]:
    """Returns a file of the 256 bytes and `PIECES`, with 24 special tokens and one piece too many."""
    pieces = [bytes([byte]) for byte in range(256)] + PIECES
    return {
        "config": {
            "pattern": scanner_o200k.TEKKEN,
            "num_vocab_tokens": len(pieces),
            "default_vocab_size": 24 + len(pieces) - 1,
            "default_num_special_tokens": 24,
            "version": "v3",
            **config,
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(piece).decode(), "token_str": None}
            for rank, piece in enumerate(pieces)
        ],
    }
