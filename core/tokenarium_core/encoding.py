"""What comes out of encoding a text: ids, the bytes that each stands for, and the cuts before them."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.normalized_text import NormalizedText
from tokenarium_core.pretokenizers.pretokens import PreTokens


@final
class Encoding:
    """The ids of a text and where they stand, as packed columns (numpy sees them without a copy).

    ``ids``: one int32 a token. ``spans``: two int32 a token, its first byte in the UTF-8 of the original
    text and the byte behind its last. ``pre_tokens``: the cuts that were made first, with the rule of
    each, in the normalised text ``text``; ``places``: two int32 a token, where it stands there. Where no
    normalizer changed anything, ``places`` are the ``spans``.
    """

    def __init__(
        self,
        ids: vec[i32],
        spans: vec[i32],
        pre_tokens: PreTokens,
        text: NormalizedText,
        places: vec[i32],
    ) -> None:
        self.ids = ids
        self.spans = spans
        self.pre_tokens = pre_tokens
        self.text = text
        self.places = places

    def __len__(self) -> int:
        return len(self.ids)

    def span(self, index: i64) -> tuple[int, int]:
        """Returns the first byte of a token and the byte behind its last."""
        return i64(self.spans[index * 2]), i64(self.spans[index * 2 + 1])
