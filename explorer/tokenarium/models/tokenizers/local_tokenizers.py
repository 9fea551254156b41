"""Finds the tokenizers on this computer: in caches, in installed packages, in folders that a person named.

It lists folders and reads the first bytes of files; it imports nothing, follows no address, and writes
nothing. What cannot be read is passed over.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tokenarium.models.tokenizers.folder_walk import Limits, walk
from tokenarium.models.tokenizers.tokenizer_family import family_of
from tokenarium.models.tokenizers.tokenizer_names import name_of
from tokenarium_core.formats.named import NAMED, cache_path
from tokenarium_core.formats.opening import FoundTokenizer, tokenizers_in
from tokenarium_core.formats.registry import file_patterns

if TYPE_CHECKING:
    from importlib.metadata import Distribution

HUB, TIKTOKEN, PACKAGES, FOLDERS = (
    "Hugging Face cache",
    "tiktoken's cache",
    "Installed packages",
    "Your folders",
)
PLACES = (HUB, TIKTOKEN, PACKAGES, FOLDERS)
"""Where tokenizers are looked for, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class LocalTokenizer:
    """One tokenizer on this computer.

    ``source`` opens it: a path, or tiktoken's name of an encoding. ``path`` is where it lies,
    ``place`` one of `PLACES`, ``size`` the bytes of its files, ``family`` what uses it (may be empty),
    ``format`` in words.
    """

    name: str
    source: str
    path: Path
    place: str
    format: str
    family: str
    size: int


@dataclass(frozen=True, slots=True)
class Looked:
    """A folder that was looked through: of which place it is, and what was the matter, if anything."""

    place: str
    path: Path
    note: str = ""


Found = LocalTokenizer | Looked


def find(folders: Sequence[Path], stop: Callable[[], bool] = lambda: False) -> Iterator[Found]:
    """Yields the tokenizers on this computer, and each folder when it has been looked through.

    ``folders`` are those that a person named; ``stop`` is asked between files, and ends the search
    when it says so.
    """
    seen: set[Path] = set()
    for found in _everywhere(folders, stop):
        if stop():
            return
        if isinstance(found, LocalTokenizer):
            real = _resolved(found.path)
            if real in seen and found.place != TIKTOKEN:
                continue
            seen.add(real)
        yield found


def hub_folder() -> Path:
    """Returns the Hugging Face cache, by huggingface_hub's own rules (its ``constants.py``)."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        named = os.environ.get(variable)
        if named:
            return Path(os.path.expanduser(os.path.expandvars(named)))
    home = os.environ.get("HF_HOME")
    if home:
        return Path(os.path.expanduser(os.path.expandvars(home))) / "hub"
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(cache)) / "huggingface" / "hub"


def tiktoken_folders() -> list[Path]:
    """Returns the folders where tiktoken may have kept files: those named, and its default."""
    named = [os.environ.get(name) for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")]
    folders = [Path(name) for name in named if name]
    folders.append(Path(tempfile.gettempdir()) / "data-gym-cache")
    return list(dict.fromkeys(folders))


def _everywhere(folders: Sequence[Path], stop: Callable[[], bool]) -> Iterator[Found]:
    yield from _in_hub(hub_folder(), stop)
    for folder in tiktoken_folders():
        yield from _in_tiktoken(folder)
    yield from _in_packages(stop)
    for folder in folders:
        yield from _in_folder(folder, FOLDERS, Limits(), stop)


def _in_hub(folder: Path, stop: Callable[[], bool]) -> Iterator[Found]:
    """Looks through the newest snapshot of every repository of a model."""
    for repository in _listed(folder):
        if stop():
            return
        snapshots = repository / "snapshots"
        if repository.name.startswith("models--") and snapshots.is_dir():
            snapshot = _newest(repository)
            if snapshot is not None:
                for found in _in_folder(snapshot, HUB, Limits(depth=3, entries=5_000), stop):
                    if isinstance(found, LocalTokenizer):
                        yield found
    yield Looked(HUB, folder, "" if folder.is_dir() else "not there")


def _newest(repository: Path) -> Path | None:
    """Returns the snapshot that ``main`` names, else the one that changed last."""
    try:
        commit = (repository / "refs" / "main").read_text("utf-8", "replace").strip()
    except OSError:
        commit = ""
    snapshots = [path for path in _listed(repository / "snapshots") if path.is_dir()]
    named = [path for path in snapshots if path.name == commit]
    return max(named or snapshots, key=_changed, default=None)


def _in_tiktoken(folder: Path) -> Iterator[Found]:
    """Looks for the files of known encodings, which tiktoken keeps under the hash of their address."""
    for encoding in NAMED.values():
        paths = [folder / cache_path(file).name for file in encoding.files]
        if all(path.is_file() for path in paths):
            size = sum(map(_size, paths))
            # The core reads encodings from the first folder only; a file elsewhere is opened as one.
            read_there = paths[0] == cache_path(encoding.files[0])
            if read_there or len(paths) == 1:
                source = encoding.name if read_there else str(paths[0])
                yield LocalTokenizer(
                    encoding.name, source, paths[0], TIKTOKEN, "tiktoken", encoding.models, size
                )
    yield Looked(TIKTOKEN, folder, "" if folder.is_dir() else "not there")


def _in_packages(stop: Callable[[], bool]) -> Iterator[Found]:
    """Looks for tokenizers among the files that installed packages list; imports none of them."""
    from importlib import metadata  # slow, and needed by no start

    carried = _carried()
    count = 0
    for package in metadata.distributions():
        if stop():
            return
        count += 1
        record = _record(package)
        folders = {str(Path(line).parent) for line in carried.findall(record)}
        name = package.metadata["Name"] if folders else ""
        for folder in sorted(folders):
            if name != "tokenarium" and ".." not in Path(folder).parts:
                where = Path(str(package.locate_file(folder)))
                for one in tokenizers_in(where, _names(where)):
                    yield _tokenizer(one, PACKAGES, f"{name}: {name_of(one.path)}")
    yield Looked(PACKAGES, Path(os.__file__).parent, f"{count:,} packages")


def _carried() -> re.Pattern[str]:
    """Returns what finds the lines of a package's RECORD that name files like those of tokenizers."""
    names = [re.escape(pattern).replace(r"\*", r"[^/,\n]*") for pattern in file_patterns()]
    return re.compile(rf"^([^,\n]*(?:/|^)(?:{'|'.join(names)})),", re.MULTILINE)


def _record(package: Distribution) -> str:
    try:
        return package.read_text("RECORD") or ""
    except (OSError, UnicodeDecodeError):
        return ""


def _in_folder(
    folder: Path, place: str, limits: Limits, stop: Callable[[], bool]
) -> Iterator[Found]:
    if not folder.is_dir():
        yield Looked(place, folder, "not there")
        return
    for path, names in walk(folder, limits, stop):
        for one in tokenizers_in(path, names):
            yield _tokenizer(one, place, name_of(one.path))
    yield Looked(place, folder, "too large to look through whole" if limits.reached else "")


def _tokenizer(found: FoundTokenizer, place: str, name: str) -> LocalTokenizer:
    return LocalTokenizer(
        name,
        str(found.source),
        found.path,
        place,
        found.format.label,
        family_of(found.path.parent),
        sum(map(_size, found.files)),
    )


def _listed(folder: Path) -> list[Path]:
    return [folder / name for name in _names(folder)]


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a ring of links
        return path
