"""The pre-tokens of cl100k and of the patterns derived from it: Llama 3 and Qwen 2."""

from __future__ import annotations

from typing import final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanner_blocks import (
    BEHIND,
    BLOCK,
    MAY_BEGIN,
    block_cuts,
    rule_table,
    write_cuts,
)
from tokenarium_core.pretokenizers.scanner_runs import (
    EACH_20,
    PLACES,
    TO_BRACE,
    TO_LETTER,
    WORD_STARTS,
    blanks_end,
    contraction_end,
    letters_end,
    without,
)
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, NEWLINE, NUMBER, SPACE
from tokenarium_core.unicode.utf8 import EACH_01, code_point_at, width_of

CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


@final
class Cl100kScanner(PreTokenizer):
    """Cuts like the patterns of the cl100k family.

    They differ in how many digits stay together (``digits``) and in whitespace at the end of the text: with
    ``end_first`` (``\\s++$`` before ``\\s*[\\r\\n]``) it stays whole although it contains a newline.
    """

    def __init__(self, name: str, pattern: str, digits: int, end_first: bool) -> None:
        rules = ["contraction", "word", "1 to 3 digits" if digits == 3 else "digit", "punctuation"]
        if end_first:
            rules.append("trailing blanks")
        super().__init__(name, pattern, [*rules, "newlines", "trailing blanks", "blanks"], True)
        self.names_on_demand = True
        self.digits: i64 = digits
        self.end_first = end_first
        self.block_rules = rule_table(5 if end_first else 4, 1, 1)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        starts = WORD_STARTS
        digits = self.digits
        end_first = self.end_first
        newlines: i64 = 5 if end_first else 4  # the number of the rule \s*[\r\n]
        named = len(rules) > 0
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        block_rules = self.block_rules
        may_begin = MAY_BEGIN
        block: i64 = start - BLOCK
        cuts: i64 = 0
        hard: i64 = 0
        turned: i64 = 0
        while at < stop and count < room:
            # Most of a text can be cut by `scanner_blocks`, 56 bytes at once.
            here = BEHIND >> max(BLOCK - (at - block), 0)
            cuts &= -2 * here
            hard &= -here
            sure = cuts & ((hard & -hard) - 1)
            if (
                sure == 0
                and hard & (BEHIND - 1) == 0
                and at + BLOCK <= stop
                and may_begin[data[at]] & may_begin[data[at + 1]]
            ):
                block = at
                cuts, hard, turned = block_cuts(data, at, digits, False)
                sure = cuts & ((hard & -hard) - 1) & -2
            if sure:
                count = write_cuts(data, block, sure, turned, block_rules, ends, rules, count)
                at = i64(ends[count - 1])
                continue
            # The most common case first: a word of ASCII letters, with or without a sign before it.
            eight: i64 = read_i64_le(data, at)
            folded = eight | EACH_20
            others = ((~(folded + TO_LETTER) | (folded + TO_BRACE) | eight) >> 7) & EACH_01
            behind = others & -256  # the first byte may be the sign
            end_mark = behind & -behind
            end: i64 = at + (((end_mark * PLACES) >> 56) & 7)
            lead = eight & 0xFF
            step: i64 = starts[lead]
            if step < 2 and (end_mark != 0x100 or step == 0):
                if end_mark == 0 or (eight >> 7) & end_mark or end > stop:
                    end = letters_end(data, at + step, stop)
                if end > at + step:
                    ends[count] = i32(end)
                    if named:
                        rules[count] = 1
                    count += 1
                    at = end
                    continue
            end = at
            rule: u8 = 1
            kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, at)]
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
                second: i64 = at + width_of(lead)
                if lead == 0x27:
                    end = contraction_end(data, at, stop, 0x20)
                    rule = 0
                # A space or sign before an ASCII character was handled above: no word.
                if end == at and kind & NEWLINE == 0 and (step > 1 or data[second] >= 0x80):
                    end = letters_end(data, second, stop)
                    rule = 1
                    if end == second:
                        end = at
                if end == at and (kind & SPACE == 0 or lead == 0x20):
                    end = without(data, second, stop, LETTER | NUMBER | SPACE)
                    if end == second and kind & SPACE:
                        end = at
                    else:
                        rule = 3
                        while end < stop and (data[end] == 0x0A or data[end] == 0x0D):
                            end += 1
                if end == at:
                    end, which = blanks_end(data, at, stop, end_first)
                    rule = u8(newlines + which)
            ends[count] = i32(end)
            if named:
                rules[count] = rule
            count += 1
            at = end
        return count
