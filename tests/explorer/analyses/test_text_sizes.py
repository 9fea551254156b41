"""Bytes per token of several texts by size, against vocabularies that end there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sentencepiece_models import trained
from small_vocabularies import of_pieces
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.text_sizes import TEXT_SIZES
from tokenarium.commands.cli import app
from tokenarium.models.merges.text_sizes import TEXTS, YOURS, texts_of
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.lost_text import SIGN
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece

PAIRS = [bytes([first, second]) for first in b"abcdefghijkl" for second in b"mnopqrstuvwxyz"]
WORDS = [b"lo", b"low", b"er", b" l", b"es", b"est", b" low", b"lower", b"in", b"de"]
PIECES = list(dict.fromkeys([*WORDS, *PAIRS]))
TEXT = "low lower lowest"


def test_each_size_is_that_of_a_vocabulary_that_ends_there() -> None:
    tokenizer = of_pieces(PIECES)
    answer = TEXT_SIZES.run({"small": tokenizer}, TEXT, texts=[YOURS, "english", "Python"])
    assert [row.name for row in answer.result] == [YOURS, "English", "Python"]
    texts = texts_of(TEXT, None)
    assert list(texts) == list(TEXTS)
    for row in answer.result:
        text = texts[row.name]
        for merges in (0, 1, 5, 60, len(PIECES)):
            tokens = len(of_pieces(PIECES[:merges]).encode_ids(text))
            assert row.ratio(256 + merges) == pytest.approx(len(text.encode()) / tokens)
    half = len(of_pieces(PIECES[: max(len(tokenizer.vocabulary) // 2 - 256, 0)]).encode_ids(TEXT))
    whole = len(tokenizer.encode_ids(TEXT))
    assert answer.result[0].last_doubling == pytest.approx(1 - whole / half)
    heads = list(answer.rows[0])
    assert heads == ["Text", "Bytes", "256", f"{len(tokenizer.vocabulary):,}", "Last doubling"]


def test_the_curves_end_at_the_whole_vocabulary() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    answer = TEXT_SIZES.run({"t": tokenizer}, TEXT)
    shown: Any = TEXT_SIZES.show(answer.inputs, answer.result)["curves"]
    assert [curve.title for curve in shown.chart.curves] == list(TEXTS)
    assert shown.title == f"{isolated('t')}: bytes per token by size of the vocabulary"
    for curve, row in zip(shown.chart.curves, answer.result, strict=True):
        assert curve.points[0] == (row.cuts.base, row.ratio(row.cuts.base))
        size, ratio = curve.points[-1]
        assert size == len(tokenizer.vocabulary)
        text = texts_of(TEXT, None)[row.name]
        assert ratio == pytest.approx(len(text.encode()) / len(tokenizer.encode_ids(text)))
        assert [x for x, _ in curve.points] == sorted({x for x, _ in curve.points})
        assert row.last_doubling == pytest.approx(1 - row.ratio(4000) / row.ratio(8000))


def test_lost_text_is_marked() -> None:
    lossy = read_sentencepiece(trained("bpe"), "small.model", "small")
    answer = TEXT_SIZES.run({"lossy": lossy}, "☃☃☃", texts=[YOURS])
    cells = [column.cell(answer.result[0]).text for column in TEXT_SIZES.table(*answer[1:]).shown]
    assert cells[-2].startswith(SIGN)
    assert SIGN in TEXT_SIZES.remarks(answer.inputs, answer.result)[1]


def test_a_model_without_merges_and_an_unknown_text_are_refused() -> None:
    with pytest.raises(tc.TokenariumError, match="does not merge"):
        TEXT_SIZES.run({"u": tc.open(shipped_path("unigram-8k"))}, TEXT)
    with pytest.raises(tc.ArgumentError, match="There is no text 'klingon'"):
        TEXT_SIZES.run({"t": of_pieces(PIECES)}, TEXT, texts=["Klingon"])


def test_the_command_writes_every_size() -> None:
    line = ["text-sizes", str(shipped_path("tokenarium-8k")), TEXT, "--texts", "German"]
    answer = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    [german] = answer["texts"]
    assert list(german["bytes_per_token"]) == ["512", "1024", "2048", "4096", "8000"]
    assert sorted(german["bytes_per_token"].values()) == list(german["bytes_per_token"].values())
    assert "as if its training had ended there" in CliRunner().invoke(app, line).stdout
