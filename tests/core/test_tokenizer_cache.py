"""The cache of a large file opens as the file itself does, and never in place of another one."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from narrowed import there
from sentencepiece_models import SMALL, message
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core import tokenizer_cache

TEXT = "Ein Text, zwei Wörter; 三つの文字 और एक <unused3>\n\n  <bos>\U0001fae9"


def facts(tokenizer: tc.Tokenizer) -> list[object]:
    """Returns what a tokenizer does and reports."""
    vocabulary = tokenizer.vocabulary
    ids = tokenizer.encode_ids(TEXT)
    encoding = tokenizer.encode(TEXT, special="all", template=True)
    return [
        ids,
        list(encoding.ids),
        list(encoding.spans),
        tokenizer.decode(ids),
        tokenizer.name,
        tokenizer.special_tokens,
        (tokenizer.source.format, tokenizer.source.path),
        [(one.group, one.name, one.value) for one in tokenizer.details],
        len(vocabulary),
        [vocabulary.surface(token) for token in range(0, len(vocabulary), 97)],
        vocabulary.find(b"Text"),
    ]


@pytest.mark.parametrize(
    "file", ["gemma3.model", "gemma3-tokenizer.json"], ids=["sentencepiece", "huggingface"]
)
def test_a_kept_file_is_the_file(data: Path, tmp_path: Path, file: str) -> None:
    path = data / "tokenizers" / file
    first = tc.open(path, cache=tmp_path)
    assert tokenizer_cache.is_cached(path, tmp_path)
    there(tokenizer_cache.load(path, tmp_path))
    assert facts(tc.open(path, cache=tmp_path)) == facts(first)


@pytest.fixture
def kept_file(data: Path, tmp_path: Path) -> Path:
    """A file in a folder of its own, with what was kept of it in the folder ``kept`` beside it."""
    path = write_file(
        tmp_path / "gemma3.model", (data / "tokenizers" / "gemma3.model").read_bytes()
    )
    tc.open(path, cache=tmp_path / "kept")
    return path


def test_a_file_that_changed_is_read_again(kept_file: Path) -> None:
    kept = kept_file.parent / "kept"
    os.utime(kept_file, ns=(1, 1))
    assert not tokenizer_cache.is_cached(kept_file, kept)
    assert tokenizer_cache.load(kept_file, kept) is not None, "its content is the same"
    kept_file.write_bytes(kept_file.read_bytes()[:-100])
    assert tokenizer_cache.load(kept_file, kept) is None
    with pytest.raises(tc.FormatError):
        tc.open(kept_file, cache=kept)


def large_model(piece: str) -> bytes:
    """Returns a model so large that its tables are kept in the cache."""
    model = message([*SMALL, (piece, -0.1, 1)], kind=2)
    model.trainer_spec.input.append("x" * (1 << 20))
    content: bytes = model.SerializeToString()
    return content


@pytest.mark.slow
@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("way", ["in place", "by another file"])
def test_a_file_swapped_with_its_time_kept(way: str, settled: bool, tmp_path: Path) -> None:
    """Of the same size too; ``settled``: its state alone was enough to know it by."""
    path, kept = tmp_path / "t.model", tmp_path / "kept"
    path.write_bytes(large_model("aab"))
    if settled:
        time.sleep(2.1)
    assert len(tc.open(path, cache=kept).encode_ids("aab")) == 1
    assert tokenizer_cache.is_cached(path, kept)
    assert len(tc.open(path, cache=kept).encode_ids("aab")) == 1
    about = path.stat()
    target = write_file(path if way == "in place" else tmp_path / "other", large_model("abb"))
    os.utime(target, ns=(about.st_atime_ns, about.st_mtime_ns))
    if target != path:
        target.replace(path)
    assert path.stat().st_mtime_ns == about.st_mtime_ns
    again = tc.open(path, cache=kept)
    assert again.encode_ids("aab abb") == tc.open(path).encode_ids("aab abb")
    assert len(again.encode_ids("abb")) == 1


@pytest.mark.slow
def test_any_bit_that_is_damaged_is_noticed(tmp_path: Path) -> None:
    path, kept = tmp_path / "t.model", tmp_path / "kept"
    path.write_bytes(large_model("aab"))
    tc.open(path, cache=kept)
    (place,) = kept.iterdir()
    content = place.read_bytes()
    for at in [*range(1000, len(content), 40_009), *range(len(content) - 9, len(content))]:
        for bit in (0, 5, 6, 7):
            damaged = bytearray(content)
            damaged[at] ^= 1 << bit
            place.write_bytes(damaged)
            assert tokenizer_cache.load(path, kept) is None
    place.write_bytes(content)
    assert tokenizer_cache.load(path, kept) is not None


def test_damage_is_noticed(kept_file: Path) -> None:
    folder = kept_file.parent / "kept"
    (place,) = folder.iterdir()
    content = bytearray(place.read_bytes())
    content[len(content) // 2] ^= 1
    place.write_bytes(content)
    assert tokenizer_cache.load(kept_file, folder) is None
    place.write_bytes(content[:1000])
    assert tokenizer_cache.load(kept_file, folder) is None
    assert tc.open(kept_file, cache=folder).encode_ids("Hey") == [
        tc.open(kept_file).vocabulary.find(b"Hey")
    ]


def test_a_folder_that_cannot_be_written_is_no_fault(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    tokenizer = tc.open(data / "tokenizers" / "gemma3.model", cache=tmp_path / "file" / "under")
    assert len(tokenizer.vocabulary) == 262144


def test_small_files_are_not_kept(data: Path, tmp_path: Path) -> None:
    tc.open(data / "tokenizers" / "mistral-v3.model", cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_columns_come_back_as_they_went() -> None:
    writer = tokenizer_cache.CacheWriter()
    writer.number(-7)
    writer.text("Ġ\ud800")
    writer.data(b"abc")
    reader = tokenizer_cache.CacheReader(writer.getvalue())
    assert (reader.number(), reader.text(), reader.data()) == (-7, "Ġ\ud800", b"abc")
    with pytest.raises(tc.FormatError, match="cut off"):
        reader.number()
