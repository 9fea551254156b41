"""Random patterns in the syntax of tiktoken (Rust's fancy-regex), and where tiktoken itself cuts a text by one."""

from __future__ import annotations

from random import Random

import tiktoken
from random_patterns import LETTERS, OTHERS, TIES

PROPERTIES = [
    *("L", "Lu", "Ll", "N", "M", "P", "S", "Zs", "^L", "Uppercase", "Lower", "Greek", "Han", "Alnum"),
    *("graph", "print", "word", "blank", "cntrl", "isLatin", "sc=Cyrl", "gc!=Lu", "script:Greek"),
    *("Alphabetic", "XIDS", "Cased_Letter", "any", "ASCII", "Punct", "Emoji", "CWKCF", "scx=Latin", "Cs"),
]  # fmt: skip
POSIX = ["upper", "lower", "alpha", "digit", "punct", "space", "^upper", "alnum", "word", "xdigit", "foo"]  # fmt: skip
ESCAPES = [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\h", r"\H", r"\pL", r"\PN"]
PLACES = [
    *("^", "$", r"\b", r"\B", r"\A", r"\z", r"\Z", r"\<", r"\>", r"\b{start}", r"\b{end}"),
    *(r"\b{start-half}", r"\b{end-half}"),
]  # fmt: skip
COUNTS = [
    "*",
    "+",
    "?",
    "{2}",
    "{1}",
    "{1,2}",
    "{,2}",
    "{2,}",
    "{0,1}",
    "{1,1}",
    "{ 1}",
    "{0}",
    "{",
]
RANGES = ["a-z", "A-Z", "0-9", "à-ÿ", "Α-Ω", "ﬀ-ﬆ", r"\x{100}-\x{17F}", r"\u0061-\u006B", " -~"]
STARTS = ["", "", "", "(?i)", "(?i)", "(?m)", "(?s)", "(?x)", "(?im)", "(?U)", "(?mR)", "(?R)"]
GROUPS = [
    *("(?:", "(?:", "(?:", "(?i:", "(?-i:", "(?im:", "(?s-i:", "(?U:", "(?x:", "(?R:", "(", "("),
    *("(?P<n>", "(?<n>", "(?=", "(?!", "(?>"),
]  # fmt: skip
ODD = [
    *(".", ".", r"\N", r"\O", r"\R", "(?#x)", r"(a)\1", r"(?<q>b)\k<q>", "(?i)", "(?-i)", r"\e", "{"),
    *("(?~a)", r"\G", r"\K", "(?(1)a|b)", r"(\w)(?P=n)", r"\g<1>", "(*FAIL)", r"\-", r"\é", "]", "}"),
]  # fmt: skip


def random_rust_pattern(rng: Random) -> str:
    """Returns a pattern, sometimes one that tiktoken refuses; mostly one that takes every character."""
    pattern = rng.choice(STARTS) + _choice(rng, rng.randrange(3))
    return pattern + rng.choice(["", "|.", r"|[\s\S]", r"|\s|\S", "|(?s:.)", "|(?s:.)", "|(?s:.)"])


def cuts_of_tiktoken(pattern: str, texts: list[str]) -> list[list[bytes] | None]:
    """Returns the pieces of each text, in which characters may be left out; None where tiktoken ends with a panic.

    ValueError for a pattern that tiktoken refuses. With every part of the texts a token, a piece is one id.
    """
    ranks = {bytes([byte]): byte for byte in range(256)}
    for text in texts:
        data = text.encode()
        for start in range(len(data)):
            for end in range(start + 2, len(data) + 1):
                ranks.setdefault(data[start:end], len(ranks))
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    found: list[list[bytes] | None] = []
    for text in texts:
        try:
            ids = encoding.encode_ordinary(text)
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
                raise
            found.append(None)
            continue
        found.append([encoding.decode_single_token_bytes(token) for token in ids])
    return found


def _choice(rng: Random, depth: int) -> str:
    return "|".join(_row(rng, depth) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def _row(rng: Random, depth: int) -> str:
    return "".join(_repeated(rng, depth) for _ in range(rng.choice([1, 1, 2, 2, 3])))


def _repeated(rng: Random, depth: int) -> str:
    one = _one(rng, depth)
    while rng.random() < 0.25:
        one += rng.choice(COUNTS) + rng.choice(["", "", "", "?", "+", "?+"])
    return one


def _one(rng: Random, depth: int) -> str:
    """Returns something that can be repeated."""
    kind = rng.randrange(16)
    if kind < 4:
        return _letter(rng)
    if kind == 4:
        return rng.choice(TIES)
    if kind == 5:
        return rng.choice(ESCAPES)
    if kind == 6:
        return rf"\{rng.choice('pP')}{{{rng.choice(PROPERTIES)}}}"
    if kind < 10:
        return _set(rng, 2)
    if kind == 10:
        return rng.choice([*ODD, rf"\x{{{ord(rng.choice(LETTERS)):X}}}"])
    if kind == 11:
        return rng.choice(PLACES)
    if depth == 0:
        return _letter(rng)
    if rng.random() < 0.2:
        return rng.choice(["(?<=", "(?<!"]) + _choice(rng, 0) + ")"
    return f"{rng.choice(GROUPS)}{_choice(rng, depth - 1)})"


def _letter(rng: Random) -> str:
    letter = rng.choice(LETTERS + OTHERS)
    return "\\" + letter if letter in ".-" else letter


def _set(rng: Random, depth: int) -> str:
    parts = [_member(rng, depth) for _ in range(rng.randrange(1, 4))]
    while depth and rng.random() < 0.25:
        sign = rng.choice(["&&", "--", "~~", "-", "&", "~"])
        after = rng.choice([_member(rng, depth), _member(rng, depth), ""])
        parts.insert(rng.randrange(len(parts) + 1), sign + after)
    return rng.choice(["[", "[", "[^"]) + "".join(parts) + "]"


def _member(rng: Random, depth: int) -> str:
    kind = rng.randrange(9)
    if kind < 3:
        return _letter(rng)
    if kind == 3:
        return rng.choice(RANGES)
    if kind == 4:
        return rng.choice(ESCAPES)
    if kind == 5:
        return rf"\{rng.choice('ppP')}{{{rng.choice(PROPERTIES)}}}"
    if kind == 6:
        return f"[:{rng.choice(POSIX)}:]"
    if kind == 7:
        return rng.choice([r"\n", r"\t", r"\x41", r"\b", r"\]", "-", "]", "^", r"\-", r"\<"])
    return _set(rng, depth - 1) if depth else _letter(rng)
