"""The page Overlap of the workspace Compare: its matrix and lists against sets of pieces."""

from __future__ import annotations

import csv
import io
import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from windows import Host, add_file, show_page, shown_in

import tokenarium_core as tc
from tokenarium.analyses.overlap import OVERLAP
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.compare.vocabulary_overlap import OverlapJob
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID
from tokenarium.views.compare_overlap import OverlapPage
from tokenarium.views.vocabulary import VocabularyView
from tokenarium.widgets.analysis.pair_matrix import ROW_HEIGHT, WIDTH
from tokenarium.widgets.panel import CHIP_SIZE


def opened(host: Host, qtbot: QtBot, tmp_path: Path) -> OverlapPage:
    """Opens the page with two tokenizers, which are still being compared."""
    path = tmp_path / "small.json"
    tc.train("bpe", [sample_text("prose-en")], vocab_size=400).save(path)
    add_file(host.session, path, qtbot)
    return show_page(host, "compare", "overlap", OverlapPage)


@pytest.fixture
def page(host: Host, qtbot: QtBot, tmp_path: Path) -> OverlapPage:
    """The page with two tokenizers, compared."""
    page = opened(host, qtbot, tmp_path)
    qtbot.waitUntil(lambda: page.parts["matrix"].rowCount() == 2)
    return page


def pieces_of(tokenizer: tc.Tokenizer) -> dict[bytes, int]:
    """Returns the pieces of a text that a vocabulary has, one after the other."""
    vocabulary, found = tokenizer.vocabulary, dict[bytes, int]()
    for token in range(len(vocabulary)):
        if vocabulary.kind(token) not in ("control", "unknown", "unused"):
            found.setdefault(vocabulary.piece(token), token)
    return found


def sets(host: Host) -> list[set[bytes]]:
    return [
        set(pieces_of(entry.tokenizer))
        for entry in host.session.chosen()
        if entry.tokenizer is not None
    ]


def text_of(page: OverlapPage, row: int, column: int) -> str:
    return str(page.parts["matrix"].item(row, column).text())


def test_the_matrix_counts_shared_pieces(host: Host, page: OverlapPage) -> None:
    one, other = sets(host)
    share = len(one & other) / len(one | other)
    for cell in ((0, 1), (1, 0)):
        assert text_of(page, *cell) == f"{share:.1%}\n{len(one & other):,}"
    assert text_of(page, 0, 0).startswith(f"{len(one):,}")
    rows = list(csv.DictReader(io.StringIO(page.as_csv())))
    assert float(rows[1]["Jaccard"]) == pytest.approx(share, rel=1e-5)
    assert page.as_text().count("\n") == 5


