"""The session: text, library with undo, selection, encodings at once and in slices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from narrowed import there
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot
from small_files import write_file

import tokenarium_core as tc
from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem, State
from tokenarium.session import encodings
from tokenarium.session.encodings import LARGE_TEXT, SMALL_TEXT
from tokenarium.session.session import Session

SHIPPED = "shipped:tokenarium-8k"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A tokenizer file of our own."""
    path = tmp_path / "tiny.json"
    tc.train("bpe", ["low lower lowest " * 4], vocab_size=260).save(path)
    return path


def ids(session: Session, key: str = SHIPPED) -> list[int]:
    encoded = there(session.encoded(key))
    return np.asarray(memoryview(there(encoded.encoding).ids)).tolist()


def files(session: Session) -> list[str]:
    return [item.name for item in session.library.group(LibraryGroup.FILES)]


def test_a_small_text_is_encoded_before_set_text_returns(session: Session) -> None:
    session.set_text("Hello, world")
    tokenizer = there(session.chosen()[0].tokenizer)
    assert ids(session) == tokenizer.encode_ids("Hello, world")


def test_one_change_of_the_text_is_signalled_once(session: Session, qtbot: QtBot) -> None:
    heard: list[str] = []
    session.text_changed.connect(lambda: heard.append("text"))
    session.encoding_changed.connect(heard.append)
    session.set_text("abc")
    session.set_text("abc")
    assert heard == ["text", SHIPPED]


def test_an_edit_is_no_other_text(session: Session, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(session.text_replaced):
        session.set_text("a", edited=True)
    with qtbot.waitSignal(session.text_replaced):
        session.set_text("b")


def test_a_new_text_lets_selection_and_hover_fall(session: Session) -> None:
    session.set_text("some text")
    session.select(0, 4)
    session.point_at(5, 9)
    assert session.focus == (0, 4)
    session.set_text("another")
    assert session.selection is None
    assert session.hover is None
    assert session.focus is None


def test_an_empty_range_selects_nothing(session: Session) -> None:
    session.set_text("some text")
    session.select(0, 4)
    session.select(-1, -1)
    assert session.selection is None


def test_a_large_text_is_encoded_in_slices_to_the_same_ids(session: Session, qtbot: QtBot) -> None:
    text = "The harbour lay still; 1,024 gulls didn't. " * 40_000
    session.set_text(text)
    first = there(session.encoded(SHIPPED))
    assert not first.complete
    assert len(ids(session)) > 0
    qtbot.waitUntil(lambda: session.encoded(SHIPPED).complete)  # type: ignore[union-attr]
    tokenizer = there(session.chosen()[0].tokenizer)
    assert ids(session) == tokenizer.encode_ids(text)


def test_a_job_on_an_old_text_is_dropped(session: Session, qtbot: QtBot) -> None:
    session.set_text("old " * (32 * SMALL_TEXT))
    assert session.jobs.running()
    session.set_text("new")
    assert not session.jobs.running()
    qtbot.wait(20)
    assert ids(session) == session.chosen()[0].tokenizer.encode_ids("new")  # type: ignore[union-attr]


def test_special_tokens_are_text_until_they_are_recognized(
    session: Session, tmp_path: Path
) -> None:
    item = session.chosen()[0]
    token, number = next(iter(there(item.tokenizer).special_tokens.items()))
    session.set_text(f"a{token}b")
    assert number not in ids(session)
    session.set_special("all")
    assert number in ids(session)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", [True] * 4),
        ("a\r\nb", [True, True, False, True, True]),
        ("e\u0301x", [True, False, False, True, True]),
        ("👩‍🚀", [True, *[False] * 10, True]),
    ],
)
def test_grapheme_edges_come_in_a_pause_of_typing(
    session: Session, qtbot: QtBot, text: str, expected: list[bool]
) -> None:
    with qtbot.waitSignal(session.graphemes_changed):
        session.set_text(text)
        assert session.grapheme_edges is None
    assert np.asarray(there(session.grapheme_edges)).tolist() == expected


def test_a_file_is_added_and_opened_and_that_can_be_undone(
    session: Session, qtbot: QtBot, saved: Path
) -> None:
    session.set_text("lower")
    item = session.edits.add_file(saved)
    qtbot.waitUntil(lambda: item.state is State.OPEN)
    assert session.chosen()[-1] is item
    assert ids(session, item.key)
    session.edits.undo_stack.undo()
    assert files(session) == []
    assert session.encoded(item.key) is None
    session.edits.undo_stack.redo()
    assert files(session) == ["tiny"]
    assert ids(session, item.key)


def test_a_file_is_added_once(session: Session, qtbot: QtBot, saved: Path) -> None:
    item = session.edits.add_file(saved)
    qtbot.waitUntil(lambda: item.state is State.OPEN)
    session.edits.turn_on(item.key, False)
    assert session.edits.add_file(saved) is item
    assert item.on
    assert files(session) == ["tiny"]


def test_a_bad_file_changes_nothing_else_and_is_reported(
    session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "broken.json", "{")
    session.set_text("text")
    before = ids(session)
    with qtbot.waitSignal(session.problem) as problem:
        item = session.edits.add_file(path)
    assert "broken" in problem.args[0]
    assert item.state is State.FAILED
    assert item not in session.chosen()
    assert ids(session) == before
    assert session.library.item(item.key) is None  # it does not stay
    assert len(session.edits.undo_stack) == 0


