"""The covering of a prompt: all sequences of ids that decode to a text that begins with the prompt, and need their last id.

A language model over tokens gives a prompt, as a string, the probability of all texts that begin with it. These are the
texts of the sequences in its covering, each followed by anything: their decoding begins with the prompt, and without the
last id it does not. The sequences form a tree whose leaves are these last ids; below, they are grouped by where the last
id begins. `token healing` looks at one of these places only.

Source: Vieira et al. 2024, “From language models over tokens to language models over characters” (arXiv 2412.03719).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import tokenarium_core as tc
from tokenarium_core.explaining.decoded_pieces import DecodedPieces, PieceTable, adds_bytes
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.progress import Progress

# Between two looks at the clock:
_ROWS = 512
_BYTES = 64
_ENCODED = 4096  # bytes

_Ends = list[tuple[int, bytes]]
"""Ids that may be last, with what they add to a text."""


@dataclass(slots=True)
class CoveringPlace:
    """Where the last id of some sequences begins: at byte ``at`` of the prompt, so that its bytes begin with ``rest``.

    ``before``: how many sequences of ids decode to what is before. ``entries``: the ids that begin with the rest, in
    order; ``sequences``: how many sequences of the covering have one of them last. ``canonical``: the last ids of those
    that are the encoding of their own text.
    """

    at: int
    rest: bytes
    before: int
    entries: list[int]
    sequences: int
    canonical: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Covering:
    """The covering of a prompt: its bytes, its encoding, and the places at which a last id can begin, from left to right.

    ``last_at``: where the last id of the encoding begins.
    """

    data: bytes
    ids: list[int]
    last_at: int
    places: list[CoveringPlace] = field(default_factory=list)

    @property
    def sequences(self) -> int:
        """How many sequences the covering has."""
        return sum(place.sequences for place in self.places)

    @property
    def canonical(self) -> int:
        """How many of them are the encoding of their own text."""
        return sum(len(place.canonical) for place in self.places)


class PieceStarts:
    """The pieces of a tokenizer by their first bytes, which show at once those that begin with the end of a prompt."""

    def __init__(self, pieces: DecodedPieces) -> None:
        self.pieces = pieces
        self._starts = dict[tuple[PieceTable, bytes], _Ends]()
        self._rows: Iterator[tuple[PieceTable, int]] | None = None

    def add(self) -> Iterator[Progress]:
        """Processes all pieces, which have to be finished; where it was left, it goes on when it is called again."""
        tables = dict.fromkeys((self.pieces.later, self.pieces.first))
        total = sum(len(table.tokens) for table in tables)
        if self._rows is None:
            self._rows = ((table, row) for table in tables for row in range(len(table.tokens)))
        for done in range(0, total, _ROWS):
            for table, row in islice(self._rows, _ROWS):
                end = table.tokens[row], table.arena[table.starts[row] : table.stops[row]]
                for lead in dict.fromkeys((end[1][:1], end[1][:2])):
                    self._starts.setdefault((table, lead), []).append(end)
            yield Progress("Looking for entries", done, total, False)

    def of(self, table: PieceTable, rest: bytes) -> _Ends:
        """Returns the ids whose pieces begin with some bytes, in the order of their rows."""
        found = self._starts.get((table, rest[:2]), [])
        return [end for end in found if end[1].startswith(rest)] if len(rest) > 2 else found


class CoveringJob:
    """Finds the covering of a text: call `step` until it is finished.

    ``starts`` are those of this tokenizer, if already asked for. Raises UnsupportedError, with the reason, if no ids
    decode to the text, and for decoders that look at several tokens.
    """

    def __init__(
        self, tokenizer: tc.Tokenizer, text: str, starts: PieceStarts | None = None
    ) -> None:
        ids = tokenizer.encode_ids(text)
        data = text.encode("utf-8", "replace")
        if tokenizer.decode_bytes(ids) != data:
            raise tc.UnsupportedError(
                "The ids of this text decode to another text, so that it has no covering."
            )
        self.starts = starts if starts is not None else PieceStarts(DecodedPieces(tokenizer))
        self.pieces = self.starts.pieces
        self.covering = Covering(data, ids, len(tokenizer.decode_bytes(ids[:-1])))
        self.finished = False
        self._tokenizer = tokenizer
        self._padded = data + ZEROS
        self._work = self._find() if data else iter(())
        self._progress = Progress("Counting", 0, len(data), False)

    def step(self, budget_ms: float) -> Progress:
        """Works for about this many milliseconds."""
        until = time.perf_counter() + budget_ms / 1000
        if not self.pieces.finished:
            progress = self.pieces.step(budget_ms)
            if not self.pieces.finished:
                return progress
        while not self.finished:
            made = next(self._work, None)
            self.finished = made is None
            self._progress = made or self._progress
            if time.perf_counter() >= until:
                break
        done = self._progress
        return Progress(done.phase, done.done, done.total, self.finished)

    def _find(self) -> Iterator[Progress]:
        data, pieces = self.covering.data, self.pieces
        before = [1] + [0] * len(data)
        for at in range(len(data)):
            for table, times in self._next_ids(at, before[at]):
                self._spread(before, at, table, times)
            if at % _BYTES == 0:
                yield Progress("Counting", at, len(data), False)
        yield from self.starts.add()
        longest = max(pieces.later.longest, pieces.first.longest, 1)
        for at in range(max(len(data) - longest, 0), len(data)):
            place = CoveringPlace(at, data[at:], before[at], [], 0)
            tried = _Ends()
            for table, times in self._next_ids(at, before[at]):
                ends = self.starts.of(table, data[at:])
                if at == len(data) - 1:
                    ends = ends + [(token, data[at:]) for token in self._bytes(at, table)]
                place.sequences += times * len(ends)
                tried += ends
            if not tried:
                continue
            yield Progress("Looking for entries", at, len(data), False)
            place.entries = sorted({token for token, _ in tried})
            self.covering.places.append(place)
            yield from self._check(place, tried)

    def _next_ids(self, at: int, times: int) -> list[tuple[PieceTable, int]]:
        """Returns which pieces the next id at a byte may be, and after how many sequences."""
        pieces = self.pieces
        if at or (pieces.first is pieces.later and not pieces.strips):
            return [(pieces.later, times)] if times else []
        # Before the others there may be one id that decodes to nothing at the start.
        empty = len(pieces.first.empty) + len(self._dropped(0x20))
        after = pieces.first if pieces.drops_all else pieces.later
        return [(pieces.first, times), *([(after, empty)] if empty else [])]

    def _dropped(self, byte: int) -> list[int]:
        """Returns the ids of a byte that decode to nothing at the start."""
        pieces = self.pieces
        return pieces.by_byte[byte] if pieces.strips and byte == 0x20 else []

    def _bytes(self, at: int, table: PieceTable) -> list[int]:
        """Returns the ids of byte fallback that add the byte at a place."""
        byte = self.covering.data[at]
        starts = at == 0 and table is self.pieces.first
        return [] if starts and self._dropped(byte) else self.pieces.by_byte[byte]

    def _spread(self, before: list[int], at: int, table: PieceTable, times: int) -> None:
        """Adds sequences with one more id, from a table, to where that id ends."""
        padded = self._padded
        for stop in range(at + 1, at + table.reach(padded, at, len(before) - 1) + 1):
            row = table.find(padded, at, stop)
            while row >= 0:
                before[stop] += times
                row = table.alike(row)
        before[at + 1] += times * len(self._bytes(at, table))

    def _check(self, place: CoveringPlace, tried: _Ends) -> Iterator[Progress]:
        """Finds the last ids with which the encoding of a text is a sequence of the covering."""
        prompt = self.covering.data[self._divided(place.at) : place.at]
        at_once = max(_ENCODED // (len(prompt) + 64), 1)
        twice = place.at == 0  # there, one may be tried twice
        found = set[tuple[int, ...]]()
        for done, (token, piece) in enumerate(tried):
            ids = self._encoded(prompt + piece)
            if ids[-1:] == [token] and not (twice and tuple(ids) in found):
                place.canonical.append(token)
                if twice:
                    found.add(tuple(ids))
            if done % at_once == 0:
                yield Progress(f"Encoding what ends after byte {place.at:,}", done, len(tried), False)  # fmt: skip

    def _divided(self, stop: int) -> int:
        """Returns the last place up to a byte from which on the text is encoded as if nothing came before it, or 0.

        Whatever follows, there is a cut; and what the ids before it decode to does not depend on those after it.
        """
        tokenizer, cutter = self._tokenizer, self._tokenizer.pre_tokenizer
        if (
            not cutter.divides
            or tokenizer.normalizer is not None
            or tokenizer.splitter is not None
            or tokenizer.model.joins
            or tokenizer.added_tokens.always
            or not adds_bytes(tokenizer.decoder)
        ):
            return 0
        return int(cutter.divide(self._padded, stop))

    def _encoded(self, data: bytes) -> list[int]:
        """Returns the ids of bytes; none if they do not decode to the same bytes, or cannot be encoded."""
        tokenizer = self._tokenizer
        try:
            ids = tokenizer.encode_ids(data.decode())
            return ids if tokenizer.decode_bytes(ids) == data else []
        except UnicodeDecodeError:
            pass
        try:
            ids = list(tokenizer.encode_bytes(data).ids)
        except tc.UnsupportedError:
            return []
        return ids if b"".join(map(tokenizer.vocabulary.piece, ids)) == data else []
