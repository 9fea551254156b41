"""The number of sequences that decode to a text, against all sequences there are, and their order."""

from __future__ import annotations

import functools
from math import log2
from pathlib import Path
from typing import Any

import hf_models
import pytest
import sentencepiece_models
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium_core.explaining.decoded_pieces import DecodedPieces
from tokenarium_core.explaining.near_spellings import spelled_bytes
from tokenarium_core.explaining.ways import BY_LENGTH, LONGEST_FIRST, Ways, WaysJob, ways
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.models import Unigram
from tokenarium_core.vocabulary import BYTE, CONTROL, UNKNOWN, UNUSED

CORPUS = ["the then there the other one", "a café in the street", "日本 and 日本語", "x  y"] * 4
TEXTS = ["the", "a b", " the", "é", "日", "", "there", "a  th", "x."]


def all_ways(tokenizer: tc.Tokenizer, target: bytes) -> list[tuple[int, ...]]:
    """Returns every sequence of ids that decodes to some bytes, found by decoding them."""
    vocabulary, special = tokenizer.vocabulary, tokenizer.added_tokens.special_ids
    candidates = []
    for token in range(len(vocabulary)):
        kind, piece = int(vocabulary.kinds[token]), vocabulary.piece(token)
        if not piece or kind in (CONTROL, UNKNOWN, UNUSED) or token in special:
            continue
        wanted, surface = b" " + target, vocabulary.surface(token)
        text = surface.replace("##", "").replace("▁", " ").encode()
        in_alphabet = spelled_bytes(surface) or b"\xff"
        if (kind != BYTE and (piece in wanted or text in wanted or in_alphabet in target)) or (
            kind == BYTE and piece in wanted
        ):
            candidates.append(token)
    found: list[tuple[int, ...]] = []
    open_ones: list[tuple[int, ...]] = [()]
    while open_ones:
        ids = open_ones.pop()
        if len(ids) > len(target) + 1:
            continue
        data = tokenizer.decode_bytes(ids)
        if ids and data == target:
            found.append(ids)
        elif ids and not target.startswith(data.rstrip("\ufffd".encode())):
            continue
        if ids and not data and len(ids) > 1:
            continue  # nothing was written by more than one id
        open_ones += [(*ids, token) for token in candidates]
    return found


@functools.cache
def of_hugging_face(name: str, folder: Path) -> tc.Tokenizer:
    path = folder / f"{name}.json"
    hf_models.KINDS[name](CORPUS).save(str(path))
    return tc.open(path)


def check(tokenizer: tc.Tokenizer, text: str) -> None:
    try:
        found = ways(tokenizer, text, best=10_000)
    except tc.UnsupportedError:
        return
    if not found.data:
        assert found.count == 1
        return
    expected = all_ways(tokenizer, found.data)
    assert found.count == len(expected)
    assert sum(found.by_length) == found.count
    for length, count in enumerate(found.by_length):
        assert count == sum(len(ids) == length for ids in expected)
    assert tuple(found.canonical) in expected
    if found.best and not isinstance(tokenizer.model, Unigram):
        assert {tuple(way.ids) for way in found.best} <= set(expected)


@pytest.mark.parametrize(
    "kind", ["bpe, plain", "bpe, identity", "bpe, bytes", "unigram, bytes", "unigram, plain"]
)
def test_all_of_sentencepiece(kind: str) -> None:
    options: dict[str, Any] = dict(sentencepiece_models.MODELS[kind])
    tokenizer = read_sentencepiece(sentencepiece_models.trained(**options), "small.model", "small")
    for text in TEXTS:
        check(tokenizer, text)


@pytest.mark.parametrize(
    "name", ["llama2", "llama3", "bert", "t5", "metaspace_bpe", "real_spaces", "clip"]
)
def test_all_of_hugging_face(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    tokenizer = of_hugging_face(name, tmp_path_factory.getbasetemp())
    for text in TEXTS:
        check(tokenizer, text)


SMALL = of_pieces(
    [b"lo", b"ow", b"low", b"er", b"lower", b" l", b" low", b"\xc3\xa9"],
    special_tokens={"<|end|>": 300},
)


@given(st.text("lower é", max_size=7))
def test_all_of_byte_level_bpe(text: str) -> None:
    check(SMALL, text)


def test_a_worked_example() -> None:
    found = ways(SMALL, "low")
    # l·o·w, lo·w, l·ow, low
    assert (found.count, found.by_length, found.shorter) == (4, [0, 1, 2, 1], 0)
    assert found.bits_per_byte == log2(4) / 3
    pieces = [[SMALL.vocabulary.piece(token) for token in way.ids] for way in found.best]
    # l·ow is 108 + 257, and lo·w 256 + 119
    assert pieces == [[b"low"], [b"l", b"ow"], [b"lo", b"w"], [b"l", b"o", b"w"]]


def test_fewest_tokens_and_then_the_smaller_sum() -> None:
    found = ways(SMALL, "lowlow", best=1000)
    keys = [(len(way.ids), sum(way.ids), way.ids) for way in found.best]
    assert keys == sorted(keys)
    assert len(keys) == found.count


def test_a_special_token_counts_only_if_asked() -> None:
    assert ways(SMALL, "<|end|>").by_length[1] == 0
    with_it = ways(SMALL, "<|end|>", special=True)
    assert with_it.canonical == [300]
    assert with_it.by_length[1] == 1


def test_wordpiece_prefers_the_longest_first_token(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tokenizer = of_hugging_face("bert", tmp_path_factory.getbasetemp())
    found = ways(tokenizer, "there")
    assert found.order == LONGEST_FIRST
    assert found.best[0].ids == found.canonical
    sizes = [[len(tokenizer.vocabulary.piece(token)) for token in way.ids] for way in found.best]
    assert sizes == sorted(sizes, reverse=True)


def test_what_does_not_come_back_is_counted_for_what_does(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tokenizer = of_hugging_face("bert", tmp_path_factory.getbasetemp())
    found = ways(tokenizer, "THE")
    assert (found.data, found.comes_back) == (b"the", False)


def test_unknown_tokens_decode_to_no_text(tmp_path_factory: pytest.TempPathFactory) -> None:
    tokenizer = of_hugging_face("bert", tmp_path_factory.getbasetemp())
    with pytest.raises(tc.UnsupportedError, match="unknown"):
        ways(tokenizer, "the ☃")


def test_a_long_text_is_counted_in_steps() -> None:
    pieces = DecodedPieces(SMALL)
    text = "lower low " * 60
    job = WaysJob(SMALL, text, pieces=pieces)
    with pytest.raises(tc.TokenariumError, match="step"):
        assert job.ways
    steps = 0
    while not job.step(0.001).finished:
        steps += 1
    assert steps > 3
    found: Ways = job.ways
    assert found.count == ways(SMALL, text).count > 10**100
    assert len(text) > BY_LENGTH
    assert (found.by_length, found.shorter) == ([], -1)
    # "lower low " has as many ways wherever no entry crosses from one to the next: " l" does.
    once = of_pieces([b"lo", b"ow", b"low"])
    assert ways(once, "low" * 50).count == ways(once, "low").count ** 50
