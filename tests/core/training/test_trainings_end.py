"""Every training ends after few steps on a small corpus, with a tokenizer or a sentence: all algorithms, sizes, options."""

from __future__ import annotations

from typing import Any

import pytest

import tokenarium_core as tc
from tokenarium_core.errors import TokenariumError
from tokenarium_core.progress import Progress
from tokenarium_core.training import ALGORITHMS, make_trainer
from tokenarium_core.training.trainer import Option

MOST_STEPS = 1000
"""Steps of a budget of 0 ms; the trainings here take up to a hundred."""

CORPORA: dict[str, list[str]] = {
    "no text": [],
    "an empty text": [""],
    "one character": ["a"],
    "one character, repeated": ["a" * 50],
    "blanks": [" \n "],
    "words": ["the cat the hat", "ab ab"],
    "a wide character": ["日本語 é"],
}
SIZES = [*range(20), *range(254, 264)] if tc.COMPILED else [0, 1, 3, 6, 255, 256, 257]
"""From nothing to beyond what the alphabets take: a few characters and symbols, or the 256 bytes."""

SPECIAL_SIZES = (0, 1, 3, 8, 255, 256, 257, 258, 259, 260) if tc.COMPILED else (0, 3, 256, 258)

ODD: list[object] = [
    *(-1, 0, 1, 2, 3, 255, 10**6, 10**12, 10**30, -(2**63)),
    *(0.0, 0.5, 0.9, 1.0, -1.0, 1e308, 5e-324, float("nan"), float("inf"), float("-inf")),
    *("", "a", "(", "a*", "(?R)", "[^a]|[^b]|.", "\ud800", "<unk>", "\x00"),
    *([], ["a"], ["a", "a"], [""], ["\ud800"], ["<unk>", "▁"], ["und=nan"], ["und=0"], ["="]),
    *(None, True, b"a", {"und": float("inf")}),
]


def ended(algorithm: str, corpus: list[str], size: int, **options: Any) -> str:
    """Trains to the end; returns what it made: "a tokenizer", or the sentence of its refusal."""
    try:
        trainer = make_trainer(algorithm, corpus, vocab_size=size, **options)
        steps = 0
        while not trainer.step(0.0).finished:
            steps += 1
            assert steps < MOST_STEPS, f"no end after {steps} steps: {algorithm}, {size}, {options}"
        tokenizer = trainer.tokenizer("small")
    except TokenariumError as error:
        said = str(error)
    else:
        said = ""
    if said:
        assert said.endswith((".", ")")), f"no sentence: {said}"
        return said
    assert len(tokenizer.vocabulary) <= size
    assert not trainer.report or trainer.report.endswith("."), trainer.report
    tokenizer.decode(tokenizer.encode_ids("the cat"))
    return "a tokenizer"


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_at_every_size(algorithm: str, corpus: str) -> None:
    made = {ended(algorithm, CORPORA[corpus], size) for size in SIZES}
    assert len(made) > 1 or corpus in ("no text", "an empty text", "blanks")


def test_a_boundless_training_without_merges() -> None:
    """It once had no end with the bytes alone."""
    assert ended("boundless-bpe", ["abc abc"], 256) == "a tokenizer"


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_sizes_that_special_tokens_fill(algorithm: str) -> None:
    """Also tokens that are entries already: characters, a byte, the symbols of the algorithm."""
    names = {option.name for option in ALGORITHMS[algorithm].options}
    lists = names & {"special_tokens", "control_symbols", "user_defined_symbols"}
    for name in sorted(lists):
        for tokens in (
            ["a"],
            ["a", "b"],
            ["<unk>"],
            ["▁"],
            ["\x00"],
            ["a", "a"],
            [""],
            ["ab"] * 300,
        ):
            for size in SPECIAL_SIZES:
                ended(algorithm, ["ab ab a"], size, **{name: tokens})


def values_of(option: Option) -> list[object]:
    """Returns the values of an option that change what is trained, and values that it cannot take."""
    known: list[object] = list(option.choices)
    known += [bound for bound in (option.least, option.most) if bound is not None]
    if isinstance(option.default, bool):
        known += [True, False]
    elif isinstance(option.default, int):
        known = [int(value) if isinstance(value, float) else value for value in known]
    return [*known, *ODD]


EVERY_OPTION = [
    pytest.param(name, option, id=f"{name}, {option.name}")
    for name, algorithm in ALGORITHMS.items()
    for option in algorithm.options
]


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "option"), EVERY_OPTION)
def test_every_option(algorithm: str, option: Option) -> None:
    for value in values_of(option):
        for size in (8, 256, 261):
            ended(algorithm, ["the cat the hat ab ab"], size, **{option.name: value})


def test_what_joins_is_bounded() -> None:
    """A pattern that calls itself would fill the memory when it is matched, and one may take too long."""
    assert "calls a group" in ended("boundless-bpe", ["ab ab"], 258, joining="(?R)")
    assert "repeats something" in ended("boundless-bpe", ["ab"], 258, joining="(?:a{999}){999}")


def test_unigram_says_where_a_corpus_is_too_short() -> None:
    said = ended("unigram", ["a" * 50], 100, add_dummy_prefix=False)
    assert "too short" in said


class Endless:
    """A training that is never finished."""

    def step(self, budget_ms: float) -> Progress:
        """Returns that all is still to be done."""
        return Progress("counting", 0, 1, False)


def test_a_training_without_an_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "make_trainer", lambda *given, **options: Endless())
    with pytest.raises(AssertionError, match="no end after"):
        ended("bpe", ["a"], 256)
