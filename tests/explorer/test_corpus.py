"""A corpus: which files its sources stand for, what is read of them, what is left out and why."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_documents import LARGEST_DOCUMENT
from tokenarium.models.training.corpus_files import CorpusFile, Kind, Source, files_of, source_of
from tokenarium_core.errors import TokenariumError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "texts"
    (top / "inner").mkdir(parents=True)
    (top / ".hidden").mkdir()
    (top / "a.txt").write_text("first", "utf-8")
    (top / "inner" / "b.txt").write_text("zweiter Text, größer", "utf-8")
    (top / "inner" / "empty.txt").touch()
    (top / ".hidden" / "c.txt").write_text("never", "utf-8")
    (top / "picture.png").write_bytes(b"\x89PNG")
    (top / "data.bin2").write_bytes(bytes(range(256)) * 4)
    return top


def read(*sources: Source, seed: int = 0) -> tuple[list[str], Corpus]:
    corpus = Corpus(sources, seed)
    return list(corpus), corpus


def test_a_folder_gives_its_texts_and_says_what_it_leaves_out(folder: Path) -> None:
    texts, corpus = read(Source("folder", str(folder)))
    assert texts == ["first", "zweiter Text, größer"]
    assert {(item.path.name, item.reason) for item in corpus.skipped} == {
        ("picture.png", ".png files hold no text."),
        ("empty.txt", "It is empty."),
    }
    notes = {report.file.path.name: report.note for report in corpus.reports}
    assert notes == {"a.txt": "", "b.txt": "", "data.bin2": "It holds no text."}
    assert corpus.done == corpus.total - (folder / "data.bin2").stat().st_size
    assert (corpus.documents, corpus.characters) == (2, sum(map(len, texts)))


@pytest.mark.parametrize(
    ("kind", "value", "names"),
    [
        ("file", "a.txt", ["a.txt"]),
        ("glob", "**/*.txt", ["a.txt", "b.txt"]),
        ("glob", "inner/*", ["b.txt"]),
    ],
)
def test_sources_stand_for_files(folder: Path, kind: Kind, value: str, names: list[str]) -> None:
    found = files_of(Source(kind, str(folder / value)))
    assert [item.path.name for item in found if isinstance(item, CorpusFile)] == names


@pytest.mark.parametrize(
    ("value", "kind"), [("a.txt", "file"), ("", "folder"), ("*.txt", "glob"), ("gone.txt", "file")]
)
def test_words_name_sources(folder: Path, value: str, kind: str) -> None:
    assert source_of(str(folder / value)).kind == kind


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    texts, corpus = read(
        Source("file", str(tmp_path / "gone.txt")),
        Source("folder", str(tmp_path / "gone")),
        Source("glob", str(tmp_path / "*.gone")),
    )
    assert texts == []
    assert [item.reason for item in corpus.skipped] == [
        "It cannot be read: No such file or directory.",
        "There is no such folder.",
        "No file has such a name.",
    ]


def test_the_library_of_this_python_is_always_there() -> None:
    corpus = Corpus([Source("library")])
    names = {file.path.name for file in corpus.files}
    assert {"os.py", "argparse.py", "decoder.py"} <= names
    assert not any("site-packages" in str(file.path) for file in corpus.files)
    assert "def " in next(text for text in corpus if len(text) > 1000)


def test_gzip_and_json_lines(tmp_path: Path) -> None:
    lines = [
        {"text": "one", "meta": {"title": "Eins"}},
        {"meta": {"title": "Zwei"}},
        {"text": "three", "meta": {"title": 3}},
    ]
    content = "\n".join(json.dumps(line) for line in lines) + "\n\n{broken\n"
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(content.encode()))
    texts, corpus = read(Source("file", str(path)))
    assert texts == ["one", "three"]
    assert corpus.reports[0].note == (
        "2 of its lines were left out: line 2 has no text in the field “text”."
    )
    texts, corpus = read(Source("file", str(path), field="meta.title"))
    assert texts == ["Eins", "Zwei"]
    assert corpus.reports[0].bad_lines == 2


@pytest.mark.parametrize("cut", [5, 40])
def test_a_broken_gzip_file_is_told(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress(bytes(range(48, 123)) * 300)[:cut])
    _, corpus = read(Source("file", str(path)))
    assert "no whole gzip file" in corpus.reports[0].note


def test_encodings_are_found_out_said_and_changed(tmp_path: Path) -> None:
    text = "Größe, Süße, schöne Vögel hängen über Bäumen. " * 30
    path = tmp_path / "alt.txt"
    path.write_bytes(text.encode("latin-1"))
    texts, corpus = read(Source("file", str(path)))
    assert texts == [text]
    assert str(corpus.reports[0].encoding).endswith("(guessed)")
    texts, corpus = read(Source("file", str(path), encoding="latin-1"))
    assert texts == [text]
    assert str(corpus.reports[0].encoding) == "iso8859-1 (chosen)"
    texts, corpus = read(Source("file", str(path), encoding="utf-8"))
    assert texts == []
    assert corpus.reports[0].skipped
    assert corpus.reports[0].note == (
        "What follows is not utf-8 (byte 0xF6). Choose its encoding by hand."
    )
    path.write_bytes(b"ab" * 40)  # characters of UTF-16 too, but which bytes come first is not told
    texts, corpus = read(Source("file", str(path), encoding="utf-16"))
    assert texts == []
    assert corpus.reports[0].note == (
        "It does not begin with the byte order mark of utf-16. Choose its encoding by hand."
    )


def test_a_long_text_is_cut_at_the_ends_of_lines(tmp_path: Path) -> None:
    text = "".join(f"line {number} of a long text\r\n" for number in range(100_000))
    path = tmp_path / "long.txt"
    path.write_bytes(text.encode())
    texts, corpus = read(Source("file", str(path)))
    assert "".join(texts) == text
    assert len(texts) == -(-len(text) // LARGEST_DOCUMENT)
    assert all(part.endswith("\n") for part in texts)
    assert corpus.done == corpus.total == len(text)


def test_weights_take_documents_by_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(f'{{"text": "{number}"}}' for number in range(2000)), "utf-8")
    half = Source("file", str(path), weight=0.5)
    taken, _ = read(half)
    assert 900 < len(taken) < 1100
    assert read(half)[0] == taken
    assert read(half, seed=1)[0] != taken
    assert read(half, Source("text", "more"))[0] == [*taken, "more"]
    often, corpus = read(Source("file", str(path), weight=2.25))
    assert all(often.count(str(number)) in (2, 3) for number in range(0, 2000, 100))
    assert corpus.reports[0].documents == 2000
    assert corpus.reports[0].kept == len(often)


def test_equal_documents_have_equal_fingerprints(folder: Path, tmp_path: Path) -> None:
    _, one = read(Source("folder", str(folder)))
    _, two = read(Source("text", "first"), Source("text", "zweiter Text, größer"))
    _, three = read(Source("text", "firstzweiter Text, größer"))
    assert one.fingerprint == two.fingerprint != three.fingerprint


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (Source("file", "x.txt", weight=0), "A weight of 0 cannot be: give x.txt more than 0"),
        (Source("file", "x.txt", weight=float("nan")), "A weight of nan cannot be"),
        (Source("file", "x.txt", encoding="klingon"), "'klingon' is not the name of an encoding"),
        (Source("folder", " "), "names no file"),
    ],
)
def test_sources_that_cannot_be(source: Source, sentence: str) -> None:
    with pytest.raises(TokenariumError, match=sentence):
        Corpus([source])


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Short\nand sweet", "“Short and sweet” (15 characters)"),
        ("x", "“x” (1 character)"),
        ("word " * 20, f"“{'word ' * 6}wo …” (100 characters)"),
        ("\n \n", "a text of 3 characters"),
        ("مرحبا", "“\u2068مرحبا\u2069” (5 characters)"),
    ],
)
def test_a_text_is_called_by_its_first_words(text: str, title: str) -> None:
    assert Source("text", text).title == title
