"""The ``decoder`` of a `tokenizer.json`.

Source: huggingface/tokenizers, ``decoders/mod.rs``.
"""

from __future__ import annotations

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.decoder import Decoder
from tokenarium_core.hf_fields import Fields
from tokenarium_core.wordpiece_decoder import WordPieceDecoder


def decoder_of(steps: list[Fields], added: list[AddedToken]) -> Decoder:
    """Returns the decoder of these steps; FormatError for one that cannot be run."""
    special = frozenset([token.id for token in added if token.special])
    if len(steps) == 1 and steps[0].type == "WordPiece":
        decoder = WordPieceDecoder(steps[0].text("prefix"), steps[0].flag("cleanup"), special)
        steps[0].finish()
        return decoder
    return Decoder("bytes")
