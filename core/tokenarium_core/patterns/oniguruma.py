"""Regular expressions as huggingface/tokenizers runs them (Oniguruma), translated for the `regex` module.

The two differ in more than spelling: in Oniguruma ``^`` and ``$`` are the ends of a line, ``a{2}+`` repeats
``a{2}``, ``\\h`` is a hexadecimal digit, ``(?m)`` lets the dot match a newline, and Unicode has another version.
Anything without a translation is refused by name.

Source: Oniguruma's ``doc/RE`` and ``doc/SYNTAX.md`` (kkos/oniguruma 6.9), with its own syntax.
"""

from __future__ import annotations

import re
from typing import Any, Final, final

from tokenarium_core.errors import FormatError
from tokenarium_core.patterns.oniguruma_characters import (
    CLASSES,
    CONTROLS,
    KINDS,
    OTHER_CLASSES,
    OTHER_ESCAPES,
    PLACES,
    POSIX,
    WORD,
    WORD_IN_SET,
    case_folds,
    code_seen,
    inverse,
    literal,
    property_set,
    spans_seen,
)
from tokenarium_core.patterns.regex_engine import compile_source
from tokenarium_core.patterns.syntax_tree import (
    CHOICE,
    ENDLESS,
    GROUP,
    OTHER,
    REPEAT,
    SEQUENCE,
    OpenGroup,
    PatternNode,
    single,
)

DEEPEST: Final = 50
"""How many groups, or sets, may be nested."""

PROPERTY: Final = re.compile(r"\{(\^?)([A-Za-z][A-Za-z0-9 _-]*)\}")
POSIX_NAME: Final = re.compile(r"\[:(\^?)([a-z]+):\]")
CODE: Final = re.compile(r"x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})")
OCTAL: Final = re.compile(r"[0-7]{1,3}")
INTERVAL: Final = re.compile(r"\{([0-9]*)(,?)([0-9]*)\}")
NAME: Final = re.compile(r"(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')")
OPTIONS: Final = re.compile(r"\?([imx]*)(?:-([imx]+))?([:)])")
LOOKS: Final = ("(?=", "(?!", "(?<=", "(?<!")
EXTENDED: Final = " \t\n\f\r#"
"""What the option x ignores, with the rest of the line after a ``#``."""
NAMED: Final = re.compile(r"\(\?(?:<[A-Za-z_]|')")
BACKWARD: Final = re.compile(r"k(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')")


NOTHING: Final = PatternNode(SEQUENCE)
"""A placeholder for case-insensitive text until its translation is known."""


@final
class OnigurumaGroup(OpenGroup):
    """A group that is being read, and the options in it.

    ``extended``, ``dot_all`` and ``ignore`` are the options x, m and i; ``behind``: whether it looks back. ``run`` is
    the text of each of the last parts that are only text in any case: its translation is known when it ends.
    """

    def __init__(self, opening: str, outer: OnigurumaGroup | None = None) -> None:
        super().__init__(opening)
        self.extended: bool = outer is not None and outer.extended
        self.dot_all: bool = outer is not None and outer.dot_all
        self.ignore: bool = outer is not None and outer.ignore
        self.behind: bool = opening in ("(?<=", "(?<!") or (outer is not None and outer.behind)
        self.run: list[str] = []
        self.grouped: list[bool] = []  # whether each of these is a group of its own
        self.has_place = False  # whether one of the alternatives is only a place
        self.plain = False  # whether it is only a group, without its own options
        self.repeatable = False  # whether a quantifier could repeat something here


