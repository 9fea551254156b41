"""A regular expression that only asks which classes characters are in, as a program, and what runs it.

Most patterns by which a text is cut into words are such. The program runs over bytes, with no objects; what it finds
is what the `regex` module finds, the first way of all that there are, in the same order.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.patterns.character_masks import CharacterMasks
from tokenarium_core.patterns.stretches import Stretches
from tokenarium_core.unicode.utf8 import character_sizes

RUN: Final = 0
"""``least`` to ``most`` characters of a class; of the fewer ones, one after the other is tried if what follows fails."""
RUN_ALL: Final = 1
"""The same, without trying fewer."""
AHEAD: Final = 2
"""A character of a class follows, or the end of the text where ``least`` is 1."""
NOT_AHEAD: Final = 3
"""Not that."""
FORK: Final = 4
"""Goes on, and at ``target`` if that fails."""
JUMP: Final = 5
"""Goes on at ``target``."""
DONE: Final = 6

ENDLESS: Final = 1 << 40

_FAILED: Final = -1
_TIRED: Final = -2
_ROOM: Final = 64  # ways that are still to be tried, to begin with
_TRIES: Final = 64  # of them for each byte


@final
class ClassProgram:
    """Steps: step ``k`` does ``steps[k]`` with the characters whose mask has one of the bits ``classes[k]``.

    The alternatives of the pattern begin at the steps ``starts``; none of them matches the empty string. ``masks``
    are made when the program first runs.
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
        self._firsts = vec[i64]()  # what each alternative may begin with
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
        """Says where a `FORK` or `JUMP` leads."""
        self._targets[step] = i32(target)

    def repeat(self, step: i64, least: i64, most: i64, all_of_them: bool) -> None:
        """Makes of a step that takes one character one that takes several."""
        self._steps[step] = u8(RUN_ALL if all_of_them else RUN)
        self._least[step] = least
        self._most[step] = most

    def takes_one(self, step: i64) -> bool:
        """Tells whether a step takes one character."""
        return i64(self._steps[step]) == RUN and self._least[step] == self._most[step] == 1

    def start(self, step: i64, firsts: i64) -> None:
        """Says that an alternative begins at a step, and which classes may come first in it."""
        self._starts = append(self._starts, i32(step))
        self._firsts = append(self._firsts, firsts)
        self._any_first |= firsts

    def find(self, data: bytes, start: i64, stop: i64, found: Stretches) -> bool:
        """Adds the matches in ``data[start:stop]`` (padded), and what lies between them.

        Returns False where it took so many tries that it gave up, in the midst of it.
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
        """Runs from a step on; returns where the match ends, `_FAILED`, or `_TIRED`."""
        ascii_masks = masks.of_ascii
        sizes = character_sizes
        steps = self._steps
        # Three integers for each way: a step, the place where it goes on, and the first at which it may.
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
                    waiting[ways + 1] = before(data, at)
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
                    waiting[ways + 1] = before(data, at)
                    ways += 3

    def _more_room(self) -> vec[i64]:
        old = self._waiting
        larger = vec[i64]([0] * (2 * len(old)))
        for index in range(len(old)):
            larger[index] = old[index]
        self._waiting = larger
        return larger


def before(data: bytes, at: i64) -> i64:
    """Returns where the character begins that ends before byte ``at``."""
    at -= 1
    while data[at] & 0xC0 == 0x80:
        at -= 1
    return at
