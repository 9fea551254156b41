"""Which entries of a vocabulary satisfy a query: at once, but for some regular expressions, tried in slices."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import regex

from tokenarium.models.vocabulary.entry_characters import LONG
from tokenarium.models.vocabulary.vocabulary_columns import Ids, Mask, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_query import Interval, QueryError, Term
from tokenarium_core.explaining.near_spellings import spelled_bytes
from tokenarium_core.patterns.syntax_tree import OTHER, REPEAT, SEQUENCE, SINGLE, read_pattern
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import (
    BYTE,
    CONTINUING,
    CONTROL,
    SPACE_MARK,
    USER_DEFINED,
    WORD_END,
)

SHORT = 20
"""Characters: what an expression does with a shorter text is soon over, whatever it is."""

TIMEOUT_S = 0.2
"""So long an expression may take for one entry."""

FEW = 1000
"""Entries that are tried one by one sooner than an automaton is made."""

TURN = 64
"""Entries that are tried between two looks at the clock."""


def space_signs(columns: VocabularyColumns) -> str:
    """Returns the signs by which blanks are written in a vocabulary, for `vocabulary_query.parse`."""
    if columns.vocabulary.spelling == SPACE_MARK:
        return "▁"
    return "ĠĊĉ" if columns.has_byte_spelling else ""


def holding(columns: VocabularyColumns, needle: bytes, ignore_case: bool = False) -> Mask:
    """Returns of each entry whether it holds these bytes; those of several entries side by side do not count."""
    found = np.zeros(columns.count, np.bool_)
    data = columns.lowered if ignore_case else columns.data
    room = len(data) - len(needle) + 1
    if not needle or room <= 0:
        return ~found if not needle else found
    places = data[:room] == needle[0]
    for at in range(1, min(len(needle), 8)):
        places &= data[at : at + room] == needle[at]
    starts = np.flatnonzero(places)
    for at in range(8, len(needle)):
        starts = starts[data[starts + at] == needle[at]]
    entries = columns.owners[starts]
    whole = starts + len(needle) <= columns.offsets[1:][entries]
    found[entries[whole]] = True
    return found


def spelled_with(columns: VocabularyColumns, text: str) -> Mask:
    """Returns of each entry whether files spell it with this: ``Ã©``, ``##ing``, ``<0x0A>``."""
    vocabulary, kinds = columns.vocabulary, columns.kinds
    found = np.zeros(columns.count, np.bool_)
    found[[token for token, surface in vocabulary.spelled.items() if text in surface]] = True
    byte = regex.fullmatch("<0x([0-9A-Fa-f]{2})>", text)
    if byte and vocabulary.spelling == SPACE_MARK:
        found |= (kinds == BYTE) & holding(columns, bytes.fromhex(byte[1]))
    affix = vocabulary.affix
    if affix and text.startswith(affix):
        found |= _edged(columns, CONTINUING, _spelled_bytes(columns, text[len(affix) :]))
    elif affix and text.endswith(affix):
        found |= _edged(columns, WORD_END, _spelled_bytes(columns, text[: -len(affix)]))
    elif columns.has_byte_spelling:
        needle = _spelled_bytes(columns, text)
        if needle is not None:
            found |= holding(columns, needle) & (kinds != CONTROL) & (kinds != USER_DEFINED)
    return found


def _spelled_bytes(columns: VocabularyColumns, text: str) -> bytes | None:
    """Returns the bytes that are spelled so; None where none are."""
    if columns.has_byte_spelling:
        return spelled_bytes(text)
    if columns.vocabulary.spelling == SPACE_MARK:
        text = text.replace("▁", " ")
    return text.encode("utf-8", "surrogatepass")


