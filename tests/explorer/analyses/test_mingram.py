"""MinGram beside BPE, against segmentations found by trying all of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.mingram import HOW, MINGRAM
from tokenarium.commands.cli import app
from tokenarium.models.training.mingram import fewest, mingram, pruned, segmented
from tokenarium.models.training.superword_runs import WORDS, chunks_of
from tokenarium.resources.samples_index import load_samples

ENGLISH = next(one for one in load_samples() if one.title == "English").text()
LETTERS = [bytes([letter]) for letter in b"ab"]


def ended(work: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def all_ways(word: bytes, pieces: set[bytes]) -> list[list[bytes]]:
    inner = range(1, len(word))
    ways = [
        [word[begin:end] for begin, end in pairwise([0, *cuts, len(word)])]
        for count in range(len(word))
        for cuts in combinations(inner, count)
    ]
    return [way for way in ways if pieces.issuperset(way)]


@given(
    st.text(alphabet="ab", min_size=1, max_size=8).map(str.encode),
    st.dictionaries(st.text(alphabet="ab", min_size=2, max_size=5).map(str.encode), st.integers(-40, -1), max_size=6),
)  # fmt: skip
def test_a_word_has_the_fewest_pieces_and_then_the_best(
    word: bytes, longer: dict[bytes, int]
) -> None:
    scores = dict.fromkeys(LETTERS, -8.0) | {one: float(own) for one, own in longer.items()}
    found = fewest(word, scores, sorted({len(piece) for piece in scores}))
    assert b"".join(found) == word

    def rank(way: list[bytes]) -> tuple[int, float]:
        return len(way), -sum(scores[piece] for piece in way)

    assert rank(found) == min(map(rank, all_ways(word, set(scores))))


@pytest.mark.parametrize(("first", "second"), [(-1.0, -2.0), (-2.0, -1.0)])
def test_probabilities_decide_between_as_many_pieces(first: float, second: float) -> None:
    scores = {b"a": -9.0, b"b": -9.0, b"aa": first, b"ab": second}
    wanted = [b"aa", b"b"] if first > second else [b"a", b"ab"]
    assert fewest(b"aab", scores, [1, 2]) == wanted


def test_pairs_that_occur_once_are_merged() -> None:
    bpe, _, kept = MINGRAM.run({}, "lorem", entries=300).result
    assert (bpe.tokens, len(bpe.pieces), kept.tokens, len(kept.pieces)) == (1, 260, 1, 257)


def test_a_worked_example() -> None:
    """“ab” is only a step to “abc” in BPE: the fewest tokens never need it."""
    words = {b"abc": 5, b"de": 3, b"fg": 1}
    single = {bytes([letter]): 0 for letter in b"abcdefg"}
    larger = single | {b"ab": 0, b"abc": 5, b"de": 3, b"fg": 1}
    kept = ended(mingram(words, larger, 9))
    assert [piece for piece in kept if len(piece) > 1] == [b"abc", b"de"]
    assert ended(segmented(words, kept)).counts == {b"abc": 5, b"de": 3, b"f": 1, b"g": 1}
    everything = ended(mingram(words, larger, 99))
    assert [piece for piece in everything if len(piece) > 1] == [b"abc", b"de", b"fg"]


def test_pruning_keeps_single_bytes_and_the_most_probable() -> None:
    scores = {b"a": float("-inf"), b"ab": -3.0, b"bc": -1.0, b"cd": -2.0}
    assert list(pruned(scores, 3)) == [b"a", b"bc", b"cd"]
    assert list(pruned(scores, 0)) == [b"a"]


def test_the_rows_are_those_of_the_text() -> None:
    bpe, split, kept = MINGRAM.run({}, ENGLISH, entries=400).result
    tokenizer = tc.train("bpe", [ENGLISH], vocab_size=400, min_frequency=1)
    ids = tokenizer.encode_ids(ENGLISH)
    pieces = tokenizer.vocabulary.piece
    assert bpe.tokens == len(ids)
    assert {piece: count for piece, count in bpe.pieces.items() if count} == Counter(
        map(pieces, ids)
    )
    assert list(bpe.pieces) == [pieces(token) for token in range(400)]
    assert list(split.pieces) == list(bpe.pieces)
    assert kept.tokens < split.tokens < bpe.tokens
    assert len(kept.pieces) <= 400
    assert kept.unused == 0 < bpe.unused
    larger = tc.train("bpe", [ENGLISH], vocab_size=256 + int(144 * 1.1), min_frequency=1)
    assert set(kept.pieces) <= {larger.vocabulary.piece(token) for token in range(414)}
    assert set(kept.only) == set(kept.pieces) - set(bpe.pieces)
    assert set(bpe.only) == set(bpe.pieces) - set(kept.pieces)
    assert [kept.pieces[one] for one in kept.only] == sorted(
        (kept.pieces[one] for one in kept.only), reverse=True
    )


@pytest.mark.parametrize(("overshoot", "larger"), [(1, 400), (1.1, 414), (2.5, 616)])
def test_it_begins_with_so_many_times_the_merges(overshoot: float, larger: int) -> None:
    kept = MINGRAM.run({}, ENGLISH, entries=400, overshoot=overshoot).result[2]
    tokenizer = tc.train("bpe", [ENGLISH], vocab_size=larger, min_frequency=1)
    used = Counter(tokenizer.encode_ids(ENGLISH))
    counts = {tokenizer.vocabulary.piece(token): used[token] for token in range(larger)}
    words = ended(chunks_of(ENGLISH, WORDS))
    assert list(kept.pieces) == list(ended(mingram(words, counts, 400)))


@pytest.mark.parametrize("text", ["", "one", "\ud800 x", "日本語" * 9, "x" * 5000])
def test_short_texts_and_long_words(text: str) -> None:
    answer = MINGRAM.run({}, text)
    assert len({run.tokens for run in answer.result[1:]}) <= 2
    assert [len(run.pieces) >= 256 for run in answer.result] == [True] * 3
    assert MINGRAM.show(answer.inputs, answer.result)


def test_it_is_done_in_slices() -> None:
    inputs = MINGRAM.inputs_for({}, ENGLISH)
    result = MINGRAM.begin(inputs)
    task = MINGRAM.task(inputs, result)
    task.step(0)
    assert (task.finished, result) == (False, [])
    task.run()
    assert len(result) == 3


def test_the_command_needs_no_tokenizer() -> None:
    line = ["mingram", ENGLISH, "--entries", "300"]
    rows = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    answer = MINGRAM.run({}, ENGLISH, entries=300)
    assert [row["tokens"] for row in rows] == [run.tokens for run in answer.result]
    assert HOW in CliRunner().invoke(app, line).stdout
