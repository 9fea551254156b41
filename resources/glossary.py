"""The terms of the field, each explained once: for the tips of the window and for the documentation."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


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
    terms = tomllib.loads((files(__package__) / "glossary.toml").read_text("utf-8"))["term"]
    return {
        term["name"]: GlossaryTerm(**{**term, "also": tuple(term.get("also", ()))})
        for term in terms
    }


def explanation(name: str) -> str:
    """Returns what a term is, as a tip shows it; KeyError for a term that is not in the glossary."""
    return load_glossary()[name].text
