"""Starts the processes of the cases as copies of one process, which has imported the attacks and does nothing else.

Each would need up to two seconds to import the same. The server is forked before the runner starts its threads, and
runs no case: whatever a case does to its own process, the next one begins as if it were the first.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from types import TracebackType

from attack import ROOT

PIPE, OUTPUT, STATUS = range(3)
"""The files that come with a request: what the process reports to, what it prints to, and what its end is written to."""

UNFINISHED = 1
"""The exit code of a process of which nobody says how it has ended."""


class ForkedProcess:
    """A process that the server has started: the leader of a session of its own."""

    def __init__(self, status: int) -> None:
        self._status = os.fdopen(status, "rb", buffering=0)
        self._said = b""
        self._read(1, None)
        if not self._said:
            self._status.close()
            raise ChildProcessError("The server did not start a process.")
        self.pid = int(self._said.split(b"\n")[0])

    def ends_in(self, seconds: float) -> bool:
        """Waits for its end, so many seconds at most; returns whether it has ended."""
        return self._read(2, seconds)

    def exit_code(self) -> int:
        """Waits for its end and returns the exit code, negative for the signal that ended it."""
        self._read(2, None)
        self._status.close()
        lines = self._said.split(b"\n")
        return int(lines[1]) if len(lines) > 2 else UNFINISHED

    def _read(self, lines: int, timeout: float | None) -> bool:
        """Reads until there are so many lines, or there will be no more; returns False if they do not come in time."""
        end = None if timeout is None else time.monotonic() + timeout
        while self._said.count(b"\n") < lines:
            left = None if end is None else max(end - time.monotonic(), 0.0)
            if not select.select([self._status], [], [], left)[0]:
                return False
            data = self._status.read(100)
            if not data:
                break
            self._said += data
        return True


class ForkServer:
    """The process that is copied; it ends with the block. ``work`` is run in each copy with arguments and its pipe."""

    def __init__(self, work: Callable[[int, list[str]], int]) -> None:
        self._work = work
        self._lock = threading.Lock()

    def __enter__(self) -> ForkServer:
        if threading.active_count() > 1:
            raise RuntimeError("A process with threads cannot be forked: a copy has none of them.")
        self._socket, theirs = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        self._number = os.fork()
        if not self._number:
            self._socket.close()
            _in_copy(partial(_serve, theirs, self._work))
        theirs.close()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
        os.waitpid(self._number, 0)

    def start(self, arguments: list[str], pipe: int, output: int) -> ForkedProcess:
        """Starts a process; ChildProcessError or OSError if the server has ended."""
        reader, writer = os.pipe()
        try:
            with self._lock:  # the server answers one request before the next comes
                request = f"{json.dumps(arguments)}\n".encode()
                socket.send_fds(self._socket, [request], [pipe, output, writer])
                os.close(writer)
                return ForkedProcess(reader)
        except OSError:
            with contextlib.suppress(OSError):
                os.close(writer)
            raise


def _in_copy(work: Callable[[], int]) -> None:
    """Runs the rest of a copy of this process, which returns to nobody."""
    code = UNFINISHED
    try:
        code = work()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _serve(requests: socket.socket, work: Callable[[int, list[str]], int]) -> int:
    os.setsid()  # Ctrl+C is for the runner, which ends the processes
    os.chdir(ROOT)
    gc.collect()
    gc.freeze()  # what is shared is not looked through, and so not copied, in each process
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    while True:
        message, files, _, _ = socket.recv_fds(requests, 1 << 16, 3)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG if message else 0)[0]:
                pass
        if not message:
            return 0
        for file in files:
            os.set_inheritable(file, False)
        arguments = json.loads(message)
        if not os.fork():
            requests.close()
            _in_copy(partial(_watch, arguments, files, work))
        for file in files:
            os.close(file)


def _watch(arguments: list[str], files: list[int], work: Callable[[int, list[str]], int]) -> int:
    """Starts the process, waits for its end and tells it: the server itself waits for nothing but requests."""
    number = os.fork()
    if not number:
        _in_copy(partial(_begin, arguments, files, work))
    os.close(files[PIPE])
    os.close(files[OUTPUT])
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    os.write(files[STATUS], f"{code}\n".encode())
    return 0


def _begin(arguments: list[str], files: list[int], work: Callable[[int, list[str]], int]) -> int:
    os.setsid()  # so that it ends with all that it has started
    os.write(files[STATUS], f"{os.getpid()}\n".encode())
    os.close(files[STATUS])
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for stream in (1, 2):
        os.dup2(files[OUTPUT], stream)
    os.close(files[OUTPUT])
    return work(files[PIPE], arguments)
