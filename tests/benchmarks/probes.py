"""Programs that are measured in a process of their own: they read JSON, and print JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def probe(script: Path, arguments: list[str], order: str = "", **variables: str) -> dict[str, Any]:
    """Returns what a script prints that is given ``order`` to read; SystemExit where it fails."""
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        input=order,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | variables,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"The window failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def percentile(values: list[float]) -> float:
    """The 95th percentile, never better than what was measured."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
