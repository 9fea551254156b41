"""The longest match beside transformers' own: the nodes of its trie, and what it takes out of a text."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tokenarium_core.explaining.prefix_walk import ADDED, PrefixTrie
from tokenarium_core.prefix_matcher import PrefixMatcher

TOKENS = st.lists(st.text("ab[]é_", min_size=1, max_size=5), min_size=1, max_size=6, unique=True)


def theirs(tokens: list[str]) -> Any:
    from transformers.tokenization_python import Trie  # two seconds, for whoever collects the tests

    trie = Trie()
    for token in tokens:
        trie.add(token)
    return trie


def nodes(level: dict[str, Any]) -> int:
    """Returns how many levels a trie of nested dictionaries has, without the marks of an end."""
    return 1 + sum(nodes(below) for sign, below in level.items() if sign)


def ours(tokens: list[str]) -> PrefixTrie:
    pieces = [token.encode() for token in tokens]
    numbers = list(range(len(pieces)))
    return PrefixTrie(ADDED, pieces, numbers, PrefixMatcher(pieces, numbers))


@given(TOKENS)
@settings(deadline=None)
def test_the_states_over_characters_are_the_nodes_of_their_trie(tokens: list[str]) -> None:
    assert ours(tokens).character_states == nodes(theirs(tokens).data)


@given(TOKENS, st.text("ab[]é_x", max_size=24))
@example(["[CLS]", "extra_id_1", "extra_id_100"], "[CLS] This is a extra_id_100")
@settings(deadline=None)
def test_what_is_taken_is_what_their_trie_cuts_out(tokens: list[str], text: str) -> None:
    data = text.encode()
    cut: list[str] = []
    for place in ours(tokens).walk(data):
        part = data[place.start : place.stop].decode()
        if place.id >= 0 or not cut or cut[-1] in tokens:
            cut.append(part)
        else:
            cut[-1] += part
    assert [part for part in cut if part] == [part for part in theirs(tokens).split(text) if part]
