"""A table of what a training counted, as the window has it beside the steps: its pre-tokens, its pairs, or the changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tokenarium.models.merges.training_tables import StepTables, StoryTable
from tokenarium.web.html import bdi, escaped
from tokenarium.web.html import table as html_table
from tokenarium.web.step_parts import StepReport, each_step, untold

MOST_ROWS: Final = 12
"""The most rows of a step."""

FEWEST_ROWS: Final = 4
MOST_IN_ALL: Final = 2_400
"""The most rows of all steps, unless a step would have fewer than the fewest."""

TableData = dict[str, Any]
"""A table at all steps: ``cells`` are its different cells, ``steps`` has a sentence and rows of their numbers for each."""


def counted_table(
    tables: StepTables, number: int, steps: Sequence[int], report: StepReport = untold
) -> TableData:
    """Returns one of the tables of a training, from 0, at some of its steps; it is sorted as the window sorts it at first."""
    table = tables.tables[number]
    most = max(FEWEST_ROWS, min(MOST_ROWS, MOST_IN_ALL // max(1, len(steps))))
    numbers: dict[str, int] = {}
    before = tables.step
    listed = []
    for at in each_step(len(steps) - 1, report, "counting"):
        tables.go_to(steps[at])
        sentence, rows = _rows(table, most)
        cells = [[numbers.setdefault(cell, len(numbers)) for cell in row] for row in rows]
        listed.append([sentence, cells])
    tables.go_to(before)
    return {"cells": list(numbers), "steps": listed}


def _rows(table: StoryTable, most: int) -> tuple[str, list[list[str]]]:
    column, descending = table.sorted_by
    items = table.rows(column, descending, "").tolist()
    shown = [[table.cell(item, at) for at in range(len(table.titles))] for item in items[:most]]
    first = f"; the first {most} are here" if len(items) > most else ""
    return f"{table.sentence(len(items))}{first}.", shown


def counted_html(tables: StepTables, number: int, data: TableData, at: int) -> str:
    """Returns the table as it is at one of its steps."""
    table = tables.tables[number]
    sentence, rows = data["steps"][at]
    cells = [[bdi(data["cells"][cell]) for cell in row] for row in rows]
    listed = html_table(table.titles, cells, table.about, table.numbers)
    high = max(len(rows) for _, rows in data["steps"])
    said = f'<p class="label"><b>{escaped(table.name)}</b>: <span>{escaped(sentence)}</span></p>'
    return f'<div class="counted r{max(1, high)}">{said}{listed}</div>'
