"""Compressed files: their content is that which their own libraries give; what is cut off or broken is reported."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenarium.models.training import corpus_unpacking
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_unpacking import (
    BrokenArchiveError,
    Unpacked,
    UnpackedTooMuchError,
    missing,
)

zstandard = pytest.importorskip("zstandard")


def zstd(data: bytes) -> bytes:
    return bytes(zstandard.ZstdCompressor(write_checksum=True).compress(data))


def zstd_stream(data: bytes) -> bytes:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    return bytes(packer.compress(data) + packer.flush())


SKIPPED_FRAME = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
PACKERS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("bz2", bz2.compress),
    ("xz", lzma.compress),
    ("xz", lambda data: lzma.compress(data, lzma.FORMAT_ALONE)),
    ("zstd", zstd),
    ("zstd", zstd_stream),
    ("zstd", lambda data: SKIPPED_FRAME + zstd(data)),
]
SUFFIXES = {"gzip": ".gz", "bz2": ".bz2", "xz": ".xz", "zstd": ".zst"}
TEXT = "".join(f"Zeile {number}, größer als {number * number % 997}\n" for number in range(9000))


def unpacked(data: bytes, form: str) -> bytes:
    packed = cast("io.BufferedReader", io.BufferedReader(cast("io.RawIOBase", io.BytesIO(data))))
    with io.BufferedReader(Unpacked(packed, form)) as content:
        return content.read()


@pytest.mark.parametrize(("form", "pack"), PACKERS)
@settings(max_examples=15, deadline=None)
@given(data=st.binary(max_size=4000), times=st.integers(1, 40), at=st.floats(0, 1))
def test_the_content_is_that_of_the_library(
    form: str, pack: Callable[[bytes], bytes], data: bytes, times: int, at: float
) -> None:
    data *= times
    cut = int(at * len(data))
    assert unpacked(pack(data), form) == data
    assert unpacked(pack(data[:cut]) + pack(data[cut:]), form) == data


@pytest.mark.parametrize(("form", "pack"), PACKERS)
def test_what_is_cut_off_is_reported_wherever_that_is(
    form: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(TEXT.encode()[:3000])
    for stop in range(1, len(packed) - 1, max(len(packed) // 40, 1)):
        if stop == len(SKIPPED_FRAME) and packed.startswith(SKIPPED_FRAME):
            continue  # a file that is whole, and empty
        with pytest.raises(BrokenArchiveError, match="near byte"):
            unpacked(packed[:stop], form)


def test_xz_may_be_padded() -> None:
    packed = lzma.compress(b"one") + bytes(8) + lzma.compress(b"two") + bytes(4)
    assert unpacked(packed, "xz") == b"onetwo"


@pytest.mark.slow
@pytest.mark.parametrize(("form", "pack"), PACKERS)
def test_a_bomb_is_left(
    form: str, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_unpacking, "MOST_UNPACKED", 1 << 20)
    with pytest.raises(UnpackedTooMuchError):
        unpacked(pack(bytes(1 << 25)), form)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "pack"), PACKERS)
def test_a_corpus_reads_compressed_texts_and_says_where_one_ends(
    tmp_path: Path, form: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"text.txt{SUFFIXES[form]}"
    path.write_bytes(pack(TEXT.encode()))
    assert list(Corpus([CorpusSource("folder", str(tmp_path))])) == [TEXT]
    lines = tmp_path / f"lines.jsonl{SUFFIXES[form]}"
    whole = pack(b"".join(b'{"text": "line %d"}\n' % number for number in range(60_000)))
    lines.write_bytes(whole[: len(whole) - 20])
    corpus = Corpus([CorpusSource("file", str(lines))])
    texts = list(corpus)
    assert texts == [f"line {number}" for number in range(len(texts))]
    [report] = corpus.reports
    assert f"it is not a complete {form} file" in report.note.lower()
    assert "near byte" in report.note
    assert corpus.damage == "Of 1 file, 1 could not be read completely."


def test_a_missing_package_is_named_with_what_to_do() -> None:
    assert missing("json", "It is read by json") == ""
    sentence = missing("no_such_package", "They are read by it")
    assert sentence == (
        'They are read by it, which is not installed. Install it: pip install "tokenarium[corpora]"'
    )
