"""Ollama's store of models: a manifest names the files of a model, by their hashes, and one of them is its GGUF file.

The store has a manifest for each model, ``manifests/<host>/<owner>/<name>/<tag>``, and the files in ``blobs``.

Source: ``manifest/manifest.go`` and ``types/model/name.go`` in ollama/ollama.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import HEAD_BYTES
from tokenarium_core.plain_files import open_file, read_file

LARGEST: Final = 1 << 20
"""Most bytes of a manifest; a larger file is not one."""

_MODEL: Final = "application/vnd.ollama.image.model"
_SIGN: Final = b'"application/vnd.ollama.image.'
_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
_USUAL_HOST: Final = "registry.ollama.ai"
_USUAL_OWNER: Final = "library"
_FOLDERS: Final = 5  # above a manifest, up to that of the store


def is_manifest(path: Path) -> bool:
    """Returns whether a file is a manifest of Ollama, by its beginning."""
    try:
        with open_file(path) as file:
            head = file.read(HEAD_BYTES)
    except (OSError, ValueError):
        return False
    return head.lstrip().startswith(b"{") and b'"layers"' in head and _SIGN in head


def blob_name(manifest: Path) -> str:
    """Returns the name of the model's file that a manifest names, ``sha256-…``; empty if it names none, or is none."""
    try:
        content: object = json.loads(read_file(manifest, LARGEST))
    except (OSError, ValueError, RecursionError):
        return ""
    layers = content.get("layers") if isinstance(content, dict) else None
    for layer in layers if isinstance(layers, list) else []:
        if isinstance(layer, dict) and layer.get("mediaType") == _MODEL:
            digest = _DIGEST.fullmatch(str(layer.get("digest")))
            if digest is not None:
                return f"sha256-{digest[1]}"
    return ""


def model_of(manifest: Path) -> Path:
    """Returns the file of the model that a manifest names: in ``blobs`` of its store, or beside it.

    FormatError if it names none, or the file is not there.
    """
    name = blob_name(manifest)
    if not name:
        raise FormatError(
            f"{manifest.name} is a manifest of Ollama that names no model in one file: there is nothing to open."
        )
    folders = list(manifest.absolute().parents)[:_FOLDERS]
    for folder in folders:
        for blob in (folder / "blobs" / name, folder / name):
            if os.path.isfile(blob):
                return blob
    raise FormatError(
        f"{manifest.name} is a manifest of Ollama, but the file of its model, {name}, is not in the folder “blobs” of its"
        " store. Run “ollama pull” for the model, or open the manifest where Ollama keeps it."
    )


def model_name(manifest: Path) -> str:
    """Returns the name that Ollama has for the model of a manifest in its store; elsewhere, the file's name."""
    parts = manifest.absolute().parts
    if "manifests" not in parts[:-1]:
        return manifest.name
    at = len(parts) - 1 - parts[::-1].index("manifests")
    return shown_name(parts[at + 1 :])


def shown_name(parts: tuple[str, ...]) -> str:
    """Returns a model's name as Ollama shows it: without the host and the owner where they are the usual ones.

    >>> shown_name(("registry.ollama.ai", "library", "llama3.2", "1b"))
    'llama3.2:1b'
    """
    front = list(parts[:-1])
    if front[:1] == [_USUAL_HOST]:
        del front[0]
        if front[:1] == [_USUAL_OWNER]:
            del front[0]
    return f"{'/'.join(front)}:{parts[-1]}" if front else parts[-1]
