"""What is odd about one tokenizer: each finding with how it was found, the evidence, and the entries it concerns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """How much a finding matters."""

    FINE = "fine"
    NOTE = "worth knowing"
    WARNING = "may surprise"
    UNKNOWN = "not examined"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One case: a text and the ids that it becomes, an entry of the vocabulary, or both; and what is odd, in words.

    ``token`` is the entry to jump to, -1 for none; ``text`` None where there is no text to show.
    """

    note: str
    token: int = -1
    text: str | None = None
    ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One finding.

    ``sentence`` says what was found, with its numbers; ``method`` how, so that a reader can judge it. ``evidence``
    are the first cases of ``count``; ``tokens`` all entries that it concerns.
    """

    id: str
    title: str
    severity: Severity
    sentence: str
    method: str
    count: int = 0
    evidence: tuple[Evidence, ...] = ()
    tokens: tuple[int, ...] = ()


SHOWN = 50
"""Cases that are kept of each finding."""


def many(count: int, one: str, several: str) -> str:
    """Returns a number with its noun.

    >>> many(1, "entry", "entries"), many(2000, "entry", "entries")
    ('1 entry', '2,000 entries')
    """
    return f"{count:,} {one if count == 1 else several}"
