"""The evaluation report of a tokenizer: its figures and verdicts, as JSON, and what became worse since another one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tokenarium.models.release.release_limits import (
    BY_ID,
    CHECKS,
    ReleaseCheck,
    ReleaseLimit,
    ReleaseVerdict,
)
from tokenarium_core import FormatError, NotAvailable
from tokenarium_core.plain_files import read_file

SCHEMA: Final = "tokenarium-evaluation"
VERSION: Final = 1
"""The version of the JSON. It rises when a field changes or goes; new fields alone do not change it."""

LARGEST: Final = 64 << 20
"""Bytes of a report that is read."""

SAME: Final = 1e-9
"""The relative difference up to which two figures are the same."""

RANK: Final = (
    ReleaseVerdict.FAIL,
    ReleaseVerdict.LOOK,
    ReleaseVerdict.PASS,
    ReleaseVerdict.UNKNOWN,
)
"""The verdicts in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class CheckedFigure:
    """A check with what it came to; ``cases`` are the first examples, ``note`` says why there is no figure."""

    check: ReleaseCheck
    figure: float | None
    limit: ReleaseLimit
    cases: tuple[str, ...] = ()
    note: str = ""

    @property
    def verdict(self) -> ReleaseVerdict:
        """What the figure comes to."""
        return self.check.verdict(self.figure, self.limit)

    @property
    def shown(self) -> str:
        """The figure with its unit."""
        return self.check.shown(self.figure)

    @property
    def rule(self) -> str:
        """The thresholds in words."""
        return self.check.rule(self.limit)


@dataclass(frozen=True, slots=True)
class TextFigures:
    """The figures of one text or language; None if a figure means nothing.

    ``premium`` is the tokens ÷ those of English for the same content, for languages. Shares are in percent.
    """

    name: str
    bytes: int
    characters: int
    words: int
    tokens: int
    bytes_per_token: float | None
    characters_per_token: float | None
    fertility: float | None
    fertility_alone: float | None
    whole_words: float | None
    unknown: float | None
    round_trip: bool
    premium: float | None = None


@dataclass(frozen=True, slots=True)
class ScriptFigures:
    """How one script fares: its entries, and the tokens of the texts that are of it. ``share`` is of all entries."""

    script: str
    entries: int
    share: float
    mean_bytes: float | None
    tokens: int
    text_bytes: int
    bytes_per_token: float | None


@dataclass(frozen=True, slots=True)
class CutText:
    """How a short text is cut: its tokens as texts."""

    text: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LostText:
    """A text that does not come back: where it first differs, in bytes, and what is there before and after."""

    name: str
    at: int
    was: str
    became: str


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """Everything that was measured of a tokenizer.

    ``files`` in ``tokenizer`` have the SHA-256 of each file. ``corpus`` says what was measured on, with the SHA-256
    of its texts; ``measures`` has all figures of a comparison by their ids; ``made`` is the time in UTC in the form of ISO 8601, ``version`` that of Tokenarium.
    """

    name: str
    tokenizer: Mapping[str, Any]
    corpus: Mapping[str, Any]
    made: str
    version: str
    checks: tuple[CheckedFigure, ...]
    files: tuple[TextFigures, ...]
    languages: tuple[TextFigures, ...]
    scripts: tuple[ScriptFigures, ...]
    numbers: tuple[CutText, ...]
    spaces: tuple[CutText, ...]
    lost: tuple[LostText, ...]
    notes: tuple[str, ...] = ()
    measures: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def verdict(self) -> ReleaseVerdict:
        """The worst verdict of all checks; what was not checked does not count."""
        return min((check.verdict for check in self.checks), key=RANK.index)

    def count(self, verdict: ReleaseVerdict) -> int:
        """Returns how many checks came to this."""
        return sum(check.verdict is verdict for check in self.checks)

    @property
    def summary(self) -> str:
        """How many checks came to what: ``"1 failed, 3 to look at, 17 passed, 2 not checked"``."""
        counts = ((verdict, self.count(verdict)) for verdict in RANK)
        return ", ".join(f"{count} {verdict.words}" for verdict, count in counts if count)

    def as_dict(self) -> dict[str, Any]:
        """Returns the report as JSON has it, see docs/evaluation.md."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "made": self.made,
            "tokenarium": self.version,
            "tokenizer": {"name": self.name, **self.tokenizer},
            "corpus": dict(self.corpus),
            "verdict": self.verdict.value,
            "checks": [
                {
                    "id": check.check.id,
                    "group": check.check.group,
                    "title": check.check.title,
                    "verdict": check.verdict.value,
                    "figure": check.figure,
                    "unit": check.check.unit,
                    "better": "high" if check.check.high_is_better else "low",
                    "look": check.limit.look,
                    "fail": check.limit.fail,
                    "note": check.note,
                    "cases": list(check.cases),
                }
                for check in self.checks
            ],
            "measures": [{"id": id, "figure": one} for id, one in self.measures.items()],
            "files": [asdict(file) for file in self.files],
            "languages": [asdict(language) for language in self.languages],
            "scripts": [asdict(script) for script in self.scripts],
            "numbers": [asdict(number_row) for number_row in self.numbers],
            "spaces": [asdict(row) for row in self.spaces],
            "lost": [asdict(lost_text) for lost_text in self.lost],
            "notes": list(self.notes),
        }

    def as_json(self) -> str:
        """Returns the report as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=1) + "\n"


