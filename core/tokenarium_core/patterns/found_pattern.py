"""What a pattern of a tokenizer.json finds in a text: matches and what lies between them, without a gap."""

from __future__ import annotations

import time
from typing import Any, Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError, PatternError
from tokenarium_core.patterns.alternatives import (
    MOST_REPEATS,
    TIMEOUT,
    Alternatives,
    compile_source,
)
from tokenarium_core.patterns.newer_characters import as_seen
from tokenarium_core.patterns.oniguruma import translate

CAPITAL: Final = "\u01a2"
"""What `regex` gets to see in place of ``İ``."""


@final
class Stretches:
    """A text cut without a gap: stretch ``k`` ends before ``stops[k]``, and is a match where ``found[k]`` is 1.

    Matches may be empty. Positions are bytes.
    """

    def __init__(self) -> None:
        self.stops = vec[i32]()
        self.found = vec[u8]()

    def add(self, stop: i64, found: bool) -> None:
        """Appends the stretch from where the last one ended to byte ``stop``."""
        self.stops = append(self.stops, i32(stop))
        self.found = append(self.found, u8(1 if found else 0))

    def invert(self) -> None:
        """Makes matches of what is none, and the other way round."""
        for index in range(len(self.found)):
            self.found[index] = u8(1 - i64(self.found[index]))


class FoundPattern:
    """Base of what is looked for: a string, or a regular expression."""

    def stretches(self, data: bytes, start: i64, stop: i64) -> Stretches:
        """Returns the matches in ``data[start:stop]``, and what lies between them, from left to right."""
        raise NotImplementedError


@final
class FoundString(FoundPattern):
    """A string that is looked for as it is; the empty one is found before each character and at the end."""

    def __init__(self, content: str) -> None:
        self.content = content.encode("utf-8", "replace")

    def stretches(self, data: bytes, start: i64, stop: i64) -> Stretches:
        """Returns where the string stands in ``data[start:stop]``."""
        found = Stretches()
        content = self.content
        size: i64 = len(content)
        at: i64 = start
        if size == 0:
            while at < stop:
                found.add(at, True)
                at += 1
                while at < stop and i64(data[at]) & 0xC0 == 0x80:
                    at += 1
                found.add(at, False)
            found.add(stop, True)
            return found
        while True:
            place: i64 = data.find(content, at, stop)
            if place < 0:
                break
            if place > at:
                found.add(place, False)
            at = place + size
            found.add(at, True)
        if at < stop:
            found.add(stop, False)
        return found


@final
class FoundRegex(FoundPattern):
    """A regular expression of Oniguruma; FormatError for one that cannot be run here.

    An empty match right behind another match does not count, as in the reference.
    """

    def __init__(self, source: str, timeout: float = TIMEOUT) -> None:
        self.source = source
        self.timeout = timeout
        translated = translate(source)
        self._ignores_case = "(?i:" in translated
        if Alternatives(translated).repeats > MOST_REPEATS:
            raise FormatError(
                f"The pattern {source!r} cannot be run here: its repeats inside repeats are too many."
            )
        try:
            self.compiled: Any = compile_source(translated)
        except PatternError as error:
            raise FormatError(f"The pattern {source!r} cannot be run here: {error}") from None

    def stretches(self, data: bytes, start: i64, stop: i64) -> Stretches:
        """Returns where the pattern matches in ``data[start:stop]``, which it takes for the whole text.

        Raises PatternError where it takes too long.
        """
        text = data[start:stop].decode()
        found = Stretches()
        if not text:
            return found
        is_ascii = text.isascii()
        seen = text if is_ascii else as_seen(text)
        if self._ignores_case and not is_ascii:
            seen = seen.replace("İ", CAPITAL)  # which `regex` takes for an i, too
        allowed = self.timeout * max(1.0, len(text) / 1e6)
        end = 0  # of the last stretch, in characters
        byte: i64 = start  # … in bytes
        try:
            for first, last in self._matches(seen, allowed):
                if first > end:
                    byte += first - end if is_ascii else len(text[end:first].encode())
                    found.add(byte, False)
                byte += last - first if is_ascii else len(text[first:last].encode())
                found.add(byte, True)
                end = last
        except TimeoutError:
            raise PatternError(
                f"The pattern {self.source!r} took more than {allowed:g} s behind character {end} of"
                " the text. A repeat inside a repeat is the usual reason.",
                end,
                in_text=True,
            ) from None
        if byte < stop:
            found.add(stop, False)
        return found

    def _matches(self, text: str, allowed: float) -> list[tuple[int, int]]:
        matches: list[tuple[int, int]] = []
        began = time.process_time()
        for match in self.compiled.finditer(text, timeout=allowed):
            first, last = match.span()
            if first == last:
                break
            matches.append((first, last))
        else:
            return matches
        # Empty matches: the engines go on from them in different ways, so each is looked for on its own.
        end = matches[-1][1] if matches else -1
        at = max(end, 0)
        while at <= len(text):
            left = allowed - (time.process_time() - began)
            if left <= 0:
                raise TimeoutError
            match = self.compiled.search(text, at, timeout=left)
            if match is None:
                break
            first, last = match.span()
            if first == last == end:
                at += 1
                continue
            matches.append((first, last))
            at = end = last
        return matches
