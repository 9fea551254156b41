"""The workspace Vocabulary in the window: the filter, the table, the pane, the diagnostics, and the ways into it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from asked import wait_asked
from narrowed import of_kind, there
from played_models import unigram
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from safetensors.numpy import save_file
from sentencepiece_models import trained
from small_files import saved, write_file
from windows import Host, add_file, on_screen, opened_windows, shown_in, trigger

from tokenarium.app.window import MainWindow
from tokenarium.models.diagnosis.diagnosing import EXAMINATION_OF, EXAMINATIONS
from tokenarium.models.diagnosis.diagnosis import (
    NO_REPAIRS,
    Diagnosis,
    Evidence,
    Level,
    as_json,
    as_text,
)
from tokenarium.models.diagnosis.diagnosis_embeddings import unused_rows
from tokenarium.models.mending import finding_repairs
from tokenarium.models.vocabulary.merge_list import WRITTEN
from tokenarium.models.vocabulary.vocabulary_columns import SHOWN_FLAGS, VocabularyColumns
from tokenarium.models.vocabulary.vocabulary_export import record
from tokenarium.models.vocabulary.vocabulary_table import (
    BYTES,
    COLUMNS,
    INDICATOR,
    LENGTH,
    MARKS,
    PIECE,
    VALUE,
    VocabularyTable,
)
from tokenarium.session import settings
from tokenarium.session.kept_session import keep
from tokenarium.session.requests import ShowEntry, TellSaved
from tokenarium.session.settings import Settings
from tokenarium.style.appearance import Appearance
from tokenarium.style.fonts import mono_font
from tokenarium.style.palette import contrast
from tokenarium.views.merges import MergesView
from tokenarium.views.vocabulary import VocabularyView
from tokenarium.views.vocabulary_entries import WIDEST_PANE, EntriesPage
from tokenarium.views.vocabulary_merges import MergeListPage
from tokenarium.widgets.vocabulary.entry_table import LEFT_MARGIN, RIGHT_MARGIN
from tokenarium.widgets.vocabulary.finding_card import ICONS, FindingCard, LevelMark
from tokenarium_core.explaining import merge_path

TEXT = "the cat and the dog, the end"


@pytest.fixture
def view(host: Host, qtbot: QtBot) -> VocabularyView:
    host.session.set_text(TEXT)
    host.show_workspace("vocabulary")
    qtbot.waitUntil(lambda: not host.session.jobs.running())
    return shown_in(host, VocabularyView)


@pytest.fixture
def page(view: VocabularyView) -> EntriesPage:
    return view.entries


def pieces(page: EntriesPage) -> list[bytes]:
    assert page.columns is not None
    return [page.columns.piece(token) for token in page.rows.tolist()]


def token_of(page: EntriesPage, piece: bytes) -> int:
    return there(page.columns).vocabulary.find(piece)


def show(page: EntriesPage, qtbot: QtBot, piece: bytes) -> int:
    """Shows an entry, and waits for its details."""
    token = token_of(page, piece)
    page.show_entry(token)
    qtbot.waitUntil(lambda: f"id {token}" in page.pane.head.accessibleName())
    return token


def test_all_entries_are_there(page: EntriesPage) -> None:
    assert page.columns is not None
    assert page.table.entries.rowCount() == page.columns.count
    count = f"{page.columns.count:,}"
    assert page.session.current is not None
    assert page.field.status.text() == f"{count} entries of {page.session.current.name}"
    page.field.set_text("id:1-10")
    assert page.field.status.text().startswith(f"10 of {count} entries")


def test_typing_filters(page: EntriesPage) -> None:
    QTest.keyClicks(page.field.line, "the len:4-")
    assert all(b"the" in piece and len(piece) >= 4 for piece in pieces(page))
    assert len(pieces(page)) > 1
    assert [chip.text() for chip in page.field.chips] == ["“the” ✕", "len 4- ✕"]
    page.field.chips[1].click()
    assert page.field.text == "the"
    page.field.set_text("the len:4-")
    page.field.chips[0].click()
    assert page.field.text == "len:4-"
    assert not all(b"the" in piece for piece in pieces(page))


def test_what_cannot_be_understood_leaves_the_last_result(page: EntriesPage) -> None:
    page.field.set_text("the")
    before = pieces(page)
    QTest.keyClicks(page.field.line, " len:x")
    assert pieces(page) == before
    assert page.field.status.text().startswith("“x” is not a number or range.")
    assert not any(chip.isVisible() for chip in page.field.chips)  # they are about the line before
    page.field.set_text("the len:4-")
    assert all(chip.isVisible() for chip in page.field.chips)


def test_what_cannot_be_understood_is_not_said_to_find_nothing(page: EntriesPage) -> None:
    page.field.set_text("id:9999999")
    assert page.nothing.isVisible()
    page.field.set_text("bytes:zz")
    assert page.nothing.isVisible()
    assert page.nothing.sentence.text() == page.field.status.text()


def test_what_room_there_is_goes_to_the_table_and_in_it_to_pieces_and_bytes(
    page: EntriesPage, qtbot: QtBot
) -> None:
    show(page, qtbot, b"the")
    table, pane, window = page.table, page.pane, page.window()
    QApplication.processEvents()  # the gap next to the pane takes its room
    window.resize(1440, 900)
    before = pane.width()
    narrow = [table.columnWidth(column) for column in range(len(COLUMNS))]
    window.resize(2400, 900)
    assert there(pane.parentWidget()).width() == WIDEST_PANE
    grown = {
        column
        for column, width in enumerate(narrow[:-1])
        if table.columnWidth(column) != width and not table.isColumnHidden(column)
    }
    assert grown == {PIECE, BYTES}
    table.horizontalHeader().resizeSection(PIECE, 70)
    window.resize(1440, 900)
    assert table.columnWidth(PIECE) == 70
    assert pane.width() == before


@pytest.mark.parametrize("width", [1280, 1440, 1920])
def test_no_flag_is_cut_off(page: EntriesPage, qtbot: QtBot, width: int) -> None:
    page.window().resize(width, 900)
    show(page, qtbot, b"the")
    table = page.table
    heads = table.horizontalHeader()
    for flag in SHOWN_FLAGS:
        needed = table.fontMetrics().horizontalAdvance(flag) + LEFT_MARGIN + RIGHT_MARGIN
        assert heads.sectionSize(MARKS) >= needed
    if width >= 1440:
        assert table.horizontalScrollBar().maximum() == 0


def test_the_pane_has_the_options_of_an_added_token(page: EntriesPage, qtbot: QtBot) -> None:
    token = there(page.columns).tokenizer.added_tokens.tokens[0]
    page.show_entry(token.id)
    qtbot.waitUntil(lambda: "added token (special" in page.pane.about.text())


def test_another_entry_is_shown_from_its_head(page: EntriesPage, qtbot: QtBot) -> None:
    show(page, qtbot, b"the")
    bar = page.pane.verticalScrollBar()
    page.window().resize(800, 600)
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    show(page, qtbot, b"er")
    assert bar.value() == 0


def test_nothing_found_says_how_to_go_on(page: EntriesPage) -> None:
    page.field.set_text("zzqq")
    assert page.nothing.isVisible()
    assert "Case matters" in page.nothing.sentence.text()
    page.field.set_text("")
    assert page.table.isVisible()


def test_expressions_are_tried_on_all(page: EntriesPage, qtbot: QtBot) -> None:
    page.field.set_text("re:^[a-z]+$")
    qtbot.waitUntil(lambda: "Searching" not in page.field.status.text())
    columns = there(page.columns)
    expected = [
        n for n in range(columns.count) if columns.piece(n).isalpha() and columns.piece(n).islower()
    ]
    assert page.rows.tolist() == expected


def test_a_search_that_takes_longer_says_one_thing_until_its_end(
    page: EntriesPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.views.vocabulary_entries.FIRST_MS", 0)
    said: list[str] = []
    monkeypatch.setattr(page.field, "say", lambda sentence, wrong=False: said.append(sentence))
    page.field.set_text("re:^(?=[a-z]).*(?<=g)$")  # no automaton: it looks ahead and back
    qtbot.waitUntil(lambda: not page.session.jobs.running())
    assert set(said[:-1]) == {"Searching …"}
    assert said[-1].startswith(f"{len(page.rows):,} of ")
    assert pieces(page) == [p for p in pieces(page) if p.endswith(b"g")] != []


def test_the_keys_lead_from_the_line_to_the_rows_and_back(page: EntriesPage, qtbot: QtBot) -> None:
    line, table = page.field.line, page.table
    page.focus_first()
    QTest.keyClicks(line, "the len:4-")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert table.hasFocus()
    assert table.current == page.rows[0]
    for held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier):
        QTest.keyClick(table, Qt.Key.Key_End, held)
        assert table.current == page.rows[-1]
        assert table.selectionModel().isRowSelected(len(page.rows) - 1)
        QTest.keyClick(table, Qt.Key.Key_Home, held)
        assert table.current == page.rows[0]
    QTest.keyClick(table, Qt.Key.Key_Escape)
    assert line.hasFocus()
    for control in (page.field.more, *page.field.chips, table):
        QTest.keyClick(page.window().focusWidget(), Qt.Key.Key_Tab)
        assert control.hasFocus()
    page.focus_first()
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert page.field.text == ""


def test_another_result_is_shown_from_its_top(page: EntriesPage) -> None:
    page.table.setFocus()
    bar = page.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    page.field.set_text("len:1-5")
    assert len(page.rows) > 1000
    assert bar.value() == 0


def test_a_click_on_a_head_sorts_and_another_turns_it_round(page: EntriesPage) -> None:
    heads = page.table.horizontalHeader()
    middle = heads.viewport().rect().center().y()

    def click(column: int) -> None:
        at = heads.viewport().rect().topLeft()
        at.setX(heads.sectionViewportPosition(column) + 20)
        at.setY(middle)
        QTest.mouseClick(heads.viewport(), Qt.MouseButton.LeftButton, pos=at)

    click(LENGTH)
    sizes = [len(piece) for piece in pieces(page)]
    assert sizes == sorted(sizes)
    click(LENGTH)
    sizes = [len(piece) for piece in pieces(page)]
    assert sizes == sorted(sizes, reverse=True)
    click(PIECE)
    assert pieces(page) == sorted(pieces(page))


def test_completions_are_offered_and_taken(page: EntriesPage) -> None:
    line = page.field.line
    line.setFocus()
    QTest.keyClicks(line, "scr")
    assert page.field.popup.isVisible()
    QTest.keyClick(page.field.popup, Qt.Key.Key_Down)
    QTest.keyClick(page.field.popup, Qt.Key.Key_Return)
    assert line.text() == "script:"
    page.field.popup.hide()
    QTest.keyClicks(line, "lat")
    index = page.field.popup.model().index(0, 0)
    page.field.completer.activated[type(index)].emit(index)
    assert line.text() == "script:latin "
    assert len(pieces(page)) > 100


def test_the_menu_writes_terms(page: EntriesPage) -> None:
    page.field.menu.aboutToShow.emit()
    menus = {action.text(): action.menu() for action in page.field.menu.actions()}
    scripts = there(menus["Script"])
    scripts.actions()[0].trigger()
    first = page.field.text
    assert first.startswith("script:")
    scripts.actions()[1].trigger()
    assert page.field.text.startswith("script:")
    assert page.field.text != first
    sorting = there(menus["Sort by"])
    heads = {action.text() for action in sorting.actions()}
    assert heads == {
        str(COLUMNS[n].title) for n in range(len(COLUMNS)) if not page.table.isColumnHidden(n)
    }
    for turned in (False, True):  # chosen again, an order is turned round
        page.field.menu.aboutToShow.emit()
        sorting = there(
            {action.text(): action.menu() for action in page.field.menu.actions()}["Sort by"]
        )
        (length,) = (action for action in sorting.actions() if action.text() == "Length")
        assert length.isChecked() == turned
        length.trigger()
        sizes = [len(piece) for piece in pieces(page)]
        assert sizes == sorted(sizes, reverse=turned)
    page.add_term("flag:space")
    assert page.field.text.endswith(" flag:space")
    assert all(piece.startswith(b" ") for piece in pieces(page))
    page.add_term("script:")
    place = page.field.text.index("script:") + len("script:")
    assert page.field.line.cursorPosition() == place


def test_the_pane_describes_an_entry(page: EntriesPage, qtbot: QtBot) -> None:
    token = show(page, qtbot, b" the")
    assert page.pane.count.text() == "2 times in the text"
    assert page.pane.trees
    for width in (220, 300, 600):
        page.pane.resize(width, 500)
        for tree in page.pane.trees:
            assert tree.width() <= page.pane.viewport().width(), "nothing of it scrolls sideways"
    page.pane.next.click()
    assert page.session.selection == (11, 15)
    page.pane.next.click()
    assert page.session.selection == (20, 24)
    page.pane.next.click()
    assert page.session.selection == (11, 15)
    page.pane.previous.click()
    assert page.session.selection == (20, 24)
    link = next(link for link in page.pane.links if link.text().startswith("the"))
    link.click()
    assert page.token == token_of(page, b"the") != token


def test_what_is_made_with_an_entry_can_be_listed(page: EntriesPage, qtbot: QtBot) -> None:
    show(page, qtbot, b" t")
    more = next(link for link in page.pane.links if link.text().startswith("All "))
    more.click()
    assert page.field.text.startswith("part:")
    assert b" th" in pieces(page) or b" the" in pieces(page)


def test_rows_are_copied(page: EntriesPage) -> None:
    page.field.set_text('" the"')
    page.table.selectAll()
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == len(page.rows) + 1
    assert lines[0].split("\t")[:3] == ["Id", "Piece", "Bytes"]
    assert lines[1].split("\t")[1].startswith("␣the")


def test_copied_ranks_are_numbers(page: EntriesPage) -> None:
    columns = there(page.columns)
    page.sort(VALUE, False)
    ranked = np.flatnonzero(columns.values[page.rows] == 1234)[0]
    for row, shown, copied in ((int(ranked), "1,234", "1234"), (len(page.rows) - 1, "–", "")):
        page.table.go_to(row)
        assert page.table.entries.cell(page.table.current, VALUE) == shown
        _, line = page.table.copied().splitlines()
        assert line.split("\t")[VALUE] == copied


def test_copied_scores_are_exact_numbers(page: EntriesPage) -> None:
    columns = VocabularyColumns(unigram())
    table = VocabularyTable(mono_font())
    table.show_rows(columns, columns.order("id", False))
    scores = [float(table.copied_cell(row, VALUE)) for row in range(table.rowCount())]
    assert scores == columns.values.tolist()
    assert any(table.cell(row, VALUE).startswith("−") for row in range(table.rowCount()))


def test_the_rows_can_be_exported_from_the_page(
    window: MainWindow, view: VocabularyView, qtbot: QtBot
) -> None:
    for shown, action in (("merges", "export_merges"), ("entries", "export_entries")):
        view.show_page(shown)
        page = there(view.page_of(shown))
        assert isinstance(page, MergeListPage | EntriesPage)
        buttons = {one.text(): one for one in page.field.findChildren(QToolButton)}
        assert buttons["Export …"].defaultAction() is window.actions_by_id[action]
        qtbot.waitUntil(buttons["Export …"].isEnabled)


def test_rows_are_exported(
    page: EntriesPage, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    page.field.set_text("script:latin len:5")
    assert window.vocabulary_commands.has_entries()
    path = tmp_path / "rows.json"
    window.vocabulary_commands.write_entries(path)
    qtbot.waitUntil(path.exists)
    entries = json.loads(path.read_text("utf-8"))["entries"]
    assert [one["id"] for one in entries] == page.rows.tolist()
    sentence = f"Saved rows.json in {tmp_path}"
    qtbot.waitUntil(lambda: window.messages.label.text() == sentence)


def test_another_tokenizer_has_other_rows(page: EntriesPage, qtbot: QtBot, tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "unigram.model",
        trained("unigram", 600, byte_fallback=True, character_coverage=0.98),
    )
    page.field.set_text("e")
    item = add_file(page.session, path, qtbot)
    page.session.set_current(item.key)
    assert page.columns is not None
    assert page.columns.count == len(unigram().vocabulary)
    assert all(b"e" in piece for piece in pieces(page))
    token = next(token for token in page.rows.tolist() if page.columns.kinds[token] == 0)
    page.show_entry(token)
    qtbot.waitUntil(lambda: f"id {token}" in page.pane.head.accessibleName())
    assert page.pane.trees == []
    for one in page.session.chosen():
        page.session.edits.turn_on(one.key, False)
    assert page.empty.isVisible()


# Ways into it.


def test_a_selected_token_is_shown(window: MainWindow, view: VocabularyView, qtbot: QtBot) -> None:
    window.show_workspace("tokens")
    window.session.select(11, 15)
    trigger(window, "show_in_vocabulary")
    assert window.workspace is view
    assert view.entries.token == token_of(view.entries, b" the")


def test_the_inspector_leads_there(window: MainWindow, view: VocabularyView, qtbot: QtBot) -> None:
    window.panes.show_inspector(True)
    window.session.select(11, 15)
    tree = window.inspector.tokens
    qtbot.waitUntil(lambda: tree.topLevelItemCount() > 0)
    tree.setCurrentItem(tree.topLevelItem(0).child(0))
    place = there(tree.token_of(tree.currentItem()))
    window.session.requests.ask(ShowEntry(place.id, place.key))
    assert view.entries.token == token_of(view.entries, b" the")


def test_a_node_of_the_merges_leads_there(window: MainWindow, view: VocabularyView) -> None:
    window.merge_commands.show_page("steps")
    merges = of_kind(window.workspace, MergesView)
    merges.steps.replay()
    lane = next(iter(merges.steps.lanes.values()))
    lane.piece_picked.emit(token_of(view.entries, b"the"))
    assert window.workspace is view
    assert view.entries.token == token_of(view.entries, b"the")


def test_a_filter_that_hides_an_entry_goes(page: EntriesPage) -> None:
    page.field.set_text("len:1")
    page.show_entry(token_of(page, b" the"))
    assert page.field.text == ""
    assert page.table.current == page.token


# Diagnostics.

FINDING = Diagnosis(
    "odd",
    "Odd entries",
    Level.SURPRISE,
    "Some are odd.",
    "By looking.",
    7,
    tuple(Evidence("is odd", token, "the") for token in range(260, 267)),
    tuple(range(260, 267)),
)


BAD = (Level.WRONG_IDS, Level.LOST_TEXT)


def test_a_card_shows_more_on_demand(qtbot: QtBot) -> None:
    card = on_screen(qtbot, FindingCard(FINDING))
    shown = len(card.controls)
    assert not card.how.isVisible()
    card.how_button.click()
    assert card.how.text() == "How: By looking."
    card.more.click()
    assert len(card.controls) == shown + 4
    with qtbot.waitSignal(card.text_wanted) as asked:
        card.controls[-1].click()
    assert asked.args == ["the"]


@pytest.mark.parametrize("id", NO_REPAIRS)
def test_a_card_says_why_there_is_no_repair(qtbot: QtBot, id: str) -> None:
    card = on_screen(qtbot, FindingCard(replace(FINDING, id=id)))
    assert card.no_repair.isVisible()
    assert card.no_repair.text() == NO_REPAIRS[id]
    fine = on_screen(qtbot, FindingCard(replace(FINDING, id=id, level=Level.FINE)))
    assert not fine.no_repair.isVisible()
    other = on_screen(qtbot, FindingCard(FINDING))
    assert not other.no_repair.isVisible()


def test_what_cannot_be_repaired_is_examined_and_has_no_repair() -> None:
    assert NO_REPAIRS.keys() <= EXAMINATION_OF.keys()
    assert NO_REPAIRS.keys().isdisjoint(finding_repairs._REPAIRS)


def test_a_card_opens_no_window_of_its_own(qtbot: QtBot, qapp: QApplication) -> None:
    """A part that is shown before it is in the card is a window for a moment."""
    with opened_windows(qapp) as opened:
        FindingCard(FINDING).deleteLater()
    assert opened == []


@pytest.mark.parametrize("level", Level)
def test_a_level_has_its_own_colours_and_icon(
    qtbot: QtBot, qapp: QApplication, level: Level
) -> None:
    Appearance(qapp, "light")
    mark = on_screen(qtbot, LevelMark(level))
    image = mark.grab().toImage()
    colour, ground = mark.colours()
    assert image.pixelColor(mark.width() - 5, mark.height() // 2) == ground
    assert contrast(colour, ground) >= 4.5
    assert mark.accessibleName() == level.words
    alike = {one for one in Level if ICONS[one] == ICONS[level]}
    assert alike == ({Level.WRONG_IDS, Level.LOST_TEXT} if level in BAD else {level})


def test_the_worst_findings_come_first(
    window: MainWindow, view: VocabularyView, qtbot: QtBot
) -> None:
    window.actions_by_id["vocabulary_diagnostics"].trigger()
    page = view.diagnostics
    qtbot.waitUntil(lambda: page.button.text() == "Examine again")
    qtbot.waitUntil(lambda: len({card.y() for card in page.cards}) == len(EXAMINATIONS))
    shown = sorted(page.cards, key=lambda card: card.y())
    order = list(Level)
    places = [order.index(card.finding.level) for card in shown]
    assert places == sorted(places)
    assert len(set(places)) > 1
    assert shown == page.shown_cards  # those of a level stay in the order of the examination
    assert shown != page.cards
    button: QWidget = shown[0].findChildren(QToolButton)[0]
    focused: list[FindingCard] = []
    while not focused or button is not shown[0].findChildren(QToolButton)[0]:
        for card in shown:
            if card.isAncestorOf(button) and card not in focused:
                focused.append(card)
        button = button.nextInFocusChain()
    assert focused == shown


def test_findings_come_from_a_process_and_lead_to_entries(
    window: MainWindow, view: VocabularyView, qtbot: QtBot, tmp_path: Path
) -> None:
    window.actions_by_id["vocabulary_diagnostics"].trigger()
    page = view.diagnostics
    assert page.button.text() == "Cancel"
    qtbot.waitUntil(lambda: len(page.cards) == len(EXAMINATIONS))
    qtbot.waitUntil(lambda: page.button.text() == "Examine again")
    counts = [int(part.split()[0]) for part in page.summary.text().split(": ")[1].split(", ")]
    assert sum(counts) == len(EXAMINATIONS)  # those that need more than a tokenizer among them
    card = next(card for card in page.cards if card.finding.tokens)
    card.all.click()
    assert view.page.id == "entries"
    assert view.entries.rows.tolist() == sorted(card.finding.tokens)
    window.actions_by_id["vocabulary_diagnostics"].trigger()
    assert not view.cache.examining
    for make, name in ((as_text, "found.txt"), (as_json, "found.json")):
        write: Callable[[Path], None] = window.vocabulary_commands.write_findings
        write(tmp_path / name)
        written = (tmp_path / name).read_text("utf-8")
        assert written == make(page.item.name if page.item else "", page.findings)
        assert card.finding.title in written


def test_the_weights_of_a_model_make_a_column_a_filter_and_a_finding(
    window: MainWindow, view: VocabularyView, qtbot: QtBot, tmp_path: Path
) -> None:
    item = there(window.session.current)
    assert item.tokenizer is not None
    rows = np.random.default_rng(1).normal(0, 1, (8064, 4)).astype(np.float32)
    rows[unused_rows(item.tokenizer, 8064)] /= 100
    rows[4000:4005] /= 1000
    path = tmp_path / "model.safetensors"
    save_file({"wte.weight": rows, "lm_head.weight": rows.copy()}, path)
    page = view.entries
    page.field.set_text("trained:<0.1")
    assert "choose them on the page Diagnostics" in page.field.status.text()
    assert page.table.isColumnHidden(INDICATOR)
    window.vocabulary_commands.take_weights(str(path))
    qtbot.waitUntil(lambda: view.diagnostics.button.text() == "Examine again")
    card = next(one for one in view.diagnostics.cards if one.finding.id == "under_trained")
    assert set(range(4000, 4005)) <= set(card.finding.tokens)
    card.all.click()
    assert set(page.rows.tolist()) == set(card.finding.tokens)
    assert not page.table.isColumnHidden(INDICATOR)
    page.field.set_text("trained:<0.02 id:4000-5000")
    assert set(range(4000, 4005)) <= set(page.rows.tolist())
    page.sort(INDICATOR, False)
    values = [float(page.table.entries.cell(int(id), INDICATOR)) for id in page.rows]
    assert values == sorted(values)
    assert record(there(page.columns), 4000)["trained"] == round(
        float(np.linalg.norm(rows[4000])), 6
    )
    # The next run knows where the weights are.
    store = Settings(safe=True)
    keep(window.session, store)
    assert store.get(settings.WEIGHTS) == [f"{path}\t{item.key}"]


def test_an_examination_can_be_cancelled(view: VocabularyView) -> None:
    view.show_page("diagnostics")
    view.diagnostics.button.click()
    assert view.diagnostics.summary.text().endswith("The examination was stopped.")
    assert not view.cache.examining
    assert view.diagnostics.stopped.isVisible()
    assert "Examine again" in view.diagnostics.stopped.sentence.text()


def test_an_examination_that_gives_way_begins_again(
    view: VocabularyView, qtbot: QtBot, tmp_path: Path
) -> None:
    session = view.session
    first = there(session.current)
    assert first.tokenizer is not None
    path = saved(first.tokenizer, tmp_path / "other.json")
    other = add_file(session, path, qtbot)
    view.show_page("diagnostics")
    assert view.cache.examining == first.key
    session.set_current(other.key)
    assert view.cache.examining == other.key
    session.set_current(first.key)
    assert view.cache.examining == first.key
    assert "is being examined" in view.diagnostics.summary.text()
    view.cache.stop()


def test_arrow_keys_go_through_links_and_tab_from_group_to_group(
    page: EntriesPage, qtbot: QtBot
) -> None:
    show(page, qtbot, b" the")
    window = page.window()
    groups: dict[QWidget, list[QToolButton]] = {}
    for link in page.pane.links:
        groups.setdefault(link.parentWidget(), []).append(link)
    first = max(groups.values(), key=len)
    assert len(first) > 2
    reached = [link for link in page.pane.links if link.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert reached == [links[0] for links in groups.values()]
    first[0].setFocus()
    QTest.keyClick(first[0], Qt.Key.Key_Right)
    assert first[1].hasFocus()
    QTest.keyClick(first[1], Qt.Key.Key_End)
    assert first[-1].hasFocus()
    QTest.keyClick(first[-1], Qt.Key.Key_Down)  # there is none after it
    assert first[-1].hasFocus()
    QTest.keyClick(first[-1], Qt.Key.Key_Up)
    assert first[-2].hasFocus()
    visible = page.pane.viewport().rect()
    corner = first[-2].mapTo(page.pane.viewport(), first[-2].rect().center())
    assert visible.contains(corner)
    QTest.keyClick(first[-2], Qt.Key.Key_Tab)
    assert window.focusWidget() not in first
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Backtab)
    assert first[-2].hasFocus()  # where the person was in the group
    QTest.keyClick(first[-2], Qt.Key.Key_Home)
    token = page.table.current
    QTest.keyClick(first[0], Qt.Key.Key_Space)
    assert page.table.current != token


def test_the_findings_take_the_focus(view: VocabularyView) -> None:
    view.show_page("diagnostics")
    page = view.diagnostics
    page.button.setFocus()
    page.focus_first()
    assert page.area.hasFocus()


@pytest.fixture
def merges(view: VocabularyView) -> MergeListPage:
    view.show_page("merges")
    return view.merges


def test_all_merges_are_listed_with_their_ids(merges: MergeListPage) -> None:
    current = there(merges.session.current)
    known = merge_path.merges(there(current.tokenizer))
    assert merges.table.merges.rowCount() == len(known)
    assert merges.field.status.text() == f"{len(known):,} merges of {current.name}"
    left, right, made = known[0]
    assert merges.table.merges.cell(0, WRITTEN) == f"({left}, {right}) → {made}"


def test_merges_are_found_by_pair_and_by_entry(merges: MergeListPage) -> None:
    listed = there(merges.merges)
    one = listed.item(7)
    merges.field.set_text(f"({one.left}, {one.right})")
    assert merges.rows.tolist() == [7]
    merges.field.set_text(f"id:{one.made}")
    assert merges.rows.tolist() == [7]
    merges.field.set_text("(1, 1)")
    assert merges.nothing.isVisible()
    assert merges.nothing.sentence.text() == "Next to each other, these two tokens stay two."
    merges.field.set_text("re:^in")
    made = [listed.item(row).made for row in merges.rows.tolist()]
    assert made
    assert all(listed.columns.piece(token).startswith(b"in") for token in made)


def test_merges_are_sorted_and_copied(merges: MergeListPage) -> None:
    merges.sort(1, False)
    lefts = [int(merges.table.merges.cell(row, 1)) for row in range(50)]
    assert lefts == sorted(lefts)
    merges.sort(0, False)
    merges.table.go_to(0)
    QTest.keyClick(merges.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    heads, line = QGuiApplication.clipboard().text().splitlines()
    assert heads.split("\t")[0] == "Rank"
    assert line.split("\t")[WRITTEN] == merges.table.merges.cell(0, WRITTEN)
    merges.table.go_to(1234)
    assert merges.table.merges.cell(1234, 0) == "1,234"
    assert merges.table.copied().splitlines()[1].split("\t")[0] == "1234"


@pytest.mark.usefixtures("window")
def test_a_double_click_on_a_side_shows_its_entry(
    merges: MergeListPage, view: VocabularyView
) -> None:
    model = merges.table.merges
    left = model.token_at(0, 1)
    merges.table.doubleClicked.emit(model.index(0, 1))
    assert view.page is view.entries
    assert view.entries.token == left


def test_merges_are_exported(
    window: MainWindow, merges: MergeListPage, tmp_path: Path, qtbot: QtBot
) -> None:
    merges.field.set_text("the")
    path = tmp_path / "merges.csv"
    with wait_asked(qtbot, window.session.requests, TellSaved):
        window.vocabulary_commands.write_merges(path)
    assert len(path.read_text().splitlines()) == len(merges.rows) + 1


def test_a_tokenizer_without_merges_says_so(
    merges: MergeListPage, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(
        tmp_path / "unigram.model",
        trained("unigram", 600, byte_fallback=True, character_coverage=0.98),
    )
    merges.session.set_current(add_file(merges.session, path, qtbot).key)
    assert merges.empty.isVisible()
    assert merges.empty.title.text() == "This tokenizer has no merges"
