"""Tokenizers in ZIP and tar archives: the files that may belong to one are unpacked into a private folder, and no others.

A bundle of MediaPipe (``.task``) is a ZIP archive whose member ``TOKENIZER_MODEL`` is a SentencePiece model
(``mediapipe/tasks/python/genai/bundler/llm_bundler.py``). Links, devices, and names that lead out of the archive are
passed over. What is read and written is bounded before it begins.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Final

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.name_patterns import NamePatterns
from tokenarium_core.plain_files import open_file

MOST_MEMBERS: Final = 10_000
"""The most members of an archive that are looked at."""

MOST_BYTES: Final = 1 << 28
"""The most bytes that are unpacked, as of a single tokenizer file."""

MOST_READ: Final = 1 << 30
"""The most bytes of a tar archive that are gone through, decompressed, to find its members."""

MOST_DIRECTORY: Final = 1 << 23
"""The most bytes of the list of a ZIP archive's members that are read."""

_BUNDLED: Final = "TOKENIZER_MODEL"
BUNDLED_MODEL: Final = f"{_BUNDLED}.model"
BUNDLED_METADATA: Final = "METADATA"
"""The tokenizer of a bundle of MediaPipe, as it is unpacked, and what describes it."""

_LOOKED_AT: Final = 1 << 26  # bytes of a tar archive
_PART: Final = 1 << 20
_TAR_AT: Final = 257

# The list of a ZIP archive's members, and the records behind it: ``APPNOTE.TXT`` of PKWARE, 4.3.12 to 4.3.16.
# Of each: its sign, and then the sizes of a member's name, extra field and comment, or how many members and bytes.
_MEMBER: Final = struct.Struct("<4s24x3H12x")
_MEMBER_STARTS: Final = b"PK\x01\x02"
_END: Final = struct.Struct("<4s6xHL6x")
_END_STARTS: Final = b"PK\x05\x06"
_LOCATOR_SIZE: Final = 20
_LOCATOR_STARTS: Final = b"PK\x06\x07"
_END64: Final = struct.Struct("<4s28x2Q8x")
_END64_STARTS: Final = b"PK\x06\x06"
_LONGEST_COMMENT: Final = 1 << 16


