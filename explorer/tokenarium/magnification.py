"""How large everything is drawn: a share that is kept, and that Qt takes when the application is made."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from tokenarium import settings
from tokenarium.settings import Settings

USUAL = 100
STEPS = (80, USUAL, 125, 150, 175, 200, 250)
"""Percent."""

VARIABLE = "QT_SCALE_FACTOR"
"""What Qt reads (its documentation, "High DPI"): text, margins and drawings keep their proportions, at any size."""


def kept(store: Settings) -> int:
    """Returns the percentage that was chosen; the usual one where that is none of the steps."""
    written = store.get(settings.MAGNIFICATION)
    return int(written) if written in map(str, STEPS) else USUAL


def keep(store: Settings, percent: int) -> str:
    """Keeps another percentage, and returns what to tell of it."""
    store.set(settings.MAGNIFICATION, str(percent))
    return f"Tokenarium will be drawn at {percent}% of its usual size from its next start on."


def step_from(percent: int, steps: int) -> int:
    """Returns the percentage that lies some steps above, or below; at an end it stays.

    >>> step_from(100, 1), step_from(80, -1)
    (125, 80)
    """
    place = STEPS.index(percent) + steps
    return STEPS[max(0, min(place, len(STEPS) - 1))]


def magnify(store: Settings, environment: MutableMapping[str, str] = os.environ) -> None:
    """Has Qt draw at the size that is kept. Before the application is made; a size that somebody set there stays."""
    percent = kept(store)
    if percent != USUAL:
        environment.setdefault(VARIABLE, str(percent / 100))
