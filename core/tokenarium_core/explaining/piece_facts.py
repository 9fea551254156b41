"""Facts from the bytes of all entries of a vocabulary, in packed columns: characters, scripts, splits, superwords."""

from __future__ import annotations

import re
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.columns import check_rows
from tokenarium_core.explaining.vocabulary_entries import is_superword
from tokenarium_core.unicode.codepoints import SCRIPT_TABLE, SCRIPTS
from tokenarium_core.unicode.utf8 import character_at
from tokenarium_core.vocabulary import BYTE, CONTROL, SPACE_MARK, UNKNOWN, UNUSED, Vocabulary

MIXED: Final = len(SCRIPTS)
COMMON: Final = len(SCRIPTS) + 1
BYTES: Final = len(SCRIPTS) + 2
SPECIAL: Final = len(SCRIPTS) + 3
RESERVED: Final = len(SCRIPTS) + 4
"""Classes of entries that do not belong to a single script, numbered after the scripts: of several scripts, of
characters common to many, of incomplete characters (also single bytes that are not entries), without text, or
reserved."""

_NUMBERED: Final = re.compile(
    rb"[<\[>]{1,2}\|?[a-z_]*(unused|reserved|extra|dummy|placeholder|special|control)[a-z_]*[ _-]?[0-9]+\|?[>\]<]{1,2}"
    rb"|madeupword[0-9]+",
    re.IGNORECASE,
)
_MARKER: Final = re.compile(
    rb"<\|[^<>|\s]+\|>|[<\[](/?s|pad|unk|cls|sep|mask|bos|eos|eod|eot|(start|end)_of_(turn|text|image))[>\]]",
    re.IGNORECASE,
)
_BYTE: Final = re.compile(rb"<0x[0-9A-F]{2}>")

SPLITS: Final = 1
SUPERWORD: Final = 2
LEADING_SPACE: Final = 4
"""Flags: the bytes are not whole characters; the piece is a superword; it begins with a space."""

_COMMON: Final = SCRIPTS.index("Zyyy")
_INHERITED: Final = SCRIPTS.index("Zinh")


def written_class(piece: bytes) -> int:
    """Returns `RESERVED`, `SPECIAL` or `BYTES` for an entry whose name indicates it, whatever its kind; else -1.

    Reserved are ``<unused12>``, ``[unused12]``, ``<|reserved_special_token_5|>``, ``<extra_id_0>``,
    ``madeupword0000`` and the like; special are markers such as ``<pad>`` and ``<|im_end|>``; bytes are those of byte
    fallback, such as ``<0x0A>``.
    """
    if _NUMBERED.fullmatch(piece) is not None:
        return RESERVED
    if _MARKER.fullmatch(piece) is not None:
        return SPECIAL
    return BYTES if _BYTE.fullmatch(piece) is not None else -1


@final
class PieceFacts:
    """Columns by id.

    ``characters`` counts whole characters, ``scripts`` is an index into `codepoints.SCRIPTS` or one of the classes of
    this module, ``flags`` are the flags of this module. For an entry of class `MIXED`, each script occurs once
    in ``mixed_scripts``, with its id at the same index of ``mixed_ids``.
    """

    def __init__(self, count: i64) -> None:
        check_rows(count)
        self.characters = vec[i32]([0] * count)
        self.scripts = vec[u8]([0] * count)
        self.flags = vec[u8]([0] * count)
        self.mixed_ids = vec[i32]()
        self.mixed_scripts = vec[i32]()


def piece_facts(vocabulary: Vocabulary) -> PieceFacts:
    """Returns the facts of all entries; about 10 ms for 262,144 of them.

    An entry belongs to the script of its characters; characters common to several scripts, or that inherit the
    script of the previous character, do not count next to others (Script in Unicode's UAX #24). The result
    of `written_class` for its name takes precedence.
    """
    facts = PieceFacts(vocabulary.count)
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    kinds = vocabulary.kinds
    fallback = vocabulary.spelling == SPACE_MARK  # bytes are then next to the characters
    table = SCRIPT_TABLE
    characters = facts.characters
    scripts = facts.scripts
    flags = facts.flags
    seen = vec[i32]([-1] * 256)  # the last entry that a script was found in
    mixed_ids = facts.mixed_ids
    mixed_scripts = facts.mixed_scripts
    for token in range(vocabulary.count):
        start: i64 = i64(offsets[token])
        stop: i64 = i64(offsets[token + 1])
        at = start
        count: i64 = 0
        first: i64 = -1
        several = False
        whole = True
        while at < stop:
            byte: i64 = arena[at]
            size = character_at(arena, at, stop)
            if size == 0:
                whole = False
                at += 1
                continue
            count += 1
            code = byte
            if size > 1:
                code = byte & (0x7F >> size)
                for index in range(at + 1, at + size):
                    further: i64 = arena[index]
                    code = code << 6 | further & 0x3F
            script: i64 = table[code]
            at += size
            if script == _COMMON or script == _INHERITED or i64(seen[script]) == token:
                continue
            seen[script] = i32(token)
            if first < 0:
                first = script
                continue
            if not several:
                several = True
                mixed_ids = append(mixed_ids, i32(token))
                mixed_scripts = append(mixed_scripts, i32(first))
            mixed_ids = append(mixed_ids, i32(token))
            mixed_scripts = append(mixed_scripts, i32(script))
        kind: i64 = i64(kinds[token])
        found: i64 = MIXED if several else COMMON if first < 0 else first
        if not whole or (fallback and kind == BYTE):
            found = BYTES
        if kind == CONTROL or kind == UNKNOWN or start == stop:
            found = SPECIAL
        elif kind == UNUSED:
            found = RESERVED
        if start < stop and kind != BYTE:
            opening: i64 = arena[start]
            # "<", "[", ">" and "m": most entries begin otherwise, and are not looked at further.
            if opening == 0x3C or opening == 0x5B or opening == 0x3E or opening | 0x20 == 0x6D:
                named: i64 = written_class(arena[start:stop])
                if named >= 0:
                    found = named
        marks: i64 = 0 if whole else SPLITS
        if is_superword(vocabulary, token):
            marks |= SUPERWORD
        if start < stop:
            lead: i64 = arena[start]
            if lead == 0x20:
                marks |= LEADING_SPACE
        characters[token] = i32(count)
        scripts[token] = u8(found)
        flags[token] = u8(marks)
    facts.mixed_ids = mixed_ids
    facts.mixed_scripts = mixed_scripts
    return facts
