"""Keeps some documents of a corpus from being trained on, to measure with."""

from __future__ import annotations

from collections.abc import Iterator

from tokenarium.models.training.corpus import Corpus

HELD_OUT_EVERY = 20
"""Each document of this number is not trained on, but measured with."""

HELD_OUT_MOST = 1_000_000
"""Characters that are held out at most."""

SMALL = 1_000_000
"""Bytes: of a corpus that has fewer nothing is held out, since it would miss that."""


class HeldOut:
    """A corpus but for some of its documents, which are kept in ``texts`` to measure with.

    Each `HELD_OUT_EVERY`-th document is held out, up to `HELD_OUT_MOST` characters; nothing of a corpus of fewer
    documents, or of fewer bytes than `SMALL`.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.texts: list[str] = []

    def __iter__(self) -> Iterator[str]:
        characters = 0
        for number, text in enumerate(self._corpus, 1):
            due = number % HELD_OUT_EVERY == 0 and characters < HELD_OUT_MOST
            if due and self._corpus.planned >= SMALL:
                self.texts.append(text)
                characters += len(text)
            else:
                yield text

    @property
    def bytes(self) -> int:
        """How many bytes of UTF-8 are held out."""
        return sum(len(text.encode("utf-8", "surrogatepass")) for text in self.texts)

    @property
    def sentence(self) -> str:
        """What was held out, or why nothing."""
        if self.texts:
            documents = "1 document" if len(self.texts) == 1 else f"{len(self.texts):,} documents"
            return f"Held out and not trained on: {documents}, {self.bytes:,} bytes."
        return f"Nothing was held out: that takes {HELD_OUT_EVERY} documents and {SMALL / 1e6:g} MB at least."
