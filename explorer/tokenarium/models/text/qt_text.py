"""Passes texts to Qt unchanged: the bindings drop a byte order mark at the start, and Qt looks for HTML."""

from __future__ import annotations

import sys
import unicodedata
from functools import lru_cache

from tokenarium.style.code_point_font import FAMILY


def into_qt(text: str) -> str:
    """Returns what to pass to Qt so that Qt gets this text.

    Only one byte order mark is lost, at the start, and only on the way into Qt, which includes signals
    that are declared with ``str``.
    """
    return "\ufeff" + text if text.startswith("\ufeff") else text


def as_tip(text: str) -> str:
    """Returns what to pass to Qt so that a tooltip shows this text: with ``<b>`` in it, Qt would read it as HTML."""
    if "<" not in text and "&" not in text:
        return text
    from PySide6.QtGui import Qt  # not above: the command line has no window, and need not load one

    return Qt.convertFromPlainText(text) if Qt.mightBeRichText(text) else text


def notice(text: str) -> None:
    """Has characters of a text that no font has shown as boxes, if there is a window."""
    missing_glyphs = sys.modules.get("tokenarium.style.missing_glyphs")
    if missing_glyphs is not None and not text.isascii():
        missing_glyphs.MISSING.notice(text)


def is_seen(character: str) -> bool:
    """Returns whether a character is visible: it has a shape, and a font for it is installed.

    Without a window, as on the command line, fonts are unknown, and only the kind of the character counts.
    """
    if "!" <= character <= "~":
        return True
    if unicodedata.category(character)[0] not in "LNPSM":
        return False
    gui = sys.modules.get("PySide6.QtGui")
    return gui is None or gui.QGuiApplication.instance() is None or _has_glyph(character)


@lru_cache(maxsize=1 << 12)
def _has_glyph(character: str) -> bool:
    from PySide6.QtGui import QGuiApplication, QTextLayout

    layout = QTextLayout(character, QGuiApplication.font())
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    runs = layout.glyphRuns()
    return bool(runs) and all(
        all(run.glyphIndexes()) and not run.rawFont().familyName().startswith(FAMILY)
        for run in runs
    )


def on_button(text: str) -> str:
    """Returns what to pass to Qt so that a button shows this text: Qt underlines the character after an ``&``."""
    return text.replace("&", "&&")
