"""The pre-tokenizer of models that have none: a text is one word."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer


@final
class WholeText(PreTokenizer):
    """Cuts nothing: what a model such as SentencePiece's gets is all that stands between added tokens."""

    def __init__(self) -> None:
        super().__init__("none", "(?s:.+)", ["text"])

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Tells the one end that there is; see `PreTokenizer.cut`."""
        if start == stop:
            return 0
        ends[0] = i32(stop)
        rules[0] = 0
        return 1
