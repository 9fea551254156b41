"""Sources are mixed by their shares of the bytes, the same way each time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium_core.errors import TokenariumError
from tokenarium_core.training.mixture import Mixture, mixed


def size_of(texts: list[str]) -> int:
    return sum(len(text.encode()) for text in texts)


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=6), st.data())
def test_shares_are_kept_and_nothing_counts_twice(there: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0.01, 100), min_size=len(there), max_size=len(there)))
    size = data.draw(st.integers(0, 10**12))
    made = Mixture([str(number) for number in range(len(there))], there, weights, size)
    assert sum(made.shares) == pytest.approx(1)
    for wanted, share, weight, most in zip(made.wanted, made.shares, weights, there, strict=True):
        assert share == pytest.approx(weight / sum(weights))
        assert wanted <= most + 1
        assert wanted == pytest.approx(share * made.total, abs=1)
    assert not size or made.total <= size
    assert made.notes or made.total == size or not size


def test_the_temperature_makes_shares_alike() -> None:
    shares = {
        temperature: Mixture(["a", "b"], [900, 100], temperature=temperature).shares
        for temperature in (1.0, 2.0, 1000.0)
    }
    assert shares[1.0] == pytest.approx([0.9, 0.1])
    assert shares[2.0] == pytest.approx([0.75, 0.25])
    assert shares[1000.0] == pytest.approx([0.5, 0.5], abs=0.001)


def test_what_is_too_little_is_repeated_where_that_is_wanted() -> None:
    scaled = Mixture(["a", "b"], [1000, 10], [0.5, 0.5], 2000)
    assert scaled.wanted == [10, 10]
    assert "b has too little text" in scaled.notes[0]
    repeated = Mixture(["a", "b"], [1000, 10], [0.5, 0.5], 2000, repeat=True)
    assert repeated.wanted == [1000, 1000]
    assert "b has too little text" in repeated.notes[0]


@pytest.mark.parametrize(
    ("there", "weights", "size", "temperature", "words"),
    [
        ([5, 0], [1.0, 1.0], 0, 1.0, "b has no text"),
        ([5, 5], [1.0, 0.0], 0, 1.0, "weight of b is"),
        ([5, 5], [1.0, float("nan")], 0, 1.0, "weight of b is"),
        ([5, 5], [], 0, 0.0, "temperature is 0"),
        ([5, 5], [1.0, 1.0], 0, 2.0, "give one of them"),
        ([5, 5], [], -1, 1.0, "give at least 1"),
    ],
)
def test_what_cannot_be_is_refused(
    there: list[int], weights: list[float], size: int, temperature: float, words: str
) -> None:
    with pytest.raises(TokenariumError, match=words):
        Mixture(["a", "b"], there, weights, size, temperature)


@pytest.mark.parametrize(
    "documents",
    [
        ["a line of text\n" * 4000],
        ["no line end " * 5000],
        [" ".join(f"word{number}" for number in range(4000))],
        [f"document {number}, short\n" for number in range(5000)],
        ["é人" * 100, "much longer text\n" * 3000, "x"] * 3,
    ],
)
@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.99, 1.0, 2.0, 3.3])
def test_as_many_bytes_come_as_are_wanted(documents: list[str], share: float) -> None:
    there = size_of(documents)
    size = int(there * share)
    taken = list(mixed(documents, there, size, 7))
    assert abs(size_of(taken) - size) <= size / 50 + 40
    assert taken == list(mixed(documents, there, size, 7))
    if 0.1 < share < 0.99:
        assert taken != list(mixed(documents, there, size, 8))
    if "word" in documents[0]:
        words = set(" ".join(documents).split())
        assert all(word in words for text in taken for word in text.split())
    if share == 1.0:
        assert "".join(taken) == "".join(documents)


@given(st.lists(st.text(max_size=30), max_size=8), st.integers(0, 300))
def test_what_is_taken_is_in_the_text(documents: list[str], size: int) -> None:
    there = len("".join(documents).encode("utf-8", "surrogatepass"))
    for text in mixed(documents, there, min(size, there)):
        assert text
        assert any(text in document for document in documents)
