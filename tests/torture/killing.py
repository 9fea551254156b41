"""Processes that are killed in the middle of work: at the n-th file operation, or after some time."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from attack import ended, forked

FILE_EVENTS = frozenset(
    [
        "open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.utime",
        "os.chmod", "os.link", "os.symlink", "os.scandir", "os.listdir", "shutil.rmtree",
        "sqlite3.connect", "tempfile.mkstemp", "tempfile.mkdtemp", "fcntl.flock",
    ]
)  # fmt: skip
"""What Python says that it does with files: a process can be killed right before each of them."""

WRITING_EVENTS = FILE_EVENTS - {"open", "os.scandir", "os.listdir"}
"""Those that change files, beside an "open" to write: few of all, and each is a place where work can be torn."""

LONG_AGO_S = 3 * 24 * 60 * 60.0
Say = Callable[[str], None]


def make_moment(chance: Random, events: int, most_ms: int) -> dict[str, int]:
    """Returns when to kill: before the n-th file event, or the n-th that writes, or after some milliseconds."""
    kind = chance.random()
    if kind < 0.3:
        return {"event": chance.randrange(1, events)}
    if kind < 0.7:
        return {"writing": chance.randrange(1, 24)}
    return {"ms": chance.randrange(most_ms)}


def killed(work: Callable[[Say], object], moment: dict[str, int]) -> list[str]:
    """Runs work in a process of its own and kills it; returns the lines that it printed until then.

    The work may end by itself before, and says what it must not lose. An exception in it is raised here.
    """
    reader, writer = os.pipe()

    def run() -> None:
        os.close(reader)

        def say(line: str) -> None:
            os.write(writer, line.encode("utf-8", "surrogatepass") + b"\n")

        say("begun")
        if "ms" not in moment:
            _kill_at(moment.get("event", -1), moment.get("writing", -1))
        work(say)

    number = forked(run)
    os.close(writer)
    said = b""
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        if "ms" in moment:
            said = pipe.read(6)
            time.sleep(moment["ms"] / 1000)
            os.kill(number, signal.SIGKILL)
        while data := pipe.read(1 << 16):
            said += data
    code = ended(number)
    assert code in (0, -signal.SIGKILL), f"work that was to be killed ended with {code}"
    lines = said.decode("utf-8", "surrogatepass").split("\n")[:-1]
    return [line for line in lines if line != "begun"]


def _kill_at(events: int, writing: int) -> None:
    """Kills this process before so many events, or events that write; -1 for never."""
    left = [events, writing]

    def hook(name: str, args: tuple[Any, ...]) -> None:
        if name not in FILE_EVENTS:
            return
        left[0] -= 1
        if name in WRITING_EVENTS or (name == "open" and args[2] & (os.O_WRONLY | os.O_RDWR)):
            left[1] -= 1
        if 0 in left:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def age(folder: Path) -> None:
    """Makes all that is in a folder days old, as what a killed process left will be one day."""
    long_ago = time.time() - LONG_AGO_S
    for path in folder.rglob("*"):
        os.utime(path, (long_ago, long_ago), follow_symlinks=False)


def names_in(folder: Path) -> set[str]:
    """Returns the names of all files in a folder and below it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
