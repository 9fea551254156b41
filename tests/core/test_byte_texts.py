"""Bytes that are not UTF-8: which tokens before them change, and which models cannot encode them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hf_models import composed_bytes, t5
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium_core.byte_texts import BYTES_RULE

CORPUS = ["the café of the thé", "e\u0301te\u0301 the end"] * 4


@pytest.mark.parametrize(
    ("data", "pieces", "cuts"),
    [
        (b"", [], []),
        (b"low", [b"low"], [3]),
        (b"\xff", [b"\xff"], [1]),
        (b"low\xc3", [b"low\xc3"], [4]),  # one entry, as the last pre-token may go on
        (b"a low\xff", [b"a", b" low", b"\xff"], [1, 6]),
        (b"a  \n\xff", [b"a", b"  ", b"\n\xff"], [1, 5]),  # the blanks before it are merged again
        (b"\xfflow low", [b"\xff", b"low", b" low"], [8]),  # all that follows is one pre-token
    ],
)
def test_what_is_merged_again(data: bytes, pieces: list[bytes], cuts: list[int]) -> None:
    tokenizer = of_pieces(
        [b"lo", b"low", b" low", b"low\xc3", b"  ", b"\n\xff"], pre_tokenizer="gpt2"
    )
    encoding = tokenizer.encode_bytes(data)
    assert [tokenizer.vocabulary.piece(token) for token in encoding.ids] == pieces
    assert list(encoding.pre_tokens.ends) == cuts
    names = [encoding.pre_tokens.names[rule] for rule in encoding.pre_tokens.rules]
    assert (names[-1:] == [BYTES_RULE]) == (b"\xff" in data or b"\xc3" in data)


def test_a_normalizer_changes_only_the_text_before(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    composed_bytes(CORPUS).save(str(path))
    tokenizer = tc.open(path)
    data = "e\u0301te\u0301 ".encode() + b"\xffe\xcc\x81"
    encoding = tokenizer.encode_bytes(data)
    pieces = b"".join(map(tokenizer.vocabulary.piece, encoding.ids))
    assert pieces == "été ".encode() + b"\xffe\xcc\x81"
    assert encoding.span(0)[0] == 0
    assert encoding.span(len(encoding) - 1)[1] == len(data)
    spans = [encoding.span(place) for place in range(len(encoding))]
    assert spans == sorted(spans)


def test_a_model_of_characters_says_that_it_cannot(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    t5(CORPUS).save(str(path))
    tokenizer = tc.open(path)
    assert list(tokenizer.encode_bytes(b"the").ids) == tokenizer.encode_ids("the")
    with pytest.raises(tc.UnsupportedError, match="Unigram, works on characters"):
        tokenizer.encode_bytes(b"the \xff")
