"""The sources of a corpus, and the files that they stand for."""

from __future__ import annotations

import glob
import json
import math
import os
import stat
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tokenarium.models.files import OWN_BYTES
from tokenarium.models.text import text_file
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import counted
from tokenarium.models.training.corpus_unpacking import COMPRESSED_SUFFIXES, missing
from tokenarium.models.training.corpus_urls import files_at, is_url
from tokenarium_core import TokenariumError
from tokenarium_core.plain_files import read_file, read_text

Kind = Literal["text", "file", "folder", "glob", "library"]

LIBRARY_TITLE = "this Python's standard library"
"""The name of the source that is always available."""

JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather")
TABLES = (*PARQUET, *ARROW)

Form = Literal["text", "lines", "parquet", "arrow"]
"""How the documents of a file are found: one text, a line each, or a column of a table."""

DATASET = "state.json"
"""The file in a folder that `Dataset.save_to_disk` of the library datasets wrote, which names its tables."""

SPLITS = "dataset_dict.json"
"""The file that names the folders of the splits, where `DatasetDict.save_to_disk` wrote several."""

EMPTY = "It is empty."
"""Why an empty file is not read."""

LARGEST_WEIGHT = 100.0
BEGINNING = 32
"""Characters of a text that name it."""

SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))

_NO_TEXTS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)

_NEVER_TEXT = frozenset(
    [
        ".7z",
        ".a",
        ".avi",
        ".bin",
        ".bmp",
        ".class",
        ".db",
        ".dll",
        ".exe",
        ".gif",
        ".ico",
        ".jpeg",
        ".jpg",
        ".mkv",
        ".mov",
        ".mp3",
        ".mp4",
        ".npy",
        ".npz",
        ".o",
        ".ogg",
        ".otf",
        ".pdf",
        ".pickle",
        ".pkl",
        ".png",
        ".pt",
        ".pyc",
        ".pyd",
        ".safetensors",
        ".so",
        ".sqlite",
        ".tar",
        ".tif",
        ".tiff",
        ".ttf",
        ".wav",
        ".webp",
        ".whl",
        ".woff",
        ".woff2",
        ".zip",
    ]
)


@dataclass(frozen=True, slots=True)
class CorpusSource:
    """One part of a corpus.

    ``value`` is the text itself, a path, or a pattern of paths (``**`` goes through folders); a "library" has none.
    Paths may be addresses that fsspec opens, such as ``s3://bucket/texts/*.parquet`` or ``https://…``.
    ``field`` names what is read of each object in JSON lines, and the column of a table (Parquet, Arrow), with dots
    into inner objects; a table with one column of text needs no name. ``encoding``
    is empty for UTF-8, or what a byte order mark says. ``weight`` is its share of the bytes of the corpus, relative to the
    weights of the others; None: it counts as it is. ``language`` is the language of its texts, such as ``de``, where a
    training compares languages; empty: it is not named.
    """

    kind: Kind
    value: str = ""
    weight: float | None = None
    encoding: str = ""
    field: str = "text"
    language: str = ""

    def check(self) -> None:
        """Raises TokenariumError, with what is wrong, if the source cannot be read."""
        weight = self.weight
        if weight is not None and not (math.isfinite(weight) and 0 < weight <= LARGEST_WEIGHT):
            raise TokenariumError(
                f"The weight {weight:g} is not possible: give {self.title} more than 0 and at most {LARGEST_WEIGHT:g}, its"
                " share of the bytes."
            )
        if self.encoding and text_file.chosen(self.encoding) is None:
            raise TokenariumError(
                f"{self.encoding!r} is not the name of an encoding. Leave it empty for UTF-8,"
                " or give one such as latin-1 or shift_jis."
            )
        if self.kind in ("file", "folder", "glob") and not self.value.strip():
            raise TokenariumError("A part of the corpus names no file. Choose one, or remove it.")

    @property
    def title(self) -> str:
        """Its name."""
        if self.kind == "library":
            return LIBRARY_TITLE
        if self.kind != "text":
            return self.value
        size = counted(len(self.value), "character")
        words = _beginning(self.value)
        return f"{words} ({size})" if words else f"a text of {size}"

    @property
    def name(self) -> str:
        """Its name where there is little room: for a text, only its first words."""
        return (_beginning(self.value) if self.kind == "text" else "") or self.title


