"""The tokens of a text whose numbers are split by another rule first: each digit alone, or groups of three from one side.

A rule is what tokenizers calls a ``Split`` with the behavior ``isolated``, put before all other pre-tokenizers: it
splits the normalized text, and the tokenizer's own pre-tokenizer sees each part by itself. The vocabulary and the model
are the same, so that a group without an entry is several tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE
from tokenarium_core.patterns.found_pattern import FoundRegex
from tokenarium_core.pretokenizers.hf_splitters import (
    ISOLATED,
    Split,
    SplitterSequence,
    WordSplitter,
)
from tokenarium_core.pretokenizers.pretokenizer import WholeText


@dataclass(frozen=True, slots=True)
class DigitRule:
    """A rule for numbers: ``pattern`` matches each part that a number is split into, in the syntax of Oniguruma."""

    id: str
    title: str
    pattern: str


DIGIT_RULES = (
    DigitRule("single", "Single digits", r"\p{N}"),
    # Only at the start of a number the rest is looked at: at every group it would take the square of the digits.
    DigitRule(
        "right",
        "Threes from the right",
        r"(?<!\p{N})\p{N}{1,2}(?=(?:\p{N}{3})+(?!\p{N}))|\p{N}{1,3}",
    ),
    DigitRule("left", "Threes from the left", r"\p{N}{1,3}"),
)
r"""The rules, in the order in which they are shown. Digits are those of ``\p{N}``, as in the patterns of most tokenizers."""


class DigitCuts:
    """A tokenizer before whose pre-tokenizer a rule splits the numbers; UnsupportedError if that is not defined."""

    def __init__(self, tokenizer: tc.Tokenizer, rule: DigitRule) -> None:
        model, own = tokenizer.model, tokenizer.splitter
        if model.joins:
            raise tc.UnsupportedError(
                f"{tokenizer.name} joins pre-tokens again after they are split, so that no rule before them separates digits."
            )
        splitters: list[WordSplitter] = [Split(FoundRegex(rule.pattern), ISOLATED)]
        if own is not None:
            assert isinstance(own, WordSplitter), own
            splitters.append(own)
        self._whole = tc.Tokenizer(
            tokenizer.name,
            model,
            WholeText(),
            tokenizer.added_tokens,
            tokenizer.normalizer,
            SplitterSequence(splitters),
        )
        self._part: tc.Tokenizer | None = None
        if own is None and not isinstance(tokenizer.pre_tokenizer, WholeText):
            self._part = tc.Tokenizer(
                tokenizer.name, model, tokenizer.pre_tokenizer, AddedTokens([])
            )

    def encode_ids(self, text: str) -> list[int]:
        """Returns the ids of a text; special tokens in it are plain text."""
        if self._part is None:
            return self._whole.encode_ids(text)
        encoding = self._whole.encode(text)
        data, cuts, places = encoding.text.data, encoding.pre_tokens, encoding.places
        ids: list[int] = []
        start = token = 0
        for end, rule in zip(cuts.ends, cuts.rules, strict=True):
            if cuts.names[rule] in (ADDED_RULE, SPECIAL_RULE):
                while places[2 * token] < start:
                    token += 1
                ids.append(encoding.ids[token])
            else:
                ids += self._part.encode_ids(data[start:end].decode())
            start = end
        return ids
