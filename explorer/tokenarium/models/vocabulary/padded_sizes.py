"""Sizes of a vocabulary, rounded up to a multiple, as models have them.

Matrices whose sides are multiples of 64 or 128 are multiplied faster by graphics processors (NVIDIA, "Matrix
Multiplication Background User's Guide"), so the embedding often has more rows than the vocabulary has ids: 50,304 for
GPT-2's 50,257.
"""

from __future__ import annotations

from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium_core.vocabulary import UNUSED

MULTIPLES = (8, 64, 128, 256, 512, 1024)
"""The multiples that are offered."""

MOST_MULTIPLE = 1 << 20


@dataclass(frozen=True, slots=True)
class PaddedSize:
    """A vocabulary of ``ids`` ids in an embedding with a multiple of some number of rows.

    ``gaps``: ids of the vocabulary that have no entry.
    """

    ids: int
    multiple: int
    gaps: int = 0

    @property
    def rows(self) -> int:
        """The rows of the embedding."""
        return padded_size(self.ids, self.multiple)

    @property
    def unused(self) -> int:
        """The rows that no entry has: those after the last id, and the gaps."""
        return self.rows - self.ids + self.gaps

    def parameters(self, width: int) -> int:
        """Returns the parameters of one embedding: rows × width."""
        return self.rows * width

    def sentence(self, width: int = 0) -> str:
        """Returns the size in words, with the parameters of an embedding of some width."""
        unused = f"{self.unused:,} unused" if self.unused else "none unused"
        cost = f", {self.parameters(width):,} parameters of width {width:,}" if width else ""
        return f"{self.rows:,} rows, {unused}{cost}"


def padded_size(ids: int, multiple: int) -> int:
    """Returns a size, rounded up to a multiple; ArgumentError for a multiple below 1 or above a million.

    >>> padded_size(50257, 64), padded_size(50257, 128), padded_size(32000, 64)
    (50304, 50304, 32000)
    """
    if not 1 <= multiple <= MOST_MULTIPLE:
        raise tc.ArgumentError(
            f"A size cannot be padded to a multiple of {multiple:,}: 1 is the least, {MOST_MULTIPLE:,} the most."
        )
    return -(-ids // multiple) * multiple


def padded_sizes(
    tokenizer: tc.Tokenizer, multiples: tuple[int, ...] = (64, 128)
) -> list[PaddedSize]:
    """Returns the padded sizes of a tokenizer's vocabulary."""
    kinds = memoryview(tokenizer.vocabulary.kinds).tobytes()
    gaps = kinds.count(UNUSED)
    return [PaddedSize(len(tokenizer.vocabulary), multiple, gaps) for multiple in multiples]
