"""Writes the core's table of what huggingface/tokenizers knows of code points: hf_codepoints_data.py.

Run it from the root of the project, with tokenizers, regex and fontTools installed (it takes some minutes):

    python packaging/generate_hf_tables.py

Each stage of tokenizers takes its classes from a different Rust crate, with its own version of Unicode: version 9 in
its normal forms, version 17 in lower-casing. So every code point is tested, one by one, with the stage itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

import fontTools.unicodedata
import regex
import tokenizers
from tokenizers import normalizers, pre_tokenizers

from generate_rust_tables import PROPERTIES
from generate_unicode_tables import (
    CODE_POINTS,
    SURROGATES,
    found_by_tiktoken,
    ranges,
    wrapped,
)
from tokenarium_core.patterns.oniguruma_characters import as_seen

UNICODE = Path("core") / "tokenarium_core" / "unicode"
CHARACTERS = [chr(c) for c in CODE_POINTS if c not in SURROGATES]


def spans(characters: Iterable[str]) -> str:
    """Returns "0021 0024-002F …": ascending code points, in spans."""
    return ranges([ord(c) for c in characters], lambda _: "x").replace("=x", "")


def that(found: Callable[[str], bool]) -> str:
    """Returns the spans of all code points with a property."""
    return spans(filter(found, CHARACTERS))


def marks() -> str:
    strip = normalizers.StripAccents()
    return that(lambda c: strip.normalize_str("a" + c) == "a")


def pieces(stage: pre_tokenizers.PreTokenizer, text: str) -> int:
    return len(stage.pre_tokenize_str(text))


def touched_by_normal_forms() -> str:
    """Returns the code points that the normal forms do not leave alone: decomposed, reordered or joined."""
    nfd, nfc, nfkd = normalizers.NFD(), normalizers.NFC(), normalizers.NFKD()
    seconds = set()
    for character in CHARACTERS:
        parts = unicodedata.decomposition(character).split()
        if len(parts) == 2 and "<" not in parts[0]:
            first, second = (chr(int(part, 16)) for part in parts)
            if nfc.normalize_str(first + second) == character:
                seconds.add(second)
    seconds.update(chr(c) for c in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)))

    def touched(c: str) -> bool:
        if c in seconds or nfkd.normalize_str(c) != c:
            return True
        return (  # does it change places with a mark of class 1, or of class 230?
            nfd.normalize_str(f"a{c}\u0334") != f"a{c}\u0334"
            or nfd.normalize_str(f"a\u0301{c}") != f"a\u0301{c}"
        )

    return that(touched)


def other_lower_cases() -> str:
    """Returns "1C89=1C8A …": lower cases other than Python's, or of characters new to its Unicode."""
    lowercase = normalizers.Lowercase()
    found = []
    for c in CHARACTERS:
        lower = lowercase.normalize_str(c)
        if lower != c.lower() or (
            unicodedata.category(c) == "Cn" and regex.match(r"\p{Lu}|\p{Lt}", c)
        ):
            assert len(lower) == 1
            found.append((ord(c), ord(lower)))
    return "\n".join(f"{c:04X}={lower:04X}" for c, lower in found)


def other_scripts() -> str:
    """Returns "3000-3002=Hira …": where UnicodeScripts sees another script than Unicode does.

    A script that shares no word with any other is Zzzz; a character that joins every script is
    written as "*".
    """
    stage = pre_tokenizers.UnicodeScripts()
    script_of: Callable[[str], str] = fontTools.unicodedata.script
    examples: dict[str, str] = {}
    for c in CHARACTERS:
        script = script_of(c)
        if script not in examples and script not in ("Zzzz", "Zinh"):
            if pieces(stage, "\u0300" + c) == 2 and pieces(stage, "a" + c) == 1 + (
                script != "Latn"
            ):
                examples[script] = c
    examples["Zinh"] = "\u0300"

    def seen(c: str) -> str:
        if pieces(stage, "a" + c) == 1 and pieces(stage, "я" + c) == 1:
            return "*"
        expected = script_of(c)
        for script in [expected, *examples]:
            if script in examples and pieces(stage, examples[script] + c) == 1:
                return script
        return "Zzzz"

    different = {}
    for c in CHARACTERS:
        script = seen(c)
        if script != script_of(c):
            different[ord(c)] = script
    return ranges(sorted(different), different.__getitem__)


