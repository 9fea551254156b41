"""The parts that a text was cut into: the tokens of one tokenizer, or its pre-tokens.

A ``TextParts`` is packed arrays over byte offsets; it holds no text and no colours, only the
number of a colour for each part. The looks of parts are worked out when a view needs them, a page at
a time: to make one of ten million tokens takes no longer than one of ten.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tokenarium.models.text.chunked_column import ChunkedColumn
from tokenarium.models.text.text_map import IntArray
from tokenarium_core.pretokenizers import REMOVED_RULE

TOKEN_COLOURS = 16
"""How many token fills a theme has: eight hues in two shades."""

SHADES = 2
"""The shades of each hue and rule, which take turns, so that neighbours of one hue differ too."""


PAGE = 512
"""The parts of a page, whose looks are worked out together."""

KEPT_PAGES = 256
"""Pages of looks that are kept."""


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks of some neighbouring parts, see `TextParts`; each array has one value per part."""

    starts: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    colours: npt.NDArray[np.uint8]
    special: npt.NDArray[np.bool_] | None
    superwords: npt.NDArray[np.bool_] | None

    def part(self, first: int, last: int) -> Looks:
        """The looks of some of the parts."""
        some = slice(first, last)
        return Looks(
            self.starts[some],
            self.ends[some],
            self.colours[some],
            None if self.special is None else self.special[some],
            None if self.superwords is None else self.superwords[some],
        )


