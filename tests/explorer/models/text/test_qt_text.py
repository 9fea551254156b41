"""Texts shown by Qt: as they are, also where they look like its markup."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt as QtCoreNames
from PySide6.QtGui import Qt, QTextDocument
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from windows import shown_in

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.models.text.qt_text import as_tip, on_button
from tokenarium.views.vocabulary import VocabularyView
from tokenarium.widgets.panel import literal, secondary, strong

Format = QtCoreNames.TextFormat

TEXTS = [
    "", "plain", "<b>", "<b>bold</b> and more", '<img src="', "a < b > c", "&lt;p&gt; & more",
    "<0x41>", "two  blanks <br> in\nlines",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_tip_shows_its_text(text: str) -> None:
    tip, seen = as_tip(text), QTextDocument()
    if Qt.mightBeRichText(tip):  # as a tooltip decides
        seen.setHtml(tip)
    else:
        seen.setPlainText(tip)
    assert seen.toPlainText().replace("\xa0", " ") == text


@pytest.mark.parametrize("text", ["", "&", "a & b", "&&", "&File"])
def test_a_button_shows_its_text(text: str) -> None:
    assert on_button(text).replace("&&", "&") == text


@pytest.mark.parametrize("make", [strong, secondary, literal])
def test_labels_take_no_html_out_of_a_text(make: Callable[[QLabel], QLabel], qtbot: QtBot) -> None:
    assert make(QLabel()).textFormat() == Format.PlainText
    rich = QLabel()
    rich.setTextFormat(Format.RichText)
    assert make(rich).textFormat() == Format.RichText


@pytest.fixture
def marked(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    """A window with tags in its text, in the vocabulary, and in the name of a tokenizer."""
    path = tmp_path / "marked.json"
    tc.train("bpe", ["<b>&amp; <b>&lt;"] * 50, vocab_size=270).save(path)
    edits = window.session.edits
    item = edits.add_file(path)
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    edits.rename(item.key, "<b>marked</b>")
    window.session.set_current(item.key)
    window.session.set_text("<b>&amp; <b>&lt; <i>more</i>")
    return window


def test_no_label_takes_html_out_of_what_it_shows(marked: MainWindow, qtbot: QtBot) -> None:
    window = marked
    window.session.problem.emit("<b>marked</b> cannot be opened.")
    window.session.select(0, 3)
    for action in window.actions_by_id.declared:
        if action.choice == "workspace" or action.choice.endswith("_page"):
            window.actions_by_id[action.id].trigger()
            qtbot.waitUntil(lambda: not (window.workspace.busy or window.session.jobs.running()))
            qtbot.wait(50)  # pages follow a moment later
    for label in window.findChildren(QLabel):
        read_as_html = label.textFormat() == Format.AutoText and Qt.mightBeRichText(label.text())
        assert not read_as_html, label.text()


def test_buttons_of_entries_show_each_character(marked: MainWindow, qtbot: QtBot) -> None:
    window = marked
    window.actions_by_id["vocabulary"].trigger()
    view = shown_in(window, VocabularyView)
    page = view.entries
    qtbot.waitUntil(lambda: not window.session.jobs.running())
    assert page.columns is not None
    page.show_entry(page.columns.vocabulary.find(b"&"))
    qtbot.waitUntil(lambda: "“&”" in page.pane.head.accessibleName())
    links = [button.text() for button in page.pane.links if "&" in button.text()]
    assert links
    assert all("&" not in text.replace("&&", "") for text in links)
    page.field.set_text("&amp")
    qtbot.waitUntil(lambda: bool(page.field.chips))
    assert "&&amp" in page.field.chips[0].text()
    assert page.field.chips[0].accessibleName() == "Take out “&amp”"
