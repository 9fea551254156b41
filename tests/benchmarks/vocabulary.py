"""The filter of the workspace Vocabulary on the largest vocabulary: keystrokes and clicks on heads, in fresh processes."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from measure import Goal
from model_files import model_file
from report import Settings, table

PROBE = Path(__file__).with_name("vocabulary_probe.py")
FRAME_MS = 30
ROUNDS = 3


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the milliseconds of every keystroke to what is painted, and of every sort."""
    try:
        file = str(model_file("gemma3"))
    except FileNotFoundError as error:
        settings.console.print(f"[yellow]gemma3 is left out: {error}.[/yellow]")
        return {}, []
    runs = [_run(file) for _ in range(settings.rounds(ROUNDS))]
    frames: dict[str, list[float]] = {"first rows": [one["shown"] for one in runs]}
    for name in runs[0]["keys"]:
        frames[f"key, {name}"] = [ms for one in runs for ms in one["keys"][name]]
    frames["sort"] = [ms for one in runs for ms in one["sort"]]
    overview = table(
        f"{runs[0]['entries']:,} entries of Gemma 3, to what is painted; milliseconds",
        ("", "median", "95 of 100", "worst", "times"),
    )
    goals = []
    for name, values in frames.items():
        ordered = sorted(values)
        slow = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        overview.add_row(
            name,
            f"{statistics.median(values):.1f}",
            f"{slow:.1f}",
            f"{ordered[-1]:.1f}",
            str(len(ordered)),
        )
        if name != "first rows":
            goals.append(Goal.within(f"Vocabulary of Gemma 3, {name}, 95 of 100", FRAME_MS, slow))
    settings.console.print(overview)
    return {
        "milliseconds": frames,
        "until an expression has been tried on all": runs[0]["whole"],
    }, goals


def _run(file: str) -> dict[str, Any]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, str(PROBE), file],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"The workspace Vocabulary failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
