"""Escapes in regular expressions that engines read differently, replaced by what one of them means."""

from __future__ import annotations

import re
from typing import Final

_PROPERTY: Final = re.compile(r"[pPx]\{[^}]*\}")
_POSIX: Final = re.compile(r"\[:\^?[a-z]+:\]")
_INTERVAL: Final = re.compile(r"\{\d*,?\d*\}\+")
_QUANTIFIED: Final = re.compile(r"(?:[*+?]|\{\d*,?\d*\})\+")


def replace_escapes(pattern: str, outside: dict[str, str], inside: dict[str, str]) -> str:
    """Returns a pattern with other text for some escapes.

    The keys are escapes as they are written, such as ``\\w``, ``\\p{Han}`` and ``[:alpha:]``: ``outside`` for those outside
    classes, ``inside`` for parts of a class.
    """
    parts: list[str] = []
    depth = 0
    at = 0
    while at < len(pattern):
        char = pattern[at]
        end = at + 1
        if char == "\\":
            braced = _PROPERTY.match(pattern, end)
            end = braced.end() if braced else end + 1
        elif char == "[":
            posix = _POSIX.match(pattern, at) if depth else None
            if posix:
                end = posix.end()
            else:
                depth += 1
                if pattern.startswith("^", end):
                    end += 1
                if pattern.startswith("]", end):
                    end += 1
        elif char == "]" and depth:
            depth -= 1
        part = pattern[at:end]
        parts.append((inside if depth else outside).get(part, part))
        at = end
    return "".join(parts)


def escapes_of(pattern: str) -> set[str]:
    """Returns the escapes of a pattern, as `replace_escapes` sees them; those inside classes begin with ``[``."""
    found: set[str] = set()
    replace_escapes(pattern, _Seen(found, ""), _Seen(found, "["))
    return found


class _Seen(dict[str, str]):
    """Collects what is looked up."""

    def __init__(self, found: set[str], before: str) -> None:
        super().__init__()
        self.found = found
        self.before = before

    def get(self, key: str, default: str | None = None) -> str:  # type: ignore[override]
        if len(key) > 1 and key[0] in "\\[":
            self.found.add(key if key[0] == "[" else self.before + key)
        return default or ""


def possessive_intervals(pattern: str) -> str:
    """Returns a pattern whose intervals with a plus sign are possessive; in Oniguruma they are repeated.

    What they match is the same as without the plus sign, except where giving back a part would let the rest match.
    """
    return _INTERVAL.sub(lambda match: match.group()[:-1], pattern)


def greedy(pattern: str) -> str:
    """Returns a pattern whose possessive quantifiers and atomic groups are greedy ones."""
    plain = _QUANTIFIED.sub(_without_plus, pattern)
    return plain.replace("(?>", "(?:")


def _without_plus(match: re.Match[str]) -> str:
    text = match.group()
    return text if text.startswith("{") else text[:-1]
