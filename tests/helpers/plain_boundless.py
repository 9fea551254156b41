"""BoundlessBPE in simple code, as a reference: every count is made from scratch, every step visits all of the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise

import regex

JOINING = regex.compile(r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$")
"""The pre-tokens that may join (``IMPROVED_MERGE_PATTERN`` of the published code)."""

Pair = tuple[bytes, bytes]
Event = tuple[str, bytes] | tuple[str, bytes, bytes]


def pairs_of(tokens: list[bytes]) -> Iterable[Pair]:
    """Yields the pairs of neighbours, without overlap in a run of one token: "aaa" has one "aa"."""
    before: Pair | None = None
    for pair in pairwise(tokens):
        if pair[0] == pair[1] and pair == before:
            before = None
        else:
            before = pair
            yield pair


def joined(tokens: list[bytes], pair: Pair) -> list[bytes]:
    """Returns the tokens with a pair joined everywhere, from left to right."""
    found: list[bytes] = []
    at = 0
    while at < len(tokens):
        if tuple(tokens[at : at + 2]) == pair:
            found.append(pair[0] + pair[1])
            at += 2
        else:
            found.append(tokens[at])
            at += 1
    return found


def split(tokens: list[bytes], token: bytes) -> list[bytes]:
    """Returns the tokens with one of them split into its bytes."""
    found: list[bytes] = []
    for each in tokens:
        found += [bytes([byte]) for byte in each] if each == token else [each]
    return found


def may_join(pre_token: bytes) -> bool:
    """Returns whether a pre-token may be joined with its neighbours."""
    try:
        return JOINING.match(pre_token.decode()) is not None
    except UnicodeDecodeError:
        return False


class PlainTraining:
    """A training on documents, each a list of pre-tokens: its ``events`` in order, with the count of each merge."""

    def __init__(
        self,
        documents: list[list[bytes]],
        merges: int,
        threshold: float,
        min_frequency: int = 1,
        joins: Callable[[bytes], bool] = may_join,
    ) -> None:
        self.events: list[Event] = []
        self.counts: list[int] = []
        self._documents = [list(document) for document in documents]
        self._words = Counter(word for document in documents for word in document)
        self._tokens = {word: [bytes([byte]) for byte in word] for word in self._words}
        self._joinable: set[bytes] = set()
        self._known = {bytes([byte]) for byte in range(256)}
        self._joins = joins
        while len(self.counts) < merges and self._step(threshold, min_frequency):
            pass

    def _step(self, threshold: float, min_frequency: int) -> bool:
        within: Counter[Pair] = Counter()
        single: Counter[bytes] = Counter()
        for word, count in self._words.items():
            for pair in pairs_of(self._tokens[word]):
                within[pair] += count
            for token in self._tokens[word]:
                single[token] += count
        across: Counter[Pair] = Counter()
        for document in self._documents:
            for pair in pairs_of(document):
                across[pair] += pair[0] in self._joinable and pair[1] in self._joinable
        best, count = self._best(within, min_frequency)
        best_across, count_across = self._best(across, min_frequency)
        if best is None and best_across is None:
            return False
        if best is None or (best_across is not None and count_across >= count):
            assert best_across is not None
            self._join(best_across, count_across)
        else:
            self._merge(best, count, single, threshold)
        return True

    def _best(self, counts: Counter[Pair], least: int) -> tuple[Pair | None, int]:
        found = [
            (-n, pair)
            for pair, n in counts.items()
            if n >= least and pair[0] + pair[1] not in self._known
        ]
        return (min(found)[1], -min(found)[0]) if found else (None, 0)

    def _join(self, pair: Pair, count: int) -> None:
        product = pair[0] + pair[1]
        self._documents = [joined(document, pair) for document in self._documents]
        if pair[0] != pair[1]:
            self._joinable.add(product)
        self._known.add(product)
        self.events.append(("supermerge", *pair))
        self.counts.append(count)

    def _merge(self, pair: Pair, count: int, single: Counter[bytes], threshold: float) -> None:
        product = pair[0] + pair[1]
        for word, tokens in self._tokens.items():
            self._tokens[word] = joined(tokens, pair)
        self._known.add(product)
        self.events.append(("merge", *pair))
        self.counts.append(count)
        whole = self._tokens.get(product) == [product]
        for token in dict.fromkeys(pair):
            if len(token) > 1 and count / single[token] >= threshold:
                for word, tokens in self._tokens.items():
                    self._tokens[word] = split(tokens, token)
                self.events.append(("deletion", token))
        if whole and self._joins(product):
            self._joinable.add(product)


def encoded(words: list[bytes], events: list[Event]) -> list[bytes]:
    """Returns the tokens of a text of these pre-tokens: every event is applied to all of it, in order."""
    chunks = [[bytes([byte]) for byte in word] for word in words]
    for event in events:
        if event[0] == "deletion":
            chunks = [split(chunk, event[1]) for chunk in chunks]
            continue
        pair = (event[1], event[2])  # type: ignore[misc]
        if event[0] == "merge":
            chunks = [joined(chunk, pair) for chunk in chunks]
            continue
        found: list[list[bytes]] = []
        at = 0
        while at < len(chunks):
            if chunks[at : at + 2] == [[pair[0]], [pair[1]]]:
                found.append([pair[0] + pair[1]])
                at += 2
            else:
                found.append(chunks[at])
                at += 1
        chunks = found
    return [token for chunk in chunks for token in chunk]
