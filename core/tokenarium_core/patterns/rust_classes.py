"""Classes of characters as Rust's regex crate reads them: properties, sets and their operations, other cases.

The result is a set of code points of the engine's own Unicode, so nothing of another engine's Unicode remains.

Source: regex-syntax 0.8, ``src/ast/parse.rs`` (the syntax of sets), ``src/hir/translate.rs`` (what they mean) and
``src/unicode.rs`` (names); the tables are made of the answers of tiktoken.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, final

from tokenarium_core.unicode.code_sets import (
    EVERYTHING,
    Spans,
    complement,
    difference,
    intersection,
    listed,
    of_categories,
    of_characters,
    spans_of,
    symmetric_difference,
    union,
)
from tokenarium_core.unicode.codepoints import (
    SCRIPT_TABLE,
    SCRIPTS,
    script_name,
    spans_in,
)
from tokenarium_core.unicode.rust_codepoints_data import CASES, PROPERTIES, UNKNOWN_SCRIPTS

MOST_NESTED: Final = 50
"""How many sets may be nested."""

_ASCII_CLASSES: Final[dict[str, str]] = {
    "alnum": "0030-0039 0041-005A 0061-007A",
    "alpha": "0041-005A 0061-007A",
    "ascii": "0000-007F",
    "blank": "0009 0020",
    "cntrl": "0000-001F 007F",
    "digit": "0030-0039",
    "graph": "0021-007E",
    "lower": "0061-007A",
    "print": "0020-007E",
    "punct": "0021-002F 003A-0040 005B-0060 007B-007E",
    "space": "0009-000D 0020",
    "upper": "0041-005A",
    "word": "0030-0039 0041-005A 005F 0061-007A",
    "xdigit": "0030-0039 0041-0046 0061-0066",
}
_CATEGORY_NAMES: Final = """
C other|Cc control cntrl|Cf format|Cn unassigned|Co privateuse|L letter|LC casedletter|Ll lowercaseletter
|Lm modifierletter|Lo otherletter|Lt titlecaseletter|Lu uppercaseletter|M mark combiningmark|Mc spacingmark
|Me enclosingmark|Mn nonspacingmark|N number|Nd decimalnumber digit|Nl letternumber|No othernumber
|P punctuation punct|Pc connectorpunctuation|Pd dashpunctuation|Pe closepunctuation|Pf finalpunctuation
|Pi initialpunctuation|Po otherpunctuation|Ps openpunctuation|S symbol|Sc currencysymbol|Sk modifiersymbol
|Sm mathsymbol|So othersymbol|Z separator|Zl lineseparator|Zp paragraphseparator|Zs spaceseparator
"""
_SEVERAL: Final[dict[str, list[str]]] = {"LC": ["Lu", "Ll", "Lt"]}
_ASCII_CLASS: Final = re.compile(r"\[:(\^?)([^:]*):\]")
_OPERATORS: Final = ("&&", "--", "~~")
_ESCAPED: Final[dict[str, str]] = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}


class NotRead(Exception):
    """The engine refuses a class, or this program has no table for it; the text says why."""


def _plain(name: str) -> str:
    """Returns a name without its insignificant characters."""
    starts_with_is = name[:2].lower() == "is"
    rest = name[2:] if starts_with_is else name
    plain = "".join([c for c in rest.lower() if c.isascii() and c not in " _-"])
    return "isc" if starts_with_is and plain == "c" else plain


@final
class RustUnicode:
    """The engine's properties by their `_plain` names, and the characters that are equal except for case."""

    def __init__(self) -> None:
        self.categories: dict[str, list[str]] = {}
        self.properties: dict[str, tuple[list[str], str]] = {}
        self.scripts: dict[str, int] = {}
        self.others: dict[int, list[int]] = {}
        for entry in _CATEGORY_NAMES.replace("\n", "").split("|"):
            short, *longer = entry.split()
            for name in [short, *longer]:
                self.categories[_plain(name)] = _SEVERAL.get(short, [short])
        for line in PROPERTIES.strip().replace("\n ", " ").split("\n"):
            names, _, rest = line.partition(":")
            categories, _, exceptions = rest.partition("^")
            for name in names.split():
                self.properties[_plain(name)] = (categories.split(), exceptions)
        unknown = UNKNOWN_SCRIPTS.split()
        for number, code in enumerate(SCRIPTS):
            if code not in unknown:
                self.scripts[_plain(code)] = number
                self.scripts[_plain(script_name(code))] = number
        for old, new in (("qaac", "copt"), ("qaai", "zinh")):
            self.scripts[old] = self.scripts[new]
        for token in CASES.split():
            span, _, shift = token.partition("=")
            for start, end in spans_in(span):
                for code_point in range(start, end + 1):
                    first = code_point - int(shift, 16)
                    self.others.setdefault(first, [first]).append(code_point)
        for same in list(self.others.values()):
            for code_point in same:
                self.others[code_point] = same
        self._found: dict[str, Spans] = {}

    def in_any_case(self, spans: Spans) -> Spans:
        """Returns a set with the characters that equal its own in another case."""
        more: Spans = []
        for first, last in spans:
            if last - first < len(self.others):
                for code_point in range(first, last + 1):
                    same = self.others.get(code_point)
                    if same is not None:
                        more += [(other, other) for other in same]
            else:
                for code_point, same in self.others.items():
                    if first <= code_point <= last:
                        more += [(other, other) for other in same]
        return union(spans, more)

    def property(self, text: str) -> Spans:
        """Returns the set of what is in the braces of ``\\p{…}``; NotRead if there is none."""
        spans = self._found.get(text)
        if spans is None:
            spans = self._property(text)
            self._found[text] = spans
        return spans

    def _property(self, text: str) -> Spans:
        for sign in (":", "="):
            name, separator, value = text.partition(sign)
            if separator:
                return self._of_value(name, _plain(value))
        plain = _plain(text)
        entry = self.properties.get(plain)
        if entry is not None:
            categories, exceptions = entry
            return symmetric_difference(of_categories(categories), listed(exceptions))
        if plain in ("any", "assigned", "ascii") or plain in self.categories:
            return self._of_category(plain)
        return self._of_script(text, plain)

    def _of_value(self, name: str, value: str) -> Spans:
        plain = _plain(name)
        if plain in ("gc", "generalcategory"):
            return self._of_category(value)
        if plain in ("sc", "script"):
            return self._of_script(value, value)
        raise NotRead(f"this program has no table of the property {name!r}")

    def _of_category(self, plain: str) -> Spans:
        if plain == "any":
            return EVERYTHING
        if plain == "assigned":
            return complement(of_categories(["Cn"]))
        if plain == "ascii":
            return [(0, 0x7F)]
        names = self.categories.get(plain)
        if names is None:
            raise NotRead(f"there is no general category {plain!r}")
        return of_categories(names)

    def _of_script(self, shown: str, plain: str) -> Spans:
        number = self.scripts.get(plain)
        if number is None:
            raise NotRead(f"the property {shown!r} is not known")
        return difference(spans_of(SCRIPT_TABLE, [number]), of_categories(["Cn"]))