def read_report(path: Path) -> dict[str, Any]:
    """Returns a kept report; TokenariumError for a file that is not a report, or is of a later version."""
    try:
        report = json.loads(read_file(path, LARGEST))
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError):
        report = None
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise FormatError(
            f"{path} is not an evaluation report: give one that “tokenarium evaluate --json” or “Save JSON” wrote."
        )
    if not isinstance(report.get("version"), int) or report["version"] > VERSION:
        raise FormatError(
            f"{path} is a report of version {report.get('version')}, and this Tokenarium reads {VERSION}: update it."
        )
    return report


COMES_BACK: Final = "comes back"
"""The unit of whether a text comes back: 1 or 0."""


@dataclass(frozen=True, slots=True)
class Worsening:
    """A figure that became worse: of which check, text or language, and the figures before and now."""

    what: str
    before: float
    now: float
    unit: str = ""
    verdicts: str = ""  # "pass → fail", where they differ

    @property
    def sentence(self) -> str:
        """Says it in a line."""
        if self.unit == COMES_BACK:
            now, then = ("comes back now", "did not") if self.now else ("does not come back", "did")
            return f"{self.what}: {now}, and {then} before"
        unit = "" if self.unit == "%" else f" {self.unit}".rstrip()
        sign = "%" if self.unit == "%" else ""
        change = ""
        if self.before and math.isfinite(self.before):
            change = f" ({100 * (self.now - self.before) / abs(self.before):+.1f}%)"
        verdicts = f", {self.verdicts}" if self.verdicts else ""
        return (
            f"{self.what}: {self.before:,.4g}{sign} → {self.now:,.4g}{sign}{unit}{change}{verdicts}"
        )


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """A report beside an older one: what became worse and better, and why some of it cannot be compared."""

    name: str
    worse: tuple[Worsening, ...]
    better: tuple[Worsening, ...]
    notes: tuple[str, ...] = field(default=())


_TEXT_FIGURES: Final = (
    ("bytes_per_token", "bytes per token", "", True),
    ("fertility", "fertility in context", "", False),
    ("fertility_alone", "fertility of a word alone", "", False),
    ("unknown", "unknown text", "%", False),
    ("premium", "premium over English", "", False),
)


def compare_reports(old: Mapping[str, Any], new: Mapping[str, Any]) -> ReportComparison:
    """Returns what became worse and better from an older report to a newer one, both as `as_dict` writes them.

    Figures of the texts are compared only where both were measured on the same texts.
    """
    worse: list[Worsening] = []
    better: list[Worsening] = []
    notes: list[str] = []
    same = _part(old, "corpus").get("sha256") == _part(new, "corpus").get("sha256")
    if not same:
        notes.append(
            "The two were measured on different texts: only checks that do not depend on them are compared."
        )
    before = {row.get("id"): row for row in _rows(old, "checks")}
    for row in _rows(new, "checks"):
        check = BY_ID.get(str(row.get("id")))
        former = before.get(row.get("id"))
        if check is None or former is None or (not same and check.id in OF_TEXTS):
            continue
        then, now = former.get("verdict"), row.get("verdict")
        verdicts = f"{then} → {now}" if then != now else ""
        _sort(
            check.title, former.get("figure"), row.get("figure"), check.high_is_better,
            check.unit, verdicts, worse, better,
        )  # fmt: skip
    for part in ("files", "languages") if same else ():
        known = {row.get("name"): row for row in _rows(old, part)}
        for row in _rows(new, part):
            former = known.get(row.get("name"), {})
            for key, title, unit, high in _TEXT_FIGURES:
                what = f"{row.get('name')} ({part}): {title}"
                _sort(what, former.get(key), row.get(key), high, unit, "", worse, better)
            if former.get("round_trip") is True and row.get("round_trip") is False:
                worse.append(Worsening(f"{row.get('name')} ({part})", 1, 0, COMES_BACK))
    return ReportComparison(
        str(_part(old, "tokenizer").get("name", "the older one")),
        tuple(worse),
        tuple(better),
        tuple(notes),
    )


OF_TEXTS: Final = frozenset(
    check.id
    for check in CHECKS
    if check.id
    in (
        "bytes_per_token", "worst_file", "fertility", "fertility_alone", "whole_words", "unknown",
        "byte_tokens", "scripts_without", "round_trip", "premium",
    )
)  # fmt: skip
"""The checks whose figures depend on the texts."""


def _sort(
    what: str,
    before: object,
    now: object,
    high: bool,
    unit: str,
    verdicts: str,
    worse: list[Worsening],
    better: list[Worsening],
) -> None:
    if not isinstance(before, int | float) or not isinstance(now, int | float):
        return
    if math.isclose(before, now, rel_tol=SAME, abs_tol=SAME):
        return
    change = Worsening(what, float(before), float(now), unit, verdicts)
    (worse if (now < before) == high else better).append(change)


def _part(report: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = report.get(name)
    return part if isinstance(part, dict) else {}


def _rows(report: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    rows = report.get(name)
    yield from (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
