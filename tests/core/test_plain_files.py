"""What is read is a file, and no more than fits; nothing else is opened, or waited for."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.command_values import content_of
from tokenarium_core.plain_files import check_file, is_device, open_file, read_file, read_text
from tokenarium_core.training.corpus_reader import CorpusReader

KINDS = ["pipe", "socket", "device", "link to a pipe"]
needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns something that is no file. Nothing writes to the pipe: to open it would wait for ever."""
    kind: str = request.param
    found = tmp_path / "tokenizer.json"
    if kind == "pipe":
        os.mkfifo(found)
    elif kind == "link to a pipe":
        os.mkfifo(tmp_path / "elsewhere")
        found.symlink_to(tmp_path / "elsewhere")
    elif kind == "device":
        found.symlink_to("/dev/zero")
    else:
        monkeypatch.chdir(tmp_path)  # its path may not be long
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(found.name)
    return found


@needs_unix
@pytest.mark.parametrize("path", KINDS, indirect=True)
def test_what_is_no_file_is_refused_at_once(path: Path) -> None:
    assert is_device(path)
    said = r"it is a (pipe|socket|device), not a file: write its output to a file"
    for read in (check_file, open_file, lambda path: read_file(path, 10), lambda path: read_text(path, 10)):  # fmt: skip
        with pytest.raises(OSError, match=said):
            read(path)
    for read in (tc.open, tc.WordCounts.load, lambda path: CorpusReader([], [path])):
        with pytest.raises(tc.NotAvailable, match=rf"tokenizer\.json cannot be read: {said}"):
            read(path)
    with pytest.raises(tc.NotAvailable, match="use the standard input: give - as the file"):
        content_of(path)


@needs_unix
def test_a_pipe_that_takes_the_place_of_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the path and its opening."""
    path = write_file(tmp_path / "file", b"abc")
    before = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr("os.stat", lambda *_: before)
    with pytest.raises(OSError, match="it is a pipe"):
        open_file(path)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = write_file(tmp_path / "file", "é\r\nx".encode())
    assert read_file(path, 5) == "é\r\nx".encode()
    assert read_text(path, 5) == "é\nx"
    with pytest.raises(OSError, match="it has more than 4 bytes"):
        read_file(path, 4)
    with open_file(path) as file:
        assert file.read(2) == "é".encode()
    with pytest.raises(FileNotFoundError):
        open_file(tmp_path / "gone")
    with pytest.raises(IsADirectoryError):
        open_file(tmp_path)
    assert not is_device(path)
    assert not is_device(tmp_path)
    assert not is_device(tmp_path / "gone\0")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux has such files")
def test_a_file_that_says_it_is_empty_is_read_up_to_its_bound() -> None:
    with pytest.raises(OSError, match="it has more than 10 bytes"):
        read_file("/proc/self/status", 10)


@pytest.mark.slow
@needs_unix
def test_a_text_comes_from_a_pipe_as_the_standard_input(tmp_path: Path) -> None:
    tc.train("bpe", ["some words"], vocab_size=256).save(tmp_path / "t.json")
    command = [
        sys.executable,
        "-m",
        "tokenarium_core",
        "encode",
        str(tmp_path / "t.json"),
    ]
    for rest in (["--file", "-"], []):
        made = subprocess.run(
            [*command, *rest], input=b"ab", capture_output=True, timeout=300, check=True
        )
        assert made.stdout.split() == [b"97", b"98"]
