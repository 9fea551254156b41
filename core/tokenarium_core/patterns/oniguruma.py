"""Regular expressions as huggingface/tokenizers runs them (Oniguruma), translated for the `regex` module.

The two differ in more than spelling: in Oniguruma ``^`` and ``$`` are the ends of a line, ``a{2}+`` repeats
``a{2}``, ``\\h`` is a hexadecimal digit, ``(?m)`` lets the dot match a newline, and Unicode is that of another year.
What has no translation is refused by name.

Source: Oniguruma's ``doc/RE`` and ``doc/SYNTAX.md`` (kkos/oniguruma 6.9), with its own syntax.
"""

from __future__ import annotations

import re
from typing import Final, final

from tokenarium_core.errors import FormatError
from tokenarium_core.patterns.newer_characters import code_seen, spans_seen
from tokenarium_core.patterns.oniguruma_classes import (
    CLASSES,
    CONTROLS,
    OTHER_CLASSES,
    OTHER_ESCAPES,
    PLACES,
    POSIX,
    WORD,
    WORD_IN_SET,
    literal,
    property_set,
)

DEEPEST: Final = 50
"""How many groups, or sets, may stand inside each other."""

PROPERTY: Final = re.compile(r"\{(\^?)([A-Za-z][A-Za-z0-9 _-]*)\}")
POSIX_NAME: Final = re.compile(r"\[:(\^?)([a-z]+):\]")
CODE: Final = re.compile(r"x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})")
OCTAL: Final = re.compile(r"[0-7]{1,3}")
INTERVAL: Final = re.compile(r"\{(\d*)(,?)(\d*)\}")
NAME: Final = re.compile(r"(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')")
OPTIONS: Final = re.compile(r"\?([imx]*)(?:-([imx]+))?([:)])")
NAMED: Final = re.compile(r"\(\?(?:<[A-Za-z_]|')")
BACKWARD: Final = re.compile(r"k(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')")


@final
class Group:
    """An open group: what it is followed by when it closes, the options in it, and what was read of it."""

    def __init__(self, opening: str, extended: bool, dot_all: bool) -> None:
        self.parts: list[str] = [opening]
        self.closing = ")"
        self.extended = extended
        self.dot_all = dot_all
        self.repeatable = False  # whether there is something that a quantifier could repeat
        self.repeated = False  # … that was repeated already


