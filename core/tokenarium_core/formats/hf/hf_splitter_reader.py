"""The ``pre_tokenizer`` of a `tokenizer.json`: what cuts a text, as a scanner where there is one, else as a splitter.

Source: huggingface/tokenizers, ``pre_tokenizers/mod.rs``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.patterns.found_pattern import FoundPattern, FoundRegex, FoundString
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.character_splitters import (
    Digits,
    FixedLength,
    Punctuation,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from tokenarium_core.pretokenizers.hf_scanners import scanner_for_oniguruma, stands_alone
from tokenarium_core.pretokenizers.hf_splitters import (
    BEHAVIORS,
    ISOLATED,
    CharDelimiterSplit,
    Cuts,
    Cutter,
    Split,
    SplitterSequence,
    WordSplitter,
)
from tokenarium_core.pretokenizers.pretokenizer import REMOVED, PreTokenizer, WholeText
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.pretokenizers.spelling_splitters import (
    MARK,
    PREPEND_SCHEMES,
    AlphabetSplitter,
    ByteLevel,
    Metaspace,
)

_ROOM: Final = 256


def scanner_of(steps: list[Fields]) -> PreTokenizer | None:
    """Returns the scanner that cuts as these pre-tokenizers do, None where there is none for them."""
    if not steps:
        return WholeText()
    last = steps[-1]
    if len(steps) == 1 and last.type == "BertPreTokenizer":
        last.finish()
        return BertPreTokenizer()
    if last.type != "ByteLevel" or last.flag("add_prefix_space"):
        return None
    last.flag("trim_offsets", True)
    cuts = last.flag("use_regex", True)
    last.finish()
    if len(steps) == 1:
        return pre_tokenizer("gpt2") if cuts else WholeText()
    first = steps[0]
    if len(steps) == 2 and not cuts and first.type == "Split":
        pattern = first.inner("pattern").take("Regex")
        alone = stands_alone(first.choice("behavior", BEHAVIORS), first.flag("invert"))
        if isinstance(pattern, str) and alone:
            first.finish()
            return scanner_for_oniguruma(pattern)
    return None


def splitter_of(steps: list[Fields], spaced_from: int, spells: bool) -> WordSplitter:
    """Returns the splitter of these pre-tokenizers.

    From the step with the number ``spaced_from`` on, a space of the text stands for ``▁``. A ByteLevel ``spells`` the text
    in GPT-2's alphabet, or leaves its bytes as they are. Raises FormatError for one that cannot be run.
    """
    splitters: list[WordSplitter] = []
    for index, step in enumerate(steps):
        splitter = _splitter(step, index >= spaced_from)
        step.finish()
        if splitter is not None:
            splitters.append(splitter)
        if spells and step.type == "ByteLevel":
            splitters.append(AlphabetSplitter())
    return splitters[0] if len(splitters) == 1 else SplitterSequence(splitters)


def pattern_of(fields: Fields, spaced: bool) -> FoundPattern | None:
    """Returns the field ``pattern``, None where it can match nothing.

    Where the text is ``spaced``, a mark in a string is a space, and a space is not to be found. FormatError
    for an expression that cannot be run.
    """
    pattern = fields.inner("pattern")
    if pattern.has("Regex"):
        expression = pattern.text("Regex")
        pattern.finish()
        try:
            return FoundRegex(expression)
        except FormatError as error:
            raise FormatError(f"{fields.source}: {pattern.path}: {error}") from error
    content = pattern.text("String")
    pattern.finish()
    if not spaced:
        return FoundString(content)
    return None if " " in content else FoundString(content.replace(MARK, " "))


def metaspace_scheme(step: Fields) -> str:
    """Returns the ``prepend_scheme`` of a Metaspace, which older files call ``add_prefix_space``."""
    scheme = step.choice("prepend_scheme", PREPEND_SCHEMES, "always")
    if not step.flag("add_prefix_space", True) and scheme != "never":
        raise step.refuse(f"says add_prefix_space false, but prepend_scheme {scheme!r}")
    step.take("str_rep")
    return scheme


def _splitter(step: Fields, spaced: bool) -> WordSplitter | None:
    """Returns one splitter, None for one that never cuts."""
    name = step.type
    if name == "ByteLevel":
        prefix = step.flag("add_prefix_space")
        step.flag("trim_offsets", True)
        cuts = step.flag("use_regex", True)
        return ByteLevel(prefix, cuts) if prefix or cuts else None
    if name == "Split":
        pattern = pattern_of(step, spaced)
        behavior = step.choice("behavior", BEHAVIORS)
        invert = step.flag("invert")
        if pattern is None:
            if invert:
                raise step.refuse(
                    "looks for a space where there is none any more, and takes all that is none"
                )
            return None
        return Split(pattern, behavior, invert)
    if name == "Metaspace":
        replacement = step.text("replacement")
        scheme = metaspace_scheme(step)
        return Metaspace(replacement, scheme, step.flag("split", True), spaced)
    if name == "Digits":
        return Digits(step.flag("individual_digits"))
    if name == "Punctuation":
        return Punctuation(step.choice("behavior", BEHAVIORS, ISOLATED))
    if name == "CharDelimiterSplit":
        return CharDelimiterSplit(step.text("delimiter"))
    if name == "FixedLength":
        return FixedLength(step.number("length", 5))
    if name == "Whitespace":
        return Whitespace()
    if name == "WhitespaceSplit":
        return WhitespaceSplit()
    if name == "UnicodeScripts":
        return UnicodeScripts()
    if name == "BertPreTokenizer":
        return ScannerSplitter(BertPreTokenizer())
    raise step.refuse(f"is of type {name!r}")


@final
class ScannerSplitter(Cutter):
    """A scanner as a splitter, for a place among other splitters."""

    def __init__(self, scanner: PreTokenizer) -> None:
        super().__init__(scanner.name, scanner.rules)
        self._scanner = scanner
        self._ends = vec[i32]([0] * _ROOM)
        self._rules = vec[u8]([0] * _ROOM)

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word as the scanner does."""
        while start < stop:
            count = self._scanner.cut(data, start, stop, self._ends, self._rules)
            for index in range(count):
                end: i64 = i64(self._ends[index])
                rule: i64 = i64(self._rules[index])
                if rule != REMOVED:
                    cuts.add(start, end, rule)
                start = end
