"""The stages that a `tokenizer.json` names: JSON objects with a ``type``, made into the stages of `Tokenizer`.

Anything that cannot run exactly is refused with its name and path, never ignored.

In *space form* (see `vocabulary`) the marks (``▁``) of the text and of the pieces are spaces. The ids stay the same
as long as no later stage can distinguish the two, and no piece has a real space. If that is not certain, the text
gets real marks, as in the reference; that is only slower.
"""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.encoding import Template
from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.formats.hf.hf_model import ModelSettings, has_all_bytes
from tokenarium_core.formats.hf.hf_steps_reader import (
    decoder_of,
    normalizer_of,
    pattern_of,
    scanner_of,
    splitter_of,
    template_of,
)
from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary, spellings
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers.hf_scanners import ClassScanner
from tokenarium_core.pretokenizers.hf_scanners import scanner_of as scanner_like
from tokenarium_core.pretokenizers.hf_splitters import SplitterSequence
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer, Splitter, WholeText
from tokenarium_core.pretokenizers.spelling_splitters import MARK, AlphabetSplitter, BytesSplitter
from tokenarium_core.vocabulary import BYTE_ALPHABET, PLAIN, SPACE_MARK

_LISTS: Final = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
    "decoder": "decoders",
}
"""The name of the list in a Sequence, by the stage."""

_NEVER: Final = 1 << 30  # a step that does not exist


@final
class Stages:
    """All stages but the model, and how the pieces of the vocabulary must be spelled for them."""

    def __init__(
        self,
        spelling: int,
        normalizer: Normalizer | None,
        splitter: Splitter | None,
        pre_tokenizer: PreTokenizer,
        template: Template | None,
        decoder: Decoder,
        spelled: dict[int, str],
    ) -> None:
        self.spelling = spelling
        self.normalizer = normalizer
        self.splitter = splitter
        self.pre_tokenizer = pre_tokenizer
        self.template = template
        self.decoder = decoder
        self.spelled = spelled  # see `Vocabulary`


def stages_of(
    source: str,
    fields: dict[str, object],
    settings: ModelSettings,
    entries: HfVocabulary,
    added: list[AddedToken],
) -> Stages:
    """Returns the stages that the fields of a file name; FormatError for one that cannot be run."""
    normalizers = _steps_of(source, "normalizer", fields["normalizer"])
    splitters = _steps_of(source, "pre_tokenizer", fields["pre_tokenizer"])
    _refuse_put_in(normalizers, splitters)
    byte_level = _on_bytes(normalizers, splitters, added)
    behind = _behind_bytes(splitters)
    mapped = byte_level and not (
        settings.type == "BPE"
        and not (settings.prefix or settings.suffix)
        and has_all_bytes(entries)
        and all(_keeps_characters(step) for step in behind)
    )
    plan = None
    affixed = bool(settings.suffix or (settings.prefix and settings.type == "BPE"))
    # WordPiece finds a prefix in the text itself.
    affixed = affixed or MARK in settings.prefix or " " in settings.prefix
    if not byte_level and not affixed:
        plan = space_plan(normalizers, splitters, entries, added)
    in_alphabet = byte_level and not splitters  # a normalizer writes them, and bytes stand for them
    if in_alphabet:
        normalizers.pop().finish()
    spelling = PLAIN if mapped else BYTE_ALPHABET if byte_level else PLAIN
    if plan is not None:
        spelling = SPACE_MARK
    normalizer = normalizer_of(normalizers, plan.normalizer if plan is not None else _NEVER)
    scanner = None if mapped else scanner_of(splitters)
    splitter: Splitter | None = None
    if scanner is None:
        spaced_from = plan.splitter if plan is not None else _NEVER
        words = splitter_of(splitters, spaced_from, mapped or bool(behind))
        scanner = None if mapped else scanner_like(words)
        if byte_level and isinstance(scanner, ClassScanner) and scanner.drops:
            scanner = (
                None  # a model on bytes reads no rules, so what is dropped must leave the text
            )
        if scanner is None:
            scanner = WholeText()
            splitter = words
            if mapped and in_alphabet:
                splitter = AlphabetSplitter()
            elif behind and not mapped:
                splitter = SplitterSequence([words, BytesSplitter()])
    count = max([entries.size, *[token.id + 1 for token in added]])
    template = template_of(_steps_of(source, "post_processor", fields["post_processor"]), count)
    marked = plan is not None and plan.normalizer < len(normalizers)
    spelled = spellings(added, normalizer, marked, in_alphabet)
    decoders = _steps_of(source, "decoder", fields["decoder"])
    left_out = _left_out(added, spelled)
    decoder = decoder_of(decoders, fields["decoder"] is not None, left_out)
    return Stages(spelling, normalizer, splitter, scanner, template, decoder, spelled)


def _left_out(added: list[AddedToken], spelled: dict[int, str]) -> frozenset[int]:
    """Returns the ids that give no text: special tokens that are also spelled like one."""
    contents = {token.content for token in added if token.special}
    return frozenset(
        [token.id for token in added if spelled.get(token.id, token.content) in contents]
    )


