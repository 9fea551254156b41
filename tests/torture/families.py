"""All attacks, family by family."""

from __future__ import annotations

import calls
import configurations
import endless
import files
import kills
import surroundings

ATTACKS = [
    *files.ATTACKS,
    *calls.ATTACKS,
    *configurations.ATTACKS,
    *kills.ATTACKS,
    *surroundings.ATTACKS,
    *endless.ATTACKS,
]