def _beginning(text: str) -> str:
    """Returns the first words of a text in quotation marks, if it has any."""
    words = " ".join(text[: 8 * BEGINNING].split())
    shown = words if len(words) <= BEGINNING else words[:BEGINNING].rstrip() + " …"
    return f"“{isolated(shown)}”" if shown else ""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to read, and its source.

    ``path`` is where it is on this computer; of an address, ``url``, the part after the protocol. ``version`` changes
    when the content does: the time of the last change in nanoseconds, or the ETag of an object store.
    """

    path: Path
    size: int  # bytes on the disk; of an address 0 if it is not known
    source: CorpusSource
    url: str = ""
    version: str = ""
    seekable: bool = True  # whether parts of it can be read alone: a server may not give them

    @property
    def place(self) -> str:
        """Its path or address, as it is shown and named again."""
        return self.url or str(self.path)

    @property
    def compression(self) -> str:
        """The form in which it is compressed, such as "gzip", or an empty text."""
        return COMPRESSED_SUFFIXES.get(self.path.suffix.lower(), "")

    @property
    def compressed(self) -> bool:
        """Whether it is a compressed file."""
        return bool(self.compression)

    @property
    def suffix(self) -> str:
        """The suffix of its content, in lower case."""
        return Path(self.path.stem if self.compressed else self.path.name).suffix.lower()

    @property
    def form(self) -> Form:
        """How its documents are found."""
        suffix = self.suffix
        if suffix in JSON_LINES:
            return "lines"
        if suffix in TABLES and not self.compressed:
            return "parquet" if suffix in PARQUET else "arrow"
        return "text"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or a part of one that is not in the corpus, and why; ``fault``: whether text may be missing for it."""

    path: Path
    reason: str
    url: str = ""
    fault: bool = True

    @property
    def place(self) -> str:
        """Its path or address."""
        return self.url or str(self.path)


def source_of(value: str) -> CorpusSource:
    """Returns the source that a word on a command line names: "library", a pattern, a folder, or a file."""
    if value == "library":
        return CorpusSource("library")
    if is_url(value):
        if value.endswith("/"):
            return CorpusSource("folder", value)
        web = value.lower().startswith(("http://", "https://"))  # where "?" begins a query
        return CorpusSource(
            "glob" if any(s in value for s in ("*" if web else "*?[")) else "file", value
        )
    path = Path(os.path.expanduser(value))
    if path.is_dir():
        return CorpusSource("folder", str(path))
    if not path.exists() and any(sign in value for sign in "*?["):
        return CorpusSource("glob", str(path))
    return CorpusSource("file", str(path))


def files_of(source: CorpusSource) -> Iterator[CorpusFile | Skipped]:
    """Yields the files of a source, in an order that depends only on their names; none for a text."""
    if source.kind in ("file", "folder", "glob") and is_url(source.value):
        yield from _at(source)
    elif source.kind == "file":
        yield listed(Path(source.value), source, named=True)
    elif source.kind == "folder":
        yield from _below(Path(source.value), source)
    elif source.kind == "glob":
        empty = True
        for path in _matching(source.value):
            empty = False
            yield listed(path, source)
        if empty:
            yield Skipped(Path(source.value), "No file matches it.")
    elif source.kind == "library":
        yield from _library(source)


def _below(top: Path, source: CorpusSource) -> Iterator[CorpusFile | Skipped]:
    """Yields the files under a folder, except hidden ones; links to folders are not followed.

    Of a folder that the library datasets wrote, these are its tables, in their order.
    """
    if not top.is_dir():
        yield Skipped(top, "There is no such folder.")
        return
    revision = _hub_revision(top)
    if revision is not None:
        top = revision
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        names = sorted(name for name in names if not name.startswith("."))
        if SPLITS in names:
            splits = _named_in(Path(folder) / SPLITS, "splits")
            folders[:] = [name for name in splits if name in folders] or folders
            names.remove(SPLITS)
        tables = _named_in(Path(folder) / DATASET, "_data_files") if DATASET in names else []
        if tables:
            folders[:], names = [], tables
        elif any(name.lower().endswith(TABLES) for name in names):
            names = [name for name in names if name != "dataset_info.json"]
        for name in names:
            yield listed(Path(folder) / name, source)


def _named_in(path: Path, key: str) -> list[str]:
    """Returns the names in a list of a file that the library datasets wrote; none if it is another file."""
    try:
        found = json.loads(read_file(path, OWN_BYTES))[key]
        names = [one["filename"] if isinstance(one, dict) else one for one in found]
    except (OSError, ValueError, TypeError, LookupError):
        return []
    return [name for name in names if isinstance(name, str) and os.path.basename(name) == name]


