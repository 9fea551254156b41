"""The files of a corpus at addresses that fsspec opens: object stores, web servers, the Hub of Hugging Face."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Final, cast

from tokenarium.models.installation import how_to_get
from tokenarium.models.training.corpus_unpacking import missing

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+(?:://|::)")

BLOCK: Final = 1 << 22
"""Bytes that are asked for at a time."""

VERSIONS: Final = ("ETag", "etag", "mtime", "LastModified", "Last-Modified", "created", "sha256")
"""What file systems call that which changes with the content, the best first."""

PACKAGES: Final = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "abfs": "adlfs",
    "hf": "huggingface_hub",
}
"""The packages by which fsspec opens an address of a protocol; that for the web is of our extra."""


@dataclass(frozen=True, slots=True)
class UrlFile:
    """A file at an address; ``problem`` is a sentence where there is none."""

    url: str
    size: int | None = None
    version: str = ""
    seekable: bool = False  # whether parts of it can be read alone
    problem: str = ""


def files_at(url: str, kind: str) -> Iterator[UrlFile]:
    """Yields the files at an address, in the order of their names.

    ``kind`` is "file", "folder" for all below it, or "glob" for those that match. Whatever the server or the library
    says is a problem of what is not there.
    """
    lacking = missing("fsspec", "Addresses are opened by the package fsspec")
    if lacking:
        yield UrlFile(url, problem=lacking)
        return
    try:
        system, path = _system(url)
        if kind == "glob":
            found = system.glob(path, detail=True)
        elif kind == "folder" or (not _is_web(system) and system.isdir(path)):
            found = system.find(path.rstrip("/"), detail=True)
        else:
            yield _found(system, url, system.info(path))
            return
        files = [about for _, about in sorted(found.items()) if about.get("type") == "file"]
    except Exception as error:  # each file system raises errors of its own
        yield UrlFile(url, problem=reason_of(error, url))
        return
    if not files:
        yield UrlFile(url, problem="No file was found there.")
    for about in files:
        name = str(about["name"])
        if name.rsplit("/", 1)[-1].startswith("."):
            continue
        there = name if is_url(name) else system.unstrip_protocol(name)
        try:
            yield _found(system, there, system.info(name) if about.get("size") is None else about)
        except Exception as error:
            yield UrlFile(there, problem=reason_of(error, there))


def is_url(value: str) -> bool:
    """Returns whether a place is an address that fsspec opens, and not a path on this computer.

    >>> is_url("s3://bucket/a.parquet"), is_url("C:/texts"), is_url("texts/a.txt")
    (True, False, False)
    """
    return _SCHEME.match(value) is not None


def open_url(url: str, *, seekable: bool) -> IO[bytes]:
    """Returns the binary content of a file at an address, read ahead by blocks.

    A server that gives no parts of a file gives a stream from front to back. Raises what the file system raises.
    """
    system, path = _system(url)
    options = {"cache_type": "readahead", "block_size": BLOCK} if seekable else {"block_size": 0}
    raw = _ReadFrom(system.open(path, "rb", **options), seekable=seekable)
    return cast("IO[bytes]", io.BufferedReader(raw, 1 << 16))


class _ReadFrom(io.RawIOBase):
    """A file of fsspec as a raw one, to be buffered: theirs differ in what they can besides ``read``."""

    def __init__(self, inner: Any, *, seekable: bool) -> None:
        self._inner = inner
        self._seekable = seekable
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._seekable

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self._inner.read(len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = int(self._inner.seek(offset, whence))
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        self._inner.close()
        super().close()


def reason_of(error: BaseException, url: str) -> str:
    """Returns why an address cannot be read, as a sentence with what to do."""
    protocol = url.split(":", 1)[0].lower()
    if isinstance(error, ImportError):
        package = PACKAGES.get(protocol, "tokenarium[corpora]")
        return f"Its protocol, {protocol}, needs a package that is not installed. {how_to_get(package)}"
    if isinstance(error, FileNotFoundError):
        return "It cannot be read: there is no such file."
    if isinstance(error, ValueError) and "Protocol not known" in str(error):
        return f"It cannot be read: no file system is known for {protocol}://."
    words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return f"It cannot be read: {words[:200]}."


def _system(url: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    system, path = url_to_fs(url)
    return system, path


def _is_web(system: Any) -> bool:
    """Returns whether a file system is a web server, which has no folders."""
    names = system.protocol if isinstance(system.protocol, tuple) else (system.protocol,)
    return "http" in names


def _gives_parts(system: Any, url: str) -> bool:
    """Returns whether a web server gives one byte of a file when asked for it: not all that do so say so before."""
    try:
        with system.open(url, "rb", block_size=1 << 16, cache_type="none") as file:
            file.seek(1)
            return len(file.read(1)) == 1
    except (ValueError, OSError):
        return False


def _found(system: Any, url: str, about: dict[str, Any]) -> UrlFile:
    size = about.get("size")
    version = next((str(about[key]) for key in VERSIONS if about.get(key)), "")
    parts = size is not None and (not _is_web(system) or _gives_parts(system, url))
    return UrlFile(url, None if size is None else int(size), version, parts)
