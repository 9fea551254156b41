"""A regular expression that only tests the classes of characters, as a program, and its interpreter.

Most patterns that split a text into words are of this kind. The program runs over bytes, without objects. It finds the
matches of the `regex` module: the first possible one, trying them in the same order.

It can run a pattern of classes with quantifiers, groups that are not repeated, and looks at one character ahead. All
others are left to `regex`: those with backreferences or lookbehind, lazy ones, and those that may match the empty
string.
"""

from __future__ import annotations

from typing import Any, Final, final

import regex
from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.patterns.found_regions import FoundRegions
from tokenarium_core.patterns.oniguruma_characters import as_seen
from tokenarium_core.patterns.syntax_tree import (
    CHOICE,
    GROUP,
    REPEAT,
    SEQUENCE,
    SINGLE,
    PatternNode,
)
from tokenarium_core.unicode.codepoints import PAGE, CharacterPages, characters_from
from tokenarium_core.unicode.utf8 import character_sizes, start_before

MOST_CLASSES: Final = 60

RUN: Final = 0
"""``least`` to ``most`` characters of a class; if the rest fails, it is retried with one fewer each time."""
RUN_ALL: Final = 1
"""The same, without backtracking."""
AHEAD: Final = 2
"""A character of a class follows, or the end of the text if ``least`` is 1."""
NOT_AHEAD: Final = 3
"""The opposite."""
FORK: Final = 4
"""Continues here, and at ``target`` if that fails."""
JUMP: Final = 5
"""Continues at ``target``."""
DONE: Final = 6

_FAILED: Final = -1
_TIRED: Final = -2
_ROOM: Final = 64  # room for untried ways at the beginning
_TRIES: Final = 64  # ways for each byte
_MOST_STEPS: Final = 1000
_END: Final = r"\Z"


@final
class CharacterMasks(CharacterPages):
    """The masks of characters; class ``k`` has the bit ``2 ** k``, and is the pattern ``classes[k]`` for one character,
    as `as_seen` has it.

    The engine is asked once about each character, so the answers are exactly the engine's, and a text is read without
    it.
    """

    def __init__(self, classes: list[str]) -> None:
        assert len(classes) <= MOST_CLASSES
        self._classes: list[Any] = [regex.compile(f"(?V1)(?:{source})+") for source in classes]
        super().__init__()

    def page(self, first: i64) -> vec[i64]:
        """Returns the masks of some characters; see `CharacterPages.page`."""
        masks = vec[i64]([0] * PAGE)
        text = as_seen(characters_from(first))
        bit: i64 = 1
        for source in self._classes:
            for match in source.finditer(text, concurrent=False):
                index: i64 = match.start()
                stop: i64 = match.end()
                while index < stop:
                    masks[index] |= bit
                    index += 1
            bit += bit
        return masks


