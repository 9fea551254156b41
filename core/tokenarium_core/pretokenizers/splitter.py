"""Pre-tokenizers of the general kind, which may drop and add characters, as Hugging Face's may.

A `PreTokenizer` only says where a text is cut. A splitter gives a text anew: its words, one behind the
other, with nothing between them, each byte aligned to the original.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.normalized_text import NormalizedText
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer


@final
class SplitText:
    """Words: word ``k`` ends before byte ``ends[k]`` of ``text``, by rule ``rules[k]``; the first begins at 0."""

    def __init__(self, text: NormalizedText, ends: vec[i32], rules: vec[u8]) -> None:
        self.text = text
        self.ends = ends
        self.rules = rules


class Splitter:
    """Base of all splitters: a name, and the names of its rules (see `PreTokenizer`).

    ``reads_origin``: whether its words depend on where in the original text they began; else the text may be untracked.
    """

    def __init__(self, name: str, rules: list[str], reads_origin: bool = False) -> None:
        self.name = name
        self.rules = rules
        self.reads_origin = reads_origin

    def split(self, text: NormalizedText) -> SplitText:
        """Returns the words of one section of a text: all of it, or what stands between added tokens."""
        raise NotImplementedError


_MADE: Final = "cuts made by a splitter"


@final
class MadeCuts(PreTokenizer):
    """The cuts that splitters made, told again as a `PreTokenizer` of the text that they gave."""

    def __init__(self, ends: vec[i32], made: vec[u8], rules: list[str]) -> None:
        super().__init__(_MADE, "", rules)
        self._ends = ends
        self._made = made
        self._next: i64 = 0

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Tells the next cuts; each is told once, from left to right."""
        count: i64 = 0
        at = self._next
        while count < len(ends) and at < len(self._ends) and i64(self._ends[at]) <= stop:
            ends[count] = self._ends[at]
            rules[count] = self._made[at]
            count += 1
            at += 1
        self._next = at
        return count
