"""Two plain pre-tokenizers: single digits, and words between blanks."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanner_runs import with_any, without
from tokenarium_core.unicode.codepoints import FLAGS, NUMBER, SPACE
from tokenarium_core.unicode.utf8 import code_point_at, width_of


@final
class DigitScanner(PreTokenizer):
    """Cuts out every single digit; what lies between digits stays whole."""

    def __init__(self) -> None:
        super().__init__("digits", r"\p{N}|\P{N}+", ["digit", "text"])

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            if flags[code_point_at(data, at)] & NUMBER:
                at += width_of(data[at])
                rules[count] = 0
            else:
                at = without(data, at, stop, NUMBER)
                rules[count] = 1
            ends[count] = i32(at)
            count += 1
        return count


@final
class WhitespaceScanner(PreTokenizer):
    """Cuts between blanks and what is not blank; keeps both."""

    def __init__(self) -> None:
        super().__init__("whitespace", r"\S+|\s+", ["word", "blanks"])

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        flags = FLAGS
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            if flags[code_point_at(data, at)] & SPACE:
                at = with_any(data, at, stop, SPACE)
                rules[count] = 1
            else:
                at = without(data, at, stop, SPACE)
                rules[count] = 0
            ends[count] = i32(at)
            count += 1
        return count
