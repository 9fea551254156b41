"""What becomes of what a pre-tokenizer finds: it is removed, stands alone, or goes with a neighbour."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.patterns.stretches import Stretches
from tokenarium_core.pretokenizers.hf_splitters import Cuts

REMOVED: Final = "Removed"
ISOLATED: Final = "Isolated"
MERGED_WITH_PREVIOUS: Final = "MergedWithPrevious"
MERGED_WITH_NEXT: Final = "MergedWithNext"
CONTIGUOUS: Final = "Contiguous"

BEHAVIORS: Final = [REMOVED, ISOLATED, MERGED_WITH_PREVIOUS, MERGED_WITH_NEXT, CONTIGUOUS]
"""What a tokenizer.json may say, ``behavior`` of Split and Punctuation."""


def check_behavior(behavior: str) -> str:
    """Returns the behaviour; FormatError for an unknown one."""
    if behavior not in BEHAVIORS:
        raise FormatError(
            f"The behavior {behavior!r} of a pre-tokenizer is none of {', '.join(BEHAVIORS)}."
        )
    return behavior


def rules_of(behavior: str, found: str, rest: str) -> list[str]:
    """Returns the names of the rules by which `delimit` cuts: of what lies between, and of what is found."""
    if behavior == REMOVED:
        return [rest]
    if behavior == MERGED_WITH_PREVIOUS:
        return [rest, found, f"{rest} and the {found} behind"]
    if behavior == MERGED_WITH_NEXT:
        return [rest, found, f"{found} and the {rest} behind"]
    return [rest, found]


def delimit(found: Stretches, start: i64, behavior: str, cuts: Cuts) -> None:
    """Adds the parts of a word that begins at byte ``start``, for ``the--end``, where ``-`` was found:

    ==================== ======================
    Removed              ``the`` ``end``
    Isolated             ``the`` ``-`` ``-`` ``end``
    MergedWithPrevious   ``the-`` ``-`` ``end``
    MergedWithNext       ``the`` ``-`` ``-end``
    Contiguous           ``the`` ``--`` ``end``
    ==================== ======================

    Source: ``NormalizedString::split`` of huggingface/tokenizers.
    """
    stops = found.stops
    flags = found.found
    count = found.count
    at = start
    index: i64 = 0
    if behavior == ISOLATED:
        while index < count:
            cuts.add(at, i64(stops[index]), i64(flags[index]))
            at = i64(stops[index])
            index += 1
        return
    while index < count:
        first = at
        rule: i64 = i64(flags[index])
        at = i64(stops[index])
        index += 1
        if behavior == REMOVED:
            if rule:
                continue
        elif behavior == CONTIGUOUS:
            while index < count and i64(flags[index]) == rule:
                at = i64(stops[index])
                index += 1
        elif behavior == MERGED_WITH_PREVIOUS:
            if rule == 0 and index < count and i64(flags[index]):
                rule = 2 if i64(stops[index]) > at else 0
                at = i64(stops[index])
                index += 1
        elif behavior == MERGED_WITH_NEXT:
            if rule and index < count and i64(flags[index]) == 0:
                rule = 2 if at > first else 0
                at = i64(stops[index])
                index += 1
        cuts.add(first, at, rule)