class TextParts:
    """Parts of a text as sorted byte spans, each with a colour and perhaps an id or a rule.

    ``starts``, ``ends``: int32 byte offsets, both non-decreasing; gaps are text that no part
    covers. Several parts may share a span (the bytes of one character that a tokenizer spells
    out): they are then drawn next to each other in it, see ``drawn_starts``.
    ``colours``: uint8, a token fill 0…15, or ``rule * 2 + shade`` where ``rule_names`` is set;
    where none are given they are made from ``ids``, or else from ``rules``, and from the place modulo 2.
    ``ids``: int32 token ids, or None.  ``special``: whether a part is a special token, or None.
    ``superwords``: whether it is a piece of several words, or None. ``special_ids`` and ``superword_ids`` are sorted.
    """

    def __init__(
        self,
        starts: npt.ArrayLike | ChunkedColumn,
        ends: npt.ArrayLike | ChunkedColumn,
        colours: npt.ArrayLike | None,
        *,
        ids: npt.ArrayLike | ChunkedColumn | None = None,
        rules: npt.ArrayLike | ChunkedColumn | None = None,
        rule_names: Sequence[str] = (),
        special: npt.ArrayLike | None = None,
        special_ids: npt.ArrayLike = (),
        superword_ids: npt.ArrayLike = (),
    ) -> None:
        self.starts = ChunkedColumn.of(starts)
        self.ends = ChunkedColumn.of(ends)
        self._colours: npt.NDArray[np.uint8] | None = (
            None if colours is None else np.asarray(colours, dtype=np.uint8)
        )
        self.ids = None if ids is None else ChunkedColumn.of(ids)
        self.rules = None if rules is None else ChunkedColumn.of(rules, np.uint8)
        self.rule_names: tuple[str, ...] = tuple(rule_names)
        self._special: npt.NDArray[np.bool_] | None = (
            None if special is None else np.asarray(special, dtype=np.bool_)
        )
        self._special_ids: IntArray = np.asarray(special_ids, dtype=np.int32)
        self._superword_ids: IntArray = np.asarray(superword_ids, dtype=np.int32)
        self._pages: dict[int, Looks] = {}

    @classmethod
    def empty(cls) -> TextParts:
        """A text without parts."""
        return cls([], [], [])

    @classmethod
    def of_tokens(
        cls,
        ids: npt.ArrayLike,
        spans: npt.ArrayLike,
        special_ids: Sequence[int] = (),
        superword_ids: npt.ArrayLike = (),
    ) -> TextParts:
        """The tokens of an encoding: ``ids`` (n) and ``spans`` (2n or n × 2, start and end)."""
        pairs = np.asarray(spans, dtype=np.int32).reshape(-1, 2)
        return cls(
            pairs[:, 0],
            pairs[:, 1],
            None,
            ids=ids,
            special_ids=special_ids,
            superword_ids=superword_ids,
        )

    @classmethod
    def of_pre_tokens(
        cls,
        ends: npt.ArrayLike | ChunkedColumn,
        rules: npt.ArrayLike | ChunkedColumn,
        names: Sequence[str],
    ) -> TextParts:
        """The pre-tokens of a text: absolute byte ``ends``, the first one starting at 0."""
        column = ChunkedColumn.of(ends)
        starts = column.part(0, len(column) - 1).around([0] if len(column) else [], [])
        return cls(starts, column, None, rules=rules, rule_names=names)

    @property
    def removed(self) -> IntArray:
        """The spans (n × 2) of the parts that are not in any pre-token."""
        if self.rules is None or REMOVED_RULE not in self.rule_names:
            return np.empty((0, 2), dtype=np.int32)
        removed = self.rules[:] == self.rule_names.index(REMOVED_RULE)
        return np.stack((self.starts[:][removed], self.ends[:][removed]), axis=1)

    def after_edit(self, head: int, tail: int, growth: int) -> TextParts:
        """The parts that an edit of the text did not touch, at their new places.

        The text is unchanged before byte ``head`` and from the old byte ``tail`` on, which moved by
        ``growth`` bytes. It is shown until the new text is encoded.
        """
        before = self.ends.row_of(head, "right")
        after = max(self.starts.row_of(tail), before)
        moved = self._slice(after, len(self))
        moved.starts, moved.ends = moved.starts.moved(growth), moved.ends.moved(growth)
        return self._of([self._slice(0, before), moved])

    def followed_by(self, older: TextParts) -> TextParts:
        """These parts, and those of ``older`` that come after them.

        While a long text is encoded again, the old parts stay visible.
        """
        if not len(self):
            return older
        first = older.starts.row_of(self.ends[-1])
        return self._of([self, older._slice(first, len(older))]) if first < len(older) else self

    def first(self, count: int) -> TextParts:
        """The first parts, without a copy."""
        return self._slice(0, count)

    def _slice(self, first: int, last: int) -> TextParts:
        """Some of the parts, without a copy."""
        some = slice(first, last)

        def of(values: ChunkedColumn | None) -> ChunkedColumn | None:
            return None if values is None else values.part(first, last)

        return TextParts(
            self.starts.part(first, last),
            self.ends.part(first, last),
            None if self._colours is None else self._colours[some],
            ids=of(self.ids),
            rules=of(self.rules),
            rule_names=self.rule_names,
            special=None if self._special is None else self._special[some],
            special_ids=self._special_ids,
            superword_ids=self._superword_ids,
        )

    def _of(self, several: Sequence[TextParts]) -> TextParts:
        """Parts one after the other, with the rule names of these."""
        if len(several) == 1:
            return several[0]

        def all_of(name: str, kind: type[np.generic]) -> ChunkedColumn | None:
            columns = [getattr(parts, name) for parts in several]
            if all(values is None for values in columns):
                return None
            return ChunkedColumn.chain(
                [
                    ChunkedColumn.of(np.zeros(len(parts)) if values is None else values, kind)
                    for parts, values in zip(several, columns, strict=True)
                ]
            )

        alike = all(np.array_equal(parts._special_ids, self._special_ids) for parts in several)
        special = all_of("_special" if alike else "special", np.bool_)
        lazy = all(parts._colours is None for parts in several)
        return TextParts(
            ChunkedColumn.chain([parts.starts for parts in several]),
            ChunkedColumn.chain([parts.ends for parts in several]),
            None if lazy else np.concatenate([parts.colours for parts in several]),
            ids=all_of("ids", np.int32),
            rules=all_of("rules", np.uint8),
            rule_names=self.rule_names,
            special=None if special is None else special[:],
            special_ids=self._special_ids if alike else (),
            superword_ids=self._superword_ids,
        )

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, byte: float) -> int:
        """The index of the part drawn at ``byte``, or -1 where there is none.

        Fractions distinguish the parts that share the span of one character.
        """
        near = self.between(math.floor(byte), math.floor(byte) + 1)
        looks = self.looks(near)
        index = int(np.searchsorted(looks.ends, byte, side="right"))
        if index < len(near) and looks.starts[index] <= byte:
            return near[index]
        return -1

    def between(self, start: int, end: int) -> range:
        """The parts that have a byte in ``start`` … ``end``, or are there without bytes."""
        first = self.ends.row_of(start, "right")
        last = self.starts.row_of(end)
        while first > 0 and self.starts[first - 1] == self.ends[first - 1] == start:
            first -= 1
        return range(first, max(first, last))

    def made_of(self, parts: range, origin: int) -> tuple[bytes | None, ...]:
        """Everything that the looks of some neighbouring parts depend on, except their places in the row.

        Bytes count from ``origin``. The sets of special tokens and superwords are not in it.
        """
        some = slice(parts.start, parts.stop)
        columns = self.ids, self.rules, self._colours, self._special
        return (
            (self.starts[some] - origin).tobytes(),
            (self.ends[some] - origin).tobytes(),
            *(None if values is None else values[some].tobytes() for values in columns),
        )

    @property
    def values(self) -> tuple[ChunkedColumn, ...] | None:
        """The columns that parts have besides their places; None if their colours or special tokens were given."""
        if self._colours is not None or self._special is not None:
            return None
        return tuple(column for column in (self.ids, self.rules) if column is not None)

    def marks_as(self, other: TextParts) -> bool:
        """Whether the same ids are special tokens and superwords as in ``other``, and the rules have the same names."""
        return (
            self.rule_names == other.rule_names
            and _same(self._special_ids, other._special_ids)
            and _same(self._superword_ids, other._superword_ids)
        )

    def span(self, index: int) -> tuple[int, int]:
        """The byte span of one part."""
        return int(self.starts[index]), int(self.ends[index])

    # The looks of all parts: for tests, and for few parts.

    @property
    def drawn_starts(self) -> npt.NDArray[np.float64]:
        """Where each part is drawn from, in bytes: its start, or its share of a common span."""
        return self._all.starts

    @property
    def drawn_ends(self) -> npt.NDArray[np.float64]:
        """Where each part is drawn to, in bytes."""
        return self._all.ends

    @property
    def colours(self) -> npt.NDArray[np.uint8]:
        """The colour number of each part."""
        return self._all.colours

    @property
    def special(self) -> npt.NDArray[np.bool_] | None:
        """Whether each part is a special token; None if none is."""
        return _unless_none(self._all.special)

    @property
    def superwords(self) -> npt.NDArray[np.bool_] | None:
        """Whether each part is a piece of several words; None if none is."""
        return _unless_none(self._all.superwords)

    @cached_property
    def _all(self) -> Looks:
        return self._worked_out(0, len(self))

    def looks(self, parts: range) -> Looks:
        """The looks of some neighbouring parts, worked out with their page."""
        pages = range(parts.start // PAGE, max(parts.stop - 1, parts.start) // PAGE + 1)
        if len(pages) > 1:
            return self._worked_out(parts.start, parts.stop)
        page = self._pages.get(pages.start)
        first = pages.start * PAGE
        if page is None:
            if len(self._pages) >= KEPT_PAGES:
                self._pages.clear()
            page = self._worked_out(first, min(first + PAGE, len(self)))
            self._pages[pages.start] = page
        return page.part(parts.start - first, parts.stop - first)

    def _worked_out(self, first: int, last: int) -> Looks:
        some = slice(first, last)
        starts, ends = self._drawn(first, last)
        special = None if self._special is None else self._special[some]
        if special is None and len(self._special_ids) and self.ids is not None:
            special = _are_in(self.ids[some], self._special_ids)
        superwords = None
        if len(self._superword_ids) and self.ids is not None:
            superwords = _are_in(self.ids[some], self._superword_ids)
        return Looks(starts, ends, self._colours_of(first, last), special, superwords)

    def _colours_of(self, first: int, last: int) -> npt.NDArray[np.uint8]:
        if self._colours is not None:
            return self._colours[first:last]
        if self.ids is not None:
            return token_colours(self.ids[first:last], first)
        assert self.rules is not None, "parts with neither colours, ids nor rules"
        shades = np.arange(first, last, dtype=np.int32) % SHADES
        return (self.rules[first:last] * SHADES + shades).astype(np.uint8)

    def _drawn(
        self, first: int, last: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        begin, end = first, last
        while 0 < begin < len(self) and self.span(begin - 1) == self.span(begin):
            begin -= 1
        while 0 < end < len(self) and self.span(end - 1) == self.span(end):
            end += 1
        starts = self.starts[begin:end].astype(np.float64)
        ends = self.ends[begin:end].astype(np.float64)
        same = (np.diff(starts) == 0) & (np.diff(ends) == 0) & (starts[1:] < ends[1:])
        if same.any():
            # [0 0 0 1] → a group of three: each takes a third of the span they have in common.
            group = np.concatenate(([0], np.cumsum(~same)))
            size = np.bincount(group)[group]
            position = np.arange(len(starts)) - np.searchsorted(group, group)
            share = (ends - starts) / size
            starts += position * share
            ends = np.where(position == size - 1, ends, starts + share)
        return starts[first - begin : last - begin], ends[first - begin : last - begin]


def token_colours(ids: npt.NDArray[np.int32], first: int = 0) -> npt.NDArray[np.uint8]:
    """The colour number of each token: its hue 0…7, and 8 more where its place in the text is odd.

    ``first``: the place in the text of the first one. A token has the same hue wherever it is; neighbours always differ in
    their shade.
    """
    # Bits 13 to 15 of a product, see `token_colour`; narrow types make this many times faster.
    product = ids.astype(np.uint32) * np.uint32(2654435761)
    hues = (product >> np.uint32(13)).astype(np.uint8) & np.uint8(7)
    hues[1 - first % 2 :: 2] += np.uint8(TOKEN_COLOURS // 2)
    return hues


def _same(one: IntArray, other: IntArray) -> bool:
    return one is other or (len(one) == len(other) and bool((one == other).all()))


def _are_in(ids: IntArray, rising: IntArray) -> npt.NDArray[np.bool_]:
    """Whether each id is one of ``rising``, of which there are some."""
    is_in: npt.NDArray[np.bool_] = rising.take(np.searchsorted(rising, ids), mode="clip") == ids
    return is_in


def token_colour(token: int) -> int:
    """The colour number of a single token, 0…7: its hue."""
    return ((max(token, 0) * 2654435761) & 0xFFFFFFFF) >> 13 & 7


def _unless_none(marked: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.bool_] | None:
    return marked if marked is not None and marked.any() else None