@final
class OnigurumaPattern:
    """A pattern of Oniguruma, read once: ``tree`` has its parts as the `regex` module writes them, and ``translated``
    is the same as text, in version 1 of that module. FormatError names anything that cannot be translated.

    ``\\p{N}{1,3}+`` is translated to ``(?V1)(?:(?:\\p{n}){1,3})+``.

    ``other`` is the first part of the source that the `regex` module, by itself, reads differently; empty if there is
    none. ``cased`` are the classes and characters in any case, and their translations.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.other = ""
        self.cased: dict[str, str] = {}
        self.at = 0
        self.named = NAMED.search(source) is not None
        self.groups: list[OnigurumaGroup] = [OnigurumaGroup("")]
        while self.at < len(source):
            self._step()
        if len(self.groups) > 1:
            raise self.refusal(len(source), "a group is not closed")
        self._end_run(self.groups[0])
        self.tree = self.groups[0].inside()
        self.translated = "(?V1)" + self.tree.written()

    def refusal(self, at: int, what: str) -> FormatError:
        """Returns the error for something that this program does not support."""
        return FormatError(
            f"The pattern {self.source!r} cannot be run here: at character {at}, {what}."
        )

    def _note(self, part: str) -> None:
        """Records a part that has a different meaning in the `regex` module."""
        self.other = self.other or part

    def _step(self) -> None:
        source = self.source
        at = self.at
        character = source[at]
        group = self.groups[-1]
        if group.extended and character in EXTENDED:
            end = source.find("\n", at) if character == "#" else at
            self.at = end + 1 if end >= 0 else len(source)
        elif character == "\\":
            self._escape(group)
        elif character == "[":
            node = self._set(group.ignore)
            if group.ignore:
                self.cased[source[at : self.at]] = node.written()
            self._atom(node)
        elif character == "(":
            self._open()
        elif character == ")":
            if len(self.groups) == 1:
                raise self.refusal(at, "a parenthesis closes no group")
            self.groups.pop()
            text = "".join(group.run)
            is_text = group.plain and not group.ways and len(group.parts) == len(group.run)
            self._end_alternative(group)
            closed = PatternNode(GROUP, group.opening, [group.inside()])
            self.at += 1
            if is_text and group.ignore:
                self._text(text, closed)
            else:
                self._atom(closed)
                if group.opening in LOOKS or (group.plain and group.has_place):
                    self.groups[-1].repeatable = False
        elif character in "*+?" or (character == "{" and INTERVAL.match(source, at)):
            self._quantifier(group)
        else:
            self.at += 1
            if character == "|":
                self._end_alternative(group)
                group.end_alternative()
            elif character == ".":
                self._atom(single("(?s:.)" if group.dot_all else r"[^\n]"))
            elif character == "^":
                self._note("^")
                self._place(PatternNode(OTHER, r"(?:\A|(?<=\n)(?!\Z))"))
            elif character == "$":
                self._note("$")
                line_end = PatternNode(CHOICE, "", [single(r"\n"), PatternNode(OTHER, r"\Z")])
                self._place(PatternNode(GROUP, "(?=", [line_end]))
            else:
                self._literal(ord(character))

    def _literal(self, code: int) -> None:
        """Adds a character that stands for itself."""
        if self.groups[-1].ignore:
            self._text(chr(code))
        else:
            self._atom(single(literal(code_seen(code))))

    def _text(self, text: str, group: PatternNode | None = None) -> None:
        """Adds text in any case: a character, or a ``group``."""
        inside = self.groups[-1]
        inside.parts.append(group or NOTHING)
        inside.run.append(text)
        inside.grouped.append(group is not None)
        inside.repeatable = True

    def _end_alternative(self, group: OnigurumaGroup) -> None:
        self._end_run(group)
        if len(group.parts) == 1 and not group.repeatable:
            group.has_place = True
        group.repeatable = False

    def _end_run(self, group: OnigurumaGroup) -> None:
        """Makes parts of the text in any case, now that its end is known."""
        run = group.run
        grouped = group.grouped
        if not run:
            return
        group.run = []
        group.grouped = []
        first = len(group.parts) - len(run)
        bounds = [0]
        for text in run:
            bounds.append(bounds[-1] + len(text))
        at = 0
        for chunk in self._chunks(group, "".join(run)):
            stop = at + len(chunk)
            for index in range(len(run)):
                start = bounds[index]
                end = bounds[index + 1]
                if start >= stop or (end <= at and (start < end or start <= at)):
                    continue
                if not grouped[index]:
                    if start == at:
                        group.parts[first + index] = self._folded(group, chunk)
                elif start > at or end < stop:
                    raise self.refusal(
                        self.at,
                        f"{chunk!r}, which is one character in another case, is split",
                    )
            at = stop
        group.parts[first:] = [part for part in group.parts[first:] if part is not NOTHING]

    def _chunks(self, group: OnigurumaGroup, text: str) -> list[str]:
        return list(text) if group.behind else case_folds().chunks(text)

    def _folded(self, group: OnigurumaGroup, chunk: str) -> PatternNode:
        """Returns a character or a sequence in any case."""
        folds = case_folds()
        if len(chunk) > 1:
            self._note(f"{chunk!r} in any case")
        else:
            self.cased[literal(ord(chunk))] = folds.chunk(chunk).written()
        if not group.behind:
            return folds.chunk(chunk)
        if chunk in folds.spelled:
            raise self.refusal(self.at, f"what is before is compared with {chunk!r} in any case")
        return folds.character(chunk)

    def _atom(self, node: PatternNode) -> None:
        """Adds one item that a quantifier may repeat."""
        group = self.groups[-1]
        self._end_run(group)
        group.parts.append(node)
        group.repeatable = True

    def _place(self, node: PatternNode) -> None:
        """Adds a zero-width part, which the engine does not repeat."""
        self._atom(node)
        self.groups[-1].repeatable = False

    def _escape(self, group: OnigurumaGroup) -> None:
        source = self.source
        at = self.at
        character = source[at + 1 : at + 2]
        if character in OTHER_ESCAPES:
            self._note(source[at : at + 2])
        if character in PLACES:
            self._place(PatternNode(OTHER, PLACES[character]))
            self.at = at + 2
            return
        if character in KINDS:
            text = KINDS[character]
            self._atom(PatternNode(OTHER, text) if character == "R" else single(text))
            self.at = at + 2
            return
        back = BACKWARD.match(source, at + 1)
        if back:
            self._check_reference(source[at : back.end()])
            self._atom(PatternNode(OTHER, f"(?P={back[1] or back[2]})"))
            self.at = back.end()
            return
        if character.isdigit() and character != "0":
            if self.named or source[at + 2 : at + 3].isdigit():
                raise self.refusal(at, f"\\{character} refers to a group by number")
            self._check_reference(source[at : at + 2])
            self._atom(PatternNode(OTHER, f"(?:\\{character})"))
            self.at = at + 2
            return
        text, code = self._character(at, False)
        if code >= 0:
            self._literal(code)
        else:
            if group.ignore:
                self.cased[source[at : self.at]] = text
            self._atom(single(text))

    def _check_reference(self, reference: str) -> None:
        if self.groups[-1].ignore:
            raise self.refusal(self.at, f"{reference} compares in any case")

    def _character(self, at: int, in_set: bool) -> tuple[str, int]:
        """Reads an escape that stands for one character, or for a class; returns it, and the character's code or -1."""
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
                text = WORD_IN_SET if character == "w" else inverse(WORD_IN_SET)
            return text, -1
        if character in CONTROLS:
            return literal(CONTROLS[character]), CONTROLS[character]
        if character in "pP":
            match = PROPERTY.match(source, at + 2)
            if not match:
                raise self.refusal(at, f"\\{character} is followed by no property in braces")
            self.at = match.end()
            text = property_set(match[2])
            if not text:
                raise self.refusal(at, f"the property {match[2]!r} is not known")
            if text == WORD_IN_SET and not in_set:
                text = WORD
            if match[2].lower() in OTHER_CLASSES:
                self._note(source[at : self.at])
            inverted = (character == "P") != (match[1] == "^")
            return (inverse(f"[{text}]") if inverted else text), -1
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
        if value > 0x7F and (octal or (code and code[2])):
            raise self.refusal(
                at,
                f"{source[at : self.at]} is a byte of a character to the engine: write the character",
            )
        if value > 0x10FFFF or 0xD800 <= value < 0xE000:
            raise self.refusal(at, f"{source[at : self.at]} is not a character")
        return literal(code_seen(value)), value

    def _open(self) -> None:
        source = self.source
        at = self.at
        group = self.groups[-1]
        if len(self.groups) > DEEPEST:
            raise self.refusal(at, f"more than {DEEPEST} groups are inside each other")
        rest = source[at + 1 : at + 4]
        if rest.startswith("?#"):
            end = source.find(")", at)
            if end < 0:
                raise self.refusal(at, "a comment is not closed")
            self.at = end + 1
            return
        options = OPTIONS.match(source, at + 1)
        name = NAME.match(source, at + 2) if rest.startswith("?") else None
        plain = False
        if not rest.startswith("?"):
            opening = "(?:" if self.named else "("
            plain = self.named
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
        self.groups.append(OnigurumaGroup(opening, group))
        self.groups[-1].plain = plain

    def _options(self, group: OnigurumaGroup, options: re.Match[str]) -> None:
        """Opens ``(?i-m:`` …, or sets the options of a group, at ``(?i)``."""
        on, off = options[1], options[2] or ""
        if options[3] == ":":
            self.groups.append(OnigurumaGroup("(?:", group))
            group = self.groups[-1]
            group.plain = not (on or off)
        elif group.parts or group.ways:
            raise self.refusal(self.at, f"{options[0][:-1]} is not at the start of its group")
        else:
            group.plain = False
        group.ignore = (group.ignore or "i" in on) and "i" not in off
        group.extended = (group.extended or "x" in on) and "x" not in off
        group.dot_all = (group.dot_all or "m" in on) and "m" not in off
        self.at = options.end()

    def _quantifier(self, group: OnigurumaGroup) -> None:
        source = self.source
        at = self.at
        if not group.repeatable:
            raise self.refusal(at, "a quantifier repeats nothing")
        interval = INTERVAL.match(source, at)
        text = source[at]
        end = at + 1
        fixed = False
        fewest = 1 if text == "+" else 0
        limit = 1 if text == "?" else ENDLESS
        if interval:
            least, comma, most = interval[1], interval[2], interval[3]
            if not (least or most):
                self.at = end
                self._literal(ord(text))
                return
            if (
                max(len(least), len(most)) > 9
                or int(least or 0) > 100_000
                or int(most or 0) > 100_000
            ):
                raise self.refusal(at, f"{interval[0]} repeats too often")
            if least and most and int(least) > int(most):
                raise self.refusal(at, f"{interval[0]} has a minimum above its maximum")
            text = f"{{{least or 0}{comma}{most}}}"
            end = interval.end()
            fixed = not comma
            fewest = int(least or 0)
            limit = int(most) if most else fewest if fixed else ENDLESS
        follower = source[end : end + 1]
        if text == "{1}" and follower == "?":  # which the engine reads differently in some groups
            raise self.refusal(at, "{1}? repeats once or never: write ?")
        if interval and (follower == "+" or (follower == "?" and fixed)):
            self._note(interval[0] + follower)
        if (follower == "?" and not fixed) or (follower == "+" and not interval):
            text += follower  # after an interval, + repeats it, and ? makes {n} optional
            end += 1
        part = group.parts.pop()
        if group.run:
            repeated = group.run.pop()
            if not group.grouped.pop():
                part = self._folded(group, repeated)
            if text in ("{1}", "{1,1}", "{1,1}?"):  # the engine sees none there
                self._text(repeated, PatternNode(GROUP, "(?:", [part]))
                self.at = end
                return
            self._end_run(group)
        group.parts.append(PatternNode(REPEAT, text, [part], fewest, limit))
        self.at = end

    def _set(self, ignore: bool) -> PatternNode:
        """Reads a set, with those inside it, and returns it; ``at`` is then after it."""
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
                opened[-1].append(inverse(f"[{text}]") if posix[1] else text)
                self.at = posix.end()
            elif source[at] == "[":
                if len(opened) == DEEPEST:
                    raise self.refusal(at, f"more than {DEEPEST} sets are inside each other")
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
                inverted = parts[0] == "[^"
                closed = f"[{''.join(parts[1:])}]"
                if ignore and not opened:
                    if not inverted:
                        repeated = source[self.at : self.at + 1] in ("*", "+")
                        return case_folds().set_or_text(closed, repeated)
                    closed = case_folds().full_set(closed)
                if inverted:
                    if inverse(closed)[1] != "^" and _takes_all(closed):
                        self._note("an inverted set with an inverted class")
                    closed = inverse(closed)
                if not opened:
                    return single(closed)
                if inverted and closed[1] != "^":  # the engine gets some of these wrong
                    raise self.refusal(
                        at, "a set has an inverted set in it that has an inverted class"
                    )
                # A set of one part is that part, so that `compile_source` sees what an inverted set leaves out.
                opened[-1].append(closed if inverted or len(parts) > 2 else parts[1])
            elif source.startswith("&&", at):
                # The left side as one set: && binds less than being side by side.
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
                to_last = f"-{literal(last_code)}" if last_code > first_code else ""
                parts.append(literal(first_code) + to_last)
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


def _takes_all(text: str) -> bool:
    """Returns whether the regex module reads a set as all characters if it is inverted; see `inverse`."""
    inside: Any = compile_source("(?V1)" + text)
    inverted: Any = compile_source("(?V1)[^" + text[1:])
    match = inside.search("".join([chr(code) for code in range(0x3000)]), concurrent=False)
    return match is not None and inverted.match(match.group(), concurrent=False) is not None
