"""How far work is: a bar in the output of a notebook's cell, and now and then a line on the standard error elsewhere."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from types import TracebackType
from typing import Any

from tokenarium_core.html_view import escaped
from tokenarium_core.progress import Progress

QUIET_S = 0.5
"""Work that takes less than this shows nothing."""

BAR_S = 0.25
"""Seconds between two states of a bar."""

LINE_S = 5.0
"""Seconds between two lines where there is no notebook."""


class ShownProgress:
    """One state of the work, as a notebook shows it: a phase, the share that is done, and the seconds so far."""

    def __init__(self, phase: str, share: float, seconds: float, end: str = "") -> None:
        self.phase = phase
        self.share = share
        self.seconds = seconds
        self.end = end

    def __repr__(self) -> str:
        done = self.end or f"{100 * self.share:.0f}%"
        return f"{self.phase}: {done}, {self.seconds:.1f} s"

    def _repr_html_(self) -> str:
        bar = "" if self.end else f'<progress max="1" value="{self.share:.3f}"></progress> '
        return f"<div>{bar}{escaped(repr(self))}</div>"


class LiveProgress:
    """Shows how far work is, until its block ends: ``with LiveProgress("Counting") as progress``."""

    def __init__(self, phase: str) -> None:
        self._phase = phase
        self._share = 0.0
        self._started = time.monotonic()
        self._shown = self._started + QUIET_S - BAR_S
        self._display = _notebook_display()
        self._handle: Any = None
        self._said = False

    def __enter__(self) -> LiveProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle is not None or self._said:
            self.end("done" if kind is None else "stopped")

    def show(self, phase: str, share: float) -> None:
        """Notes how far it is, and shows that if the last state is old enough."""
        now = time.monotonic()
        new = phase != self._phase
        self._phase, self._share = phase, min(max(share, 0.0), 1.0)
        pause = BAR_S if self._display is not None or not self._said else 0 if new else LINE_S
        if now - self._shown < pause:
            return
        self._shown = now
        self._put(ShownProgress(phase, self._share, now - self._started))

    def take(self, progress: Progress) -> None:
        """Notes the progress of a job."""
        self.show(progress.phase, progress.fraction)

    def end(self, how: str) -> None:
        """Shows how the work ended."""
        self._put(ShownProgress(self._phase, self._share, time.monotonic() - self._started, how))
        self._handle, self._said = None, False

    def _put(self, state: ShownProgress) -> None:
        if self._display is None:
            self._said = True
            print(state, file=sys.stderr)
        elif self._handle is None:
            self._handle = self._display(state, display_id=True)
        else:
            self._handle.update(state)


def _notebook_display() -> Any:
    """Returns the function that shows an object in a cell's output; None where no notebook runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is None:
        return None
    return import_module("IPython.display").display
