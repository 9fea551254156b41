"""Split and CharDelimiterSplit: words are what a pattern finds, or what lies between."""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.patterns.found_pattern import FoundPattern, FoundString
from tokenarium_core.patterns.stretches import Stretches
from tokenarium_core.pretokenizers.delimiters import REMOVED, check_behavior, delimit, rules_of
from tokenarium_core.pretokenizers.hf_splitters import Cuts, Cutter


@final
class Split(Cutter):
    """Splits at a pattern (`FoundString` or `FoundRegex`); with ``invert`` at what does not match.

    A regular expression may raise PatternError where it takes too long.
    """

    def __init__(self, pattern: FoundPattern, behavior: str, invert: bool = False) -> None:
        names = ("match", "rest") if not invert else ("rest", "match")
        super().__init__("Split", rules_of(check_behavior(behavior), names[0], names[1]))
        self.pattern = pattern
        self.behavior = behavior
        self.invert = invert
        self._found = Stretches()

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word at the matches."""
        found = self._found
        found.clear()
        self.pattern.find(data, start, stop, found)
        if self.invert:
            found.invert()
        delimit(found, start, self.behavior, cuts)


@final
class CharDelimiterSplit(Cutter):
    """Splits at one character, and drops it; FormatError where it is not one."""

    def __init__(self, delimiter: str) -> None:
        if len(delimiter) != 1:
            raise FormatError(
                f"The delimiter of CharDelimiterSplit is one character, not {delimiter!r}."
            )
        super().__init__("CharDelimiterSplit", ["between delimiters"])
        self.delimiter = delimiter
        self._pattern = FoundString(delimiter)

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word at the delimiters."""
        delimit(self._pattern.stretches(data, start, stop), start, REMOVED, cuts)
