"""Trainings on web pages: at each step the pairs, the pieces, the curves and the text are those of the story."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from browser import Browser, violations
from stepped_pages import ISOLATES

from tokenarium.models.merges.training_story import TrainingStory, UnigramStory, story_of
from tokenarium.web.page import page
from tokenarium.web.training_figure import MOST_STEPS, now_units, training_figure
from tokenarium_core.progress import Progress
from tokenarium_core.training import PairRecord, UnigramRecord, make_trainer

WORDS = "the other then there, this that thing: the weather there. low lower lowest newer wider "
CASES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "bpe": ("bpe", 290, {}),
    "superbpe": ("superbpe", 300, {"transition": 275}),
    "sentencepiece": ("sentencepiece-bpe", 60, {}),
    "ratio": ("wordpiece", 60, {"scoring": "ratio"}),
    "unigram": ("unigram", 40, {}),
}
TEXTS = ("The weather, lower!", "日本 café 🎉 <b>&amp;", "السلام the \0 x", "")


@functools.cache
def story(case: str) -> TrainingStory:
    algorithm, size, options = CASES[case]
    record = UnigramRecord() if algorithm == "unigram" else PairRecord(5)
    trainer = make_trainer(algorithm, [WORDS * 6], vocab_size=size, record=record, **options)
    trainer.run()
    return story_of(trainer, record)


def data_of(case: str, text: str, step: int = 0) -> dict[str, Any]:
    figure = training_figure(story(case), text, "T", "about", step)
    data: dict[str, Any] = json.loads(json.dumps(figure.data))
    return data


@pytest.mark.parametrize("case", ["bpe", "unigram"])
def test_each_part_of_the_work_reports_how_far_it_is(case: str) -> None:
    """Pages of large trainings take a minute: the tokenizer of each step is made, and splits the text."""
    reports: list[Progress] = []
    training_figure(story(case), TEXTS[0], "T", "about", 0, 1, reports.append)
    count = len(story(case)) + 1
    found = [(one.phase, one.done, one.total) for one in reports]
    counted = ["counting"] if story(case).tables is not None else []
    phases = ["drawing the steps", "splitting the text", *counted]
    assert found == [(phase, done, count) for phase in phases for done in range(0, count, 16)]


@pytest.mark.parametrize("case", CASES)
def test_all_steps_are_those_of_the_story(case: str) -> None:
    found, data = story(case), data_of(case, "")
    assert data["steps"] == list(range(len(found) + 1))
    for step in data["steps"]:
        report = found.report if step == len(found) else ""
        sentence = found.sentence(step, rivals=not report)
        assert data["said"][step] == [f"{sentence} {report}".strip(), found.measure(step)]
        bars = found.bars(step)
        if bars:
            shown = [
                [data["pairs"][pair][0].translate(ISOLATES), value, count, note]
                for pair, value, count, note in data["bars"][step]
            ]
            assert shown == [
                [
                    f"{bar.left} + {bar.right}".translate(ISOLATES),
                    pytest.approx(bar.value, abs=1e-6),
                    bar.figure or f"{bar.count:,}",
                    "merged" if bar.merged else "tied" if bar.tied else "",
                ]
                for bar in bars
            ]
        if isinstance(found, UnigramStory):
            pieces = found.pieces(step)
            rows = data["pieces"][step]
            assert [row[0] for row in rows] == [pieces.text(row) for row in range(len(rows))]
            assert [row[2] for row in rows] == [pieces.fate(row) for row in range(len(rows))]


@pytest.mark.parametrize("case", CASES)
def test_the_curves_have_the_values_of_the_story(case: str) -> None:
    found, data = story(case), data_of(case, "")
    for curve, places in zip(found.curves(), data["curves"], strict=True):
        assert [place is None for place in places] == np.isnan(curve.values).tolist()
        known = [place for place in places if place is not None]
        values = curve.values[~np.isnan(curve.values)]
        assert [place[0] for place in known] == sorted(place[0] for place in known)
        order = np.argsort(values, kind="stable")
        heights = np.array([place[1] for place in known])[order]
        assert (np.diff(heights) <= 0).all()  # a greater value is higher


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("case", CASES)
def test_the_text_is_cut_as_in_the_story(case: str, text: str) -> None:
    found, data = story(case).twin(), data_of(case, text)
    found.set_text(text)
    assert data["text"] == text
    words = text.encode("utf-16-le")
    edges = {0}
    byte = 0
    for sign in text:
        byte += len(sign.encode())
        edges.add(byte)
    for step in data["steps"]:
        units = now_units(data["units"], step)
        pieces = [words[2 * first : 2 * last].decode("utf-16-le") for first, last, _ in units]
        cut = found.cut(step)
        spans = [cut.span(place) for place in range(len(cut))]
        whole = [text.encode()[a:b].decode() for a, b in spans if a in edges and b in edges]
        alone = [piece for piece, (_, _, hue) in zip(pieces, units, strict=True) if hue >= 0]
        assert all(piece in alone or not piece for piece in whole if step)
        covered = [place for first, last, _ in units for place in range(first, last)]
        assert covered == sorted(set(covered))
        shared = sum(hue < 0 for _, _, hue in units)
        assert (shared > 0) == any(a < b and (a not in edges or b not in edges) for a, b in spans)


def test_of_very_many_steps_some_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.web.training_figure.MOST_STEPS", 12)
    found = story("bpe")
    figure = training_figure(found, "the", "T", "about", 17)
    assert isinstance(figure.data, dict)
    steps = figure.data["steps"]
    assert len(steps) <= 12
    assert {0, 17, len(found)} <= set(steps)
    assert steps[figure.data["at"]] == 17
    assert f"{len(steps)} of the {len(found) + 1} steps are on this page." in figure.html
    assert len(found) < MOST_STEPS


@pytest.mark.slow
@pytest.mark.parametrize("case", ["bpe", "ratio", "unigram"])
def test_the_browser_shows_each_step(opened: Callable[..., Browser], case: str) -> None:
    text = "the 日 weather 🎉 café"
    figure = training_figure(story(case), text, "T", "about", 2)
    data = data_of(case, text, 2)
    cut = "[...document.querySelectorAll('.cut span')].map(one => [one.textContent, one.className])"
    rows = "[...document.querySelectorAll('.pair')].map(one => [...one.querySelectorAll('span')].map(cell => cell.textContent.trim()))"
    pieces = "[...document.querySelectorAll('.chosen tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
    here = "[...document.querySelectorAll('.here')].map(one => [Number(one.getAttribute('cx')), Number(one.getAttribute('cy'))])"
    one = opened(page("T", [figure]))
    every = f"[{cut}, {rows}, {pieces}, {here}]"
    written = json.dumps(figure.html)
    parsed = f"new DOMParser().parseFromString({written}, 'text/html')"
    still = one.value(f"(document => {every})({parsed})")  # what there is without a script
    one.value("document.querySelector('.stage').focus()")
    one.press("Home")
    for step in range(len(data["steps"])):
        words = text.encode("utf-16-le")
        units = now_units(data["units"], step)
        assert one.value(cut) == [
            [
                words[2 * first : 2 * last].decode("utf-16-le"),
                "shared" if hue < 0 else f"s{hue + 8 * (place % 2)}",
            ]
            for place, (first, last, hue) in enumerate(units)
        ]
        if "bars" in data:
            assert one.value(rows) == [
                [data["pairs"][pair][0], f"{count} {note}".strip()]
                for pair, _, count, note in data["bars"][step]
            ]
        else:
            assert one.value(pieces) == data["pieces"][step]
        known = [[place for place in places[: step + 1] if place] for places in data["curves"]]
        assert [place for place, there in zip(one.value(here), known, strict=True) if there] == [
            there[-1] for there in known if there
        ]
        if step == 2:
            assert one.value(every) == still
        one.press("ArrowRight")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("case", ["bpe", "unigram"])
def test_everybody_can_use_it(opened: Callable[..., Browser], case: str, scheme: str) -> None:
    html = page("T", [training_figure(story(case), "the weather 日", "T", "about", 2)])
    assert violations(opened(html, prefers_color_scheme=scheme)) == []


@pytest.mark.slow
def test_a_curve_is_as_wide_on_paper_as_on_a_screen(opened: Callable[..., Browser]) -> None:
    one = opened(page("T", [training_figure(story("bpe"), "the weather", "T", "about", 2)]), 760)
    width = "document.querySelector('.curves svg').getBoundingClientRect().width"
    seen = one.value(width)
    one.show_as_printed()
    assert one.value(width) == seen
