"""The columns of vocabularies and the orders that they sort into, against plain Python."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from played_models import bpe, unigram, wordpiece
from sentencepiece_models import SMALL, message
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium.models.vocabulary.entry_details import (
    ancestry,
    built_of,
    occurrences,
    same_bytes,
    variants,
)
from tokenarium.models.vocabulary.vocabulary_columns import (
    ColumnPreparation,
    PieceOrder,
    VocabularyColumns,
)
from tokenarium.models.vocabulary.vocabulary_export import EntryWriter
from tokenarium_core.explaining.vocabulary_entries import unreached_pieces

TOKENIZERS: dict[str, Callable[[], tc.Tokenizer]] = {
    "lower": lambda: LOWER,
    "bpe": bpe,
    "unigram": unigram,
    "wordpiece": wordpiece,
}


@pytest.fixture(params=TOKENIZERS)
def columns(request: pytest.FixtureRequest) -> VocabularyColumns:
    """The columns of each of these."""
    return VocabularyColumns(TOKENIZERS[request.param]())


@given(st.lists(st.binary(max_size=7)), st.booleans())
def test_pieces_are_sorted_by_their_bytes(pieces: list[bytes], descending: bool) -> None:
    data = np.frombuffer(b"".join(pieces), np.uint8)
    offsets = np.cumsum([0, *map(len, pieces)], dtype=np.int32)
    order = PieceOrder(data, offsets, descending).finish()
    assert order.tolist() == sorted(range(len(pieces)), key=pieces.__getitem__, reverse=descending)


KEYS: dict[str, Callable[[VocabularyColumns, int], Any]] = {
    "id": lambda c, n: n,
    "text": lambda c, n: c.piece(n),
    "kind": lambda c, n: c.vocabulary.kinds[n],
    "length": lambda c, n: len(c.piece(n)),
    "characters": lambda c, n: len(c.piece(n).decode("utf-8", "ignore")),
    "space": lambda c, n: not c.piece(n).startswith(b" "),
}


@pytest.mark.parametrize("column", KEYS)
@pytest.mark.parametrize("descending", [False, True])
def test_orders_are_stable(columns: VocabularyColumns, column: str, descending: bool) -> None:
    expected = sorted(
        range(columns.count), key=lambda n: KEYS[column](columns, n), reverse=descending
    )
    assert columns.order(column, descending).tolist() == expected


@pytest.mark.parametrize("column", ["script", "value", "flags"])
@pytest.mark.parametrize("descending", [False, True])
def test_the_other_orders_are_whole(
    columns: VocabularyColumns, column: str, descending: bool
) -> None:
    assert sorted(columns.order(column, descending).tolist()) == list(range(columns.count))


def test_scripts_sort_by_their_names(columns: VocabularyColumns) -> None:
    names = [columns.scripts_of(token) for token in columns.order("script").tolist()]
    plain = ["mixed" if " + " in name else name for name in names]
    assert plain == sorted(plain)


def test_ranks_are_those_of_the_merges() -> None:
    columns = VocabularyColumns(LOWER)
    for token in range(256, columns.count):
        made = ancestry(columns, token)
        assert made.ways[0].nodes[-1].rank == columns.values[token]
    assert not columns.has_scores
    assert VocabularyColumns(unigram()).has_scores
    assert not VocabularyColumns(wordpiece()).has_values


def test_what_is_prepared_is_known(columns: VocabularyColumns) -> None:
    preparation = ColumnPreparation(columns)
    steps = 1
    while not preparation.step(0.01).finished:
        steps += 1
    flagged = [n for n in range(columns.count) if "unreachable" in columns.flags_of(n)]
    assert flagged == unreached_pieces(columns.tokenizer.model, 0, columns.count)
    assert columns.reach_is_known
    assert steps > 1


def test_a_tree_goes_down_to_bytes() -> None:
    columns = VocabularyColumns(LOWER)
    token = columns.vocabulary.find(b"lower")
    (way,) = ancestry(columns, token).ways
    nodes = way.nodes
    top = nodes[-1]
    assert top.id == token
    assert [nodes[below].id for below in top.below] == [
        columns.vocabulary.find(b"low"),
        columns.vocabulary.find(b"er"),
    ]
    leaves = [node for node in nodes if not node.below]
    assert (
        b"".join(columns.piece(leaf.id) for leaf in sorted(leaves, key=lambda n: n.start))
        == b"lower"
    )
    assert ancestry(columns, 65).ways == ()


def test_what_is_made_with_an_entry() -> None:
    columns = VocabularyColumns(LOWER)
    find = columns.vocabulary.find
    lefts, rights = built_of(columns, find(b"low"))
    assert lefts.tolist() == [find(b"lower")]
    assert rights.tolist() == [find(b" low")] or rights.tolist() == []
    assert built_of(VocabularyColumns(wordpiece()), 5)[0].tolist() == []


def test_relatives() -> None:
    tokenizer = of_pieces([b"lo", b"low", b" l", b" lo", b" low", b"Lo", b"Low"], "gpt2")
    assert {one.text for one in variants(tokenizer, b"low")} == {" low", "Low"}
    assert variants(tokenizer, b"\xff") == []
    assert same_bytes(b"low", [("a", LOWER), ("b", wordpiece())]) == [
        ("a", LOWER.vocabulary.find(b"low")),
        ("b", -1),
    ]
    encoding = LOWER.encode("low lower low")
    assert occurrences(encoding, LOWER.vocabulary.find(b"low")).tolist() == [[0, 3], [10, 13]]


def written(columns: VocabularyColumns, path: Path) -> None:
    writer = EntryWriter(columns, columns.order("text"), path)
    while not writer.step(0.1).finished:
        pass


def test_csv_and_json_hold_every_row(columns: VocabularyColumns, tmp_path: Path) -> None:
    written(columns, tmp_path / "rows.csv")
    written(columns, tmp_path / "rows.json")
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    entries = json.loads((tmp_path / "rows.json").read_text("utf-8"))["entries"]
    order = columns.order("text").tolist()
    assert [int(row["id"]) for row in rows] == [one["id"] for one in entries] == order
    assert [bytes.fromhex(one["bytes"]) for one in entries] == [columns.piece(n) for n in order]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv", "rows.json"]


def test_json_has_null_for_an_infinite_score(tmp_path: Path) -> None:
    model = tmp_path / "x.model"
    model.write_bytes(message([*SMALL, ("c", float("-inf"), 1)], kind=4).SerializeToString())
    written(VocabularyColumns(tc.open(model)), tmp_path / "rows.json")
    content = (tmp_path / "rows.json").read_text("utf-8")
    entries = json.loads(content, parse_constant=pytest.fail)["entries"]
    assert [one["text"] for one in entries if one["score"] is None] == ["c"]


def test_a_file_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    columns = VocabularyColumns(bpe())
    (tmp_path / "rows.csv").write_text("before")
    writer = EntryWriter(columns, columns.order("id"), tmp_path / "rows.csv")
    writer.step(0.0)
    writer.drop()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]
    with pytest.raises(tc.TokenariumError, match="cannot be written"):
        EntryWriter(columns, columns.order("id"), tmp_path / "missing" / "rows.csv")
