"""Which body plays the runs of a model of each kind, and the words for how it makes tokens."""

from __future__ import annotations

import pytest
from other_files import tokenizer_of

from tokenarium.models.lessons.answers import kind_of
from tokenarium.models.tokenizers.tokenizer_facts import MODELS
from tokenarium.widgets.players.greedy_body import GreedyBody
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium.widgets.players.player_body import PlayerBody
from tokenarium.widgets.players.player_lane import body_of


@pytest.mark.parametrize(
    ("format", "body", "kind", "model"),
    [
        ("rwkv", GreedyBody, "longest match", "longest match"),
        ("minbpe", MergeBody, "BPE", "byte-level BPE"),
        ("llama2.c", MergeBody, "SentencePiece BPE", "BPE of characters"),
        ("youtokentome", MergeBody, "SentencePiece BPE", "BPE of characters"),
        ("tiktoken-pickle", MergeBody, "BPE", "byte-level BPE"),
    ],
)
def test_each_model_has_its_body_and_its_name(
    format: str, body: type[PlayerBody], kind: str, model: str
) -> None:
    tokenizer = tokenizer_of(format)
    assert body_of(tokenizer.model) is body
    assert kind_of(tokenizer) == kind
    assert MODELS[type(tokenizer.model).__name__] == model
