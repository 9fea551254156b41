"""Regular expressions as tiktoken runs them (Rust's fancy-regex over its regex crate), read onto the syntax tree.

The syntax differs from that of the `regex` module in more than spelling: ``[a-z&&[^aeiou]]`` is a set operation,
``[[:alpha:]]`` is ASCII only, ``\\h`` is a hexadecimal digit, ``$`` is only the end of the text, ``a{2}{3}`` has
literal braces, and options remain in effect after the group in which they are set. Anything that cannot be run
exactly here is refused by name.

Source: fancy-regex 0.19, ``src/parse.rs`` and ``src/compile.rs``; for classes see `rust_classes`.
"""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.errors import PatternError
from tokenarium_core.patterns.rust_classes import (
    NotRead,
    RustClass,
    rust_unicode,
    word_characters,
)
from tokenarium_core.patterns.syntax_tree import (
    CHOICE,
    ENDLESS,
    GROUP,
    OTHER,
    REPEAT,
    SEQUENCE,
    SINGLE,
    PatternNode,
    joined,
)
from tokenarium_core.unicode.code_sets import EVERYTHING, Spans, complement, of_characters

DEEPEST: Final = 50
"""How many groups may be nested."""

_LOOKS: Final = ("(?=", "(?!", "(?<=", "(?<!")
_CONTROLS: Final[dict[str, str]] = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "e": "\x1b",
}
_HEX: Final = "0123456789abcdefABCDEF"
_DIGITS: Final = "0123456789"
_REMAPPED: Final[dict[str, tuple[str, str, str]]] = {
    "alnum": (r"\p{alpha}\p{digit}", r"[\p{alpha}\p{digit}]", r"[^\p{alpha}\p{digit}]"),
    "blank": (r"\p{Zs}\t", r"[\p{Zs}\t]", r"[^\p{Zs}\t]"),
    "cntrl": ("\x00-\x1f\x7f-\x9f", "[\x00-\x1f\x7f-\x9f]", "[^\x00-\x1f\x7f-\x9f]"),
    "word": (r"\w", r"\w", r"\W"),
    "graph": (
        r"[^\p{White_Space}\p{C}]",
        r"[^\p{White_Space}\p{C}]",
        r"[\p{White_Space}\p{C}]",
    ),
    "print": (r"[^\p{C}\t\n\v\f\r]", r"[^\p{C}\t\n\v\f\r]", r"[\p{C}\t\n\v\f\r]"),
    "cs": (r"\P{any}", r"\P{any}", r"\p{any}"),
}
"""Names of properties that fancy-regex replaces: in a set, outside one, and inverted."""
_META: Final = "\\.+*?()|[]{}^$#&-~"
_REFUSED: Final = (
    ("?~", "an absent group (?~…)"),
    ("?(", "a condition (?(…)…)"),
    ("?P>", "a call of a group"),
    ("*", "a verb (*…)"),
)
_LARGEST: Final = (
    1 << 64
)  # of the numbers that the engine reads; above, braces are not a quantifier


