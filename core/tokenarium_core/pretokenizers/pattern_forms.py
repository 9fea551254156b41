"""How the pattern of a pre-tokenizer is written for other regular-expression engines."""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer

ONIGURUMA: Final = {
    "cl100k": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s+\z|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
}
"""Named patterns that mean something else in Oniguruma, as that engine has them.

There ``$`` is the end of a line, and ``{1,3}+`` repeats what stands before.
"""

SCANNER_OF: Final = {pattern: name for name, pattern in ONIGURUMA.items()}
"""The names of the scanners that cut as these patterns do."""


_PART: Final = re.compile(
    r"\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^]\\])*\]|\(\?#[^)]*\)|\(\?([a-zA-Z0-9]*)(?:-([a-zA-Z]+))?([:)])"
)
"""What may hold signs that mean nothing there, and the options of a group."""

_LEFT_OUT: Final = ("V0", "u", "m")
"""Options that are no others than what holds anyway: ``m`` is about ``^`` and ``$`` alone, and these are not exported."""


def oniguruma_pattern(pre_tokenizer: PreTokenizer) -> str:
    """Returns a pattern for huggingface/tokenizers: of a user's own, the options are written as that engine has them.

    ``(?s).+`` gives ``(?m).+``.
    """
    named = ONIGURUMA.get(pre_tokenizer.name)
    return named if named is not None else _PART.sub(_with_options, pre_tokenizer.pattern)


def obstacle_in_options(pattern: str) -> str:
    """Returns which options of a pattern that engine cannot have; empty where there are none.

    Without a colon they hold for all of a pattern, wherever they are; there, only for what follows in the group.
    """
    start = 0
    for part in _PART.finditer(pattern):
        if not part[3]:
            continue
        if part[3] == ")":
            if part.start() != start:
                return f"{part[0]} is not at its start"
            start = part.end()
        if "x" in part[1] and any(c.isspace() and c not in " \t\n\f\r" for c in pattern):
            return f"{part[0]} leaves out a blank that is not ASCII"
    return ""


def _with_options(part: re.Match[str]) -> str:
    end = part[3]
    if not end:
        return part[0]
    on = part[1]
    off = part[2] or ""
    for name in _LEFT_OUT:
        on = on.replace(name, "")
        off = off.replace(name, "")
    options = on.replace("s", "m") + ("-" + off.replace("s", "m") if off else "")
    if not options:
        return "(?:" if end == ":" else ""
    return f"(?{options}{end}"
