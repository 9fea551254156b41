"""Random patterns in Oniguruma's syntax, and texts in which they may match."""

from __future__ import annotations

from random import Random

LETTERS = "abkstifnßſKıİéÉßẞﬁﬀﬆŉǰΐσςΣДд日١"
OTHERS = " \n\t.,-'’²_\u00a0\u200d\u2028\u0301\u0308\u0307!1\u1a60"
TIES = ["ss", "ffi", "st", "i\u0307", "j\u030c", "ʼn", "ι\u0308\u0301", "sS", "fi", "'s", "'ll"]
PROPERTIES = [
    "L", "Lu", "Ll", "N", "M", "P", "S", "Zs", "^L", "Upper", "Lower", "Greek", "Han", "Alnum",
]  # fmt: skip
POSIX = ["upper", "lower", "alpha", "digit", "punct", "space", "^upper", "alnum", "word", "xdigit"]
ESCAPES = [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\h", r"\H"]
PLACES = ["^", "$", r"\b", r"\B", r"\A", r"\z", r"\Z"]
COUNTS = ["*", "+", "?", "{2}", "{1}", "{1,2}", "{,2}", "{2,}", "{0,1}", "{1,1}"]


def random_pattern(rng: Random) -> str:
    """Returns a pattern, sometimes one that Oniguruma refuses."""
    start = rng.choice(["", "", "(?i)", "(?i)", "(?m)", "(?x)", "(?im)"])
    return start + _choice(rng, rng.randrange(3))


def random_text(rng: Random, pattern: str) -> str:
    """Returns a text of what patterns look for, mostly this one."""
    signs = [c for c in pattern if c not in "()[]{}?*+|\\^$"] or ["a"]
    parts = []
    for _ in range(rng.randrange(1, 14)):
        kind = rng.randrange(5)
        part = rng.choice(
            signs if kind < 2 else TIES if kind == 2 else LETTERS if kind == 3 else OTHERS
        )
        parts.append(rng.choice([part, part, part.upper(), part.lower()]))
    return "".join(parts)


def _choice(rng: Random, depth: int) -> str:
    return "|".join(_row(rng, depth) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def _row(rng: Random, depth: int) -> str:
    return "".join(_repeated(rng, depth) for _ in range(rng.choice([1, 1, 2, 2, 3])))


def _repeated(rng: Random, depth: int) -> str:
    one = _one(rng, depth)
    while rng.random() < 0.25:
        one += rng.choice(COUNTS) + rng.choice(["", "", "", "?", "+"])
    return one


def _one(rng: Random, depth: int) -> str:
    """Returns something that can be repeated."""
    kind = rng.randrange(15)
    if kind < 4:
        return _letter(rng)
    if kind == 4:
        return rng.choice(TIES)
    if kind == 5:
        return rng.choice(ESCAPES)
    if kind == 6:
        return rf"\{rng.choice('pP')}{{{rng.choice(PROPERTIES)}}}"
    if kind < 9:
        return _set(rng, 2)
    if kind == 9:
        return rng.choice(
            [".", r"\N", r"\O", r"\R", r"(?#x)", r"(a)\1", rf"\x{{{ord(rng.choice(LETTERS)):X}}}"]
        )
    if kind == 10:
        return rng.choice(PLACES)
    if depth == 0:
        return _letter(rng)
    if rng.random() < 0.15:  # what is looked back for must be plain
        after = "".join(_letter(rng) if rng.random() < 0.5 else _set(rng, 1) for _ in range(2))
        return rng.choice(["(?<=", "(?<!"]) + after + ")"
    opening = rng.choice(["(?:", "(?:", "(?i:", "(?-i:", "(?i-m:", "(", "(?=", "(?!", "(?>"])
    return f"{opening}{_choice(rng, depth - 1)})"


def _letter(rng: Random) -> str:
    letter = rng.choice(LETTERS + OTHERS)
    return "\\" + letter if letter in ".-" else letter


def _set(rng: Random, depth: int) -> str:
    parts = [_member(rng, depth) for _ in range(rng.randrange(1, 4))]
    if depth and rng.random() < 0.15:
        parts.insert(rng.randrange(1, len(parts) + 1), "&&" + _member(rng, depth))
    return rng.choice(["[", "[", "[^"]) + "".join(parts) + "]"


def _member(rng: Random, depth: int) -> str:
    kind = rng.randrange(8)
    if kind < 3:
        return _letter(rng)
    if kind == 3:
        return rng.choice(["a-z", "A-Z", "0-9", "à-ÿ", "Α-Ω", "ﬀ-ﬆ", r"\x{100}-\x{17F}"])
    if kind == 4:
        return rng.choice(ESCAPES)
    if kind == 5:
        return rf"\p{{{rng.choice(PROPERTIES)}}}"
    if kind == 6:
        return f"[:{rng.choice(POSIX)}:]"
    return _set(rng, depth - 1) if depth else _letter(rng)
