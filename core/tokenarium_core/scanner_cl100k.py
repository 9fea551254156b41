"""The pre-tokens of cl100k and of the patterns that were made after it: Llama 3 and Qwen 2."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.codepoints import FLAGS, LETTER, NEWLINE, NUMBER, SPACE
from tokenarium_core.pretokenizer import PreTokenizer
from tokenarium_core.scanner_runs import (
    code_point_at,
    contraction_end,
    last_start,
    letters_end,
    newline_end,
    width_of,
    with_any,
    without,
)

CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


@final
class Cl100kScanner(PreTokenizer):
    """Cuts as the patterns of the cl100k family do.

    They differ in how many digits go together (``digits``) and in blanks that end the text: with
    ``end_first`` (``\\s++$`` before ``\\s*[\\r\\n]``) they stay whole although they hold a newline.
    """

    def __init__(self, name: str, pattern: str, digits: int, end_first: bool) -> None:
        rules = ["contraction", "word", "1 to 3 digits" if digits == 3 else "digit", "punctuation"]
        if end_first:
            rules.append("trailing blanks")
        super().__init__(name, pattern, [*rules, "newlines", "trailing blanks", "blanks"])
        self.digits: i64 = digits
        self.end_first = end_first

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        digits = self.digits
        end_first = self.end_first
        newlines: u8 = 5 if end_first else 4  # the number of the rule \s*[\r\n]
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            lead: i64 = data[at]
            kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, at)]
            end: i64 = at
            rule: u8 = 1
            if kind & LETTER:
                end = letters_end(data, at, stop)
            elif kind & NUMBER:
                rule = 2
                end = at + width_of(lead)
                more: i64 = digits - 1
                while more > 0 and end < stop and flags[code_point_at(data, end)] & NUMBER:
                    end += width_of(data[end])
                    more -= 1
            else:
                if lead == 0x27:
                    end = contraction_end(data, at, stop, 0x20)
                    rule = 0
                next: i64 = at + width_of(lead)
                if end == at and kind & NEWLINE == 0:
                    end = letters_end(data, next, stop)
                    rule = 1
                    if end == next:
                        end = at
                if end == at:
                    if kind & SPACE == 0:
                        end = without(data, next, stop, LETTER | NUMBER | SPACE)
                    elif lead == 0x20:
                        end = without(data, next, stop, LETTER | NUMBER | SPACE)
                        if end == next:
                            end = at
                    rule = 3
                    if end > at:
                        while end < stop and (data[end] == 0x0A or data[end] == 0x0D):
                            end += 1
                if end == at:
                    end = with_any(data, at, stop, SPACE)
                    if end == stop and end_first:
                        rule = 4
                    else:
                        newline: i64 = newline_end(data, at, end)
                        if newline > at:
                            end = newline
                            rule = newlines
                        elif end == stop:
                            rule = newlines + 1
                        else:
                            rule = newlines + 1
                            last: i64 = last_start(data, end)
                            if last > at:
                                end = last
                            else:
                                rule = newlines + 2
            ends[count] = i32(end)
            rules[count] = rule
            count += 1
            at = end
        return count
