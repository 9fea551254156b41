"""The page where bytes are encoded that need not be UTF-8."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from windows import Host, show_page

from tokenarium.app.window import MainWindow
from tokenarium.models.text.byte_input import MOST_BYTES
from tokenarium.session.session import Session
from tokenarium.style.theme import DARK
from tokenarium.views.bytes_encode import EncodeBytesPage


@pytest.fixture
def page(host: Host) -> EncodeBytesPage:
    return show_page(host, "bytes", EncodeBytesPage.id, EncodeBytesPage)


def test_the_empty_page_says_what_it_is_for(page: EncodeBytesPage) -> None:
    assert "an id for each of the 256 bytes" in page.status.text()
    assert page.result.isHidden()
    assert page.lines() == []


def test_bytes_that_are_no_text(page: EncodeBytesPage) -> None:
    page.show_written("63 61 66 E9")
    assert page.encoded is not None
    assert page.encoded.decoded() == "caf\ufffd"
    assert "1 of them is not UTF-8, the first at byte 3 (E9)" in page.status.text()
    assert "merged as one pre-token, as in tiktoken" in page.note.text()
    assert page.tiles.tiles[-1].text == "<0xE9>"
    page.copy.click()
    assert QGuiApplication.clipboard().text() == str(page.encoded.ids)
    page.copy_rows.click()
    assert QGuiApplication.clipboard().text().splitlines()[0] == "id\ttoken\tbytes\tstart\tend"


def test_a_fault_is_named_beside_what_is_read(page: EncodeBytesPage) -> None:
    page.show_written("63 61 what")
    assert "“what” is not pairs of hexadecimal digits." in page.status.text()
    assert page.encoded is not None
    assert page.encoded.decoded() == "ca"


def test_the_base_is_followed(window: MainWindow, page: EncodeBytesPage) -> None:
    page.show_written("63 61 66 E9")
    ids = page.encoded.ids if page.encoded is not None else []
    window.actions_by_id["decimal_numbers"].trigger()
    assert page.field.toPlainText() == "99 97 102 233"
    assert "(233)" in page.status.text()
    assert page.encoded is not None
    assert page.encoded.ids == ids
    window.actions_by_id["decimal_numbers"].trigger()
    assert page.field.toPlainText() == "63 61 66 E9"


def test_a_file_of_another_encoding(page: EncodeBytesPage, tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("café\n".encode("latin-1"))
    page.open_file(path)
    assert page.field.toPlainText() == "63 61 66 E9 0A"
    path.write_bytes(b"\xff" * (MOST_BYTES + 10))
    page.open_file(path)
    assert f"the first of {MOST_BYTES + 10:,} bytes of latin.txt" in page.status.text()


def test_a_file_that_cannot_be_read(
    session: Session, page: EncodeBytesPage, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(session.problem) as told:
        page.open_file(tmp_path / "none")
    assert "none cannot be read" in told.args[0]


def test_the_bytes_of_the_text_are_taken(session: Session, page: EncodeBytesPage) -> None:
    session.set_text("aé")
    page.take.click()
    assert page.field.toPlainText() == "61 C3 A9"
    session.select(1, 2)
    page.take.click()
    assert page.field.toPlainText() == "C3"


def test_the_others_say_what_they_can(
    session: Session, page: EncodeBytesPage, qtbot: QtBot
) -> None:
    session.edits.turn_on("shipped:wordpiece-8k", True)
    session.edits.turn_on("shipped:bpe-gpt2-8k", True)
    qtbot.waitUntil(lambda: len(session.chosen()) == 3)
    page.show_written("FF")
    assert page._same_rows.count() == 2
    assert not page.same.isHidden()
    session.set_current("shipped:wordpiece-8k")
    page.answer()
    assert "WordPiece, works on characters" in page.note.text()
    assert page.tiles.isHidden()
    assert not page.copy.isEnabled()


def test_it_follows_the_theme(host: Host, page: EncodeBytesPage) -> None:
    page.show_written("FF")
    host.appearance.set_scheme("dark")
    assert page.tiles.theme == DARK


def test_it_follows_the_library_and_the_colours_and_waits_while_hidden(
    host: Host, session: Session, page: EncodeBytesPage, qtbot: QtBot
) -> None:
    page.show_written("FF")
    said = page.status.text()
    page.hide()
    page.field.setPlainText("63 61")
    qtbot.waitUntil(lambda: not page.busy)
    assert page.status.text() == said
    page.show()
    qtbot.waitUntil(lambda: page.status.text() != said)
    session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: page._same_rows.count() == 1)
    marker = page.marker.pixmap().toImage()
    host.appearance.set_scheme("dark")
    qtbot.waitUntil(lambda: page.marker.pixmap().toImage() != marker)
