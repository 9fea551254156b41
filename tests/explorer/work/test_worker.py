"""Work in a process of its own: its progress, ends of every kind, and cancelling."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from worker_functions import (
    count_on,
    die,
    die_asked,
    die_reporting,
    double,
    measure,
    refuse,
    return_unreadable,
    sleep,
    starve,
    stumble,
)

from tokenarium.work import worker
from tokenarium.work.worker import Worker

HELPERS = Path(__file__).parents[2] / "helpers"


def is_gone(process: int) -> bool:
    """Whether a process has ended, also where nothing has yet asked how (it is a zombie then)."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return state == "Z"


def test_what_it_reports_and_returns(qtbot: QtBot) -> None:
    worker = Worker(double, 21)
    heard: list[object] = []
    worker.progressed.connect(heard.append)
    with qtbot.waitSignal(worker.finished) as finished:
        worker.start()
        assert worker.running
    assert finished.args == [42]
    assert [str(one) for one in heard] == ["Progress('doubling', 500/1000, finished=False)"]
    assert not worker.running


@pytest.mark.parametrize("size", [0, 10, worker.SMALL + 1, 2_000_000])
@pytest.mark.parametrize("cancelled", [False, True])
def test_arguments_of_any_size_are_handed_over(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, cancelled: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    worker = Worker(measure, ["a" * size, "b"], 3)
    with qtbot.waitSignal(worker.cancelled if cancelled else worker.finished) as ended:
        worker.start()
        if cancelled:
            worker.cancel()
    assert ended.args == ([] if cancelled else [3 * (size + 1)])
    assert not list(tmp_path.glob("*.request"))


def test_a_disk_without_room_for_the_arguments_is_reported(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_to_write(**_: object) -> tuple[int, str]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "mkstemp", refuse_to_write)
    failing = Worker(measure, ["a" * 100_000], 3)
    with qtbot.waitSignal(failing.failed) as failed:
        failing.start()
    assert failed.args[0] == f"There is no room to begin: {os.strerror(errno.ENOSPC)}."
    assert not failing.running


FRAMED_BY_US = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows frames its messages itself"
)


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (refuse, "It is not here."),
        (stumble, "KeyError"),
        (die, "exit code 3"),
        (starve, "not enough memory"),
        (return_unreadable, "TypeError"),
        pytest.param(
            die_reporting, "exit code 3", marks=FRAMED_BY_US
        ),  # in the middle of a message
    ],
)
def test_what_goes_wrong_is_reported(qtbot: QtBot, work: Callable[..., None], words: str) -> None:
    worker = Worker(work)
    with qtbot.waitSignal(worker.failed) as failed:
        worker.start()
    assert words in failed.args[0]
    assert not worker.running


def test_a_process_that_ends_before_it_reads_a_question_is_reported(qtbot: QtBot) -> None:
    worker = Worker(die_asked)
    with qtbot.waitSignal(worker.progressed):
        worker.start()
    with qtbot.waitSignal(worker.failed) as failed:
        worker.ask_to_stop()
    assert "exit code 3" in failed.args[0]
    assert not worker.running


def test_a_system_that_starts_no_process_is_reported(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_to_start(process: BaseProcess) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(BaseProcess, "start", refuse_to_start)
    worker = Worker(sleep)
    with qtbot.waitSignal(worker.failed) as failed, qtbot.assertNotEmitted(worker.cancelled):
        worker.start()
        worker.cancel()  # does nothing: it does not run
    assert os.strerror(errno.EAGAIN) in failed.args[0]
    assert not worker.running


def test_cancelling_ends_the_process(qtbot: QtBot) -> None:
    worker = Worker(sleep)
    with qtbot.waitSignal(worker.progressed) as heard:
        worker.start()
    cancelled: list[None] = []
    worker.cancelled.connect(lambda: cancelled.append(None))
    with qtbot.assertNotEmitted(worker.finished, wait=50):
        worker.cancel()
        assert len(cancelled) == 1  # at once: it does not wait for the process
    qtbot.waitUntil(lambda: is_gone(heard.args[0]))
    worker.cancel()  # once more does nothing


def test_work_that_is_asked_to_stop_hands_over_what_it_has(qtbot: QtBot) -> None:
    worker = Worker(count_on)
    with qtbot.waitSignal(worker.progressed):
        worker.start()
    with qtbot.waitSignal(worker.finished) as finished:
        worker.ask_to_stop()
    assert finished.args[0] > 0


def test_work_that_does_not_stop_is_cancelled(qtbot: QtBot) -> None:
    worker = Worker(sleep)
    with qtbot.waitSignal(worker.progressed):
        worker.start()
    with qtbot.waitSignal(worker.cancelled):
        worker.ask_to_stop(patience_ms=50)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_work_that_is_killed_is_reported_with_its_reason(qtbot: QtBot) -> None:
    worker = Worker(sleep)
    with qtbot.waitSignal(worker.progressed) as heard:
        worker.start()
    with qtbot.waitSignal(worker.failed) as failed:
        os.kill(heard.args[0], signal.SIGKILL)
    assert "SIGKILL" in failed.args[0]
    assert "memory" in failed.args[0]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
@pytest.mark.parametrize("start", ["start_worker", "start_opener", "start_watched"])
def test_no_process_outlives_the_one_that_started_it(qtbot: QtBot, start: str) -> None:
    code = f"import worker_functions; worker_functions.{start}()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HELPERS), *sys.path])}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert not is_gone(child)
        parent.kill()
    qtbot.waitUntil(lambda: is_gone(child))


def test_all_that_starts_a_process_has_it_end_with_this_one() -> None:
    """A worker process calls `end_with_parent` itself; whoever starts one says there, by its name, that it does."""
    package = Path(worker.__file__).parents[1]
    starts = re.compile(
        r"QProcess\(|\.Process\(|Popen\(|subprocess\.run\(|os\.fork\(|startDetached"
    )
    texts = [(path, path.read_text("utf-8")) for path in package.rglob("*.py")]
    found = {path.name: text for path, text in texts if starts.search(text)}
    assert {"worker.py", "opener.py"} <= set(found)
    assert [name for name, text in found.items() if "end_with_parent" not in text] == []
