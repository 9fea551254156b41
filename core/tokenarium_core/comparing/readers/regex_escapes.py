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
    for part, in_class in _parts(pattern):
        parts.append((inside if in_class else outside).get(part, part))
    return "".join(parts)


def escapes_of(pattern: str) -> set[str]:
    """Returns the escapes of a pattern, as `replace_escapes` sees them; those inside classes have a ``[`` before them."""
    found: set[str] = set()
    for part, in_class in _parts(pattern):
        if part.startswith("[:"):
            found.add(part)
        elif part.startswith("\\"):
            found.add(f"[{part}" if in_class else part)
    return found


def _parts(pattern: str) -> list[tuple[str, bool]]:
    """Returns the characters and escapes of a pattern, and whether each is inside a class."""
    parts: list[tuple[str, bool]] = []
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
        parts.append((pattern[at:end], depth > 0))
        at = end
    return parts


def possessive_intervals(pattern: str) -> str:
    """Returns a pattern whose intervals with a plus sign are possessive; in Oniguruma they are repeated.

    What they match is the same as without the plus sign, except where giving back a part would let the rest match.
    """
    return _INTERVAL.sub(_without_last, pattern)


def _without_last(match: re.Match[str]) -> str:
    return match.group()[:-1]


def greedy(pattern: str) -> str:
    """Returns a pattern whose possessive quantifiers and atomic groups are greedy ones."""
    plain = _QUANTIFIED.sub(_without_plus, pattern)
    return plain.replace("(?>", "(?:")


def _without_plus(match: re.Match[str]) -> str:
    text = match.group()
    return text if text.startswith("{") else text[:-1]
