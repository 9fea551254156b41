"""Tables on the terminal: rows written as strings look as rich's own, and whoever reads them may stop."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenarium.commands.tables import BLOCK, NARROWEST
from tokenarium.commands.terminal import SHIPPED, write_table

COLUMNS = [("id", True), ("token", False), ("bytes", False)]
NUMBERS = st.text("0123456789,.", max_size=9)
CELLS = st.text("ab 0[]:x/日本é́😄\n\t\a\u3000", max_size=30)


def as_rich_has_it(
    columns: list[tuple[str, bool]], rows: list[tuple[str, str, str]], title: str
) -> None:
    """Writes a table whose cells are all laid out by rich."""
    table = Table(
        title=Text(title, "table.title") if title else None,
        title_justify="left",
        show_header=any(name for name, _ in columns),
    )
    for name, is_number in columns:
        table.add_column(
            name,
            justify="right" if is_number else "left",
            overflow="fold",
            min_width=NARROWEST,
        )
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # each example sets and reads all
)
@given(
    st.lists(st.tuples(NUMBERS, CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from(["", "A [title]: 3 tokens"]),
    st.booleans(),
    st.integers((NARROWEST + 3) * 3 + 1, 90),
)
def test_rows_look_as_rich_lays_them_out(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    rows: list[tuple[str, str, str]],
    title: str,
    headed: bool,
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    columns = COLUMNS if headed else [("", is_number) for _, is_number in COLUMNS]
    as_rich_has_it(columns, rows, title)
    wanted = capsys.readouterr().out
    write_table(columns, rows, title)
    assert capsys.readouterr().out == wanted


@pytest.mark.parametrize("width", [1, 80])
def test_a_table_is_whole(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    count = BLOCK * 2 + 1
    write_table([("n", True)], [[str(number % 100)] for number in range(count)])
    lines = capsys.readouterr().out.splitlines()
    assert [int(line.strip("│ ")) for line in lines[3:-1]] == [n % 100 for n in range(count)]


def test_a_table_without_rows_has_its_head(capsys: pytest.CaptureFixture[str]) -> None:
    as_rich_has_it(COLUMNS, [], "nothing")
    wanted = capsys.readouterr().out
    write_table(COLUMNS, [], "nothing")
    assert capsys.readouterr().out == wanted


@pytest.mark.parametrize("option", [[], ["--show"], ["--json"]])
def test_a_reader_that_has_seen_enough_ends_the_rest_quietly(option: list[str]) -> None:
    command = [sys.executable, "-m", "tokenarium", "encode", SHIPPED, *option]
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"a word, " * 30_000)
        process.stdin.close()
        process.stdout.read(5)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
