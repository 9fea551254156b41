"""Canonical forms of regular expressions: two patterns that are only written differently have one form.

The rules keep what a backtracking engine finds first: groups that only hold something are opened, repetitions of the
same characters in a row become one, neighbouring alternatives of one character become a class, and classes are the sets
of their characters. Patterns with different forms may still match the same.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from tokenarium_core.errors import FormatError, PatternError
from tokenarium_core.patterns.oniguruma import OnigurumaPattern
from tokenarium_core.patterns.oniguruma_characters import as_seen
from tokenarium_core.patterns.regex_engine import compile_source
from tokenarium_core.patterns.syntax_tree import (
    CHOICE,
    ENDLESS,
    GROUP,
    OTHER,
    REPEAT,
    SEQUENCE,
    SINGLE,
    PatternNode,
    read_pattern,
)
from tokenarium_core.pretokenizers.hf_scanners import scanner_for_oniguruma
from tokenarium_core.pretokenizers.pattern import oniguruma_pattern
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import SAME_CUTS, SCANNERS
from tokenarium_core.unicode.code_sets import Spans, intersection, symmetric_difference, union
from tokenarium_core.unicode.codepoints import CODE_POINTS

_MOST_SHOWN: Final = 24  # characters of a difference of classes
_MOST_ORDERED: Final = 40  # alternatives that are put into one order

_CLASS: Final = re.compile(r"(?P<one>\[[0-9A-F -]*\])|<(?P<run>\[[0-9A-F -]*\])>\{1,\}")

_SPELLED: Final = {name: source for source, name in reversed(SAME_CUTS.items())}
"""Other spellings of the patterns of scanners."""


def spelled_for(scanner: PreTokenizer) -> str:
    """Returns the pattern of a scanner as Oniguruma reads it, without ``$``, which is the end of a line there."""
    source = oniguruma_pattern(scanner)
    return _SPELLED.get(scanner.name, source) if "$" in source else source


@cache
def form_of(source: str) -> str:
    """Returns the canonical form of a pattern of a ``tokenizer.json``; the pattern itself if it cannot be read."""
    try:
        return _key(canonical_tree(source))
    except (FormatError, PatternError):
        return source


def leaves_nothing_out(source: str) -> bool:
    """Returns whether a pattern is known to match all of any text: whether it is the twin of a scanner's."""
    return form_of(source) in _whole_forms()


@cache
def _whole_forms() -> frozenset[str]:
    return frozenset([form_of(spelled_for(scanner)) for scanner in SCANNERS.values()])


@cache
def form_of_string(content: str) -> str:
    """Returns the canonical form of the pattern that matches a string."""
    parts = [_class([(ord(character), ord(character))]) for character in content]
    return _key(_sequence(parts))


def form_of_class(spans: Spans) -> str:
    """Returns the canonical form of a pattern that matches one character of a set."""
    return _key(_class(spans))


def class_in(form: str) -> str:
    """Returns the form of a class, if a form is that or one or more of it; empty for any other form."""
    found = _CLASS.fullmatch(form)
    return str(found["one"] or found["run"]) if found else ""


def run_of(form: str) -> str:
    """Returns the form of one or more characters of a class."""
    return f"<{form}>{{1,}}"


def parting_characters(one: str, other: str) -> str:
    """Returns characters that are in a class of one pattern and in no class of the other, or on which two classes of
    the same number differ: the texts to try first.
    """
    try:
        mine = _classes(canonical_tree(one))
        others = _classes(canonical_tree(other))
    except (FormatError, PatternError):
        return ""
    found: list[str] = []
    keys = [_spelled(spans) for spans in mine]
    other_keys = [_spelled(spans) for spans in others]
    left = [spans for spans, key in zip(mine, keys, strict=True) if key not in other_keys]
    right = [spans for spans, key in zip(others, other_keys, strict=True) if key not in keys]
    for spans in left:
        for its in right or [[]]:
            for first, last in symmetric_difference(spans, its):
                found += [chr(first), chr(last)]
                if len(found) >= _MOST_SHOWN:
                    break
    for spans in [] if left else right:
        found += [chr(first) for first, _ in spans]
    return "".join(
        [c for c in dict.fromkeys(found[: 4 * _MOST_SHOWN]) if not 0xD800 <= ord(c) < 0xE000]
    )


def parting_alternatives(one: str, other: str) -> tuple[str, str]:
    """Returns the alternatives of two patterns that have no twin in the other pattern, between ellipses.

    They are the patterns themselves if no alternative has a twin, or the order is what differs.
    """
    ours, theirs = _alternatives(one), _alternatives(other)
    forms, other_forms = list(map(form_of, ours)), list(map(form_of, theirs))
    left = [way for way, form in zip(ours, forms, strict=True) if form not in other_forms]
    right = [way for way, form in zip(theirs, other_forms, strict=True) if form not in forms]
    if not (left or right) or (len(left) == len(ours) and len(right) == len(theirs)):
        return one, other
    return "|".join([*left, "…"]), "|".join([*right, "…"])


