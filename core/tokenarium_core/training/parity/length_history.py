"""The number of tokens of each language over the merges of a training."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i64

from tokenarium_core.errors import IdError

_ROWS: Final = 512


@final
class LengthHistory:
    """A few hundred rows with the lengths of all languages, evenly spread over the merges of a training.

    Row ``k`` is for ``steps[k]`` merges, and starts at ``lengths[k * languages]``, in tokens. There is a row
    for step 0, and one for the last merge.
    """

    def __init__(self, languages: int, merge_count: int) -> None:
        self.languages: i64 = languages
        self.steps = vec[i64]()
        self.lengths = vec[i64]()
        self._every: i64 = max(merge_count // _ROWS, 1)

    def __len__(self) -> int:
        return len(self.steps)

    def note(self, step: i64, lengths: vec[i64], first: i64, last: bool = False) -> None:
        """Adds a row if one is due, or for the ``last`` merge: ``lengths`` starting at index ``first``."""
        if step % self._every and not last:
            return
        count: i64 = len(self.steps)
        if count and self.steps[count - 1] == step:
            return
        self.steps = append(self.steps, step)
        for language in range(self.languages):
            self.lengths = append(self.lengths, lengths[first + language])

    def row(self, number: int) -> list[int]:
        """Returns the lengths of a row, one per language; IndexError for a row that does not exist."""
        if not 0 <= number < len(self.steps):
            raise IdError(f"There is no row number {number}.")
        start: i64 = number * self.languages
        return [self.lengths[start + language] for language in range(self.languages)]
