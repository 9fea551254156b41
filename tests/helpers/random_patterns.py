"""Random patterns in the syntaxes of Oniguruma, as tokenizers runs it, and of Rust's fancy-regex, as tiktoken does; texts in
which they may match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

LETTERS = "abkstifnßſKıİéÉßẞﬁﬀﬆŉǰΐσςΣДд日١"
OTHERS = " \n\t.,-'’²_\u00a0\u200d\u2028\u0301\u0308\u0307!1\u1a60"
TIES = ["ss", "ffi", "st", "i\u0307", "j\u030c", "ʼn", "ι\u0308\u0301", "sS", "fi", "'s", "'ll"]
PROPERTIES = ["L", "Lu", "Ll", "N", "M", "P", "S", "Zs", "^L", "Lower", "Greek", "Han", "Alnum"]
POSIX = ["upper", "lower", "alpha", "digit", "punct", "space", "^upper", "alnum", "word", "xdigit"]
ESCAPES = [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"\h", r"\H"]
PLACES = ["^", "$", r"\b", r"\B", r"\A", r"\z", r"\Z"]
COUNTS = ["*", "+", "?", "{2}", "{1}", "{1,2}", "{,2}", "{2,}", "{0,1}", "{1,1}"]
RANGES = ["a-z", "A-Z", "0-9", "à-ÿ", "Α-Ω", "ﬀ-ﬆ", r"\x{100}-\x{17F}"]
STARTS = ["", "", "(?i)", "(?i)", "(?m)", "(?x)", "(?im)"]
GROUPS = ["(?:", "(?:", "(?i:", "(?-i:", "(", "(?=", "(?!", "(?>"]
ODD = [".", r"\N", r"\O", r"\R", "(?#x)", r"(a)\1"]


@dataclass(frozen=True)
class Syntax:
    """The parts of the patterns of an engine. Parts that are in a list twice are chosen twice as often."""

    starts: Sequence[str]
    ends: Sequence[str]
    properties: Sequence[str]
    posix: Sequence[str]
    escapes: Sequence[str]
    places: Sequence[str]
    counts: Sequence[str]
    greeds: Sequence[str]  # what follows a count
    ranges: Sequence[str]
    groups: Sequence[str]
    odd: Sequence[str]
    signs: Sequence[str]  # between the members of a set
    members: Sequence[str]  # of a set, in addition to all these
    behind: bool  # whether a look-behind may contain more than characters

    def pattern(self, rng: Random) -> str:
        """Returns a pattern, sometimes one that the engine rejects."""
        start, end = rng.choice(self.starts), rng.choice(self.ends)
        return start + self._choice(rng, rng.randrange(3)) + end

    def _choice(self, rng: Random, depth: int) -> str:
        return "|".join(self._row(rng, depth) for _ in range(rng.choice([1, 1, 1, 2, 3])))

    def _row(self, rng: Random, depth: int) -> str:
        return "".join(self._repeated(rng, depth) for _ in range(rng.choice([1, 1, 2, 2, 3])))

    def _repeated(self, rng: Random, depth: int) -> str:
        one = self._one(rng, depth)
        while rng.random() < 0.25:
            one += rng.choice(self.counts) + rng.choice(self.greeds)
        return one

    def _one(self, rng: Random, depth: int) -> str:
        """Returns something that can be repeated."""
        kind = rng.randrange(16)
        if kind < 4:
            return _letter(rng)
        if kind == 4:
            return rng.choice(TIES)
        if kind == 5:
            return rng.choice(self.escapes)
        if kind == 6:
            return self._property(rng)
        if kind < 10:
            return self._set(rng, 2)
        if kind == 10:
            return rng.choice([*self.odd, rf"\x{{{ord(rng.choice(LETTERS)):X}}}"])
        if kind == 11:
            return rng.choice(self.places)
        if depth == 0:
            return _letter(rng)
        if rng.random() < 0.2:
            return rng.choice(["(?<=", "(?<!"]) + self._behind(rng) + ")"
        return f"{rng.choice(self.groups)}{self._choice(rng, depth - 1)})"

    def _behind(self, rng: Random) -> str:
        if self.behind:
            return self._choice(rng, 0)
        return "".join(_letter(rng) if rng.random() < 0.5 else self._set(rng, 1) for _ in range(2))

    def _property(self, rng: Random) -> str:
        return rf"\{rng.choice('ppP')}{{{rng.choice(self.properties)}}}"

    def _set(self, rng: Random, depth: int) -> str:
        parts = [self._member(rng, depth) for _ in range(rng.randrange(1, 4))]
        while depth and rng.random() < 0.2:
            after = rng.choice([self._member(rng, depth), self._member(rng, depth), ""])
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(self.signs) + after)
        return rng.choice(["[", "[", "[^"]) + "".join(parts) + "]"

    def _member(self, rng: Random, depth: int) -> str:
        kind = rng.randrange(9)
        if kind < 3:
            return _letter(rng)
        if kind == 3:
            return rng.choice(self.ranges)
        if kind == 4:
            return rng.choice(self.escapes)
        if kind == 5:
            return self._property(rng)
        if kind == 6:
            return f"[:{rng.choice(self.posix)}:]"
        if kind == 7:
            return rng.choice(self.members)
        return self._set(rng, depth - 1) if depth else _letter(rng)


ONIGURUMA = Syntax(
    starts=STARTS,
    ends=[""],
    properties=[*PROPERTIES, "Upper"],
    posix=POSIX,
    escapes=ESCAPES,
    places=PLACES,
    counts=COUNTS,
    greeds=["", "", "", "?", "+"],
    ranges=RANGES,
    groups=[*GROUPS, "(?i-m:"],
    odd=ODD,
    signs=["&&"],
    members=[r"\n", r"\t", r"\x41", r"\]", r"\-"],
    behind=False,
)

FANCY_REGEX = Syntax(
    starts=[*STARTS, "", "(?s)", "(?U)", "(?mR)", "(?R)"],
    ends=["", "|.", r"|[\s\S]", r"|\s|\S", "|(?s:.)", "|(?s:.)", "|(?s:.)"],
    properties=[
        *(*PROPERTIES, "Uppercase", "graph", "print", "word", "blank", "cntrl", "isLatin", "sc=Cyrl"),
        *("gc!=Lu", "script:Greek", "Alphabetic", "XIDS", "Cased_Letter", "any", "ASCII", "Punct"),
        *("Emoji", "CWKCF", "scx=Latin", "Cs"),
    ],
    posix=[*POSIX, "foo"],
    escapes=[*ESCAPES, r"\pL", r"\PN"],
    places=[
        *(*PLACES, r"\<", r"\>", r"\b{start}", r"\b{end}", r"\b{start-half}", r"\b{end-half}"),
    ],
    counts=[*COUNTS, "{ 1}", "{0}", "{"],
    greeds=["", "", "", "?", "+", "?+"],
    ranges=[*RANGES, r"\u0061-\u006B", " -~"],
    groups=[*GROUPS, "(?:", "(", "(?im:", "(?s-i:", "(?U:", "(?x:", "(?R:", "(?P<n>", "(?<n>"],
    odd=[
        *(*ODD, ".", r"(?<q>b)\k<q>", "(?i)", "(?-i)", r"\e", "{", "(?~a)", r"\G", r"\K"),
        *("(?(1)a|b)", r"(\w)(?P=n)", r"\g<1>", "(*FAIL)", r"\-", r"\é", "]", "}"),
    ],
    signs=["&&", "--", "~~", "-", "&", "~"],
    members=[r"\n", r"\t", r"\x41", r"\]", r"\-", r"\b", "-", "]", "^", r"\<"],
    behind=True,
)  # fmt: skip


def random_text(rng: Random, pattern: str) -> str:
    """Returns a text that patterns may match, mostly this one."""
    signs = [c for c in pattern if c not in "()[]{}?*+|\\^$"] or ["a"]
    parts = []
    for _ in range(rng.randrange(1, 14)):
        kind = rng.randrange(5)
        part = rng.choice(
            signs if kind < 2 else TIES if kind == 2 else LETTERS if kind == 3 else OTHERS
        )
        parts.append(rng.choice([part, part, part.upper(), part.lower()]))
    return "".join(parts)


def _letter(rng: Random) -> str:
    letter = rng.choice(LETTERS + OTHERS)
    return "\\" + letter if letter in ".-" else letter
