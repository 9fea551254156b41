"""The program's own files, as something else: pipes, devices, folders, links, huge ones, and ones with any content."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from attack import Attack, Case, apart, check_sentence
from planting import fail_inside, instead, patched
from PySide6.QtCore import QCoreApplication

import tokenarium_core as tc
from tokenarium.models.files import write_whole
from tokenarium.models.lessons.lesson import LessonError, read_lesson
from tokenarium.models.program_log import tail_of
from tokenarium.models.run_marks import RunMark
from tokenarium.models.scene_store import RecentEntry, SceneStore
from tokenarium.models.tokenizers.trials import Trials
from tokenarium.models.training.store import Store
from tokenarium.session import settings
from tokenarium_core.errors import TokenariumError
from tokenarium_core.plain_files import read_file

KINDS = [
    "pipe",
    "socket",
    "device",
    "folder",
    "huge",
    "link to a pipe",
    "broken link",
    "circle",
    "bytes",
]
CONTENTS = [
    b"",
    b"\0" * 100,
    b"\xff\xfe\xfd",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"null",
    b'{"tokenarium": 1, "text": {"file": "a\\u0000b"}}',
    b'{"noticed": "x", "count": []}',
    b'{"noticed": 1e999, "count": 1e999}',
    b'[{"kind": "text", "title": "\\ud800"}]',
    b"9" * 5000,
    b"SQLite format 3\0" + b"x" * 500,
    b"[General]\nx=@Variant(\\0\\0\\0\\x7f\\xff)\n",
]
HUGE = 3 << 30
SHORT = 8 << 20
"""More than a small file may have, with little to read where a bound is missing."""


def _recent(folder: Path) -> None:
    store = SceneStore(folder)
    store.recent()
    try:
        store.add_recent(RecentEntry("text", "new", text="new"))
    except OSError:
        return
    assert store.recent()[:1] == [RecentEntry("text", "new", text="new")], "what is new is not kept"


def _last(folder: Path) -> None:
    store = SceneStore(folder)
    store.claim()
    store.leave()
    store.last()


def _marks(folder: Path) -> None:
    mark = RunMark(folder)
    mark.begin("log")
    crash = mark.crashed()
    assert crash is None or crash.count >= 1
    mark.end()


def _settings(folder: Path) -> None:
    apart(lambda: _use_settings(folder))  # Qt asks for its folder once in a process


def _use_settings(folder: Path) -> None:
    os.environ["XDG_CONFIG_HOME"] = str(folder.absolute())
    QCoreApplication.setOrganizationName("Owned")
    QCoreApplication.setApplicationName("Owned")
    kept = settings.Settings()
    kept.get(settings.LESSONS_SEEN)
    kept.set(settings.AUTHOR, "me")
    kept.write()


OWNED: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "recent": ("recent.json", _recent),
    "session": ("last.tokenarium", _last),
    "lock of the session": ("window.lock", _last),
    "crashes": ("crashes.json", _marks),
    "mark": ("run-1-00000000.json", _marks),
    "lock of a mark": ("run-1-00000000.lock", _marks),
    "trial": ("trial-1-00000000.txt", lambda folder: Trials(folder).left()),
    "index": ("index.sqlite", lambda folder: Store(folder).all()),
    "journal of the index": ("index.sqlite-journal", lambda folder: Store(folder).all()),
    "settings": ("Owned/Owned.conf", _settings),
    "settings of the owner": ("Owned.conf", _settings),
    "log": ("x.log", lambda folder: tail_of(folder / "x.log")),
    "lesson": ("x.md", lambda folder: read_lesson(folder / "x.md")),
    "tokenizer": ("x.json", lambda folder: tc.open(folder / "x.json", cache=folder)),
}
"""What reads each file as the program does by itself."""


def make_files(chance: Random) -> Case:
    """Returns a file of the program's own, and what is in its place."""
    return {
        "file": chance.choice(list(OWNED)),
        "kind": chance.choice([*KINDS, "bytes", "bytes"]),
        "content": chance.choice(CONTENTS),
        "cut": chance.randrange(40) if chance.random() < 0.2 else None,
    }


