"""Examines a tokenizer in a process of its own: single examinations take longer than the window may wait."""

from __future__ import annotations

from collections.abc import Callable

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosing import diagnose
from tokenarium.models.files import cache_folder


def examine(tell: Callable[[object], None], source: str, pattern: str) -> None:
    """Opens a tokenizer by what opens it in the library, and tells each finding when it is there."""
    tokenizer = tc.open(source, pattern=pattern or None, cache=cache_folder())
    for finding in diagnose(tokenizer):
        tell(finding)