def _alternatives(source: str) -> list[str]:
    """Returns the alternatives of a whole pattern as they are written."""
    tree = read_pattern(source)
    ways = tree.parts if tree.kind == CHOICE else [tree]
    return [source[way.at : way.end] for way in ways]


def characters_of(source: str) -> str:
    """Returns a character or two of each class of a pattern; empty for one that cannot be read."""
    try:
        classes = _classes(canonical_tree(source))
    except (FormatError, PatternError):
        return ""
    found: list[str] = []
    for spans in classes:
        for first, last in spans[:3]:
            found += [chr(first), chr(last)]
    return "".join([c for c in dict.fromkeys(found) if not 0xD800 <= ord(c) < 0xE000])


def canonical_tree(source: str) -> PatternNode:
    """Returns the tree of a pattern after all rules; the text of a class is its spans. FormatError as its reader."""
    scanner = scanner_for_oniguruma(source)
    if scanner is not None:  # one of several spellings with the same cuts
        source = spelled_for(scanner)
    tree = OnigurumaPattern(source).tree
    refers = any(
        part.kind == OTHER and part.text[:1] == "\\" and part.text[1:2].isdigit()
        for part in tree.all_parts()
    )
    return _ended(_canonical(tree, refers or "(?P=" in tree.written()))


def _canonical(node: PatternNode, refers: bool) -> PatternNode:
    """Returns the canonical form of a part; ``refers``: groups count, because something refers to them."""
    if node.kind == SINGLE:
        return _class(_spans(node.text))
    if node.kind == OTHER:
        return node
    parts = [_canonical(part, refers) for part in node.parts]
    if node.kind == GROUP:
        holds = node.text == "(?:" or (not refers and (node.text == "(" or node.text[:4] == "(?P<"))
        return parts[0] if holds else PatternNode(GROUP, node.text, parts)
    if node.kind == REPEAT:
        return _repeat(parts[0], node.least, node.most, _manner(node.text))
    return _choice(parts) if node.kind == CHOICE else _sequence(parts)


def _repeat(part: PatternNode, least: int, most: int, manner: str) -> PatternNode:
    if least == 1 and most == 1:
        return part
    if part.kind == REPEAT and part.text == manner == "" and part.parts[0].kind == SINGLE:
        inner = part
        if inner.least <= 1 and inner.most == ENDLESS and most >= 1:
            # One or more of one or more: of any number of them, as many as there are.
            return (
                _repeat(inner.parts[0], inner.least * min(least, 1), ENDLESS, "")
                if least <= 1
                else PatternNode(REPEAT, manner, [part], least, most)
            )
    return PatternNode(REPEAT, manner, [part], least, most)


def _sequence(parts: list[PatternNode]) -> PatternNode:
    joined: list[PatternNode] = []
    flat: list[PatternNode] = []
    for part in parts:
        flat += part.parts if part.kind == SEQUENCE else [part]
    for part in flat:
        if joined:
            together = _joined(joined[-1], part)
            if together is not None:
                joined[-1] = together
                continue
        joined.append(part)
    return joined[0] if len(joined) == 1 else PatternNode(SEQUENCE, "", joined)


def _joined(one: PatternNode, other: PatternNode) -> PatternNode | None:
    """Returns two repetitions of the same characters as one; None if they are not."""
    base, least, most = _counted(one)
    its_base, its_least, its_most = _counted(other)
    if base is None or its_base is None or base.text != its_base.text:
        return None
    total = ENDLESS if ENDLESS in (most, its_most) else most + its_most
    return _repeat(base, least + its_least, total, "")


def _counted(node: PatternNode) -> tuple[PatternNode | None, int, int]:
    """Returns the class that a part repeats greedily, and how often; None for any other part."""
    if node.kind == SINGLE:
        return node, 1, 1
    if node.kind == REPEAT and not node.text and node.parts[0].kind == SINGLE:
        return node.parts[0], node.least, node.most
    return None, 0, 0


def _choice(parts: list[PatternNode]) -> PatternNode:
    ways: list[PatternNode] = []
    flat: list[PatternNode] = []
    for part in parts:
        flat += part.parts if part.kind == CHOICE else [part]
    if len(flat) <= _MOST_ORDERED:
        _order(flat)
    for way in _factored(flat):
        if ways:
            last = ways[-1]
            if last.kind == SINGLE and way.kind == SINGLE:
                ways[-1] = _class(union(_read(last.text), _read(way.text)))
                continue
            base, least, most = _counted(last)
            its_base, its_least, its_most = _counted(way)
            if base is not None and its_base is not None and base.text == its_base.text:
                if its_most == least - 1:  # three, or else two, or else one
                    ways[-1] = _repeat(base, its_least, most, "")
                    continue
        ways.append(way)
    return ways[0] if len(ways) == 1 else PatternNode(CHOICE, "", ways)


