"""What Hugging Face's library has downloaded to this computer: one snapshot of a repository a folder.

Source: ``constants.py`` and ``file_download.py`` of huggingface_hub, whose cache has a folder
``models--<owner>--<name>`` for each model, the commit of a branch in ``refs``, and the files of it in ``snapshots``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from tokenarium_core.errors import FormatError
from tokenarium_core.plain_files import read_text

_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_REFUSED: Final = re.compile(r"--|\.\.")
_LONGEST: Final = 96  # characters of a name on Hugging Face
_LARGEST_REF: Final = 1 << 10
_MOST: Final = 10_000  # snapshots that are looked at


def hub_folder() -> Path:
    """Returns the Hugging Face cache, by huggingface_hub's own rules."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        named = os.environ.get(variable)
        if named:
            return Path(os.path.expanduser(os.path.expandvars(named)))
    home = os.environ.get("HF_HOME")
    if home:
        return Path(os.path.expanduser(os.path.expandvars(home))) / "hub"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(cache)) / "huggingface" / "hub"


def is_repository(name: str) -> bool:
    """Returns whether a name is one that a model on Hugging Face may have: ``org/name``, or ``name`` alone."""
    return len(name) <= _LONGEST and _NAME.fullmatch(name) is not None and not _REFUSED.search(name)


def cached_snapshot(name: str) -> Path | None:
    """Returns the folder of a model of this name in the cache, by `newest_snapshot`; None if it has none."""
    if not is_repository(name):
        return None
    return newest_snapshot(hub_folder() / f"models--{name.replace('/', '--')}")


def newest_snapshot(repository: Path) -> Path | None:
    """Returns the snapshot of ``main`` in the folder of a repository, else the one that changed last; None if there is none."""
    try:
        commit = read_text(repository / "refs" / "main", _LARGEST_REF).strip()
    except (OSError, ValueError):
        commit = ""
    newest: Path | None = None
    latest = -1.0
    try:
        with os.scandir(repository / "snapshots") as entries:
            for count, entry in enumerate(entries):
                if count >= _MOST or not entry.is_dir():
                    continue
                if entry.name == commit:
                    return Path(entry.path)
                changed = entry.stat().st_mtime
                if changed > latest:
                    newest, latest = Path(entry.path), changed
    except OSError:
        return None
    return newest


def repository_of(folder: Path) -> str:
    """Returns the name of the model whose folder in a cache this is, ``org/name``; empty for any other folder."""
    kind, _, name = folder.name.partition("--")
    name = name.replace("--", "/", 1)
    return name if kind == "models" and is_repository(name) else ""


def snapshot_of(repository: Path) -> Path | None:
    """Returns the snapshot that stands for the folder of a repository in a cache, by `newest_snapshot`; None for any
    other folder.

    FormatError if a file in it is a link that leads out of the cache.
    """
    if not repository_of(repository):
        return None
    snapshot = newest_snapshot(repository)
    if snapshot is None:
        return None
    try:
        within = repository.resolve().parent
        for count, path in enumerate(snapshot.iterdir()):
            if count >= _MOST:
                break
            if path.is_symlink() and not path.resolve().is_relative_to(within):
                raise FormatError(f"{path} is a link that leads out of the cache {within}.")
    except (OSError, RuntimeError) as error:  # a ring of links
        raise FormatError(f"{snapshot} cannot be read: {error}.") from error
    return snapshot
