"""Finds the tokenizers on this computer: in caches, in installed packages, in folders that the user named.

It lists folders and reads the first bytes of files; it imports nothing, uses no network, and writes
nothing. What cannot be read is skipped.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tokenarium.models.tokenizers.model_stores import (
    LLAMA_CPP,
    LM_STUDIO,
    OLLAMA,
    llama_cpp_folder,
    lm_studio_folders,
    may_hold_tokenizer,
    ollama_folders,
    ollama_models,
)
from tokenarium.models.tokenizers.tokenizer_names import name_of
from tokenarium_core.formats import NAMED, cache_path, hub_folder, newest_snapshot
from tokenarium_core.formats.opening import FoundTokenizer, tokenizers_in
from tokenarium_core.formats.registry import file_patterns, format_of_file
from tokenarium_core.plain_files import read_file

if TYPE_CHECKING:
    from importlib.metadata import Distribution

HUB, TIKTOKEN, PACKAGES, FOLDERS = (
    "Hugging Face cache",
    "tiktoken's cache",
    "Installed packages",
    "Your folders",
)
PLACES = (HUB, OLLAMA, LLAMA_CPP, LM_STUDIO, TIKTOKEN, PACKAGES, FOLDERS)
"""Where tokenizers are looked for, in the order in which they are shown."""

_PASSED_OVER = {"__pycache__", "node_modules", "blobs", "site-packages", "dist-packages"}
"""Folders with many files, and hardly a tokenizer."""

LARGEST = 4 << 20
"""Most bytes of a configuration file; larger ones are ignored."""

_CLASS = re.compile(r"(Tokenizer|TokenizerFast|Fast)$")
_GENERIC = {"PreTrainedTokenizerFast", "PreTrainedTokenizer", "TokenizersBackend", ""}


@dataclass(frozen=True, slots=True)
class LocalTokenizer:
    """One tokenizer on this computer.

    ``source`` opens it: a path, or tiktoken's name of an encoding. ``path`` is where it is,
    ``place`` one of `PLACES`, ``size`` the bytes of its files, ``family`` the models that use it (may be empty),
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
    """A folder that was searched: the place that it belongs to, and what was wrong, if anything."""

    place: str
    path: Path
    note: str = ""


Found = LocalTokenizer | Looked


def find(folders: Sequence[Path], stop: Callable[[], bool] = lambda: False) -> Iterator[Found]:
    """Yields the tokenizers on this computer, and each folder after it is searched.

    ``folders`` are those that the user named; the search ends as soon as ``stop``, which is called between
    files, returns true.
    """
    seen: set[Path] = set()
    for result in _everywhere(folders, stop):
        if stop():
            return
        if isinstance(result, LocalTokenizer):
            real = _resolved(result.path)
            if real in seen and result.place != TIKTOKEN:
                continue
            seen.add(real)
        yield result