@final
class ClassProgram:
    """Steps: step ``k`` does ``steps[k]`` with the characters whose mask has one of the bits ``classes[k]``.

    The alternatives of the pattern begin at the steps ``starts``; none of them matches the empty string. ``masks`` are
    made when the program first runs.
    """

    def __init__(self, sources: list[str]) -> None:
        self._sources = sources
        self._masks: CharacterMasks | None = None
        self._steps = vec[u8]()
        self._classes = vec[i64]()
        self._least = vec[i64]()
        self._most = vec[i64]()
        self._targets = vec[i32]()
        self._starts = vec[i32]()
        self._firsts = vec[i64]()  # the classes with which each alternative may begin
        self._any_first: i64 = 0
        self._waiting = vec[i64]([0] * (3 * _ROOM))
        self._tries: i64 = 0

    @property
    def size(self) -> i64:
        """How many steps there are."""
        return len(self._steps)

    def add(self, step: i64, classes: i64, least: i64, most: i64) -> None:
        """Appends a step."""
        self._steps = append(self._steps, u8(step))
        self._classes = append(self._classes, classes)
        self._least = append(self._least, least)
        self._most = append(self._most, most)
        self._targets = append(self._targets, i32(0))

    def aim(self, step: i64, target: i64) -> None:
        """Sets the target of a `FORK` or `JUMP`."""
        self._targets[step] = i32(target)

    def repeat(self, step: i64, least: i64, most: i64, all_of_them: bool) -> None:
        """Turns a step that takes one character into one that takes several."""
        self._steps[step] = u8(RUN_ALL if all_of_them else RUN)
        self._least[step] = least
        self._most[step] = most

    def takes_one(self, step: i64) -> bool:
        """Returns whether a step takes one character."""
        return i64(self._steps[step]) == RUN and self._least[step] == self._most[step] == 1

    def start(self, step: i64, firsts: i64) -> None:
        """Records that an alternative begins at a step, and which classes may come first in it."""
        self._starts = append(self._starts, i32(step))
        self._firsts = append(self._firsts, firsts)
        self._any_first |= firsts

    def find(self, data: bytes, start: i64, stop: i64, found: FoundRegions) -> bool:
        """Adds the matches in ``data[start:stop]`` (padded), and the text between them.

        Returns False if it took too many tries and gave up, before the end.
        """
        masks = self._masks
        if masks is None:
            masks = CharacterMasks(self._sources)
            self._masks = masks
        ascii_masks = masks.of_ascii
        sizes = character_sizes
        any_first = self._any_first
        firsts = self._firsts
        starts = self._starts
        alternatives: i64 = len(starts)
        self._tries = (stop - start) * _TRIES + _TRIES
        rest = start
        at = start
        while at < stop:
            byte: i64 = data[at]
            mask = ascii_masks[byte] if byte < 0x80 else masks.at(data, at)
            end: i64 = _FAILED
            if mask & any_first != 0:
                index: i64 = 0
                while index < alternatives and end == _FAILED:
                    if mask & firsts[index] != 0:
                        end = self._match(i64(starts[index]), masks, data, at, stop)
                    index += 1
                if end == _TIRED:
                    return False
            if end == _FAILED:
                at += i64(sizes[byte])
                continue
            if rest < at:
                found.add(at, False)
            found.add(end, True)
            at = end
            rest = end
        if rest < stop:
            found.add(stop, False)
        return True

    def _match(self, step: i64, masks: CharacterMasks, data: bytes, at: i64, stop: i64) -> i64:
        """Runs from a step; returns the end of the match, `_FAILED`, or `_TIRED`."""
        ascii_masks = masks.of_ascii
        sizes = character_sizes
        steps = self._steps
        # Three integers for each way: a step, the place where it continues, and the first at which it may.
        waiting = self._waiting
        ways: i64 = 0
        while True:
            kind: i64 = i64(steps[step])
            fails = False
            if kind <= RUN_ALL:
                classes = self._classes[step]
                most = self._most[step]
                least = self._least[step]
                floor = at
                count: i64 = 0
                while at < stop and count < most:
                    byte: i64 = data[at]
                    mask = ascii_masks[byte] if byte < 0x80 else masks.at(data, at)
                    if mask & classes == 0:
                        break
                    at += i64(sizes[byte])
                    count += 1
                    if count == least:
                        floor = at
                fails = count < least
                step += 1
                if kind == RUN and at > floor and not fails:
                    if ways + 3 > len(waiting):
                        waiting = self._more_room()
                    waiting[ways] = step
                    waiting[ways + 1] = start_before(data, at)
                    waiting[ways + 2] = floor
                    ways += 3
            elif kind == DONE:
                return at
            elif kind == FORK:
                if ways + 3 > len(waiting):
                    waiting = self._more_room()
                waiting[ways] = i64(self._targets[step])
                waiting[ways + 1] = at
                waiting[ways + 2] = at
                ways += 3
                step += 1
            elif kind == JUMP:
                step = i64(self._targets[step])
            else:
                there = self._least[step] == 1
                if at < stop:
                    there = masks.at(data, at) & self._classes[step] != 0
                fails = there == (kind == NOT_AHEAD)
                step += 1
            if fails:
                if ways == 0:
                    return _FAILED
                if self._tries == 0:
                    return _TIRED
                self._tries -= 1
                ways -= 3
                step = waiting[ways]
                at = waiting[ways + 1]
                if at > waiting[ways + 2]:
                    waiting[ways + 1] = start_before(data, at)
                    ways += 3

    def _more_room(self) -> vec[i64]:
        old = self._waiting
        larger = vec[i64]([0] * (2 * len(old)))
        for index in range(len(old)):
            larger[index] = old[index]
        self._waiting = larger
        return larger


