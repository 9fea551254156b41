"""The base of the pre-tokenizers of a tokenizer.json, and those that split at the matches of a pattern.

They split words, and can be in a sequence. Each follows its file in huggingface/tokenizers
(``tokenizers/src/pre_tokenizers``). If their text is in space form (see `vocabulary`), so is their pattern: the reader
replaces ``▁`` by a space.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.patterns.found_pattern import FoundPattern, FoundString
from tokenarium_core.patterns.found_regions import FoundRegions
from tokenarium_core.pretokenizers.pretokenizer import Splitter, SplitText

_ROOM: Final = 32
_MOST_RULES: Final = 250  # `REMOVED` and others have the numbers above


class WordSplitter(Splitter):
    """Base of splitters that can also split the words of another one."""

    def split(self, text: NormalizedText) -> SplitText:
        """Returns the words of a text; see `Splitter.split`."""
        if text.size == 0:
            return SplitText(text, vec[i32](), vec[u8]())
        return self.split_words(SplitText(text, vec[i32]([i32(text.size)]), vec[u8]([0])), 0, True)

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns words split further; rule ``k`` of this splitter has the number ``base + k``.

        Words that this splitter does not change keep their rule, unless it is the ``first``.
        """
        raise NotImplementedError


@final
class SplitterSequence(WordSplitter):
    """Splitters in sequence: each splits the words of the previous one.

    Raises FormatError if they have more rules together than a byte can number.
    """

    def __init__(self, splitters: list[WordSplitter]) -> None:
        super().__init__(
            " → ".join([splitter.name for splitter in splitters]) or "whole",
            [rule for splitter in splitters for rule in splitter.rules] or ["whole"],
            any(splitter.reads_origin for splitter in splitters),
        )
        self.splitters = splitters
        if len(self.rules) > _MOST_RULES:
            raise FormatError(
                f"The pre-tokenizers of this file have {len(self.rules):,} rules together, and {_MOST_RULES} are the most"
                " that this program can distinguish."
            )

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns words split by each splitter in turn."""
        for splitter in self.splitters:
            words = splitter.split_words(words, base, first)
            base += len(splitter.rules)
            first = False
        return words


@final
class Cuts:
    """Parts of a text, from left to right, with their rules; the text between them is dropped.

    There are ``count`` of them; later rows of the columns are meaningless.
    """

    def __init__(self) -> None:
        self.count: i64 = 0
        self._starts = vec[i32]([0] * _ROOM)
        self._stops = vec[i32]([0] * _ROOM)
        self.rules = vec[u8]([0] * _ROOM)

    def add(self, start: i64, stop: i64, rule: i64) -> None:
        """Appends a part, unless it is empty."""
        if start < stop:
            count = self.count
            if count == len(self.rules):
                self._starts = extend(self._starts, self._starts)
                self._stops = extend(self._stops, self._stops)
                self.rules = extend(self.rules, self.rules)
            self._starts[count] = i32(start)
            self._stops[count] = i32(stop)
            self.rules[count] = u8(rule)
            self.count = count + 1

    def words(self, text: NormalizedText) -> SplitText:
        """Returns the parts as words, of a text that consists of them."""
        starts = self._starts
        stops = self._stops
        count = self.count
        at: i64 = 0
        for index in range(count):
            if i64(starts[index]) != at:
                break
            at = i64(stops[index])
        rules = self.rules[:count]
        if at == text.size:
            return SplitText(text, stops[:count], rules)
        writer = NormalizedWriter(text)
        ends = vec[i32]([0] * count)
        size: i64 = 0
        first: i64 = 0  # of the parts that touch each other
        last: i64 = 0
        for index in range(count):
            start: i64 = i64(starts[index])
            if start != last:
                if first < last:
                    writer.copy(first, last)
                first = start
            last = i64(stops[index])
            size += last - start
            ends[index] = i32(size)
        if first < last:
            writer.copy(first, last)
        return SplitText(writer.finish(), ends, rules)


class Cutter(WordSplitter):
    """Base of splitters that only split, and drop what they remove; rule 0 is for text that was not split."""

    def split_words(self, words: SplitText, base: i64, first: bool) -> SplitText:
        """Returns words cut again."""
        data = words.text.data
        cuts = Cuts()
        start: i64 = 0
        for word in range(len(words.ends)):
            stop: i64 = i64(words.ends[word])
            begin = cuts.count
            self.cut_word(data, start, stop, cuts)
            count = cuts.count
            rules = cuts.rules
            if not first and count == begin + 1 and i64(rules[begin]) == 0:
                rules[begin] = words.rules[word]
            else:
                for index in range(begin, count):
                    rules[index] = u8(base + i64(rules[index]))
            start = stop
        return cuts.words(words.text)

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Adds the parts of the word ``data[start:stop]``, with the rule numbers of this splitter."""
        raise NotImplementedError


