"""The entries of one vocabulary as numpy columns by id, and their sort orders."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES
from tokenarium.models.text.piece import score_text
from tokenarium_core.explaining import piece_facts as facts
from tokenarium_core.explaining.near_spellings import has_byte_spelling
from tokenarium_core.explaining.vocabulary_entries import unreached_pieces
from tokenarium_core.models import BytePairEncoder, CharacterBpe
from tokenarium_core.models.model import Model
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import CONTROL, UNKNOWN

Mask = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.int32]

UNREACHABLE = 64
SPECIAL = 128

FLAGS = {
    "splits": (facts.SPLITS, "its bytes are not whole characters"),
    "superword": (facts.SUPERWORD, "it holds a space between two words"),
    "space": (facts.LEADING_SPACE, "it begins with a space"),
    "unreachable": (UNREACHABLE, "the model does not make it from its own bytes"),
    "special": (SPECIAL, "it is a special, control or unknown token"),
}
"""The bit of each flag, and its meaning."""

SHOWN_FLAGS = ("splits", "superword", "unreachable", "special")
"""The flags in the column of flags; the leading space has a column of its own."""

NO_RANK = -1

SLICE = 256
"""Entries between two looks at the clock: up to two milliseconds."""


@dataclass(frozen=True, slots=True)
class Merges:
    """The merges of a BPE model: for each rank the pair and its result.

    ``priorities`` are the order in which merges are made; empty if that is the order of the ranks.
    """

    lefts: Ids
    rights: Ids
    results: Ids
    priorities: Ids


def merges_of(model: Model) -> Merges | None:
    """Returns the merges of a model without a copy, or None."""
    if isinstance(model, BytePairEncoder):
        table, priorities = model.merges, np.zeros(0, np.int32)
    elif isinstance(model, CharacterBpe):
        table = model.merges.table
        priorities = array_of(model.merges.priorities)
    else:
        return None
    lefts, rights, results = (
        array_of(column) for column in (table.lefts, table.rights, table.results)
    )
    return Merges(lefts, rights, results, priorities)


class VocabularyColumns:
    """The columns of a tokenizer's vocabulary. ``flags`` has the bits of `FLAGS`.

    Unreachable entries are set from outside (`mark_unreachable`).
    """

    def __init__(self, tokenizer: tc.Tokenizer) -> None:
        self.tokenizer = tokenizer
        vocabulary = self.vocabulary = tokenizer.vocabulary
        self.count = len(vocabulary)
        self.arena: bytes = vocabulary.arena
        self.offsets: Ids = array_of(vocabulary.offsets)
        self.data = np.frombuffer(self.arena, np.uint8)[: int(self.offsets[-1])]
        self.lengths: Ids = np.diff(self.offsets)
        self.kinds: npt.NDArray[np.uint8] = array_of(vocabulary.kinds)
        piece_facts = facts.piece_facts(vocabulary)
        self.characters: Ids = array_of(piece_facts.characters)
        self.scripts: npt.NDArray[np.uint8] = array_of(piece_facts.scripts)
        self.flags: npt.NDArray[np.uint8] = np.array(memoryview(piece_facts.flags))
        self.mixed_ids: Ids = np.array(memoryview(piece_facts.mixed_ids), np.int32)
        self.mixed_scripts: Ids = np.array(memoryview(piece_facts.mixed_scripts), np.int32)
        special = np.isin(self.kinds, (CONTROL, UNKNOWN))
        special[[token for token in tokenizer.special_tokens.values() if token < self.count]] = True
        self.flags[special] |= SPECIAL
        self.merges = merges_of(tokenizer.model)
        self.has_scores = len(vocabulary.scores) > 0
        self.has_byte_spelling = has_byte_spelling(tokenizer)
        self.reach_is_known = False
        self.indicator = ""
        """The name of the indicator in ``indicators``; empty if no weights of a model were read."""
        self.indicators: npt.NDArray[np.float32] = np.zeros(0, np.float32)
        self._texts = [""] * self.count
        self._orders: dict[tuple[str, bool], Ids] = {}
        self._text_orders: dict[bool, PieceOrder] = {}

    # The columns.

    def piece(self, token: int) -> bytes:
        """Returns the bytes of an entry."""
        return self.arena[self.offsets[token] : self.offsets[token + 1]]

    @cached_property
    def values(self) -> npt.NDArray[np.float64]:
        """The score of each entry, else its rank (see `ranks`)."""
        if self.has_scores:
            return np.array(memoryview(self.vocabulary.scores), np.float64)[: self.count]
        return self.ranks

    @cached_property
    def ranks(self) -> npt.NDArray[np.float64]:
        """For each entry the rank of the first merge that makes it, or `NO_RANK`."""
        ranks = np.full(self.count, NO_RANK, np.float64)
        if self.merges is not None and len(self.merges.results):
            places = self.merges.priorities
            order = np.arange(len(self.merges.results)) if len(places) == 0 else places
            inside = (self.merges.results >= 0) & (self.merges.results < self.count)
            first = np.full(self.count, np.inf)
            np.minimum.at(first, self.merges.results[inside], order[inside])
            made = np.isfinite(first)
            ranks[made] = first[made]
        return ranks

    @property
    def unranked(self) -> Mask:
        """Whether each entry has neither a score nor a rank."""
        return np.zeros(self.count, np.bool_) if self.has_scores else self.values == NO_RANK

    @property
    def has_values(self) -> bool:
        """Whether entries have scores or ranks: WordPiece has neither."""
        return self.has_scores or self.merges is not None

    @cached_property
    def lowered(self) -> npt.NDArray[np.uint8]:
        """The bytes with letters in lower case, if those take as many bytes: offsets stay valid."""
        codes = np.frombuffer(_utf32(self.data.tobytes()), np.uint32)
        return np.frombuffer(_utf8(_lower_codes(codes)), np.uint8)

    def lower(self, text: bytes) -> bytes:
        """Returns a text in lower case as in ``lowered``."""
        return _utf8(_lower_codes(np.frombuffer(_utf32(text), np.uint32)))

    @cached_property
    def owners(self) -> Ids:
        """For each byte of the arena, the entry that it belongs to."""
        return np.repeat(np.arange(self.count, dtype=np.int32), self.lengths)

    @cached_property
    def text_lengths(self) -> Ids:
        """The characters of each entry's text (see `texts`); an upper bound for entries with split characters."""
        return np.where(self.flags & facts.SPLITS, self.lengths, self.characters)

    def texts(self, tokens: Sequence[int]) -> list[str]:
        """Returns the characters of some entries, for regular expressions; they are decoded at first use.

        A byte outside whole characters is a lone surrogate, as in ``bytes.decode("utf-8", "surrogateescape")``.
        """
        known = self._texts
        return [known[token] or self._decoded(token) for token in tokens]

    def _decoded(self, token: int) -> str:
        text = self._texts[token] = self.piece(token).decode("utf-8", "surrogateescape")
        return text

    def scripts_of(self, token: int) -> str:
        """Returns the class of an entry; for a mixed one all its scripts: "Latin + Greek"."""
        number = int(self.scripts[token])
        if number != facts.MIXED:
            return CLASS_NAMES[number]
        first, last = np.searchsorted(self.mixed_ids, [token, token + 1])
        return " + ".join(CLASS_NAMES[script] for script in self.mixed_scripts[first:last].tolist())

    def flags_of(self, token: int) -> list[str]:
        """Returns the names of the flags of an entry that the column of flags shows."""
        bits = int(self.flags[token])
        return [name for name in SHOWN_FLAGS if bits & FLAGS[name][0]]

    def mark_unreachable(self, tokens: list[int]) -> None:
        """Notes that the model does not make these entries of their own bytes."""
        self.flags[tokens] |= UNREACHABLE
        for descending in (False, True):
            self._orders.pop(("flags", descending), None)

    def set_indicators(self, name: str, values: npt.NDArray[np.float32]) -> None:
        """Takes an indicator of each entry by a model's embeddings: low where it was hardly trained."""
        self.indicator, self.indicators = name, values[: self.count]
        for descending in (False, True):
            self._orders.pop(("indicator", descending), None)

    # The sort orders.

    def order(self, column: str, descending: bool = False) -> Ids:
        """Returns all ids sorted by a column; equal entries in the order of their ids."""
        key = column, descending
        if key not in self._orders:
            self._orders[key] = self._sorted(column, descending)
        return self._orders[key]

    def _sorted(self, column: str, descending: bool) -> Ids:
        if column == "id":
            ids = np.arange(self.count, dtype=np.int32)
            return np.ascontiguousarray(ids[::-1]) if descending else ids
        if column == "text":
            return self.text_order(descending).finish()
        keys = self._keys(column)
        if descending:  # from the back, so that equal ones stay in the order of their ids
            places = np.argsort(keys[::-1], kind="stable")[::-1]
            return (self.count - 1 - places).astype(np.int32)
        return np.argsort(keys, kind="stable").astype(np.int32)

    def text_order(self, descending: bool) -> PieceOrder:
        """Returns the sort by bytes, so that a caller can do its steps ahead."""
        if descending not in self._text_orders:
            self._text_orders[descending] = PieceOrder(self.data, self.offsets, descending)
        return self._text_orders[descending]

    def _keys(self, column: str) -> npt.NDArray[np.generic]:
        if column == "kind":
            return self.kinds
        if column == "script":
            return _ALPHABETICAL[self.scripts]
        if column == "space":
            return ~(self.flags & facts.LEADING_SPACE)
        if column == "flags":
            bits = sum(FLAGS[name][0] for name in SHOWN_FLAGS)
            return ~(self.flags & np.uint8(bits))  # those with flags first
        if column == "value":
            if self.has_scores:
                return self.values
            return np.where(self.values == NO_RANK, np.inf, self.values)
        if column == "indicator":
            return self.indicators if self.indicator else np.zeros(self.count, np.float32)
        numbers = self.lengths if column == "length" else self.characters
        return numbers.astype(np.uint16) if numbers.size and numbers.max() < 1 << 16 else numbers


