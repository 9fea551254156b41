"""Which ids mark the beginning and the end of a text, and which of them a tokenizer adds by default.

Sources: ``bos_id`` and ``eos_id`` of sentencepiece's ``sentencepiece_processor.cc`` (the control pieces that the
trainer names, by default ``<s>`` and ``</s>``); ``bos_token`` and ``eos_token`` in the settings of a model folder;
huggingface/tokenizers, whose post-processor adds its tokens by default.
"""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.details import Detail
from tokenarium_core.encoding import Template

_BEGINNINGS: Final = [
    "<s>",
    "<bos>",
    "<|begin_of_text|>",
    "<｜begin▁of▁sentence｜>",
    "[BOS]",
    "<|startoftext|>",
]
_ENDS: Final = [
    "</s>",
    "<eos>",
    "<|end_of_text|>",
    "<｜end▁of▁sentence｜>",
    "[EOS]",
    "<|endoftext|>",
]


@final
class TextEnds:
    """The ids around a text: ``bos`` before it, ``eos`` after it; empty if a tokenizer has none.

    ``adds_bos``, ``adds_eos``: whether its post-processor adds them by default; ``rule`` is its name,
    empty if there is none. sentencepiece and tiktoken add nothing by default.
    """

    def __init__(
        self, bos: list[int], eos: list[int], adds_bos: bool, adds_eos: bool, rule: str
    ) -> None:
        self.bos = bos
        self.eos = eos
        self.adds_bos = adds_bos
        self.adds_eos = adds_eos
        self.rule = rule

    def chosen(self, add_bos: bool, add_eos: bool) -> Template | None:
        """Returns the ids to add around a text; None for none."""
        before = self.bos if add_bos else []
        after = self.eos if add_eos else []
        if not before and not after:
            return None
        return Template("add_bos, add_eos", before, after)


def text_ends(
    special: dict[str, int], details: list[Detail], template: Template | None, format: str
) -> TextEnds:
    """Returns the text ends of a tokenizer, from its special tokens, its settings and its template.

    The settings take precedence, then the template, then the usual names of such tokens; in a SentencePiece model
    only its own settings count, as in sentencepiece.
    """
    if format == "sentencepiece":
        first = _named(special, details, "bos_piece", ["<s>"])
        last = _named(special, details, "eos_piece", ["</s>"])
        return TextEnds(first, last, False, False, "")
    before = template.before if template is not None else []
    after = template.after if template is not None else []
    by_itself = format != "tekken"
    return TextEnds(
        before if before else _named(special, details, "bos_token", _BEGINNINGS),
        after if after else _named(special, details, "eos_token", _ENDS),
        by_itself and len(before) > 0,
        by_itself and len(after) > 0,
        template.name if template is not None and by_itself else "",
    )


def _named(
    special: dict[str, int], details: list[Detail], setting: str, usual: list[str]
) -> list[int]:
    """Returns the id of the special token that a setting names, else of the first of the usual names."""
    for detail in details:
        if detail.name == setting:
            token = special.get(detail.value, -1)
            return [token] if token >= 0 else []
    for name in usual:
        if name in special:
            return [special[name]]
    return []
