"""Study files: TOML that says which tokenizers are compared on which texts, and how, so that others can repeat it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.compare.intervals import (
    MEASURED,
    MOST_RESAMPLES,
    RESAMPLES,
    SIGNIFICANCE,
)
from tokenarium.models.lessons.toml import TomlError, read_toml
from tokenarium.models.lessons.toml_editing import toml_of
from tokenarium_core.plain_files import read_text

LARGEST: Final = 1 << 20
"""Bytes that a study file may have."""

MOST_TOKENIZERS: Final = 50
MOST_TEXTS: Final = 1000
UNITS: Final = ("document", "line")
DEFAULT_MEASURES: Final = ("bytes_per_token", "fertility", "whole_words", "lost_text")

_HEAD: Final = """\
# Measures tokenizers on texts, with intervals. Run it with:
#     tokenarium evaluate THIS-FILE --out RESULTS
# Paths are relative to this file. What has a different SHA-256 is refused.
"""


@dataclass(frozen=True, slots=True)
class StudyTokenizer:
    """A tokenizer: its name in the tables, and the path or name that opens it; see `encoding_order.tokenizer_sha256`."""

    name: str
    path: str
    sha256: str = ""
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class StudyText:
    """A file of texts: its name in the tables, the column or field that is read, and the hash of the file."""

    name: str
    file: str
    sha256: str = ""
    field: str = "text"


@dataclass(frozen=True, slots=True)
class Study:
    """What is measured, and how: a comparison that gives the same results each time.

    ``unit`` is what is encoded by itself and drawn: "document" or "line". ``version`` is that of the program that wrote
    the file. Paths are relative to ``folder``.
    """

    tokenizers: tuple[StudyTokenizer, ...]
    texts: tuple[StudyText, ...]
    title: str = ""
    unit: str = UNITS[0]
    measures: tuple[str, ...] = DEFAULT_MEASURES
    seed: int = 0
    resamples: int = RESAMPLES
    alpha: float = SIGNIFICANCE
    version: str = tc.__version__
    folder: Path = field(default_factory=Path, compare=False)

    def as_toml(self, path: Path) -> str:
        """Returns the text of the file of the study at a path."""
        return study_toml(self.moved(path.absolute().parent))

    def moved(self, folder: Path) -> Study:
        """Returns the study with paths from another folder on."""
        return replace(
            self,
            tokenizers=tuple(
                replace(one, path=self._path_from(folder, one.path)) for one in self.tokenizers
            ),
            texts=tuple(replace(one, file=self._path_from(folder, one.file)) for one in self.texts),
            folder=folder,
        )

    def _path_from(self, folder: Path, path: str) -> str:
        place = self.place(path)
        if place == path and not Path(path).is_absolute():
            return path  # the name of an encoding
        try:
            return Path(os.path.relpath(place, folder.absolute())).as_posix()
        except ValueError:  # on Windows, another drive
            return place

    def place(self, path: str) -> str:
        """Returns a path from the folder of the file on; one that is not there, such as a name, stays as it is."""
        try:
            there = self.folder / path
            return str(there) if there.exists() else path
        except (OSError, ValueError):
            return path


def check_sha256(what: str, expected: str, found: str) -> None:
    """Raises TokenariumError if a hash is not the expected one; an empty one is not checked."""
    if expected and expected.lower() != found:
        raise tc.TokenariumError(
            f"{what} is not what the study measured: its SHA-256 is {found}, but the study file has {expected}."
        )


def study_toml(study: Study) -> str:
    """Returns a study as the text of a file."""
    about: dict[str, object] = {
        "title": study.title,
        "unit": study.unit,
        "measures": study.measures,
        "seed": study.seed,
        "resamples": study.resamples,
        "alpha": study.alpha,
        "tokenarium": study.version,
    }
    tables = [("[study]", about)]
    tables += [
        ("[[tokenizers]]", _named(one, ("name", "path", "sha256", "pattern")))
        for one in study.tokenizers
    ]
    tables += [
        ("[[texts]]", _named(one, ("name", "file", "sha256", "field"))) for one in study.texts
    ]
    blocks = [
        "\n".join([head, *(f"{key} = {toml_of(value)}" for key, value in values.items())]) + "\n"
        for head, values in tables
    ]
    return "\n".join([_HEAD, *blocks])


def _named(one: StudyTokenizer | StudyText, names: tuple[str, ...]) -> dict[str, object]:
    values = {name: getattr(one, name) for name in names}
    return {name: value for name, value in values.items() if value or name in names[:2]}


def read_study(path: Path) -> Study:
    """Returns the study of a file. TokenariumError says what is wrong with the file, and where."""
    try:
        values = read_toml(read_text(path, LARGEST), LARGEST, path.name)
    except OSError as error:
        raise tc.NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from None
    except TomlError as error:
        raise tc.FormatError(f"{path}, line {error.line}: {error}") from None
    except ValueError:
        raise tc.FormatError(f"{path} is not a text in UTF-8.") from None
    try:
        return _study(values, path.absolute().parent)
    except _StudyFault as fault:
        raise tc.FormatError(f"{path}: {fault}") from None


class _StudyFault(Exception):
    """What is wrong with a value, as a sentence."""


_TOP: Final = ("study", "tokenizers", "texts")
_ABOUT: Final[Mapping[str, tuple[type, ...]]] = {
    "title": (str,),
    "unit": (str,),
    "measures": (list,),
    "seed": (int,),
    "resamples": (int,),
    "alpha": (float, int),
    "tokenarium": (str,),
}
_STRINGS: Final = (str,)
_KINDS: Final = {str: "a string", int: "a whole number", list: "a list", float: "a number"}


def _study(values: dict[str, Any], folder: Path) -> Study:
    for key in values:
        if key not in _TOP:
            raise _StudyFault(f"there is no table {key!r}: write {', '.join(_TOP)}.")
    about = values.get("study", {})
    if not isinstance(about, dict):
        raise _StudyFault("write the settings below [study].")
    _check(about, _ABOUT, "[study]")
    tokenizers = tuple(
        StudyTokenizer(row["name"], row["path"], row.get("sha256", ""), row.get("pattern", ""))
        for row in _rows(values, "tokenizers", ("name", "path"), ("sha256", "pattern"), MOST_TOKENIZERS)
    )  # fmt: skip
    texts = tuple(
        StudyText(row["name"], row["file"], row.get("sha256", ""), row.get("field", "text"))
        for row in _rows(values, "texts", ("name", "file"), ("sha256", "field"), MOST_TEXTS)
    )
    measures = tuple(about.get("measures", DEFAULT_MEASURES))
    for one in measures:
        if one not in MEASURED:
            raise _StudyFault(f"{one!r} is not a measure: choose from {', '.join(MEASURED)}.")
    if not measures or len(set(measures)) < len(measures):
        raise _StudyFault("measures names none, or one twice: name each once.")
    study = Study(
        tokenizers,
        texts,
        about.get("title", ""),
        about.get("unit", UNITS[0]),
        measures,
        about.get("seed", 0),
        about.get("resamples", RESAMPLES),
        float(about.get("alpha", SIGNIFICANCE)),
        about.get("tokenarium", tc.__version__),
        folder,
    )
    fault = settings_fault(study.unit, study.seed, study.resamples, study.alpha)
    if fault:
        raise _StudyFault(fault)
    return study


def settings_fault(unit: str, seed: int, resamples: int, alpha: float) -> str:
    """Returns what is wrong with the settings of intervals, in a sentence; empty if nothing is."""
    if unit not in UNITS:
        return f"the unit {unit!r} is not possible: choose from {', '.join(UNITS)}."
    if seed < 0:
        return f"the seed {seed} is negative: use 0 or more."
    if not 1 <= resamples <= MOST_RESAMPLES:
        return f"{resamples:,} resamples are not possible: use 1 to {MOST_RESAMPLES:,}."
    if not (math.isfinite(alpha) and 0 < alpha < 1):
        return f"the significance α = {alpha:g} is not possible: use a number between 0 and 1, such as 0.05."
    return ""


def _rows(
    values: dict[str, Any],
    table: str,
    needed: tuple[str, ...],
    others: tuple[str, ...],
    most: int,
) -> list[dict[str, str]]:
    rows = values.get(table, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows) or not rows:
        raise _StudyFault(f"write [[{table}]] for each, with {' and '.join(needed)}.")
    if len(rows) > most:
        raise _StudyFault(f"there are {len(rows):,} {table}, more than {most:,}.")
    for number, row in enumerate(rows, 1):
        where = f"[[{table}]] number {number}"
        _check(row, dict.fromkeys((*needed, *others), _STRINGS), where)
        for key in needed:
            if not row.get(key):
                raise _StudyFault(f"{where} has no {key}.")
    names = [row["name"] for row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _StudyFault(f"two {table} are named {twice!r}: give each a name of its own.")
    return rows


def _check(row: dict[str, Any], known: Mapping[str, tuple[type, ...]], where: str) -> None:
    for key, value in row.items():
        if key not in known:
            raise _StudyFault(f"{where} has no setting {key!r}: choose from {', '.join(known)}.")
        if isinstance(value, bool) or not isinstance(value, known[key]):
            raise _StudyFault(f"{key} in {where} is not {_KINDS[known[key][0]]}.")
