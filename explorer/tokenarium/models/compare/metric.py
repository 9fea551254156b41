"""What a figure of a comparison is: its formula, unit and source, and what it does not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tokenarium.models.compare.tally import Tally


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure: a short title, its unit, how it is worked out, and its source.

    ``heading`` and ``remark`` are the two lines of its column in a window.
    ``value`` returns None if there is nothing to divide by. ``better`` is "low", "high" or empty.
    ``of_words``: it means nothing for texts whose words are not found. ``flattered``: lost text makes it
    better, since it needs fewer tokens or none. ``term`` is its name in the glossary, where it has one.
    ``caveat`` says what the figure does not show, with a source.
    """

    id: str
    title: str
    unit: str
    heading: str
    remark: str
    formula: str
    source: str
    value: Callable[[Tally], float | None]
    digits: int = 2
    better: str = ""
    of_words: bool = False
    flattered: bool = False
    term: str = ""
    caveat: str = ""


def shown(metric: Metric, value: float) -> str:
    """Returns a figure for users, with its number of digits."""
    return f"{value:,.{metric.digits}f}"


def cell_text(metric: Metric, value: float) -> str:
    """Returns a figure for users, with the sign of percent where it is a share."""
    return shown(metric, value) + ("%" if metric.unit == "%" else "")


def ratio(part: float, whole: float) -> float | None:
    """Returns a quotient; None if there is nothing to divide by."""
    return part / whole if whole else None


def percent(part: float, whole: float) -> float | None:
    """Returns a share in percent; None if there is nothing to divide by."""
    return 100 * part / whole if whole else None
