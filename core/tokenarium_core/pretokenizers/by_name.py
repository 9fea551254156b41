"""The pre-tokenizers that have a scanner of their own, by name and by pattern."""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.errors import PatternError
from tokenarium_core.pretokenizers import scanner_cl100k, scanner_o200k
from tokenarium_core.pretokenizers.pattern import pattern as regex_pre_tokenizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanner_cl100k import Cl100kScanner
from tokenarium_core.pretokenizers.scanner_gpt2 import Gpt2Scanner
from tokenarium_core.pretokenizers.scanner_o200k import O200kScanner
from tokenarium_core.pretokenizers.scanner_plain import DigitScanner, WhitespaceScanner
from tokenarium_core.pretokenizers.scanner_superbpe import SuperBpeScanner

SCANNERS: Final[dict[str, PreTokenizer]] = {
    "gpt2": Gpt2Scanner(),
    "cl100k": Cl100kScanner("cl100k", scanner_cl100k.CL100K, digits=3, end_first=True),
    "o200k": O200kScanner("o200k", scanner_o200k.O200K, digits=3, contractions=True),
    "llama3": Cl100kScanner("llama3", scanner_cl100k.LLAMA3, digits=3, end_first=False),
    "qwen2": Cl100kScanner("qwen2", scanner_cl100k.QWEN2, digits=1, end_first=False),
    "tekken": O200kScanner("tekken", scanner_o200k.TEKKEN, digits=1, contractions=False),
    "digits": DigitScanner(),
    "whitespace": WhitespaceScanner(),
    "superbpe": SuperBpeScanner(),
}

PRE_TOKENIZERS: Final[list[str]] = list(SCANNERS)
"""The names that `pre_tokenizer` knows."""

# Other ways to write a pattern that cut the same: GPT-2's release and earlier versions of tiktoken.
SAME_CUTS: Final[dict[str, str]] = {
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+": "llama3",
}


_WORD: Final = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
"""A pattern that is but a word: it cuts no text but that word, so it is a name that was meant."""


def pre_tokenizer(name: str) -> PreTokenizer:
    """Returns the pre-tokenizer of that name, shared (it keeps no state); PatternError for an unknown name."""
    found = SCANNERS.get(name)
    if found is None:
        raise unknown(name)
    return found


def unknown(name: str) -> PatternError:
    """Returns the error for a name that is none of `PRE_TOKENIZERS`; it offers those that are near."""
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), PRE_TOKENIZERS, 3, 0.5)
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return PatternError(
        f"There is no pattern called {name[:100]!r}.{meant} Known are {', '.join(PRE_TOKENIZERS)}; any other pattern is a"
        " regular expression."
    )


def is_name(pattern: str) -> bool:
    """Tells whether a pattern can only be meant for a name: it is a word, with no sign of a regular expression."""
    return _WORD.fullmatch(pattern) is not None


def scanner_for(pattern: str) -> PreTokenizer | None:
    """Returns the scanner that cuts as this pattern does; None where only a regex engine can tell."""
    name = SAME_CUTS.get(pattern)
    if name is not None:
        return SCANNERS[name]
    for scanner in SCANNERS.values():
        if scanner.pattern == pattern:
            return scanner
    return None


def cutting(pattern: str) -> PreTokenizer:
    """Returns the pre-tokenizer of a name or a regular expression; a known pattern gets its scanner.

    Raises PatternError for a word that is no name, with those that are near, and for an expression that does not compile.
    """
    if pattern in PRE_TOKENIZERS or is_name(pattern):
        return pre_tokenizer(pattern)
    scanner = scanner_for(pattern)
    return scanner if scanner is not None else regex_pre_tokenizer(pattern)
