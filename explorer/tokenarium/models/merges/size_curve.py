"""How many tokens a text has, or how long they are, at some sizes of one vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor


@dataclass(frozen=True, slots=True)
class SizeCurve:
    """One vocabulary: its name, its colour, and what is drawn at each of some rising sizes."""

    name: str
    colour: QColor
    sizes: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
