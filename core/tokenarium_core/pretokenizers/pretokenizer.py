"""The stage that splits a text into pre-tokens, and records which rule made each one: its base classes and its result.

Every pre-tokenizer works on UTF-8 bytes and is *restartable*: the text after a boundary is split in the same way
whatever comes before it, so a long text may be processed in slices, from any boundary on.

A `PreTokenizer` only determines where a text is split. A `Splitter`, as in Hugging Face's library, may also drop and
add characters: it gives the words of a new text, with each byte aligned to the original.
"""

from __future__ import annotations

from typing import Any, Final, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.normalized_text import NormalizedText
from tokenarium_core.padded_text import PADDING, check_padding, padded
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, MARK, NUMBER
from tokenarium_core.unicode.utf8 import code_point_at

REMOVED: Final = 255
"""The rule of a part that is not a word but the text between two words: it gets no ids."""

REMOVED_RULE: Final = "removed"
"""The name of that rule, for display."""


class PreTokenizer:
    """Base of all pre-tokenizers: a name, the pattern it follows, and the names of its rules.

    ``rules[k]`` names the alternative with number ``k`` in plain words ("word", "1 to 3 digits").
    ``divides``: a long text may be processed in parts, whose ends come from `divide`. ``names_on_demand``: `cut`
    writes no rules if there is no room for any, which is faster.
    """

    def __init__(self, name: str, pattern: str, rules: list[str], divides: bool = False) -> None:
        self.name = name
        self.pattern = pattern
        self.rules = rules
        self.divides = divides
        self.names_on_demand = False

    def for_text(self) -> PreTokenizer:
        """Returns a pre-tokenizer for one text, in any number of slices: this one, if it stores nothing about a text."""
        return self

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns the last position before byte ``stop`` that is a boundary whatever follows, or 0 if there is none.

        ``data`` is the text from such a position, up to ``stop`` at least. Here letters end at the boundary, and what
        follows is something that no pattern with ``divides`` includes in a word: no letter, mark, number or apostrophe.
        """
        flags = FLAGS
        ends = False
        at = stop
        while at > 0:
            before = at - 1
            while before > 0 and data[before] & 0xC0 == 0x80:
                before -= 1
            kind: i64 = flags[code_point_at(data, before)]
            if ends and kind & LETTER:
                return at
            ends = kind & (LETTER | MARK | NUMBER) == 0 and data[before] != 0x27
            at = before
        return 0

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]`` and returns how many pre-tokens were written.

        ``data`` is padded UTF-8 (see `padded`), ``start`` a cut and ``stop`` the end of the text as
        the rules see it. Pre-token ``k`` ends before byte ``ends[k]`` (absolute) by rule
        ``rules[k]``; the first begins at ``start``. At most ``len(ends)`` are written: when the last
        one does not end at ``stop``, call again from there.
        """
        raise NotImplementedError


@final
class PreTokens:
    """The pre-tokens of one text, in packed arrays of one length.

    Pre-token ``k`` ends before byte ``ends[k]`` of the text's UTF-8 and begins where the one before it
    ends (the first at 0); ``names[rules[k]]`` is the rule that made it. The last of the names is that of ``removed``:
    text with this rule is between two words and gets no ids.
    """

    def __init__(self, ends: vec[i32], rules: vec[u8], names: list[str]) -> None:
        self.ends = ends
        self.rules = rules
        self.names = names
        self.removed: i64 = len(names) - 1

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return PreTokens, (self.ends, self.rules, self.names)

    def __len__(self) -> int:
        return len(self.ends)


def cut_bytes(pre_tokenizer: PreTokenizer, data: bytes) -> PreTokens:
    """Returns the pre-tokens of a whole text (see `padded_text.padded`); ArgumentError for other bytes."""
    check_padding(data)
    stop: i64 = len(data) - PADDING
    room: i64 = stop // 3 + PADDING  # what texts usually need
    cutter = pre_tokenizer.for_text()
    ends = vec[i32]([0] * room)
    rules = vec[u8]([0] * room)
    names = [*pre_tokenizer.rules, REMOVED_RULE]
    count = cutter.cut(data, 0, stop, ends, rules)
    all_ends = ends[:count]
    all_rules = rules[:count]
    at: i64 = i64(ends[count - 1]) if count else stop
    while at < stop:
        count = cutter.cut(data, at, stop, ends, rules)
        all_ends = extend(all_ends, ends[:count])
        all_rules = extend(all_rules, rules[:count])
        at = i64(ends[count - 1])
    removed = u8(len(pre_tokenizer.rules))
    for word in range(len(all_rules)):
        if i64(all_rules[word]) == REMOVED:
            all_rules[word] = removed
    return PreTokens(all_ends, all_rules, names)


def cut(pre_tokenizer: PreTokenizer, text: str) -> PreTokens:
    """Returns the pre-tokens of a text."""
    return cut_bytes(pre_tokenizer, padded(text))


@final
class WholeText(PreTokenizer):
    """Does not split: a model such as SentencePiece's gets all the text between added tokens."""

    def __init__(self) -> None:
        super().__init__("none", "(?s:.+)", ["text"])

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Writes the only end; see `PreTokenizer.cut`."""
        if start == stop:
            return 0
        ends[0] = i32(stop)
        rules[0] = 0
        return 1


@final
class SplitText:
    """Words: word ``k`` ends before byte ``ends[k]`` of ``text``, by rule ``rules[k]``; the first begins at 0."""

    def __init__(self, text: NormalizedText, ends: vec[i32], rules: vec[u8]) -> None:
        self.text = text
        self.ends = ends
        self.rules = rules


class Splitter:
    """Base of all splitters: a name, and the names of its rules (see `PreTokenizer`).

    ``reads_origin``: whether its words depend on their place in the original text; else the text may be untracked.
    """

    def __init__(self, name: str, rules: list[str], reads_origin: bool = False) -> None:
        self.name = name
        self.rules = rules
        self.reads_origin = reads_origin

    def split(self, text: NormalizedText) -> SplitText:
        """Returns the words of one section of a text: all of it, or the text between added tokens."""
        raise NotImplementedError


@final
class PrecomputedCuts(PreTokenizer):
    """The words made by splitters, as a `PreTokenizer` of the resulting text."""

    def __init__(self, ends: vec[i32], made: vec[u8], rules: list[str]) -> None:
        super().__init__("cuts made by a splitter", "", rules)
        self._ends = ends
        self._made = made
        self._next: i64 = 0

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Gives the next cuts; each is given once, from left to right."""
        count: i64 = 0
        at = self._next
        while count < len(ends) and at < len(self._ends) and i64(self._ends[at]) <= stop:
            ends[count] = self._ends[at]
            rules[count] = self._made[at]
            count += 1
            at += 1
        self._next = at
        return count
