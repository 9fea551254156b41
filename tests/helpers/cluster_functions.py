"""Functions that workers of a cluster run in the tests, and therefore import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tokenarium_core import TokenariumError

Report = Callable[[int], object]


def squared(item: int, report: Report) -> int:
    report(item)
    if item == 3:
        raise TokenariumError("Three is not possible.")
    return item * item


def killed_once(item: str, report: Report) -> int:
    """Ends its process at the first try."""
    mark = Path(item)
    if not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return int(mark.read_text()) != os.getpid()


def always_killed(item: str, report: Report) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def slow(item: int, report: Report) -> int:
    time.sleep(0.05)
    return item


def process(item: int, report: Report) -> int:
    """Returns the id of the process that runs it."""
    return os.getpid()


def environment_of(name: str, progressed: Callable[[int], object]) -> str:
    """Returns an environment variable with which the worker was started."""
    return os.environ.get(name, "")
