"""Which pairs of byte-level BPE may be merged, if not all, and the order of ties, if not that of their ids."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeRules
from tokenarium_core.unicode.byte_alphabet import CHARACTERS

_NO_BOUND: Final = 1 << 40


@final
class ByteRules(MergeRules):
    """Allows tokens of at most ``longest`` bytes (0: of any length).

    ``by_characters``: of equally frequent pairs the one with the smallest ids in Hugging Face's tokenizers
    comes first, where the bytes are numbered by their characters in GPT-2's alphabet. Source: ``compute_alphabet`` and
    ``Merge::cmp`` of its ``models/bpe/trainer.rs`` (0.23).
    """

    def __init__(self, longest: i64, by_characters: bool) -> None:
        bound: i64 = _NO_BOUND
        if longest > 0:
            bound = longest
        self._longest: i64 = bound
        self._sizes = vec[i32]([1] * BYTES)
        self._places = vec[i32]([0] * BYTES)
        numbered = (
            sorted(range(BYTES), key=CHARACTERS.__getitem__) if by_characters else range(BYTES)
        )
        for index, byte in enumerate(numbered):
            self._places[byte] = i32(index)

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether the joined token is short enough."""
        return i64(self._sizes[left]) + i64(self._sizes[right]) <= self._longest

    def add(self, left: i64, right: i64) -> None:
        """Records the length of the next token."""
        self._sizes = append(self._sizes, self._sizes[left] + self._sizes[right])

    def order(self, pair: i64) -> i64:
        """Returns the pair with bytes replaced by their positions in the alphabet."""
        left = pair >> 32
        right = pair & RIGHT
        if left < BYTES:
            left = i64(self._places[left])
        if right < BYTES:
            right = i64(self._places[right])
        return left << 32 | right
