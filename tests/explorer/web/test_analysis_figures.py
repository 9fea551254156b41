"""Answers of analyses on pages: the values of their tables, the fields of the scene, charts to scale, and a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from browser import Browser, check_readable
from shown_scenes import HOSTILE, shown_scene

from tokenarium.analyses.analysis import Analysis, analysis_named
from tokenarium.analyses.table import Table, TableCell
from tokenarium.commands.cli import ANALYSES as COMMANDS
from tokenarium.models.charts.chart import (
    Axis,
    BarSeries,
    Chart,
    ChartBar,
    ChartCurve,
    ChartMark,
    grouped_bars,
)
from tokenarium.web.analysis_figures import analysis_figures, analysis_inputs
from tokenarium.web.chart_figures import HEIGHT, WIDTH, chart_html
from tokenarium.web.scene_pages import ANALYSES, FIGURES, page_of_shown
from tokenarium.web.shapes import marker_svg
from tokenarium.web.shown_scene import ShownScene
from tokenarium_core import TokenariumError

PAGES = [(page.partition(".")[0], analysis_named(page.partition(".")[2])) for page in ANALYSES]
TEXT = "The tokens of 1234567 café, again and again."


def scene_of(page: tuple[str, Analysis[Any]], text: str = TEXT, **settings: object) -> ShownScene:
    """A short text with two tokenizers on the page of an analysis."""
    workspace, analysis = page
    pages = {f"{workspace}.{analysis.id}": settings}
    ids = ("tokenarium-8k", "bpe-gpt2-8k")
    return shown_scene(text, ids, workspace=workspace, page=analysis.id, pages=pages)


def texts_of(html: str, tag: str) -> list[str]:
    """The texts of the elements of a kind."""
    found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", html, re.DOTALL)
    return [unescape(re.sub("<[^>]*>", "", one)).strip() for one in found]


def written(cell: TableCell) -> str:
    """What a window shows in a cell."""
    marked = cell.marked() if cell.marked is not None else ()
    return ("".join(part.text for part in marked) or cell.text).strip()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page[1].id)
def test_a_page_has_the_table_of_its_analysis(page: tuple[str, Analysis[Any]]) -> None:
    analysis, shown = page[1], scene_of(page)
    (figure,) = analysis_figures(analysis, shown)
    inputs = analysis_inputs(analysis, shown)
    parts = analysis.show(inputs, analysis.complete(inputs)).values()
    table = next(part for part in parts if isinstance(part, Table))
    timed = {column.title for column in table.shown if column.title == "CPU ms"}
    cells = [
        [written(column.cell(row)) for column in table.shown if column.title not in timed]
        for row in table.rows
    ]
    body = re.search(r"<tbody>(.*?)</tbody>", figure.html, re.DOTALL)
    assert body is not None
    rows = [texts_of(row, "td") for row in re.findall(r"<tr.*?</tr>", body[1], re.DOTALL)]
    left = [at for at, column in enumerate(table.shown) if column.title not in timed]
    assert [[row[at] for at in left] for row in rows] == cells
    assert figure.title


def test_pages_have_the_titles_of_their_analyses() -> None:
    assert list(ANALYSES.values()) == [analysis.title for _, analysis in PAGES]


def test_every_analysis_of_tables_and_charts_can_be_a_web_page() -> None:
    drawn = {"table", "tiles", "plot", "bars", "note"}
    # Times, texts of a form, files, and what is only a command.
    others = {"stage_times", "morphology", "code", "readers", "sample"}
    found = {page.partition(".")[2] for page in FIGURES}
    for name in COMMANDS:
        analysis = analysis_named(name.replace("-", "_"))
        if analysis.parts and {part.kind for part in analysis.parts} <= drawn:
            assert (analysis.id in found) != (analysis.id in others), analysis.id


def test_a_page_names_only_tokenizers_that_are_asked() -> None:
    asked = {
        page[1].id: "Computed with Tokenarium 8k" in page_of_shown(scene_of(page, "a", entries=300))
        for page in PAGES
        if page[1].id in ("superwords", "mingram", "final_style", "digits", "numbers")
    }
    own = {"superwords": False, "mingram": False, "final_style": False}
    assert asked == {"numbers": True, "digits": True, **own}


def page_named(name: str) -> tuple[str, Analysis[Any]]:
    return next(page for page in PAGES if page[1].id == name)


def test_the_chosen_row_is_marked_and_explained() -> None:
    page = page_named("covering")
    analysis = page[1]
    shown = scene_of(page, "The tokeniz")
    inputs = analysis_inputs(analysis, shown)
    table = analysis.table(inputs, analysis.complete(inputs))
    keys = list(map(table.key, table.rows))
    for at, place in ((0, None), (1, keys[1]), (0, "no such row")):
        (figure,) = analysis_figures(analysis, scene_of(page, "The tokeniz", place=place))
        rows = re.findall(r"<tr( class=picked)?><td", figure.html)
        assert [bool(one) for one in rows].index(True) == at
        assert sum(map(bool, rows)) == 1
        rest = table.shown[1].cell(table.rows[at]).text
        assert f"Last tokens that begin with “{rest}”" in unescape(figure.html)


def test_columns_of_a_tokenizer_have_its_marker_and_its_name() -> None:
    page = page_named("perturb")
    shown = scene_of(page)
    (head, *_) = re.findall(r"<thead>.*?</thead>", analysis_figures(page[1], shown)[0].html)
    marked = [one for one in re.findall(r"<th.*?</th>", head) if "<svg" in one]
    subjects = analysis_inputs(page[1], shown).subjects
    assert len(marked) == len(subjects) > 1
    for one, subject in zip(marked, subjects, strict=True):
        assert marker_svg(subject.colour) in one
        assert subject.full_name in unescape(one)


@pytest.mark.parametrize(
    ("name", "settings", "values"),
    [
        ("mingram", {"entries": 300, "overshoot": 2}, {"entries": 300, "overshoot": 2}),
        ("mingram", {"entries": True, "overshoot": 99}, {"entries": 400, "overshoot": 1.1}),
        ("ways", {}, {"best": 8, "special": False}),
    ],
)
def test_fields_have_the_values_of_the_scene(
    name: str, settings: dict[str, object], values: dict[str, object]
) -> None:
    page = page_named(name)
    found = analysis_inputs(page[1], scene_of(page, **settings)).values
    assert {key: found[key] for key in values} == values


def test_choices_that_are_left_out_are_not_asked() -> None:
    page = page_named("text_sizes")
    every = analysis_inputs(page[1], scene_of(page)).values["texts"]
    some = analysis_inputs(page[1], scene_of(page, texts_out=every[1:])).values["texts"]
    assert some == every[:1]


def test_without_a_text_or_tokenizers_there_is_no_page() -> None:
    for shown in (
        shown_scene("", workspace="compare", page="digits"),
        shown_scene("one", (), workspace="compare", page="digits"),
    ):
        with pytest.raises(TokenariumError, match="There is nothing to ask"):
            page_of_shown(shown)


def test_the_selection_is_asked_about() -> None:
    shown = shown_scene(TEXT, workspace="tokens", page="ways", selection=(4, 10))
    (figure,) = analysis_figures(page_named("ways")[1], shown)
    assert figure.title == "How many sequences of ids decode to “tokens”?"


# Charts.


def test_bars_are_to_scale_with_their_names_and_markers() -> None:
    series = [
        BarSeries("One", 0, [ChartBar(4, "4 tokens", ["4"]), None]),
        BarSeries("Two", 1, [ChartBar(8, "8 tokens", ["8"], mark=6), ChartBar(2, "2", ["2"])]),
    ]
    html = chart_html(
        grouped_bars(Axis("Tokens"), Axis("Digits"), ["a", "b"], series, ["Tokens"]), "Bars"
    )
    assert re.findall(r'<rect x="0" width="([\d.]+)"', html) == ["50", "100", "25"]
    assert '<path d="M75 0V6"/>' in html
    assert texts_of(html, "th")[:2] == ["Digits", "Tokenizer"]
    assert [one for one in texts_of(html, "td") if one] == [
        "One", "4 tokens", "Two", "8 tokens", "One", "none", "Two", "2",
    ]  # fmt: skip
    assert html.count("<li>") == 2


def test_plain_bars_have_their_lengths() -> None:
    html = chart_html(Chart(Axis("Ways"), Axis("Tokens"), bars=[("2", 1), ("3", 4)]), "Bars")
    assert re.findall(r'width="([\d.]+)"', html) == ["25", "100"]
    assert texts_of(html, "tr")[1:] == ["21", "34"]


def test_curves_are_in_the_drawing_with_markers_and_a_table() -> None:
    curves = [
        ChartCurve("One", [(10, 1.0), (100, 2.0), (1000, 3.0)], 0),
        ChartCurve("Two", [(10, 3.0), (1000, 1.0)], 1, dashed=True),
    ]
    axes = Axis("Entries", logarithmic=True), Axis("Bytes per token")
    html = chart_html(Chart(*axes, curves, [ChartMark(100, "here")]), "Curves")
    drawn = re.findall(r'<path class="curve (i\d)( dashed)?" d="M([^"]*)"', html)
    assert [(colour, bool(dashed)) for colour, dashed, _ in drawn] == [("i0", False), ("i1", True)]
    places = [tuple(map(float, one.split())) for one in drawn[0][2].split("L")]
    assert places[1][0] == pytest.approx((places[0][0] + places[2][0]) / 2)  # a logarithmic axis
    assert places[0][1] > places[1][1] > places[2][1]
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in places)
    assert html.count("<svg x=") == 2
    assert ">here</text>" in html
    assert texts_of(html, "th") == ["curve", "Entries", "Bytes per token"]
    assert html.count("<td>") == 15


def test_an_empty_chart_says_so() -> None:
    assert "No merges" in chart_html(Chart(Axis("x"), Axis("y")), "", "No merges")
    assert chart_html(Chart(Axis("x"), Axis("y")), "") == ""


# In a browser.


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page[1].id)
def test_everybody_can_read_an_answer(
    opened: Callable[..., Browser], page: tuple[str, Analysis[Any]]
) -> None:
    check_readable(opened, page_of_shown(scene_of(page)))


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_text_in_an_answer(opened: Callable[..., Browser], text: str) -> None:
    shown = opened(page_of_shown(shown_scene(text[:200], workspace="tokens", page="perturb")))
    assert shown.value("document.scripts.length") == 1
    assert shown.value("document.querySelectorAll('.answer table').length") >= 1


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_a_column_of_texts_without_spaces_is_not_as_narrow_as_a_character(
    opened: Callable[..., Browser], width: int
) -> None:
    text = "東京タワーは高さ三百三十三です。こんにちは世界"
    page = opened(page_of_shown(scene_of(("tokens", analysis_named("perturb")), text)), width)
    widths = page.value(
        "[...document.querySelectorAll('td bdi.long')].map(one => one.getBoundingClientRect().width)"
    )
    assert len(widths) > 5
    assert min(widths) >= 13 * 13
