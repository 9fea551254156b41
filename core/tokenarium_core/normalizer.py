"""The first stage: what is changed in a text before it is cut."""

from __future__ import annotations

from tokenarium_core.normalized_text import NormalizedText, unchanged
from tokenarium_core.pretokenizer import PADDING, padded


class Normalizer:
    """Base of all normalizers: a name, and the text in its normalised form.

    ``name`` is the field's ("NFKC", "Lowercase", "Precompiled"), and may tell the settings.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalised text with its alignment; ``text`` itself where nothing changes."""
        raise NotImplementedError

    def normalize_text(self, text: str) -> bytes:
        """Returns the normalised form of a text, padded, with no alignment: the way of `encode_ids`."""
        return self.normalize_plain(padded(text))

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the normalised form of a padded text, padded, with no alignment.

        Gives the bytes that `normalize` gives; made faster where a normalizer can do so.
        """
        normalized = self.normalize(unchanged(data, len(data) - PADDING, 0))
        return normalized.data
