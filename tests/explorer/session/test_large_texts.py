"""Texts that would take too much: refused before anything changes, or their beginning is cut, with a sentence.

The bounds are lowered, so that some kilobytes are too much.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import there
from patching import patch_all
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.menus import text_commands
from tokenarium.models.scene import ReadScene, Scene, SceneText
from tokenarium.models.text import editor_text, text_file, text_map
from tokenarium.models.text.text_map import TextMap
from tokenarium.session import catalogue, encodings
from tokenarium.session.session import Session
from tokenarium.views import tokens
from tokenarium.widgets.text import text_field, text_opening
from tokenarium.work import text_workers

ON = ("shipped:tokenarium-8k", "shipped:bpe-gpt2-8k", "shipped:unigram-8k")
LINES = "A line of some words, and some more.\n" * 300
LINE_ENDS = ("\n", "\r", "\r\n", "\x85", "\u2028", "\u2029")


@pytest.fixture
def several(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session with three tokenizers, to which some kilobytes are a large text."""
    patch_all(monkeypatch, encodings, SMALL_TEXT=500, LARGE_TEXT=2_000)
    patch_all(monkeypatch, text_workers, PART=1_000, FIRST_PART=500)
    session = Session()
    session.fill_library(catalogue.offered(ON, [], []))
    qtbot.waitUntil(lambda: not session.opening)
    return session


def problems_of(session: Session) -> list[str]:
    """The sentences that the session shows from now on."""
    said: list[str] = []
    session.problem.connect(lambda sentence: said.append(sentence) if sentence else None)
    return said


# What is taken.


@pytest.mark.parametrize("end", LINE_ENDS)
@pytest.mark.parametrize("how", ["file", "paste", "typed", "session", "recent"])
def test_too_many_lines_are_refused_before_anything_changes(
    window: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    end: str,
    how: str,
) -> None:
    """By whichever way the text comes: the text that was open stays."""
    monkeypatch.setattr(text_file, "MOST_LINES", 1_000)
    if how in ("file", "paste"):  # in a job; the others at once
        monkeypatch.setattr(text_opening, "LARGE", 500)
    session = window.session
    session.set_text("before")
    said = problems_of(session)
    text = f"ab{end}" * 1_000
    if how == "file":
        path = tmp_path / "lines.txt"
        path.write_bytes(text.encode())
        window.take_files([path])
    elif how == "paste":
        QGuiApplication.clipboard().setText(text)
        window.text_commands.take_text(text)
    elif how == "session":
        window.stage.show(ReadScene(Scene(text=SceneText(inline=text))))
    else:
        session.set_text(text)
    qtbot.waitUntil(lambda: not session.jobs.running())
    assert session.text == "before"
    if how != "session":  # which has a message of its own
        shown = [*said, window.messages.label.text()]
        assert any("more than 1,000 lines" in one for one in shown)
    session.set_text(f"ab{end}" * 999)
    assert session.text == f"ab{end}" * 999


