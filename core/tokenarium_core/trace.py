"""The events of one run of a tokenizer, packed, and the ids that follow from them alone.

The law of a trace: the ids of a run with a trace, without one, and replayed from it are the same. So
what is animated is what happened.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

PRE_TOKEN: Final = 0
MERGE: Final = 1
WHOLE: Final = 2
SPECIAL: Final = 3

KINDS: Final = ["pre-token", "merge", "whole", "special"]
"""The names of the kinds of an event, by number."""


@final
class Trace:
    """Packed columns of events, one row an event, in the order in which they happened.

    ========== ============ ============= ============ =========== ======
    kind       position     left          right        result      rank
    ========== ============ ============= ============ =========== ======
    PRE_TOKEN  first byte   byte behind   rule number  -1          -1
    MERGE      first byte   left id       right id     merged id   rank
    WHOLE      first byte   byte behind   -1           id          -1
    SPECIAL    first byte   byte behind   -1           id          -1
    ========== ============ ============= ============ =========== ======

    A pre-token starts as its single bytes. Merges of one pre-token stand in the order in which they
    were made; WHOLE replaces all of its symbols at once (a piece that merging does not reach).
    """

    def __init__(self) -> None:
        self.kinds = vec[u8]()
        self.positions = vec[i32]()
        self.lefts = vec[i32]()
        self.rights = vec[i32]()
        self.results = vec[i32]()
        self.ranks = vec[i32]()

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, kind: i64, position: i64, left: i64, right: i64, result: i64, rank: i64) -> None:
        """Appends one event."""
        self.kinds = append(self.kinds, u8(kind))
        self.positions = append(self.positions, i32(position))
        self.lefts = append(self.lefts, i32(left))
        self.rights = append(self.rights, i32(right))
        self.results = append(self.results, i32(result))
        self.ranks = append(self.ranks, i32(rank))

    def replay(self, data: bytes, byte_ids: list[int]) -> list[int]:
        """Returns the ids that the events make of a text's UTF-8 bytes, with no look at any table.

        ``byte_ids`` gives the id of each of the 256 bytes. A merge whose neighbours are not the ones
        that it names raises ValueError.
        """
        size = len(data)
        symbols = [-1] * size  # the id of the symbol that begins at a byte; -1 inside of one
        ends = [0] * size
        for event in range(len(self.kinds)):
            kind: i64 = i64(self.kinds[event])
            at: i64 = i64(self.positions[event])
            if kind == PRE_TOKEN:
                for byte in range(at, self.lefts[event]):
                    symbols[byte] = byte_ids[data[byte]]
                    ends[byte] = byte + 1
            elif kind == MERGE:
                middle = ends[at]
                if symbols[at] != self.lefts[event] or symbols[middle] != self.rights[event]:
                    raise ValueError(f"Event {event} merges what does not stand at byte {at}.")
                symbols[at] = self.results[event]
                ends[at] = ends[middle]
                symbols[middle] = -1
            else:
                for byte in range(at, self.lefts[event]):
                    symbols[byte] = -1
                symbols[at] = self.results[event]
                ends[at] = self.lefts[event]
        return [symbol for symbol in symbols if symbol >= 0]
