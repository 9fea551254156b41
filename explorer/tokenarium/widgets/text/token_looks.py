"""Placeholder for the colours of the theme."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QColor

from tokenarium.style.theme import Theme


@dataclass(frozen=True)
class Fills:
    a: tuple[QColor, ...]
    b: tuple[QColor, ...]
    rule: tuple[QColor, ...]
    text: QColor


@dataclass(frozen=True)
class Identity:
    full: QColor
    soft: QColor
    mid: QColor
    marker: str


def _c(text: str) -> tuple[QColor, ...]:
    return tuple(QColor("#" + c) for c in text.split())


_LIGHT = Fills(
    _c("FEC7CD FFCAAB E9D494 ACE2B3 8CE4E0 B3D9FE D1D1FF FDC4EF"),
    _c("F396A2 EC9E6F CAAE57 79C084 3EC2BE 74B6F3 ABA8F7 E199D1"),
    _c("9D3349 904400 6C5703 016826 006462 025C9A 574CA7 8C397D"),
    QColor("#16181D"),
)
_DARK = Fills(
    _c("62212D 5C2900 453601 004215 003F3D 003A64 363068 58244E"),
    _c("973347 8B4201 695400 026525 05615F 005997 544AA1 873879"),
    _c("FF9AA6 FEA063 D9B326 67CB79 09CBC7 75BCFF B1AFFE F796E3"),
    QColor("#FFFFFF"),
)
_IDS = {
    False: [
        ("006977", "BEDADD", "93B8BC", "tile"),
        ("F1674D", "FEC8BC", "FD957F", "triangle"),
        ("005A44", "8AE6C6", "3EC69F", "square"),
        ("BD499B", "FEC3E8", "EE94CF", "circle"),
        ("112F99", "C1D5FF", "8DB0FF", "diamond"),
    ],
    True: [
        ("077E91", "2C3F41", "436064", "tile"),
        ("C04F39", "612C22", "954232", "triangle"),
        ("2CCD97", "004534", "036850", "square"),
        ("DC7AC1", "5A2C4B", "894273", "circle"),
        ("A3C6FE", "283B66", "3C599D", "diamond"),
    ],
}


def token_fills(theme: Theme) -> Fills:
    return _DARK if theme.dark else _LIGHT


@lru_cache
def identity(dark: bool, slot: int) -> Identity:
    full, soft, mid, marker = _IDS[dark][slot % 5]
    return Identity(QColor("#" + full), QColor("#" + soft), QColor("#" + mid), marker)
