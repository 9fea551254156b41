"""A space that falls back to bytes becomes three ids: there is room for all of them."""

from __future__ import annotations

import pytest
from librt.vecs import vec

from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import BYTE, NORMAL, SPACE_MARK, UNKNOWN, PieceArena, Vocabulary


def tokenizer() -> Tokenizer:
    """Returns a Unigram tokenizer of all bytes and ``a``, without a piece for the space."""
    pieces = PieceArena(258)
    pieces.add(b"<unk>", UNKNOWN)
    for byte in range(256):
        pieces.add(bytes([byte]), BYTE)
    pieces.add(b"a", NORMAL)
    pieces.scores = vec[float]([0.0] * 258)
    vocabulary = Vocabulary(pieces, (NORMAL,), SPACE_MARK)
    return Tokenizer("spaces", Unigram(vocabulary, 0, True), WholeText(), AddedTokens([]))


@pytest.mark.parametrize("count", [1, 40, 3000])
def test_a_run_of_spaces(count: int) -> None:
    mark = [1 + byte for byte in "▁".encode()]
    expected = [257, *mark * count, 257]
    text = "a" + " " * count + "a"
    assert tokenizer().encode_ids(text) == expected
    assert list(tokenizer().encode_buffer(text)) == expected
    assert list(tokenizer().encode(text).ids) == expected
    assert list(tokenizer().encode(text, trace=Trace()).ids) == expected
