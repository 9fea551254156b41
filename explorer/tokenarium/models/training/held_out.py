"""Keeps some documents of a corpus from being trained on, to measure with."""

from __future__ import annotations

from collections.abc import Iterator

from tokenarium.models.training.corpus import Corpus

HELD_OUT_EVERY = 20
"""Each document of this number is not trained on, but measured with."""

HELD_OUT_MOST = 1_000_000
"""Characters that are held out at most."""


class HeldOut:
    """A corpus but for some of its documents, which are kept in ``texts`` to measure with.

    Each `HELD_OUT_EVERY`-th document is held out, up to `HELD_OUT_MOST` characters; of a corpus of fewer documents,
    that share at the end of the last one, from the end of a line on.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.texts: list[str] = []

    def __iter__(self) -> Iterator[str]:
        characters = 0
        number = 0
        waiting: str | None = None
        for text in self._corpus:
            number += 1
            if number % HELD_OUT_EVERY == 0 and characters < HELD_OUT_MOST:
                self.texts.append(text[:HELD_OUT_MOST])
                characters += len(text)
                continue
            if waiting is not None:
                yield waiting
            waiting = text
        if waiting is None:
            return
        if not self.texts:
            share = max(len(waiting) - len(waiting) // HELD_OUT_EVERY, len(waiting) - HELD_OUT_MOST)
            cut = waiting.find("\n", share) + 1
            if not 0 < cut < len(waiting):
                cut = share
            self.texts.append(waiting[cut:])
            waiting = waiting[:cut]
        if waiting:
            yield waiting
