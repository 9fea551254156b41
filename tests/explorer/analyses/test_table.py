"""Columns that are declared once for a terminal and for JSON."""

from __future__ import annotations

from tokenarium.analyses.table import (
    COUNT,
    Table,
    TableCell,
    TableColumn,
    facts_table,
    printed_column,
)


def test_a_column_has_its_text_on_a_terminal_and_its_value_in_json() -> None:
    columns: list[TableColumn[tuple[str, int | None]]] = [
        printed_column("word", lambda row: row[0], grows=True),
        printed_column("count", lambda row: row[1], COUNT, "times"),
        printed_column(None, lambda row: row[0] == "low", json="low"),
    ]
    table = Table(columns, [("low", 12345), ("new", None)], title="Words", keys=2)
    assert table.printed() == (
        [("word", False), ("count", True)],
        [["low", "12,345"], ["new", ""]],
        [0],
    )
    assert table.values() == [{"times": 12345, "low": True}, {"times": None, "low": False}]


def test_facts_have_no_heads_and_wrap_at_the_right() -> None:
    table = facts_table([("Entries", "300")], "cl100k")
    assert table.printed() == ([("", False), ("", False)], [["Entries", "300"]], [1])


def test_a_window_a_file_and_a_terminal_have_columns_and_texts_of_their_own() -> None:
    def cell(row: float) -> TableCell:
        return TableCell(f"{row:.1f}", str(row), f"{row:.0%}", -row)

    columns: list[TableColumn[float]] = [
        TableColumn(cell, "Share", "share", "of all"),
        TableColumn(lambda row: TableCell(str(row)), file="again"),
    ]
    table = Table(columns, [0.25, 0.75], ready=lambda row: row < 0.5)
    assert table.shown == columns[:1]
    assert table.lines() == [["share", "again"], ["0.25", "0.25"]]
    assert table.printed() == ([("of all", True)], [["25%"], ["75%"]], [])
    plain = TableCell("0.3", "0.25")
    assert (cell(0.25).sorted_by, plain.sorted_by, TableCell("0.3").sorted_by) == (
        -0.25,
        "0.25",
        "0.3",
    )
    assert Table(columns, [0.75], ready=lambda row: row < 0.5).lines() == []
