"""Lists of entries that are recognized but do not say how a text is split: see `foreign`."""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.formats.format import FileHead, whole_lines

_LINES: Final = 3
_BASE64: Final = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
_PIECE: Final = re.compile(rb"[^\t\r\n]+\t-?[0-9.]+(?:e-?[0-9]+)?\r?")
_QUOTED: Final = re.compile(rb"'[^\r\n]+'\r?")
_COUNT: Final = re.compile(rb"([^ \t\r\n]+)[ \t]([0-9]{1,18})\r?")
_RENDERED: Final = re.compile(rb"\[.+\](?: -> \[.+\])? [0-9]{1,9}\r?")
_ENTRIES: Final = 8
_MOST_SPACED: Final = 0.1
"""The share of lines that may have white space in them, such as the entry of a space: a text has it in most lines."""
_LONGEST: Final = 64
_VOCABULARY: Final = re.compile(
    r"(?:.*[._-])?(?:vocab|vocabulary|tokens|dict)(?:[._-].*)?[.](?:txt|json)|.*[.]vocab",
    re.IGNORECASE,
)
_STRINGS: Final = re.compile(rb'\[\s*"(?:[^"\\\n]|\\.)*"\s*[,\]]')


def _is_base64(entry: bytes) -> bool:
    return len(entry) & 3 == 0 and _BASE64.fullmatch(entry) is not None


def _numbered(head: FileHead) -> list[tuple[bytes, int]]:
    """Returns the lines as entries and a number for each; none if they are others, or all entries are base64."""
    lines = whole_lines(head)
    rows: list[tuple[bytes, int]] = []
    plain = False
    for line in lines:
        match = _COUNT.fullmatch(line)
        if match is None:
            return []
        rows.append((match[1], int(match[2])))
        plain = plain or not _is_base64(match[1])
    return rows if plain and len(rows) >= _LINES else []


def is_symbol_table(head: FileHead) -> bool:
    """Entries that differ, and ids that count them, from 0 or 1 on. Ranks of tiktoken with an error are none."""
    rows = _numbered(head)
    if len({entry for entry, _ in rows}) < max(len(rows), 1) or head.ends(".tiktoken"):
        return False
    if sum(_is_base64(entry) for entry, _ in rows) * 2 > len(rows):
        return False
    return all(id == index for index, (_, id) in enumerate(rows, min(rows[0][1], 1)))


def is_counted_list(head: FileHead) -> bool:
    """Entries, and how often each is in a corpus, the most frequent first; the same number for all says nothing."""
    rows = _numbered(head)
    if not rows:
        return False
    counts = [count for _, count in rows]
    falling = sorted(counts, reverse=True) == counts
    named = head.ends("dict.txt") or (head.ends(".txt") and head.name.startswith("dict."))
    told = counts[0] > counts[-1] or (
        len(rows) >= _ENTRIES and len({entry for entry, _ in rows}) == len(rows)
    )
    return named or (falling and told)


def is_quoted_list(head: FileHead) -> bool:
    lines = whole_lines(head)
    quoted = len(lines) >= _LINES and all(_QUOTED.fullmatch(line) for line in lines)
    return quoted and any(line.rstrip(b"\r").endswith(b"_'") for line in lines)


def is_rendered_list(head: FileHead) -> bool:
    lines = whole_lines(head)
    return len(lines) >= _LINES and all(_RENDERED.fullmatch(line) for line in lines)


def is_scored_list(head: FileHead) -> bool:
    lines = whole_lines(head)
    return (
        len(lines) >= _LINES
        and (head.ends(".vocab") or lines[0].startswith(b"<unk>\t"))
        and all(_PIECE.fullmatch(line) for line in lines)
    )


def is_entry_list(head: FileHead) -> bool:
    """Different entries, one a line or as strings of a JSON list, in a file whose name says that it is a vocabulary.

    Not one of BERT, whose reader says what is missing.
    """
    content = head.content
    if _VOCABULARY.fullmatch(head.name) is None or b"\0" in content:
        return False
    if head.ends(".json"):
        return _STRINGS.match(head.start) is not None
    if b"\n##" in content or b"[UNK]" in content:
        return False
    lines = [line.rstrip(b"\r") for line in whole_lines(head)]
    spaced = sum(b" " in line or b"\t" in line for line in lines)
    return (
        len(lines) >= _LINES
        and spaced <= _MOST_SPACED * len(lines)
        and len(set(lines)) > (1 - _MOST_SPACED) * len(lines)
        and sum(len(line) > _LONGEST for line in lines) <= _MOST_SPACED * len(lines)
    )
