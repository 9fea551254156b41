"""The pre-tokens of GPT-2, r50k and p50k."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanner_runs import (
    contraction_end,
    letters_end,
    with_any,
    without,
)
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, NUMBER, SPACE
from tokenarium_core.unicode.utf8 import code_point_at

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
RULES = [
    "contraction",
    "word",
    "digits",
    "punctuation",
    "trailing blanks",
    "trailing blanks",
    "blanks",
]


def last_start(data: bytes, at: i64) -> i64:
    """Returns where the character begins that ends before byte ``at``."""
    at -= 1
    while data[at] & 0xC0 == 0x80:
        at -= 1
    return at


@final
class Gpt2Scanner(PreTokenizer):
    """Cuts as tiktoken's pattern of r50k does, and with the same cuts GPT-2's own."""

    def __init__(self) -> None:
        super().__init__("gpt2", PATTERN, RULES, True)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            first: i64 = at  # of what follows the optional blank
            lead: i64 = data[at]
            if lead == 0x20 and at + 1 < stop:
                first = at + 1
                lead = data[first]
            kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, first)]
            end: i64 = at
            rule: u8 = 1
            if kind & LETTER:
                end = letters_end(data, first, stop)
            elif kind & SPACE:
                end = with_any(data, at, stop, SPACE)
                rule = 4
                if end < stop:
                    last: i64 = last_start(data, end)
                    rule = 6
                    if last > at:
                        end = last
                        rule = 5
            elif kind & NUMBER:
                end = with_any(data, first, stop, NUMBER)
                rule = 2
            else:
                if lead == 0x27 and first == at:
                    end = contraction_end(data, at, stop, 0)
                    rule = 0
                if end == at:
                    end = without(data, first, stop, LETTER | NUMBER | SPACE)
                    rule = 3
            ends[count] = i32(end)
            rules[count] = rule
            count += 1
            at = end
        return count
