"""A start hands what it opens to the window that is open."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.work import handover
from tokenarium.work.handover import (
    HELLO,
    TAKEN,
    Entry,
    enter,
    is_address,
    read_request,
    request,
    window_words,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has named pipes, by Qt")


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for sockets that only the user can enter."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture
def first() -> Iterator[Entry]:
    """The entry of a first start."""
    entry = enter([])
    assert entry.listener is not None
    yield entry
    entry.leave()


def is_alone(entry: Entry) -> bool:
    """Whether a start neither handed over nor is to be asked."""
    return not entry.handed and entry.listener is None and not entry.name


class Answering:
    """Answers one start as a window does, and notes what it is asked for."""

    def __init__(self, entry: Entry, answers: tuple[bytes, ...] = (HELLO, TAKEN)) -> None:
        self._entry, self._answers = entry, answers
        self.words: list[str] = []
        self.tokens: dict[str, str] = {}
        self._thread = Thread(target=self._run)

    def _run(self) -> None:
        with suppress(OSError):  # the other side goes away
            self._answer()

    def _answer(self) -> None:
        assert self._entry.listener is not None
        line, _ = self._entry.listener.accept()
        with line, line.makefile("rb") as file:
            line.sendall(self._answers[0])
            asked = file.readline()
            if asked:
                self.words, self.tokens = read_request(asked)
                line.sendall(b"".join(self._answers[1:]))

    def __enter__(self) -> Answering:
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._thread.join()


def test_the_first_start_is_asked_by_the_second(
    first: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "right")
    monkeypatch.delenv("DESKTOP_STARTUP_ID", raising=False)
    link = "tokenarium:lesson/a"
    with Answering(first) as window:
        assert enter(["a text.txt", link, "caf\udce9"]).handed
    assert window.words == [str(tmp_path / "a text.txt"), link, str(tmp_path / "caf\udce9")]
    assert window.tokens == {"XDG_ACTIVATION_TOKEN": "right"}


def test_another_window_hands_nothing_over_and_is_not_asked(first: Entry) -> None:
    other = enter(["x"], new_window=True)
    assert (other.handed, other.listener) == (False, None)


def test_only_the_user_can_reach_the_socket(first: Entry, runtime: Path) -> None:
    assert stat.S_IMODE(os.stat(first.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(runtime / "tokenarium").st_mode) == 0o700


def test_a_folder_that_others_can_enter_is_not_used(runtime: Path) -> None:
    (runtime / "tokenarium").mkdir()
    (runtime / "tokenarium").chmod(0o755)
    assert is_alone(enter(["x"]))


def test_without_a_folder_for_it_the_temporary_one_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    entry = enter([])
    assert entry.path.startswith(str(tmp_path / f"tokenarium-run-{os.getuid()}"))
    entry.leave()
    assert not os.path.exists(entry.path)


def test_a_window_that_hangs_is_not_waited_for_and_opens_nothing_later(first: Entry) -> None:
    assert is_alone(enter(["x"], patience=0.05))
    assert first.listener is not None
    line, _ = first.listener.accept()  # now it has time again
    asked = b""
    with line, suppress(OSError):
        line.sendall(HELLO)
        asked = line.recv(100)
    assert asked == b""


@pytest.mark.slow
@pytest.mark.parametrize("answer", [b"", b"something else\n", b"x" * 100])
def test_what_is_no_window_is_not_handed_to(first: Entry, answer: bytes) -> None:
    with Answering(first, (answer,)) as other:
        assert not enter(["x"], patience=0.05).handed
    assert other.words == []


def test_the_socket_of_a_process_that_was_killed_is_no_obstacle(first: Entry) -> None:
    path = first.path
    first.leave()
    code = (
        "import os, signal; from tokenarium.work.handover import enter; entry = enter([]);"
        " assert entry.listener; os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -9
    assert os.path.exists(path)
    again = enter(["x"])
    assert again.listener is not None
    again.leave()


@pytest.mark.parametrize(
    "name", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "TOKENARIUM_DATA", "XDG_DATA_HOME"]
)
def test_windows_on_other_displays_and_with_other_folders_are_not_asked(
    first: Entry, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "another")
    other = enter(["x"])
    assert other.listener is not None
    assert other.path != first.path
    other.leave()


def test_which_starts_only_open_the_window(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("")
    for words in ([], [str(text)], ["tokenarium:lesson/a"], [f"file://{text}", str(tmp_path)]):
        assert window_words(words) == words
        assert window_words(["--new-window", *words]) == words
    for words in (
        ["encode"],
        ["--help"],
        ["--safe"],
        [str(tmp_path / "gone.txt")],
        ["x", "--tour"],
    ):
        assert window_words(words) is None


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))))
def test_a_request_is_what_was_asked(words: list[str]) -> None:
    found, _ = read_request(request([f"tokenarium:{word}" for word in words]))
    assert found == [f"tokenarium:{word}" for word in words]


@given(st.binary() | st.text().map(str.encode))
def test_what_is_no_request_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's errors are of many kinds
        read_request(line)


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b'{"open": 1, "tokens": {}}',
        b'{"open": [1], "tokens": {}}',
        b'{"open": [], "tokens": 3}',
    ],
)
def test_a_request_of_wrong_types_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match="not a request"):
        read_request(line)


@pytest.mark.parametrize(
    "sent",
    [
        b'{"open": ' + b"[" * 9 + b"]" * 9 + b', "tokens": {}}',
        b'{"open": [], "tokens": {}, "more": ' + b'{"a":' * 9 + b"1" + b"}" * 9 + b"}",
        b'{"open": ["a\\u0000b"], "tokens": {}}',
        b'{"open": ["\\ud800"], "tokens": {}}',
        b'{"open": ["a"], "tokens": {"DESKTOP_STARTUP_ID": "\\u0000"}}',
        b'{"open": [' + b",".join([b'"a"'] * 1001) + b'], "tokens": {}}',
        b'{"open": ["' + b"a" * (33 << 10) + b'"], "tokens": {}}',
        b'{"open": [' + b"9" * 5000 + b'], "tokens": {}}',
        b'{"open": ["\xff"], "tokens": {}}',
        b'{"open": [], "tokens": {}}' + b" " * (1 << 20),
    ],
    ids=["lists", "objects", "nul", "surrogate", "variable", "words", "word", "digits", "bytes", "long"],
)  # fmt: skip
def test_a_request_has_bounds(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's errors are of many kinds
        read_request(sent)


def test_what_nests_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that recurses would end in an error of its own, or worse."""
    monkeypatch.setattr(handover.json, "loads", None)
    for sent in (b"[" * 17, b'{"a":' * 17, b'"a",' * 2000):
        with pytest.raises(ValueError, match="not a request"):
            read_request(sent)


