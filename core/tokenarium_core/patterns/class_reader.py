"""Reads a regular expression of the `regex` module, as `oniguruma` writes it, as a `ClassProgram`.

There is one for a pattern of classes with quantifiers, groups that are not repeated, and looks at one character
ahead. All others are left to `regex`: those that remember or look back, lazy ones, and what may be empty.
"""

from __future__ import annotations

import re
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.patterns.character_masks import MOST_CLASSES
from tokenarium_core.patterns.class_program import (
    AHEAD,
    DONE,
    ENDLESS,
    FORK,
    JUMP,
    NOT_AHEAD,
    RUN,
    ClassProgram,
)

_VERSION: Final = "(?V1)"
_ESCAPE: Final = re.compile(r"\\(?:[pP]\{[^}]*\}|[sSdDn]|x[0-9A-F]{2}|u[0-9A-F]{4}|U[0-9A-F]{8})")
_PLAIN: Final = re.compile(r"""[A-Za-z0-9 '"/,;:_]""")
_GROUP: Final = re.compile(r"\((?!\?)|\(\?:")
_LOOK: Final = re.compile(r"\(\?([=!])")
_QUANTIFIER: Final = re.compile(r"([*+?])(\+?)|\{(\d+)(,?)(\d*)\}")
_LAZY: Final = "?"
_END: Final = r"\Z"
_MOST_STEPS: Final = 1000


class _Other(Exception):
    """There is something in the pattern that a `ClassProgram` does not do."""


def class_program(source: str) -> ClassProgram | None:
    """Returns the program of a pattern, None where there is none."""
    if not source.startswith(_VERSION):
        return None
    reader = _Reader(source)
    try:
        return reader.read()
    except _Other:
        return None


@final
class _Reader:
    """A pattern that is walked over once, while the program is written."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = len(_VERSION)
        self._classes: list[str] = []
        self._program = ClassProgram(self._classes)
        # What may come first in what is being read, up to the first thing that cannot be empty.
        self._firsts: i64 = 0
        self._empty = True

    def read(self) -> ClassProgram:
        """Returns the program."""
        program = self._program
        while True:
            self._firsts = 0
            self._empty = True
            begin = program.size
            self._sequence()
            program.add(DONE, 0, 0, 0)
            if self._empty:
                raise _Other
            program.start(begin, self._firsts)
            if self._at == len(self._source):
                return program
            if not self._takes("|"):
                raise _Other

    def _takes(self, text: str) -> bool:
        """Goes behind a text, if it stands here."""
        if not self._source.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _sequence(self) -> None:
        """Reads what stands side by side, up to a ``|`` or the end of the group."""
        program = self._program
        source = self._source
        while self._at < len(source) and source[self._at] not in "|)":
            if program.size > _MOST_STEPS:
                raise _Other
            step = program.size
            empty = self._empty
            look = _LOOK.match(source, self._at)
            if look is not None:
                self._at = look.end()
                self._look(AHEAD if look[1] == "=" else NOT_AHEAD)
                continue
            group = _GROUP.match(source, self._at)
            if group is not None:
                optional = self._is_optional()
                if optional:
                    program.add(FORK, 0, 0, 0)
                self._at = group.end()
                self._alternatives()
                if optional:
                    self._at += 1
                    self._empty = empty
                    program.aim(step, program.size)
                    continue
            else:
                bit = self._class()
                program.add(RUN, bit, 1, 1)
                self._first(bit)
            quantifier = _QUANTIFIER.match(source, self._at)
            if quantifier is not None:
                if program.size != step + 1 or not program.takes_one(step):
                    raise _Other
                self._at = quantifier.end()
                if self._source.startswith(_LAZY, self._at):
                    raise _Other
                least, most = _span(quantifier)
                if most == 0:
                    raise _Other
                program.repeat(step, least, most, quantifier[2] == "+")
                if least == 0:
                    self._empty = empty

    def _is_optional(self) -> bool:
        """Tells whether the group that opens here may be left out."""
        end = _behind(self._source, self._at)
        return self._source.startswith("?", end) and self._source[end + 1 : end + 2] not in (
            "?",
            "+",
        )

    def _alternatives(self) -> None:
        """Reads the rest of a group."""
        program = self._program
        empty = self._empty
        may_be_empty = False
        jumps: list[i64] = []
        while True:
            self._empty = empty
            fork = program.size
            last = not self._has_others()
            if not last:
                program.add(FORK, 0, 0, 0)
            self._sequence()
            may_be_empty = may_be_empty or self._empty
            if last:
                break
            jumps.append(program.size)
            program.add(JUMP, 0, 0, 0)
            program.aim(fork, program.size)
            self._at += 1
        self._empty = may_be_empty
        for jump in jumps:
            program.aim(jump, program.size)
        if not self._takes(")"):
            raise _Other

    def _has_others(self) -> bool:
        """Tells whether another alternative of the group follows the one that begins here."""
        source = self._source
        at = self._at
        while at < len(source) and source[at] not in "|)":
            at = _behind(source, at)
        return source.startswith("|", at)

    def _look(self, kind: i64) -> None:
        """Reads the rest of a look at the next character."""
        classes: i64 = 0
        at_end: i64 = 0
        while True:
            if self._takes(_END):
                at_end = 1
            else:
                classes |= self._class()
            if self._takes(")"):
                break
            if not self._takes("|"):
                raise _Other
        self._program.add(kind, classes, at_end, 0)

    def _first(self, bit: i64) -> None:
        """Notes a class that takes a character: it may be the first one as long as all before it may be empty."""
        if self._empty:
            self._firsts |= bit
        self._empty = False

    def _class(self) -> i64:
        """Reads what stands for one character; returns its bit."""
        source = self._source
        at = self._at
        if source[at] == "[":
            self._at = _behind(source, at)
        else:
            found = _ESCAPE.match(source, at) or _PLAIN.match(source, at)
            if found is None:
                raise _Other
            self._at = found.end()
        text = source[at : self._at]
        if text not in self._classes:
            if len(self._classes) == MOST_CLASSES:
                raise _Other
            self._classes.append(text)
        bit: i64 = 1
        for _ in range(self._classes.index(text)):
            bit += bit
        return bit


def _span(quantifier: re.Match[str]) -> tuple[i64, i64]:
    """Returns the least and the most that a quantifier takes."""
    sign = quantifier[1]
    if sign:
        return (1 if sign == "+" else 0), (1 if sign == "?" else ENDLESS)
    least = int(quantifier[3])
    if quantifier[5]:
        return least, int(quantifier[5])
    return least, (ENDLESS if quantifier[4] else least)


def _behind(source: str, at: int) -> int:
    """Returns where the set, the group, the escape or the character ends that begins here."""
    depth = 0
    in_sets = 0
    while at < len(source):
        character = source[at]
        if character == "\\":
            at += 1
        elif character == "[":
            in_sets += 1
        elif character == "]":
            in_sets -= 1
        elif character == "(" and in_sets == 0:
            depth += 1
        elif character == ")" and in_sets == 0:
            depth -= 1
        at += 1
        if depth <= 0 and in_sets <= 0:
            break
    return at
