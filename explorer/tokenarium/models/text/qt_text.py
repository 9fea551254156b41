"""Hands a text to Qt as it is: the bindings take a byte order mark from its start, and Qt looks for HTML in it."""

from __future__ import annotations


def into_qt(text: str) -> str:
    """Returns what to hand to Qt so that Qt gets this text.

    Only one byte order mark is lost, only at the start, and only on the way into Qt; a signal that
    is declared with ``str`` goes that way too.
    """
    return "\ufeff" + text if text.startswith("\ufeff") else text


def as_tip(text: str) -> str:
    """Returns what to hand to Qt so that a tooltip shows this text: with ``<b>`` in it, Qt would take it for HTML."""
    if "<" not in text and "&" not in text:
        return text
    from PySide6.QtGui import Qt  # not above: the command line has no window, and need not load one

    return Qt.convertFromPlainText(text) if Qt.mightBeRichText(text) else text


def on_button(text: str) -> str:
    """Returns what to hand to Qt so that a button shows this text: Qt underlines what stands behind an ``&``."""
    return text.replace("&", "&&")
