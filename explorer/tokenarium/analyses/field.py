"""The inputs of an analysis, each declared once: a control, what a session keeps, an option of a command, a value of a
program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Field:
    """An input. ``name`` is the name of the option, of the value in a program and, without ``kept``, in sessions.

    ``title`` is that of its control; without a title, only the command has the input. ``tip`` describes the control,
    after the explanation of ``term``, a term of the glossary; ``help`` describes the option, and calls its value
    ``metavar``. Without ``kept_if_usual``, a session keeps the value only if it is not the default.
    """

    name: str
    help: str
    title: str = ""
    tip: str = ""
    kept: str = ""
    term: str = ""
    kept_if_usual: bool = True
    metavar: str | None = None

    @property
    def kept_as(self) -> str:
        """Its name in sessions."""
        return self.kept or self.name

    def to_keep(self, value: object) -> object:
        """Returns what sessions keep of a value, None for nothing."""
        return value if self.kept_if_usual or value != getattr(self, "default", None) else None


@dataclass(frozen=True, slots=True)
class Number(Field):
    """A number from ``low`` to ``high``, a whole one without ``decimals``; ``step`` is that of its control.

    ``bounds`` are those of the option if they differ, with None for no bound.
    """

    default: float = 0
    low: float = 0
    high: float = 1 << 30
    decimals: int = 0
    step: float = 1
    bounds: tuple[float | None, float | None] | None = None


@dataclass(frozen=True, slots=True)
class Count(Number):
    """A number of entries, which can be typed as a share of the present ones, such as 2%.

    ``short`` is another name of its option, whose default is ``usual``.
    """

    short: str = ""
    usual: str = ""


@dataclass(frozen=True, slots=True)
class Flag(Field):
    """A choice between yes and no."""

    default: bool = False


@dataclass(frozen=True, slots=True)
class Line(Field):
    """A text in one line, whose form the receiver checks; ``hint`` is what an empty line shows.

    ``kind`` is the type of the option, at least ``low``, whose default is that of an empty line; a path has none.
    """

    default: str = ""
    hint: str = ""
    kind: type[Any] = str
    low: float | None = None


@dataclass(frozen=True, slots=True)
class Texts(Field):
    r"""Some texts: a line of them with commas between, or an option for each. ``\n``, ``\t``, ``\,`` and ``\\`` are escapes.

    ``hint`` is what an empty line shows.
    """

    hint: str = ""
    default: str = ""


def texts_in(line: str) -> list[str]:
    r"""Returns the texts of a line: separated by commas, with ``\n``, ``\t``, ``\,`` and ``\\``.

    >>> texts_in(r"END, \n\n, a\,b")
    ['END', '\n\n', 'a,b']
    """
    signs = {"n": "\n", "t": "\t"}
    parts = re.findall(r"(?:\\.|[^,\\])+", line)
    texts = [
        re.sub(r"\\(.)", lambda one: signs.get(one[1], one[1]), part.strip(" ")) for part in parts
    ]
    return [part for part in texts if part]


@dataclass(frozen=True, slots=True)
class OneOf(Field):
    """One of several values, by their titles; sessions keep the title."""

    titles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choices(Field):
    """Some of several names, all by default. A session keeps those that are left out; an option may have more.

    ``renamed``: the present name for each former one, which sessions may still have.
    """

    names: Sequence[str] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    default: None = None
