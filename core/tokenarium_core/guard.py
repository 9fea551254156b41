"""Lets one thread at a time use what tokenizers share: caches, and the memory for a text."""

from __future__ import annotations

import sys
import threading
from time import monotonic, sleep
from typing import Any, Final, final

from tokenarium_core import version
from tokenarium_core.errors import TokenariumError

_PATIENCE: Final = 60.0  # seconds that a thread waits for another one
_NAP: Final = 0.0005


@final
class Guard:
    """Threads take turns: `enter` waits for the current one, which always calls `leave`.

    Compiled code holds the GIL, so a flag is enough there, and costs nothing: a thread finds it set only if
    Python code ran in the middle of another thread's turn, as during garbage collection. Interpreted code may be
    interrupted anywhere, and needs a real lock.

    Raises TokenariumError if a turn begins inside another turn of the same thread, for instance in a finalizer.
    """

    def __init__(self, interrupted: bool) -> None:
        self._inside = False
        self._interrupted = interrupted
        self._lock: Any = threading.RLock()

    def enter(self) -> None:
        """Begins a turn when no other thread has one."""
        if self._inside or self._interrupted:
            self._wait()
        self._inside = True

    def leave(self) -> None:
        """Ends the turn."""
        self._inside = False
        if self._interrupted:
            self._lock.release()

    def _wait(self) -> None:
        if self._interrupted:
            self._lock.acquire()
            if not self._inside:
                return
            self._lock.release()
        else:
            end = monotonic() + _PATIENCE
            while self._inside and monotonic() < end:
                sleep(_NAP)
            if not self._inside:
                return
        raise TokenariumError(
            "The tokenizer is still working: it was perhaps called from a finalizer or a signal handler. Call it"
            " later."
        )


def _is_interrupted() -> bool:
    """Returns whether another thread may run between any two steps of this code."""
    has_lock: Any = getattr(sys, "_is_gil_enabled", None)
    return (version.__file__ or "").endswith(".py") or (has_lock is not None and not has_lock())


TURNS: Final = Guard(_is_interrupted())
"""The guard of all tokenizers: they may share stages, and compiled code could not run in parallel anyway."""
