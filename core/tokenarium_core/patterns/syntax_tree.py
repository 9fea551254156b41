"""The syntax tree of a regular expression: read once, and used by everything that analyses it.

`read_pattern` makes one from a pattern for the `regex` module, `oniguruma` from a pattern of a tokenizer.json, with the
parts as the `regex` module writes them. That tree is `written` as a pattern again, or run as a `class_program`.
"""

from __future__ import annotations

import re
from typing import Final, final

SINGLE: Final = 0
"""One character: ``text`` is that character, or a class, as the `regex` module writes it."""
OTHER: Final = 1
"""A zero-width part, or one that only the engine can try: ``text``, as the `regex` module writes it."""
SEQUENCE: Final = 2
"""The parts, one after another."""
CHOICE: Final = 3
"""One of the parts."""
GROUP: Final = 4
"""The only part, in the group that ``text`` opens: ``(?:``."""
REPEAT: Final = 5
"""The only part, ``least`` to ``most`` times; ``text`` is the quantifier, ``{2,}+``."""

ENDLESS: Final = 1 << 40
LINE_BREAK: Final = r"(?>\r\n|[\n-\r\x85\u2028\u2029])"
"""Oniguruma's ``\\R``, for the `regex` module."""
"""The value of ``most`` if there is no limit."""


@final
class PatternNode:
    """A part of a pattern; its kind says what the other fields mean.

    From `read_pattern` it has the characters ``at`` to ``end`` of the source.
    """

    def __init__(
        self,
        kind: int,
        text: str = "",
        parts: list[PatternNode] | None = None,
        least: int = 1,
        most: int = 1,
        at: int = 0,
        end: int = 0,
    ) -> None:
        self.kind = kind
        self.text = text
        self.parts: list[PatternNode] = parts or []
        self.least = least
        self.most = most
        self.at = at
        self.end = end

    def all_parts(self) -> list[PatternNode]:
        """Returns this part and all parts in it, in the order in which they begin."""
        parts: list[PatternNode] = []
        waiting = [self]
        while waiting:
            node = waiting.pop()
            parts.append(node)
            waiting += reversed(node.parts)
        return parts

    def written(self) -> str:
        """Returns the part as text for the `regex` module."""
        texts: list[str] = []
        waiting = [self]
        while waiting:
            node = waiting.pop()
            parts = node.parts
            if node.kind == CHOICE:
                for index in range(len(parts) - 1, 0, -1):
                    waiting += [parts[index], _BAR]
                waiting.append(parts[0])
            elif node.kind == REPEAT:
                part = parts[0]
                if (
                    part.kind == REPEAT or node.text[0] == "{"
                ):  # a + after an interval is not a repeat
                    part = PatternNode(GROUP, "(?:", [part])
                waiting += [PatternNode(OTHER, node.text), part]
            else:
                texts.append(node.text)
                if node.kind == GROUP:
                    waiting.append(_CLOSING)
                waiting += reversed(parts)
        return "".join(texts)

    def most_repeats(self) -> int:
        """Returns how often the most repeated part must occur, counting repeats inside repeats."""
        most = 1
        waiting = [(self, 1)]
        while waiting:
            node, times = waiting.pop()
            if node.kind == REPEAT:
                times *= max(node.least, 1)
                most = max(most, times)
            waiting += [(part, times) for part in node.parts]
        return most

    def may_be_empty(self) -> bool:
        """Returns whether a match may be empty; also true if only the engine knows."""
        empty: dict[PatternNode, bool] = {}
        for node in reversed(self.all_parts()):
            parts = [empty[part] for part in node.parts]
            if node.kind == CHOICE:
                empty[node] = any(parts)
            elif node.kind == SINGLE or node.text == LINE_BREAK:
                empty[node] = False
            elif node.kind == OTHER or node.text in ("(?=", "(?!", "(?<=", "(?<!"):
                empty[node] = True
            else:
                empty[node] = all(parts) or (node.kind == REPEAT and node.least == 0)
        return empty[self]


_BAR: Final = PatternNode(OTHER, "|")
_CLOSING: Final = PatternNode(OTHER, ")")


def single(text: str) -> PatternNode:
    """Returns one character, or a class."""
    return PatternNode(SINGLE, text)


