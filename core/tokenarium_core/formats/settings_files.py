"""The names of the files that transformers reads beside a vocabulary."""

from __future__ import annotations

from typing import Final

CONFIG: Final = "tokenizer_config.json"
SPECIAL: Final = "special_tokens_map.json"
ADDED: Final = "added_tokens.json"
MODEL_CONFIG: Final = "config.json"

SETTINGS_FILES: Final = (CONFIG, SPECIAL, ADDED)
"""The files that make a folder more than its vocabulary."""

BESIDE: Final = (*SETTINGS_FILES, MODEL_CONFIG)
"""The files of settings that are read beside a vocabulary; chat templates are files of their own."""
