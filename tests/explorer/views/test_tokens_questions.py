"""The pages Perturb, Stream and Ways of the workspace Tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from windows import Host, show_page, trigger

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.style.theme import DARK
from tokenarium.views.analysis_page import TextAnalysisPage, page_of
from tokenarium.views.tokens import TokensView
from tokenarium.views.tokens_selection import SelectedTextPage
from tokenarium.views.tokens_stream import StreamPage
from tokenarium.views.tokens_ways import WaysPage
from tokenarium.widgets.analysis.field_control import texts_in
from tokenarium_core.explaining.ways import ways

PAGES: dict[str, type[SelectedTextPage]] = {
    "perturb": page_of("perturb"),
    "stream": StreamPage,
    "ways": WaysPage,
    "covering": page_of("covering"),
}


def shown(host: Host, page_id: str, text: str, qtbot: QtBot) -> Any:
    host.session.set_text(text)
    page: Any = show_page(host, "tokens", page_id, PAGES[page_id])
    qtbot.waitUntil(lambda: not page.busy)
    return page


def tokenizer_of(host: Host) -> tc.Tokenizer:
    current = there(host.session.current)
    assert current.tokenizer is not None
    return current.tokenizer


@pytest.mark.parametrize("page_id", PAGES)
def test_without_a_text_they_say_what_to_do(host: Host, page_id: str, qtbot: QtBot) -> None:
    page = shown(host, page_id, "", qtbot)
    assert page.empty.isVisible()
    assert "no text" in page.empty.accessibleName() or page.empty.isVisibleTo(page)


@pytest.mark.parametrize("page_id", PAGES)
def test_they_follow_the_text_and_the_selection(host: Host, page_id: str, qtbot: QtBot) -> None:
    page = shown(host, page_id, "one lower text", qtbot)
    assert "one␣lower␣text" in page.question.text()
    host.session.select(4, 9)
    qtbot.waitUntil(
        lambda: "“lower”" in page.question.text().replace("\u2068", "").replace("\u2069", "")
    )
    host.session.set_text("x")
    qtbot.waitUntil(
        lambda: "“x”" in page.question.text().replace("\u2068", "").replace("\u2069", "")
    )


@pytest.mark.parametrize("page_id", PAGES)
def test_their_tables_are_copied_and_saved(
    window: MainWindow, page_id: str, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = shown(window, page_id, "lower café", qtbot)
    trigger(window, "copy_question")
    assert QGuiApplication.clipboard().text() == page.as_text() != ""
    path = tmp_path / "table.csv"
    monkeypatch.setattr(
        "tokenarium.widgets.file_dialogs.QFileDialog.getSaveFileName",
        lambda *_: (str(path), ""),
    )
    window.actions_by_id["save_question"].trigger()
    assert path.read_text("utf-8") == page.as_csv() != ""


@pytest.mark.parametrize("page_id", PAGES)
def test_they_change_their_colours(host: Host, page_id: str, qtbot: QtBot) -> None:
    page = shown(host, page_id, "lower", qtbot)
    host.appearance.set_scheme("dark")
    qtbot.waitUntil(lambda: not page.busy)
    assert page.appearance.theme is DARK


def test_the_first_page_is_as_before(window: MainWindow, qtbot: QtBot) -> None:
    shown(window, "ways", "lower", qtbot)
    view = of_kind(window.workspace, TokensView)
    assert view.rect_of(0, 1) is None
    window.actions_by_id["tokens_page"].trigger()
    assert view.follows_text
    assert view.view.isVisible()


# Ways.


def test_the_ways_are_those_of_the_core(host: Host, qtbot: QtBot) -> None:
    page = of_kind(shown(host, "ways", "lower text", qtbot), WaysPage)
    found = ways(tokenizer_of(host), "lower text")
    assert page.parts["table"].topLevelItem(0).text(1) == f"{found.count:,}"
    row = page.parts["best"].rows[0]
    assert [tile.note for tile in row.tiles.tiles] == [str(token) for token in found.best[0].ids]
    assert sum(length for _, length in page.parts["chart"].chart.bars) == found.count
    page.copy.click()
    assert QGuiApplication.clipboard().text() == str(found.count)


def test_a_long_text_has_a_number_that_can_be_read(host: Host, qtbot: QtBot) -> None:
    page = of_kind(shown(host, "ways", "a text of some words. " * 200, qtbot), WaysPage)
    assert "× 10" in page.parts["table"].topLevelItem(0).text(1)
    assert "Select a word" in page.parts["best"].rows[0].heading.text()
    assert page.parts["chart"].isHidden()


# Stream.


def test_a_stream_plays(host: Host, qtbot: QtBot) -> None:
    page = of_kind(shown(host, "stream", "a 歪 text", qtbot), StreamPage)
    player = page.player
    count = len(tokenizer_of(host).encode_ids("a 歪 text"))
    assert player.position == player.length == count
    player.go_to(0)
    assert "Nothing" in page.sentence.text()
    QTest.keyClick(page.transport.buttons[2], Qt.Key.Key_Right)
    assert player.position == 1
    player.rate = 1000.0
    player.play()
    qtbot.waitUntil(lambda: not player.playing)
    assert player.position == count
    assert page.prompt == "a 歪 text"


def test_a_stream_is_saved_as_a_figure(host: Host, tmp_path: Path, qtbot: QtBot) -> None:
    page = of_kind(shown(host, "stream", "a 歪 text", qtbot), StreamPage)
    page.player.go_to(2)
    for kind in ("png", "svg", "csv"):
        page.figure.save(tmp_path / f"stream.{kind}")
    assert QImage(str(tmp_path / "stream.png")).width() > 500
    assert "<svg" in (tmp_path / "stream.svg").read_text("utf-8")
    assert (tmp_path / "stream.csv").read_text("utf-8") == page.as_csv()
    assert page.sentence.text() in page.figure.caption()


def test_a_stop_string_ends_the_stream(host: Host, qtbot: QtBot) -> None:
    page = of_kind(shown(host, "stream", "one END two", qtbot), StreamPage)
    page.stops.setText("END")
    qtbot.waitUntil(lambda: "Cut at" in page.sentence.text())
    assert page.made is not None
    assert page.made.text[: page.made.stopped_at] == "one "


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", []),
        ("END", ["END"]),
        (r"\n\n, a\,b,, c d ", ["\n\n", "a,b", "c d"]),
        (r"\t\\", ["\t\\"]),
    ],
)
def test_stop_strings(line: str, expected: list[str]) -> None:
    assert texts_in(line) == expected


def test_the_end_of_the_prompt(host: Host, qtbot: QtBot) -> None:
    page = of_kind(shown(host, "stream", "the first tex", qtbot), StreamPage)
    qtbot.waitUntil(lambda: "could change" in page.end_sentence.text() and not page.busy)
    assert page.end_tiles.tiles[-1].dashed
    assert "must go on from" in page.healed.text()
    before = len(page.allowed.tiles)
    page.drop.setValue(2)
    assert before != len(page.allowed.tiles) or "␣" in page.healed.text()


# Perturb.


def test_the_cuts_of_the_chosen_variant(host: Host, qtbot: QtBot) -> None:
    page = of_kind(shown(host, "perturb", "The first text", qtbot), TextAnalysisPage)
    tokenizer = tokenizer_of(host)
    table = page.parts["table"]
    for place in (0, 3):
        table.setCurrentIndex(table.model().index(place, 0))
        (text,) = [row.text for row in page.result.rows if row.variant.id == page.chosen]
        ids = tokenizer.encode_ids(text)
        after = page.parts["detail"].rows[1].tiles
        assert [tile.note for tile in after.tiles] == [str(token) for token in ids[:80]]
        assert table.currentItem().text(2) == f"{len(ids):,}"


def test_another_seed_and_fewer_variants(host: Host, qtbot: QtBot) -> None:
    page = shown(host, "perturb", "Some words of a longer text", qtbot)
    texts = {row.variant.id: row.text for row in page.result.rows}
    page.controls["seed"].widget.setValue(5)
    qtbot.waitUntil(lambda: not page.busy)
    others = {row.variant.id: row.text for row in page.result.rows}
    assert others != texts
    assert others["upper"] == texts["upper"]
    for action in page.controls["only"].menu.actions():
        action.setChecked(action.text() == "Typos")
    qtbot.waitUntil(lambda: not page.busy)
    assert {row.variant.group for row in page.result.rows} == {"Typos"}


def test_sorting_goes_by_numbers(host: Host, qtbot: QtBot) -> None:
    page = of_kind(shown(host, "perturb", "The first text", qtbot), TextAnalysisPage)
    table = page.parts["table"]
    table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    rows = [table.topLevelItem(place) for place in range(table.topLevelItemCount())]
    counts = [int(row.text(2).replace(",", "")) for row in rows if row is not None]
    assert counts == sorted(counts, reverse=True)