def test_more_than_another_window_would_take_is_opened_by_this_one(first: Entry) -> None:
    assert is_alone(enter(["x"] * (handover.MOST_WORDS + 1)))
    assert is_alone(enter(["x" * handover.MOST_BYTES]))


def test_a_window_of_another_user_is_not_handed_to(
    first: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the system tells it of the socket, whoever could make one at our path."""
    if not hasattr(socket, "SO_PEERCRED"):
        pytest.skip("only Linux tells")
    with Answering(first) as window:
        monkeypatch.setattr(handover, "_is_private", lambda folder: True)
        user = os.getuid()
        monkeypatch.setattr("os.getuid", lambda: user + 1)
        assert is_alone(enter(["x"], patience=0.05))
    assert window.words == []


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_is_in_the_place_of_the_lock_is_no_obstacle(kind: str, runtime: Path) -> None:
    first = enter([])
    lock = Path(f"{first.path}.lock")
    first.leave()
    lock.unlink()
    if kind == "pipe":
        os.mkfifo(lock)
    elif kind == "folder":
        lock.mkdir()
    else:
        lock.symlink_to("/dev/zero")
    assert is_alone(enter(["x"]))


def test_only_tokens_that_are_known_are_taken() -> None:
    line = b'{"open": [], "tokens": {"PATH": "x", "DESKTOP_STARTUP_ID": "y"}}'
    assert read_request(line) == ([], {"DESKTOP_STARTUP_ID": "y"})


@pytest.mark.parametrize(
    ("word", "is_one"),
    [
        ("tokenarium:x", True),
        ("Tokenarium:x", True),
        ("file:///x", True),
        ("http://x", False),
        ("x:y", False),
    ],
)
def test_addresses(word: str, is_one: bool) -> None:
    assert is_address(word) is is_one


def test_asking_imports_nothing_large() -> None:
    code = (
        "import sys; from tokenarium.work.handover import enter; enter([]).leave();"
        " print({'PySide6', 'numpy', 'typer', 'asyncio', 'multiprocessing', 'tempfile'} & set(sys.modules))"
    )
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert asked.stdout.strip() == "set()"


def test_a_path_that_is_too_long_for_a_socket_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    assert is_alone(enter([]))
    assert handover._socket_path() == ""
    assert socket.AF_UNIX