@final
class Translation:
    """A pattern of Oniguruma, walked over once; `result` is the same for the `regex` module, version 1.

    ``other`` is the first part of the source that the `regex` module, as it is by itself, takes for something else;
    empty where there is none.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.other = ""
        self.at = 0
        self.flags = ""
        self.named = NAMED.search(source) is not None
        self.groups: list[Group] = [Group("", False, False)]
        while self.at < len(source):
            self._step()
        if len(self.groups) > 1:
            raise self.refusal(len(source), "a group is not closed")
        self.result = (
            f"(?V1{self.flags})" + "".join(self.groups[0].parts) + self.groups[0].closing[:-1]
        )

    def refusal(self, at: int, what: str) -> FormatError:
        """Returns the error that names what this program cannot run."""
        return FormatError(
            f"The pattern {self.source!r} cannot be run here: at character {at}, {what}."
        )

    def _note(self, part: str) -> None:
        """Takes note of a part with another meaning to the `regex` module."""
        self.other = self.other or part

    def _step(self) -> None:
        source = self.source
        at = self.at
        character = source[at]
        group = self.groups[-1]
        if group.extended and (character.isspace() or character == "#"):
            end = source.find("\n", at) if character == "#" else at
            self.at = end + 1 if end >= 0 else len(source)
        elif character == "\\":
            self._escape(group)
        elif character == "[":
            self._atom(self._set())
        elif character == "(":
            self._open()
        elif character == ")":
            if len(self.groups) == 1:
                raise self.refusal(at, "a parenthesis closes no group")
            self.groups.pop()
            self.at += 1
            self._atom("".join(group.parts) + group.closing, self.at)
        elif character in "*+?" or (character == "{" and INTERVAL.match(source, at)):
            self._quantifier(group)
        else:
            self.at += 1
            if character == "|":
                group.parts.append("|")
                group.repeatable = False
            elif character == ".":
                self._atom("(?s:.)" if group.dot_all else r"[^\n]", self.at)
            elif character == "^":
                self._note("^")
                self._atom(r"(?:\A|(?<=\n)(?!\Z))", self.at)
            elif character == "$":
                self._note("$")
                self._atom(r"(?=\n|\Z)", self.at)
            else:
                self._atom(literal(code_seen(ord(character))), self.at)

    def _atom(self, text: str, end: int = -1) -> None:
        """Adds one thing that a quantifier may repeat."""
        group = self.groups[-1]
        group.parts.append(text)
        group.repeatable = True
        group.repeated = False
        if end >= 0:
            self.at = end

    def _escape(self, group: Group) -> None:
        source = self.source
        at = self.at
        character = source[at + 1 : at + 2]
        if character in OTHER_ESCAPES:
            self._note(source[at : at + 2])
        if character in PLACES:
            self._atom(PLACES[character], at + 2)
            return
        back = BACKWARD.match(source, at + 1)
        if back:
            self._atom(f"(?P={back[1] or back[2]})", back.end())
            return
        if character.isdigit() and character != "0":
            if self.named or source[at + 2 : at + 3].isdigit():
                raise self.refusal(at, f"\\{character} refers to a group by number")
            self._atom(f"(?:\\{character})", at + 2)
            return
        text, _ = self._character(at, False)
        self._atom(text)

    def _character(self, at: int, in_set: bool) -> tuple[str, int]:
        """Reads an escape that stands for one character, or for a class; returns it, and its code or -1."""
        source = self.source
        character = source[at + 1 : at + 2]
        if not character:
            raise self.refusal(at, "a backslash ends it")
        if in_set and character in OTHER_ESCAPES:
            self._note(source[at : at + 2])
        self.at = at + 2
        if character in CLASSES:
            text = CLASSES[character]
            if in_set and character in "wW":
                text = WORD_IN_SET if character == "w" else f"[^{WORD_IN_SET}]"
            return text, -1
        if character in CONTROLS:
            return literal(CONTROLS[character]), CONTROLS[character]
        if character in "pP":
            found = PROPERTY.match(source, at + 2)
            if not found:
                raise self.refusal(at, f"\\{character} is followed by no property in braces")
            self.at = found.end()
            text = property_set(found[2])
            if not text:
                raise self.refusal(at, f"the property {found[2]!r} is not known")
            if text == WORD_IN_SET and not in_set:
                text = WORD
            if found[2].lower() in OTHER_CLASSES:
                self._note(source[at : self.at])
            inverted = (character == "P") != (found[1] == "^")
            return (f"[^{text}]" if inverted else text), -1
        code = CODE.match(source, at + 1)
        octal = OCTAL.match(source, at + 1)
        value = ord(character)
        if code:
            value = int(code[1] or code[2] or code[3], 16)
            self.at = code.end()
        elif octal:
            value = int(octal[0], 8)
            self.at = octal.end()
        elif character.isascii() and character.isalnum() and character not in "ijloqEFIJLQTU":
            raise self.refusal(at, f"\\{character} has no translation")
        if value > 0x10FFFF or 0xD800 <= value < 0xE000:
            raise self.refusal(at, f"{source[at : self.at]} is no character")
        return literal(code_seen(value)), value

    def _open(self) -> None:
        source = self.source
        at = self.at
        group = self.groups[-1]
        if len(self.groups) > DEEPEST:
            raise self.refusal(at, f"more than {DEEPEST} groups stand inside each other")
        rest = source[at + 1 : at + 4]
        if rest.startswith("?#"):
            end = source.find(")", at)
            if end < 0:
                raise self.refusal(at, "a comment is not closed")
            self.at = end + 1
            return
        options = OPTIONS.match(source, at + 1)
        name = NAME.match(source, at + 2) if rest.startswith("?") else None
        if not rest.startswith("?"):
            opening = "(?:" if self.named else "("
            self.at = at + 1
        elif options:
            self._options(group, options)
            return
        elif name:
            opening = f"(?P<{name[1] or name[2]}>"
            self.at = name.end()
        else:
            for opening in ("(?<=", "(?<!", "(?=", "(?!", "(?>"):
                if source.startswith(opening, at):
                    break
            else:
                raise self.refusal(at, f"a group that begins with ({rest[:2]} has no translation")
            self.at = at + len(opening)
        self.groups.append(Group(opening, group.extended, group.dot_all))

    def _options(self, group: Group, options: re.Match[str]) -> None:
        """Opens ``(?i-m:`` …, or puts what is left of a group into one, after ``(?i)``."""
        on, off = options[1], options[2] or ""
        ignore = "(?i:" if "i" in on else "(?-i:" if "i" in off else "(?:"
        extended = (group.extended or "x" in on) and "x" not in off
        dot_all = (group.dot_all or "m" in on) and "m" not in off
        if "m" in on or "m" in off:
            self._note(f"({options[0]}")
        if len(self.groups) == 1 and options[3] == ")" and "i" in on:
            self.flags = "i"  # only there, `regex` lets "ß" match "ss"
        if options[3] == ":":
            self.groups.append(Group(ignore, extended, dot_all))
        else:
            if len(group.parts) > 1:
                raise self.refusal(
                    self.at, f"{options[0][:-1]} does not stand at the start of its group"
                )
            group.parts.append(ignore)
            group.closing = ")" + group.closing
            group.extended = extended
            group.dot_all = dot_all
        self.at = options.end()

    def _quantifier(self, group: Group) -> None:
        source = self.source
        at = self.at
        if not group.repeatable:
            raise self.refusal(at, "a quantifier repeats nothing")
        interval = INTERVAL.match(source, at)
        text = source[at]
        end = at + 1
        fixed = False
        if interval:
            least, comma, most = interval[1], interval[2], interval[3]
            if not (least or most):
                self._atom(literal(ord(text)), end)
                return
            if int(least or 0) > 100_000 or int(most or 0) > 100_000:
                raise self.refusal(at, f"{interval[0]} repeats too often")
            if least and most and int(least) > int(most):
                raise self.refusal(at, f"{interval[0]} asks for more than it allows")
            text = f"{{{least or 0}{comma}{most}}}"
            end = interval.end()
            fixed = not comma
        follower = source[end : end + 1]
        if interval and (follower == "+" or (follower == "?" and fixed)):
            self._note(interval[0] + follower)
        if (follower == "?" and not fixed) or (follower == "+" and not interval):
            text += follower  # behind an interval, + repeats it, and ? makes {n} optional
            end += 1
        part = group.parts.pop()
        group.parts.append(f"(?:{part}){text}" if group.repeated or interval else part + text)
        group.repeated = True
        self.at = end

    def _set(self) -> str:
        """Reads a set, with those inside of it, and returns it; ``at`` is behind it then."""
        source = self.source
        begin = self.at
        opened: list[list[str]] = []  # the parts of each open set
        while True:
            at = self.at
            if at >= len(source):
                raise self.refusal(begin, "a set is not closed")
            posix = POSIX_NAME.match(source, at)
            if opened and posix:
                if posix[2] not in POSIX:
                    raise self.refusal(at, f"the class {posix[0]} is not known")
                text = POSIX[posix[2]]
                if posix[2] in OTHER_CLASSES:
                    self._note(posix[0])
                opened[-1].append(f"[^{text}]" if posix[1] else text)
                self.at = posix.end()
            elif source[at] == "[":
                if len(opened) == DEEPEST:
                    raise self.refusal(at, f"more than {DEEPEST} sets stand inside each other")
                inverted = source.startswith("[^", at)
                if opened:
                    self._note("a set in a set")
                opened.append(["[^" if inverted else "["])
                self.at = at + 1 + inverted
                if source.startswith("]", self.at):  # the first one is a character
                    opened[-1].append(literal(ord("]")))
                    self.at += 1
            elif source[at] == "]":
                parts = opened.pop()
                self.at = at + 1
                if len(parts) == 1:
                    raise self.refusal(at, "a set is empty")
                closed = "".join(parts) + "]"
                if not opened:
                    return closed
                opened[-1].append(closed)
            elif source.startswith("&&", at):
                # The left side as one set: && binds less than standing side by side.
                self._note("&&")
                parts = opened[-1]
                if len(parts) == 1 or source.startswith(("]", "&&"), at + 2):
                    raise self.refusal(at, "&& has nothing on one side")
                self.at = at + 2
                parts[1:] = ["".join(["[", *parts[1:], "]"]), "&&"]
            else:
                self._range(opened[-1])

    def _range(self, parts: list[str]) -> None:
        """Reads one character or class of a set, or a range from one character to another."""
        source = self.source
        first, low = self._member()
        at = self.at
        if low >= 0 and source.startswith("-", at) and source[at + 1 : at + 2] not in ("", "]"):
            if source[at + 1] == "[":
                raise self.refusal(at, "a set ends a range")
            self.at = at + 1
            _, high = self._member()
            if high < low:
                raise self.refusal(at, "a range does not run from a character to a later one")
            for first_code, last_code in spans_seen(low, high):
                parts.append(f"{literal(first_code)}-{literal(last_code)}")
        else:
            parts.append(first)

    def _member(self) -> tuple[str, int]:
        at = self.at
        if self.source[at] != "\\":
            self.at = at + 1
            code = ord(self.source[at])
            return literal(code_seen(code)), code
        if self.source.startswith("\\b", at):
            self.at = at + 2
            return literal(8), 8
        return self._character(at, True)


def translate(source: str) -> str:
    """Returns a pattern of Oniguruma as the `regex` module understands it.

    ``\\p{N}{1,3}+`` gives ``(?V1)(?:(?:\\p{n}){1,3})+``. FormatError names what has no translation.
    """
    return Translation(source).result
