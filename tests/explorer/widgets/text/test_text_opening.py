"""Large texts: read in slices while the open text stays; with a limit, and a way to stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from narrowed import there
from patching import patch_all
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import text_data

from tokenarium.app.window import MainWindow
from tokenarium.models.text import text_file, text_map
from tokenarium.models.text.text_file import TextFileError
from tokenarium.models.text.text_map import TextMap
from tokenarium.session import encodings
from tokenarium.session.session import OPENING_TEXT
from tokenarium.widgets.text import text_field, text_opening, text_panel
from tokenarium.widgets.text.text_blocks import blocks_of
from tokenarium.widgets.text.text_opening import TextOpening

LINES = "".join(f"{number} héllo 😀 wörld\r\n" for number in range(400)) + "مرحبا\n" + "x " * 4000
PROBLEM = "is not UTF-8: byte 0xFF at offset {at:,} (line {line:,}) begins no character."


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes some kilobytes large, of which a few hundred bytes are read at a time."""
    monkeypatch.setattr(text_opening, "LARGE", 2_000)
    monkeypatch.setattr(text_panel, "LARGE", 2_000)
    monkeypatch.setattr(encodings, "LARGE_TEXT", 2_000)
    monkeypatch.setattr(text_file, "AT_ONCE", 333)
    monkeypatch.setattr(text_map, "STRETCH", 333)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_file(tmp_path / "lines.txt", LINES.encode())


def taken_in(source: Path | str) -> TextMap:
    work = TextOpening(source)
    fractions = [0.0]
    while not (progress := work.step(0)).finished:
        fractions.append(progress.fraction)
    assert fractions == sorted(fractions)
    return work.text_map


def test_a_text_is_the_same_however_it_is_taken_in(file: Path) -> None:
    at_once = TextMap(LINES)
    for found in (taken_in(file), taken_in(LINES)):
        assert found.text == LINES
        assert found.utf8 == at_once.utf8
        assert found.padded == at_once.padded
        where = np.arange(at_once.byte_count + 1)
        assert (found.byte_to_utf16(where) == at_once.byte_to_utf16(where)).all()
        for mine, theirs in zip(
            (blocks_of(found).edges, blocks_of(found).characters, blocks_of(found).weights),
            (blocks_of(at_once).edges, blocks_of(at_once).characters, blocks_of(at_once).weights),
            strict=True,
        ):
            assert (mine == theirs).all()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_characters_are_read_in_parts_too(tmp_path: Path, encoding: str) -> None:
    path = write_file(tmp_path / "wide.txt", LINES.encode(encoding))
    assert taken_in(path).text == LINES


