"""PickyBPE by counting everything again for each event: the reference for the fast trainer and encoder.

After Chizhov et al. 2024 (https://arxiv.org/abs/2409.04599). Tokens are bytes, words have counts.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field

Word = tuple[bytes, ...]
Event = tuple[bytes, ...]
"""The two tokens of a merge, or one removed token."""


@dataclass
class PlainPicky:
    """A training: ``events`` in their order, ``numbers`` of tokens as they first came, which of them are present."""

    words: dict[bytes, int]
    threshold: float
    min_frequency: int = 1
    events: list[Event] = field(default_factory=list)
    sizes: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The tokens of the corpus when a number of entries was first reached, and the count of the last pair."""

    def __post_init__(self) -> None:
        self.cuts: dict[bytes, Word] = {word: parts(word) for word in self.words}
        self.numbers = {bytes([byte]): byte for byte in range(256)}
        self.first_made: dict[bytes, tuple[bytes, bytes]] = {}
        self.present = set(self.numbers)

    @property
    def entries(self) -> list[bytes]:
        """All entries by id."""
        return sorted(self.present, key=self.numbers.__getitem__)

    @property
    def tokens(self) -> int:
        """The number of tokens of the corpus."""
        return sum(len(cut) * self.words[word] for word, cut in self.cuts.items())

    def train(self, vocab_size: int) -> None:
        """Continues until there are ``vocab_size`` entries, or no remaining pair occurs often enough."""
        while len(self.present) < vocab_size and self.step():
            pass

    def step(self) -> bool:
        """Makes one merge with its removals; returns False if there is none."""
        pairs: Counter[tuple[bytes, bytes]] = Counter()
        for word, cut in self.cuts.items():
            for pair in itertools.pairwise(cut):
                pairs[pair] += self.words[word]
        if not pairs:
            return False
        best = min(
            pairs, key=lambda pair: (-pairs[pair], self.numbers[pair[0]], self.numbers[pair[1]])
        )
        if pairs[best] < self.min_frequency:
            return False
        left, right = best
        before = self.occurrences(left + right)
        self.numbers.setdefault(left + right, len(self.numbers))
        self.first_made.setdefault(left + right, best)
        self.present.add(left + right)
        self.happen(best)
        joined = self.occurrences(left + right) - before
        for part in dict.fromkeys(best):
            rest = self.occurrences(part)
            if len(part) > 1 and joined / (rest + joined) > self.threshold:
                self.present.remove(part)
                self.happen((part,))
        self.sizes.setdefault(len(self.present), (self.tokens, pairs[best]))
        return True

    def occurrences(self, token: bytes) -> int:
        """Returns the current count of a token."""
        return sum(cut.count(token) * self.words[word] for word, cut in self.cuts.items())

    def happen(self, event: Event) -> None:
        """Records an event, and applies it to all words."""
        self.events.append(event)
        taken = self.parts_of(event[0]) if len(event) == 1 else (event[0] + event[1],)
        for word, cut in self.cuts.items():
            self.cuts[word] = replaced(cut, event, taken)

    def parts_of(self, token: bytes) -> Word:
        """Returns a token, if it is present, or the parts that it was first made from."""
        if token in self.present:
            return (token,)
        left, right = self.first_made[token]
        return self.parts_of(left) + self.parts_of(right)


def encoded(word: bytes, trained: PlainPicky) -> list[bytes]:
    """Returns the tokens of a word: an entry is itself, and all events are applied to any other."""
    if word in trained.present:
        return [word]
    again = PlainPicky({}, trained.threshold)
    again.first_made = trained.first_made
    cut = parts(word)
    for event in trained.events:
        if len(event) == 1:
            again.present.discard(event[0])
            cut = replaced(cut, event, again.parts_of(event[0]))
        else:
            again.present.add(event[0] + event[1])
            cut = replaced(cut, event, (event[0] + event[1],))
    return list(cut)


def parts(word: bytes) -> Word:
    """Returns the single bytes of a word."""
    return tuple(word[at : at + 1] for at in range(len(word)))


def replaced(cut: Word, what: Word, by: Word) -> Word:
    """Returns a cut in which each ``what``, from left to right, is replaced."""
    found: list[bytes] = []
    at = 0
    while at < len(cut):
        if cut[at : at + len(what)] == what:
            found += by
            at += len(what)
        else:
            found.append(cut[at])
            at += 1
    return tuple(found)
