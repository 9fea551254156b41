"""The page with two texts against each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import of_kind, there
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import Host, off_screen, show_page

from tokenarium.app.window import MainWindow
from tokenarium.models.compare.two_texts import EXAMPLES, HEADS, OtherForm
from tokenarium.models.text.text_map import TextMap
from tokenarium.session.session import Session
from tokenarium.style.theme import DARK
from tokenarium.views.compare_texts import MOST, NARROW, TextPairPage
from tokenarium.views.figure_decks import TextPairDeck


@pytest.fixture
def page(host: Host) -> TextPairPage:
    return show_page(host, "compare", TextPairPage.id, TextPairPage)


def ids(session: Session, text: str) -> list[int]:
    tokenizer = there(session.chosen()[0].tokenizer)
    return tokenizer.encode_ids(text)


def test_it_begins_with_an_example(session: Session, page: TextPairPage) -> None:
    first, second = EXAMPLES[0].first, EXAMPLES[0].second
    assert [side.text for side in page.sides] == [first, second]
    assert [list(page.counts[0].first), list(page.counts[0].second)] == [
        ids(session, first),
        ids(session, second),
    ]
    assert page.sentence.text().startswith("B needs fewer tokens")
    assert page.lines()[0] == list(HEADS)
    assert page.as_csv().count("\n") == 2


def test_typing_counts(session: Session, page: TextPairPage, qtbot: QtBot) -> None:
    page.show_texts("the word", "")
    QTest.keyClicks(page.sides[1].field, "drow eht")
    qtbot.waitUntil(lambda: page.counts[0].second == tuple(ids(session, "drow eht")))
    assert page.sides[1].count.text() == f"{len(ids(session, 'drow eht'))} by Tokenarium 8k"
    assert page.sides[1].ids.text() == str(ids(session, "drow eht"))


@pytest.mark.slow
def test_swapped(page: TextPairPage) -> None:
    page.swap.click()
    assert [side.text for side in page.sides] == [EXAMPLES[0].second, EXAMPLES[0].first]
    page.sides[0].field.undo()
    assert page.sides[0].text == EXAMPLES[0].first


def test_what_b_is_made_of(session: Session, page: TextPairPage, qtbot: QtBot) -> None:
    page.show_texts('{"a": [1, 2]}', "")
    page._make(OtherForm("from its end", lambda text: text[::-1]))
    assert page.sides[1].text == '}]2 ,1[ :"a"{'
    with qtbot.waitSignal(session.problem) as told:
        page._make(OtherForm("nothing", lambda text: None, "It has no such form."))
    assert told.args == ["It has no such form."]


def test_the_ends_are_counted(session: Session, page: TextPairPage, qtbot: QtBot) -> None:
    session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: len(session.chosen()) == 2)
    page.show_texts("the", "the end")
    before = [len(count.first) for count in page.counts]
    session.set_ends(True, True)
    page.compare()
    after = [len(count.first) for count in page.counts]
    added = [
        len(item.tokenizer.ends.bos) + len(item.tokenizer.ends.eos)
        for item in session.chosen()
        if item.tokenizer is not None
    ]
    assert [b - a for a, b in zip(before, after, strict=True)] == added
    assert added[-1] == 2


@pytest.mark.slow
def test_a_long_text_is_cut_and_that_is_said(page: TextPairPage) -> None:
    page.show_texts("a " * MOST, "b")
    assert f"first {MOST:,} characters" in page.note.text()
    assert not page.note.isHidden()


def test_no_tokenizer(session: Session, page: TextPairPage) -> None:
    session.edits.turn_on("shipped:tokenarium-8k", False)
    page.compare()
    assert page._pages.currentIndex() == 1
    assert page.lines() == []


def test_it_fits_and_follows_the_theme(window: MainWindow, page: TextPairPage) -> None:
    window.resize(800, 600)
    narrow = page._texts.direction() == page._texts.Direction.TopToBottom
    assert narrow == (page.width() < NARROW)
    window.appearance.set_scheme("dark")
    assert page.bars.theme == DARK


def test_what_is_lost_of_a_text_is_hatched(
    session: Session, page: TextPairPage, tmp_path: Path, qtbot: QtBot
) -> None:
    path = write_file(tmp_path / "vocab.txt", "[UNK]\nab\ncd\n")
    item = session.edits.add_file(path)
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    session.set_current(item.key)

    def inked(text: str) -> tuple[int, str]:
        """How many pixels of the second text have the colour of the hatching, and its count."""
        page.show_texts("ab", text)
        image = page.sides[1].field.viewport().grab().toImage()
        wanted = page.appearance.theme.lost.color().rgb()
        found = sum(
            image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height())
        )
        return found, page.sides[1].count.text()

    plain, count = inked("ab cd\nab cd")
    assert count.startswith("4 by")
    some, count = inked("ab cd\nab zzzzzz")
    assert some > plain + 10
    assert count.startswith("? 4 by")
    assert inked("ab cd\nzzzzzz zzzzzz")[0] > some + 10
    # On a stage it is hatched once it is told.
    deck = off_screen(qtbot, of_kind(page.deck(page.appearance.theme), TextPairDeck))
    deck.ask_questions(False)
    deck.go_to(deck.length)
    assert deck.item is item
    layer = deck.decks[1].view.rows[item.key]
    assert layer.lost(TextMap("ab cd\nzzzzzz zzzzzz"), 0, 19).tolist() == [[6, 12], [13, 19]]