def _broken() -> tuple[type[Exception], ...]:
    """Returns the errors of archives that are damaged or cannot be read; their libraries are not imported before one is opened."""
    import lzma
    import tarfile
    import zipfile

    return (
        OSError,
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
    try:
        return len(_listed(path, kind, patterns, 1)) > 0
    except FormatError:
        return True
    except _broken():
        return path.suffix in (
            ".task",
            ".zip",
            ".tar",
            ".tgz",
            ".gz",
        )  # opening it says what is wrong


def folders_in(path: Path, kind: str, patterns: list[str]) -> dict[str, list[str]]:
    """Returns the files of an archive with names of tokenizer files, by their folders, ``a/b``; the top one is empty.

    FormatError for an archive that has too much to say so.
    """
    folders: dict[str, list[str]] = {}
    try:
        for name in _listed(path, kind, patterns, MOST_MEMBERS):
            parts = PurePosixPath(name).parts
            if _is_safe(name, parts):
                folders.setdefault("/".join(parts[:-1]), []).append(parts[-1])
    except FormatError:  # a ValueError too
        raise
    except _broken():
        return {}  # opening it says what is wrong
    return folders


def archive_above(path: Path) -> Path | None:
    """Returns the archive in which a path leads to a folder, ``models.zip/small``; None if there is no such file."""
    for parent in path.parents:
        if os.path.isfile(parent):  # false for one that must not be looked at
            inner = path.relative_to(parent).parts
            return parent if ".." not in inner and archive_kind(parent) else None
    return None


def _listed(path: Path, kind: str, patterns: list[str], most: int) -> list[str]:
    """Returns the first members with the name of a tokenizer file, ``most`` at most.

    FormatError for an archive of which too much has to be gone through.
    """
    matcher = NamePatterns([*patterns, _BUNDLED])
    matches: list[str] = []
    with open_file(path) as file:
        if kind == "ZIP":
            names = _zip_names(file, path.name)
            return [name for name in names if matcher.has(name)][:most]
        import tarfile

        with tarfile.open(fileobj=file, mode="r:*") as members:
            for count, member in enumerate(members):
                if count >= MOST_MEMBERS or member.offset_data + member.size > _LOOKED_AT:
                    raise _too_much(path.name, f"more than {MOST_MEMBERS:,} members or 64 MiB")
                if matcher.has(member.name):
                    matches.append(member.name)
                    if len(matches) >= most:
                        break
    return matches


def unpack(path: Path, kind: str, patterns: list[str], target: Path, inner: Path) -> None:
    """Writes the members of an archive that may belong to a tokenizer into an empty folder, with their folders.

    ``patterns`` are the names of tokenizer files, and of what is read beside them; ``inner`` is the folder of the archive that is unpacked, ``.`` for all.
    FormatError for an archive that is damaged or encrypted, or has too much; NotAvailable for one that cannot be read.
    """
    matcher = NamePatterns(patterns)
    try:
        with open_file(path) as file:
            if kind == "ZIP":
                _unpack_zip(file, path.name, matcher, inner, target)
            else:
                _unpack_tar(file, path.name, matcher, inner, target)
    except OSError as error:
        raise NotAvailable(f"{path} cannot be unpacked: {error.strerror or error}.") from error
    except FormatError:  # a ValueError too
        raise
    except _broken() as error:
        raise FormatError(
            f"{path.name} is a {kind} archive that cannot be unpacked: it is damaged, cut off, or encrypted."
        ) from error


def _unpack_zip(
    file: IO[bytes], source: str, matcher: NamePatterns, inner: Path, target: Path
) -> None:
    import zipfile

    left = MOST_BYTES
    _zip_names(file, source)  # which bounds what is read now
    with zipfile.ZipFile(file) as archive:
        chosen: list[tuple[zipfile.ZipInfo, Path]] = []
        for member in archive.infolist():
            path = _target_of(member.filename, matcher, inner, target)
            if path is not None and not member.is_dir():
                chosen.append((member, path))
        if sum([member.file_size for member, _ in chosen]) > left:
            raise _too_large(source)
        for member, path in chosen:
            with archive.open(member) as content:
                left = _copy(content.read, path, left, source)


def _unpack_tar(
    file: IO[bytes], source: str, matcher: NamePatterns, inner: Path, target: Path
) -> None:
    import tarfile

    left = MOST_BYTES
    count = 0
    with tarfile.open(fileobj=file, mode="r:*") as archive:
        for member in archive:
            count += 1
            if count > MOST_MEMBERS or member.offset > MOST_READ:
                raise _too_much(
                    source, f"more than {MOST_MEMBERS:,} members or {MOST_READ >> 20:,} MiB"
                )
            path = _target_of(member.name, matcher, inner, target) if member.isreg() else None
            content = archive.extractfile(member) if path is not None else None
            if path is not None and content is not None:
                left = _copy(content.read, path, left, source)


def _target_of(name: str, matcher: NamePatterns, inner: Path, target: Path) -> Path | None:
    """Returns where a member is written; None for one that does not match, or whose name leads elsewhere."""
    parts = PurePosixPath(name).parts
    if not _is_safe(name, parts) or parts[: len(inner.parts)] != inner.parts:
        return None
    base = parts[-1]
    if base == _BUNDLED:
        return target / BUNDLED_MODEL
    if name == BUNDLED_METADATA:
        return target / name
    if not matcher.has(name):
        return None
    return target.joinpath(*parts)


def _is_safe(name: str, parts: tuple[str, ...]) -> bool:
    unsafe = name.startswith("/") or "\\" in name or ":" in name or "\0" in name
    return len(parts) > 0 and not unsafe and ".." not in parts and len(parts) <= 32


def _zip_names(file: IO[bytes], source: str) -> list[str]:
    """Returns the names of a ZIP archive's members, from the list of them at its end.

    The list is found as `zipfile` finds it, and bounded before it is read. FormatError for more than `MOST_MEMBERS` or
    `MOST_DIRECTORY`, BadZipFile for what cannot be an archive.
    """
    import zipfile

    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _END.size - _LONGEST_COMMENT)
    file.seek(start)
    tail = file.read(size - start)
    at = len(tail) - _END.size
    if at < 0 or not (tail.startswith(_END_STARTS, at) and tail.endswith(b"\0\0")):
        at = tail.rfind(_END_STARTS)
    if at < 0 or at + _END.size > len(tail):
        raise zipfile.BadZipFile("no end record")
    _, count, length = _END.unpack_from(tail, at)
    end = start + at
    if end >= _LOCATOR_SIZE:
        file.seek(end - _LOCATOR_SIZE)
        if file.read(_LOCATOR_SIZE).startswith(_LOCATOR_STARTS):
            before = end - _LOCATOR_SIZE - _END64.size
            if before < 0:
                raise zipfile.BadZipFile("no room for the end record of ZIP64")
            file.seek(before)
            signature, count, length = _END64.unpack(file.read(_END64.size))
            if signature != _END64_STARTS:
                raise zipfile.BadZipFile("no end record of ZIP64")
            end = before
    if count > MOST_MEMBERS:
        raise _too_much(source, f"{count:,} members")
    if length > MOST_DIRECTORY:
        raise _too_much(source, f"a list of members of {length:,} bytes")
    if length > end:
        raise zipfile.BadZipFile("the list of members is cut off")
    file.seek(end - length)
    content = file.read(length)
    names: list[str] = []
    at = 0
    while at < len(content):
        if at + _MEMBER.size > len(content):
            raise zipfile.BadZipFile("the list of members is cut off")
        signature, named, extra, comment = _MEMBER.unpack_from(content, at)
        if signature != _MEMBER_STARTS:
            raise zipfile.BadZipFile("the list of members is damaged")
        if len(names) >= MOST_MEMBERS:
            raise _too_much(source, f"more than {MOST_MEMBERS:,} members")
        at += _MEMBER.size
        names.append(content[at : at + named].decode("utf-8", "replace"))
        at += named + extra + comment
    return names


def _copy(read: Callable[[int], bytes], path: Path, left: int, source: str) -> int:
    """Writes a member, and returns how many bytes may still be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        while content := read(_PART):
            left -= len(content)
            if left < 0:
                raise _too_large(source)
            out.write(content)
    return left


def _too_large(source: str) -> FormatError:
    return _too_much(source, f"more than {MOST_BYTES >> 20:,} MiB of tokenizer files")


def _too_much(source: str, what: str) -> FormatError:
    return FormatError(
        f"{source} is an archive with {what}: unpack it, and open the tokenizer in it."
    )
