from __future__ import annotations

import numpy as np
import pytest

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of


@pytest.fixture
def encoding() -> tc.Encoding:
    tokenizer = tc.train("bpe", "words, and more words", vocab_size=260)
    return tokenizer.encode("Words, and more words.")


def test_the_types_are_those_of_the_columns(encoding: tc.Encoding) -> None:
    assert array_of(encoding.ids).dtype == np.int32
    assert array_of(encoding.pre_tokens.rules).dtype == np.uint8


def test_the_memory_is_shared(encoding: tc.Encoding) -> None:
    ids = array_of(encoding.ids)
    assert ids.tolist() == list(encoding.ids)
    assert np.shares_memory(ids, array_of(encoding.ids))
