"""How large everything is drawn: letters, lines and pictures alike, beside what the screen's own settings say.

Qt takes this scale when it begins and never again, so that a change is seen at the next start, which can be had at once
(`tokenarium.app.restarting`). For the same reason it does not begin at the size of the system's font: Qt tells that only
once it has begun. Nor is there one size to compare it with, as desktops come with 9 to 13 points, and some enlarge the
resolution of the screen instead.
"""

from __future__ import annotations

import os

from tokenarium.session import settings
from tokenarium.session.settings import Settings

SCALES = (80, 90, 100, 110, 125, 150, 175, 200, 250)
"""In percent."""

NORMAL = 100

_VARIABLE = "QT_SCALE_FACTOR"


def kept_scale(store: Settings) -> int:
    """Returns the scale of the next start in percent; one that there is not counts as not set."""
    kept = store.get(settings.SCALE)
    return int(kept) if kept in map(str, SCALES) else NORMAL


def apply_scale(store: Settings) -> None:
    """Lets Qt begin at the kept scale; a scale of the environment goes first. No application may be there yet."""
    scale = kept_scale(store)
    if scale != NORMAL:
        os.environ.setdefault(_VARIABLE, f"{scale / 100:g}")


def next_scale(scale: int, step: int) -> int:
    """Returns the scale that is a step larger (1) or smaller (-1); the last one has none beyond it."""
    return SCALES[max(0, min(SCALES.index(scale) + step, len(SCALES) - 1))]
