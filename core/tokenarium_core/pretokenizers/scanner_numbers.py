"""The scanner of the pattern ``numbers``: recurring parts of numbers, and contractions with either apostrophe."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanner_runs import contraction_end, with_any, without
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, MARK, NUMBER, SPACE
from tokenarium_core.unicode.utf8 import code_point_at, start_before, width_of

# What an improved pattern should do by G. Grigorev, "Building a BPE tokenizer from scratch" (2025): groups of three digits,
# thousands, decimals, scientific notation and percents as parts of their own, and both apostrophes in any case.
NUMBERS: Final = (
    r"['’](?i:[sdmt]|ll|ve|re)|[eE][+-]?\p{N}{1,3}| ?[\p{L}\p{M}]+|[,_]\p{N}{3}(?!\p{N})|\.\p{N}{1,3}"
    r"| ?\p{N}{1,3}%?| ?[^\s\p{L}\p{M}\p{N}]+|\s+(?!\S)|\s"
)
NUMBERS_RULES: Final = [
    "contraction",
    "exponent",
    "word",
    "thousands",
    "decimals",
    "1 to 3 digits",
    "punctuation",
    "trailing blanks",
    "blanks",
]

WORD: Final = LETTER | MARK
COMMA: Final = 0x2C
UNDERSCORE: Final = 0x5F
PERCENT: Final = 0x25


@final
class NumbersScanner(PreTokenizer):
    """Cuts 1,234.5e-6 into 1 ,234 .5 e-6, and it’s as it's."""

    def __init__(self) -> None:
        super().__init__("numbers", NUMBERS, NUMBERS_RULES, True)

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns a place as `PreTokenizer.divide` does, but not before the sign of an exponent."""
        position = PreTokenizer.divide(self, data, stop)
        while position > 0:
            sign: i64 = data[position]
            if (sign != 0x2B and sign != 0x2D) or data[position - 1] | 0x20 != 0x65:
                return position
            position = PreTokenizer.divide(self, data, position)
        return 0

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            first: i64 = at  # of the byte after the optional space
            lead: i64 = data[at]
            if lead == 0x20 and at + 1 < stop:
                first = at + 1
                lead = data[first]
            kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, first)]
            end: i64 = at
            rule: u8 = 2
            if kind & WORD:
                if first == at and lead | 0x20 == 0x65:
                    end = exponent_end(data, at, stop)
                    rule = 1
                if end == at:
                    end = with_any(data, first, stop, WORD)
                    rule = 2
            elif kind & SPACE:
                end = with_any(data, at, stop, SPACE)
                rule = 7
                if end < stop:
                    last: i64 = start_before(data, end)
                    rule = 8
                    if last > at:
                        end = last
                        rule = 7
                    else:
                        end = at + width_of(data[at])
            elif kind & NUMBER:
                end = some_digits_end(data, first, stop)
                rule = 5
                if end < stop and data[end] == PERCENT:
                    end += 1
            else:
                if first == at:
                    if lead == 0x27:
                        end = contraction_end(data, at, stop, 0x20)
                        rule = 0
                    elif lead == 0xE2 and at + 2 < stop and code_point_at(data, at) == 0x2019:
                        end = contraction_behind(data, at, at + 2, stop)
                        rule = 0
                    elif lead == COMMA or lead == UNDERSCORE:
                        end = thousands_end(data, at, stop)
                        rule = 3
                    elif lead == 0x2E:
                        end = some_digits_end(data, at + 1, stop)
                        rule = 4
                        if end == at + 1:
                            end = at
                if end == at:
                    end = without(data, first, stop, WORD | NUMBER | SPACE)
                    rule = 6
            ends[count] = i32(end)
            rules[count] = rule
            count += 1
            at = end
        return count


def contraction_behind(data: bytes, at: i64, apostrophe: i64, stop: i64) -> i64:
    """Returns the end of a contraction whose apostrophe ends with byte ``apostrophe``; ``at`` if there is none.

    As `contraction_end`, which takes an apostrophe of ASCII.
    """
    if apostrophe + 1 >= stop:
        return at
    short = b"'" + data[apostrophe + 1 : min(apostrophe + 3, stop)] + b"\0\0\0\0\0\0\0\0"
    count = contraction_end(short, 0, min(3, stop - apostrophe), 0x20)
    return apostrophe + count if count > 0 else at


def some_digits_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of ``\\p{N}{1,3}`` at ``at``; ``at`` itself if there is none."""
    flags = FLAGS
    count: i64 = 0
    while count < 3 and at < stop:
        lead: i64 = data[at]
        if flags[lead if lead < 0x80 else code_point_at(data, at)] & NUMBER == 0:
            break
        at += width_of(lead)
        count += 1
    return at


def exponent_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of ``[eE][+-]?\\p{N}{1,3}`` at ``at``, which has the letter; ``at`` itself if there is none."""
    position = at + 1
    if position < stop and (data[position] == 0x2B or data[position] == 0x2D):
        position += 1
    end = some_digits_end(data, position, stop)
    return end if end > position else at


def thousands_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of ``[,_]\\p{N}{3}(?!\\p{N})`` at ``at``, which has the sign; ``at`` itself if there is none."""
    flags = FLAGS
    position = at + 1
    count: i64 = 0
    while position < stop and count < 4:
        lead: i64 = data[position]
        if flags[lead if lead < 0x80 else code_point_at(data, position)] & NUMBER == 0:
            break
        count += 1
        if count < 4:
            position += width_of(lead)
    return position if count == 3 else at
