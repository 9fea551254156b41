"""Finds the entries of a vocabulary that satisfy a query: at once, except for regular expressions, in slices."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import regex

from tokenarium.models.text.piece import SPACE
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

MANY = 4
"""Repeats and alternatives in an expression; each more one multiplies its possible time."""

SHORT = 20
"""Characters: on shorter texts, expressions are fast, except for those in `_may_take_long`."""

TIMEOUT_S = 0.015
"""How long an expression may take for one entry, in seconds of the processor: a keystroke has 30 ms."""

SLOW_S = 0.0002
"""An entry for which an expression takes longer counts as slow: it is hundreds of times the usual."""

PATIENCE_S = 2.0
"""How long all slow entries may take together before the search is given up."""

TURN = 256
"""Most entries between two looks at the clock: fewer if they take long."""

TURN_S = 0.001
"""How long they may take."""


def space_signs(columns: VocabularyColumns) -> str:
    """Returns the signs for spaces in a vocabulary and in its table, for `vocabulary_query.parse`."""
    if columns.vocabulary.spelling == SPACE_MARK:
        return SPACE + "▁"
    return SPACE + ("ĠĊĉ" if columns.has_byte_spelling else "")


def holding(columns: VocabularyColumns, needle: bytes, ignore_case: bool = False) -> Mask:
    """Returns for each entry whether it holds these bytes."""
    mask = np.zeros(columns.count, np.bool_)
    data = columns.lowered if ignore_case else columns.data
    room = len(data) - len(needle) + 1
    if not needle or room <= 0:
        return ~mask if not needle else mask
    places = data[:room] == needle[0]
    for at in range(1, min(len(needle), 8)):
        places &= data[at : at + room] == needle[at]
    starts = np.flatnonzero(places)
    for at in range(8, len(needle)):
        starts = starts[data[starts + at] == needle[at]]
    entries = columns.owners[starts]
    whole = starts + len(needle) <= columns.offsets[1:][entries]
    mask[entries[whole]] = True
    return mask


def spelled_with(columns: VocabularyColumns, text: str) -> Mask:
    """Returns for each entry whether files spell it with this text: ``Ã©``, ``##ing``, ``<0x0A>``."""
    vocabulary, kinds = columns.vocabulary, columns.kinds
    mask = np.zeros(columns.count, np.bool_)
    mask[[token for token, surface in vocabulary.spelled.items() if text in surface]] = True
    byte = regex.fullmatch("<0x([0-9A-Fa-f]{2})>", text)
    if byte and vocabulary.spelling == SPACE_MARK:
        mask |= (kinds == BYTE) & holding(columns, bytes.fromhex(byte[1]))
    affix = vocabulary.affix
    if affix and text.startswith(affix):
        mask |= _edged(columns, CONTINUING, _spelled_bytes(columns, text[len(affix) :]))
    elif affix and text.endswith(affix):
        mask |= _edged(columns, WORD_END, _spelled_bytes(columns, text[: -len(affix)]))
    elif columns.has_byte_spelling:
        needle = _spelled_bytes(columns, text)
        if needle is not None:
            mask |= holding(columns, needle) & (kinds != CONTROL) & (kinds != USER_DEFINED)
    return mask


def _spelled_bytes(columns: VocabularyColumns, text: str) -> bytes | None:
    """Returns the bytes with this spelling, or None."""
    if columns.has_byte_spelling:
        return spelled_bytes(text)
    if columns.vocabulary.spelling == SPACE_MARK:
        text = text.replace("▁", " ")
    return text.encode("utf-8", "surrogatepass")


