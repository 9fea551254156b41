"""What a training counted, as tables: its pre-tokens, its pairs after each merge, and what each merge changed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt
from librt.vecs import vec
from mypy_extensions import i32

from tokenarium.models.charts.chart import csv_text
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.piece import readable
from tokenarium_core import Model, Progress, Trace
from tokenarium_core import trace as kinds
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.training import PairLedger, PreTokenCounts
from tokenarium_core.whole_files import WholeFile

Ints = npt.NDArray[np.int64]
SIGNS: Final = {"␣": " ", "⏎": "\n"}
"""The signs that stand for characters in a table, as one may type them to filter it."""

_IDS = re.compile(r"\(?\s*(\d+)\s*(?:[,+ ]\s*(\d+)\s*\)?)?$")
_TURN = 256


class StoryTables:
    """The three tables of a training, at one number of merges: ``step``.

    ``merge_pairs[k]`` is merge ``k`` as a pair packed by the ledger; it makes token ``first + k``. ``first_seen``: equally
    frequent pairs are in the order in which they were first counted, else in that of their ids; the next one to be merged
    is before all that are as frequent.
    """

    def __init__(
        self,
        ledger: PairLedger,
        words: PreTokenCounts,
        pieces: Sequence[bytes],
        model: Model,
        merge_pairs: Ints,
        first: int,
        first_seen: bool = False,
    ) -> None:
        self.pieces = pieces
        self.first = first
        self.pairs: Ints = array_of(ledger.pairs)
        self.lefts: Ints = self.pairs >> 32
        self.rights: Ints = self.pairs & 0xFFFFFFFF
        self._starts: Ints = array_of(ledger.starts)
        self._numbers = array_of(ledger.numbers)
        self._changes: Ints = array_of(ledger.changes)
        self.counts: Ints = np.zeros(len(self.pairs), dtype=np.int64)
        self._step = -1
        self.steps = len(ledger)
        by_ids = np.argsort(self.pairs, kind="stable")
        order = np.arange(len(self.pairs)) if first_seen else by_ids
        self._places: Ints = np.empty(len(order), dtype=np.int64)
        self._places[order] = np.arange(1, len(order) + 1)
        self._merge_numbers: Ints = by_ids[np.searchsorted(self.pairs, merge_pairs, sorter=by_ids)]
        self.becomes: Ints = np.full(len(self.pairs), -1, dtype=np.int64)
        """The token that each pair is merged into at some step; -1: none."""
        self.becomes[self._merge_numbers] = first + np.arange(len(merge_pairs))
        self._merged = merge_pairs
        self.pre_tokens = PreTokenTable(self, words, model)
        self.pair_table = PairTable(self)
        self.changes = ChangeTable(self)
        self.go_to(0)

    @property
    def step(self) -> int:
        """How many merges are done."""
        return self._step

    def go_to(self, step: int) -> None:
        """Shows the counts after this many merges."""
        step = max(0, min(step, self.steps - 1))
        if step == self._step:
            return
        low, high = sorted((self._step, step))
        rows = slice(int(self._starts[low + 1]), int(self._starts[high + 1]))
        moved = np.bincount(self._numbers[rows], self._changes[rows], len(self.pairs))
        sign = 1 if step > self._step else -1
        self.counts += sign * moved.astype(np.int64)
        self._step = step

    @property
    def places(self) -> Ints:
        """The place of each pair among equally frequent ones; the next to be merged comes first."""
        if self._step >= len(self._merged):
            return self._places
        places = self._places.copy()
        places[self._merge_numbers[self._step]] = 0
        return places

    def changed(self) -> tuple[Ints, Ints]:
        """Returns the pairs whose counts the last merge changed, and by how much; at step 0, none."""
        if self._step == 0:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        rows = slice(int(self._starts[self._step]), int(self._starts[self._step + 1]))
        return self._numbers[rows].astype(np.int64), self._changes[rows]

    def merge(self) -> tuple[int, int, int] | None:
        """Returns the left id, the right id and the new id of the last merge; None at step 0."""
        if self._step == 0 or self._step > len(self._merged):
            return None
        pair = int(self._merged[self._step - 1])
        return pair >> 32, pair & 0xFFFFFFFF, self.first + self._step - 1

    def text(self, token: int) -> str:
        """Returns a token as the user reads it."""
        return readable(self.pieces[token])

    def matching(self, query: str) -> npt.NDArray[np.bool_]:
        """Returns which pairs a filter finds: one id or two, or a text that the two tokens together hold."""
        ids = _IDS.match(query.strip())
        found = np.zeros(len(self.pairs), dtype=np.bool_)
        if ids is not None:
            one = int(ids[1])
            if ids[2] is None:
                found |= (self.lefts == one) | (self.rights == one)
            else:
                found |= (self.lefts == one) & (self.rights == int(ids[2]))
                return found
        wanted = typed(query)
        holds = np.array([wanted in piece for piece in self.pieces], dtype=np.bool_)
        found |= holds[self.lefts] | holds[self.rights]
        for cut in range(1, len(wanted)):
            ends = np.array([piece.endswith(wanted[:cut]) for piece in self.pieces], dtype=np.bool_)
            begins = np.array(
                [piece.startswith(wanted[cut:]) for piece in self.pieces], dtype=np.bool_
            )
            found |= ends[self.lefts] & begins[self.rights]
        return found


def typed(query: str) -> bytes:
    """Returns the bytes that a filter looks for; the signs of a table stand for their characters.

    >>> typed("␣the")
    b' the'
    """
    return "".join(SIGNS.get(c, c) for c in query).encode("utf-8", "replace")


class StoryTable:
    """Base of the tables: items by number, of which some are shown in some order."""

    name: ClassVar[str]
    titles: ClassVar[tuple[str, ...]]
    keys: ClassVar[tuple[str, ...]]
    """The names of the columns in a file."""

    terms: ClassVar[Mapping[int, str]] = {}
    numbers: ClassVar[tuple[int, ...]]
    """The columns of numbers."""

    widths: ClassVar[tuple[int, ...]]
    """The usual widths of the columns, in grids; the last one takes the rest."""

    sorted_by: ClassVar[tuple[int, bool]]
    """The column that it is sorted by at first, and whether the largest come first."""

    unsorted: ClassVar[tuple[int, ...]] = ()
    """Columns by which it cannot be sorted."""

    follows = True
    """Whether it has other items at another step."""

    def rows(self, column: int, descending: bool, query: str) -> Ints:
        """Returns the items that a filter finds, in order."""
        raise NotImplementedError

    def cell(self, item: int, column: int) -> str:
        """Returns the text of a cell."""
        raise NotImplementedError

    def values(self, item: int) -> list[str | int]:
        """Returns a row for a file."""
        raise NotImplementedError

    def sentence(self, shown: int) -> str:
        """Returns what is above the table, where ``shown`` items are."""
        raise NotImplementedError


class PairTable(StoryTable):
    """All pairs that the corpus has now."""

    name = "Pairs"
    titles = ("Ids", "Count", "Becomes", "Left", "Right")
    keys = ("left_id", "right_id", "count", "becomes", "left", "right")
    terms: ClassVar[Mapping[int, str]] = {0: "pair", 2: "merge", 3: "symbol", 4: "symbol"}
    numbers = (1, 2)
    widths = (16, 12, 13, 26, 26)
    sorted_by = (1, True)

    def __init__(self, tables: StoryTables) -> None:
        self._tables = tables

    def rows(self, column: int, descending: bool, query: str) -> Ints:
        tables = self._tables
        there = tables.counts > 0
        if query:
            there &= tables.matching(query)
        items = np.flatnonzero(there)
        return items[ordered(self._key(column)[items], tables.places[items], descending)]

    def _key(self, column: int) -> Ints:
        tables = self._tables
        if column == 0:
            return tables.pairs
        if column in (3, 4):
            return _by_text(tables)[tables.lefts if column == 3 else tables.rights]
        return tables.counts if column == 1 else tables.becomes

    def cell(self, item: int, column: int) -> str:
        tables = self._tables
        left, right = int(tables.lefts[item]), int(tables.rights[item])
        if column == 0:
            return f"({left}, {right})"
        if column in (3, 4):
            return tables.text(left if column == 3 else right)
        if column == 1:
            return f"{int(tables.counts[item]):,}"
        becomes = int(tables.becomes[item])
        return "" if becomes < 0 else str(becomes)

    def values(self, item: int) -> list[str | int]:
        tables = self._tables
        left, right = int(tables.lefts[item]), int(tables.rights[item])
        becomes = int(tables.becomes[item])
        texts = [tables.text(left), tables.text(right)]
        return [left, right, int(tables.counts[item]), becomes if becomes >= 0 else "", *texts]

    def sentence(self, shown: int) -> str:
        there = int(np.count_nonzero(self._tables.counts))
        of = f"{shown:,} of {there:,}" if shown < there else f"{there:,}"
        return f"{of} {'pair' if there == 1 else 'different pairs'}"


class ChangeTable(StoryTable):
    """The pairs whose counts the last merge changed."""

    name = "Changes"
    titles = ("Ids", "Before", "After", "Change", "Left", "Right")
    keys = ("left_id", "right_id", "before", "after", "change", "left", "right")
    terms: ClassVar[Mapping[int, str]] = {0: "pair", 4: "symbol", 5: "symbol"}
    numbers = (1, 2, 3)
    widths = (16, 11, 11, 11, 26, 26)
    sorted_by = (3, False)

    def __init__(self, tables: StoryTables) -> None:
        self._tables = tables
        self._by: dict[int, int] = {}

    def rows(self, column: int, descending: bool, query: str) -> Ints:
        tables = self._tables
        items, by = tables.changed()
        self._by = dict(zip(items.tolist(), by.tolist(), strict=True))
        if query:
            found = tables.matching(query)[items]
            items, by = items[found], by[found]
        if column == 0:
            key = tables.pairs[items]
        elif column in (4, 5):
            key = _by_text(tables)[(tables.lefts if column == 4 else tables.rights)[items]]
        else:
            now = tables.counts[items]
            key = (now - by, now, by)[column - 1]
        return items[ordered(key, tables.places[items], descending)]

    def cell(self, item: int, column: int) -> str:
        if column == 0:
            return self._tables.pair_table.cell(item, 0)
        if column > 3:
            return self._tables.pair_table.cell(item, column - 1)
        now, by = int(self._tables.counts[item]), self._by.get(item, 0)
        return (f"{now - by:,}", f"{now:,}", f"{by:+,}".replace("-", "−"))[column - 1]

    def values(self, item: int) -> list[str | int]:
        now, by = int(self._tables.counts[item]), self._by.get(item, 0)
        left, right, _, _, *texts = self._tables.pair_table.values(item)
        return [left, right, now - by, now, by, *texts]

    def sentence(self, shown: int) -> str:
        merge = self._tables.merge()
        if merge is None:
            return "No merge yet: step on to see what one changes"
        items, by = self._tables.changed()
        now = self._tables.counts[items]
        new, gone = int(np.count_nonzero(now == by)), int(np.count_nonzero(now == 0))
        return f"({merge[0]}, {merge[1]}) → {merge[2]}: {len(items):,} counts changed; {new:,} pairs are new, {gone:,} gone"


class PreTokenTable(StoryTable):
    """The different pre-tokens of the corpus, with how the merges so far cut them."""

    name = "Pre-tokens"
    titles = ("Pre-token", "Count", "Bytes", "Tokens now", "Cut now")
    keys = ("pre_token", "count", "bytes", "tokens", "cut", "ids")
    terms: ClassVar[Mapping[int, str]] = {0: "pre-token", 3: "token"}
    numbers = (1, 2, 3)
    widths = (26, 12, 11, 13, 40)
    sorted_by = (1, True)
    unsorted = (3, 4)
    follows = False

    def __init__(self, tables: StoryTables, words: PreTokenCounts, model: Model) -> None:
        self._tables = tables
        self._data = words.data
        self._ends: Ints = array_of(words.ends)
        self.counts: Ints = array_of(words.counts)
        self._sizes: Ints = np.diff(self._ends, prepend=0)
        self._model = model
        self._bytes = model.byte_symbols()
        self._text_places: Ints | None = None
        self._merges: dict[int, list[tuple[int, int, int]]] = {}  # of a word: place, rank, id

    def __len__(self) -> int:
        return len(self._ends)

    def piece(self, item: int) -> bytes:
        """Returns the bytes of a pre-token."""
        end = int(self._ends[item])
        return self._data[end - int(self._sizes[item]) : end]

    def rows(self, column: int, descending: bool, query: str) -> Ints:
        items = self._holding(typed(query)) if query else np.arange(len(self))
        if column == 0:
            if self._text_places is None:
                self._text_places = self._by_text()
            key = self._text_places[items]
        else:
            key = self.counts[items] if column == 1 else self._sizes[items]
        return items[ordered(key, items, descending)]

    def _by_text(self) -> Ints:
        """Returns the place of each pre-token among all by its bytes: by the first 16, then the few that share them."""
        data = np.frombuffer(self._data + bytes(16), dtype=np.uint8)
        starts = self._ends - self._sizes
        inside = np.arange(16) < self._sizes[:, None]
        heads = np.where(
            inside, data[np.minimum(starts[:, None] + np.arange(16), len(data) - 1)], 0
        )
        first, second = np.ascontiguousarray(heads.astype(np.uint8)).view(">u8").T
        order = np.lexsort((self._sizes, second, first))
        same = (first[order][1:] == first[order][:-1]) & (second[order][1:] == second[order][:-1])
        ends = np.flatnonzero(~np.append(same, False)) + 1
        begins = np.append(0, ends[:-1])
        for begin, end in zip(begins[ends - begins > 1], ends[ends - begins > 1], strict=True):
            order[begin:end] = sorted(order[begin:end].tolist(), key=self.piece)
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(len(order))
        return places

    def _holding(self, wanted: bytes) -> Ints:
        """Returns the pre-tokens that hold some bytes."""
        found: list[int] = []
        data, at = self._data, -1
        while (at := data.find(wanted, at + 1)) >= 0:
            item = int(np.searchsorted(self._ends, at, "right"))
            end = int(self._ends[item])
            if at + len(wanted) <= end:
                found.append(item)
                at = end - 1
        return np.array(found, dtype=np.int64)

    def tokens(self, item: int) -> list[int]:
        """Returns the tokens of a pre-token after the merges that are done."""
        piece = self.piece(item)
        if item not in self._merges:
            trace, out = Trace(), vec[i32]([0] * (len(piece) + 1))
            self._model.encode_traced(piece + ZEROS, 0, len(piece), out, 0, trace)
            events = [n for n in range(len(trace)) if trace.kinds[n] == kinds.MERGE]
            self._merges[item] = [
                (int(trace.positions[n]), int(trace.ranks[n]), int(trace.results[n]))
                for n in events
            ]
        symbols = {at: self._bytes[byte] for at, byte in enumerate(piece)}
        # In the order of training, a merge comes after those that made its parts.
        for at, rank, result in self._merges[item]:
            if rank >= self._tables.step:
                continue
            after = next(place for place in sorted(symbols) if place > at)
            del symbols[after]
            symbols[at] = result
        return [symbols[at] for at in sorted(symbols)]

    def cell(self, item: int, column: int) -> str:
        if column == 0:
            return readable(self.piece(item))
        if column < 3:
            return f"{int((self.counts if column == 1 else self._sizes)[item]):,}"
        tokens = self.tokens(item)
        return f"{len(tokens):,}" if column == 3 else "  ".join(map(self._tables.text, tokens))

    def values(self, item: int) -> list[str | int]:
        tokens = self.tokens(item)
        cut = " ".join(map(self._tables.text, tokens))
        ids = " ".join(map(str, tokens))
        numbers = [int(self.counts[item]), int(self._sizes[item]), len(tokens)]
        return [readable(self.piece(item), 1 << 20), *numbers, cut, ids]

    def sentence(self, shown: int) -> str:
        total = int(self.counts.sum())
        of = f"{shown:,} of {len(self):,}" if shown < len(self) else f"{len(self):,}"
        return f"{of} different pre-tokens, {total:,} in all"


def ordered(keys: Ints, places: Ints, descending: bool) -> Ints:
    """Returns the order of keys; equal ones are in the order of their places, below 2**31, either way."""
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    least, most = int(keys.min()), int(keys.max())
    if most - least < 1 << 31:  # one sort of numbers is three times as fast as two
        keys = (most - keys) if descending else (keys - least)
        return np.argsort((keys << 31) + places, kind="stable")
    return np.lexsort((places, -keys if descending else keys))


def _by_text(tables: StoryTables) -> Ints:
    """Returns the place of each token among all, by its bytes."""
    places = np.empty(len(tables.pieces), dtype=np.int64)
    places[sorted(range(len(tables.pieces)), key=tables.pieces.__getitem__)] = np.arange(
        len(places)
    )
    return places


class TableWriter:
    """Writes the rows of a table to a CSV file, in slices, completely or not at all."""

    def __init__(self, table: StoryTable, rows: Ints, path: Path) -> None:
        self._row: Callable[[int], list[str | int]] = table.values
        self._rows = rows.tolist()
        self._path = path
        self._at = 0
        self._file = WholeFile(path)
        self._write([list(table.keys)])

    def step(self, budget_ms: float) -> Progress:
        """Writes some more rows; if that fails, the file is removed and TokenariumError is raised."""
        until = time.perf_counter() + budget_ms / 1000
        while self._at < len(self._rows) and time.perf_counter() < until:
            turn = self._rows[self._at : self._at + _TURN]
            self._write([self._row(item) for item in turn])
            self._at += len(turn)
        finished = self._at == len(self._rows)
        if finished:
            self._file.finish()
        return Progress(f"Writing {self._path.name}", self._at, len(self._rows), finished)

    def drop(self) -> None:
        """Cancels the export and removes the file."""
        self._file.drop()

    def _write(self, lines: Sequence[Sequence[str | int]]) -> None:
        text = csv_text([[str(cell) for cell in line] for line in lines], ",")
        self._file.write(text.encode("utf-8", "surrogatepass"))
