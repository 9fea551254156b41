"""The script table against fontTools, over every code point."""

from __future__ import annotations

from importlib.metadata import version

import fontTools.unicodedata
import pytest

from tokenarium_core.unicode.codepoints import CODE_POINTS
from tokenarium_core.unicode.scripts import SCRIPT_TABLE, SCRIPTS, script_name, script_of
from tokenarium_core.unicode.scripts_data import FONTTOOLS_VERSION

pytestmark = pytest.mark.core

UNKNOWN = "Zzzz"


@pytest.mark.slow
def test_table_is_fonttools() -> None:
    theirs = [fontTools.unicodedata.script(chr(c)) for c in range(CODE_POINTS)]
    ours = [SCRIPTS[index] for index in SCRIPT_TABLE]
    if version("fonttools") == FONTTOOLS_VERSION:
        assert ours == theirs
    else:  # it may know another Unicode: a few old characters move to another script each time
        known = [pair for pair in zip(ours, theirs, strict=True) if UNKNOWN not in pair]
        assert sum(our != their for our, their in known) < 64


@pytest.mark.parametrize(
    ("character", "code", "name"),
    [
        ("a", "Latn", "Latin"),
        ("あ", "Hira", "Hiragana"),
        ("語", "Hani", "Han"),
        (" ", "Zyyy", "Common"),
        ("\u0301", "Zinh", "Inherited"),
        ("\U0010ffff", UNKNOWN, "Unknown"),
        ("𐕂", "Aghb", "Caucasian Albanian"),
    ],
)
def test_script_of(character: str, code: str, name: str) -> None:
    assert script_of(ord(character)) == code
    assert script_name(code) == name


def test_names_are_fonttools() -> None:
    assert sorted(SCRIPTS) == SCRIPTS
    for code in SCRIPTS:
        assert script_name(code) == fontTools.unicodedata.script_name(code).replace("_", " ")