def joined(kind: int, parts: list[PatternNode], at: int = 0, end: int = 0) -> PatternNode:
    """Returns a `SEQUENCE` or a `CHOICE`; of one part, that part."""
    return parts[0] if len(parts) == 1 else PatternNode(kind, "", parts, at=at, end=end)


class OpenGroup:
    """A group that is being read: ``ways`` are its alternatives so far, ``parts`` those of the next one."""

    def __init__(self, opening: str, at: int = 0) -> None:
        self.opening = opening
        self.at = at
        self.ways: list[PatternNode] = []
        self.parts: list[PatternNode] = []
        self._begin = at + len(opening)  # of the next one

    def end_alternative(self, at: int = 0) -> None:
        """Begins the next alternative, after the ``|`` at ``at``."""
        self.ways.append(joined(SEQUENCE, self.parts, self._begin, at))
        self.parts = []
        self._begin = at + 1

    def inside(self, at: int = 0) -> PatternNode:
        """Returns what is in the group, which ends at ``at``."""
        self.end_alternative(at)
        return joined(CHOICE, self.ways, self.at + len(self.opening), at)


_TOKEN: Final = re.compile(
    r"(?P<comment>\(\?#[^)]*\)?)"
    r"|(?P<other>\(\?(?:[a-zA-Z0-9]*(?:-[a-zA-Z]+)?|P[=>]\w*|&\w*|[-+][0-9]+)\)|\(\*\w+\)|\\g<\w*>|\\[ABbGKmMRXZz]|\\[0-9]+|[$^])"
    r"|(?P<open>\((?:\?(?:P?<\w+>|<?[=!]|[:>|]|\(\w*\)|[a-zA-Z0-9]*(?:-[a-zA-Z]+)?:)?)?)"
    r"|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<repeat>(?:[*+?]|\{(?P<least>[0-9]*)(?P<comma>,?)(?P<most>[0-9]*)(?<=[0-9,])\})[?+]?)"
    r"|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^]\\])*\]?"
    r"|\\(?:[pPN]\{[\w :=&^-]*\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])?"
    r"|[\s\S]"
)
_DIGITS: Final = 9
"""The number of significant digits of a number: with more, it exceeds all limits anyway."""


def read_pattern(source: str) -> PatternNode:
    """Returns the tree of a pattern for the `regex` module, version 0, with the parts as they are in the source.

    Comments are left out. A pattern that does not compile also has a tree, of the parts that can be read.
    """
    groups = [OpenGroup("")]
    for token in _TOKEN.finditer(source):
        kind = token.lastgroup
        at = token.start()
        end = token.end()
        parts = groups[-1].parts
        if kind == "comment":
            continue
        if kind == "open":
            groups.append(OpenGroup(token[0], at))
        elif kind == "bar":
            groups[-1].end_alternative(at)
        elif kind == "close" and len(groups) > 1:
            _close(groups, at, end)
        elif kind == "repeat" and parts:
            least, most = _span(token)
            part = parts.pop()
            parts.append(PatternNode(REPEAT, token[0], [part], least, most, part.at, end))
        else:
            parts.append(PatternNode(OTHER if kind else SINGLE, token[0], at=at, end=end))
    while len(groups) > 1:
        _close(groups, len(source), len(source))
    return groups[0].inside(len(source))


def _close(groups: list[OpenGroup], at: int, end: int) -> None:
    """Adds a part to the innermost open group."""
    group = groups.pop()
    node = PatternNode(GROUP, group.opening, [group.inside(at)], at=group.at, end=end)
    groups[-1].parts.append(node)


def _span(quantifier: re.Match[str]) -> tuple[int, int]:
    """Returns the lowest and the highest count of a quantifier."""
    sign = quantifier[0][0]
    if sign != "{":
        return (1 if sign == "+" else 0), (1 if sign == "?" else ENDLESS)
    least = int(quantifier["least"].lstrip("0")[:_DIGITS] or 0)
    most = quantifier["most"].lstrip("0")[:_DIGITS]
    if quantifier["most"]:
        return least, int(most or 0)
    return least, (ENDLESS if quantifier["comma"] else least)
