"""Merges as the simplest training learns them: all pairs are counted again for each merge."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def learned_pairs(
    words: Iterable[Sequence[Any]],
    count: int,
    join: Callable[[tuple[Any, Any], int], Any],
    order: Callable[[tuple[Any, Any], int], Any] = lambda pair, count: count,
) -> list[tuple[tuple[Any, Any], int]]:
    """Returns up to ``count`` pairs of symbols with how often each occurred, in the order in which they were merged.

    ``join`` returns the symbol that a pair and the number of its merge make. The next pair is the one with the
    greatest ``order`` of itself and its count: the most frequent one without it, and the first of several in the text.
    """
    split = [list(word) for word in words]
    learned: list[tuple[tuple[Any, Any], int]] = []
    for number in range(count):
        pairs = Counter(pair for word in split for pair in itertools.pairwise(word))
        if not pairs:
            break
        best = max(pairs, key=lambda pair: order(pair, pairs[pair]))
        learned.append((best, pairs[best]))
        split = [merged(word, best, join(best, number)) for word in split]
    return learned


def merged(symbols: list[Any], pair: tuple[Any, Any], made: Any) -> list[Any]:
    """Returns symbols with a pair merged wherever it occurs, from left to right."""
    result: list[Any] = []
    for symbol in symbols:
        if result and (result[-1], symbol) == pair:
            result[-1] = made
        else:
            result.append(symbol)
    return result


def joined(pair: tuple[str, str], number: int) -> str:
    """Returns the text of both symbols."""
    return "".join(pair)


def ended(words: Iterable[str]) -> list[list[str]]:
    """Returns the characters of words, with ``</w>`` at the last one."""
    return [[*word[:-1], f"{word[-1]}</w>"] for word in words]
