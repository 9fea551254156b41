"""Tokenizers that the app has registered: opened by ``name@version``, only while their files are the registered ones.

The app writes the index and the copies of the files; here they are only read. The row of a tokenizer is a JSON object.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Final, final

from mypy_extensions import mypyc_attr

from tokenarium_core.errors import NotAvailable, TokenariumError
from tokenarium_core.plain_files import check_file, file_sha256

REFERENCE: Final = re.compile(r"(\w[\w.+-]*)@(\w[\w.+-]*)")
"""What a registered tokenizer is opened by: its name and its version, ``support@1``."""

INDEX: Final = "index.sqlite"
LAYOUT: Final = 3
"""The version of the index: the first one with registered tokenizers."""

_WAIT_S: Final = 5.0  # for a window that writes
_MOST_BYTES: Final = 1 << 24  # of a row


@mypyc_attr(native_class=False)
class ChangedError(TokenariumError):
    """A registered tokenizer whose files are no longer those that were registered."""


@final
class RegisteredFiles:
    """What opens a registered tokenizer, and its files: pairs of a path and a SHA-256 in hexadecimal."""

    def __init__(
        self, reference: str, source: str, pattern: str, files: list[tuple[str, str]], store: Path
    ) -> None:
        self.reference = reference
        self.source = source
        self.pattern = pattern
        self.files = files
        self.store = store

    def check(self) -> None:
        """Raises ChangedError unless all files are the registered ones: what was expected, what was found, what to do."""
        for path, sha256 in self.files:
            digest = file_sha256(path)
            if digest == sha256:
                continue
            back = (
                f" To put the registered file back: tokenarium registry restore {self.reference}."
                if os.path.isfile(kept_file(self.store, stored_name(path, sha256)))
                else " Put the registered file back."
            )
            if digest is None:
                raise ChangedError(
                    f"{self.reference} is not opened: {path} is gone. Expected: a file with SHA-256 {sha256}.{back}"
                )
            raise ChangedError(
                f"{self.reference} is not opened: {path} has changed. Expected: SHA-256 {sha256}; found: {digest}.{back} Or"
                " register what is there now as another version."
            )

    def check_read(self, files: list[str]) -> None:
        """Raises ChangedError if the tokenizer was read from other files, such as one that was put beside it since."""
        others = set(files) ^ {path for path, _ in self.files}
        if others:
            raise ChangedError(
                f"{self.reference} is not opened: it is read from files that were not registered, such as {min(others)}."
                " Restore its folder, or register it as another version."
            )


def registered(reference: str, store: Path) -> RegisteredFiles:
    """Returns what is registered under ``name@version`` in a store; NotAvailable if nothing is.

    TokenariumError if the index cannot be read.
    """
    import sqlite3

    index = store / INDEX
    row = None
    try:
        for end in ("", "-journal", "-wal"):  # SQLite would wait for a pipe
            with suppress(FileNotFoundError):
                check_file(f"{index}{end}")
        if index.exists():
            address = f"{index.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(address, timeout=_WAIT_S, uri=True)) as connection:
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
                layout = connection.execute("pragma user_version").fetchone()[0]
                if layout > LAYOUT:
                    raise TokenariumError(
                        f"{index} was written by a later Tokenarium. Use that version."
                    )
                if layout == LAYOUT:
                    query = "select content from registered where name = ? and version = ?"
                    row = connection.execute(query, reference.split("@")).fetchone()
    except (OSError, sqlite3.Error) as error:
        raise TokenariumError(
            f"{index} cannot be read: {error}. {reference} is not opened."
        ) from error
    if row is None:
        raise NotAvailable(
            f"{reference} is not registered in {index}. List what is: tokenarium registry list."
        )
    try:
        fields = json.loads(row[0])
        files = [(str(file["path"]), str(file["sha256"])) for file in fields["files"]]
        return RegisteredFiles(
            reference, str(fields["source"]), str(fields["pattern"]), files, store
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise TokenariumError(
            f"{index} has a damaged entry for {reference}. Register it again."
        ) from error


def kept_file(store: Path, name: str) -> Path:
    """Returns where a store keeps a file, by its SHA-256 and its suffix."""
    return store / "files" / name[:2] / name


def stored_name(path: str, sha256: str) -> str:
    """Returns the name that the copy of a registered file has in the store."""
    suffix = Path(path).suffix
    return sha256 + (suffix if re.fullmatch(r"\.\w+", suffix) else ".file")


# The folders of the app.


def store_folder() -> Path:
    """Returns the folder for trained and registered tokenizers: in ``TOKENARIUM_DATA``, else in `user_folder`."""
    return (named_folder() or user_folder()) / "trained"


def named_folder() -> Path | None:
    """Returns the folder that ``TOKENARIUM_DATA`` names; None if it is not set."""
    named = os.environ.get("TOKENARIUM_DATA")
    return Path(named) if named else None


def user_folder() -> Path:
    """Returns the system's folder for the data of the app; for a user without a home, `temporary_folder`.

    NotAvailable without platformdirs, which is installed with the app.
    """
    try:
        platformdirs = import_module("platformdirs")
    except ImportError as error:
        raise NotAvailable(
            "Tokenizers are registered by the app, which is not installed here. Name its folder with TOKENARIUM_DATA, or"
            " install it: pip install tokenarium."
        ) from error
    with suppress(RuntimeError):
        path = Path(platformdirs.user_data_path("tokenarium", appauthor=False))
        if path.is_absolute():
            return path
    return temporary_folder()


def temporary_folder() -> Path:
    """Returns a folder of this user among the temporary folders."""
    import tempfile

    return Path(tempfile.gettempdir()) / f"tokenarium-of-{os.getuid()}"
