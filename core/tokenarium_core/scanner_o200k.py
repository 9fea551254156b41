"""The pre-tokens of o200k: words know upper and lower case, and keep their contraction."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.codepoints import FLAGS, LETTER, LOWER, MARK, NEWLINE, NUMBER, SPACE, UPPER
from tokenarium_core.pretokenizer import PreTokenizer
from tokenarium_core.scanner_runs import (
    code_point_at,
    contraction_end,
    last_start,
    newline_end,
    width_of,
    with_any,
    without,
)

PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
RULES = [
    "lower-case word",
    "upper-case word",
    "1 to 3 digits",
    "punctuation",
    "newlines",
    "trailing blanks",
    "blanks",
]


@final
class O200kScanner(PreTokenizer):
    """Cuts as tiktoken's pattern of o200k_base and o200k_harmony does."""

    def __init__(self) -> None:
        super().__init__("o200k", PATTERN, RULES)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`.

        A word is an optional first character, which is no letter, and then upper-case letters
        before lower-case ones; marks and letters without case count as both. The first rule wants
        a lower-case end, so it gives upper-case letters back until it has one ("日本A" leaves "A").
        The second rule gets what is left: upper-case letters alone.
        """
        flags = FLAGS
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            lead: i64 = data[at]
            width: i64 = width_of(lead)
            kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, at)]
            end: i64 = at
            rule: u8 = 0
            if kind & NUMBER:
                rule = 2
                end = at + width
                more: i64 = 2
                while more > 0 and end < stop and flags[code_point_at(data, end)] & NUMBER:
                    end += width_of(data[end])
                    more -= 1
            elif kind & NEWLINE == 0:
                first: i64 = at if kind & LETTER else at + width
                both: i64 = 0  # the end of the last character that is upper and lower, if any
                upper: i64 = first
                found: i64 = 0
                while upper < stop:
                    found = flags[code_point_at(data, upper)]
                    if found & UPPER == 0:
                        break
                    upper += width_of(data[upper])
                    if found & LOWER:
                        both = upper
                if upper < stop and found & LOWER:
                    end = with_any(data, upper, stop, LOWER)
                elif both > 0:
                    end = both
                elif kind & MARK:
                    end = at + width
                elif upper > first:
                    end = upper
                    rule = 1
                if end > at:
                    end = contraction_end(data, end, stop, 0x20)
            if end == at and (kind & SPACE == 0 or lead == 0x20):
                end = without(data, at + width, stop, LETTER | NUMBER | SPACE)
                if end == at + width and kind & SPACE:
                    end = at
                else:
                    rule = 3
                    while end < stop and (
                        data[end] == 0x0A or data[end] == 0x0D or data[end] == 0x2F
                    ):
                        end += 1
            if end == at:
                blanks_end: i64 = with_any(data, at, stop, SPACE)
                end = newline_end(data, at, blanks_end)
                rule = 4
                if end == at:
                    end = blanks_end
                    rule = 5
                    if end < stop:
                        end = last_start(data, end)
                        if end == at:
                            end = blanks_end
                            rule = 6
            ends[count] = i32(end)
            rules[count] = rule
            count += 1
            at = end
        return count
