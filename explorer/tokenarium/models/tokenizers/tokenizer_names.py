"""Names tokenizers by where they are: most files are called ``tokenizer.json``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import tokenarium_core as tc
from tokenarium.models.tokenizers.model_stores import ollama_name
from tokenarium_core.formats.registry import FORMATS

_REPOSITORY = re.compile(r"models--(.+)")
# Mistral's tokenizer.model.v1 to .v3 lie in one folder.
_SUFFIXES = {
    suffix
    for format in FORMATS.values()
    for suffix in format.suffixes
    if not re.fullmatch(r"\.v\d", suffix)
}
_ANY_SUFFIX = "|".join(map(re.escape, sorted(_SUFFIXES, key=len, reverse=True)))
_COMMON = re.compile(
    r"(tokenizer(_config)?|spiece|sentencepiece(\.bpe)?|tekken|vocab|encoder|merges|model|source|target)"
    rf"({_ANY_SUFFIX})?",
    re.IGNORECASE,
)
_SUFFIX = re.compile(rf"({_ANY_SUFFIX})$", re.IGNORECASE)


def name_of(path: Path) -> str:
    """Returns the name to show for a tokenizer's file or folder.

    ``…/hub/models--google--gemma-3-1b-it/snapshots/<commit>`` is ``google/gemma-3-1b-it``;
    ``bert/vocab.txt`` is ``bert``; ``mine.model`` is ``mine``; a file in Ollama's store has its name there.
    """
    known = ollama_name(path)
    if known:
        return known
    for part in path.parts[::-1]:
        match = _REPOSITORY.fullmatch(part)
        if match is not None:
            return match[1].replace("--", "/", 1)
    if _COMMON.fullmatch(path.name) and path.parent.name:
        return path.parent.name
    return _SUFFIX.sub("", path.name)


def distinct_name(name: str, source: str, taken: Mapping[str, str], identity: str = "") -> str:
    """Returns a name that is not taken: the name itself, or with a distinction in brackets.

    ``taken`` has the sources of the names. The distinction is the first few digits of ``identity`` if there is one (a
    trained tokenizer's), else the nearest folder in ``source`` with another name, else the file, else a few digits of
    the source's SHA-256; the file first if the other one is in the same folder.

    >>> distinct_name(
    ...     "bert", "/models/uncased/bert/vocab.txt", {"bert": "/models/cased/bert/vocab.txt"}
    ... )
    'bert (uncased)'
    >>> distinct_name("bert", "/models/bert/vocab.txt", {"bert": "/models/bert/tokenizer.json"})
    'bert (vocab.txt)'
    """
    if name not in taken:
        return name
    path = Path(source)
    parts = [identity[:7]] if identity else []
    if path.name != source:
        folders = [folder.name for folder in path.parents if folder.name not in ("", name)]
        together = Path(taken[name]).parent == path.parent and Path(taken[name]).name != path.name
        parts += [path.name, *folders] if together else [*folders, path.name]
    digest = hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()
    parts += [digest[:length] for length in range(6, 65)]
    labels = (f"{name} ({part})" for part in parts if part)
    return next((label for label in labels if label not in taken), f"{name} ({digest})")


def tell_apart(tokenizers: Sequence[tc.Tokenizer]) -> None:
    """Gives tokenizers of equal names distinct ones; the first keeps its own."""
    taken: dict[str, str] = {}
    for tokenizer in tokenizers:
        tokenizer.name = distinct_name(tokenizer.name, tokenizer.source.path, taken)
        taken[tokenizer.name] = tokenizer.source.path
