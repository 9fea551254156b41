"""Downloads against a server of our own: whole, wrong, cut off, refused and cancelled."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from PySide6.QtNetwork import QNetworkAccessManager
from pytestqt.qtbot import QtBot

from tokenarium.download import Download

CONTENT = bytes(range(256)) * 4000
HASH = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where the download is to lie, in a folder that is not there yet."""
    return tmp_path / "cache" / "file"


def download(url: str, target: Path, sha256: str = HASH) -> Download:
    network = QNetworkAccessManager()
    made = Download(network, url, target, sha256)
    network.setParent(made)
    return made


def left_over(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.glob("*"))


def test_a_whole_file_is_kept(qtbot: QtBot, served: str, tmp_path: Path, target: Path) -> None:
    (tmp_path / "served" / "file").write_bytes(CONTENT)
    told: list[tuple[int, int]] = []
    running = download(f"{served}/file", target)
    running.progressed.connect(lambda received, total: told.append((received, total)))
    with qtbot.waitSignal(running.finished, timeout=10_000):
        running.start()
    assert target.read_bytes() == CONTENT
    assert left_over(target) == ["file"]
    assert told[-1] == (len(CONTENT), len(CONTENT))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("file", "SHA-256"),
        ("nothing-here", "404"),
        ("breaks-off", "broke off"),
    ],
)
def test_what_is_not_the_file_is_thrown_away(
    qtbot: QtBot, served: str, tmp_path: Path, target: Path, path: str, words: str
) -> None:
    (tmp_path / "served" / "file").write_bytes(CONTENT[:-1] + b"?")
    target.parent.mkdir()
    target.write_bytes(b"the old one")
    running = download(f"{served}/{path}", target)
    with qtbot.waitSignal(running.failed, timeout=10_000) as failed:
        running.start()
    assert words in failed.args[0]
    assert target.read_bytes() == b"the old one"
    assert left_over(target) == ["file"]


def test_nobody_answers(qtbot: QtBot, target: Path) -> None:
    running = download("http://127.0.0.1:9/file", target)
    with qtbot.waitSignal(running.failed, timeout=10_000) as failed:
        running.start()
    assert "could not be reached" in failed.args[0]
    assert left_over(target) == []


def test_cancelling_leaves_nothing(qtbot: QtBot, served: str, target: Path) -> None:
    running = download(f"{served}/never-ends", target)
    with qtbot.waitSignal(running.progressed, timeout=10_000):
        running.start()
    with qtbot.waitSignal(running.cancelled), qtbot.assertNotEmitted(running.failed, wait=50):
        running.cancel()
    assert left_over(target) == []


def test_a_folder_that_cannot_be_made(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, no folder")
    running = download("http://127.0.0.1:9/file", tmp_path / "cache" / "file")
    with qtbot.waitSignal(running.failed) as failed:
        running.start()
    assert "TIKTOKEN_CACHE_DIR" in failed.args[0]
