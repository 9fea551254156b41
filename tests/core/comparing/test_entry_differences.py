"""The order of merges: it is no difference only where no text can show it."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from differing_pairs import opened

import tokenarium_core as tc
from tokenarium_core import COMPILED
from tokenarium_core.comparing.entry_differences import EntryLists

pytestmark = pytest.mark.core

LETTERS = "abcd"


def merger(merges: list[tuple[str, str]], path: Path) -> tc.Tokenizer:
    """Returns BPE of letters with these merges; the ids do not depend on their order."""
    entries = [*LETTERS, *sorted({left + right for left, right in merges})]
    model = {
        "type": "BPE",
        "vocab": {entry: id for id, entry in enumerate(entries)},
        "merges": [list(pair) for pair in merges],
    }
    return opened({"added_tokens": [], "model": model}, path)  # fmt: skip


def random_merges(rng: Random) -> list[tuple[str, str]]:
    """Returns merges whose parts are made before them."""
    symbols = list(LETTERS)
    merges: list[tuple[str, str]] = []
    for _ in range(rng.randrange(2, 7)):
        pair = (rng.choice(symbols), rng.choice(symbols))
        if pair not in merges and pair[0] + pair[1] not in symbols:
            merges.append(pair)
            symbols.append(pair[0] + pair[1])
    return merges


def test_an_order_that_is_no_difference_changes_nothing(tmp_path: Path) -> None:
    rng = Random(7)
    texts = ["".join(one) for size in range(2, 6) for one in product(LETTERS, repeat=size)]
    same = different = 0
    for _ in range(400 if COMPILED else 20):
        merges = random_merges(rng)
        moved = merges.copy()
        for _ in range(rng.choice([1, 1, 2])):
            at = rng.randrange(len(moved))
            moved.insert(rng.randrange(len(moved)), moved.pop(at))
        if moved == merges:
            continue
        a, b = merger(merges, tmp_path / "a.json"), merger(moved, tmp_path / "b.json")
        if EntryLists(a, b).merges():
            different += 1
            continue
        same += 1
        for text in texts:
            assert a.encode_ids(text) == b.encode_ids(text), (merges, moved, text)
    assert min(same, different) > (50 if COMPILED else 2)


def test_the_order_of_two_merges_that_compete_is_a_difference(tmp_path: Path) -> None:
    merges = [("a", "b"), ("b", "c"), ("c", "d")]
    a = merger(merges, tmp_path / "a.json")
    b = merger([merges[1], merges[0], merges[2]], tmp_path / "b.json")
    [(what, shown_a, shown_b, probes)] = EntryLists(a, b).merges()
    assert what == "the order of 1 merge"
    assert (shown_a, shown_b) == ("'a b' at 0", "'a b' at 1")
    assert probes == ["abc"]
    found = tc.diff(a, b)
    assert found.first is not None
    assert (found.first.text, found.first.stage) == ("abc", "merges")
    assert "A merges 'a' and 'b', where B merges 'b' and 'c'" in found.sentence
