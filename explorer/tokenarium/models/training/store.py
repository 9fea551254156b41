"""The store of trained and registered tokenizers: files named by the hash of their content, and an index of them."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import tokenarium_core as tc
from tokenarium.models.files import make_way
from tokenarium_core import TokenariumError, WriteError
from tokenarium_core.formats.registered import INDEX, LAYOUT, kept_file
from tokenarium_core.plain_files import file_sha256, read_file
from tokenarium_core.whole_files import PART_NAME, write_files

_LARGEST = 1 << 28
"""Bytes of a tokenizer, as the core opens them."""

FILES = "files"
RECOVERED = "recovered"
"""The algorithm of a tokenizer whose entry was lost, and that was found again by its file."""

UNDO_S = 24 * 60 * 60
"""How long the file of a deleted tokenizer stays, so that the deletion can be undone."""

_PART = re.compile(rf"{PART_NAME.pattern}|tmp[a-z0-9_]{{8}}\.part", re.DOTALL)
"""The names of unfinished files of killed processes; the second is of versions up to 0.1."""

WAIT_S = 3.0
"""How long to wait for an index that another process writes."""

_CONTENT = re.compile(r"[0-9a-f]{64}")
_SUFFIX = re.compile(r"\.\w+")

_NO_ROW = (ValueError, TypeError, IndexError, OverflowError, RecursionError)
"""What is raised for a row that is damaged, or written by another program."""

_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)

_TABLES = (
    "create table if not exists deleted (content text not null, suffix text not null, at text not null,"
    " primary key (content, suffix)) without rowid",
    """
create table if not exists trained (
    identity text primary key,
    name text not null,
    note text not null,
    algorithm text not null,
    settings text not null,
    corpus text not null,
    fingerprint text not null,
    content text not null,
    suffix text not null,
    pieces integer not null,
    figures text not null,
    version text not null,
    made text not null
) without rowid
""",
    """
