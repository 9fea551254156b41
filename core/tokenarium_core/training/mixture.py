"""Mixes the sources of a corpus by their shares of its bytes: how much of each is used, and which parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import Final, final

from tokenarium_core.errors import TokenariumError

BLOCKS: Final = 256  # the least part of a source's bytes that is taken or left
SHORTEST: Final = 24  # characters of a part, if a line is longer
_MASK: Final = (1 << 64) - 1


@final
class Mixture:
    """How many bytes each source contributes to a corpus.

    ``there`` is the number of UTF-8 bytes that each source has. ``weights`` are the shares of the bytes that each
    should have; they are divided by their sum if that is not 1. Without them, the shares are proportional to
    ``there`` to the power of 1 / ``temperature``: unchanged at 1, more equal as it rises (Conneau, Lample 2019,
    https://arxiv.org/abs/1901.07291, whose alpha is 1 / temperature). ``size`` is the total number of bytes
    requested; 0: as many as there are.

    If a share requires more than its source has, all sources are scaled down, so that the shares are kept and no
    text counts twice. With ``repeat`` the source is read as often as needed instead, and without a ``size`` the corpus
    keeps its total size.

    ``shares`` add up to 1, ``wanted`` are bytes; ``notes`` are messages about what differs from the request. Raises
    TokenariumError if a source would contribute nothing, or a number is invalid.
    """

    def __init__(
        self,
        names: Sequence[str],
        there: Sequence[int],
        weights: Sequence[float] = (),
        size: int = 0,
        temperature: float = 1.0,
        repeat: bool = False,
    ) -> None:
        self.names = list(names)
        self.there = list(there)
        self.notes: list[str] = []
        if not 0.01 <= temperature <= 1000.0:
            raise TokenariumError(
                f"The temperature is {temperature:g}: give a number from 0.01 to 1,000; 1 leaves the shares as they"
                " are."
            )
        if size < 0:
            raise TokenariumError(f"The size of the corpus is {size:,} bytes: give at least 1.")
        if not there:
            raise TokenariumError("There is nothing to mix: name a source.")
        for name, count in zip(names, there, strict=True):
            if count <= 0:
                raise TokenariumError(
                    f"{name} has no text, so its share would be empty. Leave it out, or choose another source."
                )
        if weights and temperature != 1.0:
            raise TokenariumError(
                "Weights and a temperature both choose the shares: give one of them."
            )
        if weights:
            for name, weight in zip(names, weights, strict=True):
                if not 0.0 < weight <= 1e12:
                    raise TokenariumError(
                        f"The weight of {name} is {weight:g}: give a number above 0, its share of the bytes."
                    )
            total = fsum(weights)
            self.shares = [weight / total for weight in weights]
            if abs(total - 1.0) > 1e-6:
                self.notes.append(
                    f"The weights add up to {total:g}, so each was divided by that: "
                    + ", ".join(
                        f"{name} {share:.1%}"
                        for name, share in zip(names, self.shares, strict=True)
                    )
                    + "."
                )
        else:
            largest = max(there)
            powers = [(count / largest) ** (1.0 / temperature) for count in there]
            total = fsum(powers)
            self.shares = [power / total for power in powers]
        ratios = [count / share for count, share in zip(there, self.shares, strict=True)]
        most = min(ratios)
        self.total: float = float(size) if size else float(sum(there)) if repeat else most
        if self.total > most * (1.0 + 1e-9):
            short = self.names[ratios.index(most)]
            if repeat:
                self.notes.append(
                    f"{short} has too little text for its share, and is read more than once."
                )
            else:
                self.notes.append(
                    f"{short} has too little text for its share of {self.total:,.0f} bytes: the corpus was made"
                    f" smaller, {most:,.0f} bytes, so that the shares hold and no text counts twice."
                )
                self.total = most
        elif not size and not repeat and most < 0.999 * sum(there):
            short = self.names[ratios.index(most)]
            self.notes.append(
                f"{short} has the least text for its share: {most:,.0f} of {sum(there):,} bytes are taken, so that"
                " the shares hold and no text counts twice."
            )
        self.wanted = [max(round(share * self.total), 1) for share in self.shares]


def mixed(documents: Iterable[str], there: int, wanted: int, seed: int = 0) -> Iterator[str]:
    """Yields parts of some documents that amount to ``wanted`` of their ``there`` bytes.

    The parts are spread over all documents and reproducible for a ``seed``: whole documents if they are short
    compared with ``wanted``, otherwise runs of lines of a few hundredths of it (and words, if a line is longer).
    If ``wanted`` exceeds ``there``, each document is yielded several times. The result differs from ``wanted`` by one
    part at most.
    """
    times, need = divmod(wanted, max(there, 1))
    left = there
    largest = max(need // BLOCKS, SHORTEST)
    state = (seed * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) & _MASK
    for document in documents:
        for _ in range(times if document else 0):
            yield document
        run: list[str] = []
        for block in _blocks(document, largest) if need > 0 else []:
            size = len(block.encode("utf-8", "surrogatepass"))
            state = (state + 0x9E3779B97F4A7C15) & _MASK
            # Knuth's algorithm S, by bytes: the chance is what is still needed by what remains.
            if _random(state) * left < need:
                run.append(block)
                need -= size
            elif run:
                yield "".join(run)
                run = []
            left -= size
        if run:
            yield "".join(run)


def _blocks(document: str, largest: int) -> Iterator[str]:
    """Yields parts of a document of about this many characters, which end with a line if possible, else before a space."""
    at = 0
    while at < len(document):
        end = at + largest
        if end < len(document):
            end = (
                document.rfind("\n", at, end) + 1
                or document.find("\n", end, end + largest) + 1
                or max(document.rfind(" ", at + 1, end), 0)
                or max(document.find(" ", end, end + largest), 0)
                or end
            )
        yield document[at:end]
        at = end


def _random(state: int) -> float:
    """Returns a pseudo-random number from 0 up to 1: splitmix64 (Steele, Lea, Flood 2014)."""
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((state ^ (state >> 31)) >> 11) / (1 << 53)
