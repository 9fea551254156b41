"""Opens the window, as early as it is known that one is wanted: nothing here imports Qt or numpy at its top."""

from __future__ import annotations

import gc
import sys

from tokenarium.models.system_libraries import display_refusal
from tokenarium.work.handover import Entry, enter


def import_before_qt() -> None:
    """Imports what needs no Qt, whose import hook reads the source of each module that comes after it.

    No garbage is looked for until `GarbageAtRest` begins: what is imported stays.
    """
    gc.disable()
    import msgspec  # noqa: F401
    import numpy  # noqa: F401

    import tokenarium_core

    for name in tokenarium_core.__all__:  # it imports each when it is first used
        getattr(tokenarium_core, name)


def open_window(words: list[str], safe: bool = False, new_window: bool = False) -> int:
    """Opens files and links in the window that is open, or in a window of this process; returns the exit code.

    A ``safe`` start has always a window of its own.
    """
    entry = Entry() if safe else enter(words, new_window)
    if entry.handed:
        return 0
    refused = display_refusal()
    if refused:
        print(refused, file=sys.stderr)
        return 1
    import_before_qt()
    from tokenarium.app.start import run

    return run(words, safe, entry)
