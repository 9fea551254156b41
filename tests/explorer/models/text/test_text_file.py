"""In which encoding a file is written, from its bytes alone."""

from __future__ import annotations

import codecs

import pytest

from tokenarium.app.start import sample_text
from tokenarium.models.text.text_file import MOST_BAD_LINES, SAMPLE, chosen, marked, why_not_utf8

GERMAN = "Über den Bäumen hängt Nebel, und die Vögel schweigen. Größe und Süße, schön. " * 20
JAPANESE = "森の上に霧がかかり、鳥たちは黙っている。川はいつものようにゆっくり流れる。" * 20


@pytest.mark.parametrize(
    ("content", "name", "how"),
    [
        (b"plain", "utf-8", "assumed"),
        (JAPANESE.encode(), "utf-8", "assumed"),
        (GERMAN.encode("latin-1"), "utf-8", "assumed"),
        ("\ufeffmark".encode(), "utf-8-sig", "mark"),
        (GERMAN.encode("utf-16"), "utf-16", "mark"),
        (GERMAN.encode("utf-32"), "utf-32", "mark"),
        (b"\xfe\xff" + GERMAN.encode("utf-16-be"), "utf-16", "mark"),
    ],
)
def test_a_byte_order_mark_decides(content: bytes, name: str, how: str) -> None:
    found = marked(content)
    assert (found.name, found.how) == (name, how)


@pytest.mark.parametrize(
    ("sample", "encoding"),
    [
        ("prose-de", "latin-1"),
        ("prose-ru", "cp1251"),
        ("prose-ru", "koi8-r"),
        ("prose-ja", "shift_jis"),
        ("prose-ja", "euc-jp"),
        ("prose-zh", "gb18030"),
        ("prose-ko", "euc-kr"),
    ],
)
def test_the_advice_names_an_encoding_that_reads_the_text(sample: str, encoding: str) -> None:
    content = sample_text(sample).encode(encoding, "ignore")
    why = why_not_utf8(content, True)
    name = why.partition("If it is text in ")[2].partition(",")[0]
    assert "choose its encoding by hand" in why
    assert content.decode(codecs.lookup(name).name) == content.decode(encoding)


def test_a_character_that_the_sample_cuts_is_no_fault() -> None:
    content = ("x" + "ü" * SAMPLE).encode()
    assert why_not_utf8(content, False) == ""
    assert "not UTF-8" in why_not_utf8(content[:SAMPLE], True)


@pytest.mark.parametrize("whole", [True, False])
def test_single_lines_that_are_not_utf8_are_no_other_encoding(whole: bool) -> None:
    lines = ["größer\n".encode()] * 100
    few = int(100 * MOST_BAD_LINES) - 1
    lines[:few] = ["größer\n".encode("latin-1")] * few
    assert why_not_utf8(b"".join(lines), whole) == ""
    lines[: few + 3] = ["größer\n".encode("latin-1")] * (few + 3)
    assert "0xF6 at byte 2" in why_not_utf8(b"".join(lines), whole)


def test_a_zero_is_a_character_and_many_are_another_encoding() -> None:
    assert why_not_utf8(b"a\0b and more of the text", True) == ""
    assert "UTF-16" in why_not_utf8("plain".encode("utf-16-le"), True)


@pytest.mark.parametrize("content", [bytes(range(256)) * 8, b"\x7fELF\0\0\0\1" * 400])
def test_what_is_no_text(content: bytes) -> None:
    assert "not text" in why_not_utf8(content, False)


def test_names_that_a_person_gives() -> None:
    found = chosen("Latin-1")
    assert found is not None
    assert str(found) == "iso8859-1 (chosen)"
    assert chosen("rot13") is None
    assert chosen("klingon") is None
    assert chosen("undefined") is None
    assert chosen("utf-8\0") is None
