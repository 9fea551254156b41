"""What tokenizers are opened from besides single files: folders, caches, pipelines, archives, and a store's manifests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from tokenarium_core.formats.archives import archive_above, archive_kind, folders_in
from tokenarium_core.formats.hub_cache import snapshot_of
from tokenarium_core.formats.registry import FORMATS, file_patterns, has_own_name, in_folder

MOST_FOLDERS: Final = 16
"""The most tokenizers of an archive that are listed."""

PLACES: Final = (
    (
        "a folder with a tokenizer, such as a model's",
        "The names of its files.",
        "Its vocabulary with the settings beside it, and its chat template.",
    ),
    (
        "an archive: ZIP or tar, packed with gzip or not; MediaPipe's `.task`",
        "Its first bytes, and the names in it.",
        "The files of its one folder with a tokenizer; of several, each by its path, `models.zip/small`.",
    ),
    (
        "a repository's folder in Hugging Face's cache, `models--org--name`",
        "Its name, and its folder `snapshots`.",
        "The snapshot of its main branch, else the newest one.",
    ),
    (
        "a pipeline of Diffusers",
        "Its `model_index.json`.",
        "Its folder `tokenizer`; of several, each of `tokenizer_2` and so on by its path.",
    ),
    (
        "a manifest of Ollama, `manifests/registry.ollama.ai/library/llama3.2/1b`",
        "JSON with layers of Ollama's types.",
        "The GGUF file of its model, `blobs/sha256-…` of the same store, by the name that Ollama has for it.",
    ),
)
"""What tokenizers are opened from besides single files, for the documentation: what it is, by what, and what is opened."""

_PARTS: Final = ("tokenizer", "tokenizer_2", "tokenizer_3", "tokenizer_4")


def folders_of(folder: Path) -> list[Path]:
    """Returns the folders of the tokenizers that a folder or a file stands for: itself, if it is none of these three.

    A repository of a Hugging Face cache stands for its snapshot, a pipeline of Diffusers for the subfolders
    ``tokenizer``, ``tokenizer_2`` and so on, an archive for its folders with the names of tokenizer files, which are not
    opened to find out. FormatError if the snapshot has a link that leads out of the cache.
    """
    kind = archive_kind(folder)
    if kind:
        return _folders_of_archive(folder, kind)
    folder = snapshot_of(folder) or folder
    if os.path.isfile(folder / "model_index.json") and in_folder(folder) is None:
        return [folder / name for name in _PARTS if (folder / name).is_dir()] or [folder]
    return [folder]


def _folders_of_archive(path: Path, kind: str) -> list[Path]:
    found: list[str] = []
    inside = folders_in(path, kind, file_patterns())
    for folder in sorted(inside):
        names = inside[folder]
        # Half of a pair makes no tokenizer; of a name that others have too, the content decides.
        known = [name for name in names if _is_whole(name, names)]
        above = any(folder == one or one == "" or folder.startswith(one + "/") for one in found)
        if known and not above:
            found.append(folder)
    return [path / one for one in found[:MOST_FOLDERS]] if len(found) > 1 else [path]


def _is_whole(name: str, names: list[str]) -> bool:
    """Returns whether a file makes a tokenizer with those beside it, by its name."""
    for format in FORMATS.values():
        pair = format.pair_of(Path(name))
        if pair is not None:
            return pair[0].name in names and pair[1].name in names
    return has_own_name(name) or any(name in format.folder_names for format in FORMATS.values())


def is_there(source: str) -> bool:
    """Returns whether a path leads to a file or a folder, also in an archive: what `open_tokenizer` does not take for a name."""
    return os.path.exists(source) or archive_above(Path(source)) is not None
