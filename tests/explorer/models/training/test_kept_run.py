"""What a session keeps of a training: the inputs of its request, in the form that they have always had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import Filters
from tokenarium.models.training.training_queue import KeptRun
from tokenarium.models.training.training_request import CountingPlace, TrainingRequest

EVERYTHING: dict[str, Any] = {
    "identity": "",
    "name": "mine",
    "algorithm": "bpe",
    "vocab_size": 300,
    "options": {"min_frequency": 2, "special_tokens": ["<s>"]},
    "sources": [
        {
            "kind": "text",
            "value": "a text",
            "weight": None,
            "encoding": "",
            "field": "text",
            "language": "",
        }
    ],
    "seed": 3,
    "hold_out": False,
    "size": 5_000_000,
    "temperature": 2.0,
    "repeat": True,
    "filters": {"unique": True, "min_characters": 7, "max_characters": 0},
    "strict": True,
    "place": {"workers": 2, "address": ""},
    "complete": False,
    "report": "",
}


def _request(folder: Path) -> TrainingRequest:
    return TrainingRequest(
        "mine",
        "bpe",
        300,
        {"min_frequency": 2, "special_tokens": ["<s>"]},
        (CorpusSource("text", "a text"),),
        folder,
        seed=3,
        hold_out=False,
        size=5_000_000,
        temperature=2.0,
        repeat=True,
        filters=Filters(True, 7),
        strict=True,
        place=CountingPlace(2),
    )


def test_a_run_keeps_all_inputs_and_gives_the_same_request(tmp_path: Path) -> None:
    kept = KeptRun.of(_request(tmp_path), None)
    assert msgspec.to_builtins(kept) == EVERYTHING
    back = msgspec.convert(EVERYTHING, KeptRun).request(tmp_path)
    assert back == _request(tmp_path)
    assert back.place == CountingPlace(2)  # it counts for no equality
    assert back.experiment == _request(tmp_path).experiment


def test_a_run_of_before_has_the_usual_inputs(tmp_path: Path) -> None:
    least = ("identity", "name", "algorithm", "vocab_size", "options", "sources")
    kept = msgspec.convert({name: EVERYTHING[name] for name in least}, KeptRun)
    assert kept.complete
    assert kept.request(tmp_path) == TrainingRequest(
        "mine", "bpe", 300, _request(tmp_path).options, _request(tmp_path).sources, tmp_path
    )


@pytest.mark.parametrize(
    "wrong", [{"options": {"min_frequency": {}}}, {"sources": "a"}, {"seed": "3"}]
)
def test_a_run_of_wrong_types_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(EVERYTHING | wrong, KeptRun)
