"""The longest-prefix walk over added and user-defined tokens as steps: a byte is read, or what was found is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import tokenarium_core as tc
from tokenarium.models.merges.run import traced_part
from tokenarium.models.text.piece import counted, readable
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.added_tokens import AddedToken, AddedTokens
from tokenarium_core.explaining.prefix_walk import (
    ADDED,
    MODEL,
    NORMALIZED,
    NORMALIZER,
    WORDS,
    PrefixPlace,
    PrefixStep,
    PrefixTrie,
    PrefixWalk,
    prefix_tries,
    prefix_walks,
)

TITLES = {
    ADDED: "Added tokens",
    NORMALIZED: "In normalized text",
    NORMALIZER: "User-defined, kept by the normalizer",
    WORDS: "Entries of words",
}
"""The names of the stages; the one of any other is "User-defined pieces"."""


LONGEST = 1000
"""The most bytes that are walked."""

UNSELECTED = 240
"""Bytes at the beginning of the text that are walked if nothing is selected."""

MOST_STRINGS = 500
"""The most strings of a user that are looked for."""


def stage_title(stage: str) -> str:
    """Returns the name of a stage for a button."""
    return TITLES.get(stage, "User-defined pieces")


def byte_label(byte: int) -> str:
    """Returns a byte as the path has it: its character, or two digits.

    >>> [byte_label(byte) for byte in (0x61, 0x20, 0xE2)]
    ['a', '␣', 'E2']
    """
    return readable(bytes([byte])) if byte < 0x80 else f"{byte:02X}"


@dataclass(frozen=True, slots=True)
class WalkMoment:
    """One moment: the walk is at ``place``, has read ``read`` of its bytes, and has ``taken`` the places before it.

    ``place`` is None at the end. ``longest`` is the step of the longest match so far, None without one.
    """

    place: PrefixPlace | None
    read: tuple[PrefixStep, ...]
    taken: int
    longest: PrefixStep | None = None

    @property
    def state(self) -> int:
        """The state that the walk is in; -1 where it has read a byte without an edge."""
        if self.read:
            return self.read[-1].state
        return self.place.root if self.place is not None else 0


class PrefixPlay:
    """The walk of one stage over ``utf8[start:end]`` of a text, in steps; its bytes are those that the stage reads.

    A place where nothing begins is one step; any other has one for each byte, and one to take what was found.
    """

    def __init__(self, walk: PrefixWalk, origin: int, start: int, end: int) -> None:
        text = walk.text
        self.trie: PrefixTrie = walk.trie
        self.data: bytes = text.data[: text.size]
        self._text = text
        self._origin = origin
        # What was put in has no place of its own, and belongs to what comes after it.
        self.places = [
            place
            for place in walk.places
            if text.start_of(place.start) + origin < end
            and text.stop_of(place.stop) + origin > start
        ]
        self.first = self.places[0].start if self.places else 0
        self.last = self.places[-1].stop if self.places else 0
        self._steps: list[tuple[int, int]] = []  # the place, and how many of its bytes are read
        for number, index in enumerate(self.places):
            if len(index.steps) > 1 or index.id >= 0:
                self._steps += [(number, read) for read in range(1, len(index.steps) + 1)]
            self._steps.append((number + 1, 0))

    def __len__(self) -> int:
        return len(self._steps)

    def moment(self, position: int) -> WalkMoment:
        """Returns what there is after this many steps."""
        number, read = self._steps[position - 1] if position else (0, 0)
        if number == len(self.places):
            return WalkMoment(None, (), number)
        place = self.places[number]
        steps = tuple(place.steps[:read])
        matches = [step for step in steps if step.id >= 0]
        return WalkMoment(place, steps, number, matches[-1] if matches else None)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Returns the bytes of the text that bytes of the walk were made of."""
        return self._origin + self._text.start_of(start), self._origin + self._text.stop_of(end)

    def sentence(self, position: int) -> str:
        """Returns what the last step did, and at the beginning what is looked for."""
        moment = self.moment(position)
        if not position:
            return (
                f"{counted(len(self.trie.pieces), 'token is', 'tokens are')} looked for at once. The walk begins in state 0,"
                " and each byte leads on to another state."
            )
        if moment.read:
            return self._reading(moment)
        ended = f" {self._summary()}" if moment.place is None else ""
        return self._taking(self.places[moment.taken - 1]) + ended

    def _summary(self) -> str:
        """Returns what was found in all, in words."""
        matches = [place for place in self.places if place.id >= 0]
        left = sum(bool(place.left) for place in matches)
        if not matches:
            return "No token was found here."
        if self.trie.stage == WORDS:
            return f"In all, {counted(len(matches) - left, 'token was', 'tokens were')} taken."
        taken = counted(len(matches) - left, "token was", "tokens were")
        stays = f"; {left:,} of those found {'stays' if left == 1 else 'stay'} text" if left else ""
        return f"In all, {taken} taken{stays}."

    def _taking(self, place: PrefixPlace) -> str:
        text = self._quoted(place.start, place.stop)
        if self.trie.stage == WORDS:
            return self._taking_word(place, text)
        if place.id < 0:
            return (
                f"No token begins here, so {text} stays text, and the walk begins again in state 0."
            )
        if place.left:
            return f"{text}, id {place.id}, is found and stays text: {place.left}."
        return f"{text}, id {place.id}, is taken whole: no merge sees its inside, and the walk goes on after it."

    def _taking_word(self, place: PrefixPlace, text: str) -> str:
        """Returns the same for WordPiece, whose walk continues inside the word."""
        if place.id >= 0:
            dropped = f", and dropped again: {place.left}" if place.left else ""
            return (
                f"{text}, id {place.id}, is taken{dropped}. Inside the word the walk begins in state 1, with the entries"
                " that continue one."
            )
        why = f": {place.left}" if place.left else ""
        return f"No entry fits {text}, so the whole word becomes the unknown token{why}."

    def _reading(self, moment: WalkMoment) -> str:
        assert moment.place is not None
        step = moment.read[-1]
        before = moment.read[-2].state if len(moment.read) > 1 else moment.place.root
        sign = f"“{byte_label(step.byte)}”"
        start = moment.place.start
        if step.state < 0:
            if moment.longest is None:
                return f"No edge for {sign} leads from state {before}, and no token has ended on the way."
            end = start + moment.read.index(moment.longest) + 1
            return f"No edge for {sign} leads from state {before}. The longest match was {self._quoted(start, end)}."
        if step.id >= 0:
            text = self._quoted(start, start + len(moment.read))
            return f"{sign} leads to state {step.state:,}, where {text} ends, id {step.id}: the longest match so far."
        return f"{sign} leads from state {before:,} to state {step.state:,}."

    def _quoted(self, start: int, end: int) -> str:
        return f"“{readable(self.data[start:end])}”"