def _hub_revision(top: Path) -> Path | None:
    """Returns the folder of the revision that is used of a repository in the cache of Hugging Face's Hub, if it is one."""
    snapshots = top / "snapshots"
    if not (snapshots.is_dir() and (top / "blobs").is_dir()):
        return None
    try:
        revision = read_text(top / "refs" / "main", OWN_BYTES).strip()
    except (OSError, ValueError):
        revision = ""
    if revision and os.path.basename(revision) == revision and (snapshots / revision).is_dir():
        return snapshots / revision
    found = sorted(path for path in snapshots.iterdir() if path.is_dir())
    return found[0] if len(found) == 1 else None


def _matching(pattern: str) -> Iterator[Path]:
    """Yields the files that a pattern finds, sorted; ``**`` follows no links to folders, so it stays in its tree."""
    plain, deep, below = pattern.partition("**")
    if not deep or (plain and plain[-1] not in SEPARATORS):
        yield from (Path(name) for name in sorted(glob.glob(pattern)) if not Path(name).is_dir())
        return
    wanted = below.lstrip("".join(SEPARATORS)) or "*"
    found: set[str] = set()
    for top in sorted(glob.glob(plain)) if plain else [os.curdir]:
        for folder, folders, _ in os.walk(top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            inside = glob.escape(os.path.normpath(folder))
            if "**" in wanted:  # the rest of the pattern is searched below each folder, once
                found.update(str(path) for path in _matching(os.path.join(inside, wanted)))
            else:
                names = glob.glob(os.path.join(inside, wanted))
                found.update(name for name in names if not os.path.isdir(name))
    yield from (Path(name) for name in sorted(found))


def _library(source: CorpusSource) -> Iterator[CorpusFile | Skipped]:
    """Yields the source files of Python's own library."""
    top = Path(sysconfig.get_path("stdlib"))
    empty = True
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(
            name
            for name in folders
            if name not in ("site-packages", "dist-packages", "__pycache__", "lib-dynload")
        )
        for name in sorted(names):
            if name.endswith(".py"):
                empty = False
                yield listed(Path(folder) / name, source)
    if empty:
        yield Skipped(top, "The sources of this Python are not on this computer.")


def listed(path: Path, source: CorpusSource, *, named: bool = False) -> CorpusFile | Skipped:
    """Returns a file to read, or why it is skipped; one that the user named may have any suffix."""
    try:
        about = path.stat()
    except OSError as error:
        return Skipped(path, f"It cannot be read: {error.strerror or error}.")
    if not path.is_file():
        kind = next((name for is_one, name in _NO_TEXTS if is_one(about.st_mode)), "")
        return Skipped(path, f"It is {kind}, not a file." if kind else "It is not a file.")
    file = CorpusFile(path, about.st_size, source, version=str(about.st_mtime_ns))
    if about.st_size == 0:
        return Skipped(path, EMPTY, fault=False)
    why = why_not(file, named=named)
    return Skipped(path, why, fault=not never_text(file, named)) if why else file


def _at(source: CorpusSource) -> Iterator[CorpusFile | Skipped]:
    """Yields the files of a source whose value is an address."""
    for one in files_at(source.value, source.kind):
        path = Path(one.url.partition("://")[2].partition("?")[0] or one.url)
        file = CorpusFile(path, one.size or 0, source, one.url, one.version, one.seekable)
        why = one.problem or why_not(file, named=source.kind == "file")
        if one.size == 0 and not why:
            why = EMPTY
        fault = why != EMPTY and not never_text(file, source.kind == "file")
        yield Skipped(path, why, one.url, fault) if why else file


def never_text(file: CorpusFile, named: bool) -> bool:
    """Returns whether a file is of a kind that holds no text, by its suffix, and not named by the user."""
    return not named and file.suffix in _NEVER_TEXT


def why_not(file: CorpusFile, *, named: bool = False) -> str:
    """Returns why a file cannot be read, by its suffix, as a sentence, or an empty text."""
    if never_text(file, named):
        return f"{file.suffix} files hold no text."
    if file.compression == "zstd":
        return missing("zstandard", "zstd files are read by the package zstandard")
    if file.form in ("parquet", "arrow"):
        return missing("pyarrow", "Parquet and Arrow files are read by the package pyarrow")
    return ""
