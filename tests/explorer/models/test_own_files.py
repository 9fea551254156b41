"""Own files that are something else: what is there is renamed, and the program goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from narrowed import there
from PySide6.QtCore import QCoreApplication, QSettings
from small_files import write_file

from tokenarium.models.files import make_way
from tokenarium.models.process_lock import ProcessLock
from tokenarium.models.run_marks import RunMark
from tokenarium.models.scene import Scene
from tokenarium.models.scene_store import RecentEntry, SceneStore
from tokenarium.models.text.text_file import TextFileError, read_text
from tokenarium.models.training.store import Store
from tokenarium.session import settings
from tokenarium.session.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")

KINDS = ["pipe", "folder", "device", "large"]


def put(path: Path, kind: str) -> None:
    """Makes something in the place of a file. Nothing writes to the pipe: to open it would wait for ever."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(3 << 30)


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_a_file_of_ours_makes_way(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "own"
    assert make_way(path)
    put(path, kind)
    assert make_way(path)
    assert os.listdir(tmp_path) == ["own.damaged"]
    path.write_bytes(b"x" * 10)
    assert make_way(path, 10)
    assert path.exists()


def recent(folder: Path) -> None:
    SceneStore(folder).add_recent(RecentEntry("text", "new", text="new"))
    assert [one.title for one in SceneStore(folder).recent()] == ["new"]


def session(folder: Path) -> None:
    store = SceneStore(folder)
    store.claim()
    store.keep(Scene(workspace="bytes"), b"", "", "", 100)
    assert store.last() is not None
    store.leave()


def crashes(folder: Path) -> None:
    mark = write_file(folder / "run-1-00000000.json", '{"started": 1, "log": "x"}')
    for count in (1, 2):
        mark.write_text('{"started": 1, "log": "x"}')
        crash = there(RunMark(folder).crashed())
        assert crash.count == count


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("recent.json", recent),
        ("window.lock", session),
        ("crashes.json", crashes),
        ("run-1-00000000.lock", crashes),
        ("index.sqlite", lambda folder: Store(folder).all()),
        ("index.sqlite-journal", lambda folder: Store(folder).all()),
    ],
)
def test_the_program_goes_on_without_it(
    name: str, use: Callable[[Path], object], kind: str, tmp_path: Path
) -> None:
    if name.startswith("index.sqlite-") and kind == "large":
        pytest.skip("SQLite looks at its beginning alone")
    put(tmp_path / name, kind)
    use(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["Owner/App.conf", "Owner.conf"])
def test_settings_start_with_the_defaults(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "darwin":
        pytest.skip("the system keeps them")
    folder = Path(QSettings("Owner", "App").fileName()).parents[
        1
    ]  # Qt asks for it once in a process
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    owner = f"Owner{os.getpid()}{kind}"
    path = folder / name.replace("Owner", owner)
    monkeypatch.setattr(QCoreApplication, "organizationName", lambda: owner)
    monkeypatch.setattr(QCoreApplication, "applicationName", lambda: "App")

    class Named(QSettings):
        def __init__(self) -> None:
            super().__init__(owner, "App")

    monkeypatch.setattr(settings, "QSettings", Named)
    put(path, kind)
    kept = Settings()
    assert kept.get(settings.AUTHOR) == settings.AUTHOR.default
    kept.set(settings.AUTHOR, "me")
    assert kept.write()
    assert path.with_name(f"{path.name}.damaged").exists()
    for one in (path.with_name(f"{path.name}.damaged"), folder / owner / "App.conf"):
        one.rmdir() if one.is_dir() and not one.is_symlink() else one.unlink()


@pytest.mark.parametrize("content", [b"", b"null", b"9" * 5000, b"-3\nx\n", b"\0" * 50])
def test_a_lock_that_names_no_process_is_not_held(content: bytes, tmp_path: Path) -> None:
    path = write_file(tmp_path / "window.lock", content)
    lock = ProcessLock(path)
    assert lock.take()
    assert ProcessLock(path).take() is False
    lock.release()


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_that_no_file_can_have_is_said(name: str) -> None:
    with pytest.raises(TextFileError, match=r"cannot be read: no file can have this name\."):
        read_text(Path(name))
