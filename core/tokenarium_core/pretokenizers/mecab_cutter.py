"""Cuts at the words that MeCab finds, a program that knows Japanese words; the package fugashi runs it.

Neither fugashi nor a dictionary is part of this program: they are imported when a tokenizer needs them.
"""

from __future__ import annotations

from typing import Any, final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.pretokenizers.hf_splitters import Cuts, Cutter


@final
class MecabCutter(Cutter):
    """Cuts at MeCab's words, and drops the white space between them. ``tagger`` is one of fugashi."""

    def __init__(self, tagger: Any) -> None:
        super().__init__("MeCab", ["word"])
        self._tagger = tagger

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word of another splitter, or a whole text. Raises FormatError if MeCab changes the text."""
        text = data[start:stop].decode()
        at = 0
        place = start
        for node in self._tagger(text):
            word: str = node.surface
            found = text.find(word, at)
            if found < 0:
                raise FormatError(
                    f"MeCab finds the word {word[:40]!r}, which is not in the text. Use another dictionary."
                )
            place += len(text[at:found].encode())
            end: i64 = place + len(word.encode())
            cuts.add(place, end, 0)
            place = end
            at = found + len(word)
