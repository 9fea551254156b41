"""How a chart is written as a figure: its size on paper or on a slide, its letters, its ground and its caption."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

FigureColours = Literal["print", "light", "dark"]

INCH = 25.4
"""Millimetres."""

SCREEN_DPI = 96
"""Pixels of a window for an inch, by CSS; a point is 1/72 of an inch."""

PRINT_DPI = 300
"""Pixels of a PNG for an inch of paper."""


@dataclass(frozen=True, slots=True)
class FigurePreset:
    """A usual size: ``width`` and ``height`` in millimetres, 0 for that of the window, or what the chart needs.

    ``points`` is the usual size of its letters, ``dpi`` how many pixels of a PNG an inch has.
    """

    id: str
    title: str
    width: float = 0.0
    height: float = 0.0
    points: float = 9.0
    dpi: float = PRINT_DPI


PRESETS = (
    FigurePreset("window", "As in the window", dpi=2 * SCREEN_DPI),
    FigurePreset("column", "One column, 85 mm", 85, 0, 8),
    FigurePreset("page", "Two columns, 170 mm", 170, 0, 9),
    FigurePreset("slide", "Slide, 16:9", 1920 / 144 * INCH, 1080 / 144 * INCH, 18, 144),
    FigurePreset("square", "Square, 120 mm", 120, 120, 10),
)


@dataclass(frozen=True, slots=True)
class FigureLook:
    """What the user chose for a figure. ``points`` is the size of its ordinary letters."""

    preset: FigurePreset = PRESETS[0]
    points: float = 9.0
    colours: FigureColours = "light"
    transparent: bool = False
    title: bool = True
    caption: str = ""


@dataclass(frozen=True, slots=True)
class FigureSource:
    """What the numbers of a chart come from: ``corpus`` and ``intervals`` are sentences, empty for none.

    ``code`` returns a program that reproduces the numbers, "" if there is none; None: there never is.
    """

    corpus: str = ""
    intervals: str = ""
    code: Callable[[], str] | None = None

    def caption(self, what: str, tokenizers: str, version: str) -> str:
        """Returns a caption: ``what`` is shown, of which tokenizers, from which corpus, by which version."""
        parts = [what, tokenizers, self.corpus, self.intervals, f"Made with Tokenarium {version}"]
        return " ".join(f"{part.rstrip('.')}." for part in parts if part)
