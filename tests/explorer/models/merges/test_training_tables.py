"""The tables of a training: its pre-tokens, its pairs at each merge, and what a merge changes; sorted, filtered, written."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.models.merges.training_story import MergeStory
from tokenarium.models.merges.training_tables import (
    StoryTable,
    StoryTables,
    TableWriter,
    ordered,
    typed,
)
from tokenarium_core.training import NAIVE, WORDS, BpeTrainer, PairLedger, PairRecord

TEXT = "the other then there, this that thing: the weather there. مرحبا 日本語 🎉 " * 3
WHOLE = tc.pattern(r"(?s).+")


def tables_of(
    texts: list[str],
    merges: int,
    cutter: tc.PreTokenizer | None = None,
    strategy: str = WORDS,
    **options: str,
) -> StoryTables:
    record = PairRecord(4, PairLedger())
    trainer = BpeTrainer(
        cutter or tc.pre_tokenizer("gpt2"),
        256 + merges,
        texts,
        min_frequency=1,
        strategy=strategy,
        record=record,
        **options,
    )
    trainer.run()
    tables = MergeStory(trainer, record).tables
    assert tables is not None
    return tables


def shown(table: StoryTable, query: str = "") -> list[list[str]]:
    column, descending = table.sorted_by
    items = table.rows(column, descending, query).tolist()
    return [[table.cell(item, n) for n in range(len(table.titles))] for item in items]


def test_the_changes_of_a_merge_as_a_textbook_shows_them() -> None:
    """1 2 3 4 and 2 3 once more: (2, 3) becomes 256, (1, 2) and (3, 4) go, (1, 256) and (256, 4) come."""
    tables = tables_of(["\x01\x02\x03\x04", "\x02\x03"], 1, WHOLE)
    assert [row[0:2] for row in shown(tables.pair_table)] == [
        ["(2, 3)", "2"],
        ["(1, 2)", "1"],
        ["(3, 4)", "1"],
    ]
    assert tables.changes.sentence(0).startswith("No merge yet")
    tables.go_to(1)
    assert {tuple(row[:4]) for row in shown(tables.changes)} == {
        ("(2, 3)", "2", "0", "−2"),
        ("(1, 2)", "1", "0", "−1"),
        ("(3, 4)", "1", "0", "−1"),
        ("(1, 256)", "0", "1", "+1"),
        ("(256, 4)", "0", "1", "+1"),
    }
    assert tables.changes.sentence(5) == "(2, 3) → 256: 5 counts changed; 2 pairs are new, 3 gone"


def test_a_pair_in_a_row_of_tokens() -> None:
    """5 6 6 7 9 1, where (6, 7) is the most frequent pair: 5 6 256 9 1."""
    row = "".join(map(chr, (5, 6, 6, 7, 9, 1)))
    tables = tables_of([row, "\x06\x07"], 1, WHOLE)
    tables.go_to(1)
    words = tables.pre_tokens
    (item,) = (n for n in range(len(words)) if len(words.piece(n)) == 6)
    assert words.tokens(item) == [5, 6, 256, 9, 1]


def test_a_pair_counts_as_often_as_its_word() -> None:
    tables = tables_of(["low low low lower"], 3)
    assert shown(tables.pre_tokens)[0][:3] == ["␣low", "2", "4"]
    counts = {row[0]: int(row[1]) for row in shown(tables.pair_table)}
    assert counts["(111, 119)"] == 4  # in "low", twice " low", and " lower"
    assert counts["(119, 101)"] == 1


def test_pre_tokens_are_those_of_the_pattern() -> None:
    """The words of GPT-2's pattern, with the blank before each."""
    tables = tables_of(["Let's consider tokenization word-by-word"], 1)
    words = Counter({row[0]: int(row[1]) for row in shown(tables.pre_tokens)})
    assert words == Counter(
        ["Let", "'s", "␣consider", "␣tokenization", "␣word", "-", "by", "-", "word"]
    )
    assert tables.pre_tokens.sentence(8) == "8 different pre-tokens, 9 in all"


