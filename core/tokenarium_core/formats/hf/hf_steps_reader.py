"""The steps of the stages of a `tokenizer.json`, each by its ``type``; `hf_stages_reader` puts them together.

Sources: huggingface/tokenizers, ``normalizers/mod.rs``, ``pre_tokenizers/mod.rs``, ``processors/template.rs``,
``processors/bert.rs``, ``processors/roberta.rs`` and ``decoders/mod.rs``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.decoders.token_decoders import (
    BpeStep,
    ByteFallbackStep,
    ByteLevelStep,
    CtcStep,
    DecoderStep,
    FuseStep,
    MetaspaceStep,
    ReplaceStep,
    StepsDecoder,
    StripStep,
    WordPieceStep,
)
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_fields import Fields, shown
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.normalizers.character_normalizers import (
    Lowercase,
    Nmt,
    Strip,
    StripAccents,
    UnicodeNormalizer,
)
from tokenarium_core.normalizers.normalizer import (
    ByteLevelNormalizer,
    Normalizer,
    NormalizerSequence,
    Prepend,
    Replace,
    SpaceMark,
)
from tokenarium_core.normalizers.precompiled import Precompiled
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

# The ``normalizer``.


def normalizer_of(steps: list[Fields], spaced_from: int) -> Normalizer | None:
    """Returns the normalizer of these steps, None if there are none.

    The step with the number ``spaced_from`` makes spaces marks; after it, a space stands for a mark. Raises
    FormatError for one that cannot be run.
    """
    normalizers: list[Normalizer] = []
    for index, step in enumerate(steps):
        normalizer: Normalizer | None = None
        if index == spaced_from:
            step.take("pattern")
            step.take("content")
            normalizer = SpaceMark()
        else:
            normalizer = _normalizer(step, index > spaced_from)
        step.finish()
        if normalizer is not None:
            normalizers.append(normalizer)
    if len(normalizers) > 1:
        return NormalizerSequence(normalizers)
    return normalizers[0] if normalizers else None


def _normalizer(step: Fields, spaced: bool) -> Normalizer | None:
    """Returns one normalizer, None for one that changes nothing."""
    name = step.type
    if name == "BertNormalizer":
        strip = step.flag("strip_accents") if step.has("strip_accents") else None
        step.take("strip_accents")
        clean = step.flag("clean_text")
        ideographs = step.flag("handle_chinese_chars")
        return BertNormalizer(clean, ideographs, strip, step.flag("lowercase"))
    if name == "Replace":
        pattern = pattern_of(step, spaced)
        content = step.text("content")
        if pattern is None:
            return None
        return Replace(pattern, content.replace(MARK, " ") if spaced else content)
    if name == "Prepend":
        content = step.text("prepend")
        return Prepend(content.replace(MARK, " ") if spaced else content)
    if name == "Strip":
        return Strip(step.flag("strip_left"), step.flag("strip_right"))
    if name == "NFC":
        return UnicodeNormalizer("NFC")
    if name == "NFD":
        return UnicodeNormalizer("NFD")
    if name == "NFKC":
        return UnicodeNormalizer("NFKC")
    if name == "NFKD":
        return UnicodeNormalizer("NFKD")
    if name == "Precompiled":
        place = f"{step.source}: {step.place('precompiled_charsmap')}"
        return Precompiled(step.text("precompiled_charsmap"), place)
    if name == "Lowercase":
        return Lowercase()
    if name == "StripAccents":
        return StripAccents()
    if name == "Nmt":
        return Nmt()
    if name == "ByteLevel":
        return ByteLevelNormalizer()
    raise step.refuse(f"is of type {name!r}")


# The ``pre_tokenizer``: what splits a text, as a scanner if there is one, otherwise as a splitter.

_ROOM: Final = 256


def scanner_of(steps: list[Fields]) -> PreTokenizer | None:
    """Returns the scanner that splits like these pre-tokenizers; None if there is none."""
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

    From the step with the number ``spaced_from`` on, a space of the text stands for ``▁``. A ByteLevel ``spells`` the
    text in GPT-2's alphabet, or leaves its bytes as they are. Raises FormatError for one that cannot be run.
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
    """Returns the field ``pattern``; None if it cannot match anything.

    Where the text is ``spaced``, a mark in a string is a space, and a space matches nothing. FormatError
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
    """Returns one splitter, None for one that never splits."""
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
                    "looks for a space after all spaces are replaced, and inverts the match"
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
    """A scanner used as a splitter, among other splitters."""

    def __init__(self, scanner: PreTokenizer) -> None:
        super().__init__(scanner.name, scanner.rules)
        self._scanner = scanner
        self._ends = vec[i32]([0] * _ROOM)
        self._rules = vec[u8]([0] * _ROOM)

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Splits one word like the scanner."""
        while start < stop:
            count = self._scanner.cut(data, start, stop, self._ends, self._rules)
            for index in range(count):
                end: i64 = i64(self._ends[index])
                rule: i64 = i64(self._rules[index])
                if rule != REMOVED:
                    cuts.add(start, end, rule)
                start = end


# The ``post_processor``: the ids around one text.

_TEXT: Final = -1  # stands for the ids of the text
_MOST: Final = 1 << 16  # ids around a text


def template_of(steps: list[Fields], count: int) -> Template | None:
    """Returns the template of these processors; None if they add nothing around a text.

    ``count`` is the number of ids of the tokenizer. Only the form for a single text is read; that for a pair is not
    used. Raises FormatError for an id out of range, and for a text that is left out or repeated.
    """
    sections: list[list[int]] = [[_TEXT]]
    names: list[str] = []
    for step in steps:
        name = step.type
        if name == "ByteLevel":  # changes offsets only, see `Encoding`
            for field in ("add_prefix_space", "trim_offsets", "use_regex"):
                step.flag(field, True)
            step.finish()
            continue
        if name == "TemplateProcessing":
            if len(sections) > 1:
                raise step.refuse(
                    "is a second template, which would treat the parts of the first as texts"
                )
            whole = sections[0]
            sections = [whole if part == [_TEXT] else part for part in _single(step)]
        elif name in ("BertProcessing", "RobertaProcessing"):
            cls, sep = _pair(step, "cls"), _pair(step, "sep")
            step.flag("trim_offsets", True)
            step.flag("add_prefix_space", True)
            # After a template, each part of it counts as a text: all but the first are the second text of a pair.
            between = [sep] if name == "RobertaProcessing" else []
            for index, section in enumerate(sections):
                sections[index] = [*([cls] if index == 0 else between), *section, sep]
        else:
            raise step.refuse(f"is of type {name!r}")
        step.finish()
        for section in sections:
            for id in section:
                if id != _TEXT and not 0 <= id < count:
                    raise step.refuse(
                        f"puts the id {id} around a text, which the vocabulary does not have"
                    )
        names.append(name)
    ids = [id for section in sections for id in section]
    place = ids.index(_TEXT)
    before, after = ids[:place], ids[place + 1 :]
    if not before and not after:
        return None
    return Template(" → ".join(names), before, after)


def _single(step: Fields) -> list[list[int]]:
    """Returns the parts of a template for single texts: the ids of each token, and the text."""
    tokens = step.inner("special_tokens")
    step.take("pair")
    parts: list[list[int]] = []
    total = 0
    for part in step.objects("single"):
        if part.has("Sequence"):
            sequence = part.inner("Sequence")
            if [_TEXT] in parts or sequence.choice("id", ["A", "B"]) != "A":
                raise part.refuse("uses a text other than the first, or uses the first twice")
            parts.append([_TEXT])
        else:
            name = part.inner("SpecialToken").text("id")
            given = tokens.inner(name).items("ids")
            ids: list[int] = []
            for id in given:
                if type(id) is not int or id < 0:
                    raise tokens.error(name, "a list of ids", given)
                ids.append(id)
            parts.append(ids)
            total += len(ids)
            if total > _MOST:
                raise part.refuse(f"puts more than {_MOST:,} ids around a text")
    if [_TEXT] not in parts:
        raise step.refuse("leaves the text itself out")
    return parts


def _pair(step: Fields, name: str) -> int:
    value = step.take(name)
    if isinstance(value, list) and len(value) == 2:
        id: object = value[1]
        if type(id) is int and id >= 0:
            return id
    raise step.error(name, "a token and its id", shown(value))


# The ``decoder``.


def decoder_of(steps: list[Fields], named: bool, left_out: frozenset[int]) -> Decoder:
    """Returns the decoder of these steps; ``named`` says whether the file has one at all.

    The ids ``left_out`` give no text.
    Raises FormatError for one that cannot be run.
    """
    decoder_steps: list[DecoderStep] = []
    for step in steps:
        decoder_steps.append(_step(step))
        step.finish()
    return StepsDecoder(decoder_steps, left_out, not named)


def _step(step: Fields) -> DecoderStep:
    name = step.type
    if name == "ByteLevel":
        for field in ("add_prefix_space", "trim_offsets", "use_regex"):
            step.flag(field, True)
        return ByteLevelStep()
    if name == "ByteFallback":
        return ByteFallbackStep()
    if name == "Fuse":
        return FuseStep()
    if name == "Replace":
        pattern = pattern_of(step, False)
        assert pattern is not None  # only if the text is spaced
        return ReplaceStep(pattern, step.text("content"))
    if name == "Strip":
        return StripStep(step.text("content"), step.number("start"), step.number("stop"))
    if name == "Metaspace":
        replacement = step.text("replacement")
        step.flag("split", True)
        return MetaspaceStep(replacement, metaspace_scheme(step))
    if name == "BPEDecoder":
        return BpeStep(step.text("suffix"))
    if name == "CTC":
        pad = step.text("pad_token")
        return CtcStep(pad, step.text("word_delimiter_token"), step.flag("cleanup"))
    if name == "WordPiece":
        return WordPieceStep(step.text("prefix"), step.flag("cleanup"))
    raise step.refuse(f"is of type {name!r}")