def plays(
    tokenizer: tc.Tokenizer, utf8: bytes, start: int, end: int, special: str
) -> list[PrefixPlay]:
    """Returns the walks of a tokenizer over ``utf8[start:end]``, one for each stage that has a trie.

    Raises what encoding does.
    """
    origin, stop = traced_part(utf8, start, end)
    text = utf8[origin:stop].decode("utf-8", "surrogatepass")
    return [PrefixPlay(walk, origin, start, end) for walk in prefix_walks(tokenizer, text, special)]


def walked_span(text: TextMap, selection: tuple[int, int] | None) -> tuple[int, int]:
    """Returns the bytes of a text that are walked: the selection, or the beginning of the text."""
    if selection is None:
        return text.characters(0, min(text.byte_count, UNSELECTED))
    return text.characters(selection[0], min(selection[1], selection[0] + LONGEST))


WalkPart = tuple[int, int, int, bool]
"""What is seen of a text: its bytes, the id of a matched token (-1: a character), and whether it stays text."""


def walk_parts(play: PrefixPlay, moment: WalkMoment) -> list[WalkPart]:
    """Returns what is seen of a text at a moment: the tokens that were matched, and characters."""
    parts: list[WalkPart] = []
    at = play.first
    for place in play.places[: moment.taken]:
        if place.id >= 0:
            # Spaces between words belong to no match.
            parts += _characters(play.data, at, place.start)
            parts.append((place.start, place.stop, place.id, bool(place.left)))
            at = place.stop
    return parts + _characters(play.data, at, play.last)


def _characters(data: bytes, start: int, end: int) -> list[WalkPart]:
    """Returns the bytes of the characters of a part, each with the id -1."""
    starts = [at for at in range(start, end) if at == start or data[at] & 0xC0 != 0x80]
    return [(at, after, -1, False) for at, after in pairwise([*starts, end])]


def own_strings(written: str) -> list[str]:
    """Returns the strings that a user wrote with spaces between them, each once, at most `MOST_STRINGS`.

    >>> own_strings("abcd  ab abcd")
    ['abcd', 'ab']
    """
    return list(dict.fromkeys(written.split()))[:MOST_STRINGS]


def own_tokenizer(strings: Sequence[str]) -> tc.Tokenizer:
    """Returns a tokenizer whose only added tokens are these strings, with the ids 0, 1, 2, …"""
    base = _base()
    tokens = [AddedToken(text, number, special=False) for number, text in enumerate(strings)]
    return tc.Tokenizer("own strings", base.model, base.pre_tokenizer, AddedTokens(tokens))


@cache
def _base() -> tc.Tokenizer:
    return tc.open(shipped_path("tokenarium-8k"))


def states_text(tokenizer: tc.Tokenizer, trie: PrefixTrie) -> str:
    """Returns how many tokens and states a trie has, in words."""
    parts = [counted(len(trie.pieces), "token"), f"{trie.states:,} states over bytes"]
    parts += [
        f"{other.states:,} with ▁ as three bytes, as the file spells it"
        for other in prefix_tries(tokenizer)
        if other.stage == NORMALIZER and trie.stage == MODEL
    ]
    if trie.character_states not in (trie.states, 0):
        parts.append(f"{trie.character_states:,} over characters")
    return " · ".join(parts)
