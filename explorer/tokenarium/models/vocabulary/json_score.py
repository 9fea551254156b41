"""Scores as JSON can hold them."""

from __future__ import annotations

import math


def json_score(score: float) -> float | None:
    """Returns a score; None for an infinite one, which JSON has no number for."""
    return score if math.isfinite(score) else None
