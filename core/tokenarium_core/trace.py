"""The packed events of one run of a tokenizer, and the ids that follow from them alone.

The law of the trace: a run gives the same ids with a trace, without one, and replayed from it. So an animation shows
what really happened.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import ArgumentError

PRE_TOKEN: Final = 0
MERGE: Final = 1
WHOLE: Final = 2
SPECIAL: Final = 3
SYMBOL: Final = 4
PIECE: Final = 5
UNKNOWN: Final = 6
BYTE_FALLBACK: Final = 7
UNMERGE: Final = 8
TRY: Final = 9
EDGE: Final = 10

KINDS: Final = [
    "pre-token",
    "merge",
    "whole",
    "special",
    "symbol",
    "piece",
    "unknown",
    "byte fallback",
    "unmerge",
    "try",
    "edge",
]
"""The names of the kinds of events, by number."""

NO_PIECE: Final = -2
"""The id of a symbol that is not a piece of the vocabulary, but may still become part of one."""


@final
class Trace:
    """Packed columns of events, one row per event, in the order in which they happened.

    ============= ============ ============= ============== ============= ====== =====
    kind          position     left          right          result        rank   score
    ============= ============ ============= ============== ============= ====== =====
    PRE_TOKEN     first byte   byte after    rule number    -1            -1
    SYMBOL        first byte   byte after    -1             id, NO_PIECE  -1
    MERGE         first byte   left id       right id       merged id     rank   score
    UNMERGE       first byte   left id       right id       id that goes  middle event
    WHOLE         first byte   byte after    -1             id            -1
    PIECE         first byte   byte after    -1             id            -1     score
    UNKNOWN       first byte   byte after    -1             id            -1     score
    BYTE_FALLBACK first byte   byte after    -1             id            -1     score
    SPECIAL       first byte   byte after    -1             id            -1
    TRY           first byte   byte after    -1             id, -1        -1
    EDGE          first byte   byte after    -1             id            -1     score
    ============= ============ ============= ============== ============= ====== =====

    Positions are bytes of the normalized text. In byte-level BPE a pre-token starts as its single bytes; in BPE of
    characters SYMBOL says what it starts as. Where a model joins pre-tokens, as BoundlessBPE does, those that become
    one token are one PRE_TOKEN, by the rule of the first. Merges of one pre-token are in the order in which they were
    made; UNMERGE takes one back (a piece that must not be used, or that PickyBPE removed by an ``event``), ``middle``
    being the byte where its right part begins. WHOLE, PIECE, UNKNOWN and SPECIAL put one id in place of all symbols
    from their first byte on; BYTE_FALLBACK puts the id of one byte there, or, with an empty span, in front of what
    comes there (three bytes stand for one space where the file has ``▁``). TRY (WordPiece: was this a piece?) and
    EDGE (Unigram: an edge of the lattice) only say what was looked at.
    """

    def __init__(self) -> None:
        self.kinds = vec[u8]()
        self.positions = vec[i32]()
        self.lefts = vec[i32]()
        self.rights = vec[i32]()
        self.results = vec[i32]()
        self.ranks = vec[i32]()
        self.scores = vec[float]()

    def __len__(self) -> int:
        return len(self.kinds)

    def add(
        self,
        kind: i64,
        position: i64,
        left: i64,
        right: i64,
        result: i64,
        rank: i64,
        score: float = 0.0,
    ) -> None:
        """Appends one event."""
        self.kinds = append(self.kinds, u8(kind))
        self.positions = append(self.positions, i32(position))
        self.lefts = append(self.lefts, i32(left))
        self.rights = append(self.rights, i32(right))
        self.results = append(self.results, i32(result))
        self.ranks = append(self.ranks, i32(rank))
        self.scores = append(self.scores, score)

    def replay(self, data: bytes, byte_ids: list[int]) -> list[int]:
        """Returns the ids that the events produce from a normalized text, without any table.

        ``byte_ids`` gives the id of each of the 256 bytes for byte-level BPE, and is empty for other models.
        A merge whose neighbours are not the ones that it names raises ArgumentError.
        """
        size = len(data)
        symbols = [-1] * size  # the id of the symbol that begins at a byte; -1 inside a symbol
        ends = [0] * size
        fronts: dict[
            int, list[int]
        ] = {}  # the ids of empty spans, by the byte that they are before
        for event in range(len(self.kinds)):
            kind: i64 = i64(self.kinds[event])
            at: i64 = i64(self.positions[event])
            if kind == TRY or kind == EDGE:
                continue
            if kind == BYTE_FALLBACK and i64(self.lefts[event]) == at:
                fronts.setdefault(at, []).append(self.results[event])
                continue
            if kind == PRE_TOKEN:
                if byte_ids:
                    for byte in range(at, self.lefts[event]):
                        symbols[byte] = byte_ids[data[byte]]
                        ends[byte] = byte + 1
            elif kind == MERGE:
                middle = ends[at]
                if symbols[at] != self.lefts[event] or symbols[middle] != self.rights[event]:
                    raise ArgumentError(f"Event {event} merges ids that are not at byte {at}.")
                symbols[at] = self.results[event]
                ends[at] = ends[middle]
                symbols[middle] = -1
            elif kind == UNMERGE:
                if symbols[at] != self.results[event]:
                    raise ArgumentError(f"Event {event} splits an id that is not at byte {at}.")
                middle = i64(self.ranks[event])
                symbols[at] = self.lefts[event]
                symbols[middle] = self.rights[event]
                ends[middle] = ends[at]
                ends[at] = middle
            else:
                for byte in range(at, self.lefts[event]):
                    symbols[byte] = -1
                symbols[at] = self.results[event]
                ends[at] = self.lefts[event]
        if not fronts:
            return [symbol for symbol in symbols if symbol >= 0]
        ids: list[int] = []
        for byte in range(size):
            ids += fronts.get(byte, [])
            if symbols[byte] >= 0:
                ids.append(symbols[byte])
        return ids
