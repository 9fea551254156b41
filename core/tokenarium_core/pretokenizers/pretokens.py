"""The pre-tokens of a text: where each ends, and by which rule."""

from __future__ import annotations

from typing import final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.padded_text import PADDING, check_padding, padded
from tokenarium_core.pretokenizers.pretokenizer import REMOVED, REMOVED_RULE, PreTokenizer


@final
class PreTokens:
    """The pre-tokens of one text, in packed arrays of one length.

    Pre-token ``k`` ends before byte ``ends[k]`` of the text's UTF-8 and begins where the one before it
    ends (the first at 0); ``names[rules[k]]`` is the rule that made it. The last of the names is that of ``removed``:
    what has this rule is between two words and gets no ids.
    """

    def __init__(self, ends: vec[i32], rules: vec[u8], names: list[str]) -> None:
        self.ends = ends
        self.rules = rules
        self.names = names
        self.removed: i64 = len(names) - 1

    def __len__(self) -> int:
        return len(self.ends)


def cut_bytes(pre_tokenizer: PreTokenizer, data: bytes) -> PreTokens:
    """Returns the pre-tokens of a whole text, given as padded UTF-8 (see `padded_text.padded`); ArgumentError for other bytes."""
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
