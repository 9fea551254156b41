"""The page Train as a web page: the inputs of its form, and nothing where trainings have run."""

from __future__ import annotations

import re
from html import unescape

import pytest
from shown_scenes import HOSTILE, shown_scene

import tokenarium_core as tc
from tokenarium.analyses.training_inputs import VOCAB_SIZE
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.web.scene_pages import page_of_shown
from tokenarium.web.shown_scene import ShownScene
from tokenarium.web.training_form_figure import training_form_figures


def scene_of(**kept: object) -> ShownScene:
    return shown_scene("Text", workspace="train", page="training", pages={"train.training": kept})


def inputs_of(**kept: object) -> list[tuple[str, str]]:
    """The rows of the table."""
    (figure,) = training_form_figures(scene_of(**kept))
    rows = re.findall(r"<tr><td>(.*?)</td><td><bdi>(.*?)</bdi></td></tr>", figure.html)
    return [(unescape(name), unescape(value)) for name, value in rows]


def test_an_untouched_form_has_its_defaults() -> None:
    assert inputs_of() == [
        ("Corpus", CorpusSource("library").title),
        ("Algorithm", "Byte-level BPE"),
        (VOCAB_SIZE.title, str(VOCAB_SIZE.default)),
    ]


def test_what_was_chosen_is_listed() -> None:
    sources = [{"kind": "text", "value": "Hello there"}, {"kind": "file", "value": "/texts/a.txt"}]
    found = inputs_of(
        sources=sources,
        algorithms=["bpe", "unigram"],
        vocab_size="1200",
        hold_out=False,
        fields={"min_frequency": "3", "none_such": "4"},
    )
    assert found[:2] == [("Corpus", CorpusSource("text", "Hello there").title), ("", "/texts/a.txt")]  # fmt: skip
    assert found[2] == ("Algorithms", "Byte-level BPE, Unigram")
    assert found[3] == (VOCAB_SIZE.title, "1200")
    assert [value for _, value in found[4:]] == ["no", "3"]
    assert found[-1] == ("Minimum frequency", "3")


@pytest.mark.parametrize(
    "kept",
    [{"sources": 7, "algorithms": [3], "fields": []}, {"algorithms": ["none such"], "name": []}],
)
def test_what_a_scene_has_wrong_has_no_effect(kept: dict[str, object]) -> None:
    assert inputs_of(**kept) == inputs_of()


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_typed_is_markup(text: str) -> None:
    html = page_of_shown(scene_of(vocab_size=text, sources=[{"kind": "text", "value": text}]))
    assert html.count("<script") == page_of_shown(scene_of()).count("<script")
    assert "<img" not in html


def test_results_are_refused() -> None:
    with pytest.raises(tc.TokenariumError, match="results of trainings"):
        training_form_figures(scene_of(runs=[{"name": "x"}]))