def test_undo_goes_over_a_file_that_was_refused(
    session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "broken.json", "{")
    with qtbot.waitSignal(session.problem):
        item = session.edits.add_file(path)
        session.edits.turn_on(SHIPPED, False)
    assert session.library.item(item.key) is None
    stack = session.edits.undo_stack
    while stack.can_undo:
        stack.undo()
    while stack.can_redo:
        stack.redo()
    assert session.library.item(item.key) is None


def test_a_file_that_stayed_once_stays_when_it_is_broken_later(
    session: Session, qtbot: QtBot, saved: Path
) -> None:
    item = session.edits.add_file(saved)
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    saved.write_text("{")
    session.library.set_state(item, State.FAILED)
    with qtbot.waitSignal(session.problem):
        session.opener.open_soon(item)
    assert session.library.item(item.key) is item


def test_what_is_shipped_cannot_be_removed(session: Session) -> None:
    session.edits.remove(SHIPPED)
    assert session.library.item(SHIPPED) is not None
    assert not session.edits.undo_stack.can_undo


def test_turning_off_and_undo(session: Session) -> None:
    session.set_text("text")
    session.edits.turn_on(SHIPPED, False)
    assert session.chosen() == []
    assert session.encoded(SHIPPED) is None
    session.edits.undo_stack.undo()
    assert ids(session)


def test_moving_keeps_to_the_group_and_can_be_undone(session: Session) -> None:
    def keys() -> list[str]:
        return [item.key for item in session.library.group(LibraryGroup.OPENAI)]

    before = keys()
    session.edits.move(before[0], 99)
    assert keys() == [*before[1:], before[0]]
    session.edits.undo_stack.undo()
    assert keys() == before


def test_the_current_tokenizer_is_the_first_until_one_is_pointed_at(
    session: Session, qtbot: QtBot, saved: Path
) -> None:
    item = session.edits.add_file(saved)
    qtbot.waitUntil(lambda: item.state is State.OPEN)
    assert session.current is not None
    assert session.current.key == SHIPPED
    session.set_current(item.key)
    assert session.current is item
    session.edits.turn_on(item.key, False)
    assert session.current.key == SHIPPED


def test_identities_are_not_shared(session: Session, qtbot: QtBot, saved: Path) -> None:
    session.edits.add_file(saved)
    identities = [item.identity for item in session.library]
    assert len(set(identities)) == len(identities)


def test_a_tokenizer_whose_pattern_fails_on_a_text_says_so(
    session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "letters.json"
    tokenizer = tc.train("bpe", ["abc"], vocab_size=256, pattern=r"[a-z]+")
    tokenizer.save(path)
    item: LibraryItem = session.edits.add_file(path)
    qtbot.waitUntil(lambda: item.state is State.OPEN)
    session.set_text("abc 123")
    encoded = there(session.encoded(item.key))
    assert encoded.encoding is None
    assert "character 3" in encoded.error


def fail(*_: object, **__: object) -> tc.Tokenizer:
    raise KeyError("an unexpected fault")


def test_a_fault_while_opening_is_reported_and_opening_ends(
    session: Session,
    qtbot: QtBot,
    saved: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(tc, "open", fail)
    with qtbot.waitSignal(session.problem) as problem:
        item = session.edits.add_file(saved)
    assert "a fault in Tokenarium (KeyError: 'an unexpected fault')" in problem.args[0]
    assert item.state is State.FAILED
    assert not session.opener.busy
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("size", [1, LARGE_TEXT + 1])
def test_a_fault_while_encoding_is_shown_in_place_of_ids(
    session: Session,
    qtbot: QtBot,
    size: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In the frame of the keystroke, and in a job."""
    monkeypatch.setattr(encodings._DeferredEncodeJob, "step", fail)
    session.set_text("x" * size)
    qtbot.waitUntil(lambda: session.encoded(SHIPPED) is not None)
    encoded = there(session.encoded(SHIPPED))
    assert encoded.complete
    assert "a fault in Tokenarium" in encoded.error
    assert "Traceback" in capsys.readouterr().err


def large(tmp_path: Path, content: bytes) -> Path:
    """Returns a file that is worked out in a process of its own."""
    return write_file(tmp_path / "large.json", content.ljust((1 << 20) + 1))


def test_what_the_process_says_of_a_large_file_is_shown(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tc, "open", fail)  # in this process
    with qtbot.waitSignal(session.problem, timeout=60_000) as problem:
        item = session.edits.add_file(large(tmp_path, b'{"model": "e'))
    assert "a fault" not in problem.args[0]
    assert "is not complete JSON" in problem.args[0]
    assert item.state is State.FAILED


def test_a_large_file_that_ends_its_process_is_not_opened_here(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tc, "open", fail)
    started: list[QProcess] = []
    start = QProcess.start

    def start_and_kill(process: QProcess, *arguments: Any) -> None:
        start(process, *arguments)
        started.append(process)
        process.started.connect(process.kill)

    monkeypatch.setattr(QProcess, "start", start_and_kill)
    with qtbot.waitSignal(session.problem, timeout=60_000) as problem:
        item = session.edits.add_file(large(tmp_path, b"{}"))
    assert "takes more than 10 s or 1 GB, or crashes the process that does it" in problem.args[0]
    assert item.state is State.FAILED
    assert len(started) == 1


def test_a_relative_path_is_one_from_the_root_on(
    session: Session, qtbot: QtBot, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    item = session.edits.add_file(Path(saved.name))
    monkeypatch.chdir("/")
    assert item.source == str(saved)
    qtbot.waitUntil(lambda: item.state is State.OPEN)
    assert session.edits.add_file(saved) is item
