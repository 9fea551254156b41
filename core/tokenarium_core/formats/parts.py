"""The parts of a tokenizer besides its stages from text to ids, which a copy either preserves or is refused for.

A format says in `Format.holds` which of them its files can contain; `registry.obstacle_to` refuses the others by name.
"""

from __future__ import annotations

import json
from typing import Any, Final

from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.decoders.sentencepiece_decoder import SentencePieceDecoder
from tokenarium_core.decoders.token_decoders import ByteLevelStep, StepsDecoder, WordPieceStep
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.chat_part import CHAT, TEMPLATES, chat_of
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet

TEMPLATE: Final = "template"
TRUNCATION: Final = "truncation"
PADDING: Final = "padding"
DECODER: Final = "decoder"

TITLES: Final[dict[str, str]] = {
    TEMPLATE: "post-processor, which puts ids around each text",
    CHAT: "chat template",
    TRUNCATION: "truncation of long texts",
    PADDING: "padding of short texts",
    DECODER: "decoder, which makes text from ids in its own way",
}
"""The parts, in the order in which they are listed, and their names in messages."""

ALL_PARTS: Final = frozenset(TITLES)

FIELDS: Final = "fields"
"""The part of a ``tokenizer.json`` that `Tokenizer.stored` keeps: all fields but the vocabulary and the merges, as JSON."""


def fields_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the value of `FIELDS`; empty for a tokenizer not read from a ``tokenizer.json``."""
    fields: dict[str, Any] = json.loads(tokenizer.stored.get(FIELDS, b"{}"))
    return fields


def parts_of(tokenizer: Tokenizer) -> list[str]:
    """Returns the names of the parts that a tokenizer has, in the order of `TITLES`.

    A decoder that joins the bytes of pieces does not count: every byte-level tokenizer file implies it. Raises
    FormatError and NotAvailable like `chat_of`.
    """
    fields = fields_of(tokenizer)
    present = {
        TEMPLATE: tokenizer.template is not None,
        CHAT: bool(chat_of(tokenizer)[TEMPLATES]),
        TRUNCATION: fields.get(TRUNCATION) is not None,
        PADDING: fields.get(PADDING) is not None,
        DECODER: not joins_bytes(tokenizer),
    }
    return [part for part in TITLES if present[part]]


def lost_parts(tokenizer: Tokenizer, holds: frozenset[str]) -> list[str]:
    """Returns why files that can contain some parts cannot represent a tokenizer: a sentence for each missing part."""
    try:
        parts = parts_of(tokenizer)
    except (FormatError, NotAvailable) as error:
        return [f"Its chat template cannot be read: {error}"]
    return [lost_sentence(part) for part in parts if part not in holds]


def lost_sentence(part: str) -> str:
    """Returns a sentence saying that a format cannot represent a part."""
    return f"The format has no room for its {TITLES[part]}."


def joins_bytes(tokenizer: Tokenizer) -> bool:
    """Returns whether a decoder joins the bytes of pieces, apart from special tokens left out."""
    decoder = tokenizer.decoder
    if not isinstance(decoder, StepsDecoder):
        return not isinstance(decoder, SentencePieceDecoder)
    if len(decoder.steps) != 1 or not isinstance(decoder.steps[0], ByteLevelStep):
        return False
    return not misspelled(tokenizer)


def misspelled(tokenizer: Tokenizer) -> str:
    """Returns an added token that Hugging Face's byte-level decoder would change; empty if there is none.

    The decoder treats the characters of GPT-2's alphabet as bytes in added tokens, too.
    """
    known = byte_alphabet.BYTES.keys()
    for token in tokenizer.added_tokens.tokens:
        content = token.content
        if not content.isascii() and set(content) <= known:
            return content
    return ""


def same_decoder(one: Decoder, other: Decoder) -> bool:
    """Returns whether two WordPiece decoders are equivalent."""
    if not isinstance(one, StepsDecoder) or not isinstance(other, StepsDecoder):
        return False
    if len(one.steps) != 1 or len(other.steps) != 1:
        return False
    step = one.steps[0]
    like = other.steps[0]
    if not isinstance(step, WordPieceStep) or not isinstance(like, WordPieceStep):
        return False
    return step.prefix == like.prefix and step.cleanup == like.cleanup


def same_template(one: Template | None, other: Template | None) -> bool:
    """Returns whether two templates add the same ids around a text."""
    if one is None or other is None:
        return one is None and other is None
    return one.before == other.before and one.after == other.after
