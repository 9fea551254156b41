"""Text of any size, made from a real one, in which new words keep occurring as in real text.

    .venv/bin/python tests/helpers/growing_text.py --size 10GB --out build/10GB.txt english.txt code.txt

A repeated text has no new words after its first copy, so counting it is easier than it should be. Here the real text is
only the pattern: it is repeated in blocks whose order changes, and each of its rare words (letters, `RARE` times or
fewer) is replaced each time. Frequent words, and everything except letters, stay.

The number of different words D in b bytes of real text follows Heaps' law, D = K * b ** beta (Heaps 1978), and words
drawn one by one from Zipf's law, the r-th with a probability of about (r + c) ** (-1 / beta), grow by the same exponent
(van Leijenhorst and van der Weide 2005). So beta is measured on the real text, over its last `FITTED` doublings, and
the words for the places of rare ones are drawn from that law. The unchanged part adds no new words, so the exponent is
a little larger: it and c are chosen so that the result has as many different words as the real text at its end, and as
Heaps' law predicts for a text `FAR` times as large. The r-th word is made from the first half of one rare word and the
second half of another, chosen by a permutation of r: so all are different, as long as rare words, and in the scripts of
the text. Everything is drawn from a seed: the same text, size and seed give the same bytes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tokenarium.models.packed_arrays import array_of
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.training.word_counter import BLOCK, WordCounter

RARE = 10
FITTED = 3
FAR = 100
BLOCK_BYTES = 1 << 20
PIECE = 1 << 16

_EDGES = np.unique(np.floor(np.logspace(0, 13, 1500)) - 1)

Numbers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Growth:
    """The number of different words of a text: ``beta`` of Heaps' law, and the law of the rare words."""

    sizes: Numbers
    """Bytes of parts of the real text, each twice the one before, from its beginning …"""
    different: Numbers
    """… and how many different words they have, with what else is cut out as a pre-token."""
    beta: float
    power: float
    """A rank of r and more has the probability (1 + r / shift) ** -power."""
    shift: float

    def at(self, size: float) -> float:
        """Returns how many different words Heaps' law predicts for a text of a size, from the end of the real one."""
        return float(self.different[-1] * (size / self.sizes[-1]) ** self.beta)

    def expected(self, draws: float) -> float:
        """Returns the average number of different words in a number of draws."""
        above = (1 + _EDGES / self.shift) ** -self.power
        width = np.diff(_EDGES)
        return float((width * -np.expm1(draws * np.diff(above) / width)).sum() + draws * above[-1])

    def ranks(self, count: int, random: np.random.Generator) -> npt.NDArray[np.float64]:
        """Returns ranks of words drawn from the law, beginning with 0."""
        drawn: npt.NDArray[np.float64] = np.floor(
            self.shift * ((1 - random.random(count)) ** (-1 / self.power) - 1)
        )
        return drawn


@dataclass(frozen=True)
class _Block:
    """A part of the real text: spans that stay, with a place for a word after each but the last."""

    starts: Numbers
    lengths: Numbers
    spaced: npt.NDArray[np.bool_]