class PieceOrder:
    """Sorts pieces by their bytes, without a Python object for each: ``step`` by two bytes, from the last to the first.

    A radix sort.

    A piece comes before longer ones that begin with it; equal ones are in the order of their ids, even if
    ``descending``. A step only moves the pieces that are long enough for its bytes.
    """

    def __init__(self, data: npt.NDArray[np.uint8], offsets: Ids, descending: bool = False) -> None:
        lengths = np.diff(offsets)
        self._descending = descending
        if descending:  # all is reversed at the end, equal ones too
            backwards = np.argsort(lengths[::-1], kind="stable")
            self._by_length = (len(lengths) - 1 - backwards).astype(np.int32)
        else:
            self._by_length = np.argsort(lengths, kind="stable").astype(np.int32)
        self._lengths = lengths[self._by_length]
        self._starts = offsets[:-1].astype(np.int64)
        self._ends = offsets[1:]
        self._data = np.concatenate([data, np.zeros(2, np.uint8)])
        longest = int(self._lengths[-1]) if len(lengths) else 0
        self._depth = longest + longest % 2  # sorted from here on
        self._order = np.zeros(0, np.int32)

    @property
    def finished(self) -> bool:
        """Whether all is sorted."""
        return self._depth == 0

    def step(self) -> None:
        """Sorts by the two bytes before the sorted ones."""
        if self.finished:
            return
        depth = self._depth = self._depth - 2
        first = np.searchsorted(self._lengths, depth, side="right")
        last = np.searchsorted(self._lengths, depth + 2, side="right")
        reaching = np.concatenate([self._by_length[first:last], self._order])
        at = self._starts[reaching] + depth
        second = self._data[at + 1] * (at + 1 < self._ends[reaching])
        digits = self._data[at].astype(np.uint16) << 8 | second
        self._order = reaching[np.argsort(digits, kind="stable")]

    def finish(self) -> Ids:
        """Returns the ids in their order."""
        while not self.finished:
            self.step()
        empty = np.searchsorted(self._lengths, 0, side="right")
        order = np.concatenate([self._by_length[:empty], self._order])
        return order[::-1] if self._descending else order


