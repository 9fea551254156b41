"""The stream of tokens as a program, against what the core shows after each."""

from __future__ import annotations

import pytest

import tokenarium_core as tc
from tokenarium.analyses.stream import STREAM
from tokenarium.models.text.piece import readable
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.explaining.streaming import stream

TEXT = "a 歪 text, then END and more"


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.open(shipped_path("tokenarium-8k"))


def test_the_rows_are_those_of_the_core(tokenizer: tc.Tokenizer) -> None:
    wanted = stream(tokenizer, tokenizer.encode_ids(TEXT), ["END"]).steps
    rows = STREAM.run({"shipped": tokenizer}, TEXT, stop=["END"]).rows
    assert [row["Id"] for row in rows] == [step.token for step in wanted]
    assert [row["Alone"] for row in rows] == [step.alone for step in wanted]
    assert [row["Characters shown"] for row in rows] == [step.shown for step in wanted]


def test_what_is_shown_now_makes_the_text(tokenizer: tc.Tokenizer) -> None:
    analysis, inputs, result = STREAM.run({"shipped": tokenizer}, TEXT, stop=["END"])
    heads, rows, _ = analysis.table(inputs, result).printed()
    place = [head for head, _ in heads].index("shown now")
    shown = "".join(row[place] for row in rows)
    assert shown == readable(TEXT.partition("END")[0].encode())
    assert "Cut at" in analysis.remarks(inputs, result)[0]
