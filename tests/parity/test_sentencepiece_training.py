"""Training gives the pieces of sentencepiece's own trainer, one by one.

Where two equally frequent pairs make the same piece, which of them sentencepiece merges hangs on its heap, and so does
what comes after it; the plain training tells where that is.
"""

from __future__ import annotations

import io
from typing import Any

import pytest
import sentencepiece
from hypothesis import assume, given, settings
from plain_sentencepiece import LINES, choices, learn

from tokenarium_core.training.sentencepiece.sentencepiece_bpe_trainer import SentencePieceBpeTrainer
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining

Pieces = list[tuple[str, float]]


def theirs(lines: list[str], size: int, **options: Any) -> Pieces:
    """Returns the pieces that sentencepiece learns, with their scores."""
    writer = io.BytesIO()
    options["normalization_rule_name"] = options.pop("normalization", "nmt_nfkc")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=writer,
        model_type="bpe",
        vocab_size=size,
        num_threads=1,
        max_sentence_length=1 << 20,
        minloglevel=3,
        **options,
    )
    return pieces_of(writer.getvalue())


def pieces_of(model: bytes) -> Pieces:
    """Returns the pieces of a model as sentencepiece reads it."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [
        (processor.id_to_piece(token), processor.get_score(token))
        for token in range(processor.get_piece_size())
    ]


def ours(lines: list[str], size: int, **options: Any) -> SentencePieceBpeTrainer:
    """Returns our trainer at its end."""
    trainer = SentencePieceBpeTrainer(SentencePieceTraining(**options), size, ["\n".join(lines)])
    trainer.run()
    return trainer


@given(lines=LINES, options=choices())
@settings(max_examples=200)
def test_small_texts(lines: list[str], options: dict[str, Any]) -> None:
    training = SentencePieceTraining(**options)
    plain = learn(training, lines, 40)
    assume(0 < len(plain.characters) <= 40)
    # Of lines that normalise to nothing it makes a model of the mark alone; here that is an error.
    assume(set(plain.characters) != {"▁"})
    # Up to where chance has a say, or pairs run out: there it goes on with pieces that stand nowhere.
    size = len(training.symbols) + len(plain.characters) + len(plain.merges)
    assume(size > len(training.symbols))
    trainer = ours(lines, size, **options)
    assert pieces_of(trainer.model_file()) == theirs(lines, size, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"normalization": "identity", "byte_fallback": True},
        {"byte_fallback": True, "split_digits": True, "character_coverage": 0.98},
        {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
        {"split_by_whitespace": False, "normalization": "nfkc_cf"},
        {"normalization": "nmt_nfkc_cf"},
        {"treat_whitespace_as_suffix": True, "split_by_unicode_script": False},
        {"user_defined_symbols": ["<b>", "the", "人"], "control_symbols": ["<c>"]},
    ],
)
@pytest.mark.parametrize(
    "languages", [["eng", "deu_1996"], ["jpn", "cmn_hans", "kor"], ["hin", "arb", "rus"]]
)
def test_prose(texts: dict[str, str], languages: list[str], options: dict[str, Any]) -> None:
    lines = "\n".join(texts[name] for name in languages).split("\n")
    trainer = ours(lines, 2000, **options)
    made = pieces_of(trainer.model_file())
    assert made == theirs(lines, 2000, **options)
