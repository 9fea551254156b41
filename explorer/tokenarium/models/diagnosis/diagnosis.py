"""Findings about one tokenizer, each with its method, the evidence and the entries it concerns; as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum


class Level(Enum):
    """How much a finding matters, the worst first; the values are those of ``--fail-on`` and of JSON.

    Wrong ids: a program that opens the files gets different ids than the model was trained with, or ids that it has no
    row for. Lost text: what decoding gives back lacks something that the normalizer does not declare to change.
    """

    WRONG_IDS = "wrong-ids"
    LOST_TEXT = "lost-text"
    SURPRISE = "may-surprise"
    FINE = "fine"
    UNKNOWN = "not-examined"

    @property
    def words(self) -> str:
        """The level as a reader sees it."""
        return self.value.replace("-", " ")

    def reaches(self, bound: Level) -> bool:
        """Returns whether it is as bad as another, or worse."""
        order = list(Level)
        return order.index(self) <= order.index(bound)


FAULTS = (Level.WRONG_IDS, Level.LOST_TEXT, Level.SURPRISE)
"""The levels that can make a check fail, the worst first."""


def worst(levels: Iterable[Level]) -> Level:
    """Returns the worst of some levels; `Level.FINE` for none."""
    return min(levels, key=list(Level).index, default=Level.FINE)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One case: a text and its ids, an entry of the vocabulary, or both; and a note that says what is wrong.

    ``token`` is the entry to jump to, or -1; ``text`` the text to show, or None.
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
    level: Level
    sentence: str
    method: str
    count: int = 0
    evidence: tuple[Evidence, ...] = ()
    tokens: tuple[int, ...] = ()


NO_REPAIRS = {
    "round_trip": "There is no repair: the ids do not say what the text was before it was changed.",
    "under_trained": "There is no repair in these files: the rows of the entries are in the model's weights.",
    "zero_scores": "There is no repair: scores come from a training, and no file says what they were.",
}
"""Why findings can never be repaired, by the ids of the findings."""

SHOWN = 50
"""Most cases that are kept of each finding."""


def as_line(case: Evidence) -> str:
    """Returns one case: its id, its text and its note."""
    where = f"id {case.token}: " if case.token >= 0 else ""
    text = f"{json.dumps(case.text, ensure_ascii=False)} " if case.text is not None else ""
    return f"{where}{text}{case.note}"


def as_text(name: str, findings: Sequence[Diagnosis]) -> str:
    """Returns the findings with their first cases and methods."""
    parts = [f"Diagnostics of {name}\n"]
    for finding in findings:
        lines = [
            f"{finding.title} ({finding.level.words})",
            finding.sentence,
            f"How: {finding.method}",
        ]
        lines += [f"  {as_line(case)}" for case in finding.evidence]
        if finding.count > len(finding.evidence):
            lines.append(f"  … and {finding.count - len(finding.evidence):,} more")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def as_json(name: str, findings: Sequence[Diagnosis]) -> str:
    """Returns the same as JSON, with the ids of all entries that each finding is about."""
    values = [{**asdict(finding), "level": finding.level.value} for finding in findings]
    return json.dumps({"tokenizer": name, "findings": values}, ensure_ascii=False, indent=1) + "\n"
