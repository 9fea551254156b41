"""RWKV's tokenizer of a GGUF file: the longest entry at each place, over bytes, of any type.

Entries are written with escapes, as Python writes bytes without their quotes. Nothing is added around a text, whatever
the fields say.

Source: ``llama_unescape_rwkv_token``, ``llm_tokenizer_rwkv`` and ``tokenize`` in ``src/llama-vocab.cpp`` of
ggml-org/llama.cpp; ``_set_vocab_rwkv_world`` in its ``conversion``.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.gguf.gguf_entries import Entries
from tokenarium_core.formats.plain_lines import pieces_by_id
from tokenarium_core.models.longest_match import LongestMatch
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer

_ESCAPE: Final = re.compile(rb"\\(?:x([0-9a-f]{2})|([^x])|)", re.DOTALL)
_NAMED: Final = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def rwkv_of(entries: Entries, name: str) -> Tokenizer:
    """Returns the tokenizer of entries of the kind ``rwkv``.

    FormatError for an escape that is not complete, for two entries of the same bytes, of which llama.cpp finds the
    last, and if one of the 256 bytes is not an entry: llama.cpp has no id for it.
    """
    source = entries.source
    pieces: dict[int, bytes] = {}
    ids: dict[bytes, int] = {}
    for id, text in enumerate(entries.texts):
        piece = _unescaped(text.encode(), id, source)
        if piece in ids:
            raise FormatError(f"{source}: the entries {ids[piece]} and {id} are both {piece!r}.")
        ids[piece] = id
        pieces[id] = piece
    vocabulary = pieces_by_id(pieces, {}, source)
    try:
        model = LongestMatch(vocabulary, bytes_match=True)
    except FormatError as error:
        raise FormatError(f"{source}: {error}") from error
    return Tokenizer(
        name,
        model,
        WholeText(),
        AddedTokens(entries.added(), longest_first=True),
        decoder=Decoder("bytes", frozenset(entries.special_ids())),
    )


def _unescaped(text: bytes, id: int, source: str) -> bytes:
    parts: list[bytes] = []
    at = 0
    while True:
        start = text.find(b"\\", at)
        if start < 0:
            parts.append(text[at:])
            return b"".join(parts)
        parts.append(text[at:start])
        match = _ESCAPE.match(text, start)
        if match is None or match.end() == start + 1:
            raise FormatError(f"{source}: entry {id} is {text!r}, which has an incomplete escape.")
        if match[1] is not None:
            parts.append(bytes.fromhex(match[1].decode("ascii")))
        else:
            parts.append(_NAMED.get(match[2], match[2]))
        at = match.end()