def run_files(case: Case) -> str:
    """Reads it as at a start, twice: it counts as damaged, or as none, and nothing waits for it."""
    name, read = OWNED[case["file"]]
    folder = Path("own").absolute()
    path = folder / name
    path.parent.mkdir(parents=True)
    put(path, case["kind"], case["content"][: case["cut"]])
    word = "read"
    for _ in range(2):
        try:
            read(folder)
        except (TokenariumError, LessonError) as error:
            check_sentence(error)
            word = "refused"
        except OSError as error:
            assert error.strerror, "an OSError with no reason"  # noqa: PT017
            word = "refused"
    return word


def put(path: Path, kind: str, content: bytes) -> None:
    """Makes something in the place of a file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link to a pipe":
        os.mkfifo(f"{path}.pipe")
        path.symlink_to(f"{path}.pipe")
    elif kind == "socket":
        before = Path.cwd()
        os.chdir(path.parent)  # its path may not be long
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(path.name)
        os.chdir(before)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "broken link":
        path.symlink_to(path.with_name("nowhere"))
    elif kind == "circle":
        path.symlink_to(path.name)
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(HUGE)
    else:
        path.write_bytes(content)


def make_bounds(chance: Random) -> Case:
    """Returns a size, and how much may be read."""
    most = chance.choice([0, 1, 100, 1 << 20])
    return {"most": most, "size": max(0, most + chance.choice([-1, 0, 1, 5, SHORT]))}


def run_bounds(case: Case) -> str:
    """Reads a file up to a bound: all of it, or nothing."""
    path = Path("file")
    with path.open("wb") as file:
        file.truncate(case["size"])
    try:
        content = read_file(path, case["most"])
    except OSError:
        assert case["size"] > case["most"], "a file that fits is refused"
        return "refused"
    assert len(content) == case["size"] <= case["most"], "it reads more than fits, or not all"
    return "read"


def make_links(chance: Random) -> Case:
    """Returns what leads to the file that is written, its mode, and how it is written."""
    return {
        "links": chance.randrange(4),
        "relative": chance.random() < 0.5,
        "there": chance.random() < 0.7,
        "mode": chance.choice([0o600, 0o644, 0o640, 0o755, 0o444]),
        "times": chance.choice([1, 2, 3]),
    }


def run_links(case: Case) -> str:
    """Writes through links: they stay, what they lead to is written and keeps its mode, and nothing else is left."""
    top, inner = Path("top").absolute(), Path("inner").absolute()
    top.mkdir()
    inner.mkdir()
    target = inner / "file"
    if case["there"]:
        target.write_bytes(b"old")
        target.chmod(case["mode"])
    path = target
    for number in range(case["links"]):
        link = top / f"link{number}"
        link.symlink_to(os.path.relpath(path, top) if case["relative"] else path)
        path = link
    for number in range(case["times"]):
        write_whole(path, f"text {number}")
        assert target.exists(), "what a link leads to is not written"
        assert target.read_text() == f"text {number}", "what a link leads to is not written"
    for number in range(case["links"]):
        assert (top / f"link{number}").is_symlink(), "a link is replaced"
    if case["there"]:
        assert target.stat().st_mode & 0o777 == case["mode"], "the mode is not kept"
    assert len(os.listdir(top)) == case["links"], "something is left"
    assert os.listdir(inner) == ["file"], "something is left"
    return "through links" if case["links"] else "plain"


def _replace(path: Path, text: str) -> None:
    """Writes a file as it must not be written: a link is replaced."""
    path.unlink(missing_ok=True)
    path.write_text(text)


HERE = sys.modules[__name__]

ATTACKS = [
    Attack(
        "owned-files",
        make_files,
        run_files,
        patience=20.0,
        planted={
            "A PLANTED FAULT": patched("tokenarium.models.scene_store.read_file", fail_inside)
        },
    ),
    Attack(
        "owned-bounds",
        make_bounds,
        run_bounds,
        planted={
            "it reads more than fits": instead(
                HERE, "read_file", lambda _: lambda path, most: Path(path).read_bytes()
            )
        },
    ),
    Attack(
        "owned-links",
        make_links,
        run_links,
        planted={
            "what a link leads to is not written": instead(HERE, "write_whole", lambda _: _replace)
        },
    ),
]
