"""Notes unexpected errors, and turns them into sentences to show in place of a traceback."""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Callable

from tokenarium.models.fault_notes import FaultNote, note_of
from tokenarium.models.program_log import ERROR, log
from tokenarium_core import TokenariumError


class TooMuchError(Exception):
    """A chat template exceeded a bound."""


def reported(error: Exception) -> TokenariumError:
    """Returns an error whose message is a sentence to show: ``error`` itself where it has one.

    Any other error is a fault of this program: its traceback is written to the standard error, for a report.
    """
    if isinstance(error, TokenariumError):
        return error
    if isinstance(error, MemoryError):
        return TokenariumError("There is not enough memory for this.")
    note_fault(error)
    if sys.stderr is not None:  # a window started from the menu of Windows has none
        traceback.print_exception(error)
    return TokenariumError(
        f"This is a fault in Tokenarium ({type(error).__name__}: {error}). Please report it, with what led to it."
    )


# The faults that were noted in this process.

LISTENERS: list[Callable[[FaultNote], object]] = []
"""Functions that are called with each note, such as of a window that shows it."""

NOTED: Counter[str] = Counter()
"""How often each fault came, by its key."""


def note_fault(fault: FaultNote | BaseException) -> None:
    """Writes a fault to the log, and tells the listeners about it; the same fault only once.

    It raises nothing: it is called where something is wrong already.
    """
    try:
        note = fault if isinstance(fault, FaultNote) else note_of(fault)
        NOTED[note.key] += 1
        if NOTED[note.key] > 1:
            return
        log(f"{note.kind} in {note.place or 'unknown code'}\n{note.trace}", ERROR)
        for listener in LISTENERS:
            listener(note)
    except Exception as error:
        if sys.stderr is not None:
            print(f"The fault was not recorded: {type(error).__name__}.", file=sys.stderr)
