"""The pre-tokens of o200k: words distinguish upper and lower case, and keep their contraction.

Those of Mistral's Tekken are the same, except that they have no contractions, and digits are separate.
"""

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
    smalls_end,
    without,
)
from tokenarium_core.unicode.codepoints import (
    FLAGS,
    LETTER,
    LOWER,
    MARK,
    NEWLINE,
    NUMBER,
    SPACE,
    UPPER,
)
from tokenarium_core.unicode.utf8 import EACH_01, code_point_at, width_of

O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_RULES = [
    "lower-case word",
    "upper-case word",
    "",  # digits
    "punctuation",
    "newlines",
    "trailing blanks",
    "blanks",
]


def word_end(data: bytes, at: i64, first: i64, stop: i64) -> tuple[i64, i64]:
    """Returns the end of the word at ``at`` and the number of its rule; ``at`` if there is none.

    A word is an optional character that is no letter, up to ``first``, and then upper-case letters
    before lower-case ones; marks and letters without case count as both. The first rule wants a
    lower-case end, so it gives upper-case letters back until it has one ("日本A" leaves "A"), and even
    a mark before them ("\u0301A" leaves "A"). The second gets the rest: only upper-case letters.
    """
    flags = FLAGS
    both: i64 = at  # the end of the last character that counts as both
    end: i64 = first
    found: i64 = 0
    while end < stop:
        eight: i64 = read_i64_le(data, end)
        width: i64 = 3
        if eight & 0xF0 == 0xE0:
            found = flags[((eight & 15) << 12) | ((eight >> 2) & 0xFC0) | ((eight >> 16) & 63)]
        else:
            found = flags[code_point_at(data, end)]
            width = width_of(eight & 0xFF)
        if found & UPPER == 0:
            break
        end += width
        if found & LOWER:
            both = end
    rule: i64 = 0
    if end < stop and found & LOWER:
        end = smalls_end(data, end, stop)
    elif both > at:
        end = both
    elif first > at and flags[code_point_at(data, at)] & MARK:
        end = first
    elif end > first:
        rule = 1
    else:
        return at, 0
    return end, rule


@final
class O200kScanner(PreTokenizer):
    """Cuts like tiktoken's pattern of o200k_base and o200k_harmony, or like Tekken's.

    ``digits`` is the most digits that stay together; ``contractions`` says whether a word keeps its own.
    """

    def __init__(self, name: str, pattern: str, digits: i64, contractions: bool) -> None:
        rules = list(_RULES)
        rules[2] = "digit" if digits == 1 else f"1 to {digits} digits"
        super().__init__(name, pattern, rules, True)
        self.names_on_demand = True
        self.digits: i64 = digits
        self.contractions = contractions
        self.block_rules = rule_table(4, 0, 1)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        starts = WORD_STARTS
        digits = self.digits
        contractions = self.contractions
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
                cuts, hard, turned = block_cuts(data, at, digits, True)
                sure = cuts & ((hard & -hard) - 1) & -2
            if sure:
                count = write_cuts(data, block, sure, turned, block_rules, ends, rules, count)
                at = i64(ends[count - 1])
                continue
            lead: i64 = data[at]
            step: i64 = starts[lead]
            end: i64 = at
            rule: u8 = 0
            may_be_word = True
            if step < 2:  # the most common case: a word of up to seven ASCII letters
                eight: i64 = read_i64_le(data, at + step)
                folded = eight | EACH_20
                others = ((~(folded + TO_LETTER) | (folded + TO_BRACE) | eight) >> 7) & EACH_01
                end_mark = others & -others
                end = at + step + (((end_mark * PLACES) >> 56) & 7)
                if end_mark > 1 and (eight >> 7) & end_mark == 0 and end <= stop:
                    smalls = (eight >> 5) & (end_mark - 1) & EACH_01
                    # Capitals after the first small letter begin another word.
                    capitals = (smalls ^ EACH_01) & (end_mark - 1) & -(smalls & -smalls)
                    if smalls == 0:
                        rule = 1
                    elif capitals:
                        end = at + step + ((((capitals & -capitals) * PLACES) >> 56) & 7)
                    if contractions and data[end] == 0x27:
                        end = contraction_end(data, end, stop, 0x20)
                    ends[count] = i32(end)
                    if named:
                        rules[count] = rule
                    count += 1
                    at = end
                    continue
                end = at
                may_be_word = end_mark != 1 or eight & 0x80 != 0
            width: i64 = width_of(lead)
            kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, at)]
            if kind & NUMBER:
                rule = 2
                end = at + width
                more: i64 = digits - 1
                while more > 0 and end < stop and flags[code_point_at(data, end)] & NUMBER:
                    end += width_of(data[end])
                    more -= 1
            elif may_be_word and kind & NEWLINE == 0:
                end, which = word_end(data, at, at if kind & LETTER else at + width, stop)
                rule = u8(which)
                if contractions and end > at:
                    end = contraction_end(data, end, stop, 0x20)
            if end == at and (kind & SPACE == 0 or lead == 0x20):
                second = at + width
                end = without(data, second, stop, LETTER | NUMBER | SPACE)
                if end == second and kind & SPACE:
                    end = at
                else:
                    rule = 3
                    while end < stop and (
                        data[end] == 0x0A or data[end] == 0x0D or data[end] == 0x2F
                    ):
                        end += 1
            if end == at:
                end, which = blanks_end(data, at, stop, False)
                rule = u8(4 + which)
            ends[count] = i32(end)
            if named:
                rules[count] = rule
            count += 1
            at = end
        return count
