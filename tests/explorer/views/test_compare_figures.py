"""The page Table of the workspace Compare: its figures, its marks, and counting in other processes."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPixmap
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from windows import shown_in

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.compare.comparison_model import (
    BEST,
    HEADING_LINES,
    ComparedRow,
    ComparisonModel,
    length_chart,
    rank_chart,
    shown,
)
from tokenarium.models.compare.metrics import METRICS
from tokenarium.models.compare.tally import Tally, measured, tally
from tokenarium.models.text.piece import percent
from tokenarium.models.text.unknown_text import SIGN
from tokenarium.resources.glossary import explanation
from tokenarium.style.theme import GRID
from tokenarium.views.compare_table import LONGEST_SLICE, NOTHING_READ, NOTHING_READ_HELP, TablePage

TEXT = "Comparing tokenizers takes words, and 1234 numbers.\n"


@pytest.fixture(scope="module")
def small_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tokenizers") / "small.json"
    tc.train("bpe", [sample_text("prose-en")], vocab_size=400).save(path)
    return path


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, small_path: Path) -> TablePage:
    """The page on a text, with two tokenizers."""
    window.take_files([small_path])
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    window.session.set_text(TEXT)
    window.compare_commands.show_page("table")
    page = shown_in(window, TablePage)
    wait(qtbot, page)
    return page


def wait(qtbot: QtBot, page: TablePage) -> None:
    def ready() -> bool:
        return not page.busy and all(row.tally or row.note for row in page.model.rows)

    qtbot.waitUntil(ready)


def expected(window: MainWindow, text: str) -> dict[str, Tally]:
    return {
        entry.key: tally(entry.tokenizer, measured(text))
        for entry in window.session.chosen()
        if entry.tokenizer is not None
    }


def cells(page: TablePage) -> dict[str, list[str]]:
    model = page.model
    return {
        row.key: [
            str(model.index(place, column).data()).removeprefix(f"{BEST} ")
            for column in range(len(METRICS))
        ]
        for place, row in enumerate(model.rows)
    }


def figures(counts: dict[str, Tally]) -> dict[str, list[str]]:
    return {
        key: [
            "–" if (value := metric.value(one)) is None else shown(metric, value)
            for metric in METRICS
        ]
        for key, one in counts.items()
    }


def test_the_figures_are_those_of_the_text(window: MainWindow, page: TablePage) -> None:
    assert cells(page) == figures(expected(window, TEXT))
    assert f"{len(TEXT.encode()):,} bytes" in page.told.text()


def test_they_follow_the_text_and_the_tokenizers(
    window: MainWindow, page: TablePage, qtbot: QtBot
) -> None:
    window.session.set_text("Another.")
    wait(qtbot, page)
    qtbot.waitUntil(lambda: cells(page) == figures(expected(window, "Another.")))
    window.session.edits.turn_on(window.session.chosen()[0].key, False)
    wait(qtbot, page)
    qtbot.waitUntil(lambda: cells(page) == figures(expected(window, "Another.")))
    assert len(page.model.rows) == 1


def test_the_best_is_marked(window: MainWindow, page: TablePage) -> None:
    best = [
        [str(page.model.index(row, column).data()).startswith(BEST) for row in (0, 1)]
        for column in range(len(METRICS))
    ]
    tokens = [row.tally.tokens for row in page.model.rows if row.tally is not None]
    assert best[0] == [count == min(tokens) for count in tokens]
    used = [metric.id for metric in METRICS].index("used")
    assert best[used] == [False, False]
    assert "the best" in page.model.index(tokens.index(min(tokens)), 0).data(
        Qt.ItemDataRole.AccessibleTextRole
    )


def test_what_unknown_tokens_flatter_is_never_the_best(
    window: MainWindow, page: TablePage, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "vocab.txt"
    file.write_text("[UNK]\na\n##a\n.\n,\n", "utf-8")
    window.take_files([file])
    qtbot.waitUntil(lambda: len(page.model.rows) == 3)
    wait(qtbot, page)
    (row,) = (n for n, one in enumerate(page.model.rows) if one.tally and one.tally.unknown)
    lossy = page.model.rows[row].tally
    assert lossy is not None
    assert lossy.tokens == min(one.tally.tokens for one in page.model.rows if one.tally)
    index = page.model.index(row, 0)
    assert index.data() == f"{SIGN} {lossy.tokens}"
    assert f"{percent(lossy.unknown_share)} of the text became unknown" in index.data(
        Qt.ItemDataRole.ToolTipRole
    )
    assert "doubtful" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert index.data(Qt.ItemDataRole.ForegroundRole) == window.appearance.theme.dim
    others = [page.model.index(n, 0).data() for n in range(3) if n != row]
    assert sum(text.startswith(BEST) for text in others) == 1
    assert not page.doubts.isHidden()
    assert f"{page.model.rows[row].name} {percent(lossy.unknown_share)}" in page.doubts.text()
    window.session.edits.turn_on(page.model.rows[row].key, False)
    qtbot.waitUntil(page.doubts.isHidden)


def test_a_click_on_a_heading_sorts(page: TablePage) -> None:
    heading = page.table.horizontalHeader()
    before = [row.key for row in page.model.rows]

    def click() -> list[int]:
        place = QPoint(heading.sectionViewportPosition(0) + 8, heading.height() // 2)
        QTest.mouseClick(heading.viewport(), Qt.MouseButton.LeftButton, pos=place)
        return [row.tally.tokens for row in page.model.rows if row.tally is not None]

    orders = [click(), click()]
    assert sorted(orders[0]) in orders
    assert orders[1] == orders[0][::-1]
    click()
    page.recount()
    assert [row.key for row in page.model.rows] == before


def test_all_columns_are_seen_in_a_usual_window(window: MainWindow, page: TablePage) -> None:
    window.resize(1440, 900)
    window.show()
    QGuiApplication.processEvents()
    table, model = page.table, page.model
    assert table.horizontalScrollBar().maximum() == 0
    for column in range(model.columnCount()):
        assert table.columnWidth(column) >= table.sizeHintForColumn(column)
        heading = str(model.headerData(column, Qt.Orientation.Horizontal)).split("\n")
        assert len(heading) <= HEADING_LINES
        metrics = table.horizontalHeader().fontMetrics()
        assert max(map(metrics.horizontalAdvance, heading)) <= table.columnWidth(column) - GRID
    assert HEADING_LINES * metrics.lineSpacing() <= table.horizontalHeader().height()
    # Any other way Qt takes the lines of a heading for one, which has too little room.
    assert table.horizontalHeader().textElideMode() == Qt.TextElideMode.ElideNone
    window.resize(800, 600)
    QGuiApplication.processEvents()
    assert table.horizontalScrollBar().maximum() > 0
    rows = sum(table.rowHeight(row) for row in range(model.rowCount()))
    assert table.viewport().height() >= rows


def test_headings_give_formula_and_source(page: TablePage) -> None:
    for column, metric in enumerate(METRICS):
        tip = page.model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert metric.formula in tip
        assert metric.source in tip
        if metric.term:
            assert tip.index(explanation(metric.term)) < tip.index(metric.formula)


def test_figures_of_words_are_grey_where_there_are_no_words(
    window: MainWindow, page: TablePage, qtbot: QtBot
) -> None:
    window.session.set_text(sample_text("prose-ja"))
    page.recount()
    wait(qtbot, page)
    faint = window.appearance.theme.dim
    for column, metric in enumerate(METRICS):
        index = page.model.index(0, column)
        grey = index.data(Qt.ItemDataRole.ForegroundRole) == faint
        assert grey == (metric.of_words or index.data() == "–")
        assert (
            "no spaces between words" in index.data(Qt.ItemDataRole.ToolTipRole)
        ) == metric.of_words


def test_each_file_has_its_rows(
    window: MainWindow, page: TablePage, qtbot: QtBot, tmp_path: Path
) -> None:
    texts = {"a.txt": sample_text("prose-en"), "b.txt": sample_text("prose-ja")}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
    assert page.by_file.isHidden()
    window.compare_commands.compare_paths([tmp_path / name for name in texts])
    wait(qtbot, page)
    whole = cells(page)
    assert len(page.model.rows) == 2
    page.by_file.setChecked(True)
    model = page.model
    assert [(row.file, row.key) for row in model.rows] == [
        (name, entry.key) for name in texts for entry in window.session.chosen()
    ]
    for place, row in enumerate(model.rows):
        wanted = figures(expected(window, texts[row.file]))[row.key]
        shown_cells = [str(model.index(place, column).data()) for column in range(len(METRICS))]
        assert [cell.removeprefix(f"{BEST} ") for cell in shown_cells] == wanted
        assert model.headerData(place, Qt.Orientation.Vertical).startswith(f"{row.file} · ")
    for place in (0, 2):  # the best is found file by file
        assert any(model.is_best(model.rows[n], METRICS[0]) for n in (place, place + 1))
    rows = list(csv.reader(io.StringIO(page.as_csv())))
    assert rows[0][:2] == ["File", "Tokenizer"]
    assert [row[0] for row in rows[1:]] == ["a.txt", "a.txt", "b.txt", "b.txt"]
    page.by_file.setChecked(False)
    assert cells(page) == whole
    page.by_file.setChecked(True)
    window.compare_commands.compare_text()
    wait(qtbot, page)
    assert len(page.model.rows) == 2
    assert page.by_file.isHidden()


def test_copy_and_csv(window: MainWindow, page: TablePage) -> None:
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:2] == ["Tokenizer", "Tokens"]
    assert "Fertility, in context (tokens/word)" in lines[0].split("\t")
    assert [line.split("\t")[0] for line in lines[1:]] == [row.name for row in page.model.rows]
    rows = list(csv.reader(io.StringIO(page.as_csv())))
    for row, line in zip(page.model.rows, rows[1:], strict=True):
        assert row.tally is not None
        for metric, text in zip(METRICS, line[1:], strict=True):
            value = metric.value(row.tally)
            assert (float(text) if text else None) == pytest.approx(value)
    QGuiApplication.clipboard().clear()
    window.actions_by_id.refresh()
    window.actions_by_id["copy_comparison"].trigger()
    assert QGuiApplication.clipboard().text().splitlines() == lines


def test_files_are_counted_in_other_processes(
    window: MainWindow, page: TablePage, qtbot: QtBot, tmp_path: Path
) -> None:
    texts = [sample_text("prose-en"), sample_text("prose-ru")]
    folder = tmp_path / "texts"
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_bytes(text.encode())
    window.compare_commands.compare_paths([folder])
    assert page.files is not None
    assert page.bar.stop_button.isVisible()
    wait(qtbot, page)
    assert not page.bar.stop_button.isVisible()
    parts = [expected(window, text) for text in texts]
    assert cells(page) == figures({key: parts[0][key] + parts[1][key] for key in parts[0]})
    assert "in 2 documents" in page.told.text()
    window.actions_by_id["compare_text"].trigger()
    wait(qtbot, page)
    qtbot.waitUntil(lambda: cells(page) == figures(expected(window, TEXT)))


def test_a_long_text_is_counted_in_other_processes(
    window: MainWindow, page: TablePage, qtbot: QtBot
) -> None:
    text = TEXT * (LONGEST_SLICE // len(TEXT) + 1)
    window.session.set_text(text)
    page.recount()
    assert page.files is not None
    qtbot.waitUntil(lambda: not page.busy)
    assert cells(page) == figures(expected(window, text))


def test_counting_can_be_stopped(
    window: MainWindow, page: TablePage, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text(TEXT * 200_000, encoding="utf-8")
    window.compare_commands.compare_paths([path])
    QTest.mouseClick(page.bar.stop_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.files is None)
    assert "Stopped at" in page.told.text()
    assert not any(
        str(page.model.index(row, 0).data()).startswith(BEST) for row in range(len(page.model.rows))
    )
    page.stop()


def test_files_that_are_not_there_are_reported(
    window: MainWindow, page: TablePage, qtbot: QtBot, tmp_path: Path
) -> None:
    window.compare_commands.compare_paths([tmp_path / "none.txt"])
    qtbot.waitUntil(lambda: page.files is None)
    sentences = page.told.text() + window.messages.label.text()
    assert "none.txt" in sentences


def test_a_folder_without_texts_is_reported(
    window: MainWindow, page: TablePage, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    window.compare_commands.compare_paths([tmp_path / "empty"])
    qtbot.waitUntil(lambda: page.files is None)
    qtbot.waitUntil(lambda: not page.busy)
    assert page.empty.isVisible()
    assert page.empty.title.text() == NOTHING_READ
    assert page.empty.sentence.text() == NOTHING_READ_HELP  # and nowhere else
    assert page.told.text() == "empty"
    assert [button.text() for button in page.empty.buttons] == ["Files …", "Folder …"]
    page.count_text()
    assert not page.empty.isVisible()


def test_empty_states(window: MainWindow, page: TablePage) -> None:
    window.session.set_text("")
    page.recount()
    assert page.empty.isVisible()
    assert "no text" in page.empty.title.text()
    for entry in window.session.chosen():
        window.session.edits.turn_on(entry.key, False)
    page.recount()
    assert "No tokenizer" in page.empty.title.text()
    assert page.as_csv() == ""


def test_charts_are_of_the_counts(window: MainWindow) -> None:
    (counts,) = expected(window, TEXT).values()
    rows = [ComparedRow("key", "Name", 3, counts), ComparedRow("other", "None", 4)]
    (lengths,) = length_chart(rows).curves
    assert lengths.colour == 3
    assert sum(share for _, share in lengths.points) == pytest.approx(100, abs=0.2)
    for length, share in lengths.points:
        assert share == pytest.approx(100 * counts.lengths[int(length)] / counts.tokens)
    (ranks,) = rank_chart(rows).curves
    assert ranks.points[0] == (1, counts.uses.max())
    assert ranks.points[-1][0] == (counts.uses > 0).sum()


def test_rows_without_figures_come_last(window: MainWindow) -> None:
    (counts,) = expected(window, TEXT).values()
    model = ComparisonModel(QColor, lambda _: QPixmap())
    model.set_rows([ComparedRow("a", "a", 0), ComparedRow("b", "b", 0, counts)])
    for order in Qt.SortOrder:
        model.sort(0, order)
        assert [row.key for row in model.rows] == ["b", "a"]
