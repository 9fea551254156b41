"""The stages that a `tokenizer.json` names: JSON objects with a ``type``, made into the stages of `Tokenizer`.

What cannot be run exactly is refused by its name and place, never left out.
"""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.hf_fields import Fields
from tokenarium_core.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers import pre_tokenizer, scanner_for
from tokenarium_core.splitter import Splitter
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
class ByteLevelCuts:
    """How a byte-level tokenizer cuts: by a scanner where there is one, else by a splitter."""

    def __init__(self, cutter: PreTokenizer, splitter: Splitter | None) -> None:
        self.cutter = cutter
        self.splitter = splitter


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
