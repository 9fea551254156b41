"""Which of some classes a character is in, as the `regex` module tells: a bit for each class."""

from __future__ import annotations

from typing import Any, Final, final

import regex
from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.patterns.newer_characters import as_seen
from tokenarium_core.unicode.character_pages import PAGE, CharacterPages, characters_from

MOST_CLASSES: Final = 60


@final
class CharacterMasks(CharacterPages):
    """The masks of characters; class ``k`` has the bit ``2 ** k``, and is the pattern ``classes[k]`` for one character,
    as `newer_characters` has it.

    The engine is asked about each character once: so this says exactly what it says, and a text is looked at without it.
    """

    def __init__(self, classes: list[str]) -> None:
        assert len(classes) <= MOST_CLASSES
        self._classes: list[Any] = [regex.compile(f"(?V1)(?:{source})+") for source in classes]
        super().__init__()

    def page(self, first: i64) -> vec[i64]:
        """Returns the masks of some characters; see `CharacterPages.page`."""
        masks = vec[i64]([0] * PAGE)
        text = as_seen(characters_from(first))
        bit: i64 = 1
        for source in self._classes:
            for match in source.finditer(text, concurrent=False):
                index: i64 = match.start()
                stop: i64 = match.end()
                while index < stop:
                    masks[index] |= bit
                    index += 1
            bit += bit
        return masks
