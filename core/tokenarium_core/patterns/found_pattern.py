"""The matches of a tokenizer.json pattern in a text, and the text between them, without gaps."""

from __future__ import annotations

from typing import Any, Final, final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError, PatternError
from tokenarium_core.patterns.class_program import class_program
from tokenarium_core.patterns.found_regions import FoundRegions
from tokenarium_core.patterns.oniguruma import OnigurumaPattern
from tokenarium_core.patterns.oniguruma_characters import as_seen
from tokenarium_core.patterns.regex_engine import (
    MOST_REPEATS,
    MOST_TRANSLATED,
    Allowance,
    check_length,
    compile_source,
)

_SHOWN: Final = 200  # characters of a pattern in a sentence
_IN_A_ROW: Final = 32
"""The number of characters in which empty matches are searched at once: few, as the engine's time limit covers all of them."""


class FoundPattern:
    """Base of a string or a regular expression to search for."""

    def regions(self, data: bytes, start: i64, stop: i64) -> FoundRegions:
        """Returns the matches in ``data[start:stop]``, and the text between them, from left to right."""
        regions = FoundRegions()
        self.find(data, start, stop, regions)
        return regions

    def find(self, data: bytes, start: i64, stop: i64, regions: FoundRegions) -> None:
        """Adds to ``regions`` what `regions` returns."""
        raise NotImplementedError

    @property
    def may_be_empty(self) -> bool:
        """Whether it may match the empty string."""
        raise NotImplementedError


@final
class FoundString(FoundPattern):
    """A literal string; the empty one matches before each character and at the end."""

    def __init__(self, content: str) -> None:
        self.content = content.encode("utf-8", "replace")

    @property
    def may_be_empty(self) -> bool:
        """Whether it is empty."""
        return not self.content

    def find(self, data: bytes, start: i64, stop: i64, regions: FoundRegions) -> None:
        """Adds the occurrences of the string in ``data[start:stop]``."""
        content = self.content
        size: i64 = len(content)
        at: i64 = start
        if size == 0:
            while at < stop:
                regions.add(at, True)
                at += 1
                while at < stop and i64(data[at]) & 0xC0 == 0x80:
                    at += 1
                regions.add(at, False)
            regions.add(stop, True)
            return
        while True:
            position: i64 = data.find(content, at, stop)
            if position < 0:
                break
            if position > at:
                regions.add(position, False)
            at = position + size
            regions.add(at, True)
        if at < stop:
            regions.add(stop, False)


@final
class FoundRegex(FoundPattern):
    """A regular expression of Oniguruma; FormatError for one that cannot run here.

    An empty match right after another match does not count, as in the reference.
    """

    def __init__(self, source: str, timeout: float | None = None) -> None:
        self.source = source
        self.timeout = timeout
        try:
            check_length(source)
            pattern = OnigurumaPattern(source)
            check_length(pattern.translated, MOST_TRANSLATED)
            if pattern.tree.most_repeats() > MOST_REPEATS:
                raise PatternError("It has too many repeats inside repeats.")
            self.compiled: Any = compile_source(pattern.translated)
        except PatternError as error:
            shown = source if len(source) < _SHOWN else source[:_SHOWN] + "…"
            raise FormatError(f"The pattern {shown!r} cannot be run here: {error}") from None
        self._program = class_program(pattern.tree)
        self._may_be_empty = pattern.tree.may_be_empty()
        self._keeps = any(node.text == r"\K" for node in pattern.tree.all_parts())

    @property
    def may_be_empty(self) -> bool:
        """Whether it may match the empty string."""
        return self._may_be_empty

    def find(self, data: bytes, start: i64, stop: i64, regions: FoundRegions) -> None:
        """Adds the matches of the pattern in ``data[start:stop]``, which it treats as the whole text.

        Raises PatternError if it takes too long.
        """
        program = self._program
        before = regions.count
        if program is not None and program.find(data, start, stop, regions):
            return
        regions.count = before
        text = data[start:stop].decode()
        if not text:
            return
        is_ascii = text.isascii()
        seen = text if is_ascii else as_seen(text)
        end = 0  # of the last region, in characters
        byte: i64 = start  # … in bytes
        for first, last in self._matches(seen):
            if first > end:
                byte += first - end if is_ascii else len(text[end:first].encode())
                regions.add(byte, False)
            byte += last - first if is_ascii else len(text[first:last].encode())
            regions.add(byte, True)
            end = last
        if byte < stop:
            regions.add(stop, False)

    def _matches(self, text: str) -> list[tuple[int, int]]:
        matches: list[tuple[int, int]] = []
        allowance = Allowance(len(text), self.timeout)
        while True:
            end = matches[-1][1] if matches else 0
            try:
                if self._find_all(text, end, allowance, matches):
                    break
                self._find_each(text, allowance, matches)
                break
            except TimeoutError:
                at = matches[-1][1] if matches else 0
                if not allowance.goes_on(at > end):
                    raise PatternError(
                        f"The pattern {self.source!r} took more than {allowance.refused:.3g} s after character {at} of"
                        " the text. A repeat inside a repeat is the usual reason.",
                        at,
                        in_text=True,
                    ) from None
            except MemoryError:
                at = matches[-1][1] if matches else 0
                raise PatternError(
                    f"The pattern {self.source!r} filled the memory after character {at} of the text. A repeat inside"
                    " a repeat is the usual reason.",
                    at,
                    in_text=True,
                ) from None
        return matches

    def _find_all(
        self, text: str, at: int, allowance: Allowance, matches: list[tuple[int, int]]
    ) -> bool:
        """Adds the matches from ``at`` on; returns False at one that is empty."""
        left = allowance.begin(len(text) - at)
        for match in self.compiled.finditer(text, at, concurrent=False, timeout=left):
            first, last = match.span()
            if first == last:
                allowance.end()
                return False
            matches.append((first, last))
        return True

    def _find_each(self, text: str, allowance: Allowance, matches: list[tuple[int, int]]) -> None:
        """Adds the other matches: after empty ones the engines differ, so each is searched separately.

        But empty ones in a row, such as those of `b*` in a text of a, are searched at once; not where ``\\K`` makes a
        match empty that has characters before it: there the next one is searched from its end on.
        """
        end = matches[-1][1] if matches else -1
        at = max(end, 0)
        while at <= len(text):
            left = allowance.begin(len(text) - at)
            several = self.compiled.finditer(
                text, at, overlapped=True, concurrent=False, timeout=left
            )
            following = -1
            for match in several:
                first, last = match.span()
                counts = first != last or first != end  # not an empty one right after a match
                if counts:
                    matches.append((first, last))
                    end = last
                following = last if first < last else last + 1
                if self._keeps:
                    following = last if counts else at + 1
                if first < last or self._keeps or following - at >= _IN_A_ROW:
                    break
            else:
                following = -1
            allowance.end()
            if following < 0:
                break
            at = following
