"""The name of this computer in a figure: its processor, how many it has, and its system."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path


@cache
def machine_name() -> str:
    """Returns what a reader of a measured time must know: "AMD EPYC 7B13, 2 processors, Linux"."""
    count = os.cpu_count() or 1
    processors = "1 processor" if count == 1 else f"{count} processors"
    system = {"Darwin": "macOS"}.get(platform.system(), platform.system() or "unknown system")
    return f"{_processor()}, {processors}, {system}"


def _processor() -> str:
    """Returns the model of the processor, or else the kind of machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model") and value.strip():
            return " ".join(value.split())
    return platform.processor() or platform.machine() or "unknown processor"