def tiktoken_folders() -> list[Path]:
    """Returns the folders where tiktoken may keep files: those of its variables, and its default."""
    named = [os.environ.get(name) for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")]
    folders = [Path(name) for name in named if name]
    folders.append(Path(tempfile.gettempdir()) / "data-gym-cache")
    return list(dict.fromkeys(folders))


def _everywhere(folders: Sequence[Path], stop: Callable[[], bool]) -> Iterator[Found]:
    for folder in folders:  # first: a folder that was just named is waited for
        yield from _in_folder(folder, FOLDERS, Limits(), stop)
    yield from in_hub(stop)
    for folder in ollama_folders():
        yield from _in_ollama(folder, stop)
    yield from _in_folder(llama_cpp_folder(), LLAMA_CPP, Limits(), stop)
    for folder in lm_studio_folders():
        yield from _in_folder(folder, LM_STUDIO, Limits(), stop)
    for folder in tiktoken_folders():
        yield from _in_tiktoken(folder)
    yield from _in_packages(stop)


def in_hub(stop: Callable[[], bool] = lambda: False) -> Iterator[Found]:
    """Yields the tokenizers of the Hugging Face cache: those in the newest snapshot of every repository of a model."""
    folder = hub_folder()
    for repository in _listed(folder):
        if stop():
            return
        snapshots = repository / "snapshots"
        if repository.name.startswith("models--") and os.path.isdir(snapshots):
            snapshot = newest_snapshot(repository)
            if snapshot is not None:
                for result in _in_folder(snapshot, HUB, Limits(depth=3, entries=5_000), stop):
                    if isinstance(result, LocalTokenizer):
                        yield result
    yield Looked(HUB, folder, "" if os.path.isdir(folder) else "not there")


def _in_ollama(folder: Path, stop: Callable[[], bool]) -> Iterator[Found]:
    """Looks for the files of models by the manifests that name them; several names may have one file."""
    for name, blob in ollama_models(folder):
        if stop():
            return
        format = format_of_file(blob)
        if format is not None:
            yield LocalTokenizer(name, str(blob), blob, OLLAMA, format.label, "", _size(blob))
    yield Looked(OLLAMA, folder, "" if os.path.isdir(folder) else "not there")


def _in_tiktoken(folder: Path) -> Iterator[Found]:
    """Looks for the files of known encodings, which tiktoken names by the hash of their address."""
    for encoding in NAMED.values():
        paths = [folder / cache_path(file).name for file in encoding.files]
        if all(os.path.isfile(path) for path in paths):
            size = sum(map(_size, paths))
            # The core reads encodings from the first folder only; a file elsewhere is opened as one.
            read_there = paths[0] == cache_path(encoding.files[0])
            if read_there or len(paths) == 1:
                source = encoding.name if read_there else str(paths[0])
                yield LocalTokenizer(
                    encoding.name, source, paths[0], TIKTOKEN, "tiktoken", encoding.models, size
                )
    yield Looked(TIKTOKEN, folder, "" if os.path.isdir(folder) else "not there")


def _in_packages(stop: Callable[[], bool]) -> Iterator[Found]:
    """Looks for tokenizers among the files of installed packages, without an import."""
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
                for file in tokenizers_in(where, _names(where)):
                    yield _tokenizer(file, PACKAGES, f"{name}: {name_of(file.path)}")
    yield Looked(PACKAGES, Path(os.__file__).parent, f"{count:,} packages")


def _carried() -> re.Pattern[str]:
    """Returns the expression for the lines of a package's RECORD that name files like those of tokenizers."""
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
    if not os.path.isdir(folder):
        yield Looked(place, folder, "not there")
        return
    for path, names in walk(folder, limits, stop):
        for file in tokenizers_in(path, [name for name in names if may_hold_tokenizer(name)]):
            yield _tokenizer(file, place, name_of(file.path))
    yield Looked(place, folder, "too large to search completely" if limits.reached else "")


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
    except (OSError, ValueError):  # the latter for a NUL
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


@dataclass(slots=True)
class Limits:
    """How far a walk goes; ``reached`` is true if it was stopped by a limit."""

    depth: int = 6
    entries: int = 50_000
    seconds: float = 20.0
    reached: bool = False


def walk(
    top: Path, limits: Limits, stop: Callable[[], bool] = lambda: False
) -> Iterator[tuple[Path, list[str]]]:
    """Yields each folder under ``top``, itself first, with the names of its files, sorted.

    Links are followed, but no folder is entered twice; hidden folders and those that cannot be read are
    skipped. Breadth first, so that a limit cuts off the deepest folders.
    """
    too_deep = False
    deadline = time.monotonic() + limits.seconds
    entered: set[tuple[int, int]] = set()
    count = 0
    waiting = [(top, 0)]
    for folder, depth in waiting:  # which grows on the way
        if stop():
            return
        if limits.reached or time.monotonic() > deadline:
            limits.reached = True
            return
        try:
            about = folder.stat()
            mark = (about.st_dev, about.st_ino)
            if mark in entered:
                continue
            entered.add(mark)
            files: list[str] = []
            inside: list[str] = []
            with os.scandir(folder) as entries:
                for entry in entries:
                    count += 1
                    if count > limits.entries:
                        limits.reached = True
                        break
                    (inside if _is_folder(entry) else files).append(entry.name)
        except (OSError, ValueError):
            continue
        yield folder, sorted(files)
        folders = [name for name in sorted(inside) if name[0] != "." and name not in _PASSED_OVER]
        if depth < limits.depth:
            waiting += [(folder / name, depth + 1) for name in folders]
        elif folders:
            too_deep = True
    limits.reached |= too_deep


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def family_of(folder: Path) -> str:
    """Returns the family in a word or two (``"gemma3_text"``, ``"Llama"``), or an empty text.

    ``model_type`` of ``config.json`` names the model; else the class of ``tokenizer_config.json`` does.
    """
    model_type = _field(folder / "config.json", "model_type")
    if model_type:
        return model_type
    named = _field(folder / "tokenizer_config.json", "tokenizer_class")
    return "" if named in _GENERIC else _CLASS.sub("", _CLASS.sub("", named))


def _field(path: Path, name: str) -> str:
    try:
        content = json.loads(read_file(path, LARGEST))
    except (OSError, ValueError, RecursionError):
        return ""
    value = content.get(name) if isinstance(content, dict) else None
    return value if isinstance(value, str) and len(value) < 64 else ""
