"""Scanners that split like some of Hugging Face's pre-tokenizers, but much faster."""

from __future__ import annotations

import re
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.pretokenizers.character_splitters import (
    Digits,
    Punctuation,
    Whitespace,
    WhitespaceSplit,
    spanned,
    word_table,
)
from tokenarium_core.pretokenizers.hf_splitters import (
    CONTIGUOUS,
    ISOLATED,
    REMOVED,
    Split,
    SplitterSequence,
    WordSplitter,
)
from tokenarium_core.pretokenizers.pattern import SCANNER_OF
from tokenarium_core.pretokenizers.pretokenizer import REMOVED as NO_IDS
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer, WholeText
from tokenarium_core.pretokenizers.scanners import ONLY_HERE, pre_tokenizer, scanner_for
from tokenarium_core.pretokenizers.spelling_splitters import ByteLevel
from tokenarium_core.unicode.hf_codepoints_data import NUMERIC, PUNCTUATION
from tokenarium_core.unicode.utf8 import code_point_at, width_of

_REPEATED: Final = re.compile(r"\{\d*,?\d*\}\+")  # {1,3}+

RUN: Final = 0
ALONE: Final = 1
DROPPED: Final = 2
"""What a run of characters of one class becomes: a word, a word for each character, or nothing."""


@final
class ClassScanner(PreTokenizer):
    """Cuts where the class of the characters changes; ``table[code point]`` is a class, ``ways[class]`` its treatment.

    The rule of a class has its number. ``drops``: whether characters of some class get no ids.
    """

    def __init__(
        self, name: str, pattern: str, rules: list[str], table: bytes, ways: list[int]
    ) -> None:
        super().__init__(name, pattern, rules)
        self.drops = DROPPED in ways
        self._table = table
        self._ways = vec[u8]([0] * len(ways))
        for index, way in enumerate(ways):
            self._ways[index] = u8(way)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        table = self._table
        ways = self._ways
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            lead: i64 = data[at]
            kind: i64 = table[lead if lead < 0x80 else code_point_at(data, at)]
            at += width_of(lead)
            way: i64 = i64(ways[kind])
            if way != ALONE:
                while at < stop:
                    lead = data[at]
                    here: i64 = table[lead if lead < 0x80 else code_point_at(data, at)]
                    if here != kind:
                        break
                    at += width_of(lead)
            ends[count] = i32(at)
            rules[count] = u8(NO_IDS if way == DROPPED else kind)
            count += 1
        return count


def scanner_of(splitter: WordSplitter) -> PreTokenizer | None:
    """Returns a scanner that splits like a splitter; None if there is none, for example if it adds characters."""
    if isinstance(splitter, SplitterSequence):
        cutting = [part for part in splitter.splitters if not _idle(part)]
        if len(cutting) == 1:
            return scanner_of(cutting[0])
        return None if cutting else WholeText()
    if isinstance(splitter, ByteLevel):
        if splitter.add_prefix_space:
            return None
        return pre_tokenizer("gpt2") if splitter.use_regex else WholeText()
    if isinstance(splitter, Split):
        pattern = splitter.pattern
        if stands_alone(splitter.behavior, splitter.invert) and isinstance(pattern, FoundRegex):
            return scanner_for_oniguruma(pattern.source)
        return None
    if isinstance(splitter, Whitespace):
        rules = ["blanks", "word", "signs"]
        return ClassScanner("Whitespace", r"\w+|[^\w\s]+", rules, word_table(), [DROPPED, RUN, RUN])
    if isinstance(splitter, WhitespaceSplit):
        table = word_table().translate(b"\0\1\1".ljust(256, b"\1"))
        return ClassScanner(
            "WhitespaceSplit", r"\S+", ["blanks", "between blanks"], table, [DROPPED, RUN]
        )
    if isinstance(splitter, Digits):
        alone = splitter.behavior == ISOLATED
        rules = ["text", "digit" if alone else "digits"]
        pattern_shown = r"\P{N}+|\p{N}" if alone else r"\P{N}+|\p{N}+"
        ways = [RUN, ALONE if alone else RUN]
        return ClassScanner("Digits", pattern_shown, rules, spanned(NUMERIC), ways)
    if isinstance(splitter, Punctuation):
        ways_of = {ISOLATED: ALONE, CONTIGUOUS: RUN, REMOVED: DROPPED}
        way = ways_of.get(splitter.behavior)
        if way is None:
            return None
        return ClassScanner(
            "Punctuation",
            r"\P{P}+|\p{P}",
            ["text", "punctuation"],
            spanned(PUNCTUATION),
            [RUN, way],
        )
    return None


def stands_alone(behavior: str, invert: bool) -> bool:
    """Returns whether each match of a Split becomes a word; the pattern leaves nothing out."""
    return behavior == ISOLATED or (behavior == REMOVED and invert)


def scanner_for_oniguruma(pattern: str) -> PreTokenizer | None:
    """Returns the scanner that splits like a pattern in Oniguruma; None if there is none.

    Some of tiktoken's patterns have a different meaning there: ``\\p{N}{1,3}+`` takes any number of digits, and ``$``
    the end of a line.
    """
    if pattern in SCANNER_OF:
        return pre_tokenizer(SCANNER_OF[pattern])
    if "$" in pattern or _REPEATED.search(pattern) is not None:
        return None
    scanner = scanner_for(pattern)
    return None if scanner is not None and scanner.name in ONLY_HERE else scanner


def _idle(splitter: WordSplitter) -> bool:
    """Returns whether a splitter never splits or adds anything."""
    return (
        isinstance(splitter, ByteLevel) and not splitter.add_prefix_space and not splitter.use_regex
    )
