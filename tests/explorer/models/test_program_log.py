"""The log: lines of a fixed form, limited in size, a file for each process, and harmless where it cannot be written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_files import write_file

from tokenarium.models.files import log_folder
from tokenarium.models.program_log import (
    ERROR,
    KEPT,
    KEPT_S,
    LARGEST,
    begin_log,
    end_watch,
    fault_path,
    log,
    log_files,
    log_path,
    sweep_logs,
    tail_of,
    watch_faults,
)

pytestmark = pytest.mark.usefixtures("own_log")


def test_lines_have_a_time_and_a_level() -> None:
    log("not begun")
    begin_log(lambda: "start\nmore: 1")
    log("wrong", ERROR)
    lines = log_path().read_text("utf-8").splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} INFO    start", lines[0])
    assert lines[1] == "    more: 1"
    assert lines[2].endswith(" ERROR   wrong")
    assert len(lines) == 3


def test_errors_are_written_even_where_it_has_not_begun() -> None:
    log("wrong", ERROR)
    assert "wrong" in log_path().read_text("utf-8")


def test_nothing_can_pass_for_a_line_of_its_own_or_reach_a_terminal() -> None:
    begin_log(lambda: "a\r\x1b[2J\x00\n2026-01-01 00:00:00.000 ERROR   b\ud800\u202e")
    text = log_path().read_text("utf-8")
    assert len(re.findall(r"^\d{4}", text, re.MULTILINE)) == 1
    assert not set(text) & set("\r\x1b\x00")


def test_it_does_not_grow_for_ever() -> None:
    begin_log(lambda: "start")
    for number in range(400):
        log(f"{number} {'x' * 2000}")
    files = [path for path in log_folder().iterdir() if path.name.startswith(log_path().name)]
    assert len(files) == 2
    assert all(path.stat().st_size <= LARGEST for path in files)
    tail = tail_of(log_path(), 100_000)
    assert tail.rstrip().endswith("x")
    assert "399 x" in tail
    assert re.match(r"\d{4}-", tail)


def test_where_nothing_can_be_written_nothing_happens(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = write_file(tmp_path / "file", "")
    monkeypatch.setenv("TOKENARIUM_DATA", str(blocked / "under"))
    begin_log(lambda: "start")
    log("wrong", ERROR)
    watch_faults()
    end_watch()
    sweep_logs()
    assert log_files() == []
    assert tail_of(log_path()) == ""


def test_old_logs_go() -> None:
    folder = log_folder()
    folder.mkdir(parents=True)
    now = time.time()
    for number in range(KEPT + 5):
        path = write_file(folder / f"tokenarium-20260101-0000{number:02}-{number + 10}.log", "x")
        os.utime(path, (now - 7200, now - 7200))
    recent = write_file(
        folder / "tokenarium-20250101-000000-5.log", "of a process that still writes"
    )
    ancient = write_file(folder / "tokenarium-20270101-000000-6.fault", "x")
    os.utime(ancient, (now - KEPT_S - 60, now - KEPT_S - 60))
    other = write_file(folder / "notes.txt", "not ours")
    begin_log(lambda: "start")
    sweep_logs()
    left = {path.name for path in folder.iterdir()}
    assert {recent.name, other.name, log_path().name} <= left
    assert ancient.name not in left
    assert len(left) <= KEPT + 3


def test_processes_write_files_of_their_own() -> None:
    code = "from tokenarium.models.program_log import begin_log, log\nbegin_log(lambda: 'start')\nfor n in range(200): log(f'line {n}')"
    running = [subprocess.Popen([sys.executable, "-c", code], env=_with_path()) for _ in range(2)]
    assert [one.wait() for one in running] == [0, 0]
    files = log_files()
    assert len(files) == 2
    for path in files:
        assert path.read_text("utf-8").count("line ") == 200


def _with_path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("end", ["faulthandler._sigsegv()", "os.abort()"])
def test_an_end_in_compiled_code_leaves_a_trace(end: str) -> None:
    code = f"import os, faulthandler\nfrom tokenarium.models.program_log import stem, watch_faults\nwatch_faults()\nprint(stem(), flush=True)\n{end}"
    run = subprocess.run(
        [sys.executable, "-c", code], env=_with_path(), capture_output=True, text=True, check=False
    )
    assert run.returncode < 0
    assert "most recent call first" in fault_path(run.stdout.strip()).read_text("utf-8")


def test_the_file_for_a_trace_goes_where_all_is_well() -> None:
    code = "from tokenarium.models.program_log import end_watch, fault_path, watch_faults\nwatch_faults()\nassert fault_path().exists()\nend_watch()\nassert not fault_path().exists()"
    subprocess.run([sys.executable, "-c", code], env=_with_path(), check=True)


@pytest.mark.slow
def test_the_start_of_a_window_does_without_the_slow_part_of_logging() -> None:
    code = "import sys, tokenarium.app.start\nprint('logging.handlers' in sys.modules, 'importlib.metadata' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], env=_with_path(), capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["False", "False"]
