"""Wrong arguments raise an error of ours with a sentence, which is Python's own kind of error too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium_core.errors import ArgumentError, IdError, TokenariumError
from tokenarium_core.explaining.piece_facts import PieceFacts
from tokenarium_core.explaining.vocabulary_entries import is_superword
from tokenarium_core.models.bpe.merge_heap import PositionHeap
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.models.word_cache import SeenWords
from tokenarium_core.padded_text import padded
from tokenarium_core.pretokenizers.pretokenizer import cut_bytes
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training.merging.merger import MergeColumns
from tokenarium_core.training.merging.segmentation import Segmentation
from tokenarium_core.vocabulary import PieceArena

HOLES = of_pieces([b"lo"], special_tokens={"<|x|>": 300})


@pytest.mark.parametrize(
    "number", [-1, -(2**31), -(2**63) - 1, 2**31, 2**62, 2**63 - 1, 2**63, 10**30, 257, 299, 301]
)
def test_ids_that_there_are_not(number: int) -> None:
    for decode in (HOLES.decode, HOLES.decode_bytes):
        with pytest.raises(IdError, match=rf"(id {number}\b)|unused"):
            decode([0, number, 1])
    assert issubclass(IdError, (IndexError, TokenariumError))


@pytest.mark.parametrize("data", [b"", b"a", b"a" * 40, bytes(15), b"\0" * 15 + b"a"])
def test_bytes_that_are_not_padded(data: bytes) -> None:
    """They had no end."""
    for take in (LOWER.encode_job, lambda data: cut_bytes(pre_tokenizer("gpt2"), data)):
        with pytest.raises(ArgumentError, match="ends with 16 zero bytes"):
            take(data)
    assert list(LOWER.encode_job(padded("")).encoding.ids) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda: LOWER.encode("a", special="some"),
        lambda: LOWER.encode("a", special={"<x>"}),
        lambda: LOWER.save("x", format="onnx"),
        lambda: MergeColumns(-1),
        lambda: MergeColumns(2**63 - 1),
        lambda: MergeColumns(2**62),
        lambda: MergeTable(2**62),
        lambda: PieceArena(2**62),
        lambda: PieceFacts(-1),
        lambda: PositionHeap(2**63 - 1),
        lambda: SeenWords(2**62),
        lambda: Segmentation(2**62),
    ],
    ids=range(12),
)
def test_other_arguments(call: Callable[[], object]) -> None:
    with pytest.raises(ArgumentError, match=r"\.$") as error:
        call()
    assert isinstance(error.value, ValueError)


def test_a_message_is_one_line_and_has_an_end() -> None:
    error = tc.FormatError("a\nb " + "x" * 100_000 + ".")
    assert str(error).startswith("a b x")
    assert str(error).endswith("x.")
    assert len(str(error)) < 3000


def test_an_id_that_there_is_not_is_no_superword() -> None:
    for token in (-1, 10**6, -(2**62)):
        with pytest.raises(tc.IdError, match="There is no id"):
            is_superword(LOWER.vocabulary, token)


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(tc.NotAvailable, match="cannot be read"):
        tc.open(tmp_path / ("x" * 5000))
    with pytest.raises(tc.TokenariumError, match=r"\.$"):
        tc.open("a\0b")
    with pytest.raises(tc.TokenariumError, match="cannot be written"):
        LOWER.save(str(tmp_path / "\ud800"))
    assert list(tmp_path.iterdir()) == []
