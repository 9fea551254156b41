"""Unigram models trained as sentencepiece trains them: nearly the same pieces, and no more tokens.

The models are not equal: see `UnigramTrainer`. Both train on the odd lines of a text, and are compared on the others.
"""

from __future__ import annotations

import functools
import io
import pydoc_data.topics
from dataclasses import dataclass
from typing import Any

import pytest
import sentencepiece

import tokenarium_core as tc
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer

CASES: dict[str, dict[str, Any]] = {
    "plain": {"vocab_size": 2000},
    "bytes": {"vocab_size": 1000, "byte_fallback": True, "character_coverage": 0.999},
    "digits": {"vocab_size": 2000, "split_digits": True},
    "across scripts": {"vocab_size": 2000, "split_by_unicode_script": False},
    "across words": {"vocab_size": 2000, "split_by_whitespace": False},
    "suffix": {"vocab_size": 2000, "treat_whitespace_as_suffix": True},
    "spaces": {
        "vocab_size": 2000,
        "remove_extra_whitespaces": False,
        "allow_whitespace_only_pieces": True,
    },
    "short": {"vocab_size": 2000, "max_sentencepiece_length": 4},
    "hasty": {"vocab_size": 2000, "num_sub_iterations": 1, "shrinking_factor": 0.5},
}


@dataclass
class Pair:
    """A model of the reference, and ours as the reference runs it."""

    reference: sentencepiece.SentencePieceProcessor
    ours: sentencepiece.SentencePieceProcessor
    tokenizer: tc.Tokenizer


def trained(lines: list[str], **options: Any) -> Pair:
    """Returns two models of the same lines."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=written,
        model_type="unigram",
        max_sentence_length=1 << 20,
        minloglevel=2,
        **options,
    )
    trainer = make_trainer("unigram", ["\n".join(lines)], **options)
    assert isinstance(trainer, UnigramTrainer)
    trainer.run()
    return Pair(
        sentencepiece.SentencePieceProcessor(model_proto=written.getvalue()),
        sentencepiece.SentencePieceProcessor(model_proto=trainer.model_file()),
        trainer.tokenizer("ours"),
    )


def pieces_of(model: sentencepiece.SentencePieceProcessor) -> set[str]:
    """Returns the pieces of a model."""
    return {model.id_to_piece(token) for token in range(len(model))}


def measured(model: sentencepiece.SentencePieceProcessor, lines: list[str]) -> tuple[int, float]:
    """Returns the number of tokens of the lines, and the logarithm of their probability."""
    ids = [token for line in model.encode(lines) for token in line]
    return len(ids), sum(model.get_score(token) for token in ids)


@functools.cache
def manual() -> list[str]:
    """Returns some 9,000 lines of English about Python, with code between."""
    text = "\n".join(pydoc_data.topics.topics.values())
    return [line for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("case", CASES)
def test_the_models_are_alike(case: str) -> None:
    lines = manual()
    pair = trained(lines[::2], **CASES[case])
    pieces = pieces_of(pair.reference)
    assert len(pieces_of(pair.ours)) == len(pieces) == CASES[case]["vocab_size"]
    assert len(pieces & pieces_of(pair.ours)) > 0.7 * len(pieces)
    single = {piece for piece in pieces if len(piece) == 1}
    assert single == {piece for piece in pieces_of(pair.ours) if len(piece) == 1}
    tokens, likelihood = measured(pair.reference, lines[1::2])
    our_tokens, our_likelihood = measured(pair.ours, lines[1::2])
    assert our_tokens <= 1.005 * tokens
    assert our_likelihood >= 1.025 * likelihood  # both are negative
    for line in lines[1:400:2]:
        assert pair.tokenizer.encode_ids(line) == pair.ours.encode(line)


def test_the_models_of_many_languages(texts: dict[str, str]) -> None:
    lines = [line for text in texts.values() for line in text.split("\n") if line.strip()]
    pair = trained(lines[::2], vocab_size=6000)
    tokens, likelihood = measured(pair.reference, lines[1::2])
    our_tokens, our_likelihood = measured(pair.ours, lines[1::2])
    assert our_tokens <= tokens
    assert our_likelihood >= likelihood
    for line in lines[1::20]:
        assert pair.tokenizer.encode_ids(line) == pair.ours.encode(line)
