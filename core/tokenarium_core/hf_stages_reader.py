"""The stages that a `tokenizer.json` names: JSON objects with a ``type``, made into the stages of `Tokenizer`.

What cannot be run exactly is refused by its name and place, never left out.
"""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.decoder import Decoder
from tokenarium_core.hf_fields import Fields
from tokenarium_core.hf_model_reader import ModelSettings
from tokenarium_core.hf_template_reader import template_of
from tokenarium_core.hf_vocabulary_reader import HfVocabulary
from tokenarium_core.normalizer import Normalizer
from tokenarium_core.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers import pre_tokenizer, scanner_for
from tokenarium_core.splitter import Splitter
from tokenarium_core.template import Template
from tokenarium_core.vocabulary import BYTE_ALPHABET
from tokenarium_core.whole_text import WholeText

_LISTS: Final = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
    "decoder": "decoders",
}
"""The name of the list in a Sequence, by the stage."""


def steps_of(source: str, stage: str, value: object) -> list[Fields]:
    """Returns the steps of a stage in order, those of sequences within one another put in their place."""
    if value is None:
        return []
    steps: list[Fields] = []
    waiting = [Fields(source, stage, value)]
    while waiting:
        step = waiting.pop()
        if step.type == "Sequence":
            inner = step.objects(_LISTS[stage])
            step.finish()
            waiting.extend(reversed(inner))
        else:
            steps.append(step)
    return steps


@final
class Stages:
    """All stages but the model, and how they want the pieces of the vocabulary to be spelled."""

    def __init__(
        self,
        spelling: int,
        normalizer: Normalizer | None,
        splitter: Splitter | None,
        pre_tokenizer: PreTokenizer,
        template: Template | None,
        decoder: Decoder | None,
    ) -> None:
        self.spelling = spelling
        self.normalizer = normalizer
        self.splitter = splitter
        self.pre_tokenizer = pre_tokenizer
        self.template = template
        self.decoder = decoder


def stages_of(
    source: str,
    fields: dict[str, object],
    settings: ModelSettings,
    entries: HfVocabulary,
    added: list[AddedToken],
) -> Stages:
    """Returns the stages that the fields of a file name."""
    normalizers = steps_of(source, "normalizer", fields["normalizer"])
    cutters = steps_of(source, "pre_tokenizer", fields["pre_tokenizer"])
    processors = steps_of(source, "post_processor", fields["post_processor"])
    count = max([entries.size, *[token.id + 1 for token in added]])
    scanner = scanner_of_steps(cutters)
    if normalizers:
        raise normalizers[0].refuse(f"is of type {normalizers[0].type!r}")
    if scanner is None:
        raise cutters[0].refuse(f"is of type {cutters[0].type!r}")
    return Stages(BYTE_ALPHABET, None, None, scanner, template_of(processors, count), None)


def scanner_of_steps(steps: list[Fields]) -> PreTokenizer | None:
    """Returns the scanner that cuts as these pre-tokenizers do, None where there is none for them."""
    if not steps:
        return WholeText()
    byte_level = steps[-1]
    if byte_level.type == "ByteLevel" and not byte_level.flag("add_prefix_space", True):
        cuts = byte_level.flag("use_regex", True)
        if cuts and len(steps) == 1:
            return pre_tokenizer("gpt2")
        if not cuts and len(steps) == 1:
            return WholeText()
        if not cuts and len(steps) == 2 and steps[0].type == "Split":
            split = steps[0]
            pattern = split.inner("pattern").take("Regex")
            if isinstance(pattern, str) and split.text("behavior") == "Isolated":
                return None if split.flag("invert", False) else scanner_for(pattern)
    return None
