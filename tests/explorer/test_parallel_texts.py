"""Parallel texts: those of the program, and those of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokenarium.models.compare.parallel_texts import aligned, of_folder, shipped
from tokenarium.models.text.text_file import TextFileError


def test_the_shipped_ones_are_aligned() -> None:
    texts = shipped()
    assert texts[0].title == "English"
    assert aligned(texts)


def test_a_folder_has_a_file_for_each_language(tmp_path: Path) -> None:
    (tmp_path / "eng.txt").write_text("one\n\ntwo\n", "utf-8")
    (tmp_path / "deu.txt").write_text("eins\nzwei\n", "utf-8")
    (tmp_path / "fra.txt").write_bytes("été".encode("latin-1"))
    (tmp_path / "ita.txt").touch()
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    texts, left_out = of_folder(tmp_path)
    assert [(text.language, text.lines) for text in texts] == [
        ("deu", ("eins", "zwei")),
        ("eng", ("one", "two")),
    ]
    assert aligned(texts)
    assert [sentence.split()[0] for sentence in left_out] == ["fra.txt", "ita.txt"]


def test_too_few_texts_are_told(tmp_path: Path) -> None:
    with pytest.raises(TextFileError, match="has 0 texts to compare, and 2 are needed"):
        of_folder(tmp_path)
    with pytest.raises(TextFileError, match="cannot be read"):
        of_folder(tmp_path / "none")


def test_a_folder_of_whole_documents(data: Path) -> None:
    texts, left_out = of_folder(data / "text" / "udhr")
    assert len(texts) > 30
    assert left_out == []
    assert not aligned(texts)
