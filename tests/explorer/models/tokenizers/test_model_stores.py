"""The folders of Ollama, llama.cpp and LM Studio on a made-up computer."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tokenarium.models.tokenizers.local_tokenizers import LocalTokenizer, Looked, find
from tokenarium.models.tokenizers.model_stores import (
    LLAMA_CPP,
    LM_STUDIO,
    OLLAMA,
    llama_cpp_folder,
    lm_studio_folders,
    ollama_folders,
    ollama_models,
    ollama_name,
)
from tokenarium.models.tokenizers.tokenizer_names import name_of

GGUF = b"GGUF" + bytes(20)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("OLLAMA_MODELS", "LLAMA_CACHE", "XDG_CACHE_HOME", "HF_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("importlib.metadata.distributions", lambda: iter(()))
    return tmp_path


def pull(store: Path, name: str, digit: str, content: bytes = GGUF) -> Path:
    """Writes a model as Ollama does when it has downloaded it; returns its file."""
    manifest = store / "manifests" / name
    manifest.parent.mkdir(parents=True, exist_ok=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:" + "f" * 64},
        {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:" + digit * 64},
    ]
    manifest.write_text(json.dumps({"schemaVersion": 2, "layers": layers}))
    blob = store / "blobs" / f"sha256-{digit * 64}"
    blob.parent.mkdir(exist_ok=True)
    blob.write_bytes(content)
    return blob


def found(place: str) -> list[LocalTokenizer]:
    return [one for one in find([]) if isinstance(one, LocalTokenizer) and one.place == place]


def test_ollama(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = home / ".ollama" / "models"
    small = pull(store, "registry.ollama.ai/library/llama3.2/1b", "1")
    pull(store, "registry.ollama.ai/someone/theirs/latest", "2")
    pull(store, "hf.co/owner/model-GGUF/Q4_K_M", "3")
    pull(store, "registry.ollama.ai/library/other/latest", "4", b"no model at all")
    (store / "manifests" / "broken").write_text("{")
    (store / "manifests" / "list").write_text("[]")
    gone = pull(store, "registry.ollama.ai/library/gone/latest", "5")
    gone.unlink()
    assert {one.name: one.source for one in found(OLLAMA)} == {
        "hf.co/owner/model-GGUF:Q4_K_M": str(store / "blobs" / f"sha256-{'3' * 64}"),
        "llama3.2:1b": str(small),
        "someone/theirs:latest": str(store / "blobs" / f"sha256-{'2' * 64}"),
    }
    assert found(OLLAMA)[0].format == "GGUF"
    assert ollama_name(small) == name_of(small) == "llama3.2:1b"
    assert ollama_name(home / "blobs" / "other") == ""
    manifest = store / "manifests" / "registry.ollama.ai" / "library" / "llama3.2" / "1b"
    assert ollama_name(manifest) == name_of(manifest) == "llama3.2:1b"
    assert name_of(store / "blobs" / f"sha256-{'9' * 64}") == f"sha256-{'9' * 64}"
    monkeypatch.setenv("OLLAMA_MODELS", str(home / "elsewhere"))
    assert ollama_folders() == [home / "elsewhere"]
    assert found(OLLAMA) == []


def test_a_manifest_names_no_file_outside(home: Path) -> None:
    store = home / "store"
    pull(store, "host/owner/model/tag", "1")
    manifest = store / "manifests" / "host" / "owner" / "model" / "tag"
    content = json.loads(manifest.read_text())
    content["layers"][1]["digest"] = "sha256:../../../etc/passwd"
    manifest.write_text(json.dumps(content))
    assert list(ollama_models(store)) == []


def test_llama_cpp_and_lm_studio(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = llama_cpp_folder()
    assert cache.is_relative_to(home) or sys.platform == "win32"
    monkeypatch.setenv("LLAMA_CACHE", str(home / "llama"))
    cache = llama_cpp_folder()
    studio, earlier = lm_studio_folders()
    for path in (
        cache / "owner_model_Q8_0.gguf",
        cache / "owner_model_Q8_0.gguf.json",
        studio / "owner" / "model" / "model-Q4_K_M.gguf",
        studio / "owner" / "model" / "mmproj-model-f16.gguf",
        earlier / "owner" / "big" / "big-00001-of-00002.gguf",
        earlier / "owner" / "big" / "big-00002-of-00002.gguf",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(GGUF if path.suffix == ".gguf" else b"{}")
    assert [one.name for one in found(LLAMA_CPP)] == ["owner_model_Q8_0"]
    assert [one.name for one in found(LM_STUDIO)] == ["model-Q4_K_M", "big-00001-of-00002"]
    looked = [one for one in find([]) if isinstance(one, Looked) and one.place == LM_STUDIO]
    assert [one.path for one in looked] == [studio, earlier]
