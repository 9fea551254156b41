"""The terms of the field, each explained once: for the tips of the window and for the documentation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

LINE = 90
"""Characters of a line of a tip: Qt itself breaks no plain text."""


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A term as ``glossary.toml`` explains it."""

    name: str
    """As it is written inside a sentence: ``"pre-token"``."""
    group: str
    """The heading of its table: ``"Stages"``."""
    text: str
    """What it is, in one to three sentences."""
    also: tuple[str, ...] = ()
    """Other names that people search for."""
    source: str = ""
    """The paper or the library that defines it; empty for a common term."""


@cache
def load_glossary() -> dict[str, GlossaryTerm]:
    """Returns all terms by their names, group after group."""
    import tomllib  # not above: these take longer than the window has when it starts
    from importlib.resources import files

    terms = tomllib.loads((files(__package__) / "glossary.toml").read_text("utf-8"))["term"]
    return {
        term["name"]: GlossaryTerm(**{**term, "also": tuple(term.get("also", ()))})
        for term in terms
    }


def explanation(name: str) -> str:
    """Returns what a term is, in lines of a tip; KeyError for a term that is not in the glossary.

    The first call reads the glossary: at the start of the window, ask when a tip is shown, not when a widget is made.
    """
    from textwrap import wrap

    return "\n".join(wrap(load_glossary()[name].text, LINE, break_on_hyphens=False))
