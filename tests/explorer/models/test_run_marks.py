"""A run that ended unexpectedly is known by its mark, once; crashes in a row are counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from narrowed import there
from small_files import write_file

from tokenarium.models.run_marks import SHORT_S, RunMark


def die(folder: Path, log: str = "some-log") -> None:
    """Has a process begin its mark there, and end at once."""
    code = (
        "import os, sys; from pathlib import Path; from tokenarium.models.run_marks import RunMark;"
        f" mark = RunMark(Path({str(folder)!r})); mark.begin({log!r}); os._exit(1)"
    )
    path = os.pathsep.join(filter(None, sys.path))
    subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=False
    )


def test_a_run_that_ended_as_it_should_leaves_nothing(tmp_path: Path) -> None:
    mark = RunMark(tmp_path)
    assert mark.crashed() is None
    mark.begin("log")
    mark.end()
    mark.end()
    assert list(tmp_path.iterdir()) == []
    assert RunMark(tmp_path).crashed() is None


def test_a_run_that_still_runs_is_no_crash(tmp_path: Path) -> None:
    mark = RunMark(tmp_path)
    mark.begin("log")
    assert RunMark(tmp_path).crashed() is None
    mark.end()


def test_a_crash_is_noticed_once_and_counted_in_a_row(tmp_path: Path) -> None:
    die(tmp_path, "one")
    first = there(RunMark(tmp_path).crashed())
    assert (first.log, first.count) == ("one", 1)
    assert RunMark(tmp_path).crashed() is None
    die(tmp_path, "two")
    second = there(RunMark(tmp_path).crashed())
    assert (second.log, second.count) == ("two", 2)
    last = write_file(
        tmp_path / "crashes.json", json.dumps({"noticed": time.time() - SHORT_S - 1, "count": 2})
    )
    die(tmp_path)
    later = there(RunMark(tmp_path).crashed())
    assert later.count == 1
    good = RunMark(tmp_path)
    good.begin("log")
    good.end()
    assert not last.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"started": "x"}',
        b'{"started": 1e999, "log": 3}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_damaged_mark_is_a_crash_too(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "run-1-aa.json").write_bytes(content)
    (tmp_path / "crashes.json").write_bytes(content)
    crash = there(RunMark(tmp_path).crashed())
    assert crash.count == 1


def test_the_name_of_a_log_is_no_path(tmp_path: Path) -> None:
    mark = {"started": 1.0, "log": "../../etc/passwd"}
    (tmp_path / "run-1-aa.json").write_text(json.dumps(mark))
    crash = there(RunMark(tmp_path).crashed())
    assert crash.log == "passwd"


def test_where_nothing_can_be_written_nothing_happens(tmp_path: Path) -> None:
    blocked = write_file(tmp_path / "file", "")
    mark = RunMark(blocked / "under")
    mark.begin("log")
    assert mark.crashed() is None
    mark.end()
