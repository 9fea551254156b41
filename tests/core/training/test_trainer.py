"""The options of trainers: what they accept, and what they say of other values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tokenarium_core as tc
from tokenarium_core.pretokenizers.scanners import cutting, pre_tokenizer
from tokenarium_core.training.algorithms import ALGORITHMS, make_trainer
from tokenarium_core.training.bpe_trainer import BpeTrainer
from tokenarium_core.training.trainer import Option, Value


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_default_is_a_value_that_the_option_takes(algorithm: str) -> None:
    for option in ALGORITHMS[algorithm].options:
        assert option.checked(option.default) == option.default
        assert option.about.endswith(".")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_trainer_reports_its_progress_before_it_began(algorithm: str) -> None:
    trainer = make_trainer(algorithm, ["a b c"], vocab_size=300)
    assert trainer.algorithm == algorithm
    assert not trainer.progress.finished
    assert trainer.report == ""
    assert list(trainer.token_counts) == []
    assert trainer.byte_count == 0


@pytest.mark.parametrize(
    ("option", "value", "taken"),
    [
        (Option("n", 2, "About."), 3, 3),
        (Option("x", 0.5, "About."), 1, 1.0),
        (Option("b", True, "About."), False, False),
        (Option("l", list[str](), "About."), ("a", "b"), ["a", "b"]),
        (Option("s", "a", "About.", choices=["a", "b"]), "b", "b"),
    ],
)
def test_values_that_fit(option: Option, value: object, taken: Value) -> None:
    checked = option.checked(value)
    assert checked == taken
    assert type(checked) is type(taken)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        (Option("n", 2, "About."), "3", "n = '3' is a str: it must be of type int"),
        (Option("n", 2, "About."), True, "n = True is a bool"),
        (Option("b", True, "About."), 1, "b = 1 is a int"),
        (Option("n", 2, "About.", least=1), 0, "n = 0 has to be at least 1"),
        (Option("n", 2, "About."), 10**30, "n = a number with so many digits has to be at most 1,000,000,000,000"),
        (Option("n", 2, "About."), 10**400, "n = a number with so many digits has to be"),
        (Option("x", 0.5, "About.", least=0.1, most=0.9), float("nan"), "x = nan has to be"),
        (Option("x", 0.5, "About.", least=0.1), float("nan"), "has to be at least 0.1"),
        (Option("n", 2, "About.", least=1, most=9), 10, "n = 10 has to be at least 1 and at most 9"),
        (Option("s", "a", "About.", choices=["a", "b"]), "c", "is not known: choose one of a, b"),
        (Option("l", list[str](), "About."), "ab", "l = 'ab' is a str: it must be of type list"),
        (Option("s", "", "About."), "a\ud800", r"s has half of a surrogate pair in 'a\\ud800', at character 1"),
        (Option("l", list[str](), "About."), ["a", "\udc00"], "l has half of a surrogate pair"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(option: Option, value: object, said: str) -> None:
    with pytest.raises(tc.TokenariumError, match=said):
        option.checked(value)


@pytest.mark.parametrize("algorithm", ["unigram", "sentencepiece-bpe"])
def test_a_length_that_the_file_has_no_room_for_is_refused(algorithm: str) -> None:
    with pytest.raises(tc.TokenariumError, match="at least 0 and at most 2,147,483,647"):
        make_trainer(algorithm, ["a b"], vocab_size=50, max_sentence_length=1 << 31)


def test_an_option_is_known_by_its_former_name() -> None:
    trainer = make_trainer("bpe", ["a b"], vocab_size=257, way="words")
    assert isinstance(trainer, BpeTrainer)
    assert trainer.strategy == "words"


def test_unknown_options_are_refused() -> None:
    with pytest.raises(
        tc.TokenariumError, match="has no option 'patern': its options are pattern, "
    ):
        make_trainer("bpe", [], vocab_size=300, patern="gpt2")


@pytest.mark.parametrize("size", [1 << 21, 1 << 32, 10**30])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_vocabulary_that_no_program_holds_is_refused(algorithm: str, size: int) -> None:
    with pytest.raises(tc.TokenariumError, match=f"A vocabulary of {size:,} is too large"):
        make_trainer(algorithm, ["a b"], vocab_size=size)


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("gpt3", "Did you mean gpt2"),
        ("gpt-2", "Did you mean gpt2"),
        ("cl100k_base", "Did you mean cl100k"),
        ("LLAMA3", "Did you mean llama3"),
        ("zzz.9", "Known are gpt2"),
    ],
)
def test_a_word_that_is_no_pattern_is_refused_wherever_one_is_named(
    name: str, offered: str
) -> None:
    for algorithm in ("bpe", "superbpe"):
        with pytest.raises(tc.PatternError, match=offered):
            tc.train(algorithm, ["a"], vocab_size=300, pattern=name)
    with pytest.raises(tc.PatternError, match=offered):
        tc.train("superbpe", ["a"], vocab_size=300, superword_pattern=name)
    for find in (cutting, pre_tokenizer):
        with pytest.raises(tc.PatternError, match=offered):
            find(name)


@pytest.mark.parametrize("source", [".", "a|.", "[a-z]+", r"\w+", "a+", "(?s).+", "..", ""])
def test_a_pattern_that_is_no_word_is_an_expression(source: str) -> None:
    assert cutting(source).pattern == source


@pytest.mark.parametrize(
    ("corpus", "files", "reason"),
    [
        ([Path("a.txt")], (), "files=\\["),
        (["a", Path("a.txt")], (), "files=\\["),
        (Path("a.txt"), (), "files=\\["),
        ([b"a"], (), "bytes"),
        (b"a", (), "bytes"),
        ([1], (), "int"),
        ([None], (), "NoneType"),
        ((), "a.txt", "list of paths"),
        ((), Path("a.txt"), "list of paths"),
    ],
)
def test_a_corpus_of_anything_but_texts_is_refused(corpus: Any, files: Any, reason: str) -> None:
    for algorithm in ALGORITHMS:
        with pytest.raises(tc.TokenariumError, match=reason):
            tc.train(algorithm, corpus, files=files, vocab_size=300)
