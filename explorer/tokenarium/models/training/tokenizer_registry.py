"""The registry: tokenizers by ``name@version``, each opened only while its files are those that were registered."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tokenarium_core as tc
from tokenarium.models.training.store import Store, Trained
from tokenarium_core import NotAvailable, TokenariumError
from tokenarium_core.formats.opening import open_registered as open_registered_files
from tokenarium_core.formats.registered import (
    REFERENCE,
    RegisteredFiles,
    store_folder,
    stored_name,
)
from tokenarium_core.plain_files import file_sha256, open_file, read_file
from tokenarium_core.whole_files import WholeFile

if TYPE_CHECKING:
    from tokenarium.models.progress_reporter import ProgressReporter

SET_ASIDE: Final = ".changed-"
"""What is put after the name of a file, with a number, where the registered one is put back."""


class RegisteredState(Enum):
    """How the files of a registered tokenizer are."""

    WHOLE = "unchanged"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class RegisteredFile:
    """One file of a registered tokenizer: where it is, its SHA-256 in hexadecimal, and its bytes."""

    path: str
    sha256: str
    size: int

    @property
    def stored_name(self) -> str:
        """The name of its copy in the store."""
        return stored_name(self.path, self.sha256)


@dataclass(frozen=True, slots=True)
class RegisteredTokenizer:
    """A registered tokenizer.

    ``source`` and ``pattern`` are what opens it, ``files`` what it was read from. ``author`` and ``note`` are as
    they were typed; ``origin`` says what it was made from: the training and the corpus of one that was trained here.
    ``made`` is the time in UTC in the form of ISO 8601, ``tokenarium`` the version of the program.
    """

    name: str
    version: str
    source: str
    pattern: str
    format: str
    entries: int
    files: tuple[RegisteredFile, ...]
    author: str = ""
    note: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict)
    made: str = ""
    tokenarium: str = ""

    @property
    def reference(self) -> str:
        """What it is opened by: ``support@1``."""
        return f"{self.name}@{self.version}"

    @property
    def sha256(self) -> str:
        """The SHA-256 of its file; of several, that of the lines that ``sha256sum`` writes for them in its folder."""
        if len(self.files) == 1:
            return self.files[0].sha256
        lines = "".join(f"{one.sha256}  {Path(one.path).name}\n" for one in self.files)
        return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def made_from(self) -> str:
        """What it was made from, in a line."""
        if not self.origin:
            return self.source
        corpus = self.origin.get("corpus")
        sources = corpus.get("sources") if isinstance(corpus, dict) else None
        on = f" on {', '.join(map(str, sources))}" if isinstance(sources, list) and sources else ""
        made = str(self.origin.get("made", ""))[:10]
        return f"{self.origin.get('algorithm', 'trained')}, trained {made}{on}"


@dataclass(frozen=True, slots=True)
class RestoredFile:
    """A file that was put back; ``aside`` is where the one is now that was in its place, None if there was none."""

    path: Path
    aside: Path | None


class TokenizerRegistry:
    """The registered tokenizers of a store, with a copy of each of their files.

    A version is never registered twice with other files: what opens by a name stays the same.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def all(self) -> list[RegisteredTokenizer]:
        """Returns all registered tokenizers, by name and version."""
        if not os.path.exists(self.store.folder / "index.sqlite"):
            return []
        with self.store.index() as index:
            if index.execute("pragma user_version").fetchone()[0] < 3:  # read-only, and older
                return []
            rows = index.execute("select content from registered").fetchall()
        found = [one for (content,) in rows if (one := _from_json(content)) is not None]
        return sorted(found, key=lambda one: (one.name, _natural(one.version)))

    def get(self, reference: str) -> RegisteredTokenizer | None:
        """Returns a registered tokenizer by ``name@version``, or None."""
        return next((one for one in self.all() if one.reference == reference), None)

    def need(self, reference: str) -> RegisteredTokenizer:
        """Returns a registered tokenizer; NotAvailable if there is none."""
        found = self.get(reference)
        if found is not None:
            return found
        name = reference.partition("@")[0]
        every = self.all()
        near = [one.reference for one in every if one.name == name] or [
            one.reference for one in every
        ]
        there = f"Registered: {', '.join(near[:8])}." if near else "Nothing is registered yet."
        raise NotAvailable(f"{reference} is not registered. {there}")

    def register(
        self,
        reference: str,
        tokenizer: tc.Tokenizer,
        source: str,
        pattern: str = "",
        author: str = "",
        note: str = "",
    ) -> RegisteredTokenizer:
        """Registers an open tokenizer, with the SHA-256 and a copy of each of its files, and returns its entry.

        Registering the same files again changes nothing. TokenariumError for a name that is none, for other files
        under a name that is taken, and where the files changed since the tokenizer was opened.
        """
        named = REFERENCE.fullmatch(reference)
        if named is None:
            raise TokenariumError(
                f"{reference!r} is not the name of a registered tokenizer: write a name and a version, such as support@1."
            )
        if not tokenizer.source.files:
            raise TokenariumError(
                f"{tokenizer.name} has no file of its own. Export it to a file, and register that."
            )
        path = Path(source)
        contents: dict[RegisteredFile, bytes] = {}
        for file, (_, digest) in zip(
            tokenizer.source.files, tokenizer.source.digests(), strict=True
        ):
            with open_file(file) as opened:
                content = opened.read()
            found = RegisteredFile(str(file), hashlib.sha256(content).hexdigest(), len(content))
            if found.sha256 != digest:
                raise TokenariumError(
                    f"{file} has changed since it was opened. Open it again, and register that."
                )
            contents[found] = content
        entry = RegisteredTokenizer(
            name=named[1],
            version=named[2],
            source=str(path.absolute()) if os.path.exists(path) else source,
            pattern=pattern,
            format=tokenizer.source.format,
            entries=len(tokenizer.vocabulary),
            files=tuple(contents),
            author=author.strip(),
            note=note.strip(),
            origin=self._origin(tuple(contents)),
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            tokenarium=tc.__version__,
        )
        with self.store.index(write=True) as index:
            query = "select content from registered where name = ? and version = ?"
            row = index.execute(query, (entry.name, entry.version)).fetchone()
            known = _from_json(row[0]) if row is not None else None
            if known is not None:
                if known.sha256 == entry.sha256 and known.pattern == entry.pattern:
                    return known
                raise TokenariumError(
                    f"{reference} is registered already, with SHA-256 {known.sha256}, and this is {entry.sha256}. Give"
                    " this one another version, or remove that one first."
                )
            for found, content in contents.items():
                self.store.write(self.copy_of(found), content)
            stored = "\n".join(one.stored_name for one in entry.files)
            index.execute(
                "insert into registered values (?, ?, ?, ?)",
                (entry.name, entry.version, json.dumps(asdict(entry)), stored),
            )
        return entry

    def remove(self, reference: str) -> RegisteredTokenizer:
        """Takes a tokenizer out of the registry, and returns it; NotAvailable if there is none.

        Its own files stay; the copies are removed after a day.
        """
        entry = self.need(reference)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.store.index(write=True) as index:
            index.execute(
                "delete from registered where name = ? and version = ?", (entry.name, entry.version)
            )
            for file in entry.files:
                stored = file.stored_name
                index.execute(
                    "insert or replace into deleted values (?, ?, ?)",
                    (stored[:64], stored[64:], now),
                )
        return entry

    def copy_of(self, file: RegisteredFile) -> Path:
        """Returns where the copy of a file is."""
        return self.store.path_for(file.stored_name[:64], file.stored_name[64:])

    def state(self, entry: RegisteredTokenizer) -> RegisteredState:
        """Returns how the files of a registered tokenizer are; it reads them whole."""
        return registered_state(entry)

    def check(self, entry: RegisteredTokenizer) -> None:
        """Raises ChangedError, with what was expected, what was found and what to do, unless all files are the
        registered ones.
        """
        self._files_of(entry).check()

    def restore(self, entry: RegisteredTokenizer) -> list[RestoredFile]:
        """Puts the registered files back from their copies, and returns those that had changed or were gone.

        What is in a place now is kept beside it, with `SET_ASIDE` after its name. NotAvailable if a copy is gone or
        is not the registered file any more: then nothing is changed.
        """
        wanted: list[tuple[RegisteredFile, bytes]] = []
        for file in entry.files:
            if file_sha256(Path(file.path)) == file.sha256:
                continue
            copy = self.copy_of(file)
            try:
                content = read_file(copy, file.size)
            except OSError:
                content = b""
            if hashlib.sha256(content).hexdigest() != file.sha256:
                raise NotAvailable(
                    f"{entry.reference} cannot be put back: the copy of {file.path}, {copy}, is gone or was changed."
                    f" Nothing was changed. Get a file with SHA-256 {file.sha256} from its source:"
                    f" {entry.made_from}."
                )
            wanted.append((file, content))
        found = []
        for file, content in wanted:
            path = Path(file.path)
            aside: Path | None = None
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                if os.path.exists(path):
                    aside = _free_name(path)
                    path.rename(aside)
            except OSError as error:
                raise TokenariumError(
                    f"{path} cannot be put back: {error.strerror or error}."
                ) from error
            whole = WholeFile(path)
            whole.write(content)
            whole.finish()
            found.append(RestoredFile(path, aside))
        return found

    def take_back(self, entry: RegisteredTokenizer, restored: Sequence[RestoredFile]) -> None:
        """Undoes `restore`: what was set aside is in its place again, and what was gone is gone.

        TokenariumError if a file is no longer the restored one, or what was set aside is gone: then nothing is changed.
        """
        wanted = {file.path: file.sha256 for file in entry.files}
        for one in restored:
            aside_gone = one.aside is not None and not os.path.exists(one.aside)
            if aside_gone or file_sha256(one.path) != wanted.get(str(one.path)):
                raise TokenariumError(
                    f"{one.path} stays as it is: {one.aside if aside_gone else one.path} was changed or moved since it"
                    " was put back."
                )
        for one in restored:
            try:
                if one.aside is None:
                    one.path.unlink()
                else:
                    one.aside.replace(one.path)
            except OSError as error:
                raise TokenariumError(f"{one.path} stays as it is: {error.strerror}.") from error

    def open(self, reference: str) -> tc.Tokenizer:
        """Returns the tokenizer of ``name@version``, with that name.

        NotAvailable if none is registered, ChangedError if its files have changed.
        """
        return open_registered_files(self._files_of(self.need(reference)))

    def of_file(self, path: Path) -> list[RegisteredTokenizer]:
        """Returns the registered tokenizers that have a file, by its path."""
        return [
            one
            for one in self.all()
            if any(file.path == str(path.absolute()) for file in one.files)
        ]

    def _files_of(self, entry: RegisteredTokenizer) -> RegisteredFiles:
        files = [(file.path, file.sha256) for file in entry.files]
        return RegisteredFiles(
            entry.reference, entry.source, entry.pattern, files, self.store.folder
        )

    def _origin(self, files: tuple[RegisteredFile, ...]) -> dict[str, Any]:
        """Returns what a tokenizer that was trained here was made from; nothing for others."""
        digests = {one.sha256 for one in files}
        found = next((one for one in self.store.all() if one.content in digests), None)
        return _training(found) if found is not None else {}


