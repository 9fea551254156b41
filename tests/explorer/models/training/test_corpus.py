"""A corpus: which files its sources name, what is read of them, what is left out and why."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import pytest
from small_files import new_folder, write_file

from tokenarium.models.text import text_file
from tokenarium.models.training import corpus_documents, corpus_unpacking
from tokenarium.models.training.corpus import MOST_LINES, Corpus, share_lines
from tokenarium.models.training.corpus_documents import LARGEST_DOCUMENT
from tokenarium.models.training.corpus_files import (
    CorpusFile,
    CorpusSource,
    Kind,
    files_of,
    source_of,
)
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


def read(*sources: CorpusSource, seed: int = 0) -> tuple[list[str], Corpus]:
    corpus = Corpus(sources, seed)
    return list(corpus), corpus


def test_a_folder_gives_its_texts_and_says_what_it_leaves_out(folder: Path) -> None:
    texts, corpus = read(CorpusSource("folder", str(folder)))
    assert texts == ["first", "zweiter Text, größer"]
    assert {(item.path.name, item.reason) for item in corpus.skipped} == {
        ("picture.png", ".png files hold no text."),
        ("empty.txt", "It is empty."),
    }
    notes = {report.file.path.name: report.note for report in corpus.reports}
    assert notes == {
        "a.txt": "",
        "b.txt": "",
        "data.bin2": "It is not UTF-8 (0x80 at byte 128), and is not text.",
    }
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
def test_sources_name_files(folder: Path, kind: Kind, value: str, names: list[str]) -> None:
    found = files_of(CorpusSource(kind, str(folder / value)))
    assert [item.path.name for item in found if isinstance(item, CorpusFile)] == names


@pytest.mark.parametrize(
    ("value", "kind"), [("a.txt", "file"), ("", "folder"), ("*.txt", "glob"), ("gone.txt", "file")]
)
def test_words_name_sources(folder: Path, value: str, kind: str) -> None:
    assert source_of(str(folder / value)).kind == kind


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    texts, corpus = read(
        CorpusSource("file", str(tmp_path / "gone.txt")),
        CorpusSource("folder", str(tmp_path / "gone")),
        CorpusSource("glob", str(tmp_path / "*.gone")),
    )
    assert texts == []
    assert [item.reason for item in corpus.skipped] == [
        "It cannot be read: No such file or directory.",
        "There is no such folder.",
        "No file matches it.",
    ]


def test_the_library_of_this_python_is_always_there() -> None:
    corpus = Corpus([CorpusSource("library")])
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
    path = write_file(tmp_path / "rows.jsonl.gz", gzip.compress(content.encode()))
    texts, corpus = read(CorpusSource("file", str(path)))
    assert texts == ["one", "three"]
    assert corpus.reports[0].note == (
        "2 of its lines were left out: line 2 has no text in the field “text”; it has text in meta.title."
    )
    texts, corpus = read(CorpusSource("file", str(path), field="meta.title"))
    assert texts == ["Eins", "Zwei"]
    assert corpus.reports[0].bad_lines == 2


@pytest.mark.parametrize("cut", [5, 40])
def test_a_broken_gzip_file_is_reported(tmp_path: Path, cut: int) -> None:
    path = write_file(tmp_path / "text.txt.gz", gzip.compress(bytes(range(48, 123)) * 300)[:cut])
    _, corpus = read(CorpusSource("file", str(path)))
    assert "not a complete gzip file" in corpus.reports[0].note


def test_a_corpus_is_utf8_unless_an_encoding_is_named(tmp_path: Path) -> None:
    text = "Größe, Süße, schöne Vögel hängen über Bäumen. " * 30
    path = write_file(tmp_path / "alt.txt", text.encode("latin-1"))
    texts, corpus = read(CorpusSource("file", str(path)))
    assert texts == []
    assert corpus.reports[0].skipped
    assert "It is not UTF-8 (0xF6 at byte 2)." in corpus.reports[0].note
    assert "choose its encoding by hand" in corpus.reports[0].note
    assert corpus.damage == "Of 1 file, 1 could not be read completely."
    texts, corpus = read(CorpusSource("file", str(path), encoding="latin-1"))
    assert texts == [text]
    assert str(corpus.reports[0].encoding) == "iso8859-1 (chosen)"
    path.write_bytes(
        b"ab" * 40
    )  # characters of UTF-16 too, but nothing says which byte comes first
    texts, corpus = read(CorpusSource("file", str(path), encoding="utf-16"))
    assert texts == []
    assert corpus.reports[0].note == (
        "It does not begin with the byte order mark of utf-16. Choose its encoding by hand."
    )


BAD = "eine schöne Zeile".encode("latin-1")
LINES = [f"Zeile {number}, größer".encode() for number in range(400)]
PLACES = [0, 7, 100, 399]


@pytest.mark.parametrize("encoding", ["", "utf-8"])
@pytest.mark.parametrize("chunk", [64, 1 << 20])  # where reads end in a line, and where they do not
def test_one_bad_byte_costs_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, encoding: str
) -> None:
    monkeypatch.setattr(corpus_documents, "_CHUNK", chunk)
    monkeypatch.setattr(
        text_file, "SAMPLE", 128
    )  # the first bad lines are in it, the others after it
    lines = list(LINES)
    for place in PLACES[1:]:
        lines[place] = BAD
    path = write_file(tmp_path / "text.txt", b"\n".join(lines))
    texts, corpus = read(CorpusSource("file", str(path), encoding=encoding))
    kept = [line.decode() for place, line in enumerate(LINES) if place not in PLACES[1:]]
    assert "".join(texts) == "\n".join(kept) + "\n"
    report = corpus.reports[0]
    assert report.bad_lines == len(PLACES) - 1
    at = b"\n".join(lines[:7]).__len__() + 1 + BAD.index(0xF6)
    assert report.note == (
        f"3 lines were left out because of bytes that cannot be decoded: 0xF6 at byte {at:,} is not utf-8."
    )
    assert (
        corpus.damage == "Of 1 file, 1 could not be read completely, and 3 lines or rows in them."
    )
    with pytest.raises(TokenariumError, match="3 lines were left out"):
        list(Corpus([CorpusSource("file", str(path), encoding=encoding)], strict=True))


def test_a_zero_is_read_as_it_is(tmp_path: Path) -> None:
    path = write_file(tmp_path / "text.txt", b"some text\0and more of it")
    texts, corpus = read(CorpusSource("file", str(path)))
    assert texts == ["some text\0and more of it"]
    assert not corpus.damage


def test_a_long_text_is_cut_at_the_ends_of_lines(tmp_path: Path) -> None:
    text = "".join(f"line {number} of a long text\r\n" for number in range(100_000))
    path = write_file(tmp_path / "long.txt", text.encode())
    texts, corpus = read(CorpusSource("file", str(path)))
    assert "".join(texts) == text
    assert len(texts) == -(-len(text) // LARGEST_DOCUMENT)
    assert corpus.documents == corpus.reports[0].documents == corpus.reports[0].kept == 1
    assert all(part.endswith("\n") for part in texts)
    assert corpus.done == corpus.total == len(text)


def test_a_weight_is_a_share_of_the_bytes(tmp_path: Path) -> None:
    for name, count in (("english", 900), ("code", 40), ("more", 60)):
        (tmp_path / name).mkdir()
        for number in range(5):
            write_file(
                tmp_path / name / f"{number}.txt",
                "".join(f"{name} line {line}\n" for line in range(count * 5)),
            )
    weights = {"english": 0.4, "code": 0.2, "more": 0.25}
    sources = [
        CorpusSource("folder", str(tmp_path / name), weight) for name, weight in weights.items()
    ]
    corpus = Corpus(sources)
    texts = list(corpus)
    assert sum(len(text.encode()) for text in texts) == sum(corpus.bytes_taken)
    for share, weight in zip(corpus.shares, weights.values(), strict=True):
        assert share.after == pytest.approx(weight / 0.85, abs=0.01)
    assert corpus.shares[0].before > 0.8
    assert corpus.documents <= 15
    assert "add up to 0.85" in corpus.mixing_notes[0]
    assert list(Corpus(sources)) == texts
    assert list(Corpus(sources, seed=1)) != texts
    sized = Corpus(sources, size=20_000)
    list(sized)
    assert sum(sized.bytes_taken) == pytest.approx(20_000, rel=0.02)


def test_no_source_is_silently_empty(tmp_path: Path) -> None:
    empty = new_folder(tmp_path / "empty")
    some = CorpusSource("text", "some text\n" * 100, 0.5)
    with pytest.raises(TokenariumError, match="has no text, so its share would be empty"):
        list(Corpus([some, CorpusSource("folder", str(empty), 0.5)]))
    with pytest.raises(TokenariumError, match="give each source its share"):
        list(Corpus([some, CorpusSource("text", "more")]))
    corpus = Corpus([CorpusSource("text", "some"), CorpusSource("folder", str(empty))])
    assert list(corpus) == ["some"]
    assert corpus.mixing_notes == [f"{empty}: nothing of it is in the corpus."]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are those of POSIX")
def test_a_pattern_stays_in_its_tree_and_reads_no_pipes(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "below").mkdir(parents=True)
    outside.mkdir()
    for path in (inside / "a.txt", inside / "below" / "b.txt", outside / "c.txt"):
        path.write_text(path.name, "utf-8")
    (inside / "out").symlink_to(outside)
    (inside / "root").symlink_to("/")
    (inside / "below" / "loop").symlink_to(inside)
    os.mkfifo(inside / "pipe.txt")
    for pattern in ("**/*", "**/*.txt", "**", "**/**/*.txt"):
        found = list(files_of(CorpusSource("glob", str(inside / pattern))))
        names = [item.path.name for item in found if isinstance(item, CorpusFile)]
        assert sorted(set(names)) == ["a.txt", "b.txt"]
    texts, corpus = read(CorpusSource("folder", str(inside)))
    assert texts == ["a.txt", "b.txt"]
    assert [item.reason for item in corpus.skipped] == ["It is a pipe, not a file."]
    _, corpus = read(CorpusSource("file", str(inside / "pipe.txt")))
    assert "It is a pipe" in corpus.why_nothing


def test_equal_documents_have_equal_fingerprints(folder: Path, tmp_path: Path) -> None:
    _, one = read(CorpusSource("folder", str(folder)))
    _, two = read(CorpusSource("text", "first"), CorpusSource("text", "zweiter Text, größer"))
    _, three = read(CorpusSource("text", "firstzweiter Text, größer"))
    assert one.fingerprint == two.fingerprint != three.fingerprint


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            CorpusSource("file", "x.txt", weight=0),
            "The weight 0 is not possible: give x.txt more than 0",
        ),
        (CorpusSource("file", "x.txt", weight=float("nan")), "The weight nan is not possible"),
        (
            CorpusSource("file", "x.txt", encoding="klingon"),
            "'klingon' is not the name of an encoding",
        ),
        (CorpusSource("folder", " "), "names no file"),
    ],
)  # fmt: skip
def test_sources_that_cannot_be(source: CorpusSource, sentence: str) -> None:
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
    assert CorpusSource("text", text).title == title


@pytest.mark.slow
@pytest.mark.parametrize("name", ["text.txt.gz", "lines.jsonl.gz"])
def test_a_gzip_file_that_unpacks_to_far_more_than_a_text_would(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_unpacking, "MOST_UNPACKED", 1 << 22)
    path = write_file(tmp_path / name, gzip.compress(b"\n" * (1 << 25)))
    texts, corpus = read(CorpusSource("file", str(path)))
    assert len("".join(texts)) <= 1 << 22
    [report] = corpus.reports
    assert "it unpacks to more than 250 times its size" in report.note.lower()
    path.write_bytes(gzip.compress(b"\n" * (1 << 21)))  # a small one is no trouble
    _, corpus = read(CorpusSource("file", str(path)))
    assert corpus.reports[0].note == ""


def test_many_sources_are_summed_up(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("some words")
    names = [*(f"gone{number}.txt" for number in range(3000)), "there.txt"]
    _, corpus = read(*(CorpusSource("file", str(tmp_path / name)) for name in names))
    lines = share_lines(corpus.shares)
    assert len(lines) == MOST_LINES
    assert "there.txt: 100.0% of the bytes" in lines[0]
    assert lines[-1] == "2,982 more: 0.0% of the bytes (0)"
    [note] = corpus.mixing_notes
    assert note.endswith("gone2.txt and 2,997 more: nothing of them is in the corpus.")


LINES_OF_JSON = [
    b'{"text":"a"}',
    b' {"text":"\\u00e9 \\ud83d\\ude00 \\/"}\r',
    b'{"text":"\\ud800"}',
    b'{"text":"\\ud83dx"}',
    b'{"text":"a","score":NaN}',
    b'{"text":"a","score":1e999}',
    b'{"text":"a","score":123456789012345678901234567890}',
    b'{"text":"first","text":"last"}',
    b'{"text":"a\tb"}',
    b'{"text":"a\x01b"}',
    b'{"text":"a"} more',
    b'{"text":1}',
    b'{"text":"a","score":01}',
    b"[1,]",
    b'"text"',
    b'\xef\xbb\xbf{"text":"marked"}',
]


@pytest.mark.parametrize("line", LINES_OF_JSON)
def test_a_line_of_json_is_what_python_reads_in_it(tmp_path: Path, line: bytes) -> None:
    try:
        value = json.loads(line.decode())
        wanted = [value["text"]] if isinstance(value["text"], str) else []
    except (ValueError, TypeError):
        wanted = []
    path = write_file(tmp_path / "rows.jsonl", b'{"text":"before"}\n' + line + b"\n")
    texts, corpus = read(CorpusSource("file", str(path)))
    assert texts == ["before", *wanted]
    assert sum(report.bad_lines for report in corpus.reports) == 1 - len(wanted)


def test_the_first_line_of_json_may_have_a_mark(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "rows.jsonl", b"\xef\xbb\xbf" + b'{"text":"marked"}\n{"text":"next"}\n'
    )
    assert read(CorpusSource("file", str(path)))[0] == ["marked", "next"]
