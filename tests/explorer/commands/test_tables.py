"""Tables on the terminal: rows written as strings look like rich's own, and the reader may stop."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenarium.commands.tables import BLOCK
from tokenarium.commands.terminal import write_table
from tokenarium.models.text.piece import harmless

SHIPPED = "tokenarium-8k"

COLUMNS = [("id", True), ("token", False), ("bytes", False)]
NUMBERS = st.text("0123456789,.", max_size=9)
CELLS = st.text("ab 0[]:x/日本é́😄\n\t\a\u3000", max_size=30)
NAMES = st.text("ab-_.0日本語é", min_size=1, max_size=40)
PROSE = st.lists(st.text("abcdefg,.", min_size=1, max_size=19), max_size=9).map(" ".join)


def as_rich_has_it(
    columns: list[tuple[str, bool]], rows: list[tuple[str, str, str]], title: str
) -> None:
    """Writes a table whose cells are all laid out by rich."""
    console = Console(width=10_000)
    if title:
        console.print(Text(title, "table.title"))
    table = Table(show_header=any(name for name, _ in columns))
    for name, is_number in columns:
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(harmless(cell)) for cell in row))
    console.print(table)


@pytest.mark.slow
@settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # each example reads all
)
@given(
    st.lists(st.tuples(NUMBERS, CELLS, CELLS), min_size=1, max_size=6),
    st.sampled_from(["", "A [title]: 3 tokens"]),
    st.booleans(),
)
def test_with_room_rows_look_as_rich_lays_them_out(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    rows: list[tuple[str, str, str]],
    title: str,
    headed: bool,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)  # and the output is no terminal
    columns = COLUMNS if headed else [("", is_number) for _, is_number in COLUMNS]
    as_rich_has_it(columns, rows, title)
    expected = capsys.readouterr().out
    write_table(columns, rows, title, wrapping=(1, 2))
    assert capsys.readouterr().out == expected


@pytest.mark.slow
@settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.tuples(NAMES, NUMBERS, NUMBERS, PROSE, NAMES), min_size=1, max_size=5),
    st.integers(1, 200),
    st.integers(1, 2),
)
def test_numbers_and_names_are_never_broken(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    rows: list[tuple[str, str, str, str, str]],
    width: int,
    keys: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    heads = [("tokenizer", False), ("entries", True), ("bytes\n/token", True)]
    columns = [*heads, ("about", False), ("file", False)]
    write_table(columns, rows, "A title: 1,234,567 tokens of a-name", wrapping=(3,), keys=keys)
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "A title: 1,234,567 tokens of a-name"
    words = {word for line in lines for word in re.split(r"[\s│┃]+", line)}
    for row in rows:
        assert {row[0], row[4]} | set(row[3].split()) - {""} <= words
        assert {row[1], row[2]} - {""} <= words
    lines = [line for line in lines if line]
    framed = [line for line in lines if line[0] in "│┃┏┡└"]
    assert framed in ([], lines)  # without frames: a line for each value
    assert all(cell_len(line) <= width for line in framed)


@pytest.mark.parametrize(
    ("width", "tables"), [("30", 0), ("60", 4), ("80", 3), ("120", 1), ("200", 1), ("", 1)]
)
def test_columns_that_do_not_fit_are_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str, tables: int
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    columns = [("tokenizer", False), *[(f"figure\n{place}", True) for place in range(7)]]
    rows = [("トークナイザー日本語の長い名前", *["1,022,435"] * 7), ("gpt2", *["2"] * 7)]
    write_table(columns, rows)
    out = capsys.readouterr().out
    assert out.count("┏") == tables
    assert out.count("1,022,435") == 7
    assert out.count("トークナイザー日本語の長い名前") == max(tables, 1)


def test_a_terminal_gives_its_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    row = [("a" * 30, "b" * 30, "c" * 30)]
    write_table(COLUMNS, row)
    assert capsys.readouterr().out.count("┏") == 1
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    write_table(COLUMNS, row)
    assert capsys.readouterr().out.count("┏") == 2


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
    expected = capsys.readouterr().out
    write_table(COLUMNS, [], "nothing")
    assert capsys.readouterr().out == expected


@pytest.mark.slow
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
