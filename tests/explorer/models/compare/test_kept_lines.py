"""Texts in several languages are counted once: again the same counts, from the measure cache."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tokenarium_core as tc
from tokenarium.models.compare import kept_lines
from tokenarium.models.compare.comparing import LanguageCounts, line_counts
from tokenarium.models.compare.kept_lines import LanguageTexts
from tokenarium.models.compare.measure_cache import measure_folder, store_arrays
from tokenarium.models.compare.parallel_texts import ParallelText, shipped
from tokenarium.models.compare.tally import measured
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core import tokenizer_cache

TEXTS = [*shipped()[:3], ParallelText("xx", "Hard", ("a\ud800b 12 345", *[""] * 2))]


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.open(shipped_path("unigram-8k"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, in which small texts are stored too."""
    monkeypatch.setenv(tokenizer_cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(kept_lines, "_LEAST", 1)
    found = measure_folder()
    assert found is not None
    return found


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are measured."""
    found: list[str] = []
    monkeypatch.setattr(
        kept_lines, "measured", lambda *lines: found.append(lines[0]) or measured(*lines)
    )
    return found


def lines_of(texts: list[ParallelText], by_line: bool) -> list[tuple[str, ...]]:
    return [text.lines if by_line else (text.text,) for text in texts]


def check_same(one: LanguageCounts, texts: list[ParallelText], by_line: bool, tokenizer: tc.Tokenizer) -> None:  # fmt: skip
    """Checks the counts of texts against those that no cache has seen."""
    other = line_counts(tokenizer, [measured(*lines) for lines in lines_of(texts, by_line)])
    assert one.figures == other.figures
    assert [list(map(type, figures.values)) for figures in one.figures] == [
        list(map(type, figures.values)) for figures in other.figures
    ]
    assert np.array_equal(one.lost, other.lost)
    assert one.tokens.dtype == other.tokens.dtype
    assert np.array_equal(one.tokens, other.tokens)


@pytest.mark.parametrize("by_line", [True, False])
def test_counts_are_those_without_a_cache(by_line: bool, folder: Path, calls: list[str], tokenizer: tc.Tokenizer) -> None:  # fmt: skip
    texts = TEXTS[:3] if by_line else TEXTS
    for _ in range(2):
        check_same(LanguageTexts(texts, by_line).counts(tokenizer), texts, by_line, tokenizer)
        assert len(calls) == len(texts)
    other = tc.open(shipped_path("tokenarium-8k"))
    check_same(LanguageTexts(texts, by_line).counts(other), texts, by_line, other)
    assert len(calls) == 2 * len(texts)


def test_only_the_same_lines_are_found(folder: Path, calls: list[str], tokenizer: tc.Tokenizer) -> None:  # fmt: skip
    first = ParallelText("en", "English", ("one two", "three"))
    variants = [
        [first, first],
        [first, replace(first, lines=("one tw", "othree"))],
        [first, replace(first, lines=("one two", "threE"))],
        [replace(first, lines=("one two", "threE")), first],
        [first],
    ]
    for texts in variants * 2:
        check_same(LanguageTexts(texts, True).counts(tokenizer), texts, True, tokenizer)
    assert len(calls) == sum(map(len, variants))
    renamed = [replace(first, language="de", title="German")] * 2
    check_same(LanguageTexts(renamed, True).counts(tokenizer), renamed, True, tokenizer)
    assert len(calls) == sum(map(len, variants))
    check_same(LanguageTexts(variants[0], False).counts(tokenizer), variants[0], False, tokenizer)
    assert len(calls) == sum(map(len, variants)) + 2


@pytest.mark.parametrize(
    "arrays",
    [
        [],
        [np.zeros(3, np.int64)] * 10,
        [np.zeros(2, np.int64)] * 5,
        [np.zeros(2, np.int64)] * 10,
    ],
)
def test_other_arrays_are_counted_again(arrays: list[np.ndarray], folder: Path, calls: list[str], tokenizer: tc.Tokenizer) -> None:  # fmt: skip
    texts = [ParallelText("en", "English", ("one two", "three"))] * 2
    LanguageTexts(texts, True).counts(tokenizer)
    for path in folder.iterdir():
        store_arrays(path.stem, arrays)
    check_same(LanguageTexts(texts, True).counts(tokenizer), texts, True, tokenizer)
    assert len(calls) == 4


def test_small_texts_are_not_stored(folder: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: tc.Tokenizer) -> None:  # fmt: skip
    monkeypatch.setattr(kept_lines, "_LEAST", 1 + sum(len(line) for line in TEXTS[0].lines))
    LanguageTexts(TEXTS[:1], True).counts(tokenizer)
    assert not folder.exists()
