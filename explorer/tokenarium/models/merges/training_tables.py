"""What a training counted, as tables: its pre-tokens, its pairs after each merge, and what each merge changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt
from librt.vecs import vec
from mypy_extensions import i64

from tokenarium.models.csv_text import csv_text
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.sliced_writer import SlicedWriter
from tokenarium.models.text.piece import readable
from tokenarium_core.training import PairLedger, Trainer, WordMerges, pair_scores
from tokenarium_core.training.superbpe_trainer import SuperBpeTrainer

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.int64] | npt.NDArray[np.float64]
LONGEST: Final = 8192
"""Bytes of the longest pre-token that is cut for the table: a longer one would take more than a frame."""

MOST_SHOWN: Final = 400
"""Tokens of a pre-token that are written out in a cell."""

SIGNS: Final = {"␣": " ", "⏎": "\n"}
"""The signs that stand for characters in a table, as one may type them to filter it."""

_IDS = re.compile(r"\(?\s*(\d+)\s*(?:[,+ ]\s*(\d+)\s*\)?)?$")


def shown_id(token: int) -> str:
    """Returns an id as text; "–" for that of a symbol which is not an entry, where entries are chosen at the end."""
    return str(token) if token >= 0 else "–"


class StepTables:
    """Base of the tables of a training, which show its state after ``step`` merges, or steps of Unigram."""

    tables: tuple[StoryTable, ...] = ()

    def __init__(self) -> None:
        self._step = 0

    @property
    def step(self) -> int:
        """How many steps are done."""
        return self._step

    def go_to(self, step: int) -> None:
        """Shows the figures after this many steps."""
        self._step = step

    def preparing(self) -> Iterator[None]:
        """Does what the first look at the tables needs, in slices of less than a frame."""
        for table in self.tables:
            yield from table.preparing()


class StoryTables(StepTables):
    """The three tables of a training that merges: its pre-tokens, its pairs, and what a merge changed.

    Merge ``k`` makes symbol ``first + k``. ``first_seen``: equally frequent pairs are in the order in which they were
    first counted, else in that of their symbols; the next one to be merged is before all that are as frequent.
    ``scoring``: what decides is not the count, but "ratio" or "likelihood".
    """

    def __init__(
        self,
        trainer: Trainer,
        ledger: PairLedger,
        pieces: Sequence[bytes],
        first_seen: bool = False,
        scoring: str = "",
    ) -> None:
        super().__init__()
        self.pieces = pieces
        self.scoring = scoring
        self.first = int(trainer.first_symbols)
        self.least = int(getattr(trainer, "min_frequency", 1))
        self.ids: Ints = np.array([trainer.symbol_id(n) for n in range(len(pieces))], np.int64)
        """The id of each symbol."""
        self.pairs: Ints = array_of(ledger.pairs)
        self.lefts: Ints = self.pairs >> 32
        self.rights: Ints = self.pairs & 0xFFFFFFFF
        self._starts: Ints = array_of(ledger.starts)
        self._numbers = array_of(ledger.numbers)
        self._changes: Ints = array_of(ledger.changes)
        self.counts: Ints = np.zeros(len(self.pairs), dtype=np.int64)
        self.recounted = ledger.recounted
        """The first step after which pairs are those of the second stage of SuperBPE; -1: none."""
        self._step_of = ledger.step_of
        by_symbols = np.argsort(self.pairs, kind="stable")
        order = np.arange(len(self.pairs)) if first_seen else by_symbols
        self._places: Ints = np.empty(len(order), dtype=np.int64)
        self._places[order] = np.arange(1, len(order) + 1)
        self._lefts = array_of(trainer.left).astype(np.int64)
        self._rights = array_of(trainer.right).astype(np.int64)
        merged = self._lefts << 32 | self._rights
        self._merge_numbers: Ints = by_symbols[
            np.searchsorted(self.pairs, merged, sorter=by_symbols)
        ]
        self.becomes: Ints = np.full(len(self.pairs), -1, dtype=np.int64)
        """The id that each pair is merged into at some step; -1: none."""
        self.becomes[self._merge_numbers] = self.ids[self.first + np.arange(len(merged))]
        self._occurrences: Ints = np.array(array_of(ledger.symbol_counts), dtype=np.int64)
        self._joined: Ints = array_of(ledger.joined)
        self._scores: npt.NDArray[np.float64] | None = None
        self._text_places: Ints | None = None
        self._shown = -1  # steps of the ledger whose changes are in the counts
        self.pre_tokens = PreTokenTable(self, trainer)
        self.pair_table = ScoredPairTable(self) if scoring else PairTable(self)
        self.changes = ChangeTable(self)
        self.tables = (self.pre_tokens, self.pair_table, self.changes)
        self.go_to(0)

    def go_to(self, step: int) -> None:
        """Shows the counts after this many merges."""
        step = max(0, min(step, len(self._lefts)))
        target = min(self._step_of(step), len(self._starts) - 2)
        low, high = sorted((self._shown, target))
        rows = slice(int(self._starts[low + 1]), int(self._starts[high + 1]))
        moved = np.bincount(self._numbers[rows], self._changes[rows], len(self.pairs))
        sign = 1 if target > self._shown else -1
        self.counts += sign * moved.astype(np.int64)
        if len(self._occurrences):
            low, high = sorted((self._step, step))
            joined = sign * self._joined[low:high]
            np.subtract.at(self._occurrences, self._lefts[low:high], joined)
            np.subtract.at(self._occurrences, self._rights[low:high], joined)
            self._occurrences[self.first + low : self.first + high] += joined
        self._scores = None
        self._shown, self._step = target, step

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """What decides which pair is merged next, by the number of the pair: its count where nothing else does."""
        if not self.scoring:
            return self.counts.astype(np.float64)
        if self._scores is None:
            self._scores = np.zeros(len(self.pairs))
            there = np.flatnonzero(self.counts)
            self._scores[there] = array_of(
                pair_scores(
                    vec[i64](self.pairs[there].tolist()),
                    vec[i64](self.counts[there].tolist()),
                    vec[i64](self._occurrences.tolist()),
                    self.scoring == "ratio",
                )
            )
        return self._scores

    @property
    def places(self) -> Ints:
        """The place of each pair among equally good ones; the next to be merged comes first."""
        if self._step >= len(self._lefts):
            return self._places
        places = self._places.copy()
        places[self._merge_numbers[self._step]] = 0
        return places

    @property
    def across(self) -> bool:
        """Whether the last merge is one of the second stage."""
        return 0 <= self.recounted <= self._step

    def changed(self) -> tuple[Ints, Ints]:
        """Returns the pairs whose counts the last merge changed, and by how much; at step 0, none."""
        if self._step == 0:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        rows = slice(int(self._starts[self._shown]), int(self._starts[self._shown + 1]))
        return self._numbers[rows].astype(np.int64), self._changes[rows]

    def merge(self) -> tuple[int, int, int] | None:
        """Returns the left id, the right id and the new id of the last merge; None at step 0."""
        if self._step == 0:
            return None
        at = self._step - 1
        symbols = (self._lefts[at], self._rights[at], self.first + at)
        left, right, made = (int(self.ids[symbol]) for symbol in symbols)
        return left, right, made

    def text(self, symbol: int) -> str:
        """Returns a symbol as the user reads it."""
        return readable(self.pieces[symbol])

    @property
    def text_places(self) -> Ints:
        """The place of each symbol among all, by its bytes."""
        if self._text_places is None:
            self._text_places = np.empty(len(self.pieces), dtype=np.int64)
            order = sorted(range(len(self.pieces)), key=self.pieces.__getitem__)
            self._text_places[order] = np.arange(len(order))
        return self._text_places

    def matching(self, query: str) -> npt.NDArray[np.bool_]:
        """Returns which pairs a filter finds: one id or two, or a text that the two tokens together hold."""
        ids = _IDS.match(query.strip())
        matches = np.zeros(len(self.pairs), dtype=np.bool_)
        if ids is not None:
            one = int(ids[1])
            lefts, rights = self.ids[self.lefts], self.ids[self.rights]
            if ids[2] is None:
                matches |= (lefts == one) | (rights == one)
            else:
                matches |= (lefts == one) & (rights == int(ids[2]))
                return matches
        needle = typed(query)
        holds = np.array([needle in piece for piece in self.pieces], dtype=np.bool_)
        matches |= holds[self.lefts] | holds[self.rights]
        longest = max(map(len, self.pieces), default=0)
        for cut in range(max(1, len(needle) - longest), min(len(needle), longest + 1)):
            ends = np.array([piece.endswith(needle[:cut]) for piece in self.pieces], dtype=np.bool_)
            begins = np.array(
                [piece.startswith(needle[cut:]) for piece in self.pieces], dtype=np.bool_
            )
            matches |= ends[self.lefts] & begins[self.rights]
        return matches


def typed(query: str) -> bytes:
    """Returns the bytes that a filter looks for; the signs of a table stand for their characters.

    >>> typed("␣the")
    b' the'
    """
    return "".join(SIGNS.get(c, c) for c in query).encode("utf-8", "replace")


class StoryTable:
    """Base of the tables: items by number, of which some are shown in some order."""

    name: ClassVar[str]
    about: ClassVar[str]
    titles: ClassVar[tuple[str, ...]]
    keys: ClassVar[tuple[str, ...]]
    """The names of the columns in a file."""

    terms: ClassVar[Mapping[int, str]] = {}
    tips: ClassVar[Mapping[int, str]] = {}
    numbers: ClassVar[tuple[int, ...]]
    """The columns of numbers."""

    widths: ClassVar[tuple[int, ...]]
    """The usual widths of the columns, in grids; the last one takes the rest."""

    sorted_by: ClassVar[tuple[int, bool]]
    """The column that it is sorted by at first, and whether the largest come first."""

    unsorted: ClassVar[tuple[int, ...]] = ()
    """Columns by which it cannot be sorted."""

    @property
    def follows(self) -> bool:
        """Whether it has other items than when it was last asked for them."""
        return True

    def preparing(self) -> Iterator[None]:
        """Does what the first sort needs, in slices."""
        yield from ()

    def lacks(self, item: int) -> bool:
        """Returns whether something is gone or has become less, which is shown in the colour of a loss."""
        return False

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
    about = "All adjacent pairs after this merge, with their counts"
    titles: ClassVar[tuple[str, ...]] = ("Ids", "Count", "Becomes", "Left", "Right")
    keys: ClassVar[tuple[str, ...]] = ("left_id", "right_id", "count", "becomes", "left", "right")
    terms: ClassVar[Mapping[int, str]] = {0: "pair", 2: "merge", 3: "symbol", 4: "symbol"}
    numbers: ClassVar[tuple[int, ...]] = (1, 2)
    widths: ClassVar[tuple[int, ...]] = (16, 12, 13, 26, 26)
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

    def _key(self, column: int) -> Keys:
        tables = self._tables
        if column == 0:
            return tables.ids[tables.lefts] << 32 | tables.ids[tables.rights]
        if column in (3, 4):
            return tables.text_places[tables.lefts if column == 3 else tables.rights]
        return tables.counts if column == 1 else tables.becomes

    def cell(self, item: int, column: int) -> str:
        tables = self._tables
        left, right = int(tables.lefts[item]), int(tables.rights[item])
        if column == 0:
            return f"({shown_id(tables.ids[left])}, {shown_id(tables.ids[right])})"
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
        ids = [int(tables.ids[left]), int(tables.ids[right])]
        texts = [tables.text(left), tables.text(right)]
        return [*ids, int(tables.counts[item]), becomes if becomes >= 0 else "", *texts]

    def sentence(self, shown: int) -> str:
        there = int(np.count_nonzero(self._tables.counts))
        of = f"{shown:,} of {there:,}" if shown < there else f"{there:,}"
        return f"{of} {'pair' if there == 1 else 'different pairs'}"


class ScoredPairTable(PairTable):
    """All pairs that the corpus has now, with the scores by which WordPiece chooses among them."""

    about = "All adjacent pairs after this merge, with their counts and scores"
    titles = (*PairTable.titles, "Score")
    keys = (*PairTable.keys, "score")
    tips: ClassVar[Mapping[int, str]] = {
        5: "The criterion: pair ÷ (left × right), or how much more likely the merge makes the corpus"
    }
    numbers = (1, 2, 5)
    widths = (16, 12, 13, 20, 20, 14)
    sorted_by = (5, True)

    def _key(self, column: int) -> Keys:
        return self._tables.scores if column == 5 else super()._key(column)

    def cell(self, item: int, column: int) -> str:
        return f"{self._tables.scores[item]:.4g}" if column == 5 else super().cell(item, column)

    def values(self, item: int) -> list[str | int]:
        return [*super().values(item), repr(float(self._tables.scores[item]))]

    def sentence(self, shown: int) -> str:
        least = self._tables.least
        often = int(np.count_nonzero(self._tables.counts >= least))
        which = f"the {often:,} that occur {least:,} times or more may be merged"
        return f"{super().sentence(shown)}; {which}"

    def rows(self, column: int, descending: bool, query: str) -> Ints:
        items = super().rows(column, descending, query)
        if column != 5 or not descending:
            return items
        # A rare pair often scores most, and is not merged: those that may be come first.
        seldom = self._tables.counts[items] < self._tables.least
        return np.concatenate((items[~seldom], items[seldom]))


class ChangeTable(StoryTable):
    """The pairs whose counts the last merge changed."""

    name = "Changes"
    about = "Each pair whose count this merge changed"
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
            matches = tables.matching(query)[items]
            items, by = items[matches], by[matches]
        if column == 0:
            key = (tables.ids[tables.lefts] << 32 | tables.ids[tables.rights])[items]
        elif column in (4, 5):
            key = tables.text_places[(tables.lefts if column == 4 else tables.rights)[items]]
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
        left, right, _, _, *more = self._tables.pair_table.values(item)
        return [left, right, now - by, now, by, *more[:2]]

    def lacks(self, item: int) -> bool:
        return self._by.get(item, 0) < 0

    def sentence(self, shown: int) -> str:
        merge = self._tables.merge()
        if merge is None:
            return "No merge yet: step forward to see what one changes"
        items, by = self._tables.changed()
        now = self._tables.counts[items]
        new, removed = int(np.count_nonzero(now == by)), int(np.count_nonzero(now == 0))
        counts = "one count" if len(items) == 1 else f"{len(items):,} counts"
        pairs = "one pair is" if new == 1 else f"{new:,} pairs are"
        said = f"({merge[0]}, {merge[1]}) → {merge[2]}: {counts} changed; {pairs} new, {removed:,} gone"
        if self._tables.step == self._tables.recounted:
            said += "; before it, all pairs were counted again, across words"
        return said


class PreTokenTable(StoryTable):
    """The different pre-tokens of the corpus, with how the merges so far cut them; in a second stage, its regions."""

    name = "Pre-tokens"
    about = "The distinct pre-tokens of the corpus, with their counts and how they are split now"
    titles = ("Pre-token", "Count", "Bytes", "Tokens now", "Cut now")
    keys = ("pre_token", "count", "bytes", "tokens", "cut", "ids")
    terms: ClassVar[Mapping[int, str]] = {0: "pre-token", 3: "token"}
    numbers = (1, 2, 3)
    widths = (26, 12, 11, 13, 40)
    sorted_by = (1, True)
    unsorted = (3, 4)

    def __init__(self, tables: StepTables, trainer: Trainer) -> None:
        self._tables = tables
        self._trainer = trainer
        words = trainer.pre_tokens
        parts = [words]
        if isinstance(tables, StoryTables) and tables.recounted >= 0:
            assert isinstance(trainer, SuperBpeTrainer), "only SuperBPE has two stages"
            parts.append(trainer.regions)
        self._words = len(words)
        self._data = b"".join(part.data for part in parts)
        ends = [array_of(part.ends) for part in parts]
        self._ends: Ints = np.concatenate([ends[0], *(more + len(words.data) for more in ends[1:])])
        self.counts: Ints = np.concatenate([array_of(part.counts) for part in parts])
        self._sizes: Ints = np.diff(self._ends, prepend=0)
        self._text_places: Ints | None = None
        self._listed: range | None = None
        self._joins: dict[int, tuple[list[int], list[int]]] = {}  # of a word: its symbols, merges
        self._merges: WordMerges | None = None

    def __len__(self) -> int:
        return len(self._items)

    @property
    def _items(self) -> range:
        """The items of the present stage."""
        tables = self._tables
        if isinstance(tables, StoryTables) and tables.across:
            return range(self._words, len(self._ends))
        return range(self._words)

    @property
    def follows(self) -> bool:
        return self._listed != self._items

    def piece(self, item: int) -> bytes:
        """Returns the bytes of a pre-token."""
        end = int(self._ends[item])
        return self._data[end - int(self._sizes[item]) : end]

    def rows(self, column: int, descending: bool, query: str) -> Ints:
        self._listed = here = self._items
        items = np.arange(here.start, here.stop)
        if query:
            matches = self._holding(typed(query))
            items = matches[(matches >= here.start) & (matches < here.stop)]
        if column == 0:
            for _ in self.preparing():
                pass
            assert self._text_places is not None
            key = self._text_places[items]
        else:
            key = self.counts[items] if column == 1 else self._sizes[items]
        return items[ordered(key, items, descending)]

    def preparing(self) -> Iterator[None]:
        """Finds the place of each pre-token among all by its bytes: eight more at a time, among those that share them."""
        if self._text_places is not None:
            return
        data = np.frombuffer(self._data + bytes(8), dtype=np.uint8)
        starts = self._ends - self._sizes
        places = np.zeros(len(starts), dtype=np.int64)  # equal for those that no byte told apart
        left: Ints = np.arange(len(starts))
        at = 0
        while len(left):
            keys = np.zeros((len(left), 8), dtype=np.uint8)
            for byte in range(8):
                inside = self._sizes[left] > at + byte
                keys[inside, byte] = data[starts[left[inside]] + at + byte]
            yield
            # Of two that begin alike, the shorter one comes first: zeros after its end, then its size.
            sizes = np.minimum(self._sizes[left] - at, 9)
            order = np.lexsort((sizes, keys.view(">u8")[:, 0], places[left]))
            yield
            left, keys, sizes = left[order], keys[order], sizes[order]
            heads = keys.view(">u8")[:, 0]
            new = (np.diff(places[left]) != 0) | (np.diff(heads) != 0) | (np.diff(sizes) != 0)
            first = np.append(True, np.diff(places[left]) != 0)
            starts_of = np.maximum.accumulate(
                np.where(np.append(True, new), np.arange(len(left)), 0)
            )
            groups = np.maximum.accumulate(np.where(first, np.arange(len(left)), 0))
            places[left] += starts_of - groups
            alone = np.append(True, new) & np.append(new, True)
            left = left[~alone & (sizes > 8)]
            at += 8
            yield
        self._text_places = places

    def _holding(self, wanted: bytes) -> Ints:
        """Returns the pre-tokens that hold some bytes."""
        holding: list[int] = []
        data, at = self._data, -1
        while (at := data.find(wanted, at + 1)) >= 0:
            item = int(np.searchsorted(self._ends, at, "right"))
            end = int(self._ends[item])
            if at + len(wanted) <= end:
                holding.append(item)
                at = end - 1
        return np.array(holding, dtype=np.int64)

    def tokens(self, item: int) -> list[int]:
        """Returns the symbols of a pre-token after the merges that are done; none if it is longer than `LONGEST`."""
        if item not in self._joins:
            self._joins[item] = self._joined(self.piece(item))
        symbols, joins = self._joins[item]
        step, first = self._tables.step, int(self._trainer.first_symbols)
        merged = symbols[:1]
        latest = -1  # merge inside the last token
        for symbol, merge in zip(symbols[1:], joins, strict=True):
            if 0 <= merge < step:
                latest = max(latest, merge)
                merged[-1] = first + latest
            else:
                merged.append(symbol)
                latest = -1
        return merged

    def _joined(self, piece: bytes) -> tuple[list[int], list[int]]:
        if len(piece) > LONGEST:
            return [], []
        trainer = self._trainer
        if self._merges is None:
            self._merges = WordMerges(trainer.left, trainer.right, trainer.first_symbols)
        symbols = trainer.word_symbols(piece)
        return symbols, self._merges.joins(symbols)

    def text(self, symbol: int) -> str:
        """Returns a symbol as the user reads it; "�" for a character outside the alphabet."""
        return readable(self._trainer.symbol(symbol)) if symbol >= 0 else "�"

    def id(self, symbol: int) -> str:
        """Returns the id of a symbol; "" for a character outside the alphabet."""
        return shown_id(self._trainer.symbol_id(symbol)) if symbol >= 0 else ""

    def cell(self, item: int, column: int) -> str:
        if column == 0:
            return readable(self.piece(item))
        if column < 3:
            return f"{int((self.counts if column == 1 else self._sizes)[item]):,}"
        tokens = self.tokens(item)
        if not tokens:
            return "" if column == 3 else f"longer than {LONGEST:,} bytes: not split here"
        return f"{len(tokens):,}" if column == 3 else "  ".join(map(self.text, tokens[:MOST_SHOWN]))

    def values(self, item: int) -> list[str | int]:
        tokens = self.tokens(item)
        cut = " ".join(map(self.text, tokens))
        ids = " ".join(map(self.id, tokens))
        numbers = [int(self.counts[item]), int(self._sizes[item]), len(tokens)]
        return [readable(self.piece(item), 1 << 20), *numbers, cut, ids]

    def sentence(self, shown: int) -> str:
        here = self._items
        total, several = int(self.counts[here.start : here.stop].sum()), len(here)
        what = "pre-tokens" if not here.start else "stretches of text, which the second stage cuts"
        of = f"{shown:,} of {several:,}" if shown < several else f"{several:,}"
        return f"{of} different {what}, {total:,} in all"


def ordered(keys: Keys, places: Ints, descending: bool) -> Ints:
    """Returns the order of keys; equal ones are in the order of their places, below 2**31, either way."""
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    if keys.dtype == np.int64:
        least, most = int(keys.min()), int(keys.max())
        if most - least < 1 << 31:  # one sort of numbers is three times as fast as two
            whole = (most - keys) if descending else (keys - least)
            return np.argsort((whole.astype(np.int64) << 31) + places, kind="stable")
    return np.lexsort((places, -keys if descending else keys))


class TableWriter(SlicedWriter):
    """Writes the rows of a table to a CSV file."""

    def __init__(self, table: StoryTable, rows: Ints, path: Path) -> None:
        items = rows.tolist()
        super().__init__(
            path,
            len(items),
            lambda start, stop: csv_text(map(table.values, items[start:stop])),
            csv_text([table.keys]),
        )