def _edged(columns: VocabularyColumns, kind: int, edge: bytes | None) -> Mask:
    """Returns of each entry whether it goes on a word and begins with these bytes, or ends one and ends with them."""
    found = np.zeros(columns.count, np.bool_)
    if edge is None:
        return found
    ids = np.flatnonzero((columns.kinds == kind) & (columns.lengths >= len(edge)))
    starts = columns.offsets[ids]
    if kind == WORD_END:
        starts = columns.offsets[ids + 1] - len(edge)
    same = np.ones(len(ids), np.bool_)
    for place, byte in enumerate(edge):
        same &= columns.data[starts + place] == byte
    found[ids[same]] = True
    return found


class Filter:
    """Answers queries about one vocabulary; ``findings`` are sets of ids by name."""

    def __init__(self, columns: VocabularyColumns, findings: Mapping[str, Sequence[int]]) -> None:
        self._columns = columns
        self._findings = findings

    def mask(self, terms: Sequence[Term]) -> Mask:
        """Returns of each entry whether it satisfies all terms but the regular expressions."""
        found = np.ones(self._columns.count, np.bool_)
        for term in terms:
            if term.key != "re":
                one = self._satisfying(term)
                found &= ~one if term.negated else one
        return found

    def _satisfying(self, term: Term) -> Mask:
        columns, value = self._columns, term.value
        match term.key:
            case "text" if isinstance(value, bytes):
                # As the file spells it only where nothing has these bytes: é is a letter, and there a byte too.
                held = holding(columns, value)
                return held if held.any() else spelled_with(columns, term.written)
            case "bytes" if isinstance(value, bytes):
                return holding(columns, value)
            case "like" if isinstance(value, bytes):
                return holding(columns, columns.lower(value), ignore_case=True)
            case "part" if isinstance(value, tuple):
                return self._with_part(value)
            case "finding":
                return self._of_finding(str(value))
        if isinstance(value, frozenset):
            return self._chosen(term.key, value)
        if isinstance(value, tuple):
            return self._within(term.key, value)
        assert isinstance(value, int)
        flagged: Mask = (columns.flags & np.uint8(value)) != 0
        return flagged

    def _within(self, key: str, intervals: tuple[Interval, ...]) -> Mask:
        columns = self._columns
        numbers: npt.NDArray[Any] = columns.values
        if key == "id":
            numbers = np.arange(columns.count)
        elif key != "rank":
            numbers = columns.lengths if key == "len" else columns.characters
        found = np.zeros(columns.count, np.bool_)
        for low, high in intervals:
            found |= (numbers >= low) & (numbers <= high)
        return found & ~columns.unranked if key == "rank" else found

    def _with_part(self, intervals: tuple[Interval, ...]) -> Mask:
        columns, merges = self._columns, self._columns.merges
        found = np.zeros(columns.count, np.bool_)
        for low, high in intervals if merges is not None else ():
            assert merges is not None
            sides = (merges.lefts, merges.rights)
            chosen = np.logical_or(*((side >= low) & (side <= high) for side in sides))
            made = merges.results[chosen]
            found[made[(made >= 0) & (made < columns.count)]] = True
        return found

    def _chosen(self, key: str, places: frozenset[int]) -> Mask:
        columns = self._columns
        wanted = np.zeros(256, np.bool_)
        wanted[list(places)] = True
        if key == "type":
            return wanted[columns.kinds]
        found = wanted[columns.scripts]
        if key == "with":
            found[columns.mixed_ids[wanted[columns.mixed_scripts]]] = True
        return found

    def _of_finding(self, name: str) -> Mask:
        if name not in self._findings:
            known = ", ".join(self._findings) or "none yet: open the page Diagnostics"
            raise QueryError(f"There is no finding “{name}”. Those of this tokenizer are {known}.")
        found = np.zeros(self._columns.count, np.bool_)
        found[list(self._findings[name])] = True
        return found