def other_cases() -> tuple[str, str]:
    """Returns "0041-005A=20 …", how far it is from the first character of each that differ in case alone to the others,
    and "00DF=0073 0073 …", what characters are the same as where case does not matter, spelled by several.
    """

    def folded(source: str) -> normalizers.Normalizer:
        codes = "".join(f"\\x{{{ord(c):X}}}" for c in source)
        return normalizers.Replace(tokenizers.Regex(f"(?i){codes}"), "\0")

    cased = [c for c in CHARACTERS if regex.match(r"\p{Cased}|\p{CWCF}|\p{CWCM}", c)]
    text = ".".join(cased)  # separated, so that no two are joined
    first: dict[str, str] = {}
    spelled = []
    for c in cased:
        found = folded(c).normalize_str(text)[::2]
        assert len(found) == len(cased)
        for other, seen in zip(cased, found, strict=True):
            if seen == "\0":
                first.setdefault(other, c)
        several = c.casefold()
        if len(several) > 1 and folded(c).normalize_str(several) == "\0":
            assert folded(several).normalize_str(c) == "\0"
            spelled.append(f"{ord(c):04X}=" + " ".join(f"{ord(part):04X}" for part in several))
    others = [ord(c) for c in cased if first[c] != c]
    shifts = ranges(others, lambda code: f"{code - ord(first[chr(code)]):X}")
    return shifts, "\n".join(spelled)


def other_properties() -> str:
    """Returns the names of properties that patterns read otherwise than `regex` does: as tiktoken's engine, of the same
    version of Unicode.
    """
    text = "".join(CHARACTERS[1:])
    seen = as_seen(text)
    different = []
    for name in PROPERTIES.replace("=", " ").split():
        try:
            expression = tokenizers.Regex(rf"\p{{{name}}}")
        except Exception:  # not known there
            continue
        marked = normalizers.Replace(expression, "\0").normalize_str(text)
        found = [ord(c) for c, mark in zip(text, marked, strict=True) if mark == "\0"]
        assert [ord(c) for c in found_by_tiktoken(rf"\p{{{name}}}") if ord(c)] == found, name
        plain = name.replace("_", "").lower()
        others = regex.finditer(rf"(?V1)\p{{{plain}}}", seen)
        if [ord(text[match.start()]) for match in others] != found:
            different.append(plain)
    return wrapped(sorted(set(different)))


def table() -> str:
    """Returns the text of hf_codepoints_data.py."""
    digits = pre_tokenizers.Digits(individual_digits=True)
    punctuation = pre_tokenizers.Punctuation()
    cases, spelled = other_cases()
    return f'''"""What huggingface/tokenizers knows of code points, where it differs from our other tables.

Generated by packaging/generate_hf_tables.py; do not edit.
Source: tokenizers {tokenizers.__version__}, stage by stage, as its Python package answers.
"""

from typing import Final

TOKENIZERS_VERSION: Final = "{tokenizers.__version__}"

# Code points that the normal forms decompose, reorder or join (those of Unicode 9).
NORMALIZED: Final = """
{touched_by_normal_forms()}
"""

# Code points that StripAccents removes.
MARKS: Final = """
{marks()}
"""

# Code points that Digits takes for a number.
NUMERIC: Final = """
{that(lambda c: pieces(digits, "a" + c) == 2)}
"""

# Code points that Punctuation takes for punctuation.
PUNCTUATION: Final = """
{that(lambda c: pieces(punctuation, "a" + c) == 2)}
"""

# Lower cases of characters that are new to some Python, or have another there.
LOWER_CASES: Final = """
{other_lower_cases()}
"""

# Code points that UnicodeScripts puts into another script than `scripts_data` does; "*" goes with every script.
OTHER_SCRIPTS: Final = """
{other_scripts()}
"""

# Characters that are the same as an earlier one to a pattern where case does not matter, and how far before them that is.
CASES: Final = """
{cases}
"""

# Characters that are the same there as several others.
SPELLED: Final = """
{spelled}
"""

# Properties that patterns read as tiktoken's engine does (`rust_codepoints_data`), and `regex`, of another Unicode, not.
OTHER_PROPERTIES: Final = """
{other_properties()}
"""
'''


if __name__ == "__main__":
    (UNICODE / "hf_codepoints_data.py").write_text(table(), encoding="utf-8")
