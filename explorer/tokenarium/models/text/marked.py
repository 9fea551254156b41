"""The parts of a text that differ from another one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """Some of a text, and whether it is changed."""

    text: str
    changed: bool


def marked_parts(before: str, after: str, most: int = 120) -> list[MarkedPart]:
    """Returns what a text became, in parts that are changed or not; at most ``most`` characters, from the first change on.

    >>> [(part.text, part.changed) for part in marked_parts("the cat", "the Cat")]
    [('the ', False), ('C', True), ('at', False)]
    """
    from difflib import SequenceMatcher

    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    lead = max(0, start - 24)
    parts = [MarkedPart("… ", False)] if lead else []
    if start > lead:
        parts.append(MarkedPart(after[lead:start], False))
    shown = after[start : lead + most]
    matcher = SequenceMatcher(None, before[start : lead + most], shown, autojunk=False)
    for what, _, _, first, last in matcher.get_opcodes():
        if last > first:
            parts.append(MarkedPart(shown[first:last], what != "equal"))
    if lead + most < len(after):
        parts.append(MarkedPart(" …", False))
    return parts
