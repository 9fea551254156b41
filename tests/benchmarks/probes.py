"""Programs that are measured in a process of their own: they read JSON, and print JSON.

They have bytecode, as an installed program does: a tree of sources perhaps has none.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from measure import BUSY
from report import Settings

ROOT = Path(__file__).resolve().parents[2]
BYTECODE = ROOT / "build" / "benchmarks" / "bytecode"


def probe(script: Path, arguments: list[str], order: str = "", **variables: str) -> dict[str, Any]:
    """Returns what a script prints that is given ``order`` to read; SystemExit where it fails."""
    done = subprocess.run(
        [sys.executable, str(script), *arguments],
        input=order,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | _bytecode() | variables,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"The window failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@cache
def _bytecode() -> dict[str, str]:
    """Returns the variables by which a process reads and writes bytecode; ours is written now."""
    found = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    program = [sys.executable, "-m", "compileall", "-q", str(ROOT / "explorer")]
    subprocess.run(program, env=os.environ | found, check=True)
    return found


def percentile(values: list[float]) -> float:
    """The 95th percentile, one of the measured values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def timing_cells(values: list[float]) -> tuple[str, str, str]:
    """Returns what a table shows of milliseconds: the median, the 95th percentile and the worst."""
    shown = statistics.median(values), percentile(values), max(values)
    return f"{shown[0]:.1f}", f"{shown[1]:.1f}", f"{shown[2]:.1f}"


def say_if_busy(settings: Settings, share: float) -> None:
    """Prints a warning where other programs took much of the processor: ``share`` was left."""
    if share < BUSY:
        settings.console.print(
            f"The machine was busy with other things: {share:.0%} of a processor was left for the "
            "window. The frames took as much longer."
        )
