"""The stage that cuts a text into pre-tokens, and says which rule made each cut.

Every pre-tokenizer works on UTF-8 bytes and is *restartable*: what follows a cut does not depend on
what stood before it, so a long text may be cut in slices, from any cut on.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.unicode.codepoints import FLAGS, LETTER, MARK, NUMBER
from tokenarium_core.unicode.utf8 import code_point_at

REMOVED: Final = 255
"""The rule of a pre-token that is no word but what stands between two: it gets no ids."""

REMOVED_RULE: Final = "removed"
"""The name of that rule, where rules are shown."""


class PreTokenizer:
    """Base of all pre-tokenizers: a name, the pattern it follows, and the names of its rules.

    ``rules[k]`` names the alternative with number ``k`` in plain words ("word", "1 to 3 digits").
    ``divides``: a long text may be taken in parts, of which `divide` tells where they end. ``names_on_demand``: `cut`
    tells no rules where there is no room for any, which is quicker.
    """

    def __init__(self, name: str, pattern: str, rules: list[str], divides: bool = False) -> None:
        self.name = name
        self.pattern = pattern
        self.rules = rules
        self.divides = divides
        self.names_on_demand = False

    def for_text(self) -> PreTokenizer:
        """Returns what cuts one text, in as many slices as it takes: this one, where it keeps nothing of a text."""
        return self

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns the last place before byte ``stop`` that is a cut whatever follows, or 0 where there is none.

        ``data`` is what follows such a place, up to ``stop`` at least. Here letters end there, and what
        follows is something that no pattern with ``divides`` takes into a word: no letter, mark, number or apostrophe.
        """
        flags = FLAGS
        ends = False
        at = stop
        while at > 0:
            before = at - 1
            while before > 0 and data[before] & 0xC0 == 0x80:
                before -= 1
            kind: i64 = flags[code_point_at(data, before)]
            if ends and kind & LETTER:
                return at
            ends = kind & (LETTER | MARK | NUMBER) == 0 and data[before] != 0x27
            at = before
        return 0

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]`` and returns how many pre-tokens were written.

        ``data`` is padded UTF-8 (see `padded`), ``start`` a cut and ``stop`` the end of the text as
        the rules see it. Pre-token ``k`` ends before byte ``ends[k]`` (absolute) by rule
        ``rules[k]``; the first begins at ``start``. At most ``len(ends)`` are written: when the last
        one does not end at ``stop``, call again from there.
        """
        raise NotImplementedError
