"""Training byte-level BPE gives the merges of tokenizers' own trainer, in its order, with its order of ties.

`max_token_length` there is one more than the longest token, and a pair of bytes is always allowed (0.23).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, trainers

import tokenarium_core as tc
from tokenarium_core.explaining.merge_path import merges
from tokenarium_core.training.bpe_trainer import INCREMENTAL, NAIVE, TOKENIZERS, WORDS
from tokenarium_core.unicode.byte_alphabet import to_text

Merges = list[tuple[str, str]]


def theirs(
    lines: list[str],
    size: int,
    longest: int = 0,
    min_frequency: int = 2,
    special: tuple[str, ...] = (),
) -> Merges:
    """Returns the merges that tokenizers learns."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=min_frequency,
        special_tokens=[AddedToken(token) for token in special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=longest + 1 if longest else None,
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines, trainer)
    return [(left, right) for left, right in json.loads(tokenizer.to_str())["model"]["merges"]]


def ours(lines: list[str], size: int, longest: int = 0, **options: Any) -> Merges:
    """Returns the merges that we learn, with the order of tokenizers."""
    tokenizer = tc.train(
        "bpe",
        lines,
        vocab_size=size,
        pattern="gpt2",
        max_token_length=longest,
        **{"tie_break": TOKENIZERS, **options},
    )
    pieces = [
        to_text(tokenizer.vocabulary.piece(token)) for token in range(len(tokenizer.vocabulary))
    ]
    return [(pieces[left], pieces[right]) for left, right, _ in merges(tokenizer)]


@pytest.mark.parametrize("longest", [0, 2, 3, 5, 16])
@pytest.mark.parametrize(
    "names", [["eng", "deu_1996"], ["rus", "hin", "arb"], ["jpn", "cmn_hans", "tha"]]
)
def test_prose(texts: dict[str, str], names: list[str], longest: int) -> None:
    lines = [line for name in names for line in texts[name].split("\n")]
    size = 3000
    expected = theirs(lines, size, longest)
    assert len(expected) > 100
    assert ours(lines, size, longest) == expected


def test_special_tokens_come_first_there_and_last_here(texts: dict[str, str]) -> None:
    lines = texts["fra"].split("\n")
    special = ("<s>", "</s>")
    assert ours(lines, 1000, special_tokens=list(special)) == theirs(lines, 1000, special=special)


def test_the_usual_order_of_ties_is_another(texts: dict[str, str]) -> None:
    lines = texts["jpn"].split("\n")
    assert ours(lines, 600, tie_break="smallest ids") != theirs(lines, 600)


# A blank, a control character and bytes beyond ASCII: the bytes whose place in the alphabet is not their own.
LETTERS = "ab AB1'\n\té\xad\x7fñ語文🙂"


@given(
    lines=st.lists(st.text(st.sampled_from(LETTERS), max_size=60), max_size=6),
    longest=st.sampled_from([0, 0, 2, 3, 4, 7]),
    min_frequency=st.integers(1, 3),
    strategy=st.sampled_from([INCREMENTAL, WORDS, NAIVE]),
)
@settings(max_examples=300)
def test_small_texts(lines: list[str], longest: int, min_frequency: int, strategy: str) -> None:
    found = ours(lines, 320, longest, min_frequency=min_frequency, strategy=strategy)
    assert found == theirs(lines, 320, longest, min_frequency)


def test_the_bound_is_one_less_than_in_tokenizers() -> None:
    lines = ["abcdefgh"] * 3
    for asked in range(4):
        trainer = trainers.BpeTrainer(vocab_size=400, max_token_length=asked, show_progress=False)
        tokenizer = Tokenizer(models.BPE())
        tokenizer.train_from_iterator(lines, trainer)
        assert max(map(len, tokenizer.get_vocab())) == 2
    for longest in (3, 4, 8):
        found = ours(lines, 400, longest)
        assert found == theirs(lines, 400, longest)
        assert max(len(left + right) for left, right in found) <= longest