@pytest.mark.parametrize("at", [0, 332, 333, 334, 5_000])
def test_a_fault_is_reported_where_it_is(tmp_path: Path, at: int) -> None:
    path = tmp_path / "broken.txt"
    data = b"abc\n" * 1250
    path.write_bytes(data[:at] + b"\xff" + data[at:])
    with pytest.raises(TextFileError) as error:
        taken_in(path)
    assert PROBLEM.format(at=at, line=at // 4 + 1) in str(error.value)


def test_a_file_that_ends_inside_a_character(tmp_path: Path) -> None:
    path = write_file(tmp_path / "cut.txt", b"a" * 700 + "é".encode()[:1])
    with pytest.raises(TextFileError, match="byte 0xC3 at offset 700"):
        taken_in(path)


# In the window.


def test_what_was_open_stays_until_the_new_text_is_whole(
    window: MainWindow, file: Path, qtbot: QtBot
) -> None:
    window.session.set_text("before")
    seen = set()
    window.session.jobs.changed.connect(lambda: seen.add(window.session.text))
    window.take_files([file])
    assert window.session.text == "before"
    assert [job.title for job in window.session.jobs.running()] == ["Opening lines.txt"]
    qtbot.waitUntil(lambda: not window.session.jobs.running())
    assert seen == {"before", LINES}
    [item] = window.session.chosen()
    encoded = there(window.session.encoded(item.key))
    assert encoded.complete
    assert encoded.encoding is not None
    assert list(encoded.encoding.ids) == there(item.tokenizer).encode_ids(LINES)
    assert window.text.counts.text().startswith(f"{len(LINES):,} characters")


def test_stopping_leaves_what_was_open(window: MainWindow, file: Path, qtbot: QtBot) -> None:
    window.session.set_text("before")
    window.take_files([file])
    window.job_watch.bar.cancel.click()
    assert not window.session.jobs.running()
    qtbot.wait(50)
    assert window.session.text == "before"


def test_the_text_that_was_asked_for_last_counts(
    window: MainWindow, file: Path, qtbot: QtBot
) -> None:
    window.take_files([file])
    window.session.set_text("a sample")
    assert not window.session.jobs.runs(OPENING_TEXT)
    other = write_file(file.with_name("other.txt"), LINES[::-1])
    window.take_files([file])
    window.take_files([other])
    qtbot.waitUntil(lambda: not window.session.jobs.runs(OPENING_TEXT))
    assert window.session.text == LINES[::-1]


def test_a_large_file_that_is_no_text_changes_nothing(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    path = write_file(tmp_path / "broken.txt", b"abc\n" * 1000 + b"\xff")
    window.session.set_text("before")
    window.take_files([path])
    qtbot.waitUntil(window.messages.isVisible)
    assert "offset 4,000 (line 1,001)" in window.messages.label.text()
    assert window.session.text == "before"


@pytest.mark.parametrize("way", ["file", "clipboard", "field"])
def test_a_text_beyond_the_limit_is_refused_with_what_to_do(
    window: MainWindow, file: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(text_file, "LARGEST", 3_000)
    window.session.set_text("before")
    if way == "file":
        window.take_files([file])
    elif way == "clipboard":
        QGuiApplication.clipboard().setText(LINES)
        window.text_commands.paste_text()
    else:
        window.text.field.selectAll()
        window.text.field.insertFromMimeData(text_data(LINES))
    qtbot.waitUntil(window.messages.isVisible)
    assert "Count its tokens in Compare" in window.messages.label.text()
    assert window.session.text == "before"
    assert window.text.field.toPlainText() == "before"


def test_a_large_paste_into_a_text_leaves_the_cursor_after_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("beforeafter")
    cursor = window.text.field.textCursor()
    cursor.setPosition(6)
    window.text.field.setTextCursor(cursor)
    lines = "".join(f"{number} ö\n" for number in range(500))
    window.text.field.insertFromMimeData(text_data(lines))
    assert window.session.text == "beforeafter"
    whole = f"before{lines}after"
    qtbot.waitUntil(lambda: window.session.text == whole)
    qtbot.waitUntil(lambda: not window.text.field.filling)
    assert window.text.field.toPlainText() == whole
    assert window.text.field.textCursor().position() == 6 + len(lines)


def test_what_was_stopped_is_begun_again(window: MainWindow, qtbot: QtBot) -> None:
    session, begin_again = window.session, window.actions_by_id["begin_again"]
    session.show_text(TextMap(LINES))
    window.job_watch.bar.cancel_requested.emit()
    assert window.messages.label.text() == "Stopped. Ctrl+R, B begins again."
    window.actions_by_id.refresh()
    assert begin_again.isEnabled()
    begin_again.trigger()
    [item] = session.chosen()
    qtbot.waitUntil(lambda: session.grapheme_edges is not None and not session.jobs.running())
    encoded = there(session.encoded(item.key))
    assert encoded.complete
    assert encoded.encoding is not None
    assert list(encoded.encoding.ids) == there(item.tokenizer).encode_ids(LINES)
    window.actions_by_id.refresh()
    assert not begin_again.isEnabled()


def test_a_very_long_text_can_be_edited_once_the_field_has_all_of_it(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch_all(monkeypatch, text_field, FIRST_PART=100, NEXT_PART=1_000, MOST_AT_ONCE=2_000)
    panel, text = window.text, "some words\n" * 2_000
    window.session.set_text(text)
    assert panel.field.waits
    assert panel.field.isReadOnly()
    assert panel.note.text() == text_panel.STILL_READ
    qtbot.keyClick(panel.field, "x")
    assert panel.field.filling
    qtbot.waitUntil(lambda: not panel.field.filling)
    assert not panel.field.isReadOnly()
    assert panel.note.isHidden()
    assert panel.field.toPlainText() == text
    qtbot.keyClick(panel.field, "x")
    assert window.session.text == f"x{text}"
