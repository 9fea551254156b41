"""Regular expressions read into trees, as far as they are regular: the syntax of the library `regex`, version 0.

Whether such an expression matches somewhere in a text does not depend on the order in which ways are tried, so that an
automaton can tell (`expression_automaton`). Of one that looks around, or back at a group, or gives nothing back, a tree
is read that matches more: texts that do not match it need not be tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DEEP = 40
"""Groups within groups."""

MOST = 200
"""Times that a part may be repeated by number."""


@dataclass(frozen=True, slots=True)
class Character:
    """One character: ``written`` is the expression for it, ``[^a-z]``, and ``flags`` are those of the whole, ``(?i)``."""

    written: str
    flags: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A place between characters: ``^``, ``$``, ``Z`` for the very end, ``b`` and ``B`` for edges of words."""

    sign: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts, one after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several ways."""

    ways: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part ``low`` to ``high`` times; without an end where ``high`` is -1."""

    part: Node
    low: int
    high: int


Node = Character | Place | Sequence | Choice | Repeat


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of an expression. Where it is not ``exact`` the tree matches all texts that the expression does,
    and perhaps others."""

    tree: Node
    exact: bool


class NotRegular(Exception):
    """An expression has something that is not read here."""


def read(expression: str) -> Read:
    """Returns the tree of an expression that the library can read; NotRegular where only the library can try it.

    >>> read("^a+").tree
    Sequence(parts=(Place(sign='^'), Repeat(part=Character(written='a', flags=''), low=1, high=-1)))
    """
    flags = _FLAGS.match(expression)
    reader = _Reader(expression, flags.end() if flags else 0, flags[0] if flags else "")
    tree = reader.choice(0)
    if reader.at < len(expression):
        raise NotRegular
    return Read(tree, reader.exact)


_FLAGS = re.compile(r"\(\?[is]{1,2}\)")
_ESCAPED = re.compile(
    r"\\(?:[dDsSwW]|[pP]\{\^?[\w ]+\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[tnrf]|[!-/:-@\[-`{-~])"
)
_BACK = re.compile(r"\\[1-9](?![0-9])")
_ANY = r"[\s\S]"
_GROUP = re.compile(r"\((?:\?(?::|=|!|<=|<!|>|P?<[A-Za-z_]\w*>)|(?![?*]))")
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
_PROPERTY = re.compile(r"\\[pP]")
_PLACES = {"\\A": "^", "\\Z": "Z", "\\b": "b", "\\B": "B"}
_SET = re.compile(r"\[\^?\]?(?:[^\[\]\\]|\\[^N])*\]")
_SET_OPERATORS = ("--", "||", "&&", "~~")
_TIMES = re.compile(r"\{([0-9]{1,3})(?:(,)([0-9]{0,3}))?\}")


class _Reader:
    def __init__(self, expression: str, at: int, flags: str) -> None:
        self._expression = expression
        self._flags = flags
        self.at = at
        self.exact = True

    def choice(self, depth: int) -> Node:
        if depth > DEEP:
            raise NotRegular
        ways = [self._sequence(depth)]
        while self._next() == "|":
            self.at += 1
            ways.append(self._sequence(depth))
        return ways[0] if len(ways) == 1 else Choice(tuple(ways))

    def _next(self) -> str:
        return self._expression[self.at : self.at + 1]

    def _sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while self._next() not in ("", "|", ")"):
            parts.append(self._times(self._part(depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _part(self, depth: int) -> Node:
        sign = self._next()
        if sign == "(":
            return self._group(depth)
        if sign in "^$":
            self.at += 1
            return Place(sign)
        if sign == "\\":
            place = _PLACES.get(self._expression[self.at : self.at + 2])
            if place:
                self.at += 2
                return Place(place)
            if _BACK.match(self._expression, self.at):
                self.at += 2
                self.exact = False
                return Repeat(Character(_ANY), 0, -1)
            return self._character(_ESCAPED)
        if sign == "[":
            return self._character(_SET)
        if sign in "*+?{":
            raise NotRegular
        self.at += 1
        return Character(sign if sign == "." else re.escape(sign), self._flags)

    def _group(self, depth: int) -> Node:
        head = _GROUP.match(self._expression, self.at)
        if head is None:
            raise NotRegular
        self.at = head.end()
        inside = self.choice(depth + 1)
        if self._next() != ")":
            raise NotRegular
        self.at += 1
        if head[0] in _LOOKS:
            self.exact = False
            return Sequence(())
        self.exact = self.exact and head[0] != "(?>"
        return inside

    def _character(self, form: re.Pattern[str]) -> Node:
        found = form.match(self._expression, self.at)
        if found is None or (form is _SET and any(sign in found[0] for sign in _SET_OPERATORS)):
            raise NotRegular
        if "i" in self._flags and _PROPERTY.search(found[0]):
            raise NotRegular  # what \p{Lu} means in any case depends on what stands beside it
        self.at = found.end()
        return Character(found[0], self._flags)

    def _times(self, part: Node) -> Node:
        sign = self._next()
        if not sign or sign not in "*+?{":
            return part
        if sign == "{":
            found = _TIMES.match(self._expression, self.at)
            if found is None:
                raise NotRegular
            self.at = found.end()
            low = int(found[1])
            high = low if not found[2] else int(found[3]) if found[3] else -1
            if max(low, high) > MOST:
                raise NotRegular
        else:
            self.at += 1
            low, high = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[sign]
        if self._next() == "?":  # as few as it can: it matches or not all the same
            self.at += 1
        elif self._next() == "+":  # and gives nothing back
            self.at += 1
            self.exact = False
        if self._next() in ("*", "+", "?", "{") and self._next():
            raise NotRegular
        if isinstance(part, Place) or can_be_empty(part):
            raise NotRegular
        return Repeat(part, low, high)


def can_be_empty(node: Node) -> bool:
    """Returns whether a part matches where there are no characters."""
    match node:
        case Character():
            return False
        case Place():
            return True
        case Sequence(parts):
            return all(can_be_empty(part) for part in parts)
        case Choice(ways):
            return any(can_be_empty(way) for way in ways)
        case Repeat(part, low, _):
            return low == 0 or can_be_empty(part)
