"""The tables beside the steps of merges: at each step the pairs that wait, in the order of the queue, and what was done."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from browser import Browser, violations
from played_models import bpe, unigram
from small_vocabularies import of_pieces
from stepped_pages import parts_of, recorded, texts_at

import tokenarium_core as tc
from tokenarium.models.merges.merge_scene import rank_label
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import in_tile, readable
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.web.merge_tables import MOST_STEPS
from tokenarium.web.page import page
from tokenarium.web.step_scenes import run_figure
from tokenarium_core.trace import MERGE

MODELS: dict[str, Callable[[], tc.Tokenizer]] = {
    "bytes": lambda: of_pieces([b"lo", b"low", b" lo", b" low", b"er", b"lower", "é".encode()]),
    "scores": bpe,
    "sentencepiece": lambda: tc.open(shipped_path("sentencepiece-bpe-8k")),
    "superwords": lambda: tc.open(shipped_path("superbpe-8k")),
}
TEXTS = ("lower lowest", "café 日本 🎉", "السلام عليكم", "aaaaaaa")


def run_of(model: str, text: str) -> TraceRun:
    utf8 = text.encode()
    return TraceRun(MODELS[model](), utf8, 0, len(utf8))


def waiting(run: TraceRun) -> list[list[str]]:
    """The pairs that wait at the step of a run, the next one first, as the window orders them."""
    step = run.next_step
    symbols = run.symbols()[step.word] if step is not None else []
    known = {one.start: one for one in run.candidates(symbols)}
    found = []
    for left, right in pairwise(symbols):
        one = known.get(left.start)
        if one is not None:
            texts = (in_tile(readable(run.data[side.start : side.end])) for side in (left, right))
            order = one.rank if one.score is None else -one.score
            found.append((order, left.start, [" + ".join(texts), rank_label(one)]))
    return [texts for _, _, texts in sorted(found, key=lambda one: one[:2])]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("model", MODELS)
def test_each_step_has_its_queue_and_what_was_done(model: str, text: str) -> None:
    run = run_of(model, text)
    figure = run_figure(run, "Any", "some")
    rows, did = parts_of(figure, "waits"), parts_of(figure, "did")
    for step in range(len(run) + 1):
        run.go_to(step)
        there = waiting(run)
        assert sorted(texts_at(rows, step)) == sorted(there)
        assert [texts[1] for texts in texts_at(rows, step)] == [label for _, label in there]
        coming = run.next_step
        following = [one.texts for one in rows if "next" in one.look(step)]
        merges = coming is not None and coming.kind == MERGE and bool(there)
        assert len(following) == merges
        done = run.playback.steps[: run.playback.position]
        found = texts_at(did, step)
        assert len(found) == len(done)
        for texts, one in zip(found, done, strict=True):
            assert in_tile(readable(run.data[one.start : one.end])) in texts[0]
            if one.kind == MERGE and run.score(one.result) is None:
                assert texts[1] == f"{one.rank:,}"


def test_no_pair_waits_is_said_only_when_that_is_so() -> None:
    run = run_of("bytes", "low lo")
    html = recorded(run_figure(run, "Any", "some"))
    row = html.split("No pair waits.")[0].rsplit("<tr", 1)[1]
    assert f'data-at="-1 off;{len(run)}"' in row
    assert run_figure(run, "Any", "some", len(run)).html.count("No pair waits.") == 1
    assert "No pair waits." not in run_figure(run, "Any", "some").html


@pytest.mark.parametrize("text", ["low " * MOST_STEPS, "zz"])
def test_a_long_run_and_one_without_steps_have_no_tables(text: str) -> None:
    assert 'class="beside' not in run_figure(run_of("bytes", text), "Any", "some").html


def test_other_models_have_none() -> None:
    utf8 = b"abab"
    assert 'class="beside' not in run_figure(TraceRun(unigram(), utf8, 0, 4), "Any", "some").html


@pytest.mark.slow
def test_the_tables_follow_the_steps_in_a_browser(opened: Callable[..., Browser]) -> None:
    run = run_of("bytes", "lower lowest")
    figure = run_figure(run, "Any", "some")
    shown = opened(page("Steps", [figure]), 360)
    rows = "[...document.querySelectorAll('tr.waits')].filter(one => one.checkVisibility()).map(one => one.textContent.replace(/[\\u2066-\\u2069]/g, ''))"
    for step in range(len(run) + 1):
        run.go_to(step)
        assert sorted(shown.value(rows)) == sorted("".join(texts) for texts in waiting(run))
        shown.value("document.querySelector('.stage').focus()")
        shown.press("ArrowRight")
    assert violations(shown) == []
    assert shown.value("document.documentElement.scrollWidth") <= 360
