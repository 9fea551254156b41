"""The inputs of an analysis, each declared once: a control, what a session keeps, an option of a command, a value of a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """An input. ``name`` is that of the option, of the value in a program, and, without ``kept``, in sessions.

    ``title`` is that of its control; without one only the command has it. ``tip`` is said of the control, ``help`` of the
    option.
    """

    name: str
    help: str
    title: str = ""
    tip: str = ""
    kept: str = ""

    @property
    def kept_as(self) -> str:
        """Its name in sessions."""
        return self.kept or self.name


@dataclass(frozen=True, slots=True)
class Number(Field):
    """A whole number. The control goes from ``low`` to ``high``, the option too if it is ``bounded``."""

    default: int = 0
    low: int = 0
    high: int = 1 << 30
    bounded: bool = True


@dataclass(frozen=True, slots=True)
class Flag(Field):
    """Whether something is so."""

    default: bool = False


@dataclass(frozen=True, slots=True)
class Choices(Field):
    """Some of several names, all by default. A session keeps those that are left out; an option may have further ones."""

    names: Sequence[str] = ()
    default: None = None
