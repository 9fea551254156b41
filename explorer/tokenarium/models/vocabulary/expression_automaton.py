"""The deterministic automaton of a regular expression: whether it matches anywhere in a text, in one step a character.

The states are made from sets of those of Thompson's automaton (K. Thompson, "Regular Expression Search Algorithm",
1968; M. Rabin and D. Scott, "Finite Automata and Their Decision Problems", 1959).
"""

from __future__ import annotations

from collections.abc import Sequence as Several
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.models.vocabulary.expression_syntax import (
    Character,
    Choice,
    Node,
    NotRegular,
    Place,
    Repeat,
    Sequence,
)

LARGE = 400
"""States of Thompson's automaton: with more than these it would take too long to make the deterministic one."""

LOOKS = 12_000
"""Moves that are looked at, each with a class of characters, until an automaton is given up: some milliseconds."""

FOUND = 0
"""The state of texts in which the expression matches, whatever follows."""

START = 1
"""The state of a text of which nothing is read yet."""


@dataclass(frozen=True, slots=True)
class Class:
    """Characters that an expression does not tell apart: which of its own characters they are, whether they are of words
    (where the expression asks for that), and whether they are the newline that ends a text."""

    fits: frozenset[int]
    word: bool
    last: bool


@dataclass(frozen=True, slots=True)
class Automaton:
    """``moves[state, class]`` is the next state; ``ends[state]`` tells whether a text that ends there matches."""

    moves: npt.NDArray[np.intp]
    ends: npt.NDArray[np.bool_]


def characters_of(node: Node) -> list[Character]:
    """Returns the characters that are written in an expression, each once."""
    found: dict[Character, None] = {}
    waiting = [node]
    while waiting:
        one = waiting.pop()
        match one:
            case Character():
                found[one] = None
            case Sequence(parts) | Choice(parts):
                waiting += parts
            case Repeat(part, _, _):
                waiting.append(part)
    return list(found)


@dataclass(frozen=True, slots=True)
class _Move:
    """A state that reads a character, the one with this number, and goes on to another state."""

    character: int
    after: int


@dataclass(frozen=True, slots=True)
class _Fork:
    """A state that goes on to others without reading, where the place has this sign; empty for any place."""

    sign: str
    after: list[int]


_MATCHED = 0


class _Thompson:
    """The automaton that may be in several states at once; it is made from the end, state 0 being the match."""

    def __init__(self, node: Node, characters: Several[Character]) -> None:
        self._numbers = {one: number for number, one in enumerate(characters)}
        self.states: list[_Move | _Fork] = [_Fork("", [])]
        self.first = self._made(node, _MATCHED)

    def _add(self, state: _Move | _Fork) -> int:
        if len(self.states) >= LARGE:
            raise NotRegular
        self.states.append(state)
        return len(self.states) - 1

    def _made(self, node: Node, after: int) -> int:
        match node:
            case Character():
                return self._add(_Move(self._numbers[node], after))
            case Place(sign):
                return self._add(_Fork(sign, [after]))
            case Sequence(parts):
                for part in reversed(parts):
                    after = self._made(part, after)
                return after
            case Choice(ways):
                return self._add(_Fork("", [self._made(way, after) for way in ways]))
            case Repeat(part, low, high):
                return self._repeated(part, low, high, after)

    def _repeated(self, part: Node, low: int, high: int, after: int) -> int:
        if high < 0:
            again = _Fork("", [after])
            entry = self._add(again)
            again.after.append(self._made(part, entry))
        else:
            entry = after
            for _ in range(high - low):
                entry = self._add(_Fork("", [self._made(part, entry), after]))
        for _ in range(low):
            entry = self._made(part, entry)
        return entry

    def moves(
        self, pending: frozenset[int], before: Class | None, after: Class | None
    ) -> list[_Move] | None:
        """Returns the moves that states lead to at a place between two characters; None where they lead to a match.

        None for a character stands for the begin or the end of the text.
        """
        reached, waiting = set(pending), list(pending)
        moves = []
        while waiting:
            number = waiting.pop()
            if number == _MATCHED:
                return None
            state = self.states[number]
            if isinstance(state, _Move):
                moves.append(state)
            elif _is_at(state.sign, before, after):
                new = [one for one in state.after if one not in reached]
                reached.update(new)
                waiting += new
        return moves


def _is_at(sign: str, before: Class | None, after: Class | None) -> bool:
    if not sign:
        return True
    if sign == "^":
        return before is None
    if sign == "Z":
        return after is None
    if sign == "$":
        return after is None or after.last
    edge = (before is not None and before.word) != (after is not None and after.word)
    return edge == (sign == "b")


_NO_WORD = Class(frozenset(), False, False)
_WORD = Class(frozenset(), True, False)
"""What an expression can still tell of a character that it has passed."""

_State = tuple[frozenset[int], Class | None]
"""States of Thompson's automaton, and the character before them."""


def asks_for_words(node: Node) -> bool:
    """Returns whether an expression has edges of words."""
    match node:
        case Place(sign):
            return sign in "bB"
        case Sequence(parts) | Choice(parts):
            return any(asks_for_words(part) for part in parts)
        case Repeat(part, _, _):
            return asks_for_words(part)
    return False


def automaton(node: Node, characters: Several[Character], classes: Several[Class]) -> Automaton:
    """Returns the automaton of an expression over classes of characters; NotRegular where it would be too large."""
    thompson = _Thompson(node, characters)
    seen = {one: _WORD if one.word else _NO_WORD for one in classes}
    start: _State = (frozenset([thompson.first]), None)
    numbers: dict[_State, int] = {start: START}
    states = [start]
    moves = [[FOUND] * len(classes)]
    ends = [True]
    looked = 0
    for pending, before in states:  # which grows on the way
        row = []
        ways: dict[tuple[bool, bool], list[_Move] | None] = {}
        for one in classes:
            kind = one.word, one.last
            if kind not in ways:  # all that a place between characters asks of the one after it
                ways[kind] = thompson.moves(pending, before, one)
            possible = ways[kind]
            if possible is None:
                row.append(FOUND)
                continue
            looked += len(possible) + 1
            if looked > LOOKS:
                raise NotRegular
            after = {thompson.first}
            after.update(move.after for move in possible if move.character in one.fits)
            state = frozenset(after), seen[one]
            if state not in numbers:
                numbers[state] = len(numbers) + 1
                states.append(state)
            row.append(numbers[state])
        moves.append(row)
        ends.append(thompson.moves(pending, before, None) is None)
    return Automaton(np.array(moves, np.intp).reshape(-1, len(classes)), np.array(ends, np.bool_))
