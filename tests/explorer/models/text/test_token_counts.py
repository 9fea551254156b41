"""Counts over tokens that come in slices are the same as over all of them at once."""

from __future__ import annotations

import numpy as np
import pytest
from running import run_through

import tokenarium_core as tc
from tokenarium.models.text import token_counts
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.grapheme_edges import GraphemeEdges
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_counts import TokenCounts


@pytest.fixture(scope="module")
def byte_tokens() -> tc.Tokenizer:
    """A tokenizer with a token for each byte."""
    return tc.train("bpe", [""], vocab_size=256)


def test_an_end_inside_a_character_is_not_counted_again_as_one_inside_a_grapheme(
    byte_tokens: tc.Tokenizer,
) -> None:
    text = TextMap("e\u0301x")
    counts = TokenCounts(byte_tokens, text)
    encoding = ChunkedEncoding.of(byte_tokens.encode(text.text))
    counts.take(encoding, None)
    counts.step(1e9)
    assert (counts.in_character, counts.in_grapheme) == (1, 0)
    edges = GraphemeEdges(4)
    edges.mark(np.array([3, 4]))
    counts.take(encoding, edges)
    assert not counts.finished
    counts.step(1e9)
    assert (counts.in_character, counts.in_grapheme) == (1, 1)
    assert (counts.lost, counts.lost_share) == (0, 0)


def test_they_go_on_where_they_were(
    byte_tokens: tc.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_counts, "AT_ONCE", 700)
    text = TextMap("añ語🙂 " * 800)
    whole = TokenCounts(byte_tokens, text)
    whole.take(ChunkedEncoding.of(byte_tokens.encode(text.text)), None)
    run_through(whole, 0)
    job = byte_tokens.encode_job(text.padded)
    parts = TokenCounts(byte_tokens, text)
    steps = 0
    while not job.finished:
        job.step(0)
        encoding = ChunkedEncoding.of(job.encoding)
        assert parts.goes_on_to(encoding) is (steps > 0)
        parts.take(encoding, None, job.finished)
        run_through(parts, 0)
        steps += 1
    assert steps > 1
    assert parts.in_character == whole.in_character == 6 * 800
    assert parts.lost == whole.lost == 0
    assert not parts.goes_on_to(ChunkedEncoding.of(byte_tokens.encode(text.text)))


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_what_is_lost_is_counted_in_any_parts(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(token_counts, "AT_ONCE", at_once)
    wordpiece = tc.train("wordpiece", ["the cat sat"], vocab_size=40)
    text = TextMap(" the  cat ж\n\n sat  the\n")
    counts = TokenCounts(wordpiece, text)
    encoding = ChunkedEncoding.of(wordpiece.encode(text.text))
    counts.take(encoding, None, complete=False)
    run_through(counts, 0)
    before = counts.lost_bytes
    counts.take(encoding, None)
    run_through(counts, 0)
    assert counts.lost_bytes == before + 1  # the line end after the last token
    # The blank at the beginning, one of two, ж, two of three, one of two, the last line end.
    assert (counts.lost, counts.lost_bytes) == (6, 1 + 1 + 2 + 2 + 1 + 1)
    assert counts.lost_share == 8 / text.byte_count


def test_a_text_without_a_token_is_lost_whole() -> None:
    wordpiece = tc.train("wordpiece", ["the cat sat"], vocab_size=40)
    counts = TokenCounts(wordpiece, TextMap(" \n"))
    counts.take(ChunkedEncoding.of(wordpiece.encode(" \n")), None)
    counts.step(1e9)
    assert counts.lost_share == 1
