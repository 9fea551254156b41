"""Opens the window as early as possible: nothing here imports Qt or numpy at its top."""

from __future__ import annotations

import gc
import os
import sys

from tokenarium.models.system_libraries import display_refusal
from tokenarium.work.handover import NEW_WINDOW, Entry, enter

LATER = frozenset(("batch", "change_special_tokens", "diff", "extend", "migrate", "prune"))
"""What the core offers that the first window does not need."""


def import_before_qt() -> None:
    """Imports what does not need Qt, whose import hook reads the source of each module imported after it.

    The garbage collector is off until `GarbageAtRest` begins: imported modules stay.
    """
    gc.disable()
    import msgspec  # noqa: F401
    import numpy  # noqa: F401

    import tokenarium_core

    for name in tokenarium_core.__all__:  # it imports each when it is first used
        if name not in LATER:
            getattr(tokenarium_core, name)


def _wait_or_open(words: list[str], path: str) -> int:
    """Asks the user whether to wait for the busy window; a new window is opened by another process."""
    from tokenarium.app.busy_window import BusyQuestion
    from tokenarium.app.start import application
    from tokenarium.style.appearance import Appearance

    appearance = Appearance(application())
    if BusyQuestion(path, words).ask() == "own":
        from tokenarium.work.child_process import start_again

        start_again(NEW_WINDOW, *words)
    del appearance
    return 0


def open_window(words: list[str], safe: bool = False, new_window: bool = False) -> int:
    """Opens files and links in the window that is open, or in a window of this process; returns the exit code.

    A ``safe`` start always has its own window.
    """
    entry = Entry() if safe else enter(words, new_window)
    if entry.handed:
        return 0
    refused = display_refusal()
    if refused:
        print(refused, file=sys.stderr)
        return 1
    import_before_qt()
    if entry.busy and not os.environ.get("QT_QPA_PLATFORM", "").startswith(
        ("offscreen", "minimal")
    ):
        return _wait_or_open(words, entry.busy)
    from tokenarium.app.start import run

    return run(words, safe, entry)
