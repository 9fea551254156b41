"""Tokenizers in ZIP and tar archives: the files that may belong to one are unpacked into a private folder, and no others.

A bundle of MediaPipe (``.task``) is a ZIP archive whose member ``TOKENIZER_MODEL`` is a SentencePiece model
(``mediapipe/tasks/python/genai/bundler/llm_bundler.py``). Links, devices, and names that lead out of the archive are
passed over. What is read and written is bounded before it begins.
"""

from __future__ import annotations

import fnmatch
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Final

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.plain_files import open_file

MOST_MEMBERS: Final = 10_000
"""The most members of an archive that are looked at."""

MOST_BYTES: Final = 1 << 28
"""The most bytes that are unpacked, as of a single tokenizer file."""

MOST_READ: Final = 1 << 30
"""The most bytes of a tar archive that are gone through, decompressed, to find its members."""

_BUNDLED: Final = "TOKENIZER_MODEL"
_SETTINGS: Final = ("*config.json", "special_tokens_map.json", "added_tokens.json", "*.jinja")
_LOOKED_AT: Final = 1 << 26  # bytes of a tar archive
_PART: Final = 1 << 20
_TAR_AT: Final = 257
_BROKEN: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    ValueError,
    RuntimeError,  # encrypted
)


def archive_kind(path: Path) -> str:
    """Returns "ZIP" or "tar" for an archive, by its content; else nothing. Weights that PyTorch wrote are not one."""
    try:
        with open_file(path) as file:
            head = file.read(1 << 10)
            if head.startswith(b"PK\x03\x04"):
                return "" if b"/data.pkl" in head or path.suffix == ".keras" else "ZIP"
            if head.startswith(b"\x1f\x8b\x08"):
                head = zlib.decompressobj(31).decompress(head, 1 << 9)
        return "tar" if head[_TAR_AT : _TAR_AT + 5] == b"ustar" else ""
    except (OSError, ValueError, zlib.error):
        return ""


def lists_tokenizer(path: Path, kind: str, patterns: list[str]) -> bool:
    """Returns whether a member of an archive has the name of a tokenizer file; true also if that takes long to find out."""
    names = [*patterns, _BUNDLED]
    try:
        with open_file(path) as file:
            if kind == "ZIP":
                with zipfile.ZipFile(file) as archive:
                    return any(_is_named(name, names) for name in archive.namelist()[:MOST_MEMBERS])
            with tarfile.open(fileobj=file, mode="r:*") as members:
                for count, member in enumerate(members):
                    if count >= MOST_MEMBERS or member.offset_data + member.size > _LOOKED_AT:
                        return True
                    if _is_named(member.name, names):
                        return True
    except (OSError, *_BROKEN):
        return path.suffix in (
            ".task",
            ".zip",
            ".tar",
            ".tgz",
            ".gz",
        )  # opening it says what is wrong
    return False


def unpack(path: Path, kind: str, patterns: list[str], target: Path) -> None:
    """Writes the members of an archive that may belong to a tokenizer into an empty folder, with their folders.

    ``patterns`` are the names of tokenizer files. FormatError for an archive that is damaged or encrypted, or has too much;
    NotAvailable for one that cannot be read.
    """
    wanted = [*patterns, *_SETTINGS]
    try:
        with open_file(path) as file:
            if kind == "ZIP":
                _unpack_zip(file, path.name, wanted, target)
            else:
                _unpack_tar(file, path.name, wanted, target)
    except OSError as error:
        raise NotAvailable(f"{path} cannot be unpacked: {error.strerror or error}.") from error
    except FormatError:  # a ValueError too
        raise
    except _BROKEN as error:
        raise FormatError(
            f"{path.name} is a {kind} archive that cannot be unpacked: it is damaged, cut off, or encrypted."
        ) from error


def _unpack_zip(file: IO[bytes], source: str, wanted: list[str], target: Path) -> None:
    left = MOST_BYTES
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > MOST_MEMBERS:
            raise _too_much(source, f"{len(members):,} members")
        for member in members:
            place = _place(member.filename, wanted, target)
            if place is not None and not member.is_dir():
                with archive.open(member) as content:
                    left = _copy(content.read, place, left, source)


def _unpack_tar(file: IO[bytes], source: str, wanted: list[str], target: Path) -> None:
    left = MOST_BYTES
    count = 0
    with tarfile.open(fileobj=file, mode="r:*") as archive:
        for member in archive:
            count += 1
            if count > MOST_MEMBERS or member.offset > MOST_READ:
                raise _too_much(
                    source, f"more than {MOST_MEMBERS:,} members or {MOST_READ >> 20:,} MiB"
                )
            place = _place(member.name, wanted, target) if member.isreg() else None
            content = archive.extractfile(member) if place is not None else None
            if place is not None and content is not None:
                left = _copy(content.read, place, left, source)


def _place(name: str, wanted: list[str], target: Path) -> Path | None:
    """Returns where a member is written; None for one that is not wanted, or whose name leads elsewhere."""
    parts = PurePosixPath(name).parts
    unsafe = name.startswith("/") or "\\" in name or ":" in name or "\0" in name
    if not parts or unsafe or ".." in parts or len(parts) > 32:
        return None
    base = parts[-1]
    if base == _BUNDLED:
        return target / f"{base}.model"
    if not _is_named(name, wanted):
        return None
    return target.joinpath(*parts)


def _is_named(name: str, names: list[str]) -> bool:
    base = name.rpartition("/")[2]
    return not base.startswith("._") and any(fnmatch.fnmatchcase(base, one) for one in names)


def _copy(read: Callable[[int], bytes], place: Path, left: int, source: str) -> int:
    """Writes a member, and returns how many bytes may still be written."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as out:
        while content := read(_PART):
            left -= len(content)
            if left < 0:
                raise _too_much(source, f"more than {MOST_BYTES >> 20:,} MiB of tokenizer files")
            out.write(content)
    return left


def _too_much(source: str, what: str) -> FormatError:
    return FormatError(
        f"{source} is an archive with {what}: unpack it, and open the tokenizer in it."
    )
