"""The merges of a tokenizer as a list with ids: those of the core, in every order, filtered and written."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from running import run_through
from sentencepiece_models import trained
from small_files import write_file
from small_vocabularies import LOWER

import tokenarium_core as tc
from tokenarium.models.vocabulary.merge_list import (
    MERGE_COLUMNS,
    WRITTEN,
    MergeList,
    MergeListModel,
    MergeOrders,
    pair_in,
)
from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_export import MERGE_HEADS, MergeWriter
from tokenarium.style.fonts import mono_font
from tokenarium_core.explaining import merge_path


def the_list(tokenizer: tc.Tokenizer) -> MergeList:
    return MergeList(VocabularyColumns(tokenizer))


def tuples(merges: MergeList) -> list[tuple[int, int, int]]:
    return [(one.left, one.right, one.made) for one in map(merges.item, range(len(merges)))]


@pytest.fixture
def learned() -> tc.Tokenizer:
    """One whose first merge is that of "e" and " ", the bytes 101 and 32."""
    return tc.train("bpe", ["the one e e e", "e e e"], vocab_size=260, pattern="(?s:.+)")


def test_the_first_merge_is_written_as_in_code(learned: tc.Tokenizer) -> None:
    merges = the_list(learned)
    model = MergeListModel(mono_font())
    model.show_rows(merges, merges.order("rank"))
    assert model.cell(0, WRITTEN) == "(101, 32) → 256"
    assert [model.cell(0, number) for number in range(4)] == ["0", "101", "32", "256"]
    assert model.token_at(0, 1) == 101
    assert model.token_at(0, WRITTEN) == 256


def test_the_merges_are_those_of_the_core(learned: tc.Tokenizer, one_file: Path) -> None:
    for tokenizer in (learned, tc.open(one_file)):
        assert tuples(the_list(tokenizer)) == merge_path.merges(tokenizer)


@pytest.fixture
def one_file(tmp_path: Path) -> Path:
    """A model of SentencePiece, several pairs of which make one piece."""
    return write_file(tmp_path / "small.model", trained("bpe", 800, byte_fallback=True))


@pytest.mark.parametrize("name", ["gemma3.model", "gemma3-tokenizer.json", "mistral-v3.model"])
def test_real_merges_are_those_of_the_core(real: Callable[[str], tc.Tokenizer], name: str) -> None:
    tokenizer = real(name)
    merges = the_list(tokenizer)
    assert tuples(merges) == merge_path.merges(tokenizer)
    assert np.array_equal(np.sort(merges.order("written")), np.arange(len(merges)))
    assert (np.diff(merges.ranks) >= 0).all()


def test_ranks_are_those_of_the_model_and_scores_are_shown_instead(one_file: Path) -> None:
    openai = MergeList(VocabularyColumns(LOWER))
    assert openai.item(0).rank == LOWER.model.merge_rank(openai.item(0).left, openai.item(0).right)
    scored = the_list(tc.open(one_file))
    model = MergeListModel(mono_font())
    model.show_rows(scored, scored.order("rank"))
    assert model.headerData(0, Qt.Orientation.Horizontal) == "Score"
    shown = [float(model.cell(row, 0).replace("−", "-").replace(",", "")) for row in range(20)]
    assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize("column", [column.id for column in MERGE_COLUMNS])
def test_rows_are_sorted_by_what_a_column_shows(learned: tc.Tokenizer, column: str) -> None:
    merges = the_list(learned)
    keys = {
        "rank": lambda one: one.rank,
        "left_id": lambda one: one.left,
        "right_id": lambda one: one.right,
        "id": lambda one: one.made,
        "left": lambda one: learned.vocabulary.piece(one.left),
        "right": lambda one: learned.vocabulary.piece(one.right),
        "text": lambda one: learned.vocabulary.piece(one.made),
        "written": lambda one: (one.left, one.right),
    }
    rising = [keys[column](merges.item(row)) for row in merges.order(column).tolist()]
    assert rising == sorted(rising)
    falling = [keys[column](merges.item(row)) for row in merges.order(column, True).tolist()]
    assert falling == rising[::-1]


def test_numbers_beyond_sixteen_bits_are_sorted() -> None:
    from tokenarium.models.vocabulary.merge_list import _sorted_by

    keys = np.array([70000, -2, 65536, 5, 70000, 131072, 65535], np.int32)
    assert keys[_sorted_by(keys)].tolist() == sorted(keys.tolist())
    assert _sorted_by(keys).tolist() == [1, 3, 6, 2, 0, 4, 5]


def test_all_orders_are_made_ahead(learned: tc.Tokenizer) -> None:
    merges = the_list(learned)
    work = MergeOrders(merges)
    while not (progress := work.step(1.0)).finished:
        assert 0 <= progress.done < progress.total
    assert progress.done == len(MERGE_COLUMNS)


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("(101, 32)", (101, 32)),
        ("101,32", (101, 32)),
        (" ( 1 , 2 ) ", (1, 2)),
        ("101 32", None),
        ("(a, b)", None),
        ("", None),
    ],
)
def test_a_pair_is_understood(line: str, pair: tuple[int, int] | None) -> None:
    assert pair_in(line) == pair


def test_a_pair_and_entries_are_found(learned: tc.Tokenizer) -> None:
    merges = the_list(learned)
    every = merges.order("rank")
    assert merges.of_pair(101, 32, every).tolist() == [0]
    assert merges.of_pair(32, 101, every).tolist() == []
    mask = np.zeros(len(learned.vocabulary), np.bool_)
    mask[256] = True
    assert merges.of_entries(mask, every).tolist() == [0]


def test_merges_are_written_to_files(learned: tc.Tokenizer, tmp_path: Path) -> None:
    merges = the_list(learned)
    for suffix in (".csv", ".json"):
        path = tmp_path / f"merges{suffix}"
        writer = MergeWriter(merges, merges.order("rank"), path)
        run_through(writer, 5.0)
    rows = list(csv.reader((tmp_path / "merges.csv").read_text().splitlines()))
    assert rows[0] == list(MERGE_HEADS)
    assert rows[1] == ["0", "101", "32", "256", "e", " ", "e ", "6520"]
    found = json.loads((tmp_path / "merges.json").read_text())["merges"]
    assert [(one["left"], one["right"], one["id"]) for one in found] == merge_path.merges(learned)
