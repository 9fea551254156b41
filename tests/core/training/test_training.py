"""From a corpus to a tokenizer that is saved, opened and used."""

from __future__ import annotations

from pathlib import Path

import pytest

import tokenarium_core as tc
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training.algorithms import tokenizer_of
from tokenarium_core.training.bpe_trainer import BpeTrainer

CORPUS = ["low lower lowest\n", "slow slower slowest\n", "नमस्ते नमस्ते\n"]


def test_a_trained_tokenizer_works_at_once(tmp_path: Path) -> None:
    tokenizer = tc.train(
        "bpe", CORPUS, vocab_size=280, pattern="gpt2", special_tokens=["<end>"], name="tiny"
    )
    pieces = [tokenizer.vocabulary.piece(token) for token in range(256, len(tokenizer.vocabulary))]
    assert pieces[0] == "न".encode()[:2]  # the most frequent pair
    assert b"low" in pieces
    assert tokenizer.special_tokens == {"<end>": len(tokenizer.vocabulary) - 1}
    text = "slowest नमस्ते <end>"
    ids = list(tokenizer.encode(text, special="all").ids)
    assert ids[-1] == tokenizer.special_tokens["<end>"]
    assert tokenizer.decode(ids) == text
    tokenizer.save(tmp_path / "tiny.json")
    again = tc.open(tmp_path / "tiny.json")
    assert list(again.encode(text, special="all").ids) == ids
    assert again.name == "tiny"


def test_a_training_that_is_left_early_is_usable() -> None:
    trainer = BpeTrainer(pre_tokenizer("gpt2"), 270, CORPUS)
    assert len(tokenizer_of(trainer, "untrained").vocabulary) == 256
    while trainer.merges_made == 0:
        trainer.step(0)
    tokenizer = tokenizer_of(trainer, "early")
    assert len(tokenizer.vocabulary) == 256 + trainer.merges_made
    assert tokenizer.decode(tokenizer.encode_ids(CORPUS[2])) == CORPUS[2]


def test_the_counts_of_the_training_are_those_of_the_tokenizer() -> None:
    trainer = BpeTrainer(pre_tokenizer("cl100k"), 300, CORPUS * 3)
    trainer.run()
    tokenizer = tokenizer_of(trainer, "counted")
    assert trainer.token_counts[trainer.merges_made - 1] == sum(
        len(tokenizer.encode_ids(text)) for text in CORPUS * 3
    )


def test_unknown_algorithms_are_refused() -> None:
    with pytest.raises(ValueError, match="'magic' is not an algorithm to train: choose one of bpe"):
        tc.train("magic", CORPUS, vocab_size=300)
