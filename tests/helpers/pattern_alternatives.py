"""The named patterns as their alternatives, and how `regex` splits by them: which alternative matched, and where."""

from __future__ import annotations

import regex

CASED = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
OLD_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"

# Each pattern as its alternatives, in order: the number of one is the number of its rule.
ALTERNATIVES = {
    "gpt2": [
        r"'(?:[sdmt]|ll|ve|re)",
        r" ?\p{L}++",
        r" ?\p{N}++",
        r" ?[^\s\p{L}\p{N}]++",
        r"\s++$",
        r"\s+(?!\S)",
        r"\s",
    ],
    "cl100k": [
        r"'(?i:[sdmt]|ll|ve|re)",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"\p{N}{1,3}+",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$",
        r"\s*[\r\n]",
        r"\s+(?!\S)",
        r"\s",
    ],
    "o200k": [
        rf"[^\r\n\p{{L}}\p{{N}}]?{CASED[0]}*{CASED[1]}+{OLD_CONTRACTION}?",
        rf"[^\r\n\p{{L}}\p{{N}}]?{CASED[0]}+{CASED[1]}*{OLD_CONTRACTION}?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ],
    "llama3": [
        OLD_CONTRACTION,
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ],
    "qwen2": [
        OLD_CONTRACTION,
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ],
    "tekken": [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ],
    "digits": [r"\p{N}", r"\P{N}+"],
    "whitespace": [r"\S+", r"\s+"],
    "superbpe": [
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]{2,}[\r\n/]*",
        r" +(?!\S)",
        r"(?:(?!\p{N}| ?[^\s\p{L}\p{N}]{2}| +(?!\S))[\s\S])+",
    ],
    "numbers": [
        r"['’](?i:[sdmt]|ll|ve|re)",
        r"[eE][+-]?\p{N}{1,3}",
        r" ?[\p{L}\p{M}]+",
        r"[,_]\p{N}{3}(?!\p{N})",
        r"\.\p{N}{1,3}",
        r" ?\p{N}{1,3}%?",
        r" ?[^\s\p{L}\p{M}\p{N}]+",
        r"\s+(?!\S)",
        r"\s",
    ],
    "graphemes": [r"\X"],
}

NUMBERED = {
    # In Rust, "$" is only the end of the text, which `regex` writes as "\Z".
    name: regex.compile("|".join(f"({part})" for part in parts).replace("$", r"\Z"))
    for name, parts in ALTERNATIVES.items()
}


def in_regex(name: str, text: str) -> list[tuple[int, int]]:
    """Returns the byte end of each pre-token and the number of its alternative, by `regex`."""
    found = []
    end = 0
    for match in NUMBERED[name].finditer(text):
        end += len(match.group().encode())
        found.append((end, match.lastindex - 1))
    return found
