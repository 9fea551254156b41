"""The table beside the steps of a training: at each step its rows and its sentence are those of the window."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
from browser import Browser, violations

from tokenarium.models.merges.training_story import TrainingStory
from tokenarium.models.merges.training_tables import StepTables
from tokenarium.models.training.asked_training import AskedTraining
from tokenarium.web.counted_table import FEWEST_ROWS, MOST_IN_ALL, MOST_ROWS, counted_table
from tokenarium.web.page import page
from tokenarium.web.step_scenes import trained_story
from tokenarium.web.training_figure import training_figure

CORPUS = "low low lower lowest newer newest wider <b>&amp; 日本 " * 3

SIZES = {"bpe": 266, "unigram": 30}


@functools.cache
def story(algorithm: str) -> TrainingStory:
    return trained_story(AskedTraining("text", "", algorithm, SIZES[algorithm], {}), CORPUS)


def tables_of(algorithm: str) -> StepTables:
    tables = story(algorithm).twin().tables
    assert tables is not None
    return tables


def rows_at(tables: StepTables, number: int, step: int) -> tuple[str, list[list[str]], int]:
    """The sentence, the first rows and the number of all rows of a table after a step."""
    tables.go_to(step)
    table = tables.tables[number]
    items = table.rows(*table.sorted_by, "").tolist()
    rows = [[table.cell(item, at) for at in range(len(table.titles))] for item in items[:MOST_ROWS]]
    return table.sentence(len(items)), rows, len(items)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
def test_each_step_has_the_first_rows_of_the_window(algorithm: str, number: int) -> None:
    tables = tables_of(algorithm)
    if number >= len(tables.tables):
        pytest.skip("this training has fewer tables")
    steps = list(range(len(story(algorithm)) + 1))
    data = counted_table(tables, number, steps)
    assert len(data["steps"]) == len(steps)
    for step, (sentence, rows) in zip(steps, data["steps"], strict=True):
        said, expected, count = rows_at(tables, number, step)
        assert [[data["cells"][cell] for cell in row] for row in rows] == expected
        first = f"; the first {MOST_ROWS} are here" if count > MOST_ROWS else ""
        assert sentence == f"{said}{first}."
    assert len(set(data["cells"])) == len(data["cells"])


def test_the_tables_of_the_story_stay_at_their_step() -> None:
    tables = tables_of("bpe")
    tables.go_to(3)
    counted_table(tables, 1, range(6))
    assert tables.step == 3


def test_many_steps_have_fewer_rows() -> None:
    steps = [1] * MOST_IN_ALL
    data = counted_table(tables_of("bpe"), 1, steps)
    assert {len(rows) for _, rows in data["steps"]} == {FEWEST_ROWS}


@pytest.mark.parametrize(("table", "there"), [(0, False), (1, True), (3, True), (4, False)])
def test_a_page_has_the_table_of_the_scene(table: int, there: bool) -> None:
    figure = training_figure(story("bpe"), "lower", "T", "about", 2, table)
    assert ('class="counted' in figure.html) is there
    assert isinstance(figure.data, dict)
    assert ("table" in figure.data) is there


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_the_browser_shows_the_rows_of_each_step(
    opened: Callable[..., Browser], number: int
) -> None:
    figure = training_figure(story("bpe"), "lower", "T", "about", 2, number + 1)
    one = opened(page("T", [figure]), 360)
    shown = "[document.querySelector('.counted .label span').textContent, [...document.querySelectorAll('.counted tbody tr')].map(row => [...row.cells].map(cell => cell.textContent)), [...document.querySelectorAll('.counted tbody tr:first-child td')].map(cell => cell.className)]"
    still = figure.html.split('class="counted')[1]
    one.value("document.querySelector('.stage').focus()")
    one.press("Home")
    for step in range(len(story("bpe")) + 1):
        said, rows, _ = rows_at(tables_of("bpe"), number, step)
        sentence, cells, classes = one.value(shown)
        assert sentence.startswith(said)
        assert cells == rows
        numbers = tables_of("bpe").tables[number].numbers
        if rows:
            assert [at for at, name in enumerate(classes) if name == "num"] == list(numbers)
        if step == 2:
            assert sentence.replace("&", "&amp;") in still
        one.press("ArrowRight")
    assert violations(one) == []
    assert one.value("document.documentElement.scrollWidth") <= 360
