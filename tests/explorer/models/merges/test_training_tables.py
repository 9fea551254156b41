"""The tables of a training: its pre-tokens, its pairs at each merge, and what a merge changes; sorted, filtered, written."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from narrowed import of_kind
from running import run_through, run_whole

from tokenarium.models.merges.piece_tables import PieceTables
from tokenarium.models.merges.training_story import MergeStory, story_of
from tokenarium.models.merges.training_tables import (
    LONGEST,
    PreTokenTable,
    StepTables,
    StoryTable,
    StoryTables,
    TableWriter,
    ordered,
    typed,
)
from tokenarium.models.text.piece import readable
from tokenarium_core.pretokenizers.pattern import pattern
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training import (
    ALGORITHMS,
    INCREMENTAL,
    NAIVE,
    WORDS,
    BpeTrainer,
    PairLedger,
    PairRecord,
    UnigramRecord,
    make_trainer,
)

TEXT = "the other then there, this that thing: the weather there. مرحبا 日本語 🎉 " * 3
WHOLE = pattern(r"(?s).+")


def tables_of(
    texts: list[str],
    merges: int,
    cutter: PreTokenizer | None = None,
    strategy: str = WORDS,
    **options: str,
) -> StoryTables:
    record = PairRecord(4, PairLedger())
    trainer = run_whole(
        BpeTrainer(
            cutter or pre_tokenizer("gpt2"),
            256 + merges,
            texts,
            min_frequency=1,
            strategy=strategy,
            record=record,
            **options,
        )
    )
    return of_kind(MergeStory(trainer, record).tables, StoryTables)


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
    for strategy, tie in (
        (WORDS, "smallest ids"),
        (NAIVE, "first seen"),
        (INCREMENTAL, "tokenizers"),
    ):
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
        pieces = [piece.decode("utf-8", "ignore") for piece in tables.pieces]
        longest = max(pieces, key=len)
        for query in ("the", "e", "h,", "日", longest + "e", "e" + longest, "x" * 30_000):
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
        run_through(writer, 0.01)
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        assert tuple(lines[0]) == table.keys
        assert len(lines) == 1 + len(rows)
        assert lines[1] == [str(value) for value in table.values(int(rows[0]))]
    dropped = TableWriter(tables.pair_table, rows, tmp_path / "dropped.csv")
    dropped.drop()
    assert not (tmp_path / "dropped.csv").exists()


def story_tables(algorithm: str, size: int, **options: object) -> StepTables:
    """The tables of a training of any algorithm on the text."""
    scores = ALGORITHMS[algorithm].scores_pieces
    record = UnigramRecord() if scores else PairRecord(4, PairLedger())
    trainer = run_whole(
        make_trainer(algorithm, [TEXT], vocab_size=size, record=record, **dict[str, Any](options))
    )
    tables = story_of(trainer, record).tables
    assert tables is not None
    return tables


def test_superbpe_lists_words_first_then_what_its_second_stage_cuts() -> None:
    tables = of_kind(story_tables("superbpe", 330, transition=300), StoryTables)
    words = tables.pre_tokens
    assert ["␣the", "5"] in [row[:2] for row in shown(words)]
    assert not words.follows
    transition = tables.recounted - 1
    tables.go_to(transition + 1)
    assert words.follows
    rows = shown(words)
    assert any("the␣weather" in row[0] for row in rows)
    assert "second stage" in words.sentence(len(rows))
    assert "across words" in tables.changes.sentence(0)
    tables.go_to(transition + 2)
    assert "across words" not in tables.changes.sentence(0)


@pytest.mark.parametrize(
    ("algorithm", "options", "size"),
    [
        ("superbpe", {}, 330),
        ("sentencepiece-bpe", {}, 120),
        ("wordpiece", {"scoring": "ratio"}, 90),
        ("wordpiece", {"scoring": "likelihood"}, 90),
    ],
)
def test_the_next_merge_is_the_first_row_that_may_be_merged(
    algorithm: str, options: dict[str, object], size: int
) -> None:
    tables = of_kind(story_tables(algorithm, size, **options), StoryTables)
    pairs = tables.pair_table
    column, _ = pairs.sorted_by
    assert pairs.titles[column] == ("Score" if tables.scoring else "Count")
    for step in range(0, len(tables.becomes[tables.becomes >= 0]), 7):
        tables.go_to(step)
        rows = pairs.rows(column, True, "").tolist()
        there = [n for n in rows if tables.counts[n] >= tables.least]
        tables.go_to(step + 1)
        merge = tables.merge()
        assert merge is not None
        if step + 1 == tables.recounted:
            continue  # it was chosen among pairs that were counted again
        made = next(n for n in there if pairs.cell(n, 0) == f"({merge[0]}, {merge[1]})")
        tables.go_to(step)
        better = [n for n in there if tables.scores[n] > tables.scores[made]]
        # None scores more, but for pairs that make no piece: those of a piece that is there already, or too long.
        assert all(tables.becomes[n] < 0 for n in better)


def test_wordpiece_shows_its_scores() -> None:
    tables = of_kind(story_tables("wordpiece", 90, scoring="ratio"), StoryTables)
    rows = shown(tables.pair_table)
    assert len(rows[0]) == len(tables.pair_table.titles) == 6
    often = [float(row[5]) for row in rows if int(row[1]) > 1]
    assert [float(row[5]) for row in rows[: len(often)]] == often == sorted(often, reverse=True)
    said = tables.pair_table.sentence(len(rows))
    assert said.endswith(f"the {len(often)} that occur 2 times or more may be merged")


@pytest.mark.parametrize("algorithm", ["unigram", "fsp-unigram"])
def test_unigram_has_its_words_pieces_and_changes(algorithm: str) -> None:
    tables = of_kind(story_tables(algorithm, 70), PieceTables)
    words, pieces, changes = tables.tables
    assert [table.name for table in tables.tables] == ["Words", "Pieces", "Changes"]
    assert changes.sentence(0).startswith("This is the seed")
    assert not len(changes.rows(3, False, ""))
    for place, step in enumerate(tables.record.steps):
        tables.go_to(place)
        rows = pieces.rows(*pieces.sorted_by, "").tolist()
        assert len(rows) == step.before
        assert sum(pieces.lacks(item) for item in rows) == step.before - step.left
        for table in tables.tables:
            for column in range(len(table.titles)):
                if column not in table.unsorted:
                    up, down = (table.rows(column, d, "").tolist() for d in (False, True))
                    assert sorted(up) == sorted(down)
        items = changes.rows(3, False, "").tolist()
        if place:
            before = tables.record.pieces(place - 1)
            after = tables.record.pieces(place)
            changed = {text for text in before | after if before.get(text) != after.get(text)}
            names = {tables.record.texts[tables.shown.numbers[item]] for item in items}
            assert names == changed
        assert all(len(table.values(0)) == len(table.keys) for table in (words, pieces))
    assert shown(words, "the")
    item = int(words.rows(1, True, "the")[0])
    assert isinstance(words, PreTokenTable)
    assert "".join(map(words.text, words.tokens(item))) == readable(words.piece(item))


@given(st.lists(st.binary(max_size=20), min_size=1, max_size=20, unique=True))
def test_pre_tokens_sort_by_their_bytes(pieces: list[bytes]) -> None:
    trainer = BpeTrainer(WHOLE, 256, ["a"])
    tables = StepTables()
    table = PreTokenTable(tables, trainer)
    ends = np.cumsum([len(piece) for piece in pieces])
    table._data, table._ends = b"".join(pieces), ends.astype(np.int64)
    table._sizes = np.diff(table._ends, prepend=0)
    table.counts = np.ones(len(pieces), dtype=np.int64)
    table._words = len(pieces)
    assert [pieces[n] for n in table.rows(0, False, "").tolist()] == sorted(pieces)


def test_a_long_pre_token_is_not_cut() -> None:
    tables = tables_of(["a" * (LONGEST + 1)], 1, WHOLE)
    assert tables.pre_tokens.cell(0, 3) == ""
    assert "longer than" in tables.pre_tokens.cell(0, 4)
