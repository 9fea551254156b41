"""The part Extend of the page Change: what is suggested, what is refused, and the new tokenizer."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import assert_contains, there
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from running import run_whole
from small_files import write_file
from windows import Host, off_screen, show_page, shown_in

from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.changed import CHANGED
from tokenarium.models.tokenizers.extended import MOST_LISTED
from tokenarium.session.session import Session
from tokenarium.views import vocabulary_extend
from tokenarium.views.presentation import take_settings
from tokenarium.views.text_choice import FILES, SAMPLES
from tokenarium.views.vocabulary_change import PARTS, ChangePage
from tokenarium.views.vocabulary_extend import CHANGING, REFUSED, ExtendPart
from tokenarium.views.vocabulary_prune import PrunePart
from tokenarium.views.workspace import PagedWorkspace
from tokenarium.widgets.training.trained_list import facts
from tokenarium.widgets.vocabulary.changing_table import AFTER, BEFORE, NEW
from tokenarium.widgets.vocabulary.suggested_table import ENTRY, ID, SAVED
from tokenarium_core.changing.extending import Extension
from tokenarium_core.training.word_counts import count

WAIT_MS = 60_000
TEXT = "Tokenarium tokenizes streets of lowercase letters.\n" * 20


@pytest.fixture
def part(host: Host, qtbot: QtBot) -> ExtendPart:
    host.session.set_text(TEXT)
    page = show_page(host, "vocabulary", ChangePage.id, ChangePage)
    page.choice.setCurrentIndex(PARTS.index(ExtendPart))
    qtbot.waitUntil(lambda: page.extend.item is not None, timeout=WAIT_MS)
    return page.extend


def suggest(part: ExtendPart, qtbot: QtBot) -> None:
    part.find_button.click()
    assert part.busy
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)


def test_a_share_of_the_entries_is_a_number_of_them(part: ExtendPart, qtbot: QtBot) -> None:
    field = part.count_field
    field.selectAll()
    qtbot.keyClicks(field, "2%")
    assert field.value() == 160  # of 8,000
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "160"
    for typed, value in (("1k", 1_000), ("0.5%", 40), ("4,096", 4_096)):
        field.selectAll()
        qtbot.keyClicks(field, typed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert field.value() == value
    for typed in ("0.001%", "0", "%", "x"):  # none of them is a number of entries
        field.selectAll()
        qtbot.keyClicks(field, typed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert field.value() == value


def test_entries_are_suggested_by_what_they_save(part: ExtendPart, qtbot: QtBot) -> None:
    assert part.nothing.isVisible()
    assert part.lines() == []
    assert part.python() == ""
    part.count_field.setValue(8)
    suggest(part, qtbot)
    found = there(part.result)
    assert part.item is not None
    wanted = run_whole(Extension(there(part.item.tokenizer), 8, [TEXT]))
    assert [one.saved for one in found.entries] == [one.saved for one in wanted.added]
    rows = part.lines()
    assert [row[ID] for row in rows[1:]] == [str(id) for id in range(8000, 8008)]
    assert sum(int(row[SAVED]) for row in rows[1:]) == found.saved
    assert part.table.topLevelItemCount() == 8
    assert f"{found.saved:,} of {found.tokens:,} tokens fewer on the text" in part.summary.text()
    assert "= Extension(" in part.python()
    part.count_field.setValue(9)
    assert part.result is None
    assert part.nothing.isVisible()


def test_the_new_tokenizer_is_in_the_library_and_undo_takes_it_out(
    part: ExtendPart, session: Session, qtbot: QtBot
) -> None:
    old = there(session.current)
    part.count_field.setValue(5)
    part.name_field.setText("wider")
    part.make_button.click()
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: session.current is not None and session.current.name == "wider")
    made = there(session.current)
    assert len(there(made.tokenizer).vocabulary) == 8005
    trained = session.trainings.store.all()[0]
    assert trained.algorithm == CHANGED
    assert facts(trained).startswith(f"Made from {old.name}: 5 entries added")
    assert "fewer tokens on the text" in facts(trained)
    assert "Undo takes it out again" in part.summary.text()
    session.edits.undo_stack.undo()
    assert session.library.item(made.key) is None
    assert session.current is old
    assert "Undo takes it out again" not in part.summary.text()


def test_words_become_one_token(part: ExtendPart, session: Session, qtbot: QtBot) -> None:
    part.words.setText("Tokenarium, unbelievably")
    suggest(part, qtbot)
    assert_contains(part.summary.text(), "for these words", "only steps to the words")
    assert part.table.isColumnHidden(SAVED)  # words are not chosen by what they save
    assert "= extend_with(" in part.python()
    part.make_button.click()
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: session.current is not None and "extended" in session.current.name)
    made = there(session.current)
    assert len(there(made.tokenizer).encode_ids("a Tokenarium unbelievably")) == 3
    assert part.name_field.placeholderText() == f"{made.name} 2"
    part.words.setText("two words،one\nmore、again，and")
    suggest(part, qtbot)
    assert part.refused_table.isVisible(), "the others are one token already"
    assert part.summary.text().endswith("there is nothing to add.")
    assert [row[0] for row in part.lines()] == ["Word", "two␣words"]
    assert_contains(
        part.lines()[1][1], "' two words' cannot be one token", "splits it before it merges"
    )
    part.words.setText("two words")
    suggest(part, qtbot)
    assert part.refused_table.isVisible(), "there is nothing else to show"
    assert not part.make_button.isEnabled()
    assert part.python() == ""


def test_impossible_words_are_all_listed_and_the_others_go_on(
    part: ExtendPart, session: Session, qtbot: QtBot
) -> None:
    impossible = [f"two words{number}" for number in range(16)]
    part.words.setText(", ".join([*impossible, "Tokenarium", "unbelievably"]))
    suggest(part, qtbot)
    found = there(part.result)
    assert found.entries
    assert "16 words cannot be one token" in part.summary.text()
    assert part.views.isTabVisible(REFUSED)
    part.views.setCurrentIndex(REFUSED)
    assert part.refused_table.isVisible()
    assert part.refused_table.topLevelItemCount() == 16
    assert [row[0] for row in part.lines()[1:]] == [one.replace(" ", "␣") for one in impossible]
    assert all("cannot be one token" in row[1] for row in part.lines()[1:])
    part.make_button.click()
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    assert "without 16 words" in part.summary.text()
    qtbot.waitUntil(lambda: session.current is not None and "extended" in session.current.name)
    made = there(session.current)
    assert len(there(made.tokenizer).encode_ids("a Tokenarium unbelievably")) == 3
    assert not part.views.isTabVisible(REFUSED), "of the new tokenizer nothing was asked"
    session.edits.undo_stack.undo()


def test_words_come_from_a_file(
    part: ExtendPart, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(
        tmp_path / "a, b.txt", "\ufeff Tokenarium\n\ntwo words, and more\n unbelievably\n"
    )
    monkeypatch.setattr(vocabulary_extend, "ask_file", lambda *_: str(path))
    part.file_button.click()
    assert part.words.text() == f"@{path}"
    suggest(part, qtbot)
    found = there(part.result)
    wanted = [one.piece for one in found.entries if one.wanted]
    assert wanted == [b" Tokenarium", b" unbelievably"]
    assert [word for word, _ in found.refused] == ["two␣words,␣and␣more"]
    assert part.python() != ""
    path.unlink()
    assert part.python() != "", "the entries that were found are still known"
    part.find_now()
    assert part.summary.text() == f"{path} cannot be read: No such file or directory."
    write_file(path, "\n \n")
    part.find_now()
    assert part.summary.text() == "The file has no words."
    path.write_bytes(b"\xff\xfe")
    part.find_now()
    assert "is not UTF-8" in part.summary.text()
    write_file(path, "w\n" * (MOST_LISTED + 1))
    part.find_now()
    assert "a window lists at most 20,000" in part.summary.text()
    part.words.setText("@ada, @bob")
    suggest(part, qtbot)
    assert [word for word, _ in there(part.result).refused] == ["@ada", "@bob"]


def test_other_texts_and_what_cannot_be(
    part: ExtendPart, session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "texts.txt", TEXT)
    part.texts.use_paths([path])
    assert part.texts.currentIndex() == FILES
    assert part.texts.currentText() == "texts.txt"
    part.count_field.setValue(3)
    suggest(part, qtbot)
    assert part.result is not None
    assert "Corpus(named_sources(PATHS))" in part.python()
    part.texts.use_paths([])
    assert part.texts.currentIndex() == FILES
    part.texts.activated.emit(SAMPLES)
    suggest(part, qtbot)
    assert part.result is not None
    part.texts.activated.emit(0)
    session.set_text("")
    part.find_button.click()
    assert not part.busy
    assert "is empty" in part.summary.text()
    session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: not session.opening)
    session.set_text(TEXT)
    session.set_current("shipped:wordpiece-8k")
    suggest(part, qtbot)
    assert "matches the longest entry" in part.summary.text()


def test_only_the_entries_with_a_tick_are_added(
    part: ExtendPart, session: Session, qtbot: QtBot
) -> None:
    part.count_field.setValue(8)
    suggest(part, qtbot)
    assert part.result is not None
    for place in range(1, 8):
        row = there(part.table.topLevelItem(place))
        row.setCheckState(ENTRY, Qt.CheckState.Unchecked)
    assert part.chosen == (part.result.entries[0].piece,)
    assert part.summary.text().startswith("1 of 8 entries have a tick")
    assert "= extend_with(" in part.python()
    part.make_button.click()
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: session.current is not None and "extended" in session.current.name)
    made = there(session.current)
    assert len(there(made.tokenizer).vocabulary) == 8001
    first = part.table.topLevelItem(0)
    assert first is None  # the new tokenizer has not been asked about
    session.edits.undo_stack.undo()


def test_unigram_goes_on_too(part: ExtendPart, session: Session, qtbot: QtBot) -> None:
    session.edits.turn_on("shipped:unigram-8k", True)
    qtbot.waitUntil(lambda: not session.opening)
    session.set_current("shipped:unigram-8k")
    part.count_field.setValue(4)
    suggest(part, qtbot)
    assert part.result is not None
    assert "tokens fewer on the text" in part.summary.text()
    assert all(one.saved > 0 for one in part.result.entries)


def test_the_texts_that_change_are_shown_with_their_tokens(
    part: ExtendPart, session: Session, qtbot: QtBot
) -> None:
    part.count_field.setValue(8)
    suggest(part, qtbot)
    part.views.setCurrentIndex(CHANGING)
    assert part.changing_table.isVisible()
    assert "most frequent words of the text" in part.summary.text()
    head, *rows = part.lines()
    assert head[BEFORE] == "Tokens before"
    assert rows
    for row in rows:
        assert row[NEW] == "yes"
        assert len(row[AFTER].split("  ")) < len(row[BEFORE].split("  "))
        assert row[BEFORE].replace("  ", "") == row[AFTER].replace("  ", "")
    part.words.setText("the")
    suggest(part, qtbot)
    assert part.nothing.isVisible()
    session.set_text("something else")
    assert part.result is None
    assert part.lines() == []


def test_words_that_cut_others_in_another_way_are_shown(
    part: ExtendPart, session: Session, qtbot: QtBot
) -> None:
    """WordPiece takes the longest entry that fits: what is left of a word may be no entry."""
    session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: not session.opening)
    session.set_text("kubernetes\nkubernet☃\n")
    session.set_current("shipped:wordpiece-8k")
    part.words.setText("kubernetes, kubern")
    part.views.setCurrentIndex(CHANGING)
    suggest(part, qtbot)
    assert [row[0] for row in part.lines()[1:]] == ["kubernetes"]
    part.make_button.click()
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: session.current is not None and "extended" in session.current.name)


def test_counts_are_as_good_as_their_texts(part: ExtendPart, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "words.counts"
    assert part.item is not None
    pattern = there(part.item.tokenizer).pre_tokenizer.pattern
    count("bpe", [TEXT], pattern=pattern, normalization="nfc").save(path)
    part.count_field.setValue(3)
    part.texts.use_paths([path])
    suggest(part, qtbot)
    assert part.result is None
    assert "normalization" in part.summary.text()
    count("bpe", [TEXT], pattern=pattern).save(path)
    suggest(part, qtbot)
    assert part.result is not None
    from_counts = part.result.entries
    assert "words.counts" in part.summary.text()
    part.texts.activated.emit(0)
    suggest(part, qtbot)
    assert there(part.result).entries == from_counts


def test_it_can_be_stopped(part: ExtendPart, qtbot: QtBot) -> None:
    part.find_button.click()
    assert part.find_button.text() == "Stop"
    part.find_button.click()
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    assert part.summary.text() == "You stopped it."


def test_what_was_suggested_is_kept_while_another_way_is_seen(
    part: ExtendPart, window: MainWindow, qtbot: QtBot
) -> None:
    suggest(part, qtbot)
    page = shown_in(window, ChangePage)
    page.choice.setCurrentIndex(PARTS.index(PrunePart))
    page.prune.find_now()
    qtbot.waitUntil(lambda: not page.busy, timeout=WAIT_MS)
    assert isinstance(window.workspace, PagedWorkspace)
    twin = off_screen(qtbot, ChangePage(window.workspace))
    assert take_settings(page, twin) == []  # nothing has to wait
    qtbot.waitUntil(lambda: not twin.busy, timeout=WAIT_MS)
    assert twin.extend.result is not None
    assert twin.prune.result is not None
