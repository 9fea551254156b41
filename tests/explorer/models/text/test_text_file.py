"""In which encoding a file is written, from its bytes alone."""

from __future__ import annotations

import pytest

from tokenarium.app.start import sample_text
from tokenarium.models.text.text_file import SAMPLE, chosen, detect

GERMAN = "Über den Bäumen hängt Nebel, und die Vögel schweigen. Größe und Süße, schön. " * 20
JAPANESE = "森の上に霧がかかり、鳥たちは黙っている。川はいつものようにゆっくり流れる。" * 20


@pytest.mark.parametrize(
    ("content", "name", "how"),
    [
        (b"plain", "utf-8", "valid"),
        (JAPANESE.encode(), "utf-8", "valid"),
        ("\ufeffmark".encode(), "utf-8-sig", "mark"),
        (GERMAN.encode("utf-16"), "utf-16", "mark"),
        (GERMAN.encode("utf-32"), "utf-32", "mark"),
        (b"\xfe\xff" + GERMAN.encode("utf-16-be"), "utf-16", "mark"),
    ],
)
def test_what_is_known(content: bytes, name: str, how: str) -> None:
    found = detect(content)
    assert found is not None
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
def test_what_is_guessed_reads_the_text(sample: str, encoding: str) -> None:
    content = sample_text(sample).encode(encoding, "ignore")
    found = detect(content)
    assert found is not None
    assert found.how == "guessed"
    assert content.decode(found.name) == content.decode(encoding)


def test_a_character_that_the_sample_cuts_is_no_fault() -> None:
    content = ("x" + "ü" * SAMPLE).encode()
    found = detect(content)
    assert found is not None
    assert found.name == "utf-8"


@pytest.mark.parametrize("content", [bytes(range(256)) * 8, b"\x7fELF\0\0\0\1" * 400])
def test_what_is_no_text(content: bytes) -> None:
    assert detect(content) is None


def test_names_that_a_person_gives() -> None:
    found = chosen("Latin-1")
    assert found is not None
    assert str(found) == "iso8859-1 (chosen)"
    assert chosen("rot13") is None
    assert chosen("klingon") is None
    assert chosen("undefined") is None
    assert chosen("utf-8\0") is None
