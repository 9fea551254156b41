"""The ``decoder`` of a `tokenizer.json`.

Source: huggingface/tokenizers, ``decoders/mod.rs``.
"""

from __future__ import annotations

from tokenarium_core.decoder import Decoder
from tokenarium_core.hf_fields import Fields
from tokenarium_core.wordpiece_decoder import WordPieceDecoder


def decoder_of(steps: list[Fields], named: bool, left_out: frozenset[int]) -> Decoder:
    """Returns the decoder of these steps; ``named`` tells whether the file has one at all.

    The ids ``left_out`` give no text.
    """
    if named and len(steps) == 1 and steps[0].type == "WordPiece":
        return WordPieceDecoder(steps[0].text("prefix"), steps[0].flag("cleanup"), left_out)
    return Decoder("bytes")
