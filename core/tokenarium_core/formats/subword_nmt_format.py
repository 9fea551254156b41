"""The codes of subword-nmt and of fastBPE: merges, one a line, in which ``</w>`` ends a word.

```
#version: 0.2               in those of subword-nmt; the lines of fastBPE have a count as well: "t h 8342"
t h
th e</w>
```

In codes of version 0.1, ``</w>`` is a symbol of its own, ``e </w>``: see `word_ends`. They have that version in their first
line, or no such line.

A text is cut at spaces and at the ends of lines, which are not kept. Neither library has ids: each writes the parts of a
word, with ``@@`` behind all but the last one. So the ids are of our own: 0 is a character that the codes do not know, then
come the characters of the codes, inside a word and at its end, then what the merges make. A vocabulary beside the codes is
opened as a file of its own, and then has ids; see `codes_vocabulary`.

Codes of version 0.2 are opened as the ``tokenizer.json`` that does the same, which they can be saved as. Sources: ``BPE`` and
``encode`` in subword-nmt's ``apply_bpe.py``; ``process_bpe`` and ``readCodes`` in fastBPE's ``fastBPE.hpp``.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.codes_vocabulary import (
    SPECIAL,
    codes_beside,
    is_vocabulary,
    limited_tokenizer,
    read_vocabulary,
)
from tokenarium_core.formats.foreign import content_of
from tokenarium_core.formats.format import (
    CERTAIN,
    HEAD_BYTES,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    TokenizerFile,
    whole_lines,
)
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.hf.hf_named import BETWEEN_WORDS
from tokenarium_core.formats.parts import DECODER
from tokenarium_core.formats.plain_lines import lines_of
from tokenarium_core.formats.word_ends import EndedSymbols, WordEnds
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.merge_table import merges_of_list
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

UNKNOWN: Final = "<unk>"
_END: Final = "</w>"
_VERSION: Final = "#version:"
_OLD: Final = b"#version: 0.1"
_CODE: Final = re.compile(rb"[^ \r]+ [^ \r]+(?: [0-9]{1,18})? *\r?")
_COUNTED: Final = re.compile(rb"[^ \r]+ [^ \r]+ [0-9]{1,18} *\r?")
_LEAST: Final = 8
_ENDS: Final = 4  # one of so many lines has the end of a word, at least
_MOST_BYTES: Final = 1 << 28  # of all entries together
_CODES: Final = "codes"
"""The part of `Tokenizer.stored` that keeps the file of version 0.1."""
# Characters for private use, two of which stand for the end of a word and for what a text has instead.
_FIRST_FREE: Final = 0xF0000
_LAST_FREE: Final = 0xFFFFE

Merges = dict[tuple[str, str], None]


def read_codes(content: bytes, source: str, name: str) -> Tokenizer:
    """Returns the tokenizer of codes; ``source`` names the file in errors, which are those of `_read_merges`."""
    merges, library, apart = _read_merges(content, source)
    entries = _entries(merges, apart, source)
    tokenizer = read_huggingface(json.dumps(_file({} if apart else merges, entries)).encode(), name)
    if apart:
        tokenizer = _with_ends(tokenizer, merges, entries)
        tokenizer.stored = {_CODES: content}
    tokenizer.details = _details(library, merges, apart)
    return tokenizer


def _read_merges(content: bytes, source: str) -> tuple[Merges, str, bool]:
    """Returns the merges of codes, the library that they are of, and whether the ends of words are apart.

    Raises FormatError, with the line, for a line that is not two parts of words, and a count in all lines or in none,
    for ``</w>`` where the version has none, and for more entries than fit.
    """
    lines = list(lines_of(content, source))
    version = ""
    if lines and lines[0][1].startswith(_VERSION):
        version = lines[0][1].removeprefix(_VERSION).strip()
        match = re.fullmatch(r"(0\.[12])(\.0)*", version)
        if match is None:
            raise FormatError(
                f"{source} has codes of version {version[:40]!r}: those of 0.1 and 0.2 are read."
            )
        version = match[1]
        lines = lines[1:]
    while lines and not lines[-1][1].strip("\r "):
        lines.pop()
    if not lines:
        raise FormatError(f"{source} has no codes.")
    counted = len(lines[0][1].strip("\r ").split(" ")) == 3
    apart = version == "0.1"
    if not version and not counted:  # subword-nmt reads them as 0.1; others leave out the line
        apart = any(line.strip("\r ").endswith(" " + _END) for _, line in lines)
    merges: dict[tuple[str, str], None] = {}
    size = 0
    for number, line in lines:
        parts = line.strip("\r ").split(" ")
        if len(parts) != 2 + counted or not all(parts) or (counted and not parts[2].isdecimal()):
            what = "two parts of words and a count" if counted else "two parts of words"
            raise FormatError(f"Line {number} of {source} is not {what}.")
        left, right = parts[0], parts[1]
        if _END in left or _END in right[:-4] or (right == _END and not apart):
            known = "0.1" if apart else "0.2"
            raise FormatError(
                f"Line {number} of {source} has {_END} elsewhere than at the end of a word, or alone as only codes of"
                f" version 0.1 have it; these are read as {known}."
            )
        merges.setdefault((left, right))
        size += len(left) + len(right)
        if size > _MOST_BYTES:
            raise FormatError(f"{source} is too large for codes, at line {number}.")
    return merges, "fastBPE" if counted else "subword-nmt", apart


def _entries(merges: Merges, apart: bool, source: str) -> dict[str, int]:
    """Returns the entries with their ids; those of codes 0.1 have each symbol in both forms, and the end last."""
    symbols = {part.removesuffix(_END) for pair in merges for part in pair}
    characters = sorted({character for symbol in symbols for character in symbol})
    entries: dict[str, int] = {UNKNOWN: 0}
    for end in ("", _END):
        for character in characters:
            entries.setdefault(character + end, len(entries))
    for left, right in merges:
        for entry in (left, right, left + right):
            if entry == _END:
                continue
            entries.setdefault(entry, len(entries))
            if apart and not entry.endswith(_END):
                entries.setdefault(entry + _END, len(entries))
    if apart:
        entries[_END] = len(entries)
    if len(entries) >= MAX_IDS:
        raise FormatError(f"{source} makes more entries than the {MAX_IDS:,} that fit.")
    return entries


def _file(merges: Merges, entries: dict[str, int], unknown: str = UNKNOWN) -> dict[str, Any]:
    """Returns the `tokenizer.json` that does what codes 0.2 say."""
    return {
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
            "unk_token": unknown,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": _END,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": entries,
            "merges": [[left, right] for left, right in merges],
        },
    }


def _with_ends(made: Tokenizer, merges: Merges, entries: dict[str, int]) -> Tokenizer:
    """Returns the tokenizer of codes 0.1 with the stages around the model of another one."""
    characters = {entry: id for entry, id in entries.items() if len(entry) == 1}
    free = (chr(code) for code in range(_FIRST_FREE, _LAST_FREE) if chr(code) not in characters)
    end, instead = next(free), next(free)
    characters[end] = entries[_END]
    final_ids = [
        id if entry == UNKNOWN else entries.get(entry + _END, id) for entry, id in entries.items()
    ]
    finals = vec[i32]([i32(id) for id in final_ids])
    lefts = vec[i32]([i32(entries[left]) for left, _ in merges])
    rights = vec[i32]([i32(entries[right]) for _, right in merges])
    results = vec[i32]([i32(entries[left + right]) for left, right in merges])
    source = EndedSymbols(made.vocabulary, characters, 0, entries[_END], finals)
    model = CharacterBpe(made.vocabulary, merges_of_list(lefts, rights, results), source, None)
    return Tokenizer(
        made.name,
        model,
        made.pre_tokenizer,
        made.added_tokens,
        WordEnds(end, instead),
        splitter=made.splitter,
        decoder=made.decoder,
    )


def _early(merges: Merges) -> str:
    """Returns a merge that comes before all those which make one of its parts, as none that is learned does; else nothing."""
    made: dict[str, int] = {}
    for rank, (left, right) in enumerate(merges):
        made.setdefault(left + right, rank)
    for rank, (left, right) in enumerate(merges):
        if made.get(left, -1) > rank or made.get(right, -1) > rank:
            return f"{left} {right}"
    return ""


def _details(library: str, merges: Merges, apart: bool) -> list[Detail]:
    rows = [
        Detail(library, "ids", f"of our own: {library} has none"),
        Detail(
            library, "unknown characters", f"{UNKNOWN}, where {library} writes them as they are"
        ),
        Detail(
            library,
            "parts of words",
            f"end with {_END} at the end of a word, the others would have @@",
        ),
        Detail(
            library,
            "not in the file",
            "glossaries and a vocabulary, which its command may get beside it; open the vocabulary to have both",
        ),
    ]
    rows += _not_exact(library, merges)
    if apart:
        rows.append(Detail(library, "version", f"0.1, in which {_END} is a symbol of its own"))
    return rows


def _not_exact(library: str, merges: Merges) -> list[Detail]:
    early = _early(merges)
    if early:
        value = (
            f"the merge {early!r:.60} comes before those that make its parts, as in no codes that were learned: {library}"
            " first merges a pair wherever it occurs, which may give other parts of words"
        )
        return [Detail(library, "not exact", value)]
    return []


def _obstacle(tokenizer: Tokenizer) -> str:
    if _CODES not in tokenizer.stored:
        return "Only codes of version 0.1 that were read are written again."
    return "" if not tokenizer.added_tokens.tokens else "The file has no special tokens."


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    return {f"{stem}.codes": tokenizer.stored[_CODES]}


def _recognized(head: FileHead) -> int:
    """Pairs of parts of words, many of which end a word, or a vocabulary of these. GPT-2's merges have no such ends, or
    another file beside.
    """
    if is_vocabulary(head):
        return CERTAIN
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
    if ends == 0 and not head.content.startswith(_OLD):  # as GPT-2's merges, which are of 0.2
        return NO
    return CERTAIN if versioned or ends * _ENDS >= len(lines) else LIKELY


def _opened(file: TokenizerFile) -> Tokenizer:
    if is_vocabulary(FileHead(file.content[:HEAD_BYTES], file.path.name)):
        return _with_vocabulary(file)
    return read_codes(file.content, file.path.name, file.name)


def _with_vocabulary(file: TokenizerFile) -> Tokenizer:
    """Returns the tokenizer of a vocabulary and the codes beside it; FormatError as `read_codes`, and for codes 0.1."""
    codes = codes_beside(file.path)
    merges, library, apart = _read_merges(content_of(codes), codes.name)
    if apart:
        raise FormatError(
            f"{codes.name} beside {file.path.name} has codes of version 0.1, which are read only without a vocabulary."
        )
    entries = read_vocabulary(file.content, file.path.name)
    symbols = _entries(merges, False, codes.name)
    symbols = {BETWEEN_WORDS if symbol == UNKNOWN else symbol: id for symbol, id in symbols.items()}
    cutter = _file(merges, symbols, BETWEEN_WORDS)
    tokenizer = limited_tokenizer(cutter, entries, file.name, codes.name)
    file.files = [file.path, codes]
    rows = [
        Detail(
            library,
            "ids",
            f"those of XLM: the lines of {file.path.name}, after {len(SPECIAL)} entries",
        ),
        Detail(library, "cut by", f"{codes.name}; what the vocabulary lacks is split again"),
        Detail(
            library, "unknown characters", f"{UNKNOWN}, where {library} writes them as they are"
        ),
        Detail(
            library,
            "not in the files",
            "glossaries; a threshold of counts, below which lines are ignored; </s>, which XLM puts at both ends",
        ),
    ]
    tokenizer.details = [*rows, *_not_exact(library, merges)]
    return tokenizer


FORMAT: Final[Format] = Format(
    "subword-nmt",
    "codes of subword-nmt and fastBPE",
    "BPE codes",
    (".codes", ".txt"),
    _recognized,
    _opened,
    signs="Each of the first lines is two parts of words, perhaps with a count, and many of the second ones end with `</w>`; or in a"
    " file with `vocab` in its name, beside codes, each is a part of a word and a count, and some parts end with `@@`.",
    algorithms="BPE by merges, with ends of words",
    compared="subword-nmt 0.3.8; fastBPE has the same rule; the ids of a vocabulary are by XLM's",
    patterns=("*codes*", "vocab*"),
    writes="Codes of version 0.1 that were read.",
    obstacle=_obstacle,
    write=_written,
    holds=frozenset([DECODER]),
)
