"""What a tokenizer is called, from where it lies: most files are called ``tokenizer.json``."""

from __future__ import annotations

import re
from pathlib import Path

_REPOSITORY = re.compile(r"models--(.+)")
_COMMON = re.compile(
    r"(tokenizer|spiece|sentencepiece(\.bpe)?|tekken|vocab|encoder|merges|model)"
    r"(\.(json|model|txt|bpe))?",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"\.(json|model|txt|bpe|tiktoken)$", re.IGNORECASE)


def name_of(path: Path) -> str:
    """Returns the name to show for a tokenizer's file or folder.

    ``…/hub/models--google--gemma-3-1b-it/snapshots/<commit>`` is ``google/gemma-3-1b-it``;
    ``bert/vocab.txt`` is ``bert``; ``mine.model`` is ``mine``.
    """
    for part in path.parts[::-1]:
        found = _REPOSITORY.fullmatch(part)
        if found is not None:
            return found[1].replace("--", "/", 1)
    if _COMMON.fullmatch(path.name) and path.parent.name:
        return path.parent.name
    return _SUFFIX.sub("", path.name)
