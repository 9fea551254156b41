"""Where the programs that run models on this computer keep them: Ollama, llama.cpp and LM Studio.

Sources: ``envconfig/config.go`` in ollama/ollama; ``fs_get_cache_directory`` in
ggml-org/llama.cpp's ``common/common.cpp``; LM Studio's documentation of its models' folder.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tokenarium_core.formats.ollama_store import blob_name, is_manifest, model_name, shown_name

OLLAMA, LLAMA_CPP, LM_STUDIO = "Ollama", "llama.cpp", "LM Studio"

MOST_MANIFESTS = 10_000

_BLOB = re.compile(r"sha256-[0-9a-f]{64}")
_NO_TOKENIZER = re.compile(r"mmproj|-(?!00001-)\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)


def ollama_folders() -> list[Path]:
    """Returns the folders in which Ollama keeps its models: that of the user, and that of the service on Linux."""
    named = os.environ.get("OLLAMA_MODELS")
    if named:
        return [Path(named)]
    folders = [Path(os.path.expanduser("~/.ollama/models"))]
    if sys.platform == "linux":
        folders.append(Path("/usr/share/ollama/.ollama/models"))
    return folders


def llama_cpp_folder() -> Path:
    """Returns the folder in which llama.cpp keeps the models that it downloads."""
    named = os.environ.get("LLAMA_CACHE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path(os.path.expanduser("~/Library/Caches/llama.cpp"))
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser() / "llama.cpp"
    return Path(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache")) / "llama.cpp"


def lm_studio_folders() -> list[Path]:
    """Returns the folders in which LM Studio keeps its models: that of today, and that of earlier versions."""
    return [
        Path(os.path.expanduser(f"~/{name}"))
        for name in (".lmstudio/models", ".cache/lm-studio/models")
    ]


def may_hold_tokenizer(name: str) -> bool:
    """Returns whether a GGUF file of that name may have one: not a part of a model after the first, nor a projector.

    >>> may_hold_tokenizer("big-00001-of-00003.gguf"), may_hold_tokenizer("big-00002-of-00003.gguf")
    (True, False)
    """
    return _NO_TOKENIZER.search(name) is None


def ollama_models(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yields the models of a folder of Ollama, each with its name there ("llama3.2:1b") and its GGUF file.

    A name for which there is no file is left out, and so is a manifest that cannot be read.
    """
    manifests = folder / "manifests"
    count = 0
    for parent, folders, names in os.walk(manifests):
        folders.sort()
        for tag in sorted(names):
            count += 1
            if count > MOST_MANIFESTS:
                return
            path = Path(parent) / tag
            name = blob_name(path)
            blob = folder / "blobs" / name
            if name and os.path.isfile(blob):
                yield shown_name(path.relative_to(manifests).parts), blob


def ollama_name(path: Path) -> str:
    """Returns the name that Ollama has for a file or a manifest of its store; empty for any other file."""
    if "manifests" in path.parts and is_manifest(path):
        return model_name(path)
    if _BLOB.fullmatch(path.name) is None or path.parent.name != "blobs":
        return ""
    names = (name for name, blob in ollama_models(path.parent.parent) if blob.name == path.name)
    return next(names, "")
