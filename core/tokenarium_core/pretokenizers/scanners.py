"""The pre-tokenizers that have a scanner, by name and by pattern.

Here are the scanners that go from run to run: GPT-2's, those of digits and of whitespace, and that of SuperBPE's second
stage. Those of cl100k and o200k, which read blocks of bytes, are in separate files.
"""

from __future__ import annotations

import re
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import PatternError
from tokenarium_core.pretokenizers import scanner_cl100k, scanner_o200k
from tokenarium_core.pretokenizers.pattern import pattern as regex_pre_tokenizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer, WholeText
from tokenarium_core.pretokenizers.scanner_cl100k import Cl100kScanner
from tokenarium_core.pretokenizers.scanner_graphemes import GraphemeScanner
from tokenarium_core.pretokenizers.scanner_numbers import NumbersScanner, some_digits_end
from tokenarium_core.pretokenizers.scanner_o200k import O200kScanner
from tokenarium_core.pretokenizers.scanner_runs import (
    contraction_end,
    letters_end,
    with_any,
    without,
)
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, NUMBER, SPACE
from tokenarium_core.unicode.utf8 import code_point_at, start_before, width_of

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
GPT2_RULES = [
    "contraction",
    "word",
    "digits",
    "punctuation",
    "trailing blanks",
    "trailing blanks",
    "blanks",
]


@final
class Gpt2Scanner(PreTokenizer):
    """Splits like tiktoken's pattern of r50k, which is equivalent to GPT-2's own."""

    def __init__(self) -> None:
        super().__init__("gpt2", GPT2, GPT2_RULES, True)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            first: i64 = at  # of the byte after the optional space
            lead: i64 = data[at]
            if lead == 0x20 and at + 1 < stop:
                first = at + 1
                lead = data[first]
            kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, first)]
            end: i64 = at
            rule: u8 = 1
            if kind & LETTER:
                end = letters_end(data, first, stop)
            elif kind & SPACE:
                end = with_any(data, at, stop, SPACE)
                rule = 4
                if end < stop:
                    last: i64 = start_before(data, end)
                    rule = 6
                    if last > at:
                        end = last
                        rule = 5
            elif kind & NUMBER:
                end = with_any(data, first, stop, NUMBER)
                rule = 2
            else:
                if lead == 0x27 and first == at:
                    end = contraction_end(data, at, stop, 0)
                    rule = 0
                if end == at:
                    end = without(data, first, stop, LETTER | NUMBER | SPACE)
                    rule = 3
            ends[count] = i32(end)
            rules[count] = rule
            count += 1
            at = end
        return count


@final
class DigitScanner(PreTokenizer):
    """Splits off every single digit; the text between digits stays whole."""

    def __init__(self) -> None:
        super().__init__("digits", r"\p{N}|\P{N}+", ["digit", "text"])

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            if flags[code_point_at(data, at)] & NUMBER:
                at += width_of(data[at])
                rules[count] = 0
            else:
                at = without(data, at, stop, NUMBER)
                rules[count] = 1
            ends[count] = i32(at)
            count += 1
        return count


@final
class WhitespaceScanner(PreTokenizer):
    """Splits between whitespace and other characters; keeps both."""

    def __init__(self) -> None:
        super().__init__("whitespace", r"\S+|\s+", ["word", "blanks"])

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            if flags[code_point_at(data, at)] & SPACE:
                at = with_any(data, at, stop, SPACE)
                rules[count] = 1
            else:
                at = without(data, at, stop, SPACE)
                rules[count] = 0
            ends[count] = i32(at)
            count += 1
        return count


# The pattern that Liu et al. released (scripts/extend_tokenizer.sh of PythonNut/superbpe), which Hugging Face's Split
# isolates; the last alternative takes the text between.
SUPERBPE: Final = (
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
    r"|(?:(?!\p{N}| ?[^\s\p{L}\p{N}]{2}| +(?!\S))[\s\S])+"
)
SUPERBPE_RULES: Final = ["1 to 3 digits", "punctuation", "trailing blanks", "stretch"]

NO_WORD: Final = LETTER | NUMBER | SPACE  # the flags that [^\s\p{L}\p{N}] leaves out


@final
class SuperBpeScanner(PreTokenizer):
    """Cuts like the pattern of the released SuperBPE tokenizers (arXiv 2503.13423)."""

    def __init__(self) -> None:
        super().__init__("superbpe", SUPERBPE, SUPERBPE_RULES)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        room: i64 = len(ends)
        count: i64 = 0
        at = start
        while at < stop and count < room:
            end = some_digits_end(data, at, stop)
            rule: u8 = 0
            if end == at:
                end = marks_end(data, at, stop)
                rule = 1
            if end == at:
                end = trailing_end(data, at, stop)
                rule = 2
            if end == at:
                end = stretch_end(data, at, stop)
                rule = 3
            ends[count] = i32(end)
            rules[count] = rule
            count += 1
            at = end
        return count


