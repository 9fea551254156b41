"""Runs work on strangers' files in a process of its own, which is ended when it takes too much time or memory.

Two kinds of files have a language: chat templates, and lessons. Each has bounds of its own, which stop most of what is
too much, but not a single call that takes forever.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from tokenarium.models.faults import TooMuchError
from tokenarium.work.child_process import how_it_ended
from tokenarium_core import FormatError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

GRACE_S: Final = 0.5
"""How much longer the process may take to stop by itself."""

STALE_S: Final = 0.3
"""Work that has run for so long is ended by the next request."""

START_S: Final = 60.0
"""How long the process may take to start, even on a very busy machine."""

MOST_STARTS: Final = 3
"""How often in a row the process is started that ends before it is ready."""

READY: Final = b"ready"
"""What the process sends once it waits for requests."""

_LARGEST: Final = 1 << 29  # bytes of an answer


class StoppedError(FormatError):
    """The work was stopped; the message says of what, and why."""


class BoundedProcess:
    """The process. It is kept for the next request: once it runs, an answer takes a few milliseconds.

    `send` does not wait, and `received` returns the answer once it is there; only `wait` waits. ``serve`` runs in the
    process, calls `end_with_parent`, and gets a pipe, and the ``seconds`` and ``megabytes`` that one request may take;
    the latter is limited on Linux only. ``kind`` is what a request is of ("chat template"), for sentences.
    """

    def __init__(
        self,
        serve: Callable[[Connection, float, int], None],
        kind: str,
        seconds: float,
        megabytes: int,
    ) -> None:
        self._serve = serve
        self._kind = kind
        self._seconds = seconds
        self._megabytes = megabytes
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._ready = False
        self._asked: tuple[str, bytes] | None = None  # its name, and what is to be sent
        self._running = ""  # the name of what runs
        self._stale = False  # whether its answer is no longer needed
        self._since = 0.0
        self._ended_early = 0  # how often in a row it ended before it was ready

    @property
    def busy(self) -> bool:
        """Whether an answer will come."""
        return self._asked is not None or (bool(self._since) and not self._stale)

    def start(self) -> None:
        """Starts the process, if it does not run, for a quicker first answer.

        FormatError if the system cannot start one.
        """
        if self._process is not None:
            if self._process.is_alive():
                return
            self.stop(and_forget=False)
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        process = context.Process(
            target=self._serve, args=(theirs, self._seconds, self._megabytes), daemon=True
        )
        try:
            process.start()
        except OSError as error:
            self._pipe.close()
            self._pipe = None
            raise FormatError(
                f"The system cannot start a process for the {self._kind}: {error.strerror or error}."
                " Close other programs, and try again."
            ) from error
        finally:
            theirs.close()
        self._process = process
        self._ready, self._since = False, 0.0
        self._began = time.monotonic()

    def send(self, name: str, request: dict[str, Any]) -> None:
        """Sends a request about what has a name; this replaces an earlier request.

        FormatError if no process can be started.
        """
        self._asked = name, packed(request)
        self._stale = bool(self._since)
        if self._stale and time.monotonic() - self._since > STALE_S:
            self.stop(and_forget=False)
        self.start()
        self._send()

    def received(self) -> dict[str, Any] | None:
        """Returns the answer, once; None until it is there. StoppedError if the work was stopped."""
        if self._process is None or self._pipe is None:
            return None
        try:
            if not self._pipe.poll():
                self._look_at_the_clock()
                return None
            content = self._pipe.recv_bytes(_LARGEST)
        except (EOFError, OSError):
            self._died()
            return None
        if content == READY:
            self._ready, self._ended_early = True, 0
            self._send()
            return None
        stale, self._since, self._stale = self._stale, 0.0, False
        answer = _unpacked(content)
        if answer.get("last"):  # its memory is full: a new process gives the next answer
            self.stop(and_forget=False)
        if stale:
            if self._asked is not None:
                self.start()
                self._send()
            return None
        return answer

    def wait(self) -> dict[str, Any]:
        """Waits for the answer, and returns it; StoppedError as in `received`."""
        while (made := self.received()) is None:
            self.rest(0.02)
        return made

    def rest(self, seconds: float) -> None:
        """Waits until the process sends something, at most for ``seconds``."""
        if self._pipe is not None:
            with suppress(OSError):
                self._pipe.poll(seconds)

    def stop(self, and_forget: bool = True) -> None:
        """Ends the process; its request is forgotten, or waits for the next process."""
        if and_forget:
            self._asked = None
        self._since, self._stale, self._ready = 0.0, False, False
        if self._process is not None and self._pipe is not None:
            process, self._process = self._process, None
            self._pipe.close()
            process.kill()
            process.join()

    def _send(self) -> None:
        """Sends the request once the process waits for one, so that writing never blocks."""
        if self._asked is None or not self._ready or self._since or self._pipe is None:
            return
        (self._running, content), self._asked = self._asked, None
        self._since = time.monotonic()
        try:
            self._pipe.send_bytes(content)
        except OSError:
            self._died()

    def _look_at_the_clock(self) -> None:
        now = time.monotonic()
        if self._since and now - self._since > self._seconds + GRACE_S:
            self._end_with(f"it took longer than {self._seconds:g} s")
        elif not self._ready and now - self._began > START_S:
            self.stop()
            raise FormatError(f"The process for the {self._kind} did not start. Try again.")

    def _died(self) -> None:
        assert self._process is not None
        self._process.join(1)
        code = self._process.exitcode
        if not self._ready:
            self._ended_early += 1
            if self._ended_early >= MOST_STARTS:
                self._ended_early = 0
                self.stop()
                raise StoppedError(
                    f"The process for the {self._kind} ended before it began ({how_it_ended(code)})."
                    " Close other programs, and try again."
                )
        if not self._since:  # it was killed from outside while it did nothing
            self.stop(and_forget=False)
            if self._asked is not None:
                self.start()
            return
        how = how_it_ended(code)
        if (
            how == "SIGALRM"
        ):  # on a slow computer the alarm may ring again while the process deals with it
            self._end_with(f"it took longer than {self._seconds:g} s")
        self._end_with(
            f"its process ended ({how}), perhaps for lack of memory or because of deep nesting"
        )

    def _end_with(self, reason: str) -> None:
        stale = self._stale
        self.stop(and_forget=False)
        if self._asked is not None:
            self.start()
        if not stale:
            raise StoppedError(f"The {self._kind} {self._running!r} was stopped: {reason}.")


def set_alarm(seconds: float) -> None:
    """Raises TooMuchError after so many seconds, then repeatedly, since a template may catch it; 0 turns that off.

    Only between two steps of Python, and not on Windows: anything else is stopped by ending the process.
    """
    if sys.platform == "win32":
        return

    def ring(*_: object) -> None:
        raise TooMuchError(f"it took longer than {seconds:g} s")

    signal.setitimer(signal.ITIMER_REAL, 0)
    if seconds:
        import resource

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.02)
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime + seconds) + 2  # if the parent does not watch
        with suppress(ValueError, OSError):
            resource.setrlimit(
                resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1])
            )


def packed(content: dict[str, Any]) -> bytes:
    # A lone surrogate, which a text may have, has no UTF-8 of its own.
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _unpacked(content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        answer = None
    return answer if isinstance(answer, dict) else {}
