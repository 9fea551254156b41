"""Small byte-level vocabularies for the tests, from lists of pieces or of merges."""

from __future__ import annotations

import base64

import tokenarium_core as tc
from tokenarium_core.formats.tiktoken_format import read_tiktoken
from tokenarium_core.pretokenizers.scanners import cutting


def rank_file(pieces: list[bytes]) -> bytes:
    """Returns a .tiktoken file with the 256 bytes first and then these pieces."""
    ranked = [bytes([byte]) for byte in range(256)] + pieces
    return b"".join(base64.b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(ranked))


def of_pieces(
    pieces: list[bytes],
    pre_tokenizer: str = "whitespace",
    special_tokens: dict[str, int] | None = None,
) -> tc.Tokenizer:
    """Returns the tokenizer of such a file."""
    return read_tiktoken(
        rank_file(pieces),
        "small.tiktoken",
        "small",
        cutting(pre_tokenizer),
        special_tokens or {},
    )


LOWER = of_pieces([b"lo", b"ow", b"low", b"er", b"lower", b" l", b" low"])
"""A vocabulary in which the merges of "low" are easy to follow: lo 256, ow 257, low 258, er 259, lower 260 …"""
