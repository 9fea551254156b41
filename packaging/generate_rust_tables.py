"""Writes the core's table of what tiktoken's regex engine knows of code points: rust_codepoints_data.py.

Run it from the root of the project, with tiktoken and fontTools installed, after generate_unicode_tables.py:

    python packaging/generate_rust_tables.py

Every property is asked for over all code points, in a pattern of tiktoken itself. What follows of the general
categories and the scripts that the core has already is written as what differs.
"""

from __future__ import annotations

from collections.abc import Callable

import tiktoken

from generate_unicode_tables import (
    CATEGORIES,
    CODE_POINTS,
    EVERYTHING,
    UNICODE,
    found_by_tiktoken,
    ranges,
    wrapped,
)
from tokenarium_core.unicode.codepoints import category_of, script_of
from tokenarium_core.unicode.scripts_data import SCRIPT_NAMES

# The names of Unicode's properties that are yes or no, and the short ones (PropertyAliases.txt).
PROPERTIES = """
ASCII_Hex_Digit=AHex Alphabetic=Alpha Bidi_Control=Bidi_C Bidi_Mirrored=Bidi_M Case_Ignorable=CI Cased=Cased
Changes_When_Casefolded=CWCF Changes_When_Casemapped=CWCM Changes_When_Lowercased=CWL Changes_When_Titlecased=CWT
Changes_When_Uppercased=CWU Dash=Dash Default_Ignorable_Code_Point=DI Deprecated=Dep Diacritic=Dia Emoji=Emoji
Emoji_Component=EComp Emoji_Modifier=EMod Emoji_Modifier_Base=EBase Emoji_Presentation=EPres
Extended_Pictographic=ExtPict Extender=Ext Grapheme_Base=Gr_Base Grapheme_Extend=Gr_Ext Grapheme_Link=Gr_Link
Hex_Digit=Hex Hyphen=Hyphen IDS_Binary_Operator=IDSB IDS_Trinary_Operator=IDST IDS_Unary_Operator=IDSU
ID_Compat_Math_Continue=ID_Compat_Math_Continue ID_Compat_Math_Start=ID_Compat_Math_Start ID_Continue=IDC
ID_Start=IDS Ideographic=Ideo Join_Control=Join_C Logical_Order_Exception=LOE Lowercase=Lower Math=Math
Modifier_Combining_Mark=MCM Noncharacter_Code_Point=NChar Other_Alphabetic=OAlpha
Other_Default_Ignorable_Code_Point=ODI Other_Grapheme_Extend=OGr_Ext Other_ID_Continue=OIDC Other_ID_Start=OIDS
Other_Lowercase=OLower Other_Math=OMath Other_Uppercase=OUpper Pattern_Syntax=Pat_Syn Pattern_White_Space=Pat_WS
Prepended_Concatenation_Mark=PCM Quotation_Mark=QMark Radical=Radical Regional_Indicator=RI Sentence_Terminal=STerm
Soft_Dotted=SD Terminal_Punctuation=Term Unified_Ideograph=UIdeo Uppercase=Upper Variation_Selector=VS
White_Space=space XID_Continue=XIDC XID_Start=XIDS
"""


def spans(code_points: list[int]) -> str:
    return ranges(code_points, lambda _: "x").replace("=x", "")


def properties() -> str:
    """Returns "Dash Dash: Pd ^ 2212 …": names, then the categories of which most have it, and the exceptions."""
    members: dict[str, list[int]] = {category: [] for category in CATEGORIES}
    for code_point in CODE_POINTS:
        members[category_of(code_point)].append(code_point)
    lines = []
    for names in PROPERTIES.split():
        name, _, alias = names.partition("=")
        found = {ord(c) for c in found_by_tiktoken(rf"\p{{{name}}}")}
        assert found_by_tiktoken(rf"\p{{{alias}}}") == found_by_tiktoken(rf"\p{{{name}}}")
        assert CATEGORIES[-1] == "Cn"
        most = [c for c in CATEGORIES if len(found.intersection(members[c])) * 2 > len(members[c])]
        expected = {code_point for category in most for code_point in members[category]}
        exceptions = spans(sorted(found ^ expected)).split()
        lines.append(wrapped([name, f"{alias}:", *most, "^", *exceptions]).replace("\n", "\n "))
    return "\n".join(lines)


