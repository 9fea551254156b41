"""Several texts as one vocabulary splits them at each of its sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.merges.size_cuts import SizeCuts
from tokenarium.resources.samples_index import load_samples

YOURS = "The text"
TEXTS = (YOURS, "English", "German", "Russian", "Arabic", "Hindi", "Japanese", "Python")
"""The texts, each but the first a sample of that title."""


@dataclass(frozen=True, slots=True)
class TextSizes:
    """A text, its number among `TEXTS`, its size in bytes, its cuts at every size, and the share of it that is lost."""

    name: str
    number: int
    bytes: int
    cuts: SizeCuts
    lost: float

    def ratio(self, entries: int) -> float:
        """Returns the bytes per token with the first entries of the vocabulary."""
        return self.bytes / max(self.cuts.count(self.cuts.number(entries)), 1)

    @property
    def last_doubling(self) -> float:
        """The share of the tokens that the second half of the entries saves."""
        half = self.cuts.number(self.cuts.size // 2)
        return 1 - self.cuts.count(self.cuts.merges) / max(self.cuts.count(half), 1)


def texts_of(text: str, only: Sequence[str] | None) -> dict[str, str]:
    """Returns the texts with some names, all for None; ArgumentError for an unknown one."""
    names = {name.lower() for name in TEXTS if only is None} | {name.lower() for name in only or ()}
    for name in sorted(names - {one.lower() for one in TEXTS}):
        raise tc.ArgumentError(f"There is no text {name!r}. The texts are {', '.join(TEXTS)}.")
    samples = {sample.title: sample for sample in load_samples()}
    chosen = [name for name in TEXTS if name.lower() in names]
    return {name: text if name == YOURS else samples[name].text() for name in chosen}


def shown_sizes(cuts: SizeCuts) -> list[int]:
    """Returns the powers of two between the least size and the whole one, and that."""
    powers = [1 << power for power in range(8, 24)]
    return [*(size for size in powers if cuts.base <= size < cuts.size), cuts.size]