@settings(max_examples=20)
@given(
    texts=st.lists(st.text("ab c", max_size=30), min_size=1, max_size=3),
    path=st.lists(st.integers(0, 9), max_size=6),
)
def test_any_way_through_the_steps_gives_the_same_counts(texts: list[str], path: list[int]) -> None:
    tables = tables_of(texts, 8)
    words = tables.pre_tokens
    for step in path:
        tables.go_to(step)
        counts: Counter[tuple[int, int]] = Counter()
        for item in range(len(words)):
            for pair in pairwise(words.tokens(item)):
                counts[pair] += int(words.counts[item])
        there = {
            (int(tables.lefts[n]), int(tables.rights[n])): int(tables.counts[n])
            for n in np.flatnonzero(tables.counts)
        }
        assert there == counts


def test_pairs_are_in_the_order_in_which_they_are_merged() -> None:
    for strategy, tie in ((WORDS, "smallest ids"), (NAIVE, "first seen")):
        tables = tables_of([TEXT], 20, strategy=strategy, tie_break=tie)
        for step in range(20):
            tables.go_to(step)
            first = int(tables.pair_table.rows(1, True, "")[0])
            tables.go_to(step + 1)
            merge = tables.merge()
            assert merge == (int(tables.lefts[first]), int(tables.rights[first]), 256 + step)
            assert tables.becomes[first] == 256 + step


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("(116, 104)", {"(116, 104)"}),
        ("116 104", {"(116, 104)"}),
        ("th", {"(116, 104)"}),
        ("␣ﬁ", set()),
        ("語", set()),
    ],
)
def test_a_filter_finds_ids_and_texts(query: str, found: set[str]) -> None:
    tables = tables_of([TEXT], 1)
    assert {row[0] for row in shown(tables.pair_table, query)} == found


def test_a_filter_finds_what_two_tokens_hold_together() -> None:
    tables = tables_of([TEXT], 30)
    for step in (0, 7, 30):
        tables.go_to(step)
        for query in ("the", "e", "h,", "日"):
            wanted = query.encode()
            items = tables.pair_table.rows(1, True, query).tolist()
            joined = {
                n: tables.pieces[tables.lefts[n]] + tables.pieces[tables.rights[n]]
                for n in np.flatnonzero(tables.counts).tolist()
            }
            assert set(items) == {n for n, piece in joined.items() if wanted in piece}
    words = tables.pre_tokens
    items = words.rows(1, True, "the").tolist()
    assert items == [n for n in words.rows(1, True, "").tolist() if b"the" in words.piece(n)]
    assert typed("␣the⏎") == b" the\n"


def test_tables_sort_by_each_column_both_ways() -> None:
    tables = tables_of([TEXT], 12)
    tables.go_to(9)
    for table in (tables.pair_table, tables.changes, tables.pre_tokens):
        for column in range(len(table.titles)):
            if column in table.unsorted:
                continue
            up, down = (table.rows(column, d, "").tolist() for d in (False, True))
            assert sorted(up) == sorted(down)
            if column in table.numbers:
                cells = [table.cell(n, column) for n in up]
                values = [int(c.replace(",", "").replace("−", "-") or -1) for c in cells]
                assert values == sorted(values)


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.sampled_from([0, 1 << 40])), max_size=20),
    st.booleans(),
)
def test_equal_keys_keep_their_order_either_way(
    rows: list[tuple[int, int]], descending: bool
) -> None:
    keys = np.array([a + b for a, b in rows], dtype=np.int64)
    order = ordered(keys, np.arange(len(keys)), descending).tolist()
    sign = -1 if descending else 1
    assert order == sorted(range(len(keys)), key=lambda n: (sign * int(keys[n]), n))


def test_a_table_is_written_in_slices(tmp_path: Path) -> None:
    tables = tables_of([TEXT], 5)
    tables.go_to(3)
    for table in (tables.pre_tokens, tables.pair_table, tables.changes):
        column, descending = table.sorted_by
        rows = table.rows(column, descending, "")
        path = tmp_path / f"{table.name}.csv"
        writer = TableWriter(table, rows, path)
        while not writer.step(0.01).finished:
            pass
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        assert tuple(lines[0]) == table.keys
        assert len(lines) == 1 + len(rows)
        assert lines[1] == [str(value) for value in table.values(int(rows[0]))]
    dropped = TableWriter(tables.pair_table, rows, tmp_path / "dropped.csv")
    dropped.drop()
    assert not (tmp_path / "dropped.csv").exists()
