"""The workspace Scripts in the window: its pages, its keys, what picking a script asks for and shows, and what it writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from asked import wait_asked
from narrowed import of_kind, there
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from small_models import write_unigram
from windows import Host, shown_in, trigger

from tokenarium.app.window import MainWindow
from tokenarium.models.charts.chart import GroupedBars
from tokenarium.models.scripts.text_scripts import CountedTokens, text_scripts
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES, query_of, script_of_piece
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.vocabulary.vocabulary_query import parse
from tokenarium.session.requests import ShowEntries
from tokenarium.views import scripts
from tokenarium.views.scripts import (
    CharactersPage,
    LengthsPage,
    ScriptsView,
    SharesPage,
    TextPage,
    TreemapPage,
)
from tokenarium.views.vocabulary import VocabularyView
from tokenarium.widgets.charts.bar_plot import BarCanvas
from tokenarium.widgets.compare.character_table import SCRIPT

TEXT = "Merging makes tokens.\n\nнастоящее, مرحبا, 本屋 and 👩‍🚀!"


@pytest.fixture
def view(host: Host) -> ScriptsView:
    host.session.set_text(TEXT)
    host.show_workspace("scripts")
    return shown_in(host, ScriptsView)


def current(host: Host) -> LibraryItem:
    return there(host.session.current)


def tip(chart: object, name: str) -> list[str]:
    assert isinstance(chart, GroupedBars)
    return chart.values(chart.names.index(name))


def add_second(host: Host, qtbot: QtBot, folder: Path) -> None:
    path = write_unigram("Small words, and a few more of them.\n" * 20, folder / "small.model")
    host.session.edits.add_file(path)
    qtbot.waitUntil(lambda: len(host.session.chosen()) == 2 and not host.session.opening)


@pytest.mark.parametrize("action_id", ["script_vocabulary", "script_text"])
def test_tab_goes_from_what_the_bars_mean_to_the_bars(
    window: MainWindow, view: ScriptsView, qtbot: QtBot, action_id: str
) -> None:
    window.actions_by_id[action_id].trigger()
    page = of_kind(view.page, SharesPage)
    window.actions_by_id.refresh()
    qtbot.waitUntil(page.plot.more.isEnabled)
    page.scales.setFocus()
    for control in (page.plot.more, page.plot.canvas):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        assert control.hasFocus()


def test_bars_show_what_the_vocabulary_was_spent_on(host: Host, view: ScriptsView) -> None:
    page = of_kind(view.page, SharesPage)
    tokenizer = there(current(host).tokenizer)
    vocabulary = tokenizer.vocabulary
    pieces = [
        vocabulary.piece(token)
        for token in range(len(vocabulary))
        if vocabulary.kind(token) == "normal"
    ]
    greek = sum(script_of_piece(piece) == "Greek" for piece in pieces)
    assert tip(page.plot.chart, "Greek")[0].startswith(f"Tokenarium 8k: {greek:,} entries")
    assert "counts for the script" in page.rule_label.text()


def test_the_text_is_counted_by_its_tokens(window: MainWindow, view: ScriptsView) -> None:
    window.actions_by_id["script_text"].trigger()
    page = of_kind(view.page, TextPage)
    tokenizer = there(current(window).tokenizer)
    encoding = tokenizer.encode(TEXT)
    found = text_scripts(TEXT.encode(), CountedTokens.of(tokenizer, encoding))
    cyrillic = int(found.tokens[CLASS_NAMES.index("Cyrillic")])
    assert tip(page.plot.chart, "Cyrillic")[0].startswith(f"Tokenarium 8k: {cyrillic} tokens")
    window.session.set_text("ααα")
    view.refresh()
    assert isinstance(page.plot.chart, GroupedBars)
    assert page.plot.chart.names[0] == "Greek"
    window.session.set_text("")
    view.refresh()
    assert view.empty.isVisible()
    assert "text" in view.empty.title.text()


def test_without_tokenizers_it_says_how_to_go_on(window: MainWindow, view: ScriptsView) -> None:
    key = current(window).key
    window.session.edits.turn_on(key, False)
    for kind in ScriptsView.kinds:
        window.script_commands.show_page(kind.id)
        assert view.empty.isVisible()
        assert "tokenizer" in view.empty.title.text()
    window.session.edits.turn_on(key, True)
    view.refresh()
    assert view.page.isVisible()


def test_keys_go_through_the_bars_and_pick_one(qtbot: QtBot, host: Host, view: ScriptsView) -> None:
    page = of_kind(view.page, SharesPage)
    canvas = page.plot.canvas
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Down)
    assert canvas.current == 0
    assert page.plot.reading.text().startswith("Latin: Tokenarium 8k: ")
    with wait_asked(qtbot, host.session.requests, ShowEntries) as asked:
        QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert asked.args == [ShowEntries("script:latin")]
    host.show_workspace("scripts")  # back from the entries
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_End)
    assert isinstance(page.plot.chart, GroupedBars)
    assert canvas.current == len(page.plot.chart.names) - 1
    assert canvas.scroll_bar.value() == canvas.scroll_bar.maximum()
    QTest.keyClick(canvas, Qt.Key.Key_Home)
    assert canvas.scroll_bar.value() == 0


def test_a_click_chooses_and_a_double_click_opens_what_is_under_it(
    qtbot: QtBot, window: MainWindow, view: ScriptsView
) -> None:
    page = of_kind(view.page, SharesPage)
    canvas = page.plot.canvas
    qtbot.waitUntil(lambda: place_of(canvas, 1) is not None)
    place = there(place_of(canvas, 1))
    QTest.mouseMove(canvas, place)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place)
    assert canvas.chosen == 1
    assert window.workspace is view  # a click shows nothing else
    canvas._go_to(None)
    assert isinstance(page.plot.chart, GroupedBars)
    assert page.plot.reading.text().startswith(page.plot.chart.names[1])  # it stays in the title
    window.script_commands.show_page("text")
    shares = view.page
    window.script_commands.show_page("vocabulary")
    assert canvas.chosen == 1
    assert isinstance(shares, TextPage)
    with wait_asked(qtbot, window.session.requests, ShowEntries) as asked:
        QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=place)
    assert asked.args == [ShowEntries(f"script:{page.plot.chart.names[1].lower()}")]


def place_of(canvas: BarCanvas, row: int) -> QPoint | None:
    """Returns a place of the canvas in a row, None while it has not been laid out."""
    middle = canvas.width() // 2
    return next(
        (
            QPoint(middle, y + 4)
            for y in range(canvas.height())
            if canvas.group_at(QPoint(middle, y)) == row
        ),
        None,
    )


def test_space_chooses_and_escape_chooses_none(host: Host, view: ScriptsView) -> None:
    page = of_kind(view.page, SharesPage)
    canvas = page.plot.canvas
    canvas.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Space):
        QTest.keyClick(canvas, key)
    assert isinstance(page.plot.chart, GroupedBars)
    assert canvas.chosen == 1
    assert CLASS_NAMES[view.script] == page.plot.chart.names[1]
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert (canvas.chosen, view.script) == (None, -1)


def test_tokens_that_cut_a_character_are_hatched(
    window: MainWindow, view: ScriptsView, bytes_only: str
) -> None:
    window.session.set_text("aя")
    window.actions_by_id["script_text"].trigger()
    view.refresh()
    page = of_kind(view.page, TextPage)
    chart = of_kind(page.plot.chart, GroupedBars)
    names = [one.title for one in chart.series]
    bytes_bars = dict(zip(chart.names, chart.series[names.index("bytes")].bars, strict=True))
    cyrillic, latin = there(bytes_bars["Cyrillic"]), there(bytes_bars["Latin"])
    assert (cyrillic.end, cyrillic.hatched) == (pytest.approx(200 / 3), 0.0)
    assert "2 of them cut a character" in cyrillic.words
    assert latin.hatched is None
    assert list(cyrillic.cells)[:2] == ["2", "2"]
    assert "Tokens that cut a character" in chart.table().splitlines()[0]
    image = page.plot.canvas.grab()
    assert not image.isNull()


def test_a_long_text_is_counted_in_slices(
    window: MainWindow, view: ScriptsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "AT_ONCE", 10)
    window.actions_by_id["script_text"].trigger()
    page = of_kind(view.page, TextPage)
    assert page.plot.note.text() == "Counting …"
    assert page.busy
    qtbot.waitUntil(lambda: not page.plot.chart.empty)
    assert not page.busy


def test_others_are_held_against_a_reference(
    qtbot: QtBot, window: MainWindow, view: ScriptsView, tmp_path: Path
) -> None:
    page = of_kind(view.page, SharesPage)
    trigger(window, "script_ratio")
    assert page.plot.chart.empty
    assert "second tokenizer" in page.plot.note.text()
    add_second(window, qtbot, tmp_path)
    view.refresh()
    assert [curve.title for curve in page.plot.chart.curves] == ["small"]
    assert page.reference.isEnabled()
    page.reference.setCurrentIndex(1)
    page.reference.activated.emit(1)
    assert [curve.title for curve in page.plot.chart.curves] == ["Tokenarium 8k"]
    window.actions_by_id["script_difference"].trigger()
    assert "points" in tip(page.plot.chart, "Latin")[0]
    window.actions_by_id["script_log"].trigger()
    assert len(page.plot.chart.curves) == 2
    assert window.script_commands.scale() == "log"


def test_a_script_can_be_looked_into(window: MainWindow, view: ScriptsView) -> None:
    window.actions_by_id["script_characters"].trigger()
    page = of_kind(view.page, CharactersPage)
    assert page.head.text().startswith("Latin: ")
    page.table.choose(CLASS_NAMES.index("Greek"))
    tokenizer = there(current(window).tokenizer)
    own = [chr(code) for code in page.grid.codes[page.grid.marked]]
    assert own
    assert all(tokenizer.vocabulary.find(character.encode()) >= 0 for character in own)
    others = [chr(code) for code in page.grid.codes[~page.grid.marked]]
    assert all(tokenizer.vocabulary.find(character.encode()) < 0 for character in others)
    assert page.head.text() == f"Greek: {len(own)} of {len(own) + len(others)} characters"
    page.which.setCurrentIndex(1)
    assert [chr(code) for code in page.grid.codes] == own
    page.grid.setFocus()
    QTest.keyClick(page.grid, Qt.Key.Key_Right)
    assert page.grid.accessibleDescription() == page.grid.told(1)
    assert "has a token of its own" in page.grid.told(1)


def test_no_row_is_gone_through_when_the_scripts_are_shown_again(
    window: MainWindow, view: ScriptsView
) -> None:
    window.actions_by_id["script_characters"].trigger()
    page = of_kind(view.page, CharactersPage)
    table = page.table
    table.sortByColumn(SCRIPT, Qt.SortOrder.AscendingOrder)  # the current row is in the middle
    picked: list[int] = []
    table.selectionModel().currentChanged.connect(lambda now, _: picked.append(now.row()))
    view.refresh()
    assert len(picked) <= 2  # none, and the row that was current before
    assert table.script == CLASS_NAMES.index("Latin")


def test_colours_change_while_a_tokenizer_is_gone_that_was_looked_into(
    qtbot: QtBot, window: MainWindow, view: ScriptsView, tmp_path: Path
) -> None:
    add_second(window, qtbot, tmp_path)
    second = window.session.chosen()[-1]
    window.session.set_current(second.key)
    for kind in ScriptsView.kinds:
        window.script_commands.show_page(kind.id)
    page = next(page for page in view._made.values() if isinstance(page, CharactersPage))
    assert page.choice.currentData() == second.key
    window.show_workspace("tokens")  # the page is brought up to date when it is seen again
    window.session.edits.remove(second.key)
    window.display_commands.set_colour_scheme("dark")
    page.which.setCurrentIndex(1)
    left = current(window)
    assert page.grid._identity == left.identity


def test_what_was_picked_is_looked_into(window: MainWindow, view: ScriptsView) -> None:
    view.pick(CLASS_NAMES.index("Thai"))
    window.actions_by_id["script_characters"].trigger()
    page = of_kind(view.page, CharactersPage)
    assert page.head.text().startswith("Thai: ")
    view.pick(CLASS_NAMES.index("mixed"))
    assert page.head.text().startswith("Thai: ")


def test_the_treemap_is_one_vocabulary(
    qtbot: QtBot, window: MainWindow, view: ScriptsView, tmp_path: Path
) -> None:
    add_second(window, qtbot, tmp_path)
    window.actions_by_id["script_treemap"].trigger()
    page = of_kind(view.page, TreemapPage)
    area = page.plot.canvas
    assert isinstance(page.plot.chart, GroupedBars)
    assert len(area.places) == len(page.plot.chart.names)
    area.setFocus()
    QTest.keyClick(area, Qt.Key.Key_Right)
    assert page.plot.reading.text().startswith("Latin: ")
    with wait_asked(qtbot, window.session.requests, ShowEntries) as asked:
        QTest.mouseDClick(area, Qt.MouseButton.LeftButton, pos=area.places[0].center().toPoint())
    assert asked.args == [ShowEntries("script:latin")]
    window.show_workspace("scripts")  # back from the entries
    before = page.plot.chart
    page.choice.setCurrentIndex(1)
    page.choice.activated.emit(1)
    view.refresh()
    assert current(window).name == "small"
    assert page.plot.chart != before


def test_lengths_are_shown_for_all(window: MainWindow, view: ScriptsView) -> None:
    window.actions_by_id["script_lengths"].trigger()
    page = of_kind(view.page, LengthsPage)
    assert "median" in tip(page.plot.chart, "Latin")[0]


@pytest.mark.parametrize("page_id", ["vocabulary", "lengths", "treemap"])
def test_charts_are_written(
    window: MainWindow, view: ScriptsView, tmp_path: Path, page_id: str
) -> None:
    window.script_commands.show_page(page_id)
    page = view.page
    assert isinstance(page, SharesPage | LengthsPage | TreemapPage)
    for suffix in ("png", "svg", "csv"):
        page.plot.save(tmp_path / f"chart.{suffix}")
    image = QImage(str(tmp_path / "chart.png"))
    assert (
        image.height() >= 2 * page.plot.canvas.whole_height()
    )  # the rows that are scrolled away too
    assert "<svg" in (tmp_path / "chart.svg").read_text(encoding="utf-8")
    table = (tmp_path / "chart.csv").read_text(encoding="utf-8").splitlines()
    assert len(table) == len(page.plot.chart.names) + 1  # type: ignore[attr-defined]


def test_it_follows_the_colours(window: MainWindow, view: ScriptsView) -> None:
    for kind in ScriptsView.kinds:
        window.script_commands.show_page(kind.id)
    window.display_commands.set_colour_scheme("dark")
    page = of_kind(view.page, LengthsPage)
    image = page.plot.canvas.grab().toImage()
    assert image.pixelColor(image.width() // 2, 3).lightness() < 100


def test_entries_are_counted_once(view: ScriptsView) -> None:
    first, second = view.counted, view.counted
    assert first[0].use is second[0].use
    assert np.array_equal(first[0].use.counts, second[0].use.counts)


def test_every_class_has_a_query_of_its_own() -> None:
    for number in range(len(CLASS_NAMES)):
        [term] = parse(query_of(number))
        assert isinstance(term.value, frozenset)
        assert number in term.value


def test_a_script_shows_its_entries(window: MainWindow, qtbot: QtBot) -> None:
    window.session.requests.ask(ShowEntries(query_of(list(CLASS_NAMES).index("Latin"))))
    view = shown_in(window, VocabularyView)
    assert view.page.id == "entries"
    qtbot.waitUntil(lambda: 0 < len(view.entries.rows) < 8000)
    assert view.entries.field.text == "script:latin"
