"""Sparse pruning, read from the record of its steps: what each EM keeps, and when it ends.

The rule is that of ``TrainSparsePruning`` in sentencepiece 0.2.3; tests/parity/test_sparse_pruning.py compares whole trainings.
"""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from narrowed import of_kind
from running import run_whole

import tokenarium_core as tc
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.unigram.unigram_record import (
    EM,
    SEED,
    SELECTION,
    UnigramRecord,
    UnigramStep,
)
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer

SYLLABLES = ["ka", "mi", "no", "ru", "te", "sho", "en", "ra", "vi", "pol", "日", "語"]


def corpus() -> str:
    """Returns lines of made-up words, some of them frequent, with a few rare characters."""
    chance = random.Random(4)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 5))) for _ in range(150)]
    lines = [" ".join(chance.choices(words, range(150, 0, -1), k=6)) for _ in range(150)]
    return "\n".join([*lines, "x|y ~"])


def trained(size: int, **options: Any) -> tuple[UnigramTrainer, UnigramRecord]:
    """Returns a finished training with its record."""
    record = UnigramRecord()
    trainer = make_trainer(
        "unigram",
        [corpus()],
        vocab_size=size,
        record=record,
        use_sparse_pruning=True,
        **options,
    )
    return of_kind(run_whole(trainer), UnigramTrainer), record


def penalty_after(step: UnigramStep, before: float, goal: int) -> float:
    """Returns the penalty of an EM by its expected counts."""
    counts = sorted(step.counts, reverse=True)
    if len(counts) <= goal * 1.05:
        return before
    return max(before, counts[max(goal, int(len(counts) * 0.75))])


@pytest.mark.parametrize("debias", [True, False])
@pytest.mark.parametrize(("size", "em_count"), [(40, 7), (90, 6), (200, 3), (386, 51)])
def test_each_em_raises_the_penalty_and_drops_what_is_below(
    size: int, em_count: int, debias: bool
) -> None:
    trainer, record = trained(size, post_l1_debias=debias)
    steps = record.steps
    goal = int(size * 1.1)
    assert [step.kind for step in steps] == [SEED, *[EM] * (len(steps) - 2), SELECTION]
    assert [step.round for step in steps[1:-1]] == list(range(1, len(steps) - 1))
    penalty = 0.0
    ems = steps[1:-2] if debias else steps[1:-1]
    for step in [*ems, *steps[len(ems) + 1 : -1]]:
        penalty = penalty_after(step, penalty, goal) if step in ems else 0.0
        assert step.least == penalty
        assert [kept == 1 for kept in step.kept] == [count >= penalty for count in step.counts]
        left = [max(1e-4, count - penalty) for count in step.counts if count >= penalty]
        log_total = math.log(sum(left))
        scores = [score for score, kept in zip(step.scores, step.kept, strict=True) if kept]
        assert scores == pytest.approx([math.log(count) - log_total for count in left])
    assert all(step.before > goal for step in ems[:-1])
    assert ems[-1].before <= goal or em_count == 51
    assert len(ems) == em_count
    assert list(trainer.em_pieces) == [step.before for step in steps[1:-1]]
    assert trainer.progress.finished
    assert trainer.progress.phase == f"pruning round {len(steps) - 2}"


def test_an_em_counts_unknown_characters_as_the_most_frequent_piece() -> None:
    """Those outside the alphabet, a boundary, and later those that are no pieces any more."""
    trainer, record = trained(60, character_coverage=0.999, pretokenization_delimiter="|")
    spaces = dict(trainer.alphabet)[0x20]
    outside = len(corpus().replace("\n", "")) + 151 - sum(count for _, count in trainer.alphabet)
    assert outside == 4  # x, y, ~ and the boundary
    for step in record.steps[1:3]:
        counts = {
            record.texts[number]: count
            for number, count in zip(step.numbers, step.counts, strict=True)
        }
        tokens = sum(count * len(text) for text, count in counts.items())
        assert tokens == pytest.approx(sum(count for _, count in trainer.alphabet) + outside)
        assert counts[" "] <= spaces + outside


