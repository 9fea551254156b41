"""Functions that workers run in the tests, in a module that their process can import."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from tokenarium.models.progress_reporter import ProgressReporter, ReportProgress, stage
from tokenarium.work.bounded_process import READY
from tokenarium.work.child_process import end_with_parent
from tokenarium_core.errors import NotAvailable


def never_answers(pipe: Connection, _seconds: float, _megabytes: int) -> None:
    """Serves a `BoundedProcess`: reads requests, and works forever."""
    end_with_parent()
    pipe.send_bytes(READY)
    while True:
        pipe.recv_bytes()


def double(report: ProgressReporter, number: int) -> int:
    """Reports that it doubles, and returns twice a number."""
    report(stage("doubling", 0.5))
    return number * 2


def measure(report: ProgressReporter, texts: list[str], scale: int) -> int:
    """Returns the characters of some texts, times a number."""
    return scale * sum(map(len, texts))


def refuse(report: ProgressReporter) -> None:
    """Fails with a sentence."""
    raise NotAvailable("It is not here.")


class Unreadable:
    """A value that can be pickled but not unpickled."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Unreadable, ()


def return_unreadable(report: ProgressReporter) -> Unreadable:
    """Returns a result that the window cannot read."""
    return Unreadable("a result")


def stumble(report: ProgressReporter) -> None:
    """Fails because of a bug."""
    raise KeyError("what")


def die(report: ProgressReporter) -> None:
    """Ends the process."""
    os._exit(3)


def die_reporting(report: ProgressReporter) -> None:
    """Ends the process in the middle of a message."""
    os.write(report._pipe.fileno(), struct.pack("!i", 1000) + b"the beginning")
    os._exit(3)


def die_asked(report: ProgressReporter) -> None:
    """Ends the process when asked to stop, without reading the question."""
    report(os.getpid())
    while not report._pipe.poll():
        time.sleep(0.01)
    os._exit(3)


def sleep(report: ProgressReporter) -> None:
    """Reports its process, and never ends."""
    report(os.getpid())
    time.sleep(600)


def starve(report: ProgressReporter) -> None:
    """Runs out of memory."""
    raise MemoryError


def count_on(report: ProgressReporter) -> int:
    """Counts until it is asked to stop; returns the count."""
    number = 0
    while not report.asked_to_stop:
        number += 1
        report(number)
        time.sleep(0.01)
    return number


def snapshot_folder() -> list[str]:
    """Returns the parts of the folder of a repository's file."""
    return [os.environ["HF_HUB_CACHE"], "models--owner--small", "snapshots", "c"]


def fetch(report: ReportProgress, name: str) -> Path:
    """Replaces hub.fetch: one repository is gated, one never comes."""
    report(stage(f"Getting {name}"))
    if name == "owner/none":
        raise NotAvailable("It is gated.")
    if name == "owner/slow":
        time.sleep(600)
    return Path(name.replace("owner", "/".join(snapshot_folder()), 1)).parent


def keep_saving(folder: Path, first: int) -> None:
    """Saves one tokenizer after another into a store, without end."""
    from tokenarium.models.training.store import Store, Trained

    store = Store(folder)
    for number in range(first, first + 1_000_000):
        trained = Trained(str(number), "bpe", {"n": number}, {}, "", ".json", 1, "0")
        store.save(trained, str(number).encode() * 200_000)


def hold_the_interpreter() -> None:
    """Computes for a minute, like compiled code that holds the interpreter."""
    ctypes.PyDLL(None).sleep(60)


def hold_on(report: ProgressReporter) -> None:
    """Reports its process, and holds the interpreter."""
    report(os.getpid())
    hold_the_interpreter()


def start_worker() -> None:
    """Runs `hold_on` by a worker, as a window does, and prints its process."""
    from PySide6.QtCore import QCoreApplication

    from tokenarium.work.worker import Worker

    app = QCoreApplication([])
    worker = Worker(hold_on)
    worker.progressed.connect(lambda process: print(process, flush=True))
    worker.start()
    app.exec()


def start_opener() -> None:
    """Starts the opener on a file that takes a minute, and prints its process."""
    _start("open_slowly")


def _start(function: str) -> None:
    code = f"import worker_functions; worker_functions.{function}()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    print(process.pid, flush=True)
    time.sleep(60)


def open_slowly() -> None:
    """Opens a file that takes a minute."""
    import tokenarium_core
    from tokenarium.work import opening_worker

    def hold(*_: object, **__: object) -> None:
        print("begun", flush=True)
        hold_the_interpreter()

    tokenarium_core.open = hold  # type: ignore[assignment]
    opening_worker.main("vocab.json")


def start_watched() -> None:
    """Starts a process that only a shell watches, and prints its number."""
    _start("hold_watched")


def hold_watched() -> None:
    """Behaves like a system that cannot end a process with its parent."""
    from tokenarium.work import child_process

    child_process._ask_the_kernel = lambda: False
    child_process.end_with_parent()
    print("begun", flush=True)
    hold_the_interpreter()


def end_at_once(pipe: object, seconds: float, megabytes: int) -> None:
    """A process with limits that cannot start."""
    raise SystemExit(3)
