"""Which format a file is of, by its content; its name only decides between files of a folder.

A JSON file of tens of megabytes is told by its first fields: it is not parsed for that.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mypy_extensions import i64

TOKENARIUM: Final = "tokenarium"
TIKTOKEN: Final = "tiktoken"
GPT2: Final = "gpt2"
SENTENCEPIECE: Final = "sentencepiece"
HUGGINGFACE: Final = "huggingface"
TEKKEN: Final = "tekken"
VOCAB_TXT: Final = "vocab.txt"
MODEL_FOLDER: Final = "model folder"
JSON: Final = "JSON"
UNKNOWN: Final = ""

KNOWN: Final = (
    "SentencePiece models, Hugging Face's tokenizer.json, vocab.txt of BERT, Mistral's tekken.json, .tiktoken files,"
    " GPT-2's encoder.json with vocab.bpe, and Tokenarium's own JSON"
)
"""What can be opened, for sentences."""

PAIRS: Final = (("encoder.json", "vocab.bpe"), ("vocab.json", "merges.txt"))
"""The names under which GPT-2's two files come."""

IN_FOLDERS: Final = (
    *(
        "tokenizer.json",
        "tekken.json",
        "tokenizer.model",
        "spiece.model",
        "sentencepiece.bpe.model",
    ),
    *("source.spm", "vocab.txt"),
)
"""The names that files of tokenizers have in folders of models, the one that says most first."""

_ENDINGS: Final = (".model", ".tiktoken")

_TIKTOKEN_LINE: Final = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?(\n|\Z)")
_PIECE: Final = re.compile(rb"\x0a[\x01-\xff][\x01-\x7f]?[\x0a\x15\x18]", re.DOTALL)
_SPECS: Final = re.compile(
    rb"[\x12\x1a\x22\x2a][\x00-\xff][\x00-\x08\x0b\x0e-\x1f\x80-\xff]", re.DOTALL
)
_UNKNOWN_LINE: Final = re.compile(rb"(?:^|\n)\[UNK\]\r?(?:\n|\Z)")
_SOME_FIELDS: Final = 64
_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C


def format_of(content: bytes, name: str) -> str:
    """Returns the format that a file's content has; `UNKNOWN` where it is none of them."""
    start = content[:4096].lstrip()
    if start.startswith(b"{"):
        return _json_format(content)
    if _PIECE.match(content) is not None or (
        name.endswith(".model") and _SPECS.match(content) is not None
    ):
        return SENTENCEPIECE
    if start.startswith(b"#version"):
        return GPT2
    if _TIKTOKEN_LINE.match(content) is not None:
        return TIKTOKEN
    if _UNKNOWN_LINE.search(content) is not None:
        return VOCAB_TXT
    return UNKNOWN


def in_folder(folder: Path) -> Path | None:
    """Returns the file of a folder that makes a tokenizer; None where there is none, or none for certain."""
    for name in IN_FOLDERS:
        if (folder / name).is_file():
            return folder / name
    for first, second in PAIRS:
        if (folder / first).is_file() and (folder / second).is_file():
            return folder / first
    for ending in _ENDINGS:
        found = sorted(path for path in folder.glob("*" + ending) if path.is_file())
        if len(found) == 1:
            return found[0]
    return None


def _json_format(content: bytes) -> str:
    """Returns the format of an object in JSON, by its fields; `JSON` for any other.

    What is inside of values is passed over. Where the text is no JSON, the fields before that place count.
    """
    seen: set[str] = set()
    depth: i64 = 0
    at: i64 = 0
    size: i64 = len(content)
    name = ""
    named = False  # whether a field's value comes next
    while at < size:
        byte: i64 = content[at]
        if named and byte > 0x20:
            named = False
            seen.add(name)
            format = _told_by(name, chr(byte), seen)
            if format != UNKNOWN:
                return format
        if byte == _QUOTE:
            start = at + 1
            at = _string_end(content, start)
            if depth == 1:
                name = content[start : at if at < start + 64 else start + 64].decode(
                    "utf-8", "replace"
                )
        elif byte == 0x3A:  # :
            named = depth == 1
        elif byte == 0x7B or byte == 0x5B:  # { [
            depth += 1
        elif byte == 0x7D or byte == 0x5D:  # } ]
            depth -= 1
        at += 1
    return TEKKEN if seen and seen <= {"config", "vocab", "special_tokens"} else JSON


def _told_by(name: str, first: str, seen: set[str]) -> str:
    """Returns the format that a field tells, by its name, its value's first character, the fields so far."""
    if name == "format" and first == '"':
        return TOKENARIUM
    if name in ("model", "added_tokens") and first in "{[":
        return HUGGINGFACE
    if "config" in seen and "vocab" in seen:
        return TEKKEN
    if first.isdigit() and len(seen) == 1 and name not in ("version", "type"):
        return GPT2
    return JSON if len(seen) >= _SOME_FIELDS else UNKNOWN


def _string_end(content: bytes, at: i64) -> i64:
    """Returns where the quote is that ends a string; the end of the content where there is none."""
    size: i64 = len(content)
    while at < size:
        byte: i64 = content[at]
        if byte == _QUOTE:
            return at
        at += 2 if byte == _BACKSLASH else 1
    return size
