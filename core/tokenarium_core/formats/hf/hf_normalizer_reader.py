"""The ``normalizer`` of a `tokenizer.json`.

Source: huggingface/tokenizers, ``normalizers/mod.rs``.
"""

from __future__ import annotations

from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.formats.hf.hf_splitter_reader import pattern_of
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
from tokenarium_core.pretokenizers.spelling_splitters import MARK


def normalizer_of(steps: list[Fields], spaced_from: int) -> Normalizer | None:
    """Returns the normalizer of these steps, None where there are none.

    The step with the number ``spaced_from`` makes spaces marks; behind it, a space stands for a mark. Raises
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