def _edged(columns: VocabularyColumns, kind: int, edge: bytes | None) -> Mask:
    """Returns for each entry whether it continues a word and begins with these bytes, or ends a word and ends with
    them.
    """
    mask = np.zeros(columns.count, np.bool_)
    if edge is None:
        return mask
    ids = np.flatnonzero((columns.kinds == kind) & (columns.lengths >= len(edge)))
    starts = columns.offsets[ids]
    if kind == WORD_END:
        starts = columns.offsets[ids + 1] - len(edge)
    same = np.ones(len(ids), np.bool_)
    for index, byte in enumerate(edge):
        same &= columns.data[starts + index] == byte
    mask[ids[same]] = True
    return mask


class Filter:
    """Answers queries about one vocabulary; ``findings`` are sets of ids by name."""

    def __init__(self, columns: VocabularyColumns, findings: Mapping[str, Sequence[int]]) -> None:
        self._columns = columns
        self._findings = findings

    def mask(self, terms: Sequence[Term]) -> Mask:
        """Returns for each entry whether it satisfies all terms except regular expressions."""
        mask = np.ones(self._columns.count, np.bool_)
        for term in terms:
            if term.key != "re":
                one = self._satisfying(term)
                mask &= ~one if term.negated else one
        return mask

    def _satisfying(self, term: Term) -> Mask:
        columns, value = self._columns, term.value
        match term.key:
            case "text" if isinstance(value, bytes):
                # The file's spelling counts only if no entry has these bytes: é is a letter, but also stands for a byte.
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
        elif key == "trained":
            if not columns.indicator:
                raise QueryError(
                    "How far a model was trained on an entry can only be told from its weights: choose them on the page Diagnostics."
                )
            numbers = columns.indicators
        elif key != "rank":
            numbers = columns.lengths if key == "len" else columns.characters
        mask = _in_any(numbers, intervals)
        return mask & ~columns.unranked if key == "rank" else mask

    def _with_part(self, intervals: tuple[Interval, ...]) -> Mask:
        columns, merges = self._columns, self._columns.merges
        mask = np.zeros(columns.count, np.bool_)
        if merges is not None:
            chosen = _in_any(merges.lefts, intervals) | _in_any(merges.rights, intervals)
            made = merges.results[chosen]
            mask[made[(made >= 0) & (made < columns.count)]] = True
        return mask

    def _chosen(self, key: str, places: frozenset[int]) -> Mask:
        columns = self._columns
        chosen = np.zeros(256, np.bool_)
        chosen[list(places)] = True
        if key == "type":
            return chosen[columns.kinds]
        mask = chosen[columns.scripts]
        if key == "with":
            mask[columns.mixed_ids[chosen[columns.mixed_scripts]]] = True
        return mask

    def _of_finding(self, name: str) -> Mask:
        if name not in self._findings:
            known = ", ".join(self._findings) or "none yet: open the page Diagnostics"
            raise QueryError(f"There is no finding “{name}”. Those of this tokenizer are {known}.")
        mask = np.zeros(self._columns.count, np.bool_)
        mask[list(self._findings[name])] = True
        return mask


def _in_any(numbers: npt.NDArray[Any], intervals: Sequence[Interval]) -> Mask:
    """Returns for each number whether it is in one of some intervals, of which there may be thousands."""
    if not intervals:
        return np.zeros(len(numbers), np.bool_)
    lows, highs = np.array(sorted(intervals)).T
    furthest = np.maximum.accumulate(highs)  # of those that begin at or before each one
    index = np.searchsorted(lows, numbers, "right") - 1
    return (index >= 0) & (numbers <= furthest[index])


