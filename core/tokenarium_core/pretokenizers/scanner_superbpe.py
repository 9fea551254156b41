"""The segments of SuperBPE's second stage: whole stretches of text, cut at little but numbers."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanner_runs import letters_end
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, NUMBER, SPACE
from tokenarium_core.unicode.utf8 import code_point_at, width_of

# What Liu et al. released (scripts/extend_tokenizer.sh of PythonNut/superbpe), which Hugging Face's Split
# isolates; the last alternative takes what lies between.
SUPERBPE: Final = (
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
    r"|(?:(?!\p{N}| ?[^\s\p{L}\p{N}]{2}| +(?!\S))[\s\S])+"
)
RULES: Final = ["1 to 3 digits", "punctuation", "trailing blanks", "stretch"]

NO_WORD: Final = LETTER | NUMBER | SPACE  # what [^\s\p{L}\p{N}] leaves out


@final
class SuperBpeScanner(PreTokenizer):
    """Cuts as the pattern of the released SuperBPE tokenizers does (arXiv 2503.13423)."""

    def __init__(self) -> None:
        super().__init__("superbpe", SUPERBPE, RULES)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        room: i64 = len(ends)
        count: i64 = 0
        at = start
        while at < stop and count < room:
            end = digits_end(data, at, stop)
            rule: u8 = 0
            if end == at:
                end = marks_end(data, at, stop)
                rule = 1
            if end == at:
                end = trailing_end(data, at, stop)
                rule = 2
            if end == at:
                end = stretch_end(data, at, stop)
                rule = 3
            ends[count] = i32(end)
            rules[count] = rule
            count += 1
            at = end
        return count


def digits_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of ``\\p{N}{1,3}`` at ``at``; ``at`` itself if there is none."""
    flags = FLAGS
    found: i64 = 0
    while found < 3 and at < stop:
        lead: i64 = data[at]
        if flags[lead if lead < 0x80 else code_point_at(data, at)] & NUMBER == 0:
            break
        at += width_of(lead)
        found += 1
    return at


def is_mark(data: bytes, at: i64, stop: i64) -> bool:
    """Tells whether the character at ``at`` is one of ``[^\\s\\p{L}\\p{N}]``."""
    if at >= stop:
        return False
    lead: i64 = data[at]
    return FLAGS[lead if lead < 0x80 else code_point_at(data, at)] & NO_WORD == 0


def begins_marks(data: bytes, at: i64, stop: i64) -> bool:
    """Tells whether two of ``[^\\s\\p{L}\\p{N}]`` stand at ``at``."""
    return is_mark(data, at, stop) and is_mark(data, at + width_of(data[at]), stop)


def marks_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of `` ?[^\\s\\p{L}\\p{N}]{2,}[\\r\\n/]*`` at ``at``; ``at`` itself if there is none."""
    end = at + 1 if data[at] == 0x20 else at
    if not begins_marks(data, end, stop):
        return at
    while is_mark(data, end, stop):
        end += width_of(data[end])
    while end < stop and (data[end] == 0x0A or data[end] == 0x0D or data[end] == 0x2F):
        end += 1
    return end


def trailing_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of `` +(?!\\S)`` at ``at``; ``at`` itself if there is none."""
    end = at
    while end < stop and data[end] == 0x20:
        end += 1
    if end == at or end == stop:
        return end
    lead: i64 = data[end]
    if FLAGS[lead if lead < 0x80 else code_point_at(data, end)] & SPACE:
        return end
    return end - 1


def stretch_end(data: bytes, at: i64, stop: i64) -> i64:
    """Returns where another rule applies for the first time behind ``at``, where none does."""
    flags = FLAGS
    while True:
        lead: i64 = data[at]
        kind: i64 = flags[lead if lead < 0x80 else code_point_at(data, at)]
        if kind & LETTER:
            at = letters_end(data, at, stop)
        else:
            at += width_of(lead)
        if at >= stop:
            return stop
        lead = data[at]
        if lead == 0x20:
            if at + 1 >= stop:
                return at
            behind: i64 = data[at + 1]
            kind = flags[behind if behind < 0x80 else code_point_at(data, at + 1)]
            if kind & LETTER:
                continue
            if kind & SPACE or begins_marks(data, at + 1, stop):
                return at
        elif lead >= 0x80 or flags[lead] & LETTER == 0:
            kind = flags[lead if lead < 0x80 else code_point_at(data, at)]
            if kind & NUMBER or (kind & NO_WORD == 0 and begins_marks(data, at, stop)):
                return at
