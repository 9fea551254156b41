"""Downloads from a local server: whole, wrong, interrupted and continued, refused, cancelled."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtNetwork import QNetworkAccessManager
from pytestqt.qtbot import QtBot
from small_files import write_file

from tokenarium.work.download import ABANDONED_S, LEAST_FREE, Download, proxy_for

if TYPE_CHECKING:
    from conftest import Server

CONTENT = bytes(range(256)) * 400
HASH = hashlib.sha256(CONTENT).hexdigest()
SIZE = len(CONTENT)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where the download is written, in a folder that does not exist yet."""
    return tmp_path / "cache" / "file"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shortens the time limits: the server is on this computer."""
    monkeypatch.setattr(Download, "PAUSE_MS", 5)
    monkeypatch.setattr(Download, "STALLED_MS", 300)


def download(url: str, target: Path, sha256: str = HASH, size: int = SIZE) -> Download:
    network = QNetworkAccessManager()
    made = Download(network, url, target, sha256, size)
    network.setParent(made)
    return made


def succeed(qtbot: QtBot, url: str, target: Path, size: int = SIZE) -> list[tuple[int, int]]:
    """Downloads, and returns the progress that was reported."""
    progress: list[tuple[int, int]] = []
    running = download(url, target, size=size)
    running.progressed.connect(lambda received, total: progress.append((received, total)))
    with qtbot.waitSignal(running.finished):
        running.start()
    assert target.read_bytes() == CONTENT
    assert left_over(target) == ["file"]
    return progress


def fail(qtbot: QtBot, url: str, target: Path, size: int = SIZE) -> str:
    """Lets a download fail, and returns the sentence."""
    running = download(url, target, size=size)
    with qtbot.waitSignal(running.failed) as failed:
        running.start()
    return str(failed.args[0])


def left_over(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.glob("*"))


def ranges(server: Server) -> list[str]:
    """Returns what was asked for, one after the other; Qt may ask twice where it got no answer."""
    return [part for part, _ in groupby(part for _, part in server.asked)]


@pytest.fixture
def file(server: Server) -> Path:
    """The file that is served."""
    return write_file(server.folder / "file", CONTENT)


@pytest.mark.parametrize("size", [SIZE, 0])
def test_a_whole_file_is_kept(
    qtbot: QtBot, server: Server, file: Path, target: Path, size: int
) -> None:
    progress = succeed(qtbot, f"{server.address}/file", target, size)
    assert progress[-1] == (SIZE, SIZE)
    assert len(server.asked) == 1


@pytest.mark.parametrize("what", ["breaks-off", "redirects", "stalls", "shifts", "sends-on"])
@pytest.mark.parametrize("size", [SIZE, 0])
def test_it_comes_whole_all_the_same(
    qtbot: QtBot, server: Server, file: Path, target: Path, what: str, size: int
) -> None:
    progress = succeed(qtbot, f"{server.address}/{what}/file", target, size)
    assert progress[-1] == (SIZE, SIZE)


def test_only_the_rest_is_asked_for(qtbot: QtBot, server: Server, file: Path, target: Path) -> None:
    third = SIZE // 3 + 1
    succeed(qtbot, f"{server.address}/breaks-off/file", target)
    assert ranges(server) == ["", f"bytes={third}-", f"bytes={2 * third}-"]


@pytest.mark.parametrize("what", ["knows-no-ranges", "is-another-now", "mixes-files-up"])
def test_a_rest_that_does_not_fit_is_not_appended(
    qtbot: QtBot, server: Server, file: Path, target: Path, what: str
) -> None:
    succeed(qtbot, f"{server.address}/{what}/file", target)
    assert ranges(server)[:2] == ["", "bytes=5000-"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("wrong", "SHA-256"),
        ("nothing-here", "404"),
        ("forbids/file", "refuses"),
        ("fails/file", "500"),
        ("redirects-in-a-ring/file", "redirects too often"),
        ("sends-on-unannounced/file", "more than"),
        ("announces-more/file", "announces"),
    ],
)
def test_what_is_not_the_file_is_thrown_away(
    qtbot: QtBot, server: Server, file: Path, target: Path, path: str, words: str
) -> None:
    (server.folder / "wrong").write_bytes(CONTENT[:-1] + b"?")
    target.parent.mkdir()
    target.write_bytes(b"the old one")
    assert words in fail(qtbot, f"{server.address}/{path}", target)
    assert target.read_bytes() == b"the old one"
    assert left_over(target) == ["file"]


def test_no_answer(qtbot: QtBot, target: Path) -> None:
    assert "could not be reached" in fail(qtbot, "http://127.0.0.1:9/file", target)
    assert left_over(target) == []


def test_what_has_come_is_kept_for_the_next_time(
    qtbot: QtBot, server: Server, file: Path, target: Path
) -> None:
    sentence = fail(qtbot, f"{server.address}/breaks-off-each-time/file", target)
    assert f"broke off after 4,000 of {SIZE:,} bytes" in sentence
    assert left_over(target) == ["file.part"]
    server.asked.clear()
    succeed(qtbot, f"{server.address}/breaks-off/file", target)
    assert ranges(server)[0] == "bytes=4000-"


def test_a_part_that_fits_no_more_is_thrown_away(
    qtbot: QtBot, server: Server, file: Path, target: Path
) -> None:
    target.parent.mkdir()
    (target.parent / "file.part").write_bytes(b"?" * (SIZE - 10))
    succeed(qtbot, f"{server.address}/breaks-off/file", target)


def test_a_part_that_was_whole_needs_no_network(qtbot: QtBot, target: Path) -> None:
    target.parent.mkdir()
    (target.parent / "file.part").write_bytes(CONTENT)
    succeed(qtbot, "http://127.0.0.1:9/file", target)


def test_the_part_of_a_run_that_was_killed_is_taken_up(
    qtbot: QtBot, server: Server, file: Path, target: Path
) -> None:
    target.parent.mkdir()
    fresh, old = (target.parent / f".file.{sign * 16}.part" for sign in "0f")
    for path in (fresh, old):
        path.write_bytes(CONTENT[:7000])
    long_ago = old.stat().st_mtime - ABANDONED_S - 1
    os.utime(old, (long_ago, long_ago))
    running = download(f"{server.address}/breaks-off/file", target)
    with qtbot.waitSignal(running.finished):
        running.start()
    assert ranges(server)[0] == "bytes=7000-"
    assert left_over(target) == [fresh.name, "file"]


def test_cancelling_keeps_what_has_come(qtbot: QtBot, server: Server, target: Path) -> None:
    running = download(f"{server.address}/never-ends/file", target, size=0)
    with qtbot.waitSignal(running.progressed):
        running.start()
    with qtbot.waitSignal(running.cancelled), qtbot.assertNotEmitted(running.failed, wait=50):
        running.cancel()
    assert left_over(target) == ["file.part"]


def test_a_folder_that_cannot_be_made(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, no folder")
    running = download("http://127.0.0.1:9/file", tmp_path / "cache" / "file")
    with qtbot.waitSignal(running.failed) as failed:
        running.start()
    assert "TIKTOKEN_CACHE_DIR" in failed.args[0]


def test_a_proxy_is_asked_where_there_is_one(
    qtbot: QtBot, server: Server, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.address)
    url = "http://tokenizers.invalid/file"
    content = b"from the proxy: " + url.encode()
    running = download(url, target, hashlib.sha256(content).hexdigest(), 0)
    with qtbot.waitSignal(running.finished):
        running.start()
    assert target.read_bytes() == content


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "http://x.org/", ("", 0)),
        ({"https_proxy": "http://a:3128"}, "https://x.org/", ("a", 3128)),
        ({"https_proxy": "a:3128"}, "http://x.org/", ("", 0)),
        ({"all_proxy": "socks5://a"}, "https://x.org/", ("a", 1080)),
        ({"https_proxy": "a:3128", "no_proxy": "x.org"}, "https://x.org/", ("", 0)),
        ({"https_proxy": "a:3128", "no_proxy": "x.org"}, "https://y.org/", ("a", 3128)),
    ],
)
def test_the_proxy_of_an_address(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    url: str,
    proxy: tuple[str, int],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = proxy_for(url)
    assert (found.hostName(), found.port()) == proxy


def test_a_proxy_that_is_not_there(
    qtbot: QtBot, server: Server, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert "HTTPS_PROXY" in fail(qtbot, "http://tokenizers.invalid/file", target)


def test_no_more_is_taken_than_is_written(qtbot: QtBot, server: Server, target: Path) -> None:
    """A server that is faster than the disk waits: what was received does not pile up in memory."""
    running = download(f"{server.address}/floods/file", target, size=0)
    come: list[int] = []

    def dawdle(received: int, total: int) -> None:
        come.append(received)
        if len(come) == 1:
            time.sleep(0.3)
            server.sent.append(-sum(server.sent))  # what it could send meanwhile
            running.cancel()

    running.progressed.connect(dawdle)
    with qtbot.waitSignal(running.cancelled):
        running.start()
    (taken,) = (-count for count in server.sent if count < 0)
    assert taken < 32 << 20


def test_a_flood_is_cut_off(
    qtbot: QtBot, server: Server, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.work.download.LARGEST", 5_000_000)
    assert "more than the 5,000,000 bytes" in fail(
        qtbot, f"{server.address}/floods/file", target, size=0
    )
    (server.folder / "error").write_bytes(b"an error")
    assert "no longer a file" in fail(qtbot, f"{server.address}/floods/error", target, size=0)
    assert left_over(target) == []


@pytest.mark.parametrize("size", [SIZE, 0])
def test_a_disk_without_room_is_not_filled(
    qtbot: QtBot,
    server: Server,
    file: Path,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    size: int,
) -> None:
    usage = shutil.disk_usage(target.parents[1])
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=LEAST_FREE + 1000))
    sentence = fail(qtbot, f"{server.address}/file", target, size=size)
    assert "There is no room" in sentence
    assert str(target.parent) in sentence
    assert left_over(target) == []