def _order(ways: list[PatternNode]) -> None:
    """Puts alternatives that never begin with the same character into one order; only one of them can match."""
    keys = [f"{way.kind == SINGLE:d}{_key(way)}" for way in ways]
    firsts = [_first(way) for way in ways]
    for _round in ways:
        for at in range(len(ways) - 1):
            one, other = firsts[at], firsts[at + 1]
            if one and other and keys[at] > keys[at + 1] and not intersection(one, other):
                for column in (keys, firsts, ways):
                    _swap(column, at)


def _swap(column: list[Any], at: int) -> None:
    column[at], column[at + 1] = column[at + 1], column[at]


def _first(node: PatternNode) -> Spans:
    """Returns the characters with which each match of a part begins; empty if that is not plain."""
    while node.kind == SEQUENCE and node.parts:
        node = node.parts[0]
    base, least, _ = _counted(node)
    return _read(base.text) if base is not None and least else []


def _factored(ways: list[PatternNode]) -> list[PatternNode]:
    """Returns alternatives where those in a row that begin with the same character have it before them once."""
    rows: list[list[PatternNode]] = []
    for way in ways:
        head = _head(way)
        if rows and head and _head(rows[-1][0]) == head:
            rows[-1].append(way)
        else:
            rows.append([way])
    factored: list[PatternNode] = []
    for row in rows:
        if len(row) == 1:
            factored.append(row[0])
        else:
            rests = _choice([_sequence(way.parts[1:]) for way in row])
            factored.append(_sequence([row[0].parts[0], rests]))
    return factored


def _head(way: PatternNode) -> str:
    is_row = way.kind == SEQUENCE and len(way.parts) > 1 and way.parts[0].kind == SINGLE
    return way.parts[0].text if is_row else ""


def _ended(node: PatternNode) -> PatternNode:
    """Returns the whole pattern without what changes nothing at its end: there, nothing makes a repetition give back."""
    if node.kind == CHOICE:
        return _choice([_ended(part) for part in node.parts])
    # An engine treats an iteration that matches nothing in its own way.
    if node.kind == REPEAT and node.text == "+" and not node.parts[0].may_be_empty():
        return _repeat(node.parts[0], node.least, node.most, "")
    if node.kind != SEQUENCE or not node.parts:
        return node
    parts = list(node.parts)
    parts[-1] = _ended(parts[-1]) if parts[-1].kind == REPEAT else parts[-1]
    for index in range(len(parts) - 1):
        part = parts[index]
        if part.kind == REPEAT and part.text == "+" and part.parts[0].kind == SINGLE:
            follower, least, _ = _counted(parts[index + 1])
            own = _read(part.parts[0].text)
            # What follows begins with another character, so giving back would never help.
            if follower is not None and not intersection(own, _read(follower.text)):
                if least or index + 2 == len(parts):
                    parts[index] = _repeat(part.parts[0], part.least, part.most, "")
    return _sequence(parts)


def _manner(quantifier: str) -> str:
    """Returns what follows the counts of a quantifier: ``?`` for a lazy one, ``+`` for a possessive one."""
    return quantifier[-1] if len(quantifier) > 1 and quantifier[-1] in "?+" else ""


def _key(node: PatternNode) -> str:
    """Returns a part as text, in which equal parts are equal."""
    inner = [_key(part) for part in node.parts]
    if node.kind == SINGLE or node.kind == OTHER:
        return node.text
    if node.kind == GROUP:
        return f"{node.text}{inner[0]})"
    if node.kind == REPEAT:
        most = "" if node.most == ENDLESS else str(node.most)
        return f"<{inner[0]}>{{{node.least},{most}}}{node.text}"
    return "|".join([f"<{way}>" for way in inner]) if node.kind == CHOICE else "".join(inner)


# Classes, as the sets of their characters.


def _class(spans: Spans) -> PatternNode:
    return PatternNode(SINGLE, _spelled(spans))


def _spelled(spans: Spans) -> str:
    return "[" + " ".join([f"{first:X}-{last:X}" for first, last in spans]) + "]"


@cache
def _read(spelled: str) -> Spans:
    """Returns the spans that `_spelled` wrote."""
    spans: Spans = []
    for part in spelled[1:-1].split():
        first, _, last = part.partition("-")
        spans.append((int(first, 16), int(last, 16)))
    return spans


def _classes(tree: PatternNode) -> list[Spans]:
    return [_read(part.text) for part in tree.all_parts() if part.kind == SINGLE]


@cache
def _everything() -> str:
    """Returns all characters but surrogates, which are NUL, as Oniguruma's patterns see them."""
    return as_seen(
        "".join([chr(code if not 0xD800 <= code < 0xE000 else 0) for code in range(CODE_POINTS)])
    )


@cache
def _spans(text: str) -> Spans:
    """Returns the code points of a class, as the `regex` module writes it."""
    compiled: Any = compile_source(f"(?V1)(?:{text})+")
    matches = compiled.finditer(_everything(), concurrent=False)
    return union([(match.start(), match.end() - 1) for match in matches])
