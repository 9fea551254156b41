"""Sentences with the same content in several languages: line for line, a file for each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Translation:
    """The sentences in one language; ``language`` is a BCP 47 tag, ``native_title`` its name in itself."""

    language: str
    title: str
    native_title: str

    def sentences(self) -> list[str]:
        """Returns the sentences, in the same order in all languages."""
        path = files(__package__) / "parallel" / f"{self.language}.txt"
        return path.read_bytes().decode("utf-8").splitlines()


def load_translations() -> list[Translation]:
    """Returns all languages, English first; their sentences are read only when asked for."""
    manifest = json.loads((files(__package__) / "parallel.json").read_bytes())
    return [Translation(**entry) for entry in manifest]
