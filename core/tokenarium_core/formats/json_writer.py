"""Writing our own JSON, see `json_format`."""

from __future__ import annotations

from tokenarium_core.formats.byte_level import obstacle_to_bytes
from tokenarium_core.formats.json_format import write_json
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.tokenizer import Tokenizer


def obstacle(tokenizer: Tokenizer) -> str:
    """Returns why a tokenizer cannot be written so; empty where it can."""
    return obstacle_to_bytes(tokenizer)


def write(tokenizer: Tokenizer, stem: str) -> dict[str, bytes]:
    """Returns the one file."""
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    content = write_json(tokenizer.name, tokenizer.pre_tokenizer, model, tokenizer.special_tokens)
    return {f"{stem}.json": content}