class ExpressionSearch:
    """Tries regular expressions on the entries that satisfy all else.

    Regular ones are tried on all entries at once (`EntryCharacters`), others one by one, in slices. An entry for which
    an expression takes too long counts as one that it does not match; ``gave_up`` says how many there were.
    """

    def __init__(self, columns: VocabularyColumns, terms: Sequence[Term], tried: Ids) -> None:
        self._columns = columns
        terms = [term for term in terms if term.key == "re"]
        mask = np.ones(columns.count, np.bool_)
        for term in terms:
            if not term.negated:
                mask &= holding(columns, needed_text(str(term.value)).encode())
        self._tried = tried[mask[tried]]
        self._patterns = [(regex.compile(str(term.value)), term.negated) for term in terms]
        self._open = self._patterns
        doubtful = np.ones(len(self._tried), np.bool_)
        if len(self._tried) > FEW:
            doubtful = self._decide(terms)
        self._found = ~doubtful
        self._places = np.flatnonzero(doubtful)
        self._at = 0
        self.gave_up = 0

    def _decide(self, terms: Sequence[Term]) -> Mask:
        """Leaves out entries that a regular expression rules out; returns of the others whether they must be tried."""
        spelled = self._columns.spelled
        matched = [spelled.matched(str(term.value)) for term in terms]
        self._open = [
            one
            for one, found in zip(self._patterns, matched, strict=True)
            if found is None or not found[1]
        ]
        long = np.zeros(self._columns.count, np.bool_)
        long[spelled.long] = True
        mask = np.ones(self._columns.count, np.bool_)
        for term, found in zip(terms, matched, strict=True):
            if found is not None and (found[1] or not term.negated):
                mask &= long | (found[0] != term.negated)
        self._tried = self._tried[mask[self._tried]]
        return np.ones(len(self._tried), np.bool_) if self._open else long[self._tried]

    @property
    def found(self) -> Ids:
        """The entries that match as far as they have been tried, in the order that they were given in."""
        return self._tried[self._found]

    def step(self, budget_ms: float) -> Progress:
        """Tries more entries, for about so long."""
        until = time.perf_counter() + budget_ms / 1000
        total = len(self._places)
        spelled, tried = self._columns.spelled, self._tried
        while self._at < total:
            turn = self._places[self._at : self._at + TURN]
            self._at += TURN
            texts = [spelled.text(token) for token in tried[turn].tolist()]
            self._found[turn] = [self._matches(text) for text in texts]
            if time.perf_counter() > until:
                break
        return Progress("Searching", min(self._at, total), total, self._at >= total)

    def _matches(self, text: str) -> bool:
        try:
            if len(text) < SHORT:
                for pattern, negated in self._open:
                    if (pattern.search(text) is None) != negated:
                        return False
                return True
            for pattern, negated in self._patterns if len(text) > LONG else self._open:
                if (pattern.search(text, timeout=TIMEOUT_S) is None) != negated:
                    return False
        except TimeoutError:
            self.gave_up += 1
            return False
        return True


def needed_text(expression: str) -> str:
    """Returns a text that everything holds which an expression matches; empty where none is easily told.

    >>> needed_text("^ .*ing$"), needed_text("colou?r"), needed_text("a|b")
    ('ing', 'colo', '')
    """
    tree = read_pattern(expression)
    runs = [""]
    for part in tree.parts if tree.kind == SEQUENCE else [tree]:
        times = part.kind == REPEAT
        one = part.parts[0] if times else part
        sign = one.text
        if one.kind == OTHER and sign not in _PLACES:
            return ""
        if sign.startswith("\\") and not sign[1:].isalnum():
            sign = sign[1:]
        elif (sign.startswith("\\") and sign not in _CLASSES and one.kind == SINGLE) or sign == "{":
            return ""
        if one.kind != SINGLE or len(sign) > 1 or one.text == ".":
            runs.append("")
        elif part.least > 0:
            runs[-1] += sign
        if times:
            runs.append("")
    return max(runs, key=len)


_PLACES = ("^", "$", r"\A", r"\Z", r"\b", r"\B")
_CLASSES = (r"\d", r"\D", r"\s", r"\S", r"\w", r"\W")
