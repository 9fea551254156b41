"""The figures of the page Overview of Compare: its figures, its marks, and counting in other processes."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from narrowed import assert_contains, there
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from small_files import new_folder, saved, write_file
from windows import Host, off_screen, shown_in, trigger

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.commands.reading import tokenizer_of
from tokenarium.models.compare.comparison_model import (
    BEST,
    BOUNDS,
    CAVEAT,
    DETAIL,
    IDENTITY,
    LOSSY,
    SHARE,
    ComparedRow,
    ComparisonModel,
    caveats,
    length_chart,
    rank_chart,
)
from tokenarium.models.compare.intervals import Interval
from tokenarium.models.compare.metric import cell_text, shown
from tokenarium.models.compare.metrics import KEY_COLUMNS, METRICS, Figures
from tokenarium.models.compare.tally import Tally, measured, tally
from tokenarium.models.studies.study import run_study
from tokenarium.models.studies.study_file import read_study
from tokenarium.models.text.lost_text import SIGN
from tokenarium.models.text.piece import percent
from tokenarium.resources.glossary import explanation
from tokenarium.session import kept_session
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, ui_font
from tokenarium.views import compare_figures
from tokenarium.views.compare_figures import (
    LONGEST_SLICE,
    NOTHING_READ,
    NOTHING_READ_HELP,
    FiguresPart,
)
from tokenarium.views.compare_overview import OverviewPage
from tokenarium.widgets.compare.comparison_table import GAP, ComparisonTable

TEXT = "Comparing tokenizers takes words, and 1234 numbers.\n"


@pytest.fixture(scope="module")
def small_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(
        tc.train("bpe", [sample_text("prose-en")], vocab_size=400),
        tmp_path_factory.mktemp("tokenizers") / "small.json",
    )


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, small_path: Path) -> FiguresPart:
    """The page on a text, with two tokenizers."""
    window.take_files([small_path])
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    window.session.set_text(TEXT)
    window.compare_commands.show_page("overview")
    page = shown_in(window, OverviewPage).figures
    wait(qtbot, page)
    return page


def wait(qtbot: QtBot, page: FiguresPart) -> None:
    def ready() -> bool:
        return not page.busy and all(row.tally or row.note for row in page.model.rows)

    qtbot.waitUntil(ready)


def expected(host: Host, text: str) -> dict[str, Tally]:
    return {
        entry.key: tally(entry.tokenizer, measured(text))
        for entry in host.session.chosen()
        if entry.tokenizer is not None
    }


def cells(page: FiguresPart) -> dict[str, list[str]]:
    model = page.model
    return {
        row.key: [str(model.index(place, column).data()) for column in range(len(METRICS))]
        for place, row in enumerate(model.rows)
    }


def figures(counts: dict[str, Tally]) -> dict[str, list[str]]:
    return {
        key: [
            "–" if (value := metric.value(one)) is None else cell_text(metric, value)
            for metric in METRICS
        ]
        for key, one in counts.items()
    }


def test_the_figures_are_those_of_the_text(host: Host, page: FiguresPart) -> None:
    assert cells(page) == figures(expected(host, TEXT))
    assert f"{len(TEXT.encode()):,} bytes" in page.told.text()


def test_they_follow_the_text_and_the_tokenizers(
    host: Host, page: FiguresPart, qtbot: QtBot
) -> None:
    host.session.set_text("Another.")
    wait(qtbot, page)
    qtbot.waitUntil(lambda: cells(page) == figures(expected(host, "Another.")))
    host.session.edits.turn_on(host.session.chosen()[0].key, False)
    wait(qtbot, page)
    qtbot.waitUntil(lambda: cells(page) == figures(expected(host, "Another.")))
    assert len(page.model.rows) == 1


def test_the_best_is_marked_where_one_is_best_alone(page: FiguresPart) -> None:
    model = page.model
    for column, metric in enumerate(METRICS):
        values = [row.tally and metric.value(row.tally) for row in model.rows]
        best = [bool(model.index(row, column).data(BEST)) for row in (0, 1)]
        known = [value for value in values if value is not None]
        alone = len({shown(metric, value) for value in known}) == 2
        if not alone or not metric.better:
            assert best == [False, False]
        else:
            better = (min if metric.better == "low" else max)(known)
            assert best == [value == better for value in values]
    (place,) = (row for row in (0, 1) if model.index(row, 0).data(BEST))
    assert "the best" in model.index(place, 0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_equal_figures_are_not_the_best(host: Host) -> None:
    (counts,) = expected(host, TEXT).values()
    model = ComparisonModel(QColor)
    model.set_rows([ComparedRow(key, key, 0, counts) for key in "ab"])
    assert not any(
        model.index(row, column).data(BEST) for row in (0, 1) for column in range(len(METRICS))
    )


def test_bars_are_shares_of_the_greatest_figure(host: Host, page: FiguresPart) -> None:
    model = page.model
    for column, metric in enumerate(METRICS):
        values = [row.tally and metric.value(row.tally) for row in model.rows]
        most = max((value for value in values if value is not None), default=0.0)
        for row, value in enumerate(values):
            share = model.index(row, column).data(SHARE)
            if value is None:
                assert share is None
            else:
                assert share == pytest.approx(value / most if most else 0.0)
    for row, one in enumerate(model.rows):
        item = there(host.session.library.item(one.key))
        assert model.headerData(row, Qt.Orientation.Vertical, IDENTITY) == item.identity
        assert model.index(row, 0).data(IDENTITY) == item.identity


def shown_ids(page: FiguresPart) -> set[str]:
    return {m.id for n, m in enumerate(METRICS) if not page.table.isColumnHidden(n)}


def test_columns_are_chosen_and_kept(host: Host, page: FiguresPart, store: Settings) -> None:
    assert shown_ids(page) == set(KEY_COLUMNS)
    assert page.columns.text() == f"Columns · 5 of {len(METRICS)}"
    QTest.mouseClick(page.columns, Qt.MouseButton.LeftButton)
    popup = page.popup
    assert popup.ticked == set(KEY_COLUMNS)
    QTest.keyClicks(popup.search, "shannon")
    QTest.keyClick(popup.search, Qt.Key.Key_Return)
    assert shown_ids(page) == {*KEY_COLUMNS, "shannon"}
    QTest.mouseClick(popup.none, Qt.MouseButton.LeftButton)
    popup.search.clear()
    QTest.mouseClick(popup.none, Qt.MouseButton.LeftButton)
    assert shown_ids(page) == set(KEY_COLUMNS)  # a table of nothing would help no one
    QTest.mouseClick(popup.all, Qt.MouseButton.LeftButton)
    popup.close()
    assert shown_ids(page) == {metric.id for metric in METRICS}
    kept_session.keep(host.session, store)
    session = Session()
    kept_session.restore(session, store)
    assert session.figures.columns == host.session.figures.columns


def test_caveats_are_beside_what_misleads(host: Host, page: FiguresPart) -> None:
    assert page.caveats.text() == "\n".join(caveats(KEY_COLUMNS))
    assert "Schmidt et al. 2024" in page.caveats.text()
    assert page.caveats.text().startswith("Tokens; Bytes per token: Fewer tokens cost less")
    assert "Cognetta" not in page.caveats.text()
    host.session.figures.show_columns(["renyi"])
    assert "Cognetta et al. 2024" in page.caveats.text()
    host.session.figures.show_columns(["round_trip"])
    assert page.caveats.isHidden()
    across = Qt.Orientation.Horizontal
    for column, metric in enumerate(METRICS):
        assert page.model.headerData(column, across, CAVEAT) == metric.caveat
        tip = page.model.headerData(column, across, Qt.ItemDataRole.ToolTipRole)
        assert metric.caveat in tip


def test_what_unknown_tokens_flatter_is_never_the_best(
    window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path
) -> None:
    file = write_file(tmp_path / "vocab.txt", "[UNK]\na\n##a\n.\n,\n")
    window.take_files([file])
    qtbot.waitUntil(lambda: len(page.model.rows) == 3)
    wait(qtbot, page)
    (row,) = (n for n, one in enumerate(page.model.rows) if one.tally and one.tally.unknown)
    assert row == 2  # the last, though the table is sorted by tokens
    lossy = there(page.model.rows[row].tally)
    assert lossy.tokens == min(one.tally.tokens for one in page.model.rows if one.tally)
    index = page.model.index(row, 0)
    assert index.data() == f"{SIGN} {lossy.tokens}"
    assert f"It loses {percent(lossy.lost_share)} of the text" in index.data(
        Qt.ItemDataRole.ToolTipRole
    )
    assert "doubtful" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert index.data(Qt.ItemDataRole.ForegroundRole) == window.appearance.theme.dim
    others = [page.model.index(n, 0).data(BEST) for n in range(3) if n != row]
    assert sum(others) == 1
    assert not index.data(BEST)
    assert index.data(LOSSY)
    assert f"\t{SIGN} {lossy.tokens}\t" in page.model.as_text()
    assert SIGN not in page.model.as_csv()
    assert not page.doubts.isHidden()
    assert f"{page.model.rows[row].name} {percent(lossy.lost_share)}" in page.doubts.text()
    window.session.edits.turn_on(page.model.rows[row].key, False)
    qtbot.waitUntil(page.doubts.isHidden)


def test_a_click_on_a_heading_sorts(host: Host, page: FiguresPart) -> None:
    heading = page.table.horizontalHeader()

    def counts() -> list[int]:
        return [row.tally.tokens for row in page.model.rows if row.tally is not None]

    def click() -> list[int]:
        place = QPoint(heading.sectionViewportPosition(0) + 8, heading.height() // 2)
        QTest.mouseClick(heading.viewport(), Qt.MouseButton.LeftButton, pos=place)
        return counts()

    assert counts() == sorted(counts())  # by tokens at first
    assert click() == sorted(counts(), reverse=True)
    click()
    page.recount()
    assert [row.key for row in page.model.rows] == [one.key for one in host.session.chosen()]


@pytest.mark.parametrize("size", [(1440, 900), (800, 600)])
def test_the_key_columns_fit_and_the_others_scroll(
    window: MainWindow, page: FiguresPart, size: tuple[int, int]
) -> None:
    window.resize(*size)
    QGuiApplication.processEvents()
    table, model = page.table, page.model
    shown_columns = [n for n in range(len(METRICS)) if not table.isColumnHidden(n)]
    for column in shown_columns:
        title, note = str(model.headerData(column, Qt.Orientation.Horizontal)).split("\n")
        bold = QFontMetrics(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        assert bold.horizontalAdvance(title) < table.columnWidth(column)
        assert QFontMetrics(ui_font(SMALL_SIZE)).horizontalAdvance(note) < table.columnWidth(column)
    assert (table.horizontalScrollBar().maximum() == 0) == (size[0] > 1000)
    window.session.figures.show_columns(metric.id for metric in METRICS)
    QGuiApplication.processEvents()
    assert table.horizontalScrollBar().maximum() > 0
    rows = sum(table.rowHeight(row) for row in range(model.rowCount()))
    assert table.viewport().height() >= rows  # the page scrolls, not the table
    assert not table.grab().isNull()


def test_every_figure_has_a_heading() -> None:
    assert all(metric.heading and metric.remark for metric in METRICS)
    assert set(KEY_COLUMNS) <= {metric.id for metric in METRICS}


def test_headings_give_formula_and_source(page: FiguresPart) -> None:
    for column, metric in enumerate(METRICS):
        tip = page.model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert_contains(tip, metric.formula, metric.source)
        if metric.term:
            assert tip.index(explanation(metric.term)) < tip.index(metric.formula)


@pytest.mark.usefixtures("words_by_spaces")
def test_figures_of_words_are_grey_where_there_are_no_words(
    host: Host, page: FiguresPart, qtbot: QtBot
) -> None:
    host.session.set_text(sample_text("prose-ja"))
    page.recount()
    wait(qtbot, page)
    faint = host.appearance.theme.dim
    for column, metric in enumerate(METRICS):
        index = page.model.index(0, column)
        grey = index.data(Qt.ItemDataRole.ForegroundRole) == faint
        assert grey == (metric.of_words or index.data() == "–")
        assert (
            "no spaces between words" in index.data(Qt.ItemDataRole.ToolTipRole)
        ) == metric.of_words


def test_each_file_has_its_rows(
    window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path
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
    assert [row.file for row in model.rows] == ["a.txt", "a.txt", "b.txt", "b.txt"]
    for rows in (model.rows[:2], model.rows[2:]):  # sorted in each file
        tokens = [row.figures.value("tokens") for row in rows if row.figures is not None]
        assert tokens == sorted(filter(None, tokens))
    for place, row in enumerate(model.rows):
        wanted = figures(expected(window, texts[row.file]))[row.key]
        shown_cells = [str(model.index(place, column).data()) for column in range(len(METRICS))]
        assert shown_cells == wanted
        assert model.headerData(place, Qt.Orientation.Vertical, DETAIL) == row.file
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


def test_figures_over_several_documents_have_intervals(
    window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path
) -> None:
    paths = [
        write_file(tmp_path / f"{number}.txt", sample_text(name))
        for number, name in enumerate(("prose-en", "prose-de", "code-python"))
    ]
    assert "interval" not in tips(page)["bytes_per_token"]
    assert not any(head.endswith(", low") for head in page.as_csv().splitlines()[0].split(","))
    window.compare_commands.compare_paths(paths)
    wait(qtbot, page)
    (low, high) = (page.model.rows[0].intervals["bytes_per_token"].low, page.model.rows[0].intervals["bytes_per_token"].high)  # fmt: skip
    assert low is not None
    assert high is not None
    assert low < high
    tip = tips(page)["bytes_per_token"]
    assert f"95% interval: {low:.3f} to {high:.3f}, by drawing from the 3 documents" in tip
    assert "They are few, so it is too narrow." in tip
    assert "% interval" not in tips(page)["shannon"]
    rows = list(csv.DictReader(io.StringIO(page.as_csv())))
    assert float(rows[0]["Bytes per token (bytes), low"]) == pytest.approx(low)
    assert float(rows[0]["Bytes per token (bytes), high"]) == pytest.approx(high)
    page.by_file.setChecked(True)  # each row is of a single document
    assert "interval" not in tips(page)["bytes_per_token"]
    page.by_file.setChecked(False)
    window.compare_commands.compare_text()
    wait(qtbot, page)
    assert "interval" not in tips(page)["bytes_per_token"]


INTERVAL_TOP = 34
"""The pixels of a row above the strokes of an interval."""


def test_intervals_are_painted_below_the_bars(host: Host, page: FiguresPart) -> None:
    counted = next(iter(expected(host, TEXT).values()))
    value = counted.byte_count / counted.tokens

    def strokes(bounds: tuple[float, float] | None) -> list[int]:
        """Returns the places of the strokes below the bar, in pixels from the beginning of the cell."""
        intervals = {} if bounds is None else {"bytes_per_token": Interval(value, *bounds)}
        page.model.set_rows([ComparedRow("a", "a", 0, counted, intervals=intervals)])
        index = page.model.index(0, 1)
        assert index.data(BOUNDS) == (
            None
            if bounds is None
            else pytest.approx([end / max(value, bounds[1]) for end in bounds])
        )
        rect = page.table.visualRect(index)
        image = page.table.viewport().grab(rect).toImage()
        image.setDevicePixelRatio(1)
        dim = host.appearance.theme.dim
        return [x for x in range(image.width()) if image.pixelColor(x, INTERVAL_TOP) == dim]

    assert strokes(None) == []
    width = page.table.visualRect(page.model.index(0, 1)).width() - GAP
    low, high = strokes((value / 2, value * 2))
    assert abs(low - width / 4) <= 1
    assert abs(high - width) <= 2
    (only,) = strokes((value, value))  # such as of a figure that is the same in all documents
    assert abs(only - width) <= 2


def test_the_study_of_the_files_is_saved_and_finds_the_same(
    window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    out = tmp_path / "out" / "mine"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(out), ""))
    trigger(window, "save_study")
    assert "A study needs files" in window.messages.label.text()
    texts = new_folder(tmp_path / "texts")
    for number, name in enumerate(("prose-en", "prose-de", "code-python")):
        write_file(texts / f"{number}.txt", sample_text(name))
    window.compare_commands.compare_paths([texts])
    wait(qtbot, page)
    new_folder(out.parent)
    trigger(window, "save_study")
    study = read_study(out.with_suffix(".toml"))
    assert [one.file for one in study.texts] == [f"../texts/{number}.txt" for number in range(3)]
    assert all(one.sha256 for one in (*study.tokenizers, *study.texts))
    found = run_study(study, lambda path, _: tokenizer_of(path)).parts[-1]
    of_page = {row.name: row.intervals["bytes_per_token"] for row in page.model.rows}
    assert {
        one.name: found.measures[0].intervals[place] for place, one in enumerate(study.tokenizers)
    } == of_page
    monkeypatch.setattr(compare_figures, "MOST_HASHED", 0)
    assert [one.sha256 for one in page.study().texts] == ["", "", ""]


def tips(page: FiguresPart) -> dict[str, str]:
    """Returns the tips of the first row by the ids of the figures."""
    return {
        metric.id: str(page.model.index(0, column).data(Qt.ItemDataRole.ToolTipRole))
        for column, metric in enumerate(METRICS)
    }


def test_copy_and_csv(window: MainWindow, page: FiguresPart) -> None:
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:2] == ["Tokenizer", "Tokens"]
    assert "Fertility, in context (tokens/word)" in lines[0].split("\t")
    assert [line.split("\t")[0] for line in lines[1:]] == [row.name for row in page.model.rows]
    rows = list(csv.reader(io.StringIO(page.as_csv())))
    for row, line in zip(page.model.rows, rows[1:], strict=True):
        assert row.tally is not None
        for metric, text in zip(METRICS, line[1:-4], strict=True):
            value = metric.value(row.tally)
            assert (float(text) if text else None) == pytest.approx(value)
        assert line[-4:] == [
            str(len(TEXT.encode())), str(len(TEXT)), str(len(TEXT.split())), "1",
        ]  # fmt: skip
    assert rows[0][-4:] == ["Bytes", "Code points", "Words", "Texts"]
    trigger(window, "copy_python")
    assert QGuiApplication.clipboard().text() == page.python()
    assert "import tokenarium_core as tc" in page.python()
    QGuiApplication.clipboard().clear()
    trigger(window, "copy_comparison")
    assert QGuiApplication.clipboard().text().splitlines() == lines


def test_files_are_counted_in_other_processes(
    window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path
) -> None:
    texts = [sample_text("prose-en"), sample_text("prose-ru")]
    folder = new_folder(tmp_path / "texts")
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
    host: Host, page: FiguresPart, qtbot: QtBot
) -> None:
    text = TEXT * (LONGEST_SLICE // len(TEXT) + 1)
    host.session.set_text(text)
    page.recount()
    assert page.files is not None
    qtbot.waitUntil(lambda: not page.busy)
    assert cells(page) == figures(expected(host, text))


def test_counting_can_be_stopped(
    window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "long.txt", TEXT * 200_000)
    window.compare_commands.compare_paths([path])
    QTest.mouseClick(page.bar.stop_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.files is None)
    assert "Stopped at" in page.told.text()
    assert not any(page.model.index(row, 0).data(BEST) for row in range(len(page.model.rows)))
    page.stop()


@pytest.mark.parametrize("of_files", [True, False])
def test_a_count_stopped_before_its_first_figures_says_so(
    of_files: bool, window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path
) -> None:
    """The processes of a busy machine may have nothing to return; then they are ended."""
    if of_files:
        path = write_file(tmp_path / "long.txt", TEXT)
        window.compare_commands.compare_paths([path])
    else:
        window.session.set_text(TEXT * (LONGEST_SLICE // len(TEXT) + 1))
        page.recount()
    assert page.files is not None
    QTest.mouseClick(page.bar.stop_button, Qt.MouseButton.LeftButton)
    page.files.cancel()
    assert page.files is None
    assert "Stopped at 0%" in page.told.text()
    window.session.set_text(TEXT)
    page.count_text()
    wait(qtbot, page)
    assert "Stopped" not in page.told.text()


def test_files_that_are_not_there_are_reported(
    window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path
) -> None:
    window.compare_commands.compare_paths([tmp_path / "none.txt"])
    qtbot.waitUntil(lambda: page.files is None)
    sentences = page.told.text() + window.messages.label.text()
    assert "none.txt" in sentences


def test_a_folder_without_texts_is_reported(
    window: MainWindow, page: FiguresPart, qtbot: QtBot, tmp_path: Path
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


def test_empty_states(host: Host, page: FiguresPart) -> None:
    host.session.set_text("")
    page.recount()
    assert page.empty.isVisible()
    assert "no text" in page.empty.title.text()
    for entry in host.session.chosen():
        host.session.edits.turn_on(entry.key, False)
    page.recount()
    assert "No tokenizer" in page.empty.title.text()
    assert page.as_csv() == ""


def test_charts_are_of_the_counts(host: Host) -> None:
    (counts,) = expected(host, TEXT).values()
    rows = [ComparedRow("key", "Name", 3, counts), ComparedRow("other", "None", 4)]
    (lengths,) = length_chart(rows).curves
    assert lengths.colour == 3
    assert sum(share for _, share in lengths.points) == pytest.approx(100, abs=0.2)
    for length, share in lengths.points:
        assert share == pytest.approx(100 * counts.lengths[int(length)] / counts.tokens)
    (ranks,) = rank_chart(rows).curves
    assert ranks.points[0] == (1, counts.uses.max())
    assert ranks.points[-1][0] == (counts.uses > 0).sum()


def test_rows_without_figures_come_last(host: Host) -> None:
    (counts,) = expected(host, TEXT).values()
    model = ComparisonModel(QColor)
    model.set_rows([ComparedRow("a", "a", 0), ComparedRow("b", "b", 0, counts)])
    for order in Qt.SortOrder:
        model.sort(0, order)
        assert [row.key for row in model.rows] == ["b", "a"]


def _of(key: str, tokens: int, file: str = "") -> ComparedRow:
    """Returns a row with some figures, of which only the first differs."""
    figures = Figures((float(tokens), *[None] * (len(METRICS) - 1)), 100, 100, 0.0, 0.0, True)
    return ComparedRow(key, key, 0, file=file, figures=figures)


def test_rows_stay_in_place_while_they_are_counted_and_the_selection_on_them(
    qtbot: QtBot, qapp: QApplication
) -> None:
    model = ComparisonModel(QColor)
    table = off_screen(qtbot, ComparisonTable(model))
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning, model)

    def state() -> tuple[str, list[str]]:
        chosen = [model.rows[one.row()].key for one in table.selectionModel().selectedRows()]
        return "".join(row.file + row.key for row in model.rows), chosen

    model.set_rows([_of("a", 3), _of("b", 2), _of("c", 1)])
    table.selectRow(1)
    assert state() == ("cba", ["b"])
    model.set_rows([_of("a", 1), _of("b", 5), _of("c", 9)], complete=False)
    assert state() == ("cba", ["b"])
    assert model.index(0, 0).data() == "9"
    model.set_rows([_of("a", 1), _of("b", 9), _of("c", 9)])
    assert state() == ("abc", ["b"])
    table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert state() == ("bca", ["b"])
    model.set_rows([_of("d", 4), _of("a", 1), _of("b", 2)], complete=False)
    assert state() == ("bad", ["b"])
    model.set_rows([_of("d", 4), _of("a", 1), _of("b", 2)])
    assert state() == ("dba", ["b"])
    model.set_rows([_of("d", 4), _of("a", 1)])
    assert state()[0] == "da"
    model.set_rows([_of("a", 1, "x"), _of("b", 2, "x")])
    table.selectRow(1)
    assert state() == ("xbxa", ["a"])
    more = [_of(key, 5, file) for file in "xy" for key in "abc"]
    model.set_rows(more, complete=False)
    assert state() == ("xbxaxcyaybyc", ["a"])
    model.set_rows([])
    assert state() == ("", [])
