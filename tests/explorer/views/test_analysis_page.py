"""What all pages of analyses do, on the page of one: its cache, its errors, its choice and its program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from pytestqt.qtbot import QtBot
from windows import Room, show_page

import tokenarium_core as tc
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.views.analysis_page import page_of
from tokenarium.views.tokens_ways import WaysPage


@pytest.fixture
def page(room: Room, qtbot: QtBot) -> Any:
    room.session.set_text("The first text")
    found = show_page(room, "tokens", "perturb", page_of("perturb"))
    qtbot.waitUntil(lambda: not found.busy and found.answered)
    return found


def test_what_was_made_of_another_tokenizer_is_made_anew(room: Room, qtbot: QtBot) -> None:
    room.session.set_text("lower")
    page = show_page(room, "tokens", "ways", WaysPage)
    qtbot.waitUntil(lambda: not page.busy and page.answered)
    (item,) = page.items
    made = page.inputs.cache[item.key]
    page.ask_again()
    assert page.inputs.cache[item.key] is made
    page.begin([replace(item, tokenizer=tc.train("bpe", [""], vocab_size=256))], "lower")
    qtbot.waitUntil(lambda: not page.busy)
    assert page.inputs.cache[item.key] is not made
    assert page.result.found[item.key].best[0].ids == list(b"lower")


@pytest.mark.parametrize("step", ["PerturbJob", "slices"])  # before and in the work
def test_an_error_is_said_and_there_is_nothing_to_copy(
    page: Any, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, step: str
) -> None:
    def refuse(*_: object) -> None:
        raise tc.ArgumentError("this text is refused")

    monkeypatch.setattr(f"tokenarium.analyses.perturb.{step}", refuse)
    page.ask_again()
    assert page.parts["same"].text() == "this text is refused"
    assert page.parts["table"].isHidden()
    assert (page.answered, page.table, page.lines(), page.python()) == (False, None, [], "")
    monkeypatch.undo()
    page.ask_again()
    qtbot.waitUntil(lambda: page.answered)


def test_sizes_say_what_to_do_if_there_are_no_merges(room: Room, qtbot: QtBot) -> None:
    room.session.set_text("lower")
    page = show_page(room, "compare", "text_sizes", page_of("text_sizes"))
    qtbot.waitUntil(lambda: page.answered and not page.busy)
    (item,) = page.items
    unigram = tc.open(shipped_path("unigram-8k"))
    page.begin([replace(item, tokenizer=unigram)], "lower")
    qtbot.waitUntil(lambda: not page.busy and not page.answered)
    said = page.parts["note"].text()
    assert said.startswith("Unigram does not merge.")
    assert said.endswith("Bring a BPE tokenizer to the front: click it in the library (Ctrl+B).")


def test_another_theme_shows_the_same_answer_in_its_colours(page: Any, room: Room) -> None:
    shown = []
    page.parts["table"].show_part = shown.append
    result = page.result
    for scheme in ("dark", "light"):
        room.appearance.set_scheme(scheme)
        assert not page.busy
        assert page.result is result, "nothing is asked again"
    assert len(shown) == 2
    room.setCurrentIndex(-1)
    page.hide()
    room.appearance.set_scheme("dark")
    assert len(shown) == 2, "a hidden page waits"
    page.show()
    page.showEvent(QShowEvent())
    assert len(shown) == 3


def test_what_is_not_there_cannot_be_chosen(page: Any) -> None:
    chosen = {one.name: one for one in page.keeps()}["variant"]
    assert chosen.show("upper") is True
    assert page.chosen == "upper"
    with pytest.raises(ValueError, match="there is no variant none"):
        chosen.show("none")


def test_only_the_whole_text_is_read_from_its_file(
    page: Any, room: Room, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.models.programs.MOST_TEXT", 3)
    room.session.show_text(TextMap("Another text"), file="/of/a/text.txt")
    qtbot.waitUntil(lambda: page.inputs.text == "Another text" and not page.busy)
    assert "TEXT = read_text(Path('/of/a/text.txt'))" in page.python()
    room.session.select(0, 7)
    qtbot.waitUntil(lambda: page.inputs.text == "Another" and not page.busy)
    assert "/of/a/text.txt" not in page.python()


def test_a_cancelled_answer_can_be_started_again(
    page: Any, room: Room, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("tokenarium.views.analysis_page.AT_ONCE_MS", 0.0)
    page.ask_again()
    assert page.busy
    page.ask_again()  # replaces it, which is no reason to say anything
    assert not page.empty.isVisible()
    room.session.jobs.cancel_all()
    assert not page.busy
    assert page.empty.isVisible()
    assert page.empty.title.text() == "Cancelled"
    (button,) = page.empty.buttons
    button.click()
    assert not page.empty.isVisible()
    qtbot.waitUntil(lambda: not page.busy and page.answered)
    assert page.parts["table"].isVisible()


def test_a_part_of_an_answer_stays_when_the_rest_is_cancelled(
    room: Room, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    room.session.set_text("12 345 6789")
    page = show_page(room, "compare", "numbers", page_of("numbers"))
    qtbot.waitUntil(lambda: not page.busy and page.answered)
    (item,) = page.items
    page.inputs = None
    show = page.show_parts

    def show_and_cancel() -> None:
        show()
        if page.result.found:
            QTimer.singleShot(0, room.session.jobs.cancel_all)

    monkeypatch.setattr(page, "show_parts", show_and_cancel)
    page.begin([replace(item, key=key) for key in (item.key, "second", "third")])
    qtbot.waitUntil(lambda: not page.busy)
    assert 0 < len(page.result.found) < 3
    assert page.note.isVisible()
    assert "cancelled" in page.note.text()
    assert page.parts["table"].isVisible()