class ExpressionSearch:
    """Tries regular expressions, by the library `regex`, in slices on the entries that satisfy all other terms.

    Long entries come last. An entry for which an expression takes too long counts as no match, and after many
    such entries so does the rest; ``gave_up`` is their number.
    """

    def __init__(self, columns: VocabularyColumns, terms: Sequence[Term], tried: Ids) -> None:
        self._columns = columns
        written = [(str(term.value), term.negated) for term in terms if term.key == "re"]
        mask = np.ones(columns.count, np.bool_)
        for expression, negated in written:
            if not negated:
                mask &= holding(columns, needed_text(expression).encode())
        self._tried = tried[mask[tried]]
        self._searches = [
            (regex.compile(expression).search, negated) for expression, negated in written
        ]
        lengths = np.minimum(columns.text_lengths[self._tried], SHORT).astype(np.uint16)
        long = lengths == SHORT
        self._plain = len(long) - int(np.count_nonzero(long))
        if len(written) > MANY or any(_may_take_long(expression) for expression, _ in written):
            self._plain = 0
            self._places = np.argsort(lengths, kind="stable")  # the time grows with the length
        else:
            self._places = np.argsort(long, kind="stable")
        self._found = np.zeros(len(long), np.bool_)
        self._at = 0
        self._turn = 1
        self._slow = 0.0
        self.gave_up = 0

    @property
    def matches(self) -> Ids:
        """The matches among the entries tried so far, in the given order."""
        return self._tried[self._found]

    def step(self, budget_ms: float) -> Progress:
        """Tries more entries, for about so long."""
        until = time.perf_counter() + budget_ms / 1000
        total = len(self._places)
        while self._at < total and time.perf_counter() <= until:
            before = time.thread_time()  # which does not count the time of other programs
            plain = self._at < self._plain
            end = min(self._at + self._turn, self._plain if plain else total)
            turn = self._places[self._at : end]
            tokens = self._tried[turn].tolist()
            matched = self._matched(tokens) if plain else self._matched_in_time(tokens)
            turn = turn[: len(matched)]
            self._found[turn] = matched
            self._at += len(turn)
            took = time.thread_time() - before
            self._turn = min(2 * self._turn, TURN) if took < TURN_S else max(self._turn // 4, 1)
            if took > SLOW_S * len(turn):
                self._slow += took
                if self._slow > PATIENCE_S:
                    self.gave_up += total - self._at
                    self._at = total
        return Progress("Searching", self._at, total, self._at >= total)

    def _matched(self, tokens: list[int]) -> Mask:
        """Returns for each of some entries whether it matches, however long that takes."""
        texts = self._columns.texts(tokens)
        matched = np.ones(len(tokens), np.bool_)
        for search, negated in self._searches:
            matched &= [(search(text) is None) == negated for text in texts]
        return matched

    def _matched_in_time(self, tokens: list[int]) -> list[bool]:
        """Returns for each of these entries, or the first ones of them, whether it is found in time to match."""
        matched = []
        timeout = TIMEOUT_S / len(self._searches)
        until = time.perf_counter() + TURN_S
        for text in self._columns.texts(tokens):
            try:
                matches = all(
                    (search(text, timeout=timeout) is None) == negated
                    for search, negated in self._searches
                )
            except TimeoutError:
                self.gave_up += 1
                matches = False
            matched.append(matches)
            if time.perf_counter() > until:
                break
        return matched


_ODD = regex.compile(r"\(\?(?:R|&|P>|#|[-+]?\d|[a-zA-Z\d-]*x)|(?<!\\[pP])\{[^}]*[edis]")
_REPEATED_GROUP = regex.compile(r"\)[*+{]")
_WAYS = regex.compile(r"[*+}|]|(?<!\()\?")


def _may_take_long(expression: str) -> bool:
    """Returns whether an expression may take long for a text of some characters, or of none.

    A recursive or fuzzy one may, one with repeats or alternatives in or beside a repeated group, or with comments, which
    may hide that, and one with many repeats or alternatives.

    >>> _may_take_long("(?:ing|ed)$"), _may_take_long("(?:|a|){30}b")
    (False, True)
    """
    many = 1 if _REPEATED_GROUP.search(expression) else MANY
    return _ODD.search(expression) is not None or len(_WAYS.findall(expression)) > many


def needed_text(expression: str) -> str:
    """Returns a text that every match of an expression holds; empty if none is easily found.

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
