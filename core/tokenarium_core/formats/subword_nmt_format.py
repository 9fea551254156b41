"""The codes of subword-nmt and of fastBPE: merges, one a line, in which ``</w>`` ends a word.

```
#version: 0.2               in those of subword-nmt; the lines of fastBPE have a count as well: "t h 8342"
t h
th e</w>
```

A text is cut at spaces and at the ends of lines, which are not kept. Neither library has ids: each writes the parts of a
word, with ``@@`` behind all but the last one. So the ids are of our own: 0 is a character that the codes do not know, then
come the characters of the codes, inside a word and at its end, then what the merges make.

It is opened as the ``tokenizer.json`` that does the same, which it can be saved as. Sources: ``BPE`` and ``encode`` in
subword-nmt's ``apply_bpe.py``; ``process_bpe`` and ``readCodes`` in fastBPE's ``fastBPE.hpp``.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import (
    CERTAIN,
    LIKELY,
    NO,
    FileHead,
    Format,
    TokenizerFile,
    whole_lines,
)
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.plain_lines import lines_of
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

UNKNOWN: Final = "<unk>"
_END: Final = "</w>"
_VERSION: Final = "#version:"
_CODE: Final = re.compile(rb"[^ \r]+ [^ \r]+(?: [0-9]{1,18})? *\r?")
_COUNTED: Final = re.compile(rb"[^ \r]+ [^ \r]+ [0-9]{1,18} *\r?")
_LEAST: Final = 8
_ENDS: Final = 4  # one of so many lines has the end of a word, at least
_MOST_BYTES: Final = 1 << 28  # of all entries together


def read_codes(content: bytes, source: str, name: str) -> Tokenizer:
    """Returns the tokenizer of codes; ``source`` names the file in errors.

    Raises FormatError, with the line, for a line that is not two parts of words, and a count in all lines or in none,
    for codes of version 0.1, which end words otherwise, and for more entries than fit.
    """
    lines = list(lines_of(content, source))
    if lines and lines[0][1].startswith(_VERSION):
        version = lines[0][1].removeprefix(_VERSION).strip()
        if re.fullmatch(r"0\.2(\.0)*", version) is None:
            raise FormatError(
                f"{source} has codes of version {version[:40]!r}: only those of 0.2 are read, in which </w> is part of the last"
                " character of a word. Learn them again with a newer subword-nmt."
            )
        lines = lines[1:]
    while lines and not lines[-1][1].strip("\r "):
        lines.pop()
    if not lines:
        raise FormatError(f"{source} has no codes.")
    counted = len(lines[0][1].strip("\r ").split(" ")) == 3
    merges: dict[tuple[str, str], None] = {}
    size = 0
    for number, line in lines:
        parts = line.strip("\r ").split(" ")
        if len(parts) != 2 + counted or not all(parts) or (counted and not parts[2].isdecimal()):
            what = "two parts of words and a count" if counted else "two parts of words"
            raise FormatError(f"Line {number} of {source} is not {what}.")
        left, right = parts[0], parts[1]
        if _END in left or _END in right[:-4] or right == _END:
            raise FormatError(
                f"Line {number} of {source} has {_END} elsewhere than at the end of a word, as codes of version 0.1"
                " do. Learn them again with a newer subword-nmt."
            )
        merges.setdefault((left, right))
        size += len(left) + len(right)
        if size > _MOST_BYTES:
            raise FormatError(f"{source} is too large for codes, at line {number}.")
    return _tokenizer(list(merges), counted, source, name)


def _tokenizer(merges: list[tuple[str, str]], counted: bool, source: str, name: str) -> Tokenizer:
    characters = sorted(
        {character for pair in merges for part in pair for character in part.removesuffix(_END)}
    )
    entries: dict[str, int] = {UNKNOWN: 0}
    for character in characters:
        entries.setdefault(character, len(entries))
    for character in characters:
        entries.setdefault(character + _END, len(entries))
    for left, right in merges:
        for entry in (left, right, left + right):
            entries.setdefault(entry, len(entries))
    if len(entries) >= MAX_IDS:
        raise FormatError(f"{source} makes more entries than the {MAX_IDS:,} that fit.")
    file: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": r"[ \r\n]+"},
            "behavior": "Removed",
            "invert": False,
        },
        "post_processor": None,
        "decoder": {"type": "BPEDecoder", "suffix": _END},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": _END,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": entries,
            "merges": [[left, right] for left, right in merges],
        },
    }
    tokenizer = read_huggingface(json.dumps(file).encode(), name)
    library = "fastBPE" if counted else "subword-nmt"
    tokenizer.details = [
        Detail(library, "ids", f"of our own: {library} has none"),
        Detail(
            library, "unknown characters", f"{UNKNOWN}, where {library} writes them as they are"
        ),
        Detail(
            library,
            "parts of words",
            f"end with {_END} at the end of a word, the others would have @@",
        ),
    ]
    return tokenizer


def _recognized(head: FileHead) -> int:
    """Pairs of parts of words, many of which end a word. GPT-2's merges have no such ends, or another file beside."""
    if head.is_object or head.name.endswith(("merges.txt", ".bpe")):
        return NO
    lines = whole_lines(head)
    versioned = bool(lines) and lines[0].startswith(_VERSION.encode())
    if versioned:
        lines = lines[1:]
    if len(lines) < _LEAST or not all(_CODE.fullmatch(line) for line in lines):
        return NO
    counts = [_COUNTED.fullmatch(line) is not None for line in lines]
    if any(counts) and not all(counts):
        return NO
    ends = sum(line.split(b" ")[1].rstrip(b"\r").endswith(b"</w>") for line in lines)
    if ends == 0:
        return NO
    return CERTAIN if versioned or ends * _ENDS >= len(lines) else LIKELY


def _opened(file: TokenizerFile) -> Tokenizer:
    return read_codes(file.content, file.path.name, file.name)


FORMAT: Final[Format] = Format(
    "subword-nmt",
    "codes of subword-nmt and fastBPE",
    "BPE codes",
    (".codes", ".txt"),
    _recognized,
    _opened,
    signs="Each of the first lines is two parts of words, perhaps with a count, and many of the second ones end with `</w>`.",
    algorithms="BPE by merges, with ends of words",
    compared="subword-nmt 0.3.8; fastBPE has the same rule",
    patterns=("*codes*",),
)
