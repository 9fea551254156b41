"""Tokens that stand for themselves: found in a text before it is cut, and only where they are asked for.

The rules are tiktoken's (``tiktoken/core.py``): a special token in a text is plain text unless it is
allowed, and an error where it is disallowed, so that text from outside cannot forge one. Where several
begin at one place, the longest is taken.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final, final

from tokenarium_core.errors import FormatError, SpecialTokenError

ALL: Final = "all"
NONE: Final = "none"


@final
class SpecialTokens:
    """The special tokens of a tokenizer, with their ids."""

    def __init__(self, ids: dict[str, int]) -> None:
        if "" in ids:
            raise FormatError("A special token is empty: it would stand everywhere. Leave it out.")
        self.ids = ids
        self._patterns: dict[frozenset[str], re.Pattern[bytes]] = {}

    def choose(self, choice: str | AbstractSet[str]) -> frozenset[str]:
        """Returns the tokens that "all", "none" or a set of them means; ValueError for unknown ones."""
        if isinstance(choice, str):
            if choice == ALL:
                return frozenset(self.ids)
            if choice == NONE:
                return frozenset()
            raise ValueError(f"Special tokens are 'all', 'none' or a set of them, not {choice!r}.")
        unknown = sorted(set(choice) - set(self.ids))
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not a special token of this tokenizer.")
        return frozenset(choice)

    def check(self, data: bytes, size: int, disallowed: frozenset[str]) -> None:
        """Raises SpecialTokenError where ``data[:size]`` holds a disallowed token."""
        if disallowed:
            match = self._pattern(disallowed).search(data, 0, size)
            if match is not None:
                token = match.group().decode()
                raise SpecialTokenError(
                    f"The text holds the special token {token!r} at byte {match.start()}, which is"
                    " disallowed here: allow it, or encode it as plain text.",
                    token,
                    match.start(),
                )

    def regions(
        self, data: bytes, size: int, allowed: frozenset[str]
    ) -> list[tuple[int, int, int]]:
        """Returns the parts of ``data[:size]`` as (start, stop, id): plain text has the id -1."""
        parts: list[tuple[int, int, int]] = []
        at = 0
        if allowed:
            for match in self._pattern(allowed).finditer(data, 0, size):
                start, stop = match.span()
                if at < start:
                    parts.append((at, start, -1))
                parts.append((start, stop, self.ids[match.group().decode()]))
                at = stop
        if at < size:
            parts.append((at, size, -1))
        return parts

    def _pattern(self, tokens: frozenset[str]) -> re.Pattern[bytes]:
        pattern = self._patterns.get(tokens)
        if pattern is None:
            longest_first = sorted(tokens, key=lambda token: (-len(token), token))
            pattern = re.compile(b"|".join([re.escape(token.encode()) for token in longest_first]))
            self._patterns[tokens] = pattern
        return pattern
