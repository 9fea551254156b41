"""The page where ids are decoded, and the ways to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked import requests_of
from narrowed import assert_contains, there
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from small_files import saved
from windows import Host, add_file, shown_in

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.session.requests import ShowTokenMenu
from tokenarium.style.theme import DARK
from tokenarium.views.bytes_decode import DecodePage


@pytest.fixture
def page(window: MainWindow) -> DecodePage:
    window.session.set_text("the tokens of the text")
    window.actions_by_id["decode_ids"].trigger()
    return shown_in(window, DecodePage)


def ids(host: Host, text: str) -> list[int]:
    tokenizer = there(host.session.chosen()[0].tokenizer)
    return tokenizer.encode_ids(text)


def test_the_empty_page_says_what_an_id_is(page: DecodePage) -> None:
    assert "from 0 to 7,999" in page.status.text()
    assert page.result.isHidden()


def test_typing_decodes(host: Host, page: DecodePage, qtbot: QtBot) -> None:
    QTest.keyClicks(page.field, ", ".join(map(str, ids(host, "of the tokens"))))
    qtbot.waitUntil(lambda: page.decoded is not None and page.decoded.text == "of the tokens")
    assert "of the tokens" in page.text.text()
    assert "encodes to these ids again" in page.figures.text()
    assert [tile.text for tile in page.tiles.tiles] == ["of", "␣the", "␣tokens"] or page.tiles.tiles


def test_bytes_of_no_character_are_marked_with_their_ids(page: DecodePage) -> None:
    page.show_written("[226, 97, 123456, x]")
    assert page.decoded is not None
    assert "&lt;0xE2&gt;" in page.text.text()
    assert_contains(page.faults.text(), "of id 226 is not UTF-8", "123,456 has no entry")
    assert "“x” is not an id" in page.others.text()
    assert [tile.lit for tile in page.tiles.tiles] == [True, False, False]
    assert page.tiles.tiles[2].dashed


def test_the_ids_of_the_text_are_taken(host: Host, page: DecodePage) -> None:
    page.take.click()
    assert page.decoded is not None
    assert page.decoded.text == "the tokens of the text"
    host.session.select(3, 10)
    page.take.click()
    assert page.decoded.text == " tokens"
    QGuiApplication.clipboard().setText(str(ids(host, " of")))
    page.paste.click()
    assert page.decoded.text == " of"
    page.copy.click()
    assert QGuiApplication.clipboard().text() == " of"


def test_what_was_decoded_becomes_the_text(host: Host, page: DecodePage) -> None:
    page.show_written(str(ids(host, "another text")))
    page.make_text.click()
    assert host.session.text == "another text"
    assert host.workspace.name.id == "tokens"


def test_other_tokenizers_have_other_entries_for_the_same_ids(
    host: Host, page: DecodePage, qtbot: QtBot
) -> None:
    other = next(
        item for item in host.session.library if not item.on and item.key.startswith("shipped")
    )
    host.session.edits.turn_on(other.key, True)
    qtbot.waitUntil(lambda: len(host.session.chosen()) == 2)
    page.show_written("300 400 500")
    assert page.same.isVisible()
    host.session.set_current(other.key)
    qtbot.waitUntil(lambda: page.name.text() == host.session.short_name(other))


def test_a_tile_has_the_menu_of_its_token(window: MainWindow, page: DecodePage) -> None:
    asked = requests_of(window.session.requests, ShowTokenMenu)
    page.show_written("300 999999")
    page.tiles.menu_requested.emit(page.mapToGlobal(page.rect().center()), 0)
    page.tiles.menu_requested.emit(page.mapToGlobal(page.rect().center()), 1)
    assert [one.place.id for one in asked] == [300]
    menu = there(window.token_commands.menu)
    menu.close()


def test_a_text_that_is_a_list_of_ids_can_be_decoded(window: MainWindow, qtbot: QtBot) -> None:
    found = ids(window, "the tokens of the text")
    window.session.set_text(str(found))
    assert "looks like a list" in window.messages.label.text()
    window.messages.offered.click()
    page = shown_in(window, DecodePage)
    assert there(page.decoded).text == "the tokens of the text"
    window.session.set_text("In 2024 there were 31415")
    assert "looks like" not in window.messages.label.text() or window.messages.isHidden()


def test_the_palette_finds_it(window: MainWindow) -> None:
    actions = [
        action for action in window.actions_by_id.declared if "decode" in action.text.lower()
    ]
    assert [action.id for action in actions] == ["decode_ids"]


def test_it_is_painted_in_the_dark(page: DecodePage) -> None:
    page.show_written("226 97")
    page.appearance.set_scheme("dark")
    assert page.appearance.theme is DARK
    assert not page.grab().isNull()
    page.appearance.set_scheme("light")


def test_special_tokens_are_left_out_or_written(
    host: Host, page: DecodePage, qtbot: QtBot, tmp_path: Path
) -> None:
    trained = tc.train("bpe", ["low lower"], vocab_size=260, special_tokens=["<|a|>"])
    path = saved(trained, tmp_path / "x.json", format="huggingface")
    host.session.set_current(add_file(host.session, path, qtbot).key)
    page.show_written(f"{trained.special_tokens['<|a|>']} {trained.vocabulary.find(b'l')}")
    found = []
    for place in range(page.special.count()):
        page.special.setCurrentIndex(place)
        qtbot.waitUntil(lambda: not page.busy)
        page.answer()
        assert page.decoded is not None
        found.append(page.decoded.text)
    assert found == ["l", "l", "<|a|>l"]
    assert "SKIP_SPECIAL_TOKENS = False" in page.python()
