"""The parts that a text was cut into: the tokens of one tokenizer, or its pre-tokens.

A ``Segmentation`` is packed arrays over byte offsets; it holds no text and no colours, only the
number of a colour for each part.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tokenarium.models.text_map import IntArray, TextMap

TOKEN_COLOURS = 8
"""How many token backgrounds a theme has."""

RULE_SHADES = 2
"""How many shades each rule has, so that two pre-tokens of one rule differ side by side."""


class Segmentation:
    """Parts of a text as sorted byte spans, each with a colour and perhaps an id or a rule.

    ``starts``, ``ends``: int32 byte offsets, neither ever falling; gaps are text that no part
    covers. Several parts may share a span (the bytes of one character that a tokenizer spells
    out): they are then drawn side by side in it, see ``drawn_starts``.
    ``colours``: uint8, a token background 0…7, or ``rule * 2 + shade`` where ``rule_names`` is set.
    ``ids``: int32 token ids, or None.  ``special``: whether a part is a special token, or None.
    ``superwords``: whether it is a piece of several words, or None.
    """

    def __init__(
        self,
        starts: npt.ArrayLike,
        ends: npt.ArrayLike,
        colours: npt.ArrayLike,
        *,
        ids: npt.ArrayLike | None = None,
        rules: npt.ArrayLike | None = None,
        rule_names: Sequence[str] = (),
        special: npt.ArrayLike | None = None,
        superwords: npt.ArrayLike | None = None,
    ) -> None:
        self.starts: IntArray = np.asarray(starts, dtype=np.int32)
        self.ends: IntArray = np.asarray(ends, dtype=np.int32)
        self.colours: npt.NDArray[np.uint8] = np.asarray(colours, dtype=np.uint8)
        self.ids: IntArray | None = None if ids is None else np.asarray(ids, dtype=np.int32)
        self.rules: npt.NDArray[np.uint8] | None = (
            None if rules is None else np.asarray(rules, dtype=np.uint8)
        )
        self.rule_names: tuple[str, ...] = tuple(rule_names)
        self.special: npt.NDArray[np.bool_] | None = (
            None if special is None else np.asarray(special, dtype=np.bool_)
        )
        self.superwords: npt.NDArray[np.bool_] | None = (
            None if superwords is None else np.asarray(superwords, dtype=np.bool_)
        )

    @classmethod
    def empty(cls) -> Segmentation:
        """A segmentation with no parts."""
        return cls([], [], [])

    @classmethod
    def of_tokens(
        cls,
        ids: npt.ArrayLike,
        spans: npt.ArrayLike,
        special_ids: Sequence[int] = (),
        superword_ids: npt.ArrayLike = (),
    ) -> Segmentation:
        """The tokens of an encoding: ``ids`` (n) and ``spans`` (2n or n × 2, start and end)."""
        id_array = np.asarray(ids, dtype=np.int32)
        pairs = np.asarray(spans, dtype=np.int32).reshape(-1, 2)
        special = np.isin(id_array, np.asarray(special_ids, dtype=np.int32))
        superwords = np.isin(id_array, np.asarray(superword_ids, dtype=np.int32))
        return cls(
            np.ascontiguousarray(pairs[:, 0]),
            np.ascontiguousarray(pairs[:, 1]),
            token_colours(id_array),
            ids=id_array,
            special=special if special.any() else None,
            superwords=superwords if superwords.any() else None,
        )

    @classmethod
    def of_pre_tokens(
        cls, ends: npt.ArrayLike, rules: npt.ArrayLike, names: Sequence[str]
    ) -> Segmentation:
        """The pre-tokens of a text: absolute byte ``ends``, the first one starting at 0."""
        end_array = np.asarray(ends, dtype=np.int32)
        rule_array = np.asarray(rules, dtype=np.uint8)
        starts = np.zeros_like(end_array)
        starts[1:] = end_array[:-1]
        colours = rule_array * RULE_SHADES + _place_in_run(rule_array) % RULE_SHADES
        return cls(starts, end_array, colours, rules=rule_array, rule_names=names)

    def after_edit(self, head: int, tail: int, growth: int) -> Segmentation:
        """The parts that an edit of the text didn't touch, where they now stand.

        The text is unchanged before byte ``head`` and from the old byte ``tail`` on, which moved by
        ``growth`` bytes. It serves until the new text has been encoded.
        """
        before = int(np.searchsorted(self.ends, np.int32(head), side="right"))
        after = max(int(np.searchsorted(self.starts, np.int32(tail), side="left")), before)

        def kept(values: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
            return None if values is None else np.concatenate([values[:before], values[after:]])

        shift = np.int32(growth)
        return Segmentation(
            np.concatenate([self.starts[:before], self.starts[after:] + shift]),
            np.concatenate([self.ends[:before], self.ends[after:] + shift]),
            np.concatenate([self.colours[:before], self.colours[after:]]),
            ids=kept(self.ids),
            rules=kept(self.rules),
            rule_names=self.rule_names,
            special=kept(self.special),
            superwords=kept(self.superwords),
        )

    def followed_by(self, older: Segmentation) -> Segmentation:
        """These parts, and of ``older`` those that lie behind them.

        While a long text is being encoded anew, what stood there before stays in sight.
        """
        end = self.ends[-1] if len(self) else np.int32(0)
        rest = slice(int(np.searchsorted(older.starts, end, side="left")), None)

        def both(mine: npt.NDArray[Any] | None, theirs: npt.NDArray[Any] | None) -> Any:
            if mine is None and theirs is None:
                return None
            here = np.zeros(len(self), dtype=np.bool_) if mine is None else mine
            there = np.zeros(len(older), dtype=np.bool_) if theirs is None else theirs
            return np.concatenate([here, there[rest]])

        return Segmentation(
            both(self.starts, older.starts),
            both(self.ends, older.ends),
            both(self.colours, older.colours),
            ids=both(self.ids, older.ids),
            rules=both(self.rules, older.rules),
            rule_names=self.rule_names,
            special=both(self.special, older.special),
            superwords=both(self.superwords, older.superwords),
        )

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, byte: float) -> int:
        """The index of the part drawn at ``byte``, or -1 where there is none.

        A fraction tells apart the parts that share the span of one character.
        """
        index = int(np.searchsorted(self.drawn_ends, byte, side="right"))
        if index < len(self) and self.drawn_starts[index] <= byte:
            return index
        return -1

    def between(self, start: int, end: int) -> range:
        """The parts that have a byte in ``start`` … ``end``, or stand there with none."""
        # The needle has the type of the array, or numpy would convert the array first.
        first = int(np.searchsorted(self.ends, np.int32(start), side="right"))
        last = int(np.searchsorted(self.starts, np.int32(end), side="left"))
        while first > 0 and self.starts[first - 1] == self.ends[first - 1] == start:
            first -= 1
        return range(first, max(first, last))

    def span(self, index: int) -> tuple[int, int]:
        """The byte span of one part."""
        return int(self.starts[index]), int(self.ends[index])

    @property
    def drawn_starts(self) -> npt.NDArray[np.float64]:
        """Where each part is drawn from, in bytes: its start, or its share of a common span."""
        return self._drawn[0]

    @property
    def drawn_ends(self) -> npt.NDArray[np.float64]:
        """Where each part is drawn to, in bytes."""
        return self._drawn[1]

    @cached_property
    def _drawn(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        starts = self.starts.astype(np.float64)
        ends = self.ends.astype(np.float64)
        if len(self) < 2:
            return starts, ends
        same = (np.diff(self.starts) == 0) & (np.diff(self.ends) == 0) & (starts[1:] < ends[1:])
        if same.any():
            # [0 0 0 1] → a group of three: each takes a third of the span they have in common.
            group = np.concatenate(([0], np.cumsum(~same)))
            size = np.bincount(group)[group]
            place = np.arange(len(self)) - np.searchsorted(group, group)
            share = (ends - starts) / size
            starts += place * share
            ends = np.where(place == size - 1, ends, starts + share)
        return starts, ends

    def ends_inside_character(self, text: TextMap) -> npt.NDArray[np.bool_]:
        """Whether each part starts or ends inside a character of ``text``, or shares one."""
        inside = text.inside_character(self.ends) | text.inside_character(self.starts)
        shares = (self.drawn_ends != self.ends) | (self.drawn_starts != self.starts)
        return np.asarray(inside | shares, dtype=np.bool_)

    def ends_inside_grapheme(self, text: TextMap, start: int, end: int) -> npt.NDArray[np.bool_]:
        """Whether each part of ``between(start, end)`` ends inside a grapheme of ``text``.

        ``start`` and ``end`` are the byte span of a line, as for ``TextMap.grapheme_edges``.
        """
        parts = self.between(start, end)
        ends = self.ends[parts.start : parts.stop]
        inside = (ends < end) & ~np.isin(ends, text.grapheme_edges(start, end))
        return np.asarray(inside, dtype=np.bool_)


def token_colours(ids: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    """The background of each token, 0…7: mostly its own wherever it stands, never its neighbour's.

    Counting round the palette would repaint the rest of the text at every keystroke; a colour from
    the id alone stays where it is, and shows a word that comes again. Where neighbours would be
    alike, every second one of such a run steps aside.
    """
    # Bits 7 to 9 of a product; the narrow types make this a fraction of what it took otherwise.
    own = ((ids.astype(np.uint32) * np.uint32(2654435761)) >> np.uint32(7)).astype(np.uint8)
    own %= TOKEN_COLOURS
    aside = _place_in_run(own) % 2 == 1
    follows = np.append(own[1:], own[-1:])
    step = np.where((own + 3) % TOKEN_COLOURS == follows, np.uint8(5), np.uint8(3))
    return np.where(aside, (own + step) % TOKEN_COLOURS, own).astype(np.uint8)


@lru_cache(maxsize=1 << 16)
def token_colour(token: int) -> int:
    """The background of a token that stands by itself, 0…7."""
    return int(token_colours(np.array([max(token, 0)], dtype=np.int32))[0])


def _place_in_run(values: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """How many equal values stand directly before each one: [5, 5, 5, 2] → [0, 1, 2, 0]."""
    index = np.arange(len(values), dtype=np.int32)
    first = np.ones(len(values), dtype=np.bool_)
    first[1:] = values[1:] != values[:-1]
    return index - np.maximum.accumulate(np.where(first, index, np.int32(0)))
