"""Merges and removals in the order in which a training made them: what PickyBPE learns.

An event is a merge of two neighbouring tokens, or the removal of a token, which is then replaced by its parts. A
token is identified by its bytes, so several pairs may make the same one, and one that was removed may return.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

BYTES: Final = 256
REMOVAL: Final = -1
"""The left token of an event that is a removal."""


@final
class MergeEvents:
    """Events by time, and their tokens, by number.

    Tokens 0 to 255 are the bytes, the others are numbered in the order of their first occurrence. Token ``t`` has the
    bytes ``pieces[t]``, and is an entry at the end if ``present[t]``. Event ``e`` joins ``lefts[e]`` and
    ``rights[e]`` to ``tokens[e]``; or ``lefts[e]`` is `REMOVAL`, and `parts_of` returns the replacement of
    ``tokens[e]``. ``to_bytes``: these are its bytes, as in BoundlessBPE.

    >>> events = MergeEvents()
    >>> ab = events.merge(97, 98)
    >>> abc = events.merge(ab, 99)
    >>> events.remove(ab)
    >>> events.parts_of(2), [events.pieces[t] for t in events.entries()[256:]]
    ([97, 98], [b'abc'])
    """

    def __init__(self, to_bytes: bool = False) -> None:
        self.to_bytes = to_bytes
        self.pieces = [bytes([byte]) for byte in range(BYTES)]
        self.present = [True] * BYTES
        self.lefts = vec[i32]()
        self.rights = vec[i32]()
        self.tokens = vec[i32]()
        self.removed: i64 = 0
        """How many tokens are not present."""
        self.part_count: i64 = 0
        """The total number of parts of all removals."""
        self._numbers = {piece: number for number, piece in enumerate(self.pieces)}
        self._parts: dict[int, list[int]] = {}
        # The two tokens that each one was first made of.
        self._first_lefts = [-1] * BYTES
        self._first_rights = [-1] * BYTES

    def __len__(self) -> int:
        return len(self.tokens)

    def number_of(self, piece: bytes) -> int:
        """Returns the number of a token by its bytes; -1 if it never existed."""
        return self._numbers.get(piece, -1)

    def is_new(self, left: int, right: int) -> bool:
        """Returns whether a merge of two tokens would give an entry that does not exist at this time."""
        number = self.number_of(self.pieces[left] + self.pieces[right])
        return number < 0 or not self.present[number]

    def merge(self, left: int, right: int) -> int:
        """Adds a merge, and returns the number of the token that it makes; one that was removed is present again."""
        piece = self.pieces[left] + self.pieces[right]
        token = self._numbers.get(piece, -1)
        if token < 0:
            token = len(self.pieces)
            self._numbers[piece] = token
            self.pieces.append(piece)
            self.present.append(True)
            self._first_lefts.append(left)
            self._first_rights.append(right)
        elif not self.present[token]:
            self.present[token] = True
            self.removed -= 1
        self._add(left, right, token)
        return token

    def remove(self, token: int) -> None:
        """Adds the removal of a present token of two bytes or more."""
        self.present[token] = False
        self.removed += 1
        parts = list(self.pieces[token]) if self.to_bytes else self._present_parts(token)
        self._parts[len(self.tokens)] = parts
        self.part_count += len(parts)
        self._add(REMOVAL, REMOVAL, token)

    def parts_of(self, event: int) -> list[int]:
        """Returns the replacement of the token of a removal:

        its bytes if removed tokens are split into bytes, otherwise the two tokens that it was first made from, each
        replaced by its own parts if it was not present then.
        """
        return self._parts[event]

    def entries(self) -> list[int]:
        """Returns the tokens that are present, by number: the bytes, then the others in the order of their first occurrence."""
        return [token for token in range(len(self.pieces)) if self.present[token]]

    def _add(self, left: int, right: int, token: int) -> None:
        self.lefts = append(self.lefts, i32(left))
        self.rights = append(self.rights, i32(right))
        self.tokens = append(self.tokens, i32(token))

    def _present_parts(self, token: int) -> list[int]:
        parts: list[int] = []
        waiting = [token]
        while waiting:
            part = waiting.pop()
            if self.present[part]:
                parts.append(part)
            else:
                waiting += [self._first_rights[part], self._first_lefts[part]]
        return parts
