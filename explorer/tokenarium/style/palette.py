"""Colours as numbers: linear light, WCAG contrast, mixing."""

from __future__ import annotations

from PySide6.QtGui import QColor


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


def _decode(encoded: float) -> float:
    return encoded / 12.92 if encoded <= 0.04045 else ((encoded + 0.055) / 1.055) ** 2.4