def _steps_of(source: str, stage: str, value: object) -> list[Fields]:
    """Returns the steps of a stage in order; nested sequences are flattened."""
    if value is None:
        return []
    steps: list[Fields] = []
    waiting = [Fields(source, stage, value)]
    while waiting:
        step = waiting.pop()
        if step.type == "Sequence":
            inner = step.objects(_LISTS[stage])
            step.finish()
            inner.reverse()
            waiting.extend(inner)
        else:
            steps.append(step)
    return steps


def _refuse_put_in(normalizers: list[Fields], splitters: list[Fields]) -> None:
    """Raises FormatError for a step that inserts text into an empty one, if a later step iterates over all characters.

    The inserted text corresponds to no character. The reference's ``transform_range`` (``tokenizer/normalizer.rs``)
    then leaves it unchanged and repeats what follows, or panics. After a Prepend of an empty text the first
    character is repeated.
    """
    behind = "ByteLevel" if any(step.type == "ByteLevel" for step in splitters) else ""
    for step in reversed(normalizers):
        if step.type == "Replace":
            if behind and step.take("content") and step.has("pattern"):
                pattern = pattern_of(step, False)
                if pattern is not None and pattern.may_be_empty:
                    raise step.refuse(
                        f"inserts text where its pattern matches nothing, before {behind}"
                    )
        elif step.type != "Prepend":
            behind = step.type
        elif behind and step.has("prepend") and step.take("prepend") == "":
            raise step.refuse(f"inserts an empty text before {behind}")


def _on_bytes(normalizers: list[Fields], splitters: list[Fields], added: list[AddedToken]) -> bool:
    """Returns whether the model gets bytes in GPT-2's alphabet, which no stage before it reads.

    If a normalizer writes them, and something reads them, they stay characters. For pre-tokenizers, see
    `_behind_bytes`.
    """
    if any(step.type == "ByteLevel" for step in splitters):
        return True
    names = [step.type for step in normalizers]
    return (
        not splitters
        and names.count("ByteLevel") == 1
        and names[-1] == "ByteLevel"
        and not any(
            token.normalized and (token.lstrip or token.rstrip or token.single_word)
            for token in added
        )
    )


def _behind_bytes(splitters: list[Fields]) -> list[Fields]:
    """Returns the pre-tokenizers after the first ByteLevel, which see GPT-2's alphabet."""
    for index, step in enumerate(splitters):
        if step.type == "ByteLevel":
            return splitters[index + 1 :]
    return []


def _keeps_characters(step: Fields) -> bool:
    """Returns whether a pre-tokenizer only splits, and drops nothing: all bytes of a text remain."""
    if step.type in ("Split", "Punctuation"):
        return step.take("behavior") != "Removed"
    return step.type in ("Digits", "FixedLength", "UnicodeScripts")


# Where spaces become marks, and whether a space may replace a mark.

_BLIND_NORMALIZERS: Final = ("NFC", "NFD", "Lowercase", "StripAccents")
_BLIND_SPLITTERS: Final = ("Digits", "Punctuation")
"""Stages that treat a space and a mark alike, and write no space themselves (NFKC does)."""


@final
class SpacePlan:
    """The step from which a space stands for a mark: a normalizer's number, then a pre-tokenizer's."""

    def __init__(self, normalizer: int, splitter: int) -> None:
        self.normalizer = normalizer
        self.splitter = splitter


def space_plan(
    normalizers: list[Fields],
    splitters: list[Fields],
    entries: HfVocabulary,
    added: list[AddedToken],
) -> SpacePlan | None:
    """Returns the plan; None if the text keeps its markers, or has none."""
    plan: SpacePlan | None = None
    for index, step in enumerate(normalizers):
        if plan is None:
            if _writes_marks(step):
                plan = SpacePlan(index, 0)
        elif not _is_blind_normalizer(step):
            return None
    for index, step in enumerate(splitters):
        if step.type == "Metaspace" and step.take("replacement") == MARK:
            plan = SpacePlan(len(normalizers), index) if plan is None else plan
        elif plan is not None and not _is_blind_splitter(step):
            return None
    if plan is None or entries.find(MARK) < 0 or entries.has_space():
        return None
    if plan.normalizer < len(normalizers):
        for token in added:
            if token.normalized and (token.lstrip or token.rstrip):
                return None  # which removes spaces from the text with marks, and leaves the marks
    return plan


def _writes_marks(step: Fields) -> bool:
    """Returns whether a normalizer writes a marker for each space."""
    return (
        step.type == "Replace"
        and step.take("pattern") == {"String": " "}
        and step.take("content") == MARK
    )


def _is_blind_normalizer(step: Fields) -> bool:
    if step.type == "Replace":
        content = step.take("content")
        pattern = step.take("pattern")
        return (
            isinstance(pattern, dict)
            and "String" in pattern
            and isinstance(content, str)
            and " " not in content
        )
    if step.type == "Prepend":
        content = step.take("prepend")
        return isinstance(content, str) and " " not in content
    return step.type in _BLIND_NORMALIZERS


def _is_blind_splitter(step: Fields) -> bool:
    if step.type == "Split":
        pattern = step.take("pattern")
        return isinstance(pattern, dict) and "String" in pattern and step.take("invert") is False
    return step.type in _BLIND_SPLITTERS
