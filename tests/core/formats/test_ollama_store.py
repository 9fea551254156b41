"""A manifest of Ollama opens the GGUF file of its model."""

from __future__ import annotations

import json
from pathlib import Path

import gguf_files
import pytest
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.formats.ollama_store import shown_name
from tokenarium_core.formats.opening import foreign_kind, is_tokenizer

TEXT = "the low tokens"
DIGEST = "1f" * 32


def manifest(path: Path, kind: str = "model") -> Path:
    """Writes a manifest as Ollama does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    layers = [
        {
            "mediaType": f"application/vnd.ollama.image.{kind}",
            "digest": f"sha256:{DIGEST}",
            "size": 9,
        },
        {
            "mediaType": "application/vnd.ollama.image.license",
            "digest": "sha256:" + "f" * 64,
            "size": 9,
        },
    ]
    config = {
        "mediaType": "application/vnd.docker.container.image.v1+json",
        "digest": "sha256:" + "e" * 64,
    }
    kept = "application/vnd.docker.distribution.manifest.v2+json"
    made = {"schemaVersion": 2, "mediaType": kept, "config": config, "layers": layers}
    path.write_text(json.dumps(made))
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Returns a store with the file of one model."""
    tokenizer = tc.train("bpe", [TEXT] * 3, vocab_size=262)
    (tmp_path / "blobs").mkdir()
    gguf_files.of_merges(tmp_path / "blobs" / f"sha256-{DIGEST}", tokenizer, "gpt-2")
    return tmp_path


def test_the_model_of_a_manifest(store: Path) -> None:
    path = manifest(store / "manifests" / "registry.ollama.ai" / "library" / "small" / "1b")
    blob = store / "blobs" / f"sha256-{DIGEST}"
    assert is_tokenizer(path)
    assert foreign_kind(path) is None
    opened = tc.open(path)
    direct = tc.open(blob)
    assert opened.name == "small:1b"
    assert opened.encode_ids(TEXT) == direct.encode_ids(TEXT)
    assert (opened.source.format, opened.source.path) == ("gguf", str(blob))
    assert [name for name, _ in opened.source.digests()] == ["1b", blob.name]
    beside = manifest(store / "copied" / "small.json")
    copy = write_file(beside.with_name(blob.name), blob.read_bytes())
    blob.unlink()
    assert (tc.open(beside).name, tc.open(beside).source.path) == ("small.json", str(copy))


def test_names_as_ollama_shows_them() -> None:
    assert (
        shown_name(("registry.ollama.ai", "someone", "theirs", "latest")) == "someone/theirs:latest"
    )
    assert shown_name(("hf.co", "some", "model", "Q4")) == "hf.co/some/model:Q4"


def test_what_is_missing_is_said(store: Path) -> None:
    path = manifest(store / "manifests" / "registry.ollama.ai" / "library" / "small" / "1b")
    (store / "blobs" / f"sha256-{DIGEST}").unlink()
    assert is_tokenizer(path), "so that opening it says what is wrong"
    with pytest.raises(tc.FormatError, match=r"sha256-1f.* is not in the folder “blobs”.*\.$"):
        tc.open(path)
    with pytest.raises(tc.FormatError, match=r"names no model in one file.*\.$"):
        tc.open(manifest(path, "tensor"))
    path.write_text(path.read_text()[:-20])
    with pytest.raises(tc.FormatError, match=r"names no model in one file.*\.$"):
        tc.open(path)
    other = write_file(
        store / "other.json", '{"layers": [{"mediaType": "application/vnd.docker.image.rootfs"}]}'
    )
    assert not is_tokenizer(other)
