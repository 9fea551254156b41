"""Where in the stages of a `tokenizer.json` spaces become marks (``▁``), and whether a space may stand for a mark.

In *space form* (see `vocabulary`) the marks of the text and of the pieces are spaces. Seen from the ids, nothing
changes as long as no later stage can tell one from the other, and no piece has a real space. Where that is not
sure, the text gets real marks, as in the reference: this is only slower.
"""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary
from tokenarium_core.pretokenizers.spelling_splitters import MARK

_BLIND_NORMALIZERS: Final = ("NFC", "NFD", "Lowercase", "StripAccents")
_BLIND_SPLITTERS: Final = ("Digits", "Punctuation")
"""Stages to which a space and a mark are the same, and which write no space themselves (NFKC does)."""


@final
class SpacePlan:
    """From which step on a space stands for a mark: a normalizer's number, then a pre-tokenizer's."""

    def __init__(self, normalizer: int, splitter: int) -> None:
        self.normalizer = normalizer
        self.splitter = splitter


def space_plan(
    normalizers: list[Fields],
    splitters: list[Fields],
    entries: HfVocabulary,
    added: list[AddedToken],
) -> SpacePlan | None:
    """Returns the plan, None where the text keeps its marks, or has none."""
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
                return None  # which takes blanks in the text that has marks, and leaves the marks
    return plan


def _writes_marks(step: Fields) -> bool:
    """Tells whether a normalizer writes a mark for each space."""
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