@cache
def rust_unicode() -> RustUnicode:
    """Returns the tables, read at the first use."""
    return RustUnicode()


@cache
def word_characters() -> Spans:
    """Returns the set ``\\w``."""
    known = rust_unicode()
    more = [known.property("Alphabetic"), known.property("Join_Control")]
    return union(of_categories(["M", "Nd", "Pc"]), *more)


@final
class _OpenSet:
    """A set that is being read: its parts so far, or those after an operator and what is before that."""

    def __init__(self, inverted: bool) -> None:
        self.inverted = inverted
        self.parts: list[Spans] = []
        self.left: Spans = []
        self.operator = ""

    def end_side(self, ignore: bool) -> Spans:
        """Returns the set that all up to here is."""
        right = union(*self.parts)
        self.parts = []
        if not self.operator:
            return right
        left = self.left
        if ignore:
            left = rust_unicode().in_any_case(left)
            right = rust_unicode().in_any_case(right)
        if self.operator == "&&":
            return intersection(left, right)
        if self.operator == "--":
            return difference(left, right)
        return symmetric_difference(left, right)


@final
class RustClass:
    """Reads one class, ``\\p{Lu}``, ``\\w`` or ``[a-z&&[^aeiou]]``; ``spans`` is its set.

    ``ignore``: with the letters that equal its own in another case. NotRead for what the engine refuses.
    """

    def __init__(self, source: str, ignore: bool) -> None:
        self._source = source
        self._ignore = ignore
        self._at = 0
        self.spans: Spans = self._set() if source.startswith("[") else self._item()[0]
        if self._at < len(source):
            raise NotRead("a set ends before its last bracket")

    def _folded(self, spans: Spans, inverted: bool) -> Spans:
        """Returns a part as it is: in any case, and only then inverted."""
        if self._ignore:
            spans = rust_unicode().in_any_case(spans)
        return complement(spans) if inverted else spans

    def _set(self) -> Spans:
        source = self._source
        opened: list[_OpenSet] = []
        while True:
            at = self._at
            if at >= len(source):
                raise NotRead("a set is not closed")
            if source[at] == "[":
                named = _ASCII_CLASS.match(source, at) if opened else None
                if named and named[2] in _ASCII_CLASSES:
                    spans = listed(_ASCII_CLASSES[named[2]])
                    opened[-1].parts.append(self._folded(spans, bool(named[1])))
                    self._at = named.end()
                    continue
                if len(opened) == MOST_NESTED:
                    raise NotRead(f"more than {MOST_NESTED} sets are inside each other")
                opened.append(self._open())
            elif source[at] == "]":
                closed = opened.pop()
                spans = self._folded(closed.end_side(self._ignore), closed.inverted)
                self._at = at + 1
                if not opened:
                    return spans
                opened[-1].parts.append(spans)
            elif source.startswith(_OPERATORS, at):
                innermost = opened[-1]
                innermost.left = innermost.end_side(self._ignore)
                innermost.operator = source[at : at + 2]
                self._at = at + 2
            else:
                opened[-1].parts.append(self._range())

    def _open(self) -> _OpenSet:
        """Reads the beginning of a set, in which - and ] may be characters."""
        source = self._source
        inverted = source.startswith("[^", self._at)
        opened = _OpenSet(inverted)
        self._at += 1 + inverted
        while source.startswith("-", self._at):
            opened.parts.append(of_characters("-"))
            self._at += 1
        if not opened.parts and source.startswith("]", self._at):
            opened.parts.append(of_characters("]"))
            self._at += 1
        return opened

    def _range(self) -> Spans:
        """Reads one character or class of a set, or a range from one character to another."""
        source = self._source
        spans, low = self._item()
        at = self._at
        if not source.startswith("-", at) or source.startswith(("-]", "--"), at):
            return spans
        self._at = at + 1
        if self._at >= len(source):
            raise NotRead("a set is not closed")
        _, high = self._item()
        if low < 0 or high < 0:
            raise NotRead("a range begins or ends with a class")
        if high < low:
            raise NotRead("a range does not run from a character to a later one")
        return [(low, high)]

    def _item(self) -> tuple[Spans, int]:
        """Reads a character, or an escape; returns its set, and the character's code or -1."""
        source = self._source
        at = self._at
        character = source[at]
        self._at = at + 1
        if character == "\\":
            character = source[at + 1]
            self._at = at + 2
            if character in "dDsSwW":
                spans = self._perl_class(character.lower())
                return (complement(spans) if character.isupper() else spans), -1
            if character in "pP":
                return self._property(character == "P"), -1
            character = _ESCAPED.get(character, character)
        code = ord(character)
        return [(code, code)], code

    def _perl_class(self, letter: str) -> Spans:
        if letter == "w":
            return word_characters()
        return of_categories(["Nd"]) if letter == "d" else rust_unicode().property("White_Space")

    def _property(self, inverted: bool) -> Spans:
        source = self._source
        at = self._at
        if not source.startswith("{", at):
            self._at = at + 1
            return self._folded(rust_unicode().property(source[at : at + 1]), inverted)
        end = source.find("}", at)
        if end < 0:
            raise NotRead("the name of a property is not closed")
        self._at = end + 1
        name, differs, value = source[at + 1 : end].partition("!=")
        if differs:
            name = f"{name}={value}"
        return self._folded(rust_unicode().property(name), inverted != bool(differs))