@final
class RustPattern:
    """A pattern of tiktoken, read once; PatternError names what cannot be run here, and its place.

    ``tree`` has a number as the text of each class or character: that of its set in ``sets``. ``ways`` are the
    alternatives of the pattern, and ``names`` theirs. ``refers``: groups are referred to by what they found, so that
    the characters themselves count and not only their classes.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.sets: list[Spans] = []
        self.refers = False
        self._numbers: dict[str, int] = {}
        self._ignore = False
        self._multi = False
        self._crlf = False
        self._dot_all = False
        self._lazy = False
        self._extended = False
        self._groups = 0
        self._closed: list[int] = []
        self._by_name: dict[str, int] = {}
        self._named: list[tuple[int, str]] = []
        self._behind = 0  # how many groups that look back are open
        self._captures: list[tuple[PatternNode, int]] = []
        at, self.tree = self._choice(0, 0)
        if at < len(source):
            raise self._refusal(at, "a parenthesis closes no group")
        self.ways = self.tree.parts if self.tree.kind == CHOICE else [self.tree]
        self.names = [self._name(way) or f"alternative {i + 1}" for i, way in enumerate(self.ways)]
        if self.refers:
            for node, number in self._captures:
                node.text = f"(?P<g{number}>"

    def _name(self, way: PatternNode) -> str:
        """Returns the name of the first named group of an alternative; empty if there is none."""
        for at, name in self._named:
            if way.at <= at < way.end:
                return name
        return ""

    def _refusal(self, at: int, what: str) -> PatternError:
        return PatternError(
            f"The pattern cannot be run as tiktoken runs it: at character {at}, {what}.", at
        )

    def _single(self, spans: Spans) -> PatternNode:
        key = repr(spans)
        number = self._numbers.get(key)
        if number is None:
            number = len(self.sets)
            self._numbers[key] = number
            self.sets.append(spans)
        return PatternNode(SINGLE, str(number))

    def _blanks(self, at: int) -> int:
        """Returns where the next part begins, skipping comments and what the option x ignores."""
        source = self.source
        while at < len(source):
            if self._extended and source[at] in " \r\n\t":
                at += 1
            elif self._extended and source[at] == "#":
                end = source.find("\n", at)
                at = end + 1 if end >= 0 else len(source)
            elif source.startswith("(?#", at):
                begin = at
                at += 3
                while at < len(source) and source[at] != ")":
                    at += 2 if source[at] == "\\" else 1
                if at >= len(source):
                    raise self._refusal(begin, "a comment is not closed")
                at += 1
            else:
                break
        return at

    def _choice(self, at: int, depth: int) -> tuple[int, PatternNode]:
        begin = at
        at, way = self._sequence(at, depth)
        at = self._blanks(at)
        ways = [way]
        while self.source.startswith("|", at):
            at, way = self._sequence(at + 1, depth)
            at = self._blanks(at)
            ways.append(way)
        return at, joined(CHOICE, ways, begin, at)

    def _sequence(self, at: int, depth: int) -> tuple[int, PatternNode]:
        begin = at
        parts: list[PatternNode] = []
        while at < len(self.source):
            after, part = self._piece(at, depth)
            if after == at:
                break
            if part is not None:
                parts.append(part)
            at = after
        node = PatternNode(SEQUENCE, "", parts, at=begin, end=at)
        if len(parts) == 1:
            node = parts[0]
            node.at, node.end = begin, at
        return at, node

    def _piece(self, at: int, depth: int) -> tuple[int, PatternNode | None]:
        start = self._blanks(at)
        at, part = self._atom(start, depth)
        source = self.source
        if part is not None:
            part.at, part.end = start, at
        at = self._blanks(at)
        if at >= len(source) or source[at] not in "*+?{":
            return at, part
        sign = source[at]
        begin = at
        least = 1 if sign == "+" else 0
        most = 1 if sign == "?" else ENDLESS
        if sign == "{":
            after, least, most = self._interval(at)
            if after < 0:
                return at, part  # it stands for itself
            at = after - 1
            sign = f"{{{least},{most if most < ENDLESS else ''}}}"
        if part is None or not _repeatable(part):
            raise self._refusal(begin, "a quantifier repeats nothing")
        at = self._blanks(at + 1)
        lazy = self._lazy
        if source.startswith("?", at):
            lazy = not lazy
            at += 1
        possessive = source.startswith("+", at)
        at += possessive
        if least > most:
            raise self._refusal(begin, "a quantifier has a minimum above its maximum")
        if most > 1 and _may_be_empty(part):
            raise self._refusal(
                begin, "a quantifier repeats what may be empty, where engines differ"
            )
        if most == 0:
            return at, PatternNode(SEQUENCE)
        if possessive and self._behind:
            raise self._refusal(begin, "a possessive quantifier looks back")
        text = sign + ("?" if lazy else "+" if possessive else "")
        repeat = PatternNode(REPEAT, text, [part], least, most, start, at)
        if lazy and possessive:
            repeat = PatternNode(GROUP, "(?>", [repeat], at=start, end=at)
        return at, repeat

    def _interval(self, at: int) -> tuple[int, int, int]:
        """Reads ``{1,3}``: returns the place after it and both counts.

        The position is -1 if the braces are literal.
        """
        source = self.source
        at = self._blanks(at + 1)
        least = 0
        if not source.startswith(",", at):
            at, least = self._number(at)
        at = self._blanks(at) if at >= 0 else at
        most = least
        if at >= 0 and source.startswith(",", at):
            at = self._blanks(at + 1)
            after, most = self._number(at)
            if after < 0:
                most = ENDLESS
            else:
                at = after
            at = self._blanks(at)
        if at < 0 or not source.startswith("}", at):
            return -1, 0, 0
        return at + 1, least, most

    def _number(self, at: int) -> tuple[int, int]:
        """Reads a number; returns the place after it and the number, or -1 and 0 if there is none."""
        source = self.source
        end = at
        while end < len(source) and source[end] in _DIGITS:
            end += 1
        digits = source[at:end].lstrip("0")
        if end == at or len(digits) > 20 or int(digits or "0") >= _LARGEST:
            return -1, 0
        return end, min(int(digits or "0"), ENDLESS)

    def _atom(self, at: int, depth: int) -> tuple[int, PatternNode | None]:
        at = self._blanks(at)
        source = self.source
        if at == len(source):
            return at, None
        character = source[at]
        if character == ".":
            return at + 1, self._any()
        if character == "^":
            return at + 1, self._line_start() if self._multi else PatternNode(OTHER, r"\A")
        if character == "$":
            return at + 1, self._line_end() if self._multi else PatternNode(OTHER, r"\Z")
        if character == "(":
            return self._group(at, depth)
        if character == "\\":
            return self._escape(at)
        if character in "+*?|)":
            return at, None
        if character == "[":
            after, inside = self._set(at)
            return after, self._class(at, inside, self._ignore)
        return at + 1, self._literal(ord(character), self._ignore)

    def _literal(self, code: int, ignore: bool) -> PatternNode:
        spans: Spans = [(code, code)]
        return self._single(rust_unicode().in_any_case(spans) if ignore else spans)

    def _class(self, at: int, inside: str, ignore: bool) -> PatternNode:
        try:
            return self._single(RustClass(inside, ignore).spans)
        except NotRead as error:
            raise self._refusal(at, str(error)) from None

    # Places in the text.

    def _any(self) -> PatternNode:
        if self._dot_all:
            return self._single(EVERYTHING)
        return self._single(complement(of_characters("\r\n" if self._crlf else "\n")))

    def _look(self, opening: str, characters: str) -> PatternNode:
        return PatternNode(GROUP, opening, [self._single(of_characters(characters))])

    def _line_start(self) -> PatternNode:
        ways = [PatternNode(OTHER, r"\A"), self._look("(?<=", "\n")]
        if self._crlf:
            ways.append(
                PatternNode(SEQUENCE, "", [self._look("(?<=", "\r"), self._look("(?!", "\n")])
            )
        return PatternNode(GROUP, "(?:", [PatternNode(CHOICE, "", ways)])

    def _line_end(self) -> PatternNode:
        end = PatternNode(OTHER, r"\Z")
        if not self._crlf:
            line_feed = self._single(of_characters("\n"))
            return PatternNode(GROUP, "(?=", [PatternNode(CHOICE, "", [line_feed, end])])
        alone = PatternNode(SEQUENCE, "", [self._look("(?<!", "\r"), self._look("(?=", "\n")])
        ways = [end, self._look("(?=", "\r"), alone]
        return PatternNode(GROUP, "(?:", [PatternNode(CHOICE, "", ways)])

    def _edge(self, before: str, behind: str) -> PatternNode:
        word = word_characters()
        parts = [PatternNode(GROUP, look, [self._single(word)]) for look in (before, behind)]
        return PatternNode(SEQUENCE, "", parts)

    def _edges(self, inside: bool) -> PatternNode:
        """Returns the places where a word begins or ends; ``inside``: all others."""
        if inside:
            ways = [self._edge("(?<=", "(?="), self._edge("(?<!", "(?!")]
        else:
            ways = [self._edge("(?<=", "(?!"), self._edge("(?<!", "(?=")]
        return PatternNode(GROUP, "(?:", [PatternNode(CHOICE, "", ways)])

    def _side(self, name: str, at: int) -> PatternNode:
        """Returns a place by its name, as in ``\\b{start}``."""
        word = self._single(word_characters())
        if name == "start":
            return PatternNode(GROUP, "(?:", [self._edge("(?<!", "(?=")])
        if name == "end":
            return PatternNode(GROUP, "(?:", [self._edge("(?<=", "(?!")])
        if name == "start-half":
            return PatternNode(GROUP, "(?:", [PatternNode(GROUP, "(?<!", [word])])
        if name == "end-half":
            return PatternNode(GROUP, "(?:", [PatternNode(GROUP, "(?!", [word])])
        raise self._refusal(at, f"\\b{{{name}}} is not a position")

    # Escapes.

    def _escape(self, at: int) -> tuple[int, PatternNode]:
        source = self.source
        character = source[at + 1 : at + 2]
        end = at + 2
        if character == "":
            raise self._refusal(at, "a backslash ends it")
        if character in _DIGITS:
            after, number = self._number(at + 1)
            return after, self._reference(at, number)
        if character == "k":
            return self._named_reference(at, end)
        if character in "GK":
            raise self._refusal(at, f"\\{character} depends on the match before")
        if character == "g":
            raise self._refusal(at, "a call of a group")
        if character == "A" or character == "z":
            return end, PatternNode(OTHER, r"\A" if character == "A" else r"\Z")
        if character == "Z":
            newlines = self._single(of_characters("\r\n" if self._crlf else "\n"))
            repeat = PatternNode(REPEAT, "*", [newlines], 0, ENDLESS)
            inside = PatternNode(SEQUENCE, "", [repeat, PatternNode(OTHER, r"\Z")])
            return end, PatternNode(GROUP, "(?=", [inside])
        if character in "bB":
            brace = self._blanks(end)
            if source.startswith("{", brace):
                first = self._blanks(brace + 1)
                if first == len(source) or source[first] not in _DIGITS + ",":
                    return self._place_in_braces(at, brace)
            return end, self._edges(character == "B")
        if character in "<>":
            return end, self._side("start" if character == "<" else "end", at)
        if character == "R":
            pair = [self._single(of_characters(c)) for c in "\r\n"]
            one = self._single(of_characters("\n\v\f\r\x85\u2028\u2029"))
            inside = PatternNode(CHOICE, "", [PatternNode(SEQUENCE, "", pair), one])
            if self._behind:
                raise self._refusal(at, r"\R looks back")
            return end, PatternNode(GROUP, "(?>", [inside])
        if character == "O":
            return end, self._single(EVERYTHING)
        if character == "N":
            return end, self._single(complement(of_characters("\n")))
        after, text, code = self._character(at, False)
        if code < 0:
            return after, self._class(at, text, self._ignore)
        hexadecimal = character in "xuU"
        return after, self._literal(code, self._ignore and hexadecimal)

    def _character(self, at: int, in_set: bool) -> tuple[int, str, int]:
        """Reads an escape for a character or a class: returns the place after it, and either its text or its code."""
        source = self.source
        character = source[at + 1]
        end = at + 2
        if character in "dDsSwW":
            return end, source[at:end], -1
        if character in "hH":
            return end, "[0-9A-Fa-f]" if character == "h" else "[^0-9A-Fa-f]", -1
        if character in "xuU":
            return self._code(at, end, {"x": 2, "u": 4, "U": 8}[character])
        if character in "pP" and end < len(source):
            end += 1
            if source[end - 1] == "{":
                end = source.find("}", end) + 1
                if end == 0:
                    raise self._refusal(at, "the name of a property is not closed")
            return end, _property(source[at:end], in_set), -1
        plain = _CONTROLS.get(character)
        if plain is None:
            letters = "kAzBKGR" if in_set else ""  # of which some are taken as they are there
            if character.isascii() and character.isalpha() and character not in letters:
                raise self._refusal(at, f"\\{character} has no meaning")
            plain = character
        return end, "", ord(plain)

    def _code(self, at: int, start: int, digits: int) -> tuple[int, str, int]:
        """Reads the number of a character, of this many digits, or in braces."""
        source = self.source
        start = self._blanks(start)
        text = source[start : start + digits]
        end = start + digits
        if len(text) < digits or not all(digit in _HEX for digit in text):
            if not source.startswith("{", start):
                raise self._refusal(at, "a character escape has no number")
            text = ""
            end = self._blanks(start + 1)
            while end < len(source) and source[end] in _HEX and len(text) < 8:
                text += source[end]
                end = self._blanks(end + 1)
            if not text or not source.startswith("}", end):
                raise self._refusal(at, "a character escape has no number")
            end += 1
        code = int(text, 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise self._refusal(at, f"{source[at:end]} is not a character")
        return end, "", code

    def _place_in_braces(self, at: int, brace: int) -> tuple[int, PatternNode]:
        source = self.source
        name = ""
        position = brace + 1
        while position < len(source) and source[position] != "}":
            after = self._blanks(position)
            if after > position:
                position = after
                continue
            name += source[position]
            position += 1
        if position >= len(source) or source[at + 1] == "B":
            raise self._refusal(at, f"{source[at : position + 1]} is not a position")
        return position + 1, self._side(name, at)

    # References to what a group found.

    def _named_reference(self, at: int, end: int) -> tuple[int, PatternNode]:
        closing = {"<": ">", "'": "'"}.get(self.source[end : end + 1], "")
        stop = self.source.find(closing, end + 1) if closing else -1
        name = self.source[end + 1 : stop]
        if stop < 0:
            raise self._refusal(at, "a group has no name")
        return stop + 1, self._reference_by(at, name)

    def _reference_by(self, at: int, name: str) -> PatternNode:
        if name.isdecimal():
            return self._reference(at, self._number(at + self.source[at:].find(name))[1])
        if name not in self._by_name:
            raise self._refusal(at, f"no group before it is called {name!r}")
        return self._reference(at, self._by_name[name])

    def _reference(self, at: int, number: int) -> PatternNode:
        if number not in self._closed:
            raise self._refusal(at, f"group {number} is not closed before it")
        if self._ignore:
            raise self._refusal(at, "what a group found is compared in any case")
        if self._behind:
            raise self._refusal(at, "what is before is compared with what a group found")
        self.refers = True
        return PatternNode(OTHER, f"(?P=g{number})")

    # Sets, which are rewritten for the regex crate.

    def _set(self, at: int) -> tuple[int, str]:
        """Returns the place after a set, and the set as fancy-regex gives it to the regex crate."""
        source = self.source
        begin = at
        written = ""
        nested = 0
        inverted_before = False
        while True:
            if at >= len(source):
                raise self._refusal(begin, "a set is not closed")
            character = source[at]
            if character == "[":
                nested += 1
                end = at + 1
                if source.startswith("^", end):
                    end += 1
                if source.startswith("]", end):
                    end += 1
                written += source[at:end]
                at = end
            elif character == "]":
                nested -= 1
                written += "]"
                at += 1
                if nested == 0:
                    return at, written
            elif character == "\\":
                if at + 1 >= len(source):
                    raise self._refusal(at, "a backslash ends it")
                if source[at + 1] in _DIGITS:
                    raise self._refusal(at, "a set has no references")
                at, text, code = self._character(at, True)
                if code >= 0:
                    text = chr(code)
                    written += "\\" + text if text in _META else text
                    continue
                if text.startswith("[^") and ("\\p{" in text or "\\P{" in text or "[:" in text):
                    written += "&&" if inverted_before else ""
                    inverted_before = True
                written += text
            else:
                written += character
                at += 1

    # Groups.

    def _group(self, at: int, depth: int) -> tuple[int, PatternNode | None]:
        source = self.source
        begin = at
        if depth + 1 > DEEPEST:
            raise self._refusal(at, f"more than {DEEPEST} groups are inside each other")
        at = self._blanks(at + 1)
        for opening, what in _REFUSED:
            if source.startswith(opening, at):
                raise self._refusal(begin, f"{what} has no translation")
        opening = "("
        name = ""
        if source.startswith("?P=", at):
            stop = source.find(")", at)
            if stop < 0:
                raise self._refusal(begin, "a group is not closed")
            return stop + 1, self._reference_by(at, source[at + 3 : stop])
        for look in _LOOKS:
            if source.startswith(look[1:], at):
                opening = look
                at += len(look) - 1
        if opening == "(":
            if source.startswith("?>", at):
                opening = "(?>"
                at += 2
            elif source.startswith(("?<", "?'", "?P<"), at):
                at += 2 if source[at + 1] == "P" else 1
                stop = source.find(">" if source[at] == "<" else "'", at + 1)
                if stop < at + 2:
                    raise self._refusal(begin, "a group has no name")
                name = source[at + 1 : stop]
                at = stop + 1
            elif source.startswith("?", at):
                return self._options(at, depth)
        if opening == "(?>" and self._behind:
            raise self._refusal(begin, "an atomic group looks back")
        number = 0
        if opening == "(":
            self._groups += 1
            number = self._groups
            if name:
                if name in self._by_name:
                    raise self._refusal(begin, f"two groups are called {name!r}")
                self._by_name[name] = number
                self._named.append((begin, name))
        looks_back = opening in ("(?<=", "(?<!")
        self._behind += looks_back
        at, inside = self._choice(at, depth + 1)
        self._behind -= looks_back
        at = self._close(begin, self._blanks(at))
        group = PatternNode(GROUP, "(?:" if opening == "(" else opening, [inside])
        if number:
            self._closed.append(number)
            self._captures.append((group, number))
        return at, group

    def _close(self, begin: int, at: int) -> int:
        if not self.source.startswith(")", at):
            raise self._refusal(begin, "a group is not closed")
        return at + 1

    def _options(self, at: int, depth: int) -> tuple[int, PatternNode | None]:
        """Reads ``?i)`` or ``?i:…)``: the options hold from there on, or in the group alone."""
        source = self.source
        begin = at
        before = (
            self._ignore,
            self._multi,
            self._crlf,
            self._dot_all,
            self._lazy,
            self._extended,
        )
        at += 1
        on = True
        while True:
            at = self._blanks(at)
            sign = source[at : at + 1]
            if sign == "i":
                self._ignore = on
            elif sign == "m":
                self._multi = on
            elif sign == "R":
                self._crlf = on
            elif sign == "s":
                self._dot_all = on
            elif sign == "U":
                self._lazy = on
            elif sign == "x":
                self._extended = on
            elif sign == "-" and on:
                on = False
            elif sign in ("", "-") or sign not in "u:)" or (sign == "u" and not on):
                raise self._refusal(begin, f"(?{source[begin + 1 : at + 1]} has no translation")
            elif sign != "u":
                break
            at += 1
        if at == begin + 1 + (not on) and (sign == ")" or not on):
            raise self._refusal(begin, "a group has no options")
        if sign == ")":
            return at + 1, None
        at, inside = self._choice(at + 1, depth + 1)
        at = self._close(begin, at)
        (
            self._ignore,
            self._multi,
            self._crlf,
            self._dot_all,
            self._lazy,
            self._extended,
        ) = before
        if inside.kind == SEQUENCE and not inside.parts:
            return at, None
        return at, PatternNode(GROUP, "(?:", [inside])


def _property(text: str, in_set: bool) -> str:
    """Returns an escape such as ``\\p{alnum}`` as fancy-regex gives it to the regex crate."""
    if not text.endswith("}"):
        return text
    inverted = text[1] == "P"
    name = text[3:-1]
    if name.startswith("^"):
        inverted = not inverted
        name = name[1:]
    name = name.lower()
    written = _REMAPPED.get(name)
    if written is not None:
        return written[2] if inverted else written[0] if in_set else written[1]
    return f"\\{'P' if inverted else 'p'}{{{name}}}"


def _repeatable(node: PatternNode) -> bool:
    """Returns whether the engine takes a quantifier after a part: not after a look around, or nothing."""
    while node.kind == GROUP and node.text == "(?:" and len(node.parts[0].parts) == 1:
        node = node.parts[0]
    return not (node.kind == GROUP and node.text in _LOOKS) and not (
        node.kind == SEQUENCE and not node.parts
    )


def _may_be_empty(node: PatternNode) -> bool:
    """Returns whether a part may match the empty string."""
    if node.kind == SINGLE:
        return False
    if node.kind == OTHER or (node.kind == GROUP and node.text in _LOOKS):
        return True
    if node.kind == REPEAT:
        return node.least == 0 or _may_be_empty(node.parts[0])
    empty = [_may_be_empty(part) for part in node.parts]
    return any(empty) if node.kind == CHOICE else all(empty)
