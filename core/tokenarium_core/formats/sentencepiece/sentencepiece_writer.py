"""Writing SentencePiece's ``.model``: the pieces by the protobuf library, the settings as they are stored.

``Tokenizer.stored`` holds the settings in the wire format: "trainer_spec", "normalizer_spec", and what else the
file had. Source: ``src/sentencepiece_model.proto`` in google/sentencepiece.
"""

from __future__ import annotations

from typing import Any, Final

from mypy_extensions import i64

from tokenarium_core.formats.wire_format import packed
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Vocabulary,
)

_TYPES: Final = {NORMAL: 1, UNKNOWN: 2, CONTROL: 3, USER_DEFINED: 4, UNUSED: 5, BYTE: 6}
_TRAINER: Final = "trainer_spec"
_SETTINGS: Final = {
    2: _TRAINER,
    3: "normalizer_spec",
    4: "self_test_data",
    5: "denormalizer_spec",
}
"""The fields of the message that are written as they were stored, whatever the library knows of them."""


def obstacle(tokenizer: Tokenizer) -> str:
    """Returns why a tokenizer cannot be written so; empty where it can."""
    if _TRAINER not in tokenizer.stored:
        return (
            "The file holds what SentencePiece's stages do: merges or paths over characters, its own normalizer, no"
            " pattern that cuts a text. This tokenizer has other stages."
        )
    return ""


def write(tokenizer: Tokenizer, stem: str) -> dict[str, bytes]:
    """Returns the one file."""
    return {f"{stem}.model": model_content(tokenizer.vocabulary, tokenizer.stored)}


def model_content(vocabulary: Vocabulary, stored: dict[str, bytes]) -> bytes:
    """Returns a model's file of its pieces and its settings in the wire format."""
    from sentencepiece import sentencepiece_model_pb2 as definition

    model: Any = getattr(definition, "ModelProto")()  # noqa: B009 - made when it is imported
    for token in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[token])
        piece = model.pieces.add()
        # An unused piece with no bytes is the NUL that some converters write, see `SentencePieces`.
        piece.piece = vocabulary.surface(token) or "\0"
        piece.score = vocabulary.scores[token]
        if kind != NORMAL:
            piece.type = _TYPES[kind]
    content: bytes = model.SerializeToString()
    for number, name in _SETTINGS.items():
        if name in stored:
            content += packed(number, stored[name])
    return content