def test_too_large_a_text_is_refused_before_anything_changes(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch_all(monkeypatch, text_file, LARGEST=5_000, MOST_LINES=1_000)
    session = window.session
    session.set_text("before")
    said = problems_of(session)
    for text in ("a" * 5_001, "é" * 2_501, "中" * 1_700):
        session.set_text(text)
        window.text_commands.take_text(text)
    assert session.text == "before"
    assert len(said) == 6
    assert all("the largest text" in one for one in said)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("line", ["é" * 9 + "\n", "😀"])
def test_of_a_file_that_is_too_large_the_beginning_is_offered(
    window: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    line: str,
    encoding: str,
) -> None:
    """Of whole lines, or of whole characters where no line ends."""
    patch_all(monkeypatch, text_file, LARGEST=5_000, MOST_LINES=1_000, AT_ONCE=501)
    monkeypatch.setattr(text_commands, "BEGINNING_OPENED", 2_003)
    path = tmp_path / "large.txt"
    path.write_bytes((line * 2_000).encode(encoding))
    session = window.session
    session.set_text("before")
    window.text_commands.open_path(path)
    assert session.text == "before"
    assert "the largest text" in window.messages.label.text()
    assert window.messages.offered.isVisibleTo(window)
    window.messages.offered.click()
    qtbot.waitUntil(lambda: session.text != "before")
    assert session.text == line * (len(session.text) // len(line))
    assert 1_900 < len(session.text.encode(encoding)) <= 2_004
    assert session.file == ""
    assert path.stat().st_size > 5_000


def test_what_is_typed_is_always_taken(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit in the field is there already: it is never refused."""
    patch_all(monkeypatch, text_file, LARGEST=50, MOST_LINES=10)
    window.session.set_text("ab\n" * 200, edited=True)
    assert window.session.text == "ab\n" * 200


# What is cut into tokens.


@pytest.mark.parametrize("how", ["shown", "cancelled", "refused", "the same"])
def test_a_text_is_encoded_while_it_is_opened(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str
) -> None:
    """The processes have it as soon as it is read; until it is shown, the window has the one before."""
    monkeypatch.setattr(text_opening, "LARGE", 500)
    monkeypatch.setattr(text_commands, "LARGE_TEXT", 2_000)
    monkeypatch.setattr("tokenarium.work.jobs.SLICE_MS", 0.02)
    patch_all(monkeypatch, encodings, SMALL_TEXT=500, LARGE_TEXT=2_000)
    patch_all(monkeypatch, text_workers, PART=1_000, FIRST_PART=500)
    patch_all(monkeypatch, text_map, STRETCH=500)
    session = window.session
    text = f"{LINES}The end.\n"
    session.set_text(text if how == "the same" else "before")
    qtbot.waitUntil(lambda: not session.jobs.running())
    if how == "refused":
        monkeypatch.setattr(text_file, "MOST_LINES", 100)
    path = tmp_path / "large.txt"
    path.write_text(text)
    workers = session._encodings._workers
    asked: list[str] = []
    busy: list[bool] = []  # later they may have done all of it
    encode_ahead = session.encode_ahead

    def noted(text_map: TextMap) -> None:
        encode_ahead(text_map)
        busy.append(workers.busy)
        asked.append(session.text)

    monkeypatch.setattr(session, "encode_ahead", noted)
    window.text_commands.open_path(path)
    qtbot.waitUntil(lambda: bool(asked))
    if how == "cancelled":
        session.jobs.cancel(text_commands.OPENING_TEXT)
    begun = list(workers._ahead)
    assert busy[0]
    qtbot.waitUntil(lambda: not session.jobs.running() and not workers.busy)
    assert not workers._ahead
    assert set(asked) == {text if how == "the same" else "before"}
    assert session.text == (text if how in ("shown", "the same") else "before")
    if how == "shown":
        assert begun
        for item in session.chosen():
            encoded = there(session.encoded(item.key))
            assert item.tokenizer is not None
            assert list(there(encoded.encoding).ids) == item.tokenizer.encode_ids(text)
            assert there(encoded.tokens).run in begun


def test_other_work_waits_for_a_large_text(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until all tokens are there, no graphemes are found, no tokens counted, and the field gets no more of the text."""
    patch_all(monkeypatch, encodings, SMALL_TEXT=500, LARGE_TEXT=2_000)
    patch_all(monkeypatch, text_workers, PART=1_000, FIRST_PART=500)
    patch_all(monkeypatch, text_field, FIRST_PART=500, NEXT_PART=500, MOST_AT_ONCE=2_000, REST_MS=0)
    monkeypatch.setattr(tokens, "COUNTED_AT_ONCE", 0)
    session, document = window.session, window.text.field.document()
    session._graphemes_soon.setInterval(0)
    for key in ON:  # when the first has all its tokens, others have not
        session.edits.turn_on(key, True)
    qtbot.waitUntil(lambda: not session.opening)
    assert len(session.chosen()) >= len(ON)
    at_work: set[str] = set()
    in_field: set[int] = set()
    turns = 0

    def look() -> None:
        nonlocal turns
        if session.encodes_much:
            turns += 1
            at_work.update(job.key.split()[0] for job in session.jobs.running())
            in_field.add(document.characterCount())

    session.jobs.changed.connect(look)
    session.set_text(LINES * 3)
    qtbot.waitUntil(lambda: not session.encodes_much and session.grapheme_edges is not None)
    qtbot.waitUntil(lambda: not session.jobs.running() and not window.text.field.filling)
    assert turns > 20
    assert at_work == {"encode"}
    assert max(in_field) < 600  # its first part
    # Then all of it is done.
    assert document.characterCount() - 1 == len(LINES) * 3
    view = window.workspace
    assert isinstance(view, tokens.TokensView)
    assert len(view._counts) == len(session.chosen())
    assert all(counts.finished for counts in view._counts.values())


def test_each_tokenizer_has_its_share_of_the_room(
    several: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is kept, and what was cut is exact; a sentence says how much it is, and what to do."""
    text = LINES * 20
    several.edits.turn_on("shipped:unigram-8k", False)
    monkeypatch.setattr(encodings, "ROOM", 900_000)
    monkeypatch.setattr("tokenarium.work.jobs.SLICE_MS", 0.05)
    said = problems_of(several)
    several.set_text(text)
    qtbot.waitUntil(lambda: not several.jobs.running())
    assert several.text == text
    taken, stopped = 0, 0
    for item in several.chosen():
        encoded = there(several.encoded(item.key))
        assert encoded.encoding is not None
        assert item.tokenizer is not None
        ids = list(encoded.encoding.ids)
        assert ids == item.tokenizer.encode_ids(text)[: len(ids)]
        taken += there(encoded.tokens).bytes
        if not encoded.complete:
            stopped += 1
            assert len(ids) > 0
            assert f"this text of {len(text) / 1e6:,.1f} MB" in encoded.error
            assert f"{item.name} to " in said[-1]
            assert "Compare" in encoded.error
        else:
            assert not encoded.error
    assert stopped
    # A slice may go beyond a share before that is seen.
    assert taken < 1.5 * encodings.ROOM
    # What leaves gives its room to the others.
    monkeypatch.setattr(encodings, "ROOM", 100_000_000)
    for item in several.chosen():
        several._encode(item)
    qtbot.waitUntil(lambda: not several.jobs.running())
    found = [several.encoded(item.key) for item in several.chosen()]
    assert all(one is not None and one.complete and not one.error for one in found)


def test_normalizing_is_refused_before_it_begins(
    several: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tokenizers that normalize nothing go on."""
    monkeypatch.setattr(encodings, "ROOM", 5 * encodings.NORMALIZING * len(LINES) // 6)
    several.set_text(LINES)
    qtbot.waitUntil(lambda: not several.jobs.running())
    for item in several.chosen():
        encoded = there(several.encoded(item.key))
        assert item.tokenizer is not None
        if item.tokenizer.normalizer is None:
            assert encoded.complete
        else:
            assert encoded.encoding is None
            assert encoded.error.startswith("This tokenizer normalizes a text as a whole")
    assert any(
        item.tokenizer is not None and item.tokenizer.normalizer for item in several.chosen()
    )


def test_a_row_without_a_safe_cut_is_refused(
    several: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encodings, "LONGEST_WHOLE", 30_000)
    text = LINES + "a" * 40_000
    several.set_text(text)
    qtbot.waitUntil(lambda: not several.jobs.running())
    assert several.text == text
    for item in several.chosen():
        encoded = there(several.encoded(item.key))
        assert "bytes in a row that this tokenizer can only merge as a whole" in encoded.error
    several.set_text(LINES)
    qtbot.waitUntil(lambda: not several.jobs.running())
    assert all(
        not encoded.error for item in several.chosen() if (encoded := several.encoded(item.key))
    )


# What is made of all of it.


def test_more_tokens_than_can_be_written_down_are_not_copied(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence says so; what was in the clipboard stays, and a selection is copied."""
    window.session.set_text(LINES)
    patch_all(monkeypatch, text_commands, MOST_IDS=100, MOST_JSON=100)
    said = problems_of(window.session)
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("before")
    window.text_commands.copy_ids()
    window.text_commands.copy_json()
    assert clipboard.text() == "before"
    assert len(said) == 2
    assert all("more than the 100 that are copied at once" in one for one in said)
    window.session.select(0, 60)
    window.text_commands.copy_ids()
    assert clipboard.text().startswith("[")


def test_a_text_of_many_lines_is_shown_and_not_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line of a field takes memory, and time with each of the others that is added."""
    monkeypatch.setattr(editor_text, "MOST_LINES", 100)
    assert editor_text.to_editor("ab\n" * 99).editable
    found = editor_text.to_editor("ab\n" * 100)
    assert found.why_not == "This text has 101 lines, too many to edit here."
