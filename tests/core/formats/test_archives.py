"""Tokenizers in archives, in repositories of a Hugging Face cache and in pipelines are those of their files."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

import tokenarium_core as tc
from tokenarium_core.formats import archives
from tokenarium_core.formats.opening import folders_of, foreign_kind, is_tokenizer
from tokenarium_core.trace import Trace

pytestmark = pytest.mark.core

TEXT = "the low tokens <|end|>"


@pytest.fixture
def made(tmp_path: Path) -> tuple[bytes, list[int]]:
    """Returns a tokenizer.json and the ids of the text."""
    tokenizer = tc.train("bpe", ["the low tokens of the lowest"] * 3, vocab_size=270)
    path = tmp_path / "made" / "tokenizer.json"
    path.parent.mkdir()
    tokenizer.save(path)
    return path.read_bytes(), tc.open(path).encode_ids(TEXT)


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix in (".gz", ".tgz") else "w") as archive:
        for name, content in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return path


@pytest.mark.parametrize("name", ["small.zip", "small.tar", "small.tar.gz", "small.tgz"])
def test_a_folder_in_an_archive(name: str, made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    content, ids = made
    write = zipped if name.endswith(".zip") else tarred
    members = {
        "model/weights.bin": b"\1" * 9_000,
        "model/tokenizer.json": content,
        "model/tokenizer_config.json": b'{"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": "hi"}',
    }
    path = write(tmp_path / name, members)
    assert is_tokenizer(path)
    assert foreign_kind(path) is None
    tokenizer = tc.open(path)
    assert tokenizer.encode_ids(TEXT) == ids
    assert tokenizer.name == "small"
    assert (tokenizer.source.path, tokenizer.source.files) == (str(path), [path])
    assert tokenizer.decode(tokenizer.encode_ids(TEXT)) == TEXT
    assert list(tokenizer.encode(TEXT, trace=Trace()).ids) == ids
    copy = tmp_path / "copy.tokenarium.json"
    tokenizer.save(copy)
    assert tc.open(copy).encode_ids(TEXT) == ids


def test_a_bundle_of_mediapipe(tmp_path: Path) -> None:
    tokenizer = tc.train("unigram", ["the low tokens of the lowest"] * 3, vocab_size=40)
    model = tmp_path / "spiece.model"
    tokenizer.save(model, "sentencepiece")
    path = zipped(
        tmp_path / "small.task", {"TF_LITE": b"\0", "TOKENIZER_MODEL": model.read_bytes()}
    )
    assert is_tokenizer(path)
    opened = tc.open(path)
    assert opened.encode_ids(TEXT) == tc.open(model).encode_ids(TEXT)
    assert opened.name == "small"


@pytest.mark.parametrize("write", [zipped, tarred])
def test_names_that_lead_out_are_passed_over(
    write: object, made: tuple[bytes, list[int]], tmp_path: Path
) -> None:
    write = zipped if write is zipped else tarred
    content, _ = made
    names = [
        "../tokenizer.json",
        "/tmp/tokenizer.json",
        "a/../../tokenizer.json",
        "c:\\tokenizer.json",
    ]
    path = write(tmp_path / "out.zip", dict.fromkeys(names, content))
    with pytest.raises(
        tc.FormatError, match=r"out\.zip is a (ZIP|tar) archive without a tokenizer"
    ):
        tc.open(path)
    assert not (tmp_path / "tokenizer.json").exists()


def test_links_in_an_archive_are_passed_over(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    path = tmp_path / "links.tar"
    with tarfile.open(path, "w") as archive:
        about = tarfile.TarInfo("tokenizer.json")
        about.type, about.linkname = tarfile.SYMTYPE, str(tmp_path / "made" / "tokenizer.json")
        archive.addfile(about)
    with pytest.raises(tc.FormatError, match="without a tokenizer"):
        tc.open(path)


def test_several_tokenizers_are_named(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    path = zipped(tmp_path / "two.zip", {f"{one}/tokenizer.json": made[0] for one in ("a", "b")})
    with pytest.raises(tc.FormatError, match="in the folders a, b: unpack it"):
        tc.open(path)


def test_a_broken_archive_is_refused(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    for name in ("x.zip", "x.tgz", "x.tar"):
        write = zipped if name == "x.zip" else tarred
        content = write(tmp_path / name, {"tokenizer.json": made[0]}).read_bytes()
        whole = 512 + len(made[0]) if name == "x.tar" else len(content) - 48
        for size in range(600, whole, len(content) // 7):
            (tmp_path / name).write_bytes(content[:size])
            assert is_tokenizer(tmp_path / name), "so that opening it says what is wrong"
            with pytest.raises(tc.TokenariumError, match=r"\.$|\)\.?$"):
                tc.open(tmp_path / name)


@pytest.mark.parametrize("write", [zipped, tarred])
def test_bounds(
    write: object,
    made: tuple[bytes, list[int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write = zipped if write is zipped else tarred
    path = write(tmp_path / "big.zip", {"tokenizer.json": made[0], "a.txt": b"", "b.txt": b""})
    if tc.COMPILED:
        pytest.skip("the bounds are constants of compiled code")
    monkeypatch.setattr(archives, "MOST_BYTES", 100)
    with pytest.raises(tc.FormatError, match="is an archive with more than 0 MiB"):
        tc.open(path)
    monkeypatch.setattr(archives, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    with pytest.raises(tc.FormatError, match=r"is an archive with .* members"):
        tc.open(path)


def cached(tmp_path: Path, content: bytes) -> Path:
    """Makes the folder of a repository as huggingface_hub does: snapshots with links to blobs."""
    top = tmp_path / "hub" / "models--some--small"
    for commit in ("1" * 40, "2" * 40):
        (top / "snapshots" / commit).mkdir(parents=True)
    (top / "blobs").mkdir()
    (top / "blobs" / "abc").write_bytes(content)
    (top / "refs").mkdir()
    (top / "refs" / "main").write_text("1" * 40)
    (top / "snapshots" / ("1" * 40) / "tokenizer.json").symlink_to("../../blobs/abc")
    return top


def test_a_repository_of_the_cache(
    made: tuple[bytes, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = cached(tmp_path, made[0])
    assert is_tokenizer(top)
    tokenizer = tc.open(top)
    assert (tokenizer.name, tokenizer.encode_ids(TEXT)) == ("some/small", made[1])
    assert tokenizer.source.path == str(top)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert tc.open("some/small").name == "some/small"
    (top / "snapshots" / ("1" * 40) / "vocab.txt").symlink_to(tmp_path / "made" / "tokenizer.json")
    with pytest.raises(tc.FormatError, match="leads out of the cache"):
        tc.open(top)


def test_a_pipeline(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    top = tmp_path / "pipeline"
    (top / "tokenizer").mkdir(parents=True)
    (top / "model_index.json").write_text("{}")
    (top / "tokenizer" / "tokenizer.json").write_bytes(made[0])
    assert is_tokenizer(top)
    tokenizer = tc.open(top)
    assert (tokenizer.name, tokenizer.encode_ids(TEXT)) == ("pipeline", made[1])
    (top / "tokenizer_2").mkdir()
    (top / "tokenizer_2" / "tokenizer.json").write_bytes(made[0])
    assert is_tokenizer(top)
    assert [one.name for one in folders_of(top)] == ["tokenizer", "tokenizer_2"]
    with pytest.raises(tc.FormatError, match="open one of its folders tokenizer, tokenizer_2"):
        tc.open(top)
