"""The first stage: what is changed in a text before it is cut."""

from __future__ import annotations

from tokenarium_core.normalized_text import NormalizedText, untracked
from tokenarium_core.padded_text import PADDING, padded


class Normalizer:
    """Base of all normalizers: a name, and the text in its normalised form.

    ``name`` is the field's ("NFKC", "Lowercase", "Precompiled"), and may tell the settings.

    ``local``: each character becomes one character, whatever stands beside it; only at the ends of a text there may
    be more. Then a text can be normalised in parts.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.local = False

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
        normalized = self.normalize(untracked(data, len(data) - PADDING))
        return normalized.data

    def normalize_part(self, data: bytes, first: bool, last: bool) -> bytes:
        """Returns the normalised form of a part of a text, both padded, where the normalizer is ``local``.

        ``first`` and ``last`` tell whether it is the first part and the last one. No part may be empty.
        """
        raise NotImplementedError
