"""Which tokenizers the library offers before anybody has opened a file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from tokenarium.models.library import Entry, Group, State
from tokenarium_core.named import NAMED, missing_files

SHIPPED = "tokenarium-8k"


def offered(on: Sequence[str], order: Sequence[str], opened: Sequence[str]) -> list[Entry]:
    """Returns the entries of a fresh library.

    ``on`` are the keys that are on and ``order`` the keys in the order of last time (others follow);
    ``opened`` are the files of last time, each with a pattern behind a line feed where it needs one.
    """
    entries = [shipped()]
    entries += [named(name) for name in NAMED]
    entries += [file_entry(*line.partition("\n")[::2]) for line in opened]
    for entry in entries:
        entry.on = entry.key in on and entry.state is State.CLOSED
    places = {key: place for place, key in enumerate(order)}
    return sorted(entries, key=lambda entry: places.get(entry.key, len(places)))


def shipped() -> Entry:
    """Returns the tokenizer that comes with the app."""
    path = files("tokenarium.resources") / "tokenizers" / f"{SHIPPED}.json"
    return Entry(f"shipped:{SHIPPED}", Group.SHIPPED, "Tokenarium 8k", str(path), 0)


def named(name: str) -> Entry:
    """Returns one of tiktoken's encodings, missing where its files are not in tiktoken's cache."""
    entry = Entry(f"named:{name}", Group.OPENAI, name, name, 0)
    entry.models = NAMED[name].models
    if missing_files(NAMED[name]):
        entry.state = State.MISSING
    return entry


def file_entry(path: str, pattern: str = "") -> Entry:
    """Returns a tokenizer file."""
    return Entry(f"file:{path}", Group.FILES, Path(path).stem, path, 0, pattern)


def needs_pattern(path: Path) -> bool:
    """Whether a file has pieces and ranks alone, so that a person must say how it cuts a text.

    OSError where the file cannot be read.
    """
    if path.suffix != ".tiktoken":
        return False
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return all(digest != file.sha256 for encoding in NAMED.values() for file in encoding.files)


def file_line(entry: Entry) -> str:
    """Returns the line that `offered` makes a file's entry from."""
    return f"{entry.source}\n{entry.pattern}" if entry.pattern else entry.source
