"""Hands a text to Qt as it is: the bindings take a byte order mark from the start of a string."""

from __future__ import annotations


def into_qt(text: str) -> str:
    """Returns what to hand to Qt so that Qt gets this text.

    Only one byte order mark is lost, only at the start, and only on the way into Qt; a signal that
    is declared with ``str`` goes that way too.
    """
    return "\ufeff" + text if text.startswith("\ufeff") else text