def registered_state(entry: RegisteredTokenizer) -> RegisteredState:
    """Returns how the files of a registered tokenizer are; it reads them whole."""
    found = [(file_sha256(Path(file.path)), file.sha256) for file in entry.files]
    if any(digest is None for digest, _ in found):
        return RegisteredState.GONE
    same = all(digest == expected for digest, expected in found)
    return RegisteredState.WHOLE if same else RegisteredState.CHANGED


def open_registered(reference: str) -> tc.Tokenizer:
    """Returns a registered tokenizer by ``name@version``, from the store of this user (or ``TOKENARIUM_DATA``).

    TokenariumError if none is registered, or if its files are no longer the registered ones.
    """
    return TokenizerRegistry(Store(store_folder())).open(reference)


def register_source(
    report: ProgressReporter,
    reference: str,
    source: str,
    pattern: str = "",
    author: str = "",
    note: str = "",
) -> RegisteredTokenizer:
    """Opens a tokenizer and registers it in the store of this user; for a process of its own."""
    tokenizer = tc.open(source, pattern=pattern or None)
    registry = TokenizerRegistry(Store(store_folder()))
    return registry.register(reference, tokenizer, source, pattern, author, note)


def restore_registered(report: ProgressReporter, reference: str) -> list[RestoredFile]:
    """Puts the files of a registered tokenizer of this user back; for a process of its own."""
    registry = TokenizerRegistry(Store(store_folder()))
    return registry.restore(registry.need(reference))


