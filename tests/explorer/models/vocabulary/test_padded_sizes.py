"""Sizes padded to a multiple."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import LOWER

import tokenarium_core as tc
from tokenarium.models.training.size_budget import Embedding, SizeBudget, size_row
from tokenarium.models.vocabulary.padded_sizes import PaddedSize, padded_size, padded_sizes


@pytest.mark.parametrize(
    ("ids", "multiple", "rows", "unused"),
    [(50257, 64, 50304, 47), (50257, 128, 50304, 47), (32000, 64, 32000, 0), (8000, 1, 8000, 0)],
)
def test_usual_sizes(ids: int, multiple: int, rows: int, unused: int) -> None:
    size = PaddedSize(ids, multiple)
    assert (size.rows, size.unused) == (rows, unused)
    assert size.parameters(768) == rows * 768


def test_in_words() -> None:
    assert PaddedSize(50257, 64).sentence(768) == (
        "50,304 rows, 47 unused, 38,633,472 parameters of width 768"
    )
    assert PaddedSize(32000, 64).sentence() == "32,000 rows, none unused"


@given(ids=st.integers(0, 1 << 40), multiple=st.integers(1, 1 << 20))
def test_the_least_multiple_that_has_room(ids: int, multiple: int) -> None:
    rows = padded_size(ids, multiple)
    assert rows % multiple == 0
    assert ids <= rows < ids + multiple


@pytest.mark.parametrize("multiple", [0, -64, 1 << 21])
def test_no_such_multiple(multiple: int) -> None:
    with pytest.raises(tc.ArgumentError, match="cannot be padded"):
        padded_size(100, multiple)


def test_of_a_tokenizer() -> None:
    assert [size.rows for size in padded_sizes(LOWER, (8, 64))] == [264, 320]


def test_in_a_budget() -> None:
    embedding = Embedding(768, tied=True, multiple=64)
    row = size_row("GPT-2", 50257, embedding)
    assert (row.rows, row.parameters) == (50304, 50304 * 768)
    budget = SizeBudget("GPT-2", 50257, embedding, 10_000_000)
    assert budget.allowed == 10_000_000 // 768 // 64 * 64
    assert "38.6 million with 47 unused rows" in budget.sentence()