def test_pieces_that_are_better_split_are_left_out() -> None:
    for size in (48, 108, 200):
        trainer, record = trained(size)
        left_out = 0
        last = record.pieces(len(record.steps) - 2)
        learned = {text.decode() for text in trainer.pieces()[0]}
        lowest = min(last.values())
        for text, score in last.items():
            best = [0.0] + [-math.inf] * len(text)
            for stop in range(1, len(text) + 1):
                for start in range(stop):
                    part = text[start:stop]
                    cost = last.get(part, lowest - 10 if len(part) == 1 else -math.inf)
                    if part != text:
                        best[stop] = max(best[stop], best[start] + cost)
            if len(text) > 1 and best[-1] > score:
                assert text not in learned
                left_out += 1
        assert left_out > 0


def test_characters_compete_with_all_other_pieces() -> None:
    options = {"auto_character_coverage": True, "byte_fallback": True}
    trainer, record = trained(270, **options)
    tokenizer = trainer.tokenizer("")
    last = record.pieces(len(record.steps) - 2)
    pieces, scores = trainer.pieces()
    assert len(trainer.alphabet) > 11
    assert len(pieces) <= 11
    assert {piece.decode(): score for piece, score in zip(pieces, scores, strict=True)} == {
        piece.decode(): last[piece.decode()] for piece in pieces
    }
    assert trainer.piece_count == len(tokenizer.vocabulary) <= 270
    line = corpus().split("\n")[0]
    for step in range(len(record.steps) - 1):
        made = trainer.tokenizer_after(step, "")
        assert made.decode(made.encode_ids(line)) == line
    # Here no entry is the space alone; sentencepiece too decodes its bytes to the mark.
    assert b" " not in pieces
    assert tokenizer.decode(tokenizer.encode_ids(line)).replace("▁", " ") == line
    assert trainer.report.endswith("a space that begins no entry becomes bytes, which decode to ▁.")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"auto_character_coverage": True, "byte_fallback": True},
            "auto_character_coverage = True needs use_sparse_pruning = True",
        ),
        (
            {"auto_character_coverage": True, "use_sparse_pruning": True},
            "auto_character_coverage = True needs byte_fallback = True",
        ),
        (
            {
                "auto_character_coverage": True,
                "byte_fallback": True,
                "use_sparse_pruning": True,
                "required_chars": "z",
            },
            "required_chars = 'z' chooses some",
        ),
        ({"seed_piece_length_power": -1.0}, "seed_piece_length_power = -1 has to be at least 0"),
        ({"min_freq_alpha": math.inf}, "min_freq_alpha = inf has to be"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(tc.TokenariumError, match=said):
        make_trainer("unigram", ["a"], vocab_size=300, **options)


def test_the_seed_is_chosen_by_count_and_length() -> None:
    seeds = {
        power: trained(60, seed_piece_length_power=power)[1].pieces(0) for power in (0.0, 0.5, 1.0)
    }
    assert seeds[0.0].keys() == seeds[0.5].keys() == seeds[1.0].keys()
    text = max(seeds[1.0], key=len)
    for power, scores in seeds.items():
        one = scores["k"] - seeds[1.0]["k"]
        expected = seeds[1.0][text] + one + (power - 1.0) * math.log(len(text))
        assert scores[text] == pytest.approx(expected)


def test_long_texts_of_the_seed_must_be_frequent() -> None:
    everything = trained(60)[1].pieces(0)
    trainer, record = trained(60, min_freq_alpha=0.5)
    spaces = dict(trainer.alphabet)[0x20]
    corpus_size = trainer.byte_count + 2 * spaces
    least = int(0.5 * corpus_size / (60 * math.log(60)))
    assert least > 5
    first, count = trainer.alphabet[0]
    total = count / math.exp(everything[chr(first)])
    expected = {
        text
        for text, score in everything.items()
        if len(text) == 1
        or len(text.replace(" ", "▁").encode()) <= 3
        or round(math.exp(score) * total / len(text)) >= least
    }
    assert len(expected) < len(everything)
    seed = set(record.pieces(0))
    assert expected <= seed
    # Of the texts that only end words, there is now room for some that were too many before.
    assert all(len(text.encode()) <= 3 for text in seed - expected)
