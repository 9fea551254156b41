"""The fonts: Inter for the window, JetBrains Mono for ids, bytes and code, the system's for all other scripts.

Both are read from their packages without importing these. Where a package is missing, the system's font is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication

DISPLAY_SIZE = 34
"""The name on the welcome page. All sizes are pixels."""

TITLE_SIZE = 22
"""Titles and large counts."""

HEADING_SIZE = 17
"""The titles of cards."""

LESSON_SIZE = 15
"""Text that is read, not scanned."""

TEXT_SIZE = 13
"""Ordinary text."""

SMALL_SIZE = 12
"""Second lines, axis labels, notes, counts in a margin."""

RAIL_SIZE = 11
"""The labels of the rail; no text is smaller."""

READING_SIZE = 19
"""The text that is being tokenized."""

READING_SIZES = (14, 16, 19, 22, 26, 32, 40, 48)
"""The sizes that it can be zoomed to."""

LESSON_READING_SIZES = (38, 34, 30, 26, 22)
"""The sizes of that text in a lesson, of which the largest is used that has room."""

STAGE_SIZE = 32
"""The tiles of merges."""


_Function = TypeVar("_Function", bound=Callable[..., Any])
_cached: list[Callable[[], None]] = []
_chosen = {"system": False}
_last: list[str] = []  # the family after those of the system


def font_cache(maxsize: int) -> Callable[[_Function], _Function]:
    """Returns a decorator for a function of text and fonts: its results are kept until other fonts are chosen."""

    def keep(function: _Function) -> _Function:
        cached = lru_cache(maxsize=maxsize)(function)
        _cached.append(cached.cache_clear)
        return cast(_Function, cached)

    return keep


def ui_font(size: int = TEXT_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of the window."""
    return QFont(_made_ui_font(size, weight))


@font_cache(256)
def _made_ui_font(size: int, weight: QFont.Weight) -> QFont:
    """The same font; every paint asks for some, and a copy takes a fraction of the time. It must stay as it is."""
    font = QFont(_families())
    font.setPixelSize(size)
    set_weight(font, weight)
    show_as_written(font)
    return font


def number_font(size: int = TEXT_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of the window with digits of one width, for numbers in a column."""
    font = ui_font(size, weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font(size: int = TEXT_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of ids, bytes and patterns."""
    return QFont(_made_mono_font(size, weight))


@font_cache(256)
def _made_mono_font(size: int, weight: QFont.Weight) -> QFont:
    """The same font; it must stay as it is."""
    font = QFont(_mono_families())
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPixelSize(size)
    set_weight(font, weight)
    show_as_written(font)
    return font


SUBSTITUTIONS = ("calt", "liga", "clig", "dlig", "hlig")
"""OpenType's optional features that show other characters than are written: in Inter, ``3x9`` as ``3×9`` and ``->`` as
``→``. What a script needs to be read has features of its own, such as ``rlig``, ``init`` and ``half``."""


def show_as_written(font: QFont) -> None:
    """Makes a font show each character as it is written; the letters of scripts that join still join."""
    for feature in SUBSTITUTIONS:
        font.setFeature(QFont.Tag(feature), 0)


def set_weight(font: QFont, weight: QFont.Weight) -> None:
    """Gives a font of ours a weight, by the axis of its file.

    Where Qt's font database knows only the first instance of a variable font, it would take the regular letters for
    every weight, and smear them from Bold on.
    """
    font.setWeight(min(weight, QFont.Weight.DemiBold, key=lambda one: one.value))
    if weight != QFont.Weight.Normal:
        font.setVariableAxis(QFont.Tag("wght"), float(weight.value))


def reading_font(size: int = READING_SIZE) -> QFont:
    """The font of the text that is being tokenized: proportional, so that scripts join."""
    return ui_font(size)


MONO_SHARE = 16.5 / 19
"""Letters of a fixed width look as large as the others at this share of their size."""


def fixed_reading_font(size: int = READING_SIZE) -> QFont:
    """The font of a text that is code: each letter as wide as the others; ``size`` is that of the usual font."""
    return mono_font(round(size * MONO_SHARE))


def use_system_fonts(alone: bool) -> bool:
    """Chooses the system's fonts instead of Inter and JetBrains Mono, or these again; returns whether that changed."""
    if alone == _chosen["system"]:
        return False
    _chosen["system"] = alone
    forget_fonts()
    return True


def add_last_family(family: str) -> None:
    """Makes a family the last one of all fonts, for characters that no other has."""
    _last[:] = [family]
    forget_fonts()


def forget_fonts() -> None:
    """Makes all fonts again, and what was measured with them, when they are next needed."""
    for forget in _cached:
        forget()


def with_families_of(font: QFont, model: QFont) -> QFont:
    """Returns a font with the families of another, and its own size, weight and features."""
    changed = QFont(font)
    changed.setFamilies(model.families())
    return changed


def package_file(package: str, folder: str, pattern: str) -> Path | None:
    """Returns the last file of a name (``*`` for any characters) in a package, which is not imported; None if none is."""
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec is not None else None
    for folder_path in places or ():
        files = sorted(
            path for path in Path(folder_path, folder).glob(pattern) if os.path.isfile(path)
        )
        if files:
            return files[-1]
    return None


def font_family(path: Path | None) -> str | None:
    """Returns the family of a font file, which Qt reads now; None if it cannot."""
    if path is None or QGuiApplication.instance() is None:
        return None
    families = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(path)))
    return families[0] if families else None


@lru_cache(maxsize=1)
def _inter() -> str | None:
    return font_family(package_file("fontpkg_inter", "files", "Inter[[]*.ttf"))


@lru_cache(maxsize=1)
def _jetbrains_mono() -> str | None:
    return font_family(package_file("fontpkg_jetbrains_mono", "files", "JetBrainsMono[[]*.ttf"))


@font_cache(maxsize=1)
def _families() -> list[str]:
    return _with_system(_inter, QFontDatabase.SystemFont.GeneralFont)


@font_cache(maxsize=1)
def _mono_families() -> list[str]:
    return _with_system(_jetbrains_mono, QFontDatabase.SystemFont.FixedFont)


def _with_system(own: Callable[[], str | None], kind: QFontDatabase.SystemFont) -> list[str]:
    system = QFontDatabase.systemFont(kind).family()
    family = None if _chosen["system"] else own()
    return [family, system, *_last] if family else [system, *_last]
