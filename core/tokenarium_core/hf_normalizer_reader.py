"""The ``normalizer`` of a `tokenizer.json`.

Source: huggingface/tokenizers, ``normalizers/mod.rs``.
"""

from __future__ import annotations

from tokenarium_core.bert_normalizer import BertNormalizer
from tokenarium_core.hf_fields import Fields
from tokenarium_core.normalizer import Normalizer
from tokenarium_core.space_form import SpaceForm


def normalizer_of(steps: list[Fields], spaced_from: int) -> Normalizer | None:
    """Returns the normalizer of these steps, None where there are none.

    The step with the number ``spaced_from`` makes spaces marks; from there on, a space stands for a mark. Raises
    FormatError for one that cannot be run.
    """
    normalizers: list[Normalizer] = []
    for index, step in enumerate(steps):
        normalizer: Normalizer | None = None
        if index == spaced_from:
            step.take("pattern")
            step.take("content")
            normalizer = SpaceForm()
        else:
            normalizer = _normalizer(step, index > spaced_from)
        step.finish()
        if normalizer is not None:
            normalizers.append(normalizer)
    if len(normalizers) > 1:
        raise steps[1].refuse("follows another normalizer")
    return normalizers[0] if normalizers else None


def _normalizer(step: Fields, spaced: bool) -> Normalizer | None:
    """Returns one normalizer, None for one that changes nothing."""
    name = step.type
    if name == "BertNormalizer":
        strip = step.flag("strip_accents") if step.has("strip_accents") else None
        step.take("strip_accents")
        return BertNormalizer(
            step.flag("clean_text"),
            step.flag("handle_chinese_chars"),
            strip,
            step.flag("lowercase"),
        )
    raise step.refuse(f"is of type {name!r}")
