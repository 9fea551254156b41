"""Tells which files of a folder are tokenizers: by their names, and by how they begin."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenarium.models.files import is_device
from tokenarium_core.formats import SETTINGS_FILES, in_folder, slow_form

HEAD = 16 * 1024
"""Bytes from which a file is known."""

MOST = 256
"""Files of one folder that are looked into: a folder with more holds data."""

HUGGING_FACE = "Hugging Face"
SENTENCEPIECE = "SentencePiece"
TEKKEN = "Tekken"
TIKTOKEN = "tiktoken"
VOCABULARY_AND_MERGES = "vocabulary and merges"
VOCAB_TXT = "vocab.txt"
TOKENARIUM = "Tokenarium"


@dataclass(frozen=True, slots=True)
class Candidate:
    """What looks like a tokenizer: its main file, all its files, its format, and what opens it."""

    path: Path
    files: tuple[Path, ...]
    format: str
    source: Path


def is_tokenizer(path: Path) -> bool:
    """Whether a file or folder looks like a tokenizer, by its content."""
    try:
        if path.is_dir():
            return bool(candidates(path, sorted(os.listdir(path))))
        beside = [name for pair in PAIRS for name in pair if path.with_name(name).is_file()]
    except OSError:
        return False
    return any(path in one.files for one in candidates(path.parent, [*beside, path.name]))


def candidates(folder: Path, names: Sequence[str]) -> list[Candidate]:
    """Returns the tokenizers among the files of a folder."""
    present = set(names)
    found: list[Candidate] = []
    # A vocabulary with settings beside it is opened with them: the folder is, whose first one is meant.
    slow = present.intersection(SETTINGS_FILES) and in_folder(folder)

    def add(name: str, format: str, others: Sequence[str] = (), source: Path | None = None) -> None:
        if slow and source is None and slow == folder / name and slow_form(folder, slow):
            source = folder
        path = folder / name
        files = (path, *(folder / other for other in others if other in present))
        found.append(Candidate(path, files, format, source or path))

    whole = "tokenizer.json" in present and _begins(folder / "tokenizer.json", _is_hugging_face)
    if whole:
        # With tokenizer_config.json the folder is more than the file: it has the chat template.
        config = "tokenizer_config.json" in present
        add("tokenizer.json", HUGGING_FACE, source=folder if config else None)
    alike = [name for name in names if _ENDS.search(name) and name not in _NEVER]
    for name in alike[:MOST]:
        path = folder / name
        if _MODEL.search(name) and _begins(path, _is_sentencepiece):
            add(name, SENTENCEPIECE)
        elif name.endswith(".tiktoken") and _begins(path, _is_tiktoken):
            add(name, TIKTOKEN)
        elif name.endswith(".json"):
            if "tekken" in name and _begins(path, _is_object):
                add(name, TEKKEN)
            elif _begins(path, _is_tokenarium):
                add(name, TOKENARIUM)
            elif _begins(path, _is_hugging_face):
                add(name, HUGGING_FACE)
    for vocabulary, merges in PAIRS:
        if (
            not whole
            and {vocabulary, merges} <= present
            and _begins(folder / vocabulary, _is_object)
        ):
            add(vocabulary, VOCABULARY_AND_MERGES, [merges], folder)
    if not whole and "vocab.txt" in present and _begins(folder / "vocab.txt", _is_vocab_txt):
        add("vocab.txt", VOCAB_TXT)
    return found


PAIRS = (("encoder.json", "vocab.bpe"), ("vocab.json", "merges.txt"))
"""Files of which one has the pieces and the other the merges."""

_ENDS = re.compile(r"\.(json|tiktoken|spm|model(\.v\d+)?)$")
_MODEL = re.compile(r"\.model(\.v\d+)?$|\.spm$")
_NEVER = {
    "tokenizer.json",  # seen to first
    "config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.json",
    "encoder.json",
}
_TIKTOKEN_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} \d+\r?\n")
_HUGGING_FACE = re.compile(rb'"(truncation|padding|added_tokens|pre_tokenizer)"')
_TOKENARIUM = re.compile(rb'"format"\s*:')


def _begins(path: Path, is_such: Callable[[bytes], bool]) -> bool:
    try:
        if is_device(path):
            return False
        with path.open("rb") as file:
            return is_such(file.read(HEAD))
    except (OSError, ValueError):
        return False


def _is_object(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"


def _is_hugging_face(head: bytes) -> bool:
    return (
        _is_object(head) and _HUGGING_FACE.search(head[:2048]) is not None and b'"version"' in head
    )


def _is_tokenarium(head: bytes) -> bool:
    return (
        _is_object(head)
        and _TOKENARIUM.search(head[:512]) is not None
        and b"okenarium" in head[:512]
    )


def _is_tiktoken(head: bytes) -> bool:
    return _TIKTOKEN_LINE.match(head) is not None


def _is_vocab_txt(head: bytes) -> bool:
    """BERT's list has a piece a line, the special ones near its top."""
    lines = head.splitlines()[:256]
    return b"[UNK]" in lines or b"[PAD]" in lines


def _is_sentencepiece(head: bytes) -> bool:
    """A ModelProto begins with its field 1, a piece, which begins with its own field 1, a string."""
    if head[:1] != b"\n" or len(head) < 8:
        return False
    at = 1
    while at < 5 and head[at] & 0x80:
        at += 1
    return head[at + 1 : at + 2] == b"\n" and head[at] >= 3
