"""The records of trainings: what each step did, which changes nothing."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import run_whole

from tokenarium_core import COMPILED
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.merging.pair_record import EMPTY, PairRecord
from tokenarium_core.training.trainer import Trainer
from tokenarium_core.training.unigram.unigram_record import (
    EM,
    NO_LOSS,
    PRUNING,
    SEED,
    SELECTION,
    UnigramRecord,
)

WIDTH = 4
WORDS = "the other then there, this that thing: the weather there. low lower lowest newer wider "
CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("bpe", 280, {}),
    ("bpe", 280, {"strategy": "words"}),
    ("bpe", 280, {"strategy": "naive", "tie_break": "first seen"}),
    ("bpe", 280, {"tie_break": "tokenizers", "max_token_length": 3}),
    ("bpe", 280, {"strategy": "words", "tie_break": "tokenizers", "max_token_length": 3}),
    ("bpe", 280, {"min_frequency": 9}),
    ("superbpe", 290, {"transition": 270}),
    ("superbpe", 290, {"transition": 262, "across_punctuation": False}),
    ("sentencepiece-bpe", 60, {}),
    ("sentencepiece-bpe", 320, {"byte_fallback": True}),
    ("wordpiece", 60, {}),
    ("wordpiece", 60, {"scoring": "ratio"}),
    ("wordpiece", 60, {"scoring": "likelihood"}),
]


def trained(
    algorithm: str, text: str, size: int, options: dict[str, Any], record: Any = None
) -> Trainer:
    return run_whole(make_trainer(algorithm, [text], vocab_size=size, record=record, **options))


def check(algorithm: str, text: str, size: int, options: dict[str, Any]) -> None:
    """Checks a record against the training without one, and its rows against each other."""
    record = PairRecord(WIDTH)
    trainer = trained(algorithm, text, size, options, record)
    plain = trained(algorithm, text, size, options)
    for name in ("left", "right", "pair_counts", "token_counts"):
        assert list(getattr(trainer, name)) == list(getattr(plain, name))
    assert trainer.tokenizer("").encode_ids(text) == plain.tokenizer("").encode_ids(text)
    assert len(record) == len(trainer.left)
    for merge in range(len(record)):
        row = range(merge * WIDTH, (merge + 1) * WIDTH)
        pairs = [record.pairs[place] for place in row if record.pairs[place] != EMPTY]
        assert pairs[0] == trainer.left[merge] << 32 | trainer.right[merge]
        assert len(set(pairs)) == len(pairs)
        assert record.counts[row[0]] == trainer.pair_counts[merge]
        scores = [record.scores[place] for place in row][: len(pairs)]
        assert scores == sorted(scores, reverse=True)
        equal = sum(score == scores[0] for score in scores)
        assert record.ties[merge] == equal or equal == WIDTH < record.ties[merge]
        assert record.totals[merge] >= len(pairs)
        if options.get("scoring") == "ratio":
            for place in row[: len(pairs)]:
                parts = record.left_counts[place] * record.right_counts[place]
                assert record.scores[place] == record.counts[place] / parts


@pytest.mark.parametrize(("algorithm", "size", "options"), CASES)
def test_a_record_changes_nothing_and_begins_with_what_was_merged(
    algorithm: str, size: int, options: dict[str, Any]
) -> None:
    check(algorithm, WORDS * 2, size, options)


@settings(max_examples=15 if COMPILED else 6)
@given(text=st.text("ab é日.", min_size=1, max_size=60), case=st.sampled_from(CASES))
def test_a_record_of_any_text_does(text: str, case: tuple[str, int, dict[str, Any]]) -> None:
    algorithm, size, options = case
    options = options | ({} if options.get("min_frequency") else {"min_frequency": 1})
    check(algorithm, f"{text} a", size, options)


@pytest.mark.parametrize(
    ("algorithm", "first"),
    [("bpe", len(WORDS)), ("superbpe", len(WORDS)), ("wordpiece", len(WORDS.replace(" ", "")))],
)
def test_it_knows_the_tokens_before_the_first_merge(algorithm: str, first: int) -> None:
    record = PairRecord(WIDTH)
    trained(algorithm, WORDS, 270, {}, record)
    assert record.first_tokens == first


def test_symbols_are_entries_of_the_tokenizer() -> None:
    for algorithm, size, options in CASES:
        trainer = trained(algorithm, WORDS * 2, size, options)
        vocabulary = trainer.tokenizer("").vocabulary
        for number in range(trainer.first_symbols + len(trainer.left)):
            piece = trainer.symbol(number).removeprefix(b"##")
            assert vocabulary.piece(trainer.symbol_id(number)) == piece


@pytest.mark.parametrize(("algorithm", "size", "options"), CASES)
def test_the_tokenizer_after_a_step_is_that_of_a_shorter_training(
    algorithm: str, size: int, options: dict[str, Any]
) -> None:
    trainer = trained(algorithm, WORDS, size, options)
    step = len(trainer.left) // 2
    size = trainer.piece_count - len(trainer.left) + step
    if "transition" in options:
        options = options | {"transition": min(options["transition"], size)}
    found = trainer.tokenizer_after(step, "").encode_ids(WORDS)
    assert found == trained(algorithm, WORDS, size, options).tokenizer("").encode_ids(WORDS)


def test_likelihood_is_worked_out_of_the_counts_of_the_symbols() -> None:
    record = PairRecord(1)
    trainer = trained("wordpiece", WORDS * 2, 60, {"scoring": "likelihood"}, record)
    tokens = record.first_tokens
    for merge in range(len(record)):
        count, left, right = (
            record.counts[merge], record.left_counts[merge], record.right_counts[merge],
        )  # fmt: skip
        expected = count * math.log(count * tokens / (left * right))
        assert record.scores[merge] == pytest.approx(expected)
        tokens = trainer.token_counts[merge]


def test_the_steps_of_unigram_are_recorded_and_change_nothing() -> None:
    record = UnigramRecord()
    trainer = trained("unigram", WORDS * 6, 40, {}, record)
    plain = trained("unigram", WORDS * 6, 40, {})
    assert trainer.tokenizer("").encode_ids(WORDS) == plain.tokenizer("").encode_ids(WORDS)
    steps = record.steps
    assert [step.kind for step in steps[:2]] == [SEED, EM]
    assert sum(math.exp(score) for score in steps[0].scores) == pytest.approx(1)
    assert [step.kind for step in steps[-2:]] == [PRUNING, SELECTION]
    ems = [step for step in steps if step.kind == EM]
    assert [step.log_likelihood for step in ems] == list(trainer.em_log_likelihoods)  # type: ignore[attr-defined]
    assert [step.before for step in ems] == list(trainer.em_pieces)  # type: ignore[attr-defined]
    pruned = [step for step in steps if step.kind == PRUNING]
    assert [step.tokens for step in pruned] == list(trainer.pruned_tokens)  # type: ignore[attr-defined]
    for before, step in itertools.pairwise(steps[:-1]):
        assert step.before == before.left
        assert set(step.numbers) == {
            number for number, kept in zip(before.numbers, before.kept, strict=True) if kept
        }
        for row in range(step.before):
            if step.kind == EM:
                assert step.least == 0.5
                assert (step.counts[row] >= 0.5) == bool(step.kept[row])
            elif not step.kept[row] and step.losses[row] != NO_LOSS:
                kept = [step.losses[k] for k in range(step.before) if step.kept[k]]
                assert all(loss >= step.losses[row] for loss in kept if loss != NO_LOSS)


def test_the_last_step_has_the_pieces_of_the_tokenizer() -> None:
    record = UnigramRecord()
    trainer = trained("unigram", WORDS * 6, 40, {}, record)
    pieces = record.pieces(len(record.steps) - 1)
    learned, scores = trainer.pieces()  # type: ignore[attr-defined]
    assert {text.encode(): score for text, score in pieces.items()} == dict(
        zip(learned, scores, strict=True)
    )
    for step in range(len(record.steps)):
        tokenizer = trainer.tokenizer_after(step, "")
        assert tokenizer.decode(tokenizer.encode_ids("lower")) in ("lower", " lower")
        assert len(tokenizer.vocabulary) == record.steps[step].left + 3


def test_a_record_has_to_fit_the_algorithm() -> None:
    with pytest.raises(ValueError, match="is a PairRecord"):
        make_trainer("bpe", ["a"], vocab_size=300, record=UnigramRecord())
    with pytest.raises(ValueError, match="is a UnigramRecord"):
        make_trainer("unigram", ["a"], vocab_size=300, record=PairRecord(3))
    with pytest.raises(Exception, match="no record"):
        trained("unigram", WORDS, 40, {}).tokenizer_after(0, "")
