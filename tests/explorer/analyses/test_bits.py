"""Bits per byte as a program and as a command, against sums over the tokens."""

from __future__ import annotations

import json
import math

import pytest
from sentencepiece import SentencePieceProcessor
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.bits import BITS
from tokenarium.app.start import sample_text
from tokenarium.commands.cli import app
from tokenarium.models.compare.ngram_bits import ngram_bits, split_text
from tokenarium.models.text.lost_text import SIGN
from tokenarium.resources.shipped_tokenizers import shipped_path

NAMES = ("tokenarium-8k", "unigram-8k", "sentencepiece-bpe-8k")


@pytest.mark.parametrize("order", [1, 3])
def test_the_rows_are_those_of_the_model(order: int) -> None:
    text = sample_text("prose-en")
    tokenizers = {name: tc.open(shipped_path(name)) for name in NAMES}
    rows = BITS.run(tokenizers, text, order=order).rows
    parts = split_text(text)
    for row, tokenizer in zip(rows, tokenizers.values(), strict=True):
        first, second = map(tokenizer.encode_ids, parts)
        bits = ngram_bits(first, second, len(tokenizer.vocabulary), order)
        size = len(parts.measured.encode())
        assert row[f"Bits per byte, order {order}"] == pytest.approx(bits / size, rel=1e-5)
        assert row["Tokens"] == len(first) + len(second)


def test_the_own_bits_are_those_of_sentencepiece() -> None:
    text = sample_text("prose-en")
    path = shipped_path("unigram-8k")
    library = SentencePieceProcessor(model_file=str(path))
    score = sum(library.GetScore(one) for one in library.encode(text))
    tokenizers = {name: tc.open(shipped_path(name)) for name in NAMES}
    own = [row["Bits per byte, own"] for row in BITS.run(tokenizers, text).rows]
    assert own[1] == pytest.approx(-score / math.log(2) / len(text.encode()), rel=1e-5)
    assert own[0] is own[2] is None  # its scores are the ranks of merges, and no probabilities


def test_lost_text_makes_figures_doubtful() -> None:
    answer = BITS.run({"w": tc.open(shipped_path("wordpiece-8k"))}, sample_text("prose-ja"))
    ((_, figure, *_), *_) = BITS.table(answer.inputs, answer.result).printed()[1]
    assert figure.startswith(SIGN)
    assert any("lost" in one for one in BITS.remarks(answer.inputs, answer.result))


def test_the_command_writes_a_table_and_json() -> None:
    line = ["bits", str(shipped_path("unigram-8k")), "one two\none two\none two", "--order", "2"]
    answer = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    assert answer["order"] == 2
    (row,) = answer["tokenizers"]
    assert f"{row['ngram_bits_per_byte']:.3f}" in CliRunner().invoke(app, line).stdout
    refused = CliRunner().invoke(app, [*line[:-1], "7"])
    assert refused.exit_code == 2
    assert "--order" in refused.output
    with pytest.raises(tc.ArgumentError, match="from 1 to 6"):
        BITS.run({"t": tc.open(shipped_path("unigram-8k"))}, "one", order=7)


def test_an_empty_text_has_no_figures() -> None:
    (row,) = BITS.run({"t": tc.open(shipped_path("unigram-8k"))}, "").rows
    assert row["Bits per byte, order 3"] == row["Bits per byte, own"] == ""
