"""The texts to which two tokenizers give different ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from tokenarium_core.tokenizer import Tokenizer


@final
class DifferingText:
    """A text to which two tokenizers give different ids.

    ``has_new``: one of ``new_ids`` is beyond the ids of the old tokenizer. In an extended tokenizer this holds for each
    such text, if the algorithm guarantees that nothing else changes.
    """

    def __init__(self, text: str, old_ids: list[int], new_ids: list[int], has_new: bool) -> None:
        self.text = text
        self.old_ids = old_ids
        self.new_ids = new_ids
        self.has_new = has_new

    def __repr__(self) -> str:
        return f"<DifferingText {self.text!r}: {len(self.old_ids)} tokens -> {len(self.new_ids)}>"


def differing_texts(
    old: Tokenizer, new: Tokenizer, texts: Iterable[str], most: int = 0
) -> list[DifferingText]:
    """Returns those of the texts (lines, or words) that get different ids, in order; at most ``most``, 0: all."""
    size = len(old.vocabulary)
    differing: list[DifferingText] = []
    for text in texts:
        if most and len(differing) == most:
            break
        before = old.encode_ids(text)
        after = new.encode_ids(text)
        if before != after:
            differing.append(DifferingText(text, before, after, any(id >= size for id in after)))
    return differing
