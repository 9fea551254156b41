"""What an attack is, how a case of it is written down, and how much of the machine it may take.

A case is plain values that are made of a random number alone: numbers, texts (half surrogate pairs too), bytes, lists
and dicts. So what failed is written as JSON, and runs again from there.
"""

from __future__ import annotations

import base64
import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

MEMORY = 1 << 30
"""Bytes that a case may take beside what the imports took."""

SECONDS = 10.0
"""Of processor time that a case may take."""

PATIENCE = 60.0
"""Seconds by the clock that a case may take: it may wait for something, and the machine may be busy."""

ROOT = Path(__file__).resolve().parents[2]
BYTES = "base64"
Case = dict[str, Any]


@dataclass(frozen=True)
class Attack:
    """One way to break it: ``make`` returns a case of a random number, ``run`` raises whatever is wrong with it.

    ``run`` returns one word on what happened ("refused", "held"), by which the cases are counted. ``seconds`` is the
    processor time that one case may take, ``patience`` the time by the clock.
    """

    name: str
    make: Callable[[Random], Case]
    run: Callable[[Case], str]
    seconds: float = SECONDS
    patience: float = PATIENCE


def chance_of(seed: int, name: str, number: int) -> Random:
    """Returns what a case is made of: the same for the same seed, attack and number on any machine."""
    return Random(f"{seed}/{name}/{number}")


def packed(value: Any) -> Any:
    """Returns a case as JSON holds it."""
    if isinstance(value, bytes):
        return {BYTES: base64.b64encode(value).decode()}
    if isinstance(value, (list, tuple)):
        return [packed(item) for item in value]
    if isinstance(value, dict):
        return {key: packed(item) for key, item in value.items()}
    return value


def unpacked(value: Any) -> Any:
    """Returns a case as it was before `packed`."""
    if isinstance(value, list):
        return [unpacked(item) for item in value]
    if isinstance(value, dict):
        if set(value) == {BYTES}:
            return base64.b64decode(value[BYTES])
        return {key: unpacked(item) for key, item in value.items()}
    return value


# What a case may take of the machine.


def limit_memory(more: int = MEMORY) -> None:
    """Lets this process take so many bytes more than it has; does nothing where a system knows no such limit."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError, ValueError):
        pass


# What is said of a case to the process that counts them.

_LISTENERS: list[Callable[[str], None]] = []


def listen(hear: Callable[[str], None]) -> None:
    """Registers a function that is called when a case enters another library, and when it leaves it."""
    _LISTENERS[:] = [hear]


@contextlib.contextmanager
def others() -> Iterator[None]:
    """The block runs another library: where the process ends or hangs in it, that is not our fault."""
    for hear in _LISTENERS:
        hear("others")
    try:
        yield
    finally:
        for hear in _LISTENERS:
            hear("ours")


def check_sentence(error: Exception) -> None:
    """Raises AssertionError where the message of an error is not readable."""
    said = str(error)
    whole = said.strip().endswith((".", ")", "…")) and "Traceback" not in said
    assert whole, f"{type(error).__name__} is no sentence: {said[:300]!r}"


_CHILDREN: set[int] = set()


def forked(work: Callable[[], object], lasting: bool = False) -> int:
    """Runs a function in a copy of this process, which ends with it; returns the copy's number to wait for.

    An uncaught exception becomes exit code 70, and its traceback goes to the error output. One that is not
    ``lasting`` is ended with the case that began it.
    """
    number = os.fork()
    if number:
        if not lasting:
            _CHILDREN.add(number)
        return number
    code = 70
    try:
        _CHILDREN.clear()
        signal.setitimer(signal.ITIMER_PROF, 2 * SECONDS)
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def ended(number: int) -> int:
    """Waits for a process and returns its exit code, negative for the signal that ended it."""
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    _CHILDREN.discard(number)
    return code


def end_children() -> None:
    """Ends the processes that a case left running."""
    for number in list(_CHILDREN):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
        ended(number)


def apart(work: Callable[[], object]) -> None:
    """Runs work in a process of its own to its end; AssertionError with what went wrong there."""
    reader, writer = os.pipe()

    def run() -> None:
        os.close(reader)
        try:
            work()
        except BaseException as error:
            report = f"{type(error).__name__} {error}\n{traceback.format_exc()}"
            os.write(writer, report.encode("utf-8", "backslashreplace")[:60_000])
            raise

    number = forked(run)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        report = pipe.read().decode("utf-8", "backslashreplace")
    code = ended(number)
    assert code == 0, (
        f"{report.partition(chr(10))[0] or f'a process of its own ended with {code}'}\n{report}"
    )