class GrowingText:
    """Makes texts of any size from a real one, see above."""

    def __init__(self, real: str) -> None:
        ends, kinds, sizes, different = _cut(real)
        if len(set(sizes)) < FITTED + 1:
            raise ValueError("The text is too short to see how its words grow.")
        counts = np.bincount(kinds)
        text = np.frombuffer(real.encode(), np.uint8)
        starts = np.concatenate([[0], ends[:-1]])
        rare, halves = self._halves(text, starts, ends, kinds, counts)
        if not rare.any():
            raise ValueError("The text has no rare words: take a longer one.")
        self._pool: Bytes = np.concatenate([text, halves])
        self._pool_starts += len(text)
        replaced = rare[kinds]
        spaced = text[np.minimum(starts, len(text) - 1)] == 32
        stays = np.delete(counts, np.flatnonzero(rare)).size
        places = int(replaced.sum())
        self._blocks = list(_blocks(text, starts, ends, replaced, spaced))
        self.growth = _fitted(sizes, different, stays, places, int((replaced & spaced).sum()))

    def _halves(
        self, text: Bytes, starts: Numbers, ends: Numbers, kinds: Numbers, counts: Numbers
    ) -> tuple[npt.NDArray[np.bool_], Bytes]:
        """Returns which kinds of words are replaced, and their halves: all first ones, then all second ones."""
        _, first = np.unique(kinds, return_index=True)
        rare = np.zeros(len(counts), bool)
        content = text.tobytes()
        heads: dict[bytes, None] = {}
        tails: dict[bytes, None] = {}
        for kind in np.flatnonzero(counts <= RARE).tolist():
            at = first[kind]
            word = content[starts[at] : ends[at]].decode("utf-8", "replace")
            bare = word.removeprefix(" ")
            if len(bare) >= 2 and bare.isalpha():
                rare[kind] = True
                heads[bare[: len(bare) // 2].encode()] = None
                tails[bare[len(bare) // 2 :].encode()] = None
        pieces = [b" ", *heads, *tails]
        lengths = np.array([len(piece) for piece in pieces], np.int64)
        self._pool_lengths = lengths
        self._pool_starts = np.cumsum(lengths) - lengths
        self._heads = len(heads)
        self._tails = len(tails)
        return rare, np.frombuffer(b"".join(pieces), np.uint8)

    def blocks(self, size: int, seed: int = 0) -> Iterator[bytes]:
        """Yields about ``size`` bytes of text in blocks of about a megabyte; each ends at a line end."""
        random = np.random.default_rng(seed)
        made = 0
        while True:
            for number in random.permutation(len(self._blocks)):
                data = self._made(self._blocks[number], random)
                yield data
                made += len(data)
                if made >= size:
                    return

    def _made(self, block: _Block, random: np.random.Generator) -> bytes:
        count = len(block.spaced)
        words = self._heads * self._tails
        ranks = self.growth.ranks(count, random)
        # The few beyond all that can be spelled are taken from them evenly.
        places = np.where(ranks < words, ranks, np.floor(random.random(count) * words))
        numbers = _permuted(places.astype(np.int64), words)
        starts = np.empty((count + 1, 4), np.int64)
        lengths = np.zeros((count + 1, 4), np.int64)
        starts[:, 0], lengths[:, 0] = block.starts, block.lengths
        starts[:, 1], lengths[:count, 1] = self._pool_starts[0], block.spaced
        for column, pieces in (
            (2, 1 + numbers % self._heads),
            (3, 1 + self._heads + numbers // self._heads),
        ):
            starts[:count, column] = self._pool_starts[pieces]
            lengths[:count, column] = self._pool_lengths[pieces]
        starts[count, 2:] = 0
        flat = lengths.ravel()
        shift = starts.ravel() - (np.cumsum(flat) - flat)
        at = np.repeat(shift, flat)
        at += np.arange(len(at))
        made: bytes = self._pool[at].tobytes()
        return made


def _permuted(ranks: Numbers, words: int) -> Numbers:
    """Returns a permutation of the numbers below ``words`` in which neighbours are far apart."""
    factor = int(words * 0.6180339887) | 1
    while math.gcd(factor, words) > 1:
        factor += 2
    low, high = factor & 0x7FFF, factor >> 15  # so that products fit into 63 bits
    folded: Numbers = (ranks * high % words * (1 << 15) + ranks * low) % words
    return folded


def _cut(real: str) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Returns where the words of a text end and which ones they are, and sizes with their numbers of different words."""
    data = padded(real)
    stop = len(data) - PADDING
    counter = WordCounter(cutting("gpt2"))
    ends: list[Numbers] = []
    kinds: list[Numbers] = []
    seen: list[tuple[int, int]] = []
    at = 0
    while at < stop:
        at = int(counter.add_block(data, at, stop, stop))
        found = array_of(counter.ends)
        length = int(np.flatnonzero(found == at)[0]) + 1
        ends.append(found[:length].astype(np.int64))
        kinds.append(array_of(counter.numbers)[:length].astype(np.int64))
        seen.append((at, int(counter.distinct)))
    assert all(len(part) <= BLOCK for part in ends)
    sizes, different = np.array(seen).T
    chosen = [np.searchsorted(sizes, stop >> step) for step in range(9, -1, -1)]
    return np.concatenate(ends), np.concatenate(kinds), sizes[chosen], different[chosen]


def _blocks(
    text: Bytes,
    starts: Numbers,
    ends: Numbers,
    replaced: npt.NDArray[np.bool_],
    spaced: npt.NDArray[np.bool_],
) -> Iterator[_Block]:
    """Yields the parts of a text; each ends with a line, unless a line is very long."""
    lines = np.flatnonzero(text[ends - 1] == 10) + 1
    first = 0
    while first < len(ends):
        wanted = np.searchsorted(ends, starts[first] + BLOCK_BYTES)
        place = np.searchsorted(lines, wanted)
        last = int(lines[place]) if place < len(lines) else len(ends)
        places = first + np.flatnonzero(replaced[first:last])
        begins = np.concatenate([[starts[first]], ends[places]])
        stops = np.concatenate([starts[places], [ends[last - 1]]])
        yield _Block(begins, stops - begins, spaced[places])
        first = last


def _fitted(sizes: Numbers, different: Numbers, stays: int, places: int, spaced: int) -> Growth:
    """Returns the growth of a text in which ``stays`` words stay, and a number of places are filled."""
    last = slice(len(sizes) - FITTED - 1, None)
    beta = float(np.polyfit(np.log(sizes[last]), np.log(different[last]), 1)[0])
    beta = min(max(beta, 0.3), 0.9)
    drawn = (spaced, places - spaced)
    low_power, high_power = 0.05, 3.0
    for _ in range(20):
        power = math.sqrt(low_power * high_power)
        low, high = 1.0, 1e9
        for _ in range(30):
            shift = math.sqrt(low * high)
            growth = Growth(sizes, different, beta, power, shift)
            found = stays + sum(growth.expected(count) for count in drawn)
            low, high = (shift, high) if found < different[-1] else (low, shift)
        far = stays + sum(growth.expected(FAR * count) for count in drawn)
        more = far > growth.at(FAR * float(sizes[-1]))
        low_power, high_power = (power, high_power) if more else (low_power, power)
    return growth


def interleaved(texts: Sequence[str]) -> str:
    """Returns one text that has pieces of all, each ending with a line, in proportion to their lengths."""
    pieces = []
    for text in texts:
        lines = text.splitlines(keepends=True)
        step = max(len(lines) * PIECE // max(len(text), 1), 1)
        pieces += [
            (first / len(lines), "".join(lines[first : first + step]))
            for first in range(0, len(lines), step)
        ]
    return "\n".join(piece for _, piece in sorted(pieces, key=itemgetter(0)))


def write(text: GrowingText, size: int, path: Path, seed: int = 0) -> int:
    """Writes a corpus of about ``size`` bytes, whole or not at all, and returns how many there are."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        made = sum(map(file.write, text.blocks(size, seed)))
    part.replace(path)
    return made


def main() -> None:
    """Writes a corpus from the given texts."""
    from tokenarium.models.training.corpus import parsed_bytes

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("texts", nargs="+", type=Path, metavar="TEXT", help="real texts, UTF-8")
    parser.add_argument("--size", required=True, type=parsed_bytes, help="such as 10GB")
    parser.add_argument("--out", required=True, type=Path, help="the file")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    text = GrowingText(interleaved([path.read_bytes().decode() for path in options.texts]))
    growth = text.growth
    print(
        f"Heaps' exponent {growth.beta:.3f}; Zipf's power {growth.power:.3f}, shift {growth.shift:,.0f}"
    )
    options.out.parent.mkdir(parents=True, exist_ok=True)
    print(f"{write(text, options.size, options.out, options.seed):,} bytes")


if __name__ == "__main__":
    main()
