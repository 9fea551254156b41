"""Tokenizers of ours as the libraries read their files."""

from __future__ import annotations

from pathlib import Path

import tokenizers

import tokenarium_core as tc


def as_tokenizers(tokenizer: tc.Tokenizer, folder: Path) -> tokenizers.Tokenizer:
    """Returns a tokenizer as the library tokenizers reads its file, which is written into a folder."""
    path = folder / "tokenizer.json"
    tokenizer.save(path, "huggingface", allow_differences=True)
    return tokenizers.Tokenizer.from_file(str(path))
