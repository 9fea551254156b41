"""The fonts: Inter for the window, JetBrains Mono for ids, bytes and code, the system's for all other scripts.

Both are read from their packages without importing these. Where a package is missing, the system's font is used.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

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

STAGE_SIZE = 32
"""The tiles of merges."""


def ui_font(size: int = TEXT_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of the window."""
    font = QFont(_families())
    font.setPixelSize(size)
    set_weight(font, weight)
    return font


def number_font(size: int = TEXT_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of the window with digits of one width, for numbers in a column."""
    font = ui_font(size, weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font(size: int = TEXT_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of ids, bytes and patterns, without ligatures: ``->`` must stay two characters."""
    font = QFont(_mono_families())
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPixelSize(size)
    set_weight(font, weight)
    for feature in ("liga", "calt"):
        font.setFeature(QFont.Tag(feature), 0)
    return font


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


def package_file(package: str, folder: str, pattern: str) -> Path | None:
    """Returns the last file of a name (``*`` for any characters) in a package, which is not imported; None if none is."""
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec is not None else None
    for place in places or ():
        found = sorted(path for path in Path(place, folder).glob(pattern) if path.is_file())
        if found:
            return found[-1]
    return None


def font_family(path: Path | None) -> str | None:
    """Returns the family of a font file, which Qt reads now; None if it cannot."""
    if path is None or QGuiApplication.instance() is None:
        return None
    families = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(path)))
    return families[0] if families else None


@lru_cache(maxsize=1)
def _families() -> list[str]:
    own = font_family(package_file("fontpkg_inter", "files", "Inter[[]*.ttf"))
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    return [own, system] if own else [system]


@lru_cache(maxsize=1)
def _mono_families() -> list[str]:
    own = font_family(package_file("fontpkg_jetbrains_mono", "files", "JetBrainsMono[[]*.ttf"))
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    return [own, system] if own else [system]
