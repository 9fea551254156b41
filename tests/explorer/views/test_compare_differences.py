"""The page Differences of the workspace Compare: the kinds of differences, and walking them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea
from pytestqt.qtbot import QtBot
from small_files import saved
from windows import Host, show_page, shown_in

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.text.differences import KINDS, CutComparison, difference_kinds, token_cuts
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.views.compare import DifferencesPage


def cuts_of(parts: str) -> IntArray:
    """The ends of parts that are written with ``|`` between them."""
    lengths = [len(part.encode()) for part in parts.split("|")]
    return np.cumsum(lengths).astype(np.int32)


def compared(cuts: list[IntArray]) -> CutComparison:
    comparison = CutComparison(cuts)
    comparison.step(float("inf"))
    return comparison


@pytest.mark.parametrize(
    ("ways", "kinds"),
    [
        (["a| cat", "a| c|at"], ["other"]),
        (["123|4", "1|234"], ["digits"]),
        (["x12", "x|12"], ["digits"]),
        (["a |12", "a| 12"], ["whitespace"]),
        (["a|  |b", "a| | |b"], ["whitespace"]),
        (["a|\n\n", "a|\n|\n"], ["whitespace"]),
        (["end.|)", "end|.)"], ["punctuation"]),
        (["😀", "😀"], []),
        (["жу|к", "ж|ук"], ["script"]),
        (["本屋", "本|屋"], ["script"]),
        (["of the|.", "of| the|."], ["superword"]),
        (["of the| end", "of the| e|nd"], ["other"]),
        (["of the", "of the"], []),
        (["of| |the", "of| the"], ["whitespace"]),
        (["ab| 12| x", "a|b| 1|2| x"], ["other", "digits"]),
        (["of the end", "of the| end", "of| the| end"], ["superword"]),
        (["é|t", "ét"], ["other"]),
        ([" the| x", " |the| x"], ["whitespace"]),
        (["a", "a"], []),
        (["", ""], []),
    ],
)
def test_kinds(ways: list[str], kinds: list[str]) -> None:
    text = ways[0].replace("|", "")
    cuts = [cuts_of(way) for way in ways]
    comparison = compared(cuts)
    places = comparison.regions
    found = difference_kinds(TextMap(text), places, comparison.disputed, cuts)
    assert [KINDS[kind] for kind in found.tolist()] == kinds


def test_a_cut_inside_a_letter_is_of_its_script() -> None:
    text = "ж"
    cuts = [np.array([2], np.int32), np.array([1, 2], np.int32)]
    comparison = compared(cuts)
    found = difference_kinds(TextMap(text), comparison.regions, comparison.disputed, cuts)
    assert [KINDS[kind] for kind in found.tolist()] == ["script"]


@pytest.mark.parametrize(
    ("spans", "size", "expected"),
    [
        ([[0, 2], [2, 5]], 5, [2, 5]),
        ([[0, 5], [6, 9]], 10, [5, 6, 9, 10]),
        ([[0, 1], [0, 1], [1, 3]], 3, [1, 3]),
        ([], 4, [4]),
        ([], 0, []),
    ],
)
def test_cuts_of_tokens(spans: list[list[int]], size: int, expected: list[int]) -> None:
    assert token_cuts(np.array(spans, np.int32).reshape(-1, 2), size).tolist() == expected


@pytest.fixture
def page(host: Host, qtbot: QtBot, tmp_path: Path) -> DifferencesPage:
    """The page with two tokenizers."""
    path = saved(
        tc.train("bpe", [sample_text("prose-en")], vocab_size=400), tmp_path / "small.json"
    )
    host.session.edits.add_file(path)
    qtbot.waitUntil(lambda: len(host.session.chosen()) == 2)
    host.session.set_text("In 1984 the bookshop,\n\nоткрытый wide … stood there.")
    page = show_page(host, "compare", "differences", DifferencesPage)
    qtbot.waitUntil(lambda: not page.busy)
    return page


def all_places(host: Host) -> list[list[int]]:
    size = host.session.text_map.byte_count
    cuts = []
    for entry in host.session.chosen():
        assert entry.tokenizer is not None
        spans = np.asarray(memoryview(entry.tokenizer.encode(host.session.text).spans))
        cuts.append(token_cuts(spans, size))
    found: list[list[int]] = compared(cuts).regions.tolist()
    return found


def test_keys_walk_the_differences(window: MainWindow, page: DifferencesPage) -> None:
    places = all_places(window)
    assert page.difference_count == len(places) > 3
    assert f"{len(places)} places" in page.bar.label.text()
    window.actions_by_id.refresh()
    for place in [*places, places[0]]:
        QTest.keyClick(window, Qt.Key.Key_F8)
        assert list(window.session.selection or ()) == place
    QTest.keyClick(window, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert list(window.session.selection or ()) == places[-1]


def test_one_kind_alone(host: Host, page: DifferencesPage) -> None:
    rows = list(csv.DictReader(io.StringIO(page.as_csv())))
    kind = rows[0]["kind"]
    expected = [[int(row["start"]), int(row["end"])] for row in rows if row["kind"] == kind]
    button = page.kinds.buttons[kind]
    assert f"{len(expected):,}" in button.text()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert page.difference_count == len(expected) < len(rows)
    host.workspace.go_to_difference(1)
    assert list(host.session.selection or ()) == expected[0]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert page.difference_count == len(rows)


@pytest.mark.parametrize("drops_blanks", [False, True])
def test_the_count_of_cuts_is_that_of_the_marks(
    window: MainWindow, page: DifferencesPage, qtbot: QtBot, tmp_path: Path, drops_blanks: bool
) -> None:
    """A place may have several cuts that not all make; the text has a mark for each."""
    if drops_blanks:
        file = tmp_path / "vocab.txt"
        file.write_text("[UNK]\nin\nthe\nwide\nstood\nthere\n.\n", "utf-8")
        window.take_files([file])
        qtbot.waitUntil(lambda: len(page.view.rows) == 3 and not page.busy)

    def marks() -> set[int]:
        size = window.session.text_map.byte_count
        return {int(cut) for row in page.view.rows.values() for cut in row.ticks(0, size)}

    rows = list(csv.DictReader(io.StringIO(page.as_csv())))
    assert f"in {len(rows)} places, at {len(marks())} cuts" in page.bar.label.text()
    assert len(marks()) > len(rows)
    for kind in {row["kind"] for row in rows}:
        expected = [row for row in rows if row["kind"] == kind]
        page.kinds.buttons[kind].click()
        count = len(marks())
        assert f"{len(expected)} place" in page.bar.label.text()
        assert page.bar.label.text().endswith(f"at {count} cut{'s' * (count != 1)}")
        inside = [(int(row["start"]), int(row["end"])) for row in expected]
        assert all(any(start < cut < end for start, end in inside) for cut in marks())
        page.kinds.buttons[kind].click()


def test_the_table_has_the_cuts(host: Host, page: DifferencesPage) -> None:
    utf8 = host.session.text_map.utf8
    rows = list(csv.DictReader(io.StringIO(page.as_csv())))
    assert [[int(row["start"]), int(row["end"])] for row in rows] == all_places(host)
    for row in rows:
        text = utf8[int(row["start"]) : int(row["end"])].decode("utf-8", "replace")
        assert row["text"] == text
        ways = {row[entry.name] for entry in host.session.chosen()}
        assert len(ways) == 2
    assert page.as_text().count("\n") == len(rows) + 1


def test_it_follows_the_text(host: Host, page: DifferencesPage, qtbot: QtBot) -> None:
    host.session.set_text("a")
    qtbot.waitUntil(lambda: not page.busy)
    assert page.difference_count == 0
    assert "the same way" in page.bar.label.text()
    host.workspace.go_to_difference(1)
    assert host.session.selection is None


def test_empty_states(host: Host, page: DifferencesPage) -> None:
    host.session.edits.turn_on(host.session.chosen()[0].key, False)
    assert page.empty.isVisible()
    assert "Two tokenizers" in page.empty.title.text()
    host.session.set_text("")
    assert "no text" in page.empty.title.text()


def test_many_tokenizers_are_in_one_scroll_area(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.session.set_text("One line\nand another\n" * 40)
    for size in (300, 350, 400, 450):
        path = saved(
            tc.train("bpe", [sample_text("prose-de")], vocab_size=size), tmp_path / f"t{size}.json"
        )
        window.take_files([path])
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 5)
    window.compare_commands.show_page("differences")
    page = shown_in(window, DifferencesPage)
    qtbot.waitUntil(lambda: not page.busy)
    areas = [area for area in page.findChildren(QAbstractScrollArea) if area.isVisible()]
    assert [area for area in areas if area.verticalScrollBar().maximum()] == [page.view]
    assert list(page.cards.cards) == [item.key for item in window.session.chosen()]
    window.session.select(700, 703)  # what is out of sight is scrolled to
    first, last = page.view.visible_bytes()
    assert first <= 700 < last
    qtbot.keyClick(page.view, Qt.Key.Key_3)
    assert page.view.front == window.session.chosen()[2].key


def test_places_that_differ_have_a_line_above(page: DifferencesPage) -> None:
    ask = page.appearance.theme.ask.name()
    painted = page.view.viewport().grab().toImage()
    image = {painted.pixelColor(x, y).name() for x in range(painted.width()) for y in range(60)}
    assert ask in image
    page.view.set_disputed(page._disputed[:0], page._places[:0])
    painted = page.view.viewport().grab().toImage()
    image = {painted.pixelColor(x, y).name() for x in range(painted.width()) for y in range(60)}
    assert ask not in image


def test_a_kind_with_no_differences_takes_no_room(
    host: Host, page: DifferencesPage, qtbot: QtBot
) -> None:
    there = {row["kind"] for row in csv.DictReader(io.StringIO(page.as_csv()))}
    shown = {kind for kind, button in page.kinds.buttons.items() if button.isVisible()}
    assert shown == there != set(KINDS)
