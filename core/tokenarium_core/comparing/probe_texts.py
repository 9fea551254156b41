"""Texts on which tokenizers are likely to part, whatever their stages are."""

from __future__ import annotations

from typing import Final

CHANGED: Final = (
    "A", "É", "é", "e\u0301", "\u212b", "\ufb01", "\uff21", "\u2460", "\u00bd", "\u1112\u1161\u11ab", "\u304b\u3099",
    "\uff76\uff9e", "ß", "İ", "ı", "ſ", "ς", "Σ", "ǅ", "\u0915\u093c", "\u0958", "\u0344", "a\u0307\u0323", "\u2126",
    "中", "\uf900", "\x00", "\x01", "\x7f", "\ufffd", "\ufeff", "\u200b", "\u200c", "\u200d", "\u00ad", "\u2581",
    "\u2028", "``", "''", "…", "№", "ﷺ", "\u0623\u064e", "\U0001f469\u200d\U0001f680", "\U0001f1e9\U0001f1ea",
    "\ue000", "\U000e0001", "a\u0338", "\u3000", "x²", "\u0149",
)  # fmt: skip
"""Characters that normalizers change, remove or compose."""

SPACES: Final = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""Every white-space character of Unicode, and those that only Python takes for one."""

NEW_LETTERS: Final[dict[str, str]] = {
    "5.1": "\u0370", "5.2": "\u0800", "6.0": "\u0840", "6.1": "\u08a0", "7.0": "\ua794", "8.0": "\u13f8",
    "9.0": "\u1c80", "10.0": "\u0860", "11.0": "\u1c90\u0560", "12.0": "\ua7ba", "13.0": "\u08be",
    "14.0": "\ua7c0\u0870", "15.0": "\U00011240\U00011f50", "15.1": "\U0002ebf0", "16.0": "\ua7cb\u1c89",
    "17.0": "\ua7ce",
}  # fmt: skip
"""Letters and digits that each version of Unicode added."""

SAMPLE: Final = (
    "a",
    "A",
    "é",
    "1",
    "²",
    " ",
    "\t",
    "\n",
    "\r",
    ".",
    "'",
    "_",
    "-",
    "中",
    "\u0301",
    "\U0001f600",
)
"""Characters of the kinds that patterns distinguish."""

WORDS: Final = (
    "", "abc def", "don't", "DON'T", "I'll we've you're", "x's", "HelloWorld", "a.b", "a-b", "a_b", "www.a.b/c",
    "12", "123", "1234", "12345678", "1,234.5", "3d", "d3", "(a)", "a!?", "...", "  a", "a  b", "a   b", "a ", "   ",
    "\n\na", "a\n\n b", "a \n b", "\r\n\r\n", "\t\ta", "a/\n", "日本語", "한국어", "ไทย", "नमस्ते", "Привет", "مرحبا",
    "x = 1;", "if (a) {\n    b\n}", "== ", "--", "—", "a'b", "''a", "\u2019s", "l'eau", "iPhone", "ABCdef", "aAbB",
)  # fmt: skip
"""Short texts of other kinds."""


def general_texts() -> dict[str, list[str]]:
    """Returns texts by what they are, for a sentence about what was tried."""
    spaces: list[str] = []
    for space in SPACES:
        spaces += [
            space,
            f"a{space}",
            f"{space}a",
            f"a{space}a",
            f"a{space}{space}a",
            f"a {space}a",
        ]
    letters: list[str] = []
    for added in NEW_LETTERS.values():
        for letter in added:
            letters += [letter, f"a{letter}", f" {letter}", f"{letter}{letter}", f".{letter}"]
    changed: list[str] = []
    for text in CHANGED:
        changed += [text, f"a{text}", f"{text}a", f"a{text}a", f" {text}", text * 2]
    pairs = [one + other for one in SAMPLE for other in SAMPLE]
    return {
        "characters that normalizers change": changed,
        "white space": spaces,
        "letters that versions of Unicode added": letters,
        "short words and sentences": list(WORDS),
        "pairs of characters of all kinds": pairs,
    }


def combinations(characters: str) -> list[str]:
    """Returns texts in which some characters meet those of all kinds."""
    kinds = list(dict.fromkeys([*characters, *SAMPLE]))
    texts: list[str] = list(characters)
    for character in characters:
        for one in SAMPLE:
            texts += [one + character, character + one]
    for first in kinds:
        for second in kinds:
            texts += [first + second + third for third in SAMPLE]
    texts += [character * count for character in kinds for count in (3, 4, 5, 6, 7)]
    return texts