def is_mark(data: bytes, at: i64, stop: i64) -> bool:
    """Returns whether the character at ``at`` is one of ``[^\\s\\p{L}\\p{N}]``."""
    if at >= stop:
        return False
    lead: i64 = data[at]
    return FLAGS[lead if lead < 0x80 else code_point_at(data, at)] & NO_WORD == 0


def begins_marks(data: bytes, at: i64, stop: i64) -> bool:
    """Returns whether two of ``[^\\s\\p{L}\\p{N}]`` are at ``at``."""
    return is_mark(data, at, stop) and is_mark(data, at + width_of(data[at]), stop)


def marks_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of `` ?[^\\s\\p{L}\\p{N}]{2,}[\\r\\n/]*`` at ``at``; ``at`` itself if there is none."""
    end = at + 1 if data[at] == 0x20 else at
    if not begins_marks(data, end, stop):
        return at
    while is_mark(data, end, stop):
        end += width_of(data[end])
    while end < stop and (data[end] == 0x0A or data[end] == 0x0D or data[end] == 0x2F):
        end += 1
    return end


def trailing_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of `` +(?!\\S)`` at ``at``; ``at`` itself if there is none."""
    end = at
    while end < stop and data[end] == 0x20:
        end += 1
    if end == at or end == stop:
        return end
    lead: i64 = data[end]
    if FLAGS[lead if lead < 0x80 else code_point_at(data, end)] & SPACE:
        return end
    return end - 1


def stretch_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the first place after ``at`` at which another rule applies; from ``at`` to there none does."""
    flags = FLAGS
    while True:
        lead: i64 = data[at]
        kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, at)]
        if kind & LETTER:
            at = letters_end(data, at, stop)
        else:
            at += width_of(lead)
        if at >= stop:
            return stop
        lead = data[at]
        if lead == 0x20:
            if at + 1 >= stop:
                return at
            behind: i64 = data[at + 1]
            kind = flags[behind if behind < 0x80 else code_point_at(data, at + 1)]
            if kind & LETTER:
                continue
            if kind & SPACE or begins_marks(data, at + 1, stop):
                return at
        elif lead >= 0x80 or flags[lead] & LETTER == 0:
            kind = flags[lead if lead < 0x80 else code_point_at(data, at)]
            if kind & NUMBER or (kind & NO_WORD == 0 and begins_marks(data, at, stop)):
                return at


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
    "numbers": NumbersScanner(),
    "graphemes": GraphemeScanner(),
}

PRE_TOKENIZERS: Final[list[str]] = list(SCANNERS)
"""The names of patterns known to `pre_tokenizer`."""

ONLY_HERE: Final = frozenset(["graphemes"])
"""The names of patterns that no other engine splits in the same way: tiktoken has no ``\\X``, and Oniguruma's knows no
conjuncts and another Unicode.
"""

NO_CUTS: Final = "none"
"""The name for no splitting in `pre_tokenizer`: the model gets the whole text."""

# Other spellings of a pattern that cut the same: GPT-2's release and earlier versions of tiktoken.
SAME_CUTS: Final[dict[str, str]] = {
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+": "llama3",
}


_WHOLE: Final = WholeText()

_WORD: Final = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
"""A pattern that is only a word: it matches nothing but that word, so a name was intended."""


def pre_tokenizer(name: str) -> PreTokenizer:
    """Returns the pre-tokenizer of that name, shared (it keeps no state); PatternError for an unknown name.

    ``none`` is the one that does not split.
    """
    if name == NO_CUTS:
        return _WHOLE
    scanner = SCANNERS.get(name)
    if scanner is None:
        raise unknown(name)
    return scanner


def unknown(name: str) -> PatternError:
    """Returns the error for a name that is not in `PRE_TOKENIZERS`; it suggests similar ones."""
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), PRE_TOKENIZERS, 3, 0.5)
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return PatternError(
        f"There is no pattern called {name[:100]!r}.{meant} Known are {', '.join(PRE_TOKENIZERS)}, and none, which"
        " splits nothing; any other pattern is a regular expression."
    )


def is_name(pattern: str) -> bool:
    """Returns whether a pattern can only be a name: a word without any regular expression syntax."""
    return _WORD.fullmatch(pattern) is not None


def scanner_for(pattern: str) -> PreTokenizer | None:
    """Returns the scanner that splits like this pattern; None if only a regex engine can."""
    name = SAME_CUTS.get(pattern)
    if name is not None:
        return SCANNERS[name]
    if pattern == _WHOLE.pattern:
        return _WHOLE
    for scanner in SCANNERS.values():
        if scanner.pattern == pattern:
            return scanner
    return None


def cutting(pattern: str) -> PreTokenizer:
    """Returns the pre-tokenizer of a name or a regular expression; a known pattern gets its scanner.

    Raises PatternError for a word that is not a name, with similar names, and for an expression that does not compile.
    """
    if pattern in PRE_TOKENIZERS or is_name(pattern):
        return pre_tokenizer(pattern)
    scanner = scanner_for(pattern)
    return scanner if scanner is not None else regex_pre_tokenizer(pattern)
