"""Where trained tokenizers are kept: files by the hash of their content, and an index of them."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tokenarium_core.errors import TokenariumError
from tokenarium_core.whole_files import write_files

INDEX = "index.sqlite"
FILES = "files"
LAYOUT = 1
"""Of the index. A store with a later one was written by a later Tokenarium, and is left alone."""

_TABLE = """
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
"""


@dataclass(frozen=True, slots=True)
class Trained:
    """One trained tokenizer, as the index knows it.

    ``settings`` are those of the training, ``corpus`` says in words and numbers what it was trained on, and
    ``fingerprint`` is of its documents. ``figures`` are what the training measured. ``version`` is that of
    Tokenarium, ``made`` the time in UTC, as ISO 8601 writes it.
    """

    name: str
    algorithm: str
    settings: Mapping[str, Any]
    corpus: Mapping[str, Any]
    fingerprint: str
    suffix: str  # of the file, with its dot: what format it is in
    pieces: int
    version: str
    note: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    content: str = ""  # SHA-256 of the file, filled in when it is saved
    made: str = ""

    @property
    def identity(self) -> str:
        """The hash of what determines the result: the algorithm, its settings and the corpus.

        Two trainings with equal settings on equal documents have equal ones, whenever and under whatever name.
        """
        told = [self.algorithm, self.settings, self.fingerprint]
        canonical = json.dumps(told, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


class Store:
    """The folder with the index and the files. Several windows may use it at a time.

    A tokenizer's file is written under another name, brought to the disk, and moved to its place before the index
    learns of it, in one transaction. So whatever happens in between, each entry of the index has its whole file; a
    file that no entry names is removed when it is a day old. Raises TokenariumError where the folder cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            (folder / FILES).mkdir(parents=True, exist_ok=True)
            with self._index() as index:
                layout = index.execute("pragma user_version").fetchone()[0]
                if layout > LAYOUT:
                    raise TokenariumError(
                        f"{folder} was written by a later Tokenarium. Use that one, or another folder."
                    )
                index.execute(_TABLE)
                index.execute(f"pragma user_version = {LAYOUT}")
            self._tidy()
        except OSError as error:
            raise TokenariumError(f"{folder} cannot be used: {error.strerror or error}.") from error

    def save(self, trained: Trained, content: bytes) -> Trained:
        """Keeps a tokenizer with the content of its file, and returns it as it is kept.

        One of equal settings and corpus takes the place of the one before; its name and note stay where
        the new one has none.
        """
        digest = hashlib.sha256(content).hexdigest()
        made = datetime.now(UTC).isoformat(timespec="seconds")
        kept = replace(trained, content=digest, made=made)
        before = self.get(kept.identity)
        if before is not None:
            kept = replace(kept, name=kept.name or before.name, note=kept.note or before.note)
        self._write(self.path(kept), content)
        values = (
            kept.identity,
            kept.name,
            kept.note,
            kept.algorithm,
            json.dumps(kept.settings),
            json.dumps(kept.corpus),
            kept.fingerprint,
            kept.content,
            kept.suffix,
            kept.pieces,
            json.dumps(kept.figures),
            kept.version,
            kept.made,
        )
        marks = ", ".join("?" * len(values))
        with self._index() as index:
            index.execute(f"insert or replace into trained values ({marks})", values)
        return kept

    def path(self, trained: Trained) -> Path:
        """Returns where the file of a tokenizer lies."""
        return self.folder / FILES / trained.content[:2] / f"{trained.content}{trained.suffix}"

    def all(self) -> list[Trained]:
        """Returns everything that is kept, the latest first."""
        with self._index() as index:
            rows = index.execute("select * from trained order by made desc, name").fetchall()
        return [_trained(row) for row in rows]

    def get(self, identity: str) -> Trained | None:
        """Returns the tokenizer of an identity; None where there is none."""
        with self._index() as index:
            row = index.execute("select * from trained where identity = ?", (identity,)).fetchone()
        return _trained(row) if row is not None else None

    def find(self, words: str) -> list[Trained]:
        """Returns those in which every word stands: in the name, the note, the algorithm, or the corpus."""
        wanted = words.casefold().split()
        return [
            trained for trained in self.all() if all(word in _words(trained) for word in wanted)
        ]

    def rename(self, identity: str, name: str) -> None:
        """Gives a tokenizer another name; TokenariumError for an empty one."""
        if not name.strip():
            raise TokenariumError("A tokenizer needs a name. Type one.")
        self._set(identity, "name", name.strip())

    def note(self, identity: str, note: str) -> None:
        """Writes a note on a tokenizer, in place of the one before."""
        self._set(identity, "note", note.strip())

    def delete(self, identity: str) -> Trained | None:
        """Takes a tokenizer out of the index, and returns it so that it can be restored; None where there is none.

        Its file stays for a day.
        """
        trained = self.get(identity)
        with self._index() as index:
            index.execute("delete from trained where identity = ?", (identity,))
        if trained is not None:
            with suppress(OSError):
                os.utime(self.path(trained))  # the day begins now
        return trained

    def restore(self, trained: Trained) -> None:
        """Takes back a deletion; TokenariumError where the file is gone by now."""
        try:
            content = self.path(trained).read_bytes()
        except OSError:
            raise TokenariumError(f"The file of {trained.name} is gone. Train it again.") from None
        made = trained.made
        kept = self.save(trained, content)
        self._set(kept.identity, "made", made)

    def _set(self, identity: str, column: str, value: str) -> None:
        with self._index() as index:
            index.execute(f"update trained set {column} = ? where identity = ?", (value, identity))

    @contextmanager
    def _index(self) -> Iterator[sqlite3.Connection]:
        """A transaction on the index: all of it happens, or nothing."""
        try:
            opened = sqlite3.connect(self.folder / INDEX, timeout=10)
            with closing(opened) as connection, connection:
                connection.row_factory = sqlite3.Row
                connection.execute("pragma synchronous = full")
                yield connection
        except sqlite3.Error as error:
            raise TokenariumError(
                f"The index of the trained tokenizers, {self.folder / INDEX}, cannot be used: {error}."
                " If it is damaged, move it away: the files beside it stay."
            ) from error

    def _write(self, path: Path, content: bytes) -> None:
        """Writes a file so that it is whole or not there."""
        try:
            if path.exists() and path.read_bytes() == content:
                return
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise TokenariumError(
                f"The tokenizer cannot be kept in {path.parent}: {error.strerror or error}."
            ) from error
        write_files({path: content})

    def _tidy(self) -> None:
        """Removes files that no entry names, and parts of files, once they are a day old."""
        kept = {self.path(trained) for trained in self.all()}
        yesterday = datetime.now().timestamp() - 24 * 60 * 60
        for path in (self.folder / FILES).glob("*/*"):
            with suppress(OSError):
                if path not in kept and path.stat().st_mtime < yesterday:
                    path.unlink()


def _words(trained: Trained) -> str:
    """Returns what a search looks through."""
    corpus = json.dumps(trained.corpus, ensure_ascii=False)
    return f"{trained.name} {trained.note} {trained.algorithm} {corpus}".casefold()


def _trained(row: sqlite3.Row) -> Trained:
    return Trained(
        name=row["name"],
        note=row["note"],
        algorithm=row["algorithm"],
        settings=json.loads(row["settings"]),
        corpus=json.loads(row["corpus"]),
        fingerprint=row["fingerprint"],
        content=row["content"],
        suffix=row["suffix"],
        pieces=row["pieces"],
        figures=json.loads(row["figures"]),
        version=row["version"],
        made=row["made"],
    )
