"""The sample texts that ship with Tokenarium, in the order in which a menu shows them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample text: what ``samples.json`` says of it, and the way to its characters."""

    id: str
    """A stable name, for settings and the command line: ``"prose-en"``."""
    group: str
    """The heading that it is listed under: ``"Hard cases"``."""
    file: str
    title: str
    """In English: ``"German"``."""
    native_title: str
    """In the language itself: ``"Deutsch"``; equal to ``title`` where there is no such language."""
    language: str
    """A BCP 47 tag; ``"mul"`` for several languages, ``"zxx"`` for none (code, odd strings)."""
    scripts: tuple[str, ...]
    """ISO 15924 codes of all the letters that occur, sorted; digits and signs do not count."""
    direction: str
    """``"ltr"`` or ``"rtl"``: how its paragraphs run."""
    about: str
    """One line on what there is to see."""

    def text(self) -> str:
        """Returns the text, read from the file each time: line ends and a byte order mark stay as the file has them."""
        return (files(__package__) / "samples" / self.file).read_bytes().decode("utf-8")


def load_samples() -> list[Sample]:
    """Returns all samples, group after group; their texts are read only when asked for."""
    manifest = json.loads((files(__package__) / "samples.json").read_bytes())
    return [
        Sample(group=group["title"], **{**entry, "scripts": tuple(entry["scripts"])})
        for group in manifest["groups"]
        for entry in group["samples"]
    ]
