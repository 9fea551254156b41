"""Tables as Markdown, for issues and notes."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SIGNS = re.compile(r"([\\`*_\[\]<|~#&$])")
_LINES = re.compile(r"\r\n|[\n\r]")


def markdown_table(lines: Sequence[Sequence[str]]) -> str:
    """Returns a table as GitHub reads it, its head first; empty without any lines.

    A line break becomes ``<br>``. What has a meaning in Markdown or HTML is escaped.

    >>> print(markdown_table([["a", "b"], ["x|y", "<s>"]]), end="")
    | a | b |
    | --- | --- |
    | x\\|y | \\<s> |
    """
    if not lines:
        return ""
    head, *rows = ["| " + " | ".join(map(escaped, line)) + " |" for line in lines]
    return "\n".join([head, "| " + " | ".join(["---"] * len(lines[0])) + " |", *rows]) + "\n"


def escaped(text: str) -> str:
    """Returns a text in one line in which nothing has a meaning in Markdown or HTML."""
    return _LINES.sub("<br>", _SIGNS.sub(r"\\\1", text))
