"""Tells which family of models a tokenizer belongs to, from the configuration files beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

LARGEST = 4 << 20
"""Bytes of a configuration file; larger ones are none."""

_CLASS = re.compile(r"(Tokenizer|TokenizerFast|Fast)$")
_GENERIC = {"PreTrainedTokenizerFast", "PreTrainedTokenizer", "TokenizersBackend", ""}


def family_of(folder: Path) -> str:
    """Returns the family in a word or two (``"gemma3_text"``, ``"Llama"``); empty where nothing tells it.

    ``model_type`` of ``config.json`` names the model; else the class of ``tokenizer_config.json`` does.
    """
    model_type = _field(folder / "config.json", "model_type")
    if model_type:
        return model_type
    named = _field(folder / "tokenizer_config.json", "tokenizer_class")
    return "" if named in _GENERIC else _CLASS.sub("", _CLASS.sub("", named))


def _field(path: Path, name: str) -> str:
    try:
        if path.stat().st_size > LARGEST:
            return ""
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    value = content.get(name) if isinstance(content, dict) else None
    return value if isinstance(value, str) and len(value) < 64 else ""
