"""What superwords gain and cost, with the words of a text in order and shuffled."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.superwords import EXACT, SAME, SUPERWORDS
from tokenarium.commands.cli import app
from tokenarium.models.training.superword_runs import shuffled
from tokenarium_core.explaining.vocabulary_entries import words_in
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.scanners import pre_tokenizer

CHOICE = random.Random(5)
WORDS = ["cat", "dog", "sun", "sea", "hat", "bell", "road", "lamp", "boat", "tree", "hill"]
LINES = [
    " ".join(CHOICE.choice(["at the end of the day", *WORDS]) for _ in range(10)) for _ in range(60)
]
PHRASES = "\n".join(LINES)
"""A text in which only one phrase repeats; its words occur nowhere else."""

SIZES = {"entries": 304, "first": 0.75}
TRANSITION = 292


def pre_tokens(text: str, pattern: str) -> list[bytes]:
    data, begin, found = text.encode(), 0, []
    for end in cut(pre_tokenizer(pattern), text).ends:
        found.append(data[begin:end])
        begin = end
    return found


@given(st.text(alphabet="ab1'é中िs.,!\n\t\r\u00a0  ", max_size=60), st.integers(0, 99))
def test_shuffling_keeps_every_pre_token(text: str, seed: int) -> None:
    other = shuffled(text, seed)
    assert Counter(pre_tokens(other, "cl100k")) == Counter(pre_tokens(text, "cl100k"))
    assert [line.split(" ")[0] for line in other.split("\n")] == [
        line.split(" ")[0] for line in text.split("\n")
    ]


def test_shuffling_is_repeatable_and_changes_the_order() -> None:
    assert shuffled(PHRASES, 1) == shuffled(PHRASES, 1) != shuffled(PHRASES, 2)
    assert shuffled(PHRASES, 1) != PHRASES


def test_only_the_text_in_order_has_phrases_to_learn() -> None:
    bpe, ordered, mixed = SUPERWORDS.run({}, PHRASES, **SIZES).result
    phrase = b" at the end of"
    assert phrase in ordered.superwords
    assert phrase not in mixed.superwords
    assert not bpe.superwords
    assert max(map(words_in, ordered.superwords)) == 4 > max(map(words_in, mixed.superwords))
    assert ordered.ratio > 1.1 * mixed.ratio
    assert ordered.ratio > 1.1 * bpe.ratio


def test_the_figures_are_those_of_trainings_by_hand() -> None:
    answer = SUPERWORDS.run({}, PHRASES, seed=3, **SIZES)
    other = shuffled(PHRASES, 3)
    by_hand = [
        tc.train("bpe", [PHRASES], vocab_size=304),
        *(tc.train("superbpe", [one], vocab_size=304, transition=TRANSITION) for one in (PHRASES, other)),
    ]  # fmt: skip
    corpora = [(PHRASES, "cl100k"), (PHRASES, "superbpe"), (other, "superbpe")]
    for run, tokenizer, (corpus, pattern) in zip(answer.result, by_hand, corpora, strict=True):
        assert run.tokens == len(tokenizer.encode_ids(PHRASES))
        assert run.sizes[-1] == (304, len(tokenizer.encode_ids(corpus)))
        assert run.bytes == len(PHRASES.encode())
        chunks = pre_tokens(corpus, pattern)
        assert (run.chunks, run.distinct) == (len(chunks), len(set(chunks)))
    assert [run.merges for run in answer.result] == [0, 304 - TRANSITION, 304 - TRANSITION]
    half = tc.train("bpe", [PHRASES], vocab_size=TRANSITION)
    held = [len(half.encode_ids(word.decode())) for word in set(pre_tokens(PHRASES, "cl100k"))]
    whole = len(half.encode_ids(PHRASES))
    assert [run.symbols for run in answer.result] == [sum(held), whole, whole]


def test_the_curves_part_at_the_transition() -> None:
    answer = SUPERWORDS.run({}, PHRASES, **SIZES)
    shown: Any = SUPERWORDS.show(answer.inputs, answer.result)["curves"]
    bpe, ordered, mixed = (dict(curve.points) for curve in shown.chart.curves)
    [mark] = shown.chart.marks
    assert mark.at == TRANSITION
    assert bpe[TRANSITION] == ordered[TRANSITION] == mixed[TRANSITION]
    assert ordered[304] > mixed[304]


@pytest.mark.parametrize(
    "text", ["", "日本語は空白がない。" * 5, "one two", "a a a a a", "\ud800 x y \ud800"]
)
def test_texts_without_words_to_shuffle(text: str) -> None:
    answer = SUPERWORDS.run({}, text)
    assert SAME in SUPERWORDS.remarks(answer.inputs, answer.result) or " x y " in text
    assert len(answer.rows) == 3
    assert SUPERWORDS.show(answer.inputs, answer.result)


@pytest.mark.parametrize("first", [0, 1])
def test_a_phase_may_have_no_merges(first: int) -> None:
    bpe, ordered, _ = SUPERWORDS.run({}, PHRASES, entries=300, first=first).result
    assert (ordered.merges, ordered.tokens == bpe.tokens) == ((0, True) if first else (44, False))
    assert ordered.symbols == (bpe.tokens if first else len(PHRASES))


def test_it_is_done_in_slices() -> None:
    inputs = SUPERWORDS.inputs_for({}, PHRASES * 20)
    result = SUPERWORDS.begin(inputs)
    task = SUPERWORDS.task(inputs, result)
    task.step(0)
    assert not task.finished
    assert result == []
    task.run()
    assert len(result) == 3


def test_the_command_needs_no_tokenizer() -> None:
    line = ["superwords", PHRASES, "--entries", "304", "--first", "0.75"]
    rows = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    answer = SUPERWORDS.run({}, PHRASES, **SIZES)
    assert [row["tokens"] for row in rows] == [run.tokens for run in answer.result]
    assert EXACT in CliRunner().invoke(app, line).stdout
