"""Colours as numbers: OKLCH in and out, WCAG contrast, mixing.

OKLCH (lightness 0…1, chroma, hue in degrees) is the polar form of Björn Ottosson's OKLab
(https://bottosson.github.io/posts/oklab/), in which equal steps look equally large.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, degrees, hypot, radians, sin

from PySide6.QtGui import QColor

Oklch = tuple[float, float, float]


def from_oklch(colour: Oklch) -> QColor:
    """The sRGB colour of (lightness, chroma, hue), clipped to what a screen can show."""
    lightness, chroma, hue = colour
    a, b = chroma * cos(radians(hue)), chroma * sin(radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    red, green, blue = (round(255 * _encode(min(max(c, 0.0), 1.0))) for c in linear)
    return QColor(red, green, blue)


def to_oklab(colour: QColor) -> tuple[float, float, float]:
    """The OKLab coordinates (lightness, a, b) of an opaque colour."""
    red, green, blue = linear_rgb(colour)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def to_oklch(colour: QColor) -> Oklch:
    """The OKLCH coordinates of an opaque colour."""
    lightness, a, b = to_oklab(colour)
    return lightness, hypot(a, b), degrees(atan2(b, a)) % 360


def linear_rgb(colour: QColor) -> tuple[float, float, float]:
    """Linear red, green and blue, 0…1, without the sRGB curve."""
    return _decode(colour.redF()), _decode(colour.greenF()), _decode(colour.blueF())


def luminance(colour: QColor) -> float:
    """The relative luminance of WCAG 2, 0 for black and 1 for white."""
    red, green, blue = linear_rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of WCAG 2, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def mix(under: QColor, over: QColor, share: float) -> QColor:
    """``under`` with ``share`` (0…1) of ``over`` painted on it."""
    return QColor.fromRgbF(
        under.redF() + (over.redF() - under.redF()) * share,
        under.greenF() + (over.greenF() - under.greenF()) * share,
        under.blueF() + (over.blueF() - under.blueF()) * share,
    )


def colours(table: Sequence[Oklch]) -> tuple[QColor, ...]:
    """The sRGB colours of a table of OKLCH ones."""
    return tuple(from_oklch(entry) for entry in table)


def _encode(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def _decode(encoded: float) -> float:
    return encoded / 12.92 if encoded <= 0.04045 else ((encoded + 0.055) / 1.055) ** 2.4
