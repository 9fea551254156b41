"""The language of the line that filters a vocabulary: ``the script:latin len:3-5 !flag:splits re:^Ġ.*ing$``.

Terms are separated by spaces; an entry must satisfy all. A word by itself is looked for in the text of an entry.
``!`` before a key negates a term. A value with spaces is in quotes, in which ``""`` is a quotation mark; only a regular
expression needs none: it reaches to the next key, or to the end.
"""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import regex

from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES
from tokenarium.models.text.piece import SPACE
from tokenarium.models.vocabulary.vocabulary_columns import FLAGS
from tokenarium_core import TokenariumError
from tokenarium_core.unicode import SCRIPTS
from tokenarium_core.vocabulary import KINDS

Interval = tuple[float, float]
"""Two numbers, both included."""

Value = bytes | str | tuple[Interval, ...] | frozenset[int] | int


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the query language: its name in words, and its meaning."""

    name: str
    title: str
    about: str


KEYS = {
    key.name: key
    for key in (
        Key("text", "Text", "holds this text, in this case"),
        Key("like", "Text in any case", "holds this text, in any case"),
        Key("re", "Regular expression", "the expression matches somewhere in it"),
        Key("bytes", "Bytes", "holds these bytes, in hexadecimal"),
        Key("id", "Ids", "has one of these ids"),
        Key("rank", "Rank or score", "has this rank or score"),
        Key("len", "Length in bytes", "has this many bytes"),
        Key("chars", "Length in characters", "has this many whole characters"),
        Key("script", "Script", "counts for this script"),
        Key("with", "Any character of a script", "has a character of this script"),
        Key("type", "Type", "is of this type"),
        Key("flag", "Flag", "has this flag"),
        Key("part", "Made with an entry", "is made by a merge of the entry with this id"),
        Key("trained", "Trained", "has this indicator in a model's embeddings"),
        Key("finding", "Finding", "belongs to this finding of the diagnostics"),
    )
}
"""The keys, in the order in which menus offer them."""

MOST_TERMS = 64
"""The most terms of a line: each has a chip, and is tried on all entries."""

_OTHER_NAMES = {"score": "rank", "length": "len", "kind": "type", "regex": "re", "ids": "id"}
_NEXT_KEY = regex.compile(r"\s+!?(?:" + "|".join([*KEYS, *_OTHER_NAMES]) + "):")


class QueryError(TokenariumError):
    """An invalid query; the message is a sentence to show under it."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition. ``start`` and ``end`` are its place in the line, ``written`` its value as written there."""

    key: str
    value: Value
    negated: bool
    start: int
    end: int
    written: str


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word of the line: the key (may be empty), the value without quotes, and whether it is negated."""

    key: str
    value: str
    negated: bool
    start: int
    end: int


def words(line: str) -> Iterator[QueryWord]:
    """Yields the words of a line; an open quotation mark reaches to the end."""
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        start = at
        negated = line[at] == "!"
        head = at + negated
        colon = head
        while colon < len(line) and (line[colon].isalpha() or line[colon] == "_"):
            colon += 1
        key = line[head:colon] if line[colon : colon + 1] == ":" else ""
        if not key and negated and line[head : head + 1] != '"':
            negated, head = False, start  # "!" alone is a text like any other
        at = colon + 1 if key else head
        if _OTHER_NAMES.get(key, key) == "re" and line[at : at + 1] != '"':
            following = _NEXT_KEY.search(line, at)
            end = following.start() if following is not None else len(line)
            value, at = line[at:end].rstrip(), end
        else:
            value, at = _value(line, at)
        yield QueryWord(key, value, negated, start, at)


def _value(line: str, at: int) -> tuple[str, int]:
    """Returns the value that begins at ``at``, without its quotes, and where it ends."""
    if line[at : at + 1] != '"':
        end = at
        while end < len(line) and not line[end].isspace():
            end += 1
        return line[at:end], end
    parts: list[str] = []
    at += 1
    while True:
        end = line.find('"', at)
        if end < 0:
            return "".join([*parts, line[at:]]), len(line)
        parts.append(line[at:end])
        if line[end + 1 : end + 2] != '"':
            return "".join(parts), end + 1
        parts.append('"')
        at = end + 2


def quoted(value: str) -> str:
    """Returns a value as written in a line.

    >>> quoted("the"), quoted(" the"), quoted('"')
    ('the', '" the"', '\"\"\"\"')
    """
    plain = value and not value.startswith(('"', '!"')) and not any(c.isspace() for c in value)
    return value if plain else '"' + value.replace('"', '""') + '"'


def written(key: str, value: str) -> str:
    """Returns a term as written in a line; without a key, it is looked for in the text."""
    if key:
        return f"{key}:{quoted(value)}"
    plain = quoted(value)
    first = next(words(plain), None)
    if first is None or first.key or first.negated or plain != value:
        return '"' + value.replace('"', '""') + '"'
    return plain


def parse(line: str, space_signs: str = "") -> list[Term]:
    """Returns the terms of a line; QueryError for an invalid one.

    A key without a value yet is ignored. ``space_signs`` are the signs for a space in the vocabulary's file
    (Ġ, ▁) and in its table (␣): they stand for one here too.
    """
    terms: list[Term] = []
    for word in words(line):
        key = _OTHER_NAMES.get(word.key, word.key)
        if key and key not in KEYS:
            key = _unknown_key(word.key)
        raw = f"{word.key}:{word.value}" if word.key and not key else word.value
        if not raw:
            continue
        if key in _READERS:
            value = _READERS[key](raw, space_signs)
        else:
            key = key or "text"
            value = _spaced(raw, space_signs).encode("utf-8", "surrogatepass")
        if len(terms) == MOST_TERMS:
            raise QueryError(
                f"A filter has at most {MOST_TERMS} terms. Put a text that contains spaces in quotes."
            )
        terms.append(Term(key, value, word.negated, word.start, word.end, raw))
    return terms


def _unknown_key(key: str) -> str:
    """Returns no key (the word is text), unless it looks like a mistyped one: QueryError."""
    near = difflib.get_close_matches(key, [*KEYS, *_OTHER_NAMES], 1, 0.7)
    if near:
        raise QueryError(
            f"There is no filter “{key}:”. Did you mean “{near[0]}:”? Put it in quotes to look for it as text."
        )
    return ""


def _spaced(value: str, space_signs: str) -> str:
    for sign in space_signs:
        value = value.replace(sign, _SIGNS[sign])
    return value


_SIGNS = {SPACE: " ", "Ġ": " ", "▁": " ", "Ċ": "\n", "ĉ": "\t"}


def _bytes(value: str, space_signs: str) -> bytes:
    digits = "".join(value.lower().replace("0x", " ").replace(",", " ").split())
    wrong = next((c for c in digits if c not in "0123456789abcdef"), "")
    if wrong:
        raise QueryError(
            f'“{wrong}” is not a hexadecimal digit. Bytes are written like bytes:f09f or bytes:"f0 9f".'
        )
    # A single last digit is the first half of a byte that is being typed.
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def _numbers(value: str, space_signs: str) -> tuple[Interval, ...]:
    return tuple(_interval(part.strip()) for part in value.split(",") if part.strip())


def _interval(part: str) -> Interval:
    for sign, turned in ((">=", (0, 1)), ("<=", (0, -1)), (">", (1, 1)), ("<", (1, -1))):
        if part.startswith(sign):
            if part == sign:
                return -math.inf, math.inf
            strict, way = turned
            number = _number(part[len(sign) :], part)
            edge = math.nextafter(number, way * math.inf) if strict else number
            return (edge, math.inf) if way > 0 else (-math.inf, edge)
    first, dots, last = part.partition("..")
    if not dots:
        cut = part.find("-", 1)
        if cut < 0 or part[cut - 1] in "eE":
            number = _number(part, part)
            return number, number
        first, last = part[:cut], part[cut + 1 :]
    low = _number(first, part) if first else -math.inf
    high = _number(last, part) if last else math.inf
    if low > high:
        raise QueryError(f"“{part}” ends before it begins: write {last}-{first}.")
    return low, high


def _number(digits: str, part: str) -> float:
    try:
        number = float(digits.replace("−", "-").replace("_", ""))
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise QueryError(
            f"“{part}” is not a number or range. Write 5, 3-5, >5, or several: 1,4,10-20."
        )
    return number


def _choices(value: str, names: list[str], codes: list[str], what: str) -> frozenset[int]:
    """Returns the numbers of the names that are equal, else of those that begin with the text."""
    numbers: set[int] = set()
    for part in value.split(","):
        plain = _plain(part)
        if not plain:
            continue
        exact = {index for index, name in enumerate(names) if _plain(name) == plain}
        exact |= {index for index, code in enumerate(codes) if code.lower() == plain}
        places = exact or {n for n, name in enumerate(names) if _plain(name).startswith(plain)}
        if not places:
            near = difflib.get_close_matches(plain, [_plain(name) for name in names], 1, 0.6)
            hint = f" Did you mean {near[0]}?" if near else f" There are: {', '.join(names[:12])} …"
            raise QueryError(f"There is no {what} “{part.strip()}”.{hint}")
        numbers |= places
    return frozenset(numbers)


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "").replace("_", "").replace("-", "")


def _scripts(value: str, space_signs: str) -> frozenset[int]:
    return _choices(value, list(CLASS_NAMES), SCRIPTS, "script")


def _kinds(value: str, space_signs: str) -> frozenset[int]:
    return _choices(value, KINDS, [], "type")


def _flags(value: str, space_signs: str) -> int:
    names = list(FLAGS)
    bits = 0
    for flag in _choices(value, names, [], "flag"):
        bits |= FLAGS[names[flag]][0]
    return bits


MOST_TIMES = 10_000
"""The most that the repeat counts of an expression may multiply to: the library needs gigabytes for more."""

_COUNTS = regex.compile(r"\{(\d*)(?:,(\d*))?\}")


def _expression(value: str, space_signs: str) -> str:
    value = _spaced(value, space_signs)
    counts = [
        max(int(group[:7] or 1) for group in match.groups("1")) for match in _COUNTS.finditer(value)
    ]
    if math.prod(max(count, 1) for count in counts) > MOST_TIMES:
        raise QueryError(
            f"The regular expression repeats its parts more than {MOST_TIMES:,} times. Write smaller numbers in {{}}."
        )
    try:
        with warnings.catch_warnings():  # a later version of the library may read some differently
            warnings.simplefilter("ignore")
            regex.compile(value)
    except regex.error as error:
        raise QueryError(f"The regular expression cannot be read: {error}.") from None
    except (OverflowError, RecursionError, MemoryError):
        raise QueryError("The regular expression is too large.") from None
    return value


_READERS: dict[str, Callable[[str, str], Value]] = {
    "re": _expression,
    "bytes": _bytes,
    "id": _numbers,
    "rank": _numbers,
    "len": _numbers,
    "chars": _numbers,
    "part": _numbers,
    "trained": _numbers,
    "script": _scripts,
    "with": _scripts,
    "type": _kinds,
    "flag": _flags,
    "finding": lambda value, _: value,
}
