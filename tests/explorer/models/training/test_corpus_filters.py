"""Filters of documents: the first of equal ones is kept, short and long ones are left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import DocumentHashes, Filters
from tokenarium_core import TokenariumError


@given(st.lists(st.text(max_size=3)))
def test_the_first_of_equal_documents_is_kept(texts: list[str]) -> None:
    hashes = DocumentHashes()
    assert [text for text in texts if hashes.add(text)] == list(dict.fromkeys(texts))


def test_many_are_remembered_in_few_bytes_and_no_more_than_the_bound() -> None:
    hashes = DocumentHashes(9000)
    assert all(hashes.add(str(number)) for number in range(10_000))
    assert hashes.full
    assert hashes.count == 9000
    assert not any(hashes.add(str(number)) for number in range(9000))
    assert hashes.add("9500")
    assert len(hashes._table) <= 43 * 9000


def test_a_corpus_leaves_documents_out_in_the_order_of_its_sources(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n{"text": "two words"}\n{"text": "one"}\n')
    (tmp_path / "b.txt").write_text("two words")
    sources = [
        CorpusSource("text", "x"),
        CorpusSource("file", str(tmp_path / "a.jsonl")),
        CorpusSource("file", str(tmp_path / "b.txt")),
    ]
    corpus = Corpus(sources, filters=Filters(unique=True))
    assert list(corpus) == ["x", "one", "two words"]
    assert corpus.mixing_notes[0] == "2 documents left out as duplicates of earlier ones."
    corpus = Corpus(sources, filters=Filters(min_characters=2, max_characters=5))
    assert list(corpus) == ["one", "one"]
    assert corpus.mixing_notes[:2] == [
        "1 document of fewer than 2 characters left out.",
        "2 documents of more than 5 characters left out.",
    ]
    mixed = Corpus(sources[1:], size=8, filters=Filters(unique=True, max_characters=3))
    with pytest.raises(TokenariumError, match="has no text"):
        list(mixed)  # nothing is left of the second source


def test_filters_that_cannot_be() -> None:
    with pytest.raises(TokenariumError, match="No document has 5 characters or more"):
        Corpus([], filters=Filters(min_characters=5, max_characters=4))
    with pytest.raises(TokenariumError, match="below 0"):
        Corpus([], filters=Filters(min_characters=-1))
