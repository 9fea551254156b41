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

    Each `HELD_OUT_EVERY`-th text that the corpus yields is held out, up to `HELD_OUT_MOST` characters: a document, or
    a part of a long one. Nothing is held out of a corpus of fewer texts, or of fewer bytes than `SMALL`, nor of a source
    that is read more than once: it would be trained on too.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.texts: list[str] = []

    def __iter__(self) -> Iterator[str]:
        characters = 0
        for number, text in enumerate(self._corpus, 1):
            due = number % HELD_OUT_EVERY == 0 and characters < HELD_OUT_MOST
            if due and self._corpus.planned >= SMALL and not self._corpus.repeats_source:
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
            one = len(self.texts) == 1
            texts = (
                "1 document or part of one"
                if one
                else f"{len(self.texts):,} documents or parts of them"
            )
            share = self.bytes / max(sum(self._corpus.bytes_taken), 1)
            return f"Held out and not trained on: {texts}, {self.bytes:,} bytes ({share:.1%} of the corpus)."
        if self._corpus.repeats_source:
            return "Nothing was held out: what is read more than once would be trained on too."
        return f"Nothing was held out: that takes {HELD_OUT_EVERY} documents and {SMALL / 1e6:g} MB at least."
