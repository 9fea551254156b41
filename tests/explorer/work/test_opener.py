"""Opening tokenizers: what takes too much ends in time with a sentence, and what is not a file is not read."""

from __future__ import annotations

import gc
import os
import socket
import sys
import tempfile
from pathlib import Path
from threading import Event, Thread, current_thread, main_thread
from typing import Any
from zipfile import ZipFile

import pytest
from patching import patch_all
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot
from sentencepiece_models import SMALL, message
from small_files import new_folder, saved, write_file
from windows import emitted

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.models.text import lost_text, superword_ids
from tokenarium.models.tokenizers.library import State
from tokenarium.session.catalogue import file_item, needs_pattern
from tokenarium.session.session import Session
from tokenarium.work import opener

HELPERS = Path(__file__).parents[2] / "helpers"
needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")


@pytest.fixture
def low_limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Has files opened by `opening_workers`; returns a folder for them."""
    monkeypatch.setattr(opener, "WORKER", "opening_workers")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HELPERS), *sys.path]))
    monkeypatch.setenv("TOKENARIUM_CACHE", str(tmp_path / "cache"))
    return tmp_path


def open_large(session: Session, qtbot: QtBot, path: Path) -> tuple[str, str]:
    """Opens a file after it was made large; returns what went wrong, and what the session said."""
    with path.open("ab") as file:
        file.write(b" " * (1 << 20))
    said: list[str] = emitted(session.problem)
    item = file_item(str(path))
    session.library.insert(item, 0)
    session.retry(item.key)
    qtbot.waitUntil(lambda: not session.opening)
    if item.state is State.OPEN:
        return "", ""
    assert (item.state, item.on) == (State.FAILED, False)
    return item.note, said[-1]


@needs_unix
@pytest.mark.parametrize("want", ["compute", "fill", "wait"])
def test_what_takes_too_much_is_refused(
    session: Session, qtbot: QtBot, low_limits: Path, want: str
) -> None:
    if want == "fill" and not sys.platform.startswith("linux"):
        pytest.skip("only Linux takes memory from a process")
    if want == "wait":
        session.opener._patience.setInterval(50)
    path = write_file(low_limits / f"{want}.json", "{}")
    note, said = open_large(session, qtbot, path)
    assert note == opener.TOO_MUCH
    assert said == f"{want} cannot be opened. {note}"
    assert session.chosen()[0].tokenizer is not None  # the shipped one


def test_a_large_file_that_is_wrong_is_refused_by_its_process(
    session: Session, qtbot: QtBot, low_limits: Path
) -> None:
    path = write_file(low_limits / "wrong.json", '{"model": 1, "“": ')
    note, _ = open_large(session, qtbot, path)
    with pytest.raises(tc.TokenariumError) as raised:
        tc.open(path)
    assert note == str(raised.value)


def test_a_large_file_that_is_right_opens(session: Session, qtbot: QtBot, low_limits: Path) -> None:
    path = saved(tc.train("bpe", ["abc"], vocab_size=257), low_limits / "right.json")
    assert open_large(session, qtbot, path) == ("", "")
    folder = new_folder(low_limits / "model")
    path.rename(folder / "tokenizer.json")
    item = file_item(str(folder))
    assert opener._is_large(item)
    assert not opener._is_prepared(item), "it is of a format that is not stored"
    archive = low_limits / "small.zip"
    with ZipFile(archive, "w") as members:
        members.write(HELPERS / "opening_workers.py", "tokenizer.json")
    assert opener._is_large(file_item(str(archive)))  # unpacked it may have any size


@pytest.mark.slow
def test_a_large_file_is_prepared_once(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENARIUM_CACHE", str(tmp_path / "cache"))
    model = message(SMALL, kind=2)
    model.trainer_spec.input.append("x" * (1 << 20))
    content = model.SerializeToString()
    processes: list[bool] = []
    for name in ("first", "second", "off"):
        if name == "off":  # it opens all the same
            monkeypatch.setenv("TOKENARIUM_CACHE", "0")
        item = session.edits.add_file(write_file(tmp_path / f"{name}.model", content))
        prepared_by: set[int] = set()

        def is_over(found: set[int] = prepared_by) -> bool:
            found.add(session.opener.preparing)
            return not session.opening

        qtbot.waitUntil(is_over)
        assert item.state is State.OPEN, item.note
        processes.append(prepared_by != {0})
        assert opener._is_prepared(item) == (name != "off")
    assert processes == [True, False, True]


@needs_unix
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
@pytest.mark.parametrize(
    "name", ["x", "x.txt", "x.json", "tokenizer.json", "x.model", "x.tiktoken"]
)
def test_what_is_no_file_is_said_to_be_none(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, kind: str, name: str
) -> None:
    path = tmp_path / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as opened:
        if kind == "socket":
            os.chdir(tmp_path)  # its path may not be long
            opened.bind(name)
        window.session.set_text("before")
        said: list[str] = emitted(window.session.problem)
        window.take_files([path])
        qtbot.waitUntil(lambda: not window.session.opening)
        assert window.session.text == "before"
        assert f"{path} cannot be read: it is a {kind}, not a file" in said[-1]
        assert not needs_pattern(path)


@needs_unix
def test_a_pipe_beside_a_tokenizer_is_passed_over(tmp_path: Path) -> None:
    from tokenarium.models.chat.template_files import read_chat_file, read_chat_templates
    from tokenarium_core.formats.opening import tokenizers_in

    names = ["tokenizer.json", "tokenizer_config.json", "vocab.txt", "chat_template.jinja"]
    for name in names:
        os.mkfifo(tmp_path / name)
    assert tokenizers_in(tmp_path, names) == []
    assert read_chat_templates(tmp_path) == []
    with pytest.raises(tc.NotAvailable, match="a pipe"):
        read_chat_file(tmp_path / "chat_template.jinja")


@needs_unix
def test_what_may_not_be_read_is_said(window: MainWindow, qtbot: QtBot) -> None:
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o711)
        folder = new_folder(Path(place) / "closed")
        for name in ("x.txt", "x.json", "tokenizer.json", "x.tiktoken"):
            (folder / name).write_text("{}")
        folder.chmod(0)
        try:
            if user == 0:
                os.seteuid(65534)
            for path in (folder, *(folder / n for n in ("x.txt", "tokenizer.json", "x.tiktoken"))):
                said: list[str] = emitted(window.session.problem)
                window.take_files([path])
                qtbot.waitUntil(lambda: not window.session.opening)
                assert str(path) in said[-1]
        finally:
            os.seteuid(user)
            folder.chmod(0o700)


def test_an_unknown_fault_is_reported(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object, **__: object) -> tc.Tokenizer:
        raise IndexError("list index out of range")

    monkeypatch.setattr(tc, "open", stumble)
    item = session.edits.add_file(tmp_path / "x.json")
    qtbot.waitUntil(lambda: not session.opening)
    assert item.state is State.FAILED
    assert "(IndexError: list index out of range). Please report it" in item.note


def prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has small files opened as large ones that are prepared."""
    patch_all(monkeypatch, opener, _is_large=lambda item: True, _is_prepared=lambda item: True)


