"""What of a character matters to rules that are put to use grapheme by grapheme: a few bits for each character."""

from __future__ import annotations

from typing import Any, Final, final

import regex
from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.unicode.character_pages import PAGE, CharacterPages, characters_from

PARTED: Final = 1
"""Between two such characters a grapheme ends, whatever stands around them."""
CHANGED: Final = 2
"""The character begins with a rule."""
BEGINS: Final = 4
"""A rule begins with the character, or the character with a rule."""

_PARTED: Final[Any] = regex.compile(r"[\p{GCB=Other}\p{GCB=Control}\n\p{GCB=LV}\p{GCB=LVT}]+")


@final
class GraphemeKinds(CharacterPages):
    """The bits of characters for some rules."""

    def __init__(self, rules: Charsmap) -> None:
        self._rules = rules
        super().__init__()

    def page(self, first: i64) -> vec[i64]:
        """Returns the bits of some characters; see `CharacterPages.page`."""
        rules = self._rules
        kinds = vec[i64]([0] * PAGE)
        characters = characters_from(first)
        for match in _PARTED.finditer(characters, concurrent=False):
            for index in range(match.start(), match.end()):
                kinds[index] = PARTED
        for index in range(PAGE):
            spelled = characters[index].encode("utf-8", "replace")
            size: i64 = len(spelled)
            data = spelled + ZEROS
            if rules.match(data, 0, size) > 0:
                kinds[index] |= CHANGED | BEGINS
            elif rules.begins_with(data, 0, size):
                kinds[index] |= BEGINS
        return kinds