REMOVED: Final = "Removed"
ISOLATED: Final = "Isolated"
MERGED_WITH_PREVIOUS: Final = "MergedWithPrevious"
MERGED_WITH_NEXT: Final = "MergedWithNext"
CONTIGUOUS: Final = "Contiguous"

BEHAVIORS: Final = [REMOVED, ISOLATED, MERGED_WITH_PREVIOUS, MERGED_WITH_NEXT, CONTIGUOUS]
"""The values of ``behavior`` of Split and Punctuation in a tokenizer.json."""


def check_behavior(behavior: str) -> str:
    """Returns the behaviour; FormatError if it is unknown."""
    if behavior not in BEHAVIORS:
        raise FormatError(
            f"The behavior {behavior!r} of a pre-tokenizer is not one of {', '.join(BEHAVIORS)}."
        )
    return behavior


def rules_of(behavior: str, match: str, rest: str) -> list[str]:
    """Returns the names of the rules by which `delimit` cuts: for the text between, and for what is found."""
    if behavior == REMOVED:
        return [rest]
    if behavior == MERGED_WITH_PREVIOUS:
        return [rest, match, f"{rest} and the {match} after it"]
    if behavior == MERGED_WITH_NEXT:
        return [rest, match, f"{match} and the {rest} after it"]
    return [rest, match]


def delimit(regions: FoundRegions, start: i64, behavior: str, cuts: Cuts) -> None:
    """Adds the parts of a word that begins at byte ``start``; for ``the--end``, with each ``-`` found:

    ==================== ======================
    Removed              ``the`` ``end``
    Isolated             ``the`` ``-`` ``-`` ``end``
    MergedWithPrevious   ``the-`` ``-`` ``end``
    MergedWithNext       ``the`` ``-`` ``-end``
    Contiguous           ``the`` ``--`` ``end``
    ==================== ======================

    Source: ``NormalizedString::split`` of huggingface/tokenizers.
    """
    stops = regions.stops
    flags = regions.found
    count = regions.count
    at = start
    index: i64 = 0
    if behavior == ISOLATED:
        while index < count:
            cuts.add(at, i64(stops[index]), i64(flags[index]))
            at = i64(stops[index])
            index += 1
        return
    while index < count:
        first = at
        rule: i64 = i64(flags[index])
        at = i64(stops[index])
        index += 1
        if behavior == REMOVED:
            if rule:
                continue
        elif behavior == CONTIGUOUS:
            while index < count and i64(flags[index]) == rule:
                at = i64(stops[index])
                index += 1
        elif behavior == MERGED_WITH_PREVIOUS:
            if rule == 0 and index < count and i64(flags[index]):
                rule = 2 if i64(stops[index]) > at else 0
                at = i64(stops[index])
                index += 1
        elif behavior == MERGED_WITH_NEXT:
            if rule and index < count and i64(flags[index]) == 0:
                rule = 2 if at > first else 0
                at = i64(stops[index])
                index += 1
        cuts.add(first, at, rule)


@final
class Split(Cutter):
    """Splits at a pattern (`FoundString` or `FoundRegex`); with ``invert`` at the text between matches.

    A regular expression may raise PatternError if it takes too long.
    """

    def __init__(self, pattern: FoundPattern, behavior: str, invert: bool = False) -> None:
        names = ("match", "rest") if not invert else ("rest", "match")
        super().__init__("Split", rules_of(check_behavior(behavior), names[0], names[1]))
        self.pattern = pattern
        self.behavior = behavior
        self.invert = invert
        self._regions = FoundRegions()

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word at the matches."""
        regions = self._regions
        regions.clear()
        self.pattern.find(data, start, stop, regions)
        if self.invert:
            regions.invert()
        delimit(regions, start, self.behavior, cuts)


@final
class CharDelimiterSplit(Cutter):
    """Splits at one character, and drops it; FormatError if it is not exactly one."""

    def __init__(self, delimiter: str) -> None:
        if len(delimiter) != 1:
            raise FormatError(
                f"The delimiter of CharDelimiterSplit must be one character, not {delimiter!r}."
            )
        super().__init__("CharDelimiterSplit", ["between delimiters"])
        self.delimiter = delimiter
        self._pattern = FoundString(delimiter)

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word at the delimiters."""
        delimit(self._pattern.regions(data, start, stop), start, REMOVED, cuts)