class ColumnPreparation:
    """Prepares, in slices, what regular expressions, sorting and the flag "unreachable" need."""

    def __init__(self, columns: VocabularyColumns) -> None:
        self._columns = columns
        self._done = 0
        self._unreached: list[int] = []
        self._work = self._pieces_of_work()
        self.finished = False

    def step(self, budget_ms: float) -> Progress:
        """Works for about so long."""
        until = time.perf_counter() + budget_ms / 1000
        while not self.finished and time.perf_counter() < until:
            self.finished = next(self._work, None) is None
        return Progress(
            "Looking for unreachable entries", self._done, self._columns.count, self.finished
        )

    def _pieces_of_work(self) -> Iterator[bool]:
        columns = self._columns
        _ = columns.owners
        yield True
        for first in range(0, columns.count, SLICE):
            columns.texts(range(first, min(first + SLICE, columns.count)))
            yield True
        _ = columns.lowered
        yield True
        for descending in (False, True):
            order = columns.text_order(descending)
            while not order.finished:
                order.step()
                yield True
        for column in ("script", "length", "characters", "kind", "value", "flags", "space"):
            columns.order(column)
            yield True
        while self._done < columns.count:
            last = min(self._done + SLICE, columns.count)
            self._unreached += unreached_pieces(columns.tokenizer.model, self._done, last)
            self._done = last
            yield True
        columns.mark_unreachable(self._unreached)
        columns.reach_is_known = True


_ALPHABETICAL = np.empty(256, np.uint8)
_ALPHABETICAL[: len(CLASS_NAMES)] = np.argsort(np.argsort(np.array(CLASS_NAMES), kind="stable"))


def value_text(columns: VocabularyColumns, token: int) -> str:
    """Returns the score or the rank of an entry."""
    if columns.has_scores:
        return score_text(float(columns.values[token]))
    value = columns.values[token]
    return "–" if value == NO_RANK else f"{int(value):,}"


def _utf32(data: bytes) -> bytes:
    return data.decode("utf-8", "surrogateescape").encode("utf-32-le", "surrogatepass")


def _utf8(codes: npt.NDArray[np.uint32]) -> bytes:
    text = codes.tobytes().decode("utf-32-le", "surrogatepass")
    return text.encode("utf-8", "surrogateescape")


def _lower_codes(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Returns code points in lower case if that has the same size in UTF-8."""
    there = np.zeros(0x110000, np.bool_)
    there[codes] = True
    table = np.arange(0x110000, dtype=np.uint32)
    for code in np.flatnonzero(there).tolist():
        if not 0xDC80 <= code <= 0xDCFF:
            lower = chr(code).lower()
            if len(lower) == 1 and len(lower.encode()) == len(chr(code).encode()):
                table[code] = ord(lower)
    return table[codes]