def take_back_registered(
    report: ProgressReporter, reference: str, restored: Sequence[RestoredFile]
) -> None:
    """Undoes `restore_registered`; for a process of its own."""
    registry = TokenizerRegistry(Store(store_folder()))
    registry.take_back(registry.need(reference), restored)


def registered_here() -> list[RegisteredTokenizer]:
    """Returns the registered tokenizers of this user; none if the store cannot be used."""
    try:
        folder = store_folder()
        return TokenizerRegistry(Store(folder)).all() if os.path.isdir(folder) else []
    except TokenariumError:
        return []


def check_registered(reference: str) -> None:
    """Raises TokenariumError unless a tokenizer is registered and its files are the registered ones."""
    registry = TokenizerRegistry(Store(store_folder()))
    registry.check(registry.need(reference))


def _training(trained: Trained) -> dict[str, Any]:
    return {
        "identity": trained.identity,
        "algorithm": trained.algorithm,
        "settings": dict(trained.settings),
        "corpus": dict(trained.corpus),
        "fingerprint": trained.fingerprint,
        "made": trained.made,
    }


def _free_name(path: Path) -> Path:
    """Returns a name beside a file that no file has."""
    number = 1
    while os.path.exists(found := path.with_name(f"{path.name}{SET_ASIDE}{number}")):
        number += 1
    return found


def _natural(version: str) -> list[tuple[int, str]]:
    """Returns what versions are sorted by: 10 after 9."""
    parts = re.findall(r"\d+|\D+", version)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _from_json(content: object) -> RegisteredTokenizer | None:
    """Returns the tokenizer of a row; None for an invalid one."""
    try:
        kept = dict(json.loads(str(content)))
        kept["files"] = tuple(RegisteredFile(**one) for one in kept["files"])
        entry = RegisteredTokenizer(**kept)
        texts = (entry.name, entry.version, entry.source, entry.pattern, entry.author, entry.note)
        valid = all(isinstance(one, str) for one in texts) and REFERENCE.fullmatch(entry.reference)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return entry if valid and isinstance(entry.origin, dict) else None
