"""The order of equally frequent pairs in parity-aware BPE: larger strings come first."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i64

from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeRules
from tokenarium_core.unicode.byte_alphabet import CHARACTERS

_HEAD: Final = 7  # bytes that are compared as one number: 257 to the power of 7 fits into 62 bits


def _ranks() -> bytes:
    """Returns, for each byte, its position in GPT-2's alphabet."""
    places = [0] * BYTES
    for index, byte in enumerate(sorted(range(BYTES), key=CHARACTERS.__getitem__)):
        places[byte] = index
    return bytes(places)


@final
class StringOrder(MergeRules):
    """Of equally frequent pairs, the one whose left string is larger comes first; of equal ones, the right decides.

    Strings are those of GPT-2's alphabet, compared by code points: a space, Ġ there, comes after all ASCII letters. The
    authors' program and Hugging Face's tokenizers choose in this way. No two tokens of a training have the same string.
    """

    def __init__(self) -> None:
        ranks = _ranks()
        self._strings = [ranks[byte : byte + 1] for byte in range(BYTES)]
        self._heads = vec[i64]([_head(string) for string in self._strings])

    def add(self, left: i64, right: i64) -> None:
        """Records the token of the next id, which is joined of two."""
        string = self._strings[left] + self._strings[right]
        self._strings.append(string)
        self._heads = append(self._heads, _head(string))

    def order(self, pair: i64) -> i64:
        """Returns the rank of a pair among equally frequent ones, from the beginning of its left string."""
        return -self._heads[pair >> 32]

    def precedes(self, pair: i64, other: i64) -> bool:
        """Returns whether the strings of a pair are larger than those of another."""
        if pair >> 32 != other >> 32:
            return self._strings[pair >> 32] > self._strings[other >> 32]
        return self._strings[pair & RIGHT] > self._strings[other & RIGHT]


def _head(string: bytes) -> i64:
    """Returns a number that compares like the first bytes of a string; the end of a string is below all bytes."""
    head: i64 = 0
    for k in range(_HEAD):
        head *= BYTES + 1
        if k < len(string):
            head += string[k] + 1
    return head
