"""A corpus read in chunks has the same pre-tokens as its texts read whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_files import write_file

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS, pre_tokenizer
from tokenarium_core.training.corpus_reader import CHUNK, CorpusReader
from tokenarium_core.training.word_counter import WordCounter

LINES = [
    "One line of words, with digits 1234567 and 'll isn't WE'VE\n",
    "  indented\n\n\n   \n more  blanks   \t here \r\n\r\n",
    "日本語の文章は空白で区切られない。長い単語\n「括弧」!!\n/x\n//\n",
    "\n\u3000wide blank\n\u00a0no-break\n\u2028line\n\u1680ogham\n",
    "Ελλάδα ΚΑΙ Κύπρος 漢漢漢ABCdef e\u0301e\u0301\n\u0301\u0301 😀😀\n😀",
    "\n" * 30 + " " * 30 + "\n" * 3 + "end",
]
MIXED = "".join(LINES[k * 7 % 6] + LINES[k * k % 6] for k in range(60))
UNBROKEN = "語" * 900 + " " * 1500 + "\n" * 1500 + "x" * 1500


def words_of(name: str, texts: list[str]) -> dict[bytes, int]:
    """Returns the pre-tokens of whole texts."""
    counter = WordCounter(pre_tokenizer(name))
    for text in texts:
        counter.add(text)
    return counter.counts()


def words_read(name: str, reader: CorpusReader) -> dict[bytes, int]:
    """Returns the pre-tokens of a corpus that is read in chunks."""
    counter = WordCounter(pre_tokenizer(name))
    while True:
        start = reader.start
        reader.start = counter.add_block(reader.data, start, reader.stop, reader.limit)
        if reader.start == start and not reader.read():
            return counter.counts()


@pytest.mark.slow
@pytest.mark.parametrize("name", PRE_TOKENIZERS)
@pytest.mark.parametrize("chunk", [CHUNK, 3000, 1025, 333])
@pytest.mark.parametrize("text", [MIXED, UNBROKEN, MIXED[::-1], UNBROKEN + MIXED, MIXED + UNBROKEN])
def test_chunk_borders_do_not_show(name: str, chunk: int, text: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(text, encoding="utf-8", newline="")
    expected = words_of(name, [text, text])
    assert words_read(name, CorpusReader([text], [path], chunk)) == expected


def test_each_text_is_cut_by_itself(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("def ")
    (tmp_path / "two").write_text(" ghi")
    files = [str(tmp_path / "one"), tmp_path / "two"]
    words = words_read("gpt2", CorpusReader(["abc", "def"], files))
    assert words == {b"abc": 1, b"def": 2, b" ": 1, b" ghi": 1}


def test_one_string_is_one_text() -> None:
    assert words_read("gpt2", CorpusReader("abc abc", [])) == {b"abc": 1, b" abc": 1}


def test_texts_may_come_one_by_one() -> None:
    def texts() -> Iterator[str]:
        yield "one"
        yield ""
        yield "two"

    reader = CorpusReader(texts(), [])
    assert words_read("gpt2", reader) == {b"one": 1, b"two": 1}
    assert (reader.done, reader.total) == (6, 0)


def test_progress_is_reported(tmp_path: Path) -> None:
    path = write_file(tmp_path / "text.txt", "語x".encode())
    reader = CorpusReader(["語語", "xyz"], [path])
    assert (reader.done, reader.total) == (0, 9)
    words_read("gpt2", reader)
    assert reader.done == 9


def test_surrogates_stay_together() -> None:
    text = "a\ud83d\ude00b\ud83dc"
    assert words_read("whitespace", CorpusReader([text], [], 2)) == {"a😀b\ufffdc".encode(): 1}


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("é".encode() * 100 + b"caf\xe9 au lait", r"byte 203 \(0xE9\)"),
        ("日本".encode()[:-1], r"byte 3 \(0xE6\)"),
        (b"x" * 70 + b"\xff" + b"y" * 70, r"byte 70 \(0xFF\)"),
        (b"x" * 62 + "日".encode() + b"\x80", r"byte 65 \(0x80\)"),
    ],
)
@pytest.mark.parametrize("chunk", [CHUNK, 64, 7])
def test_bytes_that_are_not_utf8_are_named(
    content: bytes, place: str, chunk: int, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "latin.txt", content)
    with pytest.raises(FormatError, match=rf"latin\.txt is not UTF-8: {place}"):
        words_read("gpt2", CorpusReader([], [path], chunk))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match=r"nowhere\.txt cannot be read: No such file"):
        CorpusReader([], [tmp_path / "nowhere.txt"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "thing"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(
        NotAvailable, match=r"thing cannot be read: (it is a (pipe|device)|Is a directory)"
    ):
        CorpusReader([], [path])


def test_what_has_no_break_is_read_in_ever_larger_chunks(tmp_path: Path) -> None:
    path = write_file(tmp_path / "text.txt", "x" * 100_000)
    for texts, files in (([path.read_text()], []), ([], [path])):
        reader = CorpusReader(texts, files, 100)
        stops = []
        while reader.read():
            stops.append(reader.stop)
        assert stops[-1] == 100_000
        assert len(stops) < 20
