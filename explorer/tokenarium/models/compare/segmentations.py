"""Files of words divided into morphemes: lines of words and parts, UniMorph, CoNLL-U, and the tables of MorphScore."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tokenarium.models.text.piece import quoted

READ_AT_ONCE = 2_000  # lines between two looks at the clock

_CONLL_COLUMNS = 10
_IN_LINES = re.compile(r" @@|@@ |[ |]")
_IN_CONLL = re.compile("-")
_V2 = frozenset(["wordform", "stem", "preceding_part", "following_part"])
_V1 = frozenset(["full_word", "pt1", "rest"])
_DIGIT = re.compile(r"\d")

FORMS = (
    "A line has a word, a tab and its parts with spaces or | between them; or it is a line of UniMorph, of CoNLL-U with MSeg= in"
    " MISC, or of a CSV file of MorphScore."
)
"""What is understood, for users."""


class SegmentedWord(NamedTuple):
    """A word and its morphemes; ``weight`` is how often it occurs. ``cuts`` are the bytes before its inner boundaries.

    A cut beyond the end of the word, as the tables of MorphScore may have, is -1.
    """

    word: str
    parts: tuple[str, ...]
    cuts: tuple[int, ...]
    weight: float = 1.0


@dataclass(slots=True)
class Segmentations:
    """The words of a file. ``faults`` are the lines that are not understood, with the reason.

    ``bare``: words that the file does not divide; ``left_out``: rows that MorphScore leaves out.
    """

    words: list[SegmentedWord] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)
    bare: int = 0
    left_out: int = 0


def read_segmentations(text: str, found: Segmentations) -> Iterator[tuple[int, int]]:
    """Fills ``found`` with the words of a text; yields from time to time how many lines of how many are read.

    The same word with the same parts, in several lines, is one word of that weight; rows of a table stay as they are.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    names = {name.strip() for name in lines[0].split(",")}
    if names >= _V2 or names >= _V1:
        yield from _read_table(lines, found)
        return
    weights: dict[tuple[str, tuple[str, ...]], int] = {}
    for number, line in enumerate(lines, 1):
        if number % READ_AT_ONCE == 0:
            yield number, len(lines)
        if not line.strip() or line.startswith("#"):
            continue
        word, written, separator = _divided(line.split("\t"))
        if separator is None:
            found.faults.append((number, written))
        elif not written:
            found.bare += 1
        elif not (parts := parts_of(word, written, separator)):
            found.faults.append((number, f"the parts {_said(written)} do not spell {_said(word)}"))
        else:
            weights[word, parts] = weights.get((word, parts), 0) + 1
    found.words += [
        SegmentedWord(word, parts, _cuts(word, parts), weight)
        for (word, parts), weight in weights.items()
    ]


def _divided(fields: list[str]) -> tuple[str, str, re.Pattern[str] | None]:
    """Returns the word of a line, its parts as they are written, and what is between parts.

    No parts if the line has none; instead of a separator None, with the reason, if it is not understood.
    """
    fields = [one.strip() for one in fields]
    if len(fields) == _CONLL_COLUMNS:
        misc = dict(one.partition("=")[::2] for one in fields[9].split("|"))
        return fields[1], misc.get("MSeg", ""), _IN_CONLL
    if len(fields) == 1:
        return "", "there is no tab between a word and its parts", None
    # A third field of digits is the class of a word in SIGMORPHON 2022; else the line is lemma, form, features, parts.
    if len(fields) == 2 or (len(fields) == 3 and fields[2].isdigit()):
        word, written = fields[:2]
    else:
        word, written = fields[1], "".join(fields[3:4])
    if not word:
        return "", "there is no word", None
    return word, "" if written == "-" != word else written, _IN_LINES


def parts_of(word: str, written: str, separator: re.Pattern[str]) -> tuple[str, ...]:
    """Returns the parts of a word, () if they do not spell it; what is between parts may occur in the word.

    >>> parts_of("undoing", "un do|ing", re.compile("[ |]"))
    ('un', 'do', 'ing')
    >>> parts_of("well-being", "well-be-ing", re.compile("-"))
    ('well-be', 'ing')
    """
    parts = tuple(part for part in separator.split(written) if part)
    if "".join(parts) == word:
        return parts
    made, at, place = [""], 0, 0
    while place < len(written):
        if word.startswith(written[place], at):
            made[-1] += written[place]
            at, place = at + 1, place + 1
        elif (between := separator.match(written, place)) is not None:
            made.append("")
            place = between.end()
        else:
            return ()
    return tuple(filter(None, made)) if at == len(word) else ()


def _cuts(word: str, parts: Sequence[str]) -> tuple[int, ...]:
    cuts, at = [], 0
    for part in parts[:-1]:
        at += len(part)
        cuts.append(len(word[:at].encode("utf-8", "surrogatepass")) if at <= len(word) else -1)
    return tuple(cuts)


def _read_table(lines: list[str], found: Segmentations) -> Iterator[tuple[int, int]]:
    """Reads a table of MorphScore, with the rows that its version 2 takes by default."""
    table = csv.DictReader(lines, restval="")
    number = 1
    while True:
        try:
            row = next(table, None)
        except csv.Error as error:
            found.faults.append((table.line_num, f"this is no CSV: {error}"))
            continue
        if row is None:
            return
        number = table.line_num
        if number % READ_AT_ONCE == 0:
            yield number, len(lines)
        if "pt1" in row:
            word, parts = row["full_word"], [row["pt1"], row["rest"]]
        else:
            word = row["wordform"].strip()
            prefix, suffix = row["preceding_part"], row["following_part"]
            parts = [prefix] * bool(prefix) + [row["stem"]] + [suffix] * bool(suffix)
            if _is_left_out(row):
                found.left_out += 1
                continue
        if not word or not all(parts):
            found.faults.append((number, "a word or a part is empty"))
            continue
        try:
            weight = float(row.get("word_freq_norm") or 1)
        except ValueError:
            found.faults.append((number, f"{_said(row['word_freq_norm'])} is no frequency"))
            continue
        found.words.append(SegmentedWord(word, tuple(parts), _cuts(word, parts), weight))


def _is_left_out(row: Mapping[str, str]) -> bool:
    """Returns whether version 2 of MorphScore leaves a row out, by its defaults."""
    if row.get("unique", "unique") != "unique" or _DIGIT.search(row["wordform"]):
        return True
    if row.get("lemma", row["stem"]) != row["stem"]:
        return True
    return not row.get("data_split", "test").startswith(("train", "dev", "test"))


def _said(text: str) -> str:
    return quoted(text.encode("utf-8", "surrogatepass"))