create table if not exists registered (
    name text not null,
    version text not null,
    content text not null,
    files text not null,
    primary key (name, version)
) without rowid
""",
)


@dataclass(frozen=True, slots=True)
class Trained:
    """One trained tokenizer, as in the index.

    ``settings`` are those of the training, ``corpus`` describes what it was trained on, and ``fingerprint`` is of its
    documents. ``figures`` are what the training measured. ``version`` is that of Tokenarium, ``made`` the time in
    UTC in the form of ISO 8601.
    """

    name: str
    algorithm: str
    settings: Mapping[str, Any]
    corpus: Mapping[str, Any]
    fingerprint: str
    suffix: str  # of the file, with its dot: its format
    pieces: int
    version: str
    note: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    content: str = ""  # SHA-256 of the file, filled in when it is saved
    made: str = ""

    @property
    def identity(self) -> str:
        """The hash of all that determines the result: the algorithm, its settings and the corpus.

        Trainings with equal settings on equal documents have the same identity, at any time and under any name.
        """
        identified_by = [self.algorithm, self.settings, self.fingerprint]
        canonical = json.dumps(
            identified_by, sort_keys=True, ensure_ascii=True, separators=(",", ":")
        )
        return hashlib.sha256(canonical.encode()).hexdigest()


class DamagedIndexError(TokenariumError):
    """An index that can no longer be read."""


class Store:
    """The folder with the index and the files. Several windows may use it at a time.

    A tokenizer's file is written under another name, flushed to the disk and renamed before the index gets its
    entry, in one transaction: each entry always has its whole file.

    A file is removed only a day after the index says that its tokenizer was deleted, and if no other entry has it,
    nor a registered tokenizer (see `tokenizer_registry`).
    A whole file without an entry, as of a killed process or a lost index, gets one again, as `RECOVERED`. A damaged
    index is kept under another name, and what can still be read of it goes into a new one. A folder that cannot be
    written can still be read. Raises TokenariumError if it cannot be used at all.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            (folder / FILES).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if error.errno not in _READ_ONLY:
                raise TokenariumError(
                    f"{folder} cannot be used: {error.strerror or error}."
                ) from error
        try:
            self._look()
        except DamagedIndexError:
            self._set_aside()
            self._look()

    def check_writable(self) -> None:
        """Raises TokenariumError, with what to do, if nothing can be kept; to call before long work."""
        with self.index(write=True):
            try:
                tempfile.TemporaryFile(dir=self.folder / FILES).close()
            except OSError as error:
                raise _not_kept(self.folder, error) from error

    def save(self, trained: Trained, content: bytes) -> Trained:
        """Keeps a tokenizer with the content of its file, and returns its entry.

        It replaces one of equal settings and corpus, but keeps that one's name and note if it has none.
        """
        digest = hashlib.sha256(content).hexdigest()
        made = datetime.now(UTC).isoformat(timespec="seconds")
        kept = replace(trained, content=digest, made=made)
        before = self.get(kept.identity)
        if before is not None:
            kept = replace(kept, name=kept.name or before.name, note=kept.note or before.note)
        # The file too is written while no other window can change the index: it might remove this very file.
        with self.index(write=True) as index:
            self.write(self.path(kept), content)
            of_file = (kept.content, kept.suffix)
            index.execute("delete from deleted where content = ? and suffix = ?", of_file)
            index.execute(
                "delete from trained where content = ? and suffix = ? and algorithm = ?",
                (*of_file, RECOVERED),
            )
            _insert(index, kept)
        return kept

    def path(self, trained: Trained) -> Path:
        """Returns where the file of a tokenizer is."""
        return self.path_for(trained.content, trained.suffix)

    def all(self) -> list[Trained]:
        """Returns everything that is kept, the latest first."""
        return self._read("select * from trained order by made desc, name")

    def get(self, identity: str) -> Trained | None:
        """Returns the tokenizer of an identity, or None."""
        found = self._read("select * from trained where identity = ?", identity)
        return found[0] if found else None

    def find(self, words: str) -> list[Trained]:
        """Returns the tokenizers with every word in the name, the note, the algorithm, or the corpus."""
        wanted = words.casefold().split()
        return [
            trained for trained in self.all() if all(word in _words(trained) for word in wanted)
        ]

    def rename(self, identity: str, name: str) -> None:
        """Renames a tokenizer; TokenariumError for an empty name."""
        if not name.strip():
            raise TokenariumError("A tokenizer needs a name. Type one.")
        self._set(identity, "name", name.strip())

    def note(self, identity: str, note: str) -> None:
        """Replaces the note of a tokenizer."""
        self._set(identity, "note", note.strip())

    def delete(self, identity: str) -> Trained | None:
        """Removes a tokenizer from the index, and returns it for `restore`, or None.

        Its file stays for a day.
        """
        trained = self.get(identity)
        if trained is not None:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            with self.index(write=True) as index:
                index.execute("delete from trained where identity = ?", (identity,))
                index.execute(
                    "insert or replace into deleted values (?, ?, ?)",
                    (trained.content, trained.suffix, now),
                )
        return trained

    def restore(self, trained: Trained) -> None:
        """Undoes a deletion; TokenariumError if the file no longer exists."""
        try:
            content = read_file(self.path(trained), _LARGEST)
        except OSError:
            raise TokenariumError(f"The file of {trained.name} is gone. Train it again.") from None
        made = trained.made
        kept = self.save(trained, content)
        self._set(kept.identity, "made", made)

    def _set(self, identity: str, column: str, value: str) -> None:
        with self.index(write=True) as index:
            index.execute(f"update trained set {column} = ? where identity = ?", (value, identity))

    def path_for(self, content: str, suffix: str) -> Path:
        """Returns where a file is kept, by its SHA-256 and its suffix."""
        return kept_file(self.folder, content + suffix)

    # The index.

    @contextmanager
    def index(self, write: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection to the index; one that writes is a transaction."""
        path = self.folder / INDEX
        for end in ("", "-journal", "-wal"):  # SQLite would wait for a pipe
            make_way(path.with_name(path.name + end), sys.maxsize)
        try:
            with closing(sqlite3.connect(path, timeout=WAIT_S, isolation_level=None)) as connection:
                connection.row_factory = sqlite3.Row
                connection.text_factory = _text
                if write:
                    connection.execute("pragma synchronous = full")
                    connection.execute("begin immediate")
                yield connection
                if write:
                    connection.execute("commit")
        except sqlite3.Error as error:
            raise _fault(self.folder, error) from error

    def _read(self, query: str, *values: str) -> list[Trained]:
        if not os.path.exists(self.folder / INDEX):  # as where the folder cannot be written
            return []
        with self.index() as index:
            if not index.execute("pragma user_version").fetchone()[0]:
                return []  # it was never filled
            rows = index.execute(query, values).fetchall()
        try:
            return [_trained(row) for row in rows]
        except _NO_ROW as error:
            raise _damaged(self.folder, error) from error

    def _deleted(self) -> dict[Path, str]:
        """Returns the files of deleted tokenizers with the times of deletion."""
        with self.index() as index:
            rows = index.execute("select content, suffix, at from deleted").fetchall()
        return {
            self.path_for(content, suffix): at
            for content, suffix, at in rows
            if _names_a_file(content, suffix)
        }

    def _registered(self) -> set[Path]:
        """Returns the kept files of registered tokenizers: of each, their names in the store, one a line."""
        with self.index() as index:
            rows = index.execute("select files from registered").fetchall()
        names = {name for (names,) in rows for name in str(names).splitlines()}
        return {
            self.path_for(name[:64], name[64:])
            for name in names
            if _names_a_file(name[:64], name[64:])
        }

    def _look(self) -> None:
        """Makes the index match the files, if it can be written."""
        path = self.folder / INDEX
        layout = 0
        if os.path.exists(path):
            with self.index() as index:
                layout = index.execute("pragma user_version").fetchone()[0]
        if layout > LAYOUT:
            raise TokenariumError(
                f"{self.folder} was written by a later Tokenarium. Use that version, or another folder."
            )
        try:
            if layout < LAYOUT:
                with self.index(write=True) as index:
                    for table in _TABLES:
                        index.execute(table)
                    index.execute(f"pragma user_version = {LAYOUT}")
            named = {self.path(trained) for trained in self.all()} | self._registered()
            deleted = self._deleted()
            self._adopt(named | deleted.keys())
            self._tidy(deleted)
        except DamagedIndexError:
            raise
        except TokenariumError:  # a full disk, a read-only folder: what is there can be read
            self.all()

    def _adopt(self, known: set[Path]) -> None:
        """Gives whole files without an entry one."""
        strays = [path for path in (self.folder / FILES).glob("*/*") if path not in known]
        found = [trained for path in strays if (trained := _recovered(path)) is not None]
        if not found:
            return
        with self.index(write=True) as index:
            for trained in found:
                of_file = (trained.content, trained.suffix)
                for table in ("trained", "deleted"):  # another window was faster
                    query = f"select 1 from {table} where content = ? and suffix = ?"
                    if index.execute(query, of_file).fetchone() is not None:
                        break
                else:
                    _insert(index, trained)

    def _tidy(self, deleted: Mapping[Path, str]) -> None:
        """Removes the files of tokenizers that were deleted a day ago, and unfinished files of that age."""
        yesterday = datetime.now(UTC) - timedelta(seconds=UNDO_S)
        old = [path for path, at in deleted.items() if at < yesterday.isoformat(timespec="seconds")]
        registered = self._registered() if old else set()
        if old:
            with self.index(write=True) as index:
                for path in old:
                    of_file = (path.name[:64], path.name[64:])
                    query = "select 1 from trained where content = ? and suffix = ?"
                    held = path in registered
                    if not held and index.execute(query, of_file).fetchone() is None:
                        with suppress(FileNotFoundError):
                            path.unlink()
                    index.execute("delete from deleted where content = ? and suffix = ?", of_file)
        for path in (self.folder / FILES).glob("*/*.part"):
            with suppress(OSError):
                if _PART.fullmatch(path.name) and path.stat().st_mtime < yesterday.timestamp():
                    path.unlink()

    def _set_aside(self) -> None:
        """Renames a damaged index, and starts a new one with what can be read of it."""
        with suppress(DamagedIndexError):
            self.all(), self._deleted()
            return  # another window has done it
        path = self.folder / INDEX
        stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
        try:
            number, name = tempfile.mkstemp(".sqlite", f"index-damaged-{stamp}-", self.folder)
            os.close(number)
            aside = Path(name)
            with suppress(FileNotFoundError):  # the files of an unfinished transaction go with it
                os.replace(f"{path}-journal", f"{aside}-journal")
            os.replace(path, aside)
        except OSError as error:
            raise TokenariumError(
                f"The index of the trained tokenizers, {path}, is damaged, and a new one cannot be written next to it:"
                f" {error.strerror or error}. The tokenizers are intact, in {self.folder / FILES}."
            ) from error
        readable = [one for one in _readable(aside) if os.path.isfile(self.path(one))]
        with self.index(write=True) as index:
            for table in _TABLES:
                index.execute(table)
            for trained in readable:
                _insert(index, trained)
            for row in _registered_rows(aside):
                index.execute("insert or replace into registered values (?, ?, ?, ?)", row)
            index.execute(f"pragma user_version = {LAYOUT}")

    # Files.

    def write(self, path: Path, content: bytes) -> None:
        """Writes a file of the store completely or not at all."""
        try:
            if file_sha256(path) == hashlib.sha256(content).hexdigest():
                return
            path.parent.mkdir(exist_ok=True)
            write_files({path: content})
        except WriteError as error:  # which is an OSError too
            cause = error.__cause__
            raise (
                _not_kept(path.parent, cause) if isinstance(cause, OSError) else error
            ) from error
        except OSError as error:
            raise _not_kept(path.parent, error) from error


def _names_a_file(content: object, suffix: object) -> bool:
    """Whether these are a hash and a suffix, and so the name of a file of the store."""
    return (
        isinstance(content, str)
        and isinstance(suffix, str)
        and _CONTENT.fullmatch(content) is not None
        and _SUFFIX.fullmatch(suffix) is not None
    )


def _text(data: bytes) -> str:
    """Returns a text of the index; a damaged byte must not prevent the other rows from being read."""
    return data.decode("utf-8", "replace")


def _fault(folder: Path, error: sqlite3.Error) -> TokenariumError:
    """Returns the sentence for an error of the index of a folder."""
    path = folder / INDEX
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the higher bits are details
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return _damaged(folder, error)
        case sqlite3.SQLITE_ERROR if "no such" in str(error):  # another's tables
            return _damaged(folder, error)
        case sqlite3.SQLITE_FULL:
            return TokenariumError(
                f"The disk of {path} is full. Free some space, and try again: what was saved before is intact."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return TokenariumError(
                f"{path} cannot be written, so nothing can be saved there. Make {folder} writable, or choose"
                " another folder with TOKENARIUM_DATA."
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return TokenariumError(
                f"{path} is being written by another window or program. Try again in a moment."
            )
    return TokenariumError(
        f"{path} cannot be used: {error}. Check the disk, and try again: the tokenizers next to it are intact."
    )


def _damaged(folder: Path, error: Exception) -> DamagedIndexError:
    return DamagedIndexError(
        f"The index of the trained tokenizers, {folder / INDEX}, is damaged: {error}. It is set aside the next time they are"
        " listed; the tokenizers are intact."
    )


def _not_kept(folder: Path, error: OSError) -> TokenariumError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return TokenariumError(f"The disk of {folder} is full. Free some space, and try again.")
    return TokenariumError(
        f"The tokenizer cannot be saved in {folder}: {error.strerror or error}. Make it writable, or choose another"
        " folder with TOKENARIUM_DATA."
    )


def _recovered(path: Path) -> Trained | None:
    """Returns the entry for a file without one; None for a file that is not named by its content."""
    content, suffix = path.name[:64], path.name[64:]
    if not _names_a_file(content, suffix):
        return None
    try:
        if file_sha256(path) != content:
            return None
        made = path.stat().st_mtime
    except OSError:
        return None
    name, pieces, format = f"recovered {content[:8]}", 0, ""
    with suppress(TokenariumError):
        tokenizer = tc.open(path)
        pieces, format = len(tokenizer.vocabulary), tokenizer.source.format
        if content not in tokenizer.name:
            name = tokenizer.name
    return Trained(
        name=name,
        algorithm=RECOVERED,
        settings={"format": format} if format else {},
        corpus={},
        fingerprint=content,
        suffix=suffix,
        pieces=pieces,
        version="",
        content=content,
        made=datetime.fromtimestamp(made, UTC).isoformat(timespec="seconds"),
    )


def _readable(path: Path) -> list[Trained]:
    """Returns the entries of a damaged index that can still be read."""
    found: list[Trained] = []
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as index:
        index.row_factory = sqlite3.Row
        index.text_factory = _text
        for row in index.execute("select * from trained"):
            with suppress(*_NO_ROW):
                found.append(_trained(row))
    return found


def _registered_rows(path: Path) -> list[tuple[str, ...]]:
    """Returns the rows of registered tokenizers of a damaged index that can still be read."""
    found: list[tuple[str, ...]] = []
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as index:
        index.text_factory = _text
        rows = index.execute("select name, version, content, files from registered")
        found.extend(tuple(row) for row in rows if all(isinstance(one, str) for one in row))
    return found


def _insert(index: sqlite3.Connection, trained: Trained) -> None:
    values = (
        trained.identity,
        trained.name,
        trained.note,
        trained.algorithm,
        json.dumps(trained.settings),
        json.dumps(trained.corpus),
        trained.fingerprint,
        trained.content,
        trained.suffix,
        trained.pieces,
        json.dumps(trained.figures),
        trained.version,
        trained.made,
    )
    marks = ", ".join("?" * len(values))
    index.execute(f"insert or replace into trained values ({marks})", values)


def _words(trained: Trained) -> str:
    """Returns the text that a search looks through."""
    corpus = json.dumps(trained.corpus, ensure_ascii=False)
    return f"{trained.name} {trained.note} {trained.algorithm} {corpus}".casefold()


def _trained(row: sqlite3.Row) -> Trained:
    """Returns the tokenizer of a row; raises one of `_NO_ROW` for an invalid row."""
    datetime.fromisoformat(row["made"])
    if not _names_a_file(row["content"], row["suffix"]):
        raise ValueError("a row names no file")
    trained = Trained(
        name=row["name"],
        note=row["note"],
        algorithm=row["algorithm"],
        settings=dict(json.loads(row["settings"])),
        corpus=dict(json.loads(row["corpus"])),
        fingerprint=row["fingerprint"],
        content=row["content"],
        suffix=row["suffix"],
        pieces=int(row["pieces"]),
        figures=dict(json.loads(row["figures"])),
        version=row["version"],
        made=row["made"],
    )
    texts = (trained.name, trained.note, trained.algorithm, trained.fingerprint, trained.version)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a row has bytes in place of a text")
    return trained