def test_what_is_prepared_is_loaded_beside_the_window(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tc.train("bpe", [""], vocab_size=256), tmp_path / "small.json")
    prepared(monkeypatch)
    began, go_on = Event(), Event()
    opened = tc.open

    def wait_and_open(*given: Any, **named: Any) -> tc.Tokenizer:
        began.set()
        assert go_on.wait(60)
        return opened(*given, **named)

    monkeypatch.setattr(tc, "open", wait_and_open)
    item = session.edits.add_file(path)
    qtbot.waitUntil(began.is_set)
    turns: list[int] = []
    QTimer.singleShot(0, lambda: turns.append(1))
    qtbot.waitUntil(lambda: bool(turns))  # the window goes on
    assert item.state is State.OPENING
    assert not gc.isenabled()
    go_on.set()
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    assert not session.opener.busy


def test_what_takes_long_for_a_large_vocabulary_is_worked_out_beside_the_window(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tc.train("bpe", [""], vocab_size=256), tmp_path / "small.json")
    prepared(monkeypatch)
    where: dict[str, Thread] = {}
    for module, name in ((lost_text, "_blanks_by_id"), (superword_ids, "superwords")):
        work = getattr(module, name)

        def noted(given: Any, name: str = name, work: Any = work) -> Any:
            where[name] = current_thread()
            return work(given)

        monkeypatch.setattr(module, name, noted)
    session.set_text("some text")
    item = session.edits.add_file(path)
    qtbot.waitUntil(lambda: not session.opening and item.tokenizer is not None)
    assert set(where) == {"_blanks_by_id", "superwords"}
    assert main_thread() not in where.values()


def test_a_fault_beside_the_window_is_reported_too(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(tmp_path / "broken.json", "{")
    prepared(monkeypatch)
    with qtbot.waitSignal(session.problem) as problem:
        session.edits.add_file(path)
    assert "broken cannot be opened" in problem.args[0]
    session.opener.stop()


def test_the_end_waits_for_what_is_loaded(
    session: Session, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tc.train("bpe", [""], vocab_size=256), tmp_path / "small.json")
    prepared(monkeypatch)
    began, opened = Event(), tc.open

    def begin_and_open(*given: Any, **named: Any) -> tc.Tokenizer:
        began.set()
        return opened(*given, **named)

    monkeypatch.setattr(tc, "open", begin_and_open)
    gc.enable()
    try:
        session.edits.add_file(path)
        while not began.is_set():
            session.opener._next()
        session.opener.stop()
        assert gc.isenabled()
        assert not session.opener.busy
    finally:
        gc.disable()
