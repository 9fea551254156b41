"""The normalizer ``Replace " " → "▁"`` of texts in space form, see `vocabulary`: there, a mark becomes a space."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizer import Normalizer

_MARK: Final = "▁".encode()


@final
class SpaceForm(Normalizer):
    """Makes each ``▁`` of a text a space, since each space stands for a ``▁``."""

    def __init__(self) -> None:
        super().__init__("Replace ' ' → '▁'")

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text with its alignment; ``text`` itself where it has no mark."""
        data = text.data
        found: i64 = data.find(_MARK, 0, text.size)
        if found < 0:
            return text
        writer = NormalizedWriter(text)
        at: i64 = 0
        while found >= 0:
            if at < found:
                writer.copy(at, found)
            at = found + len(_MARK)
            writer.replace(found, at, b" ")
            found = data.find(_MARK, at, text.size)
        if at < text.size:
            writer.copy(at, text.size)
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the padded text in space form."""
        return data.replace(_MARK, b" ")