def unknown_scripts() -> str:
    """Returns the codes of the scripts that the engine does not know; the others are those of scripts_data."""
    unknown = []
    for line in SCRIPT_NAMES.strip().splitlines():
        code, _, name = line.partition(" ")
        try:
            found = found_by_tiktoken(rf"\p{{Script={name}}}")
        except ValueError:
            unknown.append(code)
            continue
        expected = [c for c in EVERYTHING if script_of(ord(c)) == code]
        assert list(found) == [c for c in expected if category_of(ord(c)) != "Cn"], name
    return " ".join(unknown)


def cases() -> str:
    """Returns "0061-007A=20 …": how far it is from the first of the characters that differ in case alone to the others."""
    cased = sorted(
        {*found_by_tiktoken(r"\p{Cased}"), *found_by_tiktoken(r"[\p{CWCF}\p{CWCM}\p{CWT}]")}
    )
    text = "".join(cased)
    assert not any(
        found_by_tiktoken(f"(?i:[\\x{{{first:X}}}-\\x{{{last:X}}}&&[^{text}]])")
        != found_by_tiktoken(f"[\\x{{{first:X}}}-\\x{{{last:X}}}&&[^{text}]]")
        for first, last in [(0, 0xD7FF), (0xE000, 0x10FFFF)]
    ), "other characters have cases too"
    first_of: dict[int, int] = {}
    for c in cased:
        encoding = tiktoken.Encoding(
            "probe",
            pat_str=f"(?i)\\x{{{ord(c):X}}}",
            mergeable_ranks={bytes([b]): b for b in range(256)},
            special_tokens={},
        )
        for same in encoding.decode_bytes(encoding.encode_ordinary(text)).decode():
            first_of.setdefault(ord(same), ord(c))
    others = [ord(c) for c in cased if first_of[ord(c)] != ord(c)]
    shift: Callable[[int], str] = lambda code: f"{code - first_of[code]:X}"  # noqa: E731
    return ranges(others, shift)


def unicode_version() -> str:
    """Returns the newest version of Unicode that the engine knows: that in which its last characters came."""
    version = 0
    for number in range(1, 40):
        try:
            found_by_tiktoken(rf"\p{{age={number}.0}}")
            version = number
        except ValueError:
            continue
    assert len(found_by_tiktoken(rf"\p{{age={version}.0}}")) == len(
        [c for c in EVERYTHING if category_of(ord(c)) != "Cn"]
    ) + len([c for c in EVERYTHING if ord(c) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(c) <= 0xFDEF])
    return f"{version}.0"


def table() -> str:
    """Returns the text of rust_codepoints_data.py."""
    return f'''"""What tiktoken's regex engine knows of code points, beside their general categories in `codepoints_data`.

Generated by packaging/generate_rust_tables.py; do not edit.
Source: tiktoken {tiktoken.__version__}, whose engine (Rust's regex crate) has Unicode {unicode_version()}, as its patterns answer.
"""

from typing import Final

TIKTOKEN_VERSION: Final = "{tiktoken.__version__}"
UNICODE_VERSION: Final = "{unicode_version()}"

# The names of a property, the categories of which most code points have it, and the code points for which that is wrong.
PROPERTIES: Final = """
{properties()}
"""

# Scripts of `scripts_data` that the engine does not know. The others are the same, without what is not assigned here.
UNKNOWN_SCRIPTS: Final = """
{unknown_scripts()}
"""

# Characters that are the same as an earlier one where case does not matter, and how far before them that is.
CASES: Final = """
{cases()}
"""
'''


if __name__ == "__main__":
    (UNICODE / "rust_codepoints_data.py").write_text(table(), encoding="utf-8")
