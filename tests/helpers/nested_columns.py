"""The tokens that the columns of `NestedCuts` describe, byte by byte, in the simplest way, without numpy."""

from __future__ import annotations

import tokenarium_core as tc
from tokenarium_core.models.nested_cuts import NOTHING, NestedCuts


def nested(tokenizer: tc.Tokenizer, text: str, budget_ms: float = 1e9) -> NestedCuts:
    """Returns the finished cuts of a text."""
    cuts = tokenizer.nested_cuts(text)
    while not cuts.step(budget_ms).finished:
        pass
    return cuts


def ids_at(cuts: NestedCuts, number: int) -> list[int]:
    """Returns the ids of the text by the first ``number`` merges."""
    ids: list[int] = []
    latest = 0
    for at in range(cuts.size):
        level = int(cuts.levels[at])
        if level > number:
            ids.append(int(cuts.firsts[at]))
            latest = 0
        elif int(cuts.orders[at]) > latest:
            latest = int(cuts.orders[at])
            ids[-1] = int(cuts.results[at])
    return [token for token in ids if token != NOTHING]
