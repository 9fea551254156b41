"""What is written as CSV is read again as it was, also what a spreadsheet would take for a formula."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.csv_text import csv_text

SOURCES = Path(__file__).resolve().parents[3] / "explorer" / "tokenarium"
CELLS = st.text(st.sampled_from('ab=+-@,;"\t\r\n\0 \ud800é'), max_size=6)
FORMULAS = ["=", "=1+1", "+1", "-", "-0.5", "@SUM(A1)", "\t=", "\r=1", '=HYPERLINK("x")', "'a"]


@given(
    st.lists(st.lists(CELLS, min_size=2, max_size=3), min_size=1, max_size=4),
    st.sampled_from(",\t;"),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_every_cell_comes_back(
    rows: list[list[str]], separator: str, end: str, quoted: bool
) -> None:
    written = csv_text(rows, separator, end=end, quoted=quoted)
    assert list(csv.reader(io.StringIO(written, newline=""), delimiter=separator)) == rows


@pytest.mark.parametrize("cell", FORMULAS)
def test_what_looks_like_a_formula_stays_as_it_is(cell: str) -> None:
    (row,) = csv.reader(io.StringIO(csv_text([[cell, "x"]]), newline=""))
    assert row == [cell, "x"]


def test_there_is_no_other_writer() -> None:
    writers = {
        path.name
        for path in SOURCES.rglob("*.py")
        if "csv.writer(" in path.read_text("utf-8") or "csv.DictWriter(" in path.read_text("utf-8")
    }
    assert writers == {"csv_text.py"}
