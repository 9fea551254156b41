"""Turns an unexpected error into a sentence to show in place of a traceback."""

from __future__ import annotations

import sys
import traceback

from tokenarium.models.fault_notes import note_fault
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
        f"This is a fault of Tokenarium ({type(error).__name__}: {error}). Please report it, with what led to it."
    )
