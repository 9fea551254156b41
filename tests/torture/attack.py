"""What an attack is, how a case of it is written down, and how much of the machine it may take.

A case is plain values that are made of a random number alone: numbers, texts (half surrogate pairs too), bytes, lists
and dicts. So what failed is written as JSON, and runs again from there.
"""

from __future__ import annotations

import base64
import contextlib
import os
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import IO, Any

with contextlib.suppress(ImportError):
    import resource

MEMORY = 1 << 30
"""Bytes that a case may take beside what the imports took."""

SECONDS = 10.0
"""Of processor time that a case may take."""

PATIENCE = 60.0
"""Seconds that a case may wait for something; for a processor it may wait longer, since the machine may be busy."""

ROOT = Path(__file__).resolve().parents[2]
TESTS = str(ROOT / "tests")
BYTES = "base64"
Case = dict[str, Any]
Fault = Callable[[], AbstractContextManager[object]]
"""What makes a block in which the program is wrong."""


@dataclass(frozen=True)
class Attack:
    """One way to break it: ``make`` returns a case of a random number, ``run`` raises whatever is wrong with it.

    ``run`` returns one word on what happened ("refused", "held"), by which the cases are counted. ``seconds`` is the
    processor time that one case may take, ``patience`` the time that it may wait. ``planted`` are faults of the program
    that the attack has to find (see `planting`), by words of what it says of them: what never fails shows nothing.
    """

    name: str
    make: Callable[[Random], Case]
    run: Callable[[Case], str]
    seconds: float = SECONDS
    patience: float = PATIENCE
    planted: Mapping[str, Fault] = field(default_factory=dict)


ENDLESS = "takes more than"
"""What is said of a case that takes more than its processor time; the words of a planted fault that never ends."""


def seconds_of(attack: Attack, fault: str = "") -> float:
    """Returns the processor time that a case may take: a fifth of it, if all of it would go into a planted fault."""
    return attack.seconds / 5 if fault == ENDLESS else attack.seconds


class SuiteError(Exception):
    """The suite itself failed, so that a case has shown nothing; the message has the traceback where it is another process's."""


def is_own(error: BaseException) -> bool:
    """Returns whether an error is the suite's own: raised by a line of the tests, and no verdict on a case.

    So is a call of what is gone, or of other arguments than it takes. What a verdict is raises AssertionError or a
    class of the tests.
    """
    if isinstance(error, SuiteError):
        return True
    if isinstance(error, (AssertionError, MemoryError)) or not isinstance(error, Exception):
        return False
    if type(error).__module__.partition(".")[0] not in ("builtins", "json", "struct"):
        return False
    lines = list(traceback.walk_tb(error.__traceback__))
    return bool(lines) and lines[-1][0].f_code.co_filename.startswith(TESTS)


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
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (NameError, OSError, ValueError):
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


OWN_CODE = 71
_CHILDREN: dict[int, IO[bytes]] = {}
"""What is to be waited for, and what each says of its end."""


def memory_file() -> IO[bytes]:
    """Returns a new file without a name: in memory where that exists, since a disk may be full."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("torture"), "w+b")
    return tempfile.TemporaryFile()


def forked(work: Callable[[], object], lasting: bool = False) -> int:
    """Runs a function in a copy of this process, which ends with it; returns the copy's number to wait for.

    An uncaught exception becomes exit code 70, or `OWN_CODE` for one of the suite's own. One that is not ``lasting`` is
    ended with the case that began it.
    """
    report = memory_file()
    number = os.fork()
    if number:
        if lasting:
            report.close()
        else:
            _CHILDREN[number] = report
        return number
    code = 70
    try:
        _CHILDREN.clear()
        signal.setitimer(signal.ITIMER_PROF, 2 * SECONDS)
        work()
        code = 0
    except BaseException as error:
        code = OWN_CODE if is_own(error) else 70
        said = f"{type(error).__name__} {error}\n{traceback.format_exc()}"
        report.write(said.encode("utf-8", "backslashreplace")[:60_000])
        report.flush()
    finally:
        os._exit(code)


def ended(number: int) -> int:
    """Waits for a process and returns its exit code, negative for the signal that ended it; SuiteError for one of the suite's own."""
    return _ended(number)[0]


def _ended(number: int) -> tuple[int, str]:
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    with _CHILDREN.pop(number) as report:
        report.seek(0)
        said = report.read().decode("utf-8", "replace")
    if code == OWN_CODE:
        raise SuiteError(said)
    return code, said


def end_children() -> None:
    """Ends the processes that a case left running."""
    for number in list(_CHILDREN):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
        with contextlib.suppress(SuiteError):
            ended(number)


def apart(work: Callable[[], object]) -> None:
    """Runs work in a process of its own to its end; AssertionError with what went wrong there, or SuiteError."""
    code, said = _ended(forked(work))
    assert code == 0, said or f"a process of its own ended with {code}"
