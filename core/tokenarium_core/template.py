"""The last stage: the ids that a tokenizer puts around a text, such as ``<bos>`` or ``[CLS]`` and ``[SEP]``."""

from __future__ import annotations

from typing import final


@final
class Template:
    """The ids before and after a single text, and how the file writes the rule down."""

    def __init__(self, name: str, before: list[int], after: list[int]) -> None:
        self.name = name
        self.before = before
        self.after = after
