"""Eight bytes at a time give the same as byte by byte."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tokenarium_core.normalizers.plain_ascii import PlainAscii

TEXTS = st.text(st.sampled_from("ab !~\t\x7f\x00é▁") | st.characters(codec="utf-8"), max_size=60)


def is_plain(text: bytes, blank: bool) -> bool:
    """Returns whether all is printable ASCII, with no space after another."""
    for byte in text:
        if not 32 <= byte < 127 or (byte == 32 and blank):
            return False
        blank = byte == 32
    return True


@given(TEXTS, st.booleans())
def test_what_is_skipped_is_plain(text: str, blank: bool) -> None:
    data = text.encode()
    after = PlainAscii().skip(data + bytes(16), 0, len(data), blank)
    assert after % 8 == 0
    assert after <= len(data)
    assert is_plain(data[:after], blank)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30), st.booleans())
def test_words_are_skipped(text: str, spaced: bool) -> None:
    data = " ".join(text).encode() if spaced else text.encode()
    scanner = PlainAscii()
    if "!" not in text:  # one after a space may be taken for a second space
        assert scanner.skip(data + bytes(16), 0, len(data), False) == len(data) // 8 * 8
        assert scanner.holds(data + bytes(16), 0, len(data)) == (len(data) >= 8)


@given(TEXTS)
def test_what_holds_is_plain(text: str) -> None:
    data = text.encode()
    if PlainAscii().holds(data + bytes(16), 0, len(data)):
        assert is_plain(data, True)
        assert not data.endswith(b" ")


@given(st.lists(st.sampled_from(["plain ", "a line\n", "é", "\t", "\x7f", "\x1f", "~ !", "\n\n"])))
def test_lines_end_before_what_is_not_plain(parts: list[str]) -> None:
    data = "".join(parts).encode()
    others = [found.start() for found in re.finditer(rb"[^\x20-\x7e\n]", data)]
    at = 0
    for place in [*others, len(data)]:
        assert PlainAscii().lines_end(data, at, len(data)) == place
        at = place + 1