class _NoProgram(Exception):
    """The pattern contains something that a `ClassProgram` cannot do."""


def class_program(tree: PatternNode) -> ClassProgram | None:
    """Returns the program of a pattern; None if there is none."""
    try:
        return _ProgramWriter(tree).program
    except _NoProgram:
        return None


@final
class _ProgramWriter:
    """The program of a tree, written while the tree is traversed."""

    def __init__(self, tree: PatternNode) -> None:
        self._classes: list[str] = []
        self.program = ClassProgram(self._classes)
        for way in tree.parts if tree.kind == CHOICE else [tree]:
            # The possible first classes of what is written, up to the first part that cannot be empty.
            self._firsts: i64 = 0
            self._empty = True
            begin = self.program.size
            self._write(way)
            self.program.add(DONE, 0, 0, 0)
            if self._empty:
                raise _NoProgram
            self.program.start(begin, self._firsts)

    def _write(self, node: PatternNode) -> None:
        kind = node.kind
        if self.program.size > _MOST_STEPS:
            raise _NoProgram
        if kind == SINGLE:
            bit = self._bit(node)
            self.program.add(RUN, bit, 1, 1)
            if self._empty:
                self._firsts |= bit
            self._empty = False
        elif kind == SEQUENCE:
            for part in node.parts:
                self._write(part)
        elif kind == CHOICE:
            self._write_choice(node.parts)
        elif kind == REPEAT:
            self._write_repeat(node)
        elif kind == GROUP and node.text in ("(", "(?:"):
            self._write(node.parts[0])
        elif kind == GROUP and node.text in ("(?=", "(?!"):
            self._write_look(AHEAD if node.text == "(?=" else NOT_AHEAD, node.parts[0])
        else:
            raise _NoProgram

    def _write_choice(self, ways: list[PatternNode]) -> None:
        program = self.program
        empty = self._empty
        may_be_empty = False
        jumps: list[i64] = []
        for index, way in enumerate(ways):
            self._empty = empty
            fork = program.size
            last = index == len(ways) - 1
            if not last:
                program.add(FORK, 0, 0, 0)
            self._write(way)
            may_be_empty = may_be_empty or self._empty
            if not last:
                jumps.append(program.size)
                program.add(JUMP, 0, 0, 0)
                program.aim(fork, program.size)
        self._empty = may_be_empty
        for jump in jumps:
            program.aim(jump, program.size)

    def _write_repeat(self, node: PatternNode) -> None:
        program = self.program
        part = node.parts[0]
        quantifier = node.text
        is_lazy = len(quantifier) > 1 and quantifier.endswith("?")
        is_optional = quantifier == "?" and part.kind in (GROUP, REPEAT)
        if is_lazy or node.most == 0:
            raise _NoProgram
        empty = self._empty
        step = program.size
        if is_optional:
            program.add(FORK, 0, 0, 0)
            self._write(part)
            program.aim(step, program.size)
            self._empty = empty
            return
        self._write(part)
        if program.size != step + 1 or not program.takes_one(step):
            raise _NoProgram
        is_possessive = len(quantifier) > 1 and quantifier.endswith("+")
        program.repeat(step, node.least, node.most, is_possessive)
        if node.least == 0:
            self._empty = empty

    def _write_look(self, kind: i64, inside: PatternNode) -> None:
        """Writes a look at the next character."""
        classes: i64 = 0
        at_end: i64 = 0
        for way in inside.parts if inside.kind == CHOICE else [inside]:
            if way.text == _END:
                at_end = 1
            else:
                classes |= self._bit(way)
        self.program.add(kind, classes, at_end, 0)

    def _bit(self, node: PatternNode) -> i64:
        """Returns the bit of a class."""
        if node.kind != SINGLE:
            raise _NoProgram
        if node.text not in self._classes:
            if len(self._classes) == MOST_CLASSES:
                raise _NoProgram
            self._classes.append(node.text)
        bit: i64 = 1
        for _ in range(self._classes.index(node.text)):
            bit += bit
        return bit