def test_a_cell_shows_its_pieces(host: Host, page: OverlapPage) -> None:
    one, other = sets(host)
    sizes = [len(one - other), len(one & other), len(other - one)]
    assert [model.rowCount() for model in page.parts["lists"].models] == sizes
    place = page.parts["matrix"].visualRect(page.parts["matrix"].model().index(1, 0)).center()
    QTest.mouseClick(page.parts["matrix"].viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [model.rowCount() for model in page.parts["lists"].models] == sizes[::-1]
    counts = [label.text() for label in page.parts["lists"].counts]
    assert counts == [f"{size:,}" for size in reversed(sizes)]
    first = page.parts["lists"].models[1].index(0, 0)
    assert first.data().split()[0] == "0"
    assert "1 byte:" in first.data(Qt.ItemDataRole.ToolTipRole)


def test_the_columns_of_the_matrix_fill_a_wide_card_up_to_a_bound(
    window: MainWindow, page: OverlapPage
) -> None:
    matrix = page.parts["matrix"]
    for width, columns in ((900, None), (2400, WIDTH)):
        window.resize(width, 800)
        QApplication.processEvents()
        room = matrix.viewport().width()
        assert matrix.columnWidth(0) == matrix.columnWidth(1) == (columns or room // 2)
        assert matrix.height() == matrix.horizontalHeader().height() + 2 * ROW_HEIGHT


def test_a_pair_has_its_share_as_a_ground_and_the_chosen_a_frame(
    host: Host, page: OverlapPage
) -> None:
    matrix = page.parts["matrix"]
    theme = matrix.theme
    image = matrix.viewport().grab().toImage()

    def ground(row: int, column: int) -> QColor:
        cell = matrix.visualRect(matrix.model().index(row, column))
        return image.pixelColor(cell.left() + 20, cell.center().y())

    one, other = sets(host)
    share = len(one & other) / len(one | other)
    wanted, painted = mix(theme.surface, theme.accent, 0.3 * share), ground(1, 0)
    assert painted != theme.surface
    assert all(
        abs(one - two) <= 1
        for one, two in zip(wanted.toRgb().getRgb(), painted.getRgb(), strict=True)
    )
    assert ground(0, 0) == theme.surface
    assert ground(0, 1) == theme.wash
    chosen = matrix.visualRect(matrix.model().index(0, 1))
    assert image.pixelColor(chosen.left() + 2, chosen.center().y()) == theme.accent


@pytest.mark.parametrize("place", [0, 1])
def test_the_marker_of_a_tokenizer_is_next_to_its_name(page: OverlapPage, place: int) -> None:
    matrix = page.parts["matrix"]
    colour = matrix.identity(place).full
    for header in (matrix.horizontalHeader(), matrix.verticalHeader()):
        image = header.viewport().grab().toImage()
        upright = header.orientation() == Qt.Orientation.Vertical
        left = 0 if upright else header.sectionViewportPosition(place)
        right = image.width() if upright else left + header.sectionSize(place)
        top = header.sectionViewportPosition(place) if upright else 0
        bottom = top + (ROW_HEIGHT if upright else image.height())
        marked = [
            x
            for x, y in itertools.product(range(left, right), range(top, bottom))
            if image.pixelColor(x, y) == colour
        ]
        name = str(header.model().headerData(place, header.orientation()))
        text = header.fontMetrics().horizontalAdvance(name)
        begin = 0 if upright else right - GRID - text - GRID - CHIP_SIZE
        assert abs(min(marked) - begin) <= 3


def test_narrow_lists_do_not_scroll_sideways(window: MainWindow, page: OverlapPage) -> None:
    window.resize(800, 600)
    QApplication.processEvents()
    for view in page.parts["lists"].lists:
        assert view.viewport().width() < 30 * GRID
        assert view.horizontalScrollBar().maximum() == 0


def test_the_columns_of_the_matrix_have_the_room_beside_a_scroll_bar(page: OverlapPage) -> None:
    matrix = page.parts["matrix"]
    matrix.resize(matrix.verticalHeader().width() + 29 * GRID, matrix.height())  # as a bar does
    columns = [matrix.columnWidth(column) for column in range(matrix.columnCount())]
    assert sum(columns) <= matrix.viewport().width()


def test_a_piece_of_a_list_is_shown_in_its_vocabulary(
    window: MainWindow, page: OverlapPage, qtbot: QtBot
) -> None:
    token = page.parts["lists"].models[2].token(page.parts["lists"].models[2].index(5, 0))
    page.parts["lists"].lists[2].setCurrentIndex(page.parts["lists"].models[2].index(5, 0))
    qtbot.keyClick(page.parts["lists"].lists[2], Qt.Key.Key_Return)
    view = shown_in(window, VocabularyView)
    assert window.session.current is window.session.chosen()[1]
    qtbot.waitUntil(lambda: view.entries.token == token)


def test_one_tokenizer_is_too_few(host: Host, page: OverlapPage, qtbot: QtBot) -> None:
    key = host.session.chosen()[1].key
    host.session.edits.turn_on(key, False)
    assert page.empty.isVisible()
    host.session.edits.turn_on(key, True)
    qtbot.waitUntil(lambda: not page.empty.isVisible() and not page.busy)
    one, other = sets(host)
    assert f"{len(one & other):,}" in text_of(page, 0, 1)


@pytest.mark.parametrize("known", [False, True])
def test_the_job_finds_what_sets_find(host: Host, known: bool) -> None:
    (entry,) = host.session.chosen()
    assert entry.tokenizer is not None
    small = tc.train("bpe", [sample_text("prose-de")], vocab_size=500)
    pieces = {"a": pieces_of(entry.tokenizer)} if known else {}
    job = OverlapJob({"a": entry.tokenizer, "b": small}, pieces)
    steps = 1
    while not job.step(0.01).finished:
        steps += 1
    assert job.pieces == {"a": pieces_of(entry.tokenizer), "b": pieces_of(small)}
    assert job.shared == {("a", "b"): len(job.pieces["a"].keys() & job.pieces["b"].keys())}
    assert steps > 1


def test_it_says_that_it_compares(
    host: Host, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.views.analysis_page.AT_ONCE_MS", 0.0)
    monkeypatch.setattr("tokenarium.models.task.SLICE_MS", 0.2)
    page = opened(host, qtbot, tmp_path)
    assert page.empty.isVisible()
    assert page.empty.title.text() == OVERLAP.waiting[0]
    qtbot.waitUntil(page.parts["matrix"].isVisible)
